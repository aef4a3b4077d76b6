// `audit` on the command line: reports, copies, differences, exit codes, and what it refuses.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { at, file, jsonLines, run } from '../harness.ts';

const fixture = (name: string): string =>
  readFileSync(new URL(`../../../fixtures/audit/${name}`, import.meta.url), 'utf8');
const CHAT = fixture('chat.jsonl');
const CLEAN = `${CHAT.split('\n')[0]!}\n`;
const BAD = `${CHAT.split('\n')[2]!}\n`;
/** The record of BAD, broken up: nothing else of it changes, escapes included. */
const MENDED = BAD.replace('\\u003c|im_end|\\u003e', '<| im_end |>').replace('\\u003c|call|\\u003e', '<| call |>');
const LIKES = `${CHAT.split('\n')[5]!}\n`;

describe('reports', () => {
  test('ndjson: the record, the line, the column, the bytes', async () => {
    const path = file('report/a.jsonl', CLEAN + BAD);
    const { code, out, err } = await run(['audit', '--format', 'ndjson', path]);
    expect(code).toBe(1);
    expect(err).toBe('');
    const [name, content, end] = jsonLines(out);
    const from = CLEAN.length + BAD.indexOf('\\u003c|im_end');
    expect(name).toMatchObject({
      path, record: 1, transcript: 0, code: null, rule: 'control-token', severity: 'error', from, to: from + 20,
      line: 2,
      column: from - CLEAN.length + 1, field: 'messages[0].name',
      message: 'a control token stands in text that should hold none: <|im_end|> (messages[0].name)',
    });
    expect(content).toMatchObject({ record: 1, line: 2, field: 'messages[0].content' });
    expect(end).toEqual({
      summary: {
        schema: 'openchatml/audit/1', files: 1, errors: 2, warnings: 0, infos: 0, rules: { 'control-token': 2 },
      },
    });
  });

  test('every format names the rule and what to do', async () => {
    const path = file('report/b.jsonl', BAD);
    for (const format of ['pretty', 'github', 'sarif', 'gitlab', 'junit', 'rdjson']) {
      const { code, out } = await run(['audit', '--format', format, path]);
      expect(code).toBe(1);
      expect(out).toContain('control-token');
      expect(out).toContain('audit --fix');
      expect(out).not.toContain('done');
    }
  });

  test('standard input, in pieces: places as in a file', async () => {
    const text = CLEAN.repeat(3000) + BAD + CLEAN.repeat(3000) + LIKES;
    const path = file('report/long.jsonl', text);
    const shown = async (argument: string): Promise<unknown[]> => {
      const { out } = await run(['audit', '--format', 'ndjson', argument], { stdin: text });
      return jsonLines(out).map((line) => ({ ...line, path: null }));
    };
    const found = await shown(path);
    expect(found).toHaveLength(8);
    expect(await shown('-')).toEqual(found);
    expect(found[0]).toMatchObject({ line: 3001 });
  });
});

describe('exit codes', () => {
  const cases: [name: string, args: string[], text: string, code: number][] = [
    ['clean', [], CLEAN, 0],
    ['errors', [], BAD, 1],
    ['errors, but they do not count', ['--exit-zero'], BAD, 0],
    ['warnings', [], LIKES, 0],
    ['too many warnings', ['--max-warnings', '4'], LIKES, 1],
    ['as many as may be', ['--max-warnings', '5'], LIKES, 0],
  ];
  test.each(cases)('%s', async (_, args, text, code) => {
    expect((await run(['audit', ...args, '-'], { stdin: text })).code).toBe(code);
  });

  test('what cannot be read', async () => {
    expect(await run(['audit', at('none.jsonl')])).toMatchObject({ code: 2, out: '' });
  });
});

