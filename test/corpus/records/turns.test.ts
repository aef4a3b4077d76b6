// Turns by themselves (R-JSON): one, a list, one a line, however they are laid out, are one transcript; their places.
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { checkFile, readMessages } from '../../../src/corpus/files.ts';
import { type CorpusRecord, LARGEST, readRecords, type RecordProblem } from '../../../src/corpus/records/record.ts';
import { beginsWithTurn } from '../../../src/corpus/records/turns.ts';
import { messageData } from '../../../src/convert.ts';
import { MemorySource } from '../../../src/scan/source.ts';
import { at, file, jsonLines, run } from '../../cli/harness.ts';
import { runs, testLong } from '../../long.ts';
import { type Random, randomOf, SEED } from '../../random.ts';
import { SlowSource } from '../input/slow-source.ts';

const TURNS = [
  { role: 'user', content: 'hé "q"' },
  {
    role: 'assistant', channel: 'commentary', thinking: 'T',
    tool_call: { id: 'c1', recipient: 'functions.f', arguments: '{"a": 1}' },
  },
  { role: 'tool', call_id: 'c1', name: 'functions.f', recipient: 'assistant', channel: 'commentary', content: 'R' },
  { role: 'assistant', channel: 'final', content: 'A\n', end: 'return' },
];
/** What the turns say, in order. */
const CONTENTS = ['hé "q"', 'T', '{"a": 1}', 'R', 'A\n'];

const LAYOUTS: Readonly<Record<string, (turns: readonly object[]) => string>> = {
  'one a line': (turns) => turns.map((turn) => `${JSON.stringify(turn)}\n`).join(''),
  'CRLF, blank lines, no end': (turns) => turns.map((turn) => `\r\n\r\n${JSON.stringify(turn)}`).join(''),
  'a list in one line': (turns) => JSON.stringify(turns),
  'a list in a line that ends': (turns) => `${JSON.stringify(turns)}\n`,
  'a list over many lines': (turns) => JSON.stringify(turns, null, 2),
  'objects over many lines': (turns) => turns.map((turn) => JSON.stringify(turn, null, 2)).join('\n'),
  'objects that touch': (turns) => turns.map((turn) => JSON.stringify(turn)).join(''),
  'each behind a separator': (turns) => turns.map((turn) => `\x1e${JSON.stringify(turn)}\n`).join(''),
  'a byte order mark': (turns) => `\ufeff${turns.map((turn) => `${JSON.stringify(turn)}\n`).join('')}`,
};

