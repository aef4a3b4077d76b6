// A vocabulary from a file of lines `base64 rank`, as tiktoken keeps them; gpt-tokenizer encodes with it.

import { GptEncoding } from 'gpt-tokenizer/GptEncoding';
import { tokenParts } from '../report.ts';

/** Tokens of the vocabularies that are known by their size. */
const SIZES = { 199998: 'o200k_harmony', 100256: 'cl100k_base', 50256: 'r50k_base', 50280: 'p50k_base' } as const;

/** Texts of control tokens, which are one token each. */
const CONTROL = /(<\|(?:start|end|message|channel|constrain|return|call|endoftext|startoftext)\|>)/;
const IDS: Readonly<Record<string, number>> = {
  '<|startoftext|>': 199998, '<|endoftext|>': 199999, '<|return|>': 200002, '<|constrain|>': 200003,
  '<|channel|>': 200005, '<|start|>': 200006, '<|end|>': 200007, '<|message|>': 200008, '<|call|>': 200012,
};

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
      return [...tokenParts(part)].flatMap((run) => encoding.encode(run, AS_TEXT));
    }),
    text: (id) => {
      const special = isHarmony ? Object.keys(IDS).find((token) => IDS[token] === id) : undefined;
      const token = ranks[id];
      return special ?? (typeof token === 'string' ? token : token === undefined ? '' : `bytes ${token.join(' ')}`);
    },
  };
}

/** Text where the bytes are UTF-8, else the bytes. */
function tokenOf(base64: string): string | number[] {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return [...bytes];
  }
}
