// `filter`: a line for every line, whatever it holds; verdicts, messages, kept and dropped lines; bounds and buffering.
import { expect, test } from 'vitest';
import { filter, type FilterOptions } from '../../../src/cli/commands/filter.ts';
import { createMachine, MemorySource } from '../../../src/index.ts';
import { checkSource } from '../../../src/tools.ts';
import { randomInput, randomOf, SEED } from '../../random.ts';
import { CLEAN, FAULTY, at, file, jsonLines } from '../harness.ts';
import { SHARED, type Surroundings, work, type Worked } from '../hosts.ts';

interface Line {
  n: number;
  id?: string | number;
  ok: boolean;
  messages: number | Record<string, unknown>[];
  calls: number;
  err: { rule: string; code: string | null; severity: string; from: number; to: number; message: string }[];
  more?: number;
  record?: unknown;
}

const run = (
  stdin: string | Uint8Array, options: Partial<FilterOptions> = {}, more: Surroundings = {}, paths: string[] = [],
): Promise<Worked> =>
  work((host) => filter(paths, { ...SHARED, emit: 'verdict', ...options }, host), { stdin, ...more });

async function verdicts(stdin: string | Uint8Array, options: Partial<FilterOptions> = {}): Promise<Line[]> {
  const { code, out, err } = await run(stdin, options);
  expect([code, err]).toEqual([0, '']);
  const lines = jsonLines(out) as unknown as Line[];
  expect(lines.map(({ n }) => n)).toEqual(lines.map((_, i) => i));
  return lines;
}

const json = (value: unknown): string => JSON.stringify(value);

test('gives a verdict on each record, in order, with its id', async () => {
  const lines = await verdicts([
    json({ id: 'a', text: CLEAN }),
    json({ id: 7, text: FAULTY }),
    json({ messages: [{ role: 'user', content: 'Hi' }, { role: 'assistant', content: 'Ho' }] }),
    json({ id: { no: 'id' }, conversations: [{ from: 'human', value: 'Hi' }] }),
    json({
      id: null,
      prompt: 'version: 2.2\n<|start|>user<|message|>Hi<|end|><|start|>assistant',
      completion: '<|message|>Ho<|end|>',
    }),
    '{"id":12345678901234567890,"text":""}',
  ].join('\n'));
  expect(lines.map(({ id, ok, messages, calls }) => [id, ok, messages, calls])).toEqual([
    ['a', true, 2, 0], [7, false, 2, 0], [undefined, true, 2, 0], [undefined, true, 1, 0], [undefined, true, 2, 0],
    [12345678901234567000, true, 0, 0],
  ]);
  expect(Object.keys(lines[0]!)).toEqual(['n', 'id', 'ok', 'messages', 'calls', 'err']);
  expect(lines[1]!.err).toHaveLength(1);
  expect((await run('{"id":12345678901234567890,"text":""}')).out).toContain('"id":12345678901234567890,');
});

test('places errors in the bytes of the line, escapes and all', async () => {
  const record = '{"note":"\\u00e9é","text":"version: 2.2\\n\\u003c|start|>r\\u006fbot<|message|>x<|end|>"}';
  const [line] = await verdicts(`${json({ text: CLEAN })}\n${record}\n`, { warnings: true }).then((all) => {
    return all.slice(1);
  });
  const [found] = line!.err;
  expect(found!.rule).toBe('unknown-role');
  const bytes = Buffer.from(record);
  expect(bytes.subarray(found!.from, found!.to).toString()).toContain('r\\u006fbot');
});

test('finds in a text what the library finds, for any bytes', async () => {
  const random = randomOf(SEED);
  const machine = createMachine();
  const texts = Array.from({ length: 60 }, () => Buffer.from(randomInput(random)).toString('utf8'));
  const lines = await verdicts(texts.map((text) => json({ text })).join('\n'), { warnings: true });
  for (const [i, text] of texts.entries()) {
    const bytes = Buffer.from(text, 'utf8');
    const expected = [...checkSource(machine, new MemorySource(bytes))];
    const { ok, err, more } = lines[i]!;
    expect(ok, `seed ${SEED}, text ${i}`).toBe(!expected.some(({ severity }) => severity === 'error'));
    expect(err.length + (more ?? 0), `seed ${SEED}, text ${i}`).toBe(expected.length);
    const order = (a: string, b: string): number => (a < b ? -1 : 1);
    expect(err.map(({ rule }) => rule).sort(order)).toEqual(expected.map(({ rule }) => rule as string).sort(order));
  }
});

