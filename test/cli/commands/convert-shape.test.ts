// `convert`: how answers end, prompts, what stands around 0.1, calls as 2.2 has them, fields that are cleaned.
import { expect, test } from 'vitest';
import {
  builtinToolsText, convertTranscript, HARMONY_SYSTEM, harmonySystem, readHarmonySystem, transcriptData, writePrompt,
  writeTranscript,
} from '../../../src/convert.ts';
import { parse } from '../../../src/index.ts';
import { FORMS, WRITES_TAGS } from '../../../src/formats/convert.ts';
import { Refusal } from '../../../src/formats/loss.ts';
import { renderText } from '../../../src/formats/render/render.ts';
import type { MessageData, TranscriptData } from '../../../src/model/data.ts';
import { messagesForCompletion } from '../../../src/rules/sampling.ts';
import { file, jsonLines, run } from '../harness.ts';

const TWO = `version: 2.2
<|start|>user<|message|>Q<|end|>
<|start|>assistant<|channel|>analysis<|message|>T<|end|>
<|start|>assistant<|channel|>final<|message|>A<|return|>
<|start|>user<|message|>R<|end|>
<|start|>assistant<|channel|>final<|message|>B<|end|>
`;
const NAMES = ['openchatml-2.2', 'openchatml-2.0', 'harmony'] as const;

const dataOf = (text: string): TranscriptData => transcriptData([...parse(text).transcripts][0]!);
const of = (...messages: MessageData[]): TranscriptData => ({ header: null, tools: [], messages });

/** What `convert` writes of a text, without what it tells. */
async function converted(text: string, ...options: string[]): Promise<string> {
  const { code, out, err } = await run(['convert', ...options, file('shape/input.ocml', text)]);
  expect(code, err).toBe(0);
  return out;
}

test('an answer ends in <|end|>, the last one in <|return|>, or every one', async () => {
  for (const to of NAMES) {
    const ends = async (end: string): Promise<(string | undefined)[]> => {
      const text = await converted(TWO, '--to', to, '--end', end);
      return [...text.matchAll(/[AB](<\|\w+\|>)/g)].map(([, token]) => token);
    };
    expect(await ends('end')).toEqual(['<|end|>', '<|end|>']);
    expect(await ends('return')).toEqual(['<|end|>', '<|return|>']);
    expect(await ends('all-returns')).toEqual(['<|return|>', '<|return|>']);
  }
  // Left out, the ends are those that were read; nothing but an answer is changed.
  expect(await converted(TWO, '--to', 'openchatml-2.2')).toBe(TWO);
  expect(await converted(TWO, '--to', 'openchatml-2.2', '--end', 'end')).toBe(TWO.replace('<|return|>', '<|end|>'));
  const [record] = jsonLines(await converted(TWO, '--to', 'interchange-2.2', '--end', 'return')) as {
    messages: { end?: string }[];
  }[];
  expect(record!.messages.map(({ end }) => end ?? null)).toEqual([null, null, null, 'return']);
  expect(() => convertTranscript(of(), 'harmony', { end: 'x' as 'end' })).toThrow(RangeError);
});

