// What of a message's body is shown: not its thoughts, not a 0.1 call or reply, not an open literal block (R-COT,
// R-THINK, R-CALL, R-HERMES, R-LITERAL).
//
// Nothing here asks whether the message may be shown at all: visibility.ts does, and `show` there asks both.

import { textOfPieces } from './content.ts';
import type { MessageView, Span } from './message-view.ts';

/** Why a part of a shown body is not shown. */
export type CutReason = 'thought' | 'call' | 'reply' | 'literal' | 'channel';

/** Bytes of the content: shown, or cut for a reason. */
export interface Piece extends Span {
  readonly cut: CutReason | null;
}

interface Cut extends Span {
  readonly cut: CutReason;
}

/** The whole content in order (without the `<` of escapes and without literal tokens), each piece shown or cut. */
export function* bodyPieces(message: MessageView): Generator<Piece, void, void> {
  const cuts = readCuts(message);
  let next = cuts.next();
  for (const { from, to } of message.contentSpans()) {
    let at = from;
    while (at < to) {
      while (!next.done && next.value.to <= at) next = cuts.next();
      const cut = next.done ? null : next.value;
      const isCut = cut !== null && cut.from <= at;
      const until = Math.min(to, cut ? (isCut ? cut.to : cut.from) : to);
      yield { from: at, to: until, cut: isCut ? cut.cut : null };
      at = until;
    }
  }
}

/** The spans whose bytes, one after the other, are what is shown. */
export function* shownSpans(message: MessageView): Generator<Span, void, void> {
  for (const piece of bodyPieces(message)) if (piece.cut === null) yield piece;
}

/** What is shown, as text: invalid UTF-8 as U+FFFD. */
export function shownText(message: MessageView): string {
  return textOfPieces(message.source, shownSpans(message));
}

/**
 * What is not shown, in order and without overlap. Marks and `<think>` are private in what an assistant says, and so is
 * `<tool_response>` in what a user says; elsewhere they are text.
 */
function* readCuts(message: MessageView): Generator<Cut, void, void> {
  const { to } = message.body;
  const open = message.openLiteral;
  let end: Cut | null = open ? { from: open.from, to, cut: 'literal' } : null;
  if (message.role === 'assistant') {
    const [call] = message.functionCalls;
    if (call && !(end && end.from < call.from)) end = { from: call.from, to, cut: 'call' };
    const leak = message.leakedChannel;
    if (leak && !(end && end.from < leak.from)) end = { from: leak.from, to, cut: 'channel' };
  }
  const shownTo = end?.from ?? to;
  const cut = message.role === 'user' ? 'reply' : 'thought';
  let at = 0;
  for (const part of hiddenIn(message)) {
    const from = Math.max(at, part.from);
    at = Math.max(at, Math.min(part.to, shownTo));
    if (from < at) yield { from, to: at, cut };
  }
  if (end) yield end;
}

/** Replies in what a user says, and thoughts of an assistant, in order. */
function* hiddenIn(message: MessageView): Generator<Span, void, void> {
  if (message.role === 'user') yield* message.functionReplies;
  if (message.role !== 'assistant') return;
  let written: Span | null = message.writtenThought;
  for (const thought of message.eachThought()) {
    if (written && written.from < thought.from) {
      yield written;
      written = null;
    }
    yield thought;
  }
  if (written) yield written;
}
