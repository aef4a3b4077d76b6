// `run` and `filter` when the system fails: the n-th call, for n = 1 on until nothing fails any more. What stands in
// the folder is always whole, the exit code is right, and the next run completes it.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filter } from '../../../src/cli/commands/filter.ts';
import { type Faults, runShards, type RunShardsOptions } from '../../../src/cli/commands/run.ts';
import { OutputError } from '../../../src/cli/stream.ts';
import { InputError } from '../../../src/corpus/error.ts';
import { joinOutputs, wholeRun } from '../../../src/corpus/shards/merge.ts';
import { FileOutputError, type FileCalls } from '../../../src/corpus/output-file.ts';
import type { InputSource } from '../../../src/corpus/input/source.ts';
import { after } from '../../long.ts';
import { CLEAN, FAULTY, at, file, jsonLines } from '../harness.ts';
import { SHARED, work, type Worked } from '../hosts.ts';

const ERRNO: Record<string, number> = { EIO: -5, ENOSPC: -28, EMFILE: -24, ETIMEDOUT: -110, EINTR: -4 };

const systemError = (code: string): Error =>
  Object.assign(new Error(code), { code, errno: ERRNO[code], syscall: 'test' });

/** Counts calls; the one that is chosen goes wrong. */
class Nth {
  count = 0;
  readonly n: number;

  constructor(n: number) {
    this.n = n;
  }

  get isHit(): boolean {
    return ++this.count === this.n;
  }
}

type Name = keyof FileCalls;
const NAMES: Name[] = ['openSync', 'writeSync', 'fsyncSync', 'closeSync', 'renameSync', 'unlinkSync', 'lstatSync'];

/** The file system, whose n-th call of some kinds fails. */
function failing(names: readonly Name[], code: string, nth: Nth): FileCalls {
  const calls: Record<string, unknown> = {};
  for (const name of [...NAMES, 'realpathSync'] as Name[]) {
    const call = fs[name] as (...values: unknown[]) => unknown;
    calls[name] = (...values: unknown[]) => {
      if (!names.includes(name) || !nth.isHit) return call(...values);
      // A descriptor is free even when closing it fails.
      if (name === 'closeSync') call(...values);
      throw systemError(code);
    };
  }
  return calls as unknown as FileCalls;
}

const paths = [
  file('faults/a.jsonl', [CLEAN, FAULTY, CLEAN].map((text, id) => JSON.stringify({ id, text })).join('\n')),
  file('faults/b.txt', CLEAN + FAULTY.repeat(3)),
  file('faults/c.txt', ''),
];

let folders = 0;

async function run(out: string, faults: Faults = {}, options: Partial<RunShardsOptions> = {}): Promise<Worked> {
  return work((host) => {
    return runShards(paths, { ...SHARED, out, emit: 'verdict', format: 'ndjson', ...options }, host, null, faults);
  });
}

const contents = (folder: string): Record<string, string> =>
  Object.fromEntries(fs.readdirSync(folder).filter((name) => !name.includes('.tmp.')).sort().map((name) => {
    return [name, fs.readFileSync(join(folder, name), 'latin1')];
  }));

/** What an undisturbed run gives. */
async function expected(options?: Partial<RunShardsOptions>): Promise<Record<string, string>> {
  const folder = at(`faults-clean-${folders++}`);
  expect((await run(folder, {}, options)).code).toBe(0);
  return contents(folder);
}

/** Each file stands there as in an undisturbed run, or not at all; a sidecar only with its output. */
function expectWhole(folder: string, whole: Record<string, string>, what: string): void {
  const found = fs.existsSync(folder) ? contents(folder) : {};
  for (const [name, text] of Object.entries(found)) expect([what, name, text]).toEqual([what, name, whole[name]]);
  for (const name of Object.keys(found)) {
    if (name.endsWith('.done.json')) expect(found, what).toHaveProperty([name.replace('.done.json', '')]);
  }
}

