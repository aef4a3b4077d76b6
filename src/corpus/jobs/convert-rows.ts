// Records as text of 2.2 or Harmony, as chat records of OpenAI or as ShareGPT, from their rows: those that lose nothing
// but what is counted, and need no escape in text, never become values. As they are given, the text is what a unit of
// the record holds (records/unit-chat.ts).

import {
  FROM, HAS_LOSSES, HAS_SIDES, IS_TEXT, KIND, LOST_SHIFT, NEXT, RECORD_ROWS, ROLE_MASK, ROLE_SHIFT, SLOW, SYSTEM,
  TEXTS_AS_GIVEN, TEXTS_CHATS, TEXTS_CONVERTED, TEXTS_HARMONY, TEXTS_IDS, TEXTS_LINES, TEXTS_LOSING, TEXTS_NAMES,
  TEXTS_PREAMBLES, TEXTS_RENAMING, TEXTS_SHAREGPT, TEXTS_THOUGHTS, TOOLS_MASK, TOOLS_NONE, TOOLS_SHIFT,
} from '../../abi.ts';
import { chatPieces } from '../../formats/chat/record-chats.ts';
import { shareGptPieces } from '../../formats/chat/record-sharegpt.ts';
import { givenPieces, lineTextPieces, textPieces } from '../../formats/chat/record-texts.ts';
import { idGained, nameGained } from '../../formats/chat/tell.ts';
import type { Loss } from '../../formats/loss.ts';
import { writeTranscript } from '../../formats/write/write.ts';
import type { Pieces, TextsWritten } from '../../scan/record-machine.ts';
import { wordAt } from '../../scan/record-rows.ts';
import { QUOTE } from '../records/json-bytes.ts';
import type { ToolsLost } from '../records/record-tools.ts';
import { lineOf, type RecordRows } from '../records/rows.ts';
import type { ConvertSums, Opening } from './convert-sums.ts';
import { placeOfLine, type Words } from './words.ts';

/**
 * Writes the records from row `record` on, before row `to`, as they are given; gives what was written, piece by piece.
 * Answers the first record that must be read as a value, or `to`.
 */
export function writeRecordTexts(
  rows: RecordRows, record: number, to: number,
): Generator<TextsWritten, number, void> {
  const { tools } = rows;
  return writeRecords(rows, record, to, TEXTS_AS_GIVEN, givenPieces(), (entry) => asIs(tools.plainTextOf(entry)));
}

/** What records are written as from their rows. */
export interface RowsWork {
  readonly form: 'openchatml-2.2' | 'harmony' | 'messages' | 'sharegpt';
  /** Texts stand in lines of JSON; records always do. */
  readonly isLines: boolean;
  /** Of the file, by which a line without an id has its place. */
  readonly path: string;
}

/**
 * The same of records that lose nothing but what is counted: ids, names, fields, words, intents. `told`: the sums so
 * far; the first one of a kind must be in them, with its place, but for ids and names that 2.2 and chat records get.
 */
export function convertRecords(
  rows: RecordRows, record: number, to: number, { form, isLines, path }: RowsWork, told: ConvertSums,
): Generator<TextsWritten, number, void> {
  const { tools } = rows;
  const losing = (told.hasLost('field') ? TEXTS_LOSING : 0) | (told.hasLost('role') ? TEXTS_RENAMING : 0);
  if (form === 'messages') {
    const what = TEXTS_CHATS | losing;
    return writeRecords(rows, record, to, what, chatPieces(path), (entry) => tools.listOf(entry));
  }
  const ids = told.hasLost('call-id') ? TEXTS_IDS : 0;
  if (form === 'sharegpt') {
    const what = TEXTS_SHAREGPT | losing | ids | (told.hasLost('channel') ? TEXTS_PREAMBLES : 0)
      | (told.hasLost('thinking') ? TEXTS_THOUGHTS : 0);
    return writeRecords(rows, record, to, what, shareGptPieces(path), (entry) => tools.listTextOf(entry));
  }
  const inHarmony = ids | (told.hasLost('intent') ? TEXTS_PREAMBLES : 0) | (told.hasLost('name') ? TEXTS_NAMES : 0);
  const what = losing | (isLines ? TEXTS_LINES : 0)
    | (form === 'harmony' ? TEXTS_HARMONY | inHarmony : TEXTS_CONVERTED);
  const pieces = isLines ? lineTextPieces(form, path) : textPieces(form);
  return writeRecords(rows, record, to, what, pieces, (entry) => {
    const text = asIs(form === 'harmony' ? tools.harmonyTextOf(entry) : tools.convertedTextOf(entry));
    return text && isLines ? tools.textOf(entry) : text;
  });
}

/** Adds to the sums what became of the records from row `from` on that were written. */
export function addWritten(
  sums: ConvertSums, rows: RecordRows, from: number, written: TextsWritten, { form, isLines, path }: RowsWork,
): void {
  const placeOf = (row: number): Words => placeOfLine(path, lineOf(rows, row));
  const lose = ({ times, row, loss }: Told): void => sums.loseTimes(times, placeOf(row), loss);
  sums.converted += written.texts;
  const lost = lostByTools(rows, from, written.next, form);
  if (form === 'harmony') {
    for (let row = from; !isLines && row < written.next; row = wordAt(rows.machine.rows, row, NEXT)) {
      // No message of a chat record ends in a return.
      sums.join(placeOf(row), openingOfRow(rows, row), 'end');
      if (row === lost?.row) lose(lost);
    }
    if (isLines && lost !== null) lose(lost);
    sums.loseMore('call-id', written.ids);
    sums.loseMore('intent', written.preambles);
    sums.loseMore('name', written.named.replies);
  } else if (form === 'sharegpt') {
    if (lost !== null) lose(lost);
    sums.loseMore('call-id', written.ids);
    sums.loseMore('channel', written.preambles);
    sums.loseMore('thinking', written.thoughts);
  } else {
    for (const one of told(written, lost)) lose(one);
  }
  sums.loseMore('field', written.lost);
  sums.loseMore('role', written.renamed);
}

