// From the shape of 0.1 to messages with channels, recipients and replies. What fits no shape stays text, and what 0.1
// hides stays hidden: a call that cannot be read becomes a commentary.

import { type MessageData, type ToolDefinition, type TranscriptData, withFields } from '../../model/data.ts';
import type { Span } from '../../model/bytes.ts';
import { callTagsIn, HERMES_CALL, OPEN_CALL, withTags } from '../../model/hermes.ts';
import { MOST_CALLS } from '../../model/thoughts.ts';
import { thoughtIn } from '../../model/written-thought.ts';
import { toolsListed } from '../declared.ts';
import { toolRecipient } from '../../tools/name.ts';
import { OpenCalls } from '../chat/calls.ts';
import { movedFiles } from '../files.ts';
import { type Loss, Refusal } from '../loss.ts';
import {
  callOf, readReply, readWrittenCall, readWrittenReplies, spokenBy, withoutWrittenTools,
} from '../written-calls.ts';
import { withoutWritten, writtenIn } from '../written-thoughts.ts';
import { readCallText } from './json.ts';
import { CALL, isBlankText, isReason, LIST, marksOf, newlineAt, OUTPUT, withoutNewline } from './marks.ts';

/**
 * What a 0.1 transcript means: `<|function_list|>` as tools, thought blocks as analysis, calls as messages to their
 * tools with the exact text of their arguments, outputs as replies with the name of the call that they answer in order.
 */
export function fromLine(data: TranscriptData, losses: Loss[] = []): TranscriptData {
  const tools = [...data.tools];
  const messages: MessageData[] = [];
  const starts: number[] = [];
  let open = new OpenCalls();
  for (const [index, message] of data.messages.entries()) {
    starts.push(messages.length);
    if (message.role === 'system') {
      const system = readSystem(message.content);
      for (const tool of system.tools) tools.push(tool);
      const isListOnly = system.tools.length > 0 && system.content === '';
      if (!isListOnly) messages.push({ ...strip(message), content: system.content });
    } else if (message.role === 'assistant') {
      const tags = tagsOf(message);
      const said = withoutWritten(message, index, losses);
      for (const part of said.flatMap((it) => readAssistant(it, tags, index))) {
        if (part.recipient != null) open.call(null, part.recipient);
        messages.push(part);
      }
    } else if (message.role === 'tool') {
      for (const part of readOutputs(message, open)) messages.push(part);
    } else {
      const parts = message.role === 'user' ? readWrittenReplies(message, open) : null;
      for (const part of parts ?? [message]) {
        if (part.role !== 'tool') open = new OpenCalls();
        messages.push(strip(part));
      }
    }
  }
  return { header: data.header, tools, messages, ...movedFiles(data, starts, messages.length) };
}

/** Without what goes without saying: the usual end; and markers are text where no assistant speaks. */
function strip(message: MessageData): MessageData {
  // Most need no copy, and there may be hundreds of thousands.
  if (message.end !== 'end' && message.marked === undefined) return message;
  const { end, marked: _, ...rest } = message;
  return end === undefined || end === 'end' ? rest : { ...rest, end };
}

/** The text of a system message without its lists of tools. A list among which other text stands is left as it is. */
export function readSystem(content: string): { content: string; tools: readonly ToolDefinition[] } {
  const listed = withoutLists(content);
  const written = withoutWrittenTools(listed.content);
  return { content: written.content, tools: [...listed.tools, ...written.tools] };
}

function withoutLists(content: string): { content: string; tools: readonly ToolDefinition[] } {
  const tools: ToolDefinition[] = [];
  let text = '';
  let kept = 0;
  for (let at = content.indexOf(LIST); at >= 0; at = content.indexOf(LIST, at + 1)) {
    const from = at + LIST.length;
    const next = content.indexOf('<|function_', from);
    const part = content.slice(from, next < 0 ? undefined : next);
    const read = toolsListed(part);
    if (read.tools.length === 0 || !read.isClean || !isBlankText(part.slice(0, read.from))) continue;
    for (const tool of read.tools) tools.push(tool);
    text += withoutNewline(content.slice(kept, at));
    kept = from + read.to;
  }
  return { content: text + content.slice(kept), tools };
}

/** Where calls are written as text in what is left of a message when its written reasoning is taken out. */
function tagsOf(message: MessageData): Span[] {
  const tags = message.content.includes(OPEN_CALL) ? callTagsIn(message.content) : [];
  const written = tags.length === 0 ? null : writtenIn(message);
  const [front, gone] = written === null ? [0, 0] : [written.to, written.to - written.from];
  return tags
    .filter(({ from }) => from >= front)
    .map(({ from, to }) => ({ from: from - gone, to: to - gone }));
}

