// Text for people: nothing that comes from data, arguments or file names may steer the terminal; colours where they
// are wanted.

import picocolors from 'picocolors';

import { escapeLine } from '../printable.ts';

export { escapeJson, escapeLine, escapeText } from '../printable.ts';

/** Characters of a name in a column. */
const LONGEST_NAME = 40;

/** A name from data as it stands in a column of a table. */
export function columnName(name: string): string {
  const text = escapeLine(name);
  return text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME - 3)}...` : text;
}

/** A whole number with its thousands set apart. */
export function thousands(count: number): string {
  const digits = String(count);
  let text = digits.slice(-3);
  for (let at = digits.length - 3; at > 0; at -= 3) text = `${digits.slice(Math.max(0, at - 3), at)},${text}`;
  return text;
}

/** `1 error`, `2 errors`. */
export function countOf(count: number, noun: string): string {
  return `${thousands(count)} ${noun}${count === 1 ? '' : 's'}`;
}

type Style = 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow';
export type Colors = Pick<ReturnType<typeof picocolors.createColors>, Style>;
const plain: Colors[Style] = String;
const PLAIN: Colors = { bold: plain, cyan: plain, dim: plain, green: plain, red: plain, yellow: plain };
export type ColorChoice = 'auto' | 'always' | 'never';

/**
 * `--color` decides; then NO_COLOR, then FORCE_COLOR (both when not empty), then whether a terminal that can shows
 * it.
 */
export function colorsFor(choice: ColorChoice, isTTY: boolean, env: NodeJS.ProcessEnv): Colors {
  const { NO_COLOR, FORCE_COLOR, TERM } = env;
  const auto = NO_COLOR ? false : FORCE_COLOR ? FORCE_COLOR !== '0' : isTTY && TERM !== 'dumb';
  return (choice === 'auto' ? auto : choice === 'always') ? picocolors.createColors(true) : PLAIN;
}
