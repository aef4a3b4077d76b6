// What is hidden stays hidden: marks in hidden bodies come out nowhere but where a caller asks for them. Which bodies
// are hidden is known by construction, or by the reference parser, which was written apart from the library.
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { check as checkCommand } from '../src/cli/commands/check.ts';
import { convert } from '../src/cli/commands/convert.ts';
import { filter } from '../src/cli/commands/filter.ts';
import { render, type RenderCommandOptions } from '../src/cli/commands/render.ts';
import { REPORT_FORMATS } from '../src/cli/diagnostics/report.ts';
import { scan as scanCommand } from '../src/cli/commands/scan.ts';
import type { Host } from '../src/cli/stream.ts';
import { messagesOf, type PlacedMessage } from '../src/corpus/messages.ts';
import { holdsRecords } from '../src/corpus/records/form.ts';
import { fromOpenAI } from '../src/formats/chat/read.ts';
import { type Form, FORMS, isDialect } from '../src/formats/convert.ts';
import { fromInterchange20, fromInterchange22 } from '../src/formats/interchange/read.ts';
import { writtenIn } from '../src/formats/written-thoughts.ts';
import { renderHtml, renderText } from '../src/formats/render/render.ts';
import { fromResponses } from '../src/formats/chat/responses.ts';
import { fromShareGpt } from '../src/formats/chat/sharegpt.ts';
import type { Message } from '../src/model/message.ts';
import { type Parsed, parseOn } from '../src/model/parse.ts';
import type { ReadOptions } from '../src/model/walk.ts';
import { MemorySource } from '../src/scan/source.ts';
import { WasmMachine } from '../src/scan/wasm.ts';
import { checkSource } from '../src/rules/check-source.ts';
import { Counter } from '../src/rules/count.ts';
import { isShown } from '../src/rules/message-data.ts';
import { at, file } from './cli/harness.ts';
import { runs } from './long.ts';
import { type Random, randomInput, randomOf, SEED } from './random.ts';
import { Chunked } from './read.ts';
import { referenceParse } from './reference/parser.ts';
import { HIDDEN } from './model/visibility-cases.ts';

const MACHINE = new WasmMachine();
const SMALL = { tableRows: 8, window: 1024 };
const INPUTS = runs(750, 12);
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Everything that the library's objects tell about themselves. */
function* logs(value: unknown): Generator<string, void, void> {
  yield String(value);
  yield JSON.stringify(value) ?? '';
  yield inspect(value);
  const all = { depth: Infinity, showHidden: true, maxArrayLength: null, maxStringLength: null };
  yield inspect(value, { ...all, getters: true });
  yield inspect(value, { ...all, customInspect: false });
}

const errorOf = (work: () => unknown): unknown => {
  try {
    work();
    return null;
  } catch (error) {
    return error;
  }
};

function* viewsOf(placed: Iterable<PlacedMessage>): Generator<Message> {
  for (const { message } of placed) yield message;
}

function* errors(bytes: Uint8Array, parsed: Parsed): Generator<unknown, void, void> {
  for (const transcript of parsed.transcripts) {
    for (const message of transcript) {
      yield errorOf(() => message.show());
      yield errorOf(() => [...renderText([{ message }] as never)]);
    }
  }
  yield errorOf(() => renderText(bytes.buffer as never));
  yield errorOf(() => parseOn(MACHINE, bytes.buffer as never));
  yield errorOf(() => parseOn(MACHINE, bytes, { role: {} as never }));
  const gone: Message[] = [];
  for (const { message } of messagesOf(new WasmMachine(SMALL), new Chunked(bytes, () => 7), {})) gone.push(message);
  for (const message of gone) yield errorOf(() => message.content);
}

