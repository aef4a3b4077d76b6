// The record that one line of an input is, read by itself: any line is one, or a problem.

import { isUtf8 } from 'node:buffer';
import type { Machine } from '../../scan/machine.ts';
import { crowdOf } from '../records/crowded.ts';
import { isMarked, looksWide, MARK } from '../records/json-bytes.ts';
import { WIDE } from '../records/json-cause.ts';
import { locateWith } from '../records/lines.ts';
import {
  type CorpusRecord, notJson, notUtf8, problemOf, type RecordProblem, surelyWrong,
} from '../records/record.ts';
import type { Line } from './verdict-lines.ts';

/** The record of a line, in bytes of which its positions are. `mayBeMarked`: a byte order mark may begin the first. */
export function recordOfLine(
  { bytes: line, number, from: position, isTooLong, size }: Line,
  machine: Machine,
  largest: number,
  mayBeMarked = true,
): CorpusRecord | RecordProblem {
  const from = mayBeMarked && position === 0 && isMarked(line) ? MARK.length : 0;
  const bytes = line.subarray(from);
  const place = { number, line: number + 1, from, to: size };
  if (isTooLong) return problemOf(place, `the line is longer than ${largest} bytes`, '');
  const locate = locateWith(machine);
  if (position === 0 && looksWide(bytes)) return problemOf(place, WIDE.problem, WIDE.remedy);
  if (!isUtf8(bytes)) return notUtf8(bytes, place);
  const crowd = crowdOf(bytes);
  if (crowd !== null) return problemOf(place, `it holds ${crowd}`, '');
  const wrong = (at: number): RecordProblem =>
    notJson(bytes, place, at, locate) ?? problemOf(place, 'the line is blank', '');
  const found = surelyWrong(bytes, locate);
  if (found >= 0) return wrong(found);
  try {
    return { ...place, value: JSON.parse(bytes.toString('utf8')) as unknown, bytes };
  } catch {
    return wrong(locate(bytes));
  }
}
