// Tool definitions as chat records hold them: `tools`, a list of `{ type: 'function', function: { name, description,
// parameters } }` (R-JSON), also as a string that holds the JSON of it, or of one definition, or of its parameters, as
// columns of tables have it. Those of Anthropic are read too.

import type { JsonSchema, ToolDefinition } from '../model/data.ts';
import { isObject, type JsonObject, own, parseJson } from './json.ts';
import { FUNCTIONS, isToolName, MOST_TEXT, MOST_TOOLS, type ToolProblem, type ToolsRead } from './types.ts';

/** A definition as chat records hold it. The order of keys is the order in which they are written. */
export interface OpenAITool {
  readonly type: 'function';
  readonly function: { readonly name: string; readonly description?: string; readonly parameters?: JsonSchema };
}

const WRAPPED: ReadonlySet<string> = new Set(['type', 'function']);
const KNOWN: ReadonlySet<string> = new Set(['type', 'name', 'description', 'parameters']);

/**
 * The definitions of a list, of one definition, or of a string that holds one of these as JSON (R-JSON); null and
 * undefined: none.
 *
 * @example
 * ```ts
 * import { toolsFromOpenAI } from 'openchatml/tools';
 *
 * const { tools } = toolsFromOpenAI([{ type: 'function', function: { name: 'now' } }]);
 * console.log(tools[0]?.name); // now
 * ```
 */
export function toolsFromOpenAI(tools: unknown): ToolsRead {
  if (tools === undefined || tools === null || tools === '') return { tools: [], problems: [] };
  if (typeof tools === 'string' && tools.length > MOST_TEXT) {
    return { tools: [], problems: [{ reason: 'too-long', from: 0, to: 1 }] };
  }
  const value = typeof tools === 'string' ? parseJson(tools) : tools;
  return toolsOfValues((Array.isArray(value) ? (value as unknown[]) : [value]).map(usual), () => 'syntax');
}

/** A definition of Anthropic, which has `input_schema`, or one with JSON in texts, as OpenAI has it. */
function usual(given: unknown): unknown {
  const value = inText(given);
  if (!isObject(value)) return given;
  const wrapped = own(value, 'function');
  if (isObject(wrapped)) return { ...value, function: withObject(wrapped, 'parameters') };
  if (own(value, 'type') === 'custom' && own(value, 'input_schema') === undefined) return ofText(value);
  const fields = withObject(withObject(value, 'parameters'), 'input_schema');
  if (!isObject(own(fields, 'input_schema')) || own(fields, 'parameters') !== undefined) return fields;
  const { type = null, input_schema: parameters, ...others } = fields;
  return type === null || type === 'custom' ? { ...others, type: 'function', parameters } : fields;
}

/**
 * A custom tool of OpenAI's, whose input is text, as a function without parameters. There is no place for its `format`,
 * also where it is left out: the tool is not the same.
 */
function ofText(value: JsonObject): unknown {
  const inner = own(value, 'custom');
  const { type, custom, ...beside } = value;
  const fields = isObject(inner) ? { ...beside, ...inner } : beside;
  return { type: 'function', function: { format: null, ...fields } };
}

/** The object that a text holds as JSON; other values as they are. */
function inText(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > MOST_TEXT) return value;
  const inner = parseJson(value);
  return isObject(inner) ? inner : value;
}

/** The same object where a member is one, else with what its text holds. */
function withObject(fields: JsonObject, name: string): JsonObject {
  const value = own(fields, name);
  const inner = inText(value);
  return inner === value ? fields : { ...fields, [name]: inner };
}

/**
 * As they are written (R-JSON); a namespace other than `functions` stands before the name.
 *
 * @example
 * ```ts
 * import { toolsToOpenAI } from 'openchatml/tools';
 *
 * console.log(JSON.stringify(toolsToOpenAI([{ namespace: 'functions', name: 'now' }])));
 * // [{"type":"function","function":{"name":"now"}}]
 * ```
 */
export function toolsToOpenAI(tools: readonly ToolDefinition[]): OpenAITool[] {
  return tools.map(({ namespace, name, description, parameters }) => ({
    type: 'function',
    function: {
      name: namespace === FUNCTIONS ? name : `${namespace}.${name}`,
      ...(description !== undefined && { description }),
      ...(parameters !== undefined && { parameters }),
    },
  }));
}

/** The definitions among values; `otherwise` says what a value is that holds none (null: nothing to tell). */
export function toolsOfValues(
  values: readonly unknown[], otherwise: (value: unknown) => ToolProblem['reason'] | null,
): ToolsRead {
  const tools: ToolDefinition[] = [];
  const problems: ToolProblem[] = [];
  for (const [index, value] of values.entries()) {
    const fields = fieldsOf(value);
    const add = (reason: ToolProblem['reason']): void => void problems.push({ reason, from: index, to: index + 1 });
    const name = fields && own(fields, 'name');
    if (typeof name !== 'string') {
      const reason = otherwise(value);
      if (reason !== null) add(reason);
    } else if (!isToolName(name)) {
      add('name');
    } else if (tools.length >= MOST_TOOLS) {
      add('too-many');
    } else {
      const { tool, isWhole } = definitionOf(name, fields!, value as JsonObject);
      tools.push(tool);
      if (!isWhole) add('field');
    }
  }
  return { tools, problems };
}

/** Whether a value is a tool definition, and nothing else that has fields of these names. */
export function isTool(value: unknown): boolean {
  const fields = fieldsOf(value);
  return fields !== null && typeof own(fields, 'name') === 'string';
}

/**
 * What holds the name: the field `function`, or the object itself when its type or its parameters tell that it is a
 * tool.
 */
function fieldsOf(value: unknown): JsonObject | null {
  if (!isObject(value)) return null;
  const wrapped = own(value, 'function');
  const type = own(value, 'type');
  if (isObject(wrapped) && (type === 'function' || type === undefined)) return wrapped;
  return type === 'function' || (type === undefined && isObject(own(value, 'parameters'))) ? value : null;
}

function definitionOf(name: string, fields: JsonObject, value: JsonObject): { tool: ToolDefinition; isWhole: boolean } {
  const tool: { -readonly [K in keyof ToolDefinition]: ToolDefinition[K] } = { namespace: FUNCTIONS, name };
  const description = own(fields, 'description');
  const parameters = own(fields, 'parameters');
  if (typeof description === 'string') tool.description = description;
  if (isObject(parameters)) tool.parameters = parameters;
  const isKnown = hasOnly(fields, KNOWN) && (fields === value || hasOnly(value, WRAPPED));
  const isPlain = (description ?? undefined) === tool.description && (parameters ?? undefined) === tool.parameters;
  return { tool, isWhole: isKnown && isPlain };
}

function hasOnly(object: JsonObject, keys: ReadonlySet<string>): boolean {
  return Object.keys(object).every((key) => keys.has(key));
}
