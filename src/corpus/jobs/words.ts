// Lines for people, which may name lines of an input, or transcripts of raw text: whoever reads a part of it counts
// them from the part's beginning.

/** Pieces of a line; numbers are lines of the input, or its transcripts. */
export type Words = readonly (string | number)[];

/** A line of an input. */
export const placeOfLine = (path: string, line: number): Words => [`${path}:`, line];

/** The same where so many lines, or transcripts, stand before the part. */
export const movedWords = (words: Words, before: number): Words =>
  words.map((one) => (typeof one === 'number' ? one + before : one));

export const textOfWords = (words: Words): string => words.join('');
