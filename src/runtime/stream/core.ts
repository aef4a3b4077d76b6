// A stream: bytes or text in, events out; ended, cancelled, begun anew. Which scanner it uses is for stream.ts and
// twin.ts.

import type { TranscriptInfo } from '../../model/transcript.ts';
import { checkOptions, checkThere, type Known } from '../../options.ts';
import { askedOf } from '../../rules/calls.ts';
import { partEnd } from '../../utf8.ts';
import type { StreamEvent } from './event.ts';
import type { Machines } from './machines.ts';
import { type ResolvedOptions, resolveOptions, type StreamOptions } from './options.ts';
import type { PlainText } from './plain.ts';
import { StreamReader } from './reader.ts';

/** What is known when a stream ends. */
export interface EndOptions {
  /**
   * Why the model stopped, as its server says it. `stop`, `tool_calls` and their like say that a stop token was read
   * and cut off; all others (`length`, `content_filter`) that it was not. Without one, the option `stopStripped`
   * decides.
   */
  readonly finishReason?: string | null | undefined;
}

const END_OPTIONS: Known<EndOptions> = { finishReason: 1 };

/** @internal Throws a TypeError for what is none: a reason that is not seen would make another end of the stream. */
export function checkEnd(options: EndOptions): void {
  checkOptions(options, END_OPTIONS);
  // A server may say anything.
  checkThere('finishReason', options?.finishReason);
}

/** Finish reasons of the common servers that stand for a stop token. */
const STOPPED: ReadonlySet<string> = new Set([
  'stop', 'end_turn', 'stop_sequence', 'eos', 'eos_token', 'tool_calls', 'tool_use', 'function_call', 'completed',
]);

/** Text is encoded a part at a time. */
const PART = 8 * 1024;

/**
 * In 2.2 and Harmony `<|end|>` closes a message and not the turn, unless the model is known to have stopped there. 2.0
 * has `<|return|>` for training alone (2.0 §3), and 1.x and 0.1 have none.
 */
function mayEndTurn(transcript: TranscriptInfo): boolean {
  return transcript.dialect.id !== 'harmony' && askedOf(transcript).version !== '2.2';
}

/** @internal Throws a TypeError that names the function for what is no piece of a stream. */
export function checkChunk(chunk: unknown, name: string): asserts chunk is Uint8Array | string {
  if (typeof chunk === 'string' || chunk instanceof Uint8Array) return;
  throw new TypeError(`${name}: expected a Uint8Array or text`);
}

export class Stream {
  readonly #machines: Machines;
  readonly #options: ResolvedOptions;
  #reader: StreamReader;
  /** Since the last call; null: none. */
  #events: StreamEvent[] | null = null;
  #state: 'open' | 'ended' | 'cancelled' = 'open';
  /** Half of a surrogate pair that the end of a text cut. */
  #surrogate = '';
  #messages = 0;
  /** Takes the next pieces, as long as they are plain text; null: the reader does. Only of an open stream. */
  #plain: PlainText | null = null;
  /** @internal False: the reader takes every piece, as tests compare it. */
  takesPlain = true;

  constructor(machines: Machines, options: StreamOptions = {}) {
    this.#machines = machines;
    this.#options = resolveOptions(options);
    this.#reader = this.#makeReader();
  }

