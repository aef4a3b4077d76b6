// Words of the record machine's rows. Records in which a tag stands of a call that is written as text (R-HERMES) are
// marked as the host's.

import { CODED_TAGS, FROM, IS_OBJECT, IS_OTHER, KIND, NEXT, ROW_WORDS, SLOW, TO } from '../abi.ts';

/** Word of a row. */
export const wordAt = (rows: Int32Array, row: number, word: number): number => rows[row * ROW_WORDS + word]!;

/** What finds a `<` that a tag may begin with, and where the scan stopped (assembly/record/index.ts). */
export interface TagFinder {
  findTag(from: number, to: number): number;
  scanTo(): number;
}

const TEXTS = ['<tool_call>', '<tool_response>', '<tools>'];
const TAGS = TEXTS.map((tag) => new TextEncoder().encode(tag));
/** Escapes, among them those of ASCII. */
const CODES = /\\(?:u00([3-7][0-9a-fA-F])|\\)/g;
const LATIN1 = new TextDecoder('latin1');

/** Marks the records of a table of `count` rows. `memory` is where its rows have addresses. */
export function markTagged(finder: TagFinder, memory: Uint8Array, rows: Int32Array, count: number): void {
  const end = finder.scanTo();
  let record = 0;
  for (let at = finder.findTag(wordAt(rows, 0, FROM), end); at !== 0; ) {
    if (!TAGS.some((tag) => tag.every((byte, i) => memory[at + i] === byte))) {
      at = finder.findTag(at + 1, end);
      continue;
    }
    while (record < count && wordAt(rows, record, TO) <= at) record = wordAt(rows, record, NEXT);
    if (record >= count) return;
    const isInside = wordAt(rows, record, FROM) <= at;
    if (isInside) markSlow(rows, record);
    at = finder.findTag(isInside ? wordAt(rows, record, TO) : at + 1, end);
  }
}

/** The same of tags in which an escape may stand for any character. */
export function markCoded(memory: Uint8Array, rows: Int32Array, count: number): void {
  for (let record = 0; record < count; record = wordAt(rows, record, NEXT)) {
    if ((wordAt(rows, record + 1, KIND) & CODED_TAGS) === 0) continue;
    const text = LATIN1.decode(memory.subarray(wordAt(rows, record, FROM), wordAt(rows, record, TO)));
    const plain = withLetters(text);
    if (TEXTS.some((tag) => plain.includes(tag))) markSlow(rows, record);
  }
}

/** JSON with the ASCII that its escapes stand for. */
const withLetters = (json: string): string => json.replaceAll(CODES, (escape, code?: string) => {
  return code === undefined ? escape : String.fromCharCode(Number.parseInt(code, 16));
});

function markSlow(rows: Int32Array, record: number): void {
  const at = record * ROW_WORDS + KIND;
  if ((rows[at]! & SLOW) === 0) rows[at] = (rows[at]! & ~IS_OTHER) | IS_OBJECT | SLOW;
}