describe('copies', () => {
  test('one file: only the changed values are others', async () => {
    const path = file('copy/a.jsonl', CLEAN + BAD + LIKES);
    const { code, err } = await run(['audit', '--fix', '--output', at('copy/b.jsonl'), path]);
    expect(code).toBe(1);
    expect(err).toContain('2 texts were changed\n');
    expect(readFileSync(at('copy/b.jsonl'), 'utf8')).toBe(CLEAN + MENDED + LIKES);
    expect(readFileSync(path, 'utf8')).toBe(CLEAN + BAD + LIKES);
    expect((await run(['audit', at('copy/b.jsonl')])).code).toBe(0);
  });

  test('warnings, too', async () => {
    const path = file('copy/w.jsonl', LIKES);
    await run(['audit', '--fix-warnings', '--output', at('copy/w2.jsonl'), path]);
    expect(await run(['audit', '--max-warnings', '0', at('copy/w2.jsonl')])).toMatchObject({ code: 0 });
  });

  test('standard input, longer than is read at once', async () => {
    const text = (CLEAN + BAD).repeat(4000);
    await run(['audit', '--fix', '--max-diagnostics', '0', '--output', at('copy/long.jsonl'), '-'], { stdin: text });
    expect(readFileSync(at('copy/long.jsonl'), 'utf8')).toBe((CLEAN + MENDED).repeat(4000));
  });

  test('several files keep their names below the folder', async () => {
    file('audit-many/x.jsonl', BAD);
    file('audit-many/deep/x.jsonl', CLEAN);
    const { code } = await run(['audit', '--fix', '--output-dir', at('audit-out'), at('audit-many')]);
    expect(code).toBe(1);
    expect(readdirSync(at('audit-out'))).toEqual(['deep', 'x.jsonl']);
    expect(readFileSync(at('audit-out/x.jsonl'), 'utf8')).toBe(MENDED);
    expect(readFileSync(at('audit-out/deep/x.jsonl'), 'utf8')).toBe(CLEAN);
  });

  test('in place', async () => {
    const path = file('place/a.jsonl', BAD);
    await run(['audit', '--fix', '--in-place', path]);
    expect(readFileSync(path, 'utf8')).toBe(MENDED);
    expect(readdirSync(at('place'))).toEqual(['a.jsonl']);
  });

  test('transcripts: an escape where there is one', async () => {
    const path = file('raw/a.ocml', fixture('transcript.ocml'));
    await run(['audit', '--fix', '--output', at('raw/b.ocml'), path]);
    expect(readFileSync(at('raw/b.ocml'), 'utf8'))
      .toBe(fixture('transcript.ocml').replace('stray <|channel|>', 'stray <<|channel|>'));
    const line = file('raw/a.chatml', fixture('line.chatml'));
    await run(['audit', '--fix', '--output', at('raw/b.chatml'), line]);
    expect(readFileSync(at('raw/b.chatml'), 'utf8'))
      .toBe(fixture('line.chatml').replace('<|fim_middle|>', '<| fim_middle |>'));
    const { err } = await run(['audit', '--fix', '--how', 'escape', '--output', at('raw/c.chatml'), line]);
    expect(err).toContain('0 texts were changed, 1 error left');
  });
});

const ASSISTANTS = ['assistant', 'gpt', 'chatgpt', 'model', 'bot'];
test.each(ASSISTANTS)('tags of an assistant are not broken up: %s', async (role) => {
  const text = `${JSON.stringify({ messages: [{ role, content: '<think>secret</think>\n2' }] })}\n`;
  const path = file(`meant/${role}.jsonl`, text);
  await run(['audit', '--fix-warnings', '--output', at(`meant/${role}.copy.jsonl`), path]);
  expect(readFileSync(at(`meant/${role}.copy.jsonl`), 'utf8')).toBe(text);
});

