// Declarations, and lists of tools in text, written and read once where a corpus repeats its tools: both take long.
// Lists of tools are often their own where the tools in them are drawn from a stock, so each tool is known by itself
// where they are written.

import type { ToolDefinition } from '../model/data.ts';
import { readDeclarations } from '../tools/declarations.ts';
import { isBounded } from '../tools/json.ts';
import { readFunctionList } from '../tools/lists.ts';
import { MOST_VALUES, type ToolsInText, type ToolsWritten } from '../tools/types.ts';
import { declare, type Declared, writeSection } from '../tools/write-declarations.ts';

/** What was made of keys lately: UTF-16 units of all of them, and of the longest. */
const KNOWN = 4 * 1024 * 1024;
const LONGEST = 32 * 1024;

export class Lately<T> {
  readonly #known = new Map<string, T>();
  #units = 0;

  get(key: string, make: () => T): T {
    const before = this.#known.get(key);
    if (before !== undefined) return before;
    const made = make();
    if (key.length > LONGEST) return made;
    // An entry takes more than its key.
    const units = key.length + 512;
    if (this.#units + units > KNOWN) {
      this.#known.clear();
      this.#units = 0;
    }
    this.#units += units;
    this.#known.set(key, made);
    return made;
  }
}

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

/** As `readFunctionList`. */
export const toolsListed = (text: string): ToolsInText => listed.get(text, () => readFunctionList(text));

/** As `readDeclarations`. */
export const toolsDeclared = (text: string): ToolsInText => read.get(text, () => readDeclarations(text));
