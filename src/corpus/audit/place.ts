// Where in the input the texts of an audit stand. A text may have a million findings: no object is made for each.

import { type JsonSpan, RawOffsets } from '../records/json-place.ts';

/** Where in the input the bytes of a text come from. Edits are placed in order. */
export interface Place {
  /** The byte that byte `from` of the text comes from. */
  from(from: number): number;
  /** The end of bytes [from, to). */
  to(from: number, to: number): number;
}

/** So many bytes further on. */
export class Shifted implements Place {
  readonly #by: number;

  constructor(by: number) {
    this.#by = by;
  }

  from(from: number): number {
    return this.#by + from;
  }

  to(_: number, to: number): number {
    return this.#by + to;
  }
}

/** Bytes of an input, and where they stand. */
export interface Raw {
  readonly from: number;
  readonly bytes: Uint8Array;
}

/** Of the value of a string; what lies behind it is its end. */
export class InString implements Place {
  readonly #base: number;
  readonly #offsets: RawOffsets;

  constructor({ from, bytes }: Raw, span: JsonSpan) {
    this.#base = from;
    this.#offsets = new RawOffsets(bytes, span);
  }

  from(from: number): number {
    return this.#base + this.#offsets.of(from);
  }

  to(_: number, to: number): number {
    return this.#base + this.#offsets.of(to);
  }
}

/** Of what stands in bytes that are not those of the input. */
export class Through implements Place {
  readonly #inner: Place;
  readonly #place: (offset: number) => number;

  /** `place`: where the byte of an offset of theirs stands. */
  constructor(inner: Place, place: (offset: number) => number) {
    this.#inner = inner;
    this.#place = place;
  }

  from(from: number): number {
    return this.#place(this.#inner.from(from));
  }

  to(from: number, to: number): number {
    return this.#place(this.#inner.to(from, to));
  }
}

/** Of two texts that follow each other; bytes of both are told where the first one has them. */
export class InBoth implements Place {
  readonly #first: number;
  readonly #one: Place;
  readonly #other: Place;

  /** `first`: bytes of the first one. */
  constructor(first: number, one: Place, other: Place) {
    this.#first = first;
    this.#one = one;
    this.#other = other;
  }

  from(from: number): number {
    return from < this.#first ? this.#one.from(from) : this.#other.from(from - this.#first);
  }

  to(from: number, to: number): number {
    const first = this.#first;
    return from < first ? this.#one.to(from, Math.min(to, first)) : this.#other.to(from - first, to - first);
  }
}

/** Of a part of a text. */
export class Within implements Place {
  readonly #begin: number;
  readonly #whole: Place;

  constructor(begin: number, whole: Place) {
    this.#begin = begin;
    this.#whole = whole;
  }

  from(from: number): number {
    return this.#whole.from(this.#begin + from);
  }

  to(from: number, to: number): number {
    return this.#whole.to(this.#begin + from, this.#begin + to);
  }
}
