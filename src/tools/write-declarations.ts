// Writing tool definitions as Harmony's declarations: the section `# Tools` of a developer message, in two styles.
// Whatever was written is read again, so that no definition can smuggle in another, and everything the text cannot
// carry is told.

import type { ToolDefinition } from '../model/data.ts';
import { readDeclarations } from './declarations.ts';
import { isBounded, isObject, pointerTo } from './json.ts';
import { differences } from './losses.ts';
import {
  isToolName, MOST_DEPTH, MOST_TEXT, MOST_TOOLS, MOST_VALUES, type ToolProblem, type ToolsWritten,
} from './types.ts';
import { harmonyParameters } from './write-harmony.ts';
import { comment, linesOf } from './write-parts.ts';
import { templateParameters } from './write-template.ts';

/** `harmony`: as the library openai-harmony writes; `template`: as the chat template of gpt-oss does. */
export type DeclarationStyle = 'harmony' | 'template';

/**
 * The section, without a line end at its end; empty when no tool can be written. Namespaces stand in the order of their
 * first tool.
 *
 * @example
 * ```ts
 * import { writeDeclarations } from 'openchatml/tools';
 *
 * const { text } = writeDeclarations([{ namespace: 'functions', name: 'now' }]);
 * console.log(text.includes('type now = () => any;')); // true
 * ```
 */
export function writeDeclarations(tools: readonly ToolDefinition[], style: DeclarationStyle = 'harmony'): ToolsWritten {
  return writeSection(tools, (tool) => declare(tool, style));
}

/** One definition as a declaration. */
export interface Declared {
  readonly text: string;
  /** Why it cannot be written. */
  readonly reason: ToolProblem['reason'] | null;
  /** JSON pointers within the definition. */
  readonly losses: readonly string[];
}

/** Writes a definition, and reads what was written. */
export function declare(tool: ToolDefinition, style: DeclarationStyle): Declared {
  const reason = refusal(tool);
  if (reason !== null) return { text: '', reason, losses: [] };
  const text = declaration(tool, style);
  const read = reread(tool, text);
  if (read === null) return { text, reason: 'syntax', losses: [] };
  return { text, reason: null, losses: differences(definition(tool), read, '') };
}

/**
 * The same without reading it again: for a definition whose texts hold no line end, quote or backslash, its names
 * letters, digits, `_` and `-`, its schema flat. What is lost is not told.
 */
export function declareFlat(tool: ToolDefinition, style: DeclarationStyle): Declared {
  const reason = refusal(tool);
  return { text: reason === null ? declaration(tool, style) : '', reason, losses: [] };
}

/** `writeDeclarations` by what makes one of a definition. */
export function writeSection(
  tools: readonly ToolDefinition[], declareOne: (tool: ToolDefinition) => Declared,
): ToolsWritten {
  const problems: ToolProblem[] = [];
  const losses: string[] = [];
  const namespaces = new Map<string, string[]>();
  let length = 0;
  for (const [index, tool] of tools.entries()) {
    const { text, reason, losses: own } = index < MOST_TOOLS ? declareOne(tool) : TOO_MANY;
    length += text.length;
    if (reason !== null || length > MOST_TEXT / 2) {
      problems.push({ reason: reason ?? 'too-long', from: index, to: index + 1 });
      continue;
    }
    for (const pointer of own) losses.push(pointerTo('', index) + pointer);
    const block = namespaces.get(tool.namespace);
    if (block) block.push(text);
    else namespaces.set(tool.namespace, [text]);
  }
  const sections = [...namespaces].map(([namespace, declarations]) => namespaceText(namespace, declarations));
  return { text: sections.length > 0 ? `# Tools\n\n${sections.join('\n\n')}` : '', losses, problems };
}

const TOO_MANY: Declared = { text: '', reason: 'too-many', losses: [] };

function refusal(tool: ToolDefinition): ToolProblem['reason'] | null {
  if (!isToolName(tool.name) || !isToolName(tool.namespace)) return 'name';
  // A field's own braces are one level more in the text than the list of fields is in the schema.
  return isBounded(tool.parameters ?? null, MOST_VALUES, MOST_DEPTH) ? null : 'too-deep';
}

function namespaceText(namespace: string, declarations: readonly string[]): string {
  return `## ${namespace}\n\nnamespace ${namespace} {\n\n${declarations.join('\n\n')}\n\n} // namespace ${namespace}`;
}

function declaration(tool: ToolDefinition, style: DeclarationStyle): string {
  const parameters = isObject(tool.parameters) ? tool.parameters : undefined;
  const list = style === 'template' ? templateParameters(parameters) : harmonyParameters(parameters);
  const lines = linesOf(tool.description ?? '');
  if (style === 'template' && tool.description === '') lines.push('');
  const above = lines.map((line) => `${comment(line)}\n`).join('');
  return `${above}type ${tool.name} = ${list} => any;`;
}

/** The one tool that the text must give; null: it gives anything else. */
function reread(tool: ToolDefinition, text: string): ToolDefinition | null {
  const { tools, problems } = readDeclarations(
    `namespace ${tool.namespace} {\n\n${text}\n\n} // namespace ${tool.namespace}`,
  );
  const isAlone = tools.length === 1 && problems.length === 0 && tools[0]!.name === tool.name;
  return isAlone ? tools[0]! : null;
}

/** The fields of a definition that have a value. */
function definition({ namespace, name, description, parameters }: ToolDefinition): object {
  return {
    namespace, name, ...(description !== undefined && { description }), ...(parameters !== undefined && { parameters }),
  };
}
