// A call before it is dispatched: is it one, who does it, with which arguments and until when (R-CALL, R-TOOLS, 2.2
// §8).

import type { RuleName } from '../../errors.ts';
import { isToolRecipient } from '../../model/attributes.ts';
import type { ToolDefinition } from '../../model/data.ts';
import { builtinsOf, callChannelsOf } from '../../model/header/document.ts';
import { shownName } from '../../printable.ts';
import { askedOf, isCallChannel } from '../../rules/calls.ts';
import { isDeadline } from '../../rules/conform.ts';
import { DIALECTS } from '../../scan/dialects.ts';
import { isBuiltin, plainName, takesText } from '../../tools/name.ts';
import { argumentsForCheck } from '../../tools/arguments.ts';
import { ToolCache } from '../../tools/cache.ts';
import { isBounded, isObject, parseJson } from '../../tools/json.ts';
import { FUNCTIONS } from '../../tools/types.ts';
import type { ToolHandler, RoutedCall } from './types.ts';

/** Why a call is refused. */
export interface CallFault {
  readonly rule: RuleName;
  /** Holds nothing of the arguments. */
  readonly detail?: string | undefined;
}

/** A call that may run. */
export interface Plan {
  readonly handler: ToolHandler;
  /** What the handler stands under: a recipient or a pattern. */
  readonly entry: string;
  /** The tool's own name. */
  readonly name: string;
  readonly argumentsValue: unknown;
  /** What the call asks for; null: nothing. */
  readonly deadlineMs: number | null;
  /** What is wrong with the call, and no reason to refuse it. */
  readonly warning?: RuleName;
}

const PREFIX = `${FUNCTIONS}.`;
/** Values and nesting of arguments that no schema bounds. */
const MOST_VALUES = 100_000;
const DEEPEST = 64;

export const isFault = (checked: Plan | CallFault): checked is CallFault => 'rule' in checked;

/** Messages that are no calls, not whole, or not sure about what they call: nothing about them is looked at further. */
export function faultOfMessage(call: RoutedCall): CallFault | null {
  if (call.isAmbiguous === true || call.isUndispatchable === true) {
    return {
      rule: 'duplicate-attribute',
      detail: 'the header is ambiguous or too long, or an attribute in it is empty; nothing was called',
    };
  }
  if (call.unread === true) {
    return { rule: 'bad-call-object', detail: 'a call is {"name": string, "arguments": object}' };
  }
  const recipient: unknown = call.recipient;
  if (call.role !== 'assistant' || typeof recipient !== 'string' || !isToolRecipient(recipient)) {
    return { rule: 'call-without-recipient' };
  }
  if (call.lacksMessage === true) return { rule: 'missing-message' };
  if (call.end === 'eof') return { rule: 'truncated' };
  if (call.end === 'implicit') return { rule: 'missing-end' };
  return null;
}

/** What the transcript of a call asks of it. */
export function asksOf({ dialect = 'openchatml-2.2', header }: RoutedCall): ReturnType<typeof askedOf> {
  const version: unknown = header?.['version'];
  const known = DIALECTS[dialect] ?? DIALECTS['openchatml-2.2'];
  return askedOf({ dialect: known, header: { version: isShort(version) ? String(version) : null } });
}

const isShort = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';

interface Entry {
  readonly entry: string;
  readonly handler: ToolHandler;
}

/** Knows handlers and definitions. Names are own ones: `functions.constructor` finds nothing of a prototype. */
export class CallDesk {
  readonly #handlers = new Map<string, Entry>();
  /** `browser.` and the handler of `browser.*`; longer ones first. */
  readonly #patterns: readonly (readonly [prefix: string, entry: Entry])[];
  readonly #definitions = new Map<string, ToolDefinition>();
  readonly #schemas = new ToolCache();
  readonly #builtins: readonly string[];
  readonly #longest: number;

  /** `builtins`: those that are none everywhere. `longest`: UTF-16 units of a body. */
  constructor(
    handlers: { readonly [recipient: string]: ToolHandler }, tools: readonly ToolDefinition[],
    builtins: readonly string[],
    longest: number,
  ) {
    const patterns: [string, Entry][] = [];
    for (const [recipient, handler] of Object.entries(handlers)) {
      if (typeof handler !== 'function')
        throw new TypeError(`option handlers: expected a function for ${JSON.stringify(recipient)}`);
      const entry = { entry: recipient, handler };
      if (recipient.endsWith('.*')) patterns.push([recipient.slice(0, -1), entry]);
      else this.#handlers.set(recipient, entry);
    }
    this.#patterns = patterns.sort(([a], [b]) => b.length - a.length);
    for (const tool of tools) this.#define(tool);
    if (!Array.isArray(builtins) || !builtins.every((name) => typeof name === 'string'))
      throw new TypeError('option builtinTools: expected a list of names');
    this.#builtins = builtins;
    this.#longest = longest;
  }

