// Definitions as the text that declares them in a developer's message: bytes to bytes, where every record brings its
// own. What the text does not say, such as bounds, is passed over.
//
//   // The weather of a city          description
//   type weather = (_: {              name
//   // Its name                       description of a property
//   city: string,
//   unit?: "c" | "f", // default: c   not required, an enumeration, a default
//   }) => any;
//
// The simple version reads the list, and writes what it says (src/tools/write-declarations.ts, write-harmony.ts). Here
// names and comments are copied from the list; its table (definitions.ts) tells types and what is required. Whether the
// text gives back all that stands in the list is known where nothing in it is rare.

import { copy } from '../text-line';
import { copyInside } from '../text-string';
import { shortEnd } from './arguments';
import { TOOL_BYTES, TOOLS_AT } from './definitions';
import * as K from './keys';
import { firstKey, isKey, isLongKey, keyFrom, keyTo, memberValue, nextKey, pass } from './members';
import { T_ARRAY, T_ASK, T_BOOLEAN, T_INTEGER, T_NUMBER, T_OBJECT, T_STRING } from './schema';
import {
  BACKSLASH, clearSeen, CLOSE_LIST, CLOSE_OBJECT, COMMA, longEnd, OPEN_LIST, OPEN_OBJECT, QUOTE, scalarEnd, seen,
  SEEN_CODE, SEEN_ESCAPE, skipBlanks,
} from './text';
import { entryFrom, tableOf } from './tools';

// # Tools\n\n## functions\n\nnamespace functions {\n\n
// @ts-ignore: decorator
@lazy const HEAD: usize = memory.data<u8>([
  35, 32, 84, 111, 111, 108, 115, 92, 110, 92, 110, 35, 35, 32, 102, 117,
  110, 99, 116, 105, 111, 110, 115, 92, 110, 92, 110, 110, 97, 109, 101, 115,
  112, 97, 99, 101, 32, 102, 117, 110, 99, 116, 105, 111, 110, 115, 32, 123,
  92, 110, 92, 110, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
], 16);
// \n\n} // namespace functions
// @ts-ignore: decorator
@lazy const TAIL: usize = memory.data<u8>([
  92, 110, 92, 110, 125, 32, 47, 47, 32, 110, 97, 109, 101, 115, 112, 97,
  99, 101, 32, 102, 117, 110, 99, 116, 105, 111, 110, 115, 0, 0, 0, 0,
], 16);
/** Bytes that are written without a look at what room there is: names, types and signs of a field, its indent. */
const ROOM: usize = 512;
/** By so much the fields of a field that is an object are further in. */
const INDENT: u32 = 4;

// What is written between names and comments, each in a word; a blank is shown as `_`.
const TYPE_OF: u64 = 0x2065707974; // type_
const IS_FUNCTION: u64 = 0x203a5f28203d20; // _= (_:_
const GIVES: u64 = 0x203e3d2029; // )_=>_
const COMMENT: u64 = 0x202f2f; // //_
const BARE_COMMENT: u64 = 0x2f2f; // //
const IS: u64 = 0x203a; // :_
const MAY_BE: u64 = 0x203a3f; // ?:_
const STRING: u64 = 0x676e69727473; // string
const NUMBER: u64 = 0x7265626d756e; // number
const BOOLEAN: u64 = 0x6e61656c6f6f62; // boolean
const ANY: u64 = 0x796e61; // any
const ARRAY_OF: u64 = 0x3c7961727241; // Array<
const OR: u64 = 0x207c20; // _|_
const ITEMS_OF: u64 = 0x5d5b; // []
const ESCAPED_QUOTE: u64 = 0x225c; // \"
const LINE_END: u64 = 0x6e5c; // \n

let limit: usize = 0;
let isWhole: bool = false;

/** Whether the text of the last list gives back all that stands there; false: nobody knows. */
export function declaresAll(): bool { return isWhole; }

/** Up to eight bytes. */
// @ts-ignore: decorator
@inline
function word(q: usize, text: u64, length: usize): usize {
  store<u64>(q, text);
  return q + length;
}

function blanks(q: usize, count: u32): usize {
  for (let left = <i32>count; left > 0; left -= 8) store<u64>(q + <usize>(<i32>count - left), 0x2020202020202020);
  return q + <usize>count;
}

// @ts-ignore: decorator
@inline
function newline(q: usize): usize { return word(q, LINE_END, 2); }

/** Where the text begins that was written last. */
export function declaredFrom(): usize { return declaredAt; }
let declaredAt: usize = 0;

/**
 * Writes the text that declares the definitions of an entry into [q, to), `isPlain`: as it is, else as the inside of a
 * JSON string. Answers its end; 0: it is for the host, or has no room.
 */
export function declareTools(entry: u32, q: usize, to: usize, isPlain: bool): usize {
  declaredAt = q;
  const end = putTools(entry, q, to);
  if (end == 0 || !isPlain) return end;
  declaredAt = end + ROOM;
  return declaredAt + (end - q) + ROOM > to ? 0 : copyInside(q, end, declaredAt);
}

