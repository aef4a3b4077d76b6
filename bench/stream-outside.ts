// openai-harmony for the section stream: its Rust crate, which is built here, and its Python package.
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from './corpus.ts';

const PYTHON = process.env['OPENCHATML_HARMONY_PYTHON'];
const VOCABULARY = process.env['TIKTOKEN_ENCODINGS_BASE'];
const NO_VOCABULARY = 'TIKTOKEN_ENCODINGS_BASE does not name the folder of o200k_base.tiktoken';
const own = (name: string): string => fileURLToPath(new URL(`../bench/${name}`, import.meta.url));

/** What it makes of the text. */
export interface Outside {
  ids: number[];
  seconds: number[];
  messages: number;
  characters: number;
}

/** Its answer, or why it is not asked. */
type Answer = Outside | string;

export interface Rival {
  readonly name: string;
  readonly does: string;
  ask(bytes: Uint8Array, rounds: number): Answer;
}

export const RIVALS: readonly Rival[] = [
  {
    name: 'openai-harmony, Rust',
    does: 'its StreamableParser, the same ids, one at a time: process and last_content_delta',
    ask: (bytes, rounds) => {
      if (!VOCABULARY) return NO_VOCABULARY;
      const program = built();
      return typeof program === 'string' ? program : run(program.path, [], bytes, rounds);
    },
  },
  {
    name: 'openai-harmony, Python',
    does: 'the same from Python',
    ask: (bytes, rounds) => {
      if (!VOCABULARY) return NO_VOCABULARY;
      if (!PYTHON) return 'OPENCHATML_HARMONY_PYTHON does not name a Python that has openai-harmony';
      return run(PYTHON, [own('stream_harmony.py')], bytes, rounds);
    },
  },
];

/** The program of stream_harmony/, or why there is none. Its first build takes minutes. */
function built(): { path: string } | string {
  const folder = join(cacheFolder(), 'stream_harmony');
  cpSync(own('stream_harmony'), folder, { recursive: true });
  const { status, stderr, error } = spawnSync('cargo', ['build', '--release'], { cwd: folder, encoding: 'utf8' });
  if (error) return `cargo cannot be run (${(error as NodeJS.ErrnoException).code ?? error.message})`;
  if (status !== 0) return `cargo build: ${stderr.trim().split('\n').at(-1) ?? 'it failed'}`;
  return { path: join(folder, 'target', 'release', 'bench-harmony') };
}

function run(command: string, args: readonly string[], bytes: Uint8Array, rounds: number): Answer {
  const options = { input: bytes, encoding: 'utf8', maxBuffer: 1 << 30 } as const;
  const { status, stdout, stderr, error } = spawnSync(command, [...args, String(rounds)], options);
  if (error || status !== 0) return error?.message ?? stderr.trim().split('\n').at(-1) ?? 'it failed';
  return JSON.parse(stdout) as Outside;
}

/** Bytes of each token, from the file that tiktoken reads: base64 and the id on each line. */
export function vocabulary(): (id: number) => Uint8Array | null {
  const pieces: Uint8Array[] = [];
  for (const line of readFileSync(join(VOCABULARY!, 'o200k_base.tiktoken'), 'latin1').split('\n')) {
    const [base64, id] = line.split(' ');
    if (id !== undefined) pieces[Number(id)] = new Uint8Array(Buffer.from(base64!, 'base64'));
  }
  return (id) => pieces[id] ?? null;
}
