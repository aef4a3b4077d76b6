// Plain messages as Anthropic's: the system's text beside the list, contents of blocks. They are read as chat records
// are (read.ts), of which they are another spelling, and written as these are: what a turn is, is known there.

import type { MessageData, ToolDefinition, TranscriptData } from '../../model/data.ts';
import { isCall } from '../../rules/message-data.ts';
import { isRounded } from '../../tools/exact.ts';
import { isBounded, isObject } from '../../tools/json.ts';
import { type Loss, Refusal } from '../loss.ts';
import { toolsOfRecord } from '../written-tools.ts';
import { withoutNames } from './bare.ts';
import { MOST_ARGUMENTS } from './fields.ts';
import type { ChatMessage, ChatToolCall } from './read.ts';
import { toChatOf } from './write.ts';

/** A message of an Anthropic record: text, or content blocks. */
export interface AnthropicMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly object[];
}

/** A chat as Anthropic's messages have it: the system's text beside the list. */
export interface AnthropicRecord {
  readonly system?: string;
  readonly tools?: readonly object[];
  readonly messages: readonly AnthropicMessage[];
}

/**
 * The record of a transcript. Replies, and what a user says behind them, are blocks of one message. Losses name
 * messages by their number in the data. Throws a Refusal.
 */
export function toAnthropic(data: TranscriptData): { record: AnthropicRecord; losses: Loss[] } {
  const losses: Loss[] = [];
  const first = data.messages.findIndex(({ role }) => role !== 'system' && role !== 'developer');
  const opening = first < 0 ? data.messages.length : first;
  data.messages.forEach((message, index) => lookAt(message, index, index < opening, losses));
  if (opening > 1) losses.push({ what: 'grouping', message: null, detail: 'messages of the system become one text' });
  const messages = withoutNames(data.messages, losses);
  const chat = toChatOf({ ...data, tools: [], messages }, 'anthropic');
  const system = chat.record.messages.slice(0, opening).map(({ content }) => content ?? '').join('\n\n');
  if (opening > 0 && system === '') losses.push({ what: 'field', message: null, detail: 'an empty system message' });
  const record = {
    ...(opening > 0 && { system }),
    ...(data.tools.length > 0 && { tools: toolsOf(data.tools, losses) }),
    messages: messagesOf(chat.record.messages.slice(opening)),
  };
  return { record, losses: [...losses, ...chat.losses] };
}

/** What the form cannot hold of a message. Throws a Refusal. */
function lookAt(message: MessageData, index: number, isOpening: boolean, losses: Loss[]): void {
  const { role, content } = message;
  if (role === 'developer' && isOpening) {
    losses.push({ what: 'role', message: index, detail: 'developer becomes system' });
  }
  if ((role === 'system' || role === 'developer') && !isOpening) {
    throw new Refusal(index, 'the form has no message of a system between the others', 'move it to the front');
  }
  if (!isCall(message)) return;
  const value = parse(content);
  if (value === null) {
    throw new Refusal(index, 'the arguments of the call are no JSON object', 'make them one');
  }
  if (!isBounded(value, ...MOST_ARGUMENTS)) {
    const reason = 'the arguments of the call are too large, nest too deep, or hold a number beyond a double';
    throw new Refusal(index, reason, 'shorten them, and write such a number as text');
  }
  if (isRounded(content)) {
    losses.push({ what: 'field', message: index, detail: 'a number that a double does not hold is rounded' });
  } else if (JSON.stringify(value) !== content) {
    losses.push({ what: 'field', message: index, detail: 'arguments are laid out anew' });
  }
}

function parse(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function toolsOf(tools: readonly ToolDefinition[], losses: Loss[]): object[] {
  return toolsOfRecord(tools).map(({ function: { name, description, parameters } }, number) => {
    if (parameters === undefined) {
      losses.push({ what: 'tools', message: null, detail: `tool ${number}: it gets a schema that allows everything` });
    }
    return { name, ...(description !== undefined && { description }), input_schema: parameters ?? { type: 'object' } };
  });
}

function messagesOf(entries: readonly ChatMessage[]): AnthropicMessage[] {
  const messages: AnthropicMessage[] = [];
  // The replies to which further ones, or what a user says, are added.
  let replies: object[] | null = null;
  for (const entry of entries) {
    const content = entry.content ?? '';
    if (entry.role === 'tool') {
      const id = entry.tool_call_id;
      const block = { type: 'tool_result', ...(id !== undefined && { tool_use_id: id }), content };
      if (replies === null) messages.push({ role: 'user', content: (replies = [block]) });
      else replies.push(block);
      continue;
    }
    if (entry.role === 'assistant') messages.push({ role: 'assistant', content: blocksOf(entry) });
    else if (replies === null) messages.push({ role: 'user', content });
    else for (const block of blocksOfContent(content)) replies.push(block);
    replies = null;
  }
  return messages;
}

const blocksOfContent = (content: string | readonly object[]): readonly object[] =>
  (typeof content === 'string' ? [{ type: 'text', text: content }] : content);

function blocksOf({ content, thinking, tool_calls: calls = [] }: ChatMessage): string | readonly object[] {
  if (thinking === undefined && calls.length === 0) return content ?? '';
  return [
    ...(thinking === undefined ? [] : [{ type: 'thinking', thinking }]),
    ...(content === null ? [] : blocksOfContent(content)),
    ...(calls as readonly ChatToolCall[]).map(({ id, function: { name, arguments: text } }) => {
      return { type: 'tool_use', id, name, input: JSON.parse(text) as object };
    }),
  ];
}
