// The command as its own process, from dist/: closed pipes, full disks, what goes to which stream, files of any size.
import { spawn, spawnSync, type StdioOptions } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CLEAN, FAULTY, at, file, jsonLines } from './harness.ts';

const root = new URL('../../', import.meta.url);
const COMMAND = fileURLToPath(new URL('dist/cli/main.js', root));
const VERSION = (JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string }).version;

const command = (...argv: string[]): ReturnType<typeof spawnSync> & { stdout: string; stderr: string } =>
  spawnSync(process.execPath, [COMMAND, ...argv], { encoding: 'utf8', input: '' }) as never;

test('tells its version', () => {
  const told = { status: 0, stdout: `${VERSION}\n`, stderr: '' };
  for (const flag of ['--version', '-V']) expect(command(flag)).toMatchObject(told);
});

test('sets the exit code, data to stdout, words to stderr', () => {
  const faulty = file('process/faulty.txt', FAULTY);
  const clean = file('process/clean.txt', CLEAN);
  expect(command('scan', '--format', 'json', clean)).toMatchObject({ status: 0, stderr: '' });
  const checked = command('check', '--format', 'ndjson', faulty);
  expect([checked.status, checked.stderr, jsonLines(checked.stdout).length]).toEqual([1, '', 4]);
  expect(command('check', at('process/none'))).toMatchObject({ status: 2, stdout: '' });
  expect(command('chek')).toMatchObject({ status: 2, stdout: '' });
});

test('reads standard input', () => {
  const { stdout } = spawnSync(process.execPath, [COMMAND, 'messages'], { encoding: 'utf8', input: CLEAN });
  expect(jsonLines(stdout).map((line) => line['content'])).toEqual(['Hello', 'Hi there']);
});

test('a reader that goes away stops the work quietly', async () => {
  const many = file('process/many.txt', '<|start|>user<|message|>0123456789<|end|>\n'.repeat(200_000));
  const child = spawn(process.execPath, [COMMAND, 'messages', many], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [bytes, words] = [0, ''];
  child.stderr.on('data', (data) => (words += data));
  child.stdout.on('data', (data: Buffer) => {
    bytes += data.length;
    child.stdout.destroy();
  });
  const status = await new Promise((resolve) => child.on('close', resolve));
  expect([status, words]).toEqual([0, '']);
  expect(bytes).toBeGreaterThan(0);
  expect(bytes).toBeLessThan(1_000_000);
});

test.runIf(process.platform === 'linux')('a full disk fails', () => {
  const clean = file('process/clean.txt', CLEAN);
  const json = ['check', '--format', 'json', clean];
  const commands = [['scan', clean], json, ['messages', clean], ['--help'], ['--version']];
  for (const argv of commands) {
    const full = openSync('/dev/full', 'w');
    const stdio: StdioOptions = ['ignore', full, 'pipe'];
    const { status, stderr } = spawnSync(process.execPath, [COMMAND, ...argv], { encoding: 'utf8', stdio });
    closeSync(full);
    expect(status, argv.join(' ')).toBe(2);
    expect(stderr).toBe('error: standard output cannot be written: no space left on device (ENOSPC)\n');
  }
});

test('a slow reader gets every byte', async () => {
  const many = file('process/slow.txt', '<|start|>user<|message|>0123456789<|end|>\n'.repeat(5_000));
  const child = spawn(process.execPath, [COMMAND, 'messages', many], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const data of child.stdout) {
    text += data;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  expect(jsonLines(text)).toHaveLength(5_000);
});

test('finds a message far into a file', () => {
  const far = at('process/far.txt');
  const fd = openSync(far, 'w');
  const from = 300 * 2 ** 20;
  ftruncateSync(fd, from);
  writeSync(fd, '<|start|>user<|message|>', 0);
  writeSync(fd, '<|end|>\n<|start|>user<|message|>Hi<|end|>', from);
  closeSync(fd);
  const { status, stdout } = command('messages', '--at', String(from + 8), far);
  expect(status).toBe(0);
  expect(jsonLines(stdout)).toMatchObject([{ index: 1, from: from + 8, to: from + 41, content: 'Hi' }]);
});
