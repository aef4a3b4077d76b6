// Commands on records and on files that others touch: places, ends, what cannot be read, and what must not be replaced.
import { closeSync, openSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, test } from 'vitest';
import { randomRecord, randomText } from '../corpus/records/random-chat.ts';
import { randomConversation, SPELLINGS } from '../formats/chat/conversations.ts';
import { testOnce } from '../long.ts';
import { randomOf, SEED } from '../random.ts';
import { valueAt } from '../../src/tools/json.ts';
import { at, CLEAN, file, jsonLines, run } from './harness.ts';

const QUESTION = '<|start|>user<|message|>h\u00e9<|end|>';
const ANSWER = '<|start|>assistant<|channel|>final<|message|>ANSWER<|end|>';

test('a message ends in its own field, whatever the order of fields', async () => {
  const line = JSON.stringify({ completion: ANSWER, prompt: QUESTION });
  const path = file('records/reverse.jsonl', `${line}\n`);
  const bytes = readFileSync(path);
  const messages = jsonLines(
    (await run(['messages', path])).out,
  ) as { from: number; to: number; body_from: number; body_to: number }[];
  expect(messages.map(({ from, to }) => bytes.toString('utf8', from, to))).toEqual([QUESTION, ANSWER]);
  expect(messages.map(({ body_from, body_to }) => bytes.toString('utf8', body_from, body_to)))
    .toEqual(['h\u00e9', 'ANSWER']);
  for (const [i, { from, to }] of messages.entries()) {
    for (const byte of [from, to - 1]) {
      expect(jsonLines((await run(['messages', '--at', String(byte), path])).out))
        .toEqual([expect.objectContaining({ index: i })]);
    }
  }
});

test('chat entries are places of their messages', async () => {
  const path = file(
    'records/chat.jsonl',
    `${JSON.stringify({ messages: [{ role: 'user', content: 'a "b"' }, { role: 'assistant', content: 'c' }] })}\n`,
  );
  const bytes = readFileSync(path, 'utf8');
  const messages = jsonLines(
    (await run(['messages', path])).out,
  ) as { from: number; to: number; body_from: number; body_to: number }[];
  expect(messages.map(({ from, to }) => JSON.parse(bytes.slice(from, to)) as unknown))
    .toEqual([{ role: 'user', content: 'a "b"' }, { role: 'assistant', content: 'c' }]);
  expect(messages.map(({ body_from, body_to }) => bytes.slice(body_from, body_to))).toEqual(['a \\"b\\"', 'c']);
});

testOnce('many calls of one entry take linear time', async () => {
  const calls = Array.from({ length: 20_000 }, (_, i) => ({
    id: `c${i}`, type: 'function', function: { name: 'f', arguments: `{"n":${i}}` },
  }));
  const path = file(
    'records/calls.jsonl',
    `${JSON.stringify({ messages: [{ role: 'assistant', content: null, tool_calls: calls }] })}\n`,
  );
  const bytes = readFileSync(path, 'utf8');
  const messages = jsonLines(
    (await run(['messages', path])).out,
  ) as { body_from: number; body_to: number; content: string }[];
  expect(messages).toHaveLength(20_000);
  for (const { body_from, body_to, content } of messages) {
    expect(JSON.parse(`"${bytes.slice(body_from, body_to)}"`)).toBe(content);
  }
});

test('records that cannot be read are told, and counted', async () => {
  const path = file('records/bad.jsonl', `{"text":\n${JSON.stringify({ text: CLEAN })}\n`);
  const { code, out, err } = await run(['messages', path]);
  expect([code, jsonLines(out).length]).toEqual([0, 2]);
  expect(err).toBe(`${path}: 1 of 2 records cannot be read; \`openchatml check\` reports why\n`);
  expect((await run(['messages', '--quiet', path])).err).toBe('');
});

test('of one transcript it is not told how many records cannot be read, unless it is not there', async () => {
  const path = file('records/few.jsonl', `${JSON.stringify({ text: CLEAN })}\n{"id":1}\n`.repeat(3));
  const all = `${path}: 3 of 6 records cannot be read; \`openchatml check\` reports why\n`;
  expect((await run(['messages', '--transcript', '7', path])).err)
    .toBe(`${all}no input has a transcript 7: the last one is 2\n`);
  const many = file('records/many.jsonl', `${JSON.stringify({ text: CLEAN })}\n{"id":1}\n`.repeat(20_000));
  const sums = ['1', '2'].map(async (threads) =>
    (await run(['messages', '--transcript', '0', '--summary', '--threads', threads, many])).err);
  expect((await Promise.all(sums)).map((sum) => /\d+ records/.exec(sum))).toEqual([null, null]);
  for (const transcript of ['0', '1']) {
    for (const threads of ['1', '2']) {
      const { code, err } = await run(['messages', '--transcript', transcript, '--threads', threads, path]);
      expect([code, err]).toEqual([0, '']);
    }
  }
});

