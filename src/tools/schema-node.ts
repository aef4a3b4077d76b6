// A JSON Schema made ready for the validator: a copy that holds only keywords of the right shape, counts steps while it
// is read, and refers to nothing outside of itself. What cannot be made ready is refused, with its place.

import { isObject, type JsonObject, own, pointerTo, setOwn } from './json.ts';
import type { Edges, SchemaNode } from './schema-copy.ts';
import { checkKeyword, MAPS, ONE, SAME, SEVERAL, VALUES } from './schema-keywords.ts';
import { type Meter, type SchemaLimits, SchemaRefusal } from './schema-limits.ts';
import { type PatternCost, Patterns } from './schema-patterns.ts';
import { resolveReference, type Target } from './schema-reference.ts';
import { isWellFormed } from './text.ts';

/** A node in the making. */
interface Plan extends Edges {
  readonly keywords: [keyword: string, value: unknown][];
  /** What is looked up for each value besides: fields, members, names. */
  weight: number;
}

const DEFINITIONS = '#/$defs/';
const OLD_DIALECT = /draft-0[3467]\b/;
const WEIGHTY: ReadonlySet<string> = new Set(['enum', 'const', 'required', 'dependentRequired']);

export class SchemaBuilder {
  readonly root: SchemaNode;
  readonly edges = new Map<SchemaNode, Edges>();
  /** Names of properties that the schema declares, wherever. */
  readonly names = new Set<string>();
  /** The keyword that a node of our making stands for. */
  readonly standsFor = new Map<unknown, string>();
  /** What nodes that stand for patterns match. */
  readonly patternOf = new Map<unknown, string>();
  readonly patterns: Patterns;
  readonly #source: unknown;
  readonly #limits: SchemaLimits;
  readonly #meter: Meter;
  /** Beside `$ref` nothing counts in drafts up to 7. */
  readonly #isOld: boolean;
  readonly #definitions = Object.create(null) as SchemaNode;
  readonly #targets = new Map<string, Target>();
  readonly #names = new Map<unknown, string>();
  readonly #waiting: [name: string, target: Target][] = [];
  readonly #referring: [edges: Edges, name: string][] = [];
  #count = 0;

  constructor(source: unknown, limits: SchemaLimits, meter: Meter, spent: PatternCost) {
    this.#source = source;
    this.#limits = limits;
    this.#meter = meter;
    this.patterns = new Patterns(limits, spent);
    const dialect = isObject(source) ? own(source, '$schema') : undefined;
    this.#isOld = typeof dialect === 'string' && OLD_DIALECT.test(dialect);
    this.root = this.#build(source, '');
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      setOwn(this.#definitions, next[0], this.#build(next[1].schema, next[1].pointer));
    }
    setOwn(this.root, '$defs', this.#definitions);
    for (const [{ same }, name] of this.#referring) same.push(this.#definitions[name] as SchemaNode);
  }

  /** The node that a reference of the copy names. */
  target(reference: unknown): unknown {
    return this.#definitions[String(reference).slice(DEFINITIONS.length)];
  }

  #build(schema: unknown, at: string): SchemaNode {
    const plan: Plan = { keywords: [], weight: 0, same: [], part: [] };
    if (schema === false) {
      this.#add(plan, 'not', this.#build(true, at));
      const never = this.#node(plan, at);
      this.standsFor.set(never, 'false');
      return never;
    }
    if (schema !== true) {
      if (!isObject(schema)) throw new SchemaRefusal(at, 'not a schema');
      this.#read(schema, at, plan);
    }
    return this.#node(plan, at);
  }

  /** The validator reads `type` once each time it applies a node: that is where steps are counted. */
  #node({ keywords, weight, same, part }: Plan, at: string): SchemaNode {
    if (++this.#count > this.#limits.schemas) throw new SchemaRefusal(at, 'too many schemas');
    const node = Object.create(null) as SchemaNode;
    const meter = this.#meter;
    let type: unknown;
    let measuresText = false;
    let comparesItems = false;
    for (const [keyword, value] of keywords) {
      measuresText ||= keyword === 'minLength' || keyword === 'maxLength';
      comparesItems ||= keyword === 'uniqueItems' && value === true;
      if (keyword === 'type') type = value;
      else if (typeof value === 'function') define(node, keyword, () => (value as (meter: Meter) => unknown)(meter));
      else setOwn(node, keyword, value);
    }
    define(node, 'type', () => {
      meter.spend(1 + weight / 16 + (measuresText ? meter.longest : 0) + (comparesItems ? meter.unique : 0));
      return type;
    });
    this.edges.set(node, { same, part });
    return node;
  }

  #add(plan: Plan, keyword: string, ...nodes: SchemaNode[]): void {
    plan.keywords.push([keyword, nodes[0]]);
    this.#link(plan, keyword, nodes);
  }

