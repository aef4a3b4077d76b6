// The record machine: lines of JSON in, rows of chat records out (assembly/README.md specifies rows and calls). For
// corpora in Node.

import { TOOLS_ASK, TOOLS_FLAT, TOOLS_GOOD } from '../abi.ts';
import { type Build, Builds } from './builds.ts';
import { scalar, simd } from './record-binary.ts';
import type { Exports } from './record-exports.ts';
import { RecordMemory, type RecordMemoryOptions, type Room } from './record-memory.ts';
import { markCoded } from './record-rows.ts';

export interface RecordMachineOptions extends RecordMemoryOptions {
  readonly build?: Build | undefined;
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
  /** Fields that were lost, and words that were renamed. */
  readonly lost: number;
  readonly renamed: number;
  /** What Harmony and ShareGPT do not say: ids of calls and replies, of preambles that they are; thoughts. */
  readonly ids: number;
  readonly preambles: number;
  readonly thoughts: number;
  /** Calls and replies that got an id; the first one's record, its number among the record's messages, what it is. */
  readonly made: {
    readonly ids: number; readonly record: number; readonly message: number; readonly isReply: boolean;
  };
}

const builds = new Builds(simd, scalar);
const ENCODER = new TextEncoder();

/** What lines or texts are put together of, by its number. `longest`: bytes of all pieces of one of them. */
export interface Pieces {
  readonly pieces: readonly Uint8Array[];
  readonly longest: number;
}

export class RecordMachine extends RecordMemory {
  readonly engine: 'simd' | 'scalar';
  readonly #exports: Exports;
  /** The field that is named in the module's memory. */
  #field = '';
  /** Bytes of texts in use; those of pieces come first. */
  #texts = 0;
  #pieces = 0;
  #generation = 0;
  #given: Pieces | null = null;
  #givenTools: string | null = null;

  constructor(options: RecordMachineOptions = {}) {
    const { exports } = new WebAssembly.Instance(builds.compile(options.build ?? 'best'), {});
    const machine = exports as unknown as Exports;
    super(machine, options);
    this.#exports = machine;
    this.engine = machine.usesSimd() ? 'simd' : 'scalar';
  }

