// Chat records as rows: lines of JSON, each an object with a list `messages` as OpenAI has it, or `conversations` as
// ShareGPT has; or in one of the other forms (other-forms.ts); or one turn by itself (entry.ts).
//
// The simple version parses the line, and takes each entry apart into the messages that it means: the reasoning, the
// content, a message for every call (src/formats/chat.ts says how). Here the same is done in one pass over the bytes.
// The members of an entry may stand in any order, and what they mean depends on the role: their spans are kept until
// the entry ends, and its rows are written then. Whatever is rare (an escaped key, a member that stands twice or is of
// an unexpected kind, names with odd characters) makes the record SLOW, and so does what is no JSON: then the record
// has no rows below, and the host reads it by itself.

import {
  CODED_TAGS, COUNTS_LOST, ENTRY_SHIFT, FORM_CONVERSATIONS, FORM_MESSAGES, FORM_OTHERS, FORM_TURNS, HAS_LOSSES,
  IS_OBJECT, IS_OTHER, LOST_SHIFT, RECORD, RECORD_CONTAINERS, RECORD_CROWD, RECORD_FURTHER, RECORD_ID, RECORD_SHIFT,
  RENAMED_SHIFT, ROW_BYTES, SLOW, TOOLS, TOOLS_NONE, TOOLS_SHIFT,
} from '../../src/abi';
import { isSame } from '../same';
import { isUtf8 } from '../text-utf8';
import { entries } from './entries';
import { beginEntries, isShareGpt, turn } from './entry';
import * as K from './keys';
import { after, firstKey, isKey, keyFrom, keyTo, memberValue, nextKey } from './members';
import { beginMessages } from './messages';
import { beforeEntries, beginOthers, endOthers, memberBeside } from './other-forms';
import {
  addFlag, beginRecord, flags, hasRoom, hasWrittenTools, isFull, isOdd, isOther, lost, markElsewhere, markOdd,
  markOther, numberOf, placeToolsRow, push, renamed, rewindTo, row, setCountsLost, table,
  toolsFlags,
} from './state';
import {
  clearSeen, CLOSE_OBJECT, COMMA, isWide, LF, OPEN_LIST, NULL_4, OPEN_OBJECT, QUOTE, seen, setWide,
  skipBlanks, takeCodes, valueEnd,
} from './text';
import { mayCodeTag } from './tags';
import { toolsEnd, toolsEntry, toolsStatus } from './tools';
import { beginMembers, IN_RECORD } from './value';

/** The name of the list that is asked for, of at most 64 bytes, and its length; 0: the forms have theirs. */
// @ts-ignore: decorator
@lazy const FIELD: usize = memory.data(64 + 16, 16);
let fieldLength: usize = 0;
/** Where the host writes the name, and what it tells then. */
export function fieldRoom(): usize { return FIELD; }
export function setField(length: usize): void { fieldLength = length; }

/** Whether the key at hand is that name. */
function isField(): bool { return keyTo - keyFrom == fieldLength && isSame(FIELD, keyFrom, fieldLength); }

function begin(): void {
  beginRecord(RECORD);
  beginMessages();
  beginEntries();
  beginMembers(false);
}

