// The prompt for the next completion: what the sampling rule leaves of a transcript, in the dialect, and the beginning
// of the next message.

import { checkMessages } from '../model/check-data.ts';
import type { MessageData, TranscriptData } from '../model/data.ts';
import { messagesForCompletion, type SamplingOptions } from '../rules/sampling.ts';
import type { DialectId } from '../scan/dialects.ts';
import { type ConvertOptions, convertTranscript, reasoningLost } from './convert.ts';
import { filesWithout } from './files.ts';
import type { Loss } from './loss.ts';
import { END_OF_HEADER, writeTail } from './write/write.ts';
import { splitWritten } from './written-thoughts.ts';
import { checkOptions, type Known } from '../options.ts';

type Written = Pick<ConvertOptions, 'neutralise' | 'calls' | 'contentType' | 'edges' | 'constrainCalls' | 'system'>;

/** How the prompt for the next completion is written. */
export interface PromptOptions extends Written {
  /** Which reasoning is left out (R-SAMPLING). Default `ocm`. */
  readonly rule?: SamplingOptions['rule'] | undefined;
}

const PROMPT_OPTIONS: Known<PromptOptions> = {
  rule: 1, neutralise: 1, calls: 1, contentType: 1, edges: 1, constrainCalls: 1, system: 1,
};

/** The prompt for the next completion, with what was left out of it. */
export interface WrittenPrompt {
  /** What the sampling rule leaves: `<|return|>` of the past is `<|end|>`, and an open turn is none. */
  readonly messages: MessageData[];
  /** The same as text, with the beginning of an assistant's message at the end. */
  readonly text: string;
  /** What the dialect cannot carry; reasoning that is left out is not told. */
  readonly losses: Loss[];
  /** Old reasoning, as a loss. */
  readonly dropped: Loss[];
}

/**
 * Reasoning that is written as text is reasoning (R-THINK): old one is left out (R-SAMPLING). Throws a Refusal when the
 * dialect cannot carry a message, a RangeError for a wrong option, a TypeError for messages of a chat record.
 *
 * @example
 * ```ts
 * import { writePrompt } from 'openchatml/convert';
 *
 * const { text } = writePrompt({ header: null, tools: [], messages: [{ role: 'user', content: 'Hi' }] }, 'harmony');
 * console.log(text); // <|start|>user<|message|>Hi<|end|><|start|>assistant
 * ```
 */
export function writePrompt(data: TranscriptData, dialect: DialectId, options: PromptOptions = {}): WrittenPrompt {
  checkOptions(options, PROMPT_OPTIONS);
  checkMessages(data?.messages);
  const { rule = 'ocm', neutralise, calls, contentType, edges, constrainCalls, system } = options;
  // Reasoning that is written as text is reasoning (R-THINK).
  const split = splitWritten(data);
  const { messages, dropped } = messagesForCompletion(split.data.messages, { rule });
  const files = filesWithout(split.data, new Set(dropped.map(({ index }) => index)));
  const { text, losses } = convertTranscript({ ...split.data, messages, ...files }, dialect, {
    neutralise, calls, contentType, edges, constrainCalls, system, asWritten: true,
  });
  // The transcript goes on.
  // The transcript goes on.
  const isEnded = messages.length === 0 && text.endsWith(END_OF_HEADER);
  const open = text.slice(0, text.length - (isEnded ? END_OF_HEADER : writeTail(dialect, { edges })).length);
  return {
    messages,
    text: open + (dialect === 'openchatml-0.1' ? '<|im_start|>assistant\n' : '<|start|>assistant'),
    losses: [...split.losses, ...losses],
    dropped: reasoningLost(dropped),
  };
}
