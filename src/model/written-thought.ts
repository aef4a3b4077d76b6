// Reasoning that a model wrote as text: `<think>…</think>` where it begins to speak (R-THINK).

import { indexOfPart, isBlankByte, type Span, standsAt } from './bytes.ts';

export const OPEN_THINK = '<think>';
export const CLOSE_THINK = '</think>';
/** The same as bytes. */
export const OPEN: Uint8Array = new TextEncoder().encode(OPEN_THINK);
export const CLOSE: Uint8Array = new TextEncoder().encode(CLOSE_THINK);

/** Byte positions, half open. */
export interface WrittenThought {
  /** What is not shown: the markers, what is between them, and the white space that follows. */
  readonly from: number;
  readonly to: number;
  /** What is between the markers, or before the only one. */
  readonly textFrom: number;
  readonly textTo: number;
  /** Of the marker that tells of it. */
  readonly marker: Span;
  /** It begins with a marker. Else only the one that ends it is there: a prompt may have held the other. */
  readonly isOpened: boolean;
}

interface Bytes {
  bytes(from: number, to: number): Uint8Array;
}

const LT = 0x3c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
/** Bytes that are looked at together. */
const PART = 64 * 1024;

/** The parts of a body in order, without literal blocks; asked for anew whenever they are gone through. */
type Parts = () => Iterable<Span>;

/**
 * The thought in what an assistant says. `calls`: what calls tools in the body, in order. A `</think>` in a string of
 * what a call holds is what a tool is told, also where that is cut or no JSON: what follows would be shown. One
 * elsewhere ends a thought, and the calls before it were part of that.
 */
export function readWrittenThought(
  source: Bytes, spans: Parts, body: Span, calls: readonly Span[],
): WrittenThought | null {
  const [first] = spans();
  const opened = first?.from === body.from ? opening(source, first) : -1;
  if (opened >= 0) {
    const textFrom = opened + OPEN.length;
    const closed = closing(source, spans, textFrom);
    const marker = { from: opened, to: textFrom };
    if (closed < 0) return { from: opened, to: body.to, textFrom, textTo: body.to, marker, isOpened: true };
    return { from: opened, to: behind(source, spans, closed), textFrom, textTo: closed, marker, isOpened: true };
  }
  const take = (given: Given, from: number, to: number): void => {
    for (let at = from; at < to && !given.isOver; at += PART) given.take(source.bytes(at, Math.min(to, at + PART)));
  };
  const closed = endOfThought((from) => closing(source, spans, from), body, calls, take);
  if (closed < 0) return null;
  const marker = { from: closed, to: closed + CLOSE.length };
  const to = behind(source, spans, closed);
  return { from: body.from, to, textFrom: body.from, textTo: closed, marker, isOpened: false };
}

/** The body [from, to) without its literal blocks, which are in order. */
export function* outside({ from, to }: Span, literals: Iterable<Span>): Generator<Span, void, void> {
  let isFirst = true;
  let at = from;
  for (const literal of literals) {
    if (literal.from > at || (at === from && literal.from === from)) {
      yield { from: at, to: literal.from };
      isFirst = false;
    }
    at = literal.to;
  }
  if (at < to || isFirst) yield { from: at, to };
}

/** Position of `<think>` when it is the first thing after white space, else -1. */
function opening(source: Bytes, { from, to }: Span): number {
  for (let at = from; at < to; at += PART) {
    const bytes = source.bytes(at, Math.min(to, at + PART));
    let i = 0;
    while (i < bytes.length && isBlankByte(bytes[i])) i++;
    if (i === bytes.length) continue;
    const found = at + i;
    if (bytes[i] !== LT || found + OPEN.length > to) return -1;
    return standsAt(OPEN, source.bytes(found, found + OPEN.length), 0) ? found : -1;
  }
  return -1;
}

