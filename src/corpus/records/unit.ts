// An input as units: texts that hold transcripts. A raw input is one; of a container every record gives one, with the
// way back from positions in the text to positions in the file.

import { JSON_DEEPEST } from '../../abi.ts';
import type { PlainReadOptions } from '../../model/part-walk.ts';
import type { Machine } from '../../scan/machine.ts';
import { MemorySource, type Source } from '../../scan/source.ts';
import { isObject, type JsonObject, pathOf, pointerTo, valueAt } from '../../tools/json.ts';
import { RawOffsets, spanOf } from './json-place.ts';
import { type CorpusRecord, readRecords, type RecordProblem } from './record.ts';
import { holdsRecords, type InterchangeForm, isInterchange } from './form.ts';
import {
  answeredChats, areAnswers, arePieces, type Chat, isTranscriptBeside, listOf, otherChats, pairedChats, textsOf,
} from './other-forms.ts';
import { type Miss, nearMiss } from './near-miss.ts';
import { LARGEST_TEXT, type ListInText, listInText, opened } from './opened.ts';
import { exchangedChats, requestOf } from './request.ts';
import { turnsOf } from './turns.ts';
import { chatUnit, interchangeUnit, turnsUnit } from './unit-chat.ts';
import { type BadRecord, badRecord, detailOf, isBad, type Unit } from './unit-types.ts';
import { fieldPath, heldAt, type Inner, recordAt } from './within.ts';
import type { Known } from '../../options.ts';

/** How records hold transcripts: as text in a field, as `messages`, as `conversations`, in an interchange form. */
export type FileForm = 'auto' | 'text' | 'messages' | 'conversations' | InterchangeForm;

/** How a file is read. All options may be left out. */
export interface FileOptions extends PlainReadOptions {
  readonly form?: FileForm | undefined;
  /**
   * The field that holds the transcript, or a JSON pointer to it (`/inputs/messages`); without it `messages`,
   * `conversations`, `conversation`, `text`, `prompt` with `completion`.
   */
  readonly field?: string | undefined;
  /** Bytes of one record that are still read. 64 MiB by default, and 17 MiB of a text that is a transcript. */
  readonly largestRecord?: number | undefined;
  /**
   * What positions of records are: bytes of the file (the default), or bytes of the field, where the file has no lines.
   */
  readonly positions?: 'file' | 'field' | undefined;
  /** @internal Rows of a table: records, whatever the first one holds. */
  readonly isTable?: boolean | undefined;
}

/** Without those of reading. */
export const FILE_OPTIONS: Known<Omit<FileOptions, keyof PlainReadOptions>> = {
  form: 1, field: 1, largestRecord: 1, positions: 1, isTable: 1,
};

export { type BadRecord, badRecord, type BadRecordRule, detailOf, isBad, type Unit } from './unit-types.ts';

/** Whether an input is read as records: by what was asked for, its content, its name. */
export function isContainer(path: string, input: Source, options: FileOptions): boolean {
  const { form = 'auto', field } = options;
  const asksForRecords = (form !== 'auto' && form !== 'text') || field !== undefined;
  return asksForRecords || options.isTable === true || holdsRecords(path, input);
}

/** The units of an input, in order. Never throws on data. */
export function* unitsOf(
  machine: Machine,
  path: string,
  input: Source,
  options: FileOptions,
): Generator<Unit | BadRecord, void, void> {
  if (!isContainer(path, input, options)) {
    const place = (offset: number): number => offset;
    yield { kind: 'raw', record: null, line: null, at: null, source: input, options, place, pointer: () => null };
    return;
  }
  const locate = (bytes: Uint8Array): number => machine.checkJson(bytes, JSON_DEEPEST);
  const joinsTurns = joinsTurnsOf(options);
  for (const record of readRecords(input, { locate, largest: options.largestRecord, joinsTurns })) {
    if ('problem' in record) yield unreadRecord(record);
    else yield* unitsOfRecord(record, options);
  }
}

/** The byte at which it is wrong is one of the record: of the file it is told by line and column. */
function unreadRecord(record: RecordProblem): BadRecord {
  const { problem, at, from } = record;
  const fault = at === null ? null : at - from;
  return badRecord(record, 'bad-record', detailOf(problem, fault), '', fault);
}

/** Whether turns that follow each other are one transcript. */
export const joinsTurnsOf = ({ form = 'auto', field }: FileOptions): boolean =>
  field === undefined && (form === 'auto' || form === 'messages' || isInterchange(form));

