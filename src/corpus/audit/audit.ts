// The audit of a corpus: control tokens in the texts of its records, or of its transcripts, and the edits of a copy
// that has none. The copy differs from the input in the changed places alone.

import { JSON_DEEPEST } from '../../abi.ts';
import { type ControlToken, eachToken, findTokens } from '../../formats/control-tokens/find.ts';
import { type TokenEdit, TokenEdits } from '../../formats/control-tokens/edits.ts';
import { escapeControlTokens, isMeant, isWanted } from '../../formats/control-tokens/escape.ts';
import type { HeaderCache } from '../../model/transcript.ts';
import type { PlainReadOptions } from '../../model/part-walk.ts';
import type { Machine } from '../../scan/machine.ts';
import { MemorySource, type Source } from '../../scan/source.ts';
import { newHeaders } from '../headers.ts';
import { type Audited, type AuditedText, type AuditFinding, badText, type Edits, type TextChange } from './audited.ts';
import { BadRecords } from './bad-records.ts';
import { ByteEdits } from './byte-edits.ts';
import { chatFields } from './chat-fields.ts';
import { type AuditField, pathText, textsOf } from './fields.ts';
import { CleanTexts } from './clean-texts.ts';
import { auditedPiece, placeIn, tooLargeBody } from './piece.ts';
import { auditTranscripts, type FixOptions, MOST_ALONE, NO_EDITS, type RawText, settledSeverity } from './raw.ts';
import { type JsonSpan, placesOf } from '../records/json-place.ts';
import { InBoth, InString, type Place, Shifted, Through, Within } from './place.ts';
import type { MessagesEnd, MessagesSetting } from '../messages.ts';
import { passBad } from '../records/pass-bad.ts';
import type { ChatLines } from '../records/chat-lines.ts';
import { isRows, nextRecord } from '../records/rows.ts';
import { type Layout, WIDEST } from '../records/layout.ts';
import {
  type CorpusRecord, readRecords, type RecordOptions, type RecordProblem, restOfRecords,
} from '../records/record.ts';
import { looksWideRaw } from '../records/json-bytes.ts';
import { WIDE } from '../records/json-cause.ts';
import { opened } from '../records/opened.ts';
import { largeText, missOf, noRecord, textToOpen } from '../records/unit.ts';
import type { LineRange } from '../records/window.ts';

export interface AuditOptions extends PlainReadOptions, FixOptions {
  /** With `field`, positions in texts of columns are bytes of the text. */
  readonly positions?: 'file' | 'field' | undefined;
  /** A field of records that is looked into, beside the known ones. */
  readonly field?: string | undefined;
  /** Bytes of one record that are still read. 64 MiB by default. */
  readonly largestRecord?: number | undefined;
  /** Records are rows of a table. */
  readonly isTable?: boolean | undefined;
}

/** Everything that is found in raw text, or in a part of it, in its order. Never throws on data. */
export function* auditText(
  machine: Machine,
  source: Source,
  options: AuditOptions = {},
  setting: MessagesSetting = {},
): Generator<Audited, MessagesEnd, void> {
  const isBegun = (setting.range?.start?.position ?? 0) > 0;
  // Nothing can be seen in it, and whoever converts it to UTF-8 has what stands there.
  if (!isBegun && looksWideRaw(source.bytes(0, WIDEST))) yield badText('bad-record', null, 0, WIDEST, WIDE.problem);
  const texts = auditTranscripts(machine, source, options, setting);
  for (let next = texts.next(); ; next = texts.next()) {
    if (next.done) return next.value;
    yield typeof next.value === 'number' ? next.value : auditedPiece(next.value);
  }
}

/**
 * Everything that is found in records, in their order; answers how many they are, those before the range included.
 * Never throws on data.
 */
export function* auditRecords(
  machine: Machine,
  source: Source,
  options: AuditOptions = {},
  range?: LineRange,
): Generator<Audited, number, void> {
  const auditor: Auditor = { machine, options, known: newHeaders(), bad: new BadRecords() };
  return yield* auditEach(auditor, range?.record ?? 0, readRecords(source, readingOf(auditor), range));
}

function readingOf({ machine, options }: Auditor): RecordOptions {
  return { locate: (bytes) => machine.checkJson(bytes, JSON_DEEPEST), largest: options.largestRecord };
}

