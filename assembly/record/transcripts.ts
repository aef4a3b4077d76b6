// Texts of records that may be transcripts, one after the other, for the scanner of transcripts.

import { ESCAPED, IS_TRANSCRIPT, RECORD_ROWS, ROW_BYTES, SLOW, TOOLS_ASK } from '../../src/abi';
import { copy } from '../text-line';
import { copyString, textTo } from '../text-string';
import { rowAt, statusOf } from './calls';

/** Bytes behind a text that copies write over. */
const SLACK: usize = 256;

/**
 * Writes the texts of the records from row `record` on, below row `end`, into [q, limit), and where each ends to
 * [ends, endsTo). Answers the record before which it stopped: it is none of these, or there was no more room.
 */
export function copyTranscripts(record: u32, end: u32, q: usize, limit: usize, ends: usize, endsTo: usize): u32 {
  while (record < end) {
    const at = rowAt(record);
    const tools = at + ROW_BYTES;
    const isTranscript = (load<u32>(at) & SLOW) == 0 && (load<u32>(tools) & IS_TRANSCRIPT) != 0;
    if (!isTranscript || statusOf(tools) == TOOLS_ASK || ends == endsTo) return record;
    if (q + <usize>(load<u32>(at, 8) - load<u32>(at, 4)) + SLACK > limit) return record;
    const next = load<u32>(at, 12);
    for (let row = at + RECORD_ROWS * ROW_BYTES; row < rowAt(next); row += ROW_BYTES) {
      const from = <usize>load<u32>(row, 4);
      const to = <usize>load<u32>(row, 8);
      if ((load<u32>(row) & ESCAPED) == 0) q = copy(q, from, to);
      else {
        // It is valid: it was passed before.
        copyString(from, to + 1, q);
        q = textTo;
      }
    }
    store<u32>(ends, <u32>q);
    ends += 4;
    record = next;
  }
  return record;
}
