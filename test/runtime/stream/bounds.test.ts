// Bounds and memory: what is beyond a bound is told and dropped, the next message is read as ever; a body of any size
// flows through.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { StreamEvent } from '../../../src/runtime/stream/event.ts';
import { MessageStream, type StreamOptions } from '../../../src/runtime/stream/stream.ts';
import { describeLong } from '../../long.ts';
import { randomInput, randomOf, SEED } from '../../random.ts';
import { expectAgreement } from './agrees.ts';
import { bytewise, deltasOf, eventsOf, id, joined, LARGE, SMALL } from './run.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const NEXT = '<|start|>assistant<|channel|>final<|message|>next<|return|>';

/** Events, the same for every cut that is tried. */
function everyCut(text: string, options: StreamOptions): StreamEvent[] {
  const input = bytes(text);
  const expected = joined(eventsOf(input, options, [], LARGE));
  for (const cuts of [bytewise(input), bytewise(input).filter((at) => at % 7 === 0)]) {
    expect(joined(eventsOf(input, options, cuts, SMALL))).toEqual(expected);
  }
  return eventsOf(input, options, [], LARGE);
}

const told = (events: StreamEvent[]) =>
  events.flatMap((event) => (event.type === 'diagnostic' ? [event.diagnostic] : []));
const done = (events: StreamEvent[]) =>
  events.flatMap((event) => (event.type === 'response.output_item.done' ? [event.message] : []));