test('a prompt is what a turn sends: no old reasoning, no stop token, an open turn at the end', async () => {
  const asked = `${TWO}<|start|>user<|message|>S<|end|>\n`;
  expect(await converted(asked, '--prompt', '--to', 'openchatml-2.2')).toBe(
    `version: 2.2\n<|start|>user<|message|>Q<|end|>\n<|start|>assistant<|channel|>final<|message|>A<|end|>\n`
    + `<|start|>user<|message|>R<|end|>\n<|start|>assistant<|channel|>final<|message|>B<|end|>\n`
    + `<|start|>user<|message|>S<|end|>\n<|start|>assistant`,
  );
  expect(await converted(asked, '--prompt', '--to', 'harmony')).toMatch(/S<\|end\|><\|start\|>assistant$/);
  expect(await converted(asked, '--prompt', '--to', 'openchatml-0.1')).toMatch(/^<s>\n[^]*<\|im_start\|>assistant\n$/);
  expect(await converted(asked, '--prompt', '--reasoning', 'keep', '--to', 'openchatml-2.2')).toContain('>T<|end|>');
  // The same as the library, and read again it is the open turn that it was.
  for (const to of [...NAMES, 'openchatml-0.1'] as const) {
    const text = await converted(asked, '--prompt', '--to', to);
    expect(writePrompt(dataOf(asked), to).text).toBe(text);
    const [read] = [...parse(text, { dialect: to }).transcripts];
    expect([...read!].at(-1)!.isOpenTurn).toBe(true);
  }
  const { messages, dropped, losses } = writePrompt(dataOf(asked), 'openchatml-2.2');
  expect(messages).toEqual(messagesForCompletion(dataOf(asked).messages, { rule: 'ocm' }).messages);
  expect([dropped.map(({ what, message }) => [what, message]), losses]).toEqual([[['thinking', 1]], []]);
  const lines = jsonLines(await converted(asked, '--prompt', '--format', 'ndjson', '--to', 'harmony'));
  expect(lines).toEqual([expect.objectContaining({ text: expect.stringMatching(/<\|start\|>assistant$/) })]);
});

test('what contradicts itself is wrong usage', async () => {
  const path = file('shape/usage.ocml', TWO);
  for (const [options, words] of [
    [['--prompt', '--to', 'messages'], '--prompt is for dialects'],
    [['--prompt', '--end', 'return', '--to', 'harmony'], 'leave out --end'],
    [['--prompt', '--reasoning', 'think', '--to', 'openchatml-2.2'], 'not for prompts'],
    [['--eos', '<|im_end|>', '--to', 'openchatml-0.1'], 'without another token of 0.1'],
    [['--end', 'return', '--to', 'sharegpt'], '--end is for dialects and interchange forms'],
    [['--constrain', 'bare', '--to', 'messages'], '--constrain is for --to harmony'],
    [['--end', 'x', '--to', 'harmony'], 'choices are end, return, all-returns'],
  ] as const) {
    const { code, err } = await run(['convert', ...options, path]);
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
  }
});

test('calls are written as Hermes has them, where a form has room for them', async () => {
  const definition = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } };
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"a": 1}' } };
  const record = { tools: [definition], messages: [
    { role: 'user', content: 'Q' }, { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c', content: 'R' }, { role: 'assistant', content: 'A' },
  ] };
  const path = file('shape/calls.jsonl', JSON.stringify(record));
  const { out, err } = await run(['convert', '--calls', 'hermes', '--to', 'messages', path]);
  expect(jsonLines(out)).toEqual([{ id: expect.any(String), messages: [
    { role: 'system', content: `<tools>\n${JSON.stringify(definition)}\n</tools>` }, { role: 'user', content: 'Q' },
    { role: 'assistant', content: '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>' },
    { role: 'tool', content: '<tool_response>\nR\n</tool_response>' }, { role: 'assistant', content: 'A' },
  ] }]);
  expect(err).toMatch(/^lost: call-id 2 /);
  const prompt = await run(['convert', '--calls', 'hermes', '--to', 'openchatml-0.1', '--prompt', path]);
  expect(prompt.out).toContain('<tool_response>\nR\n</tool_response>\n<|im_end|>');
  for (const to of FORMS) {
    const { code } = await run(['convert', '--calls', 'hermes', '--to', to, path]);
    expect([to, code]).toEqual([to, WRITES_TAGS.has(to) ? 0 : 2]);
  }
});

