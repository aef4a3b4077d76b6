// Many short texts at once: which of them are nothing but messages that can be summed up where they lie.
//
// Texts that begin with a start token stand one after the other in the window and are scanned together. One of them is
// as if it stood alone when a message begins with it and all of its messages are plain, end by themselves, and end in
// it: then the next one begins in a gap, too. The others are for another reader.

import * as abi from '../abi.ts';
import { DETECTED_22, type Dialect, DIALECTS } from '../scan/dialects.ts';
import type { Machine } from '../scan/machine.ts';

const ENCODER = new TextEncoder();
const encoded = (...texts: string[]): Uint8Array[] => texts.map((text) => ENCODER.encode(text));
/**
 * The start tokens, and signs that make a text one to look at: it may look like Harmony (R-LIKELY), or in 0.1 hold
 * calls that are written as text (R-HERMES).
 */
const OPENINGS = [
  { opening: ENCODER.encode('<|start|>'), dialect: DETECTED_22, signs: encoded('# Valid channels:') },
  {
    opening: ENCODER.encode('<|im_start|>'), dialect: DIALECTS['openchatml-0.1'],
    signs: encoded('<tool_call>', '<tool_response>'),
  },
] as const;

/** A plain message that ended by its own terminator, and kinds of rows that may stand below it, as `tally` has them. */
const RUN = abi.MESSAGE | abi.PLAIN;
const RUN_MASK = abi.KIND_MASK | abi.PLAIN | abi.IMPLIED | abi.BY_ROLE | abi.NO_BODY_TOKEN | abi.IMPLICIT_END
  | abi.EOF_END;
const PASSED = (1 << abi.FIELD) | (1 << abi.BODY) | (1 << abi.ESCAPE);

/** Of a longer text it costs little that it is read alone. */
const LONGEST = 4096;

/** The dialect of a text that begins with a start token; null: it does not, or is long. */
export function dialectAt(bytes: Uint8Array, from: number, to: number): Dialect | null {
  if (to - from > LONGEST) return null;
  for (const { opening, dialect } of OPENINGS) {
    if (to - from >= opening.length && opening.every((byte, i) => bytes[from + i] === byte)) return dialect;
  }
  return null;
}

/** Table rows [from, to) of texts that follow each other, which were all passed; or one text that was not. */
export type Run = { readonly from: number; readonly to: number; readonly texts: number } | { readonly text: number };

/**
 * Scans texts of a dialect, each of which begins with its start token: `ends`, where they end in `bytes`, the first one
 * beginning at `from`. Answers runs in order.
 */
export function scanTexts(
  machine: Machine, bytes: Uint8Array, from: number, ends: readonly number[], dialect: Dialect,
): Run[] {
  const length = ends.at(-1)! - from;
  machine.source.set(bytes.subarray(from, from + length));
  machine.begin(abi.AT_INPUT, dialect);
  const status = machine.scan(0, length, true, 0);
  const isWhole = status === abi.DONE && machine.consumed() === length;
  if (!isWhole) return ends.map((_, text) => ({ text }));
  const odd = signsIn(machine, length, dialect);
  const { rows } = machine;
  const count = machine.count();
  const runs: Run[] = [];
  let run: { from: number; to: number; texts: number } | null = null;
  let row = 0;
  let sign = 0;
  ends.forEach((end, text) => {
    const [begin, to] = [text === 0 ? 0 : ends[text - 1]! - from, end - from];
    while (row < count && rows[row * abi.ROW_WORDS + abi.FROM]! < begin) row++;
    const first = row;
    let isClean = row < count && rows[row * abi.ROW_WORDS + abi.FROM] === begin;
    for (; row < count && rows[row * abi.ROW_WORDS + abi.FROM]! < to; row++) {
      const word = rows[row * abi.ROW_WORDS]!;
      const kind = word & abi.KIND_MASK;
      if (kind === abi.MESSAGE) isClean &&= (word & RUN_MASK) === RUN && rows[row * abi.ROW_WORDS + abi.TO]! <= to;
      else isClean &&= ((PASSED >> kind) & 1) !== 0;
    }
    while (sign < odd.length && odd[sign]! < begin) sign++;
    isClean &&= !(sign < odd.length && odd[sign]! < to);
    if (!isClean) {
      run = null;
      runs.push({ text });
    } else if (run === null) {
      run = { from: first, to: row, texts: 1 };
      runs.push(run);
    } else {
      run.to = row;
      run.texts++;
    }
  });
  return runs;
}

/** Positions of signs in the window, in order. */
function signsIn(machine: Machine, length: number, dialect: Dialect): number[] {
  const { source } = machine;
  const found: number[] = [];
  for (const sign of OPENINGS.find((opening) => opening.dialect === dialect)!.signs) {
    for (let at = machine.findPair(0, length, sign[0]!, sign[1]!); at >= 0;
      at = machine.findPair(at + 1, length, sign[0]!, sign[1]!)) {
      if (sign.every((byte, i) => source[at + i] === byte)) found.push(at);
    }
  }
  return found.sort((a, b) => a - b);
}
