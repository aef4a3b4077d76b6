// The messages of an input of any size, one after the other.

import { MESSAGE } from '../abi.ts';
import { Message } from '../model/message.ts';
import type { TranscriptInfo } from '../model/transcript.ts';
import { type ReadOptions, Walk } from '../model/walk.ts';
import type { Machine } from '../scan/machine.ts';
import type { Source } from '../scan/source.ts';
import { kindOf, nextOf } from '../scan/table.ts';

export interface PlacedMessage {
  /** A view: valid until the next message is asked for. */
  readonly message: Message;
  readonly transcript: TranscriptInfo;
  /** Number of the message in its transcript, from 0. */
  readonly index: number;
  /** Where the message's bytes can be read. */
  readonly source: Source;
}

/** The messages of a source, in order. Memory holds a window of the input and the rows of the longest message. */
export function* messagesOf(
  machine: Machine,
  source: Source,
  options: ReadOptions,
): Generator<PlacedMessage, void, void> {
  const walk = new Walk(machine, source, options);
  const { divider } = walk;
  for (const batch of walk.batches()) {
    for (let row = batch.from; row < batch.to; row = nextOf(batch, row)) {
      divider.place(batch, row);
      if (kindOf(batch, row) !== MESSAGE) continue;
      const message = new Message(batch, row, divider.context);
      yield { message, transcript: divider.current!, index: divider.messages - 1, source: batch.source };
    }
  }
}