/** `before`: records before them. */
function* auditEach(
  auditor: Auditor, before: number, all: Iterable<CorpusRecord | RecordProblem>,
): Generator<Audited, number, void> {
  let records = before;
  for (const record of all) {
    records++;
    const { from, to, line } = record;
    const isCounted = 'problem' in record && auditor.bad.isFurther('bad-record', from, to, line, 1);
    if (!isCounted) yield* auditOne(auditor, record);
    yield to;
  }
  yield* auditor.bad.end();
  return records;
}

/** The same where chat records of which nothing can be told are passed as bytes. */
export function* auditLines(
  machine: Machine,
  source: Source,
  options: AuditOptions,
  lines: ChatLines,
  layout: Layout,
): Generator<Audited, number, void> {
  const auditor: Auditor = { machine, options, known: newHeaders(), bad: new BadRecords() };
  const scanned = lines.scanned();
  for (let next = scanned.next(); ; next = scanned.next()) {
    if (next.done) {
      const rest = next.value;
      if (rest !== null) {
        const others = restOfRecords(source, layout, readingOf(auditor), rest);
        return yield* auditEach(auditor, rest.record, others);
      }
      yield* auditor.bad.end();
      return lines.records;
    }
    const rows = next.value;
    if (!isRows(rows)) {
      yield* auditOne(auditor, rows);
      yield rows.to;
      continue;
    }
    const { machine: scanner, to, base } = rows;
    const position = base + scanner.origin + scanner.stop;
    const texts = new CleanTexts(machine, auditor.known);
    for (let record = scanner.audit(0, to); record < to; record = scanner.audit(record, to)) {
      const clean = texts.pass(rows, record);
      if (clean > record) {
        record = clean;
        continue;
      }
      const bytes = lines.bytesOf(rows, record);
      const fields = chatFields(rows, record, bytes);
      if (fields !== null) {
        yield* auditFields(auditor, fields, { ...lines.placeOf(rows, record), bytes }, rows.framing === null);
        record = nextRecord(rows, record);
        continue;
      }
      const next = passBad(rows, record, auditor.bad.isFurther, auditor.bad.known);
      if (next === record) yield* auditor.bad.row(lines, rows, record, (one) => auditOne(auditor, one));
      record = next === record ? nextRecord(rows, record) : next;
    }
    yield position;
  }
}

/** What records are looked into with. `known`: document headers, which they repeat. */
interface Auditor {
  readonly bad: BadRecords;
  readonly machine: Machine;
  readonly options: AuditOptions;
  readonly known: HeaderCache;
}

function* auditOne(auditor: Auditor, record: CorpusRecord | RecordProblem): Generator<AuditedText, void, void> {
  if ('problem' in record) {
    const { problem, at, from } = record;
    yield* auditor.bad.tell('bad-record', record, problem, at === null ? null : at - from);
    return;
  }
  for (const text of auditRecord(auditor, record)) {
    if (text.findings[0]?.field !== null) yield* auditor.bad.end();
    yield text;
  }
}

const UTF8 = new TextEncoder();
const inString = (text: string): string => JSON.stringify(text).slice(1, -1);
/** Text within a JSON string. */
const jsonEncoder = (text: string): Uint8Array => UTF8.encode(inString(text));
/** Text within a string of the JSON that a string holds. */
const innerEncoder = (text: string): Uint8Array => UTF8.encode(inString(inString(text)));

function* auditRecord(auditor: Auditor, given: CorpusRecord): Generator<AuditedText, void, void> {
  const { options } = auditor;
  const record = opened(given, textToOpen(given.value, options));
  const { value, bytes } = record;
  const named = options.field ?? null;
  const texts = textsOf(value, named);
  if (texts === null) {
    const problem = noRecord(value, options);
    const rule = problem === null ? 'unknown-record' : 'bad-record';
    yield* auditor.bad.tell(rule, record, problem ?? missOf(value, { field: options.field }).problem);
    return;
  }
  for (const parts of texts.transcripts) {
    const problem = largeText(parts.map(({ text }) => text), options);
    if (problem === null) continue;
    yield* auditor.bad.tell('bad-record', record, problem);
    return;
  }
  const looked = texts.fields.map((field) => lookInto(field, options));
  const found = texts.transcripts.map((parts) => foundIn(auditor, parts));
  if (found.every(({ length }) => length === 0) && looked.every((one) => one === null)) return;
  // The same texts again, with their places, which few records need.
  const { fields, transcripts } = textsOf(value, named, placesOf(bytes))!;
  const audited = fields.flatMap((field, i) => (looked[i] ? [auditField(field, looked[i], record, options)] : []));
  transcripts.forEach((parts, i) => {
    for (const text of placedIn(parts, found[i]!, record, options)) audited.push(text);
  });
  audited.sort((a, b) => a.findings[0]!.from - b.findings[0]!.from);
  yield* audited;
}