/** All that may be seen of an input without asking for hidden text. */
function* outlets(bytes: Uint8Array, options: ReadOptions): Generator<string, void, void> {
  const parsed = parseOn(MACHINE, bytes, options);
  yield [...renderText(parsed, { notes: true })].join('');
  yield [...renderHtml(parsed, { notes: true })].join('');
  yield [...renderText(viewsOf(messagesOf(new WasmMachine(SMALL), new Chunked(bytes, () => 5), options)))].join('');
  yield JSON.stringify([...checkSource(MACHINE, new MemorySource(bytes), options)]);
  const counter = new Counter();
  counter.add(MACHINE, new MemorySource(bytes), options);
  yield JSON.stringify(counter.result());
  yield* logs(parsed);
  for (const transcript of parsed.transcripts) {
    yield* logs(transcript);
    yield* logs(transcript.info);
    for (const message of transcript) yield* logs(message);
  }
  for (const placed of messagesOf(MACHINE, new MemorySource(bytes), options)) yield* logs(placed);
  for (const error of errors(bytes, parsed)) {
    yield error instanceof Error ? `${error.stack} ${error.message}` : '';
    yield* logs(error);
  }
}

/** A mark as it would show up: as text, and as bytes in decimal and in hexadecimal. */
const formsOf = (mark: string): string[] => {
  return [mark, [...encode(mark)].join(', '), Buffer.from(mark).toString('hex').replace(/..(?=.)/g, '$& ')];
};

/** What the marks of random inputs begin with. */
const MARK = 'zq';
const MARK_FORMS = formsOf(MARK);

function expectNone(text: string, marks: readonly string[], told: string): void {
  // One look for all of them: there may be many.
  if (marks.every((mark) => mark.startsWith(MARK)) && !MARK_FORMS.some((form) => text.includes(form))) return;
  for (const form of marks.flatMap(formsOf)) if (text.includes(form)) expect(text, told).not.toContain(form);
}

describe('by construction', () => {
  const withSecret = HIDDEN.filter(([, text]) => text.includes('SECRET'));

  test.each(withSecret)('a message hidden for its %s: %j %j', (_, text, options = {}) => {
    for (const out of outlets(encode(text), options)) expectNone(out, ['SECRET'], text);
    expect([...renderText(parseOn(MACHINE, text, options), { debug: true })].join('')).toContain('SECRET');
    expect([...renderHtml(parseOn(MACHINE, text, options), { debug: true })].join('')).toContain('SECRET');
  });

  const parts: [text: string, options?: ReadOptions][] = [
    ['<|start|>assistant<|message|>OPEN<|start_reason|>SECRET<|end_reason|>OPEN<|end|>'],
    ['<|start|>assistant<|message|>OPEN<|start_reason|>a<|start_reason|>b<|end_reason|>SECRET<|end|>'],
    [
      '<|start|>assistant intent=preamble<|channel|>commentary<|message|>OPEN<|start_reflect|><|literal|>'
      + '<|end_reflect|>SECRET<|endliteral|><|end|>',
    ],
    ['<|start|>assistant<|message|>OPEN<|literal|>SECRET<|end|><|start|>user<|message|>SECRET<|end|>'],
    ['<|start|>user<|message|>OPEN<|literal|>SECRET'],
    ['<|start|>assistant<|message|>OPEN<|start_introspect|>SECRET', { dialect: 'openchatml-2.0' }],
    ['<|im_start|>assistant\nOPEN<|start_reason|>SECRET<|end_reason|>\n<|im_end|>'],
    ['<|im_start|>assistant\nOPEN\n<|function_call|>{"SECRET":1}<|start_reason|><|end_reason|>SECRET<|im_end|>'],
    ['version: 1.2\n---\n<|start|>assistant<|message|>OPEN<|start_reason|>SECRET<|end|>'],
    ['<|start|>assistant<|message|> \n<think>SECRET</think>OPEN<|end|>'],
    ['<|start|>assistant<|message|>SECRET</think>OPEN<|end|>'],
    ['<|start|>assistant<|message|>OPEN<|end|>'
      + '<|start|>assistant<|message|><think>SECRET<|literal|></think>SECRET<|end|>'],
    ['<|im_start|>assistant\n<think>SECRET</think>OPEN<|function_call|>{"SECRET":1}<|im_end|>'],
    ['<|im_start|>assistant\nOPEN\n<tool_call>\n{"SECRET":1}\n</tool_call>SECRET\n<tool_call>SECRET<|im_end|>'],
    ['<|im_start|>assistant\n<think>SECRET\n</think>\n<tool_call>SECRET</tool_call><|im_end|>\n'
      + '<|im_start|>user\n<tool_response>SECRET</tool_response>OPEN<tool_response>SECRET</tool_response><|im_end|>'],
  ];
  test.each(parts)('a part of a shown message: %j %j', (text, options = {}) => {
    for (const out of outlets(encode(text), options)) expectNone(out, ['SECRET'], text);
    for (const rendered of [renderText, renderHtml]) {
      expect([...rendered(parseOn(MACHINE, text, options))].join('')).toContain('OPEN');
    }
  });
});

