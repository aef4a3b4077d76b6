// The command as its own process when the system fails: the n-th call on its output or its input, for n = 1 on until
// nothing fails any more. Outputs are whole or not there, what went to standard output is a beginning of what was due,
// and the words name the place, the reason and the remedy.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { after, isAll, part } from '../long.ts';
import { hasCommand } from '../skip.ts';
import { at, CLEAN, FAULTY, file } from './harness.ts';

const COMMAND = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const FAULTS = new URL('faults.mjs', import.meta.url).href;

/** What faults.mjs takes. */
interface Faults {
  calls: Record<string, string>;
  path?: string;
  fd?: number;
  n?: number;
  short?: number;
  again?: true;
}

interface Told {
  status: number | null;
  out: string;
  err: string;
}

const OUT = at('faults/stdout');
const COUNT = at('faults/count');
mkdirSync(at('faults'), { recursive: true });

/**
 * Standard output is a file: what was written stands there, whatever the process comes to. `before`: what runs Node.
 */
function run(argv: readonly string[], faults?: Faults, before: readonly string[] = []): Told {
  const stdout = openSync(OUT, 'w');
  const node = [process.execPath, ...(faults ? ['--import', FAULTS] : []), COMMAND, ...argv];
  const [program, ...rest] = [...before, ...node];
  const env = { ...process.env, FAULTS: JSON.stringify(faults), FAULTS_COUNT: faults ? COUNT : '' };
  const { status, stderr, error } = spawnSync(program!, rest, {
    stdio: ['ignore', stdout, 'pipe'], encoding: 'utf8', env, timeout: 200_000,
  });
  if (error) throw error;
  closeSync(stdout);
  return { status, out: readFileSync(OUT, 'utf8'), err: stderr };
}

/** The one line of what went wrong, among what else is told. */
function errorOf({ err }: Told): string {
  const errors = err.split('\n').filter((line) => line.startsWith('error:'));
  expect(errors, err).toHaveLength(1);
  return errors[0]!;
}

const counted = (): number => Number(readFileSync(COUNT, 'utf8'));

/** The call that fails next. */
const further = (n: number): number => after(n) + (isAll ? 0 : n >> 4);

/** About three pieces of output. */
const LONG = CLEAN.replace('Hello', 'x'.repeat(20_000));
const raw = file('faults/raw.txt', (LONG + FAULTY).repeat(30));
const lines = file(
  'faults/lines.jsonl',
  Array.from({ length: 30 }, () => `${JSON.stringify({ text: LONG })}\n${JSON.stringify({ text: FAULTY })}\n`).join(''),
);
const chat = file(
  'faults/chat.jsonl',
  `${JSON.stringify({ messages: [{ role: 'user', content: `a <|end|> b${'x'.repeat(300_000)}` }] })}\n`.repeat(2),
);

/** Without findings. */
const clean = file('faults/clean.txt', LONG.repeat(30));

const ONE = ['--threads', '1'];
const target = at('faults/out/target');
const OUTPUTS: [string, string[]][] = [
  ['messages, ndjson', ['messages', ...ONE, '--format', 'ndjson', '--output', target, raw]],
  ['messages, arrow', ['messages', ...ONE, '--format', 'arrow', '--output', target, lines]],
  ['messages, parquet', ['messages', ...ONE, '--format', 'parquet', '--output', target, raw]],
  ['scan --report', ['scan', ...ONE, '--report', target, raw]],
  ['audit --fix', ['audit', '--fix', '--output', target, chat]],
];
const REASONS: Record<string, string> = {
  ENOSPC: 'no space left on device (ENOSPC); make room, or choose another place',
  EIO: 'i/o error (EIO); see to the disk, or choose another place',
};
const CALLS: Record<string, string>[] = [
  { lstatSync: 'EIO', openSync: 'EIO', writeSync: 'ENOSPC', fsyncSync: 'EIO', closeSync: 'EIO', renameSync: 'EIO' },
  { writeSync: 'EIO', renameSync: 'ENOSPC' },
];

