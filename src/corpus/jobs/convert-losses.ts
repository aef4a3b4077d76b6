// What is lost of a record or a table before it is converted, by reading it.

import type { Loss } from '../../formats/loss.ts';
import type { TranscriptData } from '../../model/data.ts';
import type { CorpusRecord } from '../records/record.ts';
import { holdsRounded } from '../records/rounded.ts';

export type Read = { data: TranscriptData; losses: Loss[] };

export const fieldLost = (detail: string): Loss => ({ what: 'field', message: null, detail });

/** Columns of a table that are not read, by the name of the first one. */
export const columnLost = (detail: string): Loss => ({ what: 'column', message: null, detail });

/** What reading a record as JSON has lost. */
export function lossesOf({ bytes }: CorpusRecord, hasOddId: boolean): Loss[] {
  const losses: Loss[] = [];
  const lose = (detail: string): void => void losses.push(fieldLost(detail));
  if (holdsRounded(bytes)) lose('a number that a double does not hold is rounded');
  if (hasOddId) lose('an id that is no text and no number');
  return losses;
}

export function withLosses(before: readonly Loss[], read: Read): Read {
  return before.length === 0 ? read : { data: read.data, losses: [...before, ...read.losses] };
}
