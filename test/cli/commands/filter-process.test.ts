// `filter` as its own process: answers while its input is open, closed pipes, full disks, lines that would not fit,
// signals of bad data.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { testLong } from '../../long.ts';
import { CLEAN, file, jsonLines } from '../harness.ts';

const COMMAND = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const RECORD = `${JSON.stringify({ id: 'a', text: CLEAN })}\n`;

test('answers each piece of its input before it waits for the next one', async () => {
  const child = spawn(process.execPath, [COMMAND, 'filter'], { stdio: ['pipe', 'pipe', 'inherit'] });
  for (let n = 0; n < 3; n++) {
    child.stdin.write(RECORD.slice(0, 10));
    child.stdin.write(RECORD.slice(10));
    // Without an answer the test ends by its time limit.
    const [data] = (await once(child.stdout, 'data')) as [Buffer];
    expect(jsonLines(data.toString())).toMatchObject([{ n, id: 'a', ok: true }]);
  }
  child.stdin.end('{');
  const [data] = (await once(child.stdout, 'data')) as [Buffer];
  expect(jsonLines(data.toString())).toMatchObject([{ n: 3, ok: false }]);
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(0);
});

/** Large enough for threads, of few records, as each one is judged by itself where lines go out one by one. */
function many(): string {
  const chat = JSON.stringify({ messages: [{ role: 'user', content: 'x'.repeat(5000) }] });
  const lines = `${`${chat}\n`.repeat(20)}${RECORD}\nwhat?\n`;
  return file('filter/many.jsonl', lines.repeat(Math.ceil((17 * 2 ** 20) / lines.length)));
}

test.each(['1', '2'])('a reader that goes away ends it quietly, %s threads', async (threads) => {
  const argv = [COMMAND, 'filter', '--emit', 'keep', '--threads', threads, many()];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] });
  let words = '';
  child.stderr.on('data', (data) => (words += data));
  child.stdout.once('data', () => child.stdout.destroy());
  const [code] = (await once(child, 'close')) as [number];
  expect([code, words]).toEqual([0, '']);
});

test.runIf(process.platform === 'linux')('a full disk fails, bad records do not', () => {
  const full = openSync('/dev/full', 'w');
  for (const emit of ['verdict', 'keep']) {
    const argv = [COMMAND, 'filter', '--emit', emit];
    const failed = spawnSync(process.execPath, argv, {
      input: RECORD, encoding: 'utf8', stdio: ['pipe', full, 'pipe'],
    });
    expect([failed.status, failed.stderr])
      .toEqual([2, 'error: standard output cannot be written: no space left on device (ENOSPC)\n']);
    expect(spawnSync(process.execPath, argv, { input: 'what?\n' })).toMatchObject({ status: 0 });
  }
  const onThreads = spawnSync(process.execPath, [COMMAND, 'filter', '--threads', '2', many()], {
    encoding: 'utf8', stdio: ['ignore', full, 'pipe'],
  });
  expect([onThreads.status, onThreads.stderr])
    .toEqual([2, 'error: standard output cannot be written: no space left on device (ENOSPC)\n']);
  closeSync(full);
});

testLong('a file gives on threads what it gives through a pipe', () => {
  const path = many();
  const { status, stdout } = spawnSync(process.execPath, [COMMAND, 'filter'], {
    stdio: [openSync(path, 'r'), 'pipe', 'inherit'], maxBuffer: 2 ** 28,
  });
  expect(status).toBe(0);
  for (const [threads, ...more] of [['1'], ['2'], ['3'], ['2', '--line-buffered']]) {
    const argv = [COMMAND, 'filter', '--threads', threads!, ...more, path];
    const onThreads = spawnSync(process.execPath, argv, { maxBuffer: 2 ** 28 });
    expect([onThreads.status, onThreads.stdout.equals(stdout)], argv.join(' ')).toEqual([0, true]);
  }
});

test('a line of any length is passed by in little memory', async () => {
  const argv = ['--max-old-space-size=64', COMMAND, 'filter', '--max-line-bytes', '1000000'];
  const child = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (data) => (out += data));
  const part = Buffer.alloc(1024 * 1024, 'x');
  child.stdin.write(RECORD);
  for (let i = 0; i < 300; i++) if (!child.stdin.write(part)) await once(child.stdin, 'drain');
  child.stdin.end(`\n${RECORD}`);
  const [code] = (await once(child, 'close')) as [number];
  expect(code).toBe(0);
  expect(jsonLines(out)).toMatchObject([
    { n: 0, ok: true }, { n: 1, ok: false, err: [{ rule: 'bad-record', to: 300 * 1024 * 1024 }] }, { n: 2, ok: true },
  ]);
});

test('keeps and drops bytes that are no text', () => {
  const odd = Buffer.from('"\xff\xfe"\n', 'latin1');
  const input = Buffer.concat([odd, Buffer.from(RECORD), odd]);
  const of = (emit: string): Buffer =>
    spawnSync(process.execPath, [COMMAND, 'filter', '--emit', emit], { input }).stdout;
  expect(of('keep').equals(Buffer.from(RECORD))).toBe(true);
  expect(of('drop').equals(Buffer.concat([odd, odd]))).toBe(true);
});