describe('a file of turns is one transcript', () => {
  test.each(Object.entries(LAYOUTS))('%s', async (name, write) => {
    const path = file(`turns/${name}.json`, write(TURNS));
    const bytes = readFileSync(path);
    const messages = [...readMessages(path)].map((it) => ({ ...it, data: messageData(it.message) }));
    expect(messages.map(({ data, transcript, record }) => [data.content, transcript.number, record]))
      .toEqual(CONTENTS.map((content) => [content, 0, 0]));
    // Bodies stand where their strings do, messages where their turns do.
    const lines = jsonLines((await run(['messages', path])).out) as {
      from: number; to: number; body_from: number; body_to: number; content: string;
    }[];
    for (const [i, { from, to, body_from, body_to, content }] of lines.entries()) {
      expect(JSON.parse(`"${bytes.toString('utf8', body_from, body_to)}"`)).toBe(content);
      expect(content).toBe(CONTENTS[i]);
      expect(JSON.parse(bytes.toString('utf8', from, to))).toEqual(TURNS[[0, 1, 1, 2, 3][i]!]);
    }
    expect(await run(['check', path])).toMatchObject({ code: 0, out: '' });
    const converted = await run(['convert', '--to', 'interchange-2.2', path]);
    expect(JSON.parse(converted.out)).toMatchObject({ version: '2.2', messages: TURNS });
  });

  test('beside other records, a list is a transcript, as an object with messages is', async () => {
    const lines = [{ version: '2.2', messages: TURNS }, TURNS.slice(0, 1), TURNS];
    const path = file('turns/lists.jsonl', lines.map((turns) => `${JSON.stringify(turns)}\n`).join(''));
    expect([...readMessages(path)].map(({ record }) => record)).toEqual([0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2]);
    expect(jsonLines((await run(['convert', '--to', 'interchange-2.2', path])).out)).toHaveLength(3);
  });

  test('one by itself has pointers of its own, those of a list theirs', () => {
    const tool_call = { id: 'c1', recipient: 'functions.f', content_type: 'json', arguments: '{' };
    const call = { role: 'assistant', channel: 'commentary', tool_call };
    const pointers = (text: string): unknown[] =>
      [...checkFile(file('turns/pointers.json', text))].map(({ rule, pointer }) => [rule, pointer]);
    const told = (before: string): unknown[] =>
      [['invalid-json', `${before}/tool_call/arguments`], ['open-call', `${before}/tool_call`]];
    expect(pointers(JSON.stringify(call))).toEqual(told(''));
    expect(pointers(JSON.stringify(call, null, 2))).toEqual(told(''));
    expect(pointers(JSON.stringify([TURNS[0], call]))).toEqual(told('/1'));
    expect(pointers(`${JSON.stringify(TURNS[0])}\n${JSON.stringify(call)}\n`)).toEqual(told('/1'));
    expect(pointers(JSON.stringify({ version: '2.2', messages: [TURNS[0], call] }))).toEqual(told('/messages/1'));
  });

  test('2.0 is told by its calls and replies', () => {
    const calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }];
    const turns = [
      { role: 'assistant', tool_calls: calls },
      { role: 'tool', tool_call_id: 'c1', content: 'R' },
      { role: 'assistant', content: 'A' },
    ];
    const path = file('turns/2-0.jsonl', LAYOUTS['one a line']!(turns));
    expect([...readMessages(path)].map(({ message }) => [message.recipient, message.explicitChannel]))
      .toEqual([['functions.f', 'commentary'], ['assistant', 'commentary'], [null, 'final']]);
  });

  test('filter and run judge them, a line alone and a file as one', async () => {
    const text = LAYOUTS['one a line']!(TURNS);
    const lines = jsonLines((await run(['filter'], { stdin: text })).out) as { messages: number; ok: boolean }[];
    expect(lines.map(({ messages, ok }) => [messages, ok])).toEqual([[1, true], [2, true], [1, true], [1, true]]);
    const path = file('turns/run.jsonl', text);
    const { err } = await run(['run', '--out', at('turns/out'), path], { errIsTTY: false });
    expect(err).not.toContain('error');
    const merged = await run(['merge', at('turns/out')]);
    expect(JSON.parse(merged.out)).toMatchObject({ records: 1, ok: 1, messages: 5, calls: 1 });
  });

  test('audit looks into each', async () => {
    const turns = [{ role: 'user', content: 'a <|end|>' }, { role: 'assistant', tool_call: { arguments: '<|call|>' } }];
    const path = file('turns/audit.jsonl', LAYOUTS['one a line']!(turns));
    const { out } = await run(['audit', '--format', 'concise', path]);
    expect(out.split('\n').filter((line) => line.includes('error control-token')).map((line) => line.split(':')[1]))
      .toEqual(['1', '2']);
  });
});

