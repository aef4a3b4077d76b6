// How deep the validator's calls can nest for a schema: longest ways through its nodes.

import type { Edges, SchemaNode } from './schema-copy.ts';
import { SchemaRefusal } from './schema-limits.ts';

export interface SchemaDepth {
  /** Calls for one value, without those for its parts. */
  readonly perValue: number;
  /** Calls in all; Infinity when the schema describes values of any depth. */
  readonly inAll: number;
}

/**
 * The depths of a schema. One that comes back to itself without going into a part of the value is refused: it has no
 * meaning.
 */
export function depthOf(edges: ReadonlyMap<SchemaNode, Edges>): SchemaDepth {
  const perValue = longestWay(edges, (node) => node.same);
  if (perValue === Infinity) throw new SchemaRefusal('', 'a schema that refers to itself for the same value');
  return { perValue, inAll: longestWay(edges, (node) => [...node.same, ...node.part]) };
}

/**
 * Nodes on the longest way along some edges; Infinity when there is a circle. Visits each node once, without recursion.
 */
function longestWay(edges: ReadonlyMap<SchemaNode, Edges>, along: (edges: Edges) => readonly SchemaNode[]): number {
  const lengths = new Map<SchemaNode, number>();
  const entered = new Set<SchemaNode>();
  let longest = 0;
  for (const start of edges.keys()) {
    const open = [start];
    for (let node = open.at(-1); node !== undefined; node = open.at(-1)) {
      const below = along(edges.get(node)!);
      if (lengths.has(node)) {
        open.pop();
      } else if (!entered.has(node)) {
        entered.add(node);
        for (const next of below) {
          if (lengths.has(next)) continue;
          if (entered.has(next)) return Infinity;
          open.push(next);
        }
      } else {
        const length = 1 + below.reduce((most, next) => Math.max(most, lengths.get(next) ?? 0), 0);
        lengths.set(node, length);
        longest = Math.max(longest, length);
        open.pop();
      }
    }
  }
  return longest;
}
