// Bad records among rows of which no more is wanted than their rule: they are passed where they lie, those of the same
// bytes together. Making something of each takes many times longer, and an input may hold nothing else.

import { FROM, NEXT, RECORD_ROWS, TO } from '../../abi.ts';
import type { RecordMachine } from '../../scan/record-machine.ts';
import { wordAt } from '../../scan/record-rows.ts';
import type { RecordRows } from './rows.ts';
import type { BadRecordRule } from './unit-types.ts';

/** Knows what is wrong with bytes [from, to). */
interface KnowsBad<Rule> {
  get(bytes: Uint8Array, from: number, to: number): { readonly rule: Rule } | undefined;
}

/**
 * Whether bad records that follow each other are done with when that much is known of them: their rule, the place of
 * the last one, how many they are.
 */
export type PassesBad<Rule = BadRecordRule> =
  (rule: Rule, from: number, to: number, line: number, times: number) => boolean;

/** Records that repeat together at most. */
const MOST_TOGETHER = 5;

/** Bytes that are compared at once, in a tenth of the time. */
const PART = 4096;

/** A record that was passed. */
interface Passed<Rule> {
  readonly at: number;
  readonly bad: { readonly rule: Rule };
}

/**
 * Passes records from row `row` on that `known` knows to be bad, and of which no more is wanted. Answers the first
 * other one, or the end.
 */
export function passBad<Rule extends string>(
  rows: RecordRows, row: number, isDone: PassesBad<Rule>, known: KnowsBad<Rule>,
): number {
  const { machine, base, framing } = rows;
  const { rows: words, origin } = machine;
  if (framing !== null) return row;
  const tell = (at: number, rule: Rule, times: number): boolean => {
    const line = rows.line + wordAt(words, at + 1, NEXT);
    return isDone(rule, base + wordAt(words, at, FROM), base + wordAt(words, at, TO), line, times);
  };
  let areJoined = true;
  let passed: Passed<Rule>[] = [];
  for (let at = row; at < rows.to; ) {
    const bad = known.get(machine.input, wordAt(words, at, FROM) - origin, wordAt(words, at, TO) - origin);
    if (bad === undefined) return at;
    // Mostly the same follows, or the same few. What is not wanted together is not looked at together again.
    const group: readonly Passed<Rule>[] = areJoined ? groupOf(passed, bad, at) : NONE;
    const times = group.length === 0 ? 0 : timesFrom(machine, group[0]!.at, at, group.length, rows.to);
    if (times > 0) {
      const further = times * group.length * RECORD_ROWS;
      const last = group.map((one) => ({ at: one.at + further, bad: one.bad }));
      areJoined = tellGroup(last, times, tell);
      if (areJoined) {
        passed = [...passed, ...last].slice(-MOST_TOGETHER);
        at += further;
      }
    }
    if (times === 0 || !areJoined) {
      if (!tell(at, bad.rule, 1)) return at;
      passed.push({ at, bad });
      if (passed.length > MOST_TOGETHER) passed.shift();
      at = wordAt(words, at, NEXT);
    }
  }
  return rows.to;
}

const NONE: readonly never[] = [];

/** The last records from one on that is the same as the one at row `at`; empty: there is none. */
function groupOf<Rule>(passed: readonly Passed<Rule>[], bad: Passed<Rule>['bad'], at: number): readonly Passed<Rule>[] {
  for (let first = passed.length - 1; first >= 0; first--) {
    if (passed[first]!.bad !== bad) continue;
    return passed[first]!.at === at - (passed.length - first) * RECORD_ROWS ? passed.slice(first) : NONE;
  }
  return NONE;
}

/**
 * How many times the `count` records from row `first` on come again from row `at` on, where they end. Nothing is done
 * for each: their bytes are one run that repeats itself, and their rows are as many as of any record.
 */
function timesFrom(
  { rows, input, origin, stop }: RecordMachine, first: number, at: number, count: number, to: number,
): number {
  const from = wordAt(rows, first, FROM) - origin;
  const period = wordAt(rows, at, FROM) - origin - from;
  let end = from + period;
  const repeats = (next: number): boolean =>
    next <= stop && Buffer.compare(input.subarray(end, next), input.subarray(end - period, next - period)) === 0;
  while (repeats(end + PART)) end += PART;
  while (end < stop && input[end] === input[end - period]) end++;
  const most = Math.floor((to - at) / RECORD_ROWS / count);
  const times = Math.min(Math.floor((end - from) / period) - 1, most);
  for (let i = 0; i < count; i++) {
    const last = at + ((times - 1) * count + i) * RECORD_ROWS;
    const place = wordAt(rows, first + i * RECORD_ROWS, FROM) + times * period;
    if (times > 0 && wordAt(rows, last, FROM) !== place) return 0;
  }
  return times;
}

/** Tells of the last ones of records that come so many times, of each rule once; false: nothing was told. */
function tellGroup<Rule>(
  group: readonly Passed<Rule>[], times: number, tell: (at: number, rule: Rule, times: number) => boolean,
): boolean {
  const told = new Set<Rule>();
  // Whether they are wanted is known of the last one: it stands farthest from those before.
  for (let i = group.length - 1; i >= 0; i--) {
    const { at, bad: { rule } } = group[i]!;
    if (told.has(rule)) continue;
    const alike = group.filter((one) => one.bad.rule === rule).length;
    if (!tell(at, rule, alike * times)) return false;
    told.add(rule);
  }
  return true;
}
