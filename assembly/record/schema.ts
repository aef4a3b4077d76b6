// One schema of a table of definitions (definitions.ts), straight from its bytes: types, properties, what is required,
// enumerations of strings, lists and objects of all this, and alternatives (schema-union.ts). Names and values stay
// where they stand.
//
// Whether a value fits a schema with other keywords is for the host to decide (T_ASK), unless these check nothing.
//
//   node       types, enumeration, its length, first property, number of properties, node of items,
//              required properties (64 bits)
//   property   name, its length, node, next property

import {
  TYPE_ARRAY, TYPE_ASK, TYPE_BOOLEAN, TYPE_INTEGER, TYPE_NULL, TYPE_NUMBER, TYPE_OBJECT, TYPE_STRING, TYPE_UNION,
} from '../../src/abi';
import { isSame } from '../same';
import * as K from './keys';
import {
  after, endAt, firstItem, firstKey, isKey, isLongKey, keyBehind, keyFrom, keyTo, nextItem, valueOfKey,
} from './members';
import { readAlternatives, readTypes, takeUnion, typeIn } from './schema-union';
import { clearSeen, longEnd, NULL_4, OPEN_LIST, OPEN_OBJECT, QUOTE, seen, SEEN_LONE, TRUE_4, valueEnd } from './text';
import { isPlain } from './value';

export const NODE_BYTES: usize = 32;
const PROPERTY_BYTES: usize = 16;
const MOST_PROPERTIES: u32 = 64;
const MOST_VALUES: u32 = 1000;
/** Schemas in one another. */
export const MOST_DEPTH: i32 = 16;
/** Bytes of a name. */
const MOST_NAME: usize = 64;

export const T_STRING: u32 = TYPE_STRING;
export const T_NUMBER: u32 = TYPE_NUMBER;
export const T_INTEGER: u32 = TYPE_INTEGER;
export const T_BOOLEAN: u32 = TYPE_BOOLEAN;
export const T_NULL: u32 = TYPE_NULL;
export const T_ARRAY: u32 = TYPE_ARRAY;
export const T_OBJECT: u32 = TYPE_OBJECT;
/** The schema says more than a table holds. */
export const T_ASK: u32 = TYPE_ASK;
/** What is known of alternatives. */
export const T_UNION: u32 = TYPE_UNION;

/** Where the next node is to stand; where all of them end. */
export let at: usize = 0;
let limit: usize = 0;
/** Of the last list: nothing but what is known here stands in it. */
export let isFlat: bool = true;
/** A table can be made of it. */
export let isUsable: bool = true;
/** The host is sure to read it, and to write it as declarations. */
export let isGood: bool = true;
/** All of its schemas are sure to be such as can be used. */
export let isSure: bool = true;
/** What declarations say of it is known here (declare.ts). */
export let canDeclare: bool = true;

/** Containers that a value may have in one another. */
let deepest: i32 = 0;

/** Nodes are to stand in [from, to), of schemas whose values have at most `most` containers in one another. */
export function beginNodes(from: usize, to: usize, most: i32): void {
  deepest = most;
  isFlat = isUsable = isGood = isSure = canDeclare = true;
  limit = to;
  at = from;
}

export function markNotFlat(): void { isFlat = false; }
export function markNotGood(): void { isFlat = isGood = false; }
export function markNotDeclared(): void { canDeclare = false; }
/** The host is asked, unless it is flat. */
export function askUnlessFlat(): void { isGood = false; }
export function markUnusable(): void { isUsable = false; }

/** Behind a value; 0: it is no JSON. */
export function pass(p: usize): usize { return valueEnd(p, deepest); }

/** From a key's quote to its value. */
export function readKey(p: usize): usize {
  p = valueOfKey(p);
  // It may be one of those that are known.
  if (seen != 0) isUsable = false;
  return p;
}

/** Whether a name may stand in every notation as it is. */
export function isName(p: usize, to: usize): bool {
  return p != to && to - p <= MOST_NAME && isPlain(p, to, 0x5f);
}

// @ts-ignore: decorator
@inline
export function ask(node: usize): void {
  isSure = false;
  constrain(node);
}

/** The same where the schema can be used for certain. */
// @ts-ignore: decorator
@inline
export function constrain(node: usize): void { store<u32>(node, load<u32>(node) | T_ASK); }

/** A text that says nothing of what fits. */
export function passText(p: usize): usize {
  if (load<u8>(p) != QUOTE) return passOther(p);
  clearSeen();
  p = longEnd(p + 1);
  if ((seen & SEEN_LONE) != 0) markNotGood();
  return p == 0 ? 0 : p + 1;
}

/** Containers in a value that is sure not to be too deep for the host. */
const SHALLOW: i32 = 8;

