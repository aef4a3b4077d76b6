/** What assembly/record/index.ts exports. Positions are addresses, records are numbers of rows. */
export interface Exports {
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
  beginTools(all: boolean): void;
  scanLines(from: number, to: number, forms: number): number;
  fieldRoom(): number;
  setField(length: number): void;
  holdsCodedTags(): number;
  scanTo(): number;
  linesPassed(): number;
  recordsPassed(): number;
  asksForTools(record: number): number;
  entryFrom(entry: number): number;
  entryLength(entry: number): number;
  entryStatus(entry: number): number;
  setEntryStatus(entry: number, status: number): void;
  trustTools(entry: number): void;
  roomForTools(length: number): number;
  giveTools(length: number, areTrusted: boolean): void;
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
  writeTexts(
    record: number, end: number, into: number, limit: number, what: number, records: number,
  ): number;
  fieldsLost(): number;
  wordsRenamed(): number;
  idsLost(): number;
  idsMade(): number;
  declareTools(entry: number, from: number, to: number, isPlain: boolean): number;
  declaredFrom(): number;
  declaresAll(): number;
  listTools(entry: number, from: number, to: number, isText: boolean): number;
  listFrom(): number;
  preamblesLost(): number;
  thoughtsLost(): number;
  firstMadeRecord(): number;
  firstMadeMessage(): number;
  textsTo(): number;
  textsWritten(): number;
  missingText(): number;
  repliesNamed(): number;
  firstNamedRecord(): number;
  firstNamedMessage(): number;
  wantedText(): number;
  linesTo(): number;
  linesWritten(): number;
  linesSides(): number;
}
