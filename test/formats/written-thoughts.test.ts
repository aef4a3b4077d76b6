// Reasoning as text (R-THINK) in conversions: `<think>…</think>` to messages on `analysis` and back.
import { describe, expect, test } from 'vitest';
import { READERS } from '../../src/corpus/records/chat-form.ts';
import { fromOpenAI } from '../../src/formats/chat/read.ts';
import { convertTranscript, type Form, FORMS, isDialect } from '../../src/formats/convert.ts';
import { neutralOf } from '../../src/formats/neutral.ts';
import { Refusal } from '../../src/formats/loss.ts';
import { renderText } from '../../src/formats/render/render.ts';
import { transcriptData } from '../../src/formats/transcript-data.ts';
import type { MessageData, TranscriptData } from '../../src/model/data.ts';
import { parseOn } from '../../src/model/parse.ts';
import type { DialectId } from '../../src/scan/dialects.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { runs } from '../long.ts';
import { type Random, randomOf, SEED } from '../random.ts';

const MACHINE = new WasmMachine();

const of = (...messages: MessageData[]): TranscriptData => ({ header: null, tools: [], messages });
const said = (content: string): TranscriptData => of({ role: 'user', content: 'Hi' }, { role: 'assistant', content });

function read(text: string, dialect: DialectId): TranscriptData {
  const parsed = parseOn(MACHINE, text, { dialect });
  return neutralOf(transcriptData(parsed.transcripts[0]!), dialect).data;
}

/** What a form says again, as neutral data. */
function through(data: TranscriptData, form: Form): TranscriptData {
  const { text, record } = convertTranscript(data, form, { neutralise: true });
  return isDialect(form) ? read(text!, form) : READERS[form as keyof typeof READERS](record as never).data;
}

/** The assistant's contents of a chat record with its reasoning as text. */
function written(data: TranscriptData): unknown[] {
  const { record } = convertTranscript(data, 'messages', { reasoning: 'think' });
  return (record as { messages: { role: string; content: unknown; thinking?: unknown }[] }).messages
    .filter(({ role }) => role === 'assistant').map(({ content, thinking }) => thinking ?? content);
}

describe('what a text becomes', () => {
  test.each([
    ['<think>\nA greeting.\n</think>\n\nHello.', ['A greeting.', 'Hello.'], []],
    ['<think>A greeting.</think>Hello.', ['A greeting.', 'Hello.'], ['thinking']],
    ['A greeting.</think>\n\nHello.', ['A greeting.', 'Hello.'], ['thinking']],
    [' <think>\na\n</think>\n\nb', ['a', ' b'], ['thinking']],
    ['<think>\n\n</think>\n\nHello.', ['Hello.'], ['thinking']],
    ['<think>\nCut', ['\nCut'], ['thinking']],
    ['<think>\na\n</think>\n\n', ['a'], []],
    ['Write <think> first.', ['Write <think> first.'], []],
  ])('%j', (content, contents, losses) => {
    const converted = convertTranscript(said(content), 'openchatml-2.2');
    const { messages } = read(converted.text!, 'openchatml-2.2');
    expect(messages.slice(1).map((message) => message.content)).toEqual(contents);
    expect(converted.losses.map(({ what }) => what)).toEqual(losses);
  });

  test('in every form that has a place for it the thought is apart from the answer', () => {
    const data = said('<think>\nSECRET\n</think>\n\nOPEN');
    for (const form of FORMS.filter((one) => one !== 'sharegpt')) {
      const messages = through(data, form).messages.slice(1);
      expect(messages.map(({ channel, content }) => [channel ?? 'final', content]), form)
        .toEqual([['analysis', 'SECRET'], ['final', 'OPEN']]);
    }
  });

  test('before a call', () => {
    const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
    const record = { messages: [{ role: 'assistant', content: '<think>\na\n</think>\n\n', tool_calls: [call] }] };
    const { data } = fromOpenAI(record);
    expect(through(data, 'openchatml-2.2').messages.map(({ channel }) => channel)).toEqual(['analysis', 'commentary']);
    const back = convertTranscript(through(data, 'openchatml-2.2'), 'messages', { reasoning: 'think' });
    expect(back.record).toEqual(record);
  });
});