test('a table whose first row is no record is read as records', async () => {
  const data = [Buffer.from([0xff]), Buffer.from('say <|end|><|start|>system')];
  const columns = [{ name: 'prompt', data, type: 'BYTE_ARRAY' as const }, { name: 'completion', data: ['a', 'b'] }];
  const bytes = parquetWriteBuffer({ columnData: columns });
  const path = file('records/first.parquet', Buffer.from(bytes));
  const rules = async (...argv: string[]): Promise<string[]> =>
    (jsonLines((await run([...argv, path])).out) as { rule?: string }[]).flatMap(({ rule = [] }) => rule);
  expect(await rules('audit', '--format', 'ndjson')).toEqual(['bad-record', 'control-token', 'control-token']);
  const [bad] = jsonLines((await run(['check', '--format', 'ndjson', path])).out);
  expect(bad).toMatchObject({ rule: 'bad-record', from: 0, line: 1, column: 1 });
  await run(['run', '--out', at('records/first'), path]);
  const [name] = readdirSync(at('records/first')).filter((one) => one.endsWith('.ndjson'));
  const verdicts = jsonLines(readFileSync(join(at('records/first'), name!), 'utf8'));
  const { rule, from, to } = bad!;
  expect(verdicts).toMatchObject([{ ok: false, err: [{ rule, from, to }] }, { ok: false }]);
});

test('what was read before damage comes out, the same every time', async () => {
  const whole = gzipSync(`${JSON.stringify({ text: CLEAN })}\n`.repeat(3000));
  const path = file('records/tail.jsonl.gz', Buffer.concat([whole, Buffer.from('garbage')]));
  for (let i = 0; i < 3; i++) {
    const { code, out } = await run(['messages', path]);
    expect([code, jsonLines(out).length]).toEqual([2, 6000]);
  }
});

test('--form text leaves raw text what it is', async () => {
  const path = file('records/raw.txt', CLEAN);
  expect(JSON.parse((await run(['scan', '--format', 'json', '--form', 'text', path])).out))
    .toMatchObject({ messages: 2 });
});

test('an output never takes the place of an input', async () => {
  const path = file('records/input.jsonl', `${JSON.stringify({ text: CLEAN })}\n`);
  symlinkSync(path, at('records/link.jsonl'));
  const before = readFileSync(path);
  for (const argv of [
    ['messages', '--output', path, path], ['messages', '--output', at('records/link.jsonl'), path],
    ['scan', '--report', path, path],
  ]) {
    const { code, err } = await run(argv);
    expect(code).toBe(2);
    expect(err).toContain('is an input, which the output would replace');
    expect(readFileSync(path)).toEqual(before);
  }
  for (const [argv, reason] of [
    [['messages', '--output', path, '-'], 'is an input, which the output would replace'],
    [['messages', '--output', path], 'is an input, which the output would replace'],
    [['audit', '--fix', '--output', path, '-'], '-: its copy would take its place; name another place'],
    [['audit', '--fix', '--output', path], '-: its copy would take its place; name another place'],
  ] as const) {
    const stdin = openSync(path, 'r');
    const { code, err } = await run([...argv], { stdin });
    closeSync(stdin);
    expect([argv, code]).toEqual([argv, 2]);
    expect(err).toContain(reason);
    expect(readFileSync(path)).toEqual(before);
  }
  expect((await run(['run', '--out', at('records/out'), path])).code).toBe(0);
  const { code, err } = await run(['merge', '--output', path, at('records/out')]);
  expect([code, readFileSync(path)]).toEqual([2, before]);
  expect(err).toContain('is an input of the run');
});

test.each(['check', 'messages'])('%s notices a file that is changed while it is read', async (command) => {
  const path = file(`records/changed-${command}.txt`, CLEAN.repeat(20_000));
  let isDone = false;
  const touch = (): void => {
    if (!isDone) truncateSync(path, 100_000);
    isDone = true;
  };
  const first = file(`records/first-${command}.txt`, CLEAN.repeat(20_000) + '<|start|>robot<|message|>x<|end|>');
  const { code, err } =
    await run([command, ...(command === 'check' ? ['--format', 'concise'] : []), first, path], { onWrite: touch });
  expect(isDone).toBe(true);
  expect(code).toBe(2);
  expect(err).toMatch(/was (?:shortened|changed) while it was read/);
});

test.each([
  'check', 'audit',
])('%s tells where a record is that is too large to be kept, when it is read once', async (command) => {
  const text = `${JSON.stringify({ text: CLEAN })}\n{"text":"${'x'.repeat(65 * 1024 * 1024)}"}\n{"text":"`
    + `<|start|>robot<|message|><|im_end|>x"}\n`;
  const { out } = await run([command, '--format', 'ndjson', '-'], { stdin: text });
  const [large, next] = jsonLines(out);
  expect(large).toMatchObject({ rule: 'bad-record', record: 1, line: 2, column: 1 });
  expect(next).toMatchObject({ record: 2, line: 3 });
});

