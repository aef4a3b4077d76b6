// What a plain header says (assembly/README.md, PLAIN), read in one pass over its bytes: known words and attributes,
// each once, all of them ASCII. The same as `readMeaning` says of it, without the spans and findings that nobody asks
// for.

import { CHANNEL, CONSTRAIN, FIELD } from '../abi.ts';
import { CHANNEL_NAMES, ROLE_NAMES, TOKEN_NAMES } from '../scan/dialects.ts';
import { fromOf, kindOf, type Table, tokenOf } from '../scan/table.ts';
import { decodeUtf8 } from '../utf8.ts';
import { standsAt } from './bytes.ts';

const SPACE = 0x20;
const EQUALS = 0x3d;
const LOWER_C = 0x63;
const LOWER_I = 0x69;
const LOWER_T = 0x74;
const CALL_ID_BYTES = 'call_id'.length;
const FUNCTIONS = new TextEncoder().encode('functions.');
const CHANNEL_BYTES = `<|${TOKEN_NAMES[CHANNEL]}|>`.length;
const CONSTRAIN_BYTES = `<|${TOKEN_NAMES[CONSTRAIN]}|>`.length;

/** Lengths of words by their first letters, which tell them apart. */
function lengths(words: readonly string[]): Uint8Array {
  const byLetter = new Uint8Array(256);
  for (const word of words) if (word !== '') byLetter[word.charCodeAt(0)] = word.length;
  return byLetter;
}

const ROLES = lengths(ROLE_NAMES);
const CHANNELS = lengths(CHANNEL_NAMES);
const NOTHING = new Uint8Array(0);

// What is looked for. BARE: a word without a key behind a channel's name, the content type if nothing else names one.
const NAME = 0;
const RECIPIENT = 1;
const INTENT = 2;
const CALL_ID = 3;
const TYPE = 4;
const BARE = 5;
const WORDS = 6;

/**
 * The attributes of a header, and what stands for one. Its fields are read one after the other; a word becomes a string
 * when it is asked for, as long as the bytes are there.
 */
export class HeaderWords {
  #bytes: Uint8Array = NOTHING;
  /** Where each word begins and ends; it begins nowhere when there is none. */
  readonly #spans = new Int32Array(2 * WORDS);
  #isConstrained = false;

  get name(): string | null {
    return this.#word(NAME);
  }

  get recipient(): string | null {
    return this.#word(RECIPIENT);
  }

  get intent(): string | null {
    return this.#word(INTENT);
  }

  get callId(): string | null {
    return this.#word(CALL_ID);
  }

  /** The content type stands in the constrain field. */
  get constrained(): boolean {
    return this.#isConstrained;
  }

  get contentType(): string | null {
    return this.#word(TYPE) ?? this.#word(BARE);
  }

  #word(which: number): string | null {
    const from = this.#spans[2 * which]!;
    return from < 0 ? null : wordOf(this.#bytes, from, this.#spans[2 * which + 1]!);
  }

