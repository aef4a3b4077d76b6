// The lines and records of a part of an input, counted: nothing of them is looked at.

import type { Source } from '../../scan/source.ts';
import type { TextMachine } from '../../scan/text-machine.ts';
import { isMarked, MARK } from './json-bytes.ts';
import type { LineRange } from './window.ts';

const STEP = 256 * 1024;

/** Counts the lines and records of bytes [from, to) of an input; they end with a line. */
export function countLines(
  text: TextMachine, source: Source, from: number, to: number,
): { readonly records: number; readonly lines: number } {
  text.beginLines();
  // A byte order mark makes no record.
  let at = from === 0 && isMarked(source.bytes(0, MARK.length)) ? MARK.length : from;
  while (at < to) {
    const read = source.read(at, text.input.subarray(0, Math.min(STEP, to - at)));
    if (read === 0) break;
    text.countLines(0, read);
    at += read;
  }
  return { lines: text.lines, records: text.records + (text.inRecord ? 1 : 0) };
}

/** Whoever has read lines, and may have counted all of them. */
interface LineReader {
  readonly lines: number;
  readonly countsLines: boolean;
}

/** Lines of a range that was read. The last range of an input needs no count. */
export function lineCount(
  scanners: { readonly text: TextMachine }, source: Source, { from, to, line }: LineRange, reader: LineReader | null,
): number {
  if (reader?.countsLines) return reader.lines - line + 1;
  return to === Infinity ? 0 : countLines(scanners.text, source, from, to).lines;
}
