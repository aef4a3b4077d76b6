// Text that looks like a control token, or becomes one when somebody normalises, decodes or tidies it: full-width and
// other letters, invisible characters, entities and escapes, spaces, capitals. Linear: from a sign that may open a
// token, characters are read one by one until none can follow, and another opening sign never can.

import { brokenUp, LONGEST_TOKEN, standsAt, tokenOfLetters, tokenOfText } from './known.ts';

export interface LookAlike {
  /** UTF-16 units, half open. */
  readonly from: number;
  readonly to: number;
  /** What it looks like. */
  readonly token: string;
  /** How it differs from the token, in words. */
  readonly ways: readonly string[];
}

/** What an opening sign may be, or be written with. */
const OPENING = '<\uff1c\ufe64\u2039\u2329\u3008\u27e8\u02c2\u1438\u276e\u2770';

/** Of each UTF-16 unit: whether a look-alike may begin with it. */
const OPENS = new Uint8Array(0x1_0000);
for (const sign of `${OPENING}&\\%`) OPENS[sign.charCodeAt(0)] = 1;

const SAME: Readonly<Record<string, string>> = tableOf([
  ['<', OPENING],
  ['>', '>\u203a\u232a\u3009\u27e9\u02c3\u1433\u276f\u2771'],
  ['|', '|\u01c0\u2223\u2502\u2503\u2758\u23d0\u05c0\u00a6'],
  ['_', '_\u2581-\u2010\u2011\u2012\u2013\u2014\u2015\u2212'],
  ['a', '\u0430\u03b1\u0251'], ['b', '\u0432\u044c'], ['c', '\u0441\u03f2'], ['d', '\u0501'],
  ['e', '\u0435\u03b5\u0454'],
  ['f', '\u017f\u0192'], ['g', '\u0261'], ['h', '\u04bb\u043d'], ['i', '\u0456\u03b9\u0131'], ['j', '\u0458'],
  ['k', '\u043a\u03ba'], ['l', '\u04cf\u2113'], ['m', '\u043c'], ['n', '\u0578\u03b7'], ['o', '\u043e\u03bf\u0585'],
  ['p', '\u0440\u03c1'], ['q', '\u051b'], ['r', '\u0433'], ['s', '\u0455'], ['t', '\u0442\u03c4'],
  ['u', '\u03c5\u057d'], ['v', '\u03bd\u0475'], ['w', '\u051d'], ['x', '\u0445\u03c7'], ['y', '\u0443'],
]);

