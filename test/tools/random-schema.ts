// Seeded random schemas of arguments, with what real definitions hold, and values for them.
import type { Random } from '../random.ts';

const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'];

const NAMED: readonly object[] =
  [{ $ref: '#/$defs/k' }, { allOf: [{ $ref: '#/$defs/k' }] }, { $ref: '#/$defs/k', minLength: 1 }];

/** A schema that can be used, of a few keywords. */
export function randomSchema(random: Random): Record<string, unknown> {
  const schema = schemaAt(random, 0);
  return JSON.stringify(schema).includes('"$ref"') ? { ...schema, $defs: { k: schemaAt(random, 3) } } : schema;
}

function schemaAt(random: Random, depth: number): Record<string, unknown> {
  const notes = random.once(6)
    ? random.pick<object>([{ title: 'x' }, { default: null }, { description: 'y' }, { format: 'date' }]) : {};
  if (depth < 4 && random.once(4)) return { ...notes, ...alternatives(random, depth) };
  const type = depth === 0 ? 'object' : random.pick(TYPES);
  if (random.once(12)) {
    const rare = random.pick<object>([
      {}, { const: 'a' }, { type, not: {} }, { pattern: 'a', type: 'string' }, { enum: ['a', 1] },
      // What is named names nothing itself.
      ...(depth < 3 ? NAMED : []),
    ]);
    return { ...notes, ...rare };
  }
  const types = random.once(5) ? [type, random.pick(TYPES)] : type;
  const nullable = random.once(10) ? { nullable: random.once(2) } : {};
  return { ...notes, type: types, ...nullable, ...ofType(random, type, depth), ...bounds(random, type) };
}

function ofType(random: Random, type: string, depth: number): object {
  if (type === 'string') {
    return random.once(3) ? { enum: random.pick<unknown>([['a', 'b'], ['a', null], [null], ['a', 1]]) } : {};
  }
  if (type === 'array') return random.once(8) ? {} : { items: schemaAt(random, depth + 1) };
  if (type !== 'object' || depth > 3) return {};
  const names = ['a', 'b', 'c'].filter(() => random.once(2));
  const properties = Object.fromEntries(names.map((name) => [name, schemaAt(random, depth + 1)]));
  return {
    properties,
    ...(random.once(2) && { required: names.filter(() => random.once(2)) }),
    ...(random.once(4) && { additionalProperties: random.pick<unknown>([false, true, { type: 'string' }]) }),
  };
}

function alternatives(random: Random, depth: number): object {
  const all = Array.from({ length: 1 + random.below(3) }, () => schemaAt(random, depth + 1));
  if (random.once(2)) all.push({ type: 'null' });
  const beside = random.once(8) ? random.pick<object>([{ type: 'string' }, { enum: ['a'] }, { minLength: 1 }]) : {};
  return { [random.once(4) ? 'oneOf' : 'anyOf']: all, ...beside };
}

function bounds(random: Random, type: string): object {
  if (!random.once(6)) return {};
  const of = (name: string): object => ({ [`${random.pick(['min', 'max'])}${name}`]: random.below(3) });
  const small = type === 'string' ? of('Length') : type === 'array' ? of('Items') : of('imum');
  return random.once(4) ? { ...small, ...of('imum') } : small;
}

/** A value that is likely to fit, with its members in any order. */
export function randomValue(random: Random, schema: unknown, depth = 0): unknown {
  if (depth > 6 || random.once(12) || typeof schema !== 'object' || schema === null) {
    return random.pick<unknown>(['a', 'b', '', 'é', 0, 1, 2, 3, -1, 1.5, 1e300, true, null, [], {}, [1], { a: 1 }]);
  }
  const { anyOf, oneOf, type, properties, items, enum: members } = schema as Record<string, unknown>;
  const inner = anyOf ?? oneOf;
  if (Array.isArray(inner)) return randomValue(random, random.pick(inner), depth + 1);
  if (Array.isArray(members)) return random.pick([...members as unknown[], 'z']);
  switch (Array.isArray(type) ? random.pick(type) : type) {
    case 'string': return random.pick(['a', 'b', '', 'abc', 'é', '"\\', 'aaaa']);
    case 'number': return random.pick([0, 1, 2, 3, -1, 1.5, 2.5, 1e30]);
    case 'integer': return random.pick([0, 1, 2, 3, -1, 10, 1.5]);
    case 'boolean': return random.once(2);
    case 'null': return null;
    case 'array': return Array.from({ length: random.below(4) }, () => randomValue(random, items, depth + 1));
    case 'object': {
      const entries = Object.entries((properties ?? {}) as object).filter(() => !random.once(4));
      if (random.once(9)) entries.push(['d', {}]);
      return Object.fromEntries(entries.map(([name, one]) => [name, randomValue(random, one, depth + 1)]));
    }
    default: return random.pick<unknown>(['a', 1, null]);
  }
}