  override grow(): boolean {
    if (!super.grow()) return false;
    if (this.#given !== null) this.#beginLines(this.#given);
    return true;
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
   * `field`: the name of the list that holds messages, where one is given: at most 64 characters of ASCII.
   */
  scan(from: number, to: number, forms: number, keepsTools = false, field = ''): number {
    const machine = this.#exports;
    if (field !== this.#field) this.#setField(field);
    machine.beginTools(keepsTools);
    const rows = machine.scanLines(this.origin + from, this.origin + to, forms);
    if (machine.holdsCodedTags() !== 0) markCoded(this.memory, this.rows, rows);
    return rows;
  }

  #setField(field: string): void {
    const at = this.#exports.fieldRoom();
    for (let i = 0; i < field.length; i++) this.memory[at + i] = field.charCodeAt(i);
    this.#exports.setField(field.length);
    this.#field = field;
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

  /** Says that all schemas of an entry can be used: calls whose arguments fit need no look by the host any more. */
  trustTools(entry: number): void {
    this.#exports.trustTools(entry);
  }

  /**
   * Tools that every record may call beside its own: a list as JSON, which the host alone knows when it is empty; null:
   * none. `areTrusted`: all of their schemas can be used.
   */
  giveTools(json: string | null, areTrusted: boolean): void {
    const given = json === null ? null : `${areTrusted}${json}`;
    if (given === this.#givenTools) return;
    this.#givenTools = given;
    const bytes = ENCODER.encode(json ?? '');
    const room = this.#exports.roomForTools(bytes.length);
    if (room !== 0) this.memory.set(bytes, room);
    this.#exports.giveTools(json === null ? -1 : room === 0 ? 0 : bytes.length, areTrusted);
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
    const { from, to } = this.usual();
    const limit = Math.min(to, from + most);
    return this.#exports.copyTranscripts(record, end, from, limit, byteOffset, byteOffset + byteLength);
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
    const { pieces } = given;
    this.#texts = 0;
    pieces.forEach((piece, number) => this.#exports.setPiece(number, this.#put(piece)!, piece.length));
    this.#pieces = this.#texts;
    this.#exports.clearTexts();
    this.#beginLines(given);
  }

  #beginLines({ longest }: Pieces): void {
    const { from, to } = this.scratch;
    this.#exports.beginLines(longest, from, to);
  }

  /**
   * The text that declares the definitions of an entry, `isPlain`: as it is, else as the inside of a JSON string; null:
   * the host must write it. Valid until the next call.
   */
  declareTools(entry: number, isPlain: boolean): Uint8Array | null {
    const machine = this.#exports;
    const { from, to } = this.#freeTexts;
    const end = machine.declareTools(entry, from, to, isPlain);
    return end === 0 ? null : this.memory.subarray(machine.declaredFrom(), end);
  }

  /** Whether the last such text is sure to give back all that stands in the list. */
  get declaresAll(): boolean {
    return this.#exports.declaresAll() !== 0;
  }

  /**
   * The member `tools` that the list of an entry is in chat records of OpenAI, behind a comma; `isText`: in ShareGPT.
   * Null: the host must write it. Valid until the next call.
   */
  listTools(entry: number, isText: boolean): Uint8Array | null {
    const machine = this.#exports;
    const { from, to } = this.#freeTexts;
    const end = machine.listTools(entry, from, to, isText);
    return end === 0 ? null : this.memory.subarray(machine.listFrom(), end);
  }

  /** Where no text stands yet. */
  get #freeTexts(): Room {
    return { from: this.texts.from + this.#texts, to: this.texts.to };
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
    const at = this.texts.from + this.#texts;
    if (at + bytes.length > this.texts.to) return null;
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
    return this.write(record, at, (from, to) =>
      this.#exports.writeLines(record, end, from, to, base, records, transcripts, channels));
  }

  /** Before cells are written: texts of tools that lines had are forgotten. */
  beginCells(): void {
    if (this.#given === null) return;
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
    return this.write(record, 0, (from, to) =>
      this.#exports.writeCells(record, end, from, to, byteOffset, byteOffset + byteLength, channels));
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
    const { from, to } = this.usual();
    return this.#exports.writeVerdicts(record, end, from + at, to, line, base, onlyErrors ? 1 : 0);
  }

  /** Where the verdicts end in the output. */
  get verdictsTo(): number {
    return this.#exports.verdictsTo() - this.outputAt;
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
   * Writes records (assembly/record/texts.ts) into the output, from its beginning on. It stops before a record that is
   * SLOW, lacks the text of its tools, or has no more room, or before one without a message, unless it is text. `what`:
   * TEXTS_…; `records`: number of the table's first record, which chat records without an id have in theirs.
   */
  writeTexts(record: number, end: number, what: number, records = 0): TextsWritten {
    this.#keepTexts();
    const machine = this.#exports;
    const next = this.write(record, 0, (from, to) => machine.writeTexts(record, end, from, to, what, records));
    const [replies, first, message] = [machine.repliesNamed(), machine.firstNamedRecord(), machine.firstNamedMessage()];
    return {
      next,
      texts: machine.textsWritten(),
      bytes: this.output.subarray(0, machine.textsTo() - this.outputAt),
      missing: machine.missingText(),
      named: { replies, record: first, message },
      lost: machine.fieldsLost(),
      renamed: machine.wordsRenamed(),
      ids: machine.idsLost(),
      preambles: machine.preamblesLost(),
      thoughts: machine.thoughtsLost(),
      made: {
        ids: machine.idsMade(), record: machine.firstMadeRecord(), message: machine.firstMadeMessage() >> 1,
        isReply: (machine.firstMadeMessage() & 1) !== 0,
      },
    };
  }

  /** Entry of tools whose text is missing; 0: none is. */
  get wantedText(): number {
    return this.#exports.wantedText();
  }

  /** Where the lines end in the output; messages that were written. */
  get linesTo(): number {
    return this.#exports.linesTo() - this.outputAt;
  }

  get linesWritten(): number {
    return this.#exports.linesWritten();
  }

  /** Transcripts that the records have beyond one each whose lines were written. */
  get linesSides(): number {
    return this.#exports.linesSides();
  }
}
