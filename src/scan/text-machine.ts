// The text machine: JSON text in, JSON text out, both as bytes (assembly/README.md specifies the calls). For corpora in
// Node.
//
// Memory: static part of the module | members | input + PADDING | output + PADDING. Placed once, never grown, so that
// no view ever goes stale. One machine does one thing at a time.

import {
  KEY_ESCAPED, MEMBER_FROM, MEMBER_KEY_FROM, MEMBER_KEY_TO, MEMBER_KIND, MEMBER_TEXT_FROM, MEMBER_TEXT_TO, MEMBER_TO,
  MEMBER_WORDS, MOST_MEMBERS, PADDING, VALUE_ESCAPED, VALUE_LONE, VALUE_MASK,
} from '../abi.ts';
import { decodeUtf8 } from '../utf8.ts';
import { type Build, Builds } from './builds.ts';
import { scalar, simd } from './text-binary.ts';

export {
  LINE_OTHER, VALUE_ARRAY, VALUE_FALSE, VALUE_NULL, VALUE_NUMBER, VALUE_OBJECT, VALUE_STRING, VALUE_TRUE,
} from '../abi.ts';

/** What assembly/text.ts exports. Positions are addresses. */
interface Exports {
  memory: WebAssembly.Memory;
  memoryFrom(): number;
  usesSimd(): number;
  nextLine(from: number, to: number): number;
  lastLine(from: number, to: number): number;
  beginLines(): void;
  countLines(from: number, to: number): void;
  lineCount(): number;
  recordCount(): number;
  lineHolds(): number;
  line(from: number, to: number, table: number, into: number): number;
  lineTo(): number;
  mapBegin(from: number, to: number): void;
  mapTo(offset: number): number;
  escape(from: number, to: number, into: number, limit: number, final: number): number;
  taken(): number;
  columns(
    head: number, headTo: number, record: number, transcript: number, index: number, middle: number, middleTo: number,
    from: number, to: number, bodyFrom: number, bodyTo: number, into: number,
  ): number;
  content(from: number, to: number, into: number): number;
  setPiece(piece: number, from: number, length: number): void;
  chat(
    rows: number, count: number, first: number, shift: number, from: number, to: number, how: number, into: number,
  ): number;
  lostFrom(): number;
  lostCount(): number;
}

export interface TextMachineOptions {
  readonly build?: Build | undefined;
  /** Bytes of the input; 1 MiB by default. A text must lie in it as a whole. */
  readonly input?: number | undefined;
  /** Bytes of the output; 2 MiB by default, and never less than the input. */
  readonly output?: number | undefined;
}

const PAGE = 65536;
const MIB = 1024 * 1024;
const builds = new Builds(simd, scalar);
const ENCODER = new TextEncoder();
const align = (address: number): number => (address + 63) & ~63;

export class TextMachine {
  readonly engine: 'simd' | 'scalar';
  /** Texts are written here; all positions are positions in it. */
  readonly input: Uint8Array;
  /** What `line` and `escape` write. */
  readonly output: Uint8Array;
  /** The members of the last line, MEMBER_WORDS words each. */
  readonly #members: Int32Array;
  readonly #exports: Exports;
  readonly #inputAt: number;
  readonly #outputAt: number;
  readonly #names = new Map<string, Uint8Array>();
  #count = 0;

