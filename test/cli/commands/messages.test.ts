// `messages`: its columns, filters, long bodies, and that the output is JSON whatever the input.
import { closeSync, openSync, readSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from '../../../src/index.ts';
import { randomOf, SEED } from '../../random.ts';
import { CLEAN, at, file, jsonLines, run } from '../harness.ts';

const COLUMNS = [
  'path', 'record', 'transcript', 'index', 'role', 'name', 'recipient', 'channel', 'explicit_channel', 'content_type',
  'intent', 'call_id', 'end', 'visible', 'from', 'to', 'body_from', 'body_to', 'content',
];

const CALLS = 'version: 2.2\n'
  + '<|start|>assistant to=functions.f call_id=c1<|channel|>commentary<|constrain|>json<|message|>{"a":1}<|call|>\n'
  + '<|start|>tool call_id=c1 name=functions.f<|channel|>commentary<|message|>'
  + 'say <<|end|><|literal|><|call|><|endliteral|>\n<|end|>\n'
  + 'version: 2.2\n<|start|>assistant<|channel|>commentary intent=preamble<|message|>Wait';

async function records(argv: string[], stdin?: string): Promise<Record<string, unknown>[]> {
  const { code, out, err } = await run(['messages', ...argv], { ...(stdin !== undefined && { stdin }) });
  expect([code, err]).toEqual([0, '']);
  return jsonLines(out);
}

test('has the documented columns in order, null where there is nothing', async () => {
  const path = file('messages/calls.txt', CALLS);
  const lines = await records([path]);
  for (const line of lines) expect(Object.keys(line)).toEqual(COLUMNS);
  const from = CALLS.indexOf('<|start|>');
  const to = CALLS.indexOf('<|call|>') + 8;
  expect(lines).toMatchObject([
    {
      path, record: null, transcript: 0, index: 0, role: 'assistant', name: null, recipient: 'functions.f',
      channel: 'commentary', explicit_channel: 'commentary', content_type: 'json', intent: null, call_id: 'c1',
      end: 'call', visible: false, from, to, body_from: to - 15, body_to: to - 8, content: '{"a":1}',
    },
    {
      transcript: 0, index: 1, role: 'tool', name: 'functions.f', call_id: 'c1', visible: false,
      content: 'say <|end|><|call|>\n',
    },
    { transcript: 1, index: 0, intent: 'preamble', end: 'eof', visible: true, to: CALLS.length, content: 'Wait' },
  ]);
  const first = (await records([file('messages/clean.txt', CLEAN)]))[0]!;
  const nothing = { explicit_channel: null, content_type: null, call_id: null };
  expect(first).toMatchObject({ role: 'user', channel: 'final', ...nothing });
});

test('says what the library says, for any bytes', async () => {
  const random = randomOf(SEED);
  const pieces = [
    '<|start|>', '<|end|>', '<|message|>', '<|channel|>', '<|literal|>', '<|endliteral|>', '<<|end|>', 'user', 'final',
    ' to="', '\n', '\\', '"', '\0', 'é', '😀', '\ud83d', '\u2028', ' name=', 'version: 2.2\n',
  ];
  for (let round = 0; round < 40; round++) {
    const bytes = Buffer.concat(Array.from({ length: 60 }, () =>
      random.once(8) ? Buffer.from([random.below(256)]) : Buffer.from(random.pick(pieces))));
    const path = file('messages/any.txt', bytes);
    const expected = [...parse(bytes).messages()].map((message) => ({ path, ...message.toRecord() }));
    expect(await records([path, '--quiet']), `seed ${SEED}, round ${round}`).toEqual(expected);
  }
});

test('filters by role, effective channel, transcript and byte', async () => {
  const path = file('messages/filter.txt', CALLS);
  const clean = file('messages/clean.txt', CLEAN);
  const contents = async (...argv: string[]): Promise<unknown[]> => {
    return (await records(argv)).map((record) => record['content']);
  };
  expect(await contents(path, clean, '--only-role', 'user')).toEqual(['Hello']);
  const both = ['--only-role', 'user', '--only-role', 'tool'];
  expect(await contents(path, clean, ...both)).toEqual(['say <|end|><|call|>\n', 'Hello']);
  expect(await contents(clean, '--only-channel', 'final')).toEqual(['Hello', 'Hi there']);
  expect(await contents(path, '--only-channel', 'commentary', '--only-role', 'assistant')).toEqual(['{"a":1}', 'Wait']);
  expect(await contents(path, clean, '--transcript', '1')).toEqual(['Wait']);
  expect(await contents(path, clean, '--transcript', '0', '--only-role', 'assistant')).toEqual(['{"a":1}', 'Hi there']);
  const none = file('messages/none.txt', '<|start|><|message|>x<|end|>');
  expect(await contents(none, clean, '--only-role', '(none)')).toEqual(['x']);
  const [from, to] = [CALLS.indexOf('<|start|>tool'), CALLS.indexOf('version', 1)];
  const found = [[from - 2, 1], [from - 1, 0], [from, 1], [to - 2, 1], [to - 1, 0], [0, 0], [CALLS.length - 1, 1]];
  for (const [byte, count] of found) {
    expect(await contents(path, '--quiet', '--at', String(byte)), `byte ${byte}`).toHaveLength(count!);
  }
});

test('stops reading when no further message can be wanted', async () => {
  const path = file('messages/stop.txt', `${CLEAN}${CLEAN}<|start|>user<|message|>${'x'.repeat(3_000_000)}`);
  for (const argv of [['--transcript', '0'], ['--at', '20']]) {
    const stdin = openSync(path, 'r');
    const { out } = await run(['messages', ...argv], { stdin });
    expect(jsonLines(out)).toHaveLength(argv[0] === '--at' ? 1 : 2);
    expect(readSync(stdin, Buffer.alloc(3_000_000))).toBeGreaterThan(2_000_000);
    closeSync(stdin);
  }
});

test('a long body, the same text', async () => {
  const body = Buffer.from('a"\\\n\0é😀<<|end|><|literal|>\ufeff<|end|><|endliteral|>\u2028'.repeat(20_000));
  const bad = Buffer.from([0xf0, 0x9f, 0x98, 0xe2, 0x82]);
  const [start, next] = [Buffer.from('<|start|>user<|message|>'), Buffer.from('<|end|><|start|>user<|message|>é')];
  const path = file('messages/pieces.txt', Buffer.concat([start, body, bad, body, next]));
  const content = `a"\\\n\0é😀<|end|>\ufeff<|end|>\u2028`.repeat(20_000);
  const whole = jsonLines((await run(['messages', path])).out);
  expect(whole.map((line) => line['content'])).toEqual([`${content}\ufffd\ufffd${content}`, 'é']);
});

test('pieces are bounded', async () => {
  const body = `${'😀é"'.repeat(500_000)}\x07`;
  const path = file('messages/long.txt', `x<|start|>user<|message|>y${body}<|end|>\n`);
  let largestWrite = 0;
  const { code, out } =
    await run(['messages', path], { onWrite: (text) => (largestWrite = Math.max(largestWrite, text.length)) });
  expect(code).toBe(0);
  expect(jsonLines(out)[0]!['content']).toBe(`y${body}`);
  expect(largestWrite).toBeGreaterThan(0);
  expect(largestWrite).toBeLessThan(3 * 1024 * 1024);
});

test('on a terminal nothing steers it, the values are the same', async () => {
  const text = '<|start|>user<|message|>\x1b]52;c;x\x07 \u009b2J \u202e \x7f<|end|>';
  const path = file('messages/steer.txt', text);
  const plain = (await run(['messages', path])).out;
  const shown = (await run(['messages', path], { outIsTTY: true })).out;
  expect(shown).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  expect(plain).toMatch(/\u009b/);
  expect(jsonLines(shown)).toEqual(jsonLines(plain));
});

test('files come in order, each with its path; one that is missing fails', async () => {
  const path = file('messages/clean.txt', CLEAN);
  const { code, out, err } = await run(['messages', path, at('messages/missing.txt'), path]);
  expect(code).toBe(2);
  expect(jsonLines(out).map((line) => [line['path'], line['transcript'], line['index']])).toEqual([
    [path, 0, 0], [path, 0, 1], [path, 0, 0], [path, 0, 1],
  ]);
  expect(err).toContain('missing.txt: no such file');
  expect((await records([], CLEAN)).map((line) => line['path'])).toEqual(['-', '-']);
});

test('says why a choice gives nothing', async () => {
  const two = file('messages/two.jsonl', '{"messages":[{"role":"user","content":"hi"}]}\n'.repeat(2));
  const none = file('messages/none.jsonl', '');
  for (const [argv, words] of [
    [['--transcript', '2', two], 'no input has a transcript 2: the last one is 1\n'],
    [['--transcript', '0', none], 'no input has a transcript 0: there is none\n'],
    [['--transcript', '1', '--grep', 'ho', two], 'no message matches --grep in transcript 1\n'],
    [['--grep', 'ho', two], 'no message matches --grep\n'],
    [['--at', '9999', two], 'no message stands at byte 9999\n'],
    [['--grep', 'hi', two, none], ''],
  ] as const) {
    const { code, err } = await run(['messages', ...argv]);
    expect([code, err.replace(/^.*holds no message\n/m, '')], argv.join(' ')).toEqual([0, words]);
    expect((await run(['messages', '--quiet', ...argv])).err).toBe('');
  }
  for (const choice of [['--grep', 'hi'], ['--at', '40']]) {
    const { out, err } = await run(['messages', ...choice, '--limit', '1', '--summary', two]);
    expect([jsonLines(out).length, err], choice.join(' ')).toEqual([1, expect.stringMatching(/^1 file, 1 message;/)]);
  }
  const broken = file('messages/broken.jsonl', '{"messages":[{"role":"user","content":"hi"}]}\nnone\n');
  const nowhere = await run(['messages', '--transcript', '0', '--at', '99', broken]);
  expect(nowhere.err).toBe('no message stands at byte 99 in transcript 0\n');
  const { code, err } = await run(['messages', '--ignore-case', two]);
  expect([code, err]).toEqual([2, expect.stringContaining('--ignore-case is for --grep')]);
});
