// Calls and replies that stand as text in what is said (R-HERMES), as messages to tools and from them.

import type { Span } from '../model/bytes.ts';
import { type MessageData, type ToolDefinition, type TranscriptData, withFields } from '../model/data.ts';
import {
  CLOSE_CALL, CLOSE_TOOLS, callTagsIn, MOST_WRITTEN, OPEN_CALL, OPEN_REPLY, OPEN_TOOLS, repliesIn,
} from '../model/hermes.ts';
import { thoughtIn } from '../model/written-thought.ts';
import { isShown } from '../rules/message-data.ts';
import { skipBlanks } from '../tools/json.ts';
import { toolsListed } from './declared.ts';
import { toolRecipient } from '../tools/name.ts';
import { OpenCalls, withReplyNames } from './chat/calls.ts';
import type { Loss } from './loss.ts';
import { withoutParts } from './media.ts';
import { readCallText, readReplyText } from './v01/json.ts';
import { isBlankText, newlineAt, withoutNewline } from './v01/marks.ts';
import { writtenIn } from './written-thoughts.ts';

type Speaker = Pick<MessageData, 'role' | 'name' | 'attributes' | 'origin'>;

/**
 * A message of who speaks, with the name, attributes and origin where there are some: most have nothing but a role. A
 * content may hold very many calls, and an object that is put together from others takes several times the memory.
 */
export const spokenBy = (speaker: Speaker, message: MessageData): MessageData =>
  Object.keys(speaker).length === 1 ? message : { ...message, ...speaker };

/** A call of a tool. */
export const callOf = (speaker: Speaker, tool: string, content: string): MessageData => spokenBy(speaker, {
  role: speaker.role, channel: 'commentary', recipient: toolRecipient(tool), contentType: 'json', constrained: true,
  content,
});

/**
 * The call behind a tag, and what follows it. `at`: where the text behind the tag begins in the content. What is no
 * call object with an end tag stays text that nobody sees, tag and all (`whole`).
 */
export function readWrittenCall(
  speaker: Speaker, text: string, at: number, whole = OPEN_CALL + text,
): MessageData[] {
  const call = readCallText(text);
  const close = call === null ? 0 : skipBlanks(text, call.to);
  if (call === null || !call.arguments.startsWith('{') || !text.startsWith(CLOSE_CALL, close)) {
    return [unread(hiddenText(speaker, whole, at - OPEN_CALL.length))];
  }
  const { name, arguments: content } = call;
  const to = close + CLOSE_CALL.length;
  const rest = text.slice(to);
  const called = placed(callOf(speaker, name, content), at + call.from);
  if (isBlankText(rest)) return [called];
  return [called, hiddenText(speaker, rest, at + to)];
}

/** `at`: where it begins in the content. */
const hiddenText = (speaker: Speaker, content: string, at: number): MessageData =>
  placed(spokenBy(speaker, { role: speaker.role, channel: 'commentary', content }), at);

/** What was read from an entry of a record says that it is a call which cannot be read. */
const unread = (message: MessageData): MessageData =>
  (message.origin === undefined ? message : withFields(message, { unread: true }));

/** What was read from an entry of a record says where in its content. */
const placed = (message: MessageData, at: number): MessageData =>
  (message.origin === undefined ? message : { ...message, contentFrom: at });

/**
 * What a reply says, and for whom: `{"name", "content"}` (R-REPLY-01), else its text without the newlines with which
 * its tags or tokens stand on lines of their own; `isLast`: no token follows. `author`: whom the message names; where
 * the object names another tool, it stays, so that nothing is lost. `from`: where what is said begins.
 */
export function readReply(
  text: string, author: string | null, isLast = false,
): { name: string | null; content: string; from: number } {
  const said = readReplyText(text);
  const own = said === null || said.name === '' ? null : toolRecipient(said.name);
  const name = author ?? own;
  if (said !== null && (own === null || own === name)) return { name, content: said.content, from: said.from };
  const from = newlineAt(text, 0);
  const body = text.slice(from);
  return { name, content: isLast ? body : withoutNewline(body), from };
}