/** Any value, of which a table says nothing. */
export function passOther(p: usize): usize {
  isFlat = false;
  clearSeen();
  const to = pass(p);
  if (valueEnd(p, SHALLOW) == 0 || (seen & SEEN_LONE) != 0) isGood = false;
  return to;
}

/** null is a member of the last enumeration. */
let hasNull: bool = false;

/** The values of an enumeration, at its bracket. */
function readEnum(p: usize, node: usize): usize {
  if (load<u8>(p) != OPEN_LIST) {
    ask(node);
    return passOther(p);
  }
  let count: u32 = 0;
  hasNull = false;
  store<u32>(node, <u32>at, 4);
  p = firstItem(p);
  if (p == 0) ask(node);
  for (; p != 0; p = nextItem(p)) {
    const from = p + 1;
    clearSeen();
    const isText = load<u8>(p) == QUOTE;
    const isNull = load<u32>(p) == NULL_4;
    p = isText ? pass(p) : passOther(p);
    if (p == 0) return 0;
    if ((seen & SEEN_LONE) != 0) isGood = false;
    if (isNull) {
      hasNull = true;
      canDeclare = false;
    } else if (!isText || seen != 0 || count == MOST_VALUES) {
      ask(node);
      canDeclare = false;
    } else if (at + 16 > limit) isUsable = false;
    else {
      store<u32>(at, <u32>from);
      store<u32>(at, <u32>(p - 1 - from), 4);
      at += 8;
      count++;
    }
  }
  store<u32>(node, count, 8);
  at = (at + 15) & ~15;
  return after;
}

/** The properties of an object, at its brace. */
function readProperties(p: usize, node: usize, depth: i32): usize {
  if (load<u8>(p) != OPEN_OBJECT) {
    ask(node);
    markNotGood();
    return pass(p);
  }
  let count: u32 = 0;
  let before: usize = 0;
  p = firstKey(p);
  while (p != 0) {
    p = readKey(p);
    if (p == 0) return 0;
    if (at + PROPERTY_BYTES + NODE_BYTES > limit) isUsable = false;
    if (!isName(keyFrom, keyTo) || count == MOST_PROPERTIES || !isUsable) {
      ask(node);
      markNotGood();
      p = pass(p);
    } else {
      const property = at;
      at += PROPERTY_BYTES;
      store<u32>(property, <u32>keyFrom);
      store<u32>(property, <u32>(keyTo - keyFrom), 4);
      store<u32>(property, <u32>at, 8);
      store<u32>(property, 0, 12);
      if (isTwice(<usize>load<u32>(node, 12), keyFrom, keyTo - keyFrom)) {
        ask(node);
        markNotGood();
      }
      if (before == 0) store<u32>(node, <u32>property, 12);
      else store<u32>(before, <u32>property, 12);
      before = property;
      count++;
      p = readNode(p, depth);
      if (!isUsable) return 0;
    }
    p = keyBehind(p);
  }
  store<u32>(node, count, 16);
  return after;
}

function isTwice(property: usize, from: usize, length: usize): bool {
  for (; property != 0; property = load<u32>(property, 12)) {
    if (<usize>load<u32>(property, 4) == length && isSame(load<u32>(property), from, length)) return true;
  }
  return false;
}

/** Marks the properties of `node` that the list at p names, if it is one; behind it, or 0. */
function readRequired(p: usize, node: usize): usize {
  if (load<u8>(p) != OPEN_LIST) {
    ask(node);
    return passOther(p);
  }
  const first: usize = load<u32>(node, 12);
  // Most lists keep the order of the properties.
  let property = first;
  let bit: u64 = 1;
  let mask: u64 = 0;
  for (p = firstItem(p); p != 0; p = nextItem(p)) {
    const from = p + 1;
    let tries = load<u8>(p) == QUOTE ? load<u32>(node, 16) : 0;
    clearSeen();
    p = load<u8>(p) == QUOTE ? pass(p) : passOther(p);
    // It may be the name of one.
    if (seen != 0) canDeclare = false;
    if (p == 0) return 0;
    const length = p - 1 - from;
    while (tries != 0 && (<usize>load<u32>(property, 4) != length || !isSame(load<u32>(property), from, length))) {
      property = load<u32>(property, 12);
      bit <<= 1;
      tries--;
      if (property == 0) {
        property = first;
        bit = 1;
      }
    }
    if (tries == 0) ask(node);
    else mask |= bit;
  }
  store<u64>(node, mask, 24);
  return after;
}

/** An empty node at `at`; 0: there is no room. */
export function newNode(): usize {
  const node = at;
  if (at + NODE_BYTES > limit) {
    isUsable = false;
    return 0;
  }
  at += NODE_BYTES;
  // A fill of so few bytes is a call out of the module.
  store<u64>(node, 0);
  store<u64>(node, 0, 8);
  store<u64>(node, 0, 16);
  store<u64>(node, 0, 24);
  return node;
}

