// What is wrong with short messages that take no part in calls, outside of 0.1: of the same bytes in one transcript the
// same. A broken file may hold nothing else.

import { HAS_LINE, PLAIN } from '../abi.ts';
import type { Finding, Tell } from '../errors.ts';
import { isToolRecipient } from '../model/attributes.ts';
import { BY_PLACE, KnownBytes } from '../model/known-bytes.ts';
import type { Message } from '../model/message.ts';
import type { TranscriptInfo } from '../model/transcript.ts';
import { type Batch, fromOf, kindWord, toOf } from '../scan/table.ts';

interface Known {
  readonly transcript: TranscriptInfo;
  /** Where the message began. */
  readonly from: number;
  readonly found: readonly Finding[];
}

/** What these are depends on more than their bytes and transcript; or most of them are clean, and skipped early. */
const OTHERS = BY_PLACE | PLAIN;
/** Their calls, replies and definitions are those of the transcript. */
const ACTING: ReadonlySet<string | null> = new Set(['system', 'developer', 'tool']);

export class KnownMessages {
  readonly #known = new KnownBytes<Known>();

  /** Whether a message may be one of them, as its row says. */
  static mayBe(batch: Batch, row: number): boolean {
    if ((kindWord(batch, row) & OTHERS) !== 0 || (batch.dialect.flags & HAS_LINE) !== 0) return false;
    return KnownBytes.fits(toOf(batch, row) - fromOf(batch, row));
  }

  /** Tells what is wrong with a message that may be one of them, if it is known; false: it is not. */
  tell(batch: Batch, row: number, transcript: TranscriptInfo, tell: Tell): boolean {
    const from = fromOf(batch, row);
    const bytes = batch.source.bytes(from, toOf(batch, row));
    const known = this.#known.get(bytes, 0, bytes.length, kindWord(batch, row));
    if (known?.transcript !== transcript) return false;
    const by = from - known.from;
    for (const finding of known.found) tell({ ...finding, from: finding.from + by, to: finding.to + by });
    return true;
  }

  /** Keeps what was found in a message that may be one of them, if it is. */
  keep(batch: Batch, row: number, message: Message, transcript: TranscriptInfo, found: readonly Finding[]): void {
    if (ACTING.has(message.role) || isToolRecipient(message.recipient) || message.contentType !== null) return;
    const from = fromOf(batch, row);
    const bytes = batch.source.bytes(from, toOf(batch, row));
    this.#known.keep(bytes, { transcript, from, found }, kindWord(batch, row));
  }
}