const POISON: [name: string, line: string | Uint8Array][] = [
  ['nothing', ''],
  ['blanks', ' \t\r'],
  ['no JSON', 'what?'],
  ['cut JSON', '{"text":"<|start|>'],
  ['two values', '{"text":""}{"text":""}'],
  ['a list', '[{"text":""}]'],
  ['a number', '1'],
  ['null', 'null'],
  ['no known field', '{"body":"x"}'],
  ['a field of another type', '{"text":1,"messages":{}}'],
  ['half a character', '{"text":"\\ud800"}'],
  ['an id that is half a character', '{"id":"\\udfff","body":1}'],
  ['a byte that is no UTF-8', Buffer.from('{"text":"\xff"}', 'latin1')],
  ['NUL', Buffer.from('{"text":"\0"}')],
  ['an escaped NUL in a wrong place', '\\u0000'],
  ['a line separator', '\u2028'],
  ['deep lists', '['.repeat(200_000) + ']'.repeat(200_000)],
  ['deep content', `{"messages":[{"role":"user","content":${'['.repeat(100_000)}${']'.repeat(100_000)}}]}`],
  [
    'deep tool calls',
    `{"messages":[{"role":"assistant","tool_calls":${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}}]}`,
  ],
  [
    'deep tools',
    `{"messages":[{"role":"user","content":"x"}],"tools":${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}}`,
  ],
  ['roles that are none', '{"messages":[{"role":"<|end|>","content":"x"}]}'],
  ['a key that every object has', '{"__proto__":1,"constructor":2,"id":{"__proto__":3}}'],
  ['a carriage return within', '{"body":\r1}'],
];

test('answers every poisoned line with a verdict, and goes on', async () => {
  const good = json({ id: 'good', text: CLEAN });
  const parts = POISON.flatMap(([, line]) => [Buffer.from(line), Buffer.from(`\n${good}\n`)]);
  for (const emit of ['verdict', 'messages'] as const) {
    const lines = await verdicts(Buffer.concat(parts), { emit, passthrough: true });
    expect(lines).toHaveLength(2 * POISON.length);
    for (const [i, [name]] of POISON.entries()) {
      expect(lines[2 * i]!.ok, name).toBe(false);
      expect(lines[2 * i]!.err.length, name).toBeGreaterThan(0);
      expect(lines[2 * i + 1]).toMatchObject({ id: 'good', ok: true, err: [], record: { id: 'good', text: CLEAN } });
    }
  }
});

test('a long line is told and passed by', async () => {
  const long = json({ text: 'x'.repeat(3_000_000) });
  const input = `${json({ text: CLEAN })}\n${long}\n${long}\n${json({ text: CLEAN })}`;
  const lines = await verdicts(input, { maxLineBytes: 1_000_000 });
  expect(lines.map(({ ok }) => ok)).toEqual([true, false, false, true]);
  expect(lines[1]!.err).toMatchObject([{ rule: 'bad-record', from: 0, to: long.length }]);
  const just = await verdicts(`${long}\n`, { maxLineBytes: long.length });
  expect(just[0]!.err.every(({ rule }) => rule !== 'bad-record')).toBe(true);
  expect((await verdicts(`${long}\n`, { maxLineBytes: long.length - 1 }))[0]!.err)
    .toMatchObject([{ rule: 'bad-record' }]);
});

test('empty input gives empty output', async () => {
  expect(await run('')).toMatchObject({ code: 0, out: '', err: '' });
  expect(jsonLines((await run('\n')).out)).toHaveLength(1);
  expect(jsonLines((await run('\n\n ')).out)).toHaveLength(3);
});

