// Where the bytes of a body that was escaped as it was written stand in the content that it was written from.

import { standsAt } from '../../model/bytes.ts';
import { CLOSE_LITERAL, OPEN_LITERAL } from '../../scan/dialects.ts';

const LT = 0x3c;
const BAR = 0x7c;
const OPENS = Buffer.from(OPEN_LITERAL);
const CLOSES = Buffer.from(CLOSE_LITERAL);

/**
 * A body beside its content: an escape puts a `<` before a control token or a literal block around it (2.2 §4), and
 * takes nothing out. Asked with positions that rise, it goes through both once.
 */
export class EscapedBody {
  readonly #body: Uint8Array;
  readonly #content: Uint8Array;
  /** Bytes of the body and of the content that have been gone through. */
  #at = 0;
  #in = 0;
  #isLiteral = false;

  constructor(body: Uint8Array, content: Uint8Array) {
    this.#body = body;
    this.#content = content;
  }

  /** The byte position in the content of a byte of the body; null: the body is not the content, escaped. */
  of(offset: number): number | null {
    if (offset < this.#at) {
      this.#at = this.#in = 0;
      this.#isLiteral = false;
    }
    while (this.#at < offset) {
      const added = this.#added();
      if (added > 0) this.#at += added;
      else {
        if (this.#body[this.#at] !== this.#content[this.#in]) return null;
        this.#at++;
        this.#in++;
      }
    }
    return this.#in;
  }

  /** How many bytes were put in here. */
  #added(): number {
    const body = this.#body;
    const at = this.#at;
    if (body[at] !== LT) return 0;
    if (this.#isLiteral) {
      if (!standsAt(CLOSES, body, at)) return 0;
      this.#isLiteral = false;
      return CLOSES.length;
    }
    const content = this.#content;
    const escapes = body[at + 1] === LT && body[at + 2] === BAR;
    if (escapes) return content[this.#in] === LT && content[this.#in + 1] === BAR ? 1 : 0;
    if (body[at - 1] === LT || !standsAt(OPENS, body, at)) return 0;
    this.#isLiteral = true;
    return OPENS.length;
  }
}
