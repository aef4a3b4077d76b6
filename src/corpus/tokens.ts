// How many tokens a text is to a model. gpt-tokenizer counts, which weighs 30 MB and is installed by whoever asks.

import { tokenParts } from './token-parts.ts';

interface Tokenizer {
  encode(text: string, options: typeof AS_TEXT): { readonly length: number };
}

/** Caught where it is asked for, too: bundlers take it for a package that may be missing then. */
function missing(cause: unknown): never {
  throw cause;
}

/** Its vocabularies. */
const PACKAGES = {
  o200k_harmony: () => import('gpt-tokenizer/encoding/o200k_harmony').catch(missing),
  o200k_base: () => import('gpt-tokenizer/encoding/o200k_base').catch(missing),
  cl100k_base: () => import('gpt-tokenizer/encoding/cl100k_base').catch(missing),
  p50k_base: () => import('gpt-tokenizer/encoding/p50k_base').catch(missing),
  p50k_edit: () => import('gpt-tokenizer/encoding/p50k_edit').catch(missing),
  r50k_base: () => import('gpt-tokenizer/encoding/r50k_base').catch(missing),
} satisfies Record<string, () => Promise<Tokenizer>>;

export type Encoding = keyof typeof PACKAGES;
export const ENCODINGS = Object.keys(PACKAGES) as readonly Encoding[];

export type CountTokens = (text: string) => number;

/** The package is not there, or is none that counts. */
export class TokenizerError extends Error {
  override readonly name = 'TokenizerError';
}

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
  for (const part of tokenParts(text)) tokens += tokenizer.encode(part, AS_TEXT).length;
  return tokens;
}