test.each(['', '\ufeff'])('lines and columns are those of the whole input, marked %j', async (mark) => {
  const random = randomOf(SEED);
  const others = [
    '', '  ', '{', '{"a": 1}', '{"caf\u00e9": "\u4e2d\u{1f600}", "messages": [{"role": "robot", "content": ""}]}',
    JSON.stringify({ note: '\u4e2d\u{1f600}', text: '<|start|>user<|message|>h\u00e9' }),
    `{"text": "${'\u00e9'.repeat(70_000)}<|end|>"}`,
  ];
  const lines = Array.from({ length: 60 }, () => {
    const line = random.once(3) ? random.pick(others) : randomText(random, randomRecord(random));
    return line.replaceAll('\n', ' ');
  });
  // The first line shows that they are lines.
  const text = `${mark}{"text":"<|end|>"}\n${lines.join('\n')}`;
  const path = file(`records/places-${mark.length}.jsonl`, text);
  const bytes = readFileSync(path);
  const check = async (where: string, options = {}): Promise<Record<string, unknown>[]> => {
    return (jsonLines(
      (await run(['check', '--format', 'ndjson', ...where.split(' ')], options)).out,
    ) as Record<string, unknown>[]).slice(0, -1);
  };
  const found = await check(path);
  expect(found.length, `seed ${SEED}`).toBeGreaterThan(20);
  for (const { from, line, column, message } of found) {
    // A broken record is told where it goes wrong.
    const [, fault = 0] = /at byte (\d+) of the record$/.exec(message as string) ?? [];
    const byte = (from as number) + Number(fault);
    const before = bytes.toString('utf8', mark === '' ? 0 : 3, byte).split('\n');
    expect([line, column], `seed ${SEED}, byte ${byte}`)
      .toEqual([before.length, [...before.at(-1)!].length + 1]);
  }
  expect(await check(`--threads 2 ${path}`)).toEqual(found);
  const ofPipe = await check('-', { stdin: text });
  expect(ofPipe.map((one) => ({ ...one, path }))).toEqual(found);
});

test('objects that are not one a line are records, in every command', async () => {
  const chat = {
    messages: [{ role: 'user', content: 'h\u00e9 <|end|>' }, { role: 'tool', tool_call_id: 'c', content: 'x' }],
  };
  const layouts: [name: string, text: string][] = [
    ['lines.jsonl', `${JSON.stringify(chat)}\n${JSON.stringify(chat)}\n`],
    ['pretty.json', `${JSON.stringify(chat, null, 2)}\n${JSON.stringify(chat, null, 2)}\n`],
    ['joined.jsonl', JSON.stringify(chat) + JSON.stringify(chat)],
    ['sequence.json', `\x1e${JSON.stringify(chat)}\n\x1e${JSON.stringify(chat)}\n`],
  ];
  for (const command of [
    'scan --format json', 'check --format ndjson', 'messages', 'audit --format ndjson', 'convert --to messages',
  ]) {
    const outputs: unknown[] = [];
    for (const [name, text] of layouts) {
      const path = file(`layouts/${name}`, text);
      const { out, code } = await run([...command.split(' '), path]);
      // Everything but where it stands.
      const known = jsonLines(out).map((line) => JSON.parse(JSON.stringify(line, (key, value: unknown) => {
        return ['path', 'from', 'to', 'body_from', 'body_to', 'line', 'column', 'bytes', 'files', 'id'].includes(key)
          ? null
          : value;
      })) as unknown);
      expect(known.length, `${command} ${name}`).toBeGreaterThan(0);
      outputs.push({ code, known });
    }
    for (const [i, output] of outputs.entries()) expect(output, `${command} ${layouts[i]![0]}`).toEqual(outputs[0]);
  }
  const folder = at('layouts');
  const { files, transcripts } = JSON.parse(
    (await run(['scan', '--format', 'json', folder])).out,
  ) as Record<string, unknown>;
  expect([files, transcripts]).toEqual([4, 8]);
});

