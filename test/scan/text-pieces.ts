// Random JSON text for the text machine, and plain readers to compare it with.
import type { Random } from '../random.ts';

const encoder = new TextEncoder();
const bytesOf = (text: string): number[] => [...encoder.encode(text)];

const CHARACTERS = [
  'a', ' ', '\u00e9', '\u07ff', '\u0800', '\u4f60', '\ud7ff', '\ue000', '\ufeff', '\uffff', '\u{10000}', '\u{1f600}',
  '\u{10ffff}', '\x7f', '/', '{',
];
const SIMPLE = ['\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t'];
const CODES = [
  '0041', '000a', '0000', '00e9', '00E9', '07ff', '0800', '4f60', 'FFFD', 'ffff', 'dBfF', 'd800', 'DBFF', 'dc00',
  'DfFf', 'd83d', 'de00', '005c', '0022',
];
/** Bytes that no valid string holds: control characters, and UTF-8 that is cut, overlong, a surrogate, or too large. */
const BAD = [
  [0x00], [0x0a], [0x1f], [0x80], [0xbf], [0xc0, 0xaf], [0xc1, 0xbf], [0xc3], [0xe0, 0x80, 0x80], [0xe0, 0xa0],
  [0xe4, 0xbd], [0xed, 0xa0, 0x80],
  [0xf0, 0x80, 0x80, 0x80], [0xf0, 0x9f, 0x98], [0xf4, 0x90, 0x80, 0x80], [0xf5], [0xff],
];
const BAD_ESCAPES = ['\\x', '\\u12g4', '\\u', '\\u1', '\\\u00e9', '\\ ', '\\U0041', '\\a', '\\0', '\\\x00'];

/** Content of a string as it stands between its quotes. `wild`: now and then something that is not allowed. */
export function randomContent(random: Random, most: number, wild = false): number[] {
  const bytes: number[] = [];
  for (let left = random.below(most + 1); left > 0; left--) {
    switch (random.below(wild ? 9 : 8)) {
      case 0: bytes.push(...new Array<number>(random.below(90)).fill(0x78)); break;
      case 1: bytes.push(...new Array<string>(1 + random.below(5)).fill('\\\\').flatMap(bytesOf)); break;
      case 2: bytes.push(...bytesOf(random.pick(SIMPLE))); break;
      case 3: bytes.push(...bytesOf(`\\u${random.pick(CODES)}`)); break;
      case 4: bytes.push(...bytesOf(`\\ud83d\\u${random.pick(CODES)}`)); break;
      case 5: for (let i = random.below(40); i > 0; i--) bytes.push(...bytesOf(random.pick(CHARACTERS))); break;
      case 8:
        if (!random.once(4)) break;
        bytes.push(...(random.once(2) ? random.pick(BAD) : bytesOf(random.pick(BAD_ESCAPES))));
        break;
      default: bytes.push(...bytesOf(random.pick(CHARACTERS)));
    }
  }
  return bytes;
}

const NUMBERS = ['0', '-0', '12', '-3.5', '1e9', '2E-7', '10.25e+3', '1234567890123456789'];
const WORDS = ['true', 'false', 'null'];
/** White space, now and then with a line feed, which ends a line. */
const blank = (random: Random): number[] => {
  if (!random.once(3)) return [];
  return bytesOf(random.once(50) ? ' \n ' : random.pick([' ', '\t', '\r', '  \r  ']));
};

export function randomValue(random: Random, depth: number, wild: boolean): number[] {
  const kind = random.below(depth > 0 ? 6 : 4);
  if (kind < 2) return [0x22, ...randomContent(random, 8, wild), 0x22];
  if (kind === 2) return bytesOf(random.pick(NUMBERS));
  if (kind === 3) return bytesOf(random.pick(WORDS));
  if (kind === 4) return randomObject(random, depth - 1, wild);
  const bytes = [0x5b, ...blank(random)];
  for (let left = random.below(4); left > 0; left--) {
    bytes.push(
      ...randomValue(random, depth - 1, wild), ...blank(random), ...(left > 1 ? [0x2c] : []), ...blank(random),
    );
  }
  return [...bytes, 0x5d];
}

export function randomObject(random: Random, depth: number, wild: boolean, most = 6): number[] {
  const bytes = [0x7b, ...blank(random)];
  for (let left = random.below(most + 1); left > 0; left--) {
    const key = random.once(2)
      ? bytesOf(random.pick(['text', 'prompt', 't\\u0065xt', 'messages', '']))
      : randomContent(random, 3, wild);
    bytes.push(
      0x22, ...key, 0x22, ...blank(random), 0x3a, ...blank(random), ...randomValue(random, depth, wild),
      ...blank(random),
    );
    if (left > 1) bytes.push(0x2c, ...blank(random));
  }
  return [...bytes, 0x7d];
}

export interface PlainMember {
  readonly key: readonly [from: number, to: number];
  readonly value: readonly [from: number, to: number];
}

/** The members of a valid JSON object, read a byte at a time. */
export function plainMembers(bytes: Uint8Array): PlainMember[] {
  const members: PlainMember[] = [];
  let at = 0;
  const isBlank = (): boolean => [0x20, 0x09, 0x0a, 0x0d].includes(bytes[at]!);
  const skip = (): void => {
    while (at < bytes.length && isBlank()) at++;
  };
  const string = (): void => {
    for (at++; bytes[at] !== 0x22; at++) if (bytes[at] === 0x5c) at++;
    at++;
  };
  skip();
  for (at++, skip(); bytes[at] !== 0x7d; skip()) {
    if (bytes[at] === 0x2c) at++;
    skip();
    const keyFrom = at + 1;
    string();
    const keyTo = at - 1;
    skip();
    at++;
    skip();
    const from = at;
    let depth = 0;
    do {
      const byte = bytes[at]!;
      if (byte === 0x22) {
        string();
        continue;
      }
      if (byte === 0x7b || byte === 0x5b) depth++;
      if (byte === 0x7d || byte === 0x5d) depth--;
      at++;
    } while (depth > 0 || !(bytes[at] === 0x2c || bytes[at] === 0x7d || isBlank()));
    members.push({ key: [keyFrom, keyTo], value: [from, at] });
  }
  return members;
}

/** Where each byte of the content comes from, and behind the last one the end of the string. */
export function plainOrigins(content: Uint8Array): number[] {
  const origins: number[] = [];
  const isCode = (at: number): boolean => content[at] === 0x5c && content[at + 1] === 0x75;
  const codeAt = (at: number): number => parseInt(String.fromCharCode(...content.subarray(at + 2, at + 6)), 16);
  for (let at = 0; at < content.length; ) {
    let length = 1;
    let written = 1;
    if (content[at] === 0x5c) {
      length = 2;
      if (isCode(at)) {
        const code = codeAt(at);
        length = 6;
        written = code < 0x80 ? 1 : code < 0x800 ? 2 : 3;
        if (code >> 10 === 0x36 && isCode(at + 6) && codeAt(at + 6) >> 10 === 0x37) {
          length = 12;
          written = 4;
        }
      }
    }
    for (let i = 0; i < written; i++) origins.push(at);
    at += length;
  }
  return [...origins, content.length];
}