/** Position of the first `</think>` that stands in one of the spans, not before `from`; -1: none does. */
function closing(source: Bytes, spans: Parts, from: number): number {
  for (const { from: begin, to } of spans()) {
    for (let at = Math.max(begin, from); to - at >= CLOSE.length; at += PART) {
      // A marker may begin in one part and end in the next.
      const bytes = source.bytes(at, Math.min(to, at + PART + CLOSE.length - 1));
      const found = indexOfPart(CLOSE, bytes);
      if (found >= 0) return at + found;
    }
  }
  return -1;
}

/** Follows what is given to a tool, the object or list behind the tag or token of a call. */
class Given {
  #depth = 0;
  #isEscaped = false;
  /** What was taken ends in a string of it. */
  isInText = false;
  /** It has ended, or none begins here. */
  isOver = false;

  take(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length && !this.isOver; i++) this.step(bytes[i]!);
  }

  step(unit: number): void {
    if (this.isInText) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (unit === BACKSLASH) this.#isEscaped = true;
      else if (unit === QUOTE) this.isInText = false;
    } else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) this.#depth++;
    else if (this.#depth === 0) this.isOver = !isBlankByte(unit);
    else if (unit === QUOTE) this.isInText = true;
    else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) this.isOver = --this.#depth === 0;
  }
}

/**
 * Where the `</think>` stands that ends a thought which began with the body; -1: none does. `find` tells where one
 * stands from a place on, `take` gives what stands between two places.
 */
function endOfThought(
  find: (from: number) => number, body: Span, calls: readonly Span[],
  take: (given: Given, from: number, to: number) => void,
): number {
  let closed = find(body.from);
  for (let i = 0; i < calls.length && closed >= calls[i]!.to; i++) {
    const end = calls[i + 1]?.from ?? body.to;
    const given = new Given();
    for (let at = calls[i]!.to; closed >= 0 && closed < end; closed = find(closed + CLOSE.length)) {
      take(given, at, closed);
      at = closed;
      if (!given.isInText) return closed;
    }
  }
  return closed;
}

/** Behind the marker that stands at `closed` and the white space that follows it in its span. */
function behind(source: Bytes, spans: Parts, closed: number): number {
  let at = closed + CLOSE.length;
  let to = at;
  for (const span of spans()) {
    if (span.from > closed) break;
    to = span.to;
  }
  while (at < to) {
    const bytes = source.bytes(at, Math.min(to, at + PART));
    let i = 0;
    while (i < bytes.length && isBlankByte(bytes[i])) i++;
    at += i;
    if (i < bytes.length) break;
  }
  return at;
}

/** Position of the first character that is no white space, from `at` on. */
export function behindBlanks(text: string, at: number): number {
  let to = at;
  while (to < text.length && isBlankByte(text.charCodeAt(to))) to++;
  return to;
}

/** The same in a text; positions are UTF-16 units. `calls`: what calls tools in it. Null: it holds no thought. */
export function thoughtIn(text: string, calls: readonly Span[] = []): WrittenThought | null {
  const first = text.indexOf(CLOSE_THINK);
  const opened = text.search(/[^ \t\r\n]/);
  const isOpened = opened >= 0 && text.startsWith(OPEN_THINK, opened);
  const take = (given: Given, from: number, end: number): void => {
    for (let at = from; at < end && !given.isOver; at++) given.step(text.charCodeAt(at));
  };
  const find = (from: number): number => text.indexOf(CLOSE_THINK, from);
  const closed = isOpened || first < 0 ? first : endOfThought(find, { from: 0, to: text.length }, calls, take);
  if (!isOpened && closed < 0) return null;
  const to = closed < 0 ? text.length : behindBlanks(text, closed + CLOSE_THINK.length);
  const from = isOpened ? opened : 0;
  const textTo = closed < 0 ? text.length : closed;
  const marker = isOpened
    ? { from: opened, to: opened + OPEN_THINK.length } : { from: closed, to: closed + CLOSE_THINK.length };
  return { from, to, textFrom: isOpened ? marker.to : 0, textTo, marker, isOpened };
}
