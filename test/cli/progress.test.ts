// Progress: only on a terminal, only for long work, and a terminal that stays in order.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type MakeSpinner, Progress } from '../../src/cli/progress.ts';
import { Invocation } from '../../src/cli/invocation.ts';
import { makeSpinner } from '../../src/cli/spinner.ts';
import { ClosedPipe, type TextStream } from '../../src/cli/stream.ts';
import type { InputSource } from '../../src/corpus/input/source.ts';
import { MemorySource, type Source } from '../../src/index.ts';
import { file } from './harness.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const BYTES = new Uint8Array(4_000_000);

function inputOf(size: number | null): InputSource {
  const input = { path: 'a\x1b.txt', size, canReread: true, first: 0, close: () => undefined };
  return Object.assign(new MemorySource(BYTES), input);
}

/** Reads a quarter of the input every 0.6 seconds. */
function work(progress: Progress, size: number | null): Source {
  const source = progress.watch(inputOf(size));
  for (let quarter = 0; quarter < 4; quarter++) {
    vi.advanceTimersByTime(600);
    source.read(quarter * 1_000_000, new Uint8Array(1_000_000));
    // Reading again is no progress.
    source.read(0, new Uint8Array(1_000_000));
  }
  return source;
}

function fake(): { events: string[]; make: MakeSpinner } {
  const events: string[] = [];
  const spinner = {
    start: () => events.push('start'),
    stop: () => events.push('stop'),
    set text(text: string) {
      events.push(text);
    },
  };
  return { events, make: () => spinner };
}

const silent: TextStream = { isTTY: true, write: () => undefined };

test('tells path, part and speed when the work lasts longer than a second', () => {
  const { events, make } = fake();
  const progress = new Progress(silent, make);
  work(progress, BYTES.length);
  progress.stop();
  progress.stop();
  const parts = ['50 %', '75 %', '100 %'].map((part) => `a\\x1b.txt  ${part}  1.7 MB/s`);
  expect(events).toEqual(['start', ...parts, 'stop']);
  expect([progress.bytes, progress.seconds]).toEqual([4_000_000, 2.4]);
});

test('tells bytes where the size is not known', () => {
  const { events, make } = fake();
  work(new Progress(silent, make), null);
  expect(events).toContain('a\\x1b.txt  3.0 MB  1.7 MB/s');
});

test('tells part, bytes, speed and what is left where the total is known', () => {
  const { events, make } = fake();
  const progress = new Progress(silent, make);
  progress.setTotal(6_000_000_000);
  vi.advanceTimersByTime(1000);
  progress.add(1_900_000_000);
  vi.advanceTimersByTime(99);
  progress.add(1);
  vi.advanceTimersByTime(1);
  // Time goes on without new bytes, and what was read in between counts.
  progress.step();
  vi.advanceTimersByTime(900);
  progress.add(5_000_000_000);
  expect(events).toEqual([
    'start', '31 %  1.9 GB of 6.0 GB, 1.9 GB/s, 3 s left', '31 %  1.9 GB of 6.0 GB, 1.7 GB/s, 3 s left',
    '100 %  6.0 GB of 6.0 GB, 3.5 GB/s, 0 s left',
  ]);
  expect([progress.bytes, progress.seconds]).toEqual([6_900_000_001, 2]);
});

test('bytes may be counted by path, and before anything is known', () => {
  const { events, make } = fake();
  let now = 5000;
  const progress = new Progress(silent, make, () => now);
  now = 6000;
  progress.step();
  now = 7000;
  progress.add(3_000_000, 'b\u009b');
  progress.setTotal(0);
  now = 8000;
  progress.add(3_000_000, 'b\u009b');
  progress.setTotal(null);
  now = 9000;
  progress.add(0, 'b\u009b');
  now = 10_000;
  progress.add(1_000_000, 'c');
  const texts = [
    '0 bytes  0 bytes/s', 'b\\x9b  3.0 MB  1.5 MB/s', '100 %  0 bytes of 0 bytes, 2.0 MB/s, 0 s left',
    'b\\x9b  6.0 MB  1.5 MB/s', 'c  1.0 MB  1.4 MB/s',
  ];
  expect(events).toEqual(['start', ...texts]);
});

test('short work shows nothing', () => {
  const { events, make } = fake();
  const progress = new Progress(silent, make);
  vi.advanceTimersByTime(999);
  progress.watch(inputOf(1)).read(0, new Uint8Array(10));
  expect(events).toEqual([]);
});

test('the source gives what the input gives', () => {
  const source = work(new Progress(silent, null), null);
  const into = new Uint8Array([1, 1, 1]);
  expect(source.read(BYTES.length - 2, into)).toBe(2);
  expect([...into]).toEqual([0, 0, 1]);
  expect(source.bytes(3, 5)).toHaveLength(2);
});

test('stops when the work ends in an error', async () => {
  const { events, make } = fake();
  const host = { stdin: { fd: -1, isTTY: true }, stdout: silent, stderr: silent, env: {}, version: '' };
  const options = { dialect: 'auto', color: 'auto', threads: 1 } as const;
  const run = new Invocation(options, host, make);
  const path = file('progress/a.txt', BYTES);
  const work = async (): Promise<void> => {
    const events = run.events([path], options, {
      work: { kind: 'count' },
      tellsAtEnd: false,
      watching: (_, { input }) => ({ source: () => run.progress.watch(input) }),
    });
    for await (const { kind } of events) {
      vi.advanceTimersByTime(2000);
      if (kind === 'part') throw new ClosedPipe();
    }
  };
  await expect(work()).rejects.toThrow(ClosedPipe);
  expect([events[0], events.at(-1)]).toEqual(['start', 'stop']);
});

test('the spinner neither hides the cursor nor listens to signals, and clears its line', () => {
  vi.stubEnv('CI', undefined);
  vi.stubEnv('TERM', 'xterm');
  let text = '';
  const listeners = (): number => process.listenerCount('SIGINT') + process.listenerCount('SIGTERM');
  const before = listeners();
  const spinner = makeSpinner({ isTTY: true, write: (written) => (text += written) });
  spinner.start();
  spinner.text = 'corpus.txt  43 %';
  expect(text).toContain('corpus.txt  43 %');
  expect(listeners()).toBe(before);
  spinner.stop();
  expect(text).not.toContain('\x1b[?25');
  expect(text.lastIndexOf('\x1b[2K')).toBeGreaterThan(text.lastIndexOf('corpus.txt'));
  vi.unstubAllEnvs();
});
