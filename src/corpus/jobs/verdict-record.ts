// The record that one line of an input is, read by itself: any line is one, or a problem.

import { isUtf8 } from 'node:buffer';
import { JSON_DEEPEST } from '../../abi.ts';
import { isBlank } from '../../model/bytes.ts';
import type { Machine } from '../../scan/machine.ts';
import { crowdOf } from '../records/crowded.ts';
import { isMarked, MARK } from '../records/json-bytes.ts';
import { type CorpusRecord, isSurelyNoJson, type RecordProblem } from '../records/record.ts';
import type { Line } from './verdict-lines.ts';

/** The record of a line, in bytes of which its positions are. `mayBeMarked`: a byte order mark may begin the first. */
export function recordOfLine(
  { bytes: line, number, isTooLong, size }: Line,
  machine: Machine,
  largest: number,
  mayBeMarked = true,
): CorpusRecord | RecordProblem {
  const from = mayBeMarked && number === 0 && isMarked(line) ? MARK.length : 0;
  const bytes = line.subarray(from);
  const place = { number, line: number + 1, from, to: size };
  const wrong = (problem: string, at: number | null = null): RecordProblem => ({ ...place, problem, remedy: '', at });
  if (isTooLong) return wrong(`the line is longer than ${largest} bytes`);
  if (!isUtf8(bytes)) return wrong('it is not valid UTF-8', from + Math.max(0, machine.checkJson(bytes, JSON_DEEPEST)));
  const crowd = crowdOf(bytes);
  if (crowd !== null) return wrong(`it holds ${crowd}`);
  const notJson = (): RecordProblem =>
    isBlank(bytes, 0, bytes.length) ? wrong('the line is blank')
      : wrong('it is no JSON', from + Math.max(0, machine.checkJson(bytes, JSON_DEEPEST)));
  if (isSurelyNoJson(bytes, (short) => machine.checkJson(short, JSON_DEEPEST))) return notJson();
  try {
    return { ...place, value: JSON.parse(bytes.toString('utf8')) as unknown, bytes, isRounded: false };
  } catch {
    return notJson();
  }
}
