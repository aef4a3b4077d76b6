// What stands between messages: white space, stray text, BOS and EOS, file tokens, stray tokens, and document headers.
//
// The simple version of a gap is: skip white space; at a token that opens a message, leave; anything else is a row.
// The rest of this file is about lines, because at the beginning of a line a document header may open (R-HEADER-END).
// Each function takes the address where it stands and returns the one where it stopped; `state` tells why it stopped:
// a state of another function, or the same one when the window has run out.

import {
  AT_START, BOS, BOUND, BRACKET_BOS, BRACKET_EOS, CLASS_CLOSE, CLASS_FILE, CLASS_INNER, CLASS_NONE, CLASS_OPEN,
  ENDS_HEADER, ENTRY_LENGTH, ENTRY_WORD, EOS, FILE, HAS_ESCAPE, HAS_HEADERS, HEADER, LONGEST_TOKEN, NEXT,
  OPENS_IMPLIED, STRAY, TEXT, TO, TOKEN_SHIFT, TRAILING, UNDECIDED_LINE,
} from '../src/abi';
import { openMessage } from './frame';
import {
  close, header, leaf, message, next, nextNumber, open, setHeader, setMessage, setText, tableEnd, text,
} from './rows';
import {
  dataEnd, first, flags, GAP, GAP_DASHES, GAP_KEY, hadContent, HEADER_LINE, HEADER_MARKER, HEADER_REST, isFinal,
  lineContent, lineFrom, newline, position, setFirst, setHadContent, setLineContent, setLineFrom, setNewline, setState,
  window,
} from './state';
import { classify, mayBeToken } from './tokens';
import { isBlank } from './words';

const LF: u32 = 0x0a;
const LT: u32 = 0x3c;

/** True when the token at q is text because a `<` stands before it. The byte before the window is kept. */
// @ts-ignore: decorator
@inline
export function isEscaped(q: usize): bool {
  return (flags & HAS_ESCAPE) != 0 && load<u8>(q - 1) == LT;
}

/** True when a token may begin at q but the window ends before that is sure. */
export function isCut(q: usize): bool {
  return !isFinal && dataEnd - q < <usize>LONGEST_TOKEN && mayBeToken(q, dataEnd);
}

/** Entry of the whole token at q, or 0. */
export function tokenAt(q: usize): usize {
  const entry = classify(q);
  return entry != 0 && q + load<u32>(entry, ENTRY_LENGTH) <= dataEnd ? entry : 0;
}

/**
 * Something that is not white space: a run of blanks at the start is over, and a message can no longer be lengthened.
 */
function interrupt(): void {
  setFirst(false);
  setNewline(false);
  setMessage(0);
}

/** Bytes [p, to) are stray text. */
function addText(p: usize, to: usize): void {
  interrupt();
  if (text == 0) setText(leaf(TEXT, position(p), position(to)));
  else store<i32>(text, position(to), TO << 2);
}

/** A row for a token that is none of a message's; text before it ends. */
function addToken(kind: i32, id: i32, p: usize, length: u32): usize {
  interrupt();
  setText(0);
  leaf(kind | (id << TOKEN_SHIFT), position(p), position(p) + <i32>length);
  return p + length;
}

/** Compares ASCII bytes at p with up to 8 bytes of `word`: 0 different, 1 equal, -1 equal as far as the window goes. */
function match(p: usize, word: u64, length: usize): i32 {
  const available = dataEnd - p;
  const compared = available < length ? available : length;
  for (let i: usize = 0; i < compared; i++) {
    if (load<u8>(p + i) != <u8>(word >> (<u64>i << 3))) return 0;
  }
  return compared == length ? 1 : isFinal ? 0 : -1;
}

const DASHES: u64 = 0x2d2d2d;
const DOTS: u64 = 0x2e2e2e;
const VERSION: u64 = 0x6e6f6973726576; // `version`
const BOS_TEXT: u64 = 0x3e733c; // `<s>`
const EOS_TEXT: u64 = 0x3e732f3c; // `</s>`
const BRACKET_BOS_TEXT: u64 = 0x5d534f425b; // `[BOS]`
const BRACKET_EOS_TEXT: u64 = 0x5d534f455b; // `[EOS]`

function isKeyByte(byte: u32): bool {
  const letter = byte | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || byte == 0x5f || byte == 0x2d || (byte >= 0x30 && byte <= 0x39);
}

function isKeyStart(byte: u32): bool {
  return isKeyByte(byte) && byte != 0x2d && !(byte >= 0x30 && byte <= 0x39);
}

