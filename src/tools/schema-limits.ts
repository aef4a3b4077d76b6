// Bounds of a schema and of the arguments that are checked against it. Both may come from anywhere.

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

/** Patterns and their instructions that may be compiled at once, and bytes that are read for each further one. */
const MOST_COMPILED = 500_000;
const BYTES_EACH = 64;
/** What compiling the shortest pattern costs, in instructions of a long one. */
const PATTERN_COST = 500;
/** Steps of all checks together, and further ones for each byte that is read. */
const MOST_STEPS = 2_000_000;
const STEPS_EACH = 1;

/**
 * What schemas may cost over all that is read. Compiling a pattern takes a millisecond and 200 KB, however short
 * it is, and a step of a check two microseconds: as both are paid for by bytes, time stays linear. Arguments take a
 * third of a step for each of their bytes.
 */
export class Budget {
  #compiled = MOST_COMPILED;
  #steps = MOST_STEPS;

  /** So many bytes were read. */
  earn(bytes: number): void {
    this.#compiled = Math.min(MOST_COMPILED, this.#compiled + bytes / BYTES_EACH);
    this.#steps = Math.min(MOST_STEPS, this.#steps + bytes * STEPS_EACH);
  }

  get mayCompile(): boolean {
    return this.#compiled > 0;
  }

  /** A pattern was compiled to so many instructions. */
  compiled(instructions: number): void {
    this.#compiled -= PATTERN_COST + instructions;
  }

  /** Steps that are left for a check. */
  get steps(): number {
    return this.#steps;
  }

  spend(steps: number): void {
    this.#steps -= steps;
  }
}

/** Of those who know where their schemas come from. */
export const UNBOUNDED: Budget = new (class extends Budget {
  override get mayCompile(): boolean {
    return true;
  }

  override get steps(): number {
    return Infinity;
  }
})();

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
