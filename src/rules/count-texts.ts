// Many short texts at once: which of them are nothing but messages that can be summed up where they lie.
//
// Texts that begin with a start token, or with a document header before it, stand one after the other in the window,
// without their headers, and are scanned together. One of them is
// as if it stood alone when a message begins with it and all of its messages are plain, end by themselves, and end in
// it: then the next one begins in a gap, too. The others are for another reader.

import * as abi from '../abi.ts';
import { LF, standsAt } from '../model/bytes.ts';
import { OPEN_CALL } from '../model/hermes.ts';
import { detectedBy, type HeaderCache } from '../model/transcript.ts';
import { DETECTED_22, type Dialect, DIALECTS } from '../scan/dialects.ts';
import type { Machine } from '../scan/machine.ts';
import type { Table } from '../scan/table.ts';
import { countWrittenCalls } from './call-count.ts';

const ENCODER = new TextEncoder();
const LT = 0x3c;
const START = ENCODER.encode('<|start|>');
/**
 * The start tokens, and signs to look at: of a text that may look like Harmony (R-LIKELY), which is for another reader;
 * in 0.1 of calls that are written as text (R-HERMES), of which rows do not tell.
 */
const OPENINGS = [
  { opening: START, dialect: DETECTED_22, sign: ENCODER.encode('# Valid channels:') },
  { opening: ENCODER.encode('<|im_start|>'), dialect: DIALECTS['openchatml-0.1'], sign: ENCODER.encode(OPEN_CALL) },
] as const;

/** A plain message that ended by its own terminator, and kinds of rows that may stand below it, as `tally` has them. */
const RUN = abi.MESSAGE | abi.PLAIN;
const RUN_MASK = abi.KIND_MASK | abi.PLAIN | abi.IMPLIED | abi.BY_ROLE | abi.NO_BODY_TOKEN | abi.IMPLICIT_END
  | abi.EOF_END;
const PASSED = (1 << abi.FIELD) | (1 << abi.BODY) | (1 << abi.ESCAPE);

/** Whether a message is plain and whole, and nothing stands below its row, up to row `next`, but such rows. */
export function isPlainRow(words: Table['words'], row: number, next: number): boolean {
  if ((words[row * abi.ROW_WORDS]! & RUN_MASK) !== RUN) return false;
  for (let below = row + 1; below < next; below++) {
    if (!((PASSED >> (words[below * abi.ROW_WORDS]! & abi.KIND_MASK)) & 1)) return false;
  }
  return true;
}

/** A longer text takes no longer when it is read alone. */
const LONGEST = 16 * 1024;

/** Bytes of a document header that is looked for again, and a letter behind the start token, as roles have. */
const LONGEST_HEAD = 1024;
const isLetter = (byte: number | undefined): boolean => byte !== undefined && (byte | 0x20) - 0x61 >>> 0 < 26;

