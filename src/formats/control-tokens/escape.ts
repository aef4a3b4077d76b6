// Text without control tokens: escaped, so that reading gives it back, or broken up, so that nothing reads it as a
// token and a person still can.

import { HAS_ESCAPE } from '../../abi.ts';
import { DIALECTS, type DialectId } from '../../scan/dialects.ts';
import { type ControlToken, findControlTokens, type FindTokensOptions } from './find.ts';
import { brokenUp, dialectOf, inDialect, tokenOfText } from './known.ts';
import { GatheredText } from '../gathered-text.ts';
import { writeBody } from '../write/body.ts';

export type EscapeStyle = 'escape' | 'neutralise';

export interface EscapeTokensOptions extends Pick<FindTokensOptions, 'role' | 'before' | 'after'> {
  /** The dialect whose text this becomes: its tokens only. Without it tokens of all dialects are broken up. */
  readonly dialect?: DialectId | undefined;
  /**
   * `escape`, by default where the dialect has escapes: `<<|end|>` and literal blocks, as a body of that dialect.
   * `neutralise`: `<| end |>`, which is text everywhere.
   */
  readonly how?: EscapeStyle | undefined;
  /** `neutralise` changes what looks like a token, too; and tokens that are foreign here, and bounds. Default false. */
  readonly lookAlikes?: boolean | undefined;
  readonly foreign?: boolean | undefined;
}

/** Replaces `length` units at `index`: bytes [from, to) of UTF-8. */
export interface TokenEdit extends Pick<ControlToken, 'index' | 'length' | 'from' | 'to'> {
  readonly text: string;
}

/**
 * The text with no control token in it: `findControlTokens` finds no error in the result, when it gets the same `role`,
 * `before` and `after`, and what was escaped as a `body`. To neutralise twice is the same as once.
 */
export function escapeControlTokens(text: string, options: EscapeTokensOptions = {}): string {
  if (typeof text !== 'string') throw new TypeError(`text: expected a string; got ${typeof text}`);
  const how = styleOf(options);
  if (how === 'escape') return escaped(text);
  const { dialect, role, before, after } = options;
  const own = dialectOf('dialect', dialect);
  const found = findControlTokens(text, { role, before, after });
  const wanted = found.filter((one) => {
    if (one.severity !== 'error') return isWanted(one, options);
    const token = one.rule === 'assembled-token' || own === null ? undefined : tokenOfText(one.token ?? '');
    return token === undefined || inDialect(token, own!) !== undefined;
  });
  return applyEdits(text, neutralEdits(text, wanted));
}

/** The style that is asked for, or that the dialect has. */
export function styleOf({ dialect, how }: Pick<EscapeTokensOptions, 'dialect' | 'how'>): EscapeStyle {
  const own = dialectOf('dialect', dialect);
  const hasEscape = own !== null && (own.flags & HAS_ESCAPE) !== 0;
  if (how === undefined) return hasEscape ? 'escape' : 'neutralise';
  if (how !== 'escape' && how !== 'neutralise') {
    throw new RangeError(`option how: expected escape, neutralise; got ${JSON.stringify(how)}`);
  }
  if (how === 'escape' && own !== null && !hasEscape) {
    throw new RangeError(`option how: ${dialect} has no escape; use neutralise`);
  }
  return how;
}

/** Whether a finding that is no error is to be changed. */
export function isWanted(
  { rule, severity }: Pick<ControlToken, 'rule' | 'severity'>,
  { lookAlikes, foreign }: Pick<EscapeTokensOptions, 'lookAlikes' | 'foreign'>,
): boolean {
  if (severity !== 'warning') return false;
  if (rule === 'token-look-alike') return lookAlikes === true;
  // An assistant's markers of reasoning are meant, whatever becomes of the others.
  return rule !== 'cot-marker' && foreign === true;
}

const HALF = /(\p{Cs})/u;

/** As a body of 2.2, by the rules of the writer, which refuses half of a surrogate pair: here that is no matter. */
function escaped(text: string): string {
  const dialect = DIALECTS['openchatml-2.2'];
  const write = (content: string): string =>
    writeBody({ role: 'user', content, marked: false }, 0, dialect, {}, []);
  return text.split(HALF).map((part, i) => (i % 2 === 1 ? part : write(part))).join('');
}

/** What breaks up each finding. */
export function neutralEdits(text: string, found: readonly ControlToken[]): TokenEdit[] {
  const edits: TokenEdit[] = [];
  let to = 0;
  for (const one of found) {
    const { index, length, from } = one;
    // A part at a seam may lie within a whole token.
    if (index < to) continue;
    to = index + length;
    const written = text.slice(index, to);
    const replacement = one.rule === 'assembled-token' ? partOf(written, index > 0)
      : one.rule === 'token-look-alike' ? brokenUp(one.token!) : brokenUp(written);
    edits.push({ index, length, from, to: one.to, text: replacement });
  }
  return edits;
}

/** A part of a token at the end of a text, or at its beginning, with a space in it. */
function partOf(part: string, isTail: boolean): string {
  if (isTail || part.startsWith('<')) return part.length > 2 ? `${part.slice(0, 2)} ${part.slice(2)}` : `${part} `;
  return part.length > 2 && part.endsWith('|>') ? `${part.slice(0, -2)} ${part.slice(-2)}` : ` ${part}`;
}

/** The text with the edits made. */
export function applyEdits(text: string, edits: readonly TokenEdit[]): string {
  const changed = new GatheredText();
  let at = 0;
  for (const { index, length, text: replacement } of edits) {
    changed.add(text.slice(at, index) + replacement);
    at = index + length;
  }
  changed.add(text.slice(at));
  return changed.text;
}
