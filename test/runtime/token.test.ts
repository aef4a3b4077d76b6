// Token ids as input: the events of the text that they stand for; and text that spells a token stays text.
import { describe, expect, test } from 'vitest';
import { DIALECTS } from '../../src/scan/dialects.ts';
import type { DialectId } from '../../src/scan/dialects.ts';
import type { StreamEvent } from '../../src/runtime/stream/event.ts';
import type { StreamOptions } from '../../src/runtime/stream/options.ts';
import { O200K_HARMONY, TokenStream } from '../../src/runtime/token.ts';
import { runs } from '../long.ts';
import { type Random, randomInput, randomOf, SEED } from '../random.ts';
import { deltasOf, eventsOf, id, joined } from './stream/run.ts';

/** Ids below 256 are bytes; further ones are made for pieces of several bytes as they are needed. */
class Vocabulary {
  readonly #pieces: Uint8Array[] = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
  readonly specials: Map<number, string>;

  constructor(specials: Iterable<[number, string]>) {
    this.specials = new Map(specials);
  }

  readonly decode = (token: number): Uint8Array | null => this.#pieces[token] ?? null;

  /** Ids of bytes that hold no special token, cut at random, inside characters too. */
  text(bytes: Uint8Array, random: Random): number[] {
    const ids: number[] = [];
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.slice(at, at + 1 + random.below(9));
      at += piece.length;
      ids.push(piece.length === 1 ? piece[0]! : this.#pieces.push(piece) - 1);
    }
    return ids;
  }

  /** Ids of a text in which each special token that is spelled is one id. */
  encode(input: Uint8Array, random: Random): number[] {
    const text = Buffer.from(input).toString('latin1');
    const ids: number[] = [];
    let at = 0;
    while (at < text.length) {
      let next = text.length;
      let found: [number, string] | null = null;
      for (const [special, spelled] of this.specials) {
        const from = text.indexOf(spelled, at);
        if (from >= 0 && from < next) {
          next = from;
          found = [special, spelled];
        }
      }
      ids.push(...this.text(input.subarray(at, next), random));
      if (found) ids.push(found[0]);
      at = next + (found?.[1].length ?? 0);
    }
    return ids;
  }
}

const harmony = Object.entries(O200K_HARMONY).map(([token, text]): [number, string] => [Number(token), text]);
const all22 = DIALECTS['openchatml-2.2'].tokens.map(({ text }, i): [number, string] => [300_000 + i, text]);

function run(
  ids: readonly number[], vocabulary: Vocabulary, options: StreamOptions, most: (left: number) => number,
): StreamEvent[] {
  const stream = new TokenStream({
    messageId: id, ...options, decode: vocabulary.decode, specials: vocabulary.specials,
  });
  const events: StreamEvent[] = [];
  for (let at = 0; at < ids.length; ) {
    const count = most(ids.length - at);
    events.push(...stream.feedTokens(ids.slice(at, at + count)));
    at += count;
  }
  events.push(...stream.end());
  return events;
}

test(`ids of a text give the events of the text (OPENCHATML_SEED=${SEED})`, () => {
  const seeds = randomOf(SEED);
  let compared = 0;
  for (let round = 0; round < runs(3_000); round++) {
    const random = randomOf(seeds.below(0x7fffffff));
    const input = randomInput(random, 14);
    const dialect: DialectId = random.pick(['harmony', 'openchatml-2.2', 'openchatml-2.0'] as const);
    // Where the dialect has an escape, a `<` before a token of the text escapes it; before an id it is text.
    if (dialect === 'openchatml-2.2' && Buffer.from(input).includes('<<|')) continue;
    const vocabulary = new Vocabulary(random.once(2) ? harmony : all22);
    const options = {
      dialect, role: random.once(3) ? 'assistant' : undefined, collect: true, reasoning: true, strayText: true,
    };
    const ids = vocabulary.encode(input, random);
    const found = joined(run(ids, vocabulary, options, () => 1 + random.below(3)));
    const expected = joined(eventsOf(input, options));
    const told =
      `OPENCHATML_SEED=${SEED}, round ${round}, ${dialect}: ${JSON.stringify(Buffer.from(input).toString('latin1'))}`;
    if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found, told).toEqual(expected);
    compared++;
  }
  expect(compared).toBeGreaterThan(runs(1_000));
});

