// Control tokens in text that should hold none: whole ones, ones that arise at the seams of a template, what looks like
// one. For texts of users and tools, names, attributes; and for bodies as they stand in a transcript.

import { CLASS_INNER, ENDLITERAL, FUNCTION_OUTPUT, HAS_ESCAPE, HAS_LINE, LITERAL_TOKEN } from '../../abi.ts';
import type { Severity } from '../../errors.ts';
import type { Dialect, DialectId, Token } from '../../scan/dialects.ts';
import {
  boundsIn, dialectOf, inDialect, isMarker, LONGEST_TOKEN, publicName, tokenOfText, tokensIn, utf8Length, type Written,
} from './known.ts';
import { isLookAlike, lookAlikesIn, mayLookAlike } from './look-alike.ts';
import { type Found, type FoundRun, FoundTokens, mergedInOrder, severityOfFound } from './found.ts';
import { AUDIT_RULES, type AuditRuleName } from './rules.ts';
import { checkOptions, type Known } from '../../options.ts';

/** What is known about a text in which control tokens are looked for. */
export interface FindTokensOptions {
  /**
   * The text is a message's body as it stands in a transcript of this dialect: what its tokens mean there counts, and
   * those of other dialects are warnings. Without it the text is plain: any token of any dialect is an error.
   */
  readonly body?: DialectId | undefined;
  /** Whose text it is: markers of reasoning are an assistant's own, function tokens of 0.1 belong to some roles. */
  readonly role?: string | null | undefined;
  /** What a template puts directly before the text, and behind it. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** Which edges of the text are edges of a transcript, for bounds such as `<s>`. Default `both`. */
  readonly edges?: 'both' | 'start' | 'end' | 'none' | undefined;
}

const FIND_OPTIONS: Known<FindTokensOptions> = { body: 1, role: 1, before: 1, after: 1, edges: 1 };

/** What was found at one place of a text. */
export interface ControlToken {
  readonly rule: AuditRuleName;
  readonly severity: Severity;
  /** Bytes of the text in UTF-8, half open; half a surrogate pair counts as U+FFFD. */
  readonly from: number;
  /** The byte behind it. */
  readonly to: number;
  /** Where it begins, in UTF-16 code units, as strings count. */
  readonly index: number;
  /** UTF-16 code units of it. */
  readonly length: number;
  /** The token that it is or looks like; null where its name is none that is known. */
  readonly token: string | null;
  /** A sentence; holds nothing of the text but names of tokens. */
  readonly message: string;
}

const NONE: readonly Found[] = [];
const EDGES = ['both', 'start', 'end', 'none'];

/**
 * Everything that a reader or a template could take for a control token, in order. Linear in the text.
 *
 * @example
 * ```ts
 * import { findControlTokens } from 'openchatml';
 *
 * for (const { token, from, to } of findControlTokens('Hi<|end|>')) console.log(token, from, to); // <|end|> 2 9
 * ```
 */
export function findControlTokens(text: string, options: FindTokensOptions = {}): ControlToken[] {
  checkOptions(options, FIND_OPTIONS);
  return findTokens(text, options, Infinity);
}

/**
 * The same; beyond the first `most`, those of one rule and severity are one. `take` is given each of them before its
 * bytes are counted.
 */
export function findTokens(
  text: string, options: FindTokensOptions, most: number, take?: (found: Found) => void,
): ControlToken[] {
  const every = everyToken(text, options);
  if (every === NONE) return [];
  const found = new FoundTokens(most);
  for (const one of every) {
    found.add(one);
    take?.(one);
  }
  return placed(text, found.inOrder);
}

