// Messages of 2.2 as members of `messages` in a chat record, from the scanner's rows: of transcripts that lose nothing.
// What is written otherwise than the writer of 2.2 writes it, or says more than `messages` has a place for, is refused
// as a whole, for src/formats/chat/write.ts, which is the simple version of this.

import {
  ANALYSIS, ASSISTANT, BODY, BY_ROLE, CALL, CHANNEL_MASK, CHANNEL_SHIFT, CHAT_ANSWER, CHAT_ARGUMENTS, CHAT_CALL,
  CHAT_CALLS, CHAT_CALLS_END, CHAT_CALL_ARGUMENTS, CHAT_CALL_END, CHAT_CALL_NAME, CHAT_END, CHAT_FROM_NAME,
  CHAT_FROM_TOOL, CHAT_ID, CHAT_NULL, CHAT_PIECES, CHAT_PLAIN, CHAT_PREAMBLE, CHAT_REPLY, CHAT_REPLY_CONTENT,
  CHAT_REPLY_NAME, CHAT_RESULT, CHAT_THINKING, CHAT_TO_TOOL, COMMENTARY, END, EOF_END, FINAL, IMPLICIT_END, IMPLIED,
  KIND_MASK, MESSAGE, NO_BODY_TOKEN, PLAIN, ROLE_MASK, ROLE_SHIFT, ROW_BYTES, STRIPPED, SYSTEM, TOKEN_MASK,
  TOKEN_SHIFT, TOOL, USER,
} from '../src/abi';
import { wordBytes } from './record/text';
import { isSame } from './same';
import { escapeKnown } from './text-escape';
import { copy } from './text-line';
import { isUtf8 } from './text-utf8';

/** Bytes of `<|start|>`, and of a token with the name of eight letters. */
const START_BYTES: usize = 9;
const TOKEN_BYTES: usize = 11;
const ROLE_OF_TOOL: u32 = 0x6c6f6f74;

/** Addresses and lengths. */
// @ts-ignore: decorator
@lazy const PIECES: usize = memory.data(CHAT_PIECES * 8, 8);

export function setPiece(number: u32, from: usize, length: usize): void {
  store<u32>(PIECES + (<usize>number << 3), <u32>from);
  store<u32>(PIECES + (<usize>number << 3), <u32>length, 4);
}

// @ts-ignore: decorator
@inline
function put(q: usize, piece: u32): usize {
  const at = PIECES + (<usize>piece << 3);
  const from = <usize>load<u32>(at);
  return copy(q, from, from + <usize>load<u32>(at, 4));
}

/** Where the piece ends that stands at p, before `end`; 0: another text does. */
function past(p: usize, end: usize, piece: u32): usize {
  const at = PIECES + (<usize>piece << 3);
  const length = <usize>load<u32>(at, 4);
  return p + length <= end && isSame(p, load<u32>(at), length) ? p + length : 0;
}

/** Where a word of `A-Za-z0-9_-` ends that begins at p. */
function wordEnd(p: usize): usize {
  if (ASC_FEATURE_SIMD) {
    while (true) {
      const others = ~i8x16.bitmask(wordBytes(v128.load(p))) & 0xffff;
      if (others != 0) return p + <usize>ctz<i32>(others);
      p += 16;
    }
  }
  for (; ; p++) {
    const byte = <u32>load<u8>(p);
    if ((byte | 0x20) - 0x61 > 25 && byte - 0x30 > 9 && byte != 0x5f && byte != 0x2d) break;
  }
  return p;
}

/** `browser`, `python`, `container`: names that mean another tool without `functions.`. */
function isBuiltin(p: usize, end: usize): bool {
  const length = end - p;
  if (length < 6) return false;
  const first = load<u32>(p);
  return (length == 7 && first == 0x776f7262) || (length == 6 && first == 0x68747970)
    || (length == 9 && first == 0x746e6f63);
}

