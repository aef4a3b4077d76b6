// Messages of the records of a file, for the library. What is written as text from rows is read there, without ever
// being a value; where it stands in the file is found out when it is asked.

import { MemorySource } from '../scan/source.ts';
import type { FileMessage } from './file-types.ts';
import { writeRecordTexts } from './jobs/convert-rows.ts';
import type { ThreadContext } from './jobs/open.ts';
import { messagesOf, type PlacedMessage } from './messages.ts';
import { isRows, nextRecord, ordinalOf, type RecordRows } from './records/rows.ts';
import { type BadRecord, isBad, type Unit } from './records/unit.ts';
import { READING } from './records/unit-chat.ts';
import type { Units } from './records/units.ts';

type Messages = Generator<FileMessage, void, void>;

/** The messages of all records, in order; those that hold none are passed over. */
export function* recordMessages(context: ThreadContext, units: Units): Messages {
  for (const item of units.items()) {
    if (isRows(item)) yield* messagesOfRows(context, units, item);
    else yield* messagesOfUnit(context, item);
  }
}

function* messagesOfRows(context: ThreadContext, units: Units, rows: RecordRows): Messages {
  for (let row = 0; row < rows.to; ) {
    const next = nextRecord(rows, row);
    const writing = writeRecordTexts(rows, row, next);
    const { value, done } = writing.next();
    if (done === true) for (const unit of units.slow(rows, row)) yield* messagesOfUnit(context, unit);
    else {
      const [record, at] = [rows.record + ordinalOf(rows, row), row];
      let unit: Unit | undefined;
      const place = (offset: number, isEnd?: boolean): number =>
        (unit ??= units.whole(rows, at)).place(offset, isEnd);
      const reading = messagesOf(context.machine, new MemorySource(value.bytes), READING, { known: context.headers });
      for (const placed of reading) yield inFile(placed, record, place);
    }
    row = next;
  }
}

function* messagesOfUnit(context: ThreadContext, unit: Unit | BadRecord): Messages {
  if (isBad(unit)) return;
  const { record, place, source, options } = unit;
  for (const placed of messagesOf(context.machine, source, options, { known: context.headers })) {
    yield inFile(placed, record, place);
  }
}

/** A message with its place. Behind a spread these two fields would take as long as all the rest of reading it. */
export const inFile = (
  { message, transcript, index, source }: PlacedMessage, record: number | null, place: FileMessage['place'],
): FileMessage => ({ message, transcript, index, source, record, place });
