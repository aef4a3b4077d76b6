// Tools together with what carries them out, described by JSON Schema or by a schema of a library that keeps to
// Standard Schema (zod, valibot and others).

import type { JsonSchema, ToolDefinition } from '../../model/data.ts';
import { FUNCTIONS, isToolName } from '../../tools/types.ts';
import { isObject } from '../../tools/json.ts';
import type { ToolHandler, HandlerContext, RouterOptions, Tool } from './types.ts';
import { checkOption, checkOptions, checkText, type Known, needOptions, toldOf } from '../../options.ts';

/** What Standard Schema asks of a schema, as far as it is used here. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema: zod 4.2 has it, valibot by `toStandardJsonSchema` of `@valibot/to-json-schema`. */
    readonly jsonSchema?: StandardJson | undefined;
  };
}

interface StandardJson {
  readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
}

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

type ArgumentsOf<Schema> = Schema extends StandardSchema<infer _, infer Output> ? Output : unknown;

/** A tool together with what carries it out. */
export interface ToolOptions<Schema extends StandardSchema | JsonSchema> {
  readonly name: string;
  /** Default `functions`. */
  readonly namespace?: string | undefined;
  readonly description?: string | undefined;
  /** Of the arguments; absent: it takes none. */
  readonly parameters?: Schema | undefined;
  /** What the model is told of `parameters`, when they are no JSON Schema and give none. */
  readonly jsonSchema?: JsonSchema | undefined;
  readonly concurrency?: number | undefined;
  /** Gets the arguments as `parameters` gives them: with its defaults and transformations. */
  readonly execute: {
    execute(argumentsValue: ArgumentsOf<Schema>, context: HandlerContext): unknown;
  }['execute'];
}

const TOOL_OPTIONS: Known<ToolOptions<JsonSchema>> = {
  name: 1, namespace: 1, description: 1, parameters: 1, jsonSchema: 1, concurrency: 1, execute: 1,
};

/** Arguments that are JSON of the right shape, and that the schema refuses nevertheless. */
export class InvalidArguments extends Error {
  readonly issues: readonly StandardIssue[];

  constructor(issues: readonly StandardIssue[]) {
    super('invalid arguments');
    this.issues = issues;
  }

  /** Which places are wrong, as JSON pointers. `expose`: what the schema says of them too, which may quote them. */
  detail(expose: boolean): string {
    try {
      return this.issues.slice(0, MOST_ISSUES).map((issue) => detailOf(issue, expose)).join('; ');
    } catch {
      // A library may give issues that are none.
      return 'the value is not as it must be';
    }
  }
}

function detailOf({ message, path = [] }: StandardIssue, expose: boolean): string {
  const keys = path.map((part) => (typeof part === 'object' ? part.key : part));
  const pointer = keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return `${pointer || 'the value'}${expose ? `: ${message}` : ' is not as it must be'}`;
}

const MOST_ISSUES = 10;

/**
 * A tool for `ToolRouter`. Arguments are checked against the JSON Schema of `parameters`, which the model is told, and
 * then by the schema itself. Throws a TypeError when there is no JSON Schema to tell.
 *
 * @example
 * ```ts
 * import { defineTool, ToolRouter } from 'openchatml/stream';
 *
 * const sum = defineTool({
 *   name: 'sum',
 *   parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
 *   execute: ({ a, b }: { a: number; b: number }) => a + b,
 * });
 * console.log(new ToolRouter({ tools: [sum] }).tools.length); // 1
 * ```
 */
export function defineTool<Schema extends StandardSchema | JsonSchema>(options: ToolOptions<Schema>): Tool {
  needOptions(options);
  checkOptions(options, TOOL_OPTIONS);
  const { name, namespace = FUNCTIONS, description, parameters, concurrency, execute } = options;
  checkDefinition({ name, namespace, description });
  if (parameters !== undefined && !isObject(parameters)) {
    throw new TypeError(`tool ${name}: expected parameters as an object; got ${toldOf(parameters)}`);
  }
  if (typeof execute !== 'function') throw new TypeError(`tool ${name}: expected a function execute`);
  const schema = parameters === undefined ? undefined : jsonSchemaOf(name, parameters, options.jsonSchema);
  return {
    namespace,
    name,
    ...(description !== undefined && { description }),
    ...(schema !== undefined && { parameters: schema }),
    ...(concurrency !== undefined && { concurrency }),
    execute: isStandard(parameters) ? checkedBy(parameters, execute as ToolHandler) : (execute as ToolHandler),
  };
}

