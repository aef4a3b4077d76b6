// Reasoning that is written as text: `<think>` and `</think>` in what an assistant says (R-THINK).
import type { Range } from './text.ts';
import { skipWhite, startsWith } from './tokens.ts';

const OPEN = '<think>';
const CLOSE = '</think>';

export interface Thought extends Range {
  /** Of the marker that tells of it. */
  readonly marker: Range;
}

/**
 * `literals`: blocks in which no marker stands. `told`: what tools are told, in which none ends a thought that its own
 * marker does not begin.
 */
export function writtenThought(
  bytes: Uint8Array, body: Range, literals: readonly Range[], told: readonly Range[],
): Thought | null {
  const isQuoted = (at: number): boolean => literals.some(({ from, to }) => at >= from && at < to);
  const front = skipWhite(bytes, body.from, body.to);
  const isOpened = startsWith(bytes, front, OPEN) && front + OPEN.length <= body.to && !isQuoted(front);
  const end = body.to;
  const isTold = (at: number): boolean => !isOpened && told.some(({ from, to }) => at >= from && at < to);
  const ends = (at: number): boolean => startsWith(bytes, at, CLOSE) && !isQuoted(at) && !isTold(at);
  let closed = isOpened ? front + OPEN.length : body.from;
  while (closed + CLOSE.length <= end && !ends(closed)) closed++;
  const isClosed = closed + CLOSE.length <= end;
  if (!isOpened && !isClosed) return null;
  let to = isClosed ? closed + CLOSE.length : body.to;
  if (isClosed) while (to < body.to && !isQuoted(to) && skipWhite(bytes, to, to + 1) > to) to++;
  const marker = isOpened
    ? { from: front, to: front + OPEN.length } : { from: closed, to: closed + CLOSE.length };
  return { from: isOpened ? front : body.from, to, marker };
}
