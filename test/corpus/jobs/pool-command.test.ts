// The command when the threads that do all its parts fail, as workers/faulty.mjs does. One failure makes no difference;
// two of one job end the run with a line that names the file, and with nothing half-written.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { at, CLEAN, FAULTY, file, jsonLines } from '../../cli/harness.ts';
import { isAll, part, testLong } from '../../long.ts';

const root = new URL('../../../', import.meta.url);
const WORKER = new URL('workers/faulty.mjs', import.meta.url).href;
/** In one file: each process would read 200 otherwise, for 2 s. */
const program = at('threads/program/command.mjs');
buildSync({
  entryPoints: [fileURLToPath(new URL('workers/command.ts', import.meta.url))], outdir: dirname(program), bundle: true,
  splitting: true, format: 'esm', platform: 'neutral', external: ['node:*', 'gpt-tokenizer/*'], mainFields: ['main'],
  alias: { fs: 'node:fs', stream: 'node:stream' }, target: 'es2022', outExtension: { '.js': '.mjs' },
  // Packages in it are CommonJS.
  banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
});

/** Large enough for threads: two parts each. */
const LONG = 'x'.repeat(20_000);
const big = (unit: string): string => unit.repeat(Math.ceil((17 * 2 ** 20) / unit.length));
const HIDDEN = FAULTY.replace('Secret', 'Secret <|im_end|> <|im_end|> <|im_end|>');
const RAW = file('threads/raw.txt', big(CLEAN.replace('Hello', LONG) + HIDDEN));
const LINES = file(
  'threads/lines.jsonl',
  big(`${JSON.stringify({ text: CLEAN.replace('Hello', LONG) })}\n${JSON.stringify({ text: HIDDEN })}\n`),
);

interface Told {
  status: number | null;
  stdout: string;
  stderr: string;
}

let folders = 0;
/** How the threads fail; `once`: the first attempt at all. */
function command(
  argv: string[], fault?: { how: string; code?: number; after: number }, once = false, node: string[] = [],
): Told {
  const folder = at(`threads/attempts-${folders++}`);
  mkdirSync(folder);
  const told = fault && JSON.stringify({ ...fault, folder, ...(once && { times: 1 }) });
  const env = { ...process.env, WORKER, ...(told && { FAULT: told }) };
  const result = spawnSync(process.execPath, [...node, program, ...argv], {
    cwd: root, encoding: 'utf8', env, input: '', maxBuffer: 2 ** 30, timeout: 50_000,
  });
  // It did fail, when it was told to.
  if (once) expect(readdirSync(folder)).toEqual(['0']);
  return result;
}

const THREADS = ['--threads', '2'];
const JSON_OF = { scan: 'json', check: 'ndjson', messages: 'ndjson', audit: 'ndjson', filter: 'ndjson' };
const COMMANDS = (['scan', 'check', 'messages', 'audit', 'filter'] as const).flatMap((name) => {
  return [RAW, LINES].map((path) => ({ name, path, kind: path === RAW ? 'raw' : 'lines' }));
});

describe.each(part(COMMANDS, 10))('$name, $kind', ({ name, path }) => {
  const argv = [name, '--format', JSON_OF[name], path];
  let whole: Told;
  beforeAll(() => void (whole = command([...argv, '--threads', '1'])));

  test('a thread that fails once makes no difference', () => {
    const { status, stdout, stderr } = whole;
    expect([status, stderr, stdout.length > 0]).toEqual([name === 'check' ? 1 : 0, '', true]);
    // Of few bytes a part gives one piece.
    for (const after of name === 'scan' || name === 'filter' ? [0] : isAll ? [0, 2] : [2]) {
      const again = command([...argv, ...THREADS], { how: 'exit', code: 3, after }, true);
      expect([again.status, again.stderr, again.stdout === stdout], `${after}`).toEqual([status, '', true]);
    }
  });

  test('threads that always fail: exit code 75, and a beginning of the output at most', () => {
    const { stdout } = whole;
    const failed = command([...argv, ...THREADS], { how: 'exit', code: 3, after: 0 });
    expect(failed.status).toBe(75);
    expect(failed.stderr)
      .toBe(`error: a thread that read ${path} failed twice (exit code 3); try again, or with --threads 1\n`);
    expect(stdout.startsWith(failed.stdout)).toBe(true);
    if (failed.stdout !== '') jsonLines(failed.stdout);
  });
});

