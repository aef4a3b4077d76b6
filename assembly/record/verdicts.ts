// Verdicts of `filter`, one line for each record of which no error is to be told: what src/corpus/jobs/verdict.ts
// writes of it.

import {
  CALL, HAS_DEVELOPER, RECORD_ROWS, ROW_BYTES, SLOW, TOKEN_MASK, TOKEN_SHIFT, TOOLS_ASK, TOOLS_NONE,
} from '../../src/abi';
import { copy, writeNumber } from '../text-line';
import { hasOpen, markOpen, rowAt, statusOf } from './calls';
import { hasMisfits, hasMismatches, isClean, markRecord, sidesOf, thoughts, UNSURE } from './check';
import { QUOTE, SEEN_CODE, SEEN_LONE } from './text';

// @ts-ignore: decorator
@lazy const NUMBER: usize = memory.data<u8>([123, 34, 110, 34, 58, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 16); // {"n":
// @ts-ignore: decorator
@lazy const ID: usize = memory.data<u8>([44, 34, 105, 100, 34, 58, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 16); // ,"id":
// @ts-ignore: decorator
@lazy const OK: usize = memory.data<u8>([
  44, 34, 111, 107, 34, 58, 116, 114, 117, 101, 44, 34, 109, 101, 115, 115, 97, 103, 101, 115, 34, 58, 0, 0, 0, 0, 0, 0,
  0, 0, 0, 0,
], 16); // ,"ok":true,"messages":
// ,"calls":
// @ts-ignore: decorator
@lazy const CALLS: usize = memory.data<u8>([44, 34, 99, 97, 108, 108, 115, 34, 58, 0, 0, 0, 0, 0, 0, 0], 16);
// ,"err":[]}
// @ts-ignore: decorator
@lazy const END: usize = memory.data<u8>([44, 34, 101, 114, 114, 34, 58, 91, 93, 125, 10, 0, 0, 0, 0, 0], 16);

/** Bytes of a line besides its id. */
const MOST: usize = 160;

let out: usize = 0;
/** Where the verdicts end that were written. */
export function verdictsTo(): usize { return out; }

/** An integer as every writer has it, of few digits. */
export function isPlainInteger(p: usize, to: usize): bool {
  if (load<u8>(p) == 0x2d) p++;
  if (to - p > 15 || p == to || (load<u8>(p) == 0x30 && (to - p > 1 || load<u8>(p - 1) == 0x2d))) return false;
  for (; p < to; p++) if (<u32>load<u8>(p) - 0x30 >= 10) return false;
  return true;
}

/**
 * Writes the verdicts of the records from row `record` on, below row `end`, into [q, limit), and answers where it
 * stopped: before a record that is SLOW or HAS_MARKED, as by `checkRecords`, that does not stand on the line after the
 * one before (`line`: the one on which the first must stand), or for which there is no room. `base`: number of line 0.
 * `onlyErrors`: nothing else is told.
 */
export function writeVerdicts(
  record: u32, end: u32, q: usize, limit: usize, line: u32, base: f64, onlyErrors: bool,
): u32 {
  out = q;
  for (; record < end; line++) {
    const at = rowAt(record);
    const next = load<u32>(at, 12);
    const tools = at + ROW_BYTES;
    const status = statusOf(tools);
    if ((load<u32>(at) & SLOW) != 0 || status == TOOLS_ASK || load<u32>(tools, 12) != line) return record;
    const id = tools + ROW_BYTES;
    const from = <usize>load<u32>(id, 4);
    const to = <usize>load<u32>(id, 8);
    if (q + MOST + (to - from) > limit) return record;
    if (!isClean(at, rowAt(next)) || (!onlyErrors && thoughts >= UNSURE)) {
      store<u32>(at, load<u32>(at) | SLOW);
      return record;
    }
    if (hasMisfits || hasMismatches || (!onlyErrors && (hasOpen() || thoughts != 0))) {
      markOpen();
      markRecord(at);
      return record;
    }
    q = writeNumber(copy(q, NUMBER, NUMBER + 5), base + <f64>line);
    if (from != 0) {
      const byte = <u32>load<u8>(from);
      const isText = byte == QUOTE && (load<u32>(id) & ((SEEN_CODE | SEEN_LONE) << 8)) == 0;
      const isNumber = byte == 0x2d || byte - 0x30 < 10;
      if (isText || (isNumber && isPlainInteger(from, to))) q = copy(copy(q, ID, ID + 6), from, to);
      else if (byte == QUOTE || isNumber) {
        store<u32>(at, load<u32>(at) | SLOW);
        return record;
      }
    }
    let messages: u32 = 0;
    let calls: u32 = 0;
    for (let row = at + RECORD_ROWS * ROW_BYTES; row < rowAt(next); row = rowAt(load<u32>(row, 12))) {
      messages++;
      if (((load<u32>(row) >> TOKEN_SHIFT) & TOKEN_MASK) == CALL) calls++;
    }
    if (status != TOOLS_NONE && (load<u32>(at) & HAS_DEVELOPER) == 0) messages += sidesOf(at);
    q = writeNumber(copy(q, OK, OK + 22), messages);
    q = writeNumber(copy(q, CALLS, CALLS + 9), calls);
    q = copy(q, END, END + 11);
    out = q;
    record = next;
  }
  return record;
}