test('each side of a preference is a transcript, and an instruction is one', async () => {
  const ask = { role: 'user', content: 'Q' };
  const say = (content: string): object => ({ role: 'assistant', content });
  const records = [
    { chosen: [ask, say('good')], rejected: [ask, say('bad')], score: 1 },
    { prompt: [ask], chosen: [say('good')], rejected: [{ role: 'robot', content: 'bad' }] },
    { system: 'S', instruction: 'Add.', input: '1 2', output: '3' },
    { instruction: 'Hi', input: '', output: 'Ho', history: [] },
    { instruction: 'Hi', output: 'Ho', history: ['a', 'b'] },
    { chosen: 'good', rejected: 'bad' },
    { conversations: [], instruction: 'Hi', output: 'Ho' },
    { system: 'S', instruction: 'Hi', output: 'Ho', history: [['a', 'b'], ['c "', 'd']] },
  ];
  const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const path = file('records/other.jsonl', text);
  const messages = jsonLines((await run(['messages', path])).out) as Record<string, unknown>[];
  expect(messages.map(({ record, transcript, index, role, content }) => [record, transcript, index, role, content]))
    .toEqual([
      [0, 0, 0, 'user', 'Q'], [0, 0, 1, 'assistant', 'good'], [0, 1, 0, 'user', 'Q'], [0, 1, 1, 'assistant', 'bad'],
      [1, 2, 0, 'user', 'Q'], [1, 2, 1, 'assistant', 'good'],
      [2, 3, 0, 'system', 'S'], [2, 3, 1, 'user', 'Add.\n\n1 2'], [2, 3, 2, 'assistant', '3'],
      [3, 4, 0, 'user', 'Hi'], [3, 4, 1, 'assistant', 'Ho'],
      [5, 5, 0, 'assistant', 'good'], [5, 6, 0, 'assistant', 'bad'],
      [7, 8, 0, 'system', 'S'], [7, 8, 1, 'user', 'a'], [7, 8, 2, 'assistant', 'b'], [7, 8, 3, 'user', 'c "'],
      [7, 8, 4, 'assistant', 'd'], [7, 8, 5, 'user', 'Hi'], [7, 8, 6, 'assistant', 'Ho'],
    ]);
  // Contents of sides stand where they are in the file.
  const good = messages[1] as { body_from: number; body_to: number };
  expect(readFileSync(path).toString('utf8', good.body_from, good.body_to)).toBe('good');
  const asked = messages.at(-4) as { body_from: number; body_to: number };
  expect(readFileSync(path).toString('utf8', asked.body_from, asked.body_to)).toBe('c \\"');
  const found = (jsonLines((await run(['check', '--format', 'ndjson', path])).out) as Record<string, unknown>[]).slice(
    0, -1,
  );
  expect(found.map(({ record, rule }) => [record, rule])).toEqual([
    [1, 'refused-record'], [4, 'unknown-record'],
  ]);
  const verdicts = jsonLines((await run(['filter'], { stdin: text })).out) as Record<string, unknown>[];
  expect(verdicts.map(({ ok, messages: count }) => [ok, count])).toEqual([
    [true, 4], [false, 2], [true, 3], [true, 2], [false, 0], [true, 2], [true, 0], [true, 7],
  ]);
  for (const threads of ['1', '2']) {
    const { transcripts } = JSON.parse(
      (await run(['scan', '--threads', threads, '--format', 'json', path])).out,
    ) as Record<string, unknown>;
    expect(transcripts).toBe(9);
  }
});

test('the fixtures of all forms are read: counts, places, pointers, and by convert', async () => {
  const folder = fileURLToPath(new URL('../../fixtures/chat/', import.meta.url));
  const counts = async (name: string): Promise<unknown> => {
    const { transcripts, messages, calls } = JSON.parse(
      (await run(['scan', '--format', 'json', join(folder, name)])).out,
    ) as Record<string, unknown>;
    return { transcripts, messages, calls };
  };
  // Definitions make a message of their own.
  expect(await counts('anthropic.json')).toEqual({ transcripts: 1, messages: 11, calls: 2 });
  expect(await counts('responses.json')).toEqual({ transcripts: 1, messages: 11, calls: 2 });
  expect(await counts('others.jsonl')).toEqual({ transcripts: 17, messages: 38, calls: 1 });

  // Contents of items stand where they are in the file.
  const path = join(folder, 'responses.json');
  const messages = jsonLines((await run(['messages', path])).out) as Record<string, unknown>[];
  const bodies = messages.map(({ body_from, body_to }) => {
    return readFileSync(path).toString('utf8', body_from as number, body_to as number);
  });
  expect(bodies)
    .toEqual(expect.arrayContaining(['{\\"city\\":\\"Oslo\\"}', '{\\"celsius\\": 21}', 'Briefly, please.']));

  const items = (name: string, id: string): object => ({
    tools: [{
      type: 'function', name: 'f',
      parameters: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    }],
    input: [{ role: 'user', content: 'U' }],
    output: [
      { type: 'function_call', call_id: 'c', name, arguments: '{}' },
      { type: 'function_call_output', call_id: id, output: 'R' },
      { type: 'message', role: 'assistant', content: 'A' },
    ],
  });
  const wrong = file('records/items.jsonl', `${JSON.stringify(items('f', 'c'))}\n${JSON.stringify(items('g', 'd'))}\n`);
  const found = (jsonLines((await run(['check', '--format', 'ndjson', wrong])).out) as Record<string, unknown>[])
    .filter(({ severity }) => severity === 'error' || severity === 'warning');
  expect(found.map(({ record, rule, pointer }) => [record, rule, pointer])).toEqual([
    [0, 'invalid-arguments', '/output/0/arguments'], [1, 'unknown-tool', '/output/0/name'],
    [1, 'unmatched-reply', '/output/1/call_id'],
  ]);
  for (const to of ['messages', 'anthropic', 'responses']) {
    const all = ['record.json', 'anthropic.json', 'responses.json', 'others.jsonl'].map((name) => join(folder, name));
    const { code, out, err } = await run(['convert', '--to', to, ...all]);
    expect([code, jsonLines(out).length], err).toEqual([0, 20]);
    const again = await run(['convert', '--to', to], { stdin: out });
    expect([again.code, again.out, again.err]).toEqual([0, out, '']);
  }
});

