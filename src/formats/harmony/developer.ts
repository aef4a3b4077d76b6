// The developer message as Harmony lays it out: instructions, then tools.

import type { ToolDefinition } from '../../model/data.ts';
import { isBounded } from '../../tools/json.ts';
import { Lately } from '../../tools/lately.ts';
import { MOST_VALUES } from '../../tools/types.ts';
import { declarationsOf, lossesOfTools, toolsDeclared } from '../declared.ts';
import { type Loss, Refusal } from '../loss.ts';

/**
 * openai-harmony's layout, or that of the models' chat template, which ends instructions in a blank line and writes
 * types otherwise.
 */
export type DeveloperStyle = 'harmony' | 'template';

export interface HarmonyDeveloper {
  /** null: no heading `# Instructions`. */
  readonly instructions: string | null;
  readonly tools: readonly ToolDefinition[];
}

const INSTRUCTIONS = '# Instructions\n\n';
const TOOLS = '# Tools\n\n';

/** Sections of tools that a corpus repeats. */
const sections = new Lately<readonly ToolDefinition[] | null>();

/** The text of a developer message. Throws a Refusal for a tool that the notation cannot name. */
export function harmonyDeveloper(
  { instructions, tools }: HarmonyDeveloper,
  style: DeveloperStyle = 'harmony',
): { readonly text: string; readonly losses: Loss[] } {
  const written = declarationsOf(tools, style);
  if (written.problems.length > 0) {
    throw new Refusal(
      null, `tool ${written.problems[0]!.from} cannot be declared`, 'give it a plain name and a schema within bounds',
    );
  }
  const parts = instructions === null ? [] : [INSTRUCTIONS + instructions];
  if (written.text !== '') parts.push(written.text);
  else if (style === 'template' && instructions !== null) parts.push('');
  return { text: parts.join('\n\n'), losses: lossesOfTools(written.losses) };
}

/**
 * Takes the text of a developer message apart. null: `harmonyDeveloper` of the parts would not be this very text, or
 * the parts could not be told from a text without headings.
 */
export function readHarmonyDeveloper(text: string, style: DeveloperStyle = 'harmony'): HarmonyDeveloper | null {
  if (!isDeveloperLayout(text)) return null;
  const parts = cut(text, style);
  if (parts.instructions !== null && isDeveloperLayout(parts.instructions)) return null;
  if (parts.toolsText === null) {
    return parts.instructions === null ? null : { instructions: parts.instructions, tools: [] };
  }
  const { instructions, toolsText } = parts;
  const tools = sections.get(style + toolsText, () => toolsOf(toolsText, style));
  return tools && { instructions, tools };
}

/** Null: they would be written otherwise. */
function toolsOf(text: string, style: DeveloperStyle): readonly ToolDefinition[] | null {
  const { tools, problems } = toolsDeclared(text);
  if (tools.length === 0 || problems.length > 0) return null;
  return declarationsOf(tools, style).text === text ? tools : null;
}

/** The text begins with one of the layout's headings. */
export const isDeveloperLayout = (text: string): boolean => text.startsWith(INSTRUCTIONS) || text.startsWith(TOOLS);

/** The text declares tools of the namespace `functions`, which are called on commentary. */
export const hasFunctionTools = (text: string): boolean => text.includes('\nnamespace functions {\n');

function cut(text: string, style: DeveloperStyle): { instructions: string | null; toolsText: string | null } {
  if (!text.startsWith(INSTRUCTIONS)) return { instructions: null, toolsText: text };
  const at = text.lastIndexOf(`\n\n${TOOLS}`);
  if (at >= INSTRUCTIONS.length) {
    return { instructions: text.slice(INSTRUCTIONS.length, at), toolsText: text.slice(at + 2) };
  }
  const instructions = text.slice(INSTRUCTIONS.length);
  if (style === 'harmony') return { instructions, toolsText: null };
  return { instructions: instructions.endsWith('\n\n') ? instructions.slice(0, -2) : null, toolsText: null };
}

/** Definitions that stand in a message, and further ones that do not. */
export function mergeTools(inText: readonly ToolDefinition[], further: readonly ToolDefinition[]): ToolDefinition[] {
  if (inText.length === 0) return [...further];
  const known = new Set(inText.map((tool) => JSON.stringify(tool)));
  // Those beyond the bounds are for the writer to refuse.
  return [...inText, ...further.filter((tool) => !isBounded(tool, MOST_VALUES) || !known.has(JSON.stringify(tool)))];
}