test("0.1 stands within the base model's own tokens, or within none", async () => {
  const text = '<|start|>user<|message|>Q<|end|>';
  const body = '<|im_start|>user\nQ\n<|im_end|>\n';
  const line = (...options: string[]): Promise<string> => converted(text, '--to', 'openchatml-0.1', ...options);
  expect(await line()).toBe(`<s>\n${body}</s>\n`);
  expect(await line('--bos', '<|begin_of_text|>', '--eos', '<|eot_id|>'))
    .toBe(`<|begin_of_text|>${body}<|eot_id|>\n`);
  expect(await line('--bos', '', '--eos', '')).toBe(body);
  expect(await line('--eos', '')).toBe(`<s>\n${body}`);
  const data = of({ role: 'user', content: 'Q' });
  expect(writeTranscript(data, 'openchatml-0.1', { edges: { bos: '[B]' } }).text).toBe(`[B]${body}</s>\n`);
  expect(writeTranscript(data, 'openchatml-2.2', { edges: { bos: 'x' } }).text).not.toContain('x');
  for (const bos of ['<|im_start|>', '\ud800', 1]) {
    const edges = { bos: bos as string };
    expect(() => writeTranscript(data, 'openchatml-0.1', { edges })).toThrow(RangeError);
  }
});

test('a call without a channel stands on commentary, and JSON arguments bind from 2.0', async () => {
  const call = '<|start|>assistant to=functions.f<|message|>{"a":1}<|call|>';
  for (const to of NAMES) {
    expect(convertTranscript(dataOf(call), to)).toMatchObject({
      text: expect.stringMatching(/assistant to=functions\.f(?: call_id=\w+)?<\|channel\|>commentary[ <]/),
      losses: expect.arrayContaining([expect.objectContaining({ what: 'channel', message: 0 })]),
    });
  }
  const old = (...texts: string[]): string => `version: 2.0\n${texts.join('\n')}\n`;
  const on = (to: string, content: string): string =>
    `<|start|>assistant to=${to}<|channel|>commentary<|message|>${content}<|call|>`;
  const text = old(on('functions.f', '{"a":1}'), on('functions.f', 'x'), on('python', '1'), on('browser.open', '{}'));
  const written = await converted(text, '--to', 'openchatml-2.2');
  const typed = [...written.matchAll(/<\|constrain\|>json<\|message\|>(.*)<\|c/g)];
  expect(typed.map(([, content]) => content)).toEqual(['{"a":1}', '{}']);
  expect(await converted(text, '--to', 'openchatml-2.0')).toBe(text);
  const record = { role: 'assistant', tool_calls: [{ type: 'function', function: { name: 'f', arguments: '{}' } }] };
  expect(await converted(JSON.stringify(record), '--to', 'openchatml-2.2')).toContain('<|constrain|>json<|message|>{}');
  // 2.2 text may leave it out.
  expect(await converted(`version: 2.2\n${on('functions.f call_id=c', '{}')}`, '--to', 'openchatml-2.2'))
    .not.toContain('constrain');
});

test('every string of a header is cleaned when that is asked for, and refused or left out otherwise', () => {
  const message: MessageData = {
    role: 'user', name: 'Eric Smith', intent: 'de bug', contentType: 'a=b', content: 'Q',
    attributes: [{ key: 'x y', value: 'a <|end|>' }, { key: 'k', value: '' }],
  };
  const { text, losses } = convertTranscript(of(message), 'openchatml-2.2', { neutralise: true });
  expect(text).toBe('version: 2.2\n'
    + '<|start|>user name=Eric_Smith intent=de_bug content_type=a_b x_y=a__|end|> k=<|message|>Q<|end|>\n');
  expect(losses.map(({ what }) => what).sort()).toEqual(['attribute', 'content-type', 'intent', 'name']);
  expect(() => convertTranscript(of(message), 'openchatml-2.2')).toThrow(Refusal);
  expect(convertTranscript(of({ role: 'user', name: 'Eric Smith', content: 'Q' }), 'openchatml-2.2').text)
    .toContain('<|start|>user<|message|>');
});

