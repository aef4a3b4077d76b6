// Streams over the scanner in TypeScript: for the few bytes of a chunk it is as fast as WebAssembly, and needs none.

import { Stream } from './core.ts';
import { Machines } from './machines.ts';
import type { StreamOptions } from './options.ts';
import { SavedTwin } from '../../scan/twin/saved.ts';

export type { EndOptions } from './core.ts';
export type { Chunk, ChunkSource, FlowOptions, IterateOptions } from './flow.ts';
export type { StreamBounds, StreamOptions } from './options.ts';

/**
 * One scanner serves all streams: what it holds changes hands when another one is fed. A window that stays in the
 * first-level cache.
 */
const WINDOW = 64 * 1024;

const machines = new Machines(() => new SavedTwin({ window: WINDOW }));

/**
 * Reads a transcript, or a completion (option `role`), while it arrives:
 *
 *     const stream = new MessageStream({ dialect: 'harmony', role: 'assistant' });
 *     for await (const chunk of response) for (const event of stream.feed(chunk)) handle(event);
 *     for (const event of stream.end({ finishReason })) handle(event);
 *
 * @example
 * ```ts
 * import { MessageStream } from 'openchatml/stream';
 *
 * const stream = new MessageStream({ dialect: 'harmony', role: 'assistant' });
 * for (const chunk of ['<|channel|>final<|mess', 'age|>It is', ' 4.<|return|>']) {
 *   for (const event of stream.feed(chunk)) if (event.type === 'response.delta') console.log(event.delta);
 * }
 * stream.end();
 * // It is
 * //  4.
 * ```
 */
export class MessageStream extends Stream {
  constructor(options: StreamOptions = {}) {
    super(machines, options);
  }
}
