// A quick yes for arguments that are still text: that they are JSON, and fit a plain schema, without making a value of them. It says
// only that they do; whatever it does not know for certain is left to who reads the value (plain-schema.ts).

import type { Machine } from '../scan/machine.ts';

/** Text in a machine's window, up to `to`: valid UTF-8. */
export interface Text {
  readonly machine: Machine;
  readonly to: number;
}

/**
 * Where the value that begins at `at` ends, white space behind it included, when it is JSON and fits; -1: nobody knows. `depth`:
 * containers that may stand in one another.
 */
export type TextAccepts = (text: Text, at: number, depth: number) => number;

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
/** Digits of a number that is an integer for certain. */
const MOST_DIGITS = 15;

const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

const encoder = new TextEncoder();
const bytesOf = (text: string): Uint8Array => encoder.encode(text);

function stands({ machine: { source }, to }: Text, at: number, bytes: Uint8Array): boolean {
  if (at + bytes.length > to) return false;
  for (let i = 0; i < bytes.length; i++) if (source[at + i] !== bytes[i]) return false;
  return true;
}

function skipBlanks({ machine: { source }, to }: Text, at: number): number {
  while (at < to && isBlank(source[at])) at++;
  return at;
}

/**
 * Where the string, number or word that begins at `at` ends, white space behind it included; -1: that is nothing for certain. The
 * machine stops at the first byte that cannot go on the value. What it stopped in shows the byte before: all that may be cut there are
 * an escape and a number, and neither ends in what is looked for.
 */
function scalarTo(text: Text, at: number, isLast: (byte: number | undefined) => boolean): number {
  const { machine, to } = text;
  const end = machine.checkWindowJson(at, to, 0);
  if (end < 0 || end >= to) return -1;
  const byte = machine.source[end];
  if (byte !== COMMA && byte !== CLOSE_OBJECT && byte !== CLOSE_LIST) return -1;
  let last = end - 1;
  while (last > at && isBlank(machine.source[last])) last--;
  return isLast(machine.source[last]) ? end : -1;
}

const isQuote = (byte: number | undefined): boolean => byte === QUOTE;

export const acceptsString: TextAccepts = (text, at) => (text.machine.source[at] === QUOTE ? scalarTo(text, at, isQuote) : -1);

export const acceptsNumber: TextAccepts = (text, at) => {
  const first = text.machine.source[at];
  return first === MINUS || isDigit(first) ? scalarTo(text, at, isDigit) : -1;
};

/** Few digits and nothing else. */
export const acceptsInteger: TextAccepts = (text, at) => {
  const { source } = text.machine;
  const from = source[at] === MINUS ? at + 1 : at;
  let to = from;
  while (to < text.to && to - from <= MOST_DIGITS && isDigit(source[to])) to++;
  if (to === from || to - from > MOST_DIGITS || (source[from] === 0x30 && to - from > 1)) return -1;
  // Behind a longer number stands what its list or object does not go on with.
  return skipBlanks(text, to);
};

/** One of these texts, as it stands. */
function acceptsOneOf(texts: readonly string[]): TextAccepts {
  const known = texts.map(bytesOf);
  return (text, at) => {
    for (const one of known) if (stands(text, at, one)) return skipBlanks(text, at + one.length);
    return -1;
  };
}

export const acceptsBoolean = acceptsOneOf(['true', 'false']);
export const acceptsNull = acceptsOneOf(['null']);
export const acceptsNothing: TextAccepts = () => -1;

/** A string that writers have no choice in: what stands in JSON between its quotes is itself. */
const isPlain = (value: unknown): value is string => typeof value === 'string' && /^[ !#-[\]-~]*$/.test(value);

/** Members of an enumeration, and properties, of which each may be the one that stands there. */
const MOST_CHOICES = 30;

export function acceptsMember(values: readonly unknown[]): TextAccepts {
  return values.length > MOST_CHOICES ? acceptsNothing : acceptsOneOf(values.filter(isPlain).map((value) => `"${value}"`));
}

export function acceptsObject(properties: ReadonlyMap<string, TextAccepts>, required: readonly string[]): TextAccepts {
  const names = [...properties.keys()];
  if (names.length > MOST_CHOICES || !required.every((name) => properties.has(name))) return acceptsNothing;
  const keys = names.map((name) => (isPlain(name) ? bytesOf(`"${name}"`) : null));
  const values = [...properties.values()];
  const needed = required.reduce((bits, name) => bits | (1 << names.indexOf(name)), 0);
  return (text, from, depth) => {
    let seen = 0;
    const to = eachPart(text, from, depth, OPEN_OBJECT, CLOSE_OBJECT, (at) => {
      const which = keys.findIndex((key) => key !== null && stands(text, at, key));
      if (which < 0) return -1;
      seen |= 1 << which;
      const colon = skipBlanks(text, at + keys[which]!.length);
      return text.machine.source[colon] === COLON ? values[which]!(text, skipBlanks(text, colon + 1), depth - 1) : -1;
    });
    return (seen & needed) === needed ? to : -1;
  };
}

/** `most`: items that are looked at. */
export function acceptsList(items: TextAccepts, most: number): TextAccepts {
  return (text, from, depth) => {
    let count = 0;
    return eachPart(text, from, depth, OPEN_LIST, CLOSE_LIST, (at) => (++count > most ? -1 : items(text, at, depth - 1)));
  };
}

/** What stands between two brackets, divided by commas. `part` answers as a TextAccepts does. */
function eachPart(text: Text, from: number, depth: number, open: number, close: number, part: (at: number) => number): number {
  const { machine: { source }, to } = text;
  if (depth < 1 || from >= to || source[from] !== open) return -1;
  let at = skipBlanks(text, from + 1);
  if (at < to && source[at] === close) return skipBlanks(text, at + 1);
  while (at < to) {
    at = part(at);
    if (at < 0 || at >= to) return -1;
    if (source[at] === close) return skipBlanks(text, at + 1);
    if (source[at] !== COMMA) return -1;
    at = skipBlanks(text, at + 1);
  }
  return -1;
}

/** Whether all of the text is one value that fits. */
export function fitsText(accepts: TextAccepts, machine: Machine, from: number, to: number, depth: number): boolean {
  const text = { machine, to };
  return accepts(text, skipBlanks(text, from), depth) === to;
}
