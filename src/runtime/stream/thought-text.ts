// Reasoning that stands as text in what is shown, for a program that asked for it (R-THINK, R-STREAM): told as it
// comes, once it is more than white space. Empty reasoning, which some models write before every answer, is none.

import { isBlankText, MOST_WAITING, TextPieces } from './text.ts';

export class ThoughtText {
  readonly #onText: (delta: string) => void;
  readonly #onEnd: () => void;
  readonly #pieces = new TextPieces();
  /** White space that is not told yet; null: something was told. */
  #waiting: string | null = '';

  constructor(onText: (delta: string) => void, onEnd: () => void) {
    this.#onText = onText;
    this.#onEnd = onEnd;
  }

  take(bytes: Uint8Array): void {
    this.#add(this.#pieces.take(bytes));
  }

  /** Characters do not go on behind what stands here. */
  part(): void {
    this.#add(this.#pieces.flush());
  }

  /** It begins here: what came was white space before its marker. */
  begin(): void {
    this.#waiting = '';
  }

  end(): void {
    this.part();
    if (this.#waiting === null) this.#onEnd();
  }

  #add(text: string): void {
    if (text === '') return;
    if (this.#waiting === null) {
      this.#onText(text);
      return;
    }
    this.#waiting += text;
    if (isBlankText(text) && this.#waiting.length <= MOST_WAITING) return;
    const waiting = this.#waiting;
    this.#waiting = null;
    this.#onText(waiting);
  }
}
