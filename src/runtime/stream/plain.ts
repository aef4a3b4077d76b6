// A body that goes on in plain text. A piece without a `<` ends nothing, begins nothing and hides nothing: of it a
// stream needs neither the scanner nor what it knows of the message, and catches up when another piece comes. Most
// pieces are such, and of the streams that take turns only this lies in the cache.

import type { StreamEvent } from './event.ts';
import type { Paragraphs } from './text.ts';

const LT = 0x3c;
/** Stands for a `<` where tokens come as ids. */
const MASK = 0x7f;
/** UTF-16 units, and bytes, of a piece: longer ones are worth the scanner. */
const LONGEST_TEXT = 256;
const LONGEST_BYTES = 24;
/** Bytes, until the stream catches up. */
export const MOST_PLAIN = 32 * 1024;

/** Whose events the text brings. */
export interface PlainUse {
  readonly id: string;
  readonly callId: string | null;
  /** Text for an end user; null: it is none. */
  readonly shown: Paragraphs | null;
  readonly deltas: 'reasoning' | 'arguments' | null;
  readonly collects: boolean;
}

export class PlainText {
  readonly #id: string;
  readonly #callId: string | null;
  readonly #shown: Paragraphs | null;
  readonly #deltas: PlainUse['deltas'];
  readonly #collects: boolean;
  readonly #most: number;
  /** What came. */
  bytes = 0;
  collected = '';

  /** `most`: bytes that may come. */
  constructor({ id, callId, shown, deltas, collects }: PlainUse, most: number) {
    this.#id = id;
    this.#callId = callId;
    this.#shown = shown;
    this.#deltas = deltas;
    this.#collects = collects;
    this.#most = Math.min(most, MOST_PLAIN);
  }

  /** The events of a text; null: it is not plain. */
  take(text: string): StreamEvent[] | null {
    const bytes = plainBytes(text);
    return bytes > 0 && this.bytes + bytes <= this.#most ? this.#tell(text, bytes) : null;
  }

  /** The events of the first `length` bytes; null: they are not plain. */
  takeBytes(bytes: Uint8Array, length: number): StreamEvent[] | null {
    if (length === 0 || length > LONGEST_BYTES || this.bytes + length > this.#most) return null;
    let text = '';
    for (let i = 0; i < length; i++) {
      const byte = bytes[i]!;
      if (byte >= MASK || byte === LT) return null;
      text += String.fromCharCode(byte);
    }
    return this.#tell(text, length);
  }

  #tell(text: string, bytes: number): StreamEvent[] {
    this.bytes += bytes;
    if (this.#collects) this.collected += text;
    const id = this.#id;
    if (this.#shown !== null) return this.#show(this.#shown, text);
    if (this.#deltas === 'reasoning') return [{ type: 'response.reasoning_text.delta', message_id: id, delta: text }];
    if (this.#deltas === null) return [];
    const call = { message_id: id, call_id: this.#callId, delta: text };
    return [{ type: 'response.function_call_arguments.delta', ...call }];
  }

  #show(paragraphs: Paragraphs, text: string): StreamEvent[] {
    const message_id = this.#id;
    let end = paragraphs.next(text, 0);
    if (end < 0) return [{ type: 'response.delta', message_id, delta: text }];
    const events: StreamEvent[] = [];
    let from = 0;
    for (; end >= 0; end = paragraphs.next(text, from)) {
      events.push({ type: 'response.delta', message_id, delta: text.slice(from, end) });
      events.push({ type: 'response.delta.flush', message_id });
      from = end;
    }
    if (from < text.length) events.push({ type: 'response.delta', message_id, delta: text.slice(from) });
    return events;
  }
}

/** Bytes of a text in UTF-8; -1: it is not plain, or has a surrogate. */
function plainBytes(text: string): number {
  const { length } = text;
  if (length > LONGEST_TEXT) return -1;
  let bytes = length;
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === LT) return -1;
    if (unit < 0x80) continue;
    if (unit >= 0xd800 && unit <= 0xdfff) return -1;
    bytes += unit < 0x800 ? 1 : 2;
  }
  return bytes;
}