test("a header and Harmony's system message carry each other's settings", async () => {
  const header = 'version: 2.2\ngeneration_settings:\n  reasoning_effort: high\n'
    + '  builtin_tools:\n    - browser\n    - python\n';
  const said = '<|start|>user<|message|>Q<|end|>\n';
  const harmony = await converted(header + said, '--to', 'harmony', '--system');
  const system = readHarmonySystem(harmony.slice(harmony.indexOf('<|message|>') + 11, harmony.indexOf('<|end|>')))!;
  expect(system).toEqual({
    ...HARMONY_SYSTEM, reasoningEffort: 'high', builtinTools: builtinToolsText(['browser', 'python']),
  });
  expect(harmony).toMatch(/## browser[^]*## python[^]*<\|end\|><\|start\|>user<\|message\|>Q<\|end\|>$/);
  // Back again, beside the message.
  const back = await converted(harmony, '--from', 'harmony', '--to', 'openchatml-2.2');
  expect(back.startsWith(`${header}<|start|>system<|message|>`)).toBe(true);
  expect(jsonLines(await converted(harmony, '--from', 'harmony', '--to', 'interchange-2.0'))).toEqual([
    expect.objectContaining({
      header: { generation_settings: { reasoning_effort: 'high', builtin_tools: ['browser', 'python'] } },
    }),
  ]);
  expect(await converted(harmony, '--from', 'harmony', '--to', 'harmony', '--system')).toBe(harmony);
  // What the message has no place for is lost, nothing else is; without --system there is none.
  const losses = (fields: string): string[] =>
    convertTranscript(dataOf(fields + said), 'harmony', { system: true }).losses.map(({ what }) => what);
  expect([losses(header), losses(`${header}model: m\n`), losses(`${header}  temperature: 1\n`)])
    .toEqual([[], ['header'], ['header']]);
  expect(await converted(said, '--to', 'harmony')).toBe(said.trimEnd());
  const prompt = await converted(said, '--to', 'harmony', '--system', '--prompt');
  expect(prompt).toMatch(/^<\|start\|>system.*\n[^]*assistant$/);
  expect((await run(['convert', '--system', '--to', 'openchatml-2.2', file('shape/s.ocml', said)])).code).toBe(2);
  expect(() => harmonySystem({ builtinTools: ['python'] as unknown as string })).toThrow(TypeError);
});

test('files and fill-ins that a form has no place for are a loss of that name', async () => {
  const told = async (text: string): Promise<string> =>
    (await run(['convert', '--to', 'openchatml-2.2', file('shape/files.chatml', text)])).err;
  const message = '<|im_start|>user\nQ\n<|im_end|>\n';
  expect(await told(`<s>${message}A<|file_separator|>B</s>`)).toMatch(/^lost: files 1 /m);
  expect(await told(`<s><|fim_prefix|>a<|fim_suffix|>b\n${message}</s>`)).toMatch(/^lost: files 1 /m);
  expect(await told(`<s>${message}stray</s>`)).toMatch(/^lost: field 1 \(.*text outside/m);
});

test('files and fill-ins of 0.1 are kept in 0.1', async () => {
  const text = '<s>\n<|fim_prefix|>a <|fim_middle|><|fim_suffix|> b\n<|im_start|>user\nQ\n<|im_end|>\n'
    + 'A\n<|file_separator|>\nB\n</s>\n<s>\n<|file_separator|>\nC\n</s>\n';
  const path = file('shape/kept.chatml', text);
  const { code, out, err } = await run(['convert', '--quiet', '--to', 'openchatml-0.1', path]);
  expect([code, out, err]).toEqual([0, text, '']);
  const lines = jsonLines((await run(['convert', '--to', 'openchatml-0.1', '--format', 'ndjson', path])).out);
  expect(lines.map((line) => (line as { text: string }).text).join('')).toBe(text);
  for (const form of ['interchange-2.2', 'interchange-2.0']) {
    const records = file('shape/kept.jsonl', (await run(['convert', '--quiet', '--to', form, path])).out);
    const back = await run(['convert', '--quiet', '--to', 'openchatml-0.1', records]);
    expect([back.code, back.out, back.err]).toEqual([0, text, '']);
    expect((await run(['check', '--strict', '--quiet', records])).code).toBe(0);
  }
});

test("the base model's own tokens are read where they are named, by every command", async () => {
  const [bos, eos] = ['<|begin_of_text|>', '<|eot_id|>'];
  const turn = '<|im_start|>user\nQ\n<|im_end|>';
  const path = file('shape/named.chatml', `${bos}${turn}${eos}\n${bos}A\n<|file_separator|>\nB\n${turn}${eos}\n`);
  const names = ['--bos', bos, '--eos', eos];
  expect((await run(['check', '--strict', path])).code).toBe(1);
  const { code, out } = await run(['check', '--strict', '--format', 'json', ...names, path]);
  expect([code, (JSON.parse(out) as { diagnostics: object[] }).diagnostics]).toEqual([0, []]);
  for (const threads of ['1', '2']) {
    const counted = await run(['scan', '--format', 'json', '--threads', threads, ...names, path]);
    expect(JSON.parse(counted.out)).toMatchObject({ transcripts: 2, messages: 2, findings: {} });
  }
  const lines = jsonLines((await run(['messages', ...names, path])).out) as { transcript: number }[];
  expect(lines.map(({ transcript }) => transcript)).toEqual([0, 1]);
  const written = await run(['convert', '--to', 'openchatml-0.1', '--quiet', ...names, path]);
  expect([written.err, written.out]).toEqual(
    ['', `${bos}${turn}\n${eos}\n${bos}\nA\n<|file_separator|>\nB\n${turn}\n${eos}\n`],
  );
  const newer = await run(['convert', '--to', 'openchatml-2.2', ...names, path]);
  expect(newer.out).toBe('version: 2.2\n<|start|>user<|message|>Q<|end|>\n'.repeat(2));
  expect(newer.err).toMatch(/^lost: files 1 /m);
});

test('a prompt shows no reasoning that is written as text', async () => {
  const answered = (content: string): object => ({ messages: [
    { role: 'user', content: 'Q' }, { role: 'assistant', content }, { role: 'user', content: 'Again' },
  ] });
  for (const to of ['harmony', 'openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1']) {
    for (const content of ['<think>SECRET</think>\n\nA', 'SECRET</think>A']) {
      const record = JSON.stringify(answered(content));
      const dropped = await converted(record, '--to', to, '--prompt');
      expect(dropped, to).not.toContain('SECRET');
      expect(dropped, to).toContain('A<|'.slice(0, to === 'openchatml-0.1' ? 1 : 3));
      const kept = parse(await converted(record, '--to', to, '--prompt', '--reasoning', 'keep'));
      const shown = [...renderText(kept)].join('');
      expect([shown.includes('SECRET'), shown.includes('A\n')], `${to} ${content}`).toEqual([false, true]);
    }
  }
});

test.each(FORMS)('definitions too deep to be written are refused, the records behind them go on: %s', async (to) => {
  for (const depth of [1100, 60_000]) {
    const parameters = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    const tools = `[{"type":"function","function":{"name":"f","parameters":${parameters}}}]`;
    const deep = `{"messages":[{"role":"user","content":"Q"}],"tools":${tools}}\n`;
    const path = file('shape/deep-tools.jsonl', `${deep}{"messages":[{"role":"user","content":"Next"}]}\n`);
    const { code, out, err } = await run(['convert', '--to', to, path]);
    expect(code, to).toBe(1);
    expect(err).toContain('record: tool 0 cannot be ');
    expect(err).toContain('1 transcript converted, 1 refused');
    expect(out).toContain('Next');
  }
});

test('what a list of definitions takes as text stays within bounds, too', async () => {
  // Each level indents all that stands in it.
  const parameters = `${'{"a":'.repeat(1000)}[${'1,'.repeat(200_000)}1]${'}'.repeat(1000)}`;
  const tools = `[{"type":"function","function":{"name":"f","parameters":${parameters}}}]`;
  const path = file('shape/wide-tools.jsonl', `{"messages":[{"role":"user","content":"Q"}],"tools":${tools}}\n`);
  const { code, err } = await run(['convert', '--to', 'openchatml-2.0', path]);
  expect(code).toBe(1);
  expect(err).toContain('record: tool 0 cannot be written (too-deep)');
});
