// What is wrong with the meaning of messages (rulings §6): calls, content types, arguments, reasoning in what is shown.

import {
  HAS_LINE, LEDGER_BY_HOST, LEDGER_CALLS, LEDGER_DEFINER, LEDGER_DEFINERS, LEDGER_OPEN, LEDGER_RULES,
  LONGEST_DEFINER, MARK,
} from '../abi.ts';
import type { Finding, Tell } from '../errors.ts';
import { isToolRecipient } from '../model/attributes.ts';
import type { ToolDefinition } from '../model/data.ts';
import { countTags, OPEN_CALL } from '../model/hermes.ts';
import type { Message, Span } from '../model/message.ts';
import type { TranscriptInfo } from '../model/transcript.ts';
import { hasRow } from '../model/message-rows.ts';
import type { DialectId } from '../scan/dialects.ts';
import type { Machine } from '../scan/machine.ts';
import { askedOf, CallRules, channelsOf, type OpenCalls } from './calls.ts';
import { conformOfCall, mayNameFields } from './conform.ts';
import {
  checkContent, type Constraints, type ContentOptions, constraintsOf, type JsonResult, parseChecked, parseJson,
} from './constraint.ts';
import {
  byName, type CallProblem, KnownTools, LEAST_DEPTH, Schemas, type ToolMemory, type ToolsByName,
} from '../tools/known.ts';
import { callFault, type LineCall, namesOf, readCall, readLineCalls, readReplyNames } from './v01-calls.ts';
import { decodeUtf8 } from '../utf8.ts';

export interface MeaningOptions extends ContentOptions {
  /** Tools that are known in every transcript, beside those that it defines. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /**
   * @internal Numbers of the messages that begin with `<tool_call>` and were read as no call (R-HERMES), or hold
   * several that are more than are read.
   */
  readonly writtenCalls?: ReadonlySet<number> | undefined;
  /** @internal What definitions in the text say in full, where it was written from them and does not hold all. */
  readonly wholeTools?: readonly ToolDefinition[] | undefined;
  /** @internal Is told of open calls. */
  readonly openCalls?: OpenCalls | undefined;
}

type Bytes = { bytes(from: number, to: number): Uint8Array };

/** Bytes of a call that is read for what documents ask of it. */
const LONGEST_OBJECT = 16 * 1024 * 1024;
const OTHER_TYPE = 'what is defined is no function';
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;

/** The caller's tools. Throws a TypeError that names the option. */
export function givenTools(tools: readonly ToolDefinition[] | undefined): readonly ToolDefinition[] {
  if (tools === undefined) return [];
  if (Array.isArray(tools) && tools.every((tool) => typeof tool?.name === 'string')) return tools;
  throw new TypeError('option tools: expected a list of tool definitions');
}

/** Looks at the messages of one input in order. */
export class Meaning {
  readonly #machine: Machine;
  readonly #source: Bytes;
  readonly constraints: Constraints;
  readonly #openCalls: OpenCalls | undefined;
  readonly #writtenCalls: MeaningOptions['writtenCalls'];
  /** Messages that were looked at. */
  #count = 0;
  readonly #given: ToolsByName;
  readonly #whole: ToolsByName | null;
  /** The scanner does not know enough of any call. */
  readonly #isByHost: boolean;
  readonly #memory: ToolMemory;
  readonly #at: number | null;
  readonly #schemas: Schemas;
  #transcript: TranscriptInfo | null = null;
  #calls: CallRules | null = null;
  #tools: KnownTools | null = null;

  /**
   * `source`: where bodies are read. `memory`: what is known of definitions already. `at`: where the record that holds
   * the text begins in its input; null: the text is an input, or a part of one. Throws a TypeError or RangeError
   * that names a wrong option.
   */
  constructor(machine: Machine, source: Bytes, options: MeaningOptions, memory: ToolMemory, at: number | null) {
    this.#machine = machine;
    this.#memory = memory;
    this.#at = at;
    if (at === null) memory.budget.restart();
    this.#schemas = new Schemas(memory);
    this.#source = source;
    this.constraints = constraintsOf(options);
    this.#openCalls = options.openCalls;
    this.#writtenCalls = options.writtenCalls;
    this.#given = byName(givenTools(options.tools));
    this.#whole = options.wholeTools === undefined ? null : byName(options.wholeTools);
    this.#isByHost = this.#given.size > 0 || this.#whole !== null || this.#openCalls !== undefined
      || this.constraints.depth < LEAST_DEPTH;
  }

