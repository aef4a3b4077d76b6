// What was found in short messages, headers and bodies before: of the same bytes the same. Broken files may hold
// nothing else, millions of times.

import { BY_PLACE, KnownBytes } from '../../model/known-bytes.ts';
import type { Message } from '../../model/message.ts';
import type { Dialect } from '../../scan/dialects.ts';
import type { Source } from '../../scan/source.ts';
import { kindWord } from '../../scan/table.ts';

/** A header or a body. */
export interface Asked {
  readonly dialect: Dialect;
  readonly role: string | null;
  readonly isHeader: boolean;
}

/** What is found in a message. */
export interface InMessage<L> {
  readonly inHeader: L;
  readonly inBody: L;
  /** Bytes of the message before its body. */
  readonly bodyFrom: number;
}

/** Of one input. `L`: what is found in a text. */
export class KnownTexts<L> {
  readonly #messages = new KnownBytes<InMessage<L> & { readonly dialect: Dialect }>();
  readonly #texts = new KnownBytes<Asked & { readonly looked: L }>();

  /** What is found in a message; `look` looks for it. */
  message(message: Message, source: Source, look: () => InMessage<L>): InMessage<L> {
    const { from, to, dialect } = message;
    const word = kindWord(message.table, message.row);
    if ((word & BY_PLACE) !== 0 || !KnownBytes.fits(to - from)) return look();
    const known = this.#messages.get(source.bytes(from, to), 0, to - from, word);
    if (known?.dialect === dialect) return known;
    const found = { ...look(), dialect };
    this.#messages.keep(source.bytes(from, to), found, word);
    return found;
  }

  /** What is found in a header or a body, which `look` looks into. */
  text(bytes: Uint8Array, asked: Asked, look: (bytes: Uint8Array, asked: Asked) => L): L {
    if (!KnownBytes.fits(bytes.length)) return look(bytes, asked);
    const { dialect, role, isHeader } = asked;
    const known = this.#texts.get(bytes, 0, bytes.length, Number(isHeader));
    if (known?.dialect === dialect && known.role === role) return known.looked;
    const looked = look(bytes, asked);
    this.#texts.keep(bytes, { ...asked, looked }, Number(isHeader));
    return looked;
  }
}
