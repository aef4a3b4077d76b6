// The forms in which `eventsOf` gives the events of a stream: those of the documents, or those that clients of other
// APIs know.

import type { Stream } from '../stream/core.ts';
import type { StreamEvent } from '../stream/event.ts';
import { type ChunkSource, closeSource, iterate, type IterateOptions } from '../stream/flow.ts';
import { ResponsesAdapter, type ResponsesOptions } from './responses.ts';
import type { ResponsesEvent } from './responses-types.ts';

/** The events of each form. */
export interface EventForms {
  /** The documents' own, with all that a program needs. */
  'ocm': StreamEvent;
  /** OpenAI's Responses streaming. */
  'responses': ResponsesEvent;
}

export type EventForm = keyof EventForms;

/** `as`: the form, by default `ocm`. */
export interface FormOptions<Form extends EventForm = EventForm> extends Omit<ResponsesOptions, 'role'> {
  readonly as?: Form | undefined;
}

interface Adapter<Event> {
  begin(): Event[];
  take(event: StreamEvent): Event[];
  fail(): Event[];
  finishReason: string | null;
}

const ADAPTERS: { [Form in Exclude<EventForm, 'ocm'>]: (options: ResponsesOptions) => Adapter<EventForms[Form]> } = {
  responses: (options) => new ResponsesAdapter(options),
};

/** What the stream must give for a form: contents, as calls of 0.1 stand in them. */
export function streamOptionsFor<Options extends FormOptions>(options: Options): Options & { collect?: boolean } {
  const { as = 'ocm' } = options;
  if (as !== 'ocm' && !Object.hasOwn(ADAPTERS, as)) {
    const forms = ['ocm', ...Object.keys(ADAPTERS)].join(', ');
    throw new RangeError(`option as: expected one of ${forms}; got ${JSON.stringify(as)}`);
  }
  return as === 'ocm' ? options : { ...options, collect: true };
}

/** The events of a source in a form. Where the source fails, the form's last events come before its error. */
export function iterateAs<Form extends EventForm>(
  stream: Stream, source: ChunkSource, options: FormOptions<Form> & ResponsesOptions & IterateOptions,
): AsyncGenerator<EventForms[Form], void, void> {
  const { as = 'ocm' } = options;
  if (as === 'ocm') return iterate(stream, source, options) as AsyncGenerator<EventForms[Form], void, void>;
  const adapter = ADAPTERS[as as Exclude<Form, 'ocm'>](options) as Adapter<EventForms[Form]>;
  return adapted(stream, source, options, adapter);
}

async function* adapted<Event>(
  stream: Stream, source: ChunkSource, options: IterateOptions, adapter: Adapter<Event>,
): AsyncGenerator<Event, void, void> {
  const { finishReason: given } = options;
  const finishReason = (): string | null => {
    const reason = (typeof given === 'function' ? given() : given) ?? null;
    adapter.finishReason = reason;
    return reason;
  };
  let isRead = false;
  try {
    yield* adapter.begin();
    isRead = true;
    for await (const event of iterate(stream, source, { ...options, finishReason })) yield* adapter.take(event);
  } catch (error) {
    yield* adapter.fail();
    throw error;
  } finally {
    if (!isRead) await closeSource(source);
  }
}