/** Opens a document header whose first line began at `lineFrom`. */
function openHeader(lineState: i32, content: i32): void {
  const atStart = first;
  interrupt();
  setText(0);
  setHeader(open(atStart ? HEADER | AT_START : HEADER, lineFrom + position(window)));
  setHadContent(content == 2);
  setLineContent(content);
  setState(lineState);
}

/**
 * At the beginning of a line that may open a header. Returns the new place, p when the window ends too early, or 0: it
 * opens none.
 */
function headerLine(p: usize, byte: u32): usize {
  if (byte == 0x2d) {
    const dashes = match(p, DASHES, 3);
    if (dashes == 0) return 0;
    if (dashes < 0) return p;
    setLineFrom(<i32>(p - window));
    setState(GAP_DASHES);
    return p + 3;
  }
  if (first) {
    if (byte != 0x23 && !isKeyStart(byte)) return 0;
    setLineFrom(<i32>(p - window));
    if (byte == 0x23) openHeader(HEADER_REST, 1);
    else setState(GAP_KEY);
    return p + 1;
  }
  if (byte != 0x76) return 0;
  const version = match(p, VERSION, 7);
  if (version == 0) return 0;
  // Then a colon, then white space or the end of input.
  if (version < 0 || p + 7 == dataEnd) return isFinal ? 0 : p;
  if (load<u8>(p, 7) != 0x3a) return 0;
  if (p + 8 == dataEnd) {
    if (!isFinal) return p;
  } else if (!isBlank(load<u8>(p, 8))) return 0;
  setLineFrom(<i32>(p - window));
  openHeader(HEADER_REST, 2);
  return p + 8;
}

/** State GAP. */
export function scanGap(p: usize): usize {
  while (p < dataEnd) {
    const byte = <u32>load<u8>(p);
    if (isBlank(byte)) {
      setNewline(byte == LF);
      p++;
      continue;
    }
    if (next + 64 > tableEnd) return p;
    if (newline && (flags & HAS_HEADERS) != 0) {
      const stop = headerLine(p, byte);
      if (stop != 0) return stop;
    }
    if (byte == LT) {
      const following = p + 1 < dataEnd ? <u32>load<u8>(p, 1) : 0;
      if (p + 1 == dataEnd && !isFinal) return p;
      if (following == 0x7c) {
        const entry = tokenAt(p);
        if (entry != 0) {
          const length = load<u32>(entry, ENTRY_LENGTH);
          const word = load<u32>(entry, ENTRY_WORD);
          const tokenClass = <i32>(word & 0xff);
          const id = <i32>(word >> TOKEN_SHIFT) & 0x1f;
          if (tokenClass == CLASS_NONE || tokenClass == CLASS_INNER) {
            addText(p, p + length);
            p += length;
          } else if (tokenClass == CLASS_OPEN) {
            return openMessage(p, entry, 0);
          } else if ((word & OPENS_IMPLIED) != 0) {
            return openMessage(p, 0, first ? AT_START : 0);
          } else if (tokenClass == CLASS_CLOSE && message != 0) {
            leaf(TRAILING | (id << TOKEN_SHIFT), position(p), position(p) + <i32>length);
            p += length;
            store<i32>(message, position(p), TO << 2);
            store<i32>(message, nextNumber(), NEXT << 2);
            setNewline(false);
          } else {
            p = addToken(tokenClass == CLASS_FILE ? FILE : STRAY, id, p, length);
          }
          continue;
        }
        if (isCut(p)) return p;
      } else if (following == 0x73 || following == 0x2f) {
        const bos = following == 0x73 ? match(p, BOS_TEXT, 3) : match(p, EOS_TEXT, 4);
        if (bos < 0) return p;
        if (bos > 0) {
          p = following == 0x73 ? addToken(BOUND, BOS, p, 3) : addToken(BOUND, EOS, p, 4);
          continue;
        }
      }
    } else if (byte == 0x5b) {
      const bos = match(p, BRACKET_BOS_TEXT, 5);
      const eos = match(p, BRACKET_EOS_TEXT, 5);
      if (bos < 0 || eos < 0) return p;
      if (bos > 0 || eos > 0) {
        p = addToken(BOUND, bos > 0 ? BRACKET_BOS : BRACKET_EOS, p, 5);
        continue;
      }
    }
    // Stray text: on to the next byte that may mean something.
    const from = p++;
    let to = p;
    while (p < dataEnd) {
      const further = <u32>load<u8>(p);
      if (further == LT || further == LF || further == 0x5b) break;
      p++;
      if (!isBlank(further)) to = p;
    }
    addText(from, to);
  }
  return p;
}

