// Whether a body is of the type that its header declares or hints at (R-CONSTRAINT), and its value. Asked for, never
// done while scanning. A body is read in parts, so that it may be of any size.

import { HAS_LINE, JSON_DEEPEST, JSON_DEPTH } from '../abi.ts';
import type { Finding } from '../errors.ts';
import type { Message, Span } from '../model/message.ts';
import type { Machine } from '../scan/machine.ts';
import { characterLength, decodeUtf8 } from '../utf8.ts';

/**
 * Looks at the content of a message: its bytes, escapes undone, in parts, which may be gone through again. Answers null
 * when it holds, else the offset in the content of the first wrong byte (the content's length when it ends too early).
 */
export type ContentCheck = (content: Iterable<Uint8Array>) => number | null;

/** How bodies are checked against their content types (R-CONSTRAINT). */
export interface ContentOptions {
  /** Checks of content types, by their exact names; json, text and markdown are known. */
  readonly contentTypes?: { readonly [type: string]: ContentCheck } | undefined;
  /** Containers that may stand in one another in JSON, 0 to 65,536; 1,024 without it. */
  readonly jsonDepth?: number | undefined;
}

/** Options that were looked at. */
export interface Constraints {
  readonly types: ReadonlyMap<string, ContentCheck>;
  readonly depth: number;
}

type Bytes = { bytes(from: number, to: number): Uint8Array };
type JsonChecker = Pick<Machine, 'checkJson'>;

/** Types that any text is of. */
const FREE: ReadonlySet<string> = new Set(['text', 'markdown']);

/** Bytes of a body that are read at once. */
const PART = 64 * 1024;
/** No engine makes a string of more bytes. */
const LARGEST = 2 ** 31 - 1;

/** Throws a TypeError or RangeError that names the option. */
export function constraintsOf(options: ContentOptions = {}): Constraints {
  const { contentTypes = {}, jsonDepth } = options;
  if (typeof contentTypes !== 'object' || contentTypes === null) {
    throw new TypeError('option contentTypes: expected an object of functions by content type');
  }
  const types = new Map(Object.entries(contentTypes));
  for (const [type, check] of types) {
    if (typeof check !== 'function') {
      throw new TypeError(`option contentTypes: expected a function for ${JSON.stringify(type)}`);
    }
    if (type === 'json' || FREE.has(type)) {
      throw new RangeError(`option contentTypes: the type ${type} is known and has its own check`);
    }
  }
  return { types, depth: depthOf(jsonDepth) };
}

function depthOf(depth: number | undefined): number {
  if (depth === undefined) return JSON_DEPTH;
  if (Number.isInteger(depth) && depth >= 0 && depth <= JSON_DEEPEST) return depth;
  throw new RangeError(`option jsonDepth: expected an integer from 0 to ${JSON_DEEPEST}, got ${String(depth)}`);
}

/**
 * What is wrong with the content of a message, as its header calls it; null: nothing. `source`: where the body is read.
 */
export function checkContent(
  machine: JsonChecker, message: Message, source: Bytes, constraints: Constraints,
): Finding | null {
  const type = message.contentType;
  // 0.1 has no content types, whatever its header line says; a prompt that waits for its completion has no content yet.
  if (type === null || FREE.has(type) || (message.dialect.flags & HAS_LINE) !== 0 || message.isOpenTurn) return null;
  // Another type may stand behind what is read of the header.
  if (message.isReadInPart) return null;
  if (type === 'json') {
    const wrong = checkJson(machine, message, source, constraints.depth);
    if (wrong < 0) return null;
    const place = placeOf(message, source, wrong);
    return brokenJson(message.isConstrained, place);
  }
  const check = constraints.types.get(type);
  if (!check) return { rule: 'unknown-content-type', ...(message.reading.meaning.contentTypeSpan ?? message.header) };
  const answer = ask(check, message, source);
  if (answer === null) return null;
  if (answer === FAILED) return broken(message, 'invalid-content', placeOf(message, source, 0), 'the check failed');
  return broken(message, 'invalid-content', placeOf(message, source, answer));
}

/** What is wrong at `place` with a body that is to be JSON; an empty place: where it ends too early. */
export function brokenJson(isConstrained: boolean, place: Span): Finding {
  return broken({ isConstrained }, 'invalid-json', place, place.from === place.to ? 'it ends too early' : undefined);
}

