// Reasoning that a model wrote as text: `<think>…</think>` where it begins to speak (R-THINK).

import { decodeUtf8 } from '../utf8.ts';
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
/** Bytes that are looked at together. */
const PART = 64 * 1024;

/** The parts of a body in order, without literal blocks; asked for anew whenever they are gone through. */
type Parts = () => Iterable<Span>;

/**
 * The thought in what an assistant says. `calls`: what calls tools in the body, in order. A `</think>` in the object of
 * a call is what a tool is told; one behind the object ends a thought, and the call was part of that.
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
  let closed = closing(source, spans, body.from);
  for (let i = 0; i < calls.length && calls[i]!.from < closed; i++) {
    const next = calls[i + 1]?.from ?? body.to;
    if (next <= closed) continue;
    const end = endOfCall(source, calls[i]!.to, next);
    if (end > closed) closed = closing(source, spans, end);
  }
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

/** Bytes of a call that are looked at. */
const LONGEST_CALL = 16 * 1024 * 1024;

/** Where the object of a call in [from, to) ends; `from` where there is none that is JSON. */
function endOfCall(source: Bytes, from: number, to: number): number {
  const bytes = source.bytes(from, Math.min(to, from + LONGEST_CALL));
  let depth = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isText && byte === BACKSLASH) at++;
    else if (byte === QUOTE) isText = !isText;
    else if (isText) continue;
    else if (byte === OPEN_BRACE) depth++;
    else if (byte === CLOSE_BRACE && --depth === 0) return isJson(bytes.subarray(0, at + 1)) ? from + at + 1 : from;
  }
  return from;
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(decodeUtf8(bytes));
    return true;
  } catch {
    return false;
  }
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

/** The same in a text, whose calls are not looked at; positions are UTF-16 units. Null: it holds none. */
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
