// Text between messages, told as it comes: its place, and where the caller asks for it, the text (R-GAP).

import type { StreamEvent } from './event.ts';
import { TextPieces } from './text.ts';

export class StrayText {
  readonly #text: TextPieces | null;
  readonly #bytes: (from: number, to: number) => Uint8Array;
  readonly #tell: (event: StreamEvent) => void;
  /** All before it is told; -1: there is no text. */
  #to = -1;

  constructor(wantsText: boolean, bytes: (from: number, to: number) => Uint8Array, tell: (event: StreamEvent) => void) {
    this.#text = wantsText ? new TextPieces() : null;
    this.#bytes = bytes;
    this.#tell = tell;
  }

  begin(from: number): void {
    this.#to = from;
  }

  /** The text is known up to `to`. */
  grow(to: number): void {
    const from = this.#to;
    if (to <= from) return;
    this.#to = to;
    const event = { type: 'transcript.stray', message_id: null, from, to } as const;
    this.#tell(this.#text ? { ...event, text: this.#text.take(this.#bytes(from, to)) } : event);
  }

  end(to: number): void {
    this.grow(to);
    this.#to = -1;
    const rest = this.#text?.flush();
    if (rest) this.#tell({ type: 'transcript.stray', message_id: null, from: to, to, text: rest });
  }

  /** The first position whose bytes are still to be told. */
  get needs(): number {
    return this.#text && this.#to >= 0 ? this.#to : Infinity;
  }
}
