// Replies of tools that are written as text, between `<tool_response>` and `</tool_response>` in what a user or a tool
// says (R-HERMES), with what a user says between them.

import { TOOL, USER, VALUE } from '../../src/abi';
import { isSame } from '../same';
import { writePlain, writeReply } from './messages';
import { isOdd, markOdd } from './state';
import { containerEnd, DEEPEST, LF, OPEN_LIST, OPEN_OBJECT, QUOTE, setSpansLines, skipBlanks } from './text';
import { isToolName } from './value';
import {
  behindWhite, CLOSE_REPLY, find, givenFrom, givenTo, goTo, members, nameFrom, nameTo, OPEN_REPLY, rawFrom, rawKind,
  rawTo, readNamed, readText, REPLY_TAG, text, textEnd, withoutNewline,
} from './written';

/** Replies of one content. */
const MOST_REPLIES: i32 = 256;

/** The entry at hand, and its author's name. */
let entry: usize = 0;
let entryTo: usize = 0;
let authorFrom: usize = 0;
let authorTo: usize = 0;

/**
 * Writes the messages of the entry [from, to) of a user or a tool, whose content is [bodyFrom, bodyTo). False: it holds
 * no replies, or a tool says more than them.
 */
export function writtenReplies(
  role: u32, from: usize, to: usize, idFrom: usize, idTo: usize, authorAt: usize, authorEnd: usize, bodyFrom: usize,
  bodyTo: usize,
): bool {
  if (!readText(bodyFrom, bodyTo)) return false;
  const count = countReplies(role == TOOL);
  if (count == 0) return false;
  if (count > MOST_REPLIES) markOdd();
  entry = from;
  entryTo = to;
  authorFrom = authorAt;
  authorTo = authorEnd;
  const hasId = role == TOOL && count == 1;
  let at = text;
  for (let i = 0; i < count && !isOdd; i++) {
    const tag = find(at, textEnd, OPEN_REPLY, REPLY_TAG);
    const close = find(tag + REPLY_TAG, textEnd, CLOSE_REPLY, REPLY_TAG + 1);
    writeText(at, tag);
    writeOne(tag + REPLY_TAG, close, hasId ? idFrom : 0, idTo, role == TOOL);
    at = close + REPLY_TAG + 1;
  }
  writeText(at, textEnd);
  return true;
}

/** How many replies the text has; 0 also where `isAlone` and it has more than them. */
function countReplies(isAlone: bool): i32 {
  let count = 0;
  let at = text;
  while (true) {
    const tag = find(at, textEnd, OPEN_REPLY, REPLY_TAG);
    const close: usize = tag == 0 ? <usize>0 : find(tag + REPLY_TAG, textEnd, CLOSE_REPLY, REPLY_TAG + 1);
    const to = close == 0 ? textEnd : tag;
    if (isAlone && behindWhite(at, to) < to) return 0;
    if (close == 0) return count;
    at = close + REPLY_TAG + 1;
    count++;
  }
}

/** What a user says between replies. */
function writeText(from: usize, to: usize): void {
  if (behindWhite(from, to) == to) return;
  goTo(from, to);
  writePlain(USER, entry, entryTo, authorFrom, authorTo, rawKind, rawFrom, rawTo);
}

/** The reply [from, to) between its tags. */
function writeOne(from: usize, to: usize, idFrom: usize, idTo: usize, hasAuthor: bool): void {
  setSpansLines(true);
  const isObject = isNamedReply(from, to, hasAuthor && authorFrom != 0);
  setSpansLines(false);
  let name: usize = hasAuthor ? authorFrom : 0;
  let nameEnd = authorTo;
  let kind: u32 = 0;
  if (isObject) {
    const isNameFirst = nameFrom < givenFrom;
    if (isNameFirst) goTo(nameFrom, nameTo);
    let ownFrom = rawFrom;
    let ownTo = rawTo;
    goTo(givenFrom, givenTo);
    const bodyFrom = rawFrom;
    const bodyTo = rawTo;
    // What is no string is the text that it stands in.
    kind = load<u8>(givenFrom) == QUOTE ? rawKind | VALUE : rawKind;
    if (!isNameFirst) {
      goTo(nameFrom, nameTo);
      ownFrom = rawFrom;
      ownTo = rawTo;
    }
    if (name == 0 && nameFrom != nameTo) {
      name = ownFrom;
      nameEnd = ownTo;
    }
    writeReply(entry, entryTo, idFrom, idTo, name, nameEnd, kind, bodyFrom, bodyTo);
    return;
  }
  // Its tags stand on lines of their own.
  if (from < to && load<u8>(from) == LF) from++;
  else if (from + 1 < to && load<u8>(from) == 13 && load<u8>(from, 1) == LF) from += 2;
  goTo(from, withoutNewline(from, to));
  writeReply(entry, entryTo, idFrom, idTo, name, nameEnd, rawKind, rawFrom, rawTo);
}

/**
 * Whether a reply is nothing but an object with `name` and `content`; `isNamed`: an author is known, who must be that
 * one.
 */
function isNamedReply(from: usize, to: usize, isNamed: bool): bool {
  const p = skipBlanks(from);
  if (load<u8>(p) != OPEN_OBJECT) return false;
  const end = readNamed(p, true);
  if (end == 0) {
    // It is no JSON, or rare, or very deep.
    if (containerEnd(p, DEEPEST) != 0 || opens(p, to) > DEEPEST) markOdd();
    return false;
  }
  if (skipBlanks(end) != to || members != 2 || nameFrom == 0 || givenFrom == 0) return false;
  const length = nameTo - nameFrom;
  if (length != 0 && !isToolName(nameFrom, nameTo)) markOdd();
  if (!isNamed || length == 0) return true;
  return authorTo - authorFrom == length && isSame(authorFrom, nameFrom, length);
}

/** Brackets that open something in [p, to). */
function opens(p: usize, to: usize): i32 {
  let count = 0;
  for (; p < to; p++) {
    const byte = <u32>load<u8>(p);
    if (byte == OPEN_OBJECT || byte == OPEN_LIST) count++;
  }
  return count;
}