describe('findings of meaning', () => {
  // A message says what a definition allows, and nothing of what a call passes.
  const define = 'version: 2.2\n---\n<|start|>developer<|message|># Tools\n\n## functions\n\nnamespace functions {\n\n'
    + '// SECRET\ntype f = (_: {\n// SECRET\ncity: string,\nkind: "a" | "b",\n}) => any;\n\n'
    + '} // namespace functions<|end|>\n';
  // A schema that cannot be used.
  const list = 'version: 2.0\n---\n<|start|>developer<|message|>[{"type":"function","function":{"name":"f",'
    + '"description":"SECRET",'
    + '"parameters":{"type":"object","properties":{"city":{"type":"string","pattern":"SECRET("}}}}}]<|end|>\n';
  const call = (body: string, words = 'to=functions.f call_id=c1', type = '<|constrain|>json'): string => {
    return `<|start|>assistant ${words}<|channel|>commentary${type}<|message|>${body}<|call|>\n`;
  };
  const reply = (words: string): string => {
    return `<|start|>tool name=functions.f ${words} to=assistant<|channel|>commentary<|message|>SECRET<|end|>\n`;
  };
  const texts: [rule: string, text: string][] = [
    ['invalid-json', `version: 2.2\n---\n${call('{"SECRET":SECRET}')}`],
    ['invalid-json', `version: 2.2\n---\n${call('{"SECRET":"SECRET')}`],
    ['hint-mismatch', `version: 2.2\n---\n${call('SECRET', 'to=functions.f call_id=c1 content_type=json', '')}`],
    ['invalid-arguments', define + call('{"city":1,"kind":"SECRETC","SECRETD":2}')],
    ['invalid-arguments', define + call('{"SECRETX":{"SECRETY":[]}}')],
    ['invalid-arguments', define + call('["SECRET"]')],
    ['invalid-arguments', `${list}${call('{"city":"SECRET"}').replace('<|constrain|>json', '')}`],
    ['unknown-tool', define + call('{"city":"SECRET"}', 'to=functions.g call_id=c1')],
    ['duplicate-call-id', define + call('{"city":"SECRET","kind":"a"}').repeat(2)],
    ['unmatched-reply', define + reply('call_id=c9')],
    ['duplicate-reply', define + call('{"city":"a","kind":"a"}') + reply('call_id=c1').repeat(2)],
    ['missing-call-id', define + call('{"city":"a","kind":"a"}', 'to=functions.f')],
    ['unterminated-literal', `${define}<|start|>assistant<|channel|>analysis<|message|><|literal|>SECRET<|end|>`],
  ];
  test.each(texts)('%s: %j', async (rule, text) => {
    expect([...checkSource(MACHINE, new MemorySource(encode(text)))].map((found) => found.rule)).toContain(rule);
    for (const out of outlets(encode(text), {})) expectNone(out, ['SECRET'], text);
    const path = file('leak/meaning.txt', text);
    for (const format of REPORT_FORMATS) {
      const out = await written((host) => {
        return checkCommand([path], { dialect: 'auto', color: 'never', format }, host, null);
      });
      expectNone(out, ['SECRET'], text);
    }
  });
});

interface Marked {
  bytes: Uint8Array;
  options: ReadOptions;
  /** Marks that lie in what is hidden. */
  hidden: string[];
}

/** Bodies that are hidden, and what is hidden as reasoning in those that are shown. */
function hiddenIn(bytes: Uint8Array, options: ReadOptions): { from: number; to: number }[] {
  const { messages, thoughts } = referenceParse(bytes, options);
  const bodies = messages.filter(({ visible }) => !visible);
  return [...bodies.map(({ body_from: from, body_to: to }) => ({ from, to })), ...thoughts];
}

