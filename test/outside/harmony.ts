// openai-harmony as another opinion: one Python process answers a list of requests.
import { spawnSync } from 'node:child_process';
import { isAll } from '../long.ts';

/** A message as the library takes it. */
export interface OutsideMessage {
  role: string;
  name?: string | null;
  recipient?: string | null;
  channel?: string | null;
  content_type?: string | null;
  content: string | {
    system: Record<string, unknown>;
  } | { developer: { instructions?: string; tools?: OutsideTool[] } };
}

export interface OutsideTool {
  name: string;
  description: string;
  parameters?: unknown;
}

/** A message as the library reads it. */
export interface ReadMessage {
  role: string;
  name: string | null;
  recipient: string | null;
  channel: string | null;
  contentType: string | null;
  content: string;
}

export type Request =
  | { op: 'render'; mode: 'conversation' | 'training' | 'completion'; drop: boolean; messages: OutsideMessage[] }
  | { op: 'parse'; text: string; role: string | null };

export type Answer = { text: string; error?: undefined } | { messages: ReadMessage[]; error?: undefined } | {
  error: string;
};

const PYTHON = process.env['OPENCHATML_HARMONY_PYTHON'];
const SCRIPT = new URL('harmony.py', import.meta.url).pathname;

/**
 * Whether openai-harmony is asked: all tests are run, and a Python with it and its vocabulary is there. Where tests
 * must not be skipped, it is an error that none is.
 */
export function hasHarmony(): boolean {
  if (!isAll) return false;
  if (PYTHON && process.env['TIKTOKEN_ENCODINGS_BASE']) return true;
  const reason = 'OPENCHATML_HARMONY_PYTHON and TIKTOKEN_ENCODINGS_BASE do not name openai-harmony and its vocabulary';
  if (process.env['OPENCHATML_CI'] === '1') throw new Error(reason);
  console.log(`skipped: ${reason}`);
  return false;
}

/** The library's answers, in the order of the requests. */
export function askHarmony(requests: readonly Request[]): Answer[] {
  const input = requests.map((request) => `${JSON.stringify(request)}\n`).join('');
  const { status, stdout, stderr, error } = spawnSync(PYTHON!, [SCRIPT], {
    input, encoding: 'utf8', maxBuffer: 1 << 28,
  });
  if (error || status !== 0) throw new Error(`${SCRIPT} failed: ${error?.message ?? stderr}`);
  const answers = stdout.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Answer);
  if (answers.length !== requests.length) {
    throw new Error(`${SCRIPT} gave ${answers.length} answers to ${requests.length} requests`);
  }
  return answers;
}