testLong.each([
  ['verdict', 'ndjson'], ['messages', 'parquet'],
])('run: the same files of %s (%s) on threads, also when one of them fails once', (emit, format) => {
  const contents = (out: string): string[] => readdirSync(out).sort().map((name) => {
    return `${name}\n${readFileSync(join(out, name), 'latin1')}`;
  });
  const outputs = [['--threads', '1'], THREADS, THREADS].map((threads, i) => {
    const out = at(`threads/run-${format}-${i}`);
    const fault = i === 2 ? { how: 'exit', code: 3, after: 0 } : undefined;
    const argv = ['run', '--out', out, '--emit', emit, '--format', format, RAW, LINES, ...threads];
    const { status, stderr } = command(argv, fault, fault !== undefined);
    expect([status, stderr]).toEqual([0, '']);
    return contents(out);
  });
  expect(outputs[0]).toHaveLength(5);
  expect(outputs[1]).toEqual(outputs[0]);
  expect(outputs[2]).toEqual(outputs[0]);
});

testLong('a thread that has no more memory is done again, or told', () => {
  const argv = ['scan', '--format', 'json', LINES, ...THREADS];
  const small = ['--max-old-space-size=64'];
  const whole = command(argv);
  const once = command(argv, { how: 'memory', after: 0 }, true, small);
  expect(once.stdout).toBe(whole.stdout);
  expect(once.status).toBe(0);
  const always = command(argv, { how: 'memory', after: 0 }, false, small);
  const line =
    `error: a thread that read ${LINES} failed twice (ERR_WORKER_OUT_OF_MEMORY); try again, or with --threads 1\n`;
  expect([always.status, always.stdout, always.stderr.endsWith(line)]).toEqual([75, '', true]);
});

test('one that throws', () => {
  const argv = ['scan', '--format', 'json', RAW, ...THREADS];
  const thrown = command(argv, { how: 'throw', after: 0 });
  expect([thrown.status, thrown.stdout, thrown.stderr])
    .toEqual([75, '', `error: a thread that read ${RAW} failed twice (Error); try again, or with --threads 1\n`]);
});

testLong.each(['ndjson', 'arrow', 'parquet'])('a file of messages (%s) is whole or not there', (format) => {
  const output = at(`threads/out-${format}/messages`);
  mkdirSync(dirname(output));
  const argv = ['messages', '--format', format, '--output', output, LINES];
  const failed = command([...argv, ...THREADS], { how: 'exit', code: 1, after: 1 });
  expect([failed.status, failed.stdout, readdirSync(dirname(output))]).toEqual([75, '', []]);
  expect(command([...argv, '--threads', '1']).status).toBe(0);
  const whole = readFileSync(output);
  expect(command([...argv, ...THREADS], { how: 'exit', code: 0, after: 1 }, true).status).toBe(0);
  expect([readFileSync(output).equals(whole), readdirSync(dirname(output))]).toEqual([true, ['messages']]);
  // What stood there stays.
  expect(command([...argv, ...THREADS], { how: 'exit', code: 1, after: 1 }).status).toBe(75);
  expect([readFileSync(output).equals(whole), readdirSync(dirname(output))]).toEqual([true, ['messages']]);
});

testLong('a copy of an audit is whole or not there', () => {
  const output = at('threads/audit/copy');
  mkdirSync(dirname(output));
  const argv = ['audit', '--fix-warnings', '--max-diagnostics', '0', '--output', output, LINES];
  const failed = command([...argv, ...THREADS], { how: 'exit', code: 1, after: 1 });
  expect([failed.status, readdirSync(dirname(output))]).toEqual([75, []]);
  expect(command([...argv, '--threads', '1']).status).toBe(0);
  const whole = readFileSync(output);
  expect(whole.equals(readFileSync(LINES))).toBe(false);
  expect(command([...argv, ...THREADS], { how: 'exit', code: 0, after: 1 }, true).status).toBe(0);
  expect([readFileSync(output).equals(whole), readdirSync(dirname(output))]).toEqual([true, ['copy']]);
});

testLong('a page of a report is whole or not there', () => {
  const page = at('threads/page/report.html');
  mkdirSync(dirname(page));
  const failed = command(['scan', '--report', page, LINES, ...THREADS], { how: 'exit', code: 1, after: 0 });
  expect([failed.status, existsSync(page), readdirSync(dirname(page))]).toEqual([75, false, []]);
});

test('other inputs do not wait for threads', () => {
  const small = file('threads/small.txt', CLEAN);
  const { status, stdout } = command(['messages', small, LINES, ...THREADS], { how: 'exit', code: 1, after: 0 });
  expect([status, jsonLines(stdout).map(({ path }) => path)]).toEqual([75, [small, small]]);
});
