// Frames of 0.1: the header is a line, the body ends at <|im_end|> (R-MISSING-MESSAGE, R-TRIM).
import { HEADER_LIMIT, splitWords, wordsBefore } from './frames.ts';
import type { Word } from './frames.ts';
import { isKnownAttribute, knownRole } from './words.ts';
import { CR, DIALECTS, firstToken, LF } from './tokens.ts';
import type { Range } from './text.ts';
import type { Source, Token } from './tokens.ts';

const LEGACY = DIALECTS['openchatml-0.1'];
const FRAME_TOKENS: ReadonlySet<string> = new Set(['im_start', 'im_end']);

export interface LegacyHead {
  readonly words: readonly Word[];
  /** First byte after the header. */
  readonly to: number;
  /** Did the header end without its newline? */
  readonly early: boolean;
  /** A known role, attributes, and nothing more before the end of the input. */
  readonly openTurn: boolean;
}

/** The header after an `<|im_start|>` that ends at `from`. */
export function readLegacyHead(source: Source, from: number): LegacyHead {
  const { bytes } = source;
  const token = firstToken(source, LEGACY.tokens, from);
  const limit = token?.from ?? bytes.length;
  let end = from;
  while (end < limit && bytes[end] !== LF) end++;
  const newline = end < limit;
  const readTo = from - '<|im_start|>'.length + HEADER_LIMIT;
  const words = wordsBefore(readTo, splitWords(source, LEGACY, from, end, []), end);
  const count = headerWords(words, newline);
  if (count < words.length) {
    return { words: words.slice(0, count), to: words[count].from, early: true, openTurn: false };
  }
  const to = newline ? end + 1 : end;
  const roles = words.filter((word) => word.key === null);
  const known = words.every((word) => word.key === null || isKnownAttribute(word));
  const plain = known && roles.length === 1 && isRole(roles[0]);
  return { words, to, early: !newline, openTurn: plain && to === bytes.length };
}

function isRole(word: Word): boolean {
  return knownRole(word.text, true) !== null;
}

/** The words before the first one that is neither known role nor attribute. */
function headerWords(words: readonly Word[], newline: boolean): number {
  const belongs = (word: Word) => word.key !== null || isRole(word);
  const first = words.findIndex((word) => !belongs(word));
  if (first < 0) return words.length;
  const unknownRole = newline && first === 0 && words.slice(1).every((word) => word.key !== null);
  return unknownRole ? words.length : first;
}

export interface LegacyBody extends Range {
  /** `<|im_end|>`, or the `<|im_start|>` that came instead; null at the end of the input. */
  readonly closer: Token | null;
}

export function readLegacyBody(source: Source, from: number): LegacyBody {
  const { bytes } = source;
  const closer = firstToken(source, FRAME_TOKENS, from);
  let to = closer?.from ?? bytes.length;
  if (closer?.name === 'im_end' && to > from && bytes[to - 1] === LF) {
    to--;
    if (to > from && bytes[to - 1] === CR) to--;
  }
  return { from, to, closer };
}
