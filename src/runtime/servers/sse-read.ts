// Server-sent events (`text/event-stream`) as the WHATWG's HTML standard reads them (§9.2.6): lines end at CR, LF or
// CRLF, a byte order mark may begin the stream, comments are left out, data may have several lines, and what no blank
// line ends is no event.

import { LineReader, LONGEST_LINE, ModelError, type Piece, piecesOf, type PieceSource } from './lines.ts';
import { checkOptions } from '../../options.ts';
import { leavable } from '../source.ts';

/** A server-sent event. */
export interface ServerSentEvent {
  /** `message` where the stream says none. */
  readonly event: string;
  /** Empty where the stream has a data field without a value. */
  readonly data: string;
  /** The last id so far; empty: none. */
  readonly id: string;
}

/** How much of a stream of server-sent events is read. */
export interface ReadEventsOptions {
  /** UTF-16 units of a line, and of the data of an event, that are still read: 4 Mi. */
  readonly longest?: number | undefined;
}

/**
 * Reads server-sent events (HTML standard §9.2.6) from pieces of a stream, cut anywhere.
 *
 * @example
 * ```ts
 * import { EventReader } from 'openchatml/stream';
 *
 * const reader = new EventReader();
 * reader.feed('data: a');
 * console.log(reader.feed('b\n\n')[0]?.data); // ab
 * ```
 */
export class EventReader {
  readonly #lines: LineReader;
  readonly #longest: number;
  #event = '';
  #data: string | null = null;
  #id = '';
  /** Milliseconds that the stream asks to wait before a new connection; null: it does not say. */
  retry: number | null = null;

  constructor(options: ReadEventsOptions = {}) {
    checkOptions(options, { longest: 1 });
    const { longest = LONGEST_LINE } = options;
    this.#lines = new LineReader(longest);
    this.#longest = longest;
  }

  /** The events that have ended. Throws a ModelError when a line or the data of an event is too long. */
  feed(piece: Piece): ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    for (const line of this.#lines.feed(piece)) {
      const event = this.#line(line);
      if (event !== null) events.push(event);
    }
    return events;
  }

  #line(line: string): ServerSentEvent | null {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.#add(value);
    else if (field === 'event') this.#event = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^[0-9]+$/.test(value)) this.retry = Number(value);
    return null;
  }

  #add(value: string): void {
    this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
    if (this.#data.length > this.#longest) throw new ModelError(`an event is longer than ${this.#longest} characters`);
  }

  #dispatch(): ServerSentEvent | null {
    const data = this.#data;
    const event = this.#event === '' ? 'message' : this.#event;
    this.#data = null;
    this.#event = '';
    return data === null ? null : { event, data, id: this.#id };
  }
}

/**
 * The events of a source of bytes or text (HTML standard §9.2.6):
 * `for await (const { data } of readServerSentEvents(response.body))`.
 *
 * @example
 * ```ts
 * import { readServerSentEvents } from 'openchatml/stream';
 *
 * async function* body() {
 *   yield 'data: a\n\nda';
 *   yield 'ta: b\n\n';
 * }
 * for await (const { data } of readServerSentEvents(body())) console.log(data);
 * // a
 * // b
 * ```
 */
export function readServerSentEvents(
  source: PieceSource, options: ReadEventsOptions = {},
): AsyncGenerator<ServerSentEvent, void, void> {
  const pieces = piecesOf(source, 'readServerSentEvents');
  return leavable(eventsIn(pieces, options), () => pieces.close());
}

/** The same of pieces that somebody else can close. */
export async function* eventsIn(
  pieces: AsyncIterable<Piece>, options: ReadEventsOptions,
): AsyncGenerator<ServerSentEvent, void, void> {
  const reader = new EventReader(options);
  for await (const piece of pieces) yield* reader.feed(piece);
}
