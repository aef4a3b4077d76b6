// Contents as Anthropic has them, in which thinking, calls and replies are blocks, as entries of a chat record:
// thinking and calls become members of the assistant's entry, each reply becomes an entry of a tool, in the order of
// the blocks.

import { isBounded } from '../../tools/json.ts';
import type { Loss } from '../loss.ts';
import { type Fields, isObject, MOST_ARGUMENTS, tellOtherFields } from './fields.ts';

const BLOCKS: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'tool_use', 'tool_result']);
/** Members of an assistant's entry that are read as messages. */
const ACTING: ReadonlySet<string> = new Set([
  'thinking', 'reasoning_content', 'reasoning', 'tool_calls', 'function_call',
]);
const ENTRY_KEYS: ReadonlySet<string> = new Set(['role', 'content']);
const THINKING_KEYS: ReadonlySet<string> = new Set(['type', 'thinking']);
const CALL_KEYS: ReadonlySet<string> = new Set(['type', 'id', 'name', 'input']);
const REPLY_KEYS: ReadonlySet<string> = new Set(['type', 'tool_use_id', 'content']);

/** The entries that an entry means: itself, where none of its parts is such a block. */
export function entriesOf(entry: unknown, index: number, losses: Loss[]): unknown[] {
  const content = isObject(entry) ? entry['content'] : null;
  if (!Array.isArray(content) || !content.some((part) => isObject(part) && BLOCKS.has(part['type']))) return [entry];
  const { role } = entry as Fields;
  if (role === 'assistant') return ofAssistant(entry as Fields, content as unknown[], index, losses);
  if (role === 'user') return ofUser(entry as Fields, content as unknown[], index, losses);
  return [entry];
}

/** The blocks of an entry end with a reply, so that what a user says next would come back in the same entry. */
export function endsWithReply(entry: unknown): boolean {
  const content = isObject(entry) && entry['role'] === 'user' ? entry['content'] : null;
  return Array.isArray(content) && isBlock((content as unknown[]).at(-1), 'tool_result');
}

const isBlock = (part: unknown, type: string): part is Fields => isObject(part) && part['type'] === type;

/** What one entry of an assistant holds: thinking, then what is said, then calls. */
interface Segment {
  thinking: string | null;
  readonly said: unknown[];
  readonly calls: unknown[];
}

function ofAssistant(entry: Fields, content: readonly unknown[], index: number, losses: Loss[]): Fields[] {
  const { role, name, content: _, ...members } = entry;
  const segments: Segment[] = [{ thinking: null, said: [], calls: [] }];
  const segment = (isOpen: (last: Segment) => boolean): Segment => {
    if (!isOpen(segments.at(-1)!)) segments.push({ thinking: null, said: [], calls: [] });
    return segments.at(-1)!;
  };
  for (const part of content) {
    const thought = isBlock(part, 'thinking') ? thoughtOf(part['thinking']) : null;
    if (thought !== null) {
      tellOtherFields(part as Fields, THINKING_KEYS, index, losses, 'content.');
      if (typeof (part as Fields)['thinking'] !== 'string') {
        losses.push({ what: 'field', message: index, detail: 'parts of thinking were joined' });
      }
      segment(({ thinking, said, calls }) => thinking === null && said.length + calls.length === 0).thinking = thought;
    } else if (isBlock(part, 'redacted_thinking')) {
      losses.push({ what: 'thinking', message: index, detail: 'what is redacted is left out' });
    } else if (isBlock(part, 'tool_use')) {
      segment(() => true).calls.push(callOf(part, index, losses));
    } else {
      segment(({ calls }) => calls.length === 0).said.push(part);
    }
  }
  if (segments.length > 1) {
    losses.push({ what: 'grouping', message: index, detail: 'its blocks become several messages' });
  }
  const named = name !== undefined && { name };
  const entries: Fields[] = segments.map((one) => ({
    role,
    ...named,
    content: one.said.length > 0 ? plainText(one.said) : one.calls.length > 0 || one.thinking !== null ? null : '',
    ...(one.thinking !== null && { thinking: one.thinking }),
    ...(one.calls.length > 0 && { tool_calls: one.calls }),
  }));
  // Members that say the same beside the blocks come first; the first entry has what nobody knows.
  const given = Object.entries(members).filter(([, value]) => value !== null && value !== undefined);
  const acting = given.filter(([key]) => ACTING.has(key));
  entries[0] = { ...Object.fromEntries(given.filter(([key]) => !ACTING.has(key))), ...entries[0] };
  return acting.length === 0 ? entries : [{ role, ...named, content: null, ...Object.fromEntries(acting) }, ...entries];
}

/** The text of a thought, which Mistral has in parts; null: it is none. */
function thoughtOf(thinking: unknown): string | null {
  if (typeof thinking === 'string' || !Array.isArray(thinking)) return typeof thinking === 'string' ? thinking : null;
  const texts = thinking.map((part) => (isBlock(part, 'text') ? part['text'] : null));
  return texts.every((text) => typeof text === 'string') ? texts.join('') : null;
}

function callOf(part: Fields, index: number, losses: Loss[]): Fields {
  tellOtherFields(part, CALL_KEYS, index, losses, 'content.');
  const { id, name, input = null } = part;
  if (typeof input === 'string') losses.push({ what: 'field', message: index, detail: 'an input that is text' });
  const isValue = input !== null && typeof input !== 'string' && isBounded(input, ...MOST_ARGUMENTS);
  const text = isValue ? JSON.stringify(input) : input;
  const call = { type: 'function', function: { name, arguments: text } };
  return id === undefined ? call : { id, ...call };
}

function ofUser(entry: Fields, content: readonly unknown[], index: number, losses: Loss[]): unknown[] {
  const entries: unknown[] = [];
  let rest: unknown[] = [];
  const flush = (): void => {
    if (rest.length > 0) entries.push({ ...entry, content: plainText(rest) });
    rest = [];
  };
  for (const part of content) {
    if (isBlock(part, 'tool_result')) {
      if (rest.length > 0) {
        losses.push({ what: 'grouping', message: index, detail: 'what stands before a reply becomes its own message' });
      }
      flush();
      tellOtherFields(part, REPLY_KEYS, index, losses, 'content.');
      const { tool_use_id: id = null, content: reply } = part;
      entries.push({ role: 'tool', ...(id !== null && { tool_call_id: id }), content: plainText(reply) });
    } else rest.push(part);
  }
  flush();
  // Other members go with what the user says.
  if (!entries.some((one) => (one as Fields)['role'] === 'user')) tellOtherFields(entry, ENTRY_KEYS, index, losses);
  return entries;
}

/** A list of one text is that text: both are the same there. */
export function plainText(content: unknown): unknown {
  const part: unknown = Array.isArray(content) && content.length === 1 ? content[0] : null;
  if (!isObject(part) || typeof part['text'] !== 'string' || Object.keys(part).length !== 2) return content;
  return PLAIN_TEXTS.has(part['type']) ? part['text'] : content;
}

const PLAIN_TEXTS: ReadonlySet<unknown> = new Set([
  'text', 'input_text', 'output_text', 'summary_text', 'reasoning_text',
]);
