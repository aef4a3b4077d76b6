// How answers end where a transcript is written: in `<|return|>` for training, else in `<|end|>` (R-END-WRITE).

import type { MessageData } from '../model/data.ts';
import { isCall } from '../rules/message-data.ts';

/** `return`: the last answer ends in `<|return|>`. `all-returns`: every one. `end`: none. */
export type AnswerEnds = 'end' | 'return' | 'all-returns';

const isAnswer = (message: MessageData): boolean =>
  message.role === 'assistant' && (message.channel ?? 'final') === 'final' && !isCall(message);

/** Answers that were cut end as whole ones do. */
export function withAnswerEnds(messages: readonly MessageData[], ends: AnswerEnds): readonly MessageData[] {
  const last = messages.findLastIndex(isAnswer);
  return messages.map((message, index) => {
    if (!isAnswer(message)) return message;
    const end = ends === 'all-returns' || (ends === 'return' && index === last) ? 'return' : 'end';
    return message.end === end ? message : { ...message, end };
  });
}