/** `<t` or `</t` stands in [p, end): perhaps the tag of a thought or a call that is written as text. */
function mayTag(p: usize, end: usize): bool {
  if (ASC_FEATURE_SIMD) {
    const tag = i8x16.splat(0x74);
    for (; p < end; p += 16) {
      const next = v128.load(p, 1);
      const open = i8x16.eq(v128.load(p), i8x16.splat(0x3c));
      const closes = v128.and(i8x16.eq(next, i8x16.splat(0x2f)), i8x16.eq(v128.load(p, 2), tag));
      const found = i8x16.bitmask(v128.and(open, v128.or(i8x16.eq(next, tag), closes)));
      if (found != 0 && p + <usize>ctz<i32>(found) < end) return true;
    }
    return false;
  }
  for (; p < end; p++) {
    if (load<u8>(p) != 0x3c) continue;
    const next = load<u8>(p, 1);
    if (next == 0x74 || (next == 0x2f && load<u8>(p, 2) == 0x74)) return true;
  }
  return false;
}

// The message of an assistant that further ones of the transcript may join, as Turn in write.ts has it.
let isOpen: bool = false;
/** Bodies; they begin at 0 when there are none. */
let content: usize = 0;
let contentTo: usize = 0;
let thinking: usize = 0;
let thinkingTo: usize = 0;
let isPreamble: bool = false;
let calls: u32 = 0;
/** No message was written. */
let isFirst: bool = false;

function comma(q: usize): usize {
  if (isFirst) {
    isFirst = false;
    return q;
  }
  store<u8>(q, 0x2c);
  return q + 1;
}

function putString(q: usize, from: usize, to: usize): usize {
  store<u8>(q, 0x22);
  q = escapeKnown(from, to, q + 1);
  store<u8>(q, 0x22);
  return q + 1;
}

/** What stands before the calls. */
function putTurn(q: usize): usize {
  q = put(comma(q), CHAT_ANSWER);
  q = content == 0 ? put(q, CHAT_NULL) : putString(q, content, contentTo);
  return thinking == 0 ? q : putString(put(q, CHAT_THINKING), thinking, thinkingTo);
}

function endTurn(q: usize): usize {
  if (!isOpen) return q;
  isOpen = false;
  if (calls > 0) return put(q, CHAT_CALLS_END);
  q = putTurn(q);
  store<u8>(q, 0x7d);
  return q + 1;
}

/** Begins one where none is open. */
function beginTurn(): void {
  if (isOpen) return;
  isOpen = true;
  content = thinking = 0;
  isPreamble = false;
  calls = 0;
}

/** A preamble without a call becomes an answer, which is told. */
// @ts-ignore: decorator
@inline
function losesPreamble(): bool { return isOpen && isPreamble && calls == 0; }

/**
 * Writes the messages of `count` rows from `rows` on, which all lie in [from, to), from q on: with a comma before each
 * of them but the first one, if `begins`. A row's position plus `shift` is an address; `first` is the number of the
 * first one. Answers where they end; 0: they are refused. There is room for 6 bytes for each of [from, to), and 256 for
 * each row.
 */
export function chat(
  rows: usize, count: i32, first: i32, shift: i32, from: usize, to: usize, begins: bool, q: usize,
): usize {
  if (!isUtf8(from, to) || mayTag(from, to)) return 0;
  isOpen = false;
  isFirst = begins;
  const wrong: u32 = IMPLIED | BY_ROLE | NO_BODY_TOKEN | IMPLICIT_END | EOF_END | STRIPPED;
  for (let row = 0; row < count; ) {
    const at = rows + <usize>(row * ROW_BYTES);
    const word = load<u32>(at);
    if ((word & (KIND_MASK | PLAIN | wrong)) != (MESSAGE | PLAIN)) return 0;
    row = load<i32>(at, 12) - first;
    // Nothing but fields stands before the body, and nothing below it.
    const body = rows + <usize>((row - 1) * ROW_BYTES);
    if ((load<u32>(body) & KIND_MASK) != BODY) return 0;
    q = message(
      word, <usize>(load<i32>(at, 4) + shift), <usize>(load<i32>(body, 4) + shift), <usize>(load<i32>(body, 8) + shift),
      q,
    );
    if (q == 0) return 0;
  }
  return losesPreamble() ? 0 : endTurn(q);
}

