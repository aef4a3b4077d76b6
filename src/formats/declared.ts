// Declarations, and lists of tools in text, written and read once where a corpus repeats its tools: both take long.
// Lists of tools are often their own where the tools in them are drawn from a stock, so each tool is known by itself
// where they are written.

import type { ToolDefinition } from '../model/data.ts';
import { readDeclarations } from '../tools/declarations.ts';
import { isBounded } from '../tools/json.ts';
import { Lately } from '../tools/lately.ts';
import { readFunctionList } from '../tools/lists.ts';
import { MOST_VALUES, type ToolsInText, type ToolsWritten } from '../tools/types.ts';
import { declare, type Declared, writeSection } from '../tools/write-declarations.ts';
import type { Loss } from './loss.ts';

const written = new Lately<Declared>();
const read = new Lately<ToolsInText>();
const listed = new Lately<ToolsInText>();

/** As `writeDeclarations`. */
export function declarationsOf(
  tools: readonly ToolDefinition[], style: 'harmony' | 'template' = 'harmony',
): ToolsWritten {
  return writeSection(tools, (tool) => {
    if (!isBounded(tool, MOST_VALUES)) return declare(tool, style);
    return written.get(style + JSON.stringify(tool), () => declare(tool, style));
  });
}

/** One loss a tool, for pointers to what the text leaves out. Pointers hold names, so only its number is given. */
export function lossesOfTools(pointers: readonly string[]): Loss[] {
  const numbers = new Set(pointers.map((pointer) => pointer.split('/')[1]!));
  return [...numbers].map((number) => ({
    what: 'tools',
    message: null,
    detail: `tool ${number}: the text does not hold all of its definition`,
  }));
}

/** As `readFunctionList`. */
export const toolsListed = (text: string): ToolsInText => listed.get(text, () => readFunctionList(text));

/** As `readDeclarations`. */
export const toolsDeclared = (text: string): ToolsInText => read.get(text, () => readDeclarations(text));