describe.each([
  ['harmony', harmony], ['openchatml-2.2', all22], ['openchatml-2.0', harmony],
] as const)('text that spells tokens, in %s', (dialect, specials) => {
  const byText = new Map(specials.map(([token, text]) => [text, token]));
  const token = (name: string): number => byText.get(`<|${name}|>`)!;

  test(`stays content (OPENCHATML_SEED=${SEED})`, () => {
    const seeds = randomOf(SEED);
    const registered = specials.map(([, text]) => text);
    for (let round = 0; round < runs(1_500); round++) {
      const random = randomOf(seeds.below(0x7fffffff));
      const parts = Array.from({ length: random.below(8) }, () =>
        random.pick([
          ...registered, ...registered.map((text) => `<${text}`), '<', '<<', '<|', '<|en', 'd|>', '|>', 'é', '你好',
          'text ', '\n\n', '<|foo|>',
        ]));
      const body = parts.join('');
      const bytes = new TextEncoder().encode(body);
      const vocabulary = new Vocabulary(specials);
      const encode = (text: string): number[] => vocabulary.text(new TextEncoder().encode(text), random);
      const ids = [
        token('start'), ...encode('assistant'), token('channel'), ...encode('final'), token('message'),
        ...vocabulary.text(bytes, random), token('end'),
        token('start'), ...encode('assistant'), token('message'), ...encode('next'), token('return'),
      ];
      const events = run(ids, vocabulary, { dialect, collect: true }, () => 1 + random.below(3));
      const told = `OPENCHATML_SEED=${SEED}, round ${round}: ${JSON.stringify(body)}`;
      const done = events.flatMap((event) => {
        return event.type === 'response.output_item.done' ? [event.message.content] : [];
      });
      expect(done, told).toEqual([body, 'next']);
      if (!body.includes('start_')) expect(deltasOf(events, 'response.delta', 'm0'), told).toBe(body);
    }
  });

  test('stays text in a header and between messages', () => {
    const vocabulary = new Vocabulary(specials);
    const encode = (text: string): number[] => [...new TextEncoder().encode(text)];
    const ids = [
      ...encode('a <|end|> b'), token('start'), ...encode('assistant name=<|message|>'), token('channel'),
      ...encode('final'), token('message'),
      ...encode('hi'), token('end'),
    ];
    const events = run(ids, vocabulary, { dialect, collect: true, strayText: true }, () => 1);
    expect(joined(events).events).toMatchObject([
      { type: 'transcript.stray', from: 0, to: 11, text: 'a <|end|> b' },
      { type: 'transcript.begin' },
      { type: 'response.output_item.added', message: { role: 'assistant', name: '<|message|>', channel: 'final' } },
      { type: 'response.delta', delta: 'hi' },
      { type: 'response.output_text.done' },
      { type: 'response.output_item.done', message: { content: 'hi', end: 'end' } },
      { type: dialect === 'openchatml-2.0' ? 'response.completed' : 'response.incomplete' },
    ]);
  });

  test('a `<` before a terminator is text', () => {
    const vocabulary = new Vocabulary(specials);
    const encode = (text: string): number[] => [...new TextEncoder().encode(text)];
    const ids = [token('start'), ...encode('user'), token('message'), ...encode('a <'), token('end')];
    const events = run(ids, vocabulary, { dialect }, () => 1);
    expect(deltasOf(events, 'response.delta', 'm0')).toBe('a <');
    expect(events.some((event) => event.type === 'response.output_item.done' && event.message.end === 'end'))
      .toBe(true);
  });
});

test('tokens without an id of their own are found in the text, across ids', () => {
  const vocabulary = new Vocabulary(harmony);
  const encode = (text: string): number[] => [...new TextEncoder().encode(text)];
  const ids = [200006, ...encode('assistant'), 200008, ...encode('a <|start_reason|>private<|end_reason|> b'), 200007];
  const events = run(ids, vocabulary, { dialect: 'openchatml-2.2', collect: true }, () => 1);
  expect(deltasOf(events, 'response.delta', 'm0')).toBe('a  b');
});