/** What is shown. Written reasoning was taken out: what looks like it is text. */
const spoken = (content: string): Pick<MessageData, 'content' | 'written'> =>
  thoughtIn(content) === null ? { content } : { content, written: null };

/** Thoughts first, then what is shown, then the calls. `tags`: those that may be calls in what is shown. */
function readAssistant(message: MessageData, tags: readonly Span[], index: number): MessageData[] {
  // Written reasoning, by now.
  if (message.channel === 'analysis') return [strip(message)];
  const { content, role, name, attributes } = message;
  const speaker = { role, ...(name != null && { name }), ...(attributes !== undefined && { attributes }) };
  // What most say.
  if (!content.includes('<')) return markEnd([withFields(speaker, { channel: 'final', content })], message);
  const { thoughts, calls: ofTokens } = marksOf(content);
  if (thoughts.length > MOST_CALLS) {
    throw new Refusal(index, `it holds more than ${MOST_CALLS} thoughts, each a message of its own`, 'split it');
  }
  const calls = withTags(ofTokens, tags, thoughts);
  const parts: MessageData[] = thoughts.map((thought) => {
    const { from, to, textFrom, textTo } = thought;
    const text = isReason(content, thought) ? content.slice(textFrom, textTo) : content.slice(from, to);
    return withFields(speaker, { channel: 'analysis', content: text });
  });
  let front = 0;
  for (const { from, to } of thoughts) if (from === front) front = to + newlineAt(content, to);
  let passed = 0;
  /** [from, to) without thoughts; later than what was asked for before. */
  const outside = (from: number, to: number): string => {
    let text = '';
    let at = from;
    for (; passed < thoughts.length && thoughts[passed]!.from < to; passed++) {
      const thought = thoughts[passed]!;
      text += content.slice(at, Math.max(at, thought.from));
      at = Math.max(at, thought.to);
    }
    return text + content.slice(at, Math.max(at, to));
  };
  const first = calls[0];
  const said = outside(front, first?.from ?? content.length);
  if (!first) {
    if (said !== '' || thoughts.length === 0) parts.push(withFields(speaker, { channel: 'final', ...spoken(said) }));
  } else {
    const preamble = withoutNewline(said);
    const shown = withFields(speaker, { channel: 'commentary', intent: 'preamble', ...spoken(preamble) });
    if (!isBlankText(preamble)) parts.push(shown);
    calls.forEach((call, i) => {
      const text = outside(call.to, calls[i + 1]?.from ?? content.length);
      const read = call.token === HERMES_CALL ? readWrittenCall(speaker, text, call.to) : readCall(speaker, text);
      for (const part of read) parts.push(part);
    });
  }
  return markEnd(parts, message);
}

/** The call after a token, and what follows it. */
function readCall(speaker: Pick<MessageData, 'role' | 'name' | 'attributes'>, text: string): MessageData[] {
  const call = readCallText(text);
  const unseen = (content: string): MessageData =>
    spokenBy(speaker, { role: speaker.role, channel: 'commentary', content });
  if (!call) return [unseen(CALL + text)];
  const { name, arguments: content, to } = call;
  const rest = text.slice(to);
  const message = callOf(speaker, name, content);
  return isBlankText(rest) ? [message] : [message, unseen(rest)];
}

/** The last part ends as the message did, when that was no usual end. */
function markEnd(parts: MessageData[], { end }: MessageData): MessageData[] {
  if (end === 'eof' || end === 'implicit') parts.push({ ...parts.pop()!, end });
  return parts;
}

/** What follows each token, from the one at `at` on. */
function outputsIn(content: string, at: number): string[] {
  const texts: string[] = [];
  for (let next = at; next >= 0; ) {
    const from = next + OUTPUT.length;
    next = texts.length + 1 < MOST_CALLS ? content.indexOf(OUTPUT, from) : -1;
    texts.push(content.slice(from, next < 0 ? undefined : next));
  }
  return texts;
}

/** The outputs of a tool message, each a reply. */
function readOutputs(message: MessageData, open: OpenCalls): MessageData[] {
  const { content } = message;
  const first = content.indexOf(OUTPUT);
  if (first < 0) return (readWrittenReplies(message, open) ?? [message]).map(strip);
  if (!isBlankText(content.slice(0, first))) return [strip(message)];
  const { name: given = null, end: _, marked: __, content: ___, ...rest } = message;
  const texts = outputsIn(content, first);
  const replies = texts.map((text, i): MessageData => {
    // An output comes from the tool that it names, else from the one whose call it answers.
    const said = readReply(text, given === null ? null : toolRecipient(given), i === texts.length - 1);
    const call = open.reply(null, said.name);
    const name = said.name ?? call?.recipient ?? null;
    const reply = { recipient: 'assistant', channel: 'commentary', content: said.content };
    return withFields(rest, name === null ? reply : { name, ...reply });
  });
  return markEnd(replies, message);
}
