// Streams among other streams: a TransformStream, and an async iterator over any source, for Node and browsers. Both
// pull: what is not consumed is not read, so that a producer that is faster than its consumer waits.

import type { Signal } from '../../platform.ts';
import { checkThere } from '../../options.ts';
import { reasonOf } from '../reason.ts';
import type { Source, SourceReader } from '../source.ts';
import type { Usage } from '../usage.ts';
import type { StreamEvent } from './event.ts';
import { checkChunk, type EndOptions, type Stream } from './core.ts';

/** A piece of a stream: bytes of UTF-8, cut anywhere, or text. */
export type Chunk = Uint8Array | string;
/** Where the pieces of a stream come from. */
export type ChunkSource = Source<Chunk>;

/** What is known of the model beside its output. */
export interface FlowOptions {
  /** Why the model stopped; a function is asked at the end of input. */
  readonly finishReason?: string | null | (() => string | null | undefined) | undefined;
  /**
   * What the output cost, for the last events of the forms that tell it. A function is asked at the end of input; where
   * it throws, nothing is told.
   */
  readonly usage?: Usage | null | (() => Usage | null | undefined) | undefined;
}

/** @internal Throws a TypeError for what is neither a value nor a function that gives one. `whose`: before its name. */
export function checkFlow({ finishReason, usage }: FlowOptions, whose = 'option'): void {
  const isGiven = (value: unknown, type: string): boolean => value == null || typeof value === 'function'
    || typeof value === type;
  checkThere('finishReason', finishReason);
  if (!isGiven(finishReason, 'string')) throw new TypeError(`${whose} finishReason: expected text or a function`);
  checkThere('usage', usage);
  if (isGiven(usage, 'object')) return;
  throw new TypeError(`${whose} usage: expected an object with token counts, or a function`);
}

/** What makes the events of a form. */
export interface EventAdapter<Event> {
  finishReason: string | null;
  usage: Usage | null;
  /** What the form begins with. */
  begin(): Event[];
  /** What an event of the stream brings. */
  take(event: StreamEvent): Event[];
}

/** How a source is read to its end. */
export interface IterateOptions extends FlowOptions {
  /** Aborted: the stream is cancelled, its last events are given, and the source is closed. */
  readonly signal?: Signal | undefined;
}

/** Bytes that may wait before the parser, and events behind it. */
const WAITING_BYTES = 64 * 1024;
const WAITING_EVENTS = 64;
/** A longer chunk is read a part at a time, so that its events do not all wait at once. */
const PART = 64 * 1024;

/** @internal The two sides of a TransformStream over a parser. */
export function transformer<Event>(stream: Stream, adapter: EventAdapter<Event>, options: FlowOptions): [
  Transformer<Chunk, Event>, QueuingStrategy<Chunk>, QueuingStrategy<Event>,
] {
  type Controller = TransformStreamDefaultController<Event>;
  const give = (events: StreamEvent[], controller: Controller): void => {
    for (const event of events) for (const adapted of adapter.take(event)) controller.enqueue(adapted);
  };
  return [
    {
      start: (controller) => {
        for (const event of adapter.begin()) controller.enqueue(event);
      },
      transform: (chunk, controller) => give(stream.feed(chunk), controller),
      flush: (controller) => give(stream.end(endOptions(options, adapter)), controller),
    },
    { highWaterMark: WAITING_BYTES, size: sizeOf },
    { highWaterMark: WAITING_EVENTS, size: () => 1 },
  ];
}

/**
 * The events of a source, as they are asked for. Leaving the loop closes the source, and so does an aborted signal,
 * also while a chunk is waited for. `adapter` is told how it ends.
 */
export async function* iterate(
  stream: Stream, chunks: SourceReader<Chunk>, options: IterateOptions, adapter: EventAdapter<unknown> | null = null,
): AsyncGenerator<StreamEvent, void, void> {
  const { signal } = options;
  const onAbort = (): void => chunks.close();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    while (true) {
      if (signal?.aborted) return yield* stream.cancel(reasonOf(signal));
      const result = await chunks.next();
      if (signal?.aborted) continue;
      if (chunks.isLeft) return;
      if (result.done) break;
      for (const part of partsOf(result.value)) {
        for (const event of stream.feed(part)) {
          yield event;
          if (signal?.aborted) return yield* stream.cancel(reasonOf(signal));
        }
      }
    }
    yield* stream.end(endOptions(options, adapter));
  } finally {
    signal?.removeEventListener('abort', onAbort);
    // Of an iteration that was left nothing is read any more; a stream that has ended gives nothing.
    stream.cancel();
    chunks.close();
  }
}

/** A size for a wrong chunk too: without one only the writable side would fail, and the readable side wait for ever. */
function sizeOf(chunk: Chunk): number {
  if (typeof chunk === 'string') return chunk.length;
  return chunk instanceof Uint8Array ? chunk.length : 1;
}

function* partsOf(chunk: Chunk): Generator<Chunk, void, void> {
  // Before the length is asked for: of a buffer without one nothing would be fed, and nobody would know.
  checkChunk(chunk, 'eventsOf');
  if (chunk.length <= PART) return yield chunk;
  for (let at = 0; at < chunk.length; at += PART) {
    yield typeof chunk === 'string' ? chunk.slice(at, at + PART) : chunk.subarray(at, at + PART);
  }
}

function endOptions({ finishReason, usage }: FlowOptions, adapter: EventAdapter<unknown> | null): EndOptions {
  const reason = typeof finishReason === 'function' ? finishReason() : finishReason;
  const cost = typeof usage === 'function' ? orNull(usage) : usage;
  checkThere('finishReason', reason);
  checkThere('usage', cost);
  if (adapter !== null) {
    adapter.finishReason = reason ?? null;
    adapter.usage = cost ?? null;
  }
  return { finishReason: reason };
}

function orNull<T>(ask: () => T): T | null {
  try {
    return ask();
  } catch {
    return null;
  }
}
