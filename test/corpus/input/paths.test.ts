// PATH arguments: folders, links, FIFOs, sockets, devices, names that are no text.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { InputError } from '../../../src/corpus/error.ts';
import { findInputs, type Input, openInput, optionsFor, pathText } from '../../../src/corpus/input/paths.ts';
import { CLEAN, at, file, jsonLines, run } from '../../cli/harness.ts';

const BASE = at('x').slice(0, -1);

/** The paths, below the tests' folder, of the files that are read, and what is told. */
async function read(...argv: string[]): Promise<{ code: number; paths: string[]; err: string }> {
  const { code, out, err } = await run(['messages', ...argv]);
  const paths = [...new Set(jsonLines(out).map((line) => line['path'] as string))];
  return { code, paths: paths.map((path) => path.replace(BASE, '')), err: err.replaceAll(BASE, '') };
}

test('a folder gives its transcripts, sorted by path; hidden files, links and other endings are left out', async () => {
  const names = [
    'b.txt', 'c.jsonl', 'd.txt.gz', 'a.ocml', 'a/z.chatml', 'a-b.harmony', 'a/deep/er/x.txt', 'é.txt', 'Z.txt',
  ];
  for (const name of names) file(`tree/${name}`, CLEAN);
  for (const name of ['.hidden.txt', '.git/x.txt', 'a/readme.md', 'x.txt.bz2', 'x.gz', 'txt']) {
    file(`tree/${name}`, CLEAN);
  }
  const outside = file('outside/secret.txt', CLEAN);
  symlinkSync(outside, at('tree/link.txt'));
  symlinkSync(at('outside'), at('tree/linked'));
  symlinkSync(at('tree'), at('tree/a/loop'));
  execFileSync('mkfifo', [at('tree/fifo.txt')]);
  const sorted = [
    'Z.txt', 'a-b.harmony', 'a.ocml', 'a/deep/er/x.txt', 'a/z.chatml', 'b.txt', 'c.jsonl', 'd.txt.gz', 'é.txt',
  ];
  const expected = sorted.map((name) => `tree/${name}`);
  expect(await read(at('tree'))).toEqual({ code: 0, paths: expected, err: '' });
  expect((await read(`${at('tree')}/`)).paths).toEqual(expected);
});

test('a path that is named is read whatever its ending, and through a link', async () => {
  file('named/note.md', CLEAN);
  file('named/.hidden', CLEAN);
  symlinkSync(at('named/note.md'), at('named/link'));
  expect(await read(at('named/note.md'), at('named/.hidden'), at('named/link'))).toEqual({
    code: 0, paths: ['named/note.md', 'named/.hidden', 'named/link'], err: '',
  });
});

test('a folder without transcripts is an error with a remedy; the rest is read', async () => {
  file('empty/readme.md', CLEAN);
  const { code, paths, err } = await read(at('empty'), file('full/a.txt', CLEAN));
  expect([code, paths]).toEqual([2, ['full/a.txt']]);
  expect(err).toBe(
    'error: empty: holds no transcripts; a folder gives its files named *.txt, *.ocml, *.chatml, *.harmony, '
    + '*.jsonl, *.ndjson, *.json, each also with .gz or .zst, *.parquet; name any other file itself\n',
  );
});

test('a FIFO that is named is read', async () => {
  execFileSync('mkfifo', [at('pipe')]);
  const script = 'printf "<|start|>user<|message|>Hi<|end|>" > "$0"';
  const child = spawn('sh', ['-c', script, at('pipe')], { stdio: 'ignore' });
  expect(await read(at('pipe'))).toEqual({ code: 0, paths: ['pipe'], err: '' });
  child.kill();
});

test('sockets and devices are refused', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(at('socket'), resolve));
  const refused = await read(at('socket'), '/dev/zero');
  server.close();
  expect(refused.code).toBe(2);
  expect(refused.err).toBe(
    'error: socket: is a socket, not a file; send what it gives through standard input: `-`\n'
    + 'error: /dev/zero: is a device, not a file; send what it gives through standard input: `-`\n',
  );
});

