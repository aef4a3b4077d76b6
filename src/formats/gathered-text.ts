// A text that is put together from very many parts. Adding to a string keeps every part, and a node for each, until
// the text is read: many times its length where parts are short.

/** Parts that are joined at once. */
const MOST_PARTS = 4096;

export class GatheredText {
  #text = '';
  #parts: string[] = [];

  add(part: string): void {
    this.#parts.push(part);
    if (this.#parts.length === MOST_PARTS) this.#join();
  }

  get text(): string {
    this.#join();
    return this.#text;
  }

  #join(): void {
    this.#text += this.#parts.join('');
    this.#parts = [];
  }
}
