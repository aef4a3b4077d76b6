// The record machine: lines of JSON in, rows of chat records out (assembly/README.md specifies rows and calls). For
// corpora in Node.
//
// Memory: static part of the module | rows | lists of tools that are kept | tables of others | sums | scratch | input +
// PADDING | pieces and texts of output | output + PADDING. Placed once, never grown, so that no view ever goes stale.

import { PADDING, RECORD_SUM_WORDS, ROW_BYTES, TOOLS_ASK, TOOLS_FLAT, TOOLS_GOOD } from '../abi.ts';
import { type Build, Builds } from './builds.ts';
import { scalar, simd } from './record-binary.ts';
import { markCoded } from './record-rows.ts';

/** What assembly/record/index.ts exports. Positions are addresses, records are numbers of rows. */
interface Exports {
  memory: WebAssembly.Memory;
  memoryFrom(): number;
  usesSimd(): number;
  placeTable(from: number, to: number): void;
  placeTools(from: number, to: number, brief: number, briefTo: number): void;
  placeScratch(from: number, to: number): void;
  lastLine(from: number, to: number): number;
  objectEnd(from: number): number;
  copyTranscripts(
    record: number, end: number, into: number, limit: number, ends: number, endsTo: number,
  ): number;
  joinLines(from: number, to: number): number;
  isUtf8(from: number, to: number): number;
  beginTools(all: boolean): void;
  scanLines(from: number, to: number, isValid: number, forms: number): number;
  holdsCodedTags(): number;
  scanTo(): number;
  linesPassed(): number;
  recordsPassed(): number;
  asksForTools(record: number): number;
  entryFrom(entry: number): number;
  entryLength(entry: number): number;
  entryStatus(entry: number): number;
  setEntryStatus(entry: number, status: number): void;
  toolsGeneration(): number;
  countRecords(record: number, end: number, sums: number): number;
  checkRecords(record: number, end: number): number;
  transcriptsPassed(): number;
  setPiece(piece: number, from: number, length: number): void;
  setText(entry: number, from: number, length: number): void;
  clearTexts(): void;
  beginLines(longest: number, from: number, to: number): void;
  writeLines(
    record: number, end: number, into: number, limit: number, origin: number, records: number,
    transcripts: number, channels: number,
  ): number;
  writeCells(
    record: number, end: number, into: number, limit: number, cells: number, cellsEnd: number, channels: number,
  ): number;
  writeVerdicts(
    record: number, end: number, into: number, limit: number, line: number, base: number, onlyErrors: number,
  ): number;
  verdictsTo(): number;
  auditRecords(record: number, end: number): number;
  mayHold(from: number, to: number): number;
  writeTexts(record: number, end: number, into: number, limit: number, asGiven: number): number;
  textsTo(): number;
  textsWritten(): number;
  missingText(): number;
  repliesNamed(): number;
  firstNamedRecord(): number;
  firstNamedMessage(): number;
  wantedText(): number;
  linesTo(): number;
  linesWritten(): number;
}

export interface RecordMachineOptions {
  readonly build?: Build | undefined;
  /** Bytes of the input: no line that is longer is read here. 4 MiB by default. */
  readonly input?: number | undefined;
  /** Rows of the table; 65,536 by default, and at most. */
  readonly rows?: number | undefined;
}

/** What `writeTexts` has done. */
export interface TextsWritten {
  /** The first record that was not written, or the end. */
  readonly next: number;
  readonly texts: number;
  /** Valid until the next call. */
  readonly bytes: Uint8Array;
  /** Entry of tools whose text is missing; 0: none is. */
  readonly missing: number;
  /** Replies that got the names of their calls; the first one's record, and its number among the text's messages. */
  readonly named: { readonly replies: number; readonly record: number; readonly message: number };
}

const PAGE = 65536;
const MIB = 1024 * 1024;
const MOST_ROWS = 65536;
const KEPT_TOOLS = 6 * MIB;
const BRIEF_TOOLS = MIB;
const SCRATCH = 2 * MIB;
const TEXTS = 2 * MIB;
const OUTPUT = 2 * MIB;

const builds = new Builds(simd, scalar);
const align = (address: number): number => (address + 63) & ~63;

