// A record, or a transcript out of a large text, as a text of its own: cut out of the file when it is asked for.

import { createMachine, MemorySource, parse } from '../index.ts';
import { isBad, type Unit, unitsOf } from '../report.ts';
import { type ReadChoice, readOptions, type RecordText } from './analysis.ts';
import type { Places } from './file-source.ts';
import { LARGEST_TEXT } from './store.ts';

const LF = 0x0a;
const STEP = 1024 * 1024;
/** How far before a byte its transcript is looked for, where not every place is kept: the page waits for it. */
const FARTHEST = 8 * LARGEST_TEXT;

const bytesOf = async (file: Blob, from: number, to: number): Promise<Uint8Array> =>
  new Uint8Array(await file.slice(from, to).arrayBuffer());

/** The bytes of a line, from 1 on; null: there is none. Throws a RangeError when it is too long to be shown. */
export async function lineOf(file: Blob, { step, places }: Places, line: number): Promise<Uint8Array | null> {
  const near = Math.floor((line - 1) / step);
  if (line < 1 || places[near] === undefined) return null;
  let at = places[near];
  let skip = (line - 1) % step;
  const parts: Uint8Array[] = [];
  let length = 0;
  while (at < file.size) {
    const bytes = await bytesOf(file, at, at + STEP);
    let from = 0;
    while (skip > 0) {
      const lf = bytes.indexOf(LF, from);
      if (lf < 0) break;
      from = lf + 1;
      skip--;
    }
    if (skip === 0) {
      const lf = bytes.indexOf(LF, from);
      const part = bytes.subarray(from, lf < 0 ? bytes.length : lf);
      parts.push(part);
      length += part.length;
      if (length > LARGEST_TEXT) throw new RangeError('the record is longer than 1 MiB');
      if (lf >= 0) break;
    }
    at += bytes.length;
  }
  const whole = new Uint8Array(length);
  parts.reduce((to, part) => {
    whole.set(part, to);
    return to + part.length;
  }, 0);
  return skip === 0 ? whole : null;
}

/** The transcript of a raw text that holds a byte, without what follows it; null: none that is short enough. */
export async function transcriptAt(
  file: Blob, { step, places }: Places, position: number, choice: ReadChoice,
): Promise<Uint8Array | null> {
  let [low, high] = [0, places.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (places[middle]! <= position) low = middle;
    else high = middle;
  }
  const start = places[low] ?? 0;
  if (position - start > (step === 1 ? LARGEST_TEXT : FARTHEST)) return null;
  const bytes = await bytesOf(file, start, position + LARGEST_TEXT);
  const { transcripts } = parse(bytes, readOptions(choice));
  const index = transcripts.findLastIndex(({ from }) => from <= position - start);
  const from = Math.max(0, transcripts[index]?.from ?? 0);
  const to = transcripts[index + 1]?.from ?? bytes.length;
  return to - from > LARGEST_TEXT ? null : bytes.slice(from, to);
}

export interface RecordRead {
  readonly bytes: Uint8Array;
  readonly record: RecordText;
}

/** The texts of records; or a sentence about the first one that holds none. */
export function readRecords(bytes: Uint8Array): RecordRead[] | string {
  const read: RecordRead[] = [];
  for (const unit of unitsOf(createMachine(), 'record.jsonl', new MemorySource(bytes), {})) {
    if (isBad(unit)) return `${unit.rule}: ${unit.detail}`;
    const { dialect } = unit.options;
    const record = { reading: dialect === undefined ? {} : { dialect }, checking: unit.options, pointer: unit.pointer };
    read.push({ bytes: textOf(unit), record });
  }
  return read;
}

function textOf({ source }: Unit): Uint8Array {
  return Uint8Array.from(source.bytes(0, source.end!));
}
