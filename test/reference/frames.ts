// Frames of the 2.x dialects and Harmony: fields and words of a message header, and the body (R-UNCLOSED, R-ESCAPE,
// R-LITERAL). What the words mean is for words.ts.
import { headerInBody } from './rescue.ts';
import { decode, readText } from './text.ts';
import { isEscaped, isWhite, tokensIn } from './tokens.ts';
import type { Dialect, Source, Token } from './tokens.ts';

export const TERMINATORS: ReadonlySet<string> = new Set(['call', 'return', 'end']);

export interface Word {
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** What stands before the first `=`; null for a bare word. */
  readonly key: string | null;
  readonly value: string;
  readonly hasControl: boolean;
  readonly hasNonAscii: boolean;
}

export interface Field {
  readonly kind: 'start' | 'channel' | 'constrain';
  /** The token that opens the field; null for header text that the input begins with. */
  readonly token: Token | null;
  readonly words: readonly Word[];
}

/** Of a message's header so many bytes are read (R-ATTR). */
export const HEADER_LIMIT = 65_536;

/** The words of a field that ends at `to`, as far as they are read: none that goes on at `limit`. */
export function wordsBefore(limit: number, words: readonly Word[], to: number): readonly Word[] {
  return to <= limit ? words : words.filter((word) => word.to < limit);
}

/** The fields of a header that ends at `to`, as far as they are read. `hasLast`: none begins behind that. */
export function fieldsBefore(limit: number, fields: readonly Field[], to: number) {
  const begun = fields.filter(({ token }) => token === null || token.to <= limit);
  const read = begun.map((field, i) => {
    return { ...field, words: wordsBefore(limit, field.words, fields[i + 1]?.token?.from ?? to) };
  });
  return { fields: read, hasLast: begun.length === fields.length };
}

/** How a message opens: by its token, by a later header token, or by the text after a prompt that the caller has. */
export type Opener = 'start' | 'implied' | 'caller';

export interface Head {
  readonly fields: readonly Field[];
  readonly strays: readonly Token[];
  /** `<|message|>`, or what came instead: a terminator, `<|start|>`, or null at the end of the input. */
  readonly stop: Token | null;
  readonly stopFrom: number;
}

export function readHead(source: Source, dialect: Dialect, from: number, opener: Opener): Head {
  const fields: Field[] = [];
  const strays: Token[] = [];
  let inField: Token[] = [];
  const length = source.bytes.length;
  let kind: Field['kind'] | null = opener === 'implied' ? null : 'start';
  let opened: Token | null = null;
  let fieldFrom = from;
  let at = from;
  const close = (to: number) => {
    if (kind !== null) fields.push({ kind, token: opened, words: splitWords(source, dialect, fieldFrom, to, inField) });
    inField = [];
  };
  for (const token of tokensIn(source, dialect.tokens, from, length)) {
    if (opener === 'start' && token.from === from) {
      opened = token;
      fieldFrom = at = token.to;
    } else if (isEscaped(source, dialect, token, at)) {
      continue;
    } else if (token.name === 'channel' || token.name === 'constrain') {
      close(token.from);
      kind = token.name;
      opened = token;
      fieldFrom = at = token.to;
    } else if (token.name === 'literal' || token.name === 'endliteral') {
      strays.push(token);
      inField.push(token);
      at = token.to;
    } else {
      close(token.from);
      return { fields, strays, stop: token, stopFrom: token.from };
    }
  }
  close(length);
  return { fields, strays, stop: null, stopFrom: length };
}

/** Words between white space; a stray token ends a word and belongs to none. */
export function splitWords(
  source: Source,
  dialect: Dialect,
  from: number,
  to: number,
  strays: readonly Token[],
): Word[] {
  const words: Word[] = [];
  let at = from;
  for (const end of [...strays, { from: to, to }]) {
    while (at < end.from) {
      const begin = at;
      while (at < end.from && !isWhite(source.bytes[at])) at++;
      if (at > begin) words.push(makeWord(source, dialect, begin, at));
      else at++;
    }
    at = end.to;
  }
  return words;
}

function makeWord(source: Source, dialect: Dialect, from: number, to: number): Word {
  const text = readText(source, dialect, from, to);
  const equals = text.indexOf('=');
  const key = equals < 0 ? null : text.slice(0, equals);
  const value = key === null ? '' : text.slice(equals + 1);
  let hasControl = false;
  let hasNonAscii = false;
  for (const character of value) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20 || code === 0x7f) hasControl = true;
    if (code > 0x7f) hasNonAscii = true;
  }
  return { from, to, text, key, value, hasControl, hasNonAscii };
}

export interface Body {
  readonly from: number;
  readonly to: number;
  readonly content: string;
  /** Header tokens and `<|endliteral|>` that are kept as text. */
  readonly strays: readonly Token[];
  /** A `<|literal|>` that nothing ends. */
  readonly unterminated: Token | null;
  /** The terminator, `<|start|>` or (R-RESCUE) header that ends the body; null at the end of the input. */
  readonly closer: Token | null;
}

/** `mayBreak`: a header in the body ends it (R-RESCUE). */
export function readBody(source: Source, dialect: Dialect, from: number, mayBreak = false): Body {
  const length = source.bytes.length;
  const strays: Token[] = [];
  let content = '';
  let literal: Token | null = null;
  // Content is cut at the edges of literal blocks and decoded piece by piece: no code point reaches over an edge.
  let at = from;
  const tokens = [...tokensIn(source, dialect.tokens, from, length)];
  for (const [index, token] of tokens.entries()) {
    if (literal !== null) {
      if (token.name !== 'endliteral') continue;
      content += decode(source.bytes, at, token.from);
      literal = null;
      at = token.to;
    } else if (isEscaped(source, dialect, token, at)) {
      continue;
    } else if (token.name === 'literal') {
      content += readText(source, dialect, at, token.from);
      literal = token;
      at = token.to;
    } else if (token.name === 'start' || TERMINATORS.has(token.name)) {
      content += readText(source, dialect, at, token.from);
      return { from, to: token.from, content, strays, unterminated: null, closer: token };
    } else if (mayBreak && headerInBody(source, dialect, tokens, index) !== null) {
      content += readText(source, dialect, at, token.from);
      return { from, to: token.from, content, strays, unterminated: null, closer: token };
    } else {
      strays.push(token);
    }
  }
  content += literal === null ? readText(source, dialect, at, length) : decode(source.bytes, at, length);
  return { from, to: length, content, strays, unterminated: literal, closer: null };
}
