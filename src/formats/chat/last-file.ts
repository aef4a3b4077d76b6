// Pieces of the lines that records become, in which the path of their file stands: all jobs on its parts have the same.

import type { Pieces } from '../../scan/record-machine.ts';

/** Makes pieces for a path, and keeps those of the last one. */
export function ofLastFile(make: (path: string) => Pieces): (path: string) => Pieces {
  let last: { readonly path: string; readonly made: Pieces } | undefined;
  return (path) => {
    if (last?.path !== path) last = { path, made: make(path) };
    return last.made;
  };
}

const ENCODER = new TextEncoder();

/** The pieces of lines that begin with an id: of one that is missing, with its place in the file. */
export const linesOfFile = (path: string, texts: readonly string[]): Pieces => {
  const pieces = ['{"id":', `${JSON.stringify(path).slice(0, -1)}:`, ...texts].map((text) => ENCODER.encode(text));
  return { pieces, longest: pieces.reduce((sum, { length }) => sum + length, 0) };
};
