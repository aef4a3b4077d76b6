// The forms in which `eventsOf` gives the events of a stream: those of the documents, or those that clients of other
// APIs know.

import { checkSignal } from '../../options.ts';
import { leavable, SourceReader } from '../source.ts';
import type { Stream } from '../stream/core.ts';
import type { StreamEvent } from '../stream/event.ts';
import {
  checkFlow, type Chunk, type ChunkSource, type EventAdapter, type FlowOptions, iterate,
  type IterateOptions, transformer,
} from '../stream/flow.ts';
import type { StreamOptions } from '../stream/options.ts';
import type { Usage } from '../usage.ts';
import { type Adapter, type AdapterOptions, checkResponse } from './adapter.ts';
import { AiSdkAdapter, type AiSdkPart } from './ai-sdk.ts';
import { ChatAdapter, type ChatEvent } from './chat.ts';
import { ResponsesAdapter } from './responses.ts';
import type { ResponsesEvent } from './responses-types.ts';

/** The events of each form. */
export interface EventForms {
  /** The documents' own, with all that a program needs. */
  'ocm': StreamEvent;
  /** Of these the deltas and the `…done` events, as 2.0 §9 names them, without the contents that `collect` adds. */
  '2.0': StreamEvent;
  /** OpenAI's Responses streaming. */
  'responses': ResponsesEvent;
  /** Chunks of OpenAI's chat completions. */
  'chat': ChatEvent;
  /** Stream parts of a language model of the Vercel AI SDK. */
  'ai-sdk': AiSdkPart;
}

/** The name of a form of events. */
export type EventForm = keyof EventForms;

/** `as`: the form, by default `ocm`. */
export interface FormOptions<Form extends EventForm = EventForm> extends Omit<AdapterOptions, 'role'> {
  readonly as?: Form | undefined;
}

type Maker<Event> = (options: AdapterOptions) => Adapter<Event>;
type AdaptedForm = Exclude<EventForm, 'ocm' | '2.0'>;

const ADAPTERS: { [Form in AdaptedForm]: Maker<EventForms[Form]> } = {
  'responses': (options) => new ResponsesAdapter(options),
  'chat': (options) => new ChatAdapter(options),
  'ai-sdk': (options) => new AiSdkAdapter(options),
};
export const EVENT_FORMS: readonly EventForm[] = ['ocm', '2.0', ...(Object.keys(ADAPTERS) as AdaptedForm[])];

/** One event at a time, in a form. */
export interface FormAdapter<Event = object> extends EventAdapter<Event> {
  /** How it ends where the source fails. */
  fail(): Event[];
}

/** The documents' own events, or those of them that a form has. */
class OwnEvents implements FormAdapter<StreamEvent> {
  finishReason: string | null = null;
  usage: Usage | null = null;
  readonly #has: (event: StreamEvent) => boolean;

  constructor(has: (event: StreamEvent) => boolean) {
    this.#has = has;
  }

  begin(): StreamEvent[] {
    return [];
  }

  take(event: StreamEvent): StreamEvent[] {
    return this.#has(event) ? [event] : [];
  }

  fail(): StreamEvent[] {
    return [];
  }
}

export function adapterFor(form: EventForm, options: AdapterOptions): FormAdapter {
  const { role, rescue, response } = options;
  if (isAdapted(form)) return ADAPTERS[form]({ role, rescue, response });
  return new OwnEvents(form === '2.0' ? isOfVersion20 : () => true);
}

/** A delta of text or reasoning, or an end (2.0 §9). */
function isOfVersion20({ type }: StreamEvent): boolean {
  return type.endsWith('.done') || (type.endsWith('.delta') && !type.includes('arguments'));
}

const isAdapted = (form: EventForm): form is AdaptedForm => Object.hasOwn(ADAPTERS, form);

/** What the stream must give for a form: contents, as calls of 0.1 stand in them. */
export function streamOptionsFor(options: StreamOptions & FormOptions & IterateOptions): StreamOptions {
  const { as = 'ocm', response, finishReason, usage, signal, ...rest } = options;
  if (!EVENT_FORMS.includes(as)) {
    throw new RangeError(`option as: expected one of ${EVENT_FORMS.join(', ')}; got ${JSON.stringify(as)}`);
  }
  checkResponse(response);
  checkFlow({ finishReason, usage });
  checkSignal('option signal', signal);
  // Contents of whole messages would tell what is hidden, which no form but the own one has.
  return as === 'ocm' ? rest : { ...rest, collect: isAdapted(as) };
}

/**
 * @internal The two sides of a TransformStream whose events have a form. Where its source fails it has no last events.
 */
export function transformAs<Form extends EventForm>(
  stream: Stream, options: FormOptions<Form> & AdapterOptions & FlowOptions,
): [Transformer<Chunk, EventForms[Form]>, QueuingStrategy<Chunk>, QueuingStrategy<EventForms[Form]>] {
  const adapter = adapterFor(options.as ?? 'ocm', options) as FormAdapter<unknown> as FormAdapter<EventForms[Form]>;
  return transformer(stream, adapter, options);
}

/** The events of a source in a form. Where the source fails, the form's last events come before its error. */
export function iterateAs<Form extends EventForm>(
  stream: Stream, source: ChunkSource, options: FormOptions<Form> & AdapterOptions & IterateOptions,
): AsyncGenerator<EventForms[Form], void, void> {
  const form: EventForm = options.as ?? 'ocm';
  const chunks = new SourceReader(source, 'eventsOf');
  const events = form === 'ocm' ? iterate(stream, chunks, options)
    : adapted(stream, chunks, options, adapterFor(form, options));
  return leavable(events as AsyncGenerator<EventForms[Form], void, void>, () => chunks.close());
}

async function* adapted(
  stream: Stream, chunks: SourceReader<Chunk>, options: IterateOptions, adapter: FormAdapter,
): AsyncGenerator<object, void, void> {
  try {
    yield* adapter.begin();
    for await (const event of iterate(stream, chunks, options, adapter)) yield* adapter.take(event);
  } catch (error) {
    yield* adapter.fail();
    throw error;
  } finally {
    chunks.close();
  }
}