/** The same of the fields of a chat record in which something may be found. */
function* auditFields(
  { options, bad }: Auditor, fields: readonly AuditField[], record: RecordBytes, isLine: boolean,
): Generator<AuditedText, void, void> {
  for (const field of fields) {
    const looked = lookInto(field, options);
    if (looked === null) continue;
    if (bad.isAny) yield* bad.end();
    yield auditField(field, looked, record, options, isLine ? record.bytes : undefined);
  }
}

/** A record's bytes and where it stands, without its value. */
type RecordBytes = Omit<CorpusRecord, 'value'>;

/** What is found in a field, and how it is mended. */
interface Looked {
  readonly found: readonly ControlToken[];
  readonly hasError: boolean;
  readonly edits: TokenEdits;
  /** Errors that stay when these are made. */
  readonly left: number;
}

const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

/** Null: nothing is found. */
function lookInto({ text, role, before, after, edges }: AuditField, options: AuditOptions): Looked | null {
  const isBytes = isAscii(text);
  const mends = !options.tellsOnly && options.how !== 'escape';
  const edits = mends ? new TokenEdits(text, isBytes) : NO_EDITS;
  let hasError = false;
  let left = 0;
  const found = findTokens(text, { role, before, after, edges }, MOST_ALONE, (one) => {
    const severity = settledSeverity(one, options);
    if (severity === null) return;
    if (severity === 'error') hasError = true;
    if (!mends || (severity !== 'error' && !isWanted(one, severity, options))) return;
    if (!isMeant(one, role)) edits.breakUp(one);
    else if (severity === 'error') left++;
  }, isBytes);
  return found.length === 0 ? null : { found, hasError, edits, left };
}

function auditField(
  field: AuditField, looked: Looked, record: RecordBytes, options: AuditOptions, lineBytes?: Uint8Array,
): AuditedText {
  const { text } = field;
  const path = pathText(field.path);
  const where = field.isKey ? `the key of ${path}` : path;
  const place = placeOf(field, record, options);
  const findings = looked.found.map((one) => findingOf(one, where, 0, record.number, path, place));
  const { line, from: at } = record;
  const told = (change: TextChange | null, left: number): AuditedText =>
    ({ at, briefs: findings, base: 0, findings, line, lineBytes, change, left });
  if (options.tellsOnly) return told(null, 0);
  const escapes = options.how === 'escape';
  const escaped = escapes && looked.hasError ? escapeControlTokens(text, { dialect: 'openchatml-2.2' }) : text;
  const left = escapes ? errorsAfter(escaped, field, options) : looked.left;
  // The whole text as a body of 2.2, when there is an error in it.
  const whole = { index: 0, length: text.length, from: 0, to: Infinity, text: escaped };
  const edits = !escapes ? looked.edits : escaped === text ? NO_EDITS : [whole];
  if (edits.length === 0) return told(null, left);
  const kept = keptPlace(record, field.span!);
  const encode = isInText(field.span!, record) ? innerEncoder : jsonEncoder;
  const byteEdits = (): ByteEdits => new ByteEdits(edits, kept, encode);
  return told({ where, line, from: place.from(0), text, edits, byteEdits }, left);
}

/** Of a text that was escaped. What stands before it is escaped by itself, and can still make a token with it. */
function errorsAfter(text: string, { role, before, after }: AuditField, options: AuditOptions): number {
  let errors = 0;
  eachToken(text, { body: 'openchatml-2.2', role, before, after, edges: 'none' }, (one) => {
    if (settledSeverity(one, options) === 'error') errors++;
  });
  return errors;
}

/** Whether a field is a column of texts in a table, of whose bytes its positions are. */
const isColumn = ({ path, isKey }: AuditField, { positions }: AuditOptions): boolean =>
  positions === 'field' && path.outer === null && !isKey;

