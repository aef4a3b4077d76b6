// Streams of random inputs, cut at random: what parsing gives, however the input is cut, in every dialect and in
// detection.
import { expect, test } from 'vitest';
import { Machines } from '../../../src/runtime/stream/machines.ts';
import { Twin } from '../../../src/scan/twin/twin.ts';
import { runs } from '../../long.ts';
import { randomInput, randomOf, SEED } from '../../random.ts';
import { expectAgreement } from './agrees.ts';
import { bytewise, eventsOf, joined, LARGE, SMALL } from './run.ts';

const INPUTS = runs(8_000);
const DIALECTS = ['auto', 'openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1', 'harmony'] as const;
const TWIN = new Machines(() => new Twin({ window: 1024, tableRows: 64 }));

test(`${INPUTS} random inputs (OPENCHATML_SEED=${SEED})`, { timeout: 600_000 }, () => {
  const seeds = randomOf(SEED);
  for (let run = 0; run < INPUTS; run++) {
    const random = randomOf(seeds.below(0x7fffffff));
    const input = randomInput(random, random.once(4) ? 40 : 12);
    const dialect = random.pick(DIALECTS);
    const role = random.once(7) ? random.pick(['assistant', 'user', 'functions.f']) : undefined;
    const read = {
      dialect, role, stopStripped: random.once(4), harmonyPreambles: random.once(2), missingChannel: random.once(2),
      rescue: random.once(3),
    };
    const options = { ...read, collect: true, reasoning: true, strayText: true };
    const told = `OPENCHATML_SEED=${SEED}, run ${run}, ${JSON.stringify(read)}: `
      + `${JSON.stringify(Buffer.from(input).toString('latin1'))}`;
    const whole = eventsOf(input, options, [], LARGE);
    expectAgreement(whole, input, read, told);
    const expected = joined(whole);
    const cuts = bytewise(input).filter(() => random.once(3));
    for (const events of [eventsOf(input, options, bytewise(input), SMALL), eventsOf(input, options, cuts, TWIN)]) {
      const found = joined(events);
      if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found, told).toEqual(expected);
    }
  }
});
