// The body of a message as text: escapes and literal blocks where the dialect has them, else a refusal (R-ESCAPE,
// R-TAIL, R-REFUSE).

import { CLASS_CLOSE, CLASS_INNER, CLASS_OPEN, HAS_ESCAPE, HAS_LINE } from '../../abi.ts';
import type { MessageData } from '../../model/data.ts';
import { CLOSE_LITERAL, type Dialect, DIALECTS, OPEN_LITERAL } from '../../scan/dialects.ts';
import { GatheredText } from '../gathered-text.ts';
import { type Loss, Refusal } from '../loss.ts';
import { isShown } from '../../rules/message-data.ts';
import { Crowd, CROWDED } from './crowd.ts';

export interface BodyOptions {
  /**
   * Thought markers in the content of a message that does not say what they are (`marked`). `auto`: they stay where the
   * body is not shown, in an analysis for example, and are quoted where it is. `keep` and `quote`: everywhere.
   */
  readonly markers?: 'auto' | 'keep' | 'quote' | undefined;
  /** Where the dialect has no escape: `<|end|>` becomes `<| end |>`, a loss instead of a refusal. */
  readonly neutralise?: boolean | undefined;
}

/** Tokens by their names; no two overlap, as each begins with `<|` and holds no `<` else. */
function pattern(names: readonly string[]): RegExp {
  return new RegExp(`<\\|(?:${names.join('|')})\\|>`, 'g');
}

const namesOf = (dialect: Dialect, keep: (tokenClass: number) => boolean): string[] =>
  dialect.tokens.filter((token) => keep(token.tokenClass)).map((token) => token.text.slice(2, -2));

interface Patterns {
  /** Tokens that a body cannot hold as they stand. */
  readonly frame: RegExp;
  /** The same and thought markers; null where markers are nothing but text. */
  readonly all: RegExp | null;
}

function patternsOf(dialect: Dialect): Patterns {
  // In 0.1 only the two tokens of the frame end a body, and all others are part of it (R-UNCLOSED).
  if (dialect.flags & HAS_LINE) {
    return { frame: pattern(namesOf(dialect, (it) => it === CLASS_OPEN || it === CLASS_CLOSE)), all: null };
  }
  const frame = namesOf(dialect, (it) => it !== CLASS_INNER);
  const markers = namesOf(dialect, (it) => it === CLASS_INNER);
  return { frame: pattern(frame), all: markers.length > 0 ? pattern([...frame, ...markers]) : null };
}

const PATTERNS: Readonly<Record<string, Patterns>> = Object.fromEntries(
  Object.values(DIALECTS).map((dialect) => [dialect.id, patternsOf(dialect)]),
);

const MARKER = pattern(namesOf(DIALECTS['openchatml-2.2'], (it) => it === CLASS_INNER));
const LONE_SURROGATE = /\p{Cs}/u;
/** Units of a content that are escaped at once, so that it takes little memory. */
const LONGEST_PART = 1 << 18;
/** Units of the first part, which tells whether tokens are crowded. */
const FIRST_PART = 1 << 12;

/** The body's text. Reading it gives the content back, or a Refusal is thrown. */
export function writeBody(
  message: MessageData, index: number, dialect: Dialect, options: BodyOptions, losses: Loss[],
): string {
  const body = gatherBody(message, index, dialect, options, losses);
  return typeof body === 'string' ? body : body.text;
}

/** The same, as a text that need not be put together where there is something to escape. */
export function gatherBody(
  message: MessageData, index: number, dialect: Dialect, options: BodyOptions, losses: Loss[],
): string | GatheredText {
  const { content } = message;
  if (typeof content !== 'string') throw new Refusal(index, 'the content is no text', 'give it as a string');
  if (LONE_SURROGATE.test(content)) {
    throw new Refusal(
      index,
      'the content holds half of a surrogate pair, which UTF-8 cannot',
      'replace it, with U+FFFD for example',
    );
  }
  if (!content.includes('<')) return content;
  if (
    dialect.id === 'harmony' &&
    message.marked &&
    message.role === 'assistant' &&
    isShown(message) &&
    has(MARKER, content)
  ) {
    throw new Refusal(
      index,
      'the shown body holds thoughts, which harmony would show',
      'move them to channel analysis',
    );
  }
  const { frame, all } = PATTERNS[dialect.id]!;
  const tokens = all && quotes(message, options) ? all : frame;
  const quoted = quotedThinks(message);
  if (dialect.flags & HAS_ESCAPE) {
    return quoted === null ? escape(content, tokens) : escape(content, withThinks(tokens), quoted);
  }
  if (quoted !== null && message.written && dialect.id !== 'harmony') {
    const remedy = 'write it as openchatml-2.2, or convert it, which moves the reasoning to channel analysis';
    throw new Refusal(index, `written reasoning holds a quoted marker, and ${dialect.id} has no quotes`, remedy);
  }
  // Only in what an assistant says a marker hides anything.
  return refuse(content, message.role === 'assistant' ? tokens : frame, index, dialect, options, losses);
}