const standsIn = (what: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean =>
  to - from >= what.length && standsAt(what, bytes, from);

/** Tells how texts begin. The document header of the last one is kept: most have the same. */
class Openings {
  readonly #machine: Machine;
  readonly #known: HeaderCache;
  #head: Uint8Array = new Uint8Array(0);
  #headed: Dialect | null = null;
  /** Where the first start token of the last text stands. */
  start = 0;

  constructor(machine: Machine, known: HeaderCache) {
    this.#machine = machine;
    this.#known = known;
  }

  /**
   * The dialect of a text that begins with a start token, or with a document header directly in front of one; null: it
   * does not, or is long. Uses the window.
   */
  dialectAt(bytes: Uint8Array, from: number, to: number): Dialect | null {
    this.start = from;
    if (to - from > LONGEST) return null;
    if (bytes[from] === LT) {
      return OPENINGS.find(({ opening }) => standsIn(opening, bytes, from, to))?.dialect ?? null;
    }
    const isSame = this.#headed !== null && standsIn(this.#head, bytes, from, to)
      && this.#isStart(bytes, from + this.#head.length, to);
    if (!isSame && !this.#readHead(bytes.subarray(from, to))) return null;
    this.start = from + this.#head.length;
    return this.#headed;
  }

  #isStart(bytes: Uint8Array, at: number, to: number): boolean {
    return standsIn(START, bytes, at, to) && at + START.length < to && isLetter(bytes[at + START.length]);
  }

  /** Whether nothing but a document header stands before the first start token: it is kept. */
  #readHead(text: Uint8Array): boolean {
    this.#headed = null;
    const nearby = text.subarray(0, LONGEST_HEAD);
    let at = nearby.indexOf(LT);
    while (at >= 0 && !this.#isStart(text, at, text.length)) at = nearby.indexOf(LT, at + 1);
    if (at < 0) return false;
    const machine = this.#machine;
    const length = at + START.length + 1;
    machine.source.set(text.subarray(0, length));
    machine.begin(abi.AT_INPUT, DETECTED_22);
    const { rows } = machine;
    const isHead = machine.scan(0, length, true, 0) === abi.AFTER_HEADER && machine.count() === 1
      && rows[abi.FROM] === 0 && rows[abi.TO] === at;
    if (!isHead) return false;
    const header = this.#known.read({ bytes: (from, to) => text.subarray(from, to) }, 0, at);
    this.#headed = detectedBy(header);
    this.#head = text.slice(0, at);
    return true;
  }
}

/** Texts of a dialect that follow each other, `first` to before `last`; null: they are for another reader. */
export interface TextGroup {
  readonly dialect: Dialect | null;
  readonly first: number;
  readonly last: number;
  /** Where the start token of each one stands. */
  readonly starts: readonly number[];
}

/** The groups of texts that follow each other in `bytes` up to `ends`, and fit the window. */
export function* textGroups(
  machine: Machine, bytes: Uint8Array, ends: readonly number[], known: HeaderCache,
): Generator<TextGroup, void, void> {
  const openings = new Openings(machine, known);
  const dialectOf = (text: number): Dialect | null =>
    openings.dialectAt(bytes, text === 0 ? 0 : ends[text - 1]!, ends[text]!);
  let next = ends.length > 0 ? dialectOf(0) : null;
  for (let first = 0; first < ends.length; ) {
    const dialect = next;
    const starts: number[] = [];
    let last = first;
    while (next === dialect && last < ends.length) {
      starts.push(openings.start);
      if (++last < ends.length) next = dialectOf(last);
    }
    yield { dialect, first, last, starts };
    first = last;
  }
}

/**
 * Table rows [from, to) of texts that follow each other, which were all passed; or one text that was not. `calls`:
 * those that are written as text.
 */
export type Run =
  | { readonly from: number; readonly to: number; readonly texts: number; readonly calls: number }
  | { readonly text: number };

/**
 * Scans texts of a dialect, each of which goes from its start token, at `starts` in `bytes`, to its end, at `ends`.
 * Answers runs in order.
 */
export function scanTexts(
  machine: Machine, bytes: Uint8Array, starts: readonly number[], ends: readonly number[], dialect: Dialect,
): Run[] {
  const places = joinTexts(machine, bytes, starts, ends);
  const length = places.at(-1)!;
  machine.begin(abi.AT_INPUT, dialect);
  const status = machine.scan(0, length, true, 0);
  const isWhole = status === abi.DONE && machine.consumed() === length;
  if (!isWhole) return ends.map((_, text) => ({ text }));
  const signs = signsIn(machine, length, dialect);
  const isLine = (dialect.flags & abi.HAS_LINE) !== 0;
  const { rows } = machine;
  const count = machine.count();
  const runs: Run[] = [];
  let run: { from: number; to: number; texts: number; calls: number } | null = null;
  let row = 0;
  let sign = 0;
  places.forEach((to, text) => {
    const begin = text === 0 ? 0 : places[text - 1]!;
    // The empty body of a message that the start token ended stands there, too.
    while (row < count && (rows[row * abi.ROW_WORDS + abi.FROM]! < begin || isBodyAt(rows, row, begin))) row++;
    const first = row;
    let isClean = row < count && rows[row * abi.ROW_WORDS + abi.FROM] === begin;
    let calls = 0;
    for (; row < count && rows[row * abi.ROW_WORDS + abi.FROM]! < to; row++) {
      const word = rows[row * abi.ROW_WORDS]!;
      const kind = word & abi.KIND_MASK;
      if (kind !== abi.MESSAGE) {
        isClean &&= ((PASSED >> kind) & 1) !== 0;
        continue;
      }
      const end = rows[row * abi.ROW_WORDS + abi.TO]!;
      isClean &&= (word & RUN_MASK) === RUN && end <= to;
      if (!(signs[sign]! < end)) continue;
      const first = sign;
      while (signs[sign]! < end) sign++;
      if (!isLine) isClean = false;
      else if (isClean) calls += callsAt(machine, row, signs.slice(first, sign));
    }
    if (!isClean) {
      run = null;
      runs.push({ text });
    } else if (run === null) {
      run = { from: first, to: row, texts: 1, calls };
      runs.push(run);
    } else {
      run.to = row;
      run.texts++;
      run.calls += calls;
    }
  });
  return runs;
}

const isBodyAt = (rows: Int32Array, row: number, at: number): boolean =>
  rows[row * abi.ROW_WORDS + abi.FROM] === at && (rows[row * abi.ROW_WORDS]! & abi.KIND_MASK) === abi.BODY;

/** The calls in a plain message of 0.1 in which tags stand at `signs`. */
function callsAt(machine: Machine, row: number, signs: readonly number[]): number {
  const { rows, source } = machine;
  if (((rows[row * abi.ROW_WORDS]! >> abi.ROLE_SHIFT) & 7) !== abi.ASSISTANT) return 0;
  while ((rows[row * abi.ROW_WORDS]! & abi.KIND_MASK) !== abi.BODY) row++;
  const body = { from: rows[row * abi.ROW_WORDS + abi.FROM]!, to: rows[row * abi.ROW_WORDS + abi.TO]! };
  const tags = signs.filter((at) => at === body.from || (at > body.from && source[at - 1] === LF));
  return countWrittenCalls({ bytes: (from, to) => source.subarray(from, to) }, body, tags);
}

/** Puts texts one behind the other into the window; answers where each ends. */
function joinTexts(
  machine: Machine, bytes: Uint8Array, starts: readonly number[], ends: readonly number[],
): number[] {
  let length = 0;
  // Where texts stand in one another's wake, they are copied at once.
  let first = 0;
  return ends.map((end, text) => {
    if (starts[text + 1] !== end) {
      machine.source.set(bytes.subarray(starts[first], end), length - (starts[text]! - starts[first]!));
      first = text + 1;
    }
    length += end - starts[text]!;
    return length;
  });
}

/** Positions of signs in the window, in order. Behind a document header nothing looks like Harmony. */
function signsIn(machine: Machine, length: number, dialect: Dialect): number[] {
  const sign = OPENINGS.find((opening) => opening.dialect === dialect)?.sign;
  if (sign === undefined) return [];
  const { source } = machine;
  const found: number[] = [];
  for (let at = machine.findPair(0, length, sign[0]!, sign[1]!); at >= 0;
    at = machine.findPair(at + 1, length, sign[0]!, sign[1]!)) {
    if (standsAt(sign, source, at)) found.push(at);
  }
  return found;
}
