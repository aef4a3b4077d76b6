// The fast path: well-formed messages, one after the other, without leaving this function.
//
// It does what gap.ts and frame.ts do for a message that is plain, and only that: the start token (after at most one
// newline), a known role, attributes, a channel, a constrain field, the body, its terminator. All is kept in locals,
// and rows are written only when a header is whole. Whatever else comes, it stops before it, or hands over an open
// body, and the general machine goes on from there: nothing here decides anything by itself. It is four times as fast
// on short messages.

import {
  ANALYSIS, ASSISTANT, BODY, CHANNEL, CHANNEL_SHIFT, CLASS_CLOSE, CLASS_FILE, CLASS_INNER, CLASS_NAME, CLASS_NONE,
  CLASS_OPEN, CLASS_RAW, CONSTRAIN, END, ENTRY_LENGTH, ENTRY_WORD, ESCAPE, FIELD, FINAL, HAS_ESCAPE, HAS_LINE, MARK,
  MESSAGE, PLAIN, PLAIN_BYTES, ROLE_SHIFT, STRAY, TOKEN_MASK, TOKEN_SHIFT, USER,
} from '../src/abi';
import { findPairHere, findPairNear } from './find';
import { next, numbered, setBody, setMessage, setNext, setText, table, tableEnd } from './rows';
import { dataEnd, flags, IN_BODY, isFinal, origin, roles, setFirst, setNewline, setState, window } from './state';
import { classify } from './tokens';
import {
  beginWords, channelAt, CHANNEL_WORDS, CONSTRAIN_WORDS, FUNCTION_8, plain, plainBits, readWords, roleAt, START_WORDS,
  wordId, wordLength,
} from './words';

/**
 * A message is taken on only so far before the window's end that its header fits; a longer header is left to the
 * general machine.
 */
const ROOM: usize = 512;
/** Rows that one message or mark may write. */
const STEP: usize = 8 * 16;
/** `<|` and `json` as little-endian integers. */
const PAIR: u16 = 0x7c3c;
const JSON_4: u32 = 0x6e6f736a;
/**
 * Bytes 0 to 7, and from 4 on, of the tokens that open a message; of the two that most headers have; of the usual end.
 */
const START_LOW: u64 = 0x7c74726174737c3c;
const START_HIGH: u64 = 0x3e7c747261;
const IM_START_LOW: u64 = 0x6174735f6d697c3c;
const IM_START_HIGH: u64 = 0x3e7c74726174735f;
const CHANNEL_LOW: u64 = 0x656e6e6168637c3c;
const CHANNEL_HIGH: u32 = 0x3e7c6c65;
const MESSAGE_LOW: u64 = 0x67617373656d7c3c;
const MESSAGE_HIGH: u32 = 0x3e7c6567;
/** `user<|me`, `essage|>`, `assistan`, `t<|chann`, `el|>fina`, `el|>anal`, `ysis<|me`, `l<|messa`. */
const USER_MESSAGE: u64 = 0x656d7c3c72657375;
const ESSAGE: u64 = 0x3e7c656761737365;
const ASSISTAN: u64 = 0x6e61747369737361;
const T_CHANN: u64 = 0x6e6e6168637c3c74;
const EL_FINA: u64 = 0x616e69663e7c6c65;
const EL_ANAL: u64 = 0x6c616e613e7c6c65;
const YSIS_ME: u64 = 0x656d7c3c73697379;
const L_MESSA: u64 = 0x617373656d7c3c6c;
const END_7: u64 = 0x003e7c646e657c3c;

// @ts-ignore: decorator
@inline
function write(at: usize, kind: i32, from: i32, to: i32, following: i32): void {
  store<i32>(at, kind);
  store<i32>(at, from, 4);
  store<i32>(at, to, 8);
  store<i32>(at, following, 12);
}

// @ts-ignore: decorator
@inline
function classOf(entry: usize): i32 {
  return <i32>(load<u32>(entry, ENTRY_WORD) & 0xff);
}

// @ts-ignore: decorator
@inline
function tokenBits(entry: usize): i32 {
  return <i32>load<u32>(entry, ENTRY_WORD) & (TOKEN_MASK << TOKEN_SHIFT);
}

/** Where the body ends in what the window holds of it: before a `<` that may begin a token. */
// @ts-ignore: decorator
@inline
function tail(end: usize): usize {
  return !isFinal && load<u8>(end - 1) == 0x3c ? end - 1 : end;
}

