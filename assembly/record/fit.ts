// Arguments of a call, looked at by a table (definitions.ts): whether they are JSON that fits for certain.
// Whatever a table does not say for certain is left to the host, and so is what is wrong, and where.

import { isSame } from '../same';
import {
  setSpansLines, skipBlanks, QUOTE, OPEN_OBJECT, OPEN_LIST, CLOSE_OBJECT, CLOSE_LIST, COMMA, clearSeen, seen,
  stringEnd, afterKey, scalarEnd, scalarKind, SCALAR_INTEGER, SCALAR_NUMBER, SCALAR_BOOLEAN, valueEnd,
} from './text';
import { copyInside, textTo } from '../text-string';
import { TOOL_BYTES, TOOLS_AT } from './definitions';
import { T_ARRAY, T_ASK, T_BOOLEAN, T_INTEGER, T_NULL, T_NUMBER, T_OBJECT, T_STRING } from './schema';

/** Containers in one another. */
const DEPTH: i32 = 64;
/** Of an integer, its sign among them. */
const MOST_DIGITS: usize = 300;
/** Items of a list. */
const MOST_ITEMS: i32 = 1000;

/** Room for a text that is taken out of its escapes. */
export function scratchAt(): usize { return scratch; }
let scratch: usize = 0;
let scratchEnd: usize = 0;
export function placeScratch(from: usize, to: usize): void {
  scratch = from;
  scratchEnd = to;
}

/**
 * The text that [from, to) is, the inside of a string or a part of it: its address; it goes up to `textTo`, where a NUL
 * ends it, as line feeds are white space there. 0: there is no room for it.
 */
export function decoded(from: usize, to: usize): usize {
  if (to - from + 128 > scratchEnd - scratch) return 0;
  if (copyInside(from, to, scratch) == 0) return 0;
  store<u8>(textTo, 0);
  return scratch;
}

/** The node of the tool of this name; 0: there is none. */
export function nodeOf(definitions: usize, name: usize, length: usize): usize {
  const count = load<u32>(definitions);
  let tool = definitions + TOOLS_AT;
  for (let i: u32 = 0; i < count; i++) {
    if (<usize>load<u32>(tool, 4) == length && isSame(load<u32>(tool), name, length)) return load<u32>(tool, 8);
    tool += TOOL_BYTES;
  }
  return 0;
}

/**
 * Whether the arguments are JSON, and fit `node` (0: any will do). `escaped`: the text [from, to) is the inside of a
 * string that holds escapes; `isValue`: it is the value itself. False: nobody knows.
 */
export function fits(from: usize, to: usize, escaped: bool, isValue: bool, node: usize): bool {
  if (isValue) return (node == 0 ? valueEnd(from, DEPTH) : valueFits(from, node, DEPTH)) == to;
  let p = from;
  let end = to;
  if (escaped) {
    p = decoded(from, to);
    if (p == 0) return false;
    end = textTo;
  }
  // Without escapes a quote ends the text.
  return node == 0 ? isValueText(p, end, escaped) : textFits(p, end, node, escaped);
}

/**
 * Whether [p, end) is JSON that fits; a byte follows that no JSON goes on with. `spansLines`: line feeds are white
 * space.
 */
export function textFits(p: usize, end: usize, node: usize, spansLines: bool): bool {
  setSpansLines(spansLines);
  p = skipBlanks(p);
  p = p < end ? valueFits(p, node, DEPTH) : 0;
  if (p != 0) p = skipBlanks(p);
  setSpansLines(false);
  return p == end;
}

/** The same, for any value. */
function isValueText(p: usize, end: usize, spansLines: bool): bool {
  setSpansLines(spansLines);
  p = skipBlanks(p);
  p = p < end ? valueEnd(p, DEPTH) : 0;
  if (p != 0) p = skipBlanks(p);
  setSpansLines(false);
  return p == end;
}

/**
 * Whether `tool_call` or `deadline_ms` may stand in a call's body [p, end) that no definition tells of (R-CONFORM):
 * `l_ca`, `e_ms`, or an escape by number, which may be any letter.
 */
