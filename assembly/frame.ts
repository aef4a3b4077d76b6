// Message frames: start token, fields, body, literal blocks, terminator.
//
// The simple version: after an OPEN token read fields until a TEXT token, then the body until a CLOSE token. What makes
// it longer is that every token may come where it should not (R-UNCLOSED, R-MISSING-MESSAGE); nothing is ever an error
// here, only a row or a flag.

import {
  BODY, BY_ROLE, CHANNEL, CLASS_CLOSE, CLASS_FILE, CLASS_INNER, CLASS_NAME, CLASS_NONE, CLASS_OPEN,
  CLASS_RAW, CLASS_RAW_END, CLASS_TEXT, ENTRY_LENGTH, ENTRY_WORD, EOF_END, ESCAPE, FIELD, HAS_LINE, IMPLICIT_END,
  IMPLIED, LITERAL, LITERAL_TOKEN, LONGEST_TOKEN, MARK, MESSAGE, NO_BODY_TOKEN, PLAIN_BYTES, STRAY, TOKEN_SHIFT,
  UNTERMINATED,
} from '../src/abi';
import { findPair, findPairNear } from './find';
import { isCut, isEscaped, tokenAt } from './gap';
import {
  body, close, field, leaf, literal, message, next, open, setBody, setField, setLiteral, setMessage, setText, tableEnd,
} from './rows';
import {
  dataEnd, ENDED, fieldText, fieldWords, FIELDS, flags, GAP, IN_BODY, IN_LITERAL, isFinal, LINE, position, roles,
  setFieldText, setFirst, setNewline, setState, state, window,
} from './state';
import {
  beginWords, CHANNEL_WORDS, CONSTRAIN_WORDS, notPlain, plain, plainBits, readWords, START_WORDS,
} from './words';

// @ts-ignore: decorator
@inline
function idOf(word: u32): i32 {
  return <i32>((word >> TOKEN_SHIFT) & 0x1f);
}

/** Opens a message at p: by the OPEN token `entry`, or (entry 0) without one. Returns the address after the token. */
export function openMessage(p: usize, entry: usize, bits: i32): usize {
  setText(0);
  setFirst(false);
  setNewline(false);
  beginWords(entry != 0);
  if (entry == 0) {
    setMessage(open(MESSAGE | (bits == BY_ROLE ? bits : bits | IMPLIED), position(p)));
  } else {
    setMessage(open(MESSAGE, position(p)));
    p += load<u32>(entry, ENTRY_LENGTH);
  }
  setFieldText(START_WORDS, <i32>(p - window));
  setState((flags & HAS_LINE) != 0 ? LINE : FIELDS);
  return p;
}

/** Opens the body of a message at p. */
export function openBody(p: usize): void {
  setBody(open(BODY, position(p)));
  setState(IN_BODY);
}

/** Ends the field that is being read (and its row, when it has one) before p. */
// @ts-ignore: decorator
@inline
function closeField(p: usize): void {
  if (plain) readWords(fieldWords, window + <isize>fieldText, p, roles);
  if (field != 0) {
    close(field, 0, position(p));
    setField(0);
  }
}

/** A message without a body token has an empty body before what ended it. */
// @ts-ignore: decorator
@inline
function emptyBody(p: usize): void {
  leaf(BODY, position(p), position(p));
}

/** A CLOSE token at p ends the message; trailing ones may still come. */
// @ts-ignore: decorator
@inline
function closeMessage(p: usize, word: u32, length: u32, bits: i32): usize {
  const after = p + length;
  close(message, bits | (idOf(word) << TOKEN_SHIFT), position(after));
  setState(GAP);
  return after;
}

/** An OPEN token at p ends the message and opens the next one. */
function closeImplicitly(p: usize, entry: usize, bits: i32): usize {
  close(message, bits | IMPLICIT_END, position(p));
  return openMessage(p, entry, 0);
}

/** Where to stop at the window's end: before a `<` that may begin a token. */
// @ts-ignore: decorator
@inline
function tail(p: usize): usize {
  return !isFinal && dataEnd > p && load<u8>(dataEnd - 1) == 0x3c ? dataEnd - 1 : dataEnd;
}

/** The window ends in a header field: keep the field while it may be plain. */
function keepField(stop: usize): usize {
  const from = window + <isize>fieldText;
  if (isFinal || !plain) return stop;
  if (dataEnd - from <= <usize>(PLAIN_BYTES + LONGEST_TOKEN)) return from;
  notPlain();
  return stop;
}

