// RFC 8259 in TypeScript: whether bytes are one JSON value, for machines without WebAssembly, for bodies that come in
// pieces, and what the other builds are compared with. A table of states: for each state and byte the next state, or
// what is to be done with a container.

import { JSON_DEEPEST } from '../../abi.ts';

/**
 * Of the table: no document goes on like this; open or close a container; a comma, after which the container says what
 * comes.
 */
const WRONG = 0;
const OPEN_LIST = 1;
const OPEN_OBJECT = 2;
const CLOSE_LIST = 3;
const CLOSE_OBJECT = 4;
const COMMA = 5;
const ACTIONS = 6;

const BLANK = [0x20, 0x09, 0x0a, 0x0d];

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

const bytesOf = (text: string): number[] => [...text].map((character) => character.charCodeAt(0));
const DIGITS = bytesOf('0123456789');
const NON_ZERO = DIGITS.slice(1);
const HEX = bytesOf('0123456789abcdefABCDEF');

/** Rows are added one by one; a row is 256 bytes, one for each byte that may follow. */
class Grammar {
  #rows: Uint8Array[] = Array.from({ length: ACTIONS }, () => new Uint8Array(256));

  state(): number {
    this.#rows.push(new Uint8Array(256));
    return this.#rows.length - 1;
  }

  on(state: number, bytes: readonly number[], next: number): void {
    for (const byte of bytes) this.#rows[state]![byte] = next;
  }

  /** A state that goes on as another one does, and otherwise as told later. */
  like(state: number): number {
    this.#rows.push(this.#rows[state]!.slice());
    return this.#rows.length - 1;
  }

  table(): Uint8Array {
    const table = new Uint8Array(this.#rows.length * 256);
    this.#rows.forEach((row, state) => table.set(row, state * 256));
    return table;
  }
}

const grammar = new Grammar();

const VALUE = grammar.state();
const AFTER = grammar.state();
grammar.on(AFTER, BLANK, AFTER);
grammar.on(AFTER, bytesOf(','), COMMA);
grammar.on(AFTER, bytesOf(']'), CLOSE_LIST);
grammar.on(AFTER, bytesOf('}'), CLOSE_OBJECT);

/** The state after the opening quote of a string, which `next` follows. */
function string(next: number): number {
  const inside = grammar.state();
  const escape = grammar.state();
  grammar.on(inside, range(0x20, 0x7f), inside);
  grammar.on(inside, bytesOf('"'), next);
  grammar.on(inside, bytesOf('\\'), escape);
  grammar.on(escape, bytesOf('"\\/bfnrt'), inside);
  let digits = inside;
  for (let left = 4; left > 0; left--) {
    const before = grammar.state();
    grammar.on(before, HEX, digits);
    digits = before;
  }
  grammar.on(escape, bytesOf('u'), digits);
  // Characters beyond ASCII: RFC 3629 §4.
  const tail = (from: number, to: number, after: number): number => {
    const state = grammar.state();
    grammar.on(state, range(from, to), after);
    return state;
  };
  const one = tail(0x80, 0xbf, inside);
  const two = tail(0x80, 0xbf, one);
  grammar.on(inside, range(0xc2, 0xdf), one);
  grammar.on(inside, [0xe0], tail(0xa0, 0xbf, one));
  grammar.on(inside, range(0xe1, 0xef), two);
  grammar.on(inside, [0xed], tail(0x80, 0x9f, one));
  grammar.on(inside, [0xf0], tail(0x90, 0xbf, two));
  grammar.on(inside, range(0xf1, 0xf3), tail(0x80, 0xbf, two));
  grammar.on(inside, [0xf4], tail(0x80, 0x8f, two));
  return inside;
}

const COLON = grammar.state();
grammar.on(COLON, BLANK, COLON);
grammar.on(COLON, bytesOf(':'), VALUE);
const KEY = grammar.state();
grammar.on(KEY, BLANK, KEY);
grammar.on(KEY, bytesOf('"'), string(COLON));
grammar.on(VALUE, BLANK, VALUE);
grammar.on(VALUE, bytesOf('"'), string(AFTER));
grammar.on(VALUE, bytesOf('['), OPEN_LIST);
grammar.on(VALUE, bytesOf('{'), OPEN_OBJECT);

for (const word of ['true', 'false', 'null']) {
  let next = AFTER;
  for (const byte of bytesOf(word).slice(1).reverse()) {
    const before = grammar.state();
    grammar.on(before, [byte], next);
    next = before;
  }
  grammar.on(VALUE, bytesOf(word[0]!), next);
}

// A number ends where something follows that may follow a value.
const WHOLE = grammar.like(AFTER);
const ZERO = grammar.like(AFTER);
const POINT = grammar.state();
const FRACTION = grammar.like(AFTER);
const EXPONENT = grammar.state();
const SIGNED = grammar.state();
const POWER = grammar.like(AFTER);
const MINUS = grammar.state();
for (const state of [VALUE, MINUS]) {
  grammar.on(state, bytesOf('0'), ZERO);
  grammar.on(state, NON_ZERO, WHOLE);
}
grammar.on(VALUE, bytesOf('-'), MINUS);
grammar.on(WHOLE, DIGITS, WHOLE);
for (const state of [ZERO, WHOLE]) grammar.on(state, bytesOf('.'), POINT);
for (const state of [POINT, FRACTION]) grammar.on(state, DIGITS, FRACTION);
for (const state of [ZERO, WHOLE, FRACTION]) grammar.on(state, bytesOf('eE'), EXPONENT);
grammar.on(EXPONENT, bytesOf('+-'), SIGNED);
for (const state of [EXPONENT, SIGNED, POWER]) grammar.on(state, DIGITS, POWER);

const IN_LIST = grammar.like(VALUE);
grammar.on(IN_LIST, BLANK, IN_LIST);
grammar.on(IN_LIST, bytesOf(']'), CLOSE_LIST);
const IN_OBJECT = grammar.like(KEY);
grammar.on(IN_OBJECT, BLANK, IN_OBJECT);
grammar.on(IN_OBJECT, bytesOf('}'), CLOSE_OBJECT);

const TABLE = grammar.table();
const COMPLETE: ReadonlySet<number> = new Set([AFTER, WHOLE, ZERO, FRACTION, POWER]);

/** Follows bytes that come in parts: whether they are one JSON value. */
export class JsonReader {
  readonly #most: number;
  /** Open containers: true for an object. */
  readonly #open: boolean[] = [];
  #state = VALUE;

