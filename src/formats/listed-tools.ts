// Definitions as a list of JSON objects at the end of the first system message: behind a token, or between tags.

import type { MessageData, ToolDefinition } from '../model/data.ts';
import { CLOSE_TOOLS, OPEN_TOOLS } from '../model/hermes.ts';
import { type Loss, Refusal } from './loss.ts';
import { LIST, newlineAfter } from './v01/marks.ts';
import { functionListOf } from './written-tools.ts';

/** What stands around a list. Only strings of it hold a `<`, and JSON has an escape for it: nothing in it ends it. */
export type ListStyle = 'token' | 'tags';

type Read = (content: string) => { content: string; tools: readonly ToolDefinition[] };

function listOf(tools: readonly ToolDefinition[], style: ListStyle): string {
  const list = functionListOf(tools).replaceAll('<|', '\\u003c|');
  return style === 'token' ? `${LIST}\n${list}` : `${OPEN_TOOLS}\n${list.replaceAll('</', '\\u003c/')}\n${CLOSE_TOOLS}`;
}

/**
 * The messages with the list; without a system message one is made in front. `read`: how a reader takes a list out of a
 * system's text again. Throws a Refusal for definitions that would not be read.
 */
export function withListedTools(
  messages: readonly MessageData[], tools: readonly ToolDefinition[], style: ListStyle, read: Read, losses: Loss[],
): MessageData[] {
  const at = messages.findIndex((message) => message.role === 'system');
  const system = messages[at] ?? { role: 'system', content: '' };
  const { content } = system;
  if (at >= 0 && content === '') losses.push({ what: 'field', message: null, detail: 'an empty system message' });
  const text = `${content}${content === '' ? '' : newlineAfter(content)}${listOf(tools, style)}`;
  const again = read(text);
  if (again.content !== content || again.tools.length !== tools.length) {
    throw new Refusal(
      null,
      'a tool definition would not be read as one',
      'check the names and sizes of the definitions',
    );
  }
  const changes = tools.some((tool, i) => definitionText(tool) !== definitionText(again.tools[i]!));
  if (changes) losses.push({ what: 'tools', message: null, detail: 'a definition changes its shape' });
  const placed = { ...system, content: text };
  return at < 0 ? [placed, ...messages] : messages.map((message, i) => (i === at ? placed : message));
}

const definitionText = ({ namespace, name, description, parameters }: ToolDefinition): string =>
  JSON.stringify([namespace, name, description, parameters]);
