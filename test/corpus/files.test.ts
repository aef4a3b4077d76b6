// The entry for Node: files of any size through the library.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import * as library from '../../src/index.ts';
import { checkFile, FileSource, InputError, readMessages, scanCorpus, scanFile } from '../../src/node.ts';
import * as node from '../../src/node.ts';
import { CLEAN, FAULTY, at, file } from '../cli/harness.ts';

const clean = file('node/clean.txt', CLEAN);
const faulty = file('node/faulty.txt', FAULTY);

test('holds everything of the library', () => {
  for (const name of Object.keys(library)) expect(node).toHaveProperty(name);
});

test('gives what the library gives for the bytes', () => {
  expect(scanFile(clean)).toEqual(library.scan(CLEAN));
  expect([...checkFile(faulty)]).toEqual(library.check(FAULTY));
  const found = [];
  for (const { message, index, transcript } of readMessages(clean)) {
    found.push([transcript.number, index, message.role]);
  }
  expect(found).toEqual([[0, 0, 'user'], [0, 1, 'assistant']]);
  const harmony = file('node/a.harmony', CLEAN);
  expect(scanFile(harmony).dialects).toEqual({ harmony: 1 });
  expect(scanFile(harmony, { dialect: 'openchatml-2.2' }).dialects).toEqual({ 'openchatml-2.2': 1 });
});

test('raw text stays raw text, whatever positions of records are asked for', () => {
  expect(scanFile(clean, { positions: 'field' })).toEqual(scanFile(clean));
  expect([...checkFile(faulty, { positions: 'field' })]).toEqual([...checkFile(faulty)]);
});

test('reads records and compressed files', async () => {
  const lines = file(
    'node/talk.jsonl', [CLEAN, FAULTY].map((text) => `${JSON.stringify({ text })}\n`).join('') + '{"text":\n',
  );
  const packed = file('node/talk.gz', gzipSync(readFileSync(lines)));
  for (const path of [lines, packed]) {
    const counts = scanFile(path);
    expect(counts).toMatchObject({
      files: 1, transcripts: 2, messages: 4, findings: { 'text-between-messages': 1, 'bad-record': 1 },
    });
    expect(await scanCorpus([path])).toEqual(counts);
    const [first] = checkFile(path);
    expect(readFileSync(lines).toString('latin1', first!.from, first!.to)).toBe('robot');
    expect([...checkFile(path)].map(({ rule, record }) => [rule, record])).toEqual([
      ...library.check(FAULTY).map(({ rule }) => [rule, 1]), ['bad-record', 2],
    ]);
    const seen = [];
    for (const { record, index, place, message } of readMessages(path)) {
      seen.push([record, index, readFileSync(lines).toString('latin1', place(message.from), place(message.from) + 9)]);
    }
    expect(seen).toEqual([[0, 0], [0, 1], [1, 0], [1, 1]].map((numbers) => [...numbers, '<|start|>']));
  }
});

test('readings may go on side by side, and be left early', () => {
  const many = file('node/many.txt', `version: 2.2\n${'<|start|>user<|message|>0123456789<|end|>\n'.repeat(40_000)}`);
  const [one, two] = [readMessages(many), readMessages(many)];
  for (let i = 0; i < 40_000; i++) {
    expect(one.next().value!.message.from).toBe(13 + 42 * i);
    if (i % 3 === 0) expect(two.next().value!.message.from).toBe(14 * i + 13);
    if (i === 100) for (const diagnostic of checkFile(faulty)) if (diagnostic.rule === 'unknown-role') break;
  }
  two.return();
  expect(one.next().done).toBe(true);
  expect(scanFile(many).messages).toBe(40_000);
});

test('throws on a wrong call, an InputError on a file that cannot be read', () => {
  expect(() => scanFile(at('node/none'))).toThrow(InputError);
  expect(() => [...checkFile(at('node'))]).toThrow('is a folder, not a file');
  expect(() => scanFile(clean, { dialect: 'x' as never })).toThrow(RangeError);
  expect(() => [...readMessages(clean, { role: '' })]).toThrow('option role');
});

test('a FileSource is opened by its path', () => {
  const source = FileSource.open(clean);
  expect(Buffer.from(source.bytes(0, 12)).toString()).toBe('version: 2.2');
  source.close();
  expect(FileSource.open(pathToFileURL(clean)).size).toBe(CLEAN.length);
  expect(() => FileSource.open(at('node'))).toThrow('is not a regular file');
});

test.each([
  ['lines', ['{"messages":[]}', '{"a"}'], 4],
  ['turns', ['{"role":"user","content":"a"}', '{"a"}'], 4],
  ['a list', ['[{"messages":[]},', '{"a"}]'], 4],
  ['a list that is not ended', ['[{"messages":[]},', '{"messages":[]}'], 15],
])('in positions of a record, %s', (_, lines, byte) => {
  const path = file('positions.jsonl', lines.join('\n'));
  for (const largestRecord of [undefined, 1000]) {
    const [found] = checkFile(path, { positions: 'field', largestRecord });
    const wanted = ['bad-record', 0, expect.stringMatching(`, at byte ${byte} of the record$`)];
    expect([found!.rule, found!.from, found!.message]).toEqual(wanted);
  }
});
