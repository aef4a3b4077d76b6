// Text for people: nothing that comes from data, arguments or file names may steer the terminal; colours where they
// are wanted.

import picocolors from 'picocolors';

/**
 * C0, DEL, C1, line and paragraph separators, and what changes the direction of writing; spaces that are not to be
 * seen as such.
 */
const CONTROL = /[\0-\x1f\x7f-\xa0\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r' };

function escapeOne(character: string): string {
  const code = character.charCodeAt(0);
  return SHORT[character] ?? (code < 0x100 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`);
}

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

/** Text of one line: every control character is shown as an escape. For names, words of a header, and the like. */
export function escapeLine(text: string): string {
  return text.replace(CONTROL, escapeOne);
}

/** Text of several lines: newlines and tabs stay. */
export function escapeText(text: string): string {
  return text.replace(CONTROL, (found) => (found === '\n' || found === '\t' ? found : escapeOne(found)));
}

/** JSON that means the same and cannot steer a terminal; C0 is escaped in it already. */
export function escapeJson(text: string): string {
  return text.replace(CONTROL, (found) => (found === '\n' ? found : `\\u${hex(found.charCodeAt(0), 4)}`));
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

export type Colors = ReturnType<typeof picocolors.createColors>;
export type ColorChoice = 'auto' | 'always' | 'never';

/**
 * `--color` decides; then NO_COLOR, then FORCE_COLOR (both when not empty), then whether a terminal that can shows
 * it.
 */
export function colorsFor(choice: ColorChoice, isTTY: boolean, env: NodeJS.ProcessEnv): Colors {
  const { NO_COLOR, FORCE_COLOR, TERM } = env;
  const auto = NO_COLOR ? false : FORCE_COLOR ? FORCE_COLOR !== '0' : isTTY && TERM !== 'dumb';
  return picocolors.createColors(choice === 'auto' ? auto : choice === 'always');
}
