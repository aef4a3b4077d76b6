// Streams over the best scanner that runs here.

import { createMachine } from '../../scan/engine.ts';
import {
  type EventForm, type EventForms, type FormOptions, iterateAs, streamOptionsFor, transformAs,
} from '../events/forms.ts';
import { Stream } from './core.ts';
import type { Chunk, ChunkSource, FlowOptions, IterateOptions } from './flow.ts';
import { Machines } from './machines.ts';
import type { StreamOptions } from './options.ts';

export type { EndOptions } from './core.ts';
export type { Chunk, ChunkSource, FlowOptions, IterateOptions } from './flow.ts';
export type { StreamBounds, StreamOptions } from './options.ts';

/**
 * One scanner serves all streams: what it holds changes hands when another one is fed. A window that stays in the
 * first-level cache.
 */
const WINDOW = 64 * 1024;

const machines = new Machines(() => createMachine({ window: WINDOW }));

/**
 * Reads a transcript, or a completion (option `role`), while it arrives:
 *
 *     const stream = new MessageStream({ dialect: 'harmony', role: 'assistant' });
 *     for await (const chunk of response) for (const event of stream.feed(chunk)) handle(event);
 *     for (const event of stream.end({ finishReason })) handle(event);
 */
export class MessageStream extends Stream {
  constructor(options: StreamOptions = {}) {
    super(machines, options);
  }
}

/**
 * Chunks in, events out: `response.body.pipeThrough(new MessageTransform(options))`; with the option `as` in a form
 * that other clients know.
 */
export class MessageTransform<Form extends EventForm = 'ocm'> extends TransformStream<Chunk, EventForms[Form]> {
  constructor(options: StreamOptions & FlowOptions & FormOptions<Form> = {}) {
    super(...transformAs(new MessageStream(streamOptionsFor(options)), options));
  }
}

/**
 * The events of a source of chunks, as the documents name them or, with the option `as`, in a form that other clients
 * know. Leaving the loop closes the source; an aborted signal cancels.
 */
export function eventsOf<Form extends EventForm = 'ocm'>(
  source: ChunkSource, options: StreamOptions & IterateOptions & FormOptions<Form> = {},
): AsyncGenerator<EventForms[Form], void, void> {
  return iterateAs(new MessageStream(streamOptionsFor(options)), source, options);
}