/** Throws a TypeError for what no definition of a tool can have. */
function checkDefinition(tool: { readonly [Name in keyof ToolDefinition]?: unknown }): void {
  const { name, namespace, description } = tool;
  if (typeof name !== 'string' || !isToolName(name)) {
    throw new TypeError(`option name: expected a tool's name, of A-Z, a-z, 0-9, _, - and .; got ${toldOf(name)}`);
  }
  if (typeof namespace !== 'string' || !isToolName(namespace)) {
    throw new TypeError(`tool ${name}: expected a namespace, such as ${FUNCTIONS}; got ${toldOf(namespace)}`);
  }
  checkText(`tool ${name}: description`, description);
}

function checkTool(tool: unknown): void {
  if (!isObject(tool)) throw new TypeError(`option tools: expected definitions; got ${toldOf(tool)} among them`);
  if ('function' in tool) throw new TypeError('option tools: expected definitions, as toolsFromOpenAI gives them');
  checkDefinition(tool);
}

const isStandard = (schema: StandardSchema | JsonSchema | undefined): schema is StandardSchema =>
  schema !== undefined && '~standard' in schema;

function jsonSchemaOf(name: string, given: StandardSchema | JsonSchema, told: JsonSchema | undefined): JsonSchema {
  if (told !== undefined || !isStandard(given)) return withoutName(told ?? (given as JsonSchema));
  const { jsonSchema, vendor } = given['~standard'];
  if (jsonSchema === undefined) {
    throw new TypeError(`tool ${name}: a schema of ${vendor} that gives no JSON Schema; give one as jsonSchema`);
  }
  try {
    return withoutName(jsonSchema.input({ target: 'draft-2020-12' }));
  } catch (cause) {
    throw new TypeError(`tool ${name}: its schema has no JSON Schema; give one as jsonSchema`, { cause });
  }
}

/** A model need not be told which draft it is. */
function withoutName(schema: JsonSchema): JsonSchema {
  const { $schema, ...rest } = schema;
  return $schema === undefined ? schema : rest;
}

function checkedBy(schema: StandardSchema, execute: ToolHandler): ToolHandler {
  return async (value, context) => {
    const result = await schema['~standard'].validate(value);
    if (result.issues) throw new InvalidArguments(result.issues);
    context.signal.throwIfAborted();
    return execute(result.value, context);
  };
}

/** What the options of a router say of tools, taken together. Throws a TypeError or a RangeError. */
export function toolsOf({ tools = [], handlers = {}, concurrencyOf = {} }: RouterOptions): {
  readonly definitions: readonly ToolDefinition[];
  readonly handlers: { readonly [recipient: string]: ToolHandler };
  readonly bounds: ReadonlyMap<string, number>;
} {
  if (!isObject(handlers)) throw new TypeError('option handlers: expected an object of functions by recipient');
  checkOption('concurrencyOf', concurrencyOf, null);
  if (!Array.isArray(tools)) throw new TypeError('option tools: expected a list of definitions');
  const all: Record<string, ToolHandler> = { ...handlers };
  const bounds = new Map(Object.entries(concurrencyOf));
  const definitions = (tools as readonly (ToolDefinition | Tool)[]).map((tool) => {
    checkTool(tool);
    if (!('execute' in tool)) return tool;
    const { execute, concurrency, ...definition } = tool;
    const recipient = `${tool.namespace}.${tool.name}`;
    if (Object.hasOwn(all, recipient)) throw new TypeError(`option handlers: ${recipient} is carried out by its tool`);
    all[recipient] = execute;
    if (concurrency !== undefined && !bounds.has(recipient)) bounds.set(recipient, concurrency);
    return definition;
  });
  for (const [recipient, most] of bounds) {
    if (!Object.hasOwn(all, recipient)) {
      throw new RangeError(`option concurrencyOf: no handler stands under ${JSON.stringify(recipient)}`);
    }
    if (!Number.isSafeInteger(most) || most < 1) {
      throw new RangeError(`option concurrencyOf: expected a positive integer for ${recipient}; got ${String(most)}`);
    }
  }
  return { definitions, handlers: all, bounds };
}