/** How the text of Harmony begins that a record becomes. */
function openingOfRow({ machine: { rows } }: RecordRows, record: number): Opening | null {
  const first = record + RECORD_ROWS;
  const hasMessage = first < wordAt(rows, record, NEXT);
  if (hasMessage && ((wordAt(rows, first, KIND) >>> ROLE_SHIFT) & ROLE_MASK) === SYSTEM) return 'system';
  return ((wordAt(rows, record + 1, KIND) >>> TOOLS_SHIFT) & TOOLS_MASK) === TOOLS_NONE ? null : 'developer';
}

/** A text of definitions in which nothing needs an escape; null: it is for the host. */
const asIs = (text: Uint8Array | null): Uint8Array | null =>
  (text === null || Buffer.from(text.buffer, text.byteOffset, text.length).includes('<|') ? null : text);

function* writeRecords(
  { machine, record: first }: RecordRows, record: number, to: number, what: number, pieces: Pieces,
  toolsOf: (entry: number) => Uint8Array | null,
): Generator<TextsWritten, number, void> {
  machine.setPieces(pieces);
  while (record < to) {
    const written = machine.writeTexts(record, to, what, first);
    const { next, missing, texts } = written;
    if (texts > 0) yield written;
    record = next;
    if (next === to) break;
    if (missing > 0) {
      const text = toolsOf(missing);
      if (text === null || !machine.setToolsText(missing, text)) break;
    } else if (texts === 0 || wordAt(machine.rows, next, KIND) & SLOW) break;
  }
  return record;
}

/** Something that was lost or gained, how often, and the row of the first record of it. */
interface Told {
  readonly times: number;
  readonly row: number;
  readonly loss: Loss;
}

/** What calls and replies got of what was written, ids, and in text names; and what of tools was lost, in order. */
function told({ named, made }: TextsWritten, lost: (Told & { readonly isReading: boolean }) | null): readonly Told[] {
  const ids = { times: made.ids, row: made.record, loss: idGained(made.message, made.isReply) };
  const names = { times: named.replies, row: named.record, loss: nameGained(named.message) };
  // In one record definitions are read first, or written behind the ids.
  const all = lost === null ? [ids, names] : lost.isReading ? [lost, ids, names] : [ids, lost, names];
  return all.filter(({ times }) => times > 0).sort((a, b) => a.row - b.row);
}

/** What was lost of definitions of the records from row `from` on, before row `to`; null: nothing. */
function lostByTools(
  { machine: { rows }, tools }: RecordRows, from: number, to: number, form: RowsWork['form'],
): (Told & { readonly isReading: boolean }) | null {
  if (!tools.mayLose) return null;
  const isList = form === 'messages' || form === 'sharegpt';
  let first: { readonly row: number; readonly lost: ToolsLost } | null = null;
  let times = 0;
  for (let row = from; row < to; row = wordAt(rows, row, NEXT)) {
    const entry = tools.entryOf(row);
    const lost = isList ? tools.lostByList(entry) : tools.lostByText(entry);
    if (lost.times > 0) first ??= { row, lost };
    times += lost.times;
  }
  return first && { times, row: first.row, loss: first.lost.first!, isReading: first.lost.isReading };
}

/** The text of a record without a message. */
export const emptyText = (): Uint8Array => Buffer.from(writeTranscript(NOTHING, 'openchatml-2.2').text);
const NOTHING = { header: null, tools: [], messages: [] };

/**
 * How many records from row `record` on, before row `to`, are transcripts without a message, which are not written from
 * their rows.
 */
export function countEmpty({ machine: { rows } }: RecordRows, record: number, to: number): number {
  let count = 0;
  for (; record < to && isEmpty(rows, record); record = wordAt(rows, record, NEXT)) count++;
  return count;
}

/** The same of those that lose nothing as text. */
export function countPlainEmpty({ machine: { rows, input, origin } }: RecordRows, record: number, to: number): number {
  let count = 0;
  for (; record < to && isEmpty(rows, record); record = wordAt(rows, record, NEXT)) {
    // An id is no part of the text; one that is a number may not be what readers hold.
    const id = wordAt(rows, record + 2, FROM);
    const isPlain = id === 0 || input[id - origin] === QUOTE;
    const lost = (wordAt(rows, record, KIND) & HAS_LOSSES) !== 0 || wordAt(rows, record + 2, KIND) >>> LOST_SHIFT > 0;
    if (!isPlain || lost) break;
    count++;
  }
  return count;
}

function isEmpty(rows: Int32Array, record: number): boolean {
  const tools = wordAt(rows, record + 1, KIND);
  return wordAt(rows, record, NEXT) === record + RECORD_ROWS && (wordAt(rows, record, KIND) & SLOW) === 0
    && (tools & (HAS_SIDES | IS_TEXT)) === 0 && ((tools >> TOOLS_SHIFT) & TOOLS_MASK) === TOOLS_NONE;
}
