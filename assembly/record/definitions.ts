// Tables of flat definitions, straight from the bytes of a list of tools: what they are called, and the schemas of
// their arguments (schema.ts). Names and values stay where they stand.
//
// A table says yes only to what the library would accept, too. A schema with other keywords is for the host to decide
// about (T_ASK). Whether every notation can write the definitions is known of flat ones, and of others in which nothing
// is odd (`isGood`); whether all of their schemas can be used (`isSure`), where keywords without a table are such as
// check nothing, or bounds. Escapes in names, odd names, what is very large and what is no JSON give no table: a list
// that has one need not be read again.
//
//   table      number of tools, whether some schema may be none that can be used, whether declare.ts can write it,
//              whether it is flat; then for each: name, its length, node of its arguments

import { isSame } from '../same';
import * as K from './keys';
import { after, firstItem, firstKey, isKey, isLongKey, nextItem, nextKey } from './members';
import {
  ask, askUnlessFlat, at, beginNodes, canDeclare, isFlat, isGood, isName, isSure, isUsable, markNotDeclared,
  markNotFlat, markNotGood, markUnusable, MOST_DEPTH, newNode, pass, passOther, passText, readKey, readNode, T_ASK,
  T_OBJECT,
} from './schema';
import { OPEN_OBJECT, QUOTE } from './text';

export const TOOLS_AT: usize = 16;
export const TOOL_BYTES: usize = 16;
const MOST_TOOLS: u32 = 128;
/** Bytes of a list; of one whose text is sure not to be too long, whatever stands in it. */
const MOST_BYTES: usize = 128 * 1024;
const MOST_GOOD: usize = 32 * 1024;

/** `"custom"` */
const CUSTOM: u64 = 0x226d6f7473756322;

/** Containers that a list with a table has in one another: tools, functions, and two for each schema. */
const MOST_SHAPE: i32 = 4 + 2 * (MOST_DEPTH + 1);

/** Where the last table ends, and the list that it was made of. */
export let compiledTo: usize = 0;
export let listTo: usize = 0;
/** Some definition is as Anthropic has them. */
export let hasInput: bool = false;

// Members of what names a function.
const HAS_NAME: u32 = 1;
const HAS_TEXT: u32 = 2;
const HAS_SCHEMA: u32 = 4;
/** The last one that was read; 0: it is none of them. */
let member: u32 = 0;

/** A member of what names a function, at its value, for the tool at `tool`. */
function readMember(p: usize, tool: usize, isSchema: bool): usize {
  member = 0;
  if (isKey(4, K.NAME)) {
    member = HAS_NAME;
    const from = p + 1;
    const isText = load<u8>(p) == QUOTE;
    p = pass(p);
    if (!isText || p == 0 || !isName(from, p - 1)) markUnusable();
    store<u32>(tool, <u32>from);
    store<u32>(tool, <u32>(p - 1 - from), 4);
    return p;
  }
  if (isLongKey(11, K.DESCRIPT, K.DESCRIPT_END)) {
    member = HAS_TEXT;
    return passText(p);
  }
  if (!isSchema) return passOther(p);
  member = HAS_SCHEMA;
  store<u32>(tool, <u32>at, 8);
  const node = at;
  p = readNode(p, 0);
  // Only an object has fields; what names no type, or none that is known, is declared as `any`.
  const types = load<u32>(node) & ~T_ASK;
  if (isUsable && types != T_OBJECT) {
    ask(node);
    if (types == 0) markNotDeclared();
    else markNotGood();
  }
  return p;
}

/** The object at p that names a function, for the tool at `tool`. */
function readFunction(p: usize, tool: usize): usize {
  let has: u32 = 0;
  p = firstKey(p);
  while (p != 0) {
    p = readKey(p);
    if (p == 0) return 0;
    p = readMember(p, tool, isLongKey(10, K.PARAMETE, K.PARAMETE_END));
    if ((has & member) != 0) markUnusable();
    has |= member;
    if (!isUsable) return p;
    p = nextKey(p);
  }
  if ((has & HAS_NAME) == 0) markUnusable();
  if ((has & HAS_SCHEMA) == 0) takeNone(tool);
  return after;
}

