// Checking arguments against a tool's schema, with the library @cfworker/json-schema. Schemas and arguments come from
// anywhere: both are bounded first, patterns are decided in linear time, references stay inside, and each check may
// take only so many steps.

import { dereference, type OutputUnit, validate } from '@cfworker/json-schema';

import type { ToolDefinition } from '../model/data.ts';
import { shownName } from '../printable.ts';
import type { ArgumentTable } from '../scan/machine.ts';
import { TableWriter } from './argument-table.ts';
import { survey } from './arguments.ts';
import { faultsOf } from './faults.ts';
import { type ArgumentFinding, findingOf } from './finding.ts';
import { isBounded } from './json.ts';
import { fitsPlain, type PlainSchema, plainSchema } from './plain-schema.ts';
import { depthOf, type SchemaDepth } from './schema-depth.ts';
import {
  type Budget, Meter, SCHEMA_LIMITS, type SchemaLimits, SchemaRefusal, Unchecked,
} from './schema-limits.ts';
import { SchemaBuilder } from './schema-node.ts';
import type { PatternCost } from './schema-patterns.ts';

export type { ArgumentFinding } from './finding.ts';

/** A tool whose arguments can be checked. */
export interface CompiledTool {
  readonly definition: ToolDefinition;
  /** Why the schema is not used, and the place in it; null: it is. */
  readonly refused: { readonly pointer: string; readonly reason: string } | null;
  /** What is wrong with the arguments, a JSON value: the first finding, or null. Never throws. */
  check(argumentsValue: unknown): ArgumentFinding | null;
  /**
   * All that is wrong with arguments in which `check` finds something, in sentences, up to a bound: they hold what the
   * schema says, never a value of the arguments. Never throws.
   */
  faults(argumentsValue: unknown): readonly string[];
  /**
   * By which the scanner knows arguments in which `check` finds nothing; null: the schema is not one that it could
   * know.
   */
  readonly table: ArgumentTable | null;
  /** @internal Instructions of its compiled patterns, and what compiling them costs. */
  readonly patternSize: number;
  readonly patternCost: number;
}

/** The schema of a tool that takes no arguments. */
const NO_ARGUMENTS = { type: 'object', additionalProperties: false };
/** Work that one check may cause besides its steps: names looked at. */
const MOST_LOOKS = 100_000_000;

/**
 * Makes a definition ready to check arguments: its schema is bounded, its patterns are for a linear-time engine, its
 * references stay inside. Never throws on data; a schema that is not used says why in `refused`.
 *
 * @example
 * ```ts
 * import { compileTool } from 'openchatml/tools';
 *
 * const tool = compileTool({ namespace: 'functions', name: 'f', parameters: { type: 'object', required: ['city'] } });
 * console.log(tool.check({ city: 'Oslo' }), tool.check({})?.keyword); // null required
 * ```
 */
export function compileTool(
  definition: ToolDefinition, limits: Partial<SchemaLimits> = {}, budget: Budget | null = null,
): CompiledTool {
  const spent = { cost: 0 };
  try {
    return new Compiled(definition, { ...SCHEMA_LIMITS, ...limits }, budget, spent);
  } catch (error) {
    const refused = {
      pointer: '', reason: 'a schema that is too deep', ...(error instanceof SchemaRefusal && told(error)),
    };
    const fault = `the schema is not usable at ${shownName(`#${refused.pointer}`)}: ${refused.reason}`;
    return {
      definition, refused, check: () => ({ pointer: '', keyword: 'schema' }), faults: () => [fault], table: null,
      patternSize: 0, patternCost: spent.cost,
    };
  }
}

function told({ pointer, reason }: SchemaRefusal): { pointer: string; reason: string } {
  return { pointer, reason };
}