function tableOf(rows: readonly (readonly [sign: string, same: string])[]): Record<string, string> {
  return Object.fromEntries(rows.flatMap(([sign, same]) => [...same].map((character) => [character, sign])));
}

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;
const SPACE = /[\s\u200b]/;
/** An entity, an escape of a string, a percent sign with its digits; perhaps encoded again. */
const ENTITY = /&(?:amp;){0,3}(?:(lt|gt|vert|verbar|lowbar)|#(\d{1,7})|#x([\da-f]{1,6}));?/iy;
const ESCAPE = /\\{1,4}(?:u([\da-f]{4})|x([\da-f]{2})|u\{([\da-f]{1,6})\})/iy;
const PERCENT = /%(?:25){0,3}([2-7][\da-f])/iy;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', vert: '|', verbar: '|', lowbar: '_' };

const MOST_SPACES = 3;
const MOST_LETTERS = 24;
const MOST_UNITS = 256;

/** Whether a look-alike may begin with a UTF-16 unit. */
export const opensLookAlike = (unit: number): boolean => OPENS[unit] !== 0;

/**
 * A sign that begins no look-alike, as ASCII characters alone tell: what most are, and soon told. Behind a `<`, perhaps
 * with spaces, nothing that is a `|` or may be one, nothing behind its name that could end it, or a token. An entity or
 * an escape that is no `<` and not invisible.
 */
export function isPlain(text: string, at: number): boolean {
  switch (text.charCodeAt(at)) {
    case 0x3c:
      return isPlainSign(text, at);
    case AMPERSAND: {
      const next = text.charCodeAt(at + 1);
      if (next === LOWER_L && isPlainEntity(text, at + 2)) return true;
      return next !== HASH && (next | 0x20) !== LOWER_A && (next | 0x20) !== LOWER_L;
    }
    case PERCENT_SIGN: {
      // `%3c`, or `%25` and more.
      const next = text.charCodeAt(at + 1);
      const last = text.charCodeAt(at + 2);
      return !(next === 0x33 && (last | 0x20) === LOWER_C) && !(next === 0x32 && last === 0x35);
    }
    case BACKSLASH:
      return isPlainEscape(text, at + 1);
    default:
      return false;
  }
}

/** Of `&lt;`, of which `t` stands at `at`: most stand for HTML. What may follow is `&lt;` or `&gt;`. */
function isPlainEntity(text: string, at: number): boolean {
  if (text.charCodeAt(at) !== LOWER_T || text.charCodeAt(at + 1) !== SEMICOLON) return false;
  const next = text.charCodeAt(at + 2);
  if (next !== AMPERSAND) return isOther(next);
  const name = text.charCodeAt(at + 3);
  return name === LOWER_L || name === LOWER_G;
}

function isPlainSign(text: string, at: number): boolean {
  let to = at + 1;
  // As it stands in code.
  while (text.charCodeAt(to) === SPACE_UNIT && to - at <= MOST_SPACES) to++;
  if (to > at + 1 || text.charCodeAt(to) !== BAR) return isOther(text.charCodeAt(to));
  // Most of those with a `|` are tokens as they should be.
  while (isLower(text.charCodeAt(++to)) && to - at < LONGEST_TOKEN);
  if (text.charCodeAt(to) !== BAR) return isOther(text.charCodeAt(to)) && !isLetter(text.charCodeAt(to));
  if (text.charCodeAt(to + 1) !== 0x3e) return isOther(text.charCodeAt(to + 1));
  return tokenOfText(text.slice(at, to + 2)) !== undefined;
}

/** Of the escape whose second unit stands at `at`. */
function isPlainEscape(text: string, at: number): boolean {
  for (let more = 0; more < 3 && text.charCodeAt(at) === BACKSLASH; more++) at++;
  const kind = text.charCodeAt(at) | 0x20;
  if (kind === LOWER_X) return false;
  if (kind !== LOWER_U) return true;
  if (text.charCodeAt(at + 1) === 0x7b) return false;
  let code = 0;
  for (let i = 1; i <= 4; i++) {
    const digit = digitOf(text.charCodeAt(at + i));
    // What is no escape is a backslash.
    if (digit < 0) return true;
    code = 16 * code + digit;
  }
  return (code > 0x20 && code < 0x7f && code !== 0x3c) || (code >= 0xd800 && code < 0xe000);
}

function digitOf(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const letter = unit | 0x20;
  return letter >= LOWER_A && letter <= 0x66 ? letter - LOWER_A + 10 : -1;
}

const SPACE_UNIT = 0x20;
const HASH = 0x23;
const SEMICOLON = 0x3b;
const PERCENT_SIGN = 0x25;
const AMPERSAND = 0x26;
const BACKSLASH = 0x5c;
const LOWER_A = 0x61;
const LOWER_C = 0x63;
const LOWER_G = 0x67;
const LOWER_L = 0x6c;
const LOWER_T = 0x74;
const LOWER_U = 0x75;
const LOWER_X = 0x78;
const BAR = 0x7c;
/** A visible ASCII character that is no `|` and does not begin one. */
const isOther = (unit: number): boolean =>
  unit > 0x20 && unit < 0x7f && unit !== BAR && unit !== 0x26 && unit !== 0x5c && unit !== 0x25;
const isLower = (unit: number): boolean => (unit >= 0x61 && unit <= 0x7a) || unit === 0x5f;
/** Of a name, when capitals are small and hyphens underscores. */
const isLetter = (unit: number): boolean => isLower(unit) || unit === 0x2d || (unit >= 0x41 && unit <= 0x5a);

/** What was read last, and what it was; null: none. A text may hold the same again and again. */
interface Read {
  /** As much of the text as decides it. */
  readonly written: string;
  readonly found: Omit<LookAlike, 'from'> | null;
}

/** Readings that are kept, and units that a character in code is decided by at most. */
const MOST_READ = 4;
const LONGEST_CODE = 24;
const GREATER = 0x3e;

/** Look-alikes of a text. Whoever asks goes on behind one that is found. */
export class LookAlikes {
  readonly #text: string;
  readonly #read: Read[] = [];
  #oldest = 0;
  /** Characters that were read. */
  steps = 0;
  #at = 0;
  #from = 0;
  /** What the character at hand means, in lower case: of one sign, of several (a ligature), or of none. */
  #signs = '';
  readonly #ways = new Set<string>();

  constructor(text: string) {
    this.#text = text;
  }

  /** The look-alike that begins at a position; null: there is none. */
  at(from: number): LookAlike | null {
    const text = this.#text;
    if (isPlain(text, from)) return null;
    for (const { written, found } of this.#read) {
      if (!standsAt(text, written, from)) continue;
      this.steps++;
      return found && { from, to: from + found.to, token: found.token, ways: found.ways };
    }
    const found = this.#find(from);
    // A `>` as it is decides an end; what ends nowhere was looked at a little further.
    const isSure = found === null ? this.#at + LONGEST_CODE <= text.length : text.charCodeAt(found.to - 1) === GREATER;
    if (isSure) {
      const written = text.slice(from, found?.to ?? this.#at + LONGEST_CODE);
      this.#read[this.#oldest] = { written, found: found && { ...found, to: found.to - from } };
      this.#oldest = (this.#oldest + 1) % MOST_READ;
    }
    return found;
  }

  #find(from: number): LookAlike | null {
    this.#from = this.#at = from;
    this.#ways.clear();
    this.#next();
    if (this.#signs !== '<') return null;
    if (this.#afterSpaces() !== '|') return null;
    let letters = '';
    let sign = this.#afterSpaces();
    while (sign !== '|') {
      if (!/^[a-z_]+$/.test(sign)) return null;
      letters += sign.replaceAll('_', '');
      if (letters.length > MOST_LETTERS) return null;
      sign = this.#afterSpaces();
    }
    if (this.#afterSpaces() !== '>') return null;
    const token = tokenOfLetters(letters);
    if (token === undefined) return null;
    const to = this.#at;
    const written = this.#text.slice(from, to);
    if (written === token || written === brokenUp(token)) return null;
    if (this.#ways.size === 0) this.#ways.add('another way of writing');
    return { from, to, token, ways: [...this.#ways] };
  }

  /** The next character that is no space; empty at the end. */
  #afterSpaces(): string {
    for (let spaces = 0; this.#next(); spaces++) {
      if (this.#signs !== ' ') return this.#signs;
      if (spaces === MOST_SPACES) return '';
      this.#ways.add('spaces');
    }
    return '';
  }

  /** Goes on to the next character that is to be seen; false where there is none. */
  #next(): boolean {
    const text = this.#text;
    while (this.#at < text.length && this.#at - this.#from < MOST_UNITS) {
      this.steps++;
      let character = this.#encoded();
      if (character !== null) this.#ways.add('encoded characters');
      else {
        character = String.fromCodePoint(text.codePointAt(this.#at)!);
        this.#at += character.length;
      }
      if (INVISIBLE.test(character)) {
        this.#ways.add('invisible characters');
        continue;
      }
      this.#signs = this.#fold(character);
      return true;
    }
    this.#signs = '';
    return false;
  }

  #fold(character: string): string {
    if (SPACE.test(character)) return ' ';
    const lower = character.toLowerCase();
    if (character >= 'A' && character <= 'Z') this.#ways.add('capitals');
    if (character < '\x7f') return SAME[character] ?? lower;
    const plain = character.normalize('NFKC').toLowerCase();
    let signs = '';
    for (const sign of plain) signs += SAME[sign] ?? sign;
    if (/^[<>|_a-z]+$/.test(signs)) this.#ways.add('other characters that look the same');
    return signs;
  }

  /** The character that is written in code at the position, which moves behind it; null: it is written plainly. */
  #encoded(): string | null {
    const unit = this.#text.charCodeAt(this.#at);
    const pattern = unit === 0x26 ? ENTITY : unit === 0x5c ? ESCAPE : unit === 0x25 ? PERCENT : null;
    if (pattern === null) return null;
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return null;
    const character = pattern === ENTITY ? entityOf(match) : hexOf(match[1] ?? match[2] ?? match[3]!);
    if (character !== null) this.#at += match[0].length;
    return character;
  }
}

function entityOf([, name, decimal, hex]: RegExpExecArray): string | null {
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? null;
  return decimal === undefined ? hexOf(hex!) : codePoint(Number(decimal));
}

const hexOf = (digits: string): string | null => codePoint(Number.parseInt(digits, 16));
const codePoint = (code: number): string | null => (code <= 0x10ffff ? String.fromCodePoint(code) : null);
