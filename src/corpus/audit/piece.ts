// What is found in a piece of raw text, as an audit tells it. A text may hold a million pieces of which little is told:
// findings, places and edits are made when they are asked for.

import type { ControlToken } from '../../formats/control-tokens/find.ts';
import {
  type AuditedText, type AuditFinding, badText, type Brief, type Edits, type TextChange,
} from './audited.ts';
import { ByteEdits } from './byte-edits.ts';
import { Shifted } from './place.ts';
import type { RawText } from './raw.ts';

const ENCODER = new TextEncoder();
/** The text that was encoded last: pieces repeat, and what is written in place of their tokens. */
let last = '';
let lastBytes = new Uint8Array(0);

function encoded(text: string): Uint8Array {
  if (text !== last) {
    last = text;
    lastBytes = ENCODER.encode(text);
  }
  return lastBytes;
}

/** Where a piece stands, for people. */
export const placeIn = ({ transcript, message }: Pick<RawText, 'transcript' | 'message'>): string =>
  `transcript ${transcript}, message ${message}`;

/**
 * A text that says last where its piece stands, as an input has it of which a part was read: with so many transcripts
 * before, and messages of transcript `first`.
 */
export function movedText(
  text: string, { transcripts, first, messages }: { transcripts: number; first: number; messages: number },
): string {
  return text.replace(PLACE, (_, transcript: string, message: string) => {
    const [number, index] = [Number(transcript), Number(message)];
    return placeIn({ transcript: number + transcripts, message: number === first ? index + messages : index });
  });
}

const PLACE = /transcript (\d+), message (\d+)(?=\)?$)/;

/** `where`: in words. */
export const tooLargeBody = (
  of: Parameters<typeof badText>[1], from: number, where: string, transcript = 0,
): AuditedText => badText('bad-record', of, from, from, `the body is too large (${where})`, transcript);

export const auditedPiece = (raw: RawText): AuditedText =>
  raw.looked.isTooLarge ? tooLargeBody(null, raw.from, placeIn(raw), raw.transcript) : new AuditedPiece(raw);

class AuditedPiece implements AuditedText, TextChange {
  readonly line = null;
  readonly #raw: RawText;

  constructor(raw: RawText) {
    this.#raw = raw;
  }

  get at(): number {
    return this.#raw.messageFrom;
  }

  get from(): number {
    return this.#raw.from;
  }

  get base(): number {
    return this.#raw.from;
  }

  get briefs(): readonly Brief[] {
    return this.#raw.looked.found;
  }

  get findings(): readonly AuditFinding[] {
    const where = this.where;
    return this.#raw.looked.found.map((one) => this.#finding(one, where));
  }

  #finding({ rule, severity, from, to, message, times }: ControlToken, where: string): AuditFinding {
    const { transcript, from: base } = this.#raw;
    return {
      code: null, rule, severity, from: base + from, to: base + to, transcript, record: null, field: null,
      message: `${message} (${where})`, ...(times !== undefined && { times }),
    };
  }

  get change(): TextChange | null {
    return this.edits.length === 0 ? null : this;
  }

  get left(): number {
    return this.#raw.looked.left;
  }

  get where(): string {
    return placeIn(this.#raw);
  }

  get text(): string {
    return this.#raw.looked.text;
  }

  get edits(): Edits {
    return this.#raw.looked.edits;
  }

  byteEdits(): ByteEdits {
    const { from: base, looked } = this.#raw;
    return new ByteEdits(looked.edits, new Shifted(base), encoded);
  }
}
