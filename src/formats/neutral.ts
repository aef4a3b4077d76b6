// What a text in a dialect says, in the shape that all forms share: what the dialect does in its own way is undone.

import type { MessageData, TranscriptData } from '../model/data.ts';
import { checkOptions, type Known } from '../options.ts';
import { type DialectId, DIALECTS } from '../scan/dialects.ts';
import { extractTools } from './chat/tools.ts';
import { fromHarmony } from './harmony/harmony.ts';
import { headerOfSystem } from './harmony/settings.ts';
import type { Loss } from './loss.ts';
import { fromLine } from './v01/v01.ts';

/** How the text of a dialect is taken for what it means. */
export interface NeutralOptions {
  /** Harmony's commentary to nobody is for users to see (`fromHarmony`); only `true` takes it for that. */
  readonly preambles?: boolean | undefined;
  /** What Harmony's system message says of reasoning effort and builtin tools stands in the header, too. */
  readonly settings?: boolean | undefined;
}

const NEUTRAL_OPTIONS: Known<NeutralOptions> = { preambles: 1, settings: 1 };

/**
 * What a text in a dialect says, in the shape that all forms share: 0.1 function tokens and thoughts as messages,
 * Harmony's conventions undone, tools beside the messages where they can be put back byte for byte. Throws a RangeError
 * for a wrong dialect or option.
 *
 * @example
 * ```ts
 * import { parse } from 'openchatml';
 * import { neutralOf, transcriptData } from 'openchatml/convert';
 *
 * for (const transcript of parse('<|start|>user<|message|>Hi<|end|>').transcripts) {
 *   const { data, losses } = neutralOf(transcriptData(transcript), transcript.dialect);
 *   console.log(data.messages.length, losses.length); // 1 0
 * }
 * ```
 */
export function neutralOf(
  data: TranscriptData, dialect: DialectId, options: NeutralOptions = {},
): { data: TranscriptData; losses: Loss[] } {
  checkOptions(options, NEUTRAL_OPTIONS);
  switch (dialect) {
    case 'openchatml-0.1': {
      const losses: Loss[] = [];
      return { data: fromLine(data, losses), losses };
    }
    case 'harmony':
      return fromHarmony(options.settings === true ? withSettings(data) : data, { preambles: options.preambles });
    case 'openchatml-2.0': {
      const { messages, losses } = withoutPreambles(data.messages);
      return { data: extractTools({ ...data, messages }, 'list'), losses };
    }
    case 'openchatml-2.2':
      return { data: extractTools(data, 'declarations'), losses: [] };
    default:
      throw new RangeError(
        `option dialect: expected one of ${Object.keys(DIALECTS).join(', ')}; got ${JSON.stringify(dialect)}`,
      );
  }
}

/** 2.0 has no preambles, and hides all commentary (R-VISIBLE): it stays hidden in other forms, too. */
export function withoutPreambles(
  messages: readonly MessageData[],
): { messages: readonly MessageData[]; losses: Loss[] } {
  const losses: Loss[] = [];
  const plain = messages.map((message, index): MessageData => {
    const { role, channel, intent } = message;
    if (role !== 'assistant' || channel !== 'commentary' || intent !== 'preamble') return message;
    losses.push({ what: 'intent', message: index, detail: 'a preamble is hidden commentary in 2.0' });
    const { intent: _, ...rest } = message;
    return rest;
  });
  return losses.length === 0 ? { messages, losses } : { messages: plain, losses };
}

const withSettings = (data: TranscriptData): TranscriptData =>
  data.header === null ? { ...data, header: headerOfSystem(data.messages) } : data;
