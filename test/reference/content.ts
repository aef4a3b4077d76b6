// Bodies beyond their text: unescaped bytes, thought blocks, JSON (R-ESCAPE, R-LITERAL, R-COT, R-CONSTRAINT).
import type { ParsedMessage } from './message.ts';
import { isEscaped, tokensIn } from './tokens.ts';
import type { Dialect, Source, Token } from './tokens.ts';
import type { Range } from './text.ts';

const NESTING = 1024;
const THOUGHTS = ['reflect', 'introspect', 'reason'];
const MARKERS: ReadonlySet<string> = new Set(THOUGHTS.flatMap((name) => [`start_${name}`, `end_${name}`]));

interface Piece extends Range {
  readonly literal: boolean;
}

/** What of a body is content: without the `<` of escapes and the tokens of literal blocks. */
function piecesOf(source: Source, dialect: Dialect, { bodyFrom, bodyTo, early }: ParsedMessage): Piece[] {
  const pieces: Piece[] = [];
  let literal = false;
  let at = bodyFrom;
  for (const token of tokensIn(source, dialect.tokens, bodyFrom, bodyTo)) {
    if (literal) {
      if (token.name !== 'endliteral') continue;
      pieces.push({ from: at, to: token.from, literal });
      literal = false;
      at = token.to;
    } else if (isEscaped(source, dialect, token, at)) {
      pieces.push({ from: at, to: token.from - 1, literal });
      at = token.from;
    } else if (token.name === 'literal' && !early) {
      pieces.push({ from: at, to: token.from, literal });
      literal = true;
      at = token.to;
    }
  }
  return [...pieces, { from: at, to: bodyTo, literal }];
}

export function contentBytes(source: Source, dialect: Dialect, message: ParsedMessage): Uint8Array {
  return Buffer.concat(piecesOf(source, dialect, message).map(({ from, to }) => source.bytes.subarray(from, to)));
}

/** Tokens outside thought blocks, the markers that begin a block among them. Blocks of one name nest. */
export function* outsideBlocks(tokens: Iterable<Token>): Generator<Token> {
  let block: string | null = null;
  let depth = 0;
  for (const token of tokens) {
    if (block === null) {
      yield token;
      if (token.name.startsWith('start_')) {
        block = token.name.slice('start_'.length);
        depth = 1;
      }
    } else {
      if (token.name === `start_${block}`) depth++;
      else if (token.name === `end_${block}`) depth--;
      if (depth === 0) block = null;
    }
  }
}

/** The markers that begin a thought, those in literal blocks left out. */
export function thoughtsIn(source: Source, dialect: Dialect, message: ParsedMessage): Token[] {
  const literals = piecesOf(source, dialect, message).filter(({ literal }) => literal);
  const markers = [...tokensIn(source, MARKERS, message.bodyFrom, message.bodyTo)].filter(
    (token) => !literals.some(({ from, to }) => token.from >= from && token.from < to),
  );
  return [...outsideBlocks(markers)].filter(({ name }) => name.startsWith('start_'));
}

export function isJson(bytes: Uint8Array): boolean {
  try {
    return nesting(JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))) <= NESTING;
  } catch {
    return false;
  }
}

/** Containers in one another, level by level. */
function nesting(value: unknown): number {
  const isContainer = (inner: unknown): inner is object => typeof inner === 'object' && inner !== null;
  let depth = 0;
  for (let level = [value].filter(isContainer); level.length > 0; depth++) {
    level = level.flatMap((container) => Object.values(container)).filter(isContainer);
  }
  return depth;
}
