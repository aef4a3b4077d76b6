// What anybody writes first, and what all else is compared with: each line to a string, JSON.parse, a look at messages.
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

export function loop(path: string): Looped {
  const found: Looped = { lines: 0, messages: 0, calls: 0, roles: {} };
  eachLine(path, (from, to) => {
    const { messages } = JSON.parse(LINES.toString('utf8', from, to)) as Line;
    found.lines++;
    found.messages += messages.length;
    for (const { role, tool_calls } of messages) {
      bump(found.roles, role);
      if (tool_calls) found.calls += tool_calls.length;
    }
  });
  return found;
}

const ROLES: Record<string, string> = {
  human: 'user', gpt: 'assistant', function_call: 'assistant', observation: 'tool',
};

/** The same of ShareGPT. */
export function loopShareGpt(path: string): Looped {
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
