// JSON with the place of every key and value, for a file that people write: what is wrong is told by its place.

export type JsonNode = { readonly from: number } & (
  | { readonly kind: 'object'; readonly entries: readonly JsonEntry[] }
  | { readonly kind: 'list'; readonly items: readonly JsonNode[] }
  | { readonly kind: 'plain'; readonly value: string | number | boolean | null }
);

export interface JsonEntry {
  readonly key: string;
  /** Where the key begins, in UTF-16 units. */
  readonly from: number;
  readonly value: JsonNode;
}

/** What is wrong with a text, and where. Holds nothing of the text. */
export class JsonProblem extends Error {
  override readonly name = 'JsonProblem';
  readonly from: number;
  readonly reason: string;

  constructor(from: number, reason: string) {
    super(`${reason} (at ${from})`);
    this.from = from;
    this.reason = reason;
  }
}

const DEEPEST = 16;

/** One value and nothing else, as RFC 8259 has it; every key once. Throws a JsonProblem. */
export function readJson(text: string): JsonNode {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

// Each matches at one place only, and no part of it can match in two ways.
const BLANK = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /(?:true|false|null)/y;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): JsonNode {
    this.#match(BLANK);
    const from = this.#at;
    if (depth > DEEPEST) throw new JsonProblem(from, 'is nested too deeply');
    if (this.#take('{')) return { from, kind: 'object', entries: this.#entries(depth) };
    if (this.#take('[')) return { from, kind: 'list', items: this.#list(']', () => this.value(depth + 1)) };
    const plain = this.#match(STRING) ?? this.#match(NUMBER) ?? this.#match(WORD);
    if (plain === null) throw this.#wrong('a value');
    return { from, kind: 'plain', value: JSON.parse(plain) as string | number | boolean | null };
  }

  end(): void {
    this.#match(BLANK);
    if (this.#at < this.#text.length) throw this.#wrong('the end');
  }

  #entries(depth: number): JsonEntry[] {
    const keys = new Set<string>();
    return this.#list('}', () => {
      const from = this.#at;
      const quoted = this.#match(STRING);
      if (quoted === null) throw this.#wrong('a key in double quotes');
      const key = JSON.parse(quoted) as string;
      if (keys.has(key)) throw new JsonProblem(from, 'a key stands twice in an object');
      keys.add(key);
      this.#match(BLANK);
      if (!this.#take(':')) throw this.#wrong('a colon');
      return { key, from, value: this.value(depth + 1) };
    });
  }

  #list<T>(close: string, item: () => T): T[] {
    const items: T[] = [];
    this.#match(BLANK);
    if (this.#take(close)) return items;
    do {
      this.#match(BLANK);
      items.push(item());
      this.#match(BLANK);
    } while (this.#take(','));
    if (!this.#take(close)) throw this.#wrong(`a comma or ${close}`);
    return items;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return null;
    this.#at = pattern.lastIndex;
    return found[0];
  }

  #wrong(wanted: string): JsonProblem {
    if (this.#text.startsWith('//', this.#at) || this.#text.startsWith('/*', this.#at)) {
      return new JsonProblem(this.#at, 'JSON has no comments');
    }
    return new JsonProblem(this.#at, `expected ${wanted}`);
  }
}
