// Messages of chat records, given where messages of a transcript are expected: their calls would be lost.
import { expect, test } from 'vitest';
import { convertTranscript, fromOpenAI, writePrompt } from '../../src/convert.ts';
import type { TranscriptData } from '../../src/model/data.ts';
import { runTurn, ToolRouter } from '../../src/stream.ts';

const CALL = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
const RECORD = {
  messages: [
    { role: 'user', content: 'q' }, { role: 'assistant', content: '', tool_calls: [CALL] },
    { role: 'tool', tool_call_id: 'c', content: 'r' },
  ],
};
const data = (messages: unknown): TranscriptData => ({ header: null, tools: [], messages }) as TranscriptData;

const USES: [name: string, use: (data: TranscriptData) => unknown][] = [
  ['convertTranscript', (given) => convertTranscript(given, 'harmony')],
  ['writePrompt', (given) => writePrompt(given, 'openchatml-2.2')],
  ['runTurn', ({ messages }) =>
    runTurn({ messages, router: new ToolRouter({ tools: [] }), dialect: 'harmony', model: () => [] } as never)],
];

test.each(USES)('%s', (_, use) => {
  expect(() => use(data(RECORD.messages))).toThrow(/messages\[1\]\.tool_calls: .*fromOpenAI/);
  expect(() => use(data(RECORD.messages.slice(2)))).toThrow(/messages\[0\]\.tool_call_id/);
  expect(() => use(data([null]))).toThrow('messages[0]: expected an object');
  expect(() => use(data([{ role: 'user', content: null }]))).toThrow('messages[0].content: expected text');
  expect(() => use(data('hi'))).toThrow(TypeError);
  expect(() => use(fromOpenAI(RECORD).data)).not.toThrow();
});