describe.each(part(OUTPUTS, 5))('the output file of %s', (name, argv) => {
  const fresh = (): void => {
    rmSync(at('faults/out'), { recursive: true, force: true });
    mkdirSync(at('faults/out'));
  };
  const found = (): Record<string, Buffer> =>
    Object.fromEntries(readdirSync(at('faults/out')).map((one) => [one, readFileSync(at(`faults/out/${one}`))]));
  /** A page tells how long it took. */
  const isWhole = (bytes: Buffer | undefined, whole: Buffer): boolean =>
    bytes !== undefined
      && (name.startsWith('scan') ? bytes.toString('utf8').trimEnd().endsWith('</html>') : bytes.equals(whole));

  const failing = isAll && name.startsWith('messages, n') ? CALLS : CALLS.slice(0, 1);
  test.each(failing)('is whole or not there: %j', (calls) => {
    fresh();
    const clean = run(argv);
    const whole = found()['target']!;
    expect(isWhole(whole, whole)).toBe(true);
    let failures = 0;
    for (let n = 1; ; n = further(n)) {
      fresh();
      const told = run(argv, { calls, path: at('faults/out'), n });
      const what = `${n}: ${told.err}`;
      const files = found();
      if (counted() < n) {
        expect([told, Object.keys(files)], what).toEqual([clean, ['target']]);
        expect(isWhole(files['target'], whole), what).toBe(true);
        break;
      }
      // The folder was only read: closing it loses nothing.
      if (told.status === clean.status) {
        expect([told, 'closeSync' in calls, isWhole(files['target'], whole)], what).toEqual([clean, true, true]);
        continue;
      }
      failures++;
      const words = [...new Set(Object.values(calls))].flatMap((code) =>
        ['cannot be written', 'is whole, but its folder cannot be written to the disk'].map((failed) => {
          return `error: ${target}: ${failed}: ${REASONS[code]}\n`;
        }));
      expect(words, what).toContain(`${errorOf(told)}\n`);
      expect([told.status, clean.out.startsWith(told.out)], what).toEqual([2, true]);
      if (told.err.includes('is whole')) expect(isWhole(files['target'], whole), what).toBe(true);
      else expect(Object.keys(files), what).toEqual([]);
    }
    expect(failures).toBeGreaterThanOrEqual(2);
  });

  test('short writes and interrupts make no difference', () => {
    fresh();
    const clean = run(argv);
    const whole = found()['target']!;
    fresh();
    const calls = { openSync: 'EINTR', writeSync: 'EINTR', fsyncSync: 'EINTR', renameSync: 'EINTR' };
    expect(run(argv, { calls, path: at('faults/out'), n: 1, again: true, short: 1000 })).toEqual(clean);
    expect(counted()).toBeGreaterThan(10);
    expect([Object.keys(found()), isWhole(found()['target'], whole)]).toEqual([['target'], true]);
  });
});

const PRINTED: [string, string[]][] = [
  ['messages', ['messages', ...ONE, raw]],
  ['messages of records', ['messages', ...ONE, lines]],
  ['messages, arrow', ['messages', ...ONE, '--format', 'arrow', raw]],
  ['check', ['check', ...ONE, '--format', 'ndjson', lines]],
  ['scan', ['scan', ...ONE, lines]],
];

describe.each(part(PRINTED, 5))('standard output of %s', (_, argv) => {
  test.each(['ENOSPC', 'EPIPE'])('fails with %s', (code) => {
    const whole = run(argv);
    // Tables are written in many pieces.
    for (let n = 1; ; n += n > 4 ? 20 : 1) {
      const told = run(argv, { calls: { writeSync: code }, fd: 1, n });
      if (counted() < n) {
        expect(told).toEqual(whole);
        break;
      }
      const words =
        code === 'EPIPE' ? '' : `error: standard output cannot be written: ${REASONS[code]!.split(';')[0]}\n`;
      expect([n, told.status, told.err, whole.out.startsWith(told.out)])
        .toEqual([n, code === 'EPIPE' ? 0 : 2, words, true]);
      expect(told.out.length).toBeLessThan(whole.out.length);
    }
  });

  test('short writes and interrupts make no difference', () => {
    const whole = run(argv);
    expect(run(argv, { calls: { writeSync: 'EINTR' }, fd: 1, n: 1, again: true, short: 500 })).toEqual(whole);
    expect(counted()).toBeGreaterThanOrEqual(2);
  });
});

const READ: [string, string, string[]][] = [
  ['messages, raw', raw, ['messages', ...ONE, raw]],
  ['messages, records', lines, ['messages', ...ONE, lines]],
  ['check, raw', clean, ['check', ...ONE, '--format', 'concise', clean]],
  ['check, raw, findings', raw, ['check', ...ONE, '--format', 'concise', raw]],
  ['check, records, findings', lines, ['check', ...ONE, '--format', 'concise', lines]],
  ['scan --report, raw', raw, ['scan', ...ONE, '--report', at('faults/page'), raw]],
  ['scan, records', lines, ['scan', ...ONE, lines]],
];