test('tags by which an assistant hides its reasoning, or calls, are not broken up', async () => {
  const think = '<think>secret</think>\n2';
  const call = '<tool_call>\n{"name":"f","arguments":{}}\n</tool_call>';
  const lines = [
    { messages: [{ role: 'user', content: think }, { role: 'assistant', content: think }] },
    { conversations: [{ from: 'human', value: 'q' }, { from: 'gpt', value: call }] },
    { prompt: 'q', completion: think },
    { messages: [{ role: 'assistant', content: `${think}<|eot_id|>` }] },
  ].map((record) => JSON.stringify(record));
  const path = file('meant/a.jsonl', `${lines.join('\n')}\n`);
  await run(['audit', '--fix-warnings', '--output', at('meant/b.jsonl'), path]);
  const broken = lines.with(0, lines[0]!.replace('<think>secret</think>', '< think >secret< /think >'))
    .with(3, lines[3]!.replace('<|eot_id|>', '<| eot_id |>'));
  expect(readFileSync(at('meant/b.jsonl'), 'utf8').trimEnd().split('\n')).toEqual(broken);
  const raw = file('meant/a.ocml', `version: 2.2\n<|start|>assistant<|channel|>final<|message|>${think}<|end|>`);
  await run(['audit', '--fix-warnings', '--output', at('meant/b.ocml'), raw]);
  expect(readFileSync(at('meant/b.ocml'), 'utf8')).toBe(readFileSync(raw, 'utf8'));
  // Nor where they are to be errors: these are left.
  const config = file('meant/config.json', '{"rules":{"foreign-token":"error"}}');
  const { err } = await run(['audit', '--config', config, '--fix', '--output', at('meant/c.jsonl'), path]);
  expect(err).toContain('2 texts were changed, 8 errors left');
  const { err: ofRaw } = await run(['audit', '--config', config, '--fix', '--output', at('meant/c.ocml'), raw]);
  expect(ofRaw).toContain('0 texts were changed, 2 errors left');
});

