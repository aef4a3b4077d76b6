// Writing to descriptors: slow readers, readers that go away, and full disks.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Output } from '../../src/cli/output.ts';
import { ClosedPipe, DescriptorStream, OutputError } from '../../src/cli/stream.ts';
import { at } from './harness.ts';

/** Both ends of a pipe that does not block. */
function pipe(name: string): { reader: number; writer: number } {
  mkdirSync(at('stream'), { recursive: true });
  execFileSync('mkfifo', [at(`stream/${name}`)]);
  const reader = openSync(at(`stream/${name}`), constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, writer: openSync(at(`stream/${name}`), constants.O_WRONLY | constants.O_NONBLOCK) };
}

test('a pipe that does not block and a slow reader get every byte', async () => {
  const { reader, writer } = pipe('slow');
  const child = spawn('sh', ['-c', 'sleep 0.2; md5sum'], { stdio: [reader, 'pipe', 'ignore'] });
  closeSync(reader);
  const text = Array.from({ length: 100_000 }, (_, i) => `${i}é\n`).join('');
  new DescriptorStream(writer, false).write(text);
  closeSync(writer);
  let sum = '';
  for await (const data of child.stdout!) sum += data;
  expect(sum).toBe(execFileSync('md5sum', { input: text }).toString());
});

test('a reader that went away is no error, a full disk is one', () => {
  const { reader, writer } = pipe('closed');
  closeSync(reader);
  expect(() => new DescriptorStream(writer, false).write('x')).toThrow(ClosedPipe);
  closeSync(writer);
  const full = openSync('/dev/full', 'w');
  expect(() => new DescriptorStream(full, false).write('x')).toThrow(OutputError);
  expect(() => new DescriptorStream(full, false).write('')).not.toThrow();
  closeSync(full);
});

test('lines go out in large pieces, the first one at once', () => {
  const writes: number[] = [];
  const out = new Output({ isTTY: false, write: (text) => writes.push(text.length) });
  const line = `${'x'.repeat(99)}\n`;
  for (let i = 0; i < 2000; i++) out.line(line);
  out.flush();
  out.flush();
  expect(writes[0]).toBe(100);
  expect(writes.length).toBeLessThan(20);
  expect(writes.reduce((sum, length) => sum + length)).toBe(200_000);
});
