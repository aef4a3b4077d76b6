// Bytes in memory to transcripts: one offset table, and views on it.

import {
  BODY, BOUND, CHANNEL, EOF_END, FIELD, FILE, HAS_LINE, HEADER, IMPLICIT_END, MESSAGE, NO_BODY_TOKEN, TRAILING,
} from '../abi.ts';
import type { DialectId } from '../scan/dialects.ts';
import { TOKEN_NAMES } from '../scan/dialects.ts';
import type { RowMachine } from '../scan/machine.ts';
import { MemorySource } from '../scan/source.ts';
import { fromOf, GrowingTable, kindOf, kindWord, nextOf, type Table, toOf, tokenOf } from '../scan/table.ts';
import type { HeaderValue } from './header/text.ts';
import { INSPECT } from './inspect.ts';
import { Message, type MessageContext, type Span } from './message.ts';
import { type FileInSequence, readSequence } from './sequence.ts';
import type { TranscriptInfo } from './transcript.ts';
import { type ReadOptions, Walk } from './walk.ts';

/** What of a message's context the caller gave. */
type Given = Omit<MessageContext, 'dialect' | 'transcript'>;

/**
 * One transcript of an input: an iterable of its messages, which are made when they are asked for. `files()` gives
 * what stands between them in 0.1: files in sequences, and fill-ins (R-FIM).
 *
 * @example
 * ```ts
 * import { parse } from 'openchatml';
 *
 * const [transcript] = parse('version: 2.2\n<|start|>user<|message|>Hi<|end|>').transcripts;
 * console.log(transcript?.dialect, transcript?.version, transcript?.length); // openchatml-2.2 2.2 1
 * ```
 */
export class Transcript implements Iterable<Message> {
  readonly info: TranscriptInfo;
  readonly #table: Table;
  readonly #given: Given;
  /** Top-level rows, as row numbers; and those of the messages. */
  readonly #rows: number[];
  readonly #gapFrom: number;
  readonly #to: number;
  #messages: number[] | undefined;

  /**
   * @internal `gapFrom`: where the gap before its first row begins; `to`: where the next transcript or the input's end
   * is.
   */
  constructor(table: Table, info: TranscriptInfo, rows: number[], given: Given, gapFrom: number, to: number) {
    this.#table = table;
    this.info = info;
    this.#rows = rows;
    this.#given = given;
    this.#gapFrom = gapFrom;
    this.#to = to;
  }

  /** From 0, in the input. */
  get number(): number {
    return this.info.number;
  }

  get dialect(): DialectId {
    return this.info.dialect.id;
  }

  /** The version as the document header writes it, `2.2` for example; null without one. */
  get version(): string | null {
    return this.info.header?.version ?? null;
  }

  /** What the document header says, in null-prototype objects; null without one that can be read. */
  get header(): { readonly [key: string]: HeaderValue } | null {
    return this.info.header?.fields ?? null;
  }

  /** Byte position of its first byte: its header, BOS, first message or file. */
  get from(): number {
    return this.info.from;
  }

  /** Number of messages. */
  get length(): number {
    return this.#messageRows().length;
  }

  /** The message at an index from 0; undefined beyond the last one. */
  at(index: number): Message | undefined {
    const rows = this.#messageRows();
    const row = rows.at(index);
    return row === undefined ? undefined : this.#message(row, index < 0 ? rows.length + index : index);
  }