  /** `depth`: containers that may stand in one another. */
  constructor(depth: number) {
    this.#most = Math.min(depth >>> 0, JSON_DEEPEST);
  }

  /** What came is a value as a whole. */
  get isComplete(): boolean {
    return this.#open.length === 0 && COMPLETE.has(this.#state);
  }

  /** Offset in the part of the first wrong byte, behind which nothing is to be asked any more; -1: none is. */
  take(part: Uint8Array): number {
    const open = this.#open;
    let state = this.#state;
    for (let at = 0; at < part.length; at++) {
      const next = TABLE[(state << 8) | part[at]!]!;
      if (next >= ACTIONS) {
        state = next;
        continue;
      }
      if (next === COMMA) {
        if (open.length === 0) return at;
        state = open.at(-1) ? KEY : VALUE;
      } else if (next === OPEN_LIST || next === OPEN_OBJECT) {
        if (open.length === this.#most) return at;
        open.push(next === OPEN_OBJECT);
        state = next === OPEN_OBJECT ? IN_OBJECT : IN_LIST;
      } else if (next === WRONG || open.pop() !== (next === CLOSE_OBJECT)) {
        return at;
      } else {
        state = AFTER;
      }
    }
    this.#state = state;
    return -1;
  }
}

/** The answer of Machine.checkJson: -1, or the offset of the first wrong byte. */
export function checkJsonParts(parts: Iterable<Uint8Array>, depth: number): number {
  const reader = new JsonReader(depth);
  let before = 0;
  for (const part of parts) {
    const wrong = reader.take(part);
    if (wrong >= 0) return before + wrong;
    before += part.length;
  }
  return reader.isComplete ? -1 : before;
}
