// The prompt of a turn: what the sampling rule leaves of a transcript, in the dialect, and the beginning of the next
// message.

import { convertTranscript } from '../../formats/convert.ts';
import type { Loss } from '../../formats/loss.ts';
import { writeTail } from '../../formats/write/write.ts';
import type { MessageData } from '../../model/data.ts';
import type { DialectId } from '../../scan/dialects.ts';
import { messagesForCompletion } from '../../rules/sampling.ts';
import type { TurnOptions } from './types.ts';

export interface WrittenPrompt {
  readonly messages: MessageData[];
  readonly text: string;
  readonly losses: Loss[];
}

/** Throws a Refusal when the dialect cannot carry a message. */
export function writePrompt(
  given: readonly MessageData[],
  dialect: DialectId,
  {
    rule = 'ocm',
    header = null,
    tools = [],
    neutralise,
  }: Pick<TurnOptions, 'rule' | 'header' | 'tools' | 'neutralise'>,
): WrittenPrompt {
  const { messages } = messagesForCompletion(given, { rule });
  const { text, losses } = convertTranscript({ header, tools, messages }, dialect, { neutralise, asWritten: true });
  // The transcript goes on.
  const open = text!.slice(0, text!.length - writeTail(dialect).length);
  return {
    messages,
    text: open + (dialect === 'openchatml-0.1' ? '<|im_start|>assistant\n' : '<|start|>assistant'),
    losses,
  };
}