/** A random input with a mark in every body that is hidden, and in every thought that is written as text. */
function markedInput(random: Random, run: number): Marked {
  const options: ReadOptions = {
    dialect: random.pick(['auto', 'auto', 'openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1', 'harmony']),
    role: random.once(8) ? random.pick(['assistant', 'user', 'tool']) : undefined,
  };
  let bytes = randomInput(random, random.once(3) ? 40 : 14);
  const marks: string[] = [];
  for (const { from, to } of hiddenIn(bytes, options).sort((a, b) => b.from - a.from)) {
    const mark = `${MARK}${run}m${marks.length}qz`;
    const at = from + random.below(to - from + 1);
    bytes = Buffer.concat([bytes.subarray(0, at), encode(mark), bytes.subarray(at)]);
    marks.push(mark);
  }
  // A mark may change how the text reads: only those count that lie in a hidden body now.
  const after = hiddenIn(bytes, options);
  const hidden = marks.filter((mark) => {
    const at = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(mark);
    return after.some(({ from, to }) => at >= from && at + mark.length <= to);
  });
  return { bytes: Uint8Array.from(bytes), options, hidden };
}

test(`${INPUTS} random inputs (OPENCHATML_SEED=${SEED})`, { timeout: 600_000 }, () => {
  const seeds = randomOf(SEED);
  let count = 0;
  for (let run = 0; run < INPUTS; run++) {
    const { bytes, options, hidden } = markedInput(randomOf(seeds.below(0x7fffffff)), run);
    const input = JSON.stringify(Buffer.from(bytes).toString('latin1'));
    const told = `OPENCHATML_SEED=${SEED}, run ${run}, ${JSON.stringify(options)}: ${input}`;
    for (const out of outlets(bytes, options)) expectNone(out, hidden, told);
    const debug = [...renderText(parseOn(MACHINE, bytes, options), { debug: true })].join('');
    for (const mark of hidden) if (!debug.includes(mark)) expect(debug, told).toContain(mark);
    count += hidden.length;
  }
  expect(count).toBeGreaterThan(INPUTS / 2);
});

/** Runs a command over files; answers with what it wrote for people, and with its output unless that is left out. */
async function written(
  work: (host: Host) => unknown, take: (output: string) => string = (output) => output,
): Promise<string> {
  let out = '';
  let err = '';
  const stdout = { isTTY: false, write: (text: string) => void (out += text) };
  const stderr = { isTTY: false, write: (text: string) => void (err += text) };
  await work({ stdin: { fd: -1, isTTY: true }, stdout, stderr, env: {}, version: '' });
  return err + take(out);
}

/**
 * What an end user sees of the records that `convert` wrote: rendered text, answers of records; and all of the refused
 * ones.
 */
function shownOf(to: Form, output: string): string {
  return output.split('\n').filter((line) => line !== '').map((line) => {
    const record = JSON.parse(line) as Record<string, unknown>;
    if (typeof record['error'] === 'string') return line;
    if (isDialect(to)) return [...renderText(parseOn(MACHINE, record['text'] as string, { dialect: to }))].join('');
    const { data } = READERS[to](record);
    return data.messages.filter(isShown).map(({ content, ...rest }) => {
      const written = writtenIn({ ...rest, content });
      return written === null ? content : content.slice(0, written.from) + content.slice(written.to);
    }).join('\n');
  }).join('\n');
}

const READERS = {
  messages: fromOpenAI, anthropic: fromOpenAI, responses: fromResponses, sharegpt: fromShareGpt,
  'interchange-2.0': fromInterchange20,
  'interchange-2.2': fromInterchange22,
} as const;

