// A vocabulary from a file of lines `base64 rank`, as tiktoken keeps them; gpt-tokenizer encodes with it.

import { GptEncoding } from 'gpt-tokenizer/GptEncoding';

/** Tokens of the vocabularies that are known by their size. */
const SIZES = { 199998: 'o200k_harmony', 100256: 'cl100k_base', 50256: 'r50k_base', 50280: 'p50k_base' } as const;

/** Texts of control tokens, which are one token each. */
const CONTROL = /(<\|(?:start|end|message|channel|constrain|return|call|endoftext|startoftext)\|>)/;
const IDS: Readonly<Record<string, number>> = {
  '<|startoftext|>': 199998, '<|endoftext|>': 199999, '<|return|>': 200002, '<|constrain|>': 200003,
  '<|channel|>': 200005, '<|start|>': 200006, '<|end|>': 200007, '<|message|>': 200008, '<|call|>': 200012,
};
/** A run of one kind of characters this long is encoded in parts: pairing its bytes takes the square of its length. */
const LONG_RUN = /[\p{L}\p{M}]{1,500}|[^\p{L}\p{N}\s]{1,500}|\s{1,500}|\p{N}+/gu;

const AS_TEXT = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

export interface Vocabulary {
  /** Control tokens of o200k_harmony are one id each; everything else is text. */
  encode(text: string): readonly number[];
  /** What a token stands for. */
  text(id: number): string;
}

/** Throws an Error with a sentence for people. */
export function readVocabulary(file: string): Vocabulary {
  const ranks: (string | number[])[] = [];
  for (const line of file.split('\n')) {
    if (line === '') continue;
    const [, base64, rank] = /^([A-Za-z0-9+/=]+) (\d{1,7})\r?$/.exec(line) ?? [];
    if (base64 === undefined) throw new Error('This is no vocabulary: each line has base64 and a rank.');
    ranks[Number(rank)] = tokenOf(base64);
  }
  const size = ranks.length as keyof typeof SIZES;
  const name = SIZES[size];
  if (name === undefined) throw new Error(`A vocabulary of ${size} tokens is none that the page knows.`);
  const encoding = GptEncoding.getEncodingApi(name, () => ranks);
  const isHarmony = name === 'o200k_harmony';
  return {
    encode: (text) => text.split(isHarmony ? CONTROL : /$^/).flatMap((part, i) => {
      if (isHarmony && i % 2 === 1) return [IDS[part]!];
      return isLong(part) ? [...part.matchAll(LONG_RUN)].flatMap(([run]) => encoding.encode(run, AS_TEXT))
        : encoding.encode(part, AS_TEXT);
    }),
    text: (id) => {
      const special = isHarmony ? Object.keys(IDS).find((token) => IDS[token] === id) : undefined;
      const token = ranks[id];
      return special ?? (typeof token === 'string' ? token : token === undefined ? '' : `bytes ${token.join(' ')}`);
    },
  };
}

const isLong = (text: string): boolean => /[\p{L}\p{M}]{500}|[^\p{L}\p{N}\s]{500}|\s{500}/u.test(text);

/** Text where the bytes are UTF-8, else the bytes. */
function tokenOf(base64: string): string | number[] {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return [...bytes];
  }
}
