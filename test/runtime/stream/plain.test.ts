// Plain text that needs no scanner: streams that take it say what streams say that read every piece, for text, bytes
// and token ids, in every kind of body.
import { describe, expect, test } from 'vitest';
import { O200K_HARMONY } from '../../../src/stream.ts';
import { Stream } from '../../../src/runtime/stream/core.ts';
import type { StreamEvent } from '../../../src/runtime/stream/event.ts';
import { Machines } from '../../../src/runtime/stream/machines.ts';
import { MOST_PLAIN } from '../../../src/runtime/stream/plain.ts';
import type { StreamOptions } from '../../../src/runtime/stream/options.ts';
import { Tokens } from '../../../src/runtime/token-core.ts';
import { Twin } from '../../../src/scan/twin/twin.ts';
import { runs } from '../../long.ts';
import { type Random, randomInput, randomOf, SEED } from '../../random.ts';
import { id, joined, LARGE, SMALL } from './run.ts';
import { rescue } from '../../../src/runtime/stream/rescue.ts';

const TWIN = new Machines(() => new Twin({ window: 1024, tableRows: 64 }));
const MACHINES = [SMALL, LARGE, TWIN];
const DIALECTS = ['harmony', 'openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1', 'auto'] as const;

type Piece = string | Uint8Array;
type Feed = (stream: Stream) => StreamEvent[];

/** The same input through a stream that takes plain text, and through one that reads every piece. */
function expectSame(options: StreamOptions, machines: Machines, feed: Feed, told: string): StreamEvent[] {
  const both = [true, false].map((takesPlain) => {
    const stream = new Stream(machines, { messageId: id, ...options });
    stream.takesPlain = takesPlain;
    return feed(stream);
  });
  const [found, expected] = both.map(joined);
  if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found, told).toEqual(expected);
  return both[0]!;
}

const fed = (pieces: readonly Piece[]): Feed => (stream) => [
  ...pieces.flatMap((piece) => stream.feed(piece)), ...stream.end(),
];

const BODIES = [
  'a word', ' and ', 'é', '你好', '\u{1f600}', '\ufeff', '\n', '\n\n', ' \r\n', '\t', '\x7f', '\0', '<', '<<', '< 4',
  '<think>',
  '</think>', '<|channel|>analysis', '<|literal|>', '<|endliteral|>', '<|start_reason|>', '<|end_reason|>', '{"a":1}',
  'assistant', 'final', '<|channel|>final<|message|>', '<|message|>', '<|call', '|>', '<<|end|>',
];

function transcript(random: Random): string {
  if (random.once(4)) return Buffer.from(randomInput(random, 10)).toString();
  let text = '';
  for (let left = 1 + random.below(4); left > 0; left--) {
    const header = random.pick([
      '<|start|>assistant', '<|start|>user', '<|start|>system', '<|start|>assistant<|channel|>analysis',
      '<|start|>assistant<|channel|>final', '<|start|>assistant to=functions.f<|channel|>commentary',
      '<|start|>assistant to=functions.f<|channel|>commentary <|constrain|>json',
      '<|start|>assistant<|channel|>commentary',
    ]);
    text += `${header}<|message|>`;
    for (let words = random.below(12); words > 0; words--) {
      text += random.once(3) ? random.pick(BODIES) : random.pick(BODIES.slice(0, 12));
    }
    text += random.pick(['<|end|>', '<|end|>\n', '<|call|>', '<|return|>', '']);
  }
  return text;
}

/** Pieces of a text; bytes are cut anywhere, texts in surrogate pairs too. */
function cut(text: string, random: Random): Piece[] {
  const bytes = new TextEncoder().encode(text);
  const isBytes = random.once(2);
  const length = isBytes ? bytes.length : text.length;
  const most = random.pick([1, 2, 5, 30, 400]);
  const pieces: Piece[] = [];
  for (let at = 0; at < length; ) {
    const to = at + random.below(most + 1);
    pieces.push(isBytes ? bytes.subarray(at, to) : text.slice(at, to));
    at = to;
  }
  return pieces;
}

function optionsOf(random: Random): StreamOptions {
  return {
    dialect: random.pick(DIALECTS), role: random.once(5) ? 'assistant' : undefined,
    rescue: random.once(2) ? rescue : undefined,
    collect: random.once(2), reasoning: random.once(2), thinkOpen: random.once(5), missingChannel: random.once(2),
    harmonyPreambles: random.once(2), strayText: random.once(2),
    summarize: random.once(6) ? (paragraph: string) => paragraph.slice(0, 5) : undefined,
    bounds: random.once(4) ? { body: 1 + random.below(40) } : {},
  };
}

const INPUTS = runs(8_000);
test(`${INPUTS} random inputs in random pieces (OPENCHATML_SEED=${SEED})`, { timeout: 600_000 }, () => {
  const seeds = randomOf(SEED);
  for (let run = 0; run < INPUTS; run++) {
    const random = randomOf(seeds.below(0x7fffffff));
    const options = optionsOf(random);
    const pieces = cut(transcript(random), random);
    const told = `OPENCHATML_SEED=${SEED}, run ${run}, ${JSON.stringify(options)}: ${JSON.stringify(pieces)}`;
    expectSame(options, random.pick(MACHINES), fed(pieces), told);
  }
});

