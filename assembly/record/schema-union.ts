// Types of schemas, and schemas that take values of several types: lists of types, and alternatives (anyOf, oneOf), of
// which "this, or null" is the usual one. A node has room for one schema of each type, so alternatives become one node
// where their types differ.
//
// A node only says yes. An alternative of anyOf that is not known, or whose type another one has, is left out of it:
// values of its type are for the host. Of oneOf all must be known, as no two may fit.

import { after, firstItem, nextItem } from './members';
import {
  ask, at, constrain, isUsable, markNotDeclared, markNotFlat, markNotGood, newNode, pass, passOther, readNode,
  T_ARRAY, T_ASK, T_BOOLEAN, T_INTEGER, T_NULL, T_NUMBER, T_OBJECT, T_STRING, T_UNION,
} from './schema';
import { OPEN_LIST, QUOTE } from './text';

/** The type in the text [p, to). */
export function typeIn(p: usize, to: usize): u32 {
  // Its first four bytes and its last four.
  const word = <u64>load<u32>(p) | (<u64>load<u32>(to - 4) << 32);
  const length = to - p;
  if (word == 0x676e697269727473 && length == 6) return T_STRING;
  if (word == 0x7265626d626d756e && length == 6) return T_NUMBER;
  if (word == 0x7265676565746e69 && length == 7) return T_INTEGER;
  if (word == 0x6e61656c6c6f6f62 && length == 7) return T_BOOLEAN;
  if (word == 0x6c6c756e6c6c756e && length == 4) return T_NULL;
  if (word == 0x7961727261727261 && length == 5) return T_ARRAY;
  return word == 0x7463656a656a626f && length == 6 ? T_OBJECT : T_ASK;
}

/** The types in the list at p, into `node`; behind it, or 0. */
export function readTypes(p: usize, node: usize): usize {
  markNotFlat();
  markNotDeclared();
  let types: u32 = 0;
  p = firstItem(p);
  if (p == 0) ask(node);
  for (; p != 0; p = nextItem(p)) {
    const from = p + 1;
    const isText = load<u8>(p) == QUOTE;
    p = isText ? pass(p) : passOther(p);
    if (p == 0) return 0;
    types |= isText ? typeIn(from, p - 1) : T_ASK;
  }
  if ((types & T_ASK) != 0) ask(node);
  else store<u32>(node, load<u32>(node) | types);
  return after;
}

/** The alternatives in the list at p, into a node at `at`; behind it, or 0. `isOne`: just one of them may fit. */
export function readAlternatives(p: usize, isOne: bool, depth: i32): usize {
  markNotFlat();
  // A oneOf is declared as its branches are.
  if (isOne) markNotGood();
  const node = newNode();
  if (node == 0) return pass(p);
  if (load<u8>(p) != OPEN_LIST) {
    ask(node);
    return passOther(p);
  }
  p = firstItem(p);
  if (p == 0) ask(node);
  let isKnown = true;
  for (; p != 0; p = nextItem(p)) {
    const one = at;
    p = readNode(p, depth);
    if (p == 0 || !isUsable) return p;
    if (!add(node, one, isOne)) isKnown = false;
  }
  if (isOne && !isKnown) constrain(node);
  return after;
}

/** Types that have the same values. */
// @ts-ignore: decorator
@inline
function kindsOf(types: u32): u32 { return (types & T_INTEGER) != 0 ? types | T_NUMBER : types; }

/** Adds an alternative to the node of all of them; false: not all of it is known there. */
function add(node: usize, one: usize, isOne: bool): bool {
  const known = load<u32>(node);
  const types = load<u32>(one);
  if ((types & T_ASK) != 0) return false;
  const twice = kindsOf(known) & kindsOf(types);
  // Of alternatives within one, some may be left out.
  if (isOne && (twice != 0 || (types & T_UNION) != 0)) return false;
  const isNew = types & ~twice;
  if ((isNew & T_STRING) != 0) {
    store<u32>(node, load<u32>(one, 4), 4);
    store<u32>(node, load<u32>(one, 8), 8);
  } else if ((twice & T_STRING) != 0) {
    // Any string, or one of those that are named by the first.
    if (load<u32>(one, 8) == 0) store<u32>(node, 0, 8);
  }
  if ((isNew & T_OBJECT) != 0) {
    store<u32>(node, load<u32>(one, 12), 12);
    store<u32>(node, load<u32>(one, 16), 16);
    store<u64>(node, load<u64>(one, 24), 24);
  }
  if ((isNew & T_ARRAY) != 0) store<u32>(node, load<u32>(one, 20), 20);
  store<u32>(node, known | types);
  return true;
}

/** Makes the node of alternatives that of the schema which has them. `isOther`: that one has other keywords, too. */
export function takeUnion(node: usize, union: usize, isOther: bool): void {
  const types = load<u32>(union);
  if (isOther || (types & T_ASK) != 0 || types == 0) {
    constrain(node);
    return;
  }
  const own = load<u32>(node);
  store<u32>(node, own | types | T_UNION);
  store<u32>(node, load<u32>(union, 4), 4);
  store<u64>(node, load<u64>(union, 8), 8);
  store<u64>(node, load<u64>(union, 16), 16);
  store<u64>(node, load<u64>(union, 24), 24);
}