describe('reasoning markers that are ids of their own (R-THINK)', () => {
  const OPEN = 151667;
  const CLOSE = 151668;
  const END = 151645;
  const vocabulary = new Vocabulary([[END, '<|im_end|>'], [OPEN, '<think>'], [CLOSE, '</think>']]);
  const text = (said: string): number[] => [...new TextEncoder().encode(said)];
  const read = (ids: readonly number[], options: StreamOptions = {}, size = 1): [shown: string, content: string] => {
    const how = { dialect: 'openchatml-0.1', role: 'assistant', collect: true, ...options } as const;
    const events = run(ids, vocabulary, how, () => size);
    const contents = events.map((event) => (event.type === 'response.output_item.done' ? event.message.content! : ''));
    return [deltasOf(events, 'response.delta', 'm0'), contents.join('')];
  };

  test('text that spells the end of a thought does not end it', () => {
    const ids = [OPEN, ...text('The tag </think> ends it. SECRET'), CLOSE, ...text('Hi'), END];
    for (const size of [1, 3, 100]) {
      const expected = ['Hi', '<think>The tag </think> ends it. SECRET</think>Hi'];
      expect(read(ids, {}, size)).toEqual(expected);
    }
    expect(read(ids.slice(1), { thinkOpen: true })).toEqual(['Hi', 'The tag </think> ends it. SECRET</think>Hi']);
  });

  test('text that spells the beginning of one is shown', () => {
    expect(read([...text('<think>no thought</think> Hi'), END])[0]).toBe('<think>no thought</think> Hi');
  });

  test(`whatever stands around them (OPENCHATML_SEED=${SEED})`, () => {
    const seeds = randomOf(SEED);
    for (let round = 0; round < runs(1_500); round++) {
      const random = randomOf(seeds.below(0x7fffffff));
      const some = (): string => Array.from({ length: random.below(6) }, () =>
        random.pick(['<think>', '</think>', '<', '</', '</thi', 'nk>', '\n', ' ', 'a', 'é', '\n<tool_cal'])).join('');
      const [thought, said] = [some(), `Hi${some()}`];
      const encode = (words: string): number[] => vocabulary.text(new TextEncoder().encode(words), random);
      const ids = [OPEN, ...encode(thought), CLOSE, ...encode(said), ...text('.'), END];
      const dialect = random.pick(['openchatml-0.1', 'openchatml-0.1', 'openchatml-2.2'] as const);
      const head = dialect === 'openchatml-0.1' ? [] : encode('<|channel|>final<|message|>');
      const found = read([...head, ...ids], { dialect }, 1 + random.below(5))[0];
      const told = `OPENCHATML_SEED=${SEED}, round ${round}: ${JSON.stringify([dialect, thought, said])}`;
      expect(found, told).toBe(dialect === 'openchatml-0.1' ? `${said}.` : `${said}.<|im_end|>`);
    }
  });
});

test('a character is held back until its last id; ids without bytes are U+FFFD', () => {
  const vocabulary = new Vocabulary(harmony);
  const stream = new TokenStream({ dialect: 'harmony', role: 'assistant', decode: vocabulary.decode });
  const open = [200005, ...new TextEncoder().encode('final'), 200008];
  expect(stream.feedTokens(open).length).toBeGreaterThan(0);
  const delta = (ids: number[]): string => deltasOf(stream.feedTokens(ids), 'response.delta', deltaId);
  const deltaId = (stream.feedTokens([0x61])[0] as { message_id: string }).message_id;
  expect(delta([0xf0])).toBe('');
  expect(delta([0x9f, 0x98])).toBe('');
  expect(delta([0x80])).toBe('\u{1f600}');
  expect(delta([777_777])).toBe('\ufffd');
  expect(delta([0xe4, 0xbd])).toBe('');
  expect(deltasOf(stream.feedTokens([200002]), 'response.delta', deltaId)).toBe('\ufffd');
  expect(stream.end().at(-1)).toMatchObject({ type: 'response.completed', stop: 'return' });
});

test('after cancel nothing comes until reset', () => {
  const vocabulary = new Vocabulary(harmony);
  const stream = new TokenStream({ dialect: 'harmony', role: 'assistant', decode: vocabulary.decode, messageId: id });
  const open = [200005, ...new TextEncoder().encode('final'), 200008];
  stream.feedTokens([...open, 0x61]);
  expect(stream.cancel('user')).toEqual([{ type: 'response.cancel', message_id: 'm0', reason: 'user' }]);
  expect(stream.feedTokens([0x62, 200007])).toEqual([]);
  expect(stream.end()).toEqual([]);
  stream.reset();
  expect(deltasOf(stream.feedTokens([...open, 0x63]), 'response.delta', 'm1')).toBe('c');
});

