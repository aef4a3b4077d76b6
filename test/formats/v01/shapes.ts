// Messages of the shapes that 0.1 knows, and 0.1 text by its meaning.
import { fromLine } from '../../../src/formats/v01/v01.ts';
import { type MessageData, messageData, type ToolDefinition, type TranscriptData } from '../../../src/model/data.ts';
import { parse } from '../../../src/rules/library-best.ts';

export const of = (...messages: MessageData[]) => ({ header: null, tools: [], messages });

/** Of 0.1 text what it means. */
export function meaning(text: string): TranscriptData {
  const [transcript] = parse(text, { dialect: 'openchatml-0.1' }).transcripts;
  return fromLine({ header: null, tools: [], messages: [...transcript!].map(messageData) });
}

export const CALL = {
  role: 'assistant',
  recipient: 'functions.f',
  channel: 'commentary',
  contentType: 'json',
  constrained: true,
} as const;
export const REPLY = { role: 'tool', name: 'functions.f', recipient: 'assistant', channel: 'commentary' } as const;
export const FINAL = { role: 'assistant', channel: 'final' } as const;
export const ANALYSIS = { role: 'assistant', channel: 'analysis' } as const;
export const PREAMBLE = { role: 'assistant', channel: 'commentary', intent: 'preamble' } as const;
export const USER = { role: 'user', content: 'Hi' } as const;
export const TOOL: ToolDefinition = {
  namespace: 'functions',
  name: 'f',
  description: 'Does <|im_end|> it',
  parameters: { type: 'object', properties: {} },
};
