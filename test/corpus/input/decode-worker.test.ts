// Compressed inputs: what they give, what damage leaves of them, what their errors say, and that nothing survives them.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import * as zlib from 'node:zlib';
import { buildSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { containerOf, decodeInput, decodeWith } from '../../../src/corpus/input/container.ts';
import { type DecodeTask, decode } from '../../../src/corpus/input/pass.ts';
import { InputError } from '../../../src/corpus/error.ts';
import { FileSource, type InputSource, PipeSource } from '../../../src/corpus/input/source.ts';
import { at, file } from '../../cli/harness.ts';
import { describeOnce, isAll, testLong, testOnce } from '../../long.ts';
import { randomOf, SEED } from '../../random.ts';
import { hasCommand } from '../../skip.ts';

const canZstd = 'createZstdDecompress' in zlib || hasCommand('zstd');
const random = randomOf(SEED);

/** Text that compresses, of `length` bytes. */
function textOf(length: number): Buffer {
  const words = ['<|start|>', 'user', '<|message|>', 'hello ', 'world ', '\n', '0', '1', '2', '3', '4', '5', 'é'];
  const parts: string[] = [];
  for (let size = 0; size < length; size += parts.at(-1)!.length) {
    parts.push(random.pick(words).repeat(1 + random.below(3)));
  }
  return Buffer.from(parts.join('')).subarray(0, length);
}

const zstd = (bytes: Uint8Array, ...args: string[]): Buffer =>
  execFileSync('zstd', ['-q', '-c', ...args], { input: bytes });
/** A frame for each part, by one process. */
function zstdEach(parts: readonly Uint8Array[]): Buffer {
  const paths = parts.map((part, n) => file(`decoded/part-${n}`, part));
  return execFileSync('zstd', ['-q', '-c', '-1', ...paths], { maxBuffer: 2 ** 26 });
}

interface Read {
  bytes: Buffer;
  error: InputError | null;
}

/** Reads all, through to the end or the error. */
function readAll(input: InputSource, step = 100_000): Read {
  const parts: Buffer[] = [];
  let error: InputError | null = null;
  const into = new Uint8Array(step);
  try {
    for (let size = 0, read; (read = input.read(size, into)) > 0; ) {
      parts.push(Buffer.from(into.subarray(0, read)));
      size += read;
      input.release(size);
    }
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    error = thrown;
  } finally {
    input.close();
  }
  return { bytes: Buffer.concat(parts), error };
}

const decodeFile = (path: string, verify: boolean): Read => readAll(decodeInput(FileSource.open(path), { verify }));

/** Decodes in this thread: for the many. */
async function decodeHere(path: string, container: DecodeTask['container'], verify: boolean): Promise<Read> {
  const descriptor = openSync(path, 'r');
  const parts: Buffer[] = [];
  let error: InputError | null = null;
  const write = (bytes: Uint8Array): void => void parts.push(Buffer.from(bytes));
  try {
    const output = { write, check: () => {}, leaveOut: () => {}, ask: () => null };
    await decode({ container, path, descriptor, verify, columns: [] }, output);
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    error = thrown;
  } finally {
    closeSync(descriptor);
  }
  return { bytes: Buffer.concat(parts), error };
}

function gzipWithAll(bytes: Uint8Array): Buffer {
  const plain = zlib.gzipSync(bytes);
  const extra = Buffer.from([4, 0, 1, 2, 3, 4]);
  const head = Buffer.concat([plain.subarray(0, 10), extra, Buffer.from('name\0comment\0')]);
  head[3] = 2 | 4 | 8 | 16;
  const crc = Buffer.alloc(2);
  crc.writeUInt16LE(zlib.crc32(head) & 0xffff);
  return Buffer.concat([head, crc, plain.subarray(10)]);
}

test('containers are told by their first bytes', () => {
  expect(containerOf(zlib.gzipSync('x'))).toBe('gzip');
  expect(containerOf(Buffer.from('28b52ffd', 'hex'))).toBe('zstd');
  expect(containerOf(Buffer.from('5f2a4d18', 'hex'))).toBe('zstd');
  expect(containerOf(Buffer.from('PAR1'))).toBe('parquet');
  for (const text of ['', '\x1f', '<|start|>', '{"a":1}', 'PAR', 'PARE', '\x1f\x8b\x07']) {
    expect(containerOf(Buffer.from(text, 'latin1')), text).toBe('plain');
  }
});

test('a plain input stays what it is', () => {
  const source = FileSource.open(file('decoded/plain.gz', 'version: 2.2'));
  expect(decodeInput(source, { verify: true })).toBe(source);
  source.close();
});

describeOnce('whole inputs', () => {
  const text = textOf(3_000_000);
  const half = text.length / 2;
  const small = Array.from({ length: 300 }, (_, n) => text.subarray(n * 10_000, (n + 1) * 10_000));
  const made: [string, () => Uint8Array][] = [
    ['gzip', () => zlib.gzipSync(text)],
    [
      'gzip of members',
      () => Buffer.concat([zlib.gzipSync(text.subarray(0, half)), zlib.gzipSync(text.subarray(half))]),
    ],
    ['gzip of small members', () => Buffer.concat([...small.map((part) => zlib.gzipSync(part)), zlib.gzipSync('')])],
    ['gzip of stored blocks', () => zlib.gzipSync(text, { level: 0 })],
    ['gzip with every part of a header', () => gzipWithAll(text)],
    ['gzip with padding', () => Buffer.concat([zlib.gzipSync(text), Buffer.alloc(600_000)])],
    ['an empty gzip member before others', () => Buffer.concat([zlib.gzipSync(''), zlib.gzipSync(text)])],
  ];
  if (canZstd) {
    const skipped = Buffer.from('502a4d18050000000102030405', 'hex');
    made.push(
      ['zstd', () => zstd(text)],
      [
        'zstd of frames',
        () => Buffer.concat([zstd(text.subarray(0, half)), zstd(text.subarray(half), '--no-check', '-9')]),
      ],
      ['zstd of small frames', () => zstdEach(small)],
      ['zstd with skipped frames', () => Buffer.concat([skipped, zstd(text), skipped, zstd(Buffer.alloc(0))])],
      ['zstd in one segment', () => zstd(text, '--long=24', `--stream-size=${text.length}`)],
    );
  }
  const readers: [string, (path: string) => Read][] = [
    ['a file, verified', (path) => decodeFile(path, true)],
    ['a file', (path) => decodeFile(path, false)],
    ['a pipe', (path) => readAll(decodeInput(new PipeSource(openSync(path, 'r'), '-', true), { verify: true }))],
  ];
  for (const [name, make] of made) {
    let path: string | undefined;
    test.each(readers)(`${name} through %s`, (_, read) => {
      path ??= file(`decoded/${name.replaceAll(' ', '-')}`, make());
      const { bytes, error } = read(path);
      expect(error).toBeNull();
      expect(Buffer.compare(bytes, text), `seed ${SEED}`).toBe(0);
    });
  }

  test('an empty text', () => {
    expect(decodeFile(file('decoded/empty.gz', zlib.gzipSync('')), true))
      .toEqual({ bytes: Buffer.alloc(0), error: null });
  });

  test('a FIFO whose writer takes its time', () => {
    const fifo = at('decoded-fifo');
    execFileSync('mkfifo', [fifo]);
    const path = file('decoded/slow.gz', zlib.gzipSync(text));
    const child = spawn('sh', ['-c', 'head -c 1000 "$0"; sleep 0.3; tail -c +1001 "$0"', path], {
      stdio: ['ignore', openSync(fifo, constants.O_RDWR), 'ignore'],
    });
    const input = decodeInput(new PipeSource(openSync(fifo, constants.O_RDONLY), '-', true), { verify: false });
    expect(Buffer.compare(input.bytes(0, text.length), text)).toBe(0);
    input.close();
    child.kill();
  });

  test('what was released is gone, and the error says what to do', () => {
    const input = decodeInput(FileSource.open(file('decoded/once.gz', zlib.gzipSync(text))), { verify: false });
    input.bytes(0, 2_000_000);
    input.release(1_500_000);
    expect(input.first).toBeGreaterThan(1_000_000);
    expect(() => input.bytes(5, 6)).toThrow(
      'byte 5 is needed again, and a compressed input is read once; decompress it into a file first');
    input.close();
    expect(() => input.read(text.length, new Uint8Array(1))).toThrow(InputError);
  });
});

describe('damage', () => {
  const parts = [0, 1, 2].map((n) => textOf(40 + 20 * n));
  const text = Buffer.concat(parts);
  const starts = [0, parts[0]!.length, parts[0]!.length + parts[1]!.length, text.length];

  const TOLD = /is damaged: .*; restore it from its source$|needs more than 128 MiB of memory/;

  /** All cuts and flips of one bit. The container's own first bytes stay. */
  async function everywhere(
    container: 'gzip' | 'zstd', members: Buffer[], keep: number, prefixes: number[], right = text,
  ): Promise<void> {
    const whole = Buffer.concat(members);
    const ends = members.map((_, n) => Buffer.concat(members.slice(0, n + 1)).length);
    for (let place = keep; place < whole.length; place += isAll ? 1 : 1 + random.below(19)) {
      const flipped = Buffer.from(whole);
      flipped[place] = flipped[place]! ^ (1 << random.below(8));
      for (const [what, bytes] of [['flip', flipped], ['cut', whole.subarray(0, place)]] as const) {
        const message = `${what} at byte ${place} of ${container}, seed ${SEED}`;
        const read = await decodeHere(file('decoded/damaged', bytes), container, true);
        expect(Buffer.compare(read.bytes, right.subarray(0, read.bytes.length)), message).toBe(0);
        if (read.error !== null) expect(prefixes, message).toContain(read.bytes.length);
        // A cut between members, and a flip in what carries nothing, leave a whole input.
        else if (what === 'flip') expect(read.bytes.length, message).toBe(right.length);
        else expect(ends, message).toContain(place);
        if (read.error !== null) expect(read.error.message, message).toMatch(TOLD);
      }
    }
  }

  test('of gzip, everywhere', async () => {
    await everywhere('gzip', parts.map((part) => zlib.gzipSync(part)), 3, starts);
  });

  test('of gzip, everywhere, of headers with all parts', async () => {
    await everywhere('gzip', parts.map((part) => gzipWithAll(part)), 3, starts);
  });

  test.skipIf(!canZstd)('of zstd, everywhere', async () => {
    const two = parts.slice(0, 2);
    await everywhere('zstd', two.map((part) => zstd(part)), 4, starts, Buffer.concat(two));
  });

  const member = zlib.gzipSync(text);
  const size = member.length;
  const changed = (at: number): Buffer => {
    const bytes = Buffer.concat([member, member, member]);
    bytes[at] = bytes[at]! ^ 1;
    return bytes;
  };
  const told: [string, Uint8Array, number, string][] = [
    ['a wrong checksum', changed(2 * size - 8), 1, `the checksum of the gzip member at byte ${size} is wrong`],
    ['a wrong size', changed(2 * size - 4), 1, `the size of the gzip member at byte ${size} is wrong`],
    ['a wrong method', changed(size + 2), 1, `the header of the gzip member at byte ${size} is of an unknown kind`],
    [
      'no end', Buffer.concat([member, member.subarray(0, 30)]), 1,
      `the end of the gzip member at byte ${size} is missing`,
    ],
    ['other bytes', Buffer.concat([member, Buffer.from('more')]), 1,
      `what follows the gzip member that ends at byte ${size} is no gzip`],
    ['other bytes after padding', Buffer.concat([member, Buffer.alloc(9), Buffer.from('x')]), 1,
      `what follows the gzip member that ends at byte ${size} is no gzip`],
    [
      'one other byte', Buffer.concat([member, Buffer.from([0x1f])]), 1,
      `the end of the gzip member at byte ${size} is missing`,
    ],
  ];
  test.each(told)('%s is told', (_, bytes, whole, what) => {
    const path = file('decoded/told.jsonl.gz', bytes);
    const length = whole * text.length;
    const message =
      `${path}: is damaged: ${what}; ${length} decompressed bytes before it are whole; restore it from its source`;
    for (const verify of [true, false]) {
      const read = decodeFile(path, verify);
      expect(read.error?.message).toBe(message);
      if (verify) expect(read.bytes.length).toBe(length);
    }
  });

  test('of a large file is told after what is whole, however large the rest', () => {
    const [first, second] = [textOf(2_000_000), textOf(5_000_000)];
    const bytes = Buffer.concat([zlib.gzipSync(first), zlib.gzipSync(second)]);
    bytes[bytes.length - 5] = bytes[bytes.length - 5]! ^ 0x40;
    const path = file('decoded/large.gz', bytes);
    const verified = decodeFile(path, true);
    expect(Buffer.compare(verified.bytes, first)).toBe(0);
    expect(verified.error?.reason).toContain('the checksum of the gzip member');
    const straight = decodeFile(path, false);
    expect(straight.bytes.length).toBe(7_000_000);
    expect(straight.error?.reason).toContain('the checksum of the gzip member');
  });

  test.skipIf(!canZstd)('of zstd without checksums leaves nothing that is sure', () => {
    const bytes = Buffer.concat([zstd(text, '--no-check'), zstd(text).subarray(0, -1)]);
    const { bytes: given, error } = decodeFile(file('decoded/unchecked.zst', bytes), true);
    expect(given.length).toBe(0);
    expect(error?.reason).toContain('is missing; 0 decompressed bytes before it are whole');
  });

  test.skipIf(!canZstd)('of zstd is told with its place where its form is broken', () => {
    const frame = zstd(text);
    const after = decodeFile(file('decoded/after.zst', Buffer.concat([frame, Buffer.from('more')])), true);
    expect(after.bytes.length).toBe(text.length);
    expect(after.error?.reason).toContain(`what stands at byte ${frame.length} is no zstd frame`);
  });

  test.skipIf(!canZstd)('a window larger than is granted is refused', () => {
    const bytes = Buffer.from('28b52ffd0090010000', 'hex');
    const { error } = decodeFile(file('decoded/window.zst', bytes), true);
    expect(error?.message)
      .toMatch(/needs more than 128 MiB of memory to be decompressed; 0 .* whole; decompress it first/);
  });
});

test('no zstd program: the error says what to install', async () => {
  if ('createZstdDecompress' in zlib) return console.log('skipped: Node decodes zstd itself');
  const path = file('decoded/no-program.zst', Buffer.from('28b52ffd', 'hex'));
  const before = process.env['PATH'];
  process.env['PATH'] = at('');
  try {
    const { error } = await decodeHere(path, 'zstd', false);
    expect(error?.message)
      .toBe(`${path}: is compressed with zstd; install the \`zstd\` program, or use Node 22.15 or newer`);
  } finally {
    process.env['PATH'] = before;
  }
});

test('a failing read is told with its place', () => {
  const path = file('decoded/closed.gz', zlib.gzipSync(textOf(1000)));
  for (const verify of [true, false]) {
    const source = FileSource.open(path);
    const task = { container: 'gzip' as const, path, descriptor: 1_000_000, verify, columns: [] };
    const script = new URL('../../../dist/cli/corpus-input-decode-worker.js', import.meta.url);
    const { error } = readAll(decodeWith(script, source, task));
    expect(error?.message).toBe(`${path}: cannot be read at byte 0: bad file descriptor (EBADF)`);
    expect(error?.code).toBe('EBADF');
  }
});

describe('the thread', () => {
  const isLinux = process.platform === 'linux';
  const path = file('decoded/thread.gz', zlib.gzipSync(textOf(1000)));
  const task = { container: 'gzip' as const, path, descriptor: null, verify: false, columns: [] };
  const script = (name: string, body: string): URL => pathToFileURL(file(`decoded/${name}.mjs`, body));

  const deaths: [string, string][] = [
    ['exits', 'process.exit(0)'],
    ['exits later', 'setTimeout(() => process.exit(3), 50)'],
    ['throws', 'throw new Error("x")'],
    ['cannot be loaded', 'import "./none.mjs"'],
    ['runs out of memory', 'const all = []; for (;;) all.push(new Array(1e6).fill(1.5))'],
  ];
  testOnce.each(deaths)('that %s is noticed', (name, body) => {
    const url = script(`death-${name.replaceAll(' ', '-')}`, body);
    const { error } = readAll(decodeWith(url, FileSource.open(path), task));
    expect(error?.reason).toBe('cannot be decompressed: the decoding thread ended, maybe for lack of memory');
  });

  testOnce('that hears of nothing is ended by close', () => {
    const input = decodeWith(script('deaf', 'for (;;);'), FileSource.open(path), task);
    input.close();
    input.close();
    expect(() => input.read(0, new Uint8Array(1))).toThrow('was closed');
  });

  const count = (what: string): number => readdirSync(`/proc/self/${what}`).length;
  const bomb = (): Buffer => zlib.gzipSync(Buffer.alloc(2 ** 27));

  test.skipIf(!isAll || !isLinux)('and its program are gone after close, wherever it stood', async () => {
    const paths = [file('decoded/stop.gz', bomb())];
    if (canZstd) paths.push(file('decoded/stop.zst', zstd(Buffer.alloc(2 ** 27))));
    // Threads of the tests before may still be going.
    await sleep(1000);
    const before = { fd: count('fd'), task: count('task') };
    for (const each of paths) {
      for (const read of [0, 1, 3_000_000]) {
        for (const open of [FileSource.open, (name: string) => new PipeSource(openSync(name, 'r'), name, true)]) {
          const input = decodeInput(open(each), { verify: read === 3_000_000 });
          input.bytes(0, read);
          input.close();
        }
      }
    }
    await sleep(1000);
    expect({ fd: count('fd'), task: count('task') }).toEqual(before);
    const { stdout } = spawnSync('ps', ['--ppid', String(process.pid), '-o', 'stat=,comm='], { encoding: 'utf8' });
    expect(stdout).not.toContain('zstd');
  });

  testLong('decodes the next input, too, but not when it had to be ended', async () => {
    let begun = 0;
    const count = (): void => void begun++;
    process.on('worker', count);
    const texts = Array.from({ length: 20 }, (_, n) => textOf(10_000 * n));
    for (const [n, text] of texts.entries()) {
      const input = decodeInput(FileSource.open(file(`decoded/next-${n}.gz`, zlib.gzipSync(text))), { verify: true });
      // Some are read to their ends, of others nobody wants the rest.
      const length = n % 3 === 0 ? 1 : text.length;
      expect(Buffer.compare(input.bytes(0, length), text.subarray(0, length))).toBe(0);
      input.close();
    }
    // The event comes later.
    await sleep(0);
    expect(begun).toBeLessThan(2);
    const url = script('once', `
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', () => { for (;;); });
    `);
    begun = 0;
    for (let n = 0; n < 2; n++) decodeWith(url, FileSource.open(path), task).close();
    await sleep(0);
    process.off('worker', count);
    expect(begun).toBe(2);
  });

  testOnce('decodes for a thread, too', async () => {
    const bundle = at('decoded/nested/reader.mjs');
    const contents = `
      import { workerData } from 'node:worker_threads';
      import { decodeWith } from './container.ts';
      import { FileSource } from './source.ts';
      const { script, path, text } = workerData;
      const source = FileSource.open(path);
      const task = { container: 'gzip', path, descriptor: source.descriptor, verify: true, columns: [] };
      const input = decodeWith(new URL(script), source, task);
      const bytes = input.bytes(0, 1e9);
      process.exitCode = Buffer.compare(bytes, text) === 0 ? 7 : 8;
      input.close();
    `;
    const resolveDir = fileURLToPath(new URL('../../../src/corpus/input', import.meta.url));
    buildSync({
      stdin: { contents, resolveDir, loader: 'ts' }, bundle: true, platform: 'node', format: 'esm', outfile: bundle,
    });
    const text = textOf(3_000_000);
    const script = new URL('../../../dist/cli/corpus-input-decode-worker.js', import.meta.url).href;
    const workerData = { script, path: file('decoded/nested/text', zlib.gzipSync(text)), text };
    const worker = new Worker(pathToFileURL(bundle), { workerData });
    expect(await new Promise((resolve) => worker.on('exit', resolve))).toBe(7);
  });

  testOnce('keeps no process alive', () => {
    const bundle = new URL('../../../dist/cli/corpus-input-decode-worker.js', import.meta.url);
    const url = script('alive', `
      import { Worker } from 'node:worker_threads';
      const memory = new SharedArrayBuffer(2 ** 22);
      const task = { container: 'gzip', path: 'x', descriptor: null, verify: false, columns: [], memory };
      const worker = new Worker(new URL(${JSON.stringify(bundle.href)}));
      worker.unref();
      worker.postMessage(task);
    `);
    expect(spawnSync(process.execPath, [fileURLToPath(url)], { timeout: 20_000 }).status).toBe(0);
  });

  test.skipIf(!isAll || !isLinux)('a bomb takes no memory', () => {
    const input = decodeInput(FileSource.open(file('decoded/bomb.gz', bomb())), { verify: true });
    const into = new Uint8Array(2 ** 18);
    const before = process.memoryUsage().rss;
    let most = 0;
    let size = 0;
    for (let read; (read = input.read(size, into)) > 0; ) {
      size += read;
      input.release(size);
      if (size % 2 ** 22 < read) most = Math.max(most, process.memoryUsage().rss);
    }
    input.close();
    expect(size).toBe(2 ** 27);
    expect(most - before).toBeLessThan(2 ** 26);
  });
});
