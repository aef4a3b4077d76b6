// Messages of 2.2, Harmony and 0.1 as members of `messages` in a chat record, from the scanner's rows. What is written
// otherwise than our writer, or that of Harmony, writes it, or says more than `messages` has a place for, is refused as
// a whole, for src/formats/chat/write.ts, which is the simple version of this.

import {
  ANALYSIS, ASSISTANT, BODY, BY_ROLE, CALL, CHANNEL_MASK, CHANNEL_SHIFT, CHAT_ANSWER, CHAT_BEGINS, CHAT_CALL,
  CHAT_CALLS, CHAT_CALLS_END, CHAT_CALL_ARGUMENTS, CHAT_CALL_END, CHAT_CALL_NAME, CHAT_END, CHAT_HARMONY, CHAT_LINE,
  CHAT_LOST_CALL_ID, CHAT_LOST_CHANNEL, CHAT_LOST_HINT, CHAT_LOST_REPLY_ID, CHAT_LOST_SHIFT, CHAT_MESSAGES, CHAT_NULL,
  CHAT_PLAIN, CHAT_PREAMBLE, CHAT_PREAMBLES, CHAT_REPLY, CHAT_REPLY_CONTENT, CHAT_REPLY_NAME, CHAT_THINKING, COMMENTARY,
  DEVELOPER, END, EOF_END, FINAL, IMPLICIT_END, IMPLIED, IM_END, KIND_MASK, MESSAGE, NO_BODY_TOKEN, PLAIN, ROLE_MASK,
  ROLE_SHIFT, ROW_BYTES, STRIPPED, SYSTEM, TOKEN_MASK, TOKEN_SHIFT, TOOL, USER,
} from '../src/abi';
import { beginCalls, isHint, name, nameTo, putId, readCall, readReply, START_BYTES } from './text-chat-head';
import { escapeKnown } from './text-escape';
import { copy } from './text-line';
import { past, put } from './text-pieces';
import { isUtf8 } from './text-utf8';

/** Bytes of `<|channel|>` and `<|message|>`, and of `<|im_start|>` with the line's end. */
const TOKEN_BYTES: usize = 11;
const LINE_BYTES: usize = 13;

/** What is lost, in order (`CHAT_LOST_…`): of a message two things at most. */
// @ts-ignore: decorator
@lazy const LOST: usize = memory.data(CHAT_MESSAGES * 8, 4);
let lost: usize = 0;

export function lostFrom(): usize { return LOST; }
export function lostCount(): usize { return lost; }

/** The message at hand, from 0. */
let index: u32 = 0;

