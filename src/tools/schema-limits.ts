// Bounds of a schema and of the arguments that are checked against it. Both may come from anywhere.

import type { ToolDefinition } from '../model/data.ts';
import { BLOCK } from '../scan/source.ts';

export interface SchemaLimits {
  /** UTF-8 bytes of the schema as JSON. */
  readonly bytes: number;
  readonly depth: number;
  /** Members of one enum. */
  readonly members: number;
  /** Schemas in the schema, each counted once for every place that leads to it. */
  readonly schemas: number;
  /** UTF-16 units of all patterns, and what their programs hold. */
  readonly patternLength: number;
  readonly patternSize: number;
  /**
   * Calls of the validator on the stack. One takes about two kilobytes of a stack of one megabyte that others use as
   * well.
   */
  readonly frames: number;
  /** Values in the arguments. */
  readonly values: number;
  /** Properties of one object in the arguments, and UTF-16 units of a name. */
  readonly breadth: number;
  readonly nameLength: number;
  /** What one check may cost; a schema applied to a value is one step or more. */
  readonly steps: number;
}

export const SCHEMA_LIMITS: SchemaLimits = {
  bytes: 256 * 1024,
  depth: 64,
  members: 10_000,
  schemas: 10_000,
  patternLength: 16 * 1024,
  patternSize: 50_000,
  frames: 192,
  values: 100_000,
  breadth: 4096,
  nameLength: 1024,
  steps: 200_000,
};

/** All that a definition says: what it is known by. */
export const textOfTool = ({ namespace, name, description, parameters }: ToolDefinition): string =>
  JSON.stringify([namespace, name, description ?? null, parameters ?? null]);

/** Why a schema is not used. The reason holds nothing of the schema. */
export class SchemaRefusal extends Error {
  readonly pointer: string;
  readonly reason: string;

  constructor(pointer: string, reason: string) {
    super(reason);
    this.pointer = pointer;
    this.reason = reason;
  }
}

/** The arguments are beyond a bound; nothing is known about them. */
export class Unchecked extends Error {}

/** What patterns may cost in a block of an input: instructions, and PATTERN_COST for each of them. */
const MOST_COMPILED = 128 * 1024;
/** What compiling the shortest pattern costs, in instructions of a long one. */
export const PATTERN_COST = 100;
/** Steps of all checks in a block. */
const MOST_STEPS = 1024 * 1024;
/** Checks that run into their bound until further schemas of the block get less time. */
const PATIENCE = 16;

/**
 * What schemas may cost in a block of an input (BLOCK). Compiling an instruction of a pattern takes two microseconds
 * and 200 bytes, a step of a check two microseconds: time stays linear in the bytes that are read. What is kept from
 * before is charged like what is new, so that the answer is the same wherever an input is cut for threads.
 */
export class Budget {
  #block = -1;
  #compiled = 0;
  #steps = 0;
  #beyond = 0;
  readonly #givenUp = new Set<string>();
  /** A definition may be long, and called often. */
  readonly #texts = new WeakMap<ToolDefinition, string>();
  /** Schemas of each cache that were charged in this block. */
  readonly #charged = new Map<object, Set<string>>();

  /** An input begins, or a part of it, which begins with a block. */
  restart(): void {
    this.#block = -1;
  }

  /** A transcript or record begins at this position of the input. */
  begin(position: number): void {
    const block = Math.floor(position / BLOCK);
    if (block === this.#block) return;
    this.#block = block;
    this.#compiled = MOST_COMPILED;
    this.#steps = MOST_STEPS;
    this.#beyond = 0;
    this.#givenUp.clear();
    this.#charged.clear();
  }

  /** Whether a schema with patterns may be used. */
  mayUse(cache: object, schema: string): boolean {
    return this.#compiled > 0 || this.#charged.get(cache)?.has(schema) === true;
  }

  /** A schema is used, whose patterns cost so much. */
  use(cache: object, schema: string, cost: number): void {
    let charged = this.#charged.get(cache);
    if (charged === undefined) this.#charged.set(cache, (charged = new Set()));
    if (charged.has(schema)) return;
    charged.add(schema);
    this.#compiled -= cost;
  }

  /** Steps that are left for a check. */
  get steps(): number {
    return this.#steps;
  }

  spend(steps: number): void {
    this.#steps -= steps;
  }

  /** A check has run into its bound: its schema is not used again, compiled anew or not. */
  giveUp(schema: ToolDefinition): void {
    this.#givenUp.add(this.#keyOf(schema));
    this.#beyond++;
  }

  hasGivenUp(schema: ToolDefinition): boolean {
    return this.isImpatient && this.#givenUp.has(this.#keyOf(schema));
  }

  /** Who gets less time has more schemas to give up. */
  #keyOf(schema: ToolDefinition): string {
    let text = this.#texts.get(schema);
    if (text === undefined) this.#texts.set(schema, (text = textOfTool(schema)));
    return `${this.isStrict} ${text}`;
  }

  /** Some check has: not every call is looked at as others are. */
  get isImpatient(): boolean {
    return this.#beyond > 0;
  }

  /** Many have: schemas get less time. */
  get isStrict(): boolean {
    return this.#beyond >= PATIENCE;
  }
}

/** Counts steps while a value is checked. */
export class Meter {
  /** What comparing all items of one array may cost. */
  unique = 0;
  /** What counting the characters of one string may cost. */
  longest = 0;
  #left = Infinity;
  #most = Infinity;

  /** From now on; at most `steps`. */
  start(steps: number): void {
    this.#left = steps;
    this.#most = steps;
  }

  /** Steps since the start. */
  get spent(): number {
    return this.#most === Infinity ? 0 : this.#most - this.#left;
  }

  stop(): void {
    this.#most = Infinity;
    this.#left = Infinity;
    this.unique = 0;
    this.longest = 0;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new Unchecked();
  }
}