/** All that is found in a text, one by one, in order. */
export function everyToken(text: string, options: FindTokensOptions): Iterable<Found> {
  if (typeof text !== 'string') throw new TypeError(`text: expected a string; got ${typeof text}`);
  const { edges = 'both' } = options;
  if (!EDGES.includes(edges)) {
    throw new RangeError(`option edges: expected ${EDGES.join(', ')}; got ${JSON.stringify(edges)}`);
  }
  const body = dialectOf('body', options.body);
  const { before = '', after = '' } = options;
  // Most texts hold no sign that anything begins with.
  if (before === '' && after === '' && !text.includes('[') && !mayLookAlike(text)) return NONE;
  const seams = seamsOf(text, options, body);
  const ways = [tokensOf(text, body, options.role ?? null), seams[Symbol.iterator]()];
  if (body === null) ways.push(boundsOf(text, edges, seams));
  // What is a token comes before what looks like one.
  return mergedInOrder([...ways, lookAlikesOf(text)]);
}

function* lookAlikesOf(text: string): Generator<Found, void, void> {
  for (const { from, to, token, ways } of lookAlikesIn(text)) {
    yield { rule: 'token-look-alike', index: from, to, token, detail: `${token}, with ${ways.join(', ')}` };
  }
}

/** Counts the bytes before each. */
function placed(text: string, found: readonly FoundRun[]): ControlToken[] {
  let index = 0;
  let from = 0;
  return found.map((one) => {
    from += utf8Length(text, index, one.index);
    index = one.index;
    const { text: words } = AUDIT_RULES[one.rule];
    const detail = one.times > 1 ? `${one.times} times, from here on` : (one.detail ?? one.token);
    return {
      rule: one.rule,
      severity: severityOfFound(one),
      from,
      to: from + utf8Length(text, one.index, one.to),
      index,
      length: one.to - one.index,
      token: one.token,
      message: detail === null ? words : `${words}: ${detail}`,
    };
  });
}

/** Whole tokens, of the four dialects and of others. */
function* tokensOf(text: string, body: Dialect | null, role: string | null): Generator<Found, void, void> {
  const escapes = body !== null && (body.flags & HAS_ESCAPE) !== 0;
  let inLiteral = false;
  for (const { text: written, index } of tokensIn(text)) {
    const token = tokenOfText(written);
    const to = index + written.length;
    if (token === undefined) {
      // `<|END|>` has the shape of a foreign token, too.
      if (!isLookAlike(text, index)) yield { rule: 'foreign-token', index, to, token: publicName(written) };
      continue;
    }
    const rule = isMarker(token) ? 'cot-marker' : 'control-token';
    if (escapes) {
      if (inLiteral) {
        if (token.id === ENDLITERAL) inLiteral = false;
        else yield { rule, index, to, token: written, severity: 'info', detail: `${written} in a literal block` };
        continue;
      }
      const own = inDialect(token, body);
      if (own !== undefined && own.tokenClass !== CLASS_INNER) {
        if (text[index - 1] === '<') {
          yield { rule, index, to, token: written, severity: 'info', detail: `${written}, escaped` };
          continue;
        }
        if (token.id === LITERAL_TOKEN) {
          inLiteral = true;
          continue;
        }
      }
    }
    const severity = severityOf(token, body, role);
    if (severity === null) continue;
    const isElse = body !== null && inDialect(token, body) === undefined;
    const detail = isElse ? `${written}, which is text in ${body.id}` : written;
    yield { rule, index, to, token: written, severity, detail };
  }
}

/** How bad a token is that is not escaped; null: it may stand there. */
function severityOf(token: Token, body: Dialect | null, role: string | null): Severity | null {
  if (body === null) return isMarker(token) && role === 'assistant' ? 'warning' : 'error';
  const own = inDialect(token, body);
  if (own === undefined) return 'warning';
  if (own.tokenClass !== CLASS_INNER) return 'error';
  if (role === 'assistant') return null;
  if (!(body.flags & HAS_LINE)) return 'warning';
  // Instructions may name what the assistant is to write.
  if (role === 'system' || (role === 'tool' && token.id === FUNCTION_OUTPUT)) return null;
  return role === null ? 'warning' : 'error';
}

