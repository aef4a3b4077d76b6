// Every fixture as a stream: at every split in two, byte by byte, over every build of the scanner. The joined deltas
// are what parsing gives, the events those of the whole input.
import { describe, expect, test } from 'vitest';
import { Machines } from '../../../src/runtime/stream/machines.ts';
import { Twin } from '../../../src/scan/twin/twin.ts';
import { readFixtures } from '../../fixture.ts';
import { isAll, testOnce } from '../../long.ts';
import { expectAgreement } from './agrees.ts';
import { bytewise, eventsOf, joined, SMALL } from './run.ts';

const TWIN = new Machines(() => new Twin({ window: 1024, tableRows: 64 }));

describe.each(readFixtures().map((fixture) => ({ fixture, name: fixture.name })))('$name', ({ fixture }) => {
  const { input } = fixture;
  const options = { ...fixture.options, collect: true, reasoning: true, strayText: true };
  const whole = eventsOf(input, options);
  const expected = joined(whole);

  testOnce('says what parse, show and check say', () => {
    expectAgreement(whole, input, fixture.options, fixture.name);
  });

  testOnce('byte by byte, and in small windows', () => {
    for (const machines of [SMALL, TWIN]) {
      expect(joined(eventsOf(input, options, [], machines)), machines === TWIN ? 'twin' : 'small').toEqual(expected);
      expect(joined(eventsOf(input, options, bytewise(input), machines)), machines === TWIN ? 'twin' : 'small')
        .toEqual(expected);
    }
  });

  test('at every split', () => {
    // In `npm test` at some of them.
    const text = JSON.stringify(expected);
    for (let at = 0; at <= input.length; at += isAll ? 1 : 1 + (at >> 5)) {
      const events = joined(eventsOf(input, options, [at]));
      if (JSON.stringify(events) !== text) expect(events, `split at ${at}`).toEqual(expected);
    }
  });
});
