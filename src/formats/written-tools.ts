// Definitions of tools as JSON that is written. They come from anywhere, and writing takes recursion for each level:
// what is too deep or too much is refused, as it is where definitions are declared.

import type { ToolDefinition } from '../model/data.ts';
import { isBounded } from '../tools/json.ts';
import { writeFunctionList, writeToolList } from '../tools/lists.ts';
import { type OpenAITool, toolsToOpenAI } from '../tools/records.ts';
import { MOST_DEPTH, type ToolProblem, type ToolsWritten } from '../tools/types.ts';
import { MOST_ARGUMENTS } from './chat/fields.ts';
import { Refusal } from './loss.ts';

const [MOST_VALUES, DEEPEST] = MOST_ARGUMENTS;

/** Throws a Refusal for the first definition that is not written. */
export function refuseProblem([problem]: readonly ToolProblem[]): void {
  if (problem === undefined) return;
  throw new Refusal(
    null,
    `tool ${problem.from} cannot be written (${problem.reason})`,
    'give it a plain name and a smaller schema',
  );
}

function tooDeep(tools: readonly ToolDefinition[], depth: number): ToolProblem[] {
  return tools.flatMap(({ parameters }, from) => {
    const isWritten = parameters === undefined || isBounded(parameters, MOST_VALUES, depth);
    return isWritten ? [] : [{ reason: 'too-deep', from, to: from + 1 }];
  });
}

/** As `toolsToOpenAI`, for the field of a record. Throws a Refusal. */
export function toolsOfRecord(tools: readonly ToolDefinition[]): OpenAITool[] {
  refuseProblem(tooDeep(tools, DEEPEST));
  return toolsToOpenAI(tools);
}

/** As `writeToolList`: a reader of lists looks less deep, and each level indents all that stands in it. */
export function toolListOf(tools: readonly ToolDefinition[]): ToolsWritten {
  const problems = tooDeep(tools, MOST_DEPTH);
  return { text: problems.length > 0 ? '' : writeToolList(tools), losses: [], problems };
}

/** As `writeFunctionList`. Throws a Refusal. */
export function functionListOf(tools: readonly ToolDefinition[]): string {
  refuseProblem(tooDeep(tools, DEEPEST));
  return writeFunctionList(tools);
}
