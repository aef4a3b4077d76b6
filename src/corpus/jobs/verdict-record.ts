// The record that one line of an input is, read by itself: any line is one, or a problem.

import { isUtf8 } from 'node:buffer';
import { JSON_DEEPEST } from '../../abi.ts';
import { isBlank } from '../../model/bytes.ts';
import type { Machine } from '../../scan/machine.ts';
import { crowdOf } from '../records/crowded.ts';
import { isMarked, MARK } from '../records/json-bytes.ts';
import { type CorpusRecord, problemOf, type RecordProblem, surelyWrong } from '../records/record.ts';
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
  const wrongAt = (): number => Math.max(0, machine.checkJson(bytes, JSON_DEEPEST));
  if (!isUtf8(bytes)) return problemOf(place, 'it is not valid UTF-8', '', from + wrongAt());
  const crowd = crowdOf(bytes);
  if (crowd !== null) return problemOf(place, `it holds ${crowd}`, '');
  const notJson = (at: number): RecordProblem =>
    isBlank(bytes, 0, bytes.length) ? problemOf(place, 'the line is blank', '')
      : problemOf(place, 'it is no JSON', '', from + at);
  const found = surelyWrong(bytes, (short) => machine.checkJson(short, JSON_DEEPEST));
  if (found >= 0) return notJson(found);
  try {
    return { ...place, value: JSON.parse(bytes.toString('utf8')) as unknown, bytes };
  } catch {
    return notJson(wrongAt());
  }
}