/** Of a column the text begins where the record does. */
const placeOf = (field: AuditField, record: RecordBytes, options: AuditOptions): Place =>
  isColumn(field, options) ? new Shifted(record.from) : stringPlace(record, field.span!);

/** The same, for edits, which are made when the record's bytes are gone. */
const keptPlace = (record: RecordBytes, span: JsonSpan): Place =>
  stringPlace({ ...record, bytes: Uint8Array.prototype.slice.call(record.bytes, span.from, span.to) }, span, span.from);

/** `at`: where the bytes begin in those of the record. */
function stringPlace({ from, bytes, text, place }: RecordBytes, span: JsonSpan, at = 0): Place {
  const string = { from: span.from - at, to: span.to - at };
  if (text === undefined) return new InString({ from: from + at, bytes }, string);
  return new Through(new InString({ from: at, bytes }, string), place!);
}

/** Whether a value stands in the JSON that a string of the record holds. */
const isInText = (span: JsonSpan, { text }: RecordBytes): boolean =>
  text !== undefined && span.from >= text.from && span.from < text.to;

function findingOf(
  { rule, severity, from, to, message, times }: ControlToken,
  where: string,
  transcript: number,
  record: number | null,
  field: string | null,
  place: Place,
): AuditFinding {
  const words = `${message} (${where})`;
  const told: AuditFinding = {
    code: null, rule, severity, from: place.from(from), to: place.to(from, to), transcript, record, field,
    message: words,
  };
  return times === undefined ? told : { ...told, times };
}

/** What is found in transcripts in the text of one field, or of two that follow each other. */
function foundIn({ machine, options, known }: Auditor, parts: readonly AuditField[]): RawText[] {
  const source = new MemorySource(Buffer.concat(parts.map(({ text }) => Buffer.from(text, 'utf8'))));
  return [...auditTranscripts(machine, source, options, { known })].filter((text) => typeof text !== 'number');
}

/** The same with its places in the record. */
function placedIn(
  parts: readonly AuditField[], texts: readonly RawText[], record: CorpusRecord, options: AuditOptions,
): AuditedText[] {
  if (texts.length === 0) return [];
  const first = Buffer.byteLength(parts[0]!.text);
  const isKept = texts.some(({ looked }) => looked.edits.length > 0);
  const [one, other] = parts.map((part) =>
    isKept && !isColumn(part, options) ? keptPlace(record, part.span!) : placeOf(part, record, options));
  const place = other === undefined ? one! : new InBoth(first, one!, other);
  const isBoth = ({ from, to }: TokenEdit, shift: number): boolean => shift + from < first && shift + to > first;
  const field = parts.map(({ path }) => pathText(path)).join(' and ');
  return texts.map((raw) => {
    // What stands in both parts cannot be mended.
    let both = 0;
    const { edits: all, text } = raw.looked;
    const mayBeBoth = other !== undefined && raw.from < first && raw.from + Buffer.byteLength(text) > first;
    if (mayBeBoth) for (const edit = all.cursor(); edit.next(); ) if (isBoth(edit, raw.from)) both++;
    const edits: Edits = both === 0 ? all : {
      length: all.length - both,
      *[Symbol.iterator]() {
        for (const edit of all) if (!isBoth(edit, raw.from)) yield edit;
      },
    };
    return textOfField(raw, edits, raw.looked.left + both, record, field, place);
  });
}

/** What is found in a transcript that a record holds. */
function textOfField(
  raw: RawText, edits: Edits, left: number, record: CorpusRecord, field: string,
  place: Place,
): AuditedText {
  const { transcript, from, looked: { text, found, isTooLarge } } = raw;
  const where = `${field}, ${placeIn(raw)}`;
  const at = new Within(from, place);
  if (isTooLarge) return tooLargeBody(record, at.from(0), where, transcript);
  const findings = found.map((one) => findingOf(one, where, transcript, record.number, field, at));
  const { line, from: begin } = record;
  const byteEdits = (): ByteEdits => new ByteEdits(edits, at, jsonEncoder);
  const change = edits.length === 0 ? null : { where, line, from: at.from(0), text, edits, byteEdits };
  return { at: begin, briefs: findings, base: 0, findings, line, change, left };
}