/** Several types. */
// @ts-ignore: decorator
@inline
function isMixed(types: u32): bool { return popcnt<u32>(types & ~(T_ASK | T_UNION)) > 1; }

/** Bits of the keywords in `readNode` beside which alternatives are not looked at. */
const STRUCTURE: u32 = 4 | 8 | 16 | 32 | 64;

/** The schema at p, into a node at `at`; behind it. */
export function readNode(p: usize, depth: i32): usize {
  const node = newNode();
  if (node == 0) return pass(p);
  if (load<u8>(p) != OPEN_OBJECT || depth == MOST_DEPTH) {
    ask(node);
    markNotGood();
    return pass(p);
  }
  let required: usize = 0;
  let union: usize = 0;
  let has: u32 = 0;
  let isNullMember = false;
  let isNullable = false;
  p = firstKey(p);
  while (p != 0) {
    p = readKey(p);
    if (p == 0) return 0;
    let bit: u32 = 0;
    if (isKey(4, K.TYPE)) {
      bit = 4;
      const from = p + 1;
      const isText = load<u8>(p) == QUOTE;
      if (load<u8>(p) == OPEN_LIST) p = readTypes(p, node);
      else {
        p = isText ? pass(p) : passOther(p);
        const type = isText && p != 0 ? typeIn(from, p - 1) : T_ASK;
        if (type == T_ASK) {
          ask(node);
          canDeclare = false;
        } else store<u32>(node, load<u32>(node) | type);
      }
    } else if (isLongKey(11, K.DESCRIPT, K.DESCRIPT_END)) {
      bit = 1;
      p = passText(p);
    } else if (isKey(5, K.TITLE)) {
      bit = 2;
      p = passText(p);
    } else if (isKey(4, K.ENUM)) {
      bit = 8;
      p = readEnum(p, node);
      isNullMember = hasNull;
    } else if (isKey(8, K.REQUIRED)) {
      bit = 16;
      if ((has & 32) != 0) p = readRequired(p, node);
      else {
        required = p;
        p = pass(p);
      }
    } else if (isLongKey(10, K.PROPERTI, K.PROPERTI_END)) {
      bit = 32;
      p = readProperties(p, node, depth + 1);
    } else if (isKey(5, K.ITEMS)) {
      bit = 64;
      store<u32>(node, <u32>at, 20);
      p = readNode(p, depth + 1);
    } else if (isKey(7, K.DEFAULT)) {
      // It says nothing of what fits; how it is written is left to the host.
      bit = 128;
      p = passOther(p);
    } else if (K.isAdditional()) {
      // Properties without a name in the table are left to the host anyway.
      bit = 256;
      if (load<u8>(p) == OPEN_OBJECT) isSure = false;
      p = passOther(p);
    } else if (isKey(6, K.FORMAT) || isKey(8, K.EXAMPLES) || isKey(8, K.NULLABLE) || isKey(7, K.SCHEMA)) {
      // Nothing is checked by them, but that null fits. Two of them are written.
      if (keyTo - keyFrom == 8) canDeclare = false;
      if (isKey(8, K.NULLABLE)) isNullable = load<u32>(p) == TRUE_4;
      p = passOther(p);
    } else if (isKey(5, K.ANY_OF) || isKey(5, K.ONE_OF)) {
      bit = 512;
      union = at;
      p = readAlternatives(p, isKey(5, K.ONE_OF), depth + 1);
    } else {
      if (K.isBound(p)) constrain(node);
      else ask(node);
      p = passOther(p);
    }
    if ((has & bit) != 0) isUsable = false;
    has |= bit;
    if (!isUsable) return p;
    p = keyBehind(p);
  }
  const to = after;
  if (to == 0) return 0;
  if (required != 0) readRequired(required, node);
  if (union != 0) takeUnion(node, union, (has & STRUCTURE) != 0);
  const types = load<u32>(node);
  // What belongs to another type is no mistake, but nobody writes it.
  if (types == 0 || ((has & 48) != 0 && (types & T_OBJECT) == 0)) constrain(node);
  if (union == 0 && ((types & T_ARRAY) != 0) != ((has & 64) != 0)) constrain(node);
  if ((has & 8) != 0) {
    const texts = load<u32>(node, 8) != 0 ? T_STRING : 0;
    // It holds for values of every type.
    if (isMixed(types)) store<u32>(node, types & (texts | (isNullMember ? T_NULL : 0) | T_ASK));
    else if (types != T_STRING || texts == 0) constrain(node);
  }
  if (isNullable && types != 0 && union == 0) store<u32>(node, load<u32>(node) | T_NULL);
  if ((load<u32>(node) & T_ASK) != 0) isFlat = false;
  endAt(to);
  return to;
}
