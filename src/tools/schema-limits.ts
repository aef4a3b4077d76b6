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

/** Counts steps while a value is checked. */
export class Meter {
  /** What comparing all items of one array may cost. */
  unique = 0;
  /** What counting the characters of one string may cost. */
  longest = 0;
  #left = Infinity;

  /** From now on; at most `steps`. */
  start(steps: number): void {
    this.#left = steps;
  }

  stop(): void {
    this.#left = Infinity;
    this.unique = 0;
    this.longest = 0;
  }

  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new Unchecked();
  }
}
