// What anybody writes first, and what all else is compared with: each line to a string, JSON.parse, a look at messages.
import { readFileSync } from 'node:fs';
import { eachLine, LINES } from '../chunks.ts';
import { bump } from '../counts.ts';

export interface Looped {
  lines: number;
  messages: number;
  calls: number;
  roles: Record<string, number>;
}

interface Line {
  messages: { role: string; tool_calls?: unknown[] }[];
}

/** The loop for each variant that is of another form. */
export const LOOPS: Readonly<Record<string, (path: string) => Looped>> = {
  sharegpt: loopShareGpt, anthropic: loopBlocks, responses: loopItems, hermes: loopTags, preferences: loopSides,
  instructions: loopPairs, completions: loopPairs, questions: loopPairs, pretty: loopList,
};

export function loop(path: string): Looped {
  const found: Looped = { lines: 0, messages: 0, calls: 0, roles: {} };
  eachLine(path, (from, to) => {
    const { messages } = JSON.parse(LINES.toString('utf8', from, to)) as Line;
    found.lines++;
    count(messages, found);
  });
  return found;
}

function count(messages: Line['messages'], found: Looped): void {
  found.messages += messages.length;
  for (const { role, tool_calls } of messages) {
    bump(found.roles, role);
    if (tool_calls) found.calls += tool_calls.length;
  }
}

/** The same of one list, which is read whole. */
function loopList(path: string): Looped {
  const records = JSON.parse(readFileSync(path, 'utf8')) as Line[];
  const found: Looped = { lines: records.length, messages: 0, calls: 0, roles: {} };
  for (const { messages } of records) count(messages, found);
  return found;
}

/** The same of preferences: each side with the prompt before it. */
function loopSides(path: string): Looped {
  const found: Looped = { lines: 0, messages: 0, calls: 0, roles: {} };
  eachLine(path, (from, to) => {
    const record = JSON.parse(LINES.toString('utf8', from, to)) as {
      prompt: Line['messages']; chosen: Line['messages']; rejected: Line['messages'];
    };
    found.lines++;
    for (const side of [record.chosen, record.rejected]) {
      count(record.prompt, found);
      count(side, found);
    }
  });
  return found;
}

const PAIRS = [['prompt', 'completion'], ['instruction', 'output'], ['question', 'answer']];

/** The same of a question and its answer as texts. */
function loopPairs(path: string): Looped {
  const found: Looped = { lines: 0, messages: 0, calls: 0, roles: {} };
  eachLine(path, (from, to) => {
    const record = JSON.parse(LINES.toString('utf8', from, to)) as { [name: string]: unknown };
    const isPair = PAIRS.some((names) => names.every((name) => typeof record[name] === 'string'));
    if (!isPair) return;
    found.lines++;
    found.messages += 2;
    bump(found.roles, 'user');
    bump(found.roles, 'assistant');
  });
  return found;
}

const ROLES: Record<string, string> = {
  human: 'user', gpt: 'assistant', function_call: 'assistant', observation: 'tool',
};

/** The same of ShareGPT. */
function loopShareGpt(path: string): Looped {
  const found: Looped = { lines: 0, messages: 0, calls: 0, roles: {} };
  eachLine(path, (from, to) => {
    const { conversations } = JSON.parse(LINES.toString('utf8', from, to)) as { conversations: { from: string }[] };
    found.lines++;
    found.messages += conversations.length;
    for (const { from: name } of conversations) {
      bump(found.roles, ROLES[name] ?? name);
      if (name === 'function_call') found.calls++;
    }
  });
  return found;
}

interface Block {
  type: string;
}

const ACTING: Record<string, string> = { tool_use: 'assistant', tool_result: 'tool' };

/** The same of Anthropic. */
function loopBlocks(path: string): Looped {
  const found: Looped = { lines: 0, messages: 0, calls: 0, roles: {} };
  eachLine(path, (from, to) => {
    const { messages } = JSON.parse(LINES.toString('utf8', from, to)) as {
      messages: { role: string; content: string | Block[] }[];
    };
    found.lines++;
    for (const { role, content } of messages) {
      for (const { type } of typeof content === 'string' ? [{ type: 'text' }] : content) {
        found.messages++;
        bump(found.roles, ACTING[type] ?? role);
        if (type === 'tool_use') found.calls++;
      }
    }
  });
  return found;
}

const ITEMS: Record<string, string> = { function_call: 'assistant', function_call_output: 'tool' };

/** The same of Responses. */
function loopItems(path: string): Looped {
  const found: Looped = { lines: 0, messages: 0, calls: 0, roles: {} };
  eachLine(path, (from, to) => {
    const { input } = JSON.parse(LINES.toString('utf8', from, to)) as { input: { type: string; role: string }[] };
    found.lines++;
    found.messages += input.length;
    for (const { type, role } of input) {
      bump(found.roles, ITEMS[type] ?? role);
      if (type === 'function_call') found.calls++;
    }
  });
  return found;
}

/** The same of calls that are text. */
function loopTags(path: string): Looped {
  const found: Looped = { lines: 0, messages: 0, calls: 0, roles: {} };
  eachLine(path, (from, to) => {
    const { messages } = JSON.parse(LINES.toString('utf8', from, to)) as {
      messages: { role: string; content: string }[];
    };
    found.lines++;
    for (const { role, content } of messages) {
      // Definitions alone.
      if (role === 'system') continue;
      found.messages++;
      bump(found.roles, role);
      if (role === 'assistant') found.calls += content.split('<tool_call>').length - 1;
    }
  });
  return found;
}
