// What was made of texts lately: a corpus repeats its definitions of tools, and reading or writing them takes long.

/** Texts that are kept where their lengths, and the units looked at, are the same. */
const MOST_ALIKE = 4;
/** UTF-16 units that an entry takes beside its text. */
const ENTRY = 512;

export class Lately<T> {
  readonly #known = new Map<number, readonly { readonly text: string; readonly made: T }[]>();
  readonly #most: number;
  readonly #longest: number;
  #units = 0;

  /** UTF-16 units of all texts that are kept, and of the longest. */
  constructor(most = 4 * 1024 * 1024, longest = 32 * 1024) {
    this.#most = most;
    this.#longest = longest;
  }

  /** What was made of a text before, or is made of it now. */
  get(text: string, make: () => T): T {
    const { length } = text;
    let place = length;
    // At most 32 units: to hash all of a text, as a map does, takes longer than to compare two.
    for (let at = 0; at < length; at += (length >> 5) + 1) place = Math.imul(place, 31) + text.charCodeAt(at);
    const alike = this.#known.get(place) ?? [];
    for (const one of alike) if (one.text === text) return one.made;
    const made = make();
    if (length > this.#longest) return made;
    this.#units += length + ENTRY;
    if (this.#units > this.#most) {
      this.#known.clear();
      this.#units = length + ENTRY;
    }
    this.#known.set(place, [{ text, made }, ...alike].slice(0, MOST_ALIKE));
    return made;
  }
}
