// `convert`: its inputs, its outputs, ids, refusals, losses and exit codes.
import { closeSync, openSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { convert, type ConvertCommandOptions } from '../../../src/cli/commands/convert.ts';
import type { Host } from '../../../src/cli/stream.ts';
import { FORMS } from '../../../src/formats/convert.ts';
import { check, parse } from '../../../src/index.ts';
import { at, CLEAN, file, jsonLines } from '../harness.ts';

interface Answer {
  code: number;
  out: string;
  err: string;
  largestWrite: number;
}

type Given = Partial<ConvertCommandOptions> & { to: ConvertCommandOptions['to'] };

/** Runs the command; `stdin` is what standard input gives. */
async function run(paths: string[], options: Given, stdin?: string): Promise<Answer> {
  const answer: Answer = { code: -1, out: '', err: '', largestWrite: 0 };
  const fd = stdin === undefined ? -1 : openSync(file('convert/stdin', stdin), 'r');
  const host: Host = {
    stdin: { fd, isTTY: false },
    stdout: {
      isTTY: false,
      write: (text) => {
        answer.out += text;
        answer.largestWrite = Math.max(answer.largestWrite, text.length);
      },
    },
    stderr: { isTTY: false, write: (text) => void (answer.err += text) },
    env: {},
    version: '',
  };
  answer.code = await convert(paths, { dialect: 'auto', color: 'never', from: 'auto', ...options }, host, null);
  if (fd >= 0) closeSync(fd);
  return answer;
}

const CALL = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a": 1}' } };
const CHAT = {
  id: 'x',
  messages: [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: null, tool_calls: [CALL] },
    { role: 'tool', tool_call_id: 'c1', name: 'f', content: 'R' },
    { role: 'assistant', content: 'Hi' },
  ],
};
const PLAIN = {
  messages: [
    { role: 'user', content: 'U' },
    { role: 'assistant', content: 'A' },
  ],
};
const START = '<|im_start|>assistant\n';
const lines = (...records: unknown[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join('');

test('chat records become raw transcripts, one after the other', async () => {
  const path = file('convert/two.jsonl', lines(CHAT, PLAIN));
  expect(await run([path], { to: 'openchatml-2.2' })).toMatchObject({
    code: 0,
    err: '',
    out: [
      'version: 2.2',
      '<|start|>user<|message|>Hello<|end|>',
      '<|start|>assistant to=functions.f call_id=c1<|channel|>commentary<|constrain|>json<|message|>{"a": 1}<|call|>',
      '<|start|>tool to=assistant call_id=c1 name=functions.f<|channel|>commentary<|message|>R<|end|>',
      '<|start|>assistant<|channel|>final<|message|>Hi<|end|>',
      'version: 2.2',
      '<|start|>user<|message|>U<|end|>',
      '<|start|>assistant<|channel|>final<|message|>A<|end|>',
      '',
    ].join('\n'),
  });
});

test('raw transcripts become records with an id of path and number, and come back', async () => {
  const raw = (await run([file('convert/two.jsonl', lines(CHAT, PLAIN))], { to: 'openchatml-2.2' })).out;
  const path = file('convert/raw.txt', raw);
  const { out, code } = await run([path], { to: 'messages' });
  expect([code, jsonLines(out)]).toEqual([
    0,
    [
      { ...CHAT, id: `${path}:0` },
      { id: `${path}:1`, ...PLAIN },
    ],
  ]);
});

test('lines of text are an input too, in every dialect, and keep their ids', async () => {
  const path = file('convert/two.jsonl', lines(CHAT, PLAIN));
  for (const to of ['openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1', 'harmony'] as const) {
    const texts = (await run([path], { to, format: 'ndjson' })).out;
    expect(jsonLines(texts).map((line) => Object.keys(line))).toEqual([
      ['id', 'text'],
      ['id', 'text'],
    ]);
    const from = to === 'harmony' ? { from: to } : {};
    const back = jsonLines((await run([], { to: 'messages', ...from }, texts)).out);
    expect(back.map(({ id }) => id)).toEqual(['x', `${path}:1`]);
    const made = JSON.parse(
      JSON.stringify(CHAT).replaceAll('"c1"', to === 'openchatml-2.2' ? '"c1"' : '"call_1"'),
    ) as object;
    expect(back).toEqual([made, { ...PLAIN, id: `${path}:1` }]);
  }
});

test('a text of several transcripts gives a record each', async () => {
  const { out } = await run([], { to: 'messages' }, lines({ id: 'two', text: CLEAN + CLEAN }));
  expect(jsonLines(out).map(({ id }) => id)).toEqual(['two:0', 'two:1']);
});

test.each(FORMS)('what is written as %s is read again', async (to) => {
  const { out } = await run([], { to, format: 'ndjson' }, lines(PLAIN));
  const from = to === 'harmony' ? { from: to } : {};
  const back = jsonLines((await run([], { to: 'messages', ...from }, out)).out);
  expect(back).toEqual([{ id: '-:0', ...PLAIN }]);
});

test('ids may be numbers; whatever else is there is told as lost, by name and first place', async () => {
  const path = file('convert/fields.jsonl', lines({ ...PLAIN, id: 7, a: 1, b: 1 }, { ...PLAIN, id: { no: 1 }, a: 1 }));
  const { out, err, code } = await run([path], { to: 'openchatml-2.0', format: 'ndjson' });
  expect([code, jsonLines(out).map(({ id }) => id)]).toEqual([0, [7, `${path}:1`]]);
  expect(err).toBe(`lost: field 4 (first: ${path}:1: a)\n`);
});

test('a list of records, a byte order mark, blank lines', async () => {
  expect(jsonLines((await run([], { to: 'sharegpt' }, JSON.stringify([PLAIN, PLAIN], null, 2))).out)).toHaveLength(2);
  expect(
    jsonLines((await run([], { to: 'sharegpt' }, `\ufeff${lines(PLAIN)}\r\n\n${JSON.stringify(PLAIN)}`)).out),
  ).toHaveLength(2);
});

test('--from overrides what is detected', async () => {
  const record = {
    messages: [
      { role: 'assistant', content: 'A', tool_call: { recipient: 'functions.f', arguments: '{}' }, intent: 'preamble' },
    ],
  };
  expect((await run([], { to: 'messages' }, lines(record))).code).toBe(0);
  expect((await run([], { to: 'openchatml-2.2', from: 'messages' }, lines(record))).err).toContain('lost: field');
  const raw = '<|start|>user<|message|>a <<|end|>';
  expect(jsonLines((await run([], { to: 'messages', from: 'harmony' }, raw)).out)[0]).toMatchObject({
    messages: [{ content: 'a <' }],
  });
  expect((await run([], { to: 'messages', from: 'messages' }, 'version: 2.2\n')).code).toBe(1);
});

const NO_FIELD = 'it has none of messages, conversations, text, prompt with completion, chosen with rejected, '
  + 'instruction with output';

test('refused records are told with their place, the others go on, no line is missing', async () => {
  const image = {
    id: 'img',
    messages: [{ role: 'user', content: [{ secret: 'secret' }] }],
  };
  const path = file('convert/refused.jsonl', `${lines(PLAIN, image)}{"secret": oops\n${lines({ secret: 1 }, PLAIN)}`);
  const { code, out, err } = await run([path], { to: 'harmony', format: 'ndjson' });
  expect(code).toBe(1);
  expect(jsonLines(out)).toEqual([
    { id: `${path}:0`, text: expect.any(String) },
    {
      id: 'img',
      text: null,
      error: 'message 0: content has a part that is none that is known; give parts with a type',
    },
    {
      id: `${path}:2`,
      text: null,
      error: 'record: it is no JSON, at byte 11 of the record; give one JSON object a line, or one list',
    },
    {
      id: `${path}:3`,
      text: null,
      error:
        `record: ${NO_FIELD}; give messages, conversations or text, or name its form with --from`,
    },
    { id: `${path}:4`, text: expect.any(String) },
  ]);
  expect(err.split('\n')).toEqual([
    `refused: ${path}:2: message 0: content has a part that is none that is known; give parts with a type`,
    expect.stringContaining(`refused: ${path}:3: record: it is no JSON, at byte `),
    `refused: ${path}:4: record: ${NO_FIELD}; ` +
      'give messages, conversations or text, or name its form with --from',
    '2 transcripts converted, 3 refused',
    '',
  ]);
  expect(err + out).not.toContain('secret');
  expect(jsonLines((await run([path], { to: 'sharegpt' })).out)[1]).toMatchObject({ id: 'img', conversations: null });
});

test('the byte of broken JSON is its place in the record', async () => {
  const broken = '{"messages" 1}\n';
  const path = file('convert/broken.jsonl', lines(PLAIN) + broken);
  const byte = broken.indexOf('1');
  const { err } = await run([path], { to: 'messages' });
  expect(err).toContain(`:2: record: it is no JSON, at byte ${byte} of the record;`);
});

test('tokens in a body: an escape, a refusal, or --neutralise', async () => {
  const record = lines({ id: 1, messages: [{ role: 'user', content: 'say <|end|> now' }] });
  expect((await run([], { to: 'openchatml-2.2' }, record)).out).toContain('say <<|end|> now');
  const refused = await run([], { to: 'harmony' }, record);
  expect([refused.code, refused.out]).toEqual([1, '']);
  expect(refused.err).toMatch(/refused: -:1: message 0: .*<\|end\|>/);
  expect(await run([], { to: 'harmony', neutralise: true }, record)).toMatchObject({
    code: 0,
    out: expect.stringContaining('say <| end |> now'),
  });
});

test('--constrain chooses how Harmony text names a content type', async () => {
  const text = async (constrain: 'bare' | 'constrain'): Promise<string> =>
    (await run([], { to: 'harmony', constrain }, lines(CHAT))).out;
  expect(await text('constrain')).toContain(' <|constrain|>json<|message|>');
  expect(await text('bare')).toContain(' json<|message|>');
});

test('harmony text of several transcripts tells that it does not divide them', async () => {
  const system = { messages: [{ role: 'system', content: 'S' }, ...PLAIN.messages] };
  const several = await run([], { to: 'harmony' }, lines(PLAIN, PLAIN, PLAIN));
  expect(several.err).toContain('lost: grouping 2 (first: -:2: ');
  expect((await run([], { to: 'harmony', format: 'ndjson' }, lines(PLAIN, PLAIN))).err).toBe('');
  expect((await run([], { to: 'harmony' }, lines(system))).err).not.toContain('grouping');
});

test('what readers hide is refused by transcript', async () => {
  const path = file(
    'convert/hidden.ocml',
    `${CLEAN}version: 2.2\n<|start|>assistant<|channel|>analysis<|channel|>final<|message|>secret<|end|>\n`,
  );
  const { code, out, err } = await run([path], { to: 'messages' });
  expect([code, jsonLines(out)[1]]).toEqual([
    1,
    { id: `${path}:1`, messages: null, error: expect.stringContaining('message 0: its header contradicts itself') },
  ]);
  expect(err).toContain(`refused: ${path}: transcript 1 at byte ${CLEAN.length}: message 0: `);
  expect(err + out).not.toContain('secret');
});

test('a file that is missing fails, the others go on; text is for dialects', async () => {
  const path = file('convert/one.jsonl', lines(PLAIN));
  const { code, out, err } = await run([at('convert/none'), path], { to: 'messages' });
  expect([code, jsonLines(out).length]).toEqual([2, 1]);
  expect(err).toContain('no such file');
  expect(await run([path], { to: 'messages', format: 'text' })).toMatchObject({ code: 2, out: '' });
});

test('output goes out in bounded pieces while records are read', async () => {
  const record = lines({ messages: [{ role: 'user', content: 'x'.repeat(1000) }] });
  const { code, out, largestWrite } = await run([], { to: 'messages' }, record.repeat(2000));
  expect([code, jsonLines(out).length]).toEqual([0, 2000]);
  expect(largestWrite).toBeLessThan(300_000);
});

test('the record with everything comes back from every dialect that has ids', async () => {
  const record = JSON.parse(
    readFileSync(new URL('../../../fixtures/chat/record.json', import.meta.url), 'utf8'),
  ) as object;
  for (const to of ['openchatml-2.2', 'interchange-2.2', 'messages'] as const) {
    const { out, err } = await run([], { to, format: 'ndjson' }, lines(record));
    expect(err).toBe('');
    expect(jsonLines((await run([], { to: 'messages' }, out)).out)).toEqual([record]);
  }
});

test('images and files come to other forms, and what they hold is told nowhere', async () => {
  const forms = ['messages', 'anthropic', 'responses'] as const;
  const media = (form: string): object => JSON.parse(
    readFileSync(new URL(`../../../fixtures/chat/media/${form}.json`, import.meta.url), 'utf8'),
  ) as object;
  for (const from of forms) {
    for (const to of forms) {
      const { code, out, err } = await run([], { to }, lines(media(from)));
      expect([code, jsonLines(out), err], `${from}, ${to}`).toEqual([0, [media(to)], '']);
    }
    const { code, out, err } = await run([], { to: 'openchatml-2.2' }, lines(media(from)));
    expect([code, err]).toEqual([0, expect.stringContaining('lost: field')]);
    expect(out).toContain('Oslo?[image][image]<|end|>');
    expect(out + err).not.toMatch(/iVBOR|JVBER|example\.org/);
  }
});

test('what other commands read is converted: preferences, instructions, prompts, words of ShareGPT', async () => {
  const ask = { role: 'user', content: 'Q' };
  const say = (content: string): object => ({ role: 'assistant', content });
  const shared = { tools: [], id: 7 };
  const records: [record: object, transcripts: [id: unknown, ...messages: string[]][], lost?: string][] = [
    [
      { id: 1, prompt: [ask], chosen: [say('good')], rejected: [say('bad')] },
      [['1:chosen', 'user Q', 'assistant good'], ['1:rejected', 'user Q', 'assistant bad']],
    ],
    [
      { id: 2, prompt: 'Q', chosen: [ask, say('good')], rejected: [ask, say('bad')] },
      [['2:chosen', 'user Q', 'assistant good'], ['2:rejected', 'user Q', 'assistant bad']],
    ],
    [
      { id: 3, system: 'S', prompt: 'Q', chosen: 'good', rejected: 'bad' },
      [['3:chosen', 'system S', 'user Q', 'assistant good'], ['3:rejected', 'system S', 'user Q', 'assistant bad']],
    ],
    [
      { id: 4, prompt: '<|im_start|>user\nQ<|im_end|>\n', chosen: START + 'good<|im_end|>', rejected: START + 'bad' },
      [['4:chosen', 'user Q', 'assistant good'], ['4:rejected', 'user Q', 'assistant bad']],
      'end',
    ],
    [{ ...shared, instruction: 'Add.', input: '1 2', output: '3' }, [[7, 'user Add.\n\n1 2', 'assistant 3']], 'field'],
    [{ id: 8, prompt: [ask], completion: [say('A')] }, [[8, 'user Q', 'assistant A']]],
    [
      { id: 9, prompt: 'version: 2.2\n<|start|>user<|message|>Q<|end|>', completion: '<|start|>assistant<|message|>A' },
      [[9, 'user Q', 'assistant A']], 'end',
    ],
    [
      { id: 10, messages: [{ from: 'human', value: 'Q' }, { from: 'gpt', value: 'A' }] },
      [[10, 'user Q', 'assistant A']],
    ],
    [{ id: 11, conversations: [ask, say('A')] }, [[11, 'user Q', 'assistant A']]],
    [
      { id: 12, messages: [{ role: 'human', content: 'Q' }, { role: 'gpt', content: 'A' }] },
      [[12, 'user Q', 'assistant A']], 'role',
    ],
    [{ id: 13, chosen: [ask, say('A')], rejected: [ask, { role: 'robot' }] }, [['13:chosen', 'user Q', 'assistant A']]],
    [{ id: 14, chosen: 'good', rejected: 'bad' }, [['14:chosen', 'assistant good'], ['14:rejected', 'assistant bad']]],
    [
      { id: 15, chosen: '\n\nHuman: Q\n\nAssistant: good', rejected: '\n\nHuman: Q\n\nAssistant: bad' },
      [['15:chosen', 'user Q', 'assistant good'], ['15:rejected', 'user Q', 'assistant bad']],
    ],
    [{ id: 16, chosen: 'good', rejected: 5 }, []],
    [{ id: 17, prompt: 'Q <', completion: ' A' }, [[17, 'user Q <', 'assistant  A']]],
    [{ id: 18, completion: '', system: 'S', prompt: '' }, [[18, 'system S', 'user ', 'assistant ']]],
  ];
  for (const [record, transcripts, lost] of records) {
    const { out, err, code } = await run([], { to: 'messages' }, lines(record));
    const found = jsonLines(out) as { id: unknown; messages: { role: string; content: string }[] | null }[];
    expect(found.filter(({ messages }) => messages !== null)
      .map(({ id, messages }) => [id, ...messages!.map(({ role, content }) => `${role} ${content}`)]), out)
      .toEqual(transcripts);
    expect(code, err).toBe(found.some(({ messages }) => messages === null) ? 1 : 0);
    if (code === 0) expect(err.split('\n')[0]).toMatch(lost === undefined ? /^$/ : new RegExp(`^lost: ${lost} `));
  }
});

test('names that a header cannot carry are left out, which is told, or cleaned', async () => {
  const said = {
    messages: [{ role: 'user', name: 'Eric Smith', content: 'U' }, { role: 'user', name: 'x', content: 'V' }],
  };
  const told = await run([], { to: 'openchatml-2.2' }, lines(said));
  expect([told.code, told.out]).toEqual([
    0, 'version: 2.2\n<|start|>user<|message|>U<|end|>\n<|start|>user name=x<|message|>V<|end|>\n',
  ]);
  expect(told.err).toMatch(/^lost: name 1 \(first: -:1, message 0: a header cannot carry it: left out\)/);
  const cleaned = await run([], { to: 'openchatml-2.2', neutralise: true }, lines(said));
  expect([cleaned.code, cleaned.out]).toMatchObject([0, expect.stringContaining('user name=Eric_Smith<|message|>U')]);
  expect(cleaned.err).toMatch(/^lost: name 1 /);
  const called = { ...CALL, function: { name: 'get weather', arguments: '{}' } };
  const calls = (...names: string[]): object => ({
    messages: [
      { role: 'assistant', content: null, tool_calls: names.map((name, i) => {
        return { ...called, id: `c ${i}`, function: { name, arguments: '{}' } };
      }) },
      { role: 'tool', tool_call_id: 'c 0', content: 'R' },
    ],
  });
  expect((await run([], { to: 'openchatml-2.2' }, lines(calls('get weather')))).code).toBe(1);
  const { out } = await run([], { to: 'openchatml-2.2', neutralise: true }, lines(calls('get weather')));
  expect(out).toContain('assistant to=functions.get_weather call_id=c_0<');
  expect(out).toContain('tool to=assistant call_id=c_0 name=functions.get_weather<');
  const both = await run([], { to: 'openchatml-2.2', neutralise: true }, lines(calls('get weather', 'get\tweather')));
  expect([both.code, both.err]).toMatchObject([1, expect.stringContaining('would make two names one')]);
  // In Harmony a = begins an attribute.
  const harmony = await run([], { to: 'harmony', neutralise: true }, lines({
    messages: [{ role: 'user', name: 'a=b<', content: 'U' }],
  }));
  expect(harmony.out).toBe('<|start|>user:a_b_<|message|>U<|end|>');
});

test('a transcript has room for so many files and fill-ins', async () => {
  const most = 131_072;
  for (const [count, told] of [
    [most, ''], [most + 1, `more than ${most} tokens of files and fill-ins; divide it`],
  ] as const) {
    const path = file('files-most.ocml', '<|file_separator|>a'.repeat(count));
    const { code, err } = await run([path], { to: 'interchange-2.0' });
    expect([code, err]).toEqual([count > most ? 1 : 0, expect.stringContaining(told)]);
  }
});

test('--field names the list of messages or the text that is converted', async () => {
  const { messages, ...rest } = CHAT;
  const answer = await run([], { to: 'openchatml-2.2' }, lines(CHAT, PLAIN));
  const other = { chat: PLAIN.messages, messages: [{ role: 'user', content: 'no' }] };
  const named = lines({ ...rest, chat: messages }, other);
  const found = await run([], { to: 'openchatml-2.2', field: 'chat' }, named);
  expect([found.code, found.out]).toEqual([0, answer.out]);
  // What `messages` held beside it is a field like others.
  expect(found.err).toBe('lost: field 1 (first: -:2: messages)\n');
  const turns = { conversations: [{ from: 'human', value: 'U' }, { from: 'gpt', value: 'A' }] };
  const shared = await run([], { to: 'messages', field: 'chat' }, lines({ id: 1, chat: turns.conversations }));
  expect(jsonLines(shared.out)).toEqual([{ id: 1, ...PLAIN }]);
  const text = '<|start|>user<|message|>U<|end|><|start|>assistant<|message|>A<|end|>';
  const held = await run([], { to: 'messages', field: 'doc', from: 'openchatml-2.2' }, lines({ id: 2, doc: text }));
  expect(jsonLines(held.out)).toEqual([{ id: 2, ...PLAIN }]);
  const none = await run([], { to: 'messages', field: 'chat' }, lines(CHAT));
  expect(none.code).toBe(1);
  expect(none.err).toContain('the field that was asked for holds no text and no list of messages');
});

test('transcripts without a message stay apart from those behind them, and come back', async () => {
  const empty = { version: '2.2', header: { reasoning_effort: 'high' }, messages: [] };
  const records = [
    { messages: [] }, empty, { id: 1.5, messages: [] }, { messages: [{ role: 'user', content: 'x' }] },
    { id: 'a', messages: [] }, { messages: [], other: 1 }, ...Array.from({ length: 50 }, () => ({ messages: [] })),
  ];
  for (const to of ['openchatml-2.2', 'openchatml-2.0'] as const) {
    const answer = await run([], { to }, lines(...records));
    expect(answer.code).toBe(0);
    const path = file('convert/empty.ocml', answer.out);
    expect([...parse(answer.out).messages()].map(({ content }) => content)).toEqual(['x']);
    const back = await run([path], { to: 'messages' });
    expect(back.code).toBe(0);
    expect(jsonLines(back.out)).toEqual(records.map(({ messages }, number) => ({ id: `${path}:${number}`, messages })));
    expect(parse(answer.out).transcripts.length).toBe(records.length);
    expect(check(answer.out).filter(({ severity }) => severity === 'error')).toEqual([]);
  }
});

test.each(['openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1', 'harmony'] as const)(
  'a record without a message becomes a record with a text, which comes back: %s',
  async (to) => {
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }];
    const records = [{ id: 'a', messages: [] }, { id: 'b', ...PLAIN }, { id: 'c', tools, messages: [] }];
    const texts = await run([], { to, format: 'ndjson' }, lines(...records));
    expect(jsonLines(texts.out).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    const back = await run([], { to: 'messages', from: to }, texts.out);
    expect(back.code).toBe(0);
    expect(jsonLines(back.out)).toMatchObject(records);
  },
);

test('a text without a token is no transcript', async () => {
  const answer = await run([], { to: 'messages' }, lines({ text: 'Hello' }, { text: ' \n' }, { text: '' }));
  expect(answer.code).toBe(1);
  expect(answer.err).toContain('its text holds no transcript');
  expect(jsonLines(answer.out).map(({ messages }) => messages)).toEqual([null, [], []]);
});

test.each([
  ['openchatml-0.1', undefined], ['openchatml-2.0', undefined], ['harmony', undefined], ['sharegpt', undefined],
  ['messages', 'hermes'],
] as const)('a reply that answers another call where there are no ids is a loss: %s, calls %s', async (to, calls) => {
  const call = (id: string, city: string): unknown =>
    ({ id, type: 'function', function: { name: 'g', arguments: JSON.stringify({ city }) } });
  const reply = (id: string): unknown => ({ role: 'tool', tool_call_id: id, content: `of ${id}` });
  const called = { role: 'assistant', content: null, tool_calls: [call('a', 'Oslo'), call('b', 'Paris')] };
  const lost = async (...messages: unknown[]): Promise<boolean> =>
    (await run([], { to, calls }, lines({ messages }))).err.includes('lost: reply 1 ');
  expect(await lost(called, reply('b'))).toBe(true);
  expect(await lost(called, reply('a'), reply('b'))).toBe(false);
  expect(await lost(called, reply('b'), reply('a'))).toBe(false);
  const apart = [called, reply('b'), { role: 'user', content: 'and?' }, reply('a')];
  expect((await run([], { to, calls }, lines({ messages: apart }))).err).toMatch(/lost: reply \d /);
});

test('a developer that writes the heading of the layout loses it in Harmony, which is told', async () => {
  const record = (content: string): string => lines({ messages: [{ role: 'developer', content }] });
  const headed = await run([], { to: 'harmony' }, record('# Instructions\n\nBe brief.'));
  expect(headed.err).toContain('lost: field 1 ');
  expect((await run([], { to: 'harmony' }, record('Be brief.'))).err).toBe('');
  expect((await run([], { to: 'harmony', from: 'harmony' }, headed.out)).err).toBe('');
});

test('a call of a thought, and the thought behind it, are shown in no form', async () => {
  const call = '<tool_call>\n{"name":"f","arguments":{"x":"</think>"}}\n</tool_call>';
  const text = `<|im_start|>assistant\n${call}\nsecret\n</think>\nAnswer<|im_end|>\n`;
  for (const to of FORMS) {
    const { out } = await run([], { to, format: 'ndjson' }, text);
    const shown = await run([], { to: 'messages', from: to }, out);
    const { messages } = JSON.parse(shown.out) as { messages: { content: string | null }[] };
    expect(messages.map(({ content }) => content ?? '').join(''), to).not.toMatch(/secret|\}\}/);
    expect(messages.at(-1)!.content, to).toContain('Answer');
  }
});
