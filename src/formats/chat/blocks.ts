// Contents as Anthropic has them, in which thinking, calls and replies are blocks, as entries of a chat record:
// thinking and calls become members of the assistant's entry, each reply becomes an entry of a tool before what the
// user says.

import type { Loss } from '../loss.ts';
import { type Fields, isObject, tellOtherFields } from './fields.ts';

const BLOCKS: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'tool_use', 'tool_result']);
const THINKING_KEYS: ReadonlySet<string> = new Set(['type', 'thinking']);
const CALL_KEYS: ReadonlySet<string> = new Set(['type', 'id', 'name', 'input']);
const REPLY_KEYS: ReadonlySet<string> = new Set(['type', 'tool_use_id', 'content']);

/** The entries that an entry means: itself, where none of its parts is such a block. */
export function entriesOf(entry: unknown, index: number, losses: Loss[]): unknown[] {
  const content = isObject(entry) ? entry['content'] : null;
  if (!Array.isArray(content) || !content.some((part) => isObject(part) && BLOCKS.has(part['type']))) return [entry];
  const { role } = entry as Fields;
  if (role === 'assistant') return [ofAssistant(entry as Fields, content as unknown[], index, losses)];
  if (role === 'user') return ofUser(entry as Fields, content as unknown[], index, losses);
  return [entry];
}

const isBlock = (part: unknown, type: string): part is Fields => isObject(part) && part['type'] === type;

function ofAssistant(entry: Fields, content: readonly unknown[], index: number, losses: Loss[]): Fields {
  const rest: unknown[] = [];
  const thoughts: string[] = [];
  const calls: unknown[] = [];
  for (const part of content) {
    if (isBlock(part, 'thinking') && typeof part['thinking'] === 'string') {
      tellOtherFields(part, THINKING_KEYS, index, losses, 'content.');
      thoughts.push(part['thinking']);
    } else if (isBlock(part, 'redacted_thinking')) {
      losses.push({ what: 'thinking', message: index, detail: 'what is redacted is left out' });
    } else if (isBlock(part, 'tool_use')) {
      tellOtherFields(part, CALL_KEYS, index, losses, 'content.');
      const { id, name, input } = part;
      calls.push({ ...(id !== undefined && { id }), type: 'function', function: { name, arguments: input } });
    } else rest.push(part);
  }
  const before = entry['tool_calls'] ?? null;
  return {
    ...entry,
    content: rest.length > 0 ? rest : calls.length > 0 || thoughts.length > 0 ? null : '',
    ...(thoughts.length > 0 && { thinking: thoughts.join('\n\n') }),
    ...(calls.length > 0 && { tool_calls: Array.isArray(before) ? [...(before as unknown[]), ...calls] : calls }),
  };
}

function ofUser(entry: Fields, content: readonly unknown[], index: number, losses: Loss[]): unknown[] {
  const entries: unknown[] = [];
  let rest: unknown[] = [];
  const flush = (): void => {
    if (rest.length > 0) entries.push({ ...entry, content: rest });
    rest = [];
  };
  for (const part of content) {
    if (isBlock(part, 'tool_result')) {
      flush();
      tellOtherFields(part, REPLY_KEYS, index, losses, 'content.');
      const { tool_use_id: id = null, content: reply = '' } = part;
      entries.push({ role: 'tool', ...(id !== null && { tool_call_id: id }), content: reply });
    } else rest.push(part);
  }
  flush();
  return entries;
}