test('a tag that parts cut is one: nothing of what it hides is shown, and all commands agree', async () => {
  const path = fileURLToPath(new URL('../../fixtures/chat/cut-tags.jsonl', import.meta.url));
  const counts = JSON.parse((await run(['scan', '--format', 'json', path])).out) as Record<string, unknown>;
  expect(counts).toMatchObject({ transcripts: 9, messages: 20, calls: 3, roles: { user: 8, assistant: 10, tool: 2 } });
  const rows = jsonLines((await run(['messages', path])).out) as Record<string, unknown>[];
  expect(rows.filter(({ role }) => role === 'tool')).toHaveLength(2);
  expect(rows.filter(({ recipient }) => recipient === 'functions.f')).toHaveLength(3);
  for (const argv of [['render'], ['render', '--format', 'html'], ['check'], ['check', '--format', 'ndjson']]) {
    const { out, err } = await run([...argv, path]);
    expect(out + err).not.toContain('HIDDEN');
    if (argv[0] === 'render') expect(out).toContain('Warm: a');
    if (argv[2] !== 'ndjson') continue;
    expect(jsonLines(out).filter(({ rule }) => rule === 'reasoning-in-final')).toHaveLength(3);
  }
});

test(`what records hide is shown by no command (OPENCHATML_SEED=${SEED})`, async () => {
  const random = randomOf(SEED ^ 0x4d41);
  for (const [form, spell] of Object.entries(SPELLINGS)) {
    const lines: string[] = [];
    const shown: string[] = [];
    for (let i = 0; i < 40; i++) {
      const { tools, turns } = randomConversation(random, form === 'sharegpt');
      const marked = turns.map((turn, n) => {
        const open = `OPEN${i}-${n};`;
        if (turn.who !== 'system' && turn.text !== null) shown.push(open);
        return {
          who: turn.who,
          text: turn.text === null ? null : turn.who === 'system' ? 'HIDDEN' : open,
          thinking: turn.thinking === null ? null : `HIDDEN ${turn.thinking}`,
          calls: turn.calls.map((call) => ({ ...call, input: { ...call.input, secret: 'HIDDEN' } })),
          replies: turn.replies.map((reply) => `HIDDEN ${reply}`),
        };
      });
      lines.push(`${JSON.stringify(spell({ tools, turns: marked }))}\n`);
    }
    const path = file(`hidden/${form}.jsonl`, lines.join(''));
    const rendered = (await run(['render', path])).out;
    for (const open of shown) expect(rendered, form).toContain(open);
    const report = at(`hidden/${form}.html`);
    const outputs = [
      rendered, (await run(['render', '--format', 'html', path])).out,
      (await run(['scan', '--report', report, path])).out,
      readFileSync(report, 'utf8'), (await run(['filter'], { stdin: lines.join('') })).out,
    ];
    for (const format of ['pretty', 'concise', 'ndjson', 'json', 'github', 'sarif']) {
      const { out, err } = await run(['check', '--format', format, path]);
      outputs.push(out, err);
    }
    for (const output of outputs) expect(output, form).not.toContain('HIDDEN');
  }
});

test('`<|` that is no token is text of a question and its answer', async () => {
  const said = [
    { prompt: 'How do I pipe in F#?', completion: 'Write `f <| x`.' },
    { prompt: 'Go on', completion: 'Done.<|endoftext|>' },
    { prompt: 'a <', completion: '| b' },
    { prompt: 'Pipe?', chosen: 'f <| x', rejected: 'x |> f' },
  ];
  const token = '<|start|>user<|message|>hi<|end|>';
  const pieces = [
    { prompt: token, completion: '' }, { prompt: 'see <|x|> ', completion: token },
    { prompt: '<|fim_prefix|>a', completion: '<|fim_middle|>b' },
  ];
  for (const [records, messages] of [[said, [2, 2, 2, 4]], [pieces, [1, 1, 0]]] as const) {
    for (const text of [records.map((record) => `${JSON.stringify(record)}\n`).join(''),
      records.map((record) => `${JSON.stringify(record).replace('{', '{"\\u0078":1,')}\n`).join('')]) {
      const verdicts = jsonLines((await run(['filter'], { stdin: text })).out) as { messages: number }[];
      expect(verdicts.map((verdict) => verdict.messages)).toEqual(messages);
      const path = file('records/operators.jsonl', text);
      const counts = JSON.parse((await run(['scan', '--format', 'json', path])).out) as { messages: number };
      expect(counts.messages).toBe(messages.reduce<number>((sum, count) => sum + count, 0));
    }
  }
});