test(`streams that take turns, on one scanner (OPENCHATML_SEED=${SEED})`, () => {
  const random = randomOf(SEED);
  const lists = Array.from({ length: runs(500) }, () => cut(transcript(random), random));
  const all = (takesPlain: boolean): unknown[] => {
    const streams = lists.map((pieces) => {
      const stream = new Stream(SMALL, { dialect: 'harmony', messageId: id, collect: true });
      stream.takesPlain = takesPlain;
      return { stream, pieces, events: [] as StreamEvent[] };
    });
    const longest = Math.max(...lists.map((pieces) => pieces.length));
    for (let turn = 0; turn <= longest; turn++) {
      for (const { stream, pieces, events } of streams) {
        const piece = pieces[turn];
        if (piece !== undefined) events.push(...stream.feed(piece));
        else events.push(...stream.end());
      }
    }
    return streams.map(({ events }) => joined(events));
  };
  expect(all(true)).toEqual(all(false));
});

test(`token ids, of which some spell tokens (OPENCHATML_SEED=${SEED})`, () => {
  const texts = [...BODIES, ...Object.values(O200K_HARMONY).slice(0, 8)];
  const specials = Object.keys(O200K_HARMONY).map(Number);
  const seeds = randomOf(SEED);
  for (let run = 0; run < runs(3000); run++) {
    const random = randomOf(seeds.below(0x7fffffff));
    const ids = [200006, 1, 200008];
    for (let left = random.below(30); left > 0; left--) {
      ids.push(random.once(6) ? random.pick(specials) : random.below(texts.length));
    }
    const decode = (one: number): Uint8Array => new TextEncoder().encode(one === 1 ? 'assistant' : texts[one]);
    const dialect = random.pick(DIALECTS);
    const options = { dialect, collect: true, reasoning: true, rescue: random.once(2) ? rescue : undefined };
    expectSame(options, random.pick(MACHINES), (stream) => {
      const tokens = new Tokens(stream, { ...options, decode });
      return [...ids.flatMap((one) => tokens.feedTokens([one])), ...tokens.end()];
    }, `OPENCHATML_SEED=${SEED}, run ${run}: ${ids.join()}`);
  }
});

describe('a long body', () => {
  const HEAD = '<|start|>assistant<|channel|>final<|message|>';
  const LONG = 'All work and no play.\n\n'.repeat(Math.ceil((2.5 * MOST_PLAIN) / 23));

  test.each([1, 7, 23, 256])('in pieces of %d', (size) => {
    const pieces = [HEAD, ...LONG.match(new RegExp(`[^]{1,${size}}`, 'g'))!, ' < <|end|>', '<|start|>user<|message|>b'];
    for (const machines of MACHINES) {
      const events = expectSame({ dialect: 'harmony', collect: true }, machines, fed(pieces), `pieces of ${size}`);
      const done = events.find(({ type }) => type === 'response.output_item.done');
      const { content, from, to } = (done as Extract<StreamEvent, { type: 'response.output_item.done' }>).message;
      expect([content === `${LONG} < `, from, to]).toEqual([true, 0, HEAD.length + LONG.length + 10]);
    }
  });

  test('ends at its bound, wherever that is', () => {
    for (let body = 20; body < 60; body++) {
      const pieces = [HEAD, ...LONG.slice(0, 100).match(/[^]{1,3}/g)!, '<|end|>'];
      expectSame({ dialect: 'harmony', bounds: { body } }, LARGE, fed(pieces), `bound ${body}`);
    }
  });

  test('is cancelled, and the stream begun anew', () => {
    const again: Feed = (stream) => [
      ...stream.feed(HEAD), ...stream.feed('a'), ...stream.feed('b'), ...stream.cancel('enough'), ...stream.feed('c'),
      ...(stream.reset(), stream.feed(HEAD)), ...stream.feed('d'), ...stream.feed('e'), ...stream.feed('<|end|>'),
      ...stream.end(),
    ];
    const events = expectSame({ dialect: 'harmony' }, LARGE, again, 'cancelled');
    const text = events.map((event) => (event.type === 'response.delta' ? event.delta : '')).join('');
    expect(text).toBe('abde');
  });
});

test('most pieces of a body are plain: the scanner does not see them', () => {
  let entered = 0;
  const machines = new Machines(() => {
    const twin = new Twin({ window: 1024, tableRows: 64 });
    const scan = twin.scan.bind(twin);
    twin.scan = (...given) => (entered++, scan(...given));
    return twin;
  });
  const stream = new Stream(machines, { dialect: 'harmony' });
  stream.feed('<|start|>assistant<|channel|>final<|message|>All work');
  const before = entered;
  for (const piece of [' and', ' no', new TextEncoder().encode(' play'), '.\n\n', 'Ja, 你好.']) stream.feed(piece);
  expect(entered).toBe(before);
  stream.feed(' a < b');
  expect(entered).toBeGreaterThan(before);
});