/** State GAP_KEY: letters of a first line that may turn out to be `key:`. */
export function scanKey(p: usize): usize {
  if (lineFrom < -UNDECIDED_LINE) return takeLine(p);
  while (p < dataEnd && isKeyByte(load<u8>(p))) p++;
  if (p == dataEnd && !isFinal) return p;
  if (p < dataEnd && load<u8>(p) == 0x3a) {
    if (p + 1 == dataEnd && !isFinal) return p;
    if (p + 1 == dataEnd || isBlank(load<u8>(p, 1))) {
      openHeader(HEADER_REST, 2);
      return p + 1;
    }
  }
  return takeLine(p);
}

/** The line so far is text. */
function takeLine(p: usize): usize {
  setState(GAP);
  addText(window + <isize>lineFrom, p);
  return p;
}

/** State GAP_DASHES: blanks after `---`. */
export function scanDashes(p: usize): usize {
  if (lineFrom < -UNDECIDED_LINE) return takeLine(p);
  while (p < dataEnd) {
    const byte = <u32>load<u8>(p);
    if (byte == LF) {
      openHeader(HEADER_LINE, 0);
      return p + 1;
    }
    if (!isBlank(byte)) {
      setState(GAP);
      addText(window + <isize>lineFrom, window + <isize>lineFrom + 3);
      return p;
    }
    p++;
  }
  if (isFinal) openHeader(HEADER_LINE, 0);
  return p;
}

/** Ends the document header before p. */
function closeHeader(p: usize): usize {
  close(header, 0, position(p));
  setHeader(0);
  setNewline(true);
  setState(GAP);
  return p;
}

/** First byte from p on that is an LF or a `<`, or `end`. */
function lineStop(p: usize, end: usize): usize {
  if (ASC_FEATURE_SIMD) {
    const lf = i8x16.splat(<i8>LF);
    const lt = i8x16.splat(<i8>LT);
    while (p + 16 <= end) {
      const block = v128.load(p);
      const mask = i8x16.bitmask(v128.or(i8x16.eq(block, lf), i8x16.eq(block, lt)));
      if (mask != 0) return p + <usize>ctz<i32>(mask);
      p += 16;
    }
  }
  while (p < end) {
    const byte = <u32>load<u8>(p);
    if (byte == LF || byte == LT) break;
    p++;
  }
  return p;
}

/** States HEADER_LINE, HEADER_REST and HEADER_MARKER: to the end of the document header, or of the window. */
export function scanHeader(p: usize, state: i32): usize {
  while (p < dataEnd) {
    const byte = <u32>load<u8>(p);
    if (state == HEADER_LINE) {
      if (byte == LT && p + 1 < dataEnd && load<u8>(p, 1) == 0x7c) {
        const entry = tokenAt(p);
        if (entry != 0 && (load<u32>(entry, ENTRY_WORD) & ENDS_HEADER) != 0) return closeHeader(p);
        if (entry == 0 && isCut(p)) break;
      } else if (byte == LT && p + 1 == dataEnd && !isFinal) {
        break;
      } else if (byte == 0x2d || byte == 0x2e) {
        const marker = match(p, byte == 0x2d ? DASHES : DOTS, 3);
        if (marker < 0) break;
        if (marker > 0) {
          state = HEADER_MARKER;
          p += 3;
          continue;
        }
      }
      state = HEADER_REST;
      setLineContent(0);
      continue;
    }
    if (state == HEADER_MARKER) {
      if (byte == LF) {
        p++;
        if (hadContent) return closeHeader(p);
        state = HEADER_LINE;
      } else if (isBlank(byte)) {
        p++;
      } else {
        state = HEADER_REST;
        setLineContent(2);
        setHadContent(true);
      }
      continue;
    }
    if (byte == LF) {
      state = HEADER_LINE;
    } else if (!isBlank(byte)) {
      if (lineContent == 0) {
        setLineContent(byte == 0x23 ? 1 : 2);
        if (byte != 0x23) setHadContent(true);
      }
      if (byte == LT) {
        const entry = p + 1 == dataEnd || load<u8>(p, 1) == 0x7c ? tokenAt(p) : 0;
        if (entry != 0 && (load<u32>(entry, ENTRY_WORD) & 0xff) == CLASS_OPEN) {
          const after = p + load<u32>(entry, ENTRY_LENGTH);
          if (after == dataEnd && !isFinal) break;
          const letter = after < dataEnd ? <u32>load<u8>(after) | 0x20 : 0;
          if (letter >= 0x61 && letter <= 0x7a) return closeHeader(p);
        } else if (entry == 0 && (p + 1 == dataEnd || load<u8>(p, 1) == 0x7c) && isCut(p)) {
          break;
        }
      }
      p = lineStop(p + 1, dataEnd);
      continue;
    }
    p++;
  }
  setState(state);
  if (p == dataEnd && isFinal) closeHeader(p);
  return p;
}