test('a byte order mark before the first line is none of it', async () => {
  const record = '{"text":"version: 2.2\\n<|start|>robot<|message|>x<|end|>"}';
  const [plain] = await verdicts(record);
  const [marked] = await verdicts(`\ufeff${record}\n`);
  expect(marked!.err.map(({ from }) => from)).toEqual(plain!.err.map(({ from }) => from + 3));
  expect((await verdicts(`${record}\n\ufeff${record}`))[1]!.err).toMatchObject([{ rule: 'bad-record' }]);
});

test('keep and drop are the two halves of the input, byte for byte', async () => {
  const good = [json({ text: CLEAN }), `${json({ text: CLEAN })}\r`, `  ${json({ text: CLEAN })} `];
  const bad = ['', 'what?', json({ text: FAULTY }), Buffer.from('"\xff\xfe"', 'latin1'), 'y'.repeat(700_000)];
  const random = randomOf(SEED);
  for (let round = 0; round < 20; round++) {
    const all = Array.from({ length: 30 }, () => {
      return (random.once(2) ? [true, random.pick(good)] : [false, random.pick(bad)]) as [boolean, string | Buffer];
    });
    const half = (keep: boolean): Buffer =>
      Buffer.concat(all.flatMap(([isGood, line], i) => {
        return isGood === keep ? [Buffer.from(line), Buffer.from(i === 29 && cut ? '' : '\n')] : [];
      }));
    const cut = random.once(2) && all[29]![1] !== '';
    const input = Buffer.concat(
      all.flatMap(([, line], i) => [Buffer.from(line), Buffer.from(i === 29 && cut ? '' : '\n')]),
    );
    for (const emit of ['keep', 'drop'] as const) {
      const { code, bytes } = await run(input, { emit, maxLineBytes: 500_000 });
      expect(code).toBe(0);
      expect(bytes.equals(half(emit === 'keep')), `seed ${SEED}, round ${round}, ${emit}`).toBe(true);
    }
  }
});

test('messages has the columns of messages, placed in the line', async () => {
  const record = json({ id: 'x', text: CLEAN });
  const [line] = await verdicts(record, { emit: 'messages' });
  const { id, ok, messages } = line!;
  expect([id, ok]).toEqual(['x', true]);
  const list = messages as Record<string, number & string>[];
  expect(list).toMatchObject([
    { transcript: 0, index: 0, role: 'user', content: 'Hello', visible: true },
    { transcript: 0, index: 1, role: 'assistant', channel: 'final', end: 'return', content: 'Hi there' },
  ]);
  for (const { body_from, body_to, from, to, content } of list) {
    expect(record.slice(body_from, body_to)).toBe(content);
    expect(record.slice(from, to)).toContain('<|start|>');
  }
});

test('messages that do not fit into a line are refused, and the next record is read', async () => {
  const text = `version: 2.2\n${'<|start|>user<|message|>x<|end|>'.repeat(100)}`;
  const stdin = `${json({ id: 'long', text })}\n${json({ text: CLEAN })}`;
  const { code, out } = await work((host) => filter([], { ...SHARED, emit: 'messages' }, host, null, 2_000), { stdin });
  expect(code).toBe(0);
  expect(jsonLines(out)).toMatchObject([
    { id: 'long', ok: false, messages: [], err: [{ rule: 'bad-record' }] }, { ok: true, messages: [{}, {}] },
  ]);
});

test('verdicts hold nothing of a body, a field or a name', async () => {
  const secret = 'CANARY';
  const records = [
    json({ text: `version: 2.2\n<|start|>${secret}<|channel|>${secret}<|message|>${secret}<|end|>${secret}` }),
    json({
      text: `${secret}: ${secret}\nversion: 2.2\n---\n`
        + `<|start|>assistant to=functions.${secret}<|constrain|>json<|message|>{${secret}}<|call|>`,
    }),
    json({ messages: [{ role: secret, content: { [secret]: secret } }] }),
    json({ [secret]: secret }),
    `{"${secret}`,
    json({ messages: [{ role: 'assistant', tool_calls: [{ function: { name: secret, arguments: secret } }] }] }),
  ];
  for (const [i, one] of (await verdicts(records.join('\n'), { warnings: true })).entries()) {
    expect(one.err.length, String(i)).toBeGreaterThan(0);
    expect(json(one), String(i)).not.toContain(secret);
  }
});