/** Whether thought markers in this body are text that must not be read as markers. */
function quotes(message: MessageData, options: BodyOptions): boolean {
  if (message.marked !== undefined) return !message.marked;
  const { markers = 'auto' } = options;
  return markers === 'auto' ? isShown(message) || isConventionalPreamble(message) : markers === 'quote';
}

/** Shown to who opts in to Harmony's convention (R-VISIBLE). */
function isConventionalPreamble({ role, channel, recipient, intent }: MessageData): boolean {
  return role === 'assistant' && channel === 'commentary' && recipient == null && intent == null;
}

const withThinks = (tokens: RegExp): RegExp => new RegExp(`${tokens.source}|</?think>`, 'g');

/** Tells which `<think>` and `</think>` of a content are text, by their positions; null: none is. */
function quotedThinks(message: MessageData): ((at: number) => boolean) | null {
  const { written } = message;
  if (written === undefined || message.role !== 'assistant' || !isShown(message)) return null;
  return written === null ? () => true : (at) => at >= written.textFrom && at < written.textTo;
}

function has(tokens: RegExp, content: string): boolean {
  return content.search(tokens) >= 0;
}

/**
 * A `<` before each token of the frame. There is none for thought markers and for those of written reasoning: they go
 * into a literal block, and so do the `<` before one, which would make the block's token an escape, and the `<` at the
 * end, which would do so with the terminator.
 */
function escape(content: string, tokens: RegExp, quotesThink?: (at: number) => boolean): GatheredText {
  const text = new GatheredText();
  if (quotesThink === undefined && !holdsLiteral(content)) {
    const tail = beforeSigns(content, content.length);
    let crowd: Crowd | null = null;
    for (let from = 0; from < tail; ) {
      // No token begins before a `<` and ends behind it.
      const most = from + (from === 0 ? FIRST_PART : LONGEST_PART);
      const to = most < tail ? content.lastIndexOf('<', most) : tail;
      const end = to > from ? to : tail;
      const part = content.slice(from, end);
      const escaped: string = crowd ? crowd.escape(part) : part.replace(tokens, '<$&');
      text.add(escaped);
      // What follows is mostly as what was before.
      const isCrowded = (escaped.length - part.length) * CROWDED > part.length;
      crowd = isCrowded && end < tail ? crowd ?? new Crowd(tokens) : null;
      from = end;
    }
    if (tail < content.length) text.add(OPEN_LITERAL + content.slice(tail) + CLOSE_LITERAL);
    return text;
  }
  let at = 0;
  for (const match of content.matchAll(tokens)) {
    const token = match[0];
    const isThink = !token.startsWith('<|');
    if (isThink && quotesThink?.(match.index) !== true) continue;
    if (isThink || token.startsWith('<|start_') || token.startsWith('<|end_')) {
      const from = beforeSigns(content, match.index);
      text.add(content.slice(at, from) + OPEN_LITERAL + content.slice(from, match.index) + token + CLOSE_LITERAL);
    } else {
      text.add(`${content.slice(at, match.index)}<${token}`);
    }
    at = match.index + token.length;
  }
  const tail = beforeSigns(content, content.length);
  text.add(content.slice(at, tail));
  if (tail < content.length) text.add(OPEN_LITERAL + content.slice(tail) + CLOSE_LITERAL);
  return text;
}

const INNER_TOKEN = /<\|(?:start|end)_/;

/** Whether the content may hold a token of a literal block. One byte is looked for faster than several. */
function holdsLiteral(content: string): boolean {
  return content.includes('_') && INNER_TOKEN.test(content);
}

/** Where the run of `<` begins that ends at `to`. It never reaches back into a token, which ends with `>`. */
function beforeSigns(content: string, to: number): number {
  let at = to;
  while (at > 0 && content.charCodeAt(at - 1) === 0x3c) at--;
  return at;
}

function refuse(
  content: string,
  tokens: RegExp,
  index: number,
  dialect: Dialect,
  options: BodyOptions,
  losses: Loss[],
): string {
  let count = 0;
  const text = content.replace(tokens, (token) => {
    if (!options.neutralise) {
      const reason = `the body holds ${token}, and ${dialect.id} has no escape for it`;
      throw new Refusal(index, reason, 'write it as openchatml-2.2, or ask to neutralise tokens');
    }
    count++;
    return `<| ${token.slice(2, -2)} |>`;
  });
  if (count > 0) losses.push({ what: 'field', message: index, detail: neutralised(count) });
  return text;
}

/** What a loss says of tokens that were made harmless. */
export const neutralised = (count: number): string => `control tokens of the body neutralised with spaces: ${count}`;
