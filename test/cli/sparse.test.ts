// A raw file of more than 6 GiB, read by the command with one thread and with two. It takes no disk: all between the
// frames is holes, which read as NUL bytes, and are bodies of messages or text between them. Frames stand across 2^31,
// 2^32 and 3 * 2^31 and at the end. Positions are exact, the output is the same for every number of threads, and memory
// is bounded.
import { spawn } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeLong } from '../long.ts';
import { at, jsonLines } from './harness.ts';

const COMMAND = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const SIZE = 3 * 2 ** 31 + 2 ** 28;
const MOST_MEMORY = 512 * 2 ** 20;
/** Disk that the file may take: blocks of its frames. */
const MOST_DISK = 2 ** 20;
const POLL_MS = 10;

const HEADER = '---\nversion: 2.2\n---\n';
const USER = '<|start|>user<|message|>';
const GIANT = '<|start|>assistant<|channel|>final<|message|>';
const END = '<|end|>';

/** What each frame has across an edge: how many of its bytes stand before. */
const EDGES = [
  { at: 2 ** 31, text: 'its start token is cut', before: 4 },
  { at: 2 ** 32, text: 'its end token is cut', before: USER.length + 'its end token is cut'.length + 3 },
  { at: 3 * 2 ** 31, text: 'its body is cut', before: USER.length + 5 },
];

interface User {
  index: number;
  from: number;
  to: number;
  body_from: number;
  body_to: number;
  content: string;
}

/** Writes the file; answers with the messages of users, and the span of the text between messages. */
function make(path: string): { users: User[]; gap: { from: number; to: number } } {
  const users: User[] = [];
  const fd = openSync(path, 'wx', 0o600);
  const put = (text: string, from: number): number => {
    expect(writeSync(fd, text, from, 'latin1')).toBe(text.length);
    return from + text.length;
  };
  const user = (text: string, from: number, index: number): number => {
    const bodyFrom = from + USER.length;
    const bodyTo = bodyFrom + text.length;
    users.push({ index, from, to: bodyTo + END.length, body_from: bodyFrom, body_to: bodyTo, content: text });
    return put(USER + text + END, from);
  };
  try {
    ftruncateSync(fd, SIZE);
    let to = user('the first one', put(HEADER, 0), 0);
    for (const [i, { at: edge, text, before }] of EDGES.entries()) {
      put(GIANT, to);
      put(END, edge - before - END.length);
      to = user(text, edge - before, 2 * i + 2);
    }
    const last = 'the last one';
    const from = SIZE - (USER + last + END).length;
    expect(user(last, from, 2 * EDGES.length + 1)).toBe(SIZE);
    return { users, gap: { from: to, to: from } };
  } finally {
    closeSync(fd);
  }
}

/** Peak resident memory of a process so far, in bytes; 0 where that is not told. */
function peakOf(pid: number): number {
  try {
    return 1024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Runs the command; its threads are part of its process. */
async function run(args: readonly string[]): Promise<{ code: number | null; peak: number; out: string; err: string }> {
  const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  let peak = 0;
  const timer = setInterval(() => void (peak = Math.max(peak, peakOf(child.pid!))), POLL_MS);
  child.stdout.on('data', (bytes: Buffer) => out.push(bytes));
  child.stderr.on('data', (bytes: Buffer) => err.push(bytes));
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  clearInterval(timer);
  return { code, peak, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() };
}

describeLong('a file of 6 GiB', () => {
  const path = at('sparse.txt');
  let made: ReturnType<typeof make>;
  beforeAll(() => void (made = make(path)));
  afterAll(() => rmSync(path));

  /** What the command writes, on any number of threads. */
  async function written(argv: readonly string[], status: number): Promise<string> {
    const outs: string[] = [];
    for (const threads of ['1', '2']) {
      const { code, peak, out, err } = await run([...argv, '--threads', threads, path]);
      expect([code, err]).toEqual([status, expect.any(String)]);
      expect(peak).toBeLessThan(MOST_MEMORY);
      outs.push(out);
    }
    expect(outs[1]).toBe(outs[0]);
    return outs[0]!;
  }

  test('takes no disk', () => {
    expect(statSync(path).blocks * 512).toBeLessThanOrEqual(MOST_DISK);
  });

  test('scan counts it', async () => {
    const [users, giants] = [made.users.length, EDGES.length];
    expect(JSON.parse(await written(['scan', '--format', 'json'], 0))).toMatchObject({
      bytes: SIZE,
      transcripts: 1,
      messages: users + giants,
      roles: { user: users, assistant: giants },
      ends: { end: users + giants },
      findings: { 'text-between-messages': 1 },
    });
  });

  test('check tells where the one finding is', async () => {
    const lines = jsonLines(await written(['check', '--format', 'ndjson'], 0));
    const findings = lines.filter(({ rule }) => rule !== undefined);
    const places = findings.map(({ rule, from, to }) => ({ rule, from, to }));
    expect(places).toEqual([{ rule: 'text-between-messages', ...made.gap }]);
  });

  test('messages tells where those of users are', async () => {
    const lines = jsonLines(await written(['messages', '--format', 'ndjson', '--only-role', 'user'], 0));
    const found = lines.map(({ role, transcript, index, from, to, body_from, body_to, content }) => {
      return { role, transcript, index, from, to, body_from, body_to, content };
    });
    expect(found).toEqual(made.users.map((user) => ({ role: 'user', transcript: 0, ...user })));
  });
});
