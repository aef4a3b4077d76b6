// The arguments of a call, before they are checked: without the deadline (R-CALL), and within bounds.

import type { ToolDefinition } from '../model/data.ts';
import { isObject, own } from './json.ts';
import { type Meter, type SchemaLimits, Unchecked } from './schema-limits.ts';
import { definedSchema } from './schema-reference.ts';
import { isWellFormed } from './text.ts';

const DEADLINE = 'deadline_ms';
/** Schemas that are looked through for a property: more than any that names it. */
const MOST_LOOKS = 256;

/**
 * The arguments without `deadline_ms`, unless the definition has a property of that name. The value itself stays as it
 * is.
 */
export function argumentsForCheck(value: unknown, definition: ToolDefinition): unknown {
  if (!isObject(value) || !Object.hasOwn(value, DEADLINE)) return value;
  if (namesProperty(definition.parameters, DEADLINE)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== DEADLINE));
}

/** In the schema's own properties, or those of the schemas it is made of. */
export function namesProperty(schema: unknown, name: string): boolean {
  const open = [schema];
  for (let looks = 0; looks < MOST_LOOKS && open.length > 0; looks++) {
    const next = open.pop();
    if (!isObject(next)) continue;
    const properties = own(next, 'properties');
    if (isObject(properties) && Object.hasOwn(properties, name)) return true;
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
      const parts = own(next, keyword);
      if (Array.isArray(parts)) open.push(...(parts.slice(0, MOST_LOOKS) as unknown[]));
    }
    open.push(definedSchema(schema, own(next, '$ref')));
  }
  return false;
}

/** What is known of the arguments before they are checked. */
export interface Survey {
  readonly depth: number;
  /** Most properties of one object, and the longest name. */
  readonly breadth: number;
  readonly nameLength: number;
  /** All strings and all names; empty unless wanted. */
  readonly strings: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

/** Measures the arguments, without recursion. Throws `Unchecked` when they are beyond a bound, or no JSON. */
export function survey(value: unknown, limits: SchemaLimits, meter: Meter, wantsText: boolean): Survey {
  const strings = new Set<string>();
  const names = new Set<string>();
  const order: Visit[] = [{ value, depth: 0, parent: null, cost: 1 }];
  let [deepest, breadth, nameLength, longest] = [0, 0, 0, 0];
  for (let at = 0; at < order.length; at++) {
    const visit = order[at]!;
    deepest = Math.max(deepest, visit.depth);
    const children = childrenOf(visit.value, limits);
    if (typeof visit.value === 'string') {
      longest = Math.max(longest, visit.value.length);
      visit.cost += visit.value.length / 64;
      if (wantsText) strings.add(visit.value);
    } else if (isObject(visit.value)) {
      breadth = Math.max(breadth, children.length);
      for (const name of Object.keys(visit.value)) {
        if (name.length > limits.nameLength || !isWellFormed(name)) throw new Unchecked();
        nameLength = Math.max(nameLength, name.length);
        if (wantsText) names.add(name);
      }
    }
    if (order.length + children.length > limits.values) throw new Unchecked();
    for (const child of children) order.push({ value: child, depth: visit.depth + 1, parent: visit, cost: 1 });
  }
  meter.longest = longest / 256;
  meter.unique = costOfComparing(order) / 256;
  return { depth: deepest, breadth, nameLength, strings, names };
}

interface Visit {
  readonly value: unknown;
  readonly depth: number;
  readonly parent: Visit | null;
  /** Of the value and, in the end, of all its parts. */
  cost: number;
}

function childrenOf(value: unknown, limits: SchemaLimits): readonly unknown[] {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return [];
  if (typeof value !== 'object') throw new Unchecked();
  const children: unknown[] = Array.isArray(value) ? value : Object.values(value);
  if (children.length > (Array.isArray(value) ? limits.values : limits.breadth)) throw new Unchecked();
  return children;
}

/**
 * Most that comparing every item of an array with every other one costs. Parts stand behind their wholes in the list.
 */
function costOfComparing(order: readonly Visit[]): number {
  let most = 0;
  for (let at = order.length - 1; at >= 0; at--) {
    const { value, parent, cost } = order[at]!;
    if (Array.isArray(value)) most = Math.max(most, value.length * cost);
    if (parent) parent.cost += cost;
  }
  return most;
}