const CASES: [names: Name[], code: string, exit: number, table?: Partial<RunShardsOptions>][] = [
  [['openSync', 'writeSync', 'fsyncSync', 'renameSync'], 'ENOSPC', 2, { format: 'parquet' }],
  [['writeSync'], 'ENOSPC', 2],
  [['openSync'], 'EMFILE', 75],
  [['openSync', 'writeSync', 'fsyncSync', 'closeSync', 'renameSync', 'lstatSync'], 'EIO', 2],
  [['fsyncSync'], 'ETIMEDOUT', 75],
  [['writeSync', 'unlinkSync'], 'EIO', 2],
];

test.each(CASES)('the n-th of %j fails with %s', async (names, code, exit, table) => {
  const whole = await expected(table);
  for (let n = 1; ; n = after(n)) {
    const folder = at(`faults-${folders++}`);
    const nth = new Nth(n);
    const what = `${names.join()} ${code} ${n}`;
    const failed = await run(folder, { calls: failing(names, code, nth) }, table);
    if (nth.count < n) {
      expect(n).toBeGreaterThan(3);
      expect([failed.code, contents(folder)]).toEqual([0, whole]);
      return;
    }
    // The folder's own descriptor was only read: closing it loses nothing.
    if (failed.code === 0) expect([what, names.includes('closeSync'), contents(folder)]).toEqual([what, true, whole]);
    else expect([what, failed.code, failed.out, failed.err.split('\n').length]).toEqual([what, exit, '', 2]);
    expectWhole(folder, whole, what);
    expect([what, (await run(folder, {}, table)).code]).toEqual([what, 0]);
    expect([what, contents(folder)]).toEqual([what, whole]);
  }
});

test('the system takes short pieces, and interrupts', async () => {
  const whole = await expected();
  const folder = at(`faults-${folders++}`);
  let calls = 0;
  const short: FileCalls = {
    ...failing([], 'EIO', new Nth(0)),
    writeSync: (fd, bytes, offset, length) => {
      if (++calls % 2 === 0) throw systemError('EINTR');
      return fs.writeSync(fd, bytes, offset, Math.min(7, length));
    },
  };
  expect((await run(folder, { calls: short })).code).toBe(0);
  expect(contents(folder)).toEqual(whole);
});

test('an output that was replaced while its sidecar could not be written is done again', async () => {
  const [whole, other] = [await expected(), await expected({ warnings: true })];
  for (let n = 1; ; n = after(n)) {
    const folder = at(`faults-${folders++}`);
    await run(folder);
    const nth = new Nth(n);
    await run(folder, { calls: failing(['renameSync', 'unlinkSync'], 'EIO', nth) }, { warnings: true });
    if (nth.count < n) break;
    const found = contents(folder);
    // A sidecar never speaks of another output than the one that stands beside it.
    for (const name of Object.keys(found).filter((one) => one.endsWith('.done.json'))) {
      const output = name.replace('.done.json', '');
      const [was, will] = [[whole[name], whole[output]], [other[name], other[output]]];
      expect([was, will], `${n} ${name}`).toContainEqual([found[name], found[output]]);
    }
    expect((await run(folder, {}, { warnings: true })).code).toBe(0);
    expect([n, contents(folder)]).toEqual([n, other]);
  }
});

/** An input whose n-th reading fails, or gives one byte. */
function broken(input: InputSource, nth: Nth, code: string | null): InputSource {
  const step = (): boolean => {
    if (!nth.isHit) return false;
    if (code !== null) throw new InputError(input.path, `cannot be read: ${code}`, '', systemError(code));
    return true;
  };
  return {
    path: input.path,
    size: input.size,
    canReread: input.canReread,
    get first() {
      return input.first;
    },
    read: (position, into) => (step() ? input.read(position, into.subarray(0, 1)) : input.read(position, into)),
    bytes: (from, to) => (step(), input.bytes(from, to)),
    release: (before) => input.release(before),
    close: () => input.close(),
  };
}

