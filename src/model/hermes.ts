// Calls, replies and definitions as Hermes and Qwen write them: `<tool_call>`, `<tool_response>`, `<tools>` (R-HERMES).

import { indexOfPart, LF, type Span, standsAt } from './bytes.ts';
import { type Mark, MOST_CALLS } from './thoughts.ts';

export const OPEN_CALL = '<tool_call>';
export const CLOSE_CALL = '</tool_call>';
export const OPEN_REPLY = '<tool_response>';
export const CLOSE_REPLY = '</tool_response>';
export const OPEN_TOOLS = '<tools>';
export const CLOSE_TOOLS = '</tools>';

/** What stands for the token of a `<tool_call>` among marks. */
export const HERMES_CALL = -1;

/** The calls of a body in order: those of tokens, and those of tags outside of thoughts. */
export function withTags(
  calls: readonly Mark[], tags: readonly Span[], thoughts: Iterable<Span>,
): readonly Mark[] {
  if (tags.length === 0) return calls;
  // Both are in order.
  const rest = thoughts[Symbol.iterator]();
  let thought = rest.next();
  const outside = tags.filter(({ from }) => {
    while (!thought.done && thought.value.to <= from) thought = rest.next();
    return thought.done === true || from < thought.value.from;
  });
  const written = outside.map(({ from, to }) => ({ token: HERMES_CALL, from, to }));
  return [...calls, ...written].sort((a, b) => a.from - b.from).slice(0, MOST_CALLS);
}

/** A reply: its tags, and the text between them; or its token, and the text behind it. */
export interface Reply extends Span {
  readonly textFrom: number;
  readonly textTo: number;
}

/** Where a tag stands next in [from, to), or -1. */
type Find = (tag: string, from: number) => number;

/** Positions of the tags that begin a line, or what is looked through: a text, from `first` on. */
function* lineTags(find: Find, isLineEnd: (at: number) => boolean, first: number): Generator<Span, void, void> {
  let left = MOST_CALLS;
  for (let at = find(OPEN_CALL, first); at >= 0 && left > 0; at = find(OPEN_CALL, at + 1)) {
    if (at !== first && !isLineEnd(at - 1)) continue;
    yield { from: at, to: at + OPEN_CALL.length };
    left--;
  }
}

function* replies(find: Find, first: number, most: number): Generator<Reply, void, void> {
  let left = most;
  for (let from = find(OPEN_REPLY, first); from >= 0 && left > 0; left--) {
    const textFrom = from + OPEN_REPLY.length;
    const textTo = find(CLOSE_REPLY, textFrom);
    // Nothing further can end either.
    if (textTo < 0) return;
    const to = textTo + CLOSE_REPLY.length;
    yield { from, to, textFrom, textTo };
    from = find(OPEN_REPLY, to);
  }
}

/** The `<tool_call>` tags of a text that begin a line; positions are UTF-16 units. */
export function callTagsIn(text: string): Span[] {
  return [...lineTags((tag, from) => text.indexOf(tag, from), (at) => text[at] === '\n', 0)];
}

/**
 * Calls and replies that one text becomes messages of: what is beyond is one, as a message takes many times longer than
 * its text.
 */
export const MOST_WRITTEN = 1000;

/** The replies in a text; from the one behind MOST_WRITTEN on all is one. Positions are UTF-16 units. */
export function repliesIn(text: string): Reply[] {
  const found = [...replies((tag, from) => text.indexOf(tag, from), 0, MOST_WRITTEN + 1)];
  const to = text.length;
  if (found.length > MOST_WRITTEN) found.push({ ...found.pop()!, textTo: to, to });
  return found;
}

interface Bytes {
  bytes(from: number, to: number): Uint8Array;
}

/** The `<tool_call>` tags of a body that begin a line. */
export function callTags(source: Bytes, body: Span): Span[] {
  return [...lineTags(finderOf(source, body), (at) => source.bytes(at, at + 1)[0] === LF, body.from)];
}

/** How many `<tool_call>` tags of [from, to) stand behind a newline there. */
export function countTags(source: Bytes, { from, to }: Span): number {
  const bytes = source.bytes(from, to);
  let count = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (standsAt(ENCODED[OPEN_CALL]!, bytes, at + 1)) count++;
  }
  return count;
}

/** The replies in a body. */
export function writtenReplies(source: Bytes, body: Span): Reply[] {
  return [...replies(finderOf(source, body), body.from, MOST_CALLS)];
}

const ENCODER = new TextEncoder();
const ENCODED: Readonly<Record<string, Uint8Array>> = Object.fromEntries(
  [OPEN_CALL, OPEN_REPLY, CLOSE_REPLY].map((tag) => [tag, ENCODER.encode(tag)]),
);
/** Bytes that are looked at first: the next tag is often near; and bytes that are looked at together at most. */
const NEAR = 1024;
const PART = 64 * 1024;

function finderOf(source: Bytes, { to }: Span): Find {
  return (tag, from) => {
    const encoded = ENCODED[tag]!;
    let part = NEAR;
    for (let at = from; to - at >= tag.length; at += part, part = Math.min(PART, part * 8)) {
      // A tag may begin in one part and end in the next.
      const bytes = source.bytes(at, Math.min(to, at + part + tag.length - 1));
      const found = indexOfPart(encoded, bytes);
      if (found >= 0) return at + found;
    }
    return -1;
  };
}