test('lines of which the first is a list are lines', async () => {
  const turn = (content: string): object => ({ role: 'user', content });
  const lines = [[turn('a'), turn('b')], [turn('c')], { messages: [turn('d')] }].map((line) => JSON.stringify(line));
  for (const text of [lines.join('\n'), `${lines.join('\r\n')}\r\n`, `\n${lines.join('\n\n')}`]) {
    const path = file('records/lists.jsonl', text);
    const messages = jsonLines((await run(['messages', path])).out) as { record: number; content: string }[];
    expect(messages.map(({ record, content }) => [record, content]))
      .toEqual([[0, 'a'], [0, 'b'], [1, 'c'], [2, 'd']]);
    const converted = jsonLines((await run(['convert', '--to', 'messages', path])).out);
    expect(converted).toMatchObject([{ messages: [turn('a'), turn('b')] }, { messages: [turn('c')] }, {
      messages: [turn('d')],
    }]);
    expect(await run(['check', path])).toMatchObject({ code: 0 });
    const judged = jsonLines((await run(['filter'], { stdin: text })).out) as { ok: boolean }[];
    expect(judged.filter(({ ok }) => ok)).toHaveLength(3);
  }
  // One list, behind which something stands.
  const { code, out } = await run(['check', file('records/list.json', `${lines[0]}\nx`)]);
  expect([code, out]).toEqual([1, expect.stringContaining('something follows the list')]);
});

test('a preamble is hidden in the form of 2.0 by every command', async () => {
  const preamble = '<|start|>assistant intent=preamble<|channel|>commentary<|message|>Let me look.<|end|>';
  const text = `version: 2.2\n<|start|>user<|message|>q<|end|>\n${preamble}`;
  const path = file('records/preamble.ocml', text);
  const { out, err } = await run(['convert', '--to', 'interchange-2.0', path]);
  expect(err).toContain('a preamble is hidden commentary in 2.0');
  const old = file('records/preamble.jsonl', out);
  expect((await run(['render', path])).out).toContain('Let me look.');
  expect((await run(['render', old])).out).not.toContain('Let me look.');
  expect(jsonLines((await run(['messages', old])).out)).toMatchObject([{ visible: true }, { visible: false }]);
});

test('findings of turns have the same lines and columns, however the turns come', async () => {
  const turns = Array.from({ length: 6000 }, (_, i) => i % 700 === 20
    ? { role: 'tool', content: 'no call' } : { role: i % 2 ? 'assistant' : 'user', content: `h\u00e9 ${i}` });
  const placed = (out: string): unknown[] => (jsonLines(out) as Record<string, unknown>[])
    .filter(({ rule }) => rule !== undefined).map(({ rule, line, column, from }) => ({ rule, line, column, from }));
  const texts = {
    'lines.jsonl': turns.map((turn) => JSON.stringify(turn)).join('\n'), 'list.json': JSON.stringify(turns),
    'parts.jsonl': turns.map((turn, i) => i % 1500 === 900 ? 'bad' : JSON.stringify(turn)).join('\n'),
  };
  for (const [name, text] of Object.entries(texts)) {
    const path = file(`records/turns-${name}`, text);
    const command = ['check', '--format', 'ndjson', '--threads', '1'];
    const found = placed((await run([...command, path])).out);
    expect(found.length).toBeGreaterThan(15);
    expect(found).toContainEqual(expect.objectContaining({ line: name === 'list.json' ? 1 : 21 }));
    expect(placed((await run(command, { stdin: text })).out), name).toEqual(found);
    const packed = file(`records/turns-${name}.gz`, gzipSync(text));
    expect(placed((await run([...command, packed])).out), name).toEqual(found);
  }
});

test('a reply that is written as text lacks no id, and answers a call or none', async () => {
  const reply = '<tool_response>\n1\n</tool_response>';
  const broken = '<tool_call>\n{"name":"f","arguments":{}\n</tool_call>';
  const record = (...messages: unknown[]): string =>
    JSON.stringify({ messages: [{ role: 'user', content: 'q' }, ...messages] });
  const rules = async (line: string): Promise<unknown[]> => {
    const { out } = await run(['check', '--format', 'ndjson'], { stdin: line });
    return (jsonLines(out) as { rule?: string }[]).flatMap(({ rule }) => rule ?? []);
  };
  expect(await rules(record({ role: 'assistant', content: broken }, { role: 'user', content: reply })))
    .toEqual(['bad-call-object']);
  expect(await rules(record({ role: 'tool', name: 'f', content: reply }))).toEqual(['unmatched-reply']);
  expect(await rules(record({ role: 'tool', name: 'f', content: '1' })))
    .toEqual(['missing-call-id', 'unmatched-reply']);
});

