// What the twin of the record scanner writes rows with: their table, and the messages of the record at hand.
// record-values.ts reads values, record-entries.ts, record-items.ts and record-others.ts know what they mean, record.ts
// reads lines.

import * as abi from '../../../src/abi.ts';
import { type Call, FULL, type Line, RARE, RecordValues, type Span, type Text } from './record-values.ts';

/** Where arguments stand that are not there: the builds have `{}` in their own memory. */
export const NO_ARGUMENTS = -1;

/** Calls of an entry. */
export const MOST_CALLS = 256;

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

/** ASCII without white space and `<`; a tool's name that is no builtin's and has no namespace. */
const WORD = /^[!-;=-~]{1,100}$/;
const TOOL_NAME = /^(?!function|containe|browser|python)[A-Za-z0-9_.-]{1,100}$/;
export const isToolName = (name: string): boolean => TOOL_NAME.test(name);
/** In a text that may hold definitions: a member `name` of JSON in it, or a code that may hide one. */
const MAY_DEFINE = /\\"name\\"|\\u00(?:22|3[\0-9]|[4-7])/;

/** The record at hand: the rows of its messages are written. */
export class RecordRows extends RecordValues {
  /** Messages of the system and of developers. */
  systems = 0;
  readonly #origin: number;
  readonly #rows: Rows;
  /** Only system and developer messages were met so far. */
  #isOpening = true;

  constructor(line: Line, rows: Rows) {
    super(line);
    this.#origin = line.from;
    this.#rows = rows;
  }

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
    return MAY_DEFINE.test(this.raw(text));
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