/** A message: its header [header, p), its body [p, end). */
function message(word: u32, header: usize, p: usize, end: usize, q: usize): usize {
  const token = (word >> TOKEN_SHIFT) & TOKEN_MASK;
  const role = (word >> ROLE_SHIFT) & ROLE_MASK;
  if (role == ASSISTANT && token == CALL) return call(header, p, end, q);
  if (role == ASSISTANT) return token == END ? said(word, header, p, end, q) : 0;
  if (token != END || losesPreamble()) return 0;
  q = endTurn(q);
  if (role == TOOL) return reply(header, p, end, q);
  if (role == 0 || !isBare(word, header, p)) return 0;
  const channel = (word >> CHANNEL_SHIFT) & CHANNEL_MASK;
  if (channel != 0 && channel != FINAL) return 0;
  q = escapeKnown(p, end, put(comma(q), CHAT_PLAIN + role));
  return put(q, CHAT_END);
}

/** The header says nothing but role and channel. */
function isBare(word: u32, header: usize, p: usize): bool {
  const role = (word >> ROLE_SHIFT) & ROLE_MASK;
  const channel = (word >> CHANNEL_SHIFT) & CHANNEL_MASK;
  // system, developer, user, assistant; analysis, commentary, final.
  const ofRole: usize = role == USER ? 4 : role == SYSTEM ? 6 : 9;
  const ofChannel: usize = channel == 0 ? 0 : channel == FINAL ? 5 : channel == ANALYSIS ? 8 : 10;
  return p - header == START_BYTES + ofRole + TOKEN_BYTES + (channel == 0 ? 0 : ofChannel + TOKEN_BYTES);
}

/** What an assistant says, or thinks. */
function said(word: u32, header: usize, p: usize, end: usize, q: usize): usize {
  const channel = (word >> CHANNEL_SHIFT) & CHANNEL_MASK;
  const preamble = channel == COMMENTARY;
  if (preamble ? past(header, p, CHAT_PREAMBLE) != p : !isBare(word, header, p)) return 0;
  if (isOpen && (content != 0 || calls > 0)) {
    if (losesPreamble()) return 0;
    q = endTurn(q);
  }
  beginTurn();
  if (channel == ANALYSIS) {
    if (p == end || thinking != 0) return 0;
    thinking = p;
    thinkingTo = end;
    return q;
  }
  content = p;
  contentTo = end;
  isPreamble = preamble;
  return preamble ? q : endTurn(q);
}

function call(header: usize, p: usize, end: usize, q: usize): usize {
  const name = past(header, p, CHAT_TO_TOOL);
  if (name == 0) return 0;
  const nameTo = wordEnd(name);
  const id = past(nameTo, p, CHAT_ID);
  if (id == 0 || nameTo == name || isBuiltin(name, nameTo)) return 0;
  const idTo = wordEnd(id);
  if (idTo == id || past(idTo, p, CHAT_ARGUMENTS) != p) return 0;
  beginTurn();
  if (calls++ == 0) q = put(putTurn(q), CHAT_CALLS);
  else {
    store<u8>(q, 0x2c);
    q++;
  }
  q = put(copy(put(q, CHAT_CALL), id, idTo), CHAT_CALL_NAME);
  q = put(copy(q, name, nameTo), CHAT_CALL_ARGUMENTS);
  return put(escapeKnown(p, end, q), CHAT_CALL_END);
}

/** A reply: its header says whose it is in three words, in any order. */
function reply(header: usize, p: usize, end: usize, q: usize): usize {
  if (load<u32>(header, START_BYTES) != ROLE_OF_TOOL) return 0;
  let at = header + START_BYTES + 4;
  let isAddressed = false;
  let id: usize = 0;
  let idTo: usize = 0;
  let name: usize = 0;
  let nameTo: usize = 0;
  for (let words = 0; words < 3; words++) {
    let from = past(at, p, CHAT_ID);
    if (from != 0) {
      id = from;
      at = idTo = wordEnd(from);
      continue;
    }
    from = past(at, p, CHAT_FROM_NAME);
    if (from != 0) {
      name = from;
      at = nameTo = wordEnd(from);
      continue;
    }
    at = past(at, p, CHAT_FROM_TOOL);
    if (at == 0) return 0;
    isAddressed = true;
  }
  if (!isAddressed || idTo == id || nameTo == name || isBuiltin(name, nameTo)) return 0;
  if (past(at, p, CHAT_RESULT) != p) return 0;
  q = put(copy(put(comma(q), CHAT_REPLY), id, idTo), CHAT_REPLY_NAME);
  q = put(copy(q, name, nameTo), CHAT_REPLY_CONTENT);
  return put(escapeKnown(p, end, q), CHAT_END);
}
