// What a plain header says (assembly/README.md, PLAIN), read in one pass over its bytes: known words and attributes, each once, all of
// them ASCII. The same as `readMeaning` says of it, without the spans and findings that nobody asks for.

import { CHANNEL, CONSTRAIN } from '../abi.ts';
import { TOKEN_NAMES } from '../scan/dialects.ts';
import { decodeUtf8 } from '../utf8.ts';

const SPACE = 0x20;
const EQUALS = 0x3d;
const LOWER_C = 0x63;
const LOWER_I = 0x69;
const LOWER_T = 0x74;
const CALL_ID_BYTES = 'call_id'.length;
const FUNCTIONS = new TextEncoder().encode('functions.');
const CHANNEL_BYTES = `<|${TOKEN_NAMES[CHANNEL]}|>`.length;
const CONSTRAIN_BYTES = `<|${TOKEN_NAMES[CONSTRAIN]}|>`.length;

/** The attributes of a header, and what stands for one. Its fields are read one after the other. */
export class HeaderWords {
  name: string | null = null;
  recipient: string | null = null;
  intent: string | null = null;
  callId: string | null = null;
  #type: string | null = null;
  #isConstrained = false;
  /** A word without a key behind a channel's name: the content type if nothing else names one. */
  #bare: string | null = null;

  get contentType(): string | null {
    return this.#type ?? this.#bare;
  }

  clear(): void {
    this.name = this.recipient = this.intent = this.callId = this.#type = this.#bare = null;
    this.#isConstrained = false;
  }

  /** The start field: the bytes [from, to) behind the start token. */
  readStart(bytes: Uint8Array, from: number, to: number): void {
    const end = this.#readWord(bytes, from, to);
    if (this.#equals < 0 && end - this.#from > FUNCTIONS.length && startsWith(bytes, this.#from, FUNCTIONS)) {
      this.name = wordOf(bytes, this.#from, end);
    }
    this.#readRest(bytes, end, to);
  }

  /** A field [from, to) that begins with its token. Its first word is its channel or type. */
  readField(bytes: Uint8Array, from: number, to: number, token: number): void {
    if (token === CHANNEL) {
      this.#readRest(bytes, this.#readWord(bytes, from + CHANNEL_BYTES, to), to);
      return;
    }
    const end = this.#readWord(bytes, from + CONSTRAIN_BYTES, to);
    this.#type = wordOf(bytes, this.#from, end);
    this.#isConstrained = true;
  }

  /** Of the word that was read last: where it begins, and its first `=`, or -1. */
  #from = 0;
  #equals = -1;

  /** Reads the next word; answers where it ends. */
  #readWord(bytes: Uint8Array, at: number, to: number): number {
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
  #readRest(bytes: Uint8Array, at: number, to: number): void {
    while (at < to) {
      at = this.#readWord(bytes, at, to);
      if (this.#equals >= 0) this.#take(bytes, this.#from, this.#equals, at);
      else if (at > this.#from) this.#bare = wordOf(bytes, this.#from, at);
    }
  }

  /** An attribute: its key, one of five, begins at `from`, its value behind `equals`. */
  #take(bytes: Uint8Array, from: number, equals: number, to: number): void {
    const letter = bytes[from];
    if (letter === LOWER_C) {
      if (equals - from === CALL_ID_BYTES) this.callId = wordOf(bytes, equals + 1, to);
      else if (!this.#isConstrained) this.#type = wordOf(bytes, equals + 1, to);
    } else if (letter === LOWER_T) this.recipient = wordOf(bytes, equals + 1, to);
    else if (letter === LOWER_I) this.intent = wordOf(bytes, equals + 1, to);
    // What a role names counts before an attribute.
    else this.name ??= wordOf(bytes, equals + 1, to);
  }
}

function startsWith(bytes: Uint8Array, from: number, start: Uint8Array): boolean {
  for (let i = 0; i < start.length; i++) if (bytes[from + i] !== start[i]) return false;
  return true;
}

/** Words that were read last, each at the place that its bytes give; headers repeat names, and a reply the id of its call. */
const recent: string[] = new Array<string>(1024).fill('');
const LONGEST = 64;

/** ASCII bytes as a string. */
function wordOf(bytes: Uint8Array, from: number, to: number): string {
  if (to - from > LONGEST) return decodeUtf8(bytes.subarray(from, to));
  // The end differs most: numbers stand there.
  const place = (to - from + bytes[from]! + bytes[to - 1]! * 37 + bytes[to - 2]! * 259 + bytes[to - 3]! * 83) & (recent.length - 1);
  const known = recent[place]!;
  if (isWord(known, bytes, from, to)) return known;
  return (recent[place] = decodeUtf8(bytes.subarray(from, to)));
}

function isWord(word: string, bytes: Uint8Array, from: number, to: number): boolean {
  if (word.length !== to - from) return false;
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) !== bytes[from + i]) return false;
  return true;
}
