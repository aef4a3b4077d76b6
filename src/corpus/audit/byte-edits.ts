// Edits of a text as edits of the input's bytes: a text may be nothing but tokens, so no object is made for each.

import { type EditCursor, type TokenEdit, TokenEdits } from '../../formats/control-tokens/edits.ts';
import type { ByteEditCursor, Edits } from './audited.ts';
import type { Place } from './place.ts';

/** Bytes of texts that are written in place of tokens: of one text there are few. */
const MOST_WRITTEN = 64;

export class ByteEdits implements ByteEditCursor {
  readonly #edits: EditCursor;
  readonly #place: Place;
  readonly #encode: (text: string) => Uint8Array;
  /** Made when a second text is written: most texts have one edit. */
  #written: Map<string, Uint8Array> | null = null;
  /** The text that was written last. */
  #text: string | null = null;
  from = 0;
  to = 0;
  bytes: Uint8Array = NOTHING;

  constructor(edits: Edits, place: Place, encode: (text: string) => Uint8Array) {
    this.#edits = edits instanceof TokenEdits ? edits.cursor() : new EachEdit(edits);
    this.#place = place;
    this.#encode = encode;
  }

  next(): boolean {
    const edits = this.#edits;
    if (!edits.next()) return false;
    if (edits.text !== this.#text) this.#write(edits.text);
    this.from = this.#place.from(edits.from);
    this.to = this.#place.to(edits.from, edits.to);
    return true;
  }

  #write(text: string): void {
    if (this.#text !== null) (this.#written ??= new Map<string, Uint8Array>([[this.#text, this.bytes]]));
    let bytes = this.#written?.get(text);
    if (bytes === undefined) {
      bytes = this.#encode(text);
      if (this.#written !== null && this.#written.size < MOST_WRITTEN) this.#written.set(text, bytes);
    }
    this.#text = text;
    this.bytes = bytes;
  }
}

const NOTHING = new Uint8Array(0);

/** Few edits, or some of many. */
class EachEdit implements EditCursor {
  readonly #edits: Iterator<TokenEdit>;
  index = 0;
  length = 0;
  from = 0;
  to = 0;
  text = '';

  constructor(edits: Iterable<TokenEdit>) {
    this.#edits = edits[Symbol.iterator]();
  }

  next(): boolean {
    const { value, done } = this.#edits.next();
    if (done === true) return false;
    Object.assign(this, value);
    return true;
  }
}