/** State FIELDS. */
export function scanFields(p: usize): usize {
  while (true) {
    if (next + 64 > tableEnd) return plain ? window + <isize>fieldText : p;
    const q = findPairNear(p, dataEnd);
    if (q == 0) return keepField(tail(p));
    const entry = tokenAt(q);
    if (entry == 0) {
      if (isCut(q)) return keepField(q);
      p = q + 2;
      continue;
    }
    const word = load<u32>(entry, ENTRY_WORD);
    const length = load<u32>(entry, ENTRY_LENGTH);
    const tokenClass = <i32>(word & 0xff);
    p = q + length;
    if (tokenClass == CLASS_NONE) continue;
    if (tokenClass == CLASS_INNER || tokenClass == CLASS_FILE) {
      notPlain();
      leaf(MARK | (idOf(word) << TOKEN_SHIFT), position(q), position(p));
    } else if (isEscaped(q) && <i32>(q - window) > fieldText) {
      notPlain();
      leaf(ESCAPE | (idOf(word) << TOKEN_SHIFT), position(q) - 1, position(p));
    } else if (tokenClass == CLASS_TEXT) {
      closeField(q);
      store<i32>(message, load<i32>(message) | plainBits());
      openBody(p);
      return p;
    } else if (tokenClass == CLASS_NAME) {
      closeField(q);
      setField(open(FIELD | (idOf(word) << TOKEN_SHIFT), position(q)));
      setFieldText(idOf(word) == CHANNEL ? CHANNEL_WORDS : CONSTRAIN_WORDS, <i32>(p - window));
    } else if (tokenClass == CLASS_RAW || tokenClass == CLASS_RAW_END) {
      notPlain();
      leaf(STRAY | (idOf(word) << TOKEN_SHIFT), position(q), position(p));
    } else {
      closeField(q);
      emptyBody(q);
      return tokenClass == CLASS_OPEN
        ? closeImplicitly(q, entry, NO_BODY_TOKEN)
        : closeMessage(q, word, length, NO_BODY_TOKEN);
    }
  }
}

/** State LINE: a header that ends at the newline. */
export function scanLine(p: usize): usize {
  while (p < dataEnd) {
    const byte = <u32>load<u8>(p);
    if (byte == 0x0a) {
      closeField(p);
      store<i32>(message, load<i32>(message) | plainBits());
      openBody(p + 1);
      return p + 1;
    }
    if (byte == 0x3c && p + 1 == dataEnd && !isFinal) return keepField(p);
    if (byte == 0x3c && p + 1 < dataEnd && load<u8>(p, 1) == 0x7c) {
      const entry = tokenAt(p);
      if (entry != 0) {
        const word = load<u32>(entry, ENTRY_WORD);
        const tokenClass = <i32>(word & 0xff);
        if (tokenClass == CLASS_OPEN || tokenClass == CLASS_CLOSE) {
          emptyBody(p);
          return tokenClass == CLASS_OPEN
            ? closeImplicitly(p, entry, NO_BODY_TOKEN)
            : closeMessage(p, word, load<u32>(entry, ENTRY_LENGTH), NO_BODY_TOKEN);
        }
        store<i32>(message, load<i32>(message) | NO_BODY_TOKEN);
        openBody(p);
        return p;
      }
      if (isCut(p)) return keepField(p);
    }
    p++;
  }
  return keepField(p);
}

/** State IN_BODY. */
export function scanBody(p: usize): usize {
  while (true) {
    const q = findPair(p, dataEnd);
    if (q == 0) return tail(p);
    const entry = tokenAt(q);
    if (entry == 0) {
      if (isCut(q)) return q;
      p = q + 2;
      continue;
    }
    if (next + 64 > tableEnd) return q;
    const word = load<u32>(entry, ENTRY_WORD);
    const length = load<u32>(entry, ENTRY_LENGTH);
    const tokenClass = <i32>(word & 0xff);
    p = q + length;
    if (tokenClass == CLASS_CLOSE) {
      if (isEscaped(q)) {
        leaf(ESCAPE | (idOf(word) << TOKEN_SHIFT), position(q) - 1, position(p));
        continue;
      }
      close(body, 0, position(q));
      setBody(0);
      return closeMessage(q, word, length, 0);
    }
    if (tokenClass == CLASS_NONE) continue;
    if (tokenClass == CLASS_INNER || tokenClass == CLASS_FILE) {
      leaf(MARK | (idOf(word) << TOKEN_SHIFT), position(q), position(p));
    } else if (isEscaped(q)) {
      leaf(ESCAPE | (idOf(word) << TOKEN_SHIFT), position(q) - 1, position(p));
    } else if (tokenClass == CLASS_OPEN) {
      close(body, 0, position(q));
      setBody(0);
      return closeImplicitly(q, entry, 0);
    } else if (tokenClass == CLASS_RAW) {
      setLiteral(open(LITERAL | (LITERAL_TOKEN << TOKEN_SHIFT), position(q)));
      setState(IN_LITERAL);
      return p;
    } else {
      leaf(STRAY | (idOf(word) << TOKEN_SHIFT), position(q), position(p));
    }
  }
}

/** State IN_LITERAL: opaque to the first RAW_END token. */
export function scanLiteral(p: usize): usize {
  while (true) {
    const q = findPair(p, dataEnd);
    if (q == 0) return tail(p);
    const entry = tokenAt(q);
    if (entry == 0) {
      if (isCut(q)) return q;
      p = q + 2;
    } else {
      p = q + load<u32>(entry, ENTRY_LENGTH);
      if ((load<u32>(entry, ENTRY_WORD) & 0xff) == CLASS_RAW_END) {
        close(literal, 0, position(p));
        setLiteral(0);
        setState(IN_BODY);
        return p;
      }
    }
  }
}

/** The input has ended: closes what is open. */
export function finish(): void {
  const end = position(dataEnd);
  if (state == IN_LITERAL) {
    close(literal, UNTERMINATED, end);
    setLiteral(0);
  }
  if (state == IN_LITERAL || state == IN_BODY) {
    close(body, 0, end);
    setBody(0);
    close(message, EOF_END, end);
  } else if (state == FIELDS || state == LINE) {
    if (field != 0) {
      close(field, 0, end);
      setField(0);
    }
    emptyBody(dataEnd);
    close(message, EOF_END | NO_BODY_TOKEN, end);
  }
  setMessage(0);
  setText(0);
  setState(ENDED);
}
