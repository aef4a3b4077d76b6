// Text as input: the events are those of its bytes, however it is cut, between the halves of a surrogate pair too.
import { expect, test } from 'vitest';
import { Stream } from '../../../src/runtime/stream/core.ts';
import type { StreamEvent } from '../../../src/runtime/stream/event.ts';
import { Machines } from '../../../src/runtime/stream/machines.ts';
import type { StreamOptions } from '../../../src/runtime/stream/options.ts';
import { Twin } from '../../../src/scan/twin/twin.ts';
import { runs } from '../../long.ts';
import { type Random, randomOf, SEED } from '../../random.ts';
import { eventsOf, id, joined, LARGE, SMALL } from './run.ts';

const TWIN = new Machines(() => new Twin({ window: 1024, tableRows: 64 }));
const PIECES = [
  'a', 'word ', '\n\n', '<', '<|', '|>', '<|end|>', '<|start|>assistant<|channel|>final<|message|>', '<|message|>',
  '\u00e9', '\u20ac', '\u{1f600}', '\ud83d', '\ude00', '\0', '\u007f', '\u0080', 'x'.repeat(30), '\u20ac'.repeat(30),
  'a longer piece of text that is no token at all, ', '\u{1f600}'.repeat(14),
];

const textOf = (random: Random, most: number): string => {
  let text = random.pick(['', '<|start|>assistant<|channel|>final<|message|>', 'version: 2.2\n---\n<|start|>user']);
  for (let left = random.below(most); left > 0; left--) text += random.pick(PIECES);
  return text;
};

function fed(machines: Machines, text: string, options: StreamOptions, next: () => number): StreamEvent[] {
  const stream = new Stream(machines, { messageId: id, ...options });
  const events: StreamEvent[] = [];
  for (let at = 0; at < text.length; ) {
    const to = at + next();
    events.push(...stream.feed(text.slice(at, to)));
    at = to;
  }
  events.push(...stream.end());
  return events;
}

const INPUTS = runs(3000);
test(`${INPUTS} random texts (OPENCHATML_SEED=${SEED})`, { timeout: 300_000 }, () => {
  const seeds = randomOf(SEED);
  for (let run = 0; run < INPUTS; run++) {
    const random = randomOf(seeds.below(0x7fffffff));
    const text = textOf(random, random.once(20) ? 2000 : 30);
    const dialect = random.pick(['auto', 'harmony', 'openchatml-2.2', 'openchatml-0.1'] as const);
    const options = { dialect, collect: true, reasoning: true, strayText: true, missingChannel: true };
    const expected = joined(eventsOf(new TextEncoder().encode(text), options));
    const told = `OPENCHATML_SEED=${SEED}, run ${run}, ${dialect}: ${JSON.stringify(text.slice(0, 500))}`;
    const cuts: (() => number)[] = [() => 1, () => 1 + random.below(8), () => 1 + random.below(400), () => text.length];
    for (const machines of [LARGE, SMALL, TWIN]) {
      const found = joined(fed(machines, text, options, random.pick(cuts)));
      if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found, told).toEqual(expected);
    }
  }
});

test('a text that is larger than any window', () => {
  const text = `<|start|>assistant<|channel|>final<|message|>${'\u20ac\u{1f600}a'.repeat(60_000)}<|return|>`;
  const options = { dialect: 'harmony', collect: true } as const;
  const expected = joined(eventsOf(new TextEncoder().encode(text), options));
  for (const machines of [LARGE, SMALL, TWIN]) {
    expect(joined(fed(machines, text, options, () => text.length))).toEqual(expected);
  }
});

test('a pair behind a half, wherever a long text is divided', () => {
  const options = { dialect: 'harmony', collect: true } as const;
  for (const before of ['', 'a', 'aa']) {
    const text = `<|start|>assistant<|channel|>final<|message|>${before}${'\ud83d\u{1f600}'.repeat(30_000)}<|return|>`;
    const expected = joined(eventsOf(new TextEncoder().encode(text), options));
    expect(joined(fed(LARGE, text, options, () => text.length))).toEqual(expected);
  }
});