test(`the commands check, scan, render and convert (OPENCHATML_SEED=${SEED})`, { timeout: 300_000 }, async () => {
  const seeds = randomOf(SEED ^ 0x5eed);
  const byDialect = new Map<NonNullable<ReadOptions['dialect']>, { paths: string[]; marks: string[] }>();
  for (let run = 0; run < runs(1000); run++) {
    const { bytes, options, hidden } = markedInput(randomOf(seeds.below(0x7fffffff)), run);
    if (hidden.length === 0 || options.role !== undefined || holdsRecords('', new MemorySource(bytes))) continue;
    const group = byDialect.get(options.dialect!) ?? { paths: [], marks: [] };
    byDialect.set(options.dialect!, group);
    group.paths.push(file(`leak/${run}.txt`, bytes));
    group.marks.push(...hidden);
  }
  expect(byDialect.size).toBe(5);
  for (const [dialect, { paths, marks }] of byDialect) {
    const shared = { dialect, color: 'never' } as const;
    const told = `OPENCHATML_SEED=${SEED}, ${dialect}`;
    for (const format of REPORT_FORMATS) {
      const out = await written((host) => checkCommand(paths, { ...shared, format }, host, null));
      expect(out.length, told).toBeGreaterThan(runs(1000));
      expectNone(out, marks, `${told}, ${format}`);
    }
    for (const format of ['table', 'json'] as const) {
      expectNone(
        await written((host) => scanCommand(paths, { ...shared, format }, host, null)), marks, `${told}, scan`,
      );
    }
    for (const to of FORMS) {
      const work = (host: Host): unknown =>
        convert(paths, { ...shared, from: 'auto', to, format: 'ndjson' }, host, null);
      expectNone(await written(work, (output) => shownOf(to, output)), marks, `${told}, convert to ${to}`);
    }
    for (const format of ['text', 'html'] as const) {
      const rendered = (more: Partial<RenderCommandOptions>): Promise<string> =>
        written((host) => render(paths, { ...shared, format, ...more }, host, null));
      expectNone(await rendered({ notes: true }), marks, `${told}, ${format}`);
      const debug = await rendered({ debug: true });
      for (const mark of marks) if (!debug.includes(mark)) expect(debug, told).toContain(mark);
    }
  }
});

test(`the commands on records (OPENCHATML_SEED=${SEED})`, { timeout: 300_000 }, async () => {
  const seeds = randomOf(SEED ^ 0x4ec0);
  const lines: string[] = [];
  const marks: string[] = [];
  while (lines.length < runs(500)) {
    const { bytes, options, hidden } = markedInput(randomOf(seeds.below(0x7fffffff)), lines.length);
    if (hidden.length === 0 || options.role !== undefined || options.dialect !== 'openchatml-2.2') continue;
    lines.push(JSON.stringify({ id: lines.length, text: Buffer.from(bytes).toString('utf8') }));
    marks.push(...hidden);
  }
  const path = file('leak/records.jsonl', `${lines.join('\n')}\n{"text":"${marks[0]!}"`);
  const shared = { dialect: 'openchatml-2.2', color: 'never' } as const;
  for (const format of REPORT_FORMATS) {
    expectNone(await written((host) => checkCommand([path], { ...shared, format }, host, null)), marks, format);
  }
  const page = at('leak/report.html');
  expectNone(
    await written((host) => scanCommand([path], { ...shared, format: 'json', report: page }, host, null)), marks,
    'scan',
  );
  expectNone(readFileSync(page, 'utf8'), marks, 'the report');
  for (const format of ['text', 'html'] as const) {
    expectNone(
      await written((host) => render([path], { ...shared, format, notes: true }, host, null)), marks,
      `render ${format}`,
    );
  }
  const verdicts = await written((host) => {
    return filter([path], { ...shared, emit: 'verdict', form: 'auto', warnings: true }, host);
  });
  expect(verdicts.split('\n').length).toBeGreaterThan(runs(500));
  expectNone(verdicts, marks, 'filter');
});

/** A text as it is, or as parts that are cut anywhere, in the middle of tags too. */
function spelled(random: Random, text: string): string | object[] {
  if (random.once(2)) return text;
  const cuts = [0, random.below(text.length), random.below(text.length), text.length].sort((a, b) => a - b);
  return cuts.slice(1).map((to, i) => ({ type: 'text', text: text.slice(cuts[i], to) }));
}

