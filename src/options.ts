// Options of public functions: a name that is none is a wrong call, so that a slip of the pen does not pass unseen.

import { nearest } from './nearest.ts';

/** The names of options; the types ask for each of them. */
export type Known<Options> = { readonly [Name in keyof Required<Options>]: 1 };

/** Throws a TypeError for options that are no object, and for a name that none of `known` has. */
export function checkOptions(options: object | undefined, ...known: readonly object[]): void {
  if (options === undefined) return;
  if (typeof options !== 'object' || options === null) throw new TypeError('expected the options as an object');
  for (const name of Object.keys(options)) {
    if (known.some((names) => Object.hasOwn(names, name))) continue;
    const near = nearest(name, known.flatMap((names) => Object.keys(names)));
    throw new TypeError(`option ${name}: there is none of this name${near === null ? '' : `; did you mean ${near}?`}`);
  }
}
