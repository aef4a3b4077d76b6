// Options of public functions: a name that is none is a wrong call, so that a slip of the pen does not pass unseen.

import { nearest } from './nearest.ts';
import type { AnySignal } from './platform.ts';

/** The names of options; the types ask for each of them. */
export type Known<Options> = { readonly [Name in keyof Required<Options>]: 1 };

/** Throws a TypeError for options that are no object, and for a name that none of `known` has. */
export function checkOptions(options: object | undefined, ...known: readonly object[]): void {
  if (options === undefined) return;
  if (typeof options !== 'object' || options === null) throw new TypeError('expected the options as an object');
  checkNames('', options, known);
}

/** The same of an option that has options itself. */
export function checkOption(name: string, value: object | undefined, known: object): void {
  if (value === undefined) return;
  if (typeof value !== 'object' || value === null) throw new TypeError(`option ${name}: expected an object`);
  checkNames(`${name}.`, value, [known]);
}

/** Throws a TypeError for an option that is there and neither true nor false: `'no'` would be taken for one of them. */
export function checkFlags<Options extends object>(options: Options, names: readonly (keyof Options & string)[]): void {
  for (const name of names) {
    const value: unknown = options[name];
    if (value === undefined || typeof value === 'boolean') continue;
    throw new TypeError(`option ${name}: expected true or false; got ${toldOf(value)}`);
  }
}

/** Throws a TypeError for what is there and no AbortSignal, such as its controller. `name`: what it was given as. */
export function checkSignal(name: string, value: unknown): void {
  if (value == null) return;
  const { aborted, addEventListener, removeEventListener } = value as Partial<Record<keyof AnySignal, unknown>>;
  const hasListeners = typeof addEventListener === 'function' && typeof removeEventListener === 'function';
  if (typeof aborted === 'boolean' && hasListeners) return;
  throw new TypeError(`${name}: expected an AbortSignal; got ${toldOf(value)}`);
}

/** What a value is, in few words. */
function toldOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

function checkNames(path: string, options: object, known: readonly object[]): void {
  for (const name of Object.keys(options)) {
    if (known.some((names) => Object.hasOwn(names, name))) continue;
    const near = nearest(name, known.flatMap((names) => Object.keys(names)));
    const hint = near === null ? '' : `; did you mean ${near}?`;
    throw new TypeError(`option ${path}${name}: there is none of this name${hint}`);
  }
}
