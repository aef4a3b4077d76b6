// Runs the command line in this process, with captured streams; and a folder of files.
import { mkdirSync, mkdtempSync, openSync, closeSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cli } from '../../src/cli/program.ts';
import type { Host, TextStream } from '../../src/cli/stream.ts';

export interface Result {
  code: number;
  out: string;
  err: string;
}

export interface Setting {
  /** What standard input gives; a terminal when left out. */
  stdin?: string | Uint8Array | number;
  outIsTTY?: boolean;
  errIsTTY?: boolean;
  env?: NodeJS.ProcessEnv;
  /** Called before every write to standard output. */
  onWrite?: (text: string) => void;
}

const folder = mkdtempSync(join(tmpdir(), 'openchatml-cli-'));

/** Writes a file into the tests' folder; answers with its path. */
export function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** A path in the tests' folder. */
export const at = (name: string): string => join(folder, name);

export async function run(argv: string[], setting: Setting = {}): Promise<Result> {
  const result: Result = { code: -1, out: '', err: '' };
  const stream = (isTTY: boolean, take: (text: string) => void): TextStream => {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    return { isTTY, write: take, writeBytes: (bytes) => take(decoder.decode(bytes, { stream: true })) };
  };
  const fd = stdinOf(setting.stdin);
  const host: Host = {
    stdin: { fd: fd ?? -1, isTTY: fd === undefined },
    stdout: stream(setting.outIsTTY ?? false, (text) => {
      setting.onWrite?.(text);
      result.out += text;
    }),
    stderr: stream(setting.errIsTTY ?? false, (text) => (result.err += text)),
    env: setting.env ?? {},
    version: '0.0.0-test',
  };
  try {
    result.code = await cli(argv, host);
  } finally {
    if (fd !== undefined && typeof setting.stdin !== 'number') closeSync(fd);
  }
  return result;
}

let inputs = 0;

function stdinOf(content: Setting['stdin']): number | undefined {
  if (content === undefined || typeof content === 'number') return content;
  return openSync(file(`stdin-${inputs++}`, content), 'r');
}

/** The values of lines of JSON. Each line must end. */
export function jsonLines(text: string): Record<string, unknown>[] {
  const lines = text.split('\n');
  if (lines.pop() !== '') throw new Error('the last line does not end');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** A clean transcript. */
export const CLEAN = 'version: 2.2\n---\n<|start|>user<|message|>Hello<|end|>\n'
  + '<|start|>assistant<|channel|>final<|message|>Hi there<|return|>\n';
/**
 * One error (an unknown role, 2:10), one warning (text between messages, 2:34), one info (2:47, an unknown
 * attribute).
 */
export const FAULTY = 'version: 2.2\n<|start|>robot<|message|>Secret<|end|>text'
  + '<|start|>user mood=good<|message|>More<|end|>\n';
