// Signs: bytes that anything begins with that the audit looks for. Most texts hold none.

import { CLASS_INNER, LITERAL_TOKEN } from '../../abi.ts';
import { standsAt } from '../../model/bytes.ts';
import { DIALECTS, type DialectId } from '../../scan/dialects.ts';

/** `<`, `[`, `&`, a backslash, `%`, and what is not ASCII. */
const SIGNS = new Uint8Array(256).fill(1, 0x80);
for (const sign of '<[&\\%') SIGNS[sign.charCodeAt(0)] = 1;

export function holdsSign(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) if (SIGNS[bytes[at]!] !== 0) return true;
  return false;
}

const LT = 0x3c;
const ENCODER = new TextEncoder();

/** Tokens that a header of a dialect has. Inner ones may be warnings; a literal block changes what those in it are. */
const HEADER_TOKENS = new Map(Object.values(DIALECTS).map((dialect) => {
  const own = dialect.tokens.filter(({ id, tokenClass }) => tokenClass !== CLASS_INNER && id !== LITERAL_TOKEN);
  return [dialect.id, own.map(({ text }) => ENCODER.encode(text))];
}));

/**
 * Nothing in a header [from, to) may look like a token but tokens that its dialect has there: where they should not be,
 * the rules of transcripts tell it.
 */
export function isCleanHeader(bytes: Uint8Array, from: number, to: number, dialect: DialectId): boolean {
  const tokens = HEADER_TOKENS.get(dialect)!;
  for (let at = from; at < to; at++) {
    const byte = bytes[at]!;
    if (SIGNS[byte] === 0) continue;
    const length = byte === LT ? lengthAt(bytes, at, tokens) : 0;
    if (length === 0 || at + length > to) return false;
    at += length - 1;
  }
  return true;
}

/** Bytes of the token that stands there; 0: it is none of these. */
function lengthAt(bytes: Uint8Array, at: number, tokens: readonly Uint8Array[]): number {
  const letter = bytes[at + 2];
  for (const token of tokens) if (token[2] === letter && standsAt(token, bytes, at)) return token.length;
  return 0;
}

