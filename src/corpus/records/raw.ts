// Raw transcripts of an input as rows or plain data, one after the other: what a reader hides stays hidden, or the
// transcript is refused.

import { FILE, MESSAGE, STRAY, TEXT } from '../../abi.ts';
import {
  type Checkpoint, isStart, PartWalk, type PlainReadOptions, type Range, WHOLE,
} from '../../model/part-walk.ts';
import type { HeaderCache } from '../../model/transcript.ts';
import type { Machine } from '../../scan/machine.ts';
import { type Source, WatchedSource } from '../../scan/source.ts';
import { type Batch, fromOf, kindOf, kindWord, nextOf, toOf } from '../../scan/table.ts';
import { BEFORE, BEHIND, OWN, OwnTranscripts } from '../own-transcripts.ts';
import { Gap } from './gap.ts';
import { KeptRows } from './kept-rows.ts';
import { OpenTranscript, type RawTranscript, type TranscriptRows } from './open-transcript.ts';

/** Where reading transcripts ended. */
export interface TranscriptsEnd {
  /** Transcripts met so far, those before the range included. */
  readonly transcripts: number;
  /** Byte position up to which the input was done with. */
  readonly position: number;
  /** There is text, and no transcript. */
  readonly hasText: boolean;
  /** Of a range: the first start token at or behind its end; null: there is none. */
  readonly end: Checkpoint | null;
}

export interface RawOptions {
  /** The transcripts that begin in it; with `from`: at or behind the first start token that stands there. */
  readonly range?: Range;
  readonly known?: HeaderCache;
  /** Of a range with `from`: is told of that start token before anything is given. */
  readonly begun?: (at: Checkpoint) => void;
}

/**
 * The transcripts of a source, or of a part of it, that have messages or a document header, in order. Those that rows
 * stand for are read when that is asked for, before the next one. Memory holds one of them. Never throws on data.
 */
export function* transcriptsOrRows(
  machine: Machine, source: Source, options: PlainReadOptions, { range = WHOLE, known, begun }: RawOptions = {},
): Generator<RawTranscript | TranscriptRows, TranscriptsEnd, void> {
  const gap = new Gap(range.start === null ? 0 : range.start.position);
  // A gap is read when it is known what it holds.
  const watched = new WatchedSource(source, { mayRelease: (before) => gap.mayRelease(before) });
  const walk = new PartWalk(machine, watched, options, { start: range.start, to: range.to, known });
  const own = new OwnTranscripts(range);
  const { divider } = walk;
  const kept = new KeptRows();
  let open = null as OpenTranscript | null;
  let transcripts = range.start === null ? 0 : range.start.transcript.number + 1;
  let isBehind = false;
  let end: Checkpoint | null = null;
  let lastStart = 0;
  // What stands before was read by others, but for what shows how to read on.
  let passesTo = range.from ?? 0;
  // Text before the first message belongs to the first transcript.
  let early = false;
  const endGap = (to: number): void => {
    if (gap.isOwn && gap.fileTokens > 0) open!.takeFiles(gap, to, walk.reading);
    else if (gap.isOwn && open !== null) open.skipText();
    else early ||= gap.isOwn;
  };
  for (const batch of walk.batches()) {
    for (let row = batch.from; row < batch.to; row = nextOf(batch, row)) {
      const kind = kindOf(batch, row);
      if (passesTo > 0) {
        const from = fromOf(batch, row);
        if (from >= range.to) return { transcripts, position: range.to, hasText: early, end: null };
        if (from < passesTo || !isStart(kindWord(batch, row))) {
          divider.place(batch, row);
          continue;
        }
        passesTo = 0;
        const at = walk.checkpoint(batch, row)!;
        begun?.(at);
        gap.begin(at.position);
        transcripts = at.transcript.number + 1;
      }
      // Most messages only add to the transcript at hand.
      const isOpen = open !== null && open.info === divider.current && fromOf(batch, row) < own.passesTo;
      if (isOpen && kind === MESSAGE && divider.continues(batch.dialect) && divider.stops(batch.dialect) === 0) {
        const { last, start, messages } = runFrom(batch, row, own.passesTo);
        if (start >= 0) lastStart = fromOf(batch, start);
        endGap(fromOf(batch, row));
        gap.begin(toOf(batch, last));
        divider.passed(messages, kindWord(batch, last));
        open!.add(batch, row, nextOf(batch, last), divider.context);
        row = last;
        continue;
      }
      const isOutside = kind === TEXT || kind === STRAY || kind === FILE;
      if (!isOutside) {
        endGap(fromOf(batch, row));
        gap.begin(toOf(batch, row));
      }
      const isFirst = divider.current === null;
      if (isStart(kindWord(batch, row))) {
        if (!isFirst) lastStart = fromOf(batch, row);
        if (end === null && fromOf(batch, row) >= range.to) end = walk.checkpoint(batch, row);
      }
      const begins = divider.place(batch, row);
      // Before the first message there is nothing from which others could begin.
      const lies = isFirst ? OWN : own.at(batch, row, begins);
      isBehind = lies === BEHIND;
      if (isBehind) break;
      if (isOutside) gap.add(batch, row, lies !== BEFORE);
      if (lies === BEFORE) continue;
      const info = divider.current;
      if (info !== null && (open === null || info !== open.info)) {
        if (open !== null && open.holdsAnything) yield open.end(divider.likeness.count);
        open = new OpenTranscript(info, lastStart, kept);
        transcripts = info.number + 1;
        if (early) open.skipText();
        early = false;
      }
      if (kind === MESSAGE) open!.add(batch, row, nextOf(batch, row), divider.context);
    }
    open?.leaveBatch();
    if (isBehind) break;
  }
  if (!isBehind) endGap(walk.reading.position);
  divider.likeness.close();
  if (open !== null && open.holdsAnything) yield open.end(divider.likeness.count);
  return { transcripts, position: isBehind ? range.to : walk.reading.position, hasText: early, end };
}

/** Messages that follow each other. */
interface Run {
  /** Rows: the last one, and the last one with a start token; -1: none has one. */
  readonly last: number;
  readonly start: number;
  readonly messages: number;
}

/** The messages that follow each other from a row on, before a position. */
function runFrom(batch: Batch, row: number, to: number): Run {
  const isPassed = (next: number): boolean =>
    next < batch.to && kindOf(batch, next) === MESSAGE && fromOf(batch, next) < to;
  let [last, messages] = [row, 1];
  let start = isStart(kindWord(batch, row)) ? row : -1;
  for (let next = nextOf(batch, row); isPassed(next); next = nextOf(batch, next)) {
    last = next;
    if (isStart(kindWord(batch, next))) start = next;
    messages++;
  }
  return { last, start, messages };
}