class Compiled implements CompiledTool {
  readonly definition: ToolDefinition;
  readonly refused = null;
  readonly #limits: SchemaLimits;
  readonly #budget: Budget | null;
  readonly #spent: PatternCost;
  readonly #meter = new Meter();
  readonly #schema: SchemaBuilder;
  readonly #depth: SchemaDepth;
  readonly #plain: PlainSchema | null;
  /** Schemas by their addresses, for the library. */
  #lookup: ReturnType<typeof dereference> | null = null;

  constructor(definition: ToolDefinition, limits: SchemaLimits, budget: Budget | null, spent: PatternCost) {
    const schema: unknown = definition.parameters ?? NO_ARGUMENTS;
    if (!isBounded(schema, limits.bytes, limits.depth)) throw new SchemaRefusal('', 'too deep, too large, or no JSON');
    const text = JSON.stringify(schema);
    if (text.length > limits.bytes || new TextEncoder().encode(text).length > limits.bytes) {
      throw new SchemaRefusal('', 'too large');
    }
    this.definition = definition;
    this.#limits = limits;
    this.#budget = budget;
    this.#spent = spent;
    this.#schema = new SchemaBuilder(schema, limits, this.#meter, spent);
    this.#depth = depthOf(this.#schema.edges);
    if (this.#depth.perValue > limits.frames) throw new SchemaRefusal('', 'too deep');
    this.#plain = plainSchema(schema);
    // A plain schema needs the library only for arguments that do not fit, if there are any.
    if (this.#plain === null) this.#lookup = dereference(this.#schema.root);
  }

  get table(): ArgumentTable | null {
    if (this.#plain === null) return null;
    const table = new TableWriter();
    table.write(this.#plain);
    return table.finish();
  }

  get patternCost(): number {
    return this.#spent.cost;
  }

  get patternSize(): number {
    return this.#schema.patterns.size;
  }

  check(argumentsValue: unknown): ArgumentFinding | null {
    if (this.#plain !== null && fitsPlain(this.#plain, argumentsValue)) return null;
    try {
      return this.#validate(argumentsValue, true, (errors) => findingOf(errors, this.#schema, argumentsValue));
    } catch {
      // Beyond a bound: of ours, or of the engine's stack.
      return { pointer: '', keyword: 'limit' };
    }
  }

  faults(argumentsValue: unknown): readonly string[] {
    const take = (errors: readonly OutputUnit[]): readonly string[] => faultsOf(errors, this.#schema, argumentsValue);
    try {
      return this.#validate(argumentsValue, false, take) ?? [];
    } catch {
      // All of them are beyond a bound; the first one may not be.
      try {
        return this.#validate(argumentsValue, true, take) ?? [];
      } catch {
        return ['they are not checked: they or the schema are beyond a bound'];
      }
    }
  }

  /**
   * What `take` makes of the library's errors, all of them or those up to the first that counts; null: there are none.
   * Throws beyond a bound.
   */
  #validate<T>(value: unknown, onlyFirst: boolean, take: (errors: readonly OutputUnit[]) => T): T | null {
    const patterns = this.#schema.patterns;
    const meter = this.#meter;
    const { root } = this.#schema;
    try {
      this.#lookup ??= dereference(root);
      const { depth, breadth, nameLength, strings, names } = survey(value, this.#limits, meter, !patterns.isEmpty);
      const frames = Math.min(this.#depth.inAll, (depth + 1) * this.#depth.perValue);
      if (frames > this.#limits.frames) throw new Unchecked();
      const left = this.#budget?.steps ?? Infinity;
      meter.start(Math.min(this.#limits.steps, left, MOST_LOOKS / (64 + breadth + nameLength)));
      patterns.decide(strings, names, meter);
      const { valid, errors } = validate(value, root, '2020-12', this.#lookup, onlyFirst);
      this.#stop();
      return valid ? null : take(errors);
    } finally {
      this.#stop();
      patterns.clear();
    }
  }

  #stop(): void {
    this.#budget?.spend(this.#meter.spent);
    this.#meter.stop();
  }
}
