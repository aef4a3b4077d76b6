// Reads JSON of a known form from a file that anybody may have written: every value is looked at, and one that is wrong
// is named.

export class Reader {
  readonly #value: object;
  readonly #path: string;

  /** Throws a TypeError when the value is no object. `path`: what to call it. */
  constructor(value: unknown, path: string) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new TypeError(`${path}: expected an object`);
    }
    this.#value = value;
    this.#path = path;
  }

  #get(key: string): unknown {
    return Object.hasOwn(this.#value, key) ? (this.#value as Record<string, unknown>)[key] : undefined;
  }

  #wrong(key: string, wanted: string): TypeError {
    return new TypeError(`${this.#path}: ${key}: expected ${wanted}`);
  }

  has(key: string): boolean {
    return this.#get(key) !== undefined;
  }

  /** A count: an integer from 0 that a double holds. */
  number(key: string): number {
    const value = this.#get(key);
    if (!isCount(value)) throw this.#wrong(key, 'an integer from 0 to 2^53 - 1');
    return value;
  }

  numberOrNull(key: string): number | null {
    return this.#get(key) === null ? null : this.number(key);
  }

  text(key: string): string {
    const value = this.#get(key);
    if (typeof value !== 'string') throw this.#wrong(key, 'text');
    return value;
  }

  textOrNull(key: string): string | null {
    return this.#get(key) === null ? null : this.text(key);
  }

  object(key: string): Reader {
    return new Reader(this.#get(key), `${this.#path}: ${key}`);
  }

  /** Objects of a list. */
  list(key: string, most = Infinity): Reader[] {
    return this.#list(key, most).map((value, i) => new Reader(value, `${this.#path}: ${key}[${i}]`));
  }

  /** Counts of a list. */
  numbers(key: string, most: number): number[] {
    const values = this.#list(key, most);
    if (!values.every(isCount)) throw this.#wrong(key, 'integers from 0 to 2^53 - 1');
    return values;
  }

  #list(key: string, most: number): unknown[] {
    const value = this.#get(key);
    if (!Array.isArray(value) || value.length > most) {
      throw this.#wrong(key, most === Infinity ? 'a list' : `a list of at most ${most}`);
    }
    return value as unknown[];
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