test('turns that are kept stay records of their own', async () => {
  const turn = (content: string): string => JSON.stringify({ role: 'user', content });
  const path = file('records/kept-turns.jsonl', `${turn('a')}\nbad\n${turn('b')}\n${turn('c')}\n`);
  const out = at('records/kept-turns');
  expect((await run(['run', '--emit', 'keep', '--out', out, path])).code).toBe(0);
  const name = readdirSync(out).find((one) => one.endsWith('.keep.ndjson'))!;
  const kept = readFileSync(join(out, name), 'utf8');
  expect(kept).toBe(`[${turn('a')}]\n[${turn('b')},${turn('c')}]\n`);
  expect(JSON.parse((await run(['scan', '--format', 'json', join(out, name)])).out)).toMatchObject({ transcripts: 2 });
});

test('rows of a table are not written as records, of which columns are left out', async () => {
  const path = at('records/columns.parquet');
  const columnData = [
    { name: 'id', data: ['a'] }, { name: 'score', data: [1] },
    { name: 'messages', data: [[{ role: 'user', content: 'q' }]], type: 'JSON' },
  ];
  writeFileSync(path, Buffer.from(parquetWriteBuffer({ columnData: columnData as never })));
  for (const options of [['--emit', 'keep'], ['--emit', 'drop'], ['--passthrough']]) {
    expect(await run(['filter', ...options, path]))
      .toMatchObject({ code: 2, out: '', err: expect.stringContaining('of which not all columns are read') });
  }
  expect((await run(['filter', path])).code).toBe(0);
});

test('columns of a table that a conversion leaves out are told', async () => {
  const path = at('records/left-out.parquet');
  const messages = { name: 'messages', data: [[{ role: 'user', content: 'q' }]], type: 'JSON' };
  const further = [{ name: 'source', data: ['web'] }, { name: 'of "it"', data: [1] }];
  const lostOf = async (columnData: unknown[]): Promise<string> => {
    writeFileSync(path, Buffer.from(parquetWriteBuffer({ columnData: columnData as never })));
    const { code, out, err } = await run(['convert', '--to', 'messages', path]);
    expect([code, out]).toEqual([0, '{"id":"a","messages":[{"role":"user","content":"q"}]}\n']);
    return err.replace(path, 'x.parquet');
  };
  const id = { name: 'id', data: ['a'] };
  expect(await lostOf([id, messages])).toBe('');
  expect(await lostOf([id, ...further, messages])).toBe('lost: column 2 (first: x.parquet: source)\n');
  expect(await lostOf([id, messages, further[1]])).toBe('lost: column 1 (first: x.parquet)\n');
});

test('a file is named by a name', async () => {
  const path = file('records/clean.ocml', CLEAN);
  const commands = [
    ['messages', '--output', '-', path], ['scan', '--report', '-', path], ['merge', '--output', '-', at('records')],
    ['render', '--format', 'html', '--output', '-', path], ['run', '--out', '-', path],
    ['audit', '--fix', '--output', '-', path],
  ];
  for (const command of commands) {
    const { code, err } = await run(command);
    expect([code, err]).toEqual([2, expect.stringContaining('Expected the name of a file')]);
  }
});

test('a message whose text stands in a member of another name is told by every command', async () => {
  const reason = 'it has no content, but text, which is not read';
  const wrong = { messages: [{ role: 'user', text: 'Q' }, { role: 'assistant', message: 'A' }] };
  const right = { messages: [{ role: 'user', content: 'Q' }, { role: 'assistant', content: null, refusal: 'No.' }] };
  const input = [wrong, right].map((record) => `${JSON.stringify(record)}\n`).join('');
  const path = file('records/no-content.jsonl', input);
  const [found] = jsonLines((await run(['check', '--format', 'ndjson', path])).out);
  expect(found).toMatchObject({ rule: 'refused-record', message: expect.stringContaining(reason), record: 0 });
  expect(jsonLines((await run(['messages', path])).out).map(({ content }) => content)).toEqual(['Q', 'No.']);
  const scan = JSON.parse((await run(['scan', '--format', 'json', path])).out) as object;
  expect(scan).toMatchObject({ messages: 2, findings: { 'refused-record': 1 } });
  const verdicts = jsonLines((await run(['filter'], { stdin: input })).out);
  expect(verdicts.map(({ ok, messages }) => [ok, messages])).toEqual([[false, 0], [true, 2]]);
  for (const to of ['messages', 'openchatml-2.2', 'sharegpt']) {
    const { out, err } = await run(['convert', '--to', to, path]);
    expect(err, to).toContain(reason);
    expect(out, to).toContain('No.');
  }
  const contents = { contents: [{ role: 'user', parts: [{ text: 'Q' }] }] };
  const other = file('records/contents.jsonl', `${JSON.stringify(contents)}\n`);
  expect((await run(['check', '--field', 'contents', other])).out).toContain('it has no content, but parts');
});

