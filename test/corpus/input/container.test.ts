// One corpus in every container: raw text, JSON lines in their spellings, gzip, zstd, Parquet, one list; and chat
// records in theirs. The same counts, the same messages, the same findings come out of all. What differs by its nature
// is left out of the comparison: the path; of `scan` the bytes; of messages and findings their record and their
// positions, which are compared as what stands there.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, test } from 'vitest';
import { type DialectId, parse } from '../../../src/index.ts';
import { at, file, jsonLines, run } from '../../cli/harness.ts';
import { part, testLong } from '../../long.ts';
import { hasTableReaders } from '../../outside/tables.ts';
import { hasCommand, sharedData } from '../../skip.ts';

type Line = Record<string, unknown>;
type Dialect = DialectId | 'auto';
interface Seen {
  scan: Line;
  messages: Line[];
  findings: Line[];
}

const canZstd = 'zstdCompressSync' in zlib || hasCommand('zstd');

function zstd(bytes: Uint8Array): Buffer {
  const compress = (zlib as { zstdCompressSync?: (input: Uint8Array) => Buffer }).zstdCompressSync;
  return compress ? compress(bytes) : execFileSync('zstd', ['-q', '-c', '-1'], { input: bytes, maxBuffer: 2 ** 30 });
}

const gzip = (bytes: Uint8Array): Buffer => zlib.gzipSync(bytes, { level: 1 });

/** Three members, cut where nothing ends. */
function gzipMembers(bytes: Uint8Array): Buffer {
  const third = Math.floor(bytes.length / 3) + 1;
  return Buffer.concat([0, 1, 2].map((n) => gzip(bytes.subarray(n * third, (n + 1) * third))));
}

async function command(name: string, argv: string[], path: string): Promise<string> {
  const { code, out, err } = await run([name, ...argv, '--quiet', path]);
  expect([name, path, err, code <= 1]).toEqual([name, path, '', true]);
  return out;
}

const scanned = async (path: string, argv: string[]): Promise<Line> =>
  JSON.parse(await command('scan', ['--format', 'json', ...argv], path)) as Line;

/** Everything that the three commands tell, without the path. */
async function seen(path: string, argv: string[]): Promise<Seen> {
  const without = (text: string): Line[] => jsonLines(text).map(({ path: _, ...rest }) => rest);
  return {
    scan: await scanned(path, argv),
    messages: without(await command('messages', ['--format', 'ndjson', ...argv], path)),
    findings: without(await command('check', ['--format', 'ndjson', '--max-diagnostics', 'none', ...argv], path)),
  };
}

/** What is the same in all containers. */
function comparable({ scan, messages, findings }: Seen): object {
  const { bytes: _, ...counts } = scan;
  const bare = ({ record, from, to, body_from, body_to, line, column, pointer, ...rest }: Line): Line => rest;
  return { counts, messages: messages.map(bare), findings: findings.map(bare) };
}

/** The spans of messages, as what stands there. */
function spans(messages: Line[], bytes: Buffer, isJson: boolean): string[] {
  return messages.flatMap(({ from, to, body_from, body_to }) => {
    const parts = [[from, to], [body_from, body_to]].map(([begin, end]) => {
      return bytes.toString('utf8', begin as number, end as number);
    });
    return isJson ? parts.map((part) => JSON.parse(`"${part}"`) as string) : parts;
  });
}

const escaped = (json: string): string => json.replaceAll('<', '\\u003c').replace(/[^\0-\x7f]/g, (unit) => {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
});

/** JSON lines with records in their spellings; what they are packed in afterwards is another matter. */
function spellings(records: readonly object[]): Record<string, Buffer> {
  const lines = records.map((record) => JSON.stringify(record));
  return {
    jsonl: Buffer.from(lines.map((line) => `${line}\n`).join('')),
    'ascii.jsonl': Buffer.from(lines.map((line) => `${escaped(line)}\n`).join('')),
    'crlf.jsonl': Buffer.from(lines.join('\r\n')),
    'list.json': Buffer.from(JSON.stringify(records, null, 1)),
  };
}

function packed(bytes: Uint8Array): Record<string, Buffer> {
  return { gz: gzip(bytes), 'members.gz': gzipMembers(bytes), ...(canZstd && {
    zst: zstd(bytes), 'frames.zst': Buffer.concat([zstd(bytes.subarray(0, 1000)), zstd(bytes.subarray(1000))]),
  }) };
}

