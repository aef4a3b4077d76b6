// The rows of a record's entries: the half of the twin that knows what messages are. record.ts reads lines.

import * as abi from '../../abi.ts';
import type { JsonNode } from './record-json.ts';

/** Where arguments stand that are not there: the builds have `{}` in their own memory. */
export const NO_ARGUMENTS = -1;

/** Containers in one another in arguments that are no string. */
const DEEPEST_ARGUMENTS = 60;
/** Calls of an entry. */
const MOST_CALLS = 256;

// Why a record has no rows of its own.
export const RARE = Symbol('rare');
export const FULL = Symbol('full');

/** A line: in its text each character stands for a byte. */
export interface Line {
  readonly bytes: Uint8Array;
  readonly text: string;
  /** Where it begins in the input. */
  readonly from: number;
  /** From 0, in the scan. */
  readonly number: number;
}

export class Rows {
  readonly words: number[] = [];
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get count(): number {
    return this.words.length / abi.ROW_WORDS;
  }

  has(count: number): boolean {
    return this.count + count <= this.#most;
  }

  rewindTo(row: number): void {
    this.words.length = row * abi.ROW_WORDS;
  }

  set(row: number, word: number, value: number): void {
    this.words[row * abi.ROW_WORDS + word] = value;
  }

  /** A row with nothing below it, unless NEXT is set later. */
  push(kind: number, from: number, to: number, next = this.count + 1): void {
    this.words.push(kind, from, to, next);
  }
}

const THOUGHT_KEYS = ['thinking', 'reasoning', 'reasoning_content'];
const CHAT_KEYS = ['role', 'content', 'name', 'tool_call_id', 'tool_calls', 'function_call', ...THOUGHT_KEYS];
const TURN_KEYS = ['from', 'value'];
const CALL_KEYS = ['id', 'type', 'function'];
const TARGET_KEYS = ['name', 'arguments'];
const PART_KEYS = ['type', 'text'];
/** Types of parts for which a placeholder is shown, with their quotes. */
const SHOWN_TYPE = /^"(?=ima|aud|vid|fil|doc|inp)(?!input_t)[a-z_]{1,32}"$/;

/**
 * The members of an object that are known. Rare: one of them stands twice; one of `others` is there, which belong to
 * another form; an escape in a key, which may be one of all these.
 */
export function membersOf(
  { members }: JsonNode, known: readonly string[], others: readonly string[] = [],
): Map<string, JsonNode> {
  const found = new Map<string, JsonNode>();
  for (const [key, value] of members) {
    if (others.includes(key) || key.includes('\\')) throw RARE;
    if (!known.includes(key)) continue;
    if (found.has(key)) throw RARE;
    found.set(key, value);
  }
  return found;
}

export const isNull = (text: string, { from, to }: Span): boolean => text.slice(from, to) === 'null';

/** Whether an object has members that nothing is known of. */
export const hasOthers = (text: string, { members }: JsonNode, known: readonly string[]): boolean =>
  members.some(([key, value]) => !known.includes(key) && !isNull(text, value));

/** A member that may not be empty. */
function filled(node: JsonNode): JsonNode {
  if (node.kind !== 'object' || node.members.length === 0) throw RARE;
  return node;
}

const ROLES: Readonly<Record<string, number>> = {
  '"system"': abi.SYSTEM, '"developer"': abi.DEVELOPER, '"user"': abi.USER, '"assistant"': abi.ASSISTANT,
  '"tool"': abi.TOOL, '"function"': abi.TOOL,
};

/** Who says a turn of ShareGPT. */
const SPEAKERS: Readonly<Record<string, number>> = {
  '"human"': abi.USER, '"user"': abi.USER, '"gpt"': abi.ASSISTANT, '"chatgpt"': abi.ASSISTANT,
  '"assistant"': abi.ASSISTANT,
  '"system"': abi.SYSTEM, '"observation"': abi.TOOL, '"tool"': abi.TOOL,
};

