// `pattern` and `patternProperties` without a regular expression that can backtrack. The validator's own would, so it
// never sees one: before a check, RE2 decides for the strings and names that the arguments hold, and the schema names
// these instead, as an enum and as properties. As no other strings can come up, that means the same anywhere in a
// schema, below `not` too.

import { RE2JS } from 're2js';

import { setOwn } from './json.ts';
import type { SchemaNode } from './schema-copy.ts';
import { type Meter, PATTERN_COST, type SchemaLimits, SchemaRefusal } from './schema-limits.ts';

/** Strings that match a pattern, for the check at hand. */
interface StringSlot {
  readonly expression: Expression;
  matches: string[];
}

/** Properties of an object schema, for the check at hand. */
interface PropertySlot {
  readonly fixed: readonly [name: string, node: SchemaNode][];
  readonly patterns: readonly { readonly expression: Expression; readonly node: SchemaNode }[];
  /** Makes a node that says what all of them say. */
  readonly join: (nodes: readonly SchemaNode[]) => SchemaNode;
  properties: object;
  count: number;
}

interface Expression {
  readonly matcher: { test(text: string): boolean };
  /** What one character costs at most, in steps. */
  readonly cost: number;
}

/** What the patterns of a schema cost, those too of one that is refused. */
export interface PatternCost {
  cost: number;
}

const EVERY_BRACE = /\{(\d{1,9})(?:,(\d{0,9}))?\}/g;

export class Patterns {
  readonly #limits: SchemaLimits;
  readonly #spent: PatternCost;
  readonly #strings: StringSlot[] = [];
  readonly #properties: PropertySlot[] = [];
  readonly #known = new Map<string, Expression>();
  #length = 0;
  #size = 0;

  constructor(limits: SchemaLimits, spent: PatternCost) {
    this.#limits = limits;
    this.#spent = spent;
  }

  /** What all programs hold, about. */
  get size(): number {
    return this.#size;
  }

  get isEmpty(): boolean {
    return this.#strings.length === 0 && this.#properties.length === 0;
  }

  /** Stands for a pattern: gives the strings that match it, during a check. */
  addPattern(pattern: string, at: string): (meter: Meter) => readonly string[] {
    const slot: StringSlot = { expression: this.#compile(pattern, at), matches: [] };
    this.#strings.push(slot);
    return (meter) => {
      meter.spend(slot.matches.length / 16);
      return slot.matches;
    };
  }

  /** Stands for `properties` and `patternProperties`: gives the properties, during a check. */
  addProperties(
    fixed: readonly [name: string, node: SchemaNode][],
    patterns: readonly { readonly pattern: string; readonly at: string; readonly node: SchemaNode }[],
    join: PropertySlot['join'],
  ): (meter: Meter) => object {
    const compiled = patterns.map(({ pattern, at, node }) => ({ expression: this.#compile(pattern, at), node }));
    const slot: PropertySlot = { fixed, patterns: compiled, join, properties: {}, count: 0 };
    this.#properties.push(slot);
    return (meter) => {
      meter.spend(slot.count / 16);
      return slot.properties;
    };
  }

  /** Decides all patterns for the strings and names of the arguments. */
  decide(strings: ReadonlySet<string>, names: ReadonlySet<string>, meter: Meter): void {
    for (const slot of this.#strings) {
      slot.matches = [];
      for (const text of [strings, names].flatMap((set) => [...set])) {
        if (matches(slot.expression, text, meter)) slot.matches.push(text);
      }
    }
    for (const slot of this.#properties) {
      const nodes = new Map(slot.fixed.map(([name, node]) => [name, [node]]));
      for (const { expression, node } of slot.patterns) {
        for (const name of names) {
          if (!matches(expression, name, meter)) continue;
          const others = nodes.get(name);
          if (others) others.push(node);
          else nodes.set(name, [node]);
        }
      }
      slot.properties = Object.create(null) as object;
      for (const [name, all] of nodes) setOwn(slot.properties, name, all.length > 1 ? slot.join(all) : all[0]);
      slot.count = nodes.size;
    }
  }

  /** Forgets the arguments. */
  clear(): void {
    for (const slot of this.#strings) slot.matches = [];
    for (const slot of this.#properties) slot.properties = {};
  }

  #compile(pattern: string, at: string): Expression {
    const known = this.#known.get(pattern);
    if (known) return known;
    this.#length += pattern.length;
    // A repetition makes that many copies; told before it is compiled.
    this.#size += pattern.length;
    for (const [, least, most] of pattern.matchAll(EVERY_BRACE)) {
      this.#size += Math.max(Number(least), Number(most ?? 0)) * 16;
    }
    if (this.#length > this.#limits.patternLength || this.#size > this.#limits.patternSize) {
      throw new SchemaRefusal(at, 'patterns beyond the bound');
    }
    try {
      const matcher = RE2JS.compile(RE2JS.translateRegExp(pattern));
      this.#size += matcher.programSize();
      this.#spent.cost += PATTERN_COST + matcher.programSize();
      const expression = { matcher, cost: (1 + matcher.programSize()) / 1024 };
      this.#known.set(pattern, expression);
      return expression;
    } catch {
      throw new SchemaRefusal(at, 'a pattern that cannot be matched in linear time');
    }
  }
}

function matches({ matcher, cost }: Expression, text: string, meter: Meter): boolean {
  meter.spend(1 + text.length * cost);
  return matcher.test(text);
}
