// The words of a message header, byte by byte, for the TypeScript scanner: is the header PLAIN, and with which role,
// channel and recipient? All of it is state, so that input can be cut anywhere.

import * as abi from '../../abi.ts';
import { CHANNEL_NAMES, ROLE_NAMES } from '../dialects.ts';

/** Longer than every word that means something, and than the longest key with its `=` and one byte of value. */
const WORD_BYTES = 16;
const KEYS = ['to=', 'call_id=', 'name=', 'intent=', 'content_type='];
/** What the bytes of a word are: one that no function name holds, an `=`, a dot. */
const NO_NAME = 1;
const HAS_EQUALS = 2;
const HAS_DOT = 4;
const FUNCTIONS = 'functions.';
/** In `seen`: the content type that stands bare in the channel field. */
const BARE_TYPE = 1 << 8;
const EQUALS = 0x3d;
const PERSONS = ['to=assistant', 'to=user', 'to=all'];

export class Words {
  /** So far nothing speaks against PLAIN. */
  plain = false;
  roles = 0;
  /** The field that words belong to: 0 is the start field, else its token. */
  field = 0;
  /** Words in the field so far, and bytes. */
  count = 0;
  bytes = 0;
  /** Bit n: key n was there; bits above: the channel field, the constrain field. */
  seen = 0;
  /** ROLE, CHANNEL and RECIPIENT, in place. */
  found = 0;
  /** The word under way: its first bytes, and how many of them. */
  readonly word = new Uint8Array(WORD_BYTES);
  size = 0;
  /** NO_NAME, HAS_EQUALS, HAS_DOT of the word under way. */
  kinds = 0;

  /** A message begins; without a start token its header is never plain. `roles` are those of the dialect. */
  begin(plain: boolean, roles: number): void {
    this.plain = plain;
    this.roles = roles;
    this.field = this.count = this.bytes = this.seen = this.found = this.size = this.kinds = 0;
  }

  /** A byte that is no white space. */
  feed(byte: number): void {
    if (!this.#takes()) return;
    if (this.size < WORD_BYTES) this.word[this.size++] = byte;
    if (byte === EQUALS) this.kinds |= HAS_EQUALS | NO_NAME;
    else if (byte === 0x2e) this.kinds |= HAS_DOT;
    else if (!isNameByte(byte)) this.kinds |= NO_NAME;
    if (byte < 0x21 || byte > 0x7e || (byte === EQUALS && this.field === abi.CONSTRAIN)) this.plain = false;
  }

  /** A byte of white space. */
  space(): void {
    if (this.#takes()) this.endWord();
  }

  /** White space, a token or the end of the header: the word is over, if there was one. */
  endWord(): void {
    if (this.size === 0 || !this.plain) return;
    this.plain = this.#accepts();
    this.count++;
    this.size = this.kinds = 0;
  }

  beginField(token: number): void {
    this.#endField();
    const bit = 1 << (KEYS.length + (token === abi.CHANNEL ? 0 : 1));
    if ((this.seen & bit) !== 0) this.plain = false;
    this.seen |= bit;
    this.field = token;
    this.count = this.bytes = 0;
  }

  /** An ESCAPE, STRAY or MARK row in the header. */
  spoil(): void {
    this.plain = false;
  }

  /** The body begins: the bits for the message row. */
  finish(): number {
    this.#endField();
    return this.plain ? abi.PLAIN | this.found : 0;
  }

  /** One more byte of the field: does it still matter? */
  #takes(): boolean {
    if (++this.bytes > abi.PLAIN_BYTES) this.plain = false;
    return this.plain;
  }

  #endField(): void {
    this.endWord();
    if (this.count === 0) this.plain = false;
  }

  #accepts(): boolean {
    if (this.field === abi.CONSTRAIN) return this.count === 0;
    if (this.count > 0) return this.#acceptsAttribute() || this.#acceptsType();
    const names = this.field === 0 ? ROLE_NAMES : CHANNEL_NAMES;
    for (let id = 1; id < names.length; id++) {
      if (this.#is(names[id]!)) {
        this.found |= id << (this.field === 0 ? abi.ROLE_SHIFT : abi.CHANNEL_SHIFT);
        return this.field !== 0 || (this.roles & (1 << id)) !== 0;
      }
    }
    return this.field === 0 && this.#acceptsFunction();
  }

  /** `functions.<name>`, where it is a role. */
  #acceptsFunction(): boolean {
    const isFunction = this.size > FUNCTIONS.length && this.#startsWith(FUNCTIONS) && (this.kinds & NO_NAME) === 0;
    if (!isFunction || (this.roles & abi.ROLES_FUNCTIONS) === 0) return false;
    this.found |= abi.TOOL << abi.ROLE_SHIFT;
    return true;
  }

  /** One bare word after the channel, without a dot: the content type. */
  #acceptsType(): boolean {
    if (this.field !== abi.CHANNEL || (this.kinds & (HAS_EQUALS | HAS_DOT)) !== 0 || (this.seen & BARE_TYPE) !== 0) {
      return false;
    }
    this.seen |= BARE_TYPE;
    return true;
  }

  #acceptsAttribute(): boolean {
    for (let key = 0; key < KEYS.length; key++) {
      if (this.size > KEYS[key]!.length && this.#startsWith(KEYS[key]!)) {
        if ((this.seen & (1 << key)) !== 0) return false;
        this.seen |= 1 << key;
        if (key === 0) this.found |= this.#recipient() << abi.RECIPIENT_SHIFT;
        return true;
      }
    }
    return false;
  }

  #recipient(): number {
    for (const person of PERSONS) if (this.#is(person)) return abi.TO_PERSON;
    return abi.TO_TOOL;
  }

  #is(text: string): boolean {
    return this.size === text.length && this.#startsWith(text);
  }

  #startsWith(text: string): boolean {
    for (let i = 0; i < text.length; i++) if (this.word[i] !== text.charCodeAt(i)) return false;
    return true;
  }
}

/** A–Z a–z 0–9 _ . - */
function isNameByte(byte: number): boolean {
  const letter = byte | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || byte === 0x5f || byte === 0x2e
    || byte === 0x2d;
}
