// Nothing hostile is expensive: what costs memory or time beyond its bytes, and what ended in an error. Work and memory
// are counted, never the clock. `README.md` says how to run it at any size.
import fs, { readFileSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { describe, expect, test, vi } from 'vitest';
import { checkSource } from '../src/rules/check-source.ts';
import { MemorySource } from '../src/scan/source.ts';
import { WasmMachine } from '../src/scan/wasm.ts';
import { check } from '../src/tools.ts';
import { at, file, run } from './cli/harness.ts';
import { commandsOf, drawShape, KNOWN_SHAPES, manyPatterns, nameOfFile, type Shape, shapeAt } from './hostile.ts';
import { describeLong, isAll, runs, testLong } from './long.ts';
import { COMMAND, usedBy } from './peak.ts';
import { type Random, randomOf, SEED } from './random.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

const OUT = at('hostile-out');

const fileOf = (shape: Shape, size: number): string => file(nameOfFile(shape), shape.bytes(size));

/** `check` and another command; every one in the long tests. What a run has written is added up. */
function someOf(commands: string[][], random: Random, areAll = isAll): string[][] {
  if (areAll) return commands;
  const [merge, others] = [commands.at(-1)!, commands.slice(0, -1)];
  const other = random.pick(others);
  return [commands[1]!, other, ...(other[0] === 'run' ? [merge] : [])];
}

/** Makes room for what a command writes. */
function makeRoom([name]: string[]): void {
  if (name !== 'merge') rmSync(OUT, { recursive: true, force: true });
}

/** What is wrong with how a command ended: it may find errors, and refuse, but not fail. */
async function failuresOf(shape: Shape, size: number, random: Random): Promise<string[]> {
  const failures: string[] = [];
  for (const argv of someOf(commandsOf(fileOf(shape, size), OUT), random)) {
    makeRoom(argv);
    const { code, err } = await run(argv);
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
    // Of a message or a gap, whatever its length: some kinds of findings, two of which may come to 1,000 each. Of a
    // transcript of many messages 4,000, and more as it goes on.
    const size = isAll ? MIB : 32 * KIB;
    const most = shape.name.includes('<|start|>') ? 4100 + size / 128 : 2100;
    expect(workOf(shape, size).found).toBeLessThan(most);
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

const BAD_LINES = { '{}\n': 20_000, '{"a":[1]}\n{"b":null}\n': 5000, '{\n': 20_000, '---\nversion: 2.2\n---\n': 5000 };
/** Each has a way of its own to short records that are bad. */
const BAD_READERS = [
  ['check', '--format', 'ndjson'], ['messages'], ['render'], ['audit', '--format', 'ndjson'],
  ['filter'], ['run', '--out', OUT], ['convert', '--to', 'openchatml-2.2'],
];

describe('short records that are bad in the same way', () => {
  test.each(BAD_READERS)('%s reads them once', async (...argv) => {
    for (const [line, times] of Object.entries(BAD_LINES)) {
      const path = file('bad.jsonl', `{"messages":[{"role":"user","content":"x"}]}\n${line.repeat(times)}`);
      makeRoom(argv);
      const spies = [vi.spyOn(JSON, 'parse'), vi.spyOn(WasmMachine.prototype, 'checkJson')];
      const { code, out, err } = await run([...argv, ...(argv[0] === 'filter' ? [] : ['--threads', '1']), path]);
      const [parsed = 0, checked = 0] = spies.map(({ mock }) => mock.calls.length);
      vi.restoreAllMocks();
      expect(code, err).toBeLessThanOrEqual(1);
      expect(parsed).toBeLessThan(200);
      // filter finds the place where each line goes wrong, and keeps what it says of that place.
      if (argv[0] !== 'filter') expect(checked).toBeLessThan(2500);
      if (argv[0] === 'check') expect(out.split('\n').length).toBeGreaterThan(1000);
    }
  });

  test('where they go wrong is told of each in its own place', async () => {
    const lines = ['{', '{"a" 1}', '---', '{', '{}', '---', '{"a" 1}', '{', '{'];
    const path = file('bad.jsonl', `${lines.join('\n')}\n`);
    for (const argv of [['check', '--format', 'ndjson'], ['audit', '--format', 'ndjson']]) {
      const { out } = await run([...argv, '--threads', '1', path]);
      interface Told { message: string; from: number; line: number; column: number }
      const told = out.trimEnd().split('\n').map((line) => JSON.parse(line) as Told)
        .filter(({ from }) => from !== undefined);
      const at = told.map(({ message }) => /at byte (\d+)/.exec(message)?.[1] ?? null);
      const starts = lines.map((_, i) => lines.slice(0, i).join('\n').length + (i === 0 ? 0 : 1));
      const wrong: Record<string, number> = { '{': 1, '{"a" 1}': 5, '---': 1 };
      expect(told.map(({ from }) => from)).toEqual(starts);
      expect(at).toEqual(lines.map((line) => line === '{}' ? null : `${wrong[line]!}`));
      expect(told.map(({ line, column }) => [line, column]))
        .toEqual(lines.map((line, i) => [i + 1, (wrong[line] ?? 0) + 1]));
    }
  });

  test('what is written of each is what is written of it alone', async () => {
    const lines = ['{"a":1}', '{}', '{"id":"i"}', '{"id":{}}', '{', '{"text":"x"}', '[]', '', '{}', '{"id":"i"}', '{'];
    const path = file('bad.jsonl', `${lines.join('\n')}\n`);
    const verdictOf = (text: string): unknown => ({ ...JSON.parse(text) as object, n: 0 });
    const alone: unknown[] = [];
    for (const line of lines) alone.push(verdictOf((await run(['filter', file('one.jsonl', `${line}\n`)])).out));
    const { out } = await run(['filter', path]);
    expect(out.trimEnd().split('\n').map(verdictOf)).toEqual(alone);
  });

  test('convert tells 1,000 of them, and how many more there are', async () => {
    for (const to of ['messages', 'openchatml-2.2']) {
      const path = file('bad.jsonl', `${'{"id":7}\n{\n{"messages":[]}\n'.repeat(3000)}`);
      const { out, err } = await run(['convert', '--to', to, '--threads', '1', path]);
      expect(err.split('\n').length).toBeLessThan(1010);
      expect(err).toMatch(/refused: .*\d+ records that cannot be converted, up to line \d+/);
      expect(err).toMatch(/refused: .*\d+ records that cannot be read, up to line \d+/);
      if (to !== 'messages') continue;
      expect(out.split('\n')[0]).toContain('"id":7,"messages":null,"error":"record: it has none of messages');
    }
  });
});

test('runs of bad lines end where they end, whatever stands between them and behind them', async () => {
  const head = '{"messages":[{"role":"user","content":"x"}]}\n';
  // Bad records, lines, and lines before the last record, of what repeats.
  for (const [lines, bad, each, before] of [
    ['{\n', 1, 1, 0], ['{\n\n', 1, 2, 0], [' {\r\n \n', 1, 2, 0], ['---\nversion: 2.2\n---\n', 3, 3, 2],
    ['{\n\n---\n{\n', 3, 4, 3],
  ] as const) {
    for (const tail of ['', '{', '{"a', head]) {
      const path = file('bad.jsonl', `${head}${lines.repeat(30_000)}${tail}`);
      const { err } = await run(['convert', '--to', 'openchatml-2.2', '--threads', '1', path]);
      const [, times, last] = /(\d+) records that cannot be read, up to line (\d+)/.exec(err)!;
      const isBad = tail !== '' && tail !== head;
      expect(Number(times)).toBe(30_000 * bad - 1000 + Number(isBad));
      expect(Number(last)).toBe(isBad ? 2 + 30_000 * each : 2 + 29_999 * each + before);
    }
  }
});

test('lines that repeat together are counted each by its own rule', async () => {
  const random = randomOf(SEED);
  const rules = { '{\n': 'bad-record', 'x\n': 'bad-record', '{}\n': 'unknown-record', '{"a":[1]}\n': 'unknown-record' };
  const lines = [...Object.entries(rules), ['\n', ''], ['{"messages":[{"role":"user","content":"x"}]}\n', '']] as const;
  for (let round = 0; round < 20; round++) {
    const counts: Record<string, number> = { 'bad-record': 0, 'unknown-record': 0, '': 0 };
    let text = '{"messages":[]}\n';
    for (let i = 0; i < 20; i++) {
      const group = Array.from({ length: 1 + random.below(6) }, () => random.pick(lines));
      const times = random.pick([1, 2, 3, 400]);
      text += group.map(([line]) => line).join('').repeat(times);
      for (const [, rule] of group) counts[rule]! += times;
    }
    const { out } = await run(['scan', '--format', 'json', '--threads', '1', file('bad.jsonl', text)]);
    const { findings } = JSON.parse(out) as { findings: Record<string, number> };
    for (const rule of ['bad-record', 'unknown-record']) expect(findings[rule] ?? 0, text).toBe(counts[rule]);
  }
});

describe('an audit of many tiny findings', () => {
  const LINE = '{"messages":[{"role":"user","content":"<s>"}]}\n';
  const MESSAGE = '<|start|>user<|message|><think><|end|>';
  const files = (times: number): string[] =>
    [file('many.jsonl', LINE.repeat(times)), file('many.ocml', `version: 2.2\n${MESSAGE.repeat(times)}`)];
  const audited = async (path: string, threads: number): Promise<string> =>
    (await run(['audit', '--format', 'ndjson', '--threads', `${threads}`, path])).out;
  /** Findings that are told, and how many they stand for. */
  const toldIn = (out: string): [told: number, found: number] => {
    const lines = out.trimEnd().split('\n').slice(0, -1);
    const times = lines.map((line) => Number(/: (\d+) times, from here on/.exec(line)?.[1] ?? 1));
    return [lines.length, times.reduce((sum, one) => sum + one, 0)];
  };

  test('tells 4,000 of a block, one for each 128 bytes, and how many more there are', async () => {
    const times = 20_000;
    for (const path of files(times)) {
      const [told, found] = toldIn(await audited(path, 1));
      expect(found).toBe(times);
      expect(told).toBeLessThanOrEqual(4000 + times * LINE.length / 128 + 2);
      expect(told).toBeGreaterThan(4000);
    }
  });

  test('and a copy without them makes what it writes in their place few times', async () => {
    const encode = vi.spyOn(TextEncoder.prototype, 'encode');
    makeRoom(['audit']);
    const { code } = await run(['audit', '--fix-warnings', '--output', OUT, '--threads', '1', files(20_000)[1]!]);
    const times = encode.mock.calls.length;
    encode.mockRestore();
    expect(code).toBeLessThan(2);
    expect(times).toBeLessThan(1000);
    expect(readFileSync(OUT, 'utf8').match(/< think >/g)?.length).toBe(20_000);
  });

  testLong('tells the same on any number of threads', async () => {
    for (const path of files(300_000)) {
      const one = await audited(path, 1);
      expect(toldIn(one)[1]).toBe(300_000);
      expect(await audited(path, 3)).toBe(one);
    }
  });
});

test('a record that is longer than the window is not read as a value', async () => {
  const path = fileOf(shapeAt('content', '<|end|>'), 5 * MIB);
  for (const argv of [['scan'], ['check'], ['messages'], ['filter']]) {
    const parse = vi.spyOn(JSON, 'parse');
    await run([...argv, ...(argv[0] === 'filter' ? [] : ['--threads', '1']), path]);
    const longest = parse.mock.calls.reduce((most, [text]) => Math.max(most, text.length), 0);
    parse.mockRestore();
    expect(longest, argv[0]).toBeLessThan(MIB);
  }
});

test('a content that holds many messages is read once', async () => {
  const path = fileOf(shapeAt('content', '\\n<tool_call>'), 64 * KIB);
  const parse = vi.spyOn(JSON, 'parse');
  const { out } = await run(['messages', '--threads', '1', path]);
  const read = parse.mock.calls.length;
  parse.mockRestore();
  expect(out.split('\n').length).toBeGreaterThan(1000);
  expect(read).toBeLessThan(20);
});

test('calls of a content beyond the first 1,000 are told together', async () => {
  const good = '\\n<tool_call>{\\"name\\":\\"f\\",\\"arguments\\":{}}</tool_call>';
  for (const [fragment, alone] of [['\\n<tool_call>', 1000], ['\\n<tool_call>{', 1000], [good, 0]] as const) {
    const path = fileOf(shapeAt('content', fragment), 1001 * fragment.length + 1);
    const { out } = await run(['check', '--format', 'ndjson', '--threads', '1', path]);
    const told = out.split('\n').filter((line) => line.includes('"bad-call-object","severity"'));
    expect(told.length).toBe(alone + 1);
    expect(told.at(-1)).toContain(': 2 calls, from here on, are more than are read');
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
    const drawn = Array.from({ length: runs(100) }, () => drawShape(random));
    for (const shape of [shapeAt('answer of 0.1', '\n<tool_call> a=b'), ...drawn]) {
      const [less, more] = [workOf(shape, 64 * KIB), workOf(shape, 256 * KIB)];
      expect(more.asked, shape.name).toBeLessThan(6 * less.asked + 4 * MIB);
    }
  });
});

/** Bytes that a command reads and writes. */
async function movedBy(argv: string[]): Promise<number> {
  let moved = 0;
  const [read, write] = [fs.readSync, fs.writeSync];
  const counting = <T extends (...given: never[]) => number>(call: T): T =>
    ((...given: never[]) => {
      const bytes = call(...given);
      moved += bytes;
      return bytes;
    }) as T;
  Object.assign(fs, { readSync: counting(read), writeSync: counting(write) });
  syncBuiltinESMExports();
  try {
    const { out, err } = await run(argv);
    return moved + out.length + err.length;
  } finally {
    Object.assign(fs, { readSync: read, writeSync: write });
    syncBuiltinESMExports();
  }
}

describeLong('work of commands', () => {
  // Texts and records alike.
  const random = randomOf(SEED);
  const shapes = Array.from({ length: 60 }, () => drawShape(random));
  const few = [true, false].flatMap((isRecord) =>
    shapes.filter(({ dialect }) => (dialect === 'record') === isRecord).slice(0, 8));
  test.each(few)('what is read and written is in proportion to the input: $name', async (shape) => {
    const moved: number[][] = [];
    for (const size of [MIB, 4 * MIB]) {
      const path = fileOf(shape, size);
      const each: number[] = [];
      for (const argv of commandsOf(path, OUT)) {
        makeRoom(argv);
        each.push(await movedBy(argv));
      }
      moved.push(each);
    }
    expect(moved[0]!.filter((bytes) => bytes < MIB / 2).length).toBeLessThan(4);
    moved[0]!.forEach((less, i) => {
      expect(moved[1]![i]!, commandsOf('x', OUT)[i]!.join(' ')).toBeLessThan(6 * less + 4 * MIB);
    });
  });
});

const MOST_KIB = 250 * KIB;

const given = Number(process.env['OPENCHATML_HOSTILE'] ?? 0);

describeLong('memory of processes', () => {
  // Two commands of each shape, others for every seed.
  const random = randomOf(SEED);
  test.each(KNOWN_SHAPES)('$name', (shape) => {
    for (const argv of someOf(commandsOf(fileOf(shape, Math.max(1, given) * MIB), OUT), random, given > 0)) {
      makeRoom(argv);
      const { status, peak } = usedBy(argv);
      expect(status, argv.join(' ')).toBeLessThanOrEqual(argv[0] === 'convert' ? 2 : 1);
      expect(peak, argv.join(' ')).toBeLessThan(MOST_KIB);
    }
  });

  test.each([
    [`version: 2.2\n${'<|start|>user'.repeat(1_290_000)}`, 'the transcript has more than 262144 messages; divide it'],
    ['<|fim_prefix|>'.repeat(1_190_000), 'the transcript has more than 131072 tokens of files and fill-ins; divide it'],
    ['<|file_separator|>'.repeat(930_000), 'more than 131072 tokens of files and fill-ins; divide it'],
  ])('convert holds as much of a transcript as it says: %#', (text, told) => {
    const path = file('hostile.ocml', text);
    for (const to of ['messages', 'openchatml-2.2']) {
      const { status, peak, words } = usedBy(['convert', '--to', to, '--threads', '1', path]);
      expect(status).toBe(1);
      expect(words).toContain(told);
      expect(peak).toBeLessThan(MOST_KIB);
    }
  });

  test('a message of too many tokens is refused by whoever reads messages', () => {
    const path = fileOf(shapeAt('body', '<<|end|>'), 64 * MIB);
    for (const argv of commandsOf(path, OUT).filter(([name]) => name !== 'filter' && name !== 'merge')) {
      makeRoom(argv);
      const { status, peak, words } = usedBy(argv);
      expect(status, argv.join(' ')).toBe(2);
      expect(words).toContain('the message at byte 13 holds more than 2621440 control tokens and escapes');
      expect(peak, argv.join(' ')).toBeLessThan(MOST_KIB);
    }
  });

  test('a pipe takes the memory of a file and of what is kept of it', () => {
    const message = shapeAt('body', 'x').bytes(64 * MIB);
    // What waits to be told in a block is told when it is over, though nothing else is found behind it.
    const dirty = '{"messages":[{"role":"user","content":"see <|im_start|> and <|im_end|>"}]}\n'.repeat(20_000);
    const clean = `{"messages":[{"role":"user","content":"${'x'.repeat(1000)}"}]}\n`.repeat(200_000);
    const records = Buffer.from(dirty + clean);
    for (const argv of [['scan'], ['check'], ['messages'], ['audit']]) {
      for (const input of [message, records]) {
        const { status, peak } = usedBy([...argv, '-'], COMMAND, Infinity, input);
        expect(status, argv[0]).toBeLessThanOrEqual(1);
        expect(peak, argv[0]).toBeLessThan(MOST_KIB);
      }
    }
  });

  test('turns, one a line, are one record of a bounded number', () => {
    const path = fileOf(shapeAt('turns', '{"role":"user","content":"x"}\n'), 57 * MIB);
    for (const argv of commandsOf(path, OUT)) {
      makeRoom(argv);
      const { status, peak } = usedBy(argv);
      expect(status, argv.join(' ')).toBeLessThanOrEqual(1);
      expect(peak, argv.join(' ')).toBeLessThan(MOST_KIB);
    }
  });

  test('a message of any size goes out in parts', () => {
    const path = file('hostile.ocml', Buffer.concat([
      Buffer.from('version: 2.2\n<|start|>user<|message|>'), Buffer.alloc(300 * MIB, 'and so on '),
    ]));
    for (const argv of [['messages'], ['render'], ['check'], ['scan']]) {
      const { status, peak } = usedBy([...argv, '--threads', '1', path]);
      expect(status, argv[0]).toBeLessThanOrEqual(1);
      expect(peak, argv[0]).toBeLessThan(MOST_KIB);
    }
  });
});
