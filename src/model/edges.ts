// The base model's own BOS and EOS, where the caller names them (0.1 extended §2): in gaps of 0.1 they bound
// transcripts as `<s>` and `</s>` do. The scanner takes them for text; here its rows are cut at them.

import { BOS, BOUND, EOS, HAS_LINE, TEXT, TOKEN_SHIFT } from '../abi.ts';
import { BatchEdit } from '../scan/batch-edit.ts';
import { DIALECTS } from '../scan/dialects.ts';
import type { Source } from '../scan/source.ts';
import { checkOption } from '../options.ts';
import { type Batch, fromOf, type GrowingTable, kindOf, kindWord, nextOf, toOf } from '../scan/table.ts';
import { isBlankByte, standsAt } from './bytes.ts';

/** What stands before and behind a transcript of 0.1; an empty text: nothing. */
export interface Edges {
  readonly bos?: string | undefined;
  readonly eos?: string | undefined;
}

const FRAME = DIALECTS['openchatml-0.1'].tokens.map(({ text }) => text).filter((text) => text.startsWith('<|'));

/** Tokens of the dialect begin no transcript and end none. */
export const isEdge = (text: string): boolean => !FRAME.some((it) => text.includes(it)) && !/\p{Cs}/u.test(text);

/** Throws a TypeError for what is no object, and a RangeError for names that are none. */
export function checkEdges(edges: Edges | undefined): void {
  checkOption('edges', edges ?? undefined, null);
  for (const [name, text] of Object.entries(edges ?? {}) as [string, unknown][]) {
    if (!(text === undefined || (typeof text === 'string' && isEdge(text))) || !['bos', 'eos'].includes(name)) {
      throw new RangeError(`option edges: ${name} must be bos or eos, and text without a token of 0.1`);
    }
  }
}

interface Name {
  readonly bytes: Uint8Array;
  readonly token: number;
}

/** Finds the names in the rows of an input. */
export class EdgeFinder {
  readonly #names: readonly Name[];
  readonly #longest: number;
  /** First bytes. */
  readonly #begins = new Uint8Array(256);

  /** Null: nothing is named. Throws a RangeError. */
  static of(edges: Edges | undefined): EdgeFinder | null {
    checkEdges(edges);
    const encoder = new TextEncoder();
    // A model that has one token for both ends its transcripts with it.
    const given: [string | undefined, number][] = [[edges?.eos, EOS], [edges?.bos, BOS]];
    const names = given.map(([text = '', token]) => ({ bytes: encoder.encode(trimmed(text)), token }))
      .filter(({ bytes }) => bytes.length > 0)
      .sort((a, b) => b.bytes.length - a.bytes.length);
    return names.length > 0 ? new EdgeFinder(names) : null;
  }

  /** `names`: the longest first. */
  private constructor(names: readonly Name[]) {
    this.#names = names;
    this.#longest = names[0]!.bytes.length;
    for (const { bytes } of names) this.#begins[bytes[0]!] = 1;
  }

  /** The batch with names as rows of their own; the same one where it holds none. */
  cut(batch: Batch): Batch {
    if ((batch.dialect.flags & HAS_LINE) === 0) return batch;
    const edit = new BatchEdit(batch);
    for (let row = batch.from; row < batch.to; row = nextOf(batch, row)) {
      if (kindOf(batch, row) !== TEXT) continue;
      let textFrom = fromOf(batch, row);
      const textTo = toOf(batch, row);
      const word = kindWord(batch, row);
      const addText = (into: GrowingTable, to: number): void => {
        const [from, end] = withoutWhite(batch.source, textFrom, to);
        if (from < end) addRow(into, word, from, end);
      };
      let table: GrowingTable | null = null;
      for (let found = this.#find(batch.source, textFrom, textTo); found !== null;) {
        table ??= edit.replace(row, row + 1);
        addText(table, found.from);
        addRow(table, BOUND | (found.token << TOKEN_SHIFT), found.from, found.to);
        textFrom = found.to;
        found = this.#find(batch.source, textFrom, textTo);
      }
      if (table !== null) addText(table, textTo);
    }
    return edit.end();
  }

  /** The first name in the text [from, to). */
  #find(source: Source, from: number, to: number): { from: number; to: number; token: number } | null {
    for (let at = from; at < to; at += STEP) {
      const bytes = source.bytes(at, Math.min(to, at + STEP + this.#longest - 1));
      const end = Math.min(STEP, bytes.length);
      for (let i = 0; i < end; i++) {
        if (this.#begins[bytes[i]!] === 0) continue;
        const name = this.#names.find((it) => standsAt(it.bytes, bytes, i));
        if (name) return { from: at + i, to: at + i + name.bytes.length, token: name.token };
      }
    }
    return null;
  }
}

/** Bytes of text that are looked through at once. */
const STEP = 64 * 1024;

/** Rows of text hold no white space at their ends. */
const trimmed = (text: string): string => text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');

function addRow(into: GrowingTable, word: number, from: number, to: number): void {
  into.append(Float64Array.of(word, from, to, into.count + 1), 0, 1, 0, 0);
}

/** [from, to) without white space at its ends. */
function withoutWhite(source: Source, from: number, to: number): [number, number] {
  while (from < to) {
    const bytes = source.bytes(from, Math.min(to, from + STEP));
    const first = bytes.findIndex((byte) => !isBlankByte(byte));
    from += first < 0 ? bytes.length : first;
    if (first >= 0 || bytes.length === 0) break;
  }
  while (from < to) {
    const bytes = source.bytes(Math.max(from, to - STEP), to);
    const last = bytes.findLastIndex((byte) => !isBlankByte(byte));
    to -= bytes.length - 1 - last;
    if (last >= 0 || bytes.length === 0) break;
  }
  return [from, to];
}
