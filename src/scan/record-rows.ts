// Words of the record machine's rows. Records in which escapes spell a tag of a call that is written as text are marked
// as the host's.

import { CODED_TAGS, FROM, IS_OBJECT, IS_OTHER, KIND, NEXT, ROW_WORDS, SLOW, TO } from '../abi.ts';

/** Word of a row. */
export const wordAt = (rows: Int32Array, row: number, word: number): number => rows[row * ROW_WORDS + word]!;

/** Tags of calls that are written as text (R-HERMES), and what may begin one at the end of a part. */
const TAGS = /<(?:(?:tool_call|tool_response|tools)>|[a-z_]{0,13}")/g;
/** Escapes, among them those of ASCII. */
const CODES = /\\(?:u00([3-7][0-9a-fA-F])|\\)/g;
const LATIN1 = new TextDecoder('latin1');

/**
 * Marks the records of a table of `count` rows in which a tag stands that escapes spell. `memory` is where its rows
 * have addresses.
 */
export function markCoded(memory: Uint8Array, rows: Int32Array, count: number): void {
  for (let record = 0; record < count; record = wordAt(rows, record, NEXT)) {
    if ((wordAt(rows, record + 1, KIND) & CODED_TAGS) === 0) continue;
    const text = LATIN1.decode(memory.subarray(wordAt(rows, record, FROM), wordAt(rows, record, TO)));
    if (tagsIn(withLetters(text)) > tagsIn(text)) markSlow(rows, record);
  }
}

const tagsIn = (text: string): number => text.match(TAGS)?.length ?? 0;

/** JSON with the ASCII that its escapes stand for. */
const withLetters = (json: string): string => json.replaceAll(CODES, (escape, code?: string) => {
  return code === undefined ? escape : String.fromCharCode(Number.parseInt(code, 16));
});

function markSlow(rows: Int32Array, record: number): void {
  const at = record * ROW_WORDS + KIND;
  if ((rows[at]! & SLOW) === 0) rows[at] = (rows[at]! & ~IS_OTHER) | IS_OBJECT | SLOW;
}
