// Sources over descriptors give what a source in memory gives, at any position, and tell what goes wrong.
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, closeSync, constants, ftruncateSync, openSync, writeSync } from 'node:fs';
import { expect, test } from 'vitest';
import { InputError } from '../../../src/corpus/error.ts';
import { FileSource, type InputSource, PipeSource, StreamSource } from '../../../src/corpus/input/source.ts';
import { MemorySource } from '../../../src/scan/source.ts';
import { randomOf, SEED } from '../../random.ts';
import { at, file, run } from '../../cli/harness.ts';

const random = randomOf(SEED);
const DATA = Uint8Array.from({ length: 1_500_000 }, () => random.below(256));
const path = file('source/data', DATA);
const MADE: [string, () => InputSource][] = [
  ['a file', () => new FileSource(openSync(path, 'r'), path)],
  ['a pipe', () => new PipeSource(openSync(path, 'r'), path, true)],
];

test.each(MADE)('%s gives the bytes of every span', (_, make) => {
  const source = make();
  const memory = new MemorySource(DATA);
  let released = 0;
  for (let round = 0; round < 300; round++) {
    const from = Math.min(DATA.length, released + random.below(random.pick([10, 1000, 600_000])));
    const to = from + random.below(random.pick([2, 300, 20_000, 700_000]));
    if (random.once(2)) {
      expect(Buffer.compare(source.bytes(from, to), memory.bytes(from, to)), `seed ${SEED}: ${from}..${to}`).toBe(0);
    } else {
      const into = new Uint8Array(to - from);
      const read = source.read(from, into);
      expect(read > 0).toBe(from < to && from < DATA.length);
      const order = Buffer.compare(into.subarray(0, read), DATA.subarray(from, from + read));
      expect(order, `seed ${SEED}: ${from}..${to}`).toBe(0);
    }
    if (random.once(3)) source.release((released = Math.min(from, released + random.below(100_000))));
    expect(source.first).toBeLessThanOrEqual(released);
  }
  expect(source.bytes(DATA.length, DATA.length + 10)).toHaveLength(0);
  expect(source.read(DATA.length, new Uint8Array(5))).toBe(0);
  source.close();
  source.close();
});

test('a file fills what it is given, however much', () => {
  const source = new FileSource(openSync(path, 'r'), path);
  const into = new Uint8Array(DATA.length + 10);
  expect(source.read(0, into)).toBe(DATA.length);
  expect(Buffer.compare(into.subarray(0, DATA.length), DATA)).toBe(0);
  source.close();
});

test('what was read ahead is given again, and behind it what was added since', () => {
  const small = file('source/small', '0123456789');
  const source = new FileSource(openSync(small, 'r'), small);
  const read = (from: number, length: number): string => {
    const into = Buffer.alloc(length);
    return into.toString('latin1', 0, source.read(from, into));
  };
  expect(Buffer.from(source.bytes(0, 4)).toString()).toBe('0123');
  expect([read(0, 3), read(2, 3), read(0, 20)]).toEqual(['012', '234', '0123456789']);
  expect([read(8, 20), read(10, 20)]).toEqual(['89', '']);
  appendFileSync(small, 'ab');
  expect([read(0, 20), read(10, 20), read(11, 1)]).toEqual(['0123456789', 'ab', 'b']);
  source.close();
});

test('positions above 4 GiB are exact', async () => {
  const sparse = at('source/sparse');
  const fd = openSync(sparse, 'w+');
  const from = 5 * 2 ** 30 + 1;
  ftruncateSync(fd, from);
  writeSync(fd, 'abc', from);
  const source = new FileSource(fd, sparse);
  expect(source.size).toBe(from + 3);
  expect(Buffer.from(source.bytes(from - 1, from + 2)).toString('latin1')).toBe('\0ab');
  const into = new Uint8Array(8);
  expect(source.read(from + 1, into)).toBe(2);
  expect(Buffer.from(into.subarray(0, 2)).toString()).toBe('bc');
  source.close();
});

test('a pipe lets go of what was released and says so', () => {
  const pipe = new PipeSource(openSync(path, 'r'), 'pipe', true);
  pipe.bytes(0, 900_000);
  pipe.release(800_000);
  expect(pipe.first).toBeGreaterThan(500_000);
  expect(Buffer.compare(pipe.bytes(800_000, 1_000_000), DATA.subarray(800_000, 1_000_000))).toBe(0);
  expect(() => pipe.bytes(10, 20)).toThrow(InputError);
  expect(() => pipe.bytes(10, 20)).toThrow('pipe: byte 10 is needed again, and a pipe is read once; store the input');
  pipe.close();
});

test('a pipe keeps so much and no more', () => {
  let given = 0;
  const source = new StreamSource('pipe', (into) => {
    given += into.length;
    return into.length;
  }, () => {}, { reason: 'it is read once', remedy: 'store it' }, 16);
  const into = new Uint8Array(1 << 20);
  const readTo = (to: number): void => {
    for (let position = given; position < to; position += into.length) source.read(position, into);
  };
  readTo(4 << 20);
  source.release(3 << 20);
  readTo(7 << 20);
  const told = 'pipe: more than 4194304 bytes from byte 3145728 on would have to be kept; store it';
  expect(() => readTo(8 << 20)).toThrow(told);
  source.close();
});

test.each(MADE)('of a message %s may have so many rows and no more', (_, make) => {
  const source = make();
  source.keeps!(2_621_440, 7);
  expect(() => source.keeps!(2_621_441, 7)).toThrow('the message at byte 7 holds more than 2621440 control tokens');
  source.close();
});

test('a failing read names path, place and reason', () => {
  const source = new FileSource(openSync(path, 'r'), 'name');
  source.close();
  const closed = openSync(path, 'r');
  const broken = new PipeSource(closed, 'name', false);
  closeSync(closed);
  const into = new Uint8Array(1);
  expect(() => broken.read(0, into)).toThrow('name: cannot be read at byte 0: bad file descriptor (EBADF)');
  const folder = new FileSource(openSync(at('source'), 'r'), 'folder');
  expect(() => folder.bytes(7, 9)).toThrow('folder: cannot be read at byte 7: illegal operation on a directory');
  folder.close();
});

test('standard input that does not block is waited for', async () => {
  const fifo = at('source/fifo');
  execFileSync('mkfifo', [fifo]);
  const stdin = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(fifo, 'w');
  const script = 'sleep 0.2; printf "<|start|>user<|mess"; sleep 0.1; printf "age|>Hi<|end|>"';
  const child = spawn('sh', ['-c', script], { stdio: ['ignore', writer, 'ignore'] });
  closeSync(writer);
  const { code, out } = await run(['messages'], { stdin });
  closeSync(stdin);
  child.kill();
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ role: 'user', content: 'Hi', end: 'end' });
});

test('standard input is read from where it stands', async () => {
  const text = file('source/offset.txt', 'skipped\n<|start|>user<|message|>Hi<|end|>');
  const stdin = openSync(text, 'r');
  const { readSync } = await import('node:fs');
  readSync(stdin, Buffer.alloc(8));
  const { out } = await run(['messages'], { stdin });
  closeSync(stdin);
  expect(JSON.parse(out)).toMatchObject({ from: 0, content: 'Hi' });
});