/** ASCII without white space and `<`; a tool's name that is no builtin's and has no namespace. */
const WORD = /^[!-;=-~]{1,100}$/;
const TOOL_NAME = /^(?!function|containe|browser|python)[A-Za-z0-9_.-]{1,100}$/;
/** An escape; two of them where they are halves of one character. */
const ESCAPES = /\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|.)/g;
const LONE_HALF = /^\\u[dD][89a-fA-F]..$/;
/** In a text that may hold definitions: a member `name` of JSON in it, or an escape that may hide one. */
const MAY_DEFINE = /\\(?:u|\\u|"name\\")|\\./g;

/** Beside ESCAPED and CODED: a surrogate without a partner. */
const LONE = 0x400;

/** What stands in JSON: ESCAPED, CODED (an escape that a writer may leave out), LONE. */
export function escapesOf(json: string): number {
  let found = 0;
  for (const [escape] of json.matchAll(ESCAPES)) {
    found |= abi.ESCAPED;
    if (escape[1] === 'u' || escape[1] === '/') found |= abi.CODED;
    if (LONE_HALF.test(escape)) found |= LONE;
  }
  return found;
}

/** A value's place in the line. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** What is read as text: BODY with its flags. */
interface Text extends Span {
  readonly kind: number;
}

interface Call {
  readonly id: Span | null;
  readonly name: Span | null;
  readonly given: Text | null;
}

/** The entries of a list of messages, one after the other. */
export class Entries {
  flags = abi.RECORD;
  readonly #text: string;
  readonly #origin: number;
  readonly #rows: Rows;
  /** Only system and developer messages were met so far. */
  #isOpening = true;
  /** The entries are turns of ShareGPT; null: none was met. */
  #ofTurns: boolean | null = null;

  constructor({ text, from }: Line, rows: Rows) {
    this.#text = text;
    this.#origin = from;
    this.#rows = rows;
  }

  take(entry: JsonNode): void {
    const has = this.#members(filled(entry), [...CHAT_KEYS, ...TURN_KEYS], ['channel', 'tool_call']);
    // All entries of a record are of one form, told by the first.
    this.#ofTurns ??= has.has('from') && !has.has('role');
    if (this.#ofTurns) this.#takeTurn(entry, has);
    else this.#takeChat(entry, has);
  }

  #members(node: JsonNode, known: readonly string[], others: readonly string[] = []): Map<string, JsonNode> {
    this.#losesIf(hasOthers(this.#text, node, known));
    return membersOf(node, known, others);
  }

