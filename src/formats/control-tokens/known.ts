// The control tokens that are looked for in text: those of the four dialects, and of other chat formats.

import * as abi from '../../abi.ts';
import { literalPattern } from '../../pattern.ts';
import { partEnd } from '../../utf8.ts';
import { ANY_TOKENS, type Dialect, DIALECTS, type DialectId, type Token } from '../../scan/dialects.ts';

/** Of all four dialects, by their text. */
const TOKENS: ReadonlyMap<string, Token> = new Map([...ANY_TOKENS].map((token) => [token.text, token]));

const MARKERS: ReadonlySet<number> = new Set([
  abi.START_REFLECT, abi.END_REFLECT, abi.START_INTROSPECT, abi.END_INTROSPECT, abi.START_REASON, abi.END_REASON,
]);

/** Those of other formats that do not look like `<|name|>`. */
const FOREIGN = [
  '[INST]', '[/INST]', '[TOOL_CALLS]', '[AVAILABLE_TOOLS]', '[/AVAILABLE_TOOLS]', '[TOOL_RESULTS]', '[/TOOL_RESULTS]',
  '[SYSTEM_PROMPT]', '[/SYSTEM_PROMPT]', '<<SYS>>', '<</SYS>>', '<start_of_turn>', '<end_of_turn>', '<bos>', '<eos>',
  '<\uff5cbegin\u2581of\u2581sentence\uff5c>', '<\uff5cend\u2581of\u2581sentence\uff5c>', '<\uff5cUser\uff5c>',
  '<\uff5cAssistant\uff5c>', '<think>', '</think>', '<tools>', '</tools>', '<tool_call>', '</tool_call>',
  '<tool_response>', '</tool_response>',
];
/** Those that do and are well known; any other name of this shape counts as well. */
const FOREIGN_NAMES = [
  'endoftext', 'startoftext', 'endofprompt', 'begin_of_text', 'end_of_text', 'start_header_id', 'end_header_id',
  'eot_id', 'eom_id', 'python_tag', 'header_start', 'header_end', 'eot', 'im_sep', 'system', 'user', 'assistant',
  'tool', 'observation', 'pad', 'fim_pad', 'repo_name', 'file_sep', 'START_OF_TURN_TOKEN', 'END_OF_TURN_TOKEN',
  'USER_TOKEN', 'CHATBOT_TOKEN', 'SYSTEM_TOKEN',
];
const KNOWN_FOREIGN: ReadonlySet<string> = new Set([...FOREIGN, ...FOREIGN_NAMES.map((name) => `<|${name}|>`)]);

const SHAPE = '<\\|[A-Za-z][A-Za-z0-9_-]{0,39}\\|>';
const ANY = new RegExp(`${SHAPE}|${FOREIGN.map(literalPattern).join('|')}`, 'y');
/** What bounds a transcript of 0.1. */
const BOUNDS: readonly string[] = ['<s>', '</s>', '[BOS]', '[EOS]'];
/** Of each UTF-16 unit: whether it is the second one of a bound. */
const BOUND_SECOND = new Uint8Array(0x1_0000);
for (const text of BOUNDS) BOUND_SECOND[text.charCodeAt(1)] = 1;

/** Whether a few units stand at a position of a text: twice as fast as `startsWith`, and asked at every sign. */
export function standsAt(text: string, units: string, at: number): boolean {
  const { length } = units;
  for (let i = 0; i < length; i++) if (text.charCodeAt(at + i) !== units.charCodeAt(i)) return false;
  return true;
}

/** The bound that begins at a sign; undefined: none does. */
export function boundAt(text: string, at: number): string | undefined {
  if (BOUND_SECOND[text.charCodeAt(at + 1)] !== 1) return undefined;
  for (const bound of BOUNDS) if (standsAt(text, bound, at)) return bound;
  return undefined;
}

const BOUND = new RegExp(BOUNDS.map(literalPattern).join('|'));

/** Whether a text holds a bound anywhere. */
export const holdsBound = (text: string): boolean => BOUND.test(text);

const BAR = 0x7c;
/** What a second unit tells of the third one: anything may follow, some units, none. */
const ANY_THIRD = 1;
const SOME_THIRD = 2;
/** Of each UTF-16 unit: what it tells as the second one of a token. */
const SECOND = new Uint8Array(0x1_0000);
/** Of ASCII: whether a token that does not look like `<|name|>` has two units as its second and its third one. */
const IS_PAIR = new Uint8Array(0x80 * 0x80);
for (const text of FOREIGN) {
  const [second, third] = [text.charCodeAt(1), text.charCodeAt(2)];
  SECOND[second] = second < 0x80 ? SOME_THIRD : ANY_THIRD;
  if (second < 0x80) IS_PAIR[second * 0x80 + third] = 1;
}
SECOND[BAR] = ANY_THIRD;