describe('bounds', () => {
  test.each(['openchatml-2.2', 'harmony'] as const)('a header, in %s', (dialect) => {
    const events = everyCut(`<|start|>assistant ${'x'.repeat(3000)}<|channel|>final<|message|>secret<|end|>${NEXT}`, {
      dialect, bounds: { header: 100 },
    });
    expect(told(events))
      .toContainEqual(expect.objectContaining({ rule: 'header-limit', code: 'E-PARSE-HEADER', from: 0, to: 100 }));
    expect(done(events)).toMatchObject([
      { role: null, kind: 'hidden', visible: false, status: 'incomplete', from: 0, end: 'end' }, { role: 'assistant' },
    ]);
    expect(JSON.stringify(events)).not.toContain('secret');
    expect(deltasOf(events, 'response.delta', 'm1')).toBe('next');
  });

  test('a header line of 0.1', () => {
    const text = `<|im_start|>user ${'x'.repeat(500)} y\nsecret<|im_end|>\n<|im_start|>user\nnext<|im_end|>`;
    const events = everyCut(text, { dialect: 'openchatml-0.1', bounds: { header: 100 } });
    expect(told(events).map(({ rule }) => rule)).toEqual(['header-limit']);
    expect(JSON.stringify(events)).not.toContain('secret');
    expect(deltasOf(events, 'response.delta', 'm1')).toBe('next');
  });

  test('a header that never ends', () => {
    const events = everyCut(`<|start|>assistant ${'x '.repeat(1000)}`, {
      dialect: 'openchatml-2.2', bounds: { header: 100 },
    });
    expect(told(events).map(({ rule }) => rule)).toContain('header-limit');
    expect(events.at(-1)).toMatchObject({ type: 'response.incomplete', reason: 'bound' });
  });

  test('a body', () => {
    const text = `<|start|>assistant<|message|>${'a'.repeat(99)}éb<<|end|>${'c'.repeat(900)}<|end|>${NEXT}`;
    const events = everyCut(text, { dialect: 'openchatml-2.2', collect: true, bounds: { body: 104 } });
    const shown = `${'a'.repeat(99)}éb<`;
    expect(told(events))
      .toContainEqual(expect.objectContaining({ rule: 'body-limit', code: 'E-STREAM-TRUNCATED', from: 29, to: 133 }));
    expect(deltasOf(events, 'response.delta', 'm0')).toBe(shown);
    expect(done(events))
      .toMatchObject([{ content: shown, status: 'incomplete', end: 'end' }, { content: 'next', status: 'completed' }]);
  });

  test.each([
    ['a call tag', 'openchatml-0.1', '<|im_start|>assistant\nSure\n<tool_call>\n{}<|im_end|>', 12, 'Sure\n', ''],
    ['a reply tag', 'openchatml-0.1', '<|im_start|>user\nSo: <tool_resp<|im_end|>', 10, 'So: ', ''],
    ['a reply', 'openchatml-0.1', '<|im_start|>user\nSo: <tool_response>x</tool_response><|im_end|>', 22, 'So: ', ''],
    ['the tag of a thought', 'openchatml-2.2', '<|start|>assistant<|message|><think>secret<|end|>', 4, '', ''],
    ['the end of a thought', 'openchatml-2.2', '<|start|>assistant<|message|><think>a</think>b<|end|>', 12, '', 'a'],
    ['a late end of one', 'openchatml-2.2', '<|start|>assistant<|message|>a</think>b<|end|>', 5, 'a', ''],
    ['a hidden channel', 'openchatml-2.2', '<|start|>assistant<|message|>a<|channel|>analysis<|end|>', 15, 'a', ''],
    ['what is none', 'openchatml-2.2', '<|start|>assistant<|message|>a </tr><td>b<|end|>', 6, 'a </tr', ''],
  ] as const)('a body, within %s', (_, dialect, text, body, shown, thought) => {
    for (const collect of [false, true]) {
      const events = everyCut(text, { dialect, collect, reasoning: true, bounds: { body } });
      expect(told(events).map(({ rule }) => rule)).toContain('body-limit');
      expect(deltasOf(events, 'response.delta', 'm0')).toBe(shown);
      expect(deltasOf(events, 'response.reasoning_text.delta', 'm0')).toBe(thought);
    }
  });

  test('a literal block', () => {
    const text = `<|start|>assistant<|message|>a<|literal|>${'<|end|>'.repeat(100)}<|endliteral|>b<|end|>${NEXT}`;
    const events = everyCut(text, { dialect: 'openchatml-2.2', bounds: { literal: 25 } });
    expect(told(events)).toContainEqual(expect.objectContaining({ rule: 'literal-limit', from: 30, to: 55 }));
    expect(deltasOf(events, 'response.delta', 'm0')).toBe('a<|end|><|end|>');
    expect(deltasOf(events, 'response.delta', 'm1')).toBe('next');
  });

  test('a call that is cut at a bound is not complete', () => {
    const text = `<|start|>assistant to=functions.f<|message|>${'1'.repeat(500)}<|call|>`;
    expect(done(everyCut(text, { dialect: 'openchatml-2.2', bounds: { body: 50 } })))
      .toMatchObject([{ kind: 'call', status: 'incomplete' }]);
  });
});

test(`longer inputs, which slide every window (OPENCHATML_SEED=${SEED})`, () => {
  const seeds = randomOf(SEED);
  for (let run = 0; run < 60; run++) {
    const random = randomOf(seeds.below(0x7fffffff));
    const parts = Array.from({ length: 12 }, () => randomInput(random, 30));
    if (random.once(3)) parts.splice(
      random.below(12), 0, bytes(`<|start|>assistant name=${'n'.repeat(random.below(4000))} to=x<|message|>`),
    );
    const input = Buffer.concat(parts);
    const dialect = random.pick(['auto', 'openchatml-2.2', 'openchatml-0.1', 'harmony'] as const);
    const read = { dialect, role: random.once(4) ? 'assistant' : undefined };
    const options = { ...read, collect: true, reasoning: true, strayText: true };
    const where = `OPENCHATML_SEED=${SEED}, run ${run}, ${dialect}`;
    const events = eventsOf(input, options, [], LARGE);
    expectAgreement(events, input, read, where);
    const cuts = bytewise(input).filter(() => random.once(20));
    const found = joined(eventsOf(input, options, cuts, SMALL));
    const expected = joined(events);
    if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found, where).toEqual(expected);
  }
});

