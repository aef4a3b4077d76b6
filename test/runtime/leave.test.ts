// Iterators over a source that hangs, as a model does that thinks: who leaves one is answered at once, nobody waits
// for ever, and the source is closed.
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { serverSentEvents } from '../../src/runtime/events/sse-write.ts';
import { readCompletion } from '../../src/runtime/servers/completion.ts';
import { readServerSentEvents } from '../../src/runtime/servers/sse-read.ts';
import { eventsOf } from '../../src/runtime/stream/transform.ts';

const MESSAGE = '<|start|>assistant<|channel|>final<|message|>Hi';
const EVENT = 'data: {"choices":[{"text":"Hi"}]}\n\n';

type Iterators = AsyncGenerator<unknown, void, void>;
const ITERATORS: [name: string, first: string, of: (source: AsyncIterable<string>) => Iterators][] = [
  ['eventsOf', MESSAGE, (source) => eventsOf(source)],
  ...(['2.0', 'responses', 'chat', 'ai-sdk'] as const).map((as): (typeof ITERATORS)[0] =>
    [`eventsOf as ${as}`, MESSAGE, (source) => eventsOf(source, { as })]),
  ['eventsOf with a signal', MESSAGE, (source) => eventsOf(source, { signal: new AbortController().signal })],
  ['serverSentEvents', MESSAGE, (source) => serverSentEvents(eventsOf(source, { as: 'chat' }))],
  ['readServerSentEvents', EVENT, (source) => readServerSentEvents(source)],
  ['readCompletion', EVENT, (source) => readCompletion(source)],
  ['readCompletion of lines', '{"response":"Hi"}\n', (source) => readCompletion(source, { framing: 'lines' })],
  ['readCompletion of a page', '<html>', (source) => readCompletion(source)],
  ['readCompletion of events written again', MESSAGE,
    (source) => readCompletion(serverSentEvents(eventsOf(source, { as: 'responses' })))],
];

/** A source with one chunk, which hangs then, also when it is closed. */
function hanging(first: string) {
  const state = { isAsked: false, isClosed: false };
  const chunks = [first];
  const source: AsyncIterable<string> = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        if (chunks.length > 0) return Promise.resolve({ done: false, value: chunks.pop()! });
        state.isAsked = true;
        return new Promise(() => {});
      },
      return: () => {
        state.isClosed = true;
        return new Promise(() => {});
      },
    }),
  };
  return { state, source };
}

const soon = async <T>(work: Promise<T>): Promise<T | 'still waits'> => {
  const late = (async () => {
    for (let i = 0; i < 20; i++) await turn();
    return 'still waits' as const;
  })();
  return Promise.race([work, late]);
};

const DONE = { done: true, value: undefined };

describe.each(ITERATORS)('%s', (_, first, of) => {
  test('left before it begins', async () => {
    const { state, source } = hanging(first);
    const events = of(source);
    expect(await soon(events.return())).toEqual(DONE);
    expect(state).toEqual({ isAsked: false, isClosed: true });
    expect(await soon(events.next())).toEqual(DONE);
  });

  test('left while it waits', async () => {
    const { state, source } = hanging(first);
    const events = of(source);
    const asked = (async () => {
      while (!(await events.next()).done);
      return 'over';
    })();
    while (!state.isAsked) await turn();
    expect(await soon(events.return())).toEqual(DONE);
    expect(await soon(asked)).toBe('over');
    expect(state.isClosed).toBe(true);
  });

  test('left while it waits by an error', async () => {
    const { state, source } = hanging(first);
    const events = of(source);
    const asked = (async () => {
      while (!(await events.next()).done);
    })();
    while (!state.isAsked) await turn();
    expect(await soon(events.throw(new Error('mine')).catch(String))).toBe('Error: mine');
    expect(await soon(asked)).toBeUndefined();
    expect(state.isClosed).toBe(true);
  });

  test('a ReadableStream of it that is cancelled', async () => {
    const { state, source } = hanging(first);
    const { from } = ReadableStream as unknown as { from(events: AsyncIterable<unknown>): ReadableStream };
    const reader = from(of(source)).getReader();
    const asked = (async () => {
      while (!(await reader.read()).done);
    })();
    while (!state.isAsked) await turn();
    expect(await soon(reader.cancel())).toBeUndefined();
    expect(await soon(asked)).toBeUndefined();
    expect(state.isClosed).toBe(true);
  });
});
