// A call that a turn of ShareGPT holds as JSON text: `{"name": …, "arguments": {…}}`, in this order.

import { BODY, ESCAPED } from '../../src/abi';
import { textTo as decodedTo } from '../text-string';
import { IN_ARGUMENTS } from './blocks';
import { decoded } from './fit';
import {
  clearSeen, CLOSE_OBJECT, COLON, COMMA, containerEnd, OPEN_OBJECT, QUOTE, seen, setSpansLines, skipBlanks, stringEnd,
} from './text';

/** Keys with their quotes. */
const NAME_6: u64 = 0x22656d616e22;
const ARGUMENT_8: u64 = 0x6e656d7567726122;

/** Whether [from, to), the inside of a string, is a call: then it is written to `call`. */
export function textCall(from: usize, to: usize, call: usize): bool {
  const text = decoded(from, to);
  if (text == 0) return false;
  setSpansLines(true);
  const isCall = readCall(text, decodedTo, from, call);
  setSpansLines(false);
  return isCall;
}

/** Behind the colon and the white space that follow a key; 0: there is none. */
function afterColon(p: usize): usize {
  p = skipBlanks(p);
  return load<u8>(p) == COLON ? skipBlanks(p + 1) : 0;
}

/** The text [p, end), which stands in a string from `raw` on. */
function readCall(p: usize, end: usize, raw: usize, call: usize): bool {
  const start = p;
  p = skipBlanks(p);
  if (load<u8>(p) != OPEN_OBJECT) return false;
  p = skipBlanks(p + 1);
  if ((load<u64>(p) & 0xffffffffffff) != NAME_6) return false;
  p = afterColon(p + 6);
  if (p == 0 || load<u8>(p) != QUOTE) return false;
  const name = p + 1;
  clearSeen();
  const nameTo = stringEnd(name);
  if (nameTo == 0 || seen != 0) return false;
  p = skipBlanks(nameTo + 1);
  if (load<u8>(p) != COMMA) return false;
  p = skipBlanks(p + 1);
  // "arguments"
  if (load<u64>(p) != ARGUMENT_8 || load<u16>(p, 8) != 0x7374 || load<u8>(p, 10) != QUOTE) return false;
  p = afterColon(p + 11);
  if (p == 0 || load<u8>(p) != OPEN_OBJECT) return false;
  const given = p;
  const givenTo = containerEnd(p, IN_ARGUMENTS);
  if (givenTo == 0) return false;
  p = skipBlanks(givenTo);
  if (load<u8>(p) != CLOSE_OBJECT || skipBlanks(p + 1) != end) return false;
  const nameRaw = raw + rawLength(start, name);
  const givenRaw = raw + rawLength(start, given);
  const length = rawLength(given, givenTo);
  store<u32>(call, <u32>nameRaw, 8);
  store<u32>(call, <u32>(nameRaw + (nameTo - name)), 12);
  store<u32>(call, <u32>givenRaw, 16);
  store<u32>(call, <u32>(givenRaw + length), 20);
  store<u32>(call, BODY | (length == givenTo - given ? 0 : ESCAPED), 24);
  return true;
}

/** Bytes that the text [p, to) has in its string, where nothing is escaped that need not be. */
function rawLength(p: usize, to: usize): usize {
  let length = to - p;
  for (; p < to; p++) {
    const byte = <u32>load<u8>(p);
    if (byte < 0x20 || byte == QUOTE || byte == 0x5c) length++;
  }
  return length;
}