/** The tool at `tool` takes no arguments, which is declared in a way of its own. */
function takeNone(tool: usize): void {
  markNotFlat();
  markNotDeclared();
  const node = newNode();
  if (node == 0) return;
  store<u32>(tool, <u32>node, 8);
  store<u32>(node, T_OBJECT);
}

const HAS_TYPE: u32 = 8;
const HAS_FUNCTION: u32 = 16;

/** The tool at p: an object that holds a function, or is one as Responses and Anthropic have it. */
function readTool(p: usize, tool: usize): usize {
  let has: u32 = 0;
  let isFunction = false;
  let isAnthropic = false;
  p = firstKey(p);
  while (p != 0) {
    p = readKey(p);
    if (p == 0) return 0;
    let bit: u32 = 0;
    if (isKey(4, K.TYPE)) {
      bit = HAS_TYPE;
      isFunction = load<u8>(p) == QUOTE && load<u64>(p, 1) == K.FUNCTION && load<u8>(p, 9) == QUOTE;
      if (!isFunction && load<u64>(p) != CUSTOM) markUnusable();
      p = pass(p);
    } else if (isKey(8, K.FUNCTION) && load<u8>(p) == OPEN_OBJECT) {
      bit = HAS_FUNCTION;
      p = readFunction(p, tool);
    } else {
      const isInput = isLongKey(12, K.INPUT_SC, K.INPUT_SC_END);
      isAnthropic = isAnthropic || isInput;
      hasInput = hasInput || isInput;
      p = readMember(p, tool, isInput || isLongKey(10, K.PARAMETE, K.PARAMETE_END));
      bit = member;
    }
    if ((has & bit) != 0) markUnusable();
    has |= bit;
    if (!isUsable) return p;
    p = nextKey(p);
  }
  const isText = (has & HAS_TEXT) != 0;
  has &= ~HAS_TEXT;
  if (has == (HAS_TYPE | HAS_FUNCTION)) {
    if (!isFunction) markUnusable();
    // Beside a function a description is nothing.
    if (isText) markNotFlat();
    return after;
  }
  if ((has & ~HAS_TYPE) != (HAS_NAME | HAS_SCHEMA) || isFunction == isAnthropic) markUnusable();
  return after;
}

/**
 * The table of the list at p, in [into, to): its address; 0: there is none. `most`: containers that the list may have
 * in one another.
 */
export function compile(p: usize, into: usize, to: usize, most: i32): usize {
  hasInput = false;
  beginNodes(into + TOOLS_AT + <usize>MOST_TOOLS * TOOL_BYTES, to, most - MOST_SHAPE);
  if (at > to) return 0;
  const from = p;
  let count: u32 = 0;
  for (p = firstItem(p); p != 0; p = nextItem(p)) {
    if (load<u8>(p) != OPEN_OBJECT || count == MOST_TOOLS) return 0;
    const tool = into + TOOLS_AT + <usize>count * TOOL_BYTES;
    p = readTool(p, tool);
    if (!isUsable || p == 0) return 0;
    for (let i: u32 = 0; i < count; i++) {
      const other = into + TOOLS_AT + <usize>i * TOOL_BYTES;
      const length = <usize>load<u32>(tool, 4);
      if (<usize>load<u32>(other, 4) == length && isSame(load<u32>(other), load<u32>(tool), length)) return 0;
    }
    count++;
  }
  const length = after - from;
  if (after == 0 || count == 0 || length > MOST_BYTES) return 0;
  store<u32>(into, count);
  if (length > MOST_GOOD) askUnlessFlat();
  store<u32>(into, isSure ? 0 : 1, 4);
  store<u32>(into, isFlat || (isGood && canDeclare) ? 1 : 0, 8);
  store<u32>(into, isFlat ? 1 : 0, 12);
  compiledTo = at;
  listTo = after;
  return into;
}