/** The record at p, an object, whose rows begin at `tools`: behind it, or 0. */
function record(p: usize, tools: usize): usize {
  let has: u32 = 0;
  const from = p;
  p = firstKey(p);
  if (p == 0) {
    markOdd();
    return after;
  }
  // role"
  if ((load<u64>(p, 1) & 0xffffffffff) == 0x22656c6f72 && fieldLength == 0 && (forms & FORM_TURNS) != 0) {
    const to = turn(from);
    if (to != 0 && (!isOdd || isFull)) return to;
    begin();
  }
  for (; p != 0; p = nextKey(p)) {
    p = memberValue(p);
    if (p == 0) return 0;
    let bit: u32 = 0;
    const isMessages = isKey(8, K.MESSAGES) && (forms & FORM_MESSAGES) != 0;
    const isTurns = K.isConversations();
    const isOther = fieldLength == 0 && (forms & FORM_OTHERS) != 0 && K.isConversation();
    // What else has that name holds no messages.
    const holdsMessages = isOther && load<u8>(p) == OPEN_LIST && load<u8>(skipBlanks(p + 1)) == OPEN_OBJECT;
    if (fieldLength != 0 ? isField() : isMessages || holdsMessages || (isTurns && (forms & FORM_CONVERSATIONS) != 0)) {
      // One of several is read by the host.
      bit = 1;
      if (fieldLength != 0 || holdsMessages) markElsewhere();
      if (load<u8>(p) == OPEN_LIST) {
        beforeEntries();
        p = entries(p);
        // Who reads a record as of one form takes no entries of the other.
        if ((forms & FORM_OTHERS) == 0 && isShareGpt() == isMessages) addFlag(HAS_LOSSES);
      } else {
        markOdd();
        p = valueEnd(p, IN_RECORD);
      }
    } else if (isKey(5, K.TOOLS)) {
      bit = 2;
      const from = p;
      p = toolsEnd(p, IN_RECORD);
      if (p == 0) return 0;
      if (toolsStatus == TOOLS_NONE && load<u32>(from) != NULL_4) addFlag(HAS_LOSSES);
      // Those in a text are the record's, unless it has others.
      if (hasWrittenTools && toolsStatus != TOOLS_NONE) markOdd();
      if (!hasWrittenTools) {
        store<u32>(tools, TOOLS | (toolsStatus << TOOLS_SHIFT) | (toolsEntry << ENTRY_SHIFT));
        store<u32>(tools, <u32>from, 4);
        store<u32>(tools, <u32>p, 8);
      }
    } else if (isKey(2, K.ID)) {
      bit = 4;
      clearSeen();
      store<u32>(tools + ROW_BYTES, <u32>p, 4);
      p = valueEnd(p, IN_RECORD);
      // Escapes in an id that is text, or anywhere in another one.
      store<u32>(tools + ROW_BYTES, RECORD_ID | (seen << 8));
      store<u32>(tools + ROW_BYTES, <u32>p, 8);
    } else {
      // The host says what becomes of a list of that name which is not asked for, and of `functions`.
      if ((fieldLength != 0 && (isMessages || isTurns)) || isKey(9, K.FUNCTION)) markOdd();
      p = memberBeside(p, (forms & FORM_OTHERS) != 0);
    }
    if (isOther) bit |= 8;
    if ((has & bit) != 0) markOdd();
    has |= bit;
  }
  const to = after;
  if (to == 0) return 0;
  if (!endOthers((has & 1) != 0)) markOther();
  store<u32>(tools, load<u32>(tools) | toolsFlags);
  if ((flags & HAS_LOSSES) == 0) {
    const losses = (lost << LOST_SHIFT) | (popcnt<u32>(renamed) << RENAMED_SHIFT);
    store<u32>(tools + ROW_BYTES, load<u32>(tools + ROW_BYTES) | losses);
  }
  return to;
}

/** The forms that are wanted. */
let forms: u32 = 0;

/** Where the last scan stopped, and the lines and records that it passed. */
let stop: usize = 0;
let lines: u32 = 0;
let records: u32 = 0;
export function scanTo(): usize { return stop; }
export function linesPassed(): u32 { return lines; }
export function recordsPassed(): u32 { return records; }

/** Whether a tag may be written with escapes in one of them, which is CODED_TAGS then. */
let hasCodedTags: bool = false;
export function holdsCodedTags(): bool { return hasCodedTags; }

/** Whether a byte may follow the bracket that opens an object. A file may hold nothing but lines that break there. */
function mayFollow(byte: u32): bool {
  return byte == QUOTE || byte == CLOSE_OBJECT || (byte <= 0x20 && byte != LF);
}

/** The first line feed at or behind p: there is one. */
function lineEnd(p: usize): usize {
  while (true) {
    if (ASC_FEATURE_SIMD) {
      const mask = i8x16.bitmask(i8x16.eq(v128.load(p), i8x16.splat(0x0a)));
      if (mask != 0) return p + <usize>ctz<i32>(mask);
      p += 16;
    } else if (load<u8>(p++) == LF) return p - 1;
  }
}