  #link(plan: Plan, keyword: string, nodes: readonly SchemaNode[]): void {
    (SAME.has(keyword) ? plan.same : plan.part).push(...nodes);
  }

  #read(schema: JsonObject, at: string, plan: Plan): void {
    for (const keyword of ['$dynamicRef', '$recursiveRef']) {
      if (Object.hasOwn(schema, keyword)) throw new SchemaRefusal(pointerTo(at, keyword), 'a dynamic reference');
    }
    if (at !== '' && typeof own(schema, '$id') === 'string') {
      throw new SchemaRefusal(pointerTo(at, '$id'), 'a schema with an address of its own');
    }
    if (own(schema, '$ref') !== undefined) {
      this.#reference(own(schema, '$ref'), pointerTo(at, '$ref'), plan);
      if (this.#isOld) return;
    }
    const isNullable = own(schema, 'nullable') === true;
    const guards: SchemaNode[] = [];
    for (const [keyword, value] of Object.entries(withNumericBounds(schema))) {
      const place = pointerTo(at, keyword);
      if (value === undefined) continue;
      if (VALUES.has(keyword)) {
        checkKeyword(keyword, value, place, this.#limits);
        if (keyword === 'pattern') guards.push(this.#guard(value as string, place));
        else plan.keywords.push([keyword, isNullable ? withNull(keyword, value) : value]);
        if (WEIGHTY.has(keyword)) plan.weight += sizeOf(value);
      } else if (SEVERAL.has(keyword) || (keyword === 'items' && Array.isArray(value))) {
        this.#several(keyword, value, place, plan);
      } else if (ONE.has(keyword)) {
        this.#add(plan, keyword, this.#build(value, place));
      } else if (MAPS.has(keyword)) {
        this.#map(keyword, value, place, plan);
      }
    }
    if (Object.hasOwn(schema, 'patternProperties')) this.#matchNames(plan, pointerTo(at, 'patternProperties'));
    if (guards.length > 0) this.#also(plan, guards);
  }

  #several(keyword: string, value: unknown, at: string, plan: Plan): void {
    if (!Array.isArray(value)) throw new SchemaRefusal(at, 'not a list of schemas');
    const nodes = value.map((schema, index) => this.#build(schema, pointerTo(at, index)));
    plan.keywords.push([keyword, nodes]);
    this.#link(plan, keyword, nodes);
  }

  #map(keyword: string, value: unknown, at: string, plan: Plan): void {
    if (!isObject(value)) throw new SchemaRefusal(at, 'not a map of schemas');
    const map = Object.create(null) as object;
    for (const [name, schema] of Object.entries(value)) {
      if (!isWellFormed(name)) throw new SchemaRefusal(at, 'a name that is no Unicode text');
      if (keyword === 'properties') this.names.add(name);
      if (keyword === 'dependencies' && Array.isArray(schema)) {
        checkKeyword('required', schema, pointerTo(at, name), this.#limits);
        setOwn(map, name, schema);
      } else {
        const node = this.#build(schema, pointerTo(at, name));
        setOwn(map, name, node);
        this.#link(plan, keyword, [node]);
      }
      plan.weight++;
    }
    plan.keywords.push([keyword, map]);
  }

  /** For a pattern: a string must be one of those that match it. */
  #guard(pattern: string, at: string): SchemaNode {
    const matching = this.#node(
      { keywords: [['enum', this.patterns.addPattern(pattern, at)]], weight: 0, same: [], part: [] }, at,
    );
    this.standsFor.set(matching, 'pattern');
    this.patternOf.set(matching, pattern);
    const guard: Plan = { keywords: [], weight: 0, same: [], part: [] };
    this.#add(guard, 'if', this.#build({ type: 'string' }, at));
    this.#add(guard, 'then', matching);
    return this.#node(guard, at);
  }

  #also(plan: Plan, guards: readonly SchemaNode[]): void {
    const index = plan.keywords.findIndex(([keyword]) => keyword === 'allOf');
    const allOf = index < 0 ? [] : (plan.keywords.splice(index, 1)[0]![1] as SchemaNode[]);
    plan.keywords.push(['allOf', [...allOf, ...guards]]);
    plan.same.push(...guards);
  }

  /** `properties` that hold, for each check, what `patternProperties` says of the names in the arguments as well. */
  #matchNames(plan: Plan, at: string): void {
    const take = (keyword: string): [string, SchemaNode][] => {
      const index = plan.keywords.findIndex(([name]) => name === keyword);
      return index < 0 ? [] : Object.entries(plan.keywords.splice(index, 1)[0]![1] as { [name: string]: SchemaNode });
    };
    const fixed = take('properties');
    const patterns =
      take('patternProperties').map(([pattern, node]) => ({ pattern, node, at: pointerTo(at, pattern) }));
    plan.keywords.push(['properties', this.patterns.addProperties(fixed, patterns, (nodes) => this.#join(nodes))]);
    // The validator looks for references once, in what stands in the schema then.
    for (const node of [...fixed.map(([, one]) => one), ...patterns.map((pattern) => pattern.node)]) {
      setOwn(this.#definitions, `part${this.#count}-${Object.keys(this.#definitions).length}`, node);
    }
  }

  /** Made during a check. */
  #join(nodes: readonly SchemaNode[]): SchemaNode {
    const node = Object.create(null) as SchemaNode;
    setOwn(node, 'allOf', nodes);
    define(node, 'type', () => this.#meter.spend(1));
    return node;
  }

  /** The schema that is named is made ready once, whoever names it. */
  #reference(reference: unknown, at: string, plan: Plan): void {
    if (typeof reference !== 'string') throw new SchemaRefusal(at, 'not a reference');
    const target = this.#targets.get(reference) ?? resolveReference(this.#source, reference, at);
    this.#targets.set(reference, target);
    let name = this.#names.get(target.schema);
    if (name === undefined) {
      name = `schema${this.#names.size}`;
      this.#names.set(target.schema, name);
      this.#waiting.push([name, target]);
    }
    plan.keywords.push(['$ref', `${DEFINITIONS}${name}`]);
    this.#referring.push([plan, name]);
  }
}

function define(node: SchemaNode, keyword: string, get: () => unknown): void {
  Object.defineProperty(node, keyword, { get, enumerable: true, configurable: true });
}

/** OpenAPI's `nullable: true`: null is one more type, and one more member. */
function withNull(keyword: string, value: unknown): unknown {
  if (keyword === 'type') return [...(Array.isArray(value) ? value : [value]), 'null'];
  return keyword === 'enum' ? [...(value as unknown[]), null] : value;
}

/** A copy in which `exclusiveMinimum: true`, as older drafts and OpenAPI have it, is a number. */
function withNumericBounds(schema: JsonObject): JsonObject {
  const copy: { [keyword: string]: unknown } = { ...schema };
  for (const [exclusive, plain] of [['exclusiveMinimum', 'minimum'], ['exclusiveMaximum', 'maximum']] as const) {
    const value = copy[exclusive];
    if (typeof value !== 'boolean') continue;
    copy[exclusive] = value ? copy[plain] : undefined;
    if (value) copy[plain] = undefined;
  }
  return copy;
}

/** How many values a value holds. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((size, inner) => size + sizeOf(inner), 1);
}