/** The text of each transcript, header and what follows it included. */
function cut(bytes: Buffer, dialect: Dialect): string[] {
  const starts = parse(bytes, { dialect }).transcripts.map(({ info }) => info.from);
  return starts.map((from, i) => bytes.toString('utf8', i === 0 ? 0 : from, starts[i + 1] ?? bytes.length));
}

interface Corpus {
  name: string;
  dialect: Dialect;
  raw: Buffer;
  texts: readonly string[];
}

async function expectSameText({ name, dialect, raw, texts }: Corpus): Promise<Seen> {
  const argv = ['--dialect', dialect];
  const put = (ending: string, bytes: Uint8Array): string => file(`containers/${name}.${ending}`, bytes);
  const told = await seen(put('txt', raw), argv);
  const wanted = comparable(told);
  const places = spans(told.messages, raw, false);
  for (const [ending, bytes] of Object.entries(packed(raw))) {
    expect(await seen(put(`txt.${ending}`, bytes), argv), ending).toEqual(told);
  }
  for (const [ending, bytes] of Object.entries(spellings(texts.map((text, id) => ({ id: `${id} é`, text }))))) {
    const found = await seen(put(ending, bytes), argv);
    expect(comparable(found), ending).toEqual(wanted);
    expect(spans(found.messages, bytes, true), ending).toEqual(places);
    if (ending !== 'jsonl') continue;
    for (const [pack, packedBytes] of Object.entries(packed(bytes))) {
      expect(await seen(put(`${ending}.${pack}`, packedBytes), argv), pack).toEqual(found);
    }
    const plain = await seen(put('one.jsonl', bytes), [...argv, '--threads', '1']);
    expect(plain).toEqual(found);
  }
  const columns = [
    { name: 'id', data: texts.map((_, id) => id), type: 'INT32' as const },
    { name: 'text', data: [...texts], type: 'STRING' as const },
  ];
  for (const [ending, options] of Object.entries({
    parquet: {}, 'groups.parquet': { rowGroupSize: 7, codec: 'UNCOMPRESSED' as const },
  })) {
    const found = await seen(
      put(ending, new Uint8Array(parquetWriteBuffer({ columnData: columns, ...options }))), argv,
    );
    expect(comparable(found), ending).toEqual(wanted);
    // Positions are those of the field.
    const fields = found.messages.flatMap((message) => {
      return spans([message], Buffer.from(texts[message['record'] as number]!), false);
    });
    expect(fields, ending).toEqual(places);
  }
  return told;
}

/**
 * A table of lists of structs, as pyarrow makes it of the records; tools are text in it, since fields of structs have
 * one order for all rows.
 */
const WRITE = `
import json, sys, pyarrow as pa, pyarrow.parquet as pq
def plain(row):
    return row | {'tools': json.dumps(row['tools'], ensure_ascii=False)} if 'tools' in row else row
rows = [plain(row) for row in json.load(sys.stdin)]
pq.write_table(pa.Table.from_pylist(rows), sys.argv[1], row_group_size=50)
`;

