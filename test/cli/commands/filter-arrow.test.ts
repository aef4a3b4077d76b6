// `filter --format arrow`: the verdicts of the lines that the rows would be, batch for batch, each when it is done.
import * as arrow from '@uwdata/flechette';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { filter, type FilterOptions } from '../../../src/cli/commands/filter.ts';
import { randomRecord, randomText } from '../../corpus/records/random-chat.ts';
import { streamOf } from '../../corpus/tables/arrow-streams.ts';
import { part, runs } from '../../long.ts';
import { randomOf, SEED } from '../../random.ts';
import { sharedData } from '../../skip.ts';
import { CLEAN, FAULTY, jsonLines, run } from '../harness.ts';
import { SHARED, work } from '../hosts.ts';

interface Verdict {
  ok: boolean;
  messages: number;
  calls: number;
  findings: number;
  err: { rule: string; code: string | null; severity: string; from: number; to: number; message: string }[];
}

const COMMAND = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

function read(bytes: Uint8Array): { batches: number[]; verdicts: Verdict[] } {
  const column = arrow.tableFromIPC(Uint8Array.from(bytes)).getChild('verdict');
  const verdicts = [...column].map((value) => JSON.parse(JSON.stringify(value)) as Verdict);
  return { batches: column.data.map(({ length }) => length), verdicts };
}

async function judged(stdin: Uint8Array, options: Partial<FilterOptions> = {}): Promise<ReturnType<typeof read>> {
  const all: FilterOptions = { ...SHARED, emit: 'verdict', format: 'arrow', ...options };
  const { code, err, bytes } = await work((host) => filter([], all, host), { stdin });
  expect([code, err]).toEqual([0, '']);
  return read(bytes);
}

/** What lines of JSON are told. */
async function lines(stdin: string, options: Partial<FilterOptions> = {}): Promise<Verdict[]> {
  const { out } = await work((host) => filter([], { ...SHARED, emit: 'verdict', ...options }, host), { stdin });
  return jsonLines(out).map(({ ok, messages, calls, err, more }) => {
    const findings = (err as unknown[]).length + ((more as number | undefined) ?? 0);
    return { ok, messages, calls, findings, err } as Verdict;
  });
}

const json = (value: unknown): string => JSON.stringify(value);
const RECORDS = [
  json({ id: 'a', text: CLEAN }), json({ id: 7, text: FAULTY }), 'what?', '', ' \t', 'null', '[]', '{"body":1}',
  json({ messages: [{ role: 'user', content: 'Hi' }, { role: 'assistant', content: 'Ho' }] }),
  json({ messages: [{ role: 'nobody', content: 'Hi' }] }), json({ messages: 'x' }), '\ufeff{"text":""}',
  '{"text":"\\ud800"}', `{"messages":[{"role":"user","content":${'['.repeat(5000)}${']'.repeat(5000)}}]}`,
  json({ text: FAULTY.repeat(200) }),
];

test('cells of JSON have the verdicts of lines, whatever the batches', async () => {
  const records = [...RECORDS, ...RECORDS, ...RECORDS];
  // A line that begins the input may have a byte order mark; a cell may not.
  for (const options of [{}, { warnings: true }, { strict: true }, { field: 'text' }] as const) {
    const expected = await lines(`\n${records.join('\n')}\n`, options);
    for (const rows of part([1, 7, 1000])) {
      const stdin = streamOf({ record: [records, arrow.utf8()] }, rows);
      const { verdicts, batches } = await judged(stdin, { ...options, recordColumn: 'record' });
      expect(verdicts).toEqual(expected.slice(1));
      expect(Math.max(...batches)).toBe(Math.min(rows, records.length));
    }
  }
});

test(`chat records of any kind have the verdicts of lines (OPENCHATML_SEED=${SEED})`, async () => {
  const random = randomOf(SEED);
  const texts = Array.from({ length: runs(2000) }, () => {
    return randomText(random, randomRecord(random)).replaceAll('\n', ' ');
  });
  const expected = await lines(`${texts.join('\n')}\n`);
  const { verdicts } = await judged(streamOf({ r: [texts, arrow.utf8()] }, 50), { recordColumn: 'r' });
  expect(verdicts).toEqual(expected);
});

const MESSAGE = arrow.struct({ role: arrow.utf8(), content: arrow.utf8() });

test('columns are the fields of records', async () => {
  const messages = [
    [{ role: 'user', content: 'Hi "you"\n' }, { role: 'assistant', content: 'Ho' }],
    [{ role: 'nobody', content: 'x' }], null, [{ role: 'user', content: null }],
  ];
  const { verdicts } = await judged(streamOf({ messages: [messages, arrow.list(MESSAGE)] }));
  const expected = await lines([
    json({ messages: messages[0] }), json({ messages: messages[1] }), '{}', '{"messages":[{"role":"user"}]}',
  ].join('\n'));
  const shown = ({ ok, messages: count, err }: Verdict): unknown => [ok, count, err.map(({ rule }) => rule)];
  expect(verdicts.map(shown)).toEqual(expected.map(shown));
  expect(verdicts.map(({ ok }) => ok)).toEqual([true, false, false, expected[3]!.ok]);
  const text = await judged(streamOf({ text: [[CLEAN, FAULTY], arrow.utf8()] }));
  expect(text.verdicts[1]!.err[0]!.from).toBe(FAULTY.indexOf('<|start|>robot') + '<|start|>'.length);
});

