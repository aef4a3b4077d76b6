// Signals while a file is being written: it goes, and the program ends as a program does that does not care.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { OutputFile } from '../../src/corpus/output-file.ts';
import { SignalGuard, type Signals } from '../../src/cli/signals.ts';
import { part } from '../long.ts';
import { at, file } from './harness.ts';

// Takes seconds to read, and little room.
const line = `${JSON.stringify({ messages: [{ role: 'user', content: `<|end|> ${'x'.repeat(2000)}` }] })}\n`;
const LINES = line.repeat(50_000);
const INPUT = file('signals/in.jsonl.gz', gzipSync(LINES.repeat(3), { level: 1 }));
const PLAIN = file('signals/in.jsonl', LINES);

const COMMANDS = [
  ['messages', (out: string) => ['messages', '-o', out, INPUT]],
  ['messages with threads', (out: string) => ['messages', '--threads', '2', '-o', out, INPUT]],
  ['audit', (out: string) => ['audit', '--fix', '-o', out, '--max-diagnostics', '0', PLAIN]],
] as const;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ends a command by a signal, some time after a first file is in the folder; answers with what ended it. */
async function endBy(signal: NodeJS.Signals, argv: string[], folder: string, after: number): Promise<unknown> {
  mkdirSync(folder, { recursive: true });
  const child = spawn(process.execPath, ['dist/cli/main.js', ...argv], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.on('exit', (code, by) => resolve(by ?? code)));
  while (readdirSync(folder).length === 0 && child.exitCode === null) await sleep(2);
  await sleep(after);
  child.kill(signal);
  return ended;
}

test.each(part(COMMANDS))('%s', { timeout: 60_000 }, async (name, argv) => {
  for (const signal of SIGNALS) {
    const out = at(`signals/${name}/${signal}/out`.replaceAll(' ', '-'));
    const folder = dirname(out);
    expect(await endBy(signal, argv(out), folder, 20)).toBe(signal);
    expect(readdirSync(folder)).toEqual([]);
  }
});

test('render: whole pages stay', { timeout: 60_000 }, async () => {
  for (const signal of SIGNALS) {
    for (const after of [0, 15, 40]) {
      const folder = at(`signals/render/${signal}-${after}`);
      expect(await endBy(signal, ['render', '--format', 'html', '-o', folder, PLAIN], folder, after)).toBe(signal);
      expect(readdirSync(folder).filter((page) => !/^page-\d+\.html$/.test(page)), `${after} ms`).toEqual([]);
    }
  }
});

test('are caught only while a file is being written', async () => {
  const caught: string[] = [];
  let end: ((name: 'SIGINT') => void) | undefined;
  const signals: Signals = {
    pid: 7,
    on: (name, listener) => {
      caught.push(`on ${name}`);
      end = listener;
    },
    off: (name) => caught.push(`off ${name}`),
    kill: (pid, name) => caught.push(`kill ${pid} ${name}`),
  };
  const all = (what: string): string[] => SIGNALS.map((name) => `${what} ${name}`);
  const guard = new SignalGuard(signals);
  expect([guard.pause(1000), caught]).toEqual([null, []]);
  const path = at('signals/guard.txt');
  const first = OutputFile.create(path);
  expect(caught.splice(0)).toEqual(all('on'));
  await guard.pause(2000);
  expect(guard.pause(2040)).toBe(null);
  expect(guard.pause(2051)).toBeInstanceOf(Promise);
  first.commit();
  // What came before is still heard.
  expect([guard.pause(2060), caught]).toEqual([null, []]);
  await guard.pause(3000);
  expect(caught.splice(0)).toEqual(all('off'));
  const second = OutputFile.create(path);
  second.write('x');
  end!('SIGINT');
  expect(caught).toEqual([...all('on'), ...all('off'), 'kill 7 SIGINT']);
  expect(() => second.write('y')).toThrow('was committed or discarded');
  expect(readdirSync(dirname(path)).filter((name) => name.includes('guard'))).toEqual(['guard.txt']);
  expect(existsSync(path)).toBe(true);
});

test('are caught until files are in their places that the work leaves open', async () => {
  const caught: string[] = [];
  const signals: Signals = {
    pid: 7, on: () => caught.push('on'), off: () => caught.push('off'), kill: () => caught.push('kill'),
  };
  const file = OutputFile.create(at('signals/later.txt'));
  const guard = new SignalGuard(signals);
  expect(caught.splice(0)).toEqual(['on', 'on', 'on']);
  guard.close();
  await sleep(5);
  expect(caught).toEqual([]);
  file.commit();
  await vi.waitFor(() => expect(caught).toEqual(['off', 'off', 'off']));
  OutputFile.create(at('signals/later.txt')).discard();
  expect(caught).toHaveLength(3);
});