describe('what is hidden stays hidden', () => {
  const text = (body: string): string => `version: 2.2\n---\n<|start|>assistant<|message|>${body}<|end|>\n`;
  test.each([
    '<think>SECRET<|literal|></think><|endliteral|>SECRET</think>OPEN',
    '<think><<|end|>SECRET</think>OPEN',
    'SECRET<|literal|></think><|endliteral|>SECRET</think>OPEN',
    '<think>SECRET',
  ])('%j', (body) => {
    const { messages } = read(text(body), 'openchatml-2.2');
    for (const form of FORMS) {
      const shown = through(of(...messages), form).messages.filter(({ channel = 'final' }) => channel === 'final');
      const { text: told } = convertTranscript(of(...shown), 'harmony', { neutralise: true });
      const seen = [...renderText(parseOn(MACHINE, told!, {}))].join('');
      expect(seen.trim().split(/\s+/).slice(1).join(), form).toBe(body.endsWith('OPEN') ? 'OPEN' : '');
    }
  });

  test('in 0.1, with blocks across and function tokens inside', () => {
    const line = (body: string): string => `<|im_start|>assistant\n${body}<|im_end|>\n`;
    for (const body of [
      '<think>SECRET<|function_call|>{"name":"f","arguments":{}}</think>OPEN',
      '<think>SECRET<|start_reason|>SECRET</think>SECRET<|end_reason|>OPEN',
      'SECRET<|start_reason|>SECRET</think>SECRET<|end_reason|>OPEN',
    ]) {
      expect([...renderText(parseOn(MACHINE, line(body), {}))].join('')).toContain('OPEN');
      const { messages } = read(line(body), 'openchatml-0.1');
      const shown = messages.filter(({ channel }) => channel !== 'analysis');
      expect(shown.map(({ content }) => content), body).toEqual(['OPEN']);
    }
  });
});

describe('what is hidden stays hidden, as text too', () => {
  const shownOf = (text: string, dialect: DialectId): string =>
    [...renderText(parseOn(MACHINE, text, { dialect }))].join('');

  test('Harmony: a marker in reasoning before a call', () => {
    const text = '<|start|>assistant<|channel|>analysis<|message|><think>SECRET<|end|>'
      + '<|start|>assistant<|channel|>commentary to=functions.f<|message|>{}<|call|>';
    const { text: told } = convertTranscript(read(text, 'harmony'), 'openchatml-2.2', { reasoning: 'think' });
    expect(shownOf(told!, 'openchatml-2.2')).not.toContain('SECRET');
  });

  test.each(['SECRET</think>OPEN', '<think>SECRET'])('0.1: reasoning with a marker of its end, before %j', (body) => {
    const text = 'version: 2.0\n<|start|>assistant<|channel|>analysis<|message|>a</think>b<|end|>'
      + `<|start|>assistant<|channel|>final<|message|>${body}<|end|>`;
    const { text: told } = convertTranscript(read(text, 'openchatml-2.0'), 'openchatml-0.1', { reasoning: 'think' });
    expect(shownOf(told!, 'openchatml-0.1')).not.toContain('SECRET');
  });

  test('0.1: reasoning that holds </think> is read with its markers, which is told', () => {
    const messages = [
      { role: 'assistant', channel: 'analysis', content: 'end with </think> then' },
      { role: 'assistant', channel: 'final', content: 'OPEN' },
    ];
    const { text, losses } = convertTranscript({ header: null, tools: [], messages }, 'openchatml-0.1');
    expect(shownOf(text!, 'openchatml-0.1')).not.toContain('then');
    expect(losses).toContainEqual(expect.objectContaining({ what: 'field', message: 0 }));
    const without = [{ ...messages[0]!, content: 'end with <think> then' }, messages[1]!];
    expect(convertTranscript({ header: null, tools: [], messages: without }, 'openchatml-0.1').losses).toEqual([]);
  });

  const PARTS = ['<think>', '</think>', '<think>\n', '\n</think>\n\n', ' ', '\n', '<|start_reason|>', '<|end_reason|>'];
  const CHANNELS = ['analysis', 'commentary', 'final', 'final'];
  const CONVERSIONS = runs(1500);
  test(`${CONVERSIONS} transcripts to every dialect (OPENCHATML_SEED=${SEED})`, () => {
    const seeds = randomOf(SEED);
    for (let run = 0; run < CONVERSIONS; run++) {
      const random = randomOf(seeds.below(0x7fffffff));
      let words = 0;
      const content = (): string => Array.from({ length: 1 + random.below(6) }, () =>
        (random.once(2) ? `W${words++}.` : random.pick(PARTS))).join('');
      const from = random.pick(['harmony', 'openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1'] as const);
      const message = (): string => from === 'openchatml-0.1' ? `<|im_start|>assistant\n${content()}<|im_end|>\n`
        : random.once(5) ? '<|start|>assistant<|channel|>commentary to=functions.f<|message|>{}<|call|>'
        : `<|start|>assistant<|channel|>${random.pick(CHANNELS)}<|message|>${content()}<|end|>`;
      const text = Array.from({ length: 1 + random.below(3) }, message).join('');
      const seen = shownOf(text, from);
      const isHidden = (shown: string): boolean =>
        Array.from({ length: words }, (_, i) => `W${i}.`).every((word) => !shown.includes(word) || seen.includes(word));
      for (const to of ['openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1', 'harmony'] as const) {
        for (const reasoning of to === 'harmony' ? ['keep'] as const : ['keep', 'think'] as const) {
          let told: string;
          try {
            told = convertTranscript(read(text, from), to, { reasoning }).text!;
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
            continue;
          }
          const way = `OPENCHATML_SEED=${SEED}, run ${run}, ${from} to ${to}, ${reasoning}`;
          expect(isHidden(shownOf(told, to)), `${way}: ${JSON.stringify([text, told])}`).toBe(true);
        }
      }
    }
  });
});