  #makeReader(): StreamReader {
    const first = this.#messages;
    const { messageId } = this.#options;
    const options = { ...this.#options, messageId: (index: number) => messageId(first + index) };
    return new StreamReader(this.#machines, options, (event) => this.#tell(event));
  }

  /**
   * Takes the next bytes (UTF-8, cut anywhere) or text, and gives the events that they make certain. Never throws on
   * data; after `end` and `cancel` it gives none. Where a function of the caller throws (`messageId`, `summarize`), its
   * error comes out, and the stream has ended.
   */
  feed(chunk: Uint8Array | string): StreamEvent[] {
    if (typeof chunk !== 'string') {
      checkChunk(chunk, 'feed');
      return this.feedBytes(chunk, chunk.length);
    }
    if (this.#plain !== null) {
      const events = this.#plain.take(chunk);
      if (events !== null) return events;
    }
    if (this.#state !== 'open') return [];
    try {
      this.#catchUp();
      if (chunk !== '') this.#feedText(chunk);
    } catch (error) {
      this.fail();
      throw error;
    }
    return this.#fed();
  }

  /** @internal The same of the first `length` of these bytes. */
  feedBytes(bytes: Uint8Array, length: number): StreamEvent[] {
    if (this.#plain !== null) {
      const events = this.#plain.takeBytes(bytes, length);
      if (events !== null) return events;
    }
    if (this.#state !== 'open') return [];
    try {
      this.#catchUp();
      if (length > 0) this.#pushBytes(bytes, length);
    } catch (error) {
      this.fail();
      throw error;
    }
    return this.#fed();
  }

  /** The reader is to take what comes next: plain text that it did not take is behind it. */
  #catchUp(): void {
    const plain = this.#plain;
    if (plain === null) return;
    this.#plain = null;
    this.#reader.catchUp(plain);
  }

  #fed(): StreamEvent[] {
    if (this.takesPlain && this.#surrogate === '') this.#plain = this.#reader.plain();
    return this.#taken();
  }

  /** @internal A function of the caller threw in the middle of something: nothing further can be told of this input. */
  fail(): void {
    this.#state = 'ended';
    this.#plain = null;
    this.#events = null;
    this.#reader.scan.close();
  }

  #pushBytes(bytes: Uint8Array, length: number): void {
    if (this.#surrogate !== '') this.#pushText('');
    this.#reader.scan.push(bytes, length);
  }

  #feedText(chunk: string): void {
    const last = chunk.charCodeAt(chunk.length - 1);
    const isCut = last >= 0xd800 && last <= 0xdbff;
    const text = isCut ? chunk.slice(0, -1) : chunk;
    if (text !== '' || this.#surrogate !== '') this.#pushText(text);
    if (isCut) this.#surrogate = chunk.slice(-1);
  }

  /** Encodes text, behind the half of a pair that was cut. */
  #pushText(text: string): void {
    const whole = this.#surrogate === '' ? text : this.#surrogate + text;
    this.#surrogate = '';
    for (let at = 0; at < whole.length; ) {
      const to = partEnd(whole, at, PART);
      this.#reader.scan.pushText(at === 0 && to === whole.length ? whole : whole.slice(at, to));
      at = to;
    }
  }

  /** The input has ended: what is open ends, and `response.completed` or `response.incomplete` is the last event. */
  end(options: EndOptions = {}): StreamEvent[] {
    checkEnd(options);
    if (this.#state !== 'open') return [];
    const { finishReason } = options;
    const isStripped = finishReason == null ? this.#options.stopStripped : STOPPED.has(finishReason);
    const reader = this.#reader;
    reader.isStripped = isStripped;
    try {
      this.#catchUp();
      if (this.#surrogate !== '') this.#pushText('');
      reader.scan.end();
    } catch (error) {
      this.fail();
      throw error;
    }
    this.#state = 'ended';
    this.#tellEnd(isStripped);
    return this.#taken();
  }

  /**
   * Tells a call that is open, and the reader of the stream, that nothing follows. Once; afterwards `feed` gives
   * nothing until `reset`.
   */
  cancel(reason = 'cancelled'): StreamEvent[] {
    if (this.#state !== 'open') return [];
    this.#state = 'cancelled';
    this.#plain = null;
    const { open } = this.#reader;
    this.#reader.scan.close();
    const id = open?.id ?? null;
    if (open?.kind === 'call') {
      this.#tell({ type: 'tool.cancel', message_id: open.id, call_id: open.callId, reason });
    }
    this.#tell({ type: 'response.cancel', message_id: id, reason });
    return this.#taken();
  }

  /** Begins anew, with the same options; ids of messages go on. */
  reset(): void {
    this.#reader.scan.close();
    this.#messages += this.#reader.messages;
    this.#state = 'open';
    this.#surrogate = '';
    this.#plain = null;
    this.#events = null;
    this.#reader = this.#makeReader();
  }

  /** Neither ended nor cancelled. */
  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** @internal Bytes of which some are known to belong to no token. */
  get reader(): StreamReader {
    return this.#reader;
  }

  #tellEnd(isStripped: boolean): void {
    const { last } = this.#reader;
    const id = last?.id ?? null;
    const incomplete = (reason: 'truncated' | 'no-stop-token' | 'empty' | 'bound'): void =>
      this.#tell({ type: 'response.incomplete', message_id: id, code: 'E-STREAM-TRUNCATED', reason });
    if (!last) return incomplete('empty');
    if (last.isStopped || last.isAbandoned) return incomplete('bound');
    if (!last.isEnded(isStripped)) return incomplete(last.isOpenTurn ? 'no-stop-token' : 'truncated');
    const { stop } = last;
    if (stop === 'end' && !isStripped && !mayEndTurn(last.transcript)) return incomplete('no-stop-token');
    this.#tell({ type: 'response.completed', message_id: id, stop: stop ?? 'stripped' });
  }

  #tell(event: StreamEvent): void {
    if (this.#events === null) this.#events = [event];
    else this.#events.push(event);
  }

  #taken(): StreamEvent[] {
    const events = this.#events ?? [];
    this.#events = null;
    return events;
  }
}
