// What a part of an input gives, as the whole input has it: a part counts lines and records from its beginning.

import type { Place } from '../../errors.ts';
import { copyBytes } from '../copy-bytes.ts';
import { movedText } from '../audit/piece.ts';
import { movedSums } from './convert-sums.ts';
import { isFindings, isNumbered, type Job, type JobResult, type NumberedBytes, type Piece } from './job.ts';
import { movedWords } from './words.ts';

/** What is added up over the parts of an input. */
export type Totals = Pick<JobResult, 'holdsRecords' | 'records' | 'transcripts' | 'messages' | 'badRecords'>;

export const NOTHING: Totals = { holdsRecords: false, records: 0, transcripts: 0, messages: 0, badRecords: 0 };
export const START: Place = { line: 1, column: 1 };

/** A place that counts from another one. */
export function placeFrom(from: Place, { line, column }: Place): Place {
  return line === 1 ? { line: from.line, column: from.column + column - 1 } : { line: from.line + line - 1, column };
}

/** What stands before a part of raw text that it did not count. */
export interface Counted {
  readonly transcripts: number;
  /** The number that it gives the transcript in which it begins, and messages of that which stand before. */
  readonly first: number;
  readonly messages: number;
}
export const AS_COUNTED: Counted = { transcripts: 0, first: -1, messages: 0 };

/** What a part of raw text gives, as the whole input has it. */
export function placedFrom({ kind }: Job, from: Place, before: Counted, piece: Piece): Piece {
  const { transcripts } = before;
  if (isNumbered(piece)) return renumbered(piece, transcripts);
  if (from === START && before === AS_COUNTED) return piece;
  if ('words' in piece) return { words: piece.words.map((words) => movedWords(words, transcripts)) };
  if ('converted' in piece) return { converted: movedSums(piece.converted, transcripts) };
  const moved = (text: string): string => kind === 'audit' ? movedText(text, before) : text;
  if ('changes' in piece) {
    return {
      changes: piece.changes.map(({ change, line }) => {
        return { change: { ...change, where: moved(change.where) }, line: from.line + line - 1 };
      }),
    };
  }
  if (!isFindings(piece)) return piece;
  return piece.map(({ diagnostic, place, ...found }) => ({
    ...found,
    diagnostic: {
      ...diagnostic, transcript: transcripts + diagnostic.transcript, message: moved(diagnostic.message),
    },
    place: place && placeFrom(from, place),
  }));
}

const ZERO = 0x30;
const NINE = 0x39;
/** Digits of a number of transcripts. */
const MOST_DIGITS = 16;
let written = new Uint8Array(0);

/** The bytes with other numbers: the same memory, or some that is valid until the next ones are written. */
function renumbered({ bytes, numbers }: NumberedBytes, more: number): Uint8Array {
  if (more === 0) return bytes;
  let out = bytes;
  let [from, at] = [0, 0];
  for (const end of numbers) {
    let [start, number] = [end, more];
    for (let unit = 1; isDigit(bytes[start - 1]); unit *= 10) number += unit * (bytes[--start]! - ZERO);
    const digits = String(number);
    if (out === bytes && digits.length !== end - start) {
      // From here on everything moves.
      const most = bytes.length + MOST_DIGITS * numbers.length;
      if (written.length < most) written = new Uint8Array(most);
      [out, from, at] = [written, 0, 0];
    }
    if (out !== bytes) {
      copyBytes(bytes.subarray(from, start), out, at);
      at += start - from;
      from = end;
    } else {
      at = start;
    }
    for (let i = 0; i < digits.length; i++) out[at++] = digits.charCodeAt(i);
  }
  if (out === bytes) return bytes;
  copyBytes(bytes.subarray(from), out, at);
  return out.subarray(0, at + bytes.length - from);
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE;

/** What a part of lines gives, as the whole input has it. `before`, `lines`: what was met before the part. */
export function movedBy({ kind }: Job, before: Totals, lines: number, piece: Piece): Piece {
  if (before === NOTHING || piece instanceof Uint8Array) return piece;
  if ('words' in piece) return { words: piece.words.map((words) => movedWords(words, lines)) };
  if ('converted' in piece) return { converted: movedSums(piece.converted, lines) };
  if ('changes' in piece) return { changes: piece.changes.map(({ change, line }) => ({ change, line: lines + line })) };
  if (!isFindings(piece)) return piece;
  // An audit counts the transcripts of each record by themselves.
  const transcripts = kind === 'audit' ? 0 : before.transcripts;
  return piece.map(({ diagnostic, record, line, place }) => ({
    diagnostic: { ...diagnostic, transcript: transcripts + diagnostic.transcript },
    record: record === null ? null : before.records + record, line: line && lines + line,
    place: place && { ...place, line: lines + place.line },
  }));
}
