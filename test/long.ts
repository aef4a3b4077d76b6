// What takes long: `npm test` does a part of it, and `npm run test:all` all of it (OPENCHATML_TESTS=all).
import { describe, test } from 'vitest';

export const isAll = process.env['OPENCHATML_TESTS'] === 'all';
if (!isAll) console.log('skipped: long tests, other programs, most random inputs: `npm run test:all` has them');

/** OPENCHATML_RUNS: times as many random inputs. */
const TIMES = Number(process.env['OPENCHATML_RUNS'] ?? 1);

/** A tenth, by which kinds of inputs that a test counts on are among them; from 10,000 on as few as a twentieth. */
const shortOf = (all: number): number => Math.max(all / 20, Math.min(all / 10, 1000));

/** How many of `all` random inputs, or of what else a test repeats, it takes: all of them, or a part; one of `of`. */
export const runs = (all: number, of = all / shortOf(all)): number => Math.ceil((isAll ? all : all / of) * TIMES);

/** All cases, or one of three, or of `of`. */
export const part = <T>(all: readonly T[], of = 3): T[] => all.filter((_, index) => isAll || index % of === 0);

/** The number that is tried after `n`, where each one from 1 on would be: the next one, or one a fourth larger. */
export const after = (n: number): number => (isAll ? n + 1 : n + 1 + (n >> 2));

/** Tests that `npm test` leaves out. */
export const describeLong = describe.skipIf(!isAll);
export const testLong = test.skipIf(!isAll);

/** Tests that `npm test` does in full, which `npm run test:long` (OPENCHATML_FILES=parts) does not do again. */
const isRest = process.env['OPENCHATML_FILES'] === 'parts';
export const describeOnce = describe.skipIf(isRest);
export const testOnce = test.skipIf(isRest);
