// What the twin of the record scanner reads values with and writes rows with. record-entries.ts, record-items.ts and
// record-others.ts know what they mean, record.ts reads lines.

import * as abi from '../../abi.ts';
import type { JsonNode } from './record-json.ts';

/** Whether JSON may hold a number that is beyond what a double holds. */
const holdsHuge = (json: string): boolean =>
  json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').match(/[0-9.eE+-]+/g)?.some((number) => {
    return number.replace(/^-/, '').length > 200 || /e[+-]?[0-9]{3}/i.test(number);
  }) === true;

/** Where arguments stand that are not there: the builds have `{}` in their own memory. */
export const NO_ARGUMENTS = -1;

/** Containers in one another in arguments that are no string. */
export const DEEPEST_ARGUMENTS = 60;
/** Calls of an entry. */
export const MOST_CALLS = 256;

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

/** Unknown members of an object that are counted; what may be a number that a double does not hold. */
const MOST_OTHERS = 16;
const ROUNDED = /\d[eE]|[\d.]{16}/;

/** A member that may not be empty. */
export function filled(node: JsonNode): JsonNode {
  if (node.kind !== 'object' || node.members.length === 0) throw RARE;
  return node;
}

/** ASCII without white space and `<`; a tool's name that is no builtin's and has no namespace. */
const WORD = /^[!-;=-~]{1,100}$/;
const TOOL_NAME = /^(?!function|containe|browser|python)[A-Za-z0-9_.-]{1,100}$/;
export const isToolName = (name: string): boolean => TOOL_NAME.test(name);
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
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** What is read as text: BODY with its flags. */
export interface Text extends Span {
  readonly kind: number;
}

export interface Call {
  readonly id: Span | null;
  readonly name: Span | null;
  readonly given: Text | null;
}

/** A part of a content. */
export interface Block extends Span {
  readonly what: 'text' | 'other' | 'redacted_thinking' | 'thinking' | 'tool_use' | 'tool_result';
  readonly body: Text | null;
  readonly id: Span | null;
  readonly name: Span | null;
}

export const acts = ({ what }: Block): boolean => what !== 'text' && what !== 'other';

const PART_KEYS = ['type', 'text'];
const TEXT_TYPE = /^"(?:(?:input|output|summary|reasoning)_)?text"$/;
/** Types of parts for which a placeholder is shown, with their quotes. */
const SHOWN_TYPE = /^"(?=ima|aud|vid|fil|doc|inp)[a-z_]{1,32}"$/;
/** Those that act, with the members that they have. */
const ACTING: Readonly<Record<string, readonly string[]>> = {
  '"thinking"': ['thinking'], '"redacted_thinking"': [], '"tool_use"': ['id', 'name', 'input'],
  '"tool_result"': ['tool_use_id', 'content'],
};
/** The tag that says something in what each role says (R-HERMES). */
const TAGS: Readonly<Record<number, string>> = {
  [abi.ASSISTANT]: '<tool_call>', [abi.SYSTEM]: '<tools>', [abi.USER]: '<tool_response>', [abi.TOOL]: '<tool_response>',
};
/** Parts of a content. */
const MOST_BLOCKS = 256;

/** The record at hand: its values are read, and the rows of its messages written. */
export class RecordRows {
  flags = abi.RECORD;
  /** What the TOOLS row says beside what is known of them. */
  toolsFlags = 0;
  /** Where definitions stand in what a system says. */
  writtenTools: Span | null = null;
  /** Messages of the system and of developers. */
  systems = 0;
  readonly #text: string;
  readonly #origin: number;
  readonly #rows: Rows;
  /** Only system and developer messages were met so far. */
  #isOpening = true;

  constructor({ text, from }: Line, rows: Rows) {
    this.#text = text;
    this.#origin = from;
    this.#rows = rows;
  }

  // -- Values.

  losesIf(does: boolean): void {
    if (does) this.flags |= abi.HAS_LOSSES;
  }

  /** Fields that are lost, each told as one; words that are renamed. */
  lost = 0;
  readonly renamed = new Set<string>();
  loseFields(count: number): void {
    this.lost += count;
    this.losesIf(this.lost > abi.MOST_LOST);
  }

  /** Nobody counts what is lost. */
  loseUncounted(): void {
    this.losesIf(this.lost + this.renamed.size > 0);
  }

