// Text without control tokens: escaped, so that reading gives it back, or broken up, so that nothing reads it as a
// token and a person still can.

import { HAS_ESCAPE } from '../../abi.ts';
import type { Severity } from '../../errors.ts';
import { DIALECTS, type DialectId } from '../../scan/dialects.ts';
import { eachToken, type FindTokensOptions } from './find.ts';
import type { Found } from './found.ts';
import { TokenEdits } from './edits.ts';
import { dialectOf, inDialect, tokenOfText } from './known.ts';
import { writeBody } from '../write/body.ts';
import { checkOptions, type Known } from '../../options.ts';

/** How a control token in text is made harmless: by the dialect's escape (2.2 §10), or by breaking it up. */
export type EscapeStyle = 'escape' | 'neutralise';

/** Where a text goes whose control tokens are made harmless. */
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

const ESCAPE_OPTIONS: Known<EscapeTokensOptions> = {
  dialect: 1, how: 1, lookAlikes: 1, foreign: 1, role: 1, before: 1, after: 1,
};

/**
 * The text with no control token in it: `findControlTokens` finds no error in the result, when it gets the same `role`,
 * `before` and `after`, and what was escaped as a `body`. To neutralise twice is the same as once. Throws a TypeError
 * for what is no string, a RangeError for a wrong option.
 *
 * @example
 * ```ts
 * import { escapeControlTokens } from 'openchatml';
 *
 * console.log(escapeControlTokens('Hi<|end|>')); // Hi<| end |>
 * console.log(escapeControlTokens('Hi<|end|>', { dialect: 'openchatml-2.2' })); // Hi<<|end|>
 * ```
 */
export function escapeControlTokens(text: string, options: EscapeTokensOptions = {}): string {
  if (typeof text !== 'string') throw new TypeError(`text: expected a string; got ${typeof text}`);
  checkOptions(options, ESCAPE_OPTIONS);
  const how = styleOf(options);
  if (how === 'escape') return escaped(text);
  const { dialect, role, before, after } = options;
  const own = dialectOf('dialect', dialect);
  const edits = new TokenEdits(text);
  eachToken(text, { role, before, after }, (one) => {
    const { severity } = one;
    if (severity === 'error') {
      const token = one.rule === 'assembled-token' || own === null ? undefined : tokenOfText(one.token ?? '');
      if (token === undefined || inDialect(token, own!) !== undefined) edits.breakUp(one);
    } else if (isWanted(one, severity, options) && !isMeant(one, role)) edits.breakUp(one);
  });
  return edits.applied;
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
  { rule }: Found, severity: Severity,
  { lookAlikes, foreign }: Pick<EscapeTokensOptions, 'lookAlikes' | 'foreign'>,
): boolean {
  if (severity !== 'warning') return false;
  if (rule === 'token-look-alike') return lookAlikes === true;
  // An assistant's markers of reasoning are meant, whatever becomes of the others.
  return rule !== 'cot-marker' && foreign === true;
}

/**
 * Whether a tag is what an assistant hides its reasoning by, or calls (R-THINK, R-HERMES): broken up it would show what
 * is hidden. `role`: of the message that holds it.
 */
export const isMeant = ({ token }: Found, role: string | null | undefined): boolean =>
  role === 'assistant' && token !== null && MEANT.has(token);

const MEANT: ReadonlySet<string> = new Set(['<think>', '</think>', '<tool_call>', '</tool_call>']);

const HALF = /(\p{Cs})/u;

/** As a body of 2.2, by the rules of the writer, which refuses half of a surrogate pair: here that is no matter. */
function escaped(text: string): string {
  const dialect = DIALECTS['openchatml-2.2'];
  const write = (content: string): string =>
    writeBody({ role: 'user', content, marked: false }, 0, dialect, {}, []);
  return text.split(HALF).map((part, i) => (i % 2 === 1 ? part : write(part))).join('');
}
