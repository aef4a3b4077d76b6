// `serve`: the validator page on this machine. It gives the files of the page and nothing else: requests name one of
// them, and never a path of the disk.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemReason } from '../../corpus/error.ts';
import { escapeLine } from '../print.ts';
import { FAILED, OK, tell } from '../invocation.ts';
import type { Host } from '../stream.ts';

export interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly quiet?: boolean | undefined;
}

/** From a file of the command (dist/cli/), from the sources (src/cli/commands/). */
const FOLDERS = ['../page/', '../../../dist/page/'];

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8', js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8',
};

interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Serves until a signal ends it; the exit code is given when it has ended. */
export async function serve({ port, host: address, quiet }: ServeOptions, host: Host): Promise<number> {
  const files = readPage();
  if (files === null) {
    tell(host, 'error: the package lacks the page: install it again, or build it');
    return FAILED;
  }
  const headers = headersFor(files);
  const server = createServer((request, response) => {
    answer(files, headers, request.method ?? '', request.url ?? '/', response);
  });
  const reason = await listen(server, port, address);
  if (reason !== null) {
    tell(host, `error: cannot listen on ${escapeLine(address)}, port ${port}: ${reason}`);
    return FAILED;
  }
  const end = ended(server, host);
  const bound = server.address();
  const at = typeof bound === 'object' && bound !== null ? bound.port : port;
  host.stdout.write(`http://${address.includes(':') ? `[${address}]` : address}:${at}/\n`);
  if (!quiet) tell(host, 'Serving the page. Nothing that is opened in it leaves your machine. Ctrl-C ends it.');
  await end;
  return OK;
}

/** The files of the page by the paths that requests name; null: there is no page. */
function readPage(): ReadonlyMap<string, PageFile> | null {
  const folder = FOLDERS.map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(join(path, 'index.html')));
  if (folder === undefined) return null;
  const files = new Map<string, PageFile>();
  for (const name of readdirSync(folder)) {
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
    if (type !== undefined) files.set(`/${name}`, { type, bytes: readFileSync(join(folder, name)) });
  }
  return files.set('/', files.get('/index.html')!);
}

/** The policy that the page itself has, so that both are the same. */
function headersFor(files: ReadonlyMap<string, PageFile>): Record<string, string> {
  const page = Buffer.from(files.get('/')!.bytes).toString('utf8');
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1];
  if (policy === undefined) throw new Error('the page has no policy');
  return {
    'content-security-policy': `${policy}; frame-ancestors 'none'`,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-cache',
  };
}

function answer(
  files: ReadonlyMap<string, PageFile>, headers: Record<string, string>, method: string, url: string,
  response: ServerResponse,
): void {
  const file = files.get(url.replace(/[?#].*$/s, ''));
  const isKnown = method === 'GET' || method === 'HEAD';
  if (!isKnown || file === undefined) {
    response.writeHead(isKnown ? 404 : 405, { ...headers, 'content-type': 'text/plain; charset=utf-8' });
    response.end(method === 'HEAD' ? undefined : 'There is no such file.\n');
    return;
  }
  response.writeHead(200, { ...headers, 'content-type': file.type, 'content-length': file.bytes.length });
  response.end(method === 'HEAD' ? undefined : file.bytes);
}

/** Why the port cannot be had; null: it is. */
function listen(server: Server, port: number, address: string): Promise<string | null> {
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const inUse = error.code === 'EADDRINUSE';
      resolve(inUse ? 'it is in use; --port 0 takes a free one' : systemReason(error));
    });
    server.listen(port, address, () => resolve(null));
  });
}

/** Is done when a signal has closed the server. */
function ended(server: Server, { signals }: Host): Promise<void> {
  return new Promise((resolve) => {
    const close = (): void => {
      signals?.off('SIGINT', close);
      signals?.off('SIGTERM', close);
      server.close(() => resolve());
      server.closeAllConnections();
    };
    signals?.on('SIGINT', close);
    signals?.on('SIGTERM', close);
  });
}
