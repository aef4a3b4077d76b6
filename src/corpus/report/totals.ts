// Sums of statistics that the report tells, by role, by tool, by rule.

import type { CallsJson, SpreadJson, StatisticsJson } from './statistics-json.ts';

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'];
/** Series of a plot can be told apart up to here; others are one. */
const OTHERS = 'other roles';

export const total = (numbers: Iterable<number>): number => {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
};

export function addSpreads(spreads: readonly SpreadJson[]): SpreadJson {
  const some = spreads.filter(({ count }) => count > 0);
  const length = Math.max(0, ...some.map((spread) => spread.log2.length));
  const log2 = Array.from({ length }, (_, i) => total(some.map((spread) => spread.log2[i] ?? 0)));
  return {
    count: total(some.map(({ count }) => count)),
    sum: total(some.map(({ sum }) => sum)),
    min: some.length ? Math.min(...some.map(({ min }) => min ?? 0)) : null,
    max: some.length ? Math.max(...some.map(({ max }) => max ?? 0)) : null,
    log2,
  };
}

/** Lengths of bodies by role, as far as there are any. */
export function bodiesByRole({ messages }: StatisticsJson): { readonly role: string; readonly bodies: SpreadJson }[] {
  const { pairs, other } = messages;
  const nameOf = (role: string | null): string => (role !== null && ROLES.includes(role) ? role : OTHERS);
  const of = (role: string): SpreadJson[] =>
    pairs.filter((pair) => nameOf(pair.role) === role).map(({ bodies }) => bodies);
  return [...ROLES, OTHERS]
    .map((role) => ({ role, bodies: addSpreads([...of(role), ...(role === OTHERS ? [other.bodies] : [])]) }))
    .filter(({ bodies }) => bodies.count > 0);
}

/** Lengths up to which a share of them all is, as the upper bound of the bucket; at most the largest. */
export function quantile({ count, log2, max }: SpreadJson, share: number): number {
  let seen = 0;
  const bucket = log2.findIndex((number) => (seen += number) >= share * count && seen > 0);
  return bucket < 0 ? 0 : Math.min(max ?? 0, 2 ** bucket - 1);
}

/** All that is counted of calls. */
export const allCalls = ({ calls: { tools, other, several } }: StatisticsJson): CallsJson[] =>
  [...tools, other, several];

/** Failing calls by rule, most first. */
export function reasonsOf(statistics: StatisticsJson): { readonly rule: string; readonly count: number }[] {
  const reasons = new Map<string, number>();
  for (const { rule, count } of allCalls(statistics).flatMap((calls) => calls.reasons)) {
    reasons.set(rule, (reasons.get(rule) ?? 0) + count);
  }
  return [...reasons].map(([rule, count]) => ({ rule, count })).sort((a, b) => {
    return b.count - a.count || (a.rule < b.rule ? -1 : 1);
  });
}
