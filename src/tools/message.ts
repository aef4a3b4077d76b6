// The tool definitions in a message, by its dialect and role (R-TOOLS).

import type { ToolDefinition } from '../model/data.ts';
import { CLOSE_TOOLS, OPEN_TOOLS } from '../model/hermes.ts';
import type { DialectId } from '../scan/dialects.ts';
import { type KnownBlocks, readDeclarations } from './declarations.ts';
import { readFunctionList, readToolList } from './lists.ts';
import { MOST_TEXT, type ToolProblem, type ToolsRead } from './types.ts';

/** A function list, its beginning as text, or an edge of a thought block. */
const MARKS = /<\|(?:function_list|(start|end)_(reflect|introspect|reason))\|>|<tools>/g;
const MOST_PROBLEMS = 64;

/** What is read of a message. */
export interface ToolMessage {
  readonly role: string | null;
  readonly content: string;
  readonly dialectId: DialectId;
}

/**
 * The definitions of a developer or system message, in order; other messages define nothing. `known`: blocks that were
 * read before.
 */
export function toolsOf({ role, content, dialectId }: ToolMessage, known?: KnownBlocks): ToolsRead {
  if (role !== 'system' && role !== 'developer') return { tools: [], problems: [] };
  if (dialectId === 'openchatml-0.1') return readLists(content);
  const declared = readDeclarations(content, known);
  const listed =
    role === 'developer' && content.includes('"name"') ? readToolList(content) : { tools: [], problems: [] };
  return { tools: [...declared.tools, ...listed.tools], problems: [...declared.problems, ...listed.problems] };
}

/**
 * The lists behind each token, and between `<tools>` and `</tools>` (R-HERMES). A token in the middle of prose is a
 * quotation: no JSON follows it. Thought blocks define nothing; blocks of the same name nest (R-COT).
 */
function readLists(content: string): ToolsRead {
  if (content.length > MOST_TEXT) return readFunctionList(content);
  const tools: ToolDefinition[] = [];
  const problems: ToolProblem[] = [];
  let thought: { name: string; depth: number } | null = null;
  let done = 0;
  let isClosed = true;
  let hasOtherType = false;
  for (const { 0: token, 1: edge, 2: name, index } of content.matchAll(MARKS)) {
    if (index < done) continue;
    if (thought) {
      if (name === thought.name) thought.depth += edge === 'start' ? 1 : -1;
      if (thought.depth === 0) thought = null;
    } else if (edge === 'start') {
      thought = { name: name!, depth: 1 };
    } else if (edge === undefined) {
      const from = index + token.length;
      const isTag = token === OPEN_TOOLS;
      if (isTag && !isClosed) continue;
      const close = isTag ? content.indexOf(CLOSE_TOOLS, from) : content.length;
      isClosed = close >= 0;
      if (!isClosed) continue;
      const list = readFunctionList(content.slice(from, close));
      for (const tool of list.tools) tools.push(tool);
      hasOtherType ||= list.hasOtherType === true;
      for (const problem of list.problems) {
        problems.push({ ...problem, from: problem.from + from, to: problem.to + from });
      }
      // Text that cannot be read is looked through to its end, so that it may happen only so often.
      if (problems.length > MOST_PROBLEMS) break;
      done = from + list.to;
    }
  }
  return { tools, problems, ...(hasOtherType && { hasOtherType }) };
}
