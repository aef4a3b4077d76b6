// Streams among other streams: a TransformStream and an async iterator give what feeding gives, hold a fast producer
// back, and leave nothing open when they are left.
import { getEventListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { StreamEvent } from '../../../src/runtime/stream/event.ts';
import { MessageStream, type StreamOptions } from '../../../src/runtime/stream/stream.ts';
import type { ChunkSource } from '../../../src/runtime/stream/flow.ts';
import { eventsOf, MessageTransform } from '../../../src/runtime/stream/transform.ts';
import { eventsOf as fed, id, joined } from './run.ts';

const TEXT =
  '<|start|>user<|message|>Wie geht’s?<|end|>\n<|start|>assistant<|channel|>final<|message|>Gut.\n\nUnd dir?<|return|>';
const INPUT = new TextEncoder().encode(TEXT);
const OPTIONS: StreamOptions = { dialect: 'openchatml-2.2', messageId: id };
const EXPECTED = joined(fed(INPUT, OPTIONS));

const all = async (events: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> => {
  const list: StreamEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
};

function* pieces(size: number): Generator<Uint8Array> {
  for (let at = 0; at < INPUT.length; at += size) yield INPUT.slice(at, at + size);
}

/** The DOM's types do not know it yet; Node 20 has it. */
const streamOf = <T>(source: AsyncIterable<T> | Iterable<T>): ReadableStream<T> =>
  (ReadableStream as unknown as { from(source: AsyncIterable<T> | Iterable<T>): ReadableStream<T> }).from(source);

/** Chunks of a body that has no end; how many were taken, and whether it was closed. */
function endless() {
  const chunk = `${'word '.repeat(1000)}\n`;
  const state = { taken: 0, closed: false, open: '<|start|>assistant<|message|>' };
  async function* produce(): AsyncGenerator<string> {
    try {
      yield state.open;
      while (true) {
        state.taken++;
        yield chunk;
      }
    } finally {
      state.closed = true;
    }
  }
  return { state, produce };
}

/** Chunks that are neither bytes nor text. */
const WRONG: [name: string, chunk: unknown][] = [
  ['an ArrayBuffer', new ArrayBuffer(4)], ['a DataView', new DataView(new ArrayBuffer(4))], ['a list', [60, 124]],
  ['an empty list', []], ['an object', { text: 'x' }], ['a number', 7], ['null', null], ['nothing', undefined],
  ['words', new Uint16Array(4)],
];

describe('a TransformStream', () => {
  test.each([1, 3, 1000])('in chunks of %d bytes', async (size) => {
    const source = streamOf(pieces(size));
    expect(joined(await all(source.pipeThrough(new MessageTransform(OPTIONS))))).toEqual(EXPECTED);
  });

  test('of text, with the finish reason asked for at the end', async () => {
    let reason: string | undefined;
    const transform = new MessageTransform({ ...OPTIONS, finishReason: () => reason });
    const source = streamOf((async function* () {
      yield '<|start|>assistant<|message|>a';
      reason = 'stop';
    })());
    expect((await all(source.pipeThrough(transform))).at(-1))
      .toMatchObject({ type: 'response.completed', stop: 'stripped' });
  });

  test.each(WRONG)('a chunk that is %s fails on both sides', async (_, chunk) => {
    const error = new TypeError('feed: expected a Uint8Array or text');
    const transform = new MessageTransform(OPTIONS);
    const writer = transform.writable.getWriter();
    const read = all(transform.readable as unknown as AsyncIterable<StreamEvent>);
    const written = Promise.allSettled([writer.write(TEXT), writer.write(chunk as never), writer.closed]);
    const late = turn().then(() => turn()).then(() => 'still waits');
    await expect(Promise.race([read, late])).rejects.toEqual(error);
    const failed = { status: 'rejected', reason: error };
    expect(await written).toEqual([{ status: 'fulfilled', value: undefined }, failed, failed]);
  });

  test('holds a producer back that is faster than its consumer', async () => {
    const { state, produce } = endless();
    const reader = streamOf(produce()).pipeThrough(new MessageTransform(OPTIONS)).getReader();
    await reader.read();
    for (let i = 0; i < 200; i++) await turn();
    const taken = state.taken;
    // 64 KiB may wait before the parser, 64 events behind it.
    expect(taken).toBeLessThan(200);
    for (let i = 0; i < 200; i++) await turn();
    expect(state.taken).toBe(taken);
    for (let i = 0; i < 1_000; i++) await reader.read();
    expect(state.taken).toBeGreaterThan(taken);
    await reader.cancel();
    for (let i = 0; i < 20; i++) await turn();
    expect(state.closed).toBe(true);
  });
});

describe('an async iterator', () => {
  test.each([1, 3, 1000])('in chunks of %d bytes', async (size) => {
    expect(joined(await all(eventsOf(pieces(size), OPTIONS)))).toEqual(EXPECTED);
    const stream = streamOf(pieces(size));
    expect(joined(await all(eventsOf(stream, OPTIONS)))).toEqual(EXPECTED);
    expect(stream.locked).toBe(false);
  });

  test('reads no chunk before its events are asked for', async () => {
    const { state, produce } = endless();
    const events = eventsOf(produce(), OPTIONS);
    for (let i = 0; i < 20; i++) await events.next();
    for (let i = 0; i < 50; i++) await turn();
    expect(state.taken).toBeLessThan(25);
    await events.return();
    expect(state.closed).toBe(true);
  });

  test('left early, it closes its source', async () => {
    const { state, produce } = endless();
    for await (const event of eventsOf(produce(), OPTIONS)) if (event.type === 'response.delta') break;
    expect(state.closed).toBe(true);
    let cancelled = false;
    const stream = new ReadableStream<string>({
      pull: (controller) => controller.enqueue(TEXT),
      cancel: () => void (cancelled = true),
    });
    for await (const event of eventsOf(stream, OPTIONS)) if (event.type === 'response.delta') break;
    expect(cancelled).toBe(true);
    expect(stream.locked).toBe(false);
  });

  test('a source that fails', async () => {
    const source = (async function* (): AsyncGenerator<string> {
      yield '<|start|>user<|message|>a';
      throw new Error('lost');
    })();
    const events: string[] = [];
    await expect((async () => {
      for await (const event of eventsOf(source, OPTIONS)) events.push(event.type);
    })()).rejects.toThrow('lost');
    expect(events).toContain('response.delta');
  });

  test('aborted while it waits for a chunk: cancel events, the source closed, no listener left', async () => {
    const controller = new AbortController();
    let closed = false;
    const source: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => {
        let first = true;
        return {
          next: () => {
            if (!first) return new Promise(() => {});
            first = false;
            return Promise.resolve({ done: false, value: '<|start|>assistant to=functions.f call_id=c<|message|>{' });
          },
          return: () => {
            closed = true;
            return Promise.resolve({ done: true as const, value: undefined });
          },
        };
      },
    };
    setTimeout(() => controller.abort('stopped by the user'), 20);
    const events = await all(eventsOf(source, { ...OPTIONS, signal: controller.signal }));
    expect(events.slice(-2)).toEqual([
      { type: 'tool.cancel', message_id: 'm0', call_id: 'c', reason: 'stopped by the user' },
      { type: 'response.cancel', message_id: 'm0', reason: 'stopped by the user' },
    ]);
    expect(closed).toBe(true);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  test.each([
    ['throws', () => {
      throw new Error('not closed');
    }],
    ['rejects', () => Promise.reject(new Error('not closed'))],
  ])('aborted while it waits for a chunk: a source whose `return` %s breaks nothing', async (_, close) => {
    const controller = new AbortController();
    const source: AsyncIterable<string> = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}), return: close }),
    };
    setTimeout(() => controller.abort('stopped'), 5);
    expect(await all(eventsOf(source, { ...OPTIONS, signal: controller.signal })))
      .toEqual([{ type: 'response.cancel', message_id: null, reason: 'stopped' }]);
  });

  const hung: [string, () => ChunkSource][] = [
    ['`cancel` of a ReadableStream', () => new ReadableStream({
      start: (controller) => controller.enqueue('<|start|>assistant<|message|>a'),
      cancel: () => new Promise(() => {}),
    })],
    ['`return` of an iterator', () => ({
      [Symbol.asyncIterator]: () => {
        const chunks = ['<|start|>assistant<|message|>a'];
        return {
          next: () => (chunks.length > 0 ? Promise.resolve({ done: false, value: chunks.pop()! })
            : new Promise(() => {})),
          return: () => new Promise(() => {}),
        };
      },
    })],
  ];
  test.each(hung)('that is left or aborted does not wait for the %s', async (_, sourceOf) => {
    for (const as of ['ocm', 'responses'] as const) {
      let events = 0;
      for await (const { type } of eventsOf(sourceOf(), { ...OPTIONS, as })) {
        events++;
        if (type.endsWith('delta') || type.endsWith('created')) break;
      }
      expect(events).toBeGreaterThan(0);
      const controller = new AbortController();
      setTimeout(() => controller.abort('stopped'), 5);
      let last = '';
      const { signal } = controller;
      for await (const { type } of eventsOf(sourceOf(), { ...OPTIONS, as, signal })) last = type;
      expect(last).toBe(as === 'ocm' ? 'response.cancel' : 'response.failed');
    }
  });

  test('aborted before it begins, and between events', async () => {
    const { state, produce } = endless();
    expect(await all(eventsOf(produce(), { ...OPTIONS, signal: AbortSignal.abort() })))
      .toMatchObject([{ type: 'response.cancel', reason: 'AbortError' }]);
    const controller = new AbortController();
    const seen: string[] = [];
    for await (const event of eventsOf(produce(), { ...OPTIONS, signal: controller.signal })) {
      seen.push(event.type);
      if (event.type === 'response.delta') controller.abort(new Error('no more'));
    }
    expect(seen.filter((type) => type === 'response.delta')).toHaveLength(1);
    expect(seen.at(-1)).toBe('response.cancel');
    expect(state.closed).toBe(true);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  test('runs to its end: no listener left', async () => {
    const controller = new AbortController();
    await all(eventsOf(pieces(5), { ...OPTIONS, signal: controller.signal }));
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  test('what is no source is refused', async () => {
    await expect(all(eventsOf(7 as never))).rejects.toThrow(TypeError);
    for (const source of ['text', null, undefined]) {
      await expect(all(eventsOf(source as never))).rejects.toThrow(/^eventsOf: expected a ReadableStream or an iter/);
    }
  });

  test.each(WRONG)('a chunk that is %s is refused, and the source closed', async (_, chunk) => {
    let isClosed = false;
    const source = (async function* (): AsyncGenerator<never> {
      try {
        yield TEXT as never;
        yield chunk as never;
      } finally {
        isClosed = true;
      }
    })();
    const error = new TypeError('eventsOf: expected a Uint8Array or text');
    await expect(all(eventsOf(source, OPTIONS))).rejects.toEqual(error);
    expect(isClosed).toBe(true);
    expect(() => new MessageStream(OPTIONS).feed(chunk as never)).toThrow('feed: expected a Uint8Array or text');
  });
});
