// Where a record is broken, and why: every command says it in the same words, and leads people there.
import { describe, expect, test } from 'vitest';
import { file, run } from './harness.ts';

const GOOD = '{"messages":[{"role":"user","content":"é"}]}';
const NAN = '{"messages":[{"role":"user","content":"é"}],"s":NaN}';

interface Told {
  readonly rule: string;
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

async function told(...argv: string[]): Promise<Told[]> {
  const { out } = await run([...argv, '--format', 'ndjson']);
  return out.trimEnd().split('\n').map((line) => JSON.parse(line) as Told).filter(({ rule }) => rule === 'bad-record');
}

/** The messages of the verdicts of `filter` by the number of their line. */
async function judged(path: string): Promise<Record<number, string>> {
  const { out } = await run(['filter', path]);
  const verdicts = out.trimEnd().split('\n').map((line) => JSON.parse(line) as { n: number; err: Told[] });
  return Object.fromEntries(verdicts.flatMap(({ n, err: [bad] }) => (bad === undefined ? [] : [[n, bad.message]])));
}

describe('a broken line', () => {
  const lines = [GOOD, NAN, '{"a":1,}', `{"é":'x'}`, GOOD, '{"messages":[{"role":"us', `${GOOD},`];
  const faults = [[2, 49], [3, 8], [4, 6], [6, 25], [7, 45]];

  test.each(['check', 'audit'])('%s leads to the byte, and the finding is the record', async (command) => {
    const path = file('broken.jsonl', `${lines.join('\n')}\n`);
    for (const argv of [[path], [path, '--threads', '2']]) {
      const found = await told(command, ...argv);
      expect(found.map(({ line, column }) => [line, column])).toEqual(faults);
      for (const { from, to, line } of found) {
        const before = Buffer.byteLength(lines.slice(0, line - 1).map((text) => `${text}\n`).join(''));
        expect([from, to]).toEqual([before, before + Buffer.byteLength(lines[line - 1]!)]);
      }
    }
  });

  test('check, audit and filter use the same words', async () => {
    const path = file('broken.jsonl', `${lines.join('\n')}\n`);
    const checked = Object.fromEntries((await told('check', path)).map(({ line, message }) => [line - 1, message]));
    expect(await judged(path)).toEqual(checked);
    expect(Object.fromEntries((await told('audit', path)).map(({ line, message }) => [line - 1, message])))
      .toEqual(checked);
    expect(checked[1]).toBe(
      'the record is no JSON object that can be read: JSON has no NaN, at byte 49 of the record',
    );
  });

  test('from a pipe the place is the same', async () => {
    const text = `${lines.join('\n')}\n`;
    const { out } = await run(['check', '--format', 'ndjson', '-'], { stdin: text });
    const found = out.trimEnd().split('\n').map((line) => JSON.parse(line) as Told);
    const places = found.filter(({ rule }) => rule !== undefined).map(({ line, column }) => [line, column]);
    expect(places).toEqual(faults);
  });
});

test('in a list the line of the fault is told, not that of the record', async () => {
  const path = file('broken.json', `[\n${GOOD},\n{"a":\n  {"b": NaN}},\n${GOOD}\n]\n`);
  expect((await told('check', path)).map(({ line, column }) => [line, column])).toEqual([[4, 9]]);
});

test('the region of SARIF begins at the fault', async () => {
  const path = file('broken.jsonl', `${GOOD}\n${NAN}\n`);
  const { out } = await run(['check', '--format', 'sarif', path]);
  const [result] = (JSON.parse(out) as { runs: [{ results: { locations: unknown[] }[] }] }).runs[0].results;
  const byteOffset = Buffer.byteLength(`${GOOD}\n`) + 49;
  expect(result!.locations[0]).toMatchObject({
    physicalLocation: {
      region: { startLine: 2, startColumn: 49, endLine: 2, endColumn: 53, byteOffset, byteLength: 4 },
    },
  });
});

test('bytes that are no UTF-8 are told with their place, whatever else is wrong', async () => {
  const path = file('latin1.jsonl', Buffer.from(`${'{"a":NaN,"b":"caf\xe9"}'}\n`, 'latin1'));
  const [found] = await told('check', path);
  expect([found!.column, found!.message]).toEqual([
    18, 'the record is no JSON object that can be read: it is not valid UTF-8, at byte 17 of the record',
  ]);
  expect((await judged(path))[0]).toBe(found!.message);
});

describe('JSON lines in UTF-16', () => {
  const text = `${'{"messages":[{"role":"user","content":"Hi"}]}\n'.repeat(5)}`;
  const big = (bytes: Buffer): Buffer => Buffer.from(bytes).swap16();
  const little = Buffer.from(text, 'utf16le');
  const inputs: [string, Buffer][] = [
    ['little', little], ['big', big(little)],
    ['little with a mark', Buffer.concat([Buffer.from([0xff, 0xfe]), little])],
    ['big with a mark', Buffer.concat([Buffer.from([0xfe, 0xff]), big(little)])],
  ];

  test.each(inputs)('%s endian: one finding for the file', async (_, bytes) => {
    const path = file('wide.jsonl', bytes);
    for (const command of ['check', 'audit']) {
      const found = await told(command, path);
      expect(found.map(({ line, column, from, to }) => [line, column, from, to])).toEqual([[1, 1, 0, bytes.length]]);
      expect(found[0]!.message).toContain('it looks like UTF-16 or UTF-32');
    }
    const { code, err } = await run(['convert', '--to', 'messages', path]);
    expect([code, err.split('\n')[0]]).toEqual([
      1, `refused: ${path}:1: record: it looks like UTF-16 or UTF-32; convert it to UTF-8`,
    ]);
    expect((await judged(path))[0]).toContain('it looks like UTF-16 or UTF-32');
  });
});

describe('filter says once that it takes one record a line', () => {
  const notice = /^.*: filter takes one JSON object a line, and the first line is not one; .*\n$/;

  test.each([
    ['a list over many lines', `[\n${GOOD},\n${GOOD}\n]\n`],
    ['a list that begins with a record', `[${GOOD},\n${GOOD}]\n`],
    ['a list in one line', `[${GOOD},${GOOD}]\n`],
    ['an object over many lines', JSON.stringify(JSON.parse(GOOD), null, 2)],
    ['UTF-16', Buffer.from(`\ufeff${GOOD}\n${GOOD}\n`, 'utf16le')],
  ])('%s', async (_, content) => {
    const path = file('many.json', content);
    for (const argv of [['filter', path], ['filter', '--emit', 'keep', path], ['filter', '--threads', '2', path]]) {
      expect((await run(argv)).err).toMatch(notice);
    }
    expect((await run(['filter'], { stdin: content })).err).toMatch(notice);
  });

  test('nothing of lines that are records, or of a first line that is broken otherwise', async () => {
    const turns = '[{"role":"user","content":"Hi"}]';
    for (const lines of [`${GOOD}\n[\n`, `${turns}\n`, `${NAN}\n${GOOD}\n`, '', '\n', '[]\n']) {
      expect((await run(['filter', file('lines.jsonl', lines)])).err).toBe('');
    }
  });
});
