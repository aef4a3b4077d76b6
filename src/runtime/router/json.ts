// Results of handlers as JSON text, within bounds: a result may be cyclic, endless, or throw when it is looked at.

/** Containers in one another. Ends a cycle, and keeps the stack. */
const DEEPEST = 128;

/** A value that is not written. */
export class Unwritable extends Error {
  readonly reason: 'too-large' | 'no-json';

  constructor(reason: Unwritable['reason']) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * A value as JSON.stringify writes it, in at most `bytes` bytes of UTF-8; throws Unwritable, or what the value throws.
 * `<|` becomes `\u003c|`: the same string to a JSON parser, and never a control token, in whatever dialect the text is
 * written. Bytes without a JSON form (a typed array) are refused: as JSON.stringify writes them they are no use, and
 * very long. So is what it would write as `{}` and is none: a Map, an Error, a Response, a Promise.
 */
export function boundedJson(value: unknown, bytes: number): string {
  const writer = new JsonWriter(bytes);
  writer.write(plain(value, ''), 0);
  return writer.text;
}

class JsonWriter {
  #left: number;
  readonly #pieces: string[] = [];

  constructor(bytes: number) {
    this.#left = bytes;
  }

  get text(): string {
    return this.#pieces.join('');
  }

  write(value: unknown, depth: number): void {
    if (typeof value === 'string') this.#string(value);
    else if (typeof value === 'number') this.#add(Number.isFinite(value) ? String(value) : 'null');
    else if (typeof value === 'boolean') this.#add(String(value));
    else if (value === null || isNothing(value)) this.#add('null');
    else if (typeof value !== 'object' || depth >= DEEPEST || ArrayBuffer.isView(value))
      throw new Unwritable('no-json');
    else if (Array.isArray(value)) this.#array(value, depth);
    else this.#object(value, depth);
  }

  #add(text: string): void {
    this.#left -= utf8Length(text);
    if (this.#left < 0) throw new Unwritable('too-large');
    this.#pieces.push(text);
  }

  #string(value: string): void {
    if (value.length > this.#left) throw new Unwritable('too-large');
    this.#add(JSON.stringify(value).replaceAll('<|', '\\u003c|'));
  }

  #array(values: readonly unknown[], depth: number): void {
    this.#add('[');
    for (let index = 0; index < values.length; index++) {
      if (index > 0) this.#add(',');
      this.write(plain(values[index], String(index)), depth + 1);
    }
    this.#add(']');
  }

  #object(value: object, depth: number): void {
    let before = '{';
    const keys = Object.keys(value);
    if (keys.length === 0 && !isPlain(value)) throw new Unwritable('no-json');
    for (const key of keys) {
      const inner = plain((value as Record<string, unknown>)[key], key);
      if (isNothing(inner)) continue;
      this.#add(before);
      this.#string(key);
      this.#add(':');
      this.write(inner, depth + 1);
      before = ',';
    }
    this.#add(before === '{' ? '{}' : '}');
  }
}

/** JSON has nothing for it: null in an array, and a property with it is left out. */
export const isNothing = (value: unknown): boolean =>
  value === undefined || typeof value === 'function' || typeof value === 'symbol';

/** The value that stands for another: of its `toJSON`, or of a boxed string, number or boolean. */
export function plain(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  const { toJSON } = value as { toJSON?: unknown };
  const given: unknown = typeof toJSON === 'function' ? toJSON.call(value, key) : value;
  const isBoxed = given instanceof String || given instanceof Number || given instanceof Boolean;
  return isBoxed ? given.valueOf() : given;
}

/** An object of no class, also one of another realm. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function utf8Length(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Each half of a pair counts two bytes. JSON text has no other surrogates.
    if (unit > 0x7f) length += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return length;
}
