// What a part of an input gives, as the whole input has it: a part counts lines and records from its beginning.

import type { Place } from '../../errors.ts';
import { movedSums } from './convert-sums.ts';
import { isFindings, type Job, type JobResult, type Piece } from './job.ts';
import { movedWords } from './words.ts';

/** What is added up over the parts of an input. */
export type Totals = Pick<JobResult, 'holdsRecords' | 'records' | 'transcripts' | 'messages' | 'badRecords'>;

export const NOTHING: Totals = { holdsRecords: false, records: 0, transcripts: 0, messages: 0, badRecords: 0 };
export const START: Place = { line: 1, column: 1 };

/** A place that counts from another one. */
export function placeFrom(from: Place, { line, column }: Place): Place {
  return line === 1 ? { line: from.line, column: from.column + column - 1 } : { line: from.line + line - 1, column };
}

/** Findings and changes of a part, as the whole input has them. `transcripts`: those before that it did not count. */
export function placedFrom(from: Place, piece: Piece, transcripts: number): Piece {
  if (from === START) return piece;
  if ('changes' in piece) {
    return { changes: piece.changes.map(({ change, line }) => ({ change, line: from.line + line - 1 })) };
  }
  if (!isFindings(piece)) return piece;
  return piece.map(({ diagnostic, place, ...found }) => ({
    ...found,
    diagnostic: { ...diagnostic, transcript: transcripts + diagnostic.transcript },
    place: place && placeFrom(from, place),
  }));
}

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