  constructor(options: TextMachineOptions = {}) {
    const { exports } = new WebAssembly.Instance(builds.compile(options.build ?? 'best'), {});
    const machine = exports as unknown as Exports;
    const input = options.input ?? MIB;
    const output = Math.max(options.output ?? 2 * MIB, input);
    const membersAt = align(machine.memoryFrom());
    this.#inputAt = align(membersAt + MOST_MEMBERS * MEMBER_WORDS * 4);
    this.#outputAt = align(this.#inputAt + input + PADDING);
    const missing = this.#outputAt + output + PADDING - machine.memory.buffer.byteLength;
    if (missing > 0) machine.memory.grow(Math.ceil(missing / PAGE));
    const { buffer } = machine.memory;
    this.#exports = machine;
    this.engine = machine.usesSimd() ? 'simd' : 'scalar';
    this.#members = new Int32Array(buffer, membersAt, MOST_MEMBERS * MEMBER_WORDS);
    this.input = new Uint8Array(buffer, this.#inputAt, input);
    this.output = new Uint8Array(buffer, this.#outputAt, output);
  }

  /** Position of the first LF of [from, to), or -1. */
  nextLine(from: number, to: number): number {
    const found = this.#exports.nextLine(this.#inputAt + from, this.#inputAt + to);
    return found === 0 ? -1 : found - this.#inputAt;
  }

  /** Position of the last LF of [from, to), or -1. */
  lastLine(from: number, to: number): number {
    const found = this.#exports.lastLine(this.#inputAt + from, this.#inputAt + to);
    return found === 0 ? -1 : found - this.#inputAt;
  }

  /** Begins to count: at the beginning of a line. */
  beginLines(): void {
    this.#exports.beginLines();
  }

  /** Counts on in [from, to). */
  countLines(from: number, to: number): void {
    this.#exports.countLines(this.#inputAt + from, this.#inputAt + to);
  }

  /** LFs that were counted. */
  get lines(): number {
    return this.#exports.lineCount();
  }

  /** Lines ended by LF that hold something other than white space. */
  get records(): number {
    return this.#exports.recordCount();
  }

  /** The line that has not ended holds something other than white space. */
  get inRecord(): boolean {
    return this.#exports.lineHolds() !== 0;
  }

  /**
   * Reads what stands from `from` up to the first LF, or `to`, as one JSON text (RFC 8259, valid UTF-8, white space
   * around it, at most JSON_DEPTH containers in one another) with an object at the top that has at most MOST_MEMBERS
   * members. Answers their number; the texts of those that are strings stand in the output. LINE_OTHER: it is something
   * else, and where the line ends is not known.
   */
  line(from: number, to: number): number {
    const count = this.#exports.line(
      this.#inputAt + from, this.#inputAt + to, this.#members.byteOffset, this.#outputAt,
    );
    this.#count = Math.max(0, count);
    return count;
  }

  /** Where the line ends that was read. */
  get lineTo(): number {
    return this.#exports.lineTo() - this.#inputAt;
  }

  /** Number of the last member of the last line that has this name, or -1. */
  find(name: string): number {
    let bytes = this.#names.get(name);
    if (bytes === undefined) this.#names.set(name, (bytes = ENCODER.encode(name)));
    for (let member = this.#count - 1; member >= 0; member--) if (this.#isNamed(member, name, bytes)) return member;
    return -1;
  }

  #isNamed(member: number, name: string, bytes: Uint8Array): boolean {
    const from = this.keyFrom(member);
    const to = this.keyTo(member);
    if (this.#word(member, MEMBER_KIND) & KEY_ESCAPED) {
      return JSON.parse(decodeUtf8(this.input.subarray(from - 1, to + 1))) === name;
    }
    if (to - from !== bytes.length) return false;
    for (let i = 0; i < bytes.length; i++) if (this.input[from + i] !== bytes[i]) return false;
    return true;
  }

  #word(member: number, word: number): number {
    return this.#members[member * MEMBER_WORDS + word]!;
  }

  /** The key, between its quotes. */
  keyFrom(member: number): number {
    return this.#word(member, MEMBER_KEY_FROM) - this.#inputAt;
  }

  keyTo(member: number): number {
    return this.#word(member, MEMBER_KEY_TO) - this.#inputAt;
  }

  /** VALUE_STRING … VALUE_NULL. */
  kind(member: number): number {
    return this.#word(member, MEMBER_KIND) & VALUE_MASK;
  }

  /** First byte of the value; of a string its quote. */
  valueFrom(member: number): number {
    return this.#word(member, MEMBER_FROM) - this.#inputAt;
  }

  /** After the last byte of the value; of a string after its quote. */
  valueTo(member: number): number {
    return this.#word(member, MEMBER_TO) - this.#inputAt;
  }