/** Tokens that arise, or cease, where the text meets what stands beside it. */
function seamsOf(text: string, { before = '', after = '' }: FindTokensOptions, body: Dialect | null): Found[] {
  const found: Found[] = [];
  const seam = (index: number, to: number, token: string): void =>
    void found.push({ rule: 'assembled-token', index, to, token });
  if (text === '') return found;
  const first = crossingToken(before, text);
  if (first) seam(0, first.to, first.token);
  if (after === '') return found;
  // A short text may be the middle of a token.
  const last = crossingToken(text.length < LONGEST_TOKEN ? before + text : text, after);
  if (last) seam(Math.max(0, text.length - last.from), text.length, last.token);
  // An escape made of a `<` of the text and the token behind it.
  const hasEscape = body === null || (body.flags & HAS_ESCAPE) !== 0;
  if (!hasEscape || !text.endsWith('<')) return found;
  const [next] = tokensIn(after);
  if (next?.index === 0 && tokenOfText(next.text)) seam(text.length - 1, text.length, next.text);
  return found;
}

/** As much of the end of a text as can be part of a token. */
export const tailOf = (text: string): string => text.length > LONGEST_TOKEN ? text.slice(-LONGEST_TOKEN) : text;

/** Whether the end of one text and the beginning of another one make a token. */
export const makesToken = (before: string, text: string): boolean => crossingToken(before, text) !== null;

/** The token of a dialect that two texts make together: its units in the first one, and in the second one. */
function crossingToken(before: string, text: string): { from: number; to: number; token: string } | null {
  const left = before.slice(before.lastIndexOf('<'));
  if (!left.startsWith('<') || left.length > LONGEST_TOKEN || !HEAD.test(text)) return null;
  for (const { text: token, index } of tokensIn(left + text.slice(0, LONGEST_TOKEN))) {
    const to = index + token.length;
    if (index < left.length && to > left.length && tokenOfText(token)) {
      return { from: left.length - index, to: to - left.length, token };
    }
  }
  return null;
}

/** What a token that began before may go on with. */
const HEAD = /^\w{0,20}\|?>|^\|\w{1,20}\|>/;

/**
 * `<s>` and its like mean something only between messages of 0.1 (R-GAP), and `<s>` is HTML, too. So they are told
 * where they stand alone: as the whole text, on the first or last line at an edge, or beside a control token.
 */
function* boundsOf(text: string, edges: string, seams: readonly Found[]): Generator<Found, void, void> {
  const beginsToken = followed(text, ({ index }) => index);
  const endsToken = followed(text, ({ index, text: token }) => index + token.length);
  for (const { text: token, index } of boundsIn(text)) {
    let left = index;
    while (left > 0 && isBlank(text.charCodeAt(left - 1))) left--;
    const to = index + token.length;
    let right = to;
    while (right < text.length && isBlank(text.charCodeAt(right))) right++;
    const isBracket = token.startsWith('[');
    const first = left === 0 && (isBracket || text.slice(to, right).includes('\n'));
    const last = right === text.length && (isBracket || text.slice(left, index).includes('\n'));
    if (
      (left === 0 && right === text.length) ||
      (first && (edges === 'both' || edges === 'start')) ||
      (last && (edges === 'both' || edges === 'end')) ||
      seams.some((seam) => seam.to === left || seam.index === right) || endsToken(left) || beginsToken(right)
    ) {
      yield { rule: 'bound-token', index, to, token };
    }
  }
}

/** Whether a token has its edge at a place; places rise. */
function followed(text: string, edgeOf: (token: Written) => number): (place: number) => boolean {
  const tokens = tokensIn(text)[Symbol.iterator]();
  let next = tokens.next();
  return (place) => {
    while (!next.done && edgeOf(next.value) < place) next = tokens.next();
    return !next.done && edgeOf(next.value) === place;
  };
}

const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;
