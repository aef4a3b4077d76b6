// Nothing hostile is expensive: what costs memory or time beyond its bytes, and what ended in an error. Work and memory
// are counted, never the clock. `README.md` says how to run it at any size.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { checkSource } from '../src/rules/check-source.ts';
import { MemorySource } from '../src/scan/source.ts';
import { WasmMachine } from '../src/scan/wasm.ts';
import { check } from '../src/tools.ts';
import { at, file, run } from './cli/harness.ts';
import { drawShape, KNOWN_SHAPES, manyPatterns, type Shape } from './hostile.ts';
import { describeLong, isAll, runs, testLong } from './long.ts';
import { type Random, randomOf, SEED } from './random.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

const commandsOf = (path: string): string[][] => [
  ['scan', '--format', 'json', path], ['check', '--format', 'ndjson', path], ['messages', path],
  ['audit', '--format', 'ndjson', path], ['render', path], ['convert', '--to', 'messages', path],
  ['convert', '--to', 'openchatml-2.2', path], ['filter', path], ['run', '--out', at('hostile-run'), path],
];

const fileOf = ({ dialect, bytes }: Shape, size: number): string =>
  file(dialect === 'record' ? 'hostile.jsonl' : dialect === 'harmony' ? 'x.harmony' : 'hostile.ocml', bytes(size));

const NO_THREADS: ReadonlySet<string> = new Set(['filter', 'run', 'merge']);

/** What a run has written is added up. */
const withMerge = (argv: string[]): string[][] => argv[0] === 'run' ? [argv, ['merge', at('hostile-run')]] : [argv];

/** `check` and another command; every one in the long tests. */
function someOf(commands: string[][], random: Random): string[][] {
  return isAll ? commands : [commands[1]!, random.pick(commands)];
}

/** What is wrong with how a command ended: it may find errors, and refuse, but not fail. */
async function failuresOf(shape: Shape, size: number, random: Random): Promise<string[]> {
  const failures: string[] = [];
  for (const argv of someOf(commandsOf(fileOf(shape, size)), random).flatMap(withMerge)) {
    if (argv[0] === 'run') rmSync(at('hostile-run'), { recursive: true, force: true });
    const { code, err } = await run([...argv, '--quiet', ...(NO_THREADS.has(argv[0]!) ? [] : ['--threads', '1'])]);
    if (code > 1 && !(argv[0] === 'convert' && code === 2 && !err.includes('bug'))) {
      failures.push(`${argv[0]}: ${code} ${err.slice(0, 500)}`);
    }
  }
  return failures;
}

/** Bytes that a check asks its source for. */
class CountedSource extends MemorySource {
  asked = 0;

  override read(position: number, into: Uint8Array): number {
    const read = super.read(position, into);
    this.asked += read;
    return read;
  }

  override bytes(from: number, to: number): Uint8Array {
    const bytes = super.bytes(from, to);
    this.asked += bytes.length;
    return bytes;
  }
}

/** What a check asks for, and how many findings it tells. */
function workOf({ bytes, dialect }: Shape, size: number): { asked: number; found: number } {
  const source = new CountedSource(bytes(size));
  const machine = new WasmMachine({ window: 16 * KIB });
  let found = 0;
  for (const _ of checkSource(machine, source, dialect === 'record' ? {} : { dialect })) found++;
  return { asked: source.asked, found };
}

describe('shapes that have been expensive', () => {
  const drawn = randomOf(SEED);
  test.each(KNOWN_SHAPES)('$name', async (shape) => {
    expect(await failuresOf(shape, isAll ? 256 * KIB : 4 * KIB, drawn)).toEqual([]);
    if (shape.dialect === 'record') return;
    // Of a message or a gap, whatever its length: some kinds of findings, two of which may come to 1,000 each.
    expect(workOf(shape, isAll ? MIB : 32 * KIB).found).toBeLessThan(2100);
  });

  test('patterns of schemas: some are compiled, of the other calls it is told that they are not checked', () => {
    const calls = isAll ? 600 : 300;
    const found = check(manyPatterns(3, calls / 3), { dialect: 'openchatml-0.1' });
    const told = found.filter(({ rule }) => rule === 'invalid-arguments');
    const left = told.filter(({ severity }) => severity === 'warning');
    expect(told.length).toBe(calls);
    expect(told.length - left.length).toBeGreaterThan(50);
    expect(told.length - left.length).toBeLessThan(100);
    for (const { message } of left) expect(message).toContain('not checked');
  });

  testLong('patterns of schemas: every number of threads checks the same calls', async () => {
    // Blocks of an input have a budget each; a record stands for many transcripts.
    const text = manyPatterns(1, 90);
    const pad = 'x'.repeat(1 << 19);
    const lines = Array.from({ length: 40 }, () => `${JSON.stringify({ text, pad })}\n`).join('');
    const path = file('patterns.jsonl', lines);
    const told = async (threads: number): Promise<string> =>
      (await run(['check', '--format', 'ndjson', '--threads', `${threads}`, path])).out;
    const one = await told(1);
    expect(one.split('not checked').length).toBeGreaterThan(100);
    expect(await told(3)).toBe(one);
  });
});