describe('turns of anybody\'s chat are read as they are in messages', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a": 1}' } };
  const user = { role: 'user', content: 'Q' };
  const reply = { role: 'tool', tool_call_id: 'c1', content: 'R' };
  const answer = { role: 'assistant', content: 'A' };
  const tools = '<tools>\n{"type": "function", "function": {"name": "f"}}\n</tools>';
  const chats: Readonly<Record<string, readonly object[]>> = {
    'a question and its answer': [{ role: 'system', content: 'S' }, user, answer],
    'reasoning beside the answer': [user, { ...answer, reasoning_content: 'T' }, user, { ...answer, reasoning: 'U' }],
    'a call beside an empty content': [user, { role: 'assistant', content: '', tool_calls: [call] }, reply, answer],
    'a call beside a text': [user, { role: 'assistant', content: 'Wait.', tool_calls: [call] }, reply, answer],
    'arguments that are a value': [
      user, { role: 'assistant', tool_calls: [{ ...call, function: { name: 'f', arguments: { a: 1 } } }] }, reply,
    ],
    'function_call': [
      user, { role: 'assistant', content: null, function_call: call.function },
      { role: 'function', name: 'f', content: 'R' },
    ],
    'parts': [{ role: 'user', content: [{ type: 'text', text: 'Q' }, { type: 'image_url', image_url: { url: 'u' } }] }],
    'blocks of Anthropic': [
      user, { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'R' }] },
    ],
    'other words for roles': [{ role: 'human', content: 'Q' }, { role: 'model', content: 'A' }],
    'calls, replies and definitions as text': [
      { role: 'system', content: `S\n${tools}` }, user,
      { role: 'assistant', content: '<think>T</think>\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>' },
      { role: 'user', content: '<tool_response>\nR\n</tool_response>' }, answer,
    ],
    'content that is null, and a field of its own': [user, { role: 'assistant', content: null, weight: 1 }],
    'a role that is none, behind others': [user, { role: 'robot', content: 'A' }],
  };
  const shapes: Readonly<Record<string, (turns: readonly object[]) => string>> = {
    'a list in one line': (turns) => `${JSON.stringify(turns)}\n`,
    'a list over many lines': (turns) => JSON.stringify(turns, null, 2),
    'one a line': (turns) => turns.map((turn) => `${JSON.stringify(turn)}\n`).join(''),
  };
  /** What commands say of a file, but for places in it. */
  async function answers(text: string, ...options: string[]): Promise<object> {
    const path = file('turns/same.jsonl', text);
    const lines = async (...command: string[]): Promise<object[]> =>
      jsonLines((await run([...command, path])).out).map((line) => line as object);
    const found = (await lines('check', ...options, '--format', 'ndjson')) as { rule?: string; message: string }[];
    const messages = (await lines('messages', ...options)) as { [key: string]: unknown }[];
    const scan = JSON.parse((await run(['scan', ...options, '--format', 'json', path])).out) as object;
    const from = options.length > 0 ? ['--from', 'messages'] : [];
    const { out, err } = await run(['convert', '--to', 'messages', ...from, path]);
    return {
      found: found.map(({ rule, message }) => [rule, message]),
      messages: messages.map(({ role, recipient, explicit_channel, content, call_id }) =>
        [role, recipient, explicit_channel, content, call_id]),
      scan: { ...scan, bytes: 0 },
      converted: out, told: err.replaceAll(/:\d+/g, ':'),
      shown: (await run(['render', ...options, path])).out.replaceAll(/^.*:.*$/gm, ''),
    };
  }

  test.each(Object.entries(chats))('%s', async (_name, chat) => {
    const expected = await answers(`${JSON.stringify({ messages: chat })}\n`);
    for (const [name, write] of Object.entries(shapes)) {
      expect(await answers(write(chat)), name).toEqual(expected);
      expect(await answers(write(chat), '--form', 'messages'), name).toEqual(expected);
    }
  });

  test.each(Object.entries(chats))('filter says of a list what it says of messages: %s', async (_name, chat) => {
    const said = async (value: unknown, ...options: string[]): Promise<unknown> =>
      jsonLines((await run(['filter', ...options], { stdin: `${JSON.stringify(value)}\n` })).out)
        .map(({ ok, messages, calls, err }) => [ok, messages, calls, (err as { rule: string }[]).map((it) => it.rule)]);
    const expected = await said({ messages: chat });
    expect(await said(chat)).toEqual(expected);
    expect(await said(chat, '--form', 'messages')).toEqual(expected);
  });

  test('a member of the interchange forms alone makes them interchange', async () => {
    const told = async (...turns: object[]): Promise<unknown> => {
      const [message] = jsonLines((await run(['messages', file('turns/own.json', JSON.stringify(turns))])).out);
      return message;
    };
    expect(await told({ role: 'tool', call_id: 'c', content: 'R' })).toMatchObject({ call_id: 'c' });
    expect(await told({ ...user, recipient: 'all' })).toMatchObject({ recipient: 'all' });
    const recipient = 'functions.g';
    expect(await told({ role: 'assistant', tool_calls: [{ ...call, recipient }] })).toMatchObject({ recipient });
  });
});

