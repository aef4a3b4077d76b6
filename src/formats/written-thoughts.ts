// Reasoning that stands as text in what an assistant says (R-THINK), as messages on `analysis`, and back.

import type { Span } from '../model/bytes.ts';
import type { MessageData, TranscriptData } from '../model/data.ts';
import { CLOSE_THINK, OPEN_THINK, thoughtIn, type WrittenThought } from '../model/written-thought.ts';
import { isCall, isShown } from '../rules/message-data.ts';
import { filesByPlace, movedFiles } from './files.ts';
import type { Loss } from './loss.ts';
import { isBlankText, marksOf } from './v01/marks.ts';

interface Changed {
  readonly data: TranscriptData;
  readonly losses: Loss[];
  /** Of each message that was given, what is left of it without its reasoning; absent: no reasoning was taken out. */
  readonly said?: readonly MessageData[] | undefined;
}

/**
 * Reasoning that a message holds as text where readers hide it; positions are UTF-16 units. Null: none. `calls`: what
 * is read as calls in the content.
 */
export function writtenIn(message: MessageData, calls: readonly Span[] = []): WrittenThought | null {
  if (message.role !== 'assistant' || isCall(message)) return null;
  const { content, written = thoughtIn(content, calls) } = message;
  if (written === null || message.marked !== true) return written;
  // What marks hide across its ends is hidden too.
  const across = marksOf(content).thoughts.filter(({ from, to }) =>
    from < written.to && to > written.from && (from < written.from || to > written.to));
  if (across.length === 0) return written;
  const from = Math.min(written.from, ...across.map((thought) => thought.from));
  const to = Math.max(written.to, ...across.map((thought) => thought.to));
  return { ...written, from, to, textFrom: from, textTo: to };
}

/** A message without its written reasoning, which stands before it; `losses` is told what is written back otherwise. */
export function withoutWritten(message: MessageData, index: number, losses: Loss[]): MessageData[] {
  const written = writtenIn(message);
  if (written === null) return [message];
  const { content, end, written: _, ...rest } = message;
  const text = content.slice(written.textFrom, written.textTo);
  const inner = text.startsWith('\n') && text.endsWith('\n') ? text.slice(1, -1) : text;
  const lose = (detail: string): void => void losses.push({ what: 'thinking', message: index, detail });
  const { role, name, attributes, marked, origin } = message;
  const thought: MessageData[] = [];
  if (isBlankText(inner)) lose('reasoning that is empty is left out');
  else {
    const isUsual = written.from === 0 && content.slice(0, written.to) === usual(inner);
    if (!isUsual) lose('markers and white space around written reasoning');
    const speaker = { role, ...(name != null && { name }), ...(attributes !== undefined && { attributes }) };
    thought.push({
      ...speaker, channel: 'analysis', content: inner,
      ...(marked !== undefined && { marked }), ...(origin !== undefined && { origin }),
    });
  }
  const said = content.slice(0, written.from) + content.slice(written.to);
  const ending = end === undefined ? {} : { end };
  if (said === '' && thought.length > 0) return end === 'call' ? thought : [{ ...thought[0]!, ...ending }];
  // What follows may look like reasoning again, and is text.
  const looks = thoughtIn(said) !== null;
  return [...thought, { ...rest, ...ending, content: said, ...(looks && { written: null }) }];
}

/** A part of both markers. */
const THINK = 'think>';

/**
 * Written reasoning becomes messages on `analysis`. `stays`: where its markers alone bound it, it stays as it is: in a
 * form that has no quotes either.
 */
export function splitWritten(data: TranscriptData, stays = false): Changed {
  const losses: Loss[] = [];
  // In most transcripts nothing looks like it.
  if (!data.messages.some(({ content, written }) => written || content.includes(THINK))) return { data, losses };
  const starts: number[] = [];
  const messages: MessageData[] = [];
  const said: MessageData[] = [];
  data.messages.forEach((message, index) => {
    starts.push(messages.length);
    const splits = isShown(message) && !(stays && !message.written);
    messages.push(...(splits ? withoutWritten(message, index, losses) : [message]));
    said.push(messages.at(-1)!);
  });
  const isSame = messages.every((message, i) => message === data.messages[i]);
  if (isSame) return { data, losses };
  return { data: { ...data, messages, ...movedFiles(data, starts, messages.length) }, losses, said };
}

/** Reasoning as DeepSeek and Qwen write it. */
const usual = (text: string): string => `${OPEN_THINK}\n${text}\n${CLOSE_THINK}\n\n`;

/** An assistant's messages on `analysis` become text before what it says next, or before its call. */
export function joinWritten(given: TranscriptData): Changed {
  const { data, losses, said } = splitWritten(given, true);
  const messages: MessageData[] = [];
  let thoughts: { message: MessageData; index: number }[] = [];
  const flush = (next: MessageData | null): void => {
    const [first, ...others] = thoughts;
    thoughts = [];
    if (first === undefined) {
      if (next !== null) messages.push(next);
      return;
    }
    for (const { index } of others) {
      losses.push({ what: 'grouping', message: index, detail: 'reasoning joins the reasoning before it' });
    }
    const text = usual([first, ...others].map(({ message }) => message.content).join('\n\n'));
    const isSaid = next !== null && isShown(next) && next.role === 'assistant' && writtenIn(next) === null
      && next.written !== null && (next.name ?? null) === (first.message.name ?? null);
    if (isSaid) {
      messages.push({ ...next, content: text + next.content });
      return;
    }
    const isBeforeCall = next !== null && isCall(next);
    const { channel: _, written: __, ...speaker } = first.message;
    const frame = isBeforeCall ? { channel: 'commentary', intent: 'preamble' } : { channel: 'final' };
    messages.push({ ...speaker, ...frame, content: text });
    if (next !== null) messages.push(next);
  };
  const files = filesByPlace(data);
  const starts: number[] = [];
  for (const [index, message] of data.messages.entries()) {
    if (files.has(index)) flush(null);
    starts.push(messages.length);
    const isThought = isReasoning(message) && !message.content.includes(CLOSE_THINK);
    const isOther = thoughts.length > 0 && (message.name ?? null) !== (thoughts[0]!.message.name ?? null);
    if (isThought && isOther) flush(null);
    if (isThought) thoughts.push({ message, index });
    else flush(message);
  }
  flush(null);
  return { data: { ...data, messages, ...movedFiles(data, starts, messages.length) }, losses, said };
}

/** Text that an assistant has thought, and no more. */
function isReasoning(message: MessageData): boolean {
  const { role, channel, recipient, contentType, intent, callId, attributes, end = 'end', marked } = message;
  const isPlain = recipient == null && contentType == null && intent == null && callId == null && !attributes;
  return role === 'assistant' && channel === 'analysis' && isPlain && end === 'end' && marked !== true;
}

/** Text that a form without quotes takes for reasoning (`written: null`): what was shown is hidden there. */
export function lossesOfQuotes(messages: readonly MessageData[]): Loss[] {
  return messages.flatMap((message, index): Loss[] => {
    const { role, content, written } = message;
    if (role !== 'assistant' || written !== null || !isShown(message) || thoughtIn(content) === null) return [];
    return [{ what: 'field', message: index, detail: 'text that looks like written reasoning is taken for it' }];
  });
}
