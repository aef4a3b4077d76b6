// `npm run test:long`: a raw file of more than 6 GiB, read by the command with one thread and with two. It takes no disk: all between the
// frames is holes, which read as NUL bytes, and are bodies of messages or text between them. Frames stand across 2^31, 2^32 and 3 * 2^31
// and at the end. Checked: exact positions, the same output for every number of threads, and how much memory the process takes at most.
import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { closeSync, existsSync, ftruncateSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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

/** Writes the file; answers with the messages of users, and the span of the text between messages. */
function make(path) {
  const users = [];
  const fd = openSync(path, 'wx', 0o600);
  const put = (text, at) => {
    assert.equal(writeSync(fd, text, at, 'latin1'), text.length);
    return at + text.length;
  };
  const user = (text, from, index) => {
    const bodyFrom = from + USER.length;
    const bodyTo = bodyFrom + text.length;
    users.push({ index, from, to: bodyTo + END.length, body_from: bodyFrom, body_to: bodyTo, content: text });
    return put(USER + text + END, from);
  };
  try {
    ftruncateSync(fd, SIZE);
    let at = user('the first one', put(HEADER, 0), 0);
    for (const [i, { at: edge, text, before }] of EDGES.entries()) {
      put(GIANT, at);
      put(END, edge - before - END.length);
      at = user(text, edge - before, 2 * i + 2);
    }
    const last = 'the last one';
    const from = SIZE - (USER + last + END).length;
    assert.equal(user(last, from, 2 * EDGES.length + 1), SIZE);
    return { users, gap: { from: at, to: from } };
  } finally {
    closeSync(fd);
  }
}

/** Peak resident memory of a process so far, in bytes; null where that is not told. */
function peakOf(pid) {
  try {
    const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return kib === undefined ? null : Number(kib) * 1024;
  } catch {
    return null;
  }
}

/** Runs the command; its threads are part of its process. */
function run(args) {
  return new Promise((resolve, reject) => {
    const begin = performance.now();
    const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const parts = { out: [], err: [] };
    let peak = null;
    const timer = setInterval(() => {
      const now = peakOf(child.pid);
      if (now !== null) peak = Math.max(peak ?? 0, now);
    }, POLL_MS);
    child.stdout.on('data', (bytes) => parts.out.push(bytes));
    child.stderr.on('data', (bytes) => parts.err.push(bytes));
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(timer);
      const seconds = (performance.now() - begin) / 1000;
      resolve({ code, peak, seconds, out: Buffer.concat(parts.out).toString(), err: Buffer.concat(parts.err).toString() });
    });
  });
}

const records = (text) => text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line));

function checkScan({ code, out }, { users }) {
  assert.equal(code, 0);
  const counts = JSON.parse(out);
  assert.equal(counts.bytes, SIZE);
  assert.equal(counts.transcripts, 1);
  assert.equal(counts.messages, users.length + EDGES.length);
  assert.deepEqual(counts.roles, { user: users.length, assistant: EDGES.length });
  assert.deepEqual(counts.ends, { end: users.length + EDGES.length });
  assert.deepEqual(counts.findings, { 'text-between-messages': 1 });
}

function checkFindings({ out }, { gap }) {
  const findings = records(out).filter(({ rule }) => rule !== undefined);
  const places = findings.map(({ rule, from, to }) => ({ rule, from, to }));
  assert.deepEqual(places, [{ rule: 'text-between-messages', ...gap }]);
}

function checkMessages({ code, out }, { users }) {
  assert.equal(code, 0);
  const found = records(out).map(({ role, transcript, index, from, to, body_from, body_to, content }) => {
    assert.equal(role, 'user');
    assert.equal(transcript, 0);
    return { index, from, to, body_from, body_to, content };
  });
  assert.deepEqual(found, users);
}

const COMMANDS = [
  { args: ['scan', '--format', 'json'], check: checkScan },
  { args: ['check', '--format', 'ndjson'], check: checkFindings },
  { args: ['messages', '--format', 'ndjson', '--only-role', 'user'], check: checkMessages },
];

if (!existsSync(COMMAND)) throw new Error('dist/ is missing: run `npm run build` first');
const folder = mkdtempSync(join(tmpdir(), 'openchatml-long-'));
try {
  const path = join(folder, 'sparse.txt');
  const made = make(path);
  const disk = statSync(path).blocks * 512;
  assert.ok(disk <= MOST_DISK, `the file takes ${disk} bytes of disk: this file system has no holes`);
  console.log(`${SIZE} bytes, ${disk} of them on disk`);
  for (const { args, check } of COMMANDS) {
    const outputs = [];
    for (const threads of [1, 2]) {
      const result = await run([...args, '--threads', String(threads), path]);
      const memory = result.peak === null ? 'unknown here' : `${(result.peak / 2 ** 20).toFixed(0)} MiB`;
      console.log(`${args[0]}, ${threads === 1 ? '1 thread' : `${threads} threads`}: ${result.seconds.toFixed(1)} s, peak memory ${memory}`);
      if (result.code !== 0) console.log(`  exit code ${result.code} ${result.err.trim()}`);
      check(result, made);
      assert.ok(result.peak === null || result.peak < MOST_MEMORY, `peak memory ${result.peak}, wanted below ${MOST_MEMORY}`);
      outputs.push(result.out);
    }
    assert.equal(outputs[1], outputs[0]);
  }
  console.log('all as it should be');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
