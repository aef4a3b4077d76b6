// Definitions that are written as text, between `<tools>` and `</tools>` in what a system says (R-HERMES).

import { ENTRY_SHIFT, TOOLS, TOOLS_MASK, TOOLS_NONE, TOOLS_SHIFT } from '../../src/abi';
import { findPair } from '../pair';
import { hasWrittenTools, loseFields, markElsewhere, markOdd, markWrittenTools, toolsRow } from './state';
import { BACKSLASH, OPEN_LIST, OPEN_OBJECT } from './text';
import { toolsEntry, toolsStatus, writtenTools } from './tools';
import { behindBlanks, CLOSE_TOOLS, find, OPEN_TOOLS, TOOLS_TAG } from './written';

const LESS: i32 = 0x3c;

/** Tags between which no list is. */
const MOST_MISSES: i32 = 60;

/** What `takeTools` found. */
export const NO_TOOLS: i32 = 0;
export const TOOLS_AND_TEXT: i32 = 1;
export const ONLY_TOOLS: i32 = 2;

/**
 * Makes the list in a content [from, to), the inside of a string, the tools of the record. Whether it is one for
 * certain is found out as of others. More than one, or one beside those of the record, is for the host.
 */
export function takeTools(from: usize, to: usize): i32 {
  let list: usize = 0;
  let listTo: usize = 0;
  let misses = 0;
  // `<\/tools>` closes, too.
  if (findPair(from, to, LESS, BACKSLASH) != 0) markOdd();
  for (let at = find(from, to, OPEN_TOOLS, TOOLS_TAG); at != 0; at = find(at + 1, to, OPEN_TOOLS, TOOLS_TAG)) {
    const close = find(at + TOOLS_TAG, to, CLOSE_TOOLS, TOOLS_TAG + 1);
    if (close == 0) break;
    const byte = <u32>load<u8>(behindBlanks(at + TOOLS_TAG));
    if (byte != OPEN_OBJECT && byte != OPEN_LIST) {
      if (++misses > MOST_MISSES) markOdd();
      continue;
    }
    if (list != 0) markOdd();
    list = at;
    listTo = close + TOOLS_TAG + 1;
  }
  if (list == 0) return NO_TOOLS;
  const isTwice = hasWrittenTools || ((load<u32>(toolsRow) >> TOOLS_SHIFT) & TOOLS_MASK) != TOOLS_NONE;
  if (isTwice) markOdd();
  markWrittenTools();
  markElsewhere();
  loseFields(1);
  writtenTools(list, listTo);
  store<u32>(toolsRow, TOOLS | (toolsStatus << TOOLS_SHIFT) | (toolsEntry << ENTRY_SHIFT));
  store<u32>(toolsRow, <u32>(list + TOOLS_TAG), 4);
  store<u32>(toolsRow, <u32>(listTo - TOOLS_TAG - 1), 8);
  // A newline before the list belongs to it: `\n`, or `\r\n`.
  const before = list - from;
  const isFirst = before == 0 || (before == 2 && load<u16>(from) == 0x6e5c)
    || (before == 4 && load<u32>(from) == 0x6e5c725c);
  return isFirst && listTo == to ? ONLY_TOOLS : TOOLS_AND_TEXT;
}
