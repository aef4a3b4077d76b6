// Lists of definitions as the member of chat records of OpenAI, and as that of ShareGPT, JSON in a string: bytes to
// bytes, where every record brings definitions of its own.
//
// The simple version reads the list and writes what it says (src/tools/records.ts). Here names and descriptions are
// copied, and schemas are written as arguments are (arguments.ts), in the order of members that every writer has. What
// has other members, or may be written otherwise, is for the host.

import { escape } from '../text-escape';
import { copy } from '../text-line';
import { putArguments, putString } from './arguments';
import { scratchAt } from './fit';
import * as K from './keys';
import { firstKey, isKey, isLongKey, memberValue, nextKey, pass } from './members';
import { isName } from './schema';
import {
  clearSeen, CLOSE_LIST, CLOSE_OBJECT, COMMA, containerEnd, longEnd, OPEN_LIST, OPEN_OBJECT, QUOTE, seen, SEEN_LONE,
  skipBlanks,
} from './text';
import { entryFrom, entryLength } from './tools';
import { IN_ARGUMENTS } from './value';

// ,"tools":
// @ts-ignore: decorator
@lazy const MEMBER: usize = memory.data<u8>([
  44, 34, 116, 111, 111, 108, 115, 34, 58, 0, 0, 0, 0, 0, 0, 0,
], 16);
// {"type":"function","function":{"name":"
// @ts-ignore: decorator
@lazy const LISTED: usize = memory.data<u8>([
  123, 34, 116, 121, 112, 101, 34, 58, 34, 102, 117, 110, 99, 116, 105, 111,
  110, 34, 44, 34, 102, 117, 110, 99, 116, 105, 111, 110, 34, 58, 123, 34,
  110, 97, 109, 101, 34, 58, 34, 0, 0, 0, 0, 0, 0, 0, 0, 0,
], 16);
// ,"description":
// @ts-ignore: decorator
@lazy const DESCRIPTION: usize = memory.data<u8>([
  44, 34, 100, 101, 115, 99, 114, 105, 112, 116, 105, 111, 110, 34, 58, 0,
], 16);
// ,"parameters":
// @ts-ignore: decorator
@lazy const PARAMETERS: usize = memory.data<u8>([
  44, 34, 112, 97, 114, 97, 109, 101, 116, 101, 114, 115, 34, 58, 0, 0,
], 16);

/** What a list may take beyond its own length. */
const ROOM: usize = 256;
/** The most bytes that a byte becomes in a string: a control character. */
const LONGEST: usize = 6;
/** Tools of a list: of one that has more the host tells so. */
const MOST_TOOLS: i32 = 1024;

/** Where the member begins that was written last. */
export function listFrom(): usize { return memberAt; }
let memberAt: usize = 0;

/**
 * Writes the member that the list of an entry is, behind a comma, into [q, to), `isText`: as JSON in a string. Answers
 * its end; 0: it is for the host, or has no room.
 */
export function listTools(entry: u32, q: usize, to: usize, isText: bool): usize {
  let p = entryFrom(entry);
  const length = entryLength(entry);
  if (load<u8>(p) != OPEN_LIST || q + (isText ? LONGEST + 2 : 1) * (length + ROOM) > to) return 0;
  clearSeen();
  if (containerEnd(p, IN_ARGUMENTS) == 0 || (seen & SEEN_LONE) != 0) return 0;
  memberAt = q;
  if (!isText) q = copy(q, MEMBER, MEMBER + 9);
  store<u8>(q++, OPEN_LIST);
  p = skipBlanks(p + 1);
  for (let left = MOST_TOOLS; ; left--) {
    q = left > 0 ? putTool(q, p) : 0;
    if (q == 0) return 0;
    p = skipBlanks(pass(p));
    if (load<u8>(p) != COMMA) break;
    p = skipBlanks(p + 1);
    store<u8>(q++, COMMA);
  }
  store<u8>(q++, CLOSE_LIST);
  if (!isText) return q;
  const from = memberAt;
  memberAt = q + ROOM;
  let end = copy(memberAt, MEMBER, MEMBER + 9);
  store<u8>(end++, QUOTE);
  end = escape(from, q, end, to, true);
  store<u8>(end++, QUOTE);
  return end;
}

/** The tool at p: an object of nothing but its type and its function. */
function putTool(q: usize, p: usize): usize {
  if (load<u8>(p) != OPEN_OBJECT) return 0;
  let types = 0;
  let functions = 0;
  let at: usize = 0;
  for (let key = firstKey(p); key != 0; key = nextKey(key)) {
    const value = memberValue(key);
    if (seen != 0) return 0;
    if (isKey(4, K.TYPE) && isFunctionText(value)) types++;
    else if (isKey(8, K.FUNCTION) && load<u8>(value) == OPEN_OBJECT) {
      functions++;
      at = value;
    } else return 0;
    key = pass(value);
  }
  return types == 1 && functions == 1 ? putFunction(copy(q, LISTED, LISTED + 39), at) : 0;
}

/** Whether the value at p is `"function"`. */
function isFunctionText(p: usize): bool {
  return load<u8>(p) == QUOTE && load<u64>(p, 1) == K.FUNCTION && load<u8>(p, 9) == QUOTE;
}

/** The function at p from its name on, and the end of its tool. */
function putFunction(q: usize, p: usize): usize {
  let name: usize = 0;
  let text: usize = 0;
  let schema: usize = 0;
  let members = 0;
  for (let key = firstKey(p); key != 0; key = nextKey(key)) {
    const value = memberValue(key);
    if (seen != 0) return 0;
    const byte = <u32>load<u8>(value);
    if (isKey(4, K.NAME) && byte == QUOTE) name = value + 1;
    else if (isLongKey(11, K.DESCRIPT, K.DESCRIPT_END) && byte == QUOTE) text = value + 1;
    else if (isLongKey(10, K.PARAMETE, K.PARAMETE_END) && byte == OPEN_OBJECT) schema = value;
    else return 0;
    members++;
    key = pass(value);
  }
  // None stands there twice.
  if (name == 0 || members != 1 + <i32>(text != 0) + <i32>(schema != 0)) return 0;
  const nameTo = longEnd(name);
  if (!isName(name, nameTo)) return 0;
  q = copy(q, name, nameTo + 1);
  if (text != 0) {
    clearSeen();
    const textTo = longEnd(text);
    q = putString(copy(q, DESCRIPTION, DESCRIPTION + 15), text, textTo, scratchAt());
    if (q == 0) return 0;
  }
  if (schema != 0) {
    q = copy(q, PARAMETERS, PARAMETERS + 14);
    q = putArguments(q, schema, containerEnd(schema, IN_ARGUMENTS), scratchAt());
    if (q == 0) return 0;
  }
  store<u8>(q, CLOSE_OBJECT);
  store<u8>(q, CLOSE_OBJECT, 1);
  return q + 2;
}
