// Converting parts on threads gives what converting the whole gives: the same bytes, words, losses and sums, in order.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, expect, test, vi } from 'vitest';
import type { ConvertWork } from '../../../src/corpus/jobs/job.ts';
import { Pool } from '../../../src/corpus/jobs/pool.ts';
import type { FileOptions } from '../../../src/corpus/records/unit.ts';
import { fromOpenAI } from '../../../src/formats/chat/read.ts';
import { RecordMessages } from '../../../src/formats/chat/record-messages.ts';
import { convertTranscript, FORMS, isDialect } from '../../../src/formats/convert.ts';
import type { ToolDefinition, TranscriptData } from '../../../src/model/data.ts';
import { runs, testLong } from '../../long.ts';
import type { DialectId } from '../../../src/scan/dialects.ts';
import { BLOCK } from '../../../src/scan/source.ts';
import { type Random, randomInput, randomOf, SEED } from '../../random.ts';
import { mutated, randomLine, randomRecord, randomText } from '../records/random-chat.ts';
import { randomWritten } from '../records/random-written.ts';
import { seen } from './seen.ts';

const folder = mkdtempSync(join(tmpdir(), 'openchatml-convert-'));
const pools = [2, 3].map((threads) => new Pool(threads));
afterAll(() => {
  for (const pool of pools) pool.close();
  rmSync(folder, { recursive: true, force: true });
});

const TEXTS = ['', 'Hi', 'Grüße\n"x"', 'a <|end|> b', '<', '😀 \\', '{"a": 1}', '[INST]'];
const HEADERS = ['version: 2.2\n', 'version: 2.0\n---\n', '<s>\n', ''];

