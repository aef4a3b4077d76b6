// `$ref` inside one schema: `#`, a JSON pointer behind it, or an anchor. Anything else is refused: nothing is ever
// fetched.

import { isObject, own, pointerTo } from './json.ts';
import { SchemaRefusal } from './schema-limits.ts';

/** A schema that a reference names, and where it stands. */
export interface Target {
  readonly schema: unknown;
  readonly pointer: string;
}

/** The schema of a name among the definitions of the whole; undefined: the reference is of another kind. */
export function definedSchema(root: unknown, reference: unknown): unknown {
  if (typeof reference !== 'string' || !/^#\/(\$defs|definitions)\/[^/~%]+$/.test(reference)) return undefined;
  const [, list, name] = reference.split('/');
  const all = isObject(root) ? own(root, list!) : undefined;
  return isObject(all) ? own(all, name!) : undefined;
}

export function resolveReference(root: unknown, reference: string, at: string): Target {
  if (reference === '#') return { schema: root, pointer: '' };
  if (!reference.startsWith('#')) throw new SchemaRefusal(at, 'a reference out of the schema');
  const target =
    reference.startsWith('#/') ? byPointer(root, reference.slice(1), at) : byAnchor(root, reference.slice(1), at);
  if (typeof target.schema !== 'boolean' && !isObject(target.schema)) {
    throw new SchemaRefusal(at, 'a reference to what is no schema');
  }
  return target;
}

function byPointer(root: unknown, fragment: string, at: string): Target {
  let schema = root;
  let pointer = '';
  for (const segment of decode(fragment, at).split('/').slice(1)) {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    if (isObject(schema) && Object.hasOwn(schema, key)) schema = schema[key];
    else if (Array.isArray(schema) && /^(0|[1-9]\d{0,5})$/.test(key)) schema = schema[Number(key)];
    else throw new SchemaRefusal(at, 'a reference to nothing');
    pointer = pointerTo(pointer, key);
  }
  return { schema, pointer };
}

function decode(fragment: string, at: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    throw new SchemaRefusal(at, 'a reference that is no URI');
  }
}

/**
 * The one object with this anchor. Only the schema's own bound says how long the search is, so anchors are looked up
 * once each.
 */
function byAnchor(root: unknown, anchor: string, at: string): Target {
  const found: Target[] = [];
  const open: Target[] = [{ schema: root, pointer: '' }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { schema, pointer } = next;
    if (typeof schema !== 'object' || schema === null) continue;
    if (isObject(schema) && own(schema, '$anchor') === anchor) found.push(next);
    for (const [key, value] of Object.entries(schema)) open.push({ schema: value, pointer: pointerTo(pointer, key) });
  }
  if (found.length !== 1) {
    throw new SchemaRefusal(at, found.length === 0 ? 'a reference to nothing' : 'an anchor that stands twice');
  }
  return found[0]!;
}
