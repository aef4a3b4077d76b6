// Pieces in which the path of a file stands: all jobs on its parts have the same.

import type { Pieces } from '../../scan/record-machine.ts';

/** Makes pieces for a path, and keeps those of the last one. */
export function ofLastFile(make: (path: string) => Pieces): (path: string) => Pieces {
  let last: { readonly path: string; readonly made: Pieces } | undefined;
  return (path) => {
    if (last?.path !== path) last = { path, made: make(path) };
    return last.made;
  };
}
