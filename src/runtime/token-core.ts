// Token ids in, events out (2.2 §3, portability): a control token that is one id is a token, text that spells it is
// text.
//
// Ids become the bytes that they stand for, and those go through the stream like any others, so that meaning, cuts and
// holding back are the same. What must not be a token is masked on the way: in text that spells a token with an id of
// its own, and in a `<` of text directly before such an id (which would read as an escape), the `<` is pushed as
// another byte, and the scan gives the `<` back when it is asked for the bytes there; who looks for `<think>` in a body
// is told where such a `<` stands. Tokens without an id of their own are found in the text, across ids.

import { O200K_HARMONY, specialEntries, type SpecialTokens } from '../formats/specials.ts';
import { joined } from '../model/bytes.ts';
import type { StreamEvent } from './stream/event.ts';
import { checkEnd, type EndOptions, type Stream } from './stream/core.ts';
import type { StreamOptions } from './stream/options.ts';

/** A vocabulary, beside the options of a stream. */
export interface TokenOptions extends StreamOptions {
  /**
   * The bytes of a token that is none of `specials`; a token may hold a part of a character. Null: the vocabulary has
   * no such id.
   */
  readonly decode: (id: number) => Uint8Array | null | undefined;
  /** Without it, those of o200k_harmony. */
  readonly specials?: SpecialTokens | undefined;
  /**
   * Ids with which the model stops and that are no control tokens of the dialect. Without it, those of `specials` that
   * are `<|endoftext|>`.
   */
  readonly stops?: Iterable<number> | undefined;
}

const LT = 0x3c;
/** Stands for a `<` that begins no token: neither white space nor a visible character. */
const MASK = 0x7f;
const END_OF_TEXT = '<|endoftext|>';
const REPLACEMENT = Uint8Array.of(0xef, 0xbf, 0xbd);
const NOTHING = new Uint8Array(0);
const ENCODER = new TextEncoder();

/** Throws a TypeError for what is no list of ids. */
function idsOf(stops: Iterable<number>): number[] {
  const ids = typeof stops === 'object' && Symbol.iterator in stops ? [...stops] : [NaN];
  if (ids.every((id) => Number.isInteger(id))) return ids;
  throw new TypeError('option stops: expected token ids');
}

export class Tokens {
  readonly #stream: Stream;
  readonly #decode: (id: number) => Uint8Array | null | undefined;
  readonly #specials = new Map<number, Uint8Array>();
  readonly #stops: ReadonlySet<number>;
  #isStopped = false;
  /** Ids beyond these are neither. */
  readonly #least: number;
  readonly #largest: number;
  /** The texts of the specials that begin with a `<`: spelled in text, they are text. */
  readonly #spelled: readonly Uint8Array[];
  /** Text at the end of what came that may still spell one. */
  #held: Uint8Array = NOTHING;
  #out = new Uint8Array(256);
  #length = 0;
  /** Bytes that were pushed before those in #out. */
  #pushed = 0;

  constructor(stream: Stream, { decode, specials = O200K_HARMONY, stops }: TokenOptions) {
    if (typeof decode !== 'function') {
      throw new TypeError('option decode: expected a function from a token id to bytes');
    }
    this.#stream = stream;
    this.#decode = decode;
    const entries = specialEntries(specials);
    for (const [id, text] of entries) this.#specials.set(id, ENCODER.encode(text));
    this.#stops = new Set(
      stops === undefined ? entries.flatMap(([id, text]) => (text === END_OF_TEXT ? [id] : [])) : idsOf(stops),
    );
    const known = [...this.#specials.keys(), ...this.#stops];
    this.#least = known.reduce((a, b) => Math.min(a, b), Infinity);
    this.#largest = known.reduce((a, b) => Math.max(a, b), -Infinity);
    this.#spelled = [...this.#specials.values()].filter((bytes) => bytes[0] === LT);
  }