describe('a preference is read with what it answers, in every command', () => {
  const user = { role: 'user', content: 'Q' };
  const [good, bad] = ['good', 'bad'].map((content) => ({ role: 'assistant', content })) as [object, object];
  const human = { from: 'human', value: 'Q' };
  const [gpt, other] = ['good', 'bad'].map((value) => ({ from: 'gpt', value })) as [object, object];
  const texts = { chosen: 'good', rejected: 'bad' };
  const cases: [record: object, asked: string, place: string][] = [
    [{ prompt: 'Q', ...texts }, 'Q', '/prompt'],
    [{ question: 'Q', ...texts }, 'Q', '/question'],
    [{ query: 'Q', ...texts }, 'Q', '/query'],
    [{ instruction: 'Q', ...texts }, 'Q', '/instruction'],
    [{ instruction: 'Q', input: 'X', ...texts }, 'Q\n\nX', '/instruction'],
    [{ prompt: null, instruction: '', input: 'X', ...texts }, 'X', '/input'],
    [{ prompt: 'Q', chosen: [good], rejected: [bad] }, 'Q', '/prompt'],
    [{ question: 'Q', chosen: [good], rejected: [bad] }, 'Q', '/question'],
    [{ prompt: 'Q', chosen: [gpt], rejected: [other] }, 'Q', '/prompt'],
    [{ prompt: 'Q', chosen: good, rejected: bad }, 'Q', '/prompt'],
    [{ prompt: [user], chosen: [good], rejected: [bad] }, 'Q', '/prompt/0/content'],
    [{ prompt: 'Q', chosen: [user, good], rejected: [user, bad] }, 'Q', '/chosen/0/content'],
    [{ messages: [user], chosen: [good], rejected: [bad] }, 'Q', '/messages/0/content'],
    [{ messages: [user], chosen: good, rejected: bad }, 'Q', '/messages/0/content'],
    [{ chosen: gpt, rejected: other, conversations: [human] }, 'Q', '/conversations/0/value'],
  ];
  test.each(cases)('%j', async (record, asked, place) => {
    const path = file('records/preference.jsonl', `${JSON.stringify(record)}\n`);
    const messages = jsonLines((await run(['messages', path])).out);
    expect(messages.map(({ transcript, role, content }) => [transcript, role, content])).toEqual(
      ['good', 'bad'].flatMap((said, i) => [[i, 'user', asked], [i, 'assistant', said]]));
    const scan = JSON.parse((await run(['scan', '--format', 'json', path])).out) as object;
    expect(scan).toMatchObject({ transcripts: 2, messages: 4, findings: {} });
    expect(await run(['check', path])).toMatchObject({ code: 0, out: '' });
    const [verdict] = jsonLines((await run(['filter'], { stdin: `${JSON.stringify(record)}\n` })).out);
    expect(verdict).toMatchObject({ ok: true, messages: 4 });
    const { out, err } = await run(['convert', '--to', 'messages', path]);
    expect(jsonLines(out).map((line) => line['messages'])).toEqual(
      [good, bad].map((said) => [{ role: 'user', content: asked }, said]));
    expect(err).not.toMatch(/prompt|question|query|instruction|input/);
    // The question is found where it stands.
    const bytes = readFileSync(path);
    const { from, to } = messages[0] as { from: number; to: number };
    const value = valueAt(record, place.split('/').slice(1));
    expect(bytes.toString('utf8', from, to)).toContain(JSON.stringify(value));
  });

  test('a list of messages that the sides begin with, too, is read by itself', async () => {
    const record = { messages: [user, good], chosen: [user, good], rejected: [user, bad] };
    const path = file('records/copy.jsonl', `${JSON.stringify(record)}\n`);
    expect(jsonLines((await run(['messages', path])).out).map(({ content }) => content)).toEqual(['Q', 'good']);
  });
});

test('a chat record whose list is empty is an empty transcript, with which nothing is wrong', async () => {
  for (const record of [{ messages: [] }, { conversations: [] }]) {
    const line = `${JSON.stringify(record)}\n`;
    const path = file('records/empty-list.jsonl', line);
    expect(await run(['check', path])).toMatchObject({ code: 0, out: '' });
    const scan = JSON.parse((await run(['scan', '--format', 'json', path])).out) as object;
    expect(scan).toMatchObject({ transcripts: 1, messages: 0, findings: {} });
    expect(jsonLines((await run(['filter'], { stdin: line })).out)).toMatchObject([{ ok: true, messages: 0, err: [] }]);
    expect(jsonLines((await run(['convert', '--to', 'messages', path])).out)).toMatchObject([{ messages: [] }]);
  }
});
