// Bodies beyond their text: unescaped bytes, thought blocks, JSON (R-ESCAPE, R-LITERAL, R-COT, R-CONSTRAINT).
import type { ParsedMessage } from './message.ts';
import { isEscaped, isWhite, startsWith, tokensIn } from './tokens.ts';
import type { Dialect, Source, Token } from './tokens.ts';
import type { Range } from './text.ts';
import { callTags, replyTags } from './hermes.ts';
import { type Thought, writtenThought } from './think.ts';

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

/** Tokens outside thought blocks, the markers that begin a block among them. */
export function* outsideBlocks(tokens: Iterable<Token>): Generator<Token> {
  const open: string[] = [];
  for (const token of tokens) {
    if (open.length === 0) yield token;
    follow(open, token);
  }
}

/** The names of the blocks that are open, behind the token. An end marker ends one of its name, others stay open. */
function follow(open: string[], { name }: Token): void {
  if (name.startsWith('start_')) open.push(name.slice('start_'.length));
  if (!name.startsWith('end_')) return;
  const at = open.indexOf(name.slice('end_'.length));
  if (at >= 0) open.splice(at, 1);
}

/** R-THINK, in the dialects that have it. */
export function writtenThoughtOf(source: Source, dialect: Dialect, message: ParsedMessage): Thought | null {
  if (dialect.id === 'harmony') return null;
  const { bodyFrom: from, bodyTo: to } = message;
  if (dialect.id === 'openchatml-0.1') return legacyThought(source, dialect, { from, to });
  const literals = piecesOf(source, dialect, message).filter(({ literal }) => literal);
  return writtenThought(source.bytes, { from, to }, literals, []);
}

/** What stands in the strings of what a call gives is what a tool is told. */
function legacyThought(source: Source, dialect: Dialect, body: Range): Thought | null {
  const calls = callsOutside(source, dialect, body);
  const told = calls.flatMap(({ to }, i) => stringsAt(source.bytes, to, calls[i + 1]?.from ?? body.to));
  return writtenThought(source.bytes, body, [], told);
}

/** The strings in the object or list with which [from, to) begins; one may be cut, and what is around it no JSON. */
function stringsAt(bytes: Uint8Array, from: number, to: number): Range[] {
  const text = Buffer.from(bytes.subarray(from, to)).toString('latin1');
  const strings: Range[] = [];
  if (!/^[ \t\r\n]*[[{]/.test(text)) return strings;
  let depth = 0;
  for (const { 0: piece, index } of text.matchAll(/"(?:\\[^]|[^"\\])*(?:"|\\?$)|[[{\]}]/g)) {
    if (piece === '{' || piece === '[') depth++;
    else if (piece === '}' || piece === ']') depth--;
    else strings.push({ from: from + index, to: from + index + piece.length });
    if (depth === 0) break;
  }
  return strings;
}

/** Tokens and tags that call, in order, outside of blocks (R-CALL, R-HERMES). */
function callsOutside(source: Source, dialect: Dialect, body: Range): LegacyCall[] {
  const tokens = [...tokensIn(source, dialect.tokens, body.from, body.to)];
  const blocks = [...blocksIn(tokens, body.to)];
  const isInside = (at: number): boolean => blocks.some(({ from, to }) => at >= from && at < to);
  const called = [...outsideBlocks(tokens)].filter(({ name }) => name === 'function_call');
  const written = callTags(source.bytes, body).filter(({ from }) => !isInside(from));
  return [
    ...called.map(({ from, to }) => ({ from, to, isTag: false })), ...written.map((tag) => ({ ...tag, isTag: true })),
  ].sort((a, b) => a.from - b.from);
}

export interface LegacyCall extends Range {
  readonly isTag: boolean;
}

/** What calls in a 0.1 body of an assistant, outside of its thoughts. */
export function legacyCalls(source: Source, dialect: Dialect, body: Range): LegacyCall[] {
  const thought = legacyThought(source, dialect, body);
  return callsOutside(source, dialect, body).filter(({ from }) => from >= (thought?.to ?? 0));
}

/** Is this body of a user of 0.1 replies and white space? */
export function isBareReply({ bytes }: Source, body: Range): boolean {
  const replies = replyTags(bytes, body);
  if (replies.length === 0) return false;
  for (let at = body.from; at < body.to; at++) {
    if (!isWhite(bytes[at]) && !replies.some(({ from, to }) => at >= from && at < to)) return false;
  }
  return true;
}

/** Is this assistant body of 0.1 a call with nothing to show before its first `<|function_call|>`? */
export function isBareCall(source: Source, dialect: Dialect, body: Range): boolean {
  const [call] = legacyCalls(source, dialect, body);
  if (call === undefined) return false;
  const thought = legacyThought(source, dialect, body);
  const blocks = [...blocksIn(tokensIn(source, dialect.tokens, body.from, body.to), body.to)];
  const hidden = thought === null ? blocks : [...blocks, thought];
  for (let at = body.from; at < call.from; at++) {
    if (!isWhite(source.bytes[at]) && !hidden.some(({ from, to }) => at >= from && at < to)) return false;
  }
  return true;
}

/** Where a thought block is open, markers included; one that is not ended goes on to `end`. */
function* blocksIn(tokens: Iterable<Token>, end: number): Generator<Range> {
  const open: string[] = [];
  let from = -1;
  for (const token of tokens) {
    const before = open.length;
    follow(open, token);
    if (before === 0 && open.length > 0) from = token.from;
    else if (before > 0 && open.length === 0) yield { from, to: token.to };
  }
  if (open.length > 0) yield { from, to: end };
}

/** R-LEAK: the first channel token outside of literal blocks, unescaped, that a hidden channel's name follows. */
export function leakIn(source: Source, dialect: Dialect, message: ParsedMessage): Range | null {
  if (!dialect.tokens.has('channel')) return null;
  const pieces = piecesOf(source, dialect, message);
  for (const token of tokensIn(source, dialect.tokens, message.bodyFrom, message.bodyTo)) {
    if (token.name !== 'channel') continue;
    const piece = pieces.find(({ from, to }) => token.from >= from && token.from < to);
    // An escaped token begins a piece: its sign is no content.
    const isEscapedHere = dialect.escape && token.from > message.bodyFrom && source.bytes[token.from - 1] === 0x3c;
    if (piece === undefined || piece.literal || (isEscapedHere && piece.from === token.from)) continue;
    const follows = (name: string): boolean =>
      startsWith(source.bytes, token.to, name) && token.to + name.length <= message.bodyTo;
    if (follows('analysis') || follows('commentary')) return { from: token.from, to: token.to };
  }
  return null;
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
