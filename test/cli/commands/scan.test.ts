// `scan`: its numbers, its two forms, and what happens when an input cannot be read.
import { gzipSync } from 'node:zlib';
import { closeSync, openSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CLEAN, FAULTY, at, file, run } from '../harness.ts';

const COUNTS = {
  schema: 'openchatml/scan/1', files: 1, bytes: 118, transcripts: 1, messages: 2, calls: 0,
  dialects: { 'openchatml-2.2': 1 },
  roles: { user: 1, assistant: 1 }, channels: { final: 2 }, ends: { end: 1, return: 1 },
  tokens: { start: 2, channel: 1, message: 2, return: 1, end: 1 }, files_in_sequences: 0, fill_ins: 0, findings: {},
};

test('gives one line of JSON with the documented keys in order', async () => {
  const { code, out, err } = await run(['scan', '--format', 'json', file('scan/clean.txt', CLEAN)]);
  expect(code).toBe(0);
  expect(err).toBe('');
  expect(out).toBe(`${JSON.stringify(COUNTS)}\n`);
  expect(CLEAN.length).toBe(COUNTS.bytes);
});

test('adds files up', async () => {
  const one = file('scan/one.txt', CLEAN);
  const { out } = await run(['scan', '--format', 'json', one, one, file('scan/faulty.txt', FAULTY)]);
  expect(JSON.parse(out)).toMatchObject({
    files: 3, transcripts: 3, messages: 6, roles: { user: 3, assistant: 2, robot: 1 },
    findings: { 'text-between-messages': 1 },
  });
});

test('reads standard input when no path is given, and for -', async () => {
  for (const argv of [['scan', '--format', 'json'], ['scan', '--format', 'json', '-']]) {
    const { code, out } = await run(argv, { stdin: CLEAN });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual(COUNTS);
  }
});

test('draws a table with aligned numbers', async () => {
  const large = file('scan/large.txt', `version: 2.2\n${'<|start|>user<|message|>x<|end|>\n'.repeat(1234)}`);
  const { code, out } = await run(['scan', large]);
  expect(code).toBe(0);
  const lines = out.split('\n');
  expect(lines).toContain('  messages         1,234');
  expect(lines).toContain('messages by role');
  expect(lines).toContain('  user             1,234');
  expect(lines).not.toContain('findings');
  expect(new Set(lines.filter((line) => line.startsWith('  ')).map((line) => line.length)).size).toBe(1);
});

test('a role from data cannot steer the terminal', async () => {
  const hostile = '<|start|>a\x1b]0;x\x07\u009b2J\u202e<|message|>x<|end|>';
  const path = file('scan/hostile.txt', hostile);
  const table = (await run(['scan', path], { outIsTTY: true, env: { NO_COLOR: '1' } })).out;
  expect(table).toContain('a\\x1b]0;x\\x07\\x9b2J\\u202e');
  const json = (await run(['scan', '--format', 'json', path], { outIsTTY: true })).out;
  expect(json).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  expect(JSON.parse(json).roles).toEqual({ 'a\x1b]0;x\x07\u009b2J\u202e': 1 });
});

test('colours headings only where they are wanted', async () => {
  const path = file('scan/colour.txt', CLEAN);
  const bold = '\x1b[1mmessages by role\x1b[22m';
  const outOf = async (argv: string[], setting: object): Promise<string> => {
    return (await run(['scan', path, ...argv], setting)).out;
  };
  expect(await outOf([], {})).not.toContain('\x1b');
  expect(await outOf([], { outIsTTY: true })).toContain(bold);
  expect(await outOf([], { outIsTTY: true, env: { TERM: 'dumb' } })).not.toContain('\x1b');
  expect(await outOf([], { outIsTTY: true, env: { NO_COLOR: '1', FORCE_COLOR: '1' } })).not.toContain('\x1b');
  expect(await outOf([], { env: { FORCE_COLOR: '1' } })).toContain(bold);
  expect(await outOf(['--color', 'always'], { env: { NO_COLOR: '1' } })).toContain(bold);
  expect(await outOf(['--color', 'never'], { outIsTTY: true })).not.toContain('\x1b');
});