test('0.1: what looks like reasoning behind reasoning is quoted', () => {
  const line = '<|im_start|>assistant\n<think>\na\n</think>\n\nb</think>c<|im_end|>\n';
  const { text } = convertTranscript(read(line, 'openchatml-0.1'), 'openchatml-2.2');
  const { messages } = read(text!, 'openchatml-2.2');
  expect(messages).toMatchObject([{ channel: 'analysis', content: 'a' }, { content: 'b</think>c', written: null }]);
});

describe('what is text stays text', () => {
  const body = '<think>a</think>b';
  const harmony = `<|start|>assistant<|channel|>final<|message|>${body}<|end|>`;
  test('of Harmony in 2.2, quoted', () => {
    const dialect = 'openchatml-2.2';
    const { text, losses } = convertTranscript(read(harmony, 'harmony'), dialect);
    const parsed = parseOn(MACHINE, text!, { dialect });
    expect([...renderText(parsed)].join('')).toContain(body);
    expect(losses.filter(({ what }) => what === 'field')).toEqual([]);
    expect(convertTranscript(read(text!, dialect), 'harmony').text).toContain(`<|message|>${body}<|`);
  });

  test('where nothing quotes it, that it is taken for reasoning is told', () => {
    for (const form of ['openchatml-0.1', 'openchatml-2.0', 'messages', 'sharegpt', 'interchange-2.2'] as const) {
      const { losses } = convertTranscript(read(harmony, 'harmony'), form);
      const details = losses.map(({ detail }) => detail);
      expect(details, form).toContain('text that looks like written reasoning is taken for it');
    }
  });

  test('the same behind reasoning', () => {
    for (const form of ['openchatml-0.1', 'openchatml-2.0', 'messages', 'anthropic', 'responses'] as const) {
      const { losses } = convertTranscript(said('<think>\na\n</think>\n\nb</think>c'), form);
      const details = losses.map(({ detail }) => detail);
      expect(details, form).toContain('text that looks like written reasoning is taken for it');
    }
  });
});

test('think is refused for Harmony, which would show it', () => {
  expect(() => convertTranscript(said('a'), 'harmony', { reasoning: 'think' })).toThrow(RangeError);
});

const WORDS = [
  'Yes.', 'a < b', 'line\nline', '{"a": 1}', '<b>bold</b>', 'caf\u00e9', '  two  blanks', '<|foo|>', '<think', '</thin',
];
const some = (random: Random): string =>
  Array.from({ length: 1 + random.below(4) }, () => random.pick(WORDS)).join(' ');

const RUNS = runs(10_000);
test(`${RUNS} conversations come back from every form as they were (OPENCHATML_SEED=${SEED})`, () => {
  const seeds = randomOf(SEED);
  for (let run = 0; run < RUNS; run++) {
    const random = randomOf(seeds.below(0x7fffffff));
    const messages: MessageData[] = [];
    for (let left = 1 + random.below(3); left > 0; left--) {
      const thought = random.once(3) ? '' : `<think>\n${some(random)}\n</think>\n\n`;
      messages.push({ role: 'user', content: some(random) });
      messages.push({ role: 'assistant', content: thought + some(random).trimStart() });
    }
    const form = random.pick(FORMS);
    const told = `OPENCHATML_SEED=${SEED}, run ${run}, ${form}: ${JSON.stringify(messages)}`;
    const contents = messages.flatMap(({ role, content }) => (role === 'assistant' ? [content] : []));
    expect(written(through(of(...messages), form)), told).toEqual(contents);
  }
});