/** A type that is declared binds; one that is hinted at warns. */
function broken(
  { isConstrained }: { readonly isConstrained: boolean }, rule: 'invalid-json' | 'invalid-content', place: Span,
  detail?: string,
): Finding {
  return { rule: isConstrained ? rule : 'hint-mismatch', ...place, ...(detail !== undefined && { detail }) };
}

/** Offset in the content of the first byte that is no JSON, or -1. */
function checkJson(machine: JsonChecker, message: Message, source: Bytes, depth: number): number {
  const only = onlySpan(message);
  if (only !== null && only.to - only.from <= PART) {
    return machine.checkJson(source.bytes(only.from, only.to), depth);
  }
  return machine.checkJson(partsOf(message.contentSpans(), source), depth);
}

/** The span that the content is; null: it is none, or several, perhaps very many. */
function onlySpan(message: Message): Span | null {
  const [first, second] = message.contentSpans();
  return first !== undefined && second === undefined ? first : null;
}

/** The bytes of spans; each part is valid until the next one. */
function* partsOf(spans: Iterable<Span>, source: Bytes): Generator<Uint8Array, void, void> {
  for (const { from, to } of spans) {
    for (let at = from; at < to; at += PART) yield source.bytes(at, Math.min(at + PART, to));
  }
}

const FAILED = 'failed';

/** The answer of a caller's check; FAILED when it throws, or answers with what is no offset. */
function ask(check: ContentCheck, message: Message, source: Bytes): number | null | typeof FAILED {
  // A source that cannot be read is not a matter of the check, which may catch what it throws or throw something else.
  let unreadable: { error: unknown } | undefined;
  const content: Iterable<Uint8Array> = {
    *[Symbol.iterator]() {
      try {
        // Copies: the check may keep them or write to them.
        for (const part of partsOf(message.contentSpans(), source)) yield part.slice();
      } catch (error) {
        unreadable = { error };
        throw error;
      }
    },
  };
  let answer: unknown = FAILED;
  try {
    answer = check(content);
  } catch {
    // Told as a failed check.
  }
  if (unreadable) throw unreadable.error;
  if (answer === null) return null;
  return typeof answer === 'number' && Number.isInteger(answer) && answer >= 0 ? answer : FAILED;
}

/**
 * The character in the input at an offset of the content; empty, where the body ends, when the content is no longer
 * than that.
 */
function placeOf(message: Message, source: Bytes, offset: number): Span {
  let before = 0;
  for (const { from, to } of message.contentSpans()) {
    const at = from + offset - before;
    if (at < to) {
      const bytes = source.bytes(at, Math.min(at + 4, to));
      return { from: at, to: at + Math.abs(characterLength(bytes, 0, bytes.length)) };
    }
    before += to - from;
  }
  const { to } = message.body;
  return { from: to, to };
}

export type JsonResult =
  | { readonly ok: true; readonly value: unknown }
  /**
   * `at`: byte position in the input of the first byte that is no JSON; the body's first byte when the value does not
   * fit into memory.
   */
  | { readonly ok: false; readonly at: number };

/**
 * The value of a body that is JSON, whatever its type is called. The last one of equal keys wins, and every key is an
 * own property, `__proto__` too. Never throws on data.
 */
export function parseJson(machine: JsonChecker, message: Message, source: Bytes, depth?: number): JsonResult {
  const wrong = checkJson(machine, message, source, depthOf(depth));
  if (wrong >= 0) return { ok: false, at: placeOf(message, source, wrong).from };
  return parseChecked(message, source);
}

/** The same of a body that was found to be JSON. */
export function parseChecked(message: Message, source: Bytes): JsonResult {
  const only = onlySpan(message);
  const length = only === null ? lengthOf(message.contentSpans()) : only.to - only.from;
  const tooLarge = { ok: false, at: message.body.from } as const;
  if (length > LARGEST) return tooLarge;
  const bytes = only === null ? joined(message, source, length) : source.bytes(only.from, only.to);
  try {
    return { ok: true, value: JSON.parse(decodeUtf8(bytes)) as unknown };
  } catch {
    // JSON that was checked is refused only for what an engine can hold.
    return tooLarge;
  }
}

function lengthOf(spans: Iterable<Span>): number {
  let length = 0;
  for (const { from, to } of spans) length += to - from;
  return length;
}

/** The bytes as one: a character may be divided by the tokens of a literal block. */
function joined(message: Message, source: Bytes, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of partsOf(message.contentSpans(), source)) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
