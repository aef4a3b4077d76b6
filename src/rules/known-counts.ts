// What is counted of messages whose rows do not tell everything: of the same bytes the same, outside 0.1.

import { HAS_LINE } from '../abi.ts';
import { BY_PLACE, KnownBytes } from '../model/known-bytes.ts';
import { Message, type MessageContext } from '../model/message.ts';
import { type Batch, fromOf, toOf } from '../scan/table.ts';
import { countCalls } from './call-count.ts';

/** What is counted of a message, but for its start and its end. */
export interface Counted {
  readonly role: string | null;
  readonly channel: string;
  readonly calls: number;
  /** Its header is not ended. */
  readonly cut: boolean;
  /** Channel fields that are too many. */
  readonly duplicates: number;
}

export function countedOf(message: Message): Counted {
  const { role, channel, reading: { cut, meaning } } = message;
  const duplicates = meaning.findings.filter(({ rule }) => rule === 'duplicate-channel').length;
  return { role, channel, calls: countCalls(message), cut, duplicates };
}

export class KnownCounts {
  readonly #known = new KnownBytes<Counted & { readonly context: MessageContext }>();

  /** What is counted of a message that is known by its bytes; null: it is not one of these. */
  of(batch: Batch, row: number, word: number, context: MessageContext): Counted | null {
    const [from, to] = [fromOf(batch, row), toOf(batch, row)];
    if ((word & BY_PLACE) !== 0 || (batch.dialect.flags & HAS_LINE) !== 0 || !KnownBytes.fits(to - from)) return null;
    const known = this.#known.get(batch.source.bytes(from, to), 0, to - from, word);
    if (known?.context === context) return known;
    const counted = { ...countedOf(new Message(batch, row, context)), context };
    this.#known.keep(batch.source.bytes(from, to), counted, word);
    return counted;
  }
}