/** Chat records in the forms that people have; `hide` gives a mark that nobody may see. */
function hidingRecord(random: Random, hide: () => string): object {
  const call = (): object => ({
    id: 'c1', type: 'function', function: { name: 'f', arguments: random.pick([`{"a":"${hide()}"}`, `{${hide()}`]) },
  });
  const tags = (): string => random.pick([
    `<think>${hide()}</think>OPEN`, `OPEN\n<tool_call>\n{"name":"f","arguments":{"a":"${hide()}"}}\n</tool_call>`,
    `<think>\n${hide()}\n</think>\n\nOPEN\n<tool_call>${hide()}</tool_call>`,
  ]);
  const replied = (): string => `OPEN<tool_response>\n${hide()}\n</tool_response>`;
  const asked = { role: 'user', content: 'OPEN' };
  switch (random.below(5)) {
    case 0: return { messages: [
      asked,
      { role: 'assistant', content: 'OPEN', [random.pick(['thinking', 'reasoning_content', 'reasoning'])]: hide() },
      { role: 'assistant', content: null, tool_calls: [call()] },
      { role: 'tool', tool_call_id: random.pick(['c1', 'c2']), content: hide() },
    ] };
    case 1: return { messages: [
      asked, { role: 'assistant', content: spelled(random, tags()) },
      { role: random.pick(['user', 'tool']), content: spelled(random, replied()) },
    ] };
    case 2: return { messages: [
      asked, { role: 'assistant', content: [
        { type: 'thinking', thinking: hide() }, { type: 'redacted_thinking', data: hide() },
        { type: 'text', text: 'OPEN' }, { type: 'tool_use', id: 'c1', name: 'f', input: { a: hide() } },
      ] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: random.pick(['c1', 'c2']), content: hide() }] },
    ] };
    case 3: return { input: [
      asked, { type: 'reasoning', summary: [{ type: 'summary_text', text: hide() }] },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: `{"a":"${hide()}"}` },
      { type: 'function_call_output', call_id: random.pick(['c1', 'c2']), output: hide() },
    ] };
    default: return { conversations: [
      { from: 'human', value: 'OPEN' }, { from: 'gpt', value: tags() }, { from: 'observation', value: hide() },
    ] };
  }
}

test(`the commands on chat records (OPENCHATML_SEED=${SEED})`, { timeout: 300_000 }, async () => {
  const random = randomOf(SEED ^ 0x4ec1);
  const marks: string[] = [];
  const hide = (): string => marks[marks.push(`zq${marks.length}qz`) - 1]!;
  const records = Array.from({ length: runs(500) }, () => hidingRecord(random, hide));
  const paths = [
    file('leak/chats.jsonl', records.map((record) => `${JSON.stringify(record)}\n`).join('')),
    file('leak/chats.json', JSON.stringify(records.slice(0, 20), null, 2)),
  ];
  const shared = { dialect: 'auto', color: 'never' } as const;
  const shown = { check: 0, render: 0 };
  for (const format of REPORT_FORMATS) {
    const out = await written((host) => checkCommand(paths, { ...shared, format }, host, null));
    expectNone(out, marks, format);
    shown.check += out.length;
  }
  const page = at('leak/chats.html');
  const scanned = (host: Host): unknown => scanCommand(paths, { ...shared, format: 'json', report: page }, host, null);
  expectNone(await written(scanned), marks, 'scan');
  expectNone(readFileSync(page, 'utf8'), marks, 'the report');
  for (const format of ['text', 'html'] as const) {
    const out = await written((host) => render(paths, { ...shared, format, notes: true }, host, null));
    expectNone(out, marks, `render ${format}`);
    shown.render += out.split('OPEN').length;
  }
  for (const to of FORMS) {
    const work = (host: Host): unknown => convert(paths, { ...shared, from: 'auto', to, format: 'ndjson' }, host, null);
    expectNone(await written(work, (output) => shownOf(to, output)), marks, `convert to ${to}`);
  }
  const verdicts = (host: Host): unknown =>
    filter([paths[0]!], { ...shared, emit: 'verdict', form: 'auto', warnings: true }, host);
  expectNone(await written(verdicts), marks, 'filter');
  expect(shown.check).toBeGreaterThan(records.length);
  expect(shown.render).toBeGreaterThan(2 * records.length);
});
