// The shape of 0.1, there and back again: random transcripts, random bodies, real dialogues (R-COT, R-CALL, R-TOOLS).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromLine, toLine } from '../../../src/formats/v01/v01.ts';
import { writeTranscript } from '../../../src/formats/write/write.ts';
import { type MessageData, messageData, type ToolDefinition, type TranscriptData } from '../../../src/model/data.ts';
import { parse } from '../../../src/rules/library-best.ts';
import { runs } from '../../long.ts';
import { SEED } from '../../random.ts';
import { sharedData } from '../../skip.ts';
import { ANALYSIS, CALL, FINAL, meaning, of, PREAMBLE, REPLY, TOOL } from './shapes.ts';

/** Messages of the shapes that 0.1 can carry; `text` makes texts without 0.1's own tokens. */
function shapes(): fc.Arbitrary<TranscriptData> {
  const piece = fc.constantFrom(
    'a',
    ' ',
    '\n',
    '\r\n',
    '\r',
    '<',
    '<|',
    '|>',
    '<|end|>',
    '<|end_reason|>',
    '{',
    '"',
    '\u00e9',
    '\u{1f600}',
    '<s>',
    '</s>',
    'name=x',
  );
  const text = fc.array(piece, { maxLength: 5 }).map((parts) => parts.join(''));
  const thought = text.map((it) => it.replaceAll('<|end_reason|>', '<|start_reason|>x<|end_reason|>'));
  const said = text.map((it) => `x${it}`);
  const name = fc.constantFrom('functions.f', 'functions.g.h', 'browser.search', 'python', 'functions.python');
  const json = fc
    .oneof(fc.json({ maxDepth: 2 }), fc.constantFrom('{"a" : 1.50}', '"\\u003c|im_end|>"', '[1,\n2]'))
    .filter((it) => !/<\|/.test(it));
  const call = fc.tuple(name, json).map(([recipient, content]): MessageData => ({ ...CALL, recipient, content }));
  const analysis = fc
    .oneof(thought, fc.constantFrom('<|start_reflect|>x<|end_reflect|>', '<|start_introspect|><|end_introspect|>'))
    .map((content): MessageData => ({ ...ANALYSIS, content }));
  const calls = fc
    .tuple(
      fc.array(analysis, { maxLength: 2 }),
      fc.option(said, { nil: null }),
      fc.array(call, { minLength: 1, maxLength: 3 }),
    )
    .chain(([thoughts, preamble, made]) =>
      fc
        .array(text, { minLength: made.length, maxLength: made.length })
        .map((outputs) => [
          ...thoughts,
          ...(preamble === null ? [] : [{ ...PREAMBLE, content: preamble }]),
          ...made,
          ...made.map((it, i): MessageData => ({ ...REPLY, name: it.recipient!, content: outputs[i]! })),
        ]),
    );
  const final = fc
    .tuple(fc.array(analysis, { maxLength: 2 }), text, fc.boolean())
    .map(([thoughts, content, named]): MessageData[] => [
      ...thoughts.map((it) => (named ? { ...it, name: 'n' } : it)),
      { ...FINAL, ...(named && { name: 'n', attributes: [{ key: 'k', value: 'v' }] }), content },
    ]);
  const user = fc
    .tuple(text, fc.boolean())
    .map(([content, named]): MessageData[] => [{ role: 'user', ...(named && { name: 'Jos\u00e9' }), content }]);
  const alone = analysis.map((it): MessageData[] => [it, { role: 'user', content: '' }]);
  const system = fc.option(
    said.map((content): MessageData => ({ role: 'system', content })),
    { nil: null },
  );
  const tool = fc.constantFrom<ToolDefinition>(TOOL, { namespace: 'functions', name: 'g' });
  return fc
    .tuple(
      system,
      fc.uniqueArray(tool, { maxLength: 2 }),
      fc.array(fc.oneof(calls, final, user, alone), { maxLength: 6 }),
    )
    .map(([first, tools, turns]) => ({ header: null, tools, messages: [...(first ? [first] : []), ...turns.flat()] }));
}

test('many calls, thoughts and lists in one body are all read', () => {
  const calls = '<|function_call|>{"arguments":1,"name":"f"}<|start_reason|>x<|end_reason|>'.repeat(20_000);
  expect(fromLine(of({ role: 'assistant', content: calls })).messages.length).toBe(40_000);
  const outputs = of(
    { role: 'assistant', content: calls },
    { role: 'tool', name: 'g', content: '<|function_output|>'.repeat(20_000) },
  );
  expect(fromLine(outputs).messages.length).toBe(60_000);
  const lists = '<|function_list|>{"name":"f","parameters":{}}\n'.repeat(20_000);
  expect(fromLine(of({ role: 'system', content: lists })).tools.length).toBe(20_000);
});

