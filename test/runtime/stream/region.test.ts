// Events under the names of response templates.
import { expect, test } from 'vitest';
import { MessageStream, RegionAdapter, type RegionEvent, type StreamOptions } from '../../../src/stream.ts';

const OPTIONS: StreamOptions = { dialect: 'openchatml-2.2', role: 'assistant', reasoning: true };
const CALL = '<|start|>assistant to=functions.greet call_id=g1<|channel|>commentary<|constrain|>json<|message|>';

function regionsOf(text: string, options = OPTIONS, size = 3): RegionEvent[] {
  const stream = new MessageStream(options);
  const adapter = new RegionAdapter();
  const events: RegionEvent[] = [];
  for (let at = 0; at < text.length; at += size) {
    for (const event of stream.feed(text.slice(at, at + size))) events.push(...adapter.take(event));
  }
  for (const event of stream.end()) events.push(...adapter.take(event));
  return events;
}

/** Without places; successive chunks as one. */
function joined(events: readonly RegionEvent[]): unknown[] {
  const lines: Record<string, unknown>[] = [];
  for (const { start: _start, end: _end, ...event } of events as (RegionEvent & { start?: number; end?: number })[]) {
    const last = lines.at(-1);
    if (event.type === 'region_chunk' && last?.['type'] === 'region_chunk') {
      last['text'] = `${last['text'] as string}${event.text}`;
    } else lines.push({ ...event });
  }
  return lines;
}

test('thinking, a call and content', () => {
  const text = `<|channel|>analysis<|message|>Greet.<|end|>${CALL}{"greeting":"Hi"}<|call|>`
    + `<|start|>assistant<|channel|>final<|message|>Done.<|return|>`;
  const expected = [
    { type: 'region_open', field: 'thinking' },
    { type: 'region_chunk', field: 'thinking', text: 'Greet.', dirty: false },
    { type: 'region_close', field: 'thinking', value: 'Greet.' },
    { type: 'region_open', field: 'tool_calls' },
    { type: 'region_chunk', field: 'tool_calls', text: '{"greeting":"Hi"}', dirty: true },
    {
      type: 'region_close',
      field: 'tool_calls',
      value: { id: 'g1', type: 'function', function: { name: 'greet', arguments: { greeting: 'Hi' } } },
    },
    { type: 'region_open', field: 'content' },
    { type: 'region_chunk', field: 'content', text: 'Done.', dirty: false },
    { type: 'region_close', field: 'content', value: 'Done.' },
  ];
  for (const size of [1, 7, 1000]) expect(joined(regionsOf(text, OPTIONS, size))).toEqual(expected);
  const [open, close] = regionsOf(text, OPTIONS, 1000).filter(({ type, field }) => {
    return field === 'content' && type !== 'region_chunk';
  }) as { start: number; end: number }[];
  expect(text.slice(open!.start, open!.end)).toBe('<|start|>assistant<|channel|>final<|message|>');
  expect(text.slice(close!.start, close!.end)).toBe('<|return|>');
});

test('an empty body is a region, a hidden one is none, and analysis only when the stream gives it', () => {
  const text =
    '<|channel|>analysis<|message|>SECRET<|end|><|start|>assistant<|channel|>commentary<|message|>SECRET<|end|>'
      + '<|start|>assistant<|channel|>final<|message|><|return|>';
  expect(joined(regionsOf(text, { ...OPTIONS, reasoning: false }))).toEqual([
    { type: 'region_open', field: 'content' }, { type: 'region_close', field: 'content', value: '' },
  ]);
});

test.each([
  ['arguments that are no JSON', `${CALL.slice(18)}{"greeting":<|call|>`, '{"greeting":'],
  ['a call that is cut', `${CALL.slice(18)}{}`, '{}'],
  [
    'two recipients', ' to=functions.greet to=functions.other call_id=g1<|channel|>commentary<|message|>{}<|call|>',
    '{}',
  ],
  ['a call that is cut before its arguments', CALL, ''],
])('%s: malformed', (_, text, held) => {
  const lines = joined(regionsOf(text)) as { type: string; text?: string }[];
  expect(lines.at(-1)).toEqual({ type: 'region_malformed', field: 'tool_calls', text: held });
  expect(lines.some(({ type }) => type === 'region_close')).toBe(false);
});

test('cancelled', () => {
  const stream = new MessageStream(OPTIONS);
  const adapter = new RegionAdapter();
  const events = [...stream.feed('<|channel|>final<|message|>Hal'), ...stream.cancel('stop')].flatMap((event) => {
    return adapter.take(event);
  });
  expect(joined(events)).toEqual([
    { type: 'region_open', field: 'content' },
    { type: 'region_chunk', field: 'content', text: 'Hal', dirty: false },
    { type: 'region_malformed', field: 'content', text: 'Hal' },
  ]);
  stream.reset();
  const after = [...stream.feed('<|channel|>final<|message|>Go<|return|>')].flatMap((event) => adapter.take(event));
  expect(joined(after).at(-1)).toEqual({ type: 'region_close', field: 'content', value: 'Go' });
});