async function expectSameChat(name: string, records: readonly object[]): Promise<Seen> {
  const put = (ending: string, bytes: Uint8Array): string => file(`containers/${name}.${ending}`, bytes);
  const all = spellings(records);
  const told = await seen(put('jsonl', all['jsonl']!), []);
  for (const [ending, bytes] of Object.entries(all)) {
    if (ending !== 'jsonl') expect(comparable(await seen(put(ending, bytes), [])), ending).toEqual(comparable(told));
  }
  for (const [pack, bytes] of Object.entries(packed(all['jsonl']!))) {
    expect(await seen(put(`jsonl.${pack}`, bytes), []), pack).toEqual(told);
  }
  if (!hasTableReaders()) return told;
  const path = at(`containers/${name}.parquet`);
  const { status, stderr } = spawnSync(process.env['OPENCHATML_TABLES_PYTHON']!, ['-c', WRITE, path], {
    input: JSON.stringify(records), encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  expect(comparable(await seen(path, []))).toEqual(comparable(told));
  return told;
}

const HEAD = 'version: 2.2\n---\n';
const TALK = '<|start|>user name=éa<|message|>Grüße "x" \\ / \u{1f600}\t\u0001<|end|>\r\n'
  + '<|start|>assistant<|channel|>final<|message|>Yes \u2028.<|return|>\n';
const CALL =
  '<|start|>assistant to=functions.f call_id=c1<|channel|>commentary<|constrain|>json<|message|>{"a":}<|call|>\n';
const LITERAL =
  '<|start|>user<|message|><|literal|>\n<|start|>user<|message|>中<|end|>\n<|endliteral|>yes<<|end|><|end|>\n';
const OWN: Corpus[] = [
  {
    name: 'own-2.2',
    dialect: 'auto',
    texts: [
      HEAD + TALK, `${HEAD}${CALL}`, HEAD + LITERAL, `${HEAD}${TALK}${HEAD}${CALL}${TALK}`,
      `${HEAD}${TALK}text between \u{1f600}<|end|>\n${TALK}`,
      `version: 2.2\nmodel: "ü"\n---\n<|start|>robot<|message|>x<|end|>\n<|start|>user mood=good<|message|><|end|>\n`,
      ...Array<string>(30).fill(HEAD + TALK),
      `${HEAD}<|start|>user<|message|>é cut off`,
    ],
  },
  {
    name: 'own-0.1',
    dialect: 'openchatml-0.1',
    texts: [
      'ü', '"\\', '\u{1f600}',
    ].map((text) => `<s>\n<|im_start|>system\n${text}\n<|im_end|>\n<|im_start|>user\nHi\n<|im_end|>\n`
      + `<|im_start|>assistant\n<|function_call|>{"name":"f","arguments":{}}\n<|im_end|>\n<|im_start|>robot\n`
      + `${text}<|im_end|>\n</s>\n`),
  },
  {
    name: 'own-harmony',
    dialect: 'harmony',
    texts: [
      'ü', '"\\\n', '\u{1f600}',
    ].map((text) => `<|start|>developer<|message|>${text}<|end|><|start|>user<|message|>Q ${text}<|end|>`
      + '<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"x"<|call|>'
      + '<|start|>functions.f to=assistant<|channel|>commentary<|message|>1<|end|>'
      + `<|start|>assistant<|message|>${text}<|return|>`),
  },
].map(({ name, dialect, texts }) => ({ name, dialect: dialect as Dialect, texts, raw: Buffer.from(texts.join('')) }));

describe.each(part(OWN))('$name', (corpus) => {
  test('is the same in all containers', async () => {
    const { scan, messages, findings } = await expectSameText(corpus);
    expect(scan).toMatchObject({ files: 1, bytes: corpus.raw.length });
    expect(scan['transcripts']).toBeGreaterThanOrEqual(corpus.texts.length);
    expect(messages.length).toBe(scan['messages']);
    // There are findings besides the line of sums.
    expect(findings.length).toBeGreaterThan(2);
  });
});

const CALLED = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };
const CHAT = Array.from({ length: 120 }, (_, n) => ({
  id: `row ${n}`,
  messages: [
    { role: 'system', content: 'Be "good" \\ ü' },
    { role: 'user', content: n % 10 === 0 ? 'a <|end|> token' : `number ${n} \u{1f600}` },
    ...(n % 3 === 0 ? [
      {
        role: 'assistant',
        content: null,
        tool_calls: [CALLED, { ...CALLED, id: 'c2', function: { name: 'g', arguments: '{"a"' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '1' },
    ] : []),
    { role: n % 40 === 7 ? 'robot' : 'assistant', content: 'é' },
  ],
}));

test('chat records of our own are the same in all containers', async () => {
  const { scan, findings } = await expectSameChat('own-chat', CHAT);
  expect(scan).toMatchObject({ dialects: { chat: 117 }, tokens: {}, findings: { 'refused-record': 3 } });
  expect(findings.filter(({ rule }) => rule === 'refused-record')).toHaveLength(3);
});

testLong('ShareGPT in all containers', async () => {
  const records = CHAT.map(({ messages }) => ({ conversations: messages.slice(
    0, 2,
  ).map(({ role, content }) => ({ from: role === 'user' ? 'human' : role, value: content })) }));
  const { scan } = await expectSameChat('own-sharegpt', records);
  expect(scan).toMatchObject({ transcripts: 120, messages: 240, dialects: { chat: 120 } });
});

const folder = sharedData('dialogues');
const FORMS = [
  { name: 'openchatml-2.2', dialect: 'auto', messages: 'openchatml_messages' },
  { name: 'harmony', dialect: 'harmony', messages: 'harmony_messages' },
  { name: 'chatml-0.1', dialect: 'auto', messages: 'chatml_messages' },
] as const;

describe.skipIf(folder === null)('real dialogues', () => {
  const known = folder === null ? '{}' : readFileSync(join(folder, 'expected.json'), 'utf8');
  const { bytes: sizes, ...expected } = JSON.parse(known) as Record<string, number> & { bytes: Record<string, number> };
  const path = (name: string): string => join(folder!, `${name}.gz`);
  /** Transcripts of the part. */
  const PART = 120;
  const { transcripts, calls, user, tool } = expected;

  describe.each(FORMS)('$name', ({ name, dialect, messages }) => {
    const whole = (): Buffer => zlib.gunzipSync(readFileSync(path(`${name}.txt`)));

    testLong('a part is the same in all containers', async () => {
      const bytes = whole().subarray(0, 8_000_000);
      const texts = cut(bytes, dialect).slice(0, PART);
      const raw = Buffer.from(texts.join(''));
      expect(raw.equals(bytes.subarray(0, raw.length))).toBe(true);
      const { scan } = await expectSameText({ name, dialect, raw, texts });
      expect(scan['transcripts']).toBe(PART);
    });

    testLong('all of it counts the same as it lies there, raw, and as lines of JSON', async () => {
      const argv = ['--dialect', dialect, '--threads', '2'];
      const raw = whole();
      const { bytes, ...counts } = await scanned(path(`${name}.txt`), argv);
      expect({ bytes, ...counts }).toMatchObject({
        files: 1, bytes: sizes[`${name}.txt`], transcripts, calls, messages: expected[messages], findings: {},
      });
      expect(counts['roles']).toMatchObject({ user, tool });
      expect(await scanned(file('containers/whole.txt', raw), argv)).toEqual({ bytes, ...counts });
      const lines = Buffer.from(cut(raw, dialect).map((text, id) => `${JSON.stringify({ id, text })}\n`).join(''));
      expect(await scanned(file('containers/whole.jsonl', lines), argv)).toEqual({ ...counts, bytes: lines.length });
    });
  });

  const records = (count: number): object[] => {
    const text = zlib.gunzipSync(readFileSync(path('messages.jsonl'))).toString('utf8', 0, 12_000_000);
    return text.split('\n').slice(0, count).map((line) => JSON.parse(line) as object);
  };

  testLong('a part of the chat records is the same in all containers, and tells what the raw form tells', async () => {
    const { scan, messages, findings } = await expectSameChat('messages', records(PART));
    expect(scan).toMatchObject({ transcripts: PART, dialects: { chat: PART }, tokens: {}, findings: {} });
    // The raw form has the same messages, and thoughts besides.
    const texts = cut(zlib.gunzipSync(readFileSync(path('openchatml-2.2.txt'))).subarray(0, 8_000_000), 'auto').slice(
      0, PART,
    );
    const raw = await seen(file('containers/part.txt', texts.join('')), []);
    const bodies = (lines: Line[]): Line[] => lines.filter(({ channel }) => channel !== 'analysis')
      .map(({ transcript, role, recipient, content, channel }) => ({
        transcript, role, recipient, channel, ...(role !== 'developer' && { content }),
      }));
    expect(bodies(messages)).toEqual(bodies(raw.messages));
    const rules = (lines: Line[]): Line[] =>
      lines.map(({ rule, transcript, message, severity }) => ({ rule, transcript, message, severity }));
    expect(rules(findings)).toEqual(rules(raw.findings));
  });

  testLong('all of the chat records count what is known of them', async () => {
    const { harmony_messages, assistant_final } = expected;
    const counts = await scanned(path('messages.jsonl'), []);
    expect(counts).toMatchObject({
      files: 1, bytes: sizes['messages.jsonl'], transcripts, calls, messages: harmony_messages,
      dialects: { chat: transcripts },
      roles: { developer: transcripts, user, tool, assistant: assistant_final! + calls! }, tokens: {}, findings: {},
    });
  });
});
