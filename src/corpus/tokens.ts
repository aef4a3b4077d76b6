// How many tokens a text is to a model. gpt-tokenizer counts, which weighs 30 MB and is installed by whoever asks.

interface Tokenizer {
  encode(text: string, options: typeof AS_TEXT): { readonly length: number };
}

/** Its vocabularies. */
const PACKAGES = {
  o200k_harmony: () => import('gpt-tokenizer/encoding/o200k_harmony'),
  o200k_base: () => import('gpt-tokenizer/encoding/o200k_base'),
  cl100k_base: () => import('gpt-tokenizer/encoding/cl100k_base'),
  p50k_base: () => import('gpt-tokenizer/encoding/p50k_base'),
  p50k_edit: () => import('gpt-tokenizer/encoding/p50k_edit'),
  r50k_base: () => import('gpt-tokenizer/encoding/r50k_base'),
} satisfies Record<string, () => Promise<Tokenizer>>;

export type Encoding = keyof typeof PACKAGES;
export const ENCODINGS = Object.keys(PACKAGES) as readonly Encoding[];

export type CountTokens = (text: string) => number;

/** The package is not there, or is none that counts. */
export class TokenizerError extends Error {
  override readonly name = 'TokenizerError';
}

/**
 * A run of one kind of characters this long is counted in parts: the time that pairing its bytes takes grows with the
 * square of its length. Words, lines and numbers are shorter.
 */
const LONGEST_RUN = 500;
const LONG_RUN = /[\p{L}\p{M}]{500,}|[^\p{L}\p{N}\s]{500,}|\s{500,}/gu;

/** Control tokens in a text are text. */
const AS_TEXT = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

const LOADED = new Map<Encoding, CountTokens>();

/** Loads a vocabulary, once. Throws a TokenizerError. */
export async function loadTokenizer(encoding: Encoding): Promise<void> {
  if (LOADED.has(encoding)) return;
  let tokenizer: Tokenizer;
  try {
    tokenizer = await PACKAGES[encoding]();
  } catch (cause) {
    throw new TokenizerError('it needs a package that is not installed: npm install gpt-tokenizer', { cause });
  }
  LOADED.set(encoding, (text) => countIn(tokenizer, text));
}

/** Counts with a vocabulary that was loaded. */
export function tokenCounter(encoding: Encoding): CountTokens {
  const count = LOADED.get(encoding);
  if (count === undefined) throw new TypeError(`${encoding} was not loaded`);
  return count;
}

function countIn(tokenizer: Tokenizer, text: string): number {
  let tokens = 0;
  let from = 0;
  const cut = (at: number): void => {
    if (at > from) tokens += tokenizer.encode(text.slice(from, at), AS_TEXT).length;
    from = at;
  };
  for (const { index, 0: run } of text.matchAll(LONG_RUN)) {
    for (let at = index; at < index + run.length; at += LONGEST_RUN) cut(isInside(text, at) ? at + 1 : at);
  }
  cut(text.length);
  return tokens;
}

/** Between the halves of a character. */
function isInside(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}
