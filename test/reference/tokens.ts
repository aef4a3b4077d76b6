// Control tokens and dialects as data, and the small byte questions that every part of the reference parser asks.
// Rulings: section 2 (the table), R-TEXT, R-ESCAPE, R-ATTR (what white space is).

export type DialectId = 'openchatml-2.2' | 'openchatml-2.0' | 'openchatml-0.1' | 'harmony';

export interface Dialect {
  readonly id: DialectId;
  readonly tokens: ReadonlySet<string>;
  /** `<<|end|>` is the text `<|end|>`. */
  readonly escape: boolean;
  /** A YAML document header may stand before and between transcripts. */
  readonly documentHeader: boolean;
}

const NAMES_20 = ['start', 'channel', 'message', 'call', 'return', 'end'];
const NAMES_HARMONY = [...NAMES_20, 'constrain'];
const NAMES_22 = [...NAMES_HARMONY, 'literal', 'endliteral'];
const THOUGHTS = ['reflect', 'introspect', 'reason'];
export const FILE_TOKENS: ReadonlySet<string> = new Set(['fim_prefix', 'fim_middle', 'fim_suffix', 'file_separator']);
const NAMES_01 = [
  'im_start',
  'im_end',
  ...FILE_TOKENS,
  ...THOUGHTS,
  ...THOUGHTS.map((name) => `start_${name}`),
  ...THOUGHTS.map((name) => `end_${name}`),
  'function_list',
  'function_call',
  'function_output',
];

export const TOKENS_2X: ReadonlySet<string> = new Set(NAMES_22);
export const ALL_TOKENS: ReadonlySet<string> = new Set([...NAMES_22, ...NAMES_01]);

export const DIALECTS: Readonly<Record<DialectId, Dialect>> = {
  'openchatml-2.2': { id: 'openchatml-2.2', tokens: TOKENS_2X, escape: true, documentHeader: true },
  'openchatml-2.0': { id: 'openchatml-2.0', tokens: new Set(NAMES_20), escape: false, documentHeader: true },
  'openchatml-0.1': { id: 'openchatml-0.1', tokens: new Set(NAMES_01), escape: false, documentHeader: false },
  harmony: { id: 'harmony', tokens: new Set(NAMES_HARMONY), escape: false, documentHeader: false },
};

export interface Token {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The input, with every control token of any dialect found once, in order. */
export interface Source {
  readonly bytes: Uint8Array;
  readonly tokens: readonly Token[];
  /** The first byte after a byte order mark, 0 without one. */
  readonly start: number;
  /** The tokens of one dialect alone, made when first asked for. */
  readonly filtered: Map<ReadonlySet<string>, readonly Token[]>;
}

export const LF = 0x0a;
export const CR = 0x0d;
const TAB = 0x09;
const SPACE = 0x20;
const LESS = 0x3c;
const LONGEST_NAME = Math.max(...[...ALL_TOKENS].map((name) => name.length));

export function isWhite(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB || byte === LF || byte === CR;
}

export function skipWhite(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && isWhite(bytes[at])) at++;
  return at;
}

export function startsWith(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

export function makeSource(bytes: Uint8Array): Source {
  const tokens: Token[] = [];
  let at = 0;
  while (at < bytes.length) {
    const token = tokenAt(bytes, at);
    if (token !== null) tokens.push(token);
    at = token === null ? at + 1 : token.to;
  }
  const start = startsWith(bytes, 0, '\xef\xbb\xbf') ? 3 : 0;
  return { bytes, tokens, start, filtered: new Map() };
}

function tokenAt(bytes: Uint8Array, at: number): Token | null {
  if (!startsWith(bytes, at, '<|')) return null;
  let name = '';
  let end = at + 2;
  while (end < bytes.length && bytes[end] !== 0x7c && name.length < LONGEST_NAME) {
    name += String.fromCharCode(bytes[end]);
    end++;
  }
  if (!startsWith(bytes, end, '|>') || !ALL_TOKENS.has(name)) return null;
  return { name, from: at, to: end + 2 };
}

/** The tokens of `names` that begin in [from, to), escaped ones too. */
export function* tokensIn(source: Source, names: ReadonlySet<string>, from: number, to: number): Generator<Token> {
  const tokens = tokensOf(source, names);
  for (let i = indexAt(tokens, from); i < tokens.length && tokens[i].from < to; i++) yield tokens[i];
}

function tokensOf(source: Source, names: ReadonlySet<string>): readonly Token[] {
  let tokens = source.filtered.get(names);
  if (tokens === undefined) {
    tokens = source.tokens.filter((token) => names.has(token.name));
    source.filtered.set(names, tokens);
  }
  return tokens;
}

/** Index of the first token that begins at `offset` or later. */
function indexAt(tokens: readonly Token[], offset: number): number {
  let low = 0;
  let high = tokens.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (tokens[middle].from < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function firstToken(source: Source, names: ReadonlySet<string>, from: number): Token | null {
  for (const token of tokensIn(source, names, from, source.bytes.length)) return token;
  return null;
}

/** Is this token text because a `<` stands directly before it, in a region that begins at `from` (R-ESCAPE)? */
export function isEscaped(source: Source, dialect: Dialect, token: Token, from: number): boolean {
  return dialect.escape && token.from > from && source.bytes[token.from - 1] === LESS;
}
