// The exports of the scanner of rows, which is all that reading takes. README.md specifies the table and the calls.

import {
  AFTER_HEADER, AT_INPUT, AT_ROLE, BY_ROLE, CLASS_OPEN, DONE, ENTRY_WORD, FULL, HAS_LINE, IN_GAP, STOPS_AT_HEADER,
} from '../src/abi';
import { scanFast } from './fast';
import { finish, openBody, openMessage, scanBody, scanFields, scanLine, scanLiteral } from './frame';
import { isCut, scanDashes, scanGap, scanHeader, scanKey, tokenAt } from './gap';
import {
  clearRows, drainRows, header, message, next, nextNumber, numberOf, placeTable, restartNumbers, SLOT_ROWS, SLOTS,
  table, tableEnd, text,
} from './rows';
import {
  AT_BEGIN, AT_ROLE_BEGIN, AT_ROLE_BLANK, dataEnd, FIELDS, flags, GAP, GAP_DASHES, GAP_KEY, HEADER_LINE, HEADER_MARKER,
  HEADER_REST, IN_BODY, IN_LITERAL, isFinal, LINE, lineFrom, placeWindow, readDialect, setFirst, setHadContent,
  setInput, setLineContent, setLineFrom, setNewline, setState, slidePositions, state, window,
} from './state';
import { DIALECT } from './tokens';
import { isBlank, makeWords } from './words';

/** First byte that the host may use for window and table; addresses of the fixed parts. */
export function memoryFrom(): usize { return __heap_base; }
export function dialectAt(): usize { return DIALECT; }
export function slotsAt(): usize { return SLOTS; }
export function slotRowsAt(): usize { return SLOT_ROWS; }

/** Whether this build searches with SIMD. */
export function usesSimd(): bool { return ASC_FEATURE_SIMD; }

/** Window and table, both 16-byte aligned; the byte before the window belongs to it. */
export function place(windowAt: usize, tableAt: usize, tableTo: usize): void {
  makeWords();
  placeWindow(windowAt);
  placeTable(tableAt, tableTo);
}

let consumedBytes: i32 = 0;

export function begin(how: i32): void {
  clearRows();
  readDialect();
  store<u8>(window - 1, 0);
  setFirst(how != IN_GAP);
  setNewline(how == AT_INPUT);
  setHadContent(false);
  setLineContent(0);
  setLineFrom(0);
  consumedBytes = 0;
  setState(how == AT_INPUT ? AT_BEGIN : how == AT_ROLE ? AT_ROLE_BEGIN : GAP);
}

export function setDialect(): void {
  readDialect();
}

/** Skips a byte order mark. False when the window ends in one. */
function skipByteOrderMark(p: usize): usize {
  const marks: u32 = 0xbfbbef;
  let same: usize = 0;
  while (same < 3 && p + same < dataEnd && load<u8>(p + same) == <u8>(marks >> (<u32>same << 3))) same++;
  if (same == 3) return p + 3;
  return p + same == dataEnd && same > 0 && !isFinal ? 0 : p;
}

/** States AT_ROLE_*: what a caller's role begins with. */
function scanRole(p: usize): usize {
  while (p < dataEnd && isBlank(load<u8>(p))) p++;
  if (p == dataEnd) return p;
  if (load<u8>(p) == 0x3c) {
    if (p + 1 == dataEnd) {
      if (!isFinal) return p;
    } else if (load<u8>(p, 1) == 0x7c) {
      const entry = tokenAt(p);
      if (entry != 0 && (load<u32>(entry, ENTRY_WORD) & 0xff) == CLASS_OPEN) {
        setFirst(false);
        setNewline(false);
        setState(GAP);
        return p;
      }
      if (entry == 0 && isCut(p)) return p;
    }
  }
  if ((flags & HAS_LINE) != 0) {
    const from = window + <isize>lineFrom;
    openMessage(from, 0, BY_ROLE);
    openBody(from);
  } else {
    openMessage(p, 0, BY_ROLE);
  }
  return p;
}

/**
 * Scans window bytes [from, length). One state after the other, until one makes no progress: then the window has run
 * out, or the table is full.
 */
export function scan(from: i32, length: i32, final: bool, origin: i32): i32 {
  setInput(length, final, origin);
  let p = window + <usize>from;
  while (p < dataEnd || final) {
    const before = p;
    const was = state;
    switch (was) {
      case IN_BODY: p = scanBody(p); break;
      case FIELDS: p = scanFields(p); break;
      case GAP:
        p = scanFast(p);
        if (state == GAP) p = scanGap(p);
        break;
      case IN_LITERAL: p = scanLiteral(p); break;
      case LINE: p = scanLine(p); break;
      case GAP_KEY: p = scanKey(p); break;
      case GAP_DASHES: p = scanDashes(p); break;
      case HEADER_LINE:
      case HEADER_REST:
      case HEADER_MARKER:
        p = scanHeader(p, was);
        if (header == 0 && (flags & STOPS_AT_HEADER) != 0) {
          consumedBytes = <i32>(p - window);
          return AFTER_HEADER;
        }
        break;
      case AT_BEGIN:
      case AT_ROLE_BEGIN: {
        const after = skipByteOrderMark(p);
        if (after == 0) break;
        p = after;
        setLineFrom(<i32>(p - window));
        setState(was == AT_BEGIN ? GAP : AT_ROLE_BLANK);
        break;
      }
      case AT_ROLE_BLANK: p = scanRole(p); break;
      default: break;
    }
    if (next + 64 > tableEnd) {
      consumedBytes = <i32>(p - window);
      return FULL;
    }
    if (p == before && state == was) break;
  }
  if (final) finish();
  consumedBytes = <i32>(p - window);
  return DONE;
}

export function consumed(): i32 { return consumedBytes; }

export function count(): i32 { return <i32>((next - table) >> 4); }

export function settled(): i32 {
  return message != 0 ? numberOf(message) : text != 0 ? numberOf(text) : header != 0 ? numberOf(header) : nextNumber();
}

export function drain(): void { drainRows(); }

export function restart(kept: i32): void { restartNumbers(kept); }

export function slide(from: i32, length: i32): void {
  if (from == 0) return;
  // The byte before the window is kept: a `<` there escapes a token at the window's beginning.
  const before = load<u8>(window + <usize>from - 1);
  memory.copy(window, window + <usize>from, <usize>(length - from));
  store<u8>(window - 1, before);
  slidePositions(from);
}
