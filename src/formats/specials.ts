// Control tokens of a vocabulary.

import { checkOption } from '../options.ts';

/** Control tokens of a vocabulary: ids to texts. */
export type SpecialTokens = Readonly<Record<number, string>> | ReadonlyMap<number, string>;

/** The control tokens of o200k_harmony, gpt-oss's vocabulary. */
export const O200K_HARMONY: Readonly<Record<number, string>> = Object.freeze({
  199998: '<|startoftext|>',
  199999: '<|endoftext|>',
  200002: '<|return|>',
  200003: '<|constrain|>',
  200005: '<|channel|>',
  200006: '<|start|>',
  200007: '<|end|>',
  200008: '<|message|>',
  200012: '<|call|>',
});

/** Throws a TypeError for what does not tell texts by ids: the other way round no token would be one. */
export function specialEntries(specials: SpecialTokens): [id: number, text: string][] {
  checkOption('specials', specials, null);
  const given = specials instanceof Map ? specials : Object.entries(specials as Readonly<Record<number, string>>);
  return Array.from(given, ([key, text]): [number, string] => {
    if (text && typeof text === 'string' && Number.isInteger(+key)) return [+key, text];
    throw new TypeError('option specials: expected texts by id, { id: text }: swap keys and values');
  });
}