/**
 * Scans on from p in state GAP. Answers where the general machine takes over: in a gap, or (IN_BODY) in an open body.
 */
export function scanFast(p: usize): usize {
  return (flags & HAS_LINE) != 0 ? scanLines(p) : scanFrames(p);
}

function scanLines(p: usize): usize {
  return scanMessages(p, true);
}

function scanFrames(p: usize): usize {
  return scanMessages(p, false);
}

/** Compiled twice, for header lines and for header fields: `isLine` is a constant in each. */
// @ts-ignore: decorator
@inline
function scanMessages(p: usize, isLine: bool): usize {
  const end = dataEnd;
  const known = roles;
  const escapes = (flags & HAS_ESCAPE) != 0;
  // The OPEN token: `<|start|>` or `<|im_start|>`, its first and its last 8 bytes (of 9 or 12).
  const opens: u64 = isLine ? IM_START_LOW : START_LOW;
  const opensHigh: u64 = isLine ? IM_START_HIGH : START_HIGH;
  const opensMask: u64 = isLine ? ~0 : 0xffffffffff;
  const opensLength: usize = isLine ? 12 : 9;
  // Position of an address, and number of a row's address, as differences.
  const shift = origin - <i32>window;
  const numbers = numbered - <i32>(table >> 4);
  const tableLimit = tableEnd - STEP;
  const limit = end - ROOM;
  if (end - window <= ROOM) return p;
  let at = next;
  let message: usize = 0;
  while (p < limit && at < tableLimit) {
    const start = load<u8>(p) == 0x0a ? p + 1 : p;
    if (load<u64>(start) != opens || (load<u64>(start, 4) & opensMask) != opensHigh) break;
    const words = start + opensLength;
    let q = words;
    let bits = PLAIN;
    let row = at + 16;
    let entry: usize = 0;
    // The three headers that most messages have, compared whole: the processor guesses which and runs ahead.
    if (!isLine && load<u64>(words) == USER_MESSAGE && load<u64>(words, 7) == ESSAGE) {
      bits |= USER << ROLE_SHIFT;
      q = words + 15;
    } else if (!isLine && load<u64>(words) == ASSISTAN && load<u64>(words, 8) == T_CHANN
      && load<u64>(words, 16) == EL_FINA
      && load<u64>(words, 24) == L_MESSA && load<u32>(words, 32) == MESSAGE_HIGH) {
      bits |= (ASSISTANT << ROLE_SHIFT) | (FINAL << CHANNEL_SHIFT);
      q = words + 36;
      write(
        row, FIELD | (CHANNEL << TOKEN_SHIFT), <i32>words + 9 + shift, <i32>words + 25 + shift,
        <i32>(row >> 4) + numbers + 1,
      );
      row += 16;
    } else if (!isLine && load<u64>(words) == ASSISTAN && load<u64>(words, 8) == T_CHANN
      && load<u64>(words, 16) == EL_ANAL
      && load<u64>(words, 24) == YSIS_ME && load<u64>(words, 31) == ESSAGE) {
      bits |= (ASSISTANT << ROLE_SHIFT) | (ANALYSIS << CHANNEL_SHIFT);
      q = words + 39;
      write(
        row, FIELD | (CHANNEL << TOKEN_SHIFT), <i32>words + 9 + shift, <i32>words + 28 + shift,
        <i32>(row >> 4) + numbers + 1,
      );
      row += 16;
    } else {
      const role = roleAt(words);
      if (((known >> wordId(role)) & 1) == 0 || (wordId(role) == 0 && load<u64>(words) != FUNCTION_8)) break;
      q = words + wordLength(role);
      bits |= wordId(role) << ROLE_SHIFT;
      if (isLine) {
        if (load<u8>(q) != 0x0a) break;
        q++;
      } else {
        // `simple`: the start field is a role and nothing else; otherwise readWords has read it.
        let simple = true;
        if (load<u16>(q) != PAIR) {
          q = findPairNear(q, end);
          if (q == 0 || q - words > <usize>PLAIN_BYTES || (escapes && load<u8>(q - 1) == 0x3c)) break;
          beginWords(true);
          readWords(START_WORDS, words, q, known);
          if (!plain) break;
          bits = plainBits();
          simple = false;
        }
        if (load<u64>(q) == CHANNEL_LOW && load<u32>(q, 7) == CHANNEL_HIGH) {
          const text = q + 11;
          const channel = channelAt(text);
          let behind = text + wordLength(channel);
          if (wordId(channel) == 0 || load<u16>(behind) != PAIR) {
            behind = findPairNear(text, end);
            if (behind == 0 || behind - text > <usize>PLAIN_BYTES || (escapes && load<u8>(behind - 1) == 0x3c)) break;
            if (simple) {
              beginWords(true);
              readWords(START_WORDS, words, q, known);
              simple = false;
            }
            readWords(CHANNEL_WORDS, text, behind, known);
            if (!plain) break;
            bits = plainBits();
          } else {
            bits |= wordId(channel) << CHANNEL_SHIFT;
          }
          write(
            row, FIELD | (CHANNEL << TOKEN_SHIFT), <i32>q + shift, <i32>behind + shift, <i32>(row >> 4) + numbers + 1,
          );
          row += 16;
          q = behind;
        }
        if (load<u64>(q) != MESSAGE_LOW || load<u32>(q, 7) != MESSAGE_HIGH) {
          entry = classify(q);
          if (entry == 0 || classOf(entry) != CLASS_NAME || tokenBits(entry) != CONSTRAIN << TOKEN_SHIFT) break;
          const from = q;
          const text = q + 13;
          if (load<u32>(text) == JSON_4 && load<u16>(text, 4) == PAIR) {
            q = text + 4;
          } else {
            q = findPairNear(text, end);
            if (q == 0 || q - text > <usize>PLAIN_BYTES || (escapes && load<u8>(q - 1) == 0x3c)) break;
            if (simple) beginWords(true);
            readWords(CONSTRAIN_WORDS, text, q, known);
            if (!plain) break;
          }
          write(
            row, FIELD | (CONSTRAIN << TOKEN_SHIFT), <i32>from + shift, <i32>q + shift, <i32>(row >> 4) + numbers + 1,
          );
          row += 16;
          if (load<u64>(q) != MESSAGE_LOW || load<u32>(q, 7) != MESSAGE_HIGH) break;
        }
        q += 11;
      }
    }
    if (q > end) break;
    // The header is whole: the message and its body begin.
    const body = row;
    const bodyFrom = <i32>q + shift;
    row += 16;
    let c: usize = 0;
    let open = false;
    let closing = 0;
    while (true) {
      c = findPairHere(q, end);
      if (c == 0) {
        c = tail(end);
        open = true;
        break;
      }
      if (
        (load<u64>(c) & 0xffffffffffffff) == END_7 && c + 7 <= end && !isLine && !(escapes && load<u8>(c - 1) == 0x3c)
      ) {
        q = c + 7;
        closing = END << TOKEN_SHIFT;
        break;
      }
      entry = classify(c);
      const after = c + (entry == 0 ? 2 : load<u32>(entry, ENTRY_LENGTH));
      if (entry == 0 ? c + 20 > end : after > end) {
        open = true;
        break;
      }
      q = after;
      if (entry == 0) continue;
      const tokenClass = classOf(entry);
      if (tokenClass == CLASS_NONE) continue;
      let kind = tokenClass == CLASS_INNER || tokenClass == CLASS_FILE ? MARK : STRAY;
      let from = <i32>c + shift;
      if (kind != MARK && escapes && load<u8>(c - 1) == 0x3c) {
        kind = ESCAPE;
        from--;
      } else if (tokenClass == CLASS_CLOSE) {
        closing = tokenBits(entry);
        break;
      } else if (tokenClass == CLASS_OPEN || tokenClass == CLASS_RAW) {
        open = true;
        break;
      }
      if (row >= tableLimit) {
        open = true;
        break;
      }
      write(row, kind | tokenBits(entry), from, <i32>q + shift, <i32>(row >> 4) + numbers + 1);
      row += 16;
    }
    message = at;
    if (open) {
      write(at, MESSAGE | bits, <i32>start + shift, 0, 0);
      write(body, BODY, bodyFrom, 0, 0);
      setBody(body);
      setState(IN_BODY);
      at = row;
      p = c;
      break;
    }
    const following = <i32>(row >> 4) + numbers;
    write(at, MESSAGE | bits | closing, <i32>start + shift, <i32>q + shift, following);
    write(body, BODY, bodyFrom, <i32>c + shift, following);
    at = row;
    p = q;
  }
  if (message != 0) {
    setNext(at);
    setMessage(message);
    setText(0);
    setFirst(false);
    setNewline(false);
  }
  return p;
}
