// Streams among other streams, in every form of events.

import type { Readable, Writable } from '../../platform.ts';
import {
  type EventForm, type EventForms, type FormOptions, iterateAs, streamOptionsFor, transformAs,
} from '../events/forms.ts';
import type { ChunkSource, FlowOptions, IterateOptions } from './flow.ts';
import type { StreamOptions } from './options.ts';
import { MessageStream } from './stream.ts';

/**
 * Chunks in, events out: `response.body.pipeThrough(new MessageTransform(options))`; with the option `as` in a form
 * that other clients know.
 *
 * @example
 * ```ts
 * import { MessageTransform } from 'openchatml/stream';
 *
 * const body = new Blob(['<|start|>user<|message|>Hi<|end|>']).stream();
 * const reader = body.pipeThrough(new MessageTransform({ collect: true })).getReader();
 * console.log((await reader.read()).value?.type); // transcript.begin
 * ```
 */
export class MessageTransform<Form extends EventForm = 'ocm'> {
  readonly readable: Readable<EventForms[Form]>;
  readonly writable: Writable;

  constructor(options: StreamOptions & FlowOptions & FormOptions<Form> = {}) {
    const sides = transformAs(new MessageStream(streamOptionsFor(options)), options);
    const { readable, writable } = new TransformStream(...sides);
    this.readable = readable;
    this.writable = writable;
  }
}

/**
 * The events of a source of chunks, as the documents name them or, with the option `as`, in a form that other clients
 * know. Leaving the loop closes the source, without waiting for it; an aborted signal cancels. Throws a TypeError or a
 * RangeError when an option is wrong.
 *
 * @example
 * ```ts
 * import { eventsOf } from 'openchatml/stream';
 *
 * const output = ['<|channel|>final<|mess', 'age|>4<|return|>'];
 * for await (const event of eventsOf(output, { dialect: 'harmony', role: 'assistant' })) {
 *   if (event.type === 'response.delta') console.log(event.delta); // 4
 * }
 * ```
 */
export function eventsOf<Form extends EventForm = 'ocm'>(
  source: ChunkSource, options: StreamOptions & IterateOptions & FormOptions<Form> = {},
): AsyncGenerator<EventForms[Form], void, void> {
  return iterateAs(new MessageStream(streamOptionsFor(options)), source, options);
}