const MEDIA = [
  { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
  { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
  { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
];

function message(random: Random): object {
  const content = random.pick(TEXTS);
  const target = { name: 'f', arguments: random.pick(TEXTS) };
  const call = { id: random.pick(['a', 'b']), type: 'function', function: target };
  switch (random.below(8)) {
    case 0: return { role: 'system', content };
    case 1: return { role: 'assistant', content: random.pick([null, content]), tool_calls: [call] };
    case 2: return { role: 'tool', tool_call_id: random.pick(['a', 'b']), content };
    case 3: return { role: 'assistant', content, thinking: random.pick(TEXTS), weight: random.pick([null, 1]) };
    case 4: return random.once(3) ? { role: 'robot', content: [1] } : { role: 'developer', content };
    case 5: return { role: 'assistant', content };
    case 6: return { role: 'user', content, ...(random.once(3) && { name: 'n' }) };
    default: return { role: 'user', content: [{ type: 'text', text: content }, random.pick(MEDIA)] };
  }
}

const PROPERTIES = { a: { type: 'number', description: 'The first one of all numbers' } };
const PARAMETERS = { type: 'object', properties: PROPERTIES };
const TOOLS = [{ type: 'function', function: { name: 'f', parameters: PARAMETERS } }];
/** In their text a control token is escaped. */
const TOOLS_WITH_TOKEN = [{ type: 'function', function: { ...TOOLS[0]!.function, description: 'a <|end|> b' } }];

/** A line: mostly a chat record. */
function line(random: Random): string {
  const some = <T>(make: () => T): T[] => Array.from({ length: 1 + random.below(4) }, make);
  const turn = (): object => ({ from: random.pick(['human', 'gpt']), value: random.pick(TEXTS) });
  switch (random.below(12)) {
    case 0: return random.pick(['{"messages": nope}', '', '  ', '[1]', '"x"', '{"other": 1}', '{}']);
    case 1: return JSON.stringify({ text: Buffer.from(randomInput(random, 8)).toString('utf8') });
    case 2: return JSON.stringify({ conversations: some(turn) });
    case 3: return JSON.stringify({ id: random.pick([1, 'x', {}]), messages: some(() => message(random)), score: 0.5 });
    default: return JSON.stringify({ messages: some(() => message(random)), ...(random.once(3) && { tools: TOOLS }) });
  }
}

/** Of calls: what some forms take for JSON of their own, and what they cannot. */
const ARGUMENTS = [
  '{}', '{"a": [1, {"b": "\\u00e9\\n"}]}', '{"a": "<|end|> <think>"}', '[1]', ' {}', '{} ', '{\n"a": 1e3}', '1', '"x"',
  'null', '{"a":1}}', '{"a":01}', '{a}',
];

/** A chat record as most are: every call has an id and a reply. */
function plainRecord(random: Random): object {
  const content = (): string => random.pick(TEXTS);
  const messages: object[] = random.once(2) ? [{ role: 'system', content: content() }] : [];
  let calls = 0;
  for (let turns = random.below(4); turns > 0; turns--) {
    messages.push({ role: 'user', content: content(), ...(random.once(4) && { name: 'n', tool_calls: null }) });
    if (random.once(2)) {
      const ids = Array.from({ length: 1 + random.below(2) }, () => `c${calls++}`);
      const target = { name: 'f', arguments: random.once(2) ? content() : random.pick(ARGUMENTS) };
      const tool_calls = ids.map((id) => ({ id, type: 'function', function: target }));
      const thought = random.once(4) ? { reasoning_content: content() } : {};
      messages.push({ role: 'assistant', content: random.pick([null, 'Wait.']), ...thought, tool_calls });
      const name = random.once(2) ? { name: 'f' } : {};
      for (const id of ids) messages.push({ role: 'tool', tool_call_id: id, ...name, content: content() });
    }
    messages.push({ role: 'assistant', content: content(), ...(random.once(4) && { thinking: content() }) });
  }
  const id = random.once(4) ? { id: random.pick([1, 'x', null]) } : {};
  return { ...id, messages, ...(random.once(2) && { tools: random.pick([TOOLS, TOOLS, TOOLS_WITH_TOKEN]) }) };
}

/** A record of ShareGPT as most are: calls are laid out in one way, replies follow them. */
function plainTurns(random: Random): object {
  const value = (): string => random.pick(TEXTS);
  const conversations: object[] = random.once(2) ? [{ from: 'system', value: value() }] : [];
  for (let turns = random.below(4); turns > 0; turns--) {
    conversations.push({ from: random.once(8) ? 'user' : 'human', value: value() });
    if (random.once(2)) {
      const call = random.pick([
        '{"name": "f", "arguments": {}}', '{"name": "f", "arguments": {"a": [1, "x"]}}', '{"name":"f","arguments":{}}',
        '{"arguments": {}, "name": "f"}', '{ "name": "f","arguments":  {}}', '{"name" :"f", "arguments": {}}',
        '{"name": "f" ,"arguments": {}}', '{"name": "f", "arguments": {} }', '{"name": "f", "arguments": "{}"}',
      ]);
      conversations.push({ from: 'function_call', value: call });
      if (random.once(8)) conversations.push({ from: 'function_call', value: call });
      if (!random.once(8)) conversations.push({ from: 'observation', value: value() });
    }
    const from = random.once(8) ? random.pick(['chatgpt', 'assistant', 'bard']) : 'gpt';
    conversations.push({ from, value: value() });
  }
  const tools = random.pick([{}, { tools: TOOLS }, { tools: JSON.stringify(random.pick([TOOLS, TOOLS_WITH_TOKEN])) }]);
  return { ...(random.once(4) && { id: random.pick(['a', 1, null, 1.5]) }), ...tools, conversations };
}

/** Instructions, or a prompt and its completion, as most are. */
function plainPair(random: Random): object {
  const text = (): string => random.pick(TEXTS);
  const system = random.once(3) ? { system: text() } : {};
  const others = random.once(4) ? random.pick([{ score: 1 }, { text: text() }, { id: 7 }, { history: [] }]) : {};
  if (random.once(2)) return { ...system, prompt: text(), completion: text(), ...others };
  return { instruction: text(), ...(random.once(2) && { input: text() }), output: text(), ...system, ...others };
}

/** Members that records have beside their messages; as JSON, as one may stand twice. */
const BESIDE = [
  '"source": "web"', '"score": 8.5', '"score": 0.87321453094482421875', '"n": 1e3', '"n": 12345678901234567890',
  '"metadata": {"a": [1, "2", null], "b": {}}', '"tags": []', '"category": null', '"source": 1', '"category": ""',
  '"prompt": "Hi"', '"text": "Hi"', '"text": 1', '"input": null', '"history": []', '"system": "s"', '"c\\u0061": 1',
  ...Array.from({ length: 18 }, (_, i) => `"k${i}": ${i}`),
];
/** Members that entries have beside theirs. */
const IN_ENTRY = [
  '"weight": 0', '"weight": null', '"loss": 0.123456789012345678', '"meta": {"id": 1}', '"weight": 1',
  '"reasoning_content": "r"', '"reasoning": ""', '"tool_calls": []', '"tool_calls": null',
];

/** A record in which other members stand. */
function withOthers(random: Random, text: string): string {
  const some = (of: readonly string[], most: number): string[] =>
    Array.from({ length: random.below(most) }, () => random.pick(of));
  const most = random.once(9) ? 40 : 4;
  const changed = text.replaceAll(/\{"(?:role|from)":/g, (found) => {
    return random.once(3) ? `{${[...some(IN_ENTRY, 3), found.slice(1)].join(', ')}` : found;
  });
  return `{${[...some(BESIDE, most), changed.slice(1)].join(', ')}`;
}

/** A record of any kind, perhaps changed somewhere. */
function anyLine(random: Random): string {
  if (random.once(3)) return chatLine(random);
  if (random.once(4)) return randomLine(random).toString().replaceAll('\n', ' ');
  const text = JSON.stringify(random.pick([plainTurns, plainPair, plainRecord, randomWritten])(random));
  return random.once(2) && text.startsWith('{"') ? withOthers(random, text) : text;
}

/** A chat record of any kind, perhaps changed somewhere. */
function chatLine(random: Random): string {
  const text = random.once(2) ? JSON.stringify(plainRecord(random)) : randomText(random, randomRecord(random));
  return random.once(8) ? mutated(random, Buffer.from(text)).toString().replaceAll('\n', ' ') : text;
}

/** The same over many lines, mostly. */
function laidOut(random: Random, text: string): string {
  try {
    return random.once(4) ? text : JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function rawText(random: Random): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let i = 0; i < 12; i++) {
    if (random.once(2)) parts.push(Buffer.from(random.pick(HEADERS)));
    if (random.once(3)) parts.push(randomInput(random));
    else {
      const role = random.pick(['user', 'assistant', 'system', 'developer']);
      const end = random.pick(['<|end|>', '<|return|>\n']);
      parts.push(Buffer.from(`<|start|>${role}<|message|>${random.pick(TEXTS)}${end}`));
    }
  }
  return Buffer.concat(parts);
}

let files = 0;

/** What `seen` gives of a conversion. */
interface Seen {
  readonly lines: string;
  readonly converted: object;
  readonly end: object;
}

/** Texts of the lines of JSON, with the words among them. */
const textsOf = (lines: string): string =>
  lines.split('\0').map((part, i) => (i % 2 === 1 ? `\0${part}\0` : textsIn(part))).join('');

function textsIn(lines: string): string {
  const values = lines.split('\n').slice(0, -1).map((line) => JSON.parse(line) as { text: string | null });
  return values.map(({ text }) => text ?? '').join('');
}

async function expectSame(round: number, content: string | Uint8Array, options: FileOptions): Promise<void> {
  const random = randomOf(SEED + round);
  const path = join(folder, `input-${files++}`);
  writeFileSync(path, content);
  const to = random.pick(FORMS);
  const format = isDialect(to) ? random.pick(['text', 'ndjson'] as const) : 'ndjson';
  const from = options.dialect === 'harmony' ? 'harmony' : 'auto';
  const work: ConvertWork = { to, from, format, forTerminal: random.once(4), neutralise: random.once(2) };
  const whole = await seen(path, { kind: 'convert', ...work }, options, 1);
  const step = 1 + random.below(400);
  for (const pool of pools) {
    const parts = { step: () => step, least: 0 };
    const given = await seen(path, { kind: 'convert', ...work }, options, pool.threads, parts, pool);
    expect(given, `seed ${SEED}, round ${round}, parts of ${step} bytes, ${pool.threads} threads`).toEqual(whole);
  }
}

const ROUNDS = 300;

test('records: the same from rows and from values', async () => {
  for (let round = 0; round < runs(2000, 12); round++) {
    const random = randomOf(SEED + round);
    const path = join(folder, `input-${files++}`);
    const pool = Array.from({ length: 1 + random.below(8) }, () => anyLine(random));
    const lines = Array.from({ length: 1 + random.below(20) }, () => random.pick(pool));
    const isList = random.once(6);
    writeFileSync(path, isList ? `[${lines.map((text) => laidOut(random, text)).join(',\n')}\n]` : lines.join('\n'));
    const from = random.pick(['auto', 'auto', 'messages', 'sharegpt'] as const);
    const to = random.pick(['messages', 'openchatml-2.2', 'harmony', 'sharegpt'] as const);
    const format = isDialect(to) ? random.pick(['text', 'ndjson'] as const) : 'ndjson';
    const work = { kind: 'convert', to, from, format, forTerminal: false } as const;
    // One transcript after the other is written from values.
    const values = await seen(path, { ...work, apart: true }, {}, 1);
    expect(await seen(path, work, {}, 1), `seed ${SEED}, round ${round}, ${from} to ${to}`).toEqual(values);
  }
});

test('chat records as text: the same from rows and from values', async () => {
  for (let round = 0; round < runs(1000, 12); round++) {
    const random = randomOf(SEED + round);
    const path = join(folder, `input-${files++}`);
    // Lists of tools are known again when they are met for the second time.
    const pool = Array.from({ length: 1 + random.below(8) }, () => chatLine(random));
    const records = Array.from({ length: 1 + random.below(20) }, () => random.pick(pool));
    const lines = records.concat(random.pick([[], [line(random)]]));
    const isList = random.once(4);
    writeFileSync(path, isList ? `[${lines.map((text) => laidOut(random, text)).join(',\n')}\n]` : lines.join('\n'));
    const to = random.pick(['openchatml-2.2', 'harmony'] as const);
    const work = { kind: 'convert', to, from: 'auto', forTerminal: false } as const;
    // What is handed out by itself is written from values.
    const values = (await seen(path, { ...work, format: 'ndjson', apart: true }, {}, 1)) as Seen;
    const rows = (await seen(path, { ...work, format: 'ndjson' }, {}, 1)) as Seen;
    const texts = (await seen(path, { ...work, format: 'text' }, {}, 1)) as Seen;
    const name = `seed ${SEED}, round ${round}, to ${to}`;
    expect(rows, name).toEqual(values);
    expect(texts.lines, name).toEqual(textsOf(values.lines));
  }
});

/** In every form that is written from rows. */
async function expectRowsAsValues(lines: readonly string[]): Promise<void> {
  const path = join(folder, `input-${files++}`);
  // What is lost first is told by values: each line stands twice.
  writeFileSync(path, [...lines, ...lines].join('\n'));
  for (const to of ['openchatml-2.2', 'harmony', 'messages', 'sharegpt'] as const) {
    const work = { kind: 'convert', to, from: 'auto', format: 'ndjson', forTerminal: false } as const;
    const values = await seen(path, { ...work, apart: true }, {}, 1);
    expect(await seen(path, work, {}, 1), to).toEqual(values);
  }
}

test('thoughts that are written as text: the same from rows and from values', async () => {
  const usual = (inner: string, said: string): string => `<think>\n${inner}\n</think>\n\n${said}`;
  const contents = [
    usual('Hm.', 'Yes.'), usual('\nHm.\n\t', 'Yes.\n'), usual('', 'Yes.'), usual(' \t', 'Yes.'), usual('Hm.', ''),
    usual('Hm.', '\nYes.'), usual('Hm.', ' '),
    usual('\u4e2d\u6587', '\u00e9\ud83d\ude00'), usual('a\u00a0', '\u00a0b'),
    usual('<think>', 'Yes.'), usual('Hm.', '<think>a</think>'), usual('Hm.', 'a</think>'), usual('Hm. k>', 'Yes.'),
    usual('a \\', 'b \\n'), usual('a <|end|>', 'b'), usual('a', 'b <|end|>'), usual('a', 'b <'), usual('a <', 'b'),
    '<think>\\n</think>\n\nYes.', '<think>\n</think>\n\nYes.', '<think>\na\\\n</think>\n\nYes.',
    '<think>Hm.</think>Yes.',
    '<think>\nHm.\n</think>\nYes.', '<think>\nHm.</think>\n\nYes.', '<think>\r\nHm.\r\n</think>\r\n\r\nYes.',
    ' <think>\nHm.\n</think>\n\nYes.', '<think>\nHm.\n</think >\n\nYes.', '<think>\nHm.', 'Hm.\n</think>\n\nYes.',
  ];
  const user = { role: 'user', content: 'Hi' };
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
  const records = contents.flatMap((content) => [
    [user, { role: 'assistant', content }], [user, { role: 'assistant', content, name: 'n' }, user],
    [user, { role: 'assistant', content, reasoning_content: 'r' }], [user, { role: 'assistant', content }, user,
      { role: 'assistant', content: null, tool_calls: [{ ...call, id: undefined }] }, { role: 'tool', content: 'x' }],
    [user, { role: 'assistant', content, tool_calls: [call] }], [{ role: 'user', content }],
  ]);
  const plain = records.map((messages) => JSON.stringify({ messages }));
  const coded = plain.map((text) => text.replaceAll(/[^ -~]/g, (unit) =>
    `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).replaceAll('> ', '\\u003e '));
  const turns = contents.map((value) => JSON.stringify({ conversations: [{ from: 'gpt', value }] }));
  await expectRowsAsValues([...plain, ...coded, ...turns]);
});

test('contents of several texts: the same from rows and from values', async () => {
  const text = (said: string, more: object = {}): object => ({ type: 'text', text: said, ...more });
  const contents = [
    [text('a')], [text('a "b"\n'), text('\u00e9')], [text('')], [], ['a'], [text('a'), MEDIA[0]], [MEDIA[0]],
    [text('a', { annotations: [] })], [text('a', { cache_control: { type: 'x' } }), text('b')],
    [text('a <|'), text('end|> b')],
    [text('<think>\na\n</think>\n\nb')], [text('<think>a'), text('</think>b')], [{ type: 'input_text', text: 'a' }],
    [text('<tool_call>'), text('{}')], [{ type: 'refusal', refusal: 'a' }],
    [text('a'), { type: 'output_text', text: 'b' }],
  ];
  const user = { role: 'user', content: 'Hi' };
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
  const records = contents.flatMap((content) => [
    [{ role: 'user', content }], [user, { role: 'assistant', content }], [{ role: 'system', content }, user],
    [user, { role: 'assistant', content, tool_calls: [call] }, { role: 'tool', tool_call_id: 'c', content }],
    [user, { role: 'assistant', content, reasoning_content: 'r' }, { role: 'user', content }],
  ]);
  await expectRowsAsValues(records.map((messages) => JSON.stringify({ messages })));
});

test.each(['openchatml-2.2', 'sharegpt'] as const)('losses of definitions that are forgotten, %s', async (to) => {
  // More lists than are kept at once: all are forgotten, and others stand at their numbers.
  const record = (name: string, further: object): string => JSON.stringify({
    messages: [{ role: 'user', content: 'a' }],
    tools: [{ type: 'function', function: { name, description: 'd'.repeat(120), parameters: PARAMETERS, ...further } }],
  });
  const lossy = Array.from({ length: 20 }, (_, n) => record(`lossy${n}`, { strict: true }));
  const others = Array.from({ length: 9000 }, (_, n) => record(`f${n}`, {}));
  const path = join(folder, `input-${files++}`);
  writeFileSync(path, [...lossy, ...others].join('\n'));
  const work = { kind: 'convert', to, from: 'auto', format: 'ndjson', forTerminal: false } as const;
  const values = await seen(path, { ...work, apart: true }, {}, 1);
  expect(await seen(path, work, {}, 1)).toEqual(values);
});

test('chat records of texts whose tools repeat: the same as each by itself', async () => {
  for (let round = 0; round < runs(100); round++) {
    const random = randomOf(SEED + round);
    const parameters = { ...PARAMETERS, required: [] };
    const tools = (name: string): object => ({ namespace: 'functions', name, parameters });
    const kinds = [[], [tools('f')], [tools('g')], [tools('f'), tools('g')]] as ToolDefinition[][];
    const transcripts = Array.from({ length: 1 + random.below(12) }, (): TranscriptData => {
      const content = random.pick(TEXTS);
      const answer = { role: 'assistant', content: random.pick(TEXTS), channel: 'final', end: 'end' } as const;
      return { header: {}, tools: random.pick(kinds), messages: [{ role: 'user', content, end: 'end' }, answer] };
    });
    const path = join(folder, `input-${files++}`);
    const texts = transcripts.map((data) => convertTranscript(data, 'openchatml-2.2').text!);
    writeFileSync(path, texts.join(''));
    const work = { kind: 'convert', to: 'messages', from: 'auto', format: 'ndjson', forTerminal: false } as const;
    const wanted = transcripts.map((data, i) => {
      return `${JSON.stringify({ id: `${path}:${i}`, ...convertTranscript(data, 'messages').record })}\n`;
    });
    const { lines } = (await seen(path, work, {}, 1)) as Seen;
    expect(Buffer.from(lines, 'latin1').toString(), `seed ${SEED}, round ${round}`).toBe(wanted.join(''));
  }
});

/** A plain record as text, or rubbish where the dialect cannot hold it. */
function textIn(dialect: DialectId, random: Random): string | Uint8Array {
  const { data } = fromOpenAI({ messages: [], ...plainRecord(random) });
  try {
    return convertTranscript(data, dialect, { neutralise: true }).text!;
  } catch {
    return rawText(random);
  }
}

test('texts as chat records: the same from rows and from values, of files and of records', async () => {
  const write = vi.spyOn(RecordMessages.prototype, 'write');
  const written = { files: 0, records: 0 };
  for (let round = 0; round < runs(800); round++) {
    const random = randomOf(SEED + round);
    const path = join(folder, `input-${files++}`);
    const dialect = random.pick(['openchatml-2.2', 'harmony', 'openchatml-0.1'] as const);
    const texts = Array.from({ length: 1 + random.below(6) }, () => {
      return Buffer.from(random.once(4) ? rawText(random) : textIn(dialect, random)).toString('latin1');
    });
    const isRecords = random.once(2);
    const some = (): string => texts.slice(0, 1 + random.below(2)).join('');
    const records = texts.map(() => {
      return JSON.stringify({ text: Buffer.from(some(), 'latin1').toString(), id: random.below(9) });
    });
    writeFileSync(path, isRecords ? records.join('\n') : Buffer.from(texts.join(''), 'latin1'));
    const options = dialect === 'harmony' ? { dialect } : {};
    const from = dialect === 'harmony' ? 'harmony' : 'auto';
    const how = { from, format: 'ndjson', forTerminal: false, harmonyPreambles: random.once(2) } as const;
    const work = { kind: 'convert', to: 'messages', ...how } as const;
    // One transcript after the other is written from values.
    const values = await seen(path, { ...work, apart: true }, options, 1);
    write.mockClear();
    expect(await seen(path, work, options, 1), `seed ${SEED}, round ${round}`).toEqual(values);
    const fromRows = write.mock.results.filter(({ value }) => value !== null).length;
    written[isRecords ? 'records' : 'files'] += fromRows;
  }
  write.mockRestore();
  expect(Math.min(written.files, written.records)).toBeGreaterThan(runs(60));
});

test('random lines of records', async () => {
  for (let round = 0; round < runs(ROUNDS, 12); round++) {
    const random = randomOf(SEED + round);
    const lines = Array.from({ length: 1 + random.below(12) }, () => line(random)).join(random.pick(['\n', '\r\n']));
    await expectSame(round, lines + random.pick(['', '\n']), { form: 'messages' });
  }
});

test('numbers of transcripts, with more digits and fewer than was likely', async () => {
  for (let round = 0; round < runs(12); round++) {
    const random = randomOf(SEED + round);
    // The beginning, by which their number is told, has longer ones than the rest, or shorter ones.
    const long = 20 + random.below(200);
    const isLongFirst = random.once(2);
    const texts = Array.from({ length: 20 + random.below(200) }, (_, i) => {
      const answer = random.pick(TEXTS).replaceAll('<|end|>', '') + 'x'.repeat(i < 10 === isLongFirst ? long : 0);
      const text = `<|start|>user<|message|>${i}<|end|>\n<|start|>assistant<|message|>${answer}<|return|>\n`;
      // What it says is lost or refused, or both are looked at as values.
      const odd = random.pick([
        'text\n', '<|start|>user<|message|>\xff<|end|>\n', '<|start|>robot<|message|>x<|end|>\n',
      ]);
      return Buffer.from(`version: 2.2\n---\n${text}${random.once(5) ? odd : ''}`, 'latin1');
    });
    await expectSame(round, Buffer.concat(texts), {});
  }
});

testLong('more transcripts that are refused than are told by themselves', async () => {
  const path = join(folder, `input-${files++}`);
  // Beginnings of parts, blocks over which refusals are gathered, lie behind a start token, or in a header; the last
  // ones are not refused.
  const refused = 'version: 2.2\n---\n<|start|>robot<|message|>x<|end|>\n'.repeat(110_000);
  writeFileSync(path, `${refused}${'version: 2.2\n---\n<|start|>user<|message|>x<|end|>\n'.repeat(70_000)}`);
  const work = { kind: 'convert', to: 'messages', from: 'auto', format: 'ndjson', forTerminal: false } as const;
  const whole = await seen(path, work, {}, 1);
  for (const pool of pools) {
    const parts = await seen(path, work, {}, pool.threads, { step: () => BLOCK, least: 0 }, pool);
    expect(isDeepStrictEqual(parts, whole), `${pool.threads} threads`).toBe(true);
  }
}, 120_000);

test('random raw text', async () => {
  for (let round = 0; round < runs(ROUNDS, 12); round++) {
    const random = randomOf(SEED + round);
    await expectSame(round, rawText(random), random.once(3) ? { dialect: 'harmony' } : {});
  }
});