function putTools(entry: u32, q: usize, to: usize): usize {
  let p = entryFrom(entry);
  const table = tableOf(entry);
  if (table == 0 || load<u32>(table, 8) == 0 || load<u8>(p) != OPEN_LIST) return 0;
  limit = to;
  isWhole = load<u32>(table, 12) != 0;
  if (q + ROOM > limit) return 0;
  q = copy(q, HEAD, HEAD + 52);
  p = skipBlanks(p + 1);
  for (let tool = table + TOOLS_AT; ; tool += TOOL_BYTES) {
    q = putTool(q, p, load<u32>(tool, 8));
    if (q == 0 || q + ROOM > limit) return 0;
    p = skipBlanks(pass(p));
    if (load<u8>(p) != COMMA) break;
    p = skipBlanks(p + 1);
    q = newline(newline(q));
  }
  return copy(q, TAIL, TAIL + 28);
}

/** What holds the name of the tool at p: the object `function`; 0: it has none. */
function functionOf(p: usize): usize {
  for (let key = firstKey(p); key != 0; key = nextKey(key)) {
    const value = memberValue(key);
    if (isKey(8, K.FUNCTION) && load<u8>(value) == OPEN_OBJECT) return value;
    key = pass(value);
  }
  return 0;
}

/** Members of what names a function, or of a schema: addresses of their values; 0: they are not there. */
let name: usize = 0;
let title: usize = 0;
let description: usize = 0;
let parameters: usize = 0;
let properties: usize = 0;
let required: usize = 0;
let items: usize = 0;
let members: usize = 0;
let fallback: usize = 0;

function readMembers(p: usize): void {
  name = title = description = parameters = properties = required = items = members = fallback = 0;
  for (let key = firstKey(p); key != 0; key = nextKey(key)) {
    const value = memberValue(key);
    if (isKey(4, K.NAME)) name = value;
    else if (isKey(4, K.ENUM)) members = value;
    else if (isKey(7, K.DEFAULT)) fallback = value;
    else if (isKey(5, K.TITLE)) title = value;
    else if (isKey(5, K.ITEMS)) items = value;
    else if (isKey(8, K.REQUIRED)) required = value;
    else if (isLongKey(10, K.PROPERTI, K.PROPERTI_END)) properties = value;
    else if (isLongKey(10, K.PARAMETE, K.PARAMETE_END)) parameters = value;
    else if (isLongKey(11, K.DESCRIPT, K.DESCRIPT_END)) description = value;
    key = pass(value);
  }
}

/** The declaration of the tool at p; `node`: the schema of its arguments. */
function putTool(q: usize, p: usize, node: usize): usize {
  const at = functionOf(p);
  if (at == 0) return 0;
  readMembers(at);
  const nameFrom = name + 1;
  const schema = parameters;
  if (description != 0) {
    q = putComment(q, description, 0);
    if (q == 0) return 0;
  }
  q = word(q, TYPE_OF, 5);
  q = copy(q, nameFrom, longEnd(nameFrom));
  q = word(q, IS_FUNCTION, 7);
  readMembers(schema);
  // What they are called is not said.
  if (title != 0) isWhole = false;
  q = putType(q, schema, node, 0);
  return q == 0 ? 0 : word(word(word(q, GIVES, 5), ANY, 3), 0x3b, 1);
}

/** The lines of a comment, of the string at p. */
function putComment(q: usize, p: usize, indent: u32): usize {
  const from = p + 1;
  if (load<u8>(p) != QUOTE) return 0;
  clearSeen();
  const to = longEnd(from);
  if (to == from || q + (to - from) + ROOM > limit) return 0;
  q = word(blanks(q, indent), COMMENT, 3);
  if ((seen & SEEN_ESCAPE) == 0) return newline(copy(q, from, to));
  if ((seen & SEEN_CODE) != 0) return 0;
  for (p = from; p < to; p++) {
    const byte = <u32>load<u8>(p);
    store<u8>(q++, byte);
    if (byte != BACKSLASH) continue;
    const letter = <u32>load<u8>(++p);
    store<u8>(q++, letter);
    if (letter == 0x6e) {
      // Lines may be examples, or a title. A line end at the end makes no line.
      isWhole = false;
      if (p + 1 == to || q + (to - p) + ROOM > limit) return 0;
      q = word(blanks(q, indent), COMMENT, 3);
    } else if (letter == 0x72) return 0;
  }
  return newline(q);
}

/** The type that the schema at p is, whose table is `node`. */
function putType(q: usize, p: usize, node: usize, indent: u32): usize {
  const types = load<u32>(node) & ~T_ASK;
  if (types == T_STRING) return putMembers(q, node);
  if (types == T_BOOLEAN) return word(q, BOOLEAN, 7);
  if (types == T_NUMBER) return word(q, NUMBER, 6);
  if (types == T_OBJECT) return putObject(q, p, node, indent);
  if (types == T_ARRAY) {
    const inner = <usize>load<u32>(node, 20);
    if (inner == 0) return word(word(word(q, ARRAY_OF, 6), ANY, 3), 0x3e, 1);
    readMembers(p);
    const item = items;
    readMembers(item);
    // In an array of arrays of an enumeration the brackets belong to its last member.
    if (title != 0 || description != 0 || load<u32>(inner) == T_ARRAY) isWhole = false;
    q = putType(q, item, inner, indent);
    return q == 0 ? 0 : word(q, ITEMS_OF, 2);
  }
  isWhole = false;
  return types == T_INTEGER ? word(q, NUMBER, 6) : word(q, ANY, 3);
}