  /**
   * A transcript begins. The scanner may pass over its calls and definitions, as long as they are only what it knows
   * for certain.
   */
  begin(transcript: TranscriptInfo): void {
    this.#schemas.budget.begin(this.#at ?? transcript.from);
    this.#transcript = transcript;
    this.#calls = null;
    this.#tools = null;
    const { builtins, functions } = channelsOf(transcript);
    const isByHost = this.#isByHost || this.#schemas.budget.isImpatient || builtins !== null || functions !== null;
    const { ledger } = this.#machine;
    ledger.fill(0, 0, LEDGER_DEFINER);
    ledger[LEDGER_RULES] = askedOf(transcript).ledger | (isByHost ? LEDGER_BY_HOST : 0);
  }

  /** The calls and replies of the transcript at hand. Many have none. */
  get calls(): CallRules {
    if (this.#calls === null) this.#takeOver();
    return this.#calls!;
  }

  /** The tools that are defined in it so far. */
  get tools(): KnownTools {
    if (this.#tools === null) this.#takeOver();
    return this.#tools!;
  }

  /** From what the scanner has passed over. */
  #takeOver(): void {
    const { ledger } = this.#machine;
    ledger[LEDGER_RULES]! |= LEDGER_BY_HOST;
    this.#calls = new CallRules(this.#transcript!, this.#openCalls);
    const builtins = this.#transcript!.header?.builtins ?? [];
    this.#tools = new KnownTools(this.#given, this.#memory, this.#schemas, builtins, this.#whole);
    const calls = ledger[LEDGER_CALLS]!;
    if (calls > 0) this.#calls.adopt(Array.from({ length: calls }, (_, i) => this.#machine.ledgerCall(i)));
    const definers = ledger.subarray(LEDGER_DEFINER, LEDGER_DEFINER + ledger[LEDGER_DEFINERS]!);
    for (const number of definers) this.#tools.note(this.#memory.definerOf(number));
  }

  /** Something will be told when the transcript has ended. */
  get hasOpen(): boolean {
    return this.#calls === null ? this.#machine.ledger[LEDGER_OPEN]! > 0 : this.#calls.hasOpen;
  }

  /** What is known only when the transcript has ended. */
  end(): Iterable<Finding> {
    return this.calls.end();
  }

  message(message: Message, tell: Tell): void {
    const isLine = (message.dialect.flags & HAS_LINE) !== 0;
    const { role } = message;
    if (role === 'system' || role === 'developer') this.#note(message, role, tell);
    const calls = isLine && role === 'assistant' ? readLineCalls(message, this.#source) : [];
    const isReply = isLine && (role === 'tool' || role === 'user');
    const names = isReply ? readReplyNames(message, this.#source, this.#machine) : namesOf(calls);
    const isWritten = this.#writtenCalls?.has(this.#count++) === true;
    if (isWritten) this.calls.unread(message, tell);
    this.calls.message(message, names, tell);
    const wrong = checkContent(this.#machine, message, this.#source, this.constraints);
    if (wrong) tell(wrong);
    const span = { from: message.from, to: message.header.to };
    const tellCall = (problem: CallProblem | null): void => {
      if (problem) tell({ ...problem, ...span });
    };
    for (const call of calls) {
      const fault = callFault(call, span, this.#machine, this.#source);
      if (fault !== null) tell(fault);
      tellCall(this.#lineCall(call));
    }
    if (!isLine && role === 'assistant') {
      if (isToolRecipient(message.recipient)) {
        const isChecked = wrong === null && message.contentType === 'json';
        tellCall(this.#call(message, isChecked));
        this.#fields(message, isChecked, span, tell);
      }
    }
    if (isWritten) this.#writtenCall(message, tell, tellCall);
    if (role === 'assistant') this.#shownThoughts(message, isLine, tell);
  }

  #note(message: Message, role: string, tell: Tell): void {
    const { from, to } = message.body;
    const isLine = (message.dialect.flags & HAS_LINE) !== 0;
    if (to - from > LONGEST_DEFINER) this.tools.noteUnread();
    else if (isLine || !message.isLeaf) {
      const definer = { role, content: message.content, dialectId: message.dialect.id, kept: 0 };
      this.tools.note(definer);
      if (isLine && definer.content.includes('"type"') && this.tools.hasOtherType(definer)) {
        tell({ rule: 'bad-call-object', from: message.from, to: message.header.to, detail: OTHER_TYPE });
      }
    } else this.#noteBody(role, message.dialect.id, this.#source.bytes(from, to));
  }

  /**
   * The body of a system or developer message of 2.x, with nothing but text in it: most of it is no definition and need
   * not become a string.
   */
  #noteBody(role: string, dialectId: DialectId, body: Uint8Array): void {
    if (!body.includes(OPEN_BRACE)) return;
    const last = Math.max(body.lastIndexOf(CLOSE_BRACE), body.lastIndexOf(CLOSE_BRACKET));
    // Without an end, what was begun is told as unclosed.
    this.tools.note({ role, content: decodeUtf8(last < 0 ? body : body.subarray(0, last + 1)), dialectId, kept: 0 });
  }

  /** `isChecked`: the body was found to be JSON. */
  #call(message: Message, isChecked: boolean): CallProblem | null {
    if (message.isUndispatchable) return null;
    let isTold = false;
    const problem = this.tools.check(message.recipient!, () => {
      const read = this.#read(message, isChecked);
      // Of a declared or hinted type it is told already.
      isTold = !read.ok && message.contentType === 'json';
      return read.ok ? read.value : undefined;
    }, message.contentType === 'text' && !message.isConstrained);
    return isTold ? null : problem;
  }

  /** What documents ask of the object of a call (R-CONFORM). */
  #fields(message: Message, isChecked: boolean, span: Span, tell: Tell): void {
    const { from, to } = message.body;
    if (message.isUndispatchable || message.isAmbiguous || to - from > LONGEST_OBJECT) return;
    if (message.isLeaf && !mayNameFields(this.#source.bytes(from, to))) return;
    const read = this.#read(message, isChecked);
    const isNamed = (name: string): boolean => this.tools.hasProperty(message.recipient!, name);
    if (read.ok) for (const finding of conformOfCall(read.value, isNamed, span)) tell(finding);
  }

  #read(message: Message, isChecked: boolean): JsonResult {
    return isChecked
      ? parseChecked(message, this.#source)
      : parseJson(this.#machine, message, this.#source, this.constraints.depth);
  }

  /** A call of a record that is no call object. */
  #writtenCall(message: Message, tell: Tell, tellCall: (problem: CallProblem | null) => void): void {
    const { from, to } = message.body;
    const text = { from: from + OPEN_CALL.length, to };
    const further = countTags(this.#source, text);
    if (further > 0) {
      const detail = `${1 + further} calls, from here on, are more than are read`;
      tell({ rule: 'bad-call-object', from, to, detail });
      return;
    }
    const call = readCall(this.#source, text, true);
    const fault = callFault(call, { from: message.from, to: message.header.to }, this.#machine, this.#source);
    if (fault !== null) tell(fault);
    tellCall(this.#lineCall(call));
  }

  #lineCall({ name, arguments: given }: LineCall): CallProblem | null {
    if (!this.tools.any) return null;
    if (name === null) return { rule: 'invalid-arguments', detail: 'the call is no JSON object with a name' };
    return this.tools.check(name, () => given);
  }

  /** Reasoning in what an end user sees (R-COT, R-THINK, R-LEAK). `isLine`: of 0.1, whose marks are no mistake. */
  #shownThoughts(message: Message, isLine: boolean, tell: Tell): void {
    // Bodies that nobody sees need not be looked through. Of 0.1, to know which these are takes longer.
    if (!isLine && !message.isVisible) return;
    const thoughts = !isLine && hasRow(message, MARK) ? message.eachThought() : [];
    const written = message.writtenThought;
    const leak = message.leakedChannel;
    if (isLine && ((written === null && leak === null) || !message.isVisible)) return;
    for (const { from, textFrom } of thoughts) tell({ rule: 'cot-in-final', from, to: textFrom });
    if (written) tell({ rule: 'reasoning-in-final', ...written.marker });
    if (leak) tell({ rule: 'leaked-channel', ...leak });
  }
}