/**
 * What a tool or a user says, in order: replies with the names of the calls that they answer, and the text of a user
 * between them. Null: it holds no replies, or a tool says more than that.
 */
export function readWrittenReplies(message: MessageData, open: OpenCalls): MessageData[] | null {
  const { content, role, name: given = null, callId, end, marked: _, ...rest } = message;
  const replies = content.includes(OPEN_REPLY) ? repliesIn(content) : [];
  if (replies.length === 0) return null;
  const ending = end === undefined || end === 'end' || end === 'call' ? {} : { end };
  const parts: MessageData[] = [];
  let at = 0;
  const takeText = (to: number): boolean => {
    const text = content.slice(at, to);
    if (isBlankText(text)) return true;
    if (role === 'tool') return false;
    parts.push(placed({ ...rest, role, ...(given !== null && { name: given }), content: text }, at));
    return true;
  };
  const author = role === 'tool' && given !== null ? toolRecipient(given) : null;
  for (const { from, to, textFrom, textTo } of replies) {
    if (!takeText(from)) return null;
    const id = role === 'tool' && replies.length === 1 ? (callId ?? null) : null;
    const text = content.slice(textFrom, textTo);
    const { name: named, content: said, from: begin } = readReply(text, author);
    const call = open.reply(id, named);
    const name = named ?? call?.recipient ?? null;
    const { intent: __, contentType: ___, constrained: ____, ...frame } = rest;
    const reply = {
      ...frame, role: 'tool', ...(name !== null && { name }), ...(id !== null && { callId: id }),
      recipient: 'assistant', channel: 'commentary', content: said,
    };
    parts.push(placed(reply, textFrom + begin));
    at = to;
  }
  if (!takeText(content.length)) return null;
  return [...parts.slice(0, -1), { ...parts.at(-1)!, ...ending }];
}

const MOST_MISSES = 64;

/** The text of a system message without the lists of tools that stand between tags in it. */
export function withoutWrittenTools(content: string): { content: string; tools: readonly ToolDefinition[] } {
  const tools: ToolDefinition[] = [];
  let text = '';
  let kept = 0;
  let misses = 0;
  for (let at = content.indexOf(OPEN_TOOLS); at >= 0; at = content.indexOf(OPEN_TOOLS, at + 1)) {
    const from = at + OPEN_TOOLS.length;
    const close = content.indexOf(CLOSE_TOOLS, from);
    if (close < 0) break;
    const part = content.slice(from, close);
    const read = toolsListed(part);
    const isList = read.tools.length > 0 && read.isClean && isBlankText(part.slice(0, read.from) + part.slice(read.to));
    // What is none is looked through to its end, so that it may happen only so often.
    if (!isList && ++misses > MOST_MISSES) break;
    if (!isList) continue;
    for (const tool of read.tools) tools.push(tool);
    text += withoutNewline(content.slice(kept, at));
    kept = close + CLOSE_TOOLS.length;
  }
  return { content: text + content.slice(kept), tools };
}

/** A part of all tags. */
const TAG = '<tool';