describe('what is no turn', () => {
  const cases: [name: string, text: string, begins: boolean][] = [
    ['a role only', '{"role":"user"}', true],
    ['a key with an escape', '{"\\u0072ole":"user"}', false],
    ['a role further in', '{"a":{"role":"user"},"b":["role"]}', false],
    ['a value that says role', '{"a":"role"}', false],
    ['messages before or behind', '{"role":"user","messages":[]}', false],
    ['a text', '{"role":"user","text":"<|start|>"}', false],
    ['a list of lists', '[[{"role":"user"}]]', true],
    ['no object', '["role"]', false],
    ['cut behind the role', '{"role":"user","content":"x', true],
    ['nothing', '', false],
  ];
  test.each(cases)('%s', (_name, text, begins) => {
    for (const most of [1, 3, Infinity]) {
      expect(beginsWithTurn(new SlowSource(Buffer.from(text), most))).toBe(begins);
    }
  });

  test('another record ends a transcript; so does one that cannot be read', () => {
    const lines = [TURNS[0], TURNS[0], { text: '<|start|>user<|message|>x<|end|>' }, TURNS[0], 'broken{', TURNS[0]];
    const text = lines.map((it) => `${typeof it === 'string' ? it : JSON.stringify(it)}\n`).join('');
    const path = file('turns/mixed.jsonl', text);
    expect([...readMessages(path)].map(({ record }) => record)).toEqual([0, 0, 1, 2, 4]);
    const errors = [...checkFile(path)].filter(({ severity }) => severity === 'error');
    expect(errors.map(({ rule, record }) => [rule, record])).toEqual([['bad-record', 3]]);
  });

  test('behind a turn that no row is made of lines are counted on', async () => {
    const path = file('turns/no-row.jsonl', '{"role":"user","content":3}\n\n\nbroken{\nbroken{\n');
    const told = jsonLines((await run(['check', '--format', 'ndjson', path])).out) as { rule: string; line: number }[];
    expect(told.slice(0, -1).map(({ rule, line }) => [rule, line]))
      .toEqual([['refused-record', 1], ['bad-record', 4], ['bad-record', 5]]);
  });

  test('what stands between turns is told as it is where no turn stands', async () => {
    const chat = { messages: [{ role: 'user', content: 'a <|end|>' }, { role: 'assistant', content: 'b' }] };
    const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: 'x' } };
    const others: unknown[] = [
      chat, 'broken{', '', ' ', chat, { text: '<|start|>user<|message|>x<|end|>' }, { messages: [] }, 'broken{',
      { messages: [{ role: 'assistant', content: null, tool_calls: [call] }] }, { role: 'user', messages: [] },
    ];
    // By itself or more, of those that the scanner has rows for, and others.
    const turns = [[TURNS[0]], [TURNS[0], TURNS[1]], [{ content: 'x', role: 'user' }], TURNS, []];
    const textOf = (lines: readonly unknown[]): string =>
      lines.map((it) => `${typeof it === 'string' ? it : JSON.stringify(it)}\n`).join('');
    const records = [TURNS, ...others.flatMap((other, i) => [[other], turns[i % turns.length]!])];
    const path = file('turns/between.jsonl', textOf(records.flat()));
    const told = jsonLines((await run(['check', '--format', 'ndjson', path])).out) as {
      rule?: string; record: number; line: number; column: number; from: number;
    }[];
    const bytes = readFileSync(path, 'utf8');
    const lines = bytes.split('\n');
    const found = told.filter(({ rule }) => rule !== undefined);
    for (const { line, column, from } of found) {
      const before = lines.slice(0, line - 1).map((it) => `${it}\n`).join('');
      expect(Buffer.byteLength(before + [...lines[line - 1]!].slice(0, column - 1).join(''))).toBe(from);
    }
    // The same as of each record that is no turn, in a file of its own.
    const alone = await Promise.all(others.map(async (other, i) => {
      const { out } = await run(['check', '--format', 'ndjson', file(`turns/between-${i}.jsonl`, textOf([other]))]);
      return (jsonLines(out) as { rule?: string; column: number }[])
        .flatMap(({ rule, column }) => (rule === undefined ? [] : [[rule, column]]));
    }));
    const first = found.map(({ rule, column, line }) => [lines[line - 1], rule, column] as const)
      .filter(([line]) => others.some((other) => textOf([other]) === `${line}\n`));
    expect(first.map(([, ...rest]) => rest)).toEqual(alone.flat());
    // Turns that follow each other count as one record, blank lines as none.
    const count = records.flat().filter((it) => String(it).trim() !== '')
      .filter((it, i, all) => others.includes(it) || i === 0 || others.includes(all[i - 1])).length;
    const isLast = records.flat().findLast((it) => String(it).trim() !== '') === others.at(-1);
    expect([...readMessages(path)].at(-1)!.record).toBe(count - 1 - Number(isLast));
  });

  testLong('a turn of more bytes than rows have, where so many are asked for', async () => {
    const turn = (content: string): string => `${JSON.stringify({ role: 'user', content })}\n`;
    const path = file('turns/large.jsonl', turn('x') + turn('z'.repeat(LARGEST + 1)) + turn('x'));
    const told = async (...options: string[]): Promise<unknown[]> => {
      const out = at(`turns/large-${options.length}`);
      await run(['run', '--out', out, ...options, path], { errIsTTY: false });
      const { records, ok, messages } = JSON.parse((await run(['merge', out])).out) as
        { records: number; ok: number; messages: number };
      return [records, ok, messages];
    };
    expect(await told()).toEqual([3, 2, 2]);
    expect(await told('--max-line-bytes', `${LARGEST + 100}`)).toEqual([1, 1, 3]);
  });

  test('turns that are too large together are one record that is too large', () => {
    const text = LAYOUTS['one a line']!(Array.from({ length: 50 }, () => TURNS[0]!));
    const source = new MemorySource(Buffer.from(text));
    const [record, ...others] = [...readRecords(source, { joinsTurns: true, largest: 200 })];
    expect(record).toMatchObject({ number: 0, line: 1, from: 0, to: source.end - 1, problem: expect.any(String) });
    expect(others).toEqual([]);
  });

  test('turns that hold too many objects together are one record that does, and the next one is read', () => {
    const turns = (count: number): string => '{"role":"user","content":[{}]}\n'.repeat(count);
    const read = (text: string): (CorpusRecord | RecordProblem)[] =>
      [...readRecords(new MemorySource(Buffer.from(text)), { joinsTurns: true })];
    expect(read(turns(21_845))).toMatchObject([{ value: { length: 21_845 } }]);
    const [record, next] = read(`${turns(100_000)}{"messages":[]}\n`);
    expect(record).toMatchObject({ number: 0, problem: 'its turns hold more than 65536 objects and lists together' });
    expect(next).toMatchObject({ number: 1, line: 100_001, value: { messages: [] } });
  });

  test('an unknown version is told', async () => {
    const messages = [TURNS[0]];
    const told = async (record: object): Promise<string[]> => {
      const { out } = await run(['check', '--format', 'ndjson', file('turns/version.jsonl', JSON.stringify(record))]);
      return jsonLines(out).flatMap((line) => ('rule' in line ? [String((line as { message: string }).message)] : []));
    };
    for (const record of [
      { version: '3.0', messages }, { version: '10.1', messages }, { version: 3.5, messages },
      { version: '1.0', messages: [{ ...TURNS[0], channel: 'final' }] },
      { version: 'x', messages: [TURNS[1]] },
    ]) expect(await told(record)).toEqual([expect.stringContaining('its version is none that is known')]);
    for (const version of ['2.0', '2.2', 2.2, '1.0', 'v1', 1]) expect(await told({ version, messages })).toEqual([]);
    expect(await told({ version: '2.10', messages })).toEqual([expect.stringContaining('newer than 2.2')]);
  });

  test('a form that is asked for is the form', async () => {
    const told = async (form: string, record: object): Promise<string> =>
      (await run(['check', '--form', form, file('turns/form.jsonl', JSON.stringify(record))])).out;
    const plain = { messages: [{ role: 'assistant', content: 'A', reasoning_content: 'R' }] };
    expect(await told('interchange-2.2', { messages: [TURNS[1]] })).toContain('info open-call');
    expect(await told('interchange-2.0', { messages: [TURNS[1]] })).toContain('it holds tool_call');
    expect(await told('interchange-2.0', TURNS[1]!)).toContain('it holds tool_call');
    expect(await told('interchange-2.2', plain)).toBe('');
    expect(await told('interchange-2.2', { other: 1 })).toContain('no interchange record');
    expect(await told('messages', TURNS[0]!)).toBe('');
    expect(await told('conversations', TURNS[0]!)).toContain('unknown-record');
  });
});

