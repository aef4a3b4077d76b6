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