test(`there and back again, through the text (OPENCHATML_SEED=${SEED})`, () => {
  let carried = 0;
  fc.assert(
    fc.property(shapes(), (data) => {
      const shaped = toLine(data);
      expect(shaped.losses).toEqual([]);
      expect(fromLine(shaped.data)).toEqual(data);
      const { text, losses } = writeTranscript(shaped.data, 'openchatml-0.1');
      expect(losses).toEqual([]);
      if (data.messages.length === 0 && data.tools.length === 0) return;
      expect(meaning(text)).toEqual(data);
      carried++;
    }),
    { seed: SEED, numRuns: runs(3_000) },
  );
  expect(carried).toBeGreaterThan(runs(1_000));
});

test(`any 0.1 bodies: nothing is lost, and nothing is shown that was hidden (OPENCHATML_SEED=${SEED})`, () => {
  const piece = fc.constantFrom(
    'Z',
    '\n',
    '<|function_call|>',
    '<|function_output|>',
    '<|function_list|>',
    '<|start_reason|>',
    '<|end_reason|>',
    '<|start_reflect|>',
    '<|end_reflect|>',
    '{"arguments":1,"name":"f"}',
    '{"name":"f","parameters":{}}',
    '{',
    '}',
  );
  const content = fc.array(piece, { maxLength: 8 }).map((parts) => parts.join(''));
  const message = fc.record({ role: fc.constantFrom('system', 'user', 'assistant', 'tool'), content });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 4 }), (messages) => {
      const read = fromLine(of(...messages));
      // No text of a conversation is lost on the way.
      const said = (all: readonly MessageData[]): number =>
        all
          .map((it) => it.content)
          .join('')
          .split('Z').length;
      expect(said(read.messages)).toBe(said(messages));
      for (const { role, channel, intent, content: shown } of read.messages) {
        if (role !== 'assistant' || channel === 'analysis' || (channel === 'commentary' && intent !== 'preamble'))
          continue;
        expect(shown).not.toMatch(/<\|function_call\|>|<\|start_/);
      }
    }),
    { seed: SEED, numRuns: runs(5_000) },
  );
});

test(`any reply comes back out of its object (OPENCHATML_SEED=${SEED})`, () => {
  const piece = fc.constantFrom(
    'a', ' ', '\n', '\r', '"', '\\', '{', '}', '{"a": 1}', '1', 'null', '"s"', '<|im_end|>', '<|function_output|>', '<',
    '|>', '\u2028', '\u00e9', '{"name": "f", "content": 2}', '{"name": "", "content": "x"}', '\\u003c|',
  );
  const content = fc.oneof(
    fc.array(piece, { maxLength: 4 }).map((parts) => parts.join('')),
    fc.json({ maxDepth: 2 }).filter((it) => !/[\ud800-\udfff]/.test(it)),
  );
  const name = fc.constantFrom('functions.f', 'functions.g.h', 'browser.search', null);
  fc.assert(
    fc.property(fc.array(fc.tuple(name, content), { minLength: 1, maxLength: 3 }), (replies) => {
      const messages = replies.map(([tool, text]): MessageData => {
        // Without a name only the object's own look is written as one, and other text has no escape.
        const said = tool === null ? text.replaceAll('<|', '<') : text;
        return { role: 'tool', ...(tool !== null && { name: tool }), recipient: 'assistant', channel: 'commentary',
          content: said };
      });
      const { data, losses } = toLine(of(...messages));
      expect(losses).toEqual([]);
      expect(fromLine(data).messages).toEqual(messages);
      expect(meaning(writeTranscript(data, 'openchatml-0.1').text).messages).toEqual(messages);
    }),
    { seed: SEED, numRuns: runs(10_000) },
  );
});

const folder = sharedData('dialogues');

test.skipIf(folder === null)('real dialogues: 0.1 to neutral and back to the same messages', () => {
  const bytes = gunzipSync(readFileSync(join(folder!, 'chatml-0.1.txt.gz')));
  const parsed = parse(bytes, { dialect: 'openchatml-0.1' });
  let [calls, replies] = [0, 0];
  for (const transcript of parsed.transcripts.slice(0, runs(3000))) {
    const data = fromLine({ header: null, tools: [], messages: [...transcript].map(messageData) });
    calls += data.messages.filter(({ contentType }) => contentType === 'json').length;
    replies += data.messages.filter(({ role, name }) => role === 'tool' && name?.startsWith('functions.')).length;
    const shaped = toLine(data);
    expect(shaped.losses).toEqual([]);
    expect(fromLine(shaped.data)).toEqual(data);
    // Calls are written as they stood, byte for byte.
    const texts = (messages: Iterable<{ role: string | null; content: string }>): string[] =>
      [...messages].filter(({ role }) => role === 'assistant').map(({ content }) => content);
    expect(texts(shaped.data.messages)).toEqual(texts(transcript));
  }
  expect(calls).toBeGreaterThan(runs(5000));
  expect(replies).toBe(calls);
});
