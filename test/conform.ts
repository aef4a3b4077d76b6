// What documents ask of who writes (R-CONFORM), looked for where nothing may break it: what they print themselves, what
// others write for real, and what we write.
import { RULES } from '../src/index.ts';
import { check } from '../src/tools.ts';
import type { CheckOptions } from '../src/rules/check-options.ts';

export const CONFORM_RULES: ReadonlySet<string> = new Set(
  Object.entries(RULES).filter(([, { clause }]) => clause.startsWith('R-CONFORM')).map(([rule]) => rule),
);

/** What an input breaks of it, with the message's first byte. */
export function brokenBy(input: Uint8Array | string, options: CheckOptions = {}): string[] {
  const found = check(input, options).filter(({ rule }) => CONFORM_RULES.has(rule));
  return found.map(({ rule, from }) => `${rule} at ${from}`);
}