test('names that are not UTF-8 are found in folders, and cannot be arguments', async () => {
  mkdirSync(at('bytes'));
  const name = [Buffer.from(at('bytes/')), Buffer.from([0x61, 0xff, 0xe9]), Buffer.from('.txt')];
  writeFileSync(Buffer.concat(name), CLEAN);
  expect(await read(at('bytes'))).toEqual({ code: 0, paths: ['bytes/a\\xff\\xe9.txt'], err: '' });
  const { code, err } = await read(at('bytes/a\ufffd\ufffd.txt'));
  expect(code).toBe(2);
  expect(err).toContain('a name that is not UTF-8 cannot be an argument: name its folder');
  expect(pathText(Buffer.from('né'))).toBe('né');
});

test('names are escaped where people read them', async () => {
  const { err } = await read(at('no\nsuch\x1b[31m\u202ename'));
  expect(err).toMatch(/^error: no\\nsuch\\x1b\[31m\\u202ename: no such file or directory \(ENOENT\); .*\n$/);
});

const NAMED = ['scan', 'check', 'messages', 'audit', 'render'];
test.each(NAMED)('%s: a path that cannot be looked at is told', async (name) => {
  const good = file('odd/good.txt', CLEAN);
  symlinkSync(at('odd/loop'), at(`odd/${name}`));
  symlinkSync(at(`odd/${name}`), at('odd/loop'));
  for (const [path, words] of [
    [at('odd/x'.padEnd(300, 'x')), 'name too long (ENAMETOOLONG)'],
    [`${good}/x`, 'not a directory (ENOTDIR)'], [at('odd/loop'), '(ELOOP)'],
  ] as const) {
    const { code, err } = await run([name, path, good]);
    expect([code, err.includes(words)], err).toEqual([2, true]);
  }
  rmSync(at('odd/loop'));
});

test('what changes between finding and opening is noticed', () => {
  const open = (path: string, change: () => void): unknown => {
    const [input] = [...findInputs([path], 0)].filter((found) => !(found instanceof InputError)) as Input[];
    change();
    try {
      input!.open().close();
      return 'opened';
    } catch (error) {
      return error instanceof InputError ? error.reason : error;
    }
  };
  const target = file('change/target.txt', CLEAN);
  const path = file('change/in/a.txt', CLEAN);
  expect(open(at('change/in'), () => undefined)).toBe('opened');
  const toLink = (): void => {
    rmSync(path);
    symlinkSync(target, path);
  };
  expect(open(at('change/in'), toLink)).toBe('is a link, not a file');
  renameSync(target, at('change/moved'));
  rmSync(path);
  file('change/in/a.txt', CLEAN);
  expect(open(at('change/in'), () => rmSync(path))).toBe('no such file or directory (ENOENT)');
});

test.runIf(process.getuid?.() !== 0)('what may not be read is told', async () => {
  const locked = file('locked/a.txt', CLEAN);
  chmodSync(locked, 0);
  expect((await read(at('locked'))).err)
    .toContain('permission denied (EACCES); get the right to read it, or leave it out');
});

test('a folder is no file for the library', () => {
  expect(() => openInput(at('named'))).toThrow('is a folder, not a file');
});

test('*.harmony is read as harmony unless a dialect is given', () => {
  expect(optionsFor('a/b.harmony', {})).toEqual({ dialect: 'harmony' });
  expect(optionsFor('a/b.harmony', { dialect: 'auto', role: 'user' })).toEqual({ dialect: 'harmony', role: 'user' });
  expect(optionsFor('a/b.harmony', { dialect: 'openchatml-2.2' })).toEqual({ dialect: 'openchatml-2.2' });
  expect(optionsFor('harmony', {})).toEqual({});
  expect(optionsFor('a.harmony.txt', {})).toEqual({});
});
