// A line of JSON as a tree of spans, for the twin of the record scanner: RFC 8259 by recursive descent, with a regular
// expression for each token. Nothing is unescaped.

export type JsonKind = 'object' | 'list' | 'string' | 'other';

export interface JsonNode {
  readonly kind: JsonKind;
  /** Where it stands in the line, with its quotes or brackets, half open. */
  readonly from: number;
  readonly to: number;
  /** Of an object: what stands between the quotes of each key, and the values. */
  readonly members: readonly (readonly [key: string, value: JsonNode])[];
  /** Of a list. */
  readonly items: readonly JsonNode[];
  /** Containers in one another, its own included. */
  readonly depth: number;
}

const BLANKS = /[ \t\r]*/y;
const STRING = /"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;

/**
 * The value that a line holds; null: it is no JSON, or has more than `most` containers in one another. In `line` each
 * character stands for one byte, and no line feed stands in it.
 */
export function readJson(line: string, most: number): JsonNode | null {
  const reader = new Reader(line, most);
  reader.take(BLANKS);
  const value = reader.value(0);
  if (value === null) return null;
  reader.take(BLANKS);
  return reader.at === line.length ? value : null;
}

class Reader {
  at = 0;
  readonly #line: string;
  readonly #most: number;

  constructor(line: string, most: number) {
    this.#line = line;
    this.#most = most;
  }

  take(token: RegExp): boolean {
    token.lastIndex = this.at;
    if (!token.test(this.#line)) return false;
    this.at = token.lastIndex;
    return true;
  }

  /** The value at hand; `open`: containers around it. */
  value(open: number): JsonNode | null {
    const from = this.at;
    const first = this.#line[from];
    if (first === '{' || first === '[') return open < this.#most ? this.#container(first, open) : null;
    const kind = first === '"' ? 'string' : 'other';
    const isThere = kind === 'string' ? this.take(STRING) : this.take(NUMBER) || this.take(WORD);
    return isThere ? { kind, from, to: this.at, members: [], items: [], depth: 0 } : null;
  }

  #container(opener: '{' | '[', open: number): JsonNode | null {
    const from = this.at++;
    const closer = opener === '{' ? '}' : ']';
    const members: [string, JsonNode][] = [];
    const items: JsonNode[] = [];
    let depth = 0;
    this.take(BLANKS);
    if (this.#line[this.at] !== closer) {
      while (true) {
        const key = opener === '{' ? this.#key() : '';
        const value = key === null ? null : this.value(open + 1);
        if (value === null) return null;
        if (opener === '{') members.push([key!, value]);
        else items.push(value);
        depth = Math.max(depth, value.depth);
        this.take(BLANKS);
        if (this.#line[this.at] !== ',') break;
        this.at++;
        this.take(BLANKS);
      }
    }
    if (this.#line[this.at] !== closer) return null;
    this.at++;
    return { kind: opener === '{' ? 'object' : 'list', from, to: this.at, members, items, depth: depth + 1 };
  }

  /** A key up to its value. */
  #key(): string | null {
    const from = this.at;
    if (!this.take(STRING)) return null;
    const key = this.#line.slice(from + 1, this.at - 1);
    this.take(BLANKS);
    if (this.#line[this.at] !== ':') return null;
    this.at++;
    this.take(BLANKS);
    return key;
  }
}