/** The units of one record: one, or what is wrong with it. */
export function* unitsOfRecord(
  record: CorpusRecord | RecordProblem,
  options: FileOptions,
): Generator<Unit | BadRecord, void, void> {
  if ('problem' in record) {
    yield unreadRecord(record);
    return;
  }
  const whole = opened(record, textToOpen(record.value, options));
  const path = fieldPath(options.field);
  if (path === null) yield* unitsOfFields(whole, options);
  else yield* unitsBehind(whole, heldAt(whole.value, path.holder), { ...options, field: path.name });
}

function* unitsOfFields(record: CorpusRecord, options: FileOptions): Generator<Unit | BadRecord, void, void> {
  const { form = 'auto', positions = 'file' } = options;
  const isAny = options.field === undefined && form === 'auto';
  const turns = joinsTurnsOf(options) ? turnsOf(record.value) : null;
  if (turns !== null || isInterchange(form)) {
    yield isInterchange(form) ? interchangeUnit(record, positions, form) : turnsUnit(record, turns!, positions);
    return;
  }
  const answered = isAny ? answeredChats(record) : [];
  const fields = answered.length > 0 ? null : fieldsOf(record.value, options);
  if (fields === null) {
    const chats = answered.length > 0 ? answered : isAny ? otherChats(record) : [];
    if (chats.length === 0) yield* otherUnits(record, options);
    yield* unitsOfChats(chats, options);
  }
  else if (typeof fields === 'string') yield badRecord(record, 'bad-record', noRecord(record.value, options) ?? fields);
  else if (fields.texts !== null) yield* textUnit(record, fields.names, fields.texts, options);
  else yield chatUnit({ record, names: fields.names }, positions);
}

/** The units of a record without fields that are known: a request may hold them, and an answer. */
function* otherUnits(record: CorpusRecord, options: FileOptions): Generator<Unit | BadRecord, void, void> {
  const { form = 'auto', field } = options;
  const isAny = field === undefined && form === 'auto';
  const request = isAny ? requestOf(record.value) : null;
  const answered = isAny ? exchangedChats(record) : [];
  if (answered.length === 0 && request !== null && holdsChat(request.value)) {
    yield* unitsBehind(record, request, options);
  } else {
    const chats = answered.length > 0 || !isAny ? answered : pairedChats(record);
    if (chats.length === 0) yield badRecord(record, 'unknown-record', missOf(record.value, options).problem);
    yield* unitsOfChats(chats, options);
  }
}

function* unitsOfChats(chats: readonly Chat[], options: FileOptions): Generator<Unit | BadRecord, void, void> {
  for (const chat of chats) {
    if (chat.isText) yield* textUnit(chat.record, chat.names, textsOf(chat), options);
    else yield chatUnit(chat, options.positions ?? 'file');
  }
}

/** The units of an object in a record; null: there is none. */
function* unitsBehind(
  record: CorpusRecord, held: Inner | null, options: FileOptions,
): Generator<Unit | BadRecord, void, void> {
  const inner = held === null ? null : recordAt(record, held);
  if (held === null || inner === null) {
    yield badRecord(record, 'unknown-record', missOf(record.value, options).problem);
    return;
  }
  const before = held.path.reduce<string>(pointerTo, '');
  const { from, to } = record;
  // Of a row of a table positions are bytes of the row, but in a text, whose bytes they are.
  const shift = options.positions === 'field' ? inner.from - from : 0;
  for (const unit of unitsOfFields(inner, options)) {
    if (isBad(unit)) yield { ...unit, from, to, pointer: before + unit.pointer };
    else {
      const place: Unit['place'] = (offset, isEnd) => shift + unit.place(offset, isEnd);
      yield {
        ...unit, at: from, place: unit.kind === 'chat' ? place : unit.place,
        pointer: (finding) => before + (unit.pointer(finding) ?? ''),
      };
    }
  }
}

/**
 * The list that stands in a text of a record, or of the request in it, and is read in its place: where it is asked for,
 * where two sides answer it, or where nothing else is read. Null: there is none.
 */
export function textToOpen(value: unknown, options: FileOptions): ListInText | null {
  const { form = 'auto', field } = options;
  if (form === 'text' || isInterchange(form)) return null;
  const list = listInText(value, options);
  if (field !== undefined || form !== 'auto') return list;
  if (list !== null && (areAnswers(value) || !holdsChat(value))) return list;
  const request = list === null ? requestOf(value) : null;
  if (request === null || holdsChat(value) || holdsChat(request.value)) return null;
  return listInText(value, options, request);
}

/** Whether something is read in a record as it is, beside a request in it. */
export function holdsChat(value: unknown): boolean {
  const fields = fieldsOf(value, {});
  if (fields !== null) return typeof fields !== 'string';
  // Nothing of the record but its value is looked at.
  const record = { value } as CorpusRecord;
  return answeredChats(record).length > 0 || otherChats(record).length > 0;
}