  #losesIf(does: boolean): void {
    if (does) this.flags |= abi.HAS_LOSSES;
  }

  #takeTurn(entry: JsonNode, has: ReadonlyMap<string, JsonNode>): void {
    this.#losesIf(true);
    if (CHAT_KEYS.some((key) => has.has(key))) throw RARE;
    const value = this.#string(has.get('value'));
    if (value === null) throw RARE;
    const role = this.#known(has.get('from'), SPEAKERS);
    if (role === abi.ASSISTANT) this.#writeAssistant(entry, null, null, value, []);
    else this.#writeOther(entry, role, null, null, value);
  }

  #takeChat(entry: JsonNode, has: ReadonlyMap<string, JsonNode>): void {
    if (TURN_KEYS.some((key) => has.has(key))) throw RARE;
    const role = this.#known(has.get('role'), ROLES);
    const content = this.#content(has.get('content'));
    const name = this.#word(has.get('name'));
    const callId = this.#word(has.get('tool_call_id'));
    const thoughts = THOUGHT_KEYS.map((key) => this.#string(has.get(key))).filter((thought) => thought !== null);
    // Two of them must be equal: somebody else compares.
    if (thoughts.length > 1) throw RARE;
    const calls = this.#calls(has.get('tool_calls'), has.get('function_call'));
    this.#losesIf(this.#raw(has.get('role')!) === '"function"');
    this.#losesIf(this.#isGiven(has.get('reasoning')) || this.#isGiven(has.get('reasoning_content')));
    if (role === abi.ASSISTANT) {
      const isEmpty = content !== null && content.from === content.to;
      this.#losesIf(callId !== null || (calls.length > 0 && (isEmpty || !has.has('content'))));
    } else this.#losesIf(thoughts.length > 0 || calls.length > 0 || (role !== abi.TOOL && callId !== null));
    if (role === abi.ASSISTANT) this.#writeAssistant(entry, name, thoughts[0] ?? null, content, calls);
    else this.#writeOther(entry, role, name, callId, content);
  }

  /** It is there, and is not null. */
  #isGiven(node: JsonNode | undefined): node is JsonNode {
    return node !== undefined && !isNull(this.#text, node);
  }

  #known(node: JsonNode | undefined, words: Readonly<Record<string, number>>): number {
    const id = node === undefined ? undefined : words[this.#raw(node)];
    if (id === undefined) throw RARE;
    return id;
  }

  #raw({ from, to }: Span): string {
    return this.#text.slice(from, to);
  }

  /** Text or nothing: what stands between the quotes. */
  #string(node: JsonNode | undefined): Text | null {
    if (node === undefined || this.#raw(node) === 'null') return null;
    if (node.kind !== 'string') throw RARE;
    return this.#body({ from: node.from + 1, to: node.to - 1 });
  }

  /** A name or an id: text without escapes, or nothing. */
  #word(node: JsonNode | undefined): Span | null {
    const text = this.#string(node);
    if (text !== null && text.kind !== abi.BODY) throw RARE;
    return text;
  }

  /** What may be a body, with what stands in it. */
  #body({ from, to }: Span): Text {
    const escapes = escapesOf(this.#raw({ from, to }));
    if ((escapes & LONE) !== 0) throw RARE;
    return { kind: abi.BODY | escapes, from, to };
  }

  #content(node: JsonNode | undefined): Text | null {
    if (node?.kind !== 'list') return this.#string(node);
    for (const part of node.items) {
      if (part.kind === 'string') this.#string(part);
      else {
        const has = this.#members(filled(part), PART_KEYS);
        const type = has.get('type');
        const given = has.get('text');
        if (given !== undefined && this.#string(given) === null) throw RARE;
        const isText = type !== undefined && this.#raw(type) === '"text"';
        if (isText ? given === undefined : type === undefined || !SHOWN_TYPE.test(this.#raw(type))) throw RARE;
      }
    }
    this.flags |= abi.HAS_PARTS;
    return { kind: abi.BODY | abi.PARTS, from: node.from, to: node.to };
  }

  #calls(list: JsonNode | undefined, single: JsonNode | undefined): Call[] {
    const calls: Call[] = [];
    if (list?.kind === 'list') {
      this.#losesIf(list.items.length === 0);
      for (const item of list.items) {
        const has = this.#members(filled(item), CALL_KEYS);
        const type = has.get('type');
        if (type !== undefined && !['"function"', 'null'].includes(this.#raw(type))) throw RARE;
        const target = has.get('function');
        const called = target === undefined ? { name: null, given: null } : this.#target(target);
        calls.push({ id: this.#word(has.get('id')), ...called });
      }
    } else if (this.#isGiven(list)) throw RARE;
    if (this.#isGiven(single)) {
      if (calls.length > 0) throw RARE;
      this.#losesIf(true);
      calls.push({ id: null, ...this.#target(single) });
    }
    if (calls.length > MOST_CALLS) throw RARE;
    return calls;
  }

  #target(node: JsonNode): Pick<Call, 'name' | 'given'> {
    if (node.kind !== 'object') throw RARE;
    const has = this.#members(node, TARGET_KEYS);
    const name = this.#word(has.get('name'));
    const given = has.get('arguments');
    if (given === undefined) return { name, given: null };
    if (given.kind === 'string') return { name, given: this.#string(given) };
    if (given.kind !== 'object' || given.depth > DEEPEST_ARGUMENTS) throw RARE;
    const body = this.#body(given);
    return { name, given: { ...body, kind: body.kind | abi.VALUE } };
  }

  /** A message with what stands below it: `head` writes what comes before the body. */
  #message(entry: Span, word: number, head: () => void, body: Text | null): void {
    const at = this.#rows.count;
    this.#push(entry, abi.MESSAGE | abi.PLAIN | word);
    head();
    this.#push(body ?? entry, body?.kind ?? abi.BODY | abi.ABSENT);
    this.#rows.set(at, abi.NEXT, this.#rows.count);
  }

  #push({ from, to }: Span, kind: number): void {
    this.#rows.push(kind, from + this.#origin, to + this.#origin);
  }

  #pushWord(kind: number, word: Span | null): void {
    if (word !== null) this.#push(word, kind);
  }

  #needsRoom(count: number): void {
    if (!this.#rows.has(count)) throw FULL;
  }

  #fits(word: Span | null, pattern: RegExp): void {
    if (word !== null && !pattern.test(this.#raw(word))) throw RARE;
  }

  #writeOther(entry: Span, role: number, name: Span | null, callId: Span | null, content: Text | null): void {
    const isReply = role === abi.TOOL;
    this.#fits(name, isReply ? TOOL_NAME : WORD);
    if (isReply) this.#fits(callId, WORD);
    if (isReply && callId === null) this.flags |= abi.LACKS_ID;
    if (isReply || role === abi.USER) this.#isOpening = false;
    if (this.#isOpening) {
      if (role === abi.DEVELOPER) this.flags |= abi.HAS_DEVELOPER;
      // Definitions in a text that opens the record count as tools of the record.
      if (content !== null && this.#mayDefine(content)) throw RARE;
    }
    this.#needsRoom(4);
    const channel = isReply ? abi.COMMENTARY << abi.CHANNEL_SHIFT : 0;
    const head = (): void => {
      if (isReply) this.#pushWord(abi.CALL_ID, callId);
      this.#pushWord(abi.NAME, name);
    };
    this.#message(entry, (abi.END << abi.TOKEN_SHIFT) | (role << abi.ROLE_SHIFT) | channel, head, content);
  }

  #mayDefine(text: Text): boolean {
    return [...this.#raw(text).matchAll(MAY_DEFINE)].some(([escape]) => escape.length > 2 || escape === '\\u');
  }

  #writeAssistant(
    entry: Span, name: Span | null, thought: Text | null, content: Text | null, calls: readonly Call[],
  ): void {
    this.#fits(name, WORD);
    // Whether a list of parts beside calls is empty would have to be found out.
    if (calls.length > 0 && content !== null && (content.kind & abi.PARTS) !== 0) throw RARE;
    this.#needsRoom(6 + 5 * calls.length);
    this.#isOpening = false;
    const word = (channel: number, end = abi.END): number =>
      (end << abi.TOKEN_SHIFT) | (abi.ASSISTANT << abi.ROLE_SHIFT) | (channel << abi.CHANNEL_SHIFT);
    const pushName = (): void => this.#pushWord(abi.NAME, name);
    // An empty one makes no message.
    const hasThought = thought !== null && thought.to > thought.from;
    this.#losesIf(thought !== null && !hasThought);
    if (hasThought) this.#message(entry, word(abi.ANALYSIS), pushName, thought);
    const hasContent = content !== null && (calls.length === 0 || content.to > content.from);
    if (hasContent || (calls.length === 0 && !hasThought)) {
      this.#message(entry, word(calls.length > 0 ? abi.COMMENTARY : abi.FINAL), pushName, content);
    }
    for (const call of calls) {
      if (call.name === null) throw RARE;
      this.#fits(call.name, TOOL_NAME);
      this.#fits(call.id, WORD);
      this.flags |= abi.HAS_CALLS;
      if (call.id === null) this.flags |= abi.LACKS_ID;
      if (call.given === null || (call.given.kind & abi.VALUE) !== 0) this.flags |= abi.HAS_VALUES;
      const head = (): void => {
        this.#pushWord(abi.CALL_ID, call.id);
        this.#pushWord(abi.NAME, name);
        this.#pushWord(abi.RECIPIENT, call.name);
      };
      const recipient = abi.TO_TOOL << abi.RECIPIENT_SHIFT;
      this.#message(entry, word(abi.COMMENTARY, abi.CALL) | recipient, head, call.given ?? this.#noArguments());
    }
  }

  #noArguments(): Text {
    const at = NO_ARGUMENTS - this.#origin;
    return { kind: abi.BODY | abi.VALUE | abi.ABSENT, from: at, to: at };
  }
}
