// Tables by which the scanner looks at the arguments of calls (assembly/record/fit.ts): what a plain schema asks for,
// in words and bytes.

import {
  MOST_PROPERTIES, NODE_ITEMS, NODE_PROPERTIES, NODE_PROPERTY_COUNT, NODE_REQUIRED, NODE_TYPES, NODE_VALUE_COUNT,
  NODE_VALUES, NODE_WORDS, PROPERTY_WORDS, TYPE_ARRAY, TYPE_ASK, TYPE_BOOLEAN, TYPE_INTEGER, TYPE_NUMBER, TYPE_OBJECT,
  TYPE_STRING, VALUE_WORDS,
} from '../abi.ts';
import type { ArgumentTable } from '../scan/machine.ts';
import type { PlainSchema } from './plain-schema.ts';

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

  /** Writes the node of a schema; answers where, in words. */
  write(plain: PlainSchema): number {
    const { strings, scalars, bounds, items } = plain;
    const node = this.#take(NODE_WORDS);
    let { types } = plain;
    if (scalars !== null || bounds.number !== null) types &= ~(TYPE_NUMBER | TYPE_INTEGER);
    if (scalars !== null) types &= ~TYPE_BOOLEAN;
    if (bounds.length !== null) types &= ~TYPE_STRING;
    if (bounds.items !== null) types &= ~TYPE_ARRAY;
    if (types & TYPE_STRING && strings !== null && !this.#strings(node, strings)) types &= ~TYPE_STRING;
    if (types & TYPE_OBJECT && !this.#object(node, plain)) types &= ~TYPE_OBJECT;
    if (types & TYPE_ARRAY) this.#setAddress(node + NODE_ITEMS, this.write(items!));
    this.#words[node + NODE_TYPES] = types === 0 ? TYPE_ASK : types;
    return node;
  }

  /** False: none of them is such that a table can hold it. */
  #strings(node: number, values: readonly unknown[]): boolean {
    const texts = values.filter(isPlain);
    const first = this.#take(texts.length * VALUE_WORDS);
    texts.forEach((text, i) => this.#setText(first + i * VALUE_WORDS, text));
    this.#setAddress(node + NODE_VALUES, first);
    this.#words[node + NODE_VALUE_COUNT] = texts.length;
    return texts.length > 0;
  }

  /** False: a table does not hold what is required. */
  #object(node: number, { properties, required }: PlainSchema): boolean {
    const names = [...properties.keys()].filter(isPlain);
    if (names.length > MOST_PROPERTIES || !required.every((name) => names.includes(name))) return false;
    if (names.length === 0) return true;
    const first = this.#take(names.length * PROPERTY_WORDS);
    this.#setAddress(node + NODE_PROPERTIES, first);
    this.#words[node + NODE_PROPERTY_COUNT] = names.length;
    names.forEach((name, i) => {
      const at = first + i * PROPERTY_WORDS;
      this.#setText(at, name);
      this.#setAddress(at + 2, this.write(properties.get(name)!));
      if (i + 1 < names.length) this.#setAddress(at + 3, at + PROPERTY_WORDS);
      if (required.includes(name)) this.#words[node + NODE_REQUIRED + (i >> 5)]! |= 1 << (i & 31);
    });
    return true;
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
