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
/** Bytes that are looked at together. */
const PART = 64 * 1024;

/** The parts of a body in order, without literal blocks; asked for anew whenever they are gone through. */
type Parts = () => Iterable<Span>;

/**
 * The thought in what an assistant says. A thought that began before the body ends before `stop`, where a 0.1 call
 * begins, or is none.
 */
export function readWrittenThought(
  source: Bytes, spans: Parts, body: Span, stop: number,
): WrittenThought | null {
  const [first] = spans();
  const opened = first?.from === body.from ? opening(source, first) : -1;
  if (opened >= 0) {
    const textFrom = opened + OPEN.length;
    const closed = closing(source, spans, textFrom, body.to);
    const marker = { from: opened, to: textFrom };
    if (closed < 0) return { from: opened, to: body.to, textFrom, textTo: body.to, marker, isOpened: true };
    return { from: opened, to: behind(source, spans, closed), textFrom, textTo: closed, marker, isOpened: true };
  }
  const closed = closing(source, spans, body.from, stop);
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

/** Position of the first `</think>` that stands in one of the spans, not before `from`, and ends not behind `stop`. */
function closing(source: Bytes, spans: Parts, from: number, stop: number): number {
  for (const span of spans()) {
    if (span.from >= stop) break;
    const to = Math.min(span.to, stop);
    for (let at = Math.max(span.from, from); to - at >= CLOSE.length; at += PART) {
      // A marker may begin in one part and end in the next.
      const bytes = source.bytes(at, Math.min(to, at + PART + CLOSE.length - 1));
      const found = indexOfPart(CLOSE, bytes);
      if (found >= 0) return at + found;
    }
  }
  return -1;
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

/** The same in a text; positions are UTF-16 units. Null: it holds none. */
export function thoughtIn(text: string): WrittenThought | null {
  const closed = text.indexOf(CLOSE_THINK);
  const opened = text.search(/[^ \t\r\n]/);
  const isOpened = opened >= 0 && text.startsWith(OPEN_THINK, opened);
  if (!isOpened && closed < 0) return null;
  const to = closed < 0 ? text.length : behindBlanks(text, closed + CLOSE_THINK.length);
  const from = isOpened ? opened : 0;
  const textTo = closed < 0 ? text.length : closed;
  const marker = isOpened
    ? { from: opened, to: opened + OPEN_THINK.length } : { from: closed, to: closed + CLOSE_THINK.length };
  return { from, to, textFrom: isOpened ? marker.to : 0, textTo, marker, isOpened };
}
