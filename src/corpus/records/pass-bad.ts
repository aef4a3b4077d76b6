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
  for (let at = row; at < rows.to; at = wordAt(words, at, NEXT)) {
    const [from, to] = [wordAt(words, at, FROM) - origin, wordAt(words, at, TO) - origin];
    const bad = known.get(machine.input, from, to);
    if (bad === undefined || !tell(at, bad.rule, 1)) return at;
    if (!areJoined) continue;
    // Mostly the same follows. What is not wanted together is not looked at together again.
    const { last, further } = alikeFrom(machine, at, rows.to);
    areJoined = further === 0 || tell(last, bad.rule, further);
    if (areJoined) at = last;
  }
  return rows.to;
}

/**
 * The records behind row `row` whose lines are that of that one: the last one, and how many they are. Nothing is done
 * for each: their bytes are one run that repeats itself, and their rows are as many as of any record.
 */
function alikeFrom(
  { rows, input, origin, stop }: RecordMachine, row: number, to: number,
): { last: number; further: number } {
  const next = wordAt(rows, row, NEXT);
  if (next - row !== RECORD_ROWS || next >= to) return { last: row, further: 0 };
  const first = wordAt(rows, row, FROM) - origin;
  const period = wordAt(rows, next, FROM) - origin - first;
  let end = first + period;
  while (end < stop && input[end] === input[end - period]) end++;
  const further = Math.min(Math.floor((end - first) / period), Math.floor((to - row) / RECORD_ROWS)) - 1;
  const last = row + further * RECORD_ROWS;
  const isThere = further > 0 && wordAt(rows, last, FROM) - origin === first + further * period;
  return isThere ? { last, further } : { last: row, further: 0 };
}