/** A string, or the members of an enumeration. */
function putMembers(q: usize, node: usize): usize {
  let value = <usize>load<u32>(node, 4);
  const count = load<u32>(node, 8);
  if (count == 0) return word(q, STRING, 6);
  for (let i: u32 = 0; i < count; i++, value += 8) {
    const length = <usize>load<u32>(value, 4);
    if (q + length + ROOM > limit) return 0;
    if (i != 0) q = word(q, OR, 3);
    q = copy(word(q, ESCAPED_QUOTE, 2), load<u32>(value), load<u32>(value) + length);
    q = word(q, ESCAPED_QUOTE, 2);
  }
  return q;
}

function putObject(q: usize, p: usize, node: usize, indent: u32): usize {
  readMembers(p);
  const fields = properties;
  if (required != 0 && countItems(required) != <u32>popcnt<u64>(load<u64>(node, 24))) isWhole = false;
  if (description != 0) {
    q = putComment(q, description, indent);
    if (q == 0) return 0;
  }
  q = newline(word(q, OPEN_OBJECT, 1));
  let bit: u64 = 1;
  let property = <usize>load<u32>(node, 12);
  if (fields != 0) {
    for (let key = firstKey(fields); key != 0; key = nextKey(key)) {
      const value = memberValue(key);
      // Numbers as keys come first.
      if (<u32>load<u8>(keyFrom) - 0x30 < 10) return 0;
      const isRequired = (load<u64>(node, 24) & bit) != 0;
      q = putField(q, keyFrom, keyTo, value, isRequired, load<u32>(property, 8), indent);
      if (q == 0 || q + ROOM > limit) return 0;
      bit <<= 1;
      property = load<u32>(property, 12);
      key = pass(value);
    }
  }
  return word(blanks(q, indent), CLOSE_OBJECT, 1);
}

function putField(
  q: usize, from: usize, to: usize, schema: usize, isRequired: bool, node: usize, indent: u32,
): usize {
  readMembers(schema);
  const told = description;
  const given = fallback;
  const isMember = members != 0 && load<u8>(members) == OPEN_LIST && load<u8>(skipBlanks(members + 1)) != CLOSE_LIST;
  if (title != 0) {
    q = putComment(q, title, indent);
    if (q == 0) return 0;
    q = newline(word(blanks(q, indent), BARE_COMMENT, 2));
  }
  if (told != 0) {
    q = putComment(q, told, indent);
    if (q == 0) return 0;
  }
  q = copy(blanks(q, indent), from, to);
  q = isRequired ? word(q, IS, 2) : word(q, MAY_BE, 3);
  q = putType(q, schema, node, indent + INDENT);
  if (q == 0) return 0;
  q = word(q, COMMA, 1);
  if (given != 0) q = putDefault(q, given, isMember);
  return q == 0 ? 0 : newline(q);
}

/** `0.0000`: smaller numbers may be written with an exponent. */
const SMALL: u64 = 0x303030302e30;
const M6: u64 = 0xffffffffffff;

/** The comment that tells the default at p, a text or a word; `isMember`: of an enumeration, without quotes. */
function putDefault(q: usize, p: usize, isMember: bool): usize {
  isWhole = false;
  q = word(word(word(word(q, 0x20, 1), COMMENT, 3), K.DEFAULT, 7), IS, 2);
  if (load<u8>(p) == QUOTE) {
    clearSeen();
    const to = longEnd(p + 1);
    if (seen != 0 || q + (to - p) + ROOM > limit) return 0;
    if (!isMember) return word(copy(word(q, ESCAPED_QUOTE, 2), p + 1, to), ESCAPED_QUOTE, 2);
    return load<u8>(to - 1) == COMMA ? 0 : copy(q, p + 1, to);
  }
  if (load<u8>(p) == OPEN_LIST || load<u8>(p) == OPEN_OBJECT) return 0;
  const end = scalarEnd(p);
  if (<u32>load<u8>(p) > 0x39) return copy(q, p, end);
  const digits = load<u8>(p) == 0x2d ? p + 1 : p;
  if ((load<u64>(digits) & M6) == SMALL) return 0;
  const last = shortEnd(p, end);
  return last == 0 ? 0 : copy(q, p, last);
}

/** Items of the list of strings at p. */
function countItems(p: usize): u32 {
  let count: u32 = 0;
  p = skipBlanks(p + 1);
  while (load<u8>(p) == QUOTE) {
    count++;
    p = skipBlanks(pass(p));
    if (load<u8>(p) != COMMA) break;
    p = skipBlanks(p + 1);
  }
  return count;
}

