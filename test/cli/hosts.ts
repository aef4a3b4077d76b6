// Runs the work of one command in this process, with captured streams of bytes.
import { closeSync, openSync } from 'node:fs';
import type { SharedOptions } from '../../src/cli/options.ts';
import type { Host, TextStream } from '../../src/cli/stream.ts';
import { file } from './harness.ts';

export interface Worked {
  code: number;
  bytes: Buffer;
  out: string;
  err: string;
  /** What was written at once. */
  writes: string[];
}

export interface Surroundings {
  stdin?: string | Uint8Array | number;
  env?: NodeJS.ProcessEnv;
  isTTY?: boolean;
  version?: string;
  onWrite?: () => void;
}

export const SHARED: SharedOptions = { dialect: 'auto', color: 'never' };

let inputs = 0;

export async function work(
  of: (host: Host) => number | Promise<number>, surroundings: Surroundings = {},
): Promise<Worked> {
  const { stdin = '', env = {}, isTTY = false, version = '0.0.0-test', onWrite } = surroundings;
  const parts: Buffer[] = [];
  const writes: string[] = [];
  let err = '';
  const take = (bytes: Buffer): void => {
    onWrite?.();
    parts.push(bytes);
    writes.push(bytes.toString('utf8'));
  };
  const stdout: TextStream = {
    isTTY, write: (text) => take(Buffer.from(text, 'utf8')), writeBytes: (bytes) => take(Buffer.from(bytes)),
  };
  const fd = typeof stdin === 'number' ? stdin : openSync(file(`host-${inputs++}`, stdin), 'r');
  const host: Host = {
    stdin: { fd, isTTY: false }, stdout, stderr: { isTTY: false, write: (text) => void (err += text) }, env, version,
  };
  try {
    const code = await of(host);
    const bytes = Buffer.concat(parts);
    return { code, bytes, out: bytes.toString('utf8'), err, writes };
  } finally {
    if (typeof stdin !== 'number') closeSync(fd);
  }
}