describe('random turns', () => {
  const word = (random: Random): string => random.pick(['a', 'é', '"', '\\', '\n', '{', '<|end|>', '', ' ', '\u2028']);
  const text = (random: Random): string => Array.from({ length: random.below(5) }, () => word(random)).join('');
  const turn = (random: Random): object => {
    if (random.once(3)) return { role: 'user', content: text(random) };
    const content = { role: 'assistant', channel: random.pick(['final', 'analysis']), content: text(random) };
    return random.once(2) ? content : { ...content, channel: 'final', thinking: text(random) };
  };
  const layouts = Object.values(LAYOUTS);

  test('in every layout, in pieces of any size: the same values', () => {
    for (let n = 0; n < runs(10_000); n++) {
      const random = randomOf(SEED + n);
      const turns = Array.from({ length: 1 + random.below(5) }, () => turn(random));
      const input = Buffer.from(random.pick(layouts)(turns));
      const source = new SlowSource(input, random.pick([1, 2, 7, Infinity]));
      const records = [...readRecords(source, { joinsTurns: true })];
      const expected = turns.length === 1 ? turns[0] : turns;
      const values = records.map((it) => ('value' in it ? it.value : it));
      if (!isDeepStrictEqual(values, [expected])) expect(values, `seed ${SEED + n}`).toEqual([expected]);
      const [record] = records as { bytes: Uint8Array; place?: (at: number) => number }[];
      if (record!.place === undefined) continue;
      // Every byte of a turn's text is the byte of the input at its place.
      const { bytes, place } = record as { bytes: Uint8Array; place: (at: number) => number };
      const found = bytes.map((byte, i) => (i > 0 && i < bytes.length - 1 && byte !== 0x2c ? input[place(i)]! : byte));
      if (Buffer.compare(found, bytes) !== 0) expect(found, `seed ${SEED + n}`).toEqual(bytes);
    }
  });
});