  #set(which: number, from: number, to: number): void {
    this.#spans[2 * which] = from;
    this.#spans[2 * which + 1] = to;
  }

  /** Begins a header: its start field, the bytes [from, to) behind the start token. */
  readStart(bytes: Uint8Array, from: number, to: number): void {
    this.#bytes = bytes;
    this.#spans.fill(-1);
    this.#isConstrained = false;
    const known = ROLES[bytes[from]!]!;
    if (known > 0) {
      this.#readRest(from + known, to);
      return;
    }
    const end = this.#readWord(from, to);
    if (end - this.#from > FUNCTIONS.length && standsAt(FUNCTIONS, bytes, this.#from)) {
      this.#set(NAME, this.#from, end);
    }
    this.#readRest(end, to);
  }

  /** A field [from, to) that begins with its token. Its first word is its channel or type. */
  readField(from: number, to: number, token: number): void {
    if (token === CHANNEL) {
      const first = from + CHANNEL_BYTES;
      const known = CHANNELS[this.#bytes[first]!]!;
      this.#readRest(known > 0 ? first + known : this.#readWord(first, to), to);
    } else {
      const end = this.#readWord(from + CONSTRAIN_BYTES, to);
      this.#set(TYPE, this.#from, end);
      this.#isConstrained = true;
    }
  }

  /** Of the word that was read last: where it begins, and its first `=`, or -1. */
  #from = 0;
  #equals = -1;

  /** Reads the next word; answers where it ends. */
  #readWord(at: number, to: number): number {
    const bytes = this.#bytes;
    while (at < to && bytes[at]! <= SPACE) at++;
    this.#from = at;
    let equals = -1;
    for (; at < to; at++) {
      const byte = bytes[at]!;
      if (byte <= SPACE) break;
      if (byte === EQUALS && equals < 0) equals = at;
    }
    this.#equals = equals;
    return at;
  }

  /** Further words of a field. */
  #readRest(at: number, to: number): void {
    while (at < to) {
      at = this.#readWord(at, to);
      if (this.#equals >= 0) this.#take(this.#from, this.#equals, at);
      else if (at > this.#from) this.#set(BARE, this.#from, at);
    }
  }

  /** An attribute: its key, one of five, begins at `from`, its value behind `equals`. */
  #take(from: number, equals: number, to: number): void {
    const letter = this.#bytes[from];
    if (letter === LOWER_T) this.#set(RECIPIENT, equals + 1, to);
    else if (letter === LOWER_I) this.#set(INTENT, equals + 1, to);
    else if (letter === LOWER_C && equals - from === CALL_ID_BYTES) this.#set(CALL_ID, equals + 1, to);
    else if (letter === LOWER_C) {
      if (!this.#isConstrained) this.#set(TYPE, equals + 1, to);
    } else if (this.#spans[2 * NAME]! < 0) this.#set(NAME, equals + 1, to); // what a role names counts before it
  }
}

/** What a plain header says, for good. */
export type PlainHeader = { readonly constrained: boolean } & {
  readonly [K in 'name' | 'recipient' | 'contentType' | 'intent' | 'callId']: string | null;
};

const READER = new HeaderWords();

/**
 * Reads the header of the message at `row`; its start field's text begins at `from`, and `to` is where its last field
 * ends. The words are there until the next header is read.
 */
export function readHeaderWords(table: Table, row: number, from: number, to: number): HeaderWords {
  const said = READER;
  const endOf = (field: number): number => (kindOf(table, field) === FIELD ? fromOf(table, field) : to) - from;
  said.readStart(table.source.bytes(from, to), 0, endOf(row + 1));
  for (let field = row + 1; kindOf(table, field) === FIELD; field++) {
    said.readField(fromOf(table, field) - from, endOf(field + 1), tokenOf(table, field));
  }
  return said;
}

/** The same for good. */
export function readPlainHeader(table: Table, row: number, from: number, to: number): PlainHeader {
  const { name, recipient, contentType, constrained, intent, callId } = readHeaderWords(table, row, from, to);
  return { name, recipient, contentType, constrained, intent, callId };
}

/**
 * Words that were asked for last, and their bytes, each at a place that these give; headers repeat names, and a reply
 * the id of its call.
 */
const PLACES = 1024;
const LONGEST = 32;
const words: string[] = new Array<string>(PLACES).fill('');
const wordBytes = new Uint8Array(PLACES * LONGEST);

/** ASCII bytes as a string. */
export function wordOf(bytes: Uint8Array, from: number, to: number): string {
  const length = to - from;
  if (length > LONGEST) return decodeUtf8(bytes.subarray(from, to));
  // The end differs most: numbers stand there.
  const place =
    (length + bytes[from]! + bytes[to - 1]! * 37 + bytes[to - 2]! * 259 + bytes[to - 3]! * 83) & (PLACES - 1);
  const at = place * LONGEST;
  const known = words[place]!;
  if (known.length === length) {
    let same = 0;
    while (same < length && wordBytes[at + same] === bytes[from + same]) same++;
    if (same === length) return known;
  }
  for (let i = 0; i < length; i++) wordBytes[at + i] = bytes[from + i]!;
  return (words[place] = decodeUtf8(bytes.subarray(from, to)));
}