test.each([['EIO', 2], ['ETIMEDOUT', 75], [null, 0]] as const)('the n-th reading fails with %s', async (code, exit) => {
  for (const options of [{}, { emit: 'messages' }, { emit: 'messages', format: 'arrow' }] as const) {
    const whole = await expected(options);
    for (let n = 1; ; n = after(n)) {
      const folder = at(`faults-${folders++}`);
      const nth = new Nth(n);
      const what = `${JSON.stringify(options)} ${code} ${n}`;
      const failed = await run(folder, { wrap: (input) => broken(input, nth, code) }, options);
      if (nth.count < n) {
        expect(n).toBeGreaterThan(6);
        break;
      }
      expect([what, failed.code]).toEqual([what, exit]);
      expectWhole(folder, whole, what);
      // The other inputs are done.
      expect(Object.keys(contents(folder)).length, what).toBe(code === null ? 7 : 5);
      expect((await run(folder, {}, options)).code).toBe(0);
      expect([what, contents(folder)]).toEqual([what, whole]);
    }
  }
});

test.each([
  'ndjson', 'parquet',
] as const)('an input that changes while it is read is none that was done: %s', async (format) => {
  const path = file(`faults-change/${format}.txt`, CLEAN);
  const folder = at(`faults-${folders++}`);
  let changed = false;
  const wrap = (input: InputSource): InputSource => {
    if (!changed) fs.appendFileSync(path, FAULTY);
    changed = true;
    return input;
  };
  const once = await work((host) => {
    return runShards([path], { ...SHARED, out: folder, emit: 'verdict', format }, host, null, { wrap });
  });
  expect([once.code, once.err.includes('changed while it was read')]).toEqual([2, true]);
  expect(fs.readdirSync(folder)).toEqual(['inputs.json']);
});

test('a share of failures that pass and others that do not is no reason to try again', async () => {
  const codes = ['EMFILE', 'EIO'];
  const wrap = (): InputSource => {
    const code = codes.shift();
    throw new InputError('x', code ?? 'none', '', systemError(code ?? 'EMFILE'));
  };
  expect((await run(at(`faults-${folders++}`), { wrap })).code).toBe(2);
});

test('joined outputs stand there whole or not at all', async () => {
  const folder = at(`faults-${folders++}`);
  await run(folder);
  const all = wholeRun(folder);
  const target = at('faults-joined.ndjson');
  joinOutputs(folder, all, target);
  const whole = fs.readFileSync(target);
  for (let n = 1; ; n = after(n)) {
    fs.writeFileSync(target, 'before');
    const nth = new Nth(n);
    try {
      joinOutputs(folder, all, target, failing(['openSync', 'writeSync', 'fsyncSync', 'renameSync'], 'ENOSPC', nth));
    } catch (error) {
      if (!(error instanceof FileOutputError)) throw error;
      expect(['before', whole.toString()]).toContain(fs.readFileSync(target, 'utf8'));
      continue;
    }
    expect(nth.count).toBeLessThan(n);
    expect(fs.readFileSync(target).equals(whole)).toBe(true);
    return;
  }
});

test('filter writes a prefix when its output fails, and fails', async () => {
  const input = `${JSON.stringify({ text: CLEAN })}\n`.repeat(20);
  const whole = await work((host) => filter([], { ...SHARED, emit: 'verdict', lineBuffered: true }, host), {
    stdin: input,
  });
  for (let n = 1; n <= 20; n++) {
    const nth = new Nth(n);
    let written = '';
    const failed = work((host) => {
      const stdout = { isTTY: false, write: (text: string) => {
        if (nth.isHit) throw new OutputError('ENOSPC', { cause: systemError('ENOSPC') });
        written += text;
      } };
      return filter([], { ...SHARED, emit: 'verdict', lineBuffered: true }, { ...host, stdout });
    }, { stdin: input });
    await expect(failed).rejects.toThrow(OutputError);
    expect(jsonLines(written)).toHaveLength(n - 1);
    expect(whole.out.startsWith(written)).toBe(true);
  }
});

test('filter answers what it could read, and fails', async () => {
  const folder = fs.openSync(at(''), 'r');
  const { code, out, err } = await work((host) => filter([], { ...SHARED, emit: 'verdict' }, host), { stdin: folder });
  fs.closeSync(folder);
  expect([code, out, err.includes('EISDIR')]).toEqual([2, '', true]);
});