test('a wrong call is told', () => {
  expect(() => new TokenStream({} as never)).toThrow(TypeError);
  const stream = new TokenStream({ decode: (() => 'text') as never });
  expect(() => stream.feedTokens([1])).toThrow(TypeError);
});

test.each([
  { '<|im_end|>': 151645 }, { 1: '' }, { x: 'y' }, new Map([['<|im_end|>', 151645]]),
])('specials that are no texts by their ids are refused: %o', (specials) => {
  const told = 'option specials: expected texts by id, { id: text }: swap keys and values';
  expect(() => new TokenStream({ decode: () => null, specials: specials as never })).toThrow(new TypeError(told));
});

test.each([
  ['throws', () => {
    throw new Error('no such id');
  }, 'no such id'],
  ['gives no bytes', () => 'text', 'expected it to give a Uint8Array or null'],
])('a decode that %s ends the stream, and nothing is told twice', (_, fail, message) => {
  let fails = true;
  const decode = ((token: number) => (token === 7 && fails ? fail() : Uint8Array.of(token))) as never;
  const stream = new TokenStream({ dialect: 'harmony', role: 'assistant', decode, messageId: id });
  const open = [200005, ...new TextEncoder().encode('final'), 200008];
  // A text that may still spell a token is held back.
  const events = stream.feedTokens([...open, 0x61, 0x3c]);
  expect(deltasOf(events, 'response.delta', 'm0')).toBe('a');
  expect(() => stream.feedTokens([0x62, 7, 0x63])).toThrow(message);
  fails = false;
  expect([stream.feedTokens([0x62, 7, 0x63, 200002]), stream.end(), stream.cancel()]).toEqual([[], [], []]);
  stream.reset();
  expect(deltasOf(stream.feedTokens([...open, 0x64]), 'response.delta', 'm1')).toBe('d');
});

describe('a stop id', () => {
  const encode = (text: string): number[] => [...new TextEncoder().encode(text)];
  const options = {
    dialect: 'harmony', role: 'assistant', decode: (token: number) => Uint8Array.of(token), messageId: id,
  } as const;
  const hello = [200005, ...encode('final'), 200008, ...encode('Hello')];

  test.each([
    ['of the vocabulary', 199999, {}],
    ['of a vocabulary of its own', 7, { specials: { ...O200K_HARMONY, 7: '<|endoftext|>' } }],
    ['that is given', 2, { stops: [2] }],
  ])('%s ends the output, and is never shown', (_, stop, more) => {
    for (const size of [1, 3, 100]) {
      const stream = new TokenStream({ ...options, ...more });
      const events: StreamEvent[] = [];
      const ids = [...hello, stop, ...encode(' behind'), 200002];
      for (let at = 0; at < ids.length; at += size) events.push(...stream.feedTokens(ids.slice(at, at + size)));
      expect(stream.isStopped).toBe(true);
      events.push(...stream.end({ finishReason: null }));
      expect(deltasOf(events, 'response.delta', 'm0')).toBe('Hello');
      expect(events.at(-1)).toEqual({ type: 'response.completed', message_id: 'm0', stop: 'stripped' });
      stream.reset();
      expect(stream.isStopped).toBe(false);
    }
  });

  test('that text spells, or that the caller does not want, is text', () => {
    const spelled = new TokenStream(options);
    const shown = [...spelled.feedTokens([...hello, ...encode('<|endoftext|>'), 200002]), ...spelled.end()];
    expect(deltasOf(shown, 'response.delta', 'm0')).toBe('Hello<|endoftext|>');
    const without = new TokenStream({ ...options, stops: [] });
    const text = [...without.feedTokens([...hello, 199999, 200002]), ...without.end()];
    expect([deltasOf(text, 'response.delta', 'm0'), without.isStopped]).toEqual(['Hello<|endoftext|>', false]);
  });

  test('behind a terminator changes nothing', () => {
    const stream = new TokenStream(options);
    const events = [...stream.feedTokens([...hello, 200002, 199999]), ...stream.end()];
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', stop: 'return' });
  });
});
