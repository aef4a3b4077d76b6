// Control tokens of a vocabulary.

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
  if (typeof specials !== 'object' || specials === null) {
    throw new TypeError(`option specials: expected texts by their ids, ${EXAMPLE}`);
  }
  const given = specials instanceof Map ? specials : Object.entries(specials as Readonly<Record<number, string>>);
  return Array.from(given, ([key, text]): [number, string] => {
    const id = Number(key);
    if (Number.isSafeInteger(id) && id >= 0 && typeof text === 'string' && text !== '') return [id, text];
    const isTurned = typeof key === 'string' && Number.isSafeInteger(text);
    const remedy = isTurned ? '; they stand the other way round: turn them with '
      + 'new Map(Object.entries(specials).map(([text, id]) => [id, text]))' : '';
    throw new TypeError(`option specials: expected texts by their ids, ${EXAMPLE}${remedy}`);
  });
}

const EXAMPLE = "{ 151645: '<|im_end|>' } for example";