function lose(what: u32): void {
  store<u32>(LOST + (lost++ << 2), (index << CHAT_LOST_SHIFT) | what);
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
let isHarmony: bool = false;
let isLine: bool = false;
/** In Harmony a commentary to nobody is a preamble; else nobody sees it. */
let hasPreambles: bool = false;

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
 * Writes the messages of `count` rows from `rows` on, which all lie in [from, to), from q on. `how`: `CHAT_BEGINS`, and
 * of Harmony `CHAT_HARMONY` and `CHAT_PREAMBLES`, of 0.1 `CHAT_LINE`. A row's position plus `shift` is an address;
 * `first` is the number of the first one. Answers where they end; 0: they are refused. There is room for 6 bytes for
 * each of [from, to), and 256 for each row. More than CHAT_MESSAGES are refused.
 */
export function chat(
  rows: usize, count: i32, first: i32, shift: i32, from: usize, to: usize, how: u32, q: usize,
): usize {
  lost = 0;
  if (!isUtf8(from, to) || mayTag(from, to)) return 0;
  isOpen = false;
  isFirst = (how & CHAT_BEGINS) != 0;
  isHarmony = (how & CHAT_HARMONY) != 0;
  isLine = (how & CHAT_LINE) != 0;
  hasPreambles = (how & CHAT_PREAMBLES) != 0;
  index = 0;
  beginCalls();
  const wrong: u32 = IMPLIED | BY_ROLE | NO_BODY_TOKEN | IMPLICIT_END | EOF_END | STRIPPED;
  for (let row = 0; row < count; ) {
    const at = rows + <usize>(row * ROW_BYTES);
    const word = load<u32>(at);
    if ((word & (KIND_MASK | PLAIN | wrong)) != (MESSAGE | PLAIN) || index == CHAT_MESSAGES) return 0;
    row = load<i32>(at, 12) - first;
    // Nothing but fields stands before the body, and nothing below it.
    const body = rows + <usize>((row - 1) * ROW_BYTES);
    if ((load<u32>(body) & KIND_MASK) != BODY) return 0;
    q = message(
      word, <usize>(load<i32>(at, 4) + shift), <usize>(load<i32>(body, 4) + shift), <usize>(load<i32>(body, 8) + shift),
      q,
    );
    if (q == 0) return 0;
    index++;
  }
  return losesPreamble() ? 0 : endTurn(q);
}

/** A message: its header [header, p), its body [p, end). */
function message(word: u32, header: usize, p: usize, end: usize, q: usize): usize {
  const token = (word >> TOKEN_SHIFT) & TOKEN_MASK;
  const role = (word >> ROLE_SHIFT) & ROLE_MASK;
  if (role == ASSISTANT && token == CALL) return call(header, p, end, q);
  if (token != <u32>(isLine ? IM_END : END)) return 0;
  if (isLine) end = withoutNewline(p, end);
  if (role == ASSISTANT) return said(word, header, p, end, q);
  if (losesPreamble()) return 0;
  q = endTurn(q);
  if (role == TOOL) return reply(header, p, end, q);
  if (role == 0 || !isBare(word, header, p)) return 0;
  // What Harmony's developer says is taken apart, and what a system says in 0.1.
  if ((isHarmony || isLine) && (role == SYSTEM || role == DEVELOPER)) return 0;
  const channel = (word >> CHANNEL_SHIFT) & CHANNEL_MASK;
  if (channel != 0 && channel != FINAL) return 0;
  q = escapeKnown(p, end, put(comma(q), CHAT_PLAIN + role));
  return put(q, CHAT_END);
}

/** One newline before the terminator is not part of a body of 0.1 (R-TRIM). */
function withoutNewline(p: usize, end: usize): usize {
  if (end == p || load<u8>(end - 1) != 0x0a) return end;
  return end - p > 1 && load<u8>(end - 2) == 0x0d ? end - 2 : end - 1;
}

/** The header says nothing but role and channel. */
function isBare(word: u32, header: usize, p: usize): bool {
  const role = (word >> ROLE_SHIFT) & ROLE_MASK;
  const channel = (word >> CHANNEL_SHIFT) & CHANNEL_MASK;
  // system, developer, user, assistant; analysis, commentary, final.
  const ofRole: usize = role == USER ? 4 : role == SYSTEM ? 6 : 9;
  if (isLine) return p - header == LINE_BYTES + ofRole;
  const ofChannel: usize = channel == 0 ? 0 : channel == FINAL ? 5 : channel == ANALYSIS ? 8 : 10;
  return p - header == START_BYTES + ofRole + TOKEN_BYTES + (channel == 0 ? 0 : ofChannel + TOKEN_BYTES);
}

/** What an assistant says, or thinks. */
function said(word: u32, header: usize, p: usize, end: usize, q: usize): usize {
  const channel = (word >> CHANNEL_SHIFT) & CHANNEL_MASK;
  const isBeside = channel == COMMENTARY;
  if (isBeside && !isHarmony ? past(header, p, CHAT_PREAMBLE) != p : !isBare(word, header, p)) return 0;
  // Harmony hides what has no channel.
  if (isHarmony && channel == 0) return 0;
  const preamble = isBeside && (!isHarmony || hasPreambles);
  if (isOpen && (content != 0 || calls > 0)) {
    if (losesPreamble()) return 0;
    q = endTurn(q);
  }
  beginTurn();
  if (channel == ANALYSIS || isBeside != preamble) {
    if (p == end || thinking != 0) return 0;
    if (isBeside) lose(CHAT_LOST_CHANNEL);
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
  if (!readCall(header, p, isHarmony)) return 0;
  if (isHarmony) lose(CHAT_LOST_CALL_ID);
  if (isHint) lose(CHAT_LOST_HINT);
  beginTurn();
  if (calls++ == 0) q = put(putTurn(q), CHAT_CALLS);
  else {
    store<u8>(q, 0x2c);
    q++;
  }
  q = put(putId(put(q, CHAT_CALL)), CHAT_CALL_NAME);
  q = put(copy(q, name, nameTo), CHAT_CALL_ARGUMENTS);
  return put(escapeKnown(p, end, q), CHAT_CALL_END);
}

function reply(header: usize, p: usize, end: usize, q: usize): usize {
  if (!readReply(header, p, isHarmony)) return 0;
  if (isHarmony) lose(CHAT_LOST_REPLY_ID);
  q = put(putId(put(comma(q), CHAT_REPLY)), CHAT_REPLY_NAME);
  q = put(copy(q, name, nameTo), CHAT_REPLY_CONTENT);
  return put(escapeKnown(p, end, q), CHAT_END);
}