test('a record that is too long is told, and others are judged', async () => {
  const long = json({ text: 'x'.repeat(5_000_000) });
  const stdin = streamOf({ r: [[RECORDS[0], long, RECORDS[0]], arrow.utf8()] }, 2);
  for (const maxLineBytes of [1_000_000, long.length - 1]) {
    const { verdicts } = await judged(stdin, { recordColumn: 'r', maxLineBytes });
    expect(verdicts.map(({ ok }) => ok)).toEqual([true, false, true]);
    expect(verdicts[1]!.err).toMatchObject([{ rule: 'bad-record', from: 0, to: long.length }]);
  }
  expect((await judged(stdin, { recordColumn: 'r', maxLineBytes: long.length })).verdicts[1]!.err)
    .not.toMatchObject([{ rule: 'bad-record', to: long.length }]);
  const columns = streamOf({ text: [['x'.repeat(5_000_000), CLEAN], arrow.utf8()] });
  expect((await judged(columns, { maxLineBytes: 4_500_000 })).verdicts.map(({ ok }) => ok)).toEqual([false, true]);
});

test('what cannot be done is refused with what to do', async () => {
  const stdin = streamOf({ text: [[CLEAN], arrow.utf8()] });
  const wrong: [string[], string | Uint8Array, string][] = [
    [['--emit', 'keep'], stdin, 'error: --format arrow writes verdicts, a row for each row: whoever sends the rows has '
      + 'them, and keeps or drops them\n'],
    [['--passthrough'], stdin, 'error: --format arrow writes verdicts'],
    [['--record-column', 'r'], stdin, 'error: -: has no column "r"; its columns are "text"; name one of'],
    [[], '{"text":""}\n', 'error: -: has no message of Arrow at byte 0; send an Arrow IPC stream'],
  ];
  for (const [args, input, words] of wrong) {
    const { code, err } = await run(['filter', '--format', 'arrow', ...args], { stdin: input });
    expect([code, err.startsWith(words) ? words : err]).toEqual([2, words]);
  }
  expect(await run(['filter', '--record-column', 'r'], { stdin: '' }))
    .toMatchObject({ code: 2, err: 'error: --record-column is for --format arrow\n' });
  expect(await run(['filter', '--format', 'arrow'], { stdin, outIsTTY: true })).toMatchObject({ code: 2, out: '' });
});

test('answers each batch before it waits for the next one, and stream after stream', async () => {
  const child = spawn(process.execPath, [COMMAND, 'filter', '--format', 'arrow'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.on('close', resolve));
  const parts: Buffer[] = [];
  let more = (): void => {};
  child.stdout.on('data', (data: Buffer) => {
    parts.push(data);
    more();
  });
  const first = streamOf({ text: [[CLEAN, FAULTY], arrow.utf8()] }, 1);
  const whole = read((await work((host) => {
    return filter([], { ...SHARED, emit: 'verdict', format: 'arrow' }, host);
  }, { stdin: first })).bytes);
  for (let n = 0; n < 3; n++) {
    parts.length = 0;
    // The stream but for the mark at its end: both batches are answered. Else the test ends by its time limit.
    child.stdin.write(first.subarray(0, -8));
    const answer = await new Promise<ReturnType<typeof read>>((resolve) => {
      more = () => {
        try {
          const now = read(Buffer.concat([...parts, Buffer.from([255, 255, 255, 255, 0, 0, 0, 0])]));
          if (now.verdicts.length === 2) resolve(now);
        } catch {
          // Not all of it is there.
        }
      };
    });
    expect(answer).toEqual(whole);
    more = () => {};
    const mark = new Promise<void>((resolve) => (more = resolve));
    child.stdin.write(first.subarray(-8));
    await mark;
  }
  child.stdin.end();
  expect(await ended).toBe(0);
});

const dialogues = sharedData('dialogues');

test.skipIf(dialogues === null)('the real dialogues, as JSON and as columns', async () => {
  const text = gunzipSync(readFileSync(join(dialogues!, 'messages.jsonl.gz'))).toString('utf8');
  const records = part(text.trimEnd().split('\n').slice(0, 3000));
  const expected = await lines(`${records.join('\n')}\n`);
  const cells = await judged(streamOf({ r: [records, arrow.utf8()] }, 700), { recordColumn: 'r' });
  expect(cells.verdicts).toEqual(expected);
  const values = records.map((record) => JSON.parse(record) as { tools: unknown; messages: object[] });
  const call = arrow.struct({
    id: arrow.utf8(), type: arrow.utf8(), function: arrow.struct({ name: arrow.utf8(), arguments: arrow.utf8() }),
  });
  const message = arrow.struct({
    role: arrow.utf8(), content: arrow.utf8(), name: arrow.utf8(), tool_call_id: arrow.utf8(),
    tool_calls: arrow.list(call),
  });
  const names = ['role', 'content', 'name', 'tool_call_id', 'tool_calls'];
  const filled = (entry: object): object => ({ ...Object.fromEntries(names.map((name) => [name, null])), ...entry });
  const columns = await judged(streamOf({
    tools: [values.map(({ tools }) => json(tools)), arrow.utf8()],
    messages: [values.map(({ messages }) => messages.map(filled)), arrow.list(message)],
  }, 700));
  expect(columns.verdicts).toEqual(expected);
});