  /** Members that nothing is known of, in a record or an entry: each is a field that is lost. */
  loseOthers({ members }: JsonNode, known: readonly string[]): void {
    const others = members.filter(([key]) => !known.includes(key));
    const isOdd = new Set(others.map(([key]) => key)).size < others.length || others.length > MOST_OTHERS;
    const given = others.filter(([, value]) => !isNull(this.#text, value));
    const mayRound = others.some(([, value]) =>
      value.kind !== 'string' && ROUNDED.test(this.#text.slice(value.from, value.to)));
    this.losesIf(isOdd || mayRound);
    if (!isOdd && !mayRound) this.loseFields(given.length);
  }

  /** Calls and replies are written in texts; calls stand by themselves. Rare: both. */
  #isWritten = false;
  #hasCalls = false;
  acts(how: 'written' | 'by-themselves'): void {
    if (how === 'written') this.#isWritten = true;
    else this.#hasCalls = true;
    if (this.#isWritten && this.#hasCalls) throw RARE;
  }

  /** Members stand where no chat record of OpenAI has them. */
  standsElsewhere(): void {
    this.toolsFlags |= abi.ELSEWHERE;
  }

  /** Definitions stand in a content. */
  takeTools(list: Span): void {
    if (this.writtenTools !== null) throw RARE;
    this.writtenTools = list;
    this.loseFields(1);
    this.standsElsewhere();
  }

  /** The members of an entry. */
  entryMembers(node: JsonNode, known: readonly string[], others: readonly string[] = []): Map<string, JsonNode> {
    this.loseOthers(node, known);
    return membersOf(node, known, others);
  }

  members(node: JsonNode, known: readonly string[], others: readonly string[] = []): Map<string, JsonNode> {
    this.losesIf(hasOthers(this.#text, node, known));
    return membersOf(node, known, others);
  }

  /** It is there, and is not null. */
  isGiven(node: JsonNode | undefined): node is JsonNode {
    return node !== undefined && !isNull(this.#text, node);
  }

  known(node: JsonNode | undefined, words: Readonly<Record<string, number>>): number {
    const id = node === undefined ? undefined : words[this.raw(node)];
    if (id === undefined) throw RARE;
    return id;
  }

  raw({ from, to }: Span): string {
    return this.#text.slice(from, to);
  }

  /** Text or nothing: what stands between the quotes. */
  string(node: JsonNode | undefined): Text | null {
    if (node === undefined || this.raw(node) === 'null') return null;
    if (node.kind !== 'string') throw RARE;
    return this.#body({ from: node.from + 1, to: node.to - 1 });
  }

  /** Whether a tag stands in a content that says something there from who has this role. */
  holdsTag(role: number, content: Text): boolean {
    const tag = TAGS[role];
    const raw = this.raw(content);
    if (tag === undefined || !raw.includes(tag)) return false;
    if ((content.kind & abi.PARTS) !== 0) return true;
    // A call begins a line, and text without escapes has one.
    if (role === abi.ASSISTANT && (content.kind & abi.ESCAPED) === 0) return raw.startsWith(tag);
    // A tool says nothing but replies.
    return role !== abi.TOOL || (content.kind & abi.VALUE) !== 0 || /^(?: |\\[nrt])*[<\\]/.test(raw);
  }

  /** A content of another form than entries of chat: one that holds a tag is rare. */
  refuseTags(role: number, content: Text | null): void {
    if (content !== null && this.holdsTag(role, content)) throw RARE;
  }

  /** A name or an id: text without escapes, or nothing. */
  word(node: JsonNode | undefined): Span | null {
    const text = this.string(node);
    if (text !== null && text.kind !== abi.BODY) throw RARE;
    return text;
  }

  /** Arguments that are an object. */
  object(node: JsonNode | undefined): Text {
    if (node?.kind !== 'object' || node.depth > DEEPEST_ARGUMENTS) throw RARE;
    if (holdsHuge(this.raw(node))) throw RARE;
    const body = this.#body(node);
    return { ...body, kind: body.kind | abi.VALUE };
  }

  /** What may be a body, with what stands in it. */
  #body({ from, to }: Span): Text {
    const escapes = escapesOf(this.raw({ from, to }));
    if ((escapes & LONE) !== 0) throw RARE;
    return { kind: abi.BODY | escapes, from, to };
  }

  /** The parts of a list. `before`: those of the content in which it stands; `isInReply`: it is a reply's. */
  parts({ items }: JsonNode, before = 0, isInReply = false): Block[] {
    this.flags |= abi.HAS_PARTS;
    const blocks: Block[] = [];
    for (const part of items) {
      if (part.kind === 'string') {
        this.#refuseCutTag(this.string(part));
        blocks.push({ what: 'other', from: part.from, to: part.to, body: null, id: null, name: null });
      } else blocks.push(this.#part(part, before + blocks.length, isInReply));
    }
    if (before + blocks.length > MOST_BLOCKS) throw RARE;
    return blocks;
  }

  /** A part that ends in what may be a tag, with which the next one may go on. */
  #refuseCutTag(text: Text | null): void {
    if (text !== null && /<[a-z_]{0,13}$/.test(this.raw(text))) throw RARE;
  }

  #part(part: JsonNode, before: number, isInReply: boolean): Block {
    const has = this.members(filled(part), PART_KEYS);
    const type = has.get('type');
    const given = has.get('text');
    const text = this.string(given);
    if (type === undefined || (given !== undefined && text === null)) throw RARE;
    this.#refuseCutTag(text);
    const block = { from: part.from, to: part.to, body: text, id: null, name: null };
    const name = this.raw(type);
    if (TEXT_TYPE.test(name)) {
      if (given === undefined) throw RARE;
      return { ...block, what: 'text' };
    }
    const members = ACTING[name];
    if (members === undefined) {
      if (!SHOWN_TYPE.test(name)) throw RARE;
      return { ...block, what: 'other' };
    }
    if (isInReply) throw RARE;
    return { ...block, ...this.#acting(name, membersOf(part, members), before) };
  }

  #acting(type: string, has: ReadonlyMap<string, JsonNode>, before: number): Omit<Block, keyof Span> {
    const what = JSON.parse(type) as Block['what'];
    const none = { what, body: null, id: null, name: null };
    switch (what) {
      case 'thinking': {
        const body = this.string(has.get('thinking'));
        if (body === null || body.from === body.to) throw RARE;
        return { ...none, body: inPart(body) };
      }
      case 'tool_use': {
        const body = this.object(has.get('input'));
        return { ...none, body, id: this.word(has.get('id')), name: this.word(has.get('name')) };
      }
      case 'tool_result': {
        const body = this.textOrParts(has.get('content'), before, true);
        return { ...none, body: body && inPart(body), id: this.word(has.get('tool_use_id')) };
      }
      default:
        return none;
    }
  }

  /** A text, or a list of parts; null: there is none. */
  textOrParts(node: JsonNode | undefined, before = 0, isInReply = false): Text | null {
    if (node?.kind !== 'list') return this.string(node);
    const blocks = this.parts(node, before, isInReply);
    if (blocks.some(acts)) throw RARE;
    return blocks.length === 0 ? { kind: abi.BODY | abi.PARTS, from: node.from, to: node.to } : bodyOf(blocks);
  }

  // -- Rows.

  /** A message with what stands below it: `head` writes what comes before the body. Answers its row. */
  #message(entry: Span, word: number, head: () => void, body: Text | null): number {
    const at = this.#rows.count;
    this.#push(entry, abi.MESSAGE | abi.PLAIN | word);
    head();
    this.#push(body ?? entry, body?.kind ?? abi.BODY | abi.ABSENT);
    this.#rows.set(at, abi.NEXT, this.#rows.count);
    return at;
  }

  /** Texts in the place of messages. */
  writeTexts(texts: readonly Text[]): void {
    this.#needsRoom(2);
    for (const text of texts) this.#push(text, text.kind);
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
    if (word !== null && !pattern.test(this.raw(word))) throw RARE;
  }

  /** A transcript of the record begins. */
  beginMessages(): void {
    this.#isOpening = true;
    this.systems = 0;
  }

  /** Writes the messages of the second of two transcripts. */
  beginSide(write: () => void): void {
    const at = this.#rows.count;
    write();
    // A developer's message takes definitions in, of one side or of both.
    if (this.#rows.count === at || (this.flags & abi.HAS_DEVELOPER) !== 0) throw RARE;
    this.#rows.set(at, abi.KIND, this.#rows.words[at * abi.ROW_WORDS]! | abi.BEGINS_SIDE);
    this.toolsFlags |= abi.HAS_SIDES;
  }

  writePlain(entry: Span, role: number, name: Span | null, content: Text | null): void {
    this.#needsRoom(3);
    this.#fits(name, WORD);
    if (role === abi.USER) this.#isOpening = false;
    else {
      this.systems++;
      if (this.#isOpening) {
        if (role === abi.DEVELOPER) this.flags |= abi.HAS_DEVELOPER;
        // Definitions in a text that opens the record count as tools of the record.
        if (content !== null && this.#mayDefine(content)) throw RARE;
      }
    }
    const word = (abi.END << abi.TOKEN_SHIFT) | (role << abi.ROLE_SHIFT);
    this.#message(entry, word, () => this.#pushWord(abi.NAME, name), content);
  }

  /** A message of the system in which definitions stand: other ones in it are text. */
  writeSystem(entry: Span, name: Span | null, content: Text): void {
    this.#fits(name, WORD);
    this.systems++;
    this.#needsRoom(3);
    const word = (abi.END << abi.TOKEN_SHIFT) | (abi.SYSTEM << abi.ROLE_SHIFT);
    this.#message(entry, word, () => this.#pushWord(abi.NAME, name), content);
  }

  writeReply(entry: Span, id: Span | null, name: Span | null, content: Text | null): void {
    this.#fits(name, TOOL_NAME);
    this.#fits(id, WORD);
    if (id === null) this.flags |= abi.LACKS_ID;
    this.#isOpening = false;
    this.#needsRoom(4);
    const head = (): void => {
      this.#pushWord(abi.CALL_ID, id);
      this.#pushWord(abi.NAME, name);
    };
    const word = (abi.END << abi.TOKEN_SHIFT) | (abi.TOOL << abi.ROLE_SHIFT) | (abi.COMMENTARY << abi.CHANNEL_SHIFT);
    this.#message(entry, word, head, content);
  }

  #mayDefine(text: Text): boolean {
    return [...this.raw(text).matchAll(MAY_DEFINE)].some(([escape]) => escape.length > 2 || escape === '\\u');
  }

  writeSaid(entry: Span, channel: number, name: Span | null, content: Text | null): number {
    this.#needsRoom(3);
    this.#isOpening = false;
    const word = (abi.END << abi.TOKEN_SHIFT) | (abi.ASSISTANT << abi.ROLE_SHIFT) | (channel << abi.CHANNEL_SHIFT);
    return this.#message(entry, word, () => this.#pushWord(abi.NAME, name), content);
  }

  /** What was said at a row leads to a call. */
  makePreamble(row: number): void {
    const word = this.#rows.words[row * abi.ROW_WORDS]! & ~(abi.CHANNEL_MASK << abi.CHANNEL_SHIFT);
    this.#rows.set(row, abi.KIND, word | (abi.COMMENTARY << abi.CHANNEL_SHIFT));
  }

  writeAssistant(
    entry: Span, name: Span | null, thought: Text | null, content: Text | null, calls: readonly Call[],
  ): void {
    this.#fits(name, WORD);
    if (calls.length > MOST_CALLS) throw RARE;
    // Whether a list of parts beside calls is empty would have to be found out.
    if (calls.length > 0 && content !== null && (content.kind & abi.PARTS) !== 0) throw RARE;
    this.#needsRoom(6 + 5 * calls.length);
    // An empty one makes no message.
    const hasThought = thought !== null && thought.to > thought.from;
    this.losesIf(thought !== null && !hasThought);
    if (hasThought) this.writeSaid(entry, abi.ANALYSIS, name, thought);
    const hasContent = content !== null && (calls.length === 0 || content.to > content.from);
    if (hasContent || (calls.length === 0 && !hasThought)) {
      this.writeSaid(entry, calls.length > 0 ? abi.COMMENTARY : abi.FINAL, name, content);
    }
    for (const call of calls) this.writeCall(entry, name, call);
  }

  writeCall(entry: Span, name: Span | null, call: Call): void {
    if (call.name === null) throw RARE;
    this.#fits(call.name, TOOL_NAME);
    this.#fits(call.id, WORD);
    this.#needsRoom(5);
    this.#isOpening = false;
    this.flags |= abi.HAS_CALLS;
    if (call.id === null) this.flags |= abi.LACKS_ID;
    if (call.given === null || (call.given.kind & abi.VALUE) !== 0) this.flags |= abi.HAS_VALUES;
    const head = (): void => {
      this.#pushWord(abi.CALL_ID, call.id);
      this.#pushWord(abi.NAME, name);
      this.#pushWord(abi.RECIPIENT, call.name);
    };
    const word = (abi.CALL << abi.TOKEN_SHIFT) | (abi.ASSISTANT << abi.ROLE_SHIFT)
      | (abi.COMMENTARY << abi.CHANNEL_SHIFT) | (abi.TO_TOOL << abi.RECIPIENT_SHIFT);
    this.#message(entry, word, head, call.given ?? this.#noArguments());
  }

  #noArguments(): Text {
    const at = NO_ARGUMENTS - this.#origin;
    return { kind: abi.BODY | abi.VALUE | abi.ABSENT, from: at, to: at };
  }
}

export const inPart = (body: Text): Text => ({ ...body, kind: body.kind | abi.IN_PART });

/** The body that parts are together; a text by itself is that text. */
export function bodyOf(blocks: readonly Block[]): Text {
  const [first] = blocks;
  if (blocks.length === 1 && first!.what === 'text') return inPart(first!.body!);
  return { kind: abi.BODY | abi.PARTS, from: first!.from, to: blocks.at(-1)!.to };
}