export function mayNameFields(p: usize, end: usize): bool {
  for (; p < end; p++) {
    const word = load<u32>(p);
    if (word == 0x61635f6c || word == 0x736d5f65 || (word & 0xffff) == 0x755c) return true;
  }
  return false;
}

/** Behind the value at p, when it fits; 0: nobody knows. */
function valueFits(p: usize, node: usize, depth: i32): usize {
  const types = load<u32>(node);
  if ((types & T_ASK) != 0) return 0;
  const byte = <u32>load<u8>(p);
  if (byte == QUOTE) {
    if ((types & T_STRING) == 0) return 0;
    clearSeen();
    const to = stringEnd(p + 1);
    if (to == 0) return 0;
    if (load<u32>(node, 8) != 0 && (seen != 0 || !isMember(p + 1, to, node))) return 0;
    return to + 1;
  }
  if (byte == OPEN_OBJECT) return (types & T_OBJECT) != 0 && depth > 0 ? objectFits(p, node, depth - 1) : 0;
  if (byte == OPEN_LIST) return (types & T_ARRAY) != 0 && depth > 0 ? listFits(p, load<u32>(node, 20), depth - 1) : 0;
  const from = p;
  p = scalarEnd(p);
  if (p == 0) return 0;
  // A double holds no integer of more digits.
  const isInteger = scalarKind == SCALAR_INTEGER && p - from < MOST_DIGITS;
  const isNumber = scalarKind == SCALAR_INTEGER || scalarKind == SCALAR_NUMBER;
  const type = isInteger ? T_INTEGER | T_NUMBER : isNumber ? T_NUMBER
    : scalarKind == SCALAR_BOOLEAN ? T_BOOLEAN : T_NULL;
  return (types & type) != 0 ? p : 0;
}

/** Whether a string is one of the enumeration. */
function isMember(from: usize, to: usize, node: usize): bool {
  const length = to - from;
  let value = <usize>load<u32>(node, 4);
  for (let count = load<u32>(node, 8); count != 0; count--) {
    if (<usize>load<u32>(value, 4) == length && isSame(load<u32>(value), from, length)) return true;
    value += 8;
  }
  return false;
}

function objectFits(p: usize, node: usize, depth: i32): usize {
  const first = <usize>load<u32>(node, 12);
  const count = load<u32>(node, 16);
  const required = load<u64>(node, 24);
  let met: u64 = 0;
  // Most arguments stand in the order of the definition: the next property is looked at first.
  let next = first;
  let bit: u64 = 1;
  p = skipBlanks(p + 1);
  if (load<u8>(p) == CLOSE_OBJECT) return required == 0 ? p + 1 : 0;
  while (true) {
    if (load<u8>(p) != QUOTE) return 0;
    const key = p + 1;
    clearSeen();
    p = stringEnd(key);
    if (p == 0 || seen != 0) return 0;
    const length = p - key;
    let tries = count;
    while (tries != 0 && (<usize>load<u32>(next, 4) != length || !isSame(load<u32>(next), key, length))) {
      next = load<u32>(next, 12);
      bit <<= 1;
      if (next == 0) {
        next = first;
        bit = 1;
      }
      tries--;
    }
    // One that is not named, or stands twice, is for the host.
    if (tries == 0 || (met & bit) != 0) return 0;
    met |= bit;
    p = afterKey(p);
    if (p == 0) return 0;
    p = valueFits(p, load<u32>(next, 8), depth);
    if (p == 0) return 0;
    p = skipBlanks(p);
    const byte = <u32>load<u8>(p);
    if (byte == CLOSE_OBJECT) return (required & ~met) == 0 ? p + 1 : 0;
    if (byte != COMMA) return 0;
    p = skipBlanks(p + 1);
  }
}

function listFits(p: usize, items: usize, depth: i32): usize {
  p = skipBlanks(p + 1);
  if (load<u8>(p) == CLOSE_LIST) return p + 1;
  for (let count = 0; count < MOST_ITEMS; count++) {
    p = valueFits(p, items, depth);
    if (p == 0) return 0;
    p = skipBlanks(p);
    const byte = <u32>load<u8>(p);
    if (byte == CLOSE_LIST) return p + 1;
    if (byte != COMMA) return 0;
    p = skipBlanks(p + 1);
  }
  return 0;
}
