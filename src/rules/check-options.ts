// How an input is checked: what callers may ask for, who sees the messages on the way, and which part of the input is
// looked at.

import type { HeaderCache, TranscriptInfo } from '../model/transcript.ts';
import type { Message, MessageContext } from '../model/message.ts';
import type { Checkpoint, PlainReadOptions, Range } from '../model/part-walk.ts';
import { FLAG, type Known } from '../options.ts';
import type { Watch } from '../scan/reading.ts';
import type { Source } from '../scan/source.ts';
import type { Batch } from '../scan/table.ts';
import type { ToolMemory } from '../tools/known.ts';
import type { MeaningOptions } from './meaning.ts';

/** How an input is checked, with tools. */
export interface CheckOptions extends PlainReadOptions, MeaningOptions {
  /** Warnings are errors. */
  readonly strict?: boolean | undefined;
  /** @internal Sees every message and every transcript's end, in order, before what is told about them. */
  readonly visitor?: CheckVisitor | undefined;
}

/** Without those of reading that callers know, and `tools`. */
export const CHECK_OPTIONS: Known<Omit<CheckOptions, Exclude<keyof PlainReadOptions, 'isChat'> | 'tools'>> = {
  strict: FLAG, isChat: FLAG, visitor: 1, contentTypes: 1, jsonDepth: 1, writtenCalls: 1, openCalls: 1, wholeTools: 1,
};

export interface CheckVisitor {
  message(message: Message, transcript: TranscriptInfo, source: Source): void;
  /**
   * Sees the messages of rows [from, to) instead, of which nothing is to be told but what is wrong with calls, replies
   * and definitions; that may be told later than about other messages. Without it each of them comes as a view.
   */
  messages?(batch: Batch, from: number, to: number, context: MessageContext, transcript: TranscriptInfo): void;
  /** `to`: where what follows begins. */
  transcriptEnd(transcript: TranscriptInfo, messages: number, to: number): void;
}

export interface CheckSetting {
  /**
   * A part of a raw input: the transcripts whose first message, with a start token, stands at or behind the range's
   * start and before its end. What stands before the first message of a transcript belongs to the transcript before.
   */
  readonly range?: Range | undefined;
  /** Document headers of other inputs, which need not be read again. */
  readonly known?: HeaderCache | undefined;
  /** What is known of tools. Without it they are not looked at. */
  readonly memory?: ToolMemory | undefined;
  /** Where the record that holds the text begins in its input, which `memory` has been told of; null: there is none. */
  readonly at?: number | null | undefined;
  /** Sees every byte of the input, window by window. */
  readonly watch?: Watch | undefined;
  /** Transcripts of the input after which nothing more is looked at; something may be told of the next one. */
  readonly most?: number | undefined;
  /** Of a range that begins with a checkpoint: is told where its first transcript begins, before anything is found. */
  readonly begun?: ((at: Checkpoint) => void) | undefined;
}