  /**
   * Takes the next ids, and gives the events that they make certain. Never throws on data: an id without bytes is
   * U+FFFD. Nothing behind a stop id is read. Where `decode` throws, or gives what is no bytes, the error comes out and
   * the stream has ended, as a `MessageStream` has when a function of the caller throws: the ids before that one were
   * taken, and would be told twice.
   */
  feedTokens(ids: readonly number[]): StreamEvent[] {
    if (!this.#stream.isOpen) return [];
    if (this.#isStopped) return [];
    for (const id of ids) {
      if (id < this.#least || id > this.#largest) {
        this.#text(this.#bytesOf(id));
        continue;
      }
      this.#isStopped = this.#stops.has(id);
      if (this.#isStopped) break;
      const special = this.#specials.get(id);
      if (special) this.#special(special);
      else this.#text(this.#bytesOf(id));
    }
    return this.#push();
  }

  /** The model has stopped with a stop id. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** As `MessageStream.end`; a stop id says `stop`, whatever the finish reason is. */
  end(options: EndOptions = {}): StreamEvent[] {
    // Before what is held is pushed: its events would be lost.
    checkEnd(options);
    if (!this.#stream.isOpen) return [];
    this.#release(false);
    return [...this.#push(), ...this.#stream.end(this.#isStopped ? { finishReason: 'stop' } : options)];
  }

  /** As `MessageStream.cancel`. */
  cancel(reason?: string): StreamEvent[] {
    return this.#stream.cancel(reason);
  }

  /** As `MessageStream.reset`. */
  reset(): void {
    this.#stream.reset();
    this.#held = NOTHING;
    this.#length = this.#pushed = 0;
    this.#isStopped = false;
  }

  #bytesOf(id: number): Uint8Array {
    try {
      const bytes = this.#decode(id) ?? REPLACEMENT;
      if (bytes instanceof Uint8Array) return bytes;
      throw new TypeError('option decode: expected it to give a Uint8Array or null');
    } catch (error) {
      this.#stream.fail();
      throw error;
    }
  }

  #push(): StreamEvent[] {
    const length = this.#length;
    if (length === 0) return [];
    this.#length = 0;
    this.#pushed += length;
    return this.#stream.feedBytes(this.#out, length);
  }

  #add(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#out.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #makeRoom(length: number): void {
    if (this.#length + length <= this.#out.length) return;
    const larger = new Uint8Array(Math.max(this.#length + length, this.#out.length * 2));
    larger.set(this.#out.subarray(0, this.#length));
    this.#out = larger;
  }

  /** Adds bytes if no `<` is among them. By hand: most tokens are short. */
  #addPlain(bytes: Uint8Array): boolean {
    const { length } = bytes;
    this.#makeRoom(length);
    const out = this.#out;
    const at = this.#length;
    for (let i = 0; i < length; i++) {
      const byte = bytes[i]!;
      if (byte === LT) return false;
      out[at + i] = byte;
    }
    this.#length = at + length;
    return true;
  }

  /** Adds one `<` that begins no token. */
  #addMasked(): void {
    this.#stream.reader.scan.mask(this.#pushed + this.#length);
    this.#add(MASKED);
  }

  #special(bytes: Uint8Array): void {
    this.#release(true);
    this.#add(bytes);
  }

  /** What was held spells nothing. `masksLast`: a `<` at its end stands before a token. */
  #release(masksLast: boolean): void {
    const held = this.#held;
    this.#held = NOTHING;
    const isEscape = masksLast && held[held.length - 1] === LT;
    this.#add(isEscape ? held.subarray(0, -1) : held);
    if (isEscape) this.#addMasked();
  }

  #text(bytes: Uint8Array): void {
    if (this.#held.length === 0 && this.#addPlain(bytes)) return;
    const text = this.#held.length === 0 ? bytes : joined(this.#held, bytes);
    this.#held = NOTHING;
    let from = 0;
    for (let at = text.indexOf(LT); at >= 0; at = text.indexOf(LT, at + 1)) {
      const spells = this.#spells(text, at);
      if (spells === 'no') continue;
      this.#add(text.subarray(from, at));
      from = at;
      if (spells === 'cut') break;
      this.#addMasked();
      from++;
    }
    // Whatever is left from a cut spelling on is held; else there is none.
    if (from < text.length && text[from] === LT && this.#spells(text, from) === 'cut') this.#held = text.slice(from);
    else this.#add(text.subarray(from));
  }

  /** Whether the text at `at` spells a special token, or may when more comes. */
  #spells(text: Uint8Array, at: number): 'yes' | 'cut' | 'no' {
    let answer: 'cut' | 'no' = 'no';
    for (const token of this.#spelled) {
      let same = 1;
      while (same < token.length && at + same < text.length && text[at + same] === token[same]) same++;
      if (same === token.length) return 'yes';
      if (at + same === text.length) answer = 'cut';
    }
    return answer;
  }
}

const MASKED = Uint8Array.of(MASK);
