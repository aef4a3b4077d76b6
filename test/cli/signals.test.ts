// Signals while a file is being written: it goes, and the program ends as a program does that does not care.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
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

test.each(part(COMMANDS))('%s', { timeout: 60_000 }, async (name, argv) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const out = at(`signals/${name}/${signal}/out`.replaceAll(' ', '-'));
    const folder = dirname(out);
    mkdirSync(folder, { recursive: true });
    const child = spawn(process.execPath, ['dist/cli/main.js', ...argv(out)], { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.on('exit', (code, by) => resolve(by ?? code)));
    // The temporary name is there.
    while (readdirSync(folder).length === 0 && child.exitCode === null) await sleep(2);
    await sleep(20);
    child.kill(signal);
    expect(await ended).toBe(signal);
    expect(readdirSync(folder)).toEqual([]);
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
  const all = (what: string): string[] => ['SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => `${what} ${name}`);
  const guard = new SignalGuard(signals);
  expect([guard.pause(1000), caught]).toEqual([null, []]);
  const path = at('signals/guard.txt');
  const first = OutputFile.create(path);
  await guard.pause(2000);
  expect([guard.pause(2040), caught.splice(0)]).toEqual([null, all('on')]);
  expect(guard.pause(2051)).toBeInstanceOf(Promise);
  first.commit();
  expect([guard.pause(3000), caught.splice(0)]).toEqual([null, all('off')]);
  const second = OutputFile.create(path);
  second.write('x');
  await guard.pause(4000);
  end!('SIGINT');
  expect(caught).toEqual([...all('on'), ...all('off'), 'kill 7 SIGINT']);
  expect(() => second.write('y')).toThrow('was committed or discarded');
  expect(readdirSync(dirname(path)).filter((name) => name.includes('guard'))).toEqual(['guard.txt']);
  guard.close();
  expect(existsSync(path)).toBe(true);
});