  /** The value is a string and holds a backslash: its text is not what stands between the quotes. */
  isEscaped(member: number): boolean {
    return (this.#word(member, MEMBER_KIND) & VALUE_ESCAPED) !== 0;
  }

  /** The value is a string and holds a surrogate without partner, which its text has as U+FFFD. */
  hasLone(member: number): boolean {
    return (this.#word(member, MEMBER_KIND) & VALUE_LONE) !== 0;
  }

  /** The text of a value that is a string, as UTF-8; valid until the output is written again. */
  text(member: number): Uint8Array {
    return this.output.subarray(
      this.#word(member, MEMBER_TEXT_FROM) - this.#outputAt, this.#word(member, MEMBER_TEXT_TO) - this.#outputAt,
    );
  }

  /** The string, [from, to) between its quotes, that `mapTo` is about; it must stay in the input. */
  mapBegin(from: number, to: number): void {
    this.#exports.mapBegin(this.#inputAt + from, this.#inputAt + to);
  }

  /**
   * Where the byte of the text at `offset` comes from: of an escape its backslash, of a pair of them the first one's;
   * `to` behind the text. Linear over all calls while offsets rise; a smaller one begins again.
   */
  mapTo(offset: number): number {
    return this.#exports.mapTo(offset) - this.#inputAt;
  }

  /**
   * Writes [from, to) as the inside of a JSON string into the output from `at` on; answers where it ends there. Bad
   * UTF-8 becomes U+FFFD as TextDecoder replaces it. Stops before `to` (`taken`) when the output is full; or, unless
   * `final`, before a character that `to` cuts.
   */
  escape(from: number, to: number, at = 0, final = true): number {
    const limit = this.#outputAt + this.output.length;
    return this.#exports.escape(
      this.#inputAt + from, this.#inputAt + to, this.#outputAt + at, limit, final ? 1 : 0,
    ) - this.#outputAt;
  }

  /** Position up to which the last `escape` has read. */
  get taken(): number {
    return this.#exports.taken() - this.#inputAt;
  }

  /**
   * Writes the columns of a line of `messages` into the output at `at`, up to the quote before the content; answers
   * where they end. Head and middle, [from, to) of the input, are what stands before `record` and between `index` and
   * `from`; a negative record is null.
   */
  columns(
    head: number, headTo: number, record: number, transcript: number, index: number, middle: number, middleTo: number,
    from: number, to: number, bodyFrom: number, bodyTo: number, at: number,
  ): number {
    const base = this.#inputAt;
    return this.#exports.columns(
      base + head, base + headTo, record, transcript, index, base + middle, base + middleTo, from, to, bodyFrom, bodyTo,
      this.#outputAt + at,
    ) - this.#outputAt;
  }

  /**
   * Writes [from, to) as the content of that line, and its end. The output must have room for 6 bytes for each, and 64
   * more.
   */
  content(from: number, to: number, at: number): number {
    return this.#exports.content(this.#inputAt + from, this.#inputAt + to, this.#outputAt + at) - this.#outputAt;
  }

  /** Room for words of rows in the input: `bytes` of it from `at` on, a multiple of 4. */
  rows(at: number, bytes: number): Int32Array {
    return new Int32Array(this.input.buffer, this.#inputAt + at, bytes / 4);
  }

  /** Keeps the pieces that `chat` puts together, [at, …) of the input. */
  setPieces(pieces: readonly Uint8Array[], at: number): void {
    for (const [number, bytes] of pieces.entries()) {
      this.input.set(bytes, at);
      this.#exports.setPiece(number, this.#inputAt + at, bytes.length);
      at += bytes.length;
    }
  }

  /**
   * Writes messages of 2.2, Harmony or 0.1 as those of a chat record, a comma between them, into the output, from its
   * beginning; a comma before the first one too, unless `how` (`CHAT_…`) says that it begins the list. Their rows stand
   * in the input from `rows` on, a multiple of 4: `count` of them, of CHAT_MESSAGES messages at most, the first one of
   * number `first`; their bytes are [from, to) of the input, the first of them at the rows' position `origin`. Answers
   * where they end; 0: they must be read one by one. The output must have room for 6 bytes for each, and 256 for each
   * row.
   */
  chat(
    rows: number, count: number, first: number, origin: number, from: number, to: number, how: number,
  ): number {
    const at = this.#inputAt;
    const end = this.#exports.chat(
      at + rows, count, first, at + from - origin, at + from, at + to, how, this.#outputAt,
    );
    return end === 0 ? 0 : end - this.#outputAt;
  }

  /** What is lost of the messages that `chat` wrote (`CHAT_LOST_…`), in order; valid until it writes others. */
  get lost(): Uint32Array {
    return new Uint32Array(this.input.buffer, this.#exports.lostFrom(), this.#exports.lostCount());
  }
}
