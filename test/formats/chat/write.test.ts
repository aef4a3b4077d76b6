// Messages to chat records: what has no place in a record is told, what is hidden never becomes content.
import { describe, expect, test } from 'vitest';
import { toOpenAI } from '../../../src/formats/chat/write.ts';
import { type Loss, Refusal } from '../../../src/formats/loss.ts';
import type { MessageData, TranscriptData } from '../../../src/model/data.ts';

const transcript = (...messages: MessageData[]): TranscriptData => ({ header: null, tools: [], messages });
const told = (losses: readonly Loss[]): unknown[] => losses.map(({ what, message }) => [what, message]);

describe('what a record has no place for', () => {
  const json = { contentType: 'json', constrained: true } as const;
  const cases: [name: string, message: MessageData, losses: unknown[]][] = [
    ['channel of a developer', { role: 'developer', channel: 'commentary', content: '' }, [['channel', 0]]],
    ['recipient of a user', { role: 'user', recipient: 'assistant', content: '' }, [['recipient', 0]]],
    ['content type', { role: 'user', contentType: 'markdown', content: '' }, [['content-type', 0]]],
    ['attribute', { role: 'user', attributes: [{ key: 'k', value: 'secret' }], content: '' }, [['attribute', 0]]],
    ['end of an answer', { role: 'assistant', channel: 'final', end: 'return', content: '' }, [['end', 0]]],
    ['end that is missing', { role: 'assistant', channel: 'final', end: 'eof', content: '' }, [['end', 0]]],
    [
      'call that does not end as one',
      { role: 'assistant', recipient: 'functions.f', callId: 'c', ...json, end: 'end', content: '' },
      [['end', 0]],
    ],
    [
      'channel of a call',
      { role: 'assistant', recipient: 'python', callId: 'c', channel: 'analysis', content: '' },
      [['channel', 0]],
    ],
    [
      'another type of a call',
      { role: 'assistant', recipient: 'python', callId: 'c', contentType: 'code', content: '' },
      [['content-type', 0]],
    ],
    [
      'hint on a call',
      { role: 'assistant', recipient: 'python', callId: 'c', contentType: 'json', content: '' },
      [['content-type', 0]],
    ],
    [
      'recipient without its namespace',
      { role: 'assistant', recipient: 'f', callId: 'c', ...json, content: '' },
      [['recipient', 0]],
    ],
    [
      'preamble without a call',
      { role: 'assistant', channel: 'commentary', intent: 'preamble', content: '' },
      [['channel', 0]],
    ],
    ['id of an answer', { role: 'assistant', channel: 'final', callId: 'c', content: '' }, [['call-id', 0]]],
    ['intent of an answer', { role: 'assistant', channel: 'final', intent: 'status', content: '' }, [['intent', 0]]],
    ['nothing: an absent channel is final', { role: 'assistant', content: '' }, []],
    [
      'nothing: a tool keeps its dot',
      { role: 'assistant', recipient: 'functions.browser.search', callId: 'c', content: '{}' },
      [],
    ],
  ];
  test.each(cases)('%s', (_name, message, losses) => {
    const written = toOpenAI(transcript(message));
    expect(told(written.losses)).toEqual(losses);
    expect(JSON.stringify(written.losses)).not.toContain('secret');
  });

  test('hidden text is thinking, never content', () => {
    const hidden: MessageData[] = [
      { role: 'assistant', channel: 'commentary', content: 'a' },
      { role: 'assistant', channel: 'final', intent: 'debug', content: 'b' },
      { role: 'assistant', channel: 'other', content: 'c' },
    ];
    const shown = { role: 'assistant', channel: 'final', content: 'shown' };
    const { record, losses } = toOpenAI(transcript(...hidden, shown));
    expect(record.messages).toEqual([{ role: 'assistant', content: 'shown', thinking: 'a\n\nb\n\nc' }]);
    expect(told(losses)).toEqual([
      ['channel', 0],
      ['intent', 1],
      ['thinking', 1],
      ['channel', 2],
      ['thinking', 2],
    ]);
  });

  test('fields of the header, but for its version', () => {
    const { losses } = toOpenAI({ header: { version: '2.2', model: 'secret' }, tools: [], messages: [] });
    expect(losses).toEqual([{ what: 'header', message: null, detail: 'model' }]);
  });

  test('ids that are missing are made, past those in use', () => {
    const asked = { role: 'assistant', recipient: 'functions.f', channel: 'commentary', content: '{}' } as const;
    const { record, losses } = toOpenAI(
      transcript(
        { ...asked, callId: 'call_1' },
        asked,
        { ...asked, recipient: 'functions.g' },
        { role: 'tool', name: 'functions.g', content: 'g' },
        { role: 'tool', content: 'first' },
        { role: 'tool', name: 'functions.f', content: 'f' },
      ),
    );
    expect(record.messages[0]!.tool_calls!.map(({ id }) => id)).toEqual(['call_1', 'call_2', 'call_3']);
    expect(record.messages.slice(1).map(({ tool_call_id: id }) => id)).toEqual(['call_3', 'call_1', 'call_2']);
    expect(told(losses)).toEqual([
      ['call-id', 1],
      ['call-id', 2],
      ['call-id', 3],
      ['call-id', 4],
      ['call-id', 5],
    ]);
  });
});

test('a role that no record has, and a thought in what users see, are refused', () => {
  for (const role of [null, 'critic']) expect(() => toOpenAI(transcript({ role, content: '' }))).toThrow(Refusal);
  const leak = transcript({ role: 'assistant', channel: 'final', marked: true, content: '<|start_reason|>x' });
  expect(() => toOpenAI(leak)).toThrow(/message 0: a marker of private reasoning/);
});
