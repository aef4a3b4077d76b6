// Control tokens in text that should hold none: whole ones, ones that arise at the seams of a template, what looks like
// one. For texts of users and tools, names, attributes; and for bodies as they stand in a transcript.

import { HAS_ESCAPE } from '../../abi.ts';
import { manyTimes, type Severity } from '../../errors.ts';
import type { Dialect, DialectId } from '../../scan/dialects.ts';
import { Finder, nextSign } from './finder.ts';
import { dialectOf, LONGEST_TOKEN, tokenAt, tokenOfText, tokensIn, utf8Length } from './known.ts';
import { type Found, type FoundRun, FoundTokens } from './found.ts';
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
  /** @internal How many it stands for; left out: one. */
  readonly times?: number;
}

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
 * bytes are counted. `isBytes`: each unit of the text is a byte.
 */
export function findTokens(
  text: string, options: FindTokensOptions, most: number, take?: (found: Found) => void, isBytes = false,
): ControlToken[] {
  let found: FoundTokens | null = null;
  eachToken(text, options, (one) => {
    (found ??= new FoundTokens(most)).add(one);
    take?.(one);
  });
  return found === null ? [] : placed(text, (found as FoundTokens).inOrder, isBytes);
}

/** Gives all that is found in a text, one by one, in order. */
export function eachToken(text: string, options: FindTokensOptions, take: (found: Found) => void): void {
  if (typeof text !== 'string') throw new TypeError(`text: expected a string; got ${typeof text}`);
  const { edges = 'both', before = '', after = '' } = options;
  if (!EDGES.includes(edges)) {
    throw new RangeError(`option edges: expected ${EDGES.join(', ')}; got ${JSON.stringify(edges)}`);
  }
  const body = dialectOf('body', options.body);
  // Most texts hold no sign that anything begins with.
  const sign = nextSign(text, 0);
  if (before === '' && after === '' && sign === text.length) return;
  const seams = seamsOf(text, options, body);
  const role = options.role ?? null;
  if (seams.length === 0) {
    new Finder(text, body, role, take).find(sign, edges, seams);
    return;
  }
  let next = 0;
  new Finder(text, body, role, (found) => {
    // At one place a token comes before a seam, a seam before what else there is.
    const { index, rule } = found;
    const isToken = rule === 'control-token' || rule === 'cot-marker' || rule === 'foreign-token';
    while (next < seams.length && seams[next]!.index < index + (isToken ? 0 : 1)) take(seams[next++]!);
    take(found);
  }).find(sign, edges, seams);
  while (next < seams.length) take(seams[next++]!);
}

/** Counts the bytes before each. */
function placed(text: string, found: readonly FoundRun[], isBytes: boolean): ControlToken[] {
  const bytes = (from: number, to: number): number => isBytes ? to - from : utf8Length(text, from, to);
  let index = 0;
  let from = 0;
  return found.map((one) => {
    from += bytes(index, one.index);
    index = one.index;
    const { text: words } = AUDIT_RULES[one.rule];
    const detail = one.times > 1 ? manyTimes(one.times) : (one.detail ?? one.token);
    const told = {
      rule: one.rule,
      severity: one.severity,
      from,
      to: from + bytes(one.index, one.to),
      index,
      length: one.to - one.index,
      token: one.token,
      message: detail === null ? words : `${words}: ${detail}`,
    };
    return one.times > 1 ? { ...told, times: one.times } : told;
  });
}

/** Tokens that arise, or cease, where the text meets what stands beside it. */
function seamsOf(text: string, { before = '', after = '' }: FindTokensOptions, body: Dialect | null): Found[] {
  const found: Found[] = [];
  const rule = 'assembled-token';
  const seam = (index: number, to: number, token: string): void =>
    void found.push({ rule, index, to, token, severity: AUDIT_RULES[rule].severity });
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
  const next = tokenAt(after, 0);
  if (next !== null && tokenOfText(next)) seam(text.length - 1, text.length, next);
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
