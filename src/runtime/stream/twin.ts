// Streams over the TypeScript scanner, where WebAssembly is refused: the names of stream.ts and ../token.ts.

import { Twin } from '../../scan/twin/twin.ts';
import {
  type EventForm, type EventForms, type FormOptions, iterateAs, streamOptionsFor, transformAs,
} from '../events/forms.ts';
import { Stream } from './core.ts';
import type { Chunk, ChunkSource, FlowOptions, IterateOptions } from './flow.ts';
import { Machines } from './machines.ts';
import type { StreamOptions } from './options.ts';
import { type TokenOptions, Tokens } from '../token-core.ts';

const WINDOW = 64 * 1024;
const machines = new Machines(() => new Twin({ window: WINDOW }));

export class MessageStream extends Stream {
  constructor(options: StreamOptions = {}) {
    super(machines, options);
  }
}

export class MessageTransform<Form extends EventForm = 'ocm'> extends TransformStream<Chunk, EventForms[Form]> {
  constructor(options: StreamOptions & FlowOptions & FormOptions<Form> = {}) {
    super(...transformAs(new MessageStream(streamOptionsFor(options)), options));
  }
}

export function eventsOf<Form extends EventForm = 'ocm'>(
  source: ChunkSource, options: StreamOptions & IterateOptions & FormOptions<Form> = {},
): AsyncGenerator<EventForms[Form], void, void> {
  return iterateAs(new MessageStream(streamOptionsFor(options)), source, options);
}

export class TokenStream extends Tokens {
  constructor(options: TokenOptions) {
    super(new MessageStream(options), options);
  }
}
