// Streams of random inputs, cut at random: what parsing gives, however the input is cut, in every dialect and in
// detection.
import { test } from 'vitest';
import { runs } from '../../long.ts';
import { randomInput, randomOf, SEED } from '../../random.ts';
import { expectAgreement } from './agrees.ts';
import { expectSameForCuts } from './run.ts';
import { rescue } from '../../../src/runtime/stream/rescue.ts';

const INPUTS = runs(4_000, 5);
const DIALECTS = ['auto', 'openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1', 'harmony'] as const;

test(`${INPUTS} random inputs (OPENCHATML_SEED=${SEED})`, { timeout: 600_000 }, () => {
  const seeds = randomOf(SEED);
  for (let run = 0; run < INPUTS; run++) {
    const random = randomOf(seeds.below(0x7fffffff));
    const input = randomInput(random, random.once(4) ? 40 : 12);
    const dialect = random.pick(DIALECTS);
    const role = random.once(7) ? random.pick(['assistant', 'user', 'functions.f']) : undefined;
    const read = {
      dialect, role, stopStripped: random.once(4), harmonyPreambles: random.once(2), missingChannel: random.once(2),
      rescue: random.once(3) ? rescue : undefined,
    };
    const options = { ...read, collect: true, reasoning: true, strayText: true };
    const told = `OPENCHATML_SEED=${SEED}, run ${run}, ${JSON.stringify(read)}: `
      + `${JSON.stringify(Buffer.from(input).toString('latin1'))}`;
    expectAgreement(expectSameForCuts(input, options, random, told), input, read, told);
  }
});