  *[Symbol.iterator](): Iterator<Message> {
    let index = 0;
    for (const row of this.#messageRows()) yield this.#message(row, index++);
  }

  /**
   * The files of multi-file sequences and fill-in-the-middle tasks between the messages of a 0.1 transcript (R-FIM).
   */
  files(): FileInSequence[] {
    return readSequence(this.#table, this.#rows, this.#gapFrom, this.#to);
  }

  /** @internal Where its bytes are. */
  get source(): Table['source'] {
    return this.#table.source;
  }

  toJSON(): object {
    return {
      number: this.number, dialect: this.dialect, version: this.version, from: this.from, messages: this.length,
    };
  }

  [INSPECT](): object {
    return this.toJSON();
  }

  #messageRows(): number[] {
    return (this.#messages ??= this.#rows.filter((row) => kindOf(this.#table, row) === MESSAGE));
  }

  #message(row: number, index: number): Message {
    const { info } = this;
    const context = { dialect: info.dialect, transcript: info, ...this.#given };
    return new Message(this.#table, row, context, false, index);
  }
}

/** A piece of the input; all pieces, one after the other, are the input (R-TILE). */
export interface Tile extends Span {
  readonly part:
    | 'gap' | 'document-header' | 'start' | 'header' | 'channel' | 'constrain' | 'message' | 'body' | 'newline'
    | 'terminator' | 'trailing';
}

/**
 * What `parse` gives: the transcripts of an input. The input's bytes are not copied: leave them as they are.
 * Messages and what stands between them cover every byte once (R-TILE).
 *
 * @example
 * ```ts
 * import { parse } from 'openchatml';
 *
 * const parsed = parse('<|start|>user<|message|>Hi<|end|>');
 * console.log([...parsed.tiles()].map(({ part }) => part).join()); // start,header,message,body,terminator
 * ```
 */
export class Parsed {
  readonly transcripts: readonly Transcript[];
  /** Private: what is logged must not show the bytes of hidden messages. */
  readonly #bytes: Uint8Array;
  readonly #table: Table;
  readonly #count: number;
  readonly #given: Given;

  /** @internal */
  constructor(bytes: Uint8Array, table: Table, count: number, transcripts: Transcript[], given: Given) {
    this.#bytes = bytes;
    this.#table = table;
    this.#count = count;
    this.transcripts = transcripts;
    this.#given = given;
  }

  /** The input. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** The messages of all transcripts. */
  *messages(): Generator<Message, void, void> {
    for (const transcript of this.transcripts) yield* transcript;
  }

  /** The offset table: four words a row, as assembly/README.md specifies them, with positions in the input. */
  get rows(): Int32Array {
    return (this.#table.words as Int32Array).subarray(0, this.#count * 4);
  }

  /** Every byte of the input in exactly one piece (R-TILE). */
  *tiles(): Generator<Tile, void, void> {
    let at = 0;
    const dialects = this.transcripts.map((transcript) => ({ from: transcript.from, info: transcript.info }));
    let current = 0;
    for (let row = 0; row < this.#count; row = nextOf(this.#table, row)) {
      const kind = kindOf(this.#table, row);
      if (kind !== MESSAGE && kind !== HEADER) continue;
      const from = fromOf(this.#table, row);
      const to = toOf(this.#table, row);
      if (from > at) yield { part: 'gap', from: at, to: from };
      while (current + 1 < dialects.length && dialects[current + 1]!.from <= from) current++;
      if (kind === HEADER) yield { part: 'document-header', from, to };
      else yield* this.#messageTiles(row, dialects[current]!.info);
      at = to;
    }
    if (at < this.bytes.length) yield { part: 'gap', from: at, to: this.bytes.length };
  }

  *#messageTiles(row: number, info: TranscriptInfo): Generator<Tile, void, void> {
    const table = this.#table;
    const message = new Message(table, row, { dialect: info.dialect, transcript: info, ...this.#given });
    const isLine = (info.dialect.flags & HAS_LINE) !== 0;
    const word = kindWord(table, row);
    const pieces: [Tile['part'], number][] = [];
    if (message.missingStart === 'no') pieces.push(['start', message.from + (isLine ? 12 : 9)]);
    let child = row + 1;
    for (; kindOf(table, child) !== BODY; child = nextOf(table, child)) {
      if (kindOf(table, child) !== FIELD) continue;
      const from = fromOf(table, child);
      const part = tokenOf(table, child) === CHANNEL ? 'channel' : 'constrain';
      pieces.push(['header', from], [part, from + TOKEN_NAMES[tokenOf(table, child)]!.length + 4]);
    }
    const { from: bodyFrom, to: bodyTo } = message.body;
    if (!isLine && !(word & NO_BODY_TOKEN)) pieces.push(['header', bodyFrom - 11], ['message', bodyFrom]);
    const bodyRowTo = toOf(table, child);
    pieces.push(['header', bodyFrom], ['body', bodyTo], ['newline', bodyRowTo]);
    const trailing = message.rowsOf(TRAILING);
    if (!(word & (IMPLICIT_END | EOF_END))) {
      const closing = TOKEN_NAMES[(word >> 8) & 31]!.length + 4;
      pieces.push(['terminator', bodyRowTo + closing]);
      for (const token of trailing) pieces.push(['gap', token.from], ['trailing', token.to]);
    }
    let at = message.from;
    for (const [part, to] of pieces) {
      if (to > at) yield { part, from: at, to };
      at = Math.max(at, to);
    }
  }

  toJSON(): object {
    return { bytes: this.bytes.length, transcripts: this.transcripts };
  }

  [INSPECT](): object {
    return this.toJSON();
  }
}

/** Positions in the table are 32-bit. */
const LARGEST_INPUT = 2 ** 31 - 1;

const ENCODER = new TextEncoder();

/** The input as bytes. Throws a TypeError when it is neither bytes nor text. */
export function toBytes(input: Uint8Array | string): Uint8Array {
  if (typeof input === 'string') return ENCODER.encode(input);
  if (input instanceof Uint8Array) return input;
  throw new TypeError('expected the input as a Uint8Array or as text; of an ArrayBuffer make a Uint8Array');
}

/** Scans an input on a machine and divides it into transcripts. */
export function parseOn(machine: RowMachine, input: Uint8Array | string, options: ReadOptions = {}): Parsed {
  const bytes = toBytes(input);
  if (bytes.length > LARGEST_INPUT) {
    throw new RangeError(
      `parse takes at most ${LARGEST_INPUT} bytes, not ${bytes.length}; read larger files through openchatml/node`,
    );
  }
  const source = new MemorySource(bytes);
  const walk = new Walk(machine, source, options);
  const rows = new GrowingTable(new Int32Array(Math.max(256, Math.min(bytes.length >> 3, 1 << 20))));
  const opened: { info: TranscriptInfo; rows: number[]; gapFrom: number }[] = [];
  const before: number[] = [];
  // Where the last message, BOS or EOS ended, and the rows since then: a file token makes them the next transcript's.
  let gapFrom = 0;
  let gapRows = 0;
  for (const batch of walk.batches()) {
    const base = rows.count;
    const shift = base - batch.from;
    for (let row = batch.from; row < batch.to; row = nextOf(batch, row)) {
      const kind = kindOf(batch, row);
      const earlier = opened.at(-1)?.rows ?? before;
      if (walk.divider.place(batch, row)) {
        const own = kind === FILE ? earlier.splice(earlier.length - gapRows) : [];
        opened.push({ info: walk.divider.current!, rows: [...(opened.length === 0 ? before : []), ...own], gapFrom });
      }
      (opened.at(-1)?.rows ?? before).push(row + shift);
      const bounds = kind === MESSAGE || kind === BOUND || kind === HEADER;
      if (bounds) gapFrom = toOf(batch, row);
      gapRows = bounds ? 0 : gapRows + 1;
    }
    rows.append(batch.words, batch.from - batch.first, batch.to - batch.first, batch.base, shift);
  }
  const table: Table = { words: rows.words, base: 0, first: 0, source };
  const given = { role: options.role ?? null, rescue: options.rescue || null };
  const transcripts = opened.map(({ info, rows: top, gapFrom: from }, i) => {
    const first = i === 0 ? 0 : from;
    return new Transcript(table, info, top, given, first, opened[i + 1]?.gapFrom ?? bytes.length);
  });
  return new Parsed(bytes, table, rows.count, transcripts, given);
}
