// Lines of an input that is read once: every one, blank and overlong ones too, in memory that a line's limit bounds.

import type { Source } from '../../scan/source.ts';

export interface Line {
  /** From 0. */
  readonly number: number;
  /** Without the LF; valid until the next line is asked for. Of an overlong line nothing. */
  readonly bytes: Buffer;
  /** An LF ended it: only the last line may lack it. */
  readonly isEnded: boolean;
  /** It has more bytes than are kept. */
  readonly isTooLong: boolean;
  /** Bytes without the LF. */
  readonly size: number;
}

export interface LineOptions {
  /** Bytes of a line that are kept. */
  readonly largest: number;
  /** Called before each read: the read may wait for long. */
  readonly beforeRead?: () => void;
  /** Called with what is let go of an overlong line, in order, with its LF. */
  readonly onPart?: (part: Uint8Array) => void;
}

/**
 * Bytes of a line that are kept when nobody says how many, and at most: with what is made of it, it must fit into one
 * text.
 */
export const LARGEST_LINE = 64 * 1024 * 1024;
export const MOST_LINE_BYTES = 128 * 1024 * 1024;

const CHUNK = 256 * 1024;
const LF = 0x0a;

/** The lines of a source, in order. */
export function* linesOf(source: Source, { largest, beforeRead, onPart }: LineOptions): Generator<Line, void, void> {
  let buffer = Buffer.allocUnsafe(CHUNK);
  // Bytes [start, length) of the buffer are the line at hand; up to `seen` there is no LF.
  let [start, seen, length] = [0, 0, 0];
  let [position, number, dropped] = [0, 0, 0];
  const letGo = (to: number): void => {
    onPart?.(buffer.subarray(start, to));
    dropped += to - start;
    start = to;
  };
  const take = (to: number, isEnded: boolean): Line => {
    const isTooLong = dropped > 0 || to - start > largest;
    const size = dropped + to - start;
    if (isTooLong) letGo(isEnded ? to + 1 : to);
    const bytes = isTooLong ? buffer.subarray(0, 0) : buffer.subarray(start, to);
    dropped = 0;
    return { number: number++, bytes, isEnded, isTooLong, size };
  };
  while (true) {
    for (let lf = find(buffer, seen, length); lf >= 0; lf = find(buffer, seen, length)) {
      yield take(lf, true);
      start = seen = lf + 1;
    }
    seen = length;
    if (length - start > largest || dropped > 0) letGo(length);
    const rest = length - start;
    // After a long line the room for it is given back.
    if (start > 0 && buffer.length > CHUNK && rest < CHUNK / 2) {
      const small = Buffer.allocUnsafe(CHUNK);
      buffer.copy(small, 0, start, length);
      buffer = small;
    } else if (start > 0) buffer.copyWithin(0, start, length);
    [start, seen, length] = [0, rest, rest];
    if (length === buffer.length) {
      const grown = Buffer.allocUnsafe(2 * length);
      buffer.copy(grown, 0, 0, length);
      buffer = grown;
    }
    beforeRead?.();
    const read = source.read(position, buffer.subarray(length));
    if (read === 0) break;
    position += read;
    source.release(position);
    length += read;
  }
  if (length > 0 || dropped > 0) yield take(length, false);
}

function find(buffer: Buffer, from: number, to: number): number {
  const at = buffer.subarray(from, to).indexOf(LF);
  return at < 0 ? -1 : from + at;
}