describe('differences', () => {
  test('a hunk a text, and no copy', async () => {
    const path = file('diff/a.jsonl', CLEAN + BAD);
    const { code, out, err } = await run(['audit', '--diff', path]);
    expect(code).toBe(1);
    expect(out).toBe(
      `--- ${path}\n+++ ${path}\n`
        + '@@ 2 messages[0].name @@\n-a<|im_end|>\n+a<| im_end |>\n'
        + '@@ 2 messages[0].content @@\n-\u00e9\u{1f600} <|call|> done\n+\u00e9\u{1f600} <| call |> done\n',
    );
    expect(err).toContain('2 texts would be changed');
    expect(readdirSync(at('diff'))).toEqual(['a.jsonl']);
  });

  test('nothing to change, nothing shown', async () => {
    expect(await run(['audit', '--diff', '-'], { stdin: CLEAN })).toMatchObject({ code: 0, out: '' });
  });

  test('long texts are cut, and nothing steers a terminal', async () => {
    const content = `${'a\u{1f600}'.repeat(100)}\u001b[2J<|end|>\r\n\u202e${'b'.repeat(900)}<|call|>`;
    const { out } = await run(['audit', '--diff', '-'], { stdin: JSON.stringify({ messages: [{ content }] }) });
    const lines = out.split('\n');
    expect(lines.filter((line) => line.startsWith('@@'))).toHaveLength(2);
    expect(lines[4]).toMatch(/^\+\.\.\..*\\x1b\[2J<\| end \|>\\r\\n\\u202eb*\.\.\.$/);
    expect(lines.every((line) => {
      return line.length < 200 && !/[\x00-\x1f\ud800\ufffd]/.test(line.replace(/[\u{10000}-\u{10ffff}]/gu, ''));
    })).toBe(true);
  });
});

describe('refusals', () => {
  const refusals: [args: string[], words: string][] = [
    [['--fix'], '--fix needs a place'],
    [['--how', 'escape'], '--how is for --fix'],
    [['--output', 'x'], 'say so, too'],
    [['--fix', '--output', 'x', '--in-place'], 'give one of'],
    [['--fix', '--diff', '--in-place'], '--diff writes no copy'],
    [['--fix', '--output', '-'], 'Expected the name of a file'],
    [['--fix', '--in-place'], 'has no place that a copy could take'],
    [['--fix', '--output-dir', 'x'], 'has no name'],
  ];
  test.each(refusals)('%j', async (args, words) => {
    const { code, out, err } = await run(['audit', ...args, '-'], { stdin: BAD });
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toContain(words);
  });

  test('a copy over its input, over another copy, or of compressed data', async () => {
    const path = file('refuse/a.jsonl', BAD);
    symlinkSync(path, at('refuse/link.jsonl'));
    for (const target of [path, at('refuse/link.jsonl')]) {
      expect(await run(['audit', '--fix', '--output', target, path])).toEqual({
        code: 2, out: '',
        err: `error: ${path}: its copy would take its place; say --in-place, or name another place\n`,
      });
    }
    file('refuse/b/a.jsonl', BAD);
    const args = ['--fix', '--output-dir', at('refuse/out')];
    const twice = await run(['audit', ...args, path, at('refuse/b/a.jsonl')]);
    expect(twice).toMatchObject({ code: 2, err: expect.stringContaining('take the place of another copy') });
    const one = await run(['audit', '--fix', '--output', at('refuse/one'), at('refuse/b'), path]);
    expect(one).toMatchObject({ code: 2, err: expect.stringContaining('--output is for one input') });
    const packed = file('refuse/c.jsonl.gz', gzipSync(BAD));
    const gz = await run(['audit', '--fix', ...args.slice(1), packed]);
    expect(gz).toMatchObject({ code: 2, err: expect.stringContaining('is compressed') });
    expect(existsSync(at('refuse/out/c.jsonl.gz'))).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe(BAD);
  });

  test('a place that cannot be written leaves nothing behind', async () => {
    const path = file('fail/a.jsonl', BAD);
    mkdirSync(at('fail/folder'));
    writeFileSync(at('fail/file'), '');
    for (const target of [at('fail/folder'), at('fail/file/x'), at('fail/none/x')]) {
      const { code, err } = await run(['audit', '--fix', '--output', target, path]);
      expect(code).toBe(2);
      expect(err).toContain('cannot be written');
    }
    expect(readdirSync(at('fail'))).toEqual(['a.jsonl', 'file', 'folder']);
  });
});

test('findings in a table are placed in the text of the column, or in the row as JSON', async () => {
  const texts = ['plain', 'one <|end|> "two" é <|end|>'];
  const chats = ['a', 'b <|end|>'].map((content) => [{ role: 'user', content }]);
  const columnData = [{ name: 'text', data: texts }, { name: 'messages', data: chats, type: 'JSON' as const }];
  const path = file('placed.parquet', new Uint8Array(parquetWriteBuffer({ columnData })));
  const { out, code } = await run(['audit', '--format', 'ndjson', path]);
  expect(code).toBe(1);
  const found = jsonLines(out).filter(({ rule }) => rule !== undefined);
  const row = JSON.stringify({ text: texts[1], messages: chats[1] });
  const inRow = Buffer.byteLength(row.slice(0, row.lastIndexOf('<|end|>')));
  expect(found.map(({ field, from, to, line, column }) => ({ field, from, to, line, column }))).toEqual([
    { field: 'text', from: 4, to: 11, line: 2, column: 5 },
    { field: 'text', from: 21, to: 28, line: 2, column: 22 },
    { field: 'messages[0].content', from: inRow, to: inRow + 7, line: 2, column: inRow + 1 },
  ]);
});

test('a copy is without what the configuration calls an error, and nothing else', async () => {
  const records = '{"messages":[{"role":"user","content":"<|end|> [INST]"}]}\n';
  const raw = 'version: 2.2\n---\n<|start|>user<|message|>[INST] <|im_end|><|end|>\n';
  const bad = file('rules/in.jsonl', records);
  const text = file('rules/in.txt', raw);
  for (const [rules, record, said] of [
    [{}, records.replace('<|end|>', '<| end |>'), raw],
    [{ 'control-token': 'off' }, records, raw],
    [{ 'control-token': 'warn' }, records, raw],
    [{ 'foreign-token': 'error' }, '{"messages":[{"role":"user","content":"<| end |> [ INST ]"}]}\n',
      raw.replace('[INST]', '[ INST ]')],
    [{ 'control-token': 'error' }, records.replace('<|end|>', '<| end |>'), raw.replace('<|im_end|>', '<| im_end |>')],
  ] as const) {
    const config = file('rules/openchatml.json', JSON.stringify({ rules }));
    for (const [path, wanted] of [[bad, record], [text, said]] as const) {
      const copy = at('rules/copy');
      const { err } = await run(['audit', '--config', config, '--fix', '--output', copy, path]);
      expect(readFileSync(copy, 'utf8'), JSON.stringify(rules)).toBe(wanted);
      expect(err).toContain(wanted === readFileSync(path, 'utf8') ? '0 texts were changed' : '1 text was changed');
      expect(err).not.toContain('left');
    }
  }
});