/** Whether the bytes [p, to) may hold more objects, lists and values than a record may: those in strings count, too. */
function isCrowded(p: usize, to: usize): bool {
  let containers: u32 = 0;
  let commas: u32 = 0;
  while (p < to) {
    if (ASC_FEATURE_SIMD && to - p > 15) {
      const bytes = v128.load(p);
      const opening = i8x16.eq(v128.or(bytes, i8x16.splat(0x20)), i8x16.splat(<i8>OPEN_OBJECT));
      containers += popcnt<u32>(i8x16.bitmask(opening));
      commas += popcnt<u32>(i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(<i8>COMMA))));
      p += 16;
    } else {
      const byte = <u32>load<u8>(p++);
      if ((byte | 0x20) == OPEN_OBJECT) containers++;
      else if (byte == COMMA) commas++;
    }
  }
  return containers > <u32>RECORD_CONTAINERS || commas > <u32>RECORD_FURTHER;
}

/** The rows behind RECORD that every record has, of one that has neither. Answers the first. */
function pushFixed(): usize {
  const tools = push(TOOLS, 0, 0, lines);
  push(RECORD_ID, 0, 0, numberOf(row) + 1);
  return tools;
}

/**
 * Rows of the lines [p, end), of which the last one ends with a line feed, from the table's beginning on; answers the
 * number of rows. Stops where the table is full, or behind a first record that is of another form (`scanTo`). A line of
 * nothing but white space is no record. `wanted`: FORM_….
 */
export function scanLines(p: usize, end: usize, wanted: u32): u32 {
  forms = wanted;
  setCountsLost((wanted & COUNTS_LOST) != 0);
  rewindTo(table);
  lines = records = 0;
  hasCodedTags = false;
  while (p < end) {
    const from = p;
    p = skipBlanks(p);
    if (load<u8>(p) == LF) {
      p++;
      lines++;
      continue;
    }
    if (!hasRoom(3)) {
      p = from;
      break;
    }
    beginRecord(RECORD);
    takeCodes();
    setWide(false);
    const first = push(RECORD, from, 0, 0);
    const tools = pushFixed();
    placeToolsRow(tools);
    let to: usize = 0;
    if (load<u8>(p) == OPEN_OBJECT && mayFollow(load<u8>(p + 1))) {
      begin();
      beginOthers(forms);
      to = record(p, tools);
      if (to != 0) {
        const after = skipBlanks(to);
        if (load<u8>(after) == LF && (!isWide || isUtf8(from, after))) p = after;
        else to = 0;
      }
    }
    const isTooMuch = to != 0 && p - from >= <usize>RECORD_CROWD && isCrowded(from, p);
    if (to == 0 || isOdd || isTooMuch) {
      // A full table, unless this record alone fills it, is emptied first.
      if (isFull && first != table) {
        rewindTo(first);
        p = from;
        break;
      }
      const isElse = to != 0 && isOther && !isTooMuch;
      rewindTo(tools);
      pushFixed();
      beginRecord(RECORD | SLOW | (to != 0 ? IS_OBJECT : 0) | (isElse ? IS_OTHER : 0));
      // Without an end that is known the line's end is looked for.
      if (to == 0) p = lineEnd(from);
    }
    if (takeCodes() && mayCodeTag(from, p)) {
      hasCodedTags = true;
      store<u32>(tools, load<u32>(tools) | CODED_TAGS);
    }
    store<u32>(first, flags | (records << RECORD_SHIFT));
    store<u32>(first, <u32>p, 8);
    store<u32>(first, numberOf(row), 12);
    p++;
    lines++;
    records++;
    // Records of another form are for another reader, which is told by the first of them.
    if ((flags & (SLOW | IS_OTHER)) == (SLOW | IS_OTHER) && records == 1) break;
  }
  stop = p;
  return numberOf(row);
}
