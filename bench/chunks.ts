// Reads a file piece by piece into one buffer, as every reader of large files here does.
import { closeSync, openSync, readSync } from 'node:fs';

/**
 * Calls `use` with the length of each piece in the buffer; what it returns is the number of bytes at the end of the
 * piece that it wants to see again in front of the next one. The last piece has no new bytes.
 */
export function readChunks(path: string, buffer: Buffer, use: (length: number, last: boolean) => number): void {
  const fd = openSync(path, 'r');
  try {
    let kept = 0;
    for (let last = false; !last; ) {
      const read = readSync(fd, buffer, kept, buffer.length - kept, null);
      last = read === 0;
      const length = kept + read;
      kept = use(length, last);
      if (kept === buffer.length) throw new Error(`${path}: nothing of ${kept} bytes was used`);
      if (kept > 0) buffer.copyWithin(0, length - kept, length);
    }
  } finally {
    closeSync(fd);
  }
}

/** Lines stand here while `eachLine` hands them out. More than the longest line has. */
export const LINES = Buffer.allocUnsafeSlow(4 * 2 ** 20);
const LF = 0x0a;

/** Calls `use` with each line of a file: where it stands in `LINES`. */
export function eachLine(path: string, use: (from: number, to: number) => void): void {
  readChunks(path, LINES, (length, last) => {
    let at = 0;
    for (let lf = LINES.indexOf(LF); lf >= 0 && lf < length; lf = LINES.indexOf(LF, at)) {
      use(at, lf);
      at = lf + 1;
    }
    if (last && at < length) use(at, length);
    return last ? 0 : length - at;
  });
}
