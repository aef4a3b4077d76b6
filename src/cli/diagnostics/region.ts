// Where a diagnostic ends, for forms that tell regions: found from where it begins, over the bytes of its span.

import type { InputSource } from '../../corpus/input/source.ts';
import type { Told } from '../../corpus/jobs/job.ts';
import type { Place } from '../../errors.ts';
import { countCodePoints } from '../../utf8.ts';

/** A longer span is told by its beginning alone. */
const LONGEST = 64 * 1024;

/**
 * The place behind the last byte of a diagnostic that begins at `place`; null when the span is too long, or its bytes
 * are gone.
 */
export function endOf(
  input: InputSource, { from: begin, to, faultAt: from = begin }: Pick<Told, 'from' | 'to' | 'faultAt'>, place: Place,
): Place | null {
  if (to - from > LONGEST || from < input.first) return null;
  const bytes = input.bytes(from, to);
  let { line, column } = place;
  let at = from === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  for (let lf = bytes.indexOf(0x0a, at); lf >= 0; lf = bytes.indexOf(0x0a, at)) {
    line++;
    column = 1;
    at = lf + 1;
  }
  return { line, column: column + countCodePoints(bytes, at, bytes.length) };
}