/** Calls, replies and definitions that are written in the contents of a record. `losses` is told of each. */
export function splitWrittenCalls(data: TranscriptData, losses: Loss[]): TranscriptData {
  // In most records there is nothing like it.
  if (!data.messages.some(({ content }) => content.includes(TAG))) return data;
  const tools = [...data.tools];
  const messages: MessageData[] = [];
  const open = new OpenCalls();
  const lose = (index: number, detail: string): void => void losses.push({ what: 'field', message: index, detail });
  data.messages.forEach((message, index) => {
    const { role, content } = message;
    let parts: readonly MessageData[] | null = null;
    let said = message;
    if (role === 'system' && content.includes(TAG)) {
      const system = withoutWrittenTools(content);
      for (const tool of system.tools) tools.push(tool);
      if (system.tools.length > 0) {
        lose(message.origin ?? index, 'tools that are written as text become definitions');
        parts = system.content === '' ? [] : [{ ...message, content: system.content }];
      }
    } else if (role === 'assistant' && isShown(message)) {
      parts = splitCalls(message);
      if (parts !== null) lose(message.origin ?? index, 'calls that are written as text become calls');
      else if (content.includes(OPEN_CALL)) said = withThought(message, callTagsIn(content));
    } else if (role === 'user' || role === 'tool') {
      parts = readWrittenReplies(message, open);
      if (parts !== null) lose(message.origin ?? index, 'replies that are written as text become replies');
      else if (role === 'tool') open.reply(message.callId ?? null, message.name ?? null);
    }
    if (parts !== null && message.parts !== undefined) {
      // What stands for them stays in the texts.
      withoutParts(message, message.origin ?? index, losses);
      parts = parts.map((part) => withoutParts(part, index, []));
    }
    for (const part of parts ?? [said]) {
      if (part.role === 'assistant' && part.recipient != null) open.call(part.callId ?? null, part.recipient);
      else if (part.unread) open.call(null, null);
      messages.push(part);
    }
  });
  return { ...data, tools, messages: withReplyNames(messages) };
}

/**
 * What an assistant says before its calls, and the calls; null: it makes none in its text. Calls beyond MOST_WRITTEN,
 * of which there are two or more, are one text that nobody sees.
 */
export function splitCalls(message: MessageData): MessageData[] | null {
  const { content, role, name, attributes, origin } = message;
  if (!content.includes(OPEN_CALL)) return null;
  const all = callTagsIn(content);
  const front = writtenIn(message, all)?.to ?? 0;
  const tags = all.filter(({ from }) => from >= front);
  const [first] = tags;
  if (first === undefined) return null;
  // White space after a thought belongs to it.
  const before = content.slice(0, first.from);
  const said = front > 0 && first.from === front ? before : withoutNewline(before);
  const parts: MessageData[] = isBlankText(said) ? []
    : [{ ...withThought(message, all, said), channel: 'commentary', intent: 'preamble', end: 'end', content: said }];
  const speaker = {
    role, ...(name != null && { name }), ...(attributes !== undefined && { attributes }),
    ...(origin !== undefined && { origin }),
  };
  const isCrowded = tags.length > MOST_WRITTEN + 1;
  const most = isCrowded ? MOST_WRITTEN : tags.length;
  for (let i = 0; i < most; i++) {
    const { from, to } = tags[i]!;
    // The last one may hold nearly all of the content: a part of it is no copy.
    const end = tags[i + 1]?.from ?? content.length;
    for (const part of readWrittenCall(speaker, content.slice(to, end), to, content.slice(from, end))) {
      parts.push({ ...part, end: part.recipient == null ? 'end' : 'call' });
    }
  }
  if (isCrowded) {
    const { from } = tags[most]!;
    parts.push({ ...unread(hiddenText(speaker, content.slice(from), from)), end: 'end' });
  }
  return parts;
}

/**
 * The message with the reasoning that stands in it where `calls` are read in its content, if what is `kept` of that
 * does not tell it by itself: the thought may go on behind a call that is given the marker.
 */
function withThought(message: MessageData, calls: readonly Span[], kept = message.content): MessageData {
  if (message.written !== undefined) return message;
  const written = thoughtIn(message.content, calls);
  const looks = thoughtIn(kept);
  return written === null || written.textTo === looks?.textTo ? message : withFields(message, { written });
}

/** Text that a form takes for a call, a reply or definitions: what was shown is hidden there. */
export function lossesOfTags(messages: readonly MessageData[]): Loss[] {
  return messages.flatMap((message, index): Loss[] => {
    const { role, content } = message;
    if (!content.includes(TAG) || (role !== 'system' && !isShown(message))) return [];
    const isTaken = role === 'assistant' ? splitCalls(message) !== null
      : role === 'system' ? withoutWrittenTools(content).tools.length > 0 : repliesIn(content).length > 0;
    const detail = 'text that looks like a call or a reply is taken for it';
    return isTaken ? [{ what: 'field', message: index, detail }] : [];
  });
}