test('tells the speed on a terminal, and there only on standard error', async () => {
  const path = file('scan/speed.txt', CLEAN);
  expect((await run(['scan', path])).err).toBe('');
  const { out, err } = await run(['scan', '--format', 'json', path], { errIsTTY: true, env: { NO_COLOR: '1' } });
  expect(JSON.parse(out)).toEqual(COUNTS);
  expect(err).toMatch(/^1 file, 2 messages; 118 bytes in \d+\.\d\d s, \S+ \S+\/s\n$/);
});

test('takes dialect, role and a stripped stop token', async () => {
  const harmony = file('scan/raw.txt', '<|start|>user<|message|>a <|literal|> b<|end|>');
  const scanned = async (argv: string[]): Promise<Record<string, unknown>> => {
    return JSON.parse((await run(['scan', '--format', 'json', ...argv])).out) as Record<string, unknown>;
  };
  expect(await scanned([harmony])).toMatchObject({ findings: { 'unterminated-literal': 1 } });
  expect(await scanned([harmony, '--dialect', 'harmony'])).toMatchObject({ dialects: { harmony: 1 }, findings: {} });
  expect(await scanned([file('scan/raw.harmony', '<|start|>user<|message|>a <|literal|> b<|end|>')])).toMatchObject({
    dialects: { harmony: 1 }, findings: {},
  });
  const completion = file('scan/completion.txt', '<|channel|>final<|message|>Hi');
  expect(await scanned([completion])).toMatchObject({ findings: { completion: 1, truncated: 1 } });
  const argv = ['--completion-role', 'assistant', '--stop-stripped', completion];
  expect(await scanned(argv)).toMatchObject({ roles: { assistant: 1 }, findings: { completion: 1 } });
  expect((await scanned(argv))['findings']).toEqual({ completion: 1 });
});

test('an input that is not there fails, the others count', async () => {
  const there = file('scan/there.txt', CLEAN);
  const { code, out, err } = await run(['scan', '--format', 'json', at('scan/none.txt'), there]);
  expect(code).toBe(2);
  expect(JSON.parse(out)).toEqual(COUNTS);
  const reason = 'no such file or directory (ENOENT); look at the spelling of the path';
  expect(err).toBe(`error: ${at('scan/none.txt')}: ${reason}\n`);
});

test('an input that breaks off in the middle leaves no numbers that hold half of it', async () => {
  const cut = file('scan/cut.txt.gz', gzipSync(CLEAN).subarray(0, -4));
  const { code, out, err } = await run(['scan', file('scan/there.txt', CLEAN), cut]);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain('cut.txt.gz: ');
});

test('an input that cannot be read at all is told, the others are counted', async () => {
  const folder = openSync(at('scan'), 'r');
  const { code, out, err } =
    await run(['scan', '--format', 'json', file('scan/there.txt', CLEAN), '-'], { stdin: folder });
  closeSync(folder);
  expect(code).toBe(2);
  expect(JSON.parse(out)).toEqual(COUNTS);
  expect(err).toBe('error: -: cannot be read at byte 0: illegal operation on a directory (EISDIR)\n');
});

test('no input at all gives no numbers', async () => {
  const { code, out, err } = await run(['scan', at('scan/none.txt')]);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain('none.txt');
});

test('an input that is missing is told once, though inputs are read twice', async () => {
  const argv = ['scan', '--report', at('scan/missing.html'), file('scan/there.txt', CLEAN), at('scan/missing.txt')];
  const { code, err } = await run(argv);
  expect([code, err.match(/missing\.txt/g)]).toEqual([2, ['missing.txt']]);
});

test('a page that cannot be written shows before the inputs are read', async () => {
  const path = at('scan/nowhere/page.html');
  const { code, out, err } = await run(['scan', '--report', path, file('scan/report.txt', CLEAN)]);
  expect([code, out, err]).toEqual([2, '', expect.stringContaining('make the folder first')]);
});