/** Whether a token may begin at a `<` or a `[`: soon told of most that begin none. */
export function mayBeginToken(text: string, at: number): boolean {
  const second = text.charCodeAt(at + 1);
  // At the end of the text it is NaN, which is in no table.
  const told = SECOND[second];
  if (told !== SOME_THIRD) return told === ANY_THIRD;
  const third = text.charCodeAt(at + 2);
  return third < 0x80 && IS_PAIR[second * 0x80 + third] === 1;
}

/** What may be a token and begins at a position; null: nothing. */
export function tokenAt(text: string, at: number): string | null {
  ANY.lastIndex = at;
  return ANY.exec(text)?.[0] ?? null;
}

/** A token in a text. */
export interface Written {
  readonly text: string;
  readonly index: number;
}

/** What may be a token, from left to right; no two overlap. */
export function* tokensIn(text: string): Generator<Written, void, void> {
  for (let at = 0; at < text.length; at++) {
    const token = text[at] === '<' || text[at] === '[' ? tokenAt(text, at) : null;
    if (token === null) continue;
    yield { text: token, index: at };
    at += token.length - 1;
  }
}

export const LONGEST_TOKEN = 48;

/** The token of one of the four dialects that a text is; undefined: it is none. */
export const tokenOfText = (text: string): Token | undefined => TOKENS.get(text);

/** A token's text, of the four dialects or another format; null where the name could be anybody's. */
export const publicName = (text: string): string | null =>
  TOKENS.has(text) || KNOWN_FOREIGN.has(text) ? text : null;

/** One of the markers of R-COT. */
export const isMarker = ({ id }: Token): boolean => MARKERS.has(id);

/** A token as the dialect has it, with its class; undefined: it has none such. */
export function inDialect({ id }: Token, dialect: Dialect): Token | undefined {
  return dialect.tokens.find((own) => own.id === id);
}

/** Letters of names without what stands between them, for look-alikes. */
const PLAIN_NAMES: ReadonlyMap<string, string> = new Map(
  [...TOKENS.keys()].map((text) => [text.slice(2, -2).replaceAll('_', ''), text]),
);

export const tokenOfLetters = (letters: string): string | undefined => PLAIN_NAMES.get(letters);

/** A token broken up so that it can be read and put together again: spaces within its brackets. */
export function brokenUp(token: string): string {
  const edge = /^(?:<\||<\uff5c|<<|<|\[)/.exec(token)?.[0].length ?? 0;
  const end = /(?:\|>|\uff5c>|>>|>|\])$/.exec(token)?.index ?? token.length;
  return `${token.slice(0, edge)} ${token.slice(edge, end)} ${token.slice(end)}`;
}

export function dialectOf(option: string, dialect: DialectId | undefined): Dialect | null {
  if (dialect === undefined) return null;
  if (Object.hasOwn(DIALECTS, dialect)) return DIALECTS[dialect];
  const known = Object.keys(DIALECTS).join(', ');
  throw new RangeError(`option ${option}: expected ${known}; got ${JSON.stringify(dialect)}`);
}

const ENCODER = new TextEncoder();
/** Code units from which on the encoder is faster than a loop: five times as fast where there are very many. */
const LONG = 256;
const PART = 8192;
const ENCODED = new Uint8Array(3 * PART);

/** Bytes of [from, to) of a text in UTF-8; half a surrogate pair counts as U+FFFD. */
export function utf8Length(text: string, from: number, to: number): number {
  if (to - from < LONG) return shortLength(text, from, to);
  let bytes = 0;
  for (let at = from, end = at; at < to; at = end) {
    end = partEnd(text, at, PART, to);
    bytes += ENCODER.encodeInto(text.slice(at, end), ENCODED).written;
  }
  return bytes;
}

function shortLength(text: string, from: number, to: number): number {
  let bytes = 0;
  for (let at = from; at < to; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) bytes++;
    else if (unit < 0x800) bytes += 2;
    else {
      const next = unit >= 0xd800 && unit < 0xdc00 && at + 1 < to ? text.charCodeAt(at + 1) : 0;
      if (next >= 0xdc00 && next < 0xe000) {
        bytes += 4;
        at++;
      } else bytes += 3;
    }
  }
  return bytes;
}
