// The messages of an input of any size, one after the other.

import { MESSAGE } from '../abi.ts';
import { Message } from '../model/message.ts';
import type { HeaderCache, TranscriptInfo } from '../model/transcript.ts';
import { type Checkpoint, PartWalk, type PlainReadOptions, type Range, WHOLE } from '../model/part-walk.ts';
import type { Machine } from '../scan/machine.ts';
import type { Watch } from '../scan/reading.ts';
import type { Source } from '../scan/source.ts';
import { type Batch, kindOf, nextOf } from '../scan/table.ts';
import { WrittenTags } from '../rules/written-tags.ts';
import { BEFORE, BEHIND, OWN, OwnTranscripts } from './own-transcripts.ts';

/** A message of an input that is read in pieces. */
export interface PlacedMessage {
  /** A view: valid until the next message is asked for. */
  readonly message: Message;
  readonly transcript: TranscriptInfo;
  /** Number of the message in its transcript, from 0. */
  readonly index: number;
  /** Where the message's bytes can be read. */
  readonly source: Source;
}

export interface MessagesSetting {
  readonly range?: Range | undefined;
  /** Document headers of other inputs. */
  readonly known?: HeaderCache | undefined;
  /** Sees every byte of the input, window by window. */
  readonly watch?: Watch | undefined;
  /** Messages that need not be given: nobody wants to look at them. */
  readonly passes?: ((batch: Batch, row: number) => boolean) | undefined;
  /** Of a range: the transcripts that begin in it, to their ends, instead of its messages. */
  readonly wholeTranscripts?: boolean | undefined;
}

/** Where reading messages ended. */
export interface MessagesEnd {
  /** Transcripts met so far, those before the range included. */
  readonly transcripts: number;
  /** Where what follows begins; null: at the input's end. */
  readonly end: Checkpoint | null;
  /** Byte position up to which the input was done with. */
  readonly position: number;
  /** System messages by which headerless text looks like Harmony (R-LIKELY). */
  readonly likeHarmony: number;
}

/** The messages of a source, in order. Memory holds a window of the input and the rows of the longest message. */
export function* messagesOf(
  machine: Machine,
  source: Source,
  options: PlainReadOptions,
  { range = WHOLE, known, watch, passes, wholeTranscripts = false }: MessagesSetting = {},
): Generator<PlacedMessage, MessagesEnd, void> {
  const own = wholeTranscripts ? new OwnTranscripts(range) : null;
  const walk = new PartWalk(machine, source, options, { start: range.start, to: range.to, known, watch });
  const { divider } = walk;
  const transcripts = (): number => (divider.current === null ? 0 : divider.current.number + 1);
  const ended = (count: number, end: Checkpoint | null, position: number): MessagesEnd => {
    if (end === null) divider.likeness.close();
    // A transcript that is under way belongs to the part in which it began.
    const likeHarmony = own === null || range.start === null ? divider.likeness.count : 0;
    return { transcripts: count, end, position, likeHarmony };
  };
  for (const batch of walk.batches()) {
    const tags = new WrittenTags(machine, batch);
    const limit = own === null ? walk.endOf(batch, range.to) : batch.to;
    for (let row = batch.from; row < batch.to; row = nextOf(batch, row)) {
      const end = row === limit ? walk.checkpoint(batch, row) : null;
      if (end !== null) return ended(transcripts(), end, end.position);
      const before = transcripts();
      const begins = divider.place(batch, row);
      const lies = own === null ? OWN : own.at(batch, row, begins);
      if (lies === BEHIND) return ended(before, null, range.to);
      if (lies === BEFORE || kindOf(batch, row) !== MESSAGE || passes?.(batch, row) === true) continue;
      const { context, messages } = divider;
      const message = new Message(batch, row, context, !tags.mayStandIn(row), messages - 1, !tags.mayHoldThoughts);
      yield { message, transcript: divider.current!, index: message.index, source: batch.source };
    }
  }
  return ended(transcripts(), null, walk.reading.position);
}