/** What lines or texts are put together of, by its number. `longest`: bytes of all pieces of one of them. */
export interface Pieces {
  readonly pieces: readonly Uint8Array[];
  readonly longest: number;
}

export class RecordMachine {
  readonly engine: 'simd' | 'scalar';
  /** Lines are written here. What rows say are addresses: that of the input's first byte is `origin`. */
  readonly input: Uint8Array;
  readonly origin: number;
  /** The table, ROW_WORDS words a row. */
  readonly rows: Int32Array;
  /** RECORD_SUM_WORDS words that `count` adds to. */
  readonly sums: Uint32Array;
  /** What `writeLines` writes, and the contents of `writeCells`. */
  readonly output: Uint8Array;
  /** CELLS words for each message of `writeCells`. */
  readonly cells: Int32Array;
  /** The address of the output's first byte. */
  readonly outputAt: number;
  readonly #exports: Exports;
  /** All of the memory, as rows and cells have addresses. */
  readonly memory: Uint8Array;
  readonly #outputAt: number;
  readonly #scratchAt: number;
  readonly #textsAt: number;
  /** Bytes of texts in use; those of pieces come first. */
  #texts = 0;
  #pieces = 0;
  #generation = 0;
  #given: Pieces | null = null;

  constructor(options: RecordMachineOptions = {}) {
    const { exports } = new WebAssembly.Instance(builds.compile(options.build ?? 'best'), {});
    const machine = exports as unknown as Exports;
    const input = options.input ?? 4 * MIB;
    const tableAt = align(machine.memoryFrom());
    const tableTo = tableAt + Math.min(MOST_ROWS, options.rows ?? MOST_ROWS) * ROW_BYTES;
    const keptAt = align(tableTo);
    const briefAt = keptAt + KEPT_TOOLS + PADDING;
    const sumsAt = briefAt + BRIEF_TOOLS;
    this.#scratchAt = align(sumsAt + RECORD_SUM_WORDS * 4);
    this.origin = align(this.#scratchAt + SCRATCH + PADDING);
    this.#textsAt = align(this.origin + input + PADDING);
    this.#outputAt = align(this.#textsAt + TEXTS + PADDING);
    const missing = this.#outputAt + OUTPUT + PADDING - machine.memory.buffer.byteLength;
    if (missing > 0) machine.memory.grow(Math.ceil(missing / PAGE));
    const { buffer } = machine.memory;
    this.#exports = machine;
    this.engine = machine.usesSimd() ? 'simd' : 'scalar';
    this.memory = new Uint8Array(buffer);
    this.rows = new Int32Array(buffer, tableAt, (tableTo - tableAt) / 4);
    this.sums = new Uint32Array(buffer, sumsAt, RECORD_SUM_WORDS);
    this.input = new Uint8Array(buffer, this.origin, input);
    this.output = new Uint8Array(buffer, this.#outputAt, OUTPUT);
    this.outputAt = this.#outputAt;
    this.cells = new Int32Array(buffer, this.#scratchAt, SCRATCH / 4);
    machine.placeTable(tableAt, tableTo);
    machine.placeTools(keptAt, keptAt + KEPT_TOOLS, briefAt, briefAt + BRIEF_TOOLS);
    machine.placeScratch(this.#scratchAt, this.#scratchAt + SCRATCH);
  }

  /** Position of the last LF of [from, to), or -1. */
  lastLine(from: number, to: number): number {
    const found = this.#exports.lastLine(this.origin + from, this.origin + to);
    return found === 0 ? -1 : found - this.origin;
  }

  /** Position behind the object that begins at one; -1: none ends before the NUL behind the input, or it is no JSON. */
  objectEnd(from: number): number {
    const found = this.#exports.objectEnd(this.origin + from);
    return found === 0 ? -1 : found - this.origin;
  }

  /** Makes the line feeds of [from, to) carriage returns, which are white space in JSON, too. Answers how many. */
  joinLines(from: number, to: number): number {
    return this.#exports.joinLines(this.origin + from, this.origin + to);
  }

  /**
   * Scans the lines [from, to) of the input, the last of which ends with LF, into the table, which is emptied first.
   * Answers the number of rows. Stops before `to` when the table is full, and behind a first record that has none of
   * the wanted forms (`stop`). `forms`: FORM_…. `keepsTools`: definitions are kept at once, not when they come again.
   */
  scan(from: number, to: number, forms: number, keepsTools = false): number {
    const machine = this.#exports;
    machine.beginTools(keepsTools);
    const isValid = machine.isUtf8(this.origin + from, this.origin + to);
    const rows = machine.scanLines(this.origin + from, this.origin + to, isValid, forms);
    if (machine.holdsCodedTags() !== 0) markCoded(this.memory, this.rows, rows);
    return rows;
  }

  /** Where the last scan stopped; lines and records that it passed. */
  get stop(): number {
    return this.#exports.scanTo() - this.origin;
  }

  get lines(): number {
    return this.#exports.linesPassed();
  }

  get records(): number {
    return this.#exports.recordsPassed();
  }

  /** Nobody has said yet whether the tools of a record can be read. */
  asksForTools(record: number): boolean {
    return this.#exports.asksForTools(record) !== 0;
  }

  /** The bytes of an entry of tools: JSON. Valid until the next scan. */
  toolsText(entry: number): Uint8Array {
    const from = this.#exports.entryFrom(entry);
    return this.memory.subarray(from, from + this.#exports.entryLength(entry));
  }

  /** Whether nothing stands in the tools of an entry but what their table knows. */
  hasFlatTools(entry: number): boolean {
    return this.#exports.entryStatus(entry) === TOOLS_FLAT;
  }

  /** Says whether the tools of an entry can be read. Records whose tools cannot stay with the host. */
  setToolsGood(entry: number, isGood: boolean): void {
    this.#exports.setEntryStatus(entry, isGood ? TOOLS_GOOD : TOOLS_ASK);
  }

  /** Changes when entries of tools are forgotten, which happens between scans alone. */
  get generation(): number {
    return this.#exports.toolsGeneration();
  }

  /** Adds records to `sums`. Answers the first one that the host must look at, or `end`. */
  count(record: number, end: number): number {
    return this.#exports.countRecords(record, end, this.sums.byteOffset);
  }

  /**
   * Writes the texts of records that are IS_TRANSCRIPT into the output, and the address at which each ends into
   * `cells`. `most`: bytes. Answers the first record whose text was not written, or `end`.
   */
  copyTranscripts(record: number, end: number, most: number): number {
    const { byteOffset, byteLength } = this.cells;
    const to = this.#outputAt;
    const limit = to + Math.min(OUTPUT, most);
    return this.#exports.copyTranscripts(record, end, to, limit, byteOffset, byteOffset + byteLength);
  }

  /** Looks for records of which something is to be told: the first one, or `end`. */
  check(record: number, end: number): number {
    return this.#exports.checkRecords(record, end);
  }

  /** Transcripts of the records that the last `check` passed. */
  get transcripts(): number {
    return this.#exports.transcriptsPassed();
  }

  /**
   * What lines are made of (assembly/record/lines.ts). The same pieces are known again, with the texts of tools that
   * were set for them.
   */
  setPieces(given: Pieces): void {
    if (given === this.#given) return;
    this.#given = given;
    const { pieces, longest } = given;
    this.#texts = 0;
    pieces.forEach((piece, number) => this.#exports.setPiece(number, this.#put(piece)!, piece.length));
    this.#pieces = this.#texts;
    this.#exports.clearTexts();
    this.#exports.beginLines(longest, this.#scratchAt, this.#scratchAt + SCRATCH);
  }

  /** The text that stands for an entry of tools, as the inside of a JSON string. False: it is too long. */
  setToolsText(entry: number, text: Uint8Array): boolean {
    const at = this.#put(text) ?? this.#makeRoom(text);
    if (at === null) return false;
    this.#exports.setText(entry, at, text.length);
    return true;
  }

  /** Forgets the other texts. */
  #makeRoom(text: Uint8Array): number | null {
    this.#texts = this.#pieces;
    this.#exports.clearTexts();
    return this.#put(text);
  }

  #put(bytes: Uint8Array): number | null {
    if (this.#texts + bytes.length > TEXTS) return null;
    const at = this.#textsAt + this.#texts;
    this.memory.set(bytes, at);
    this.#texts += bytes.length;
    return at;
  }

  /**
   * Writes lines of `messages` of records into the output from `at` on. `base`: position in the file of address 0;
   * `records`, `transcripts`: numbers of the table's first record; `channels`: bits of role | channel << 3 that are
   * wanted. Answers the first record that was not written, or `end`: it is SLOW, asks for tools, lacks the text of its
   * tools (`wantedText`), or there was no more room.
   */
  writeLines(
    record: number, end: number, at: number, base: number, records: number, transcripts: number, channels: number,
  ): number {
    this.#keepTexts();
    const to = this.#outputAt;
    return this.#exports.writeLines(record, end, to + at, to + OUTPUT, base, records, transcripts, channels);
  }

  /** Begins a table: texts of tools that lines had are forgotten. */
  beginCells(): void {
    this.#texts = this.#pieces = 0;
    this.#given = null;
    this.#exports.clearTexts();
  }

  /**
   * Writes the messages of records as `cells`, and their contents one after the other into the output; as `writeLines`
   * does. `linesWritten` are messages.
   */
  writeCells(record: number, end: number, channels: number): number {
    this.#keepTexts();
    const { byteOffset, byteLength } = this.cells;
    const to = this.#outputAt;
    return this.#exports.writeCells(record, end, to, to + OUTPUT, byteOffset, byteOffset + byteLength, channels);
  }

  /** Texts of entries of tools that were forgotten are forgotten too. */
  #keepTexts(): void {
    const machine = this.#exports;
    if (machine.toolsGeneration() === this.#generation) return;
    this.#generation = machine.toolsGeneration();
    this.#texts = this.#pieces;
    machine.clearTexts();
  }

  /**
   * Writes verdicts into the output from `at` on, of records that stand on lines one after the other, `line` (in what
   * was scanned, from 0) the first; `base`: number of line 0. Answers the first record whose verdict was not written,
   * or `end`. `onlyErrors`: nothing else is told.
   */
  writeVerdicts(record: number, end: number, at: number, line: number, base: number, onlyErrors: boolean): number {
    const to = this.#outputAt;
    return this.#exports.writeVerdicts(record, end, to + at, to + OUTPUT, line, base, onlyErrors ? 1 : 0);
  }

  /** Where the verdicts end in the output. */
  get verdictsTo(): number {
    return this.#exports.verdictsTo() - this.#outputAt;
  }

  /** Looks for records of which the audit may have something to tell: the first one, or `end`. */
  audit(record: number, end: number): number {
    return this.#exports.auditRecords(record, end);
  }

  /** Whether the audit may have something to tell of the bytes [from, to) of the memory: of JSON, or of text. */
  mayHold(from: number, to: number): boolean {
    return this.#exports.mayHold(from, to) !== 0;
  }

  /**
   * Writes records as text (assembly/record/texts.ts) into the output, from its beginning on. It stops before a record
   * that is SLOW, lacks the text of its tools, or has no more room. `asGiven`: as they are read, rather than converted.
   */
  writeTexts(record: number, end: number, asGiven = false): TextsWritten {
    this.#keepTexts();
    const machine = this.#exports;
    const next = machine.writeTexts(record, end, this.#outputAt, this.#outputAt + OUTPUT, asGiven ? 1 : 0);
    const [replies, first, message] = [machine.repliesNamed(), machine.firstNamedRecord(), machine.firstNamedMessage()];
    return {
      next,
      texts: machine.textsWritten(),
      bytes: this.output.subarray(0, machine.textsTo() - this.#outputAt),
      missing: machine.missingText(),
      named: { replies, record: first, message },
    };
  }

  /** Entry of tools whose text is missing; 0: none is. */
  get wantedText(): number {
    return this.#exports.wantedText();
  }

  /** Where the lines end in the output; messages that were written. */
  get linesTo(): number {
    return this.#exports.linesTo() - this.#outputAt;
  }

  get linesWritten(): number {
    return this.#exports.linesWritten();
  }
}