  /** Throws a TypeError where nobody could ever call the tool: its schema is not used. */
  #define(tool: ToolDefinition): void {
    const name = `${tool.namespace}.${tool.name}`;
    const { refused } = this.#schemas.get(tool);
    if (refused !== null) {
      const place = shownName(`#${refused.pointer}`);
      throw new TypeError(`tool ${shownName(name)}: its schema is not usable at ${place}: ${refused.reason}`);
    }
    this.#definitions.set(name, tool);
  }

  /** The tool's own name: a bare word means a function of that name, as names are compared without `functions.`. */
  nameOf(call: RoutedCall): string {
    const recipient = call.recipient!;
    const builtins = this.#builtinsOf(call);
    const plain = plainName(recipient);
    const isBuiltinFunction = plain !== recipient && isBuiltin(plain, builtins) && !this.#definitions.has(recipient);
    // 2.0 §11 writes `functions.` in front of a builtin tool, too.
    if (isBuiltinFunction && !this.#handlers.has(recipient) && this.#handlerOf(plain) !== null) return plain;
    const isBare = !recipient.includes('.') && !isBuiltin(recipient, builtins) && !this.#handlers.has(recipient);
    return isBare ? PREFIX + recipient : recipient;
  }

  check(call: RoutedCall): Plan | CallFault {
    const { content } = call;
    const name = this.nameOf(call);
    const builtins = this.#builtinsOf(call);
    const { channels } = asksOf(call);
    const isMisplaced = channels !== 'none' && !isRightChannel(call, isBuiltin(call.recipient!, builtins));
    if (isMisplaced && channels === 'error') return { rule: 'call-channel' };
    const entry = this.#handlerOf(name);
    const definition = this.#definitions.get(name);
    if (!entry) return { rule: 'unknown-tool', ...(definition && { detail: 'nothing here carries it out' }) };
    if (!definition && this.#definitions.size > 0 && !isBuiltin(name, builtins)) return { rule: 'unknown-tool' };
    // A tool never receives reasoning (2.2 §8.3).
    if (holdsReasoning(call)) return { rule: 'invalid-arguments', detail: 'they hold marks of reasoning' };
    if (content.length > this.#longest) return { rule: 'invalid-arguments', detail: 'they are longer than is read' };
    const isText = !definition && takesText(name, call.contentType);
    const warning = isMisplaced ? ({ warning: 'call-channel' } as const) : {};
    if (isText) return { ...entry, name, argumentsValue: content, deadlineMs: null, ...warning };
    const value = parseJson(content);
    const isDeclared = call.contentType === 'json' && call.constrained === true;
    if (value === undefined && isDeclared) return { rule: 'invalid-json' };
    if (value === undefined) return { rule: 'invalid-arguments', detail: 'they are no JSON' };
    return { ...this.#plan(entry, name, value, definition), ...warning };
  }

  #plan(entry: Entry, name: string, value: unknown, definition: ToolDefinition | undefined): Plan | CallFault {
    const argumentsValue = argumentsForCheck(value, definition ?? { namespace: FUNCTIONS, name });
    const deadline = isObject(value) && Object.hasOwn(value, 'deadline_ms') ? value['deadline_ms'] : undefined;
    const isUsable = isDeadline(deadline);
    // Where the schema names the deadline, it says what may stand there.
    const isOwn = argumentsValue === value;
    if (deadline !== undefined && !isUsable && !isOwn) return { rule: 'bad-deadline' };
    const detail = this.#argumentFault(argumentsValue, definition);
    if (detail !== null) return { rule: 'invalid-arguments', detail };
    return { ...entry, name, argumentsValue, deadlineMs: isUsable ? deadline : null };
  }

  #argumentFault(value: unknown, definition: ToolDefinition | undefined): string | null {
    if (!definition) return isBounded(value, MOST_VALUES, DEEPEST) ? null : 'they are too deep or too many';
    const schema = this.#schemas.get(definition);
    return schema.check(value) ? schema.faults(value).join('; ') : null;
  }

  #builtinsOf({ header }: RoutedCall): readonly string[] {
    return header == null ? this.#builtins : [...this.#builtins, ...builtinsOf(header)];
  }

  #handlerOf(name: string): Entry | null {
    const own = this.#handlers.get(name);
    if (own) return own;
    for (const [prefix, entry] of this.#patterns)
      if (name.length > prefix.length && name.startsWith(prefix)) return entry;
    return null;
  }
}

/** Functions are called on commentary, builtin tools on analysis too, where a header says no other; none is `final`. */
function isRightChannel({ channel, header }: RoutedCall, isBuiltinTool: boolean): boolean {
  return isCallChannel(channel ?? 'final', isBuiltinTool, callChannelsOf(header ?? null));
}

/** By the message's own word; where it does not say, markers count on analysis, where they are marks (R-COT). */
function holdsReasoning({ marked, channel, content, dialect }: RoutedCall): boolean {
  if (marked !== undefined || dialect === 'harmony') return marked === true;
  return channel === 'analysis' && /<\|(start|end)_(reflect|introspect|reason)\|>/.test(content);
}
