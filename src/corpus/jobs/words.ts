// Lines for people, which may name lines of an input: whoever reads a part of it counts them from the part's beginning.

/** Pieces of a line; numbers are lines of the input. */
export type Words = readonly (string | number)[];

/** The same where so many lines stand before the part. */
export const movedWords = (words: Words, lines: number): Words =>
  words.map((one) => (typeof one === 'number' ? one + lines : one));

export const textOfWords = (words: Words): string => words.join('');