/** What a record is told when nothing in it can be read. */
export function missOf(value: unknown, { form, field }: Pick<FileOptions, 'form' | 'field'>): Miss {
  if (field !== undefined) return missOfField(value, field);
  if (form !== undefined && form !== 'auto') return { problem: `it has no ${form}`, remedy: 'name another form' };
  return nearMiss(value as JsonObject);
}

const NOT_IN_FIELD: Miss = {
  problem: 'the field that was asked for holds no text and no list of messages',
  remedy: 'name another one with --field',
};

/** Paths are written with dots, too. */
function missOfField(value: unknown, field: string): Miss {
  const pointer = `/${field.replaceAll('.', '/')}`;
  if (!field.includes('.') || valueAt(value, pathOf(pointer)) === undefined) return NOT_IN_FIELD;
  return {
    problem: `it has no field of the name that was asked for; ${pointer} is a JSON pointer to one`,
    remedy: `use --field ${pointer}`,
  };
}

const NO_OBJECT = 'it is no JSON object';

/**
 * Why a value is no record; null: it may be one. A text that is a row of a table is what its reader tells of the row.
 */
export function noRecord(value: unknown, { isTable }: { readonly isTable?: boolean | undefined }): string | null {
  if (isTable === true && typeof value === 'string') return value;
  return isObject(value) ? null : NO_OBJECT;
}

export interface HeldFields {
  readonly names: readonly string[];
  /** The values, when they are text; null: they are lists of chat messages. */
  readonly texts: readonly string[] | null;
}

/** Which fields hold the transcript; null: none; text: what is wrong with the record. */
export function fieldsOf(value: unknown, { form = 'auto', field }: FileOptions): HeldFields | string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return NO_OBJECT;
  const record = value as { readonly [name: string]: unknown };
  const take = (...names: string[]): HeldFields | null => {
    const values = names.map((name) => (Object.hasOwn(record, name) ? record[name] : undefined));
    if (form !== 'messages' && form !== 'conversations' && values.every((text) => typeof text === 'string'))
      return { names, texts: values as string[] };
    return form !== 'text' && values.every(Array.isArray) ? { names, texts: null } : null;
  };
  if (field !== undefined) return take(field);
  if (form === 'messages') return take('messages') ?? take('prompt', 'completion');
  if (form === 'conversations') return take('conversations');
  const name = form === 'text' ? undefined : listOf(record);
  const chat = name === undefined ? null : { names: [name], texts: null };
  const text = take('text');
  const isCopy = form === 'auto' && text?.texts != null && !isTranscriptBeside(record, text.texts[0]!);
  const held = chat ?? (isCopy ? null : text) ?? take('prompt', 'completion');
  // A question and its answer.
  const isAnswered = form === 'auto' && held?.texts?.length === 2 && !arePieces(held.texts[0]!, held.texts[1]!);
  return isAnswered ? null : held;
}

export const HALF_CHARACTER = 'its text holds half a character';

/** What is wrong with texts that are too large to be read together; null: nothing. */
export function largeText(
  texts: readonly string[], { largestRecord: most = LARGEST_TEXT }: Pick<FileOptions, 'largestRecord'>,
): string | null {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return bytes > most ? `its text has more than ${most} bytes` : null;
}

const SURROGATE = /\p{Surrogate}/u;

/** The text of one field, or of two that follow each other. */
function* textUnit(
  record: CorpusRecord,
  names: readonly string[],
  texts: readonly string[],
  options: FileOptions,
): Generator<Unit | BadRecord, void, void> {
  const problem = largeText(texts, options);
  if (problem !== null) {
    yield badRecord(record, 'bad-record', problem);
    return;
  }
  if (texts.some((text) => SURROGATE.test(text))) yield badRecord(record, 'bad-record', HALF_CHARACTER);
  const parts = texts.map((text) => Buffer.from(text, 'utf8'));
  const bytes = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  const first = parts.length === 1 ? Infinity : parts[0]!.length;
  const offsets = new Map<number, RawOffsets | null>();
  const whichOf = (offset: number, isEnd = false): number => (offset > first || (offset === first && !isEnd) ? 1 : 0);
  const place = (offset: number, isEnd = false): number => {
    const which = whichOf(offset, isEnd);
    const within = which === 0 ? offset : offset - first;
    if (options.positions === 'field') return within;
    if (!offsets.has(which)) {
      const span = spanOf(record.bytes, [names[which]!]);
      offsets.set(which, span && new RawOffsets(record.bytes, span));
    }
    return record.from + (offsets.get(which)?.of(within) ?? 0);
  };
  const pointer = ({ from }: { from: number }): string => pointerTo('', names[whichOf(from)]!);
  const { number, line, from: at } = record;
  yield { kind: 'text', record: number, line, at, source: new MemorySource(bytes), options, place, pointer };
}
