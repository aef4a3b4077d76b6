// A text that is put together from very many parts. Adding to a string keeps every part, and a node for each, until
// the text is read: many times its length where parts are short. A long text need not be put together at all.

/** Parts that are joined at once. */
const MOST_PARTS = 4096;
/** Units of a part that is not joined with others, which would be a copy of it. */
const LONG = 64 * 1024;

export const isLong = (part: string): boolean => part.length >= LONG;

export class GatheredText {
  #texts: string[] = [];
  #parts: string[] = [];

  add(part: string): void {
    if (isLong(part)) {
      this.#join();
      this.#texts.push(part);
      return;
    }
    this.#parts.push(part);
    if (this.#parts.length === MOST_PARTS) this.#join();
  }

  /** The text, in parts of which few are short. */
  get texts(): readonly string[] {
    this.#join();
    return this.#texts;
  }

  get text(): string {
    const { texts } = this;
    return texts.length === 1 ? texts[0]! : texts.join('');
  }

  #join(): void {
    if (this.#parts.length > 0) this.#texts.push(this.#parts.join(''));
    this.#parts = [];
  }
}
