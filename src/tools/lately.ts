// What was made of texts lately: a corpus repeats its definitions of tools, and reading or writing them takes long.

/** Units of a text by which it is looked for: to hash all of it, as a map does, takes longer than all else. */
const LOOKED_AT = 32;
/** Texts that are kept where these, and their lengths, are the same. */
const MOST_ALIKE = 4;
/** UTF-16 units that an entry takes beside its text. */
const ENTRY = 512;

export interface LatelyOptions {
  /** UTF-16 units of all texts that are kept, and of the longest. */
  readonly most?: number;
  readonly longest?: number;
}

export class Lately<T> {
  readonly #known = new Map<number, readonly { readonly text: string; readonly made: T }[]>();
  readonly #most: number;
  readonly #longest: number;
  #units = 0;

  constructor({ most = 4 * 1024 * 1024, longest = 32 * 1024 }: LatelyOptions = {}) {
    this.#most = most;
    this.#longest = longest;
  }

  /** What was made of a text before, or is made of it now. */
  get(text: string, make: () => T): T {
    const place = placeOf(text);
    for (const one of this.#known.get(place) ?? []) if (one.text === text) return one.made;
    const made = make();
    if (text.length > this.#longest) return made;
    const units = text.length + ENTRY;
    if (this.#units + units > this.#most) {
      this.#known.clear();
      this.#units = 0;
    }
    this.#units += units;
    this.#known.set(place, [{ text, made }, ...this.#known.get(place) ?? []].slice(0, MOST_ALIKE));
    return made;
  }
}

function placeOf(text: string): number {
  const { length } = text;
  let hash = length;
  for (let i = 1; i <= LOOKED_AT; i++) {
    hash = Math.imul(hash, 31) + text.charCodeAt(Math.floor((length * i) / LOOKED_AT) - 1);
  }
  return hash;
}
