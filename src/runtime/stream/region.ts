// Stream events under the names of Hugging Face's response templates (`region_open`, `region_chunk`, `region_close`,
// `region_malformed`), for renderers that know those.

import { plainName } from '../../tools/name.ts';
import type { DoneMessage, StreamedMessage, StreamEvent } from './event.ts';

/** A key of the message that a response template gives. */
export type RegionField = 'thinking' | 'content' | 'tool_calls';

/** `start` and `end` are bytes of the stream: of what opens or closes the region. */
export type RegionEvent =
  | { readonly type: 'region_open'; readonly field: RegionField; readonly start: number; readonly end: number }
  /** `dirty`: text that is still to be parsed; the value comes when the region closes. */
  | { readonly type: 'region_chunk'; readonly field: RegionField; readonly text: string; readonly dirty: boolean }
  | {
    readonly type: 'region_close';
    readonly field: RegionField;
    readonly value: unknown;
    readonly start: number;
    readonly end: number;
  }
  /**
   * A region that has no value: a call that is cut, that nobody may dispatch, or whose arguments are no JSON. `text`:
   * what it held.
   */
  | {
    readonly type: 'region_malformed';
    readonly field: RegionField;
    readonly text: string;
    readonly start: number;
    readonly end: number;
  };

interface Region {
  readonly message: StreamedMessage;
  readonly field: RegionField;
  text: string;
}

const FIELDS = { reasoning: 'thinking', text: 'content', call: 'tool_calls', hidden: null } as const;

/**
 * Turns the events of one stream into region events: analysis is `thinking` (only where the stream has the option
 * `reasoning`), text for the end user `content`, a call `tool_calls` with `{ id?, type: 'function', function: { name,
 * arguments } }`. Hidden messages have no region. A region's text is kept until it closes: give the stream a bound for
 * bodies.
 *
 * @example
 * ```ts
 * import { MessageStream, RegionAdapter } from 'openchatml/stream';
 *
 * const adapter = new RegionAdapter();
 * const stream = new MessageStream();
 * const events = [...stream.feed('<|start|>user<|message|>Hi<|end|>'), ...stream.end()];
 * console.log(events.flatMap((event) => adapter.take(event)).length > 0); // true
 * ```
 */
export class RegionAdapter {
  #added: StreamedMessage | null = null;
  #open: Region | null = null;

  /** The region events that an event brings. */
  take(event: StreamEvent): RegionEvent[] {
    switch (event.type) {
      case 'response.output_item.added':
        this.#added = event.message;
        return [];
      case 'response.delta':
      case 'response.function_call_arguments.delta':
        return this.#chunk(event.delta);
      case 'response.reasoning_text.delta':
        // Where it is written in what is shown, the content would hold it.
        return this.#added?.kind === 'reasoning' ? this.#chunk(event.delta) : [];
      case 'response.output_text.done':
      case 'response.function_call_arguments.done':
        return this.#begin();
      case 'response.reasoning_text.done':
        return this.#added?.kind === 'reasoning' ? this.#begin() : [];
      case 'response.output_item.done':
        // Of a call that is cut nothing may have come.
        return [...(event.message.kind === 'call' ? this.#begin() : []), ...this.#close(event.message)];
      case 'response.cancel':
        return this.#cancel();
      default:
        return [];
    }
  }

  /** Opens the region of the message at hand, unless it is open. */
  #begin(): RegionEvent[] {
    const message = this.#added;
    const field = message && FIELDS[message.kind];
    if (!message || !field || this.#open) return [];
    this.#open = { message, field, text: '' };
    return [{ type: 'region_open', field, start: message.from, end: message.bodyFrom }];
  }

  #chunk(text: string): RegionEvent[] {
    const events = this.#begin();
    const open = this.#open;
    if (!open) return events;
    open.text += text;
    events.push({ type: 'region_chunk', field: open.field, text, dirty: open.field === 'tool_calls' });
    return events;
  }

  #close(message: DoneMessage): RegionEvent[] {
    const open = this.#open;
    this.#open = this.#added = null;
    if (!open) return [];
    const { field, text } = open;
    const span = { start: message.bodyTo, end: message.to };
    const value = field === 'tool_calls' ? callOf(message, text) : text;
    return [value === undefined ? {
      type: 'region_malformed', field, text, ...span,
    } : { type: 'region_close', field, value, ...span }];
  }

  /** What was open has no value. */
  #cancel(): RegionEvent[] {
    const open = this.#open;
    this.#open = this.#added = null;
    if (!open) return [];
    const at = open.message.bodyFrom;
    return [{ type: 'region_malformed', field: open.field, text: open.text, start: at, end: at }];
  }
}

/** The call as a message holds it; undefined: it is none that could be made. */
function callOf(message: DoneMessage, text: string): object | undefined {
  if (message.status !== 'completed' || message.isUndispatchable || message.isAmbiguous) return undefined;
  try {
    const call = { name: plainName(message.recipient!), arguments: JSON.parse(text) as unknown };
    return { ...(message.callId !== null && { id: message.callId }), type: 'function', function: call };
  } catch {
    return undefined;
  }
}
