// Programs of others that wait for questions, one line each, so that their runs can stand between those of other rows.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from './corpus.ts';

const PYTHON = process.env['OPENCHATML_TABLES_PYTHON'];
const INSTALL = 'python3 -m venv FOLDER && FOLDER/bin/pip install duckdb==2.0.0 orjson==3.13.0';
export const script = (name: string): string => fileURLToPath(new URL(`../bench/${name}`, import.meta.url));

export class Asked {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  readonly #name: string;
  readonly version: string;

  private constructor(name: string, child: ChildProcess, answers: AsyncIterator<string>, version: string) {
    this.#name = name;
    this.#child = child;
    this.#answers = answers;
    this.version = version;
  }

  /** The program, when it is ready; null when it ends at once. */
  static async start(name: string, command: string, args: readonly string[]): Promise<Asked | null> {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    child.on('error', () => {});
    child.stdin.on('error', () => {});
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { done, value } = await answers.next();
    return done ? null : new Asked(name, child, answers, (JSON.parse(value) as { version: string }).version);
  }

  /** Asks about a file; answers with numbers. */
  async ask(query: string, path: string): Promise<number[]> {
    return (await this.line<{ numbers: number[] }>(`${query} ${path}`)).numbers;
  }

  /** A question and its answer. */
  async line<T extends object>(question: string): Promise<T> {
    this.#child.stdin!.write(`${question}\n`);
    const { done, value } = await this.#answers.next();
    if (done) throw new Error(`${this.#name} ended`);
    const answer = JSON.parse(value) as { error: string } | T;
    if ('error' in answer) throw new Error(`${this.#name}: ${answer.error}`);
    return answer;
  }

  close(): void {
    this.#child.stdin!.end();
  }
}

/** A module of Python; or why there is none. */
async function askedPython(name: string, args: readonly string[]): Promise<Asked | string> {
  if (!PYTHON) return `OPENCHATML_TABLES_PYTHON does not name a Python with ${name} (${INSTALL})`;
  const started = await Asked.start(name, PYTHON, args);
  return started ?? `the Python that OPENCHATML_TABLES_PYTHON names has no ${name} (${INSTALL})`;
}

export const askedDuckDb = (threads: number): Promise<Asked | string> =>
  askedPython('duckdb', [script('ask_duckdb.py'), String(threads)]);

export const askedOrjson = (): Promise<Asked | string> => askedPython('orjson', [script('ask_orjson.py')]);

/** What runs commands and tells what they took. */
export async function askedUsage(): Promise<Asked | string> {
  const started = await Asked.start('python3', 'python3', [script('process_usage.py')]);
  return started ?? 'python3 3.9 or newer is not installed (apt-get install python3)';
}

const HEADER = '/usr/include/simdjson.h';
const COMPILER = ['-O3', '-march=native', '-std=c++17', '-pthread'];

/** simdjson, compiled for this machine; or why it is not. */
export async function askedSimdjson(threads: number): Promise<Asked | string> {
  const install = 'apt-get install g++ libsimdjson-dev';
  if (!existsSync(HEADER)) return `simdjson is not installed (${install})`;
  const source = script('ask_simdjson.cpp');
  const program = join(cacheFolder(), 'ask-simdjson');
  const changed = Math.max(statSync(source).mtimeMs, statSync(HEADER).ctimeMs);
  if (!existsSync(program) || statSync(program).mtimeMs < changed) {
    const temporary = `${program}.${process.pid}.tmp`;
    const made = spawnSync('g++', [...COMPILER, '-o', temporary, source, '-lsimdjson'], { encoding: 'utf8' });
    if (made.error !== undefined) return `g++ is not installed (${install})`;
    if (made.status !== 0) {
      rmSync(temporary, { force: true });
      return `g++ failed: ${made.stderr.split('\n').find((line) => line.includes('error')) ?? made.status}`;
    }
    renameSync(temporary, program);
  }
  return (await Asked.start('simdjson', program, [String(threads)])) ?? 'simdjson ended at once';
}