test(`many streams on one scanner, a few bytes of each in turn (OPENCHATML_SEED=${SEED})`, () => {
  const random = randomOf(SEED);
  const runs = Array.from({ length: 300 }, () => {
    const input = randomInput(random, 12);
    const options = {
      dialect: random.pick(['auto', 'openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1', 'harmony'] as const),
      collect: true,
    };
    return {
      input,
      options,
      stream: new MessageStream({ messageId: id, ...options }),
      at: 0,
      events: [] as StreamEvent[],
      isDone: false,
    };
  });
  let open = runs.length;
  while (open > 0) {
    const run = runs[random.below(runs.length)]!;
    if (run.isDone) continue;
    const to = run.at + 1 + random.below(12);
    run.events.push(...run.stream.feed(run.input.subarray(run.at, to)));
    run.at = to;
    if (to < run.input.length) continue;
    run.events.push(...run.stream.end());
    run.isDone = true;
    open--;
  }
  for (const { input, options, events } of runs) expect(joined(events)).toEqual(joined(eventsOf(input, options)));
});

test('an open stream keeps no more than what it waits with', () => {
  const streams = Array.from({ length: 2_000 }, () => new MessageStream({ dialect: 'openchatml-2.2', messageId: id }));
  const before = process.memoryUsage();
  for (const stream of streams) stream.feed(`<|start|>assistant<|message|>${'a'.repeat(1_000)}<`);
  const after = process.memoryUsage();
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(16 * 2 ** 20);
  for (const stream of streams) expect(deltasOf(stream.feed('b'), 'response.delta', 'm0')).toBe('<b');
});

/** Feeds a chunk until so many bytes went in; the most that what is kept grew, and the length of all deltas. */
function flow(open: string, chunk: Uint8Array, total: number): { grew: number; delta: number } {
  const stream = new MessageStream({ dialect: 'openchatml-2.2', messageId: id, bounds: { literal: Infinity } });
  stream.feed(open);
  const kept = (): number => {
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  let delta = 0;
  const take = (): void => {
    for (const event of stream.feed(chunk)) if ('delta' in event) delta += event.delta.length;
  };
  // What is compiled is not growth.
  for (let at = 0; at < 64 * 2 ** 20; at += chunk.length) take();
  delta = 0;
  const before = kept();
  let most = before;
  for (let at = 0; at < total; at += chunk.length) {
    take();
    if (at % 2 ** 24 < chunk.length) most = Math.max(most, kept());
  }
  expect(stream.end().at(-1)!.type).toBe('response.incomplete');
  return { grew: most - before, delta };
}

describeLong('what flows through is not kept', () => {
  const GIB = 2 ** 30;
  const text = bytes('All work and no play makes a dull stream. <b>é</b> '.repeat(1285).slice(0, 65_000));
  test.each([
    ['1 GiB of body', GIB, '<|start|>assistant<|message|>', text],
    ['256 MiB of a literal block', GIB / 4, '<|start|>assistant<|message|><|literal|>', text],
    ['32 MiB of escapes in a body', GIB / 32, '<|start|>assistant<|message|>', bytes('<<|end|>'.repeat(8_000))],
    ['256 MiB of a hidden body', GIB / 4, '<|start|>system<|message|>', text],
    ['256 MiB of text between messages', GIB / 4, '<|start|>user<|message|>x<|end|>', text],
    ['256 MiB of a header', GIB / 4, '<|start|>user ', text],
  ])('%s', (_, total, open, chunk) => {
    const { grew, delta } = flow(open, chunk, total);
    expect(grew).toBeLessThan(2 ** 22);
    if (open.startsWith('<|start|>assistant')) expect(delta).toBeGreaterThan(total / 2);
    else expect(delta).toBe(0);
  });
});