test('short records that are bad in the same way are read once', async () => {
  const lines = { '{}\n': 20_000, '{"a":[1]}\n{"b":null}\n': 5000 };
  for (const [line, times] of Object.entries(lines)) {
    const path = file('bad.jsonl', `{"messages":[{"role":"user","content":"x"}]}\n${line.repeat(times)}`);
    for (const argv of [['check', '--format', 'ndjson'], ['messages'], ['render'], ['audit', '--format', 'ndjson']]) {
      const parse = vi.spyOn(JSON, 'parse');
      const { code, out, err } = await run([...argv, '--threads', '1', path]);
      const read = parse.mock.calls.length;
      parse.mockRestore();
      expect(code, err).toBeLessThanOrEqual(1);
      expect(read, argv[0]).toBeLessThan(200);
      if (argv[0] === 'check') expect(out.split('\n').length).toBeGreaterThan(1000);
    }
  }
});

describe(`drawn shapes (OPENCHATML_SEED=${SEED})`, () => {
  test('no command fails', async () => {
    const random = randomOf(SEED);
    for (let i = 0; i < runs(40); i++) {
      const shape = drawShape(random);
      expect(await failuresOf(shape, 8 * KIB, random), shape.name).toEqual([]);
    }
  });

  test('a check asks for bytes in proportion to those of the input', () => {
    const random = randomOf(SEED);
    for (let i = 0; i < runs(100); i++) {
      const shape = drawShape(random);
      const [less, more] = [workOf(shape, 64 * KIB), workOf(shape, 256 * KIB)];
      expect(more.asked, shape.name).toBeLessThan(6 * less.asked + 4 * MIB);
    }
  });
});

const COMMAND = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
/**
 * Tells, at the end, how much memory a command has had at most, in KiB. On Linux by its own status: the resource usage
 * of a process counts what its parent had when it was started.
 */
const MEASURE = 'data:text/javascript,' + encodeURIComponent(`
  import { readFileSync, writeSync } from 'node:fs';
  const peak = () => process.platform === 'linux'
    ? /^VmHWM:\\s+(\\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))[1]
    : process.resourceUsage().maxRSS;
  process.on('exit', () => writeSync(2, '\\npeak ' + peak() + '\\n'));
`);
const MOST_KIB = 250 * KIB;

/** How a process of a command ended, and its memory in KiB. */
function peakOf(argv: string[]): { argv: string; status: number | null; peak: number } {
  if (argv[0] === 'run') rmSync(at('hostile-run'), { recursive: true, force: true });
  const { status, stderr } = spawnSync(process.execPath, ['--import', MEASURE, COMMAND, ...argv], {
    encoding: 'utf8', maxBuffer: 1 << 30, stdio: ['ignore', 'ignore', 'pipe'],
  });
  return { argv: argv.join(' '), status, peak: Number(/\npeak (\d+)/.exec(stderr)?.[1] ?? Infinity) };
}

const given = Number(process.env['OPENCHATML_HOSTILE'] ?? 0);

describeLong('memory of processes', () => {
  // Two commands of each shape, others for every seed.
  const random = randomOf(SEED);
  test.each(KNOWN_SHAPES)('$name', (shape) => {
    const commands = commandsOf(fileOf(shape, Math.max(1, given) * MIB));
    const some = given > 0 ? commands : [commands[1]!, random.pick(commands)];
    for (const argv of some.flatMap(withMerge)) {
      const { status, peak } = peakOf(argv);
      expect(status, argv.join(' ')).toBeLessThanOrEqual(argv[0] === 'convert' ? 2 : 1);
      expect(peak, argv.join(' ')).toBeLessThan(MOST_KIB);
    }
  });
});