/** What is told of a reading that fails. */
function expectBroken(told: Told, whole: Told, path: string, what: string): void {
  expect(errorOf(told).replace(/ at byte \d+/, ' at byte N'), what)
    .toBe(`error: ${path}: cannot be read at byte N: i/o error (EIO)`);
  expect([told.status, whole.out.startsWith(told.out), told.out === '' || told.out.endsWith('\n')], what)
    .toEqual([2, true, true]);
}

describe.each(part(READ, 7))('the input of %s', (_, path, argv) => {
  test('cannot be read on', () => {
    const whole = run(argv);
    rmSync(at('faults/page'), { force: true });
    const outs = new Set<string>();
    for (let n = 1; ; n = further(n)) {
      const told = run(argv, { calls: { readSync: 'EIO' }, path, n });
      if (counted() < n) {
        expect(told).toEqual(whole);
        break;
      }
      expectBroken(told, whole, path, `reading ${n}`);
      outs.add(told.out);
      expect(existsSync(at('faults/page')), `reading ${n}`).toBe(false);
    }
    // What could be read is told before, but sums of a part are not.
    if (argv[0] === 'messages') expect(outs.size).toBeGreaterThan(1);
    if (argv[0] === 'scan') expect([...outs]).toEqual(argv.includes('--report') ? ['', whole.out] : ['']);
  });

  test('short readings and interrupts make no difference', () => {
    const whole = run(argv);
    expect(run(argv, { calls: { readSync: 'EINTR' }, path, n: 1, again: true, short: 700 })).toEqual(whole);
    expect(counted()).toBeGreaterThan(100);
  });
});

/** The same by the system's own means, where they are there. */
const canTrace = process.platform === 'linux' && hasCommand('strace');
const traced = (path: string | null, call: string, fault: string): string[] =>
  [
    'strace', '-f', '-qq', '-o', '/dev/null', ...(path === null ? [] : ['-P', path]), '-e', `trace=${call}`, '-e',
    `inject=${call}:${fault}`,
  ];

describe.skipIf(!isAll || !canTrace)('system calls that fail', () => {
  const packed = file(
    'faults/lines.jsonl.gz', Buffer.concat([gzipSync(readFileSync(lines)), gzipSync(readFileSync(lines))]),
  );

  test.each([['ENOSPC', 2], ['EIO', 2], ['EPIPE', 0]] as const)('write: %s', (code, status) => {
    const argv = ['messages', ...ONE, raw];
    const whole = run(argv);
    for (const n of [1, 2, 3]) {
      const told = run(argv, undefined, traced(OUT, 'write', `error=${code}:when=${n}`));
      const words =
        code === 'EPIPE' ? '' : `error: standard output cannot be written: ${REASONS[code]!.split(';')[0]}\n`;
      expect([n, told.status, told.err, whole.out.startsWith(told.out)]).toEqual([n, status, words, true]);
    }
    expect(run(argv, undefined, traced(OUT, 'write', 'error=EINTR:when=1+2'))).toEqual(whole);
  });

  test.each([raw, lines, packed])('pread64: EIO, %s', (path) => {
    const argv = ['messages', ...ONE, path];
    const whole = run(argv);
    let failures = 0;
    for (const n of [1, 2, 3, 12]) {
      const told = run(argv, undefined, traced(path, 'pread64', `error=EIO:when=${n}`));
      if (told.status === 0) {
        expect(told).toEqual(whole);
        continue;
      }
      expectBroken(told, whole, path, `pread64 ${n}`);
      failures++;
    }
    expect(failures).toBeGreaterThan(1);
    expect(run(argv, undefined, traced(path, 'pread64', 'error=EINTR:when=1+2'))).toEqual(whole);
  });

  test.each(['fsync', 'rename'])('%s: EIO', (call) => {
    const folder = at(`faults/traced-${call}`);
    mkdirSync(folder);
    for (const format of ['ndjson', 'parquet']) {
      const argv = ['messages', ...ONE, '--format', format, '--output', `${folder}/target`, raw];
      const told = run(argv, undefined, traced(null, call, 'error=EIO:when=1'));
      expect([told, readdirSync(folder)])
        .toEqual([{ status: 2, out: '', err: `error: ${folder}/target: cannot be written: ${REASONS['EIO']}\n` }, []]);
    }
  });
});