test('errors are capped, and counted beyond', async () => {
  const text = `version: 2.2\n${'<|start|>robot<|message|>x<|end|>\n'.repeat(250)}`;
  const [line] = await verdicts(json({ text }));
  expect([line!.err.length, line!.more, line!.messages]).toEqual([100, 150, 250]);
});

test('--field and --form choose what is read', async () => {
  const record = json({ id: 1, text: FAULTY, other: CLEAN, messages: [{ role: 'user', content: 'x' }] });
  expect((await verdicts(record))[0]).toMatchObject({ ok: true, messages: 1 });
  expect((await verdicts(record, { form: 'text' }))[0]).toMatchObject({ ok: false, messages: 2 });
  expect((await verdicts(record, { field: 'other' }))[0]).toMatchObject({ ok: true, messages: 2 });
  expect((await verdicts(record, { form: 'conversations' }))[0])
    .toMatchObject({ ok: false, err: [{ rule: 'unknown-record' }] });
});

test('a configuration of rules decides what is an error', async () => {
  const record = json({ text: FAULTY });
  expect((await verdicts(record, { rules: { 'unknown-role': 'warning' } }))[0]).toMatchObject({ ok: true, err: [] });
  expect((await verdicts(record, { rules: { 'unknown-role': 'off', 'text-between-messages': 'error' } }))[0])
    .toMatchObject({ ok: false, err: [{ rule: 'text-between-messages' }] });
});

test('tools of a file are known', async () => {
  const tools = file(
    'filter/tools.json',
    json([{ type: 'function', function: { name: 'f', parameters: { type: 'object', required: ['a'] } } }]),
  );
  const text = 'version: 2.2\n<|start|>assistant to=functions.f call_id=c<|channel|>commentary<|constrain|>json'
    + '<|message|>{}<|call|>\n';
  expect((await verdicts(json({ text })))[0]).toMatchObject({ ok: true, calls: 1 });
  expect((await verdicts(json({ text }), { tools: [tools] }))[0])
    .toMatchObject({ ok: false, err: [{ rule: 'invalid-arguments', code: 'E-CALL-SCHEMA' }] });
  expect(await run('', { tools: [at('filter/none.json')] })).toMatchObject({ code: 2, out: '' });
});

test('reads a named file; refuses what is none', async () => {
  const path = file('filter/a.jsonl', `${json({ text: CLEAN })}\n`);
  expect(jsonLines((await run('', {}, {}, [path])).out)).toHaveLength(1);
  expect(await run('', {}, {}, [at('filter/none.jsonl')])).toMatchObject({ code: 2, out: '' });
  expect(await run('', {}, {}, [at('filter')])).toMatchObject({ code: 2, out: '' });
  expect(await run('', {}, {}, [path, path])).toMatchObject({ code: 2, out: '' });
  expect(await run('', { maxLineBytes: 2 ** 30 })).toMatchObject({ code: 2, out: '' });
  expect(await run('', { emit: 'keep', passthrough: true })).toMatchObject({ code: 2, out: '' });
});

test('writes pieces, or each line at once', async () => {
  const input = `${json({ text: CLEAN })}\n`.repeat(50);
  expect((await run(input)).writes).toHaveLength(1);
  expect((await run(input, { lineBuffered: true })).writes).toHaveLength(50);
  expect((await run(input, { lineBuffered: true, emit: 'keep' })).writes).toHaveLength(50);
});

test('a terminal is not steered', async () => {
  const record = json({ id: '\u009b\u202e', text: CLEAN });
  const { out } = await run(record, {}, { isTTY: true });
  expect(out).not.toMatch(/[\u0080-\u009f\u202e]/);
  expect(jsonLines(out)[0]!['id']).toBe('\u009b\u202e');
  expect((await run(record, { emit: 'keep' }, { isTTY: true })).out).not.toMatch(/[\u0080-\u009f\u202e]/);
});
