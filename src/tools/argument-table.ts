// Tables by which the scanner looks at the arguments of calls (assembly/record/fit.ts): what a plain schema asks for,
// in words and bytes.

import {
  MOST_PROPERTIES, NODE_ITEMS, NODE_PROPERTIES, NODE_PROPERTY_COUNT, NODE_REQUIRED, NODE_TYPES, NODE_VALUE_COUNT,
  NODE_VALUES, NODE_WORDS, PROPERTY_WORDS, TYPE_ARRAY, TYPE_ASK, TYPE_OBJECT, TYPE_STRING, VALUE_WORDS,
} from '../abi.ts';
import type { ArgumentTable } from '../scan/machine.ts';

/** Writes a node into a table; answers where, in words. */
export type NodeWriter = (table: TableWriter) => number;

/** A string that writers have no choice in: what stands in JSON between its quotes is itself. */
const isPlain = (value: unknown): value is string => typeof value === 'string' && /^[ !#-[\]-~]*$/.test(value);

const encoder = new TextEncoder();

export class TableWriter {
  readonly #words: number[] = [];
  /** Words that are addresses: of other words, of texts. */
  readonly #toWords: number[] = [];
  readonly #toTexts: number[] = [];
  #texts = '';

  /** The root of the table must be written first. */
  finish(): ArgumentTable {
    const texts = encoder.encode(this.#texts);
    const words = Uint32Array.from(this.#words);
    for (const at of this.#toWords) words[at]! *= 4;
    for (const at of this.#toTexts) words[at]! += words.length * 4;
    return { words, texts, addresses: [...this.#toWords, ...this.#toTexts] };
  }

  /** Strings, those of `values` alone where there are some. */
  string(values: readonly unknown[] | null): number {
    const node = this.scalar(TYPE_STRING);
    if (values === null) return node;
    const texts = values.filter(isPlain);
    const first = this.#take(texts.length * VALUE_WORDS);
    texts.forEach((text, i) => this.#setText(first + i * VALUE_WORDS, text));
    if (texts.length === 0) this.#words[node + NODE_TYPES] = TYPE_ASK;
    this.#setAddress(node + NODE_VALUES, first);
    this.#words[node + NODE_VALUE_COUNT] = texts.length;
    return node;
  }

  /** Values of a type without parts. */
  scalar(types: number): number {
    const node = this.#take(NODE_WORDS);
    this.#words[node + NODE_TYPES] = types;
    return node;
  }

  list(items: NodeWriter): number {
    const node = this.scalar(TYPE_ARRAY);
    this.#setAddress(node + NODE_ITEMS, items(this));
    return node;
  }

  object(properties: ReadonlyMap<string, NodeWriter>, required: readonly string[]): number {
    const names = [...properties.keys()].filter(isPlain);
    const isWhole = names.length <= MOST_PROPERTIES && required.every((name) => names.includes(name));
    const node = this.scalar(isWhole ? TYPE_OBJECT : TYPE_ASK);
    if (!isWhole || names.length === 0) return node;
    const first = this.#take(names.length * PROPERTY_WORDS);
    this.#setAddress(node + NODE_PROPERTIES, first);
    this.#words[node + NODE_PROPERTY_COUNT] = names.length;
    names.forEach((name, i) => {
      const at = first + i * PROPERTY_WORDS;
      this.#setText(at, name);
      this.#setAddress(at + 2, properties.get(name)!(this));
      if (i + 1 < names.length) this.#setAddress(at + 3, at + PROPERTY_WORDS);
      if (required.includes(name)) this.#words[node + NODE_REQUIRED + (i >> 5)]! |= 1 << (i & 31);
    });
    return node;
  }

  #take(words: number): number {
    const at = this.#words.length;
    for (let i = 0; i < words; i++) this.#words.push(0);
    return at;
  }

  #setAddress(at: number, word: number): void {
    this.#words[at] = word;
    this.#toWords.push(at);
  }

  #setText(at: number, text: string): void {
    this.#words[at] = this.#texts.length;
    this.#words[at + 1] = text.length;
    this.#toTexts.push(at);
    this.#texts += text;
  }
}
