// `serve`, as a process: which addresses it answers, with which headers, and how it ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../harness.ts';

const DIST = fileURLToPath(new URL('../../../dist/', import.meta.url));

let child: ChildProcess;
let url: string;

beforeAll(async () => {
  const argv = [`${DIST}cli/main.js`, 'serve', '--port', '0'];
  child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [bytes] = await once(child.stdout!, 'data') as [Buffer];
  url = bytes.toString('utf8').trim();
});
afterAll(() => void child.kill('SIGKILL'));

test('listens on this machine alone', () => {
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
});

test('gives every file of the page, with its policy', async () => {
  const names = readdirSync(`${DIST}page`);
  expect(names).toEqual(expect.arrayContaining(['index.html', 'page.js', 'page.css', 'worker.js']));
  for (const name of ['', ...names]) {
    const response = await fetch(url + name);
    expect([response.status, name]).toEqual([200, name]);
    expect(response.headers.get('content-security-policy')).toContain(
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; "
        + "worker-src 'self'; connect-src 'none'; base-uri 'none'; form-action 'none'",
    );
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await response.arrayBuffer()).byteLength).toBe(Number(response.headers.get('content-length')));
  }
  expect((await fetch(url)).headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect((await fetch(`${url}?a=1`, { method: 'HEAD' })).status).toBe(200);
  expect((await fetch(url, { method: 'POST', body: 'text' })).status).toBe(405);
});

/** The first line of the answer to a path, as it stands: fetch would tidy it. */
async function status(path: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.end(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  let text = '';
  for await (const bytes of socket) text += String(bytes);
  return text.slice(0, text.indexOf('\r\n'));
}

test.each([
  '/../package.json', '/..%2fpackage.json', '/%2e%2e/package.json', '/....//package.json', '//etc/passwd',
  '/../../../../../../etc/passwd', '/page/../../cli/main.js', '/..\\package.json', '/index.html%00.js', '/__proto__',
  '/.',
])('has nothing at %s', async (path) => {
  expect(await status(path)).toMatch(/^HTTP\/1\.1 40[04] /);
});

test('a port that is in use, an address that is none, wrong options', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const used = await run(['serve', '--port', String(port)]);
  expect([used.code, used.out, used.err]).toEqual([
    2, '', `error: cannot listen on 127.0.0.1, port ${port}: it is in use; --port 0 takes a free one\n`,
  ]);
  taken.close();
  const { code, err } = await run(['serve', '--host', '192.0.2.1', '--port', '0']);
  expect([code, err]).toEqual([2, expect.stringMatching(/^error: cannot listen on 192\.0\.2\.1, port 0: .*\n$/)]);
  expect((await run(['serve', '--port', '65536'])).code).toBe(2);
});

test('a signal ends it, with 0, though somebody is connected', async () => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
  socket.destroy();
});
