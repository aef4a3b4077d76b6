// Options of public functions: a name that is none is a wrong call, so that a slip of the pen does not pass unseen.

import { nearest } from './nearest.ts';
import type { AnySignal } from './platform.ts';

/** Of an option that is true or false: `'no'` would be taken for one of them. */
export const FLAG = 2;

/** The names of options; the types ask for each of them. */
export type Known<Options> = { readonly [Name in keyof Required<Options>]: 1 | typeof FLAG };

/** A table of `Known`, whatever the options. */
export type Names = { readonly [name: string]: 1 | typeof FLAG };

/**
 * Throws a TypeError for options that are no object, for a name that none of `known` has, and for a flag that is
 * neither true nor false.
 */
export function checkOptions(options: object | undefined, ...known: readonly Names[]): void {
  if (options === undefined) return;
  if (typeof options !== 'object' || options === null) throw new TypeError('expected the options as an object');
  checkNames('', options, known);
}

/** The same of an option that has options itself; `known` null: of any names. */
export function checkOption(name: string, value: object | undefined, known: Names | null): void {
  if (value === undefined) return;
  if (typeof value !== 'object' || value === null) throw new TypeError(`option ${name}: expected an object`);
  if (known !== null) checkNames(`${name}.`, value, [known]);
}

/** Throws a RangeError for an option that is there and none of `values`. */
export function checkOneOf(name: string, value: unknown, values: readonly unknown[]): void {
  if (value === undefined || values.includes(value)) return;
  throw new RangeError(`option ${name}: expected ${values.join(', ')}; got ${toldOf(value)}`);
}

/** Throws a TypeError for what is there and no AbortSignal, such as its controller. `name`: what it was given as. */
export function checkSignal(name: string, value: unknown): void {
  if (value == null) return;
  const { aborted, addEventListener, removeEventListener } = value as Partial<Record<keyof AnySignal, unknown>>;
  const hasListeners = typeof addEventListener === 'function' && typeof removeEventListener === 'function';
  if (typeof aborted === 'boolean' && hasListeners) return;
  throw new TypeError(`${name}: expected an AbortSignal; got ${toldOf(value)}`);
}

/** Throws a TypeError for options that must be there, and are not. */
export function needOptions(options: unknown): asserts options is object {
  if (typeof options !== 'object' || options === null) throw new TypeError('expected the options as an object');
}

/** Throws a TypeError for an option that is there and no function. */
export function checkFunction(name: string, value: unknown): void {
  if (value === undefined || typeof value === 'function') return;
  throw new TypeError(`option ${name}: expected a function; got ${toldOf(value)}`);
}

/** The same for what is no text. `what`: an option, or what a function gave. */
export function checkText(what: string, value: unknown): void {
  if (value === undefined || typeof value === 'string') return;
  throw new TypeError(`${what}: expected text; got ${toldOf(value)}`);
}

/** Throws a TypeError for a value that is yet to come, where it is needed now. */
export function checkThere(name: string, value: unknown): void {
  if (value instanceof Promise) throw new TypeError(`option ${name}: expected a value, not a promise of one`);
}

/** What a value is, in few words. */
export function toldOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

function checkNames(path: string, options: object, known: readonly Names[]): void {
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    const names = known.find((one) => Object.hasOwn(one, name));
    if (names !== undefined) {
      if (names[name] !== FLAG || value === undefined || typeof value === 'boolean') continue;
      throw new TypeError(`option ${path}${name}: expected true or false; got ${toldOf(value)}`);
    }
    const near = nearest(name, known.flatMap((one) => Object.keys(one)));
    const hint = near === null ? '' : `; did you mean ${near}?`;
    throw new TypeError(`option ${path}${name}: there is none of this name${hint}`);
  }
}
