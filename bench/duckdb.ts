// DuckDB as a process that waits for queries, so that its runs can stand between those of other rows.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PYTHON = process.env['OPENCHATML_TABLES_PYTHON'];
const SCRIPT = fileURLToPath(new URL('../bench/corpora_duckdb.py', import.meta.url));

export class DuckDb {
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;
  readonly version: string;

  private constructor(child: ChildProcess, answers: AsyncIterator<string>, version: string) {
    this.#child = child;
    this.#answers = answers;
    this.version = version;
  }

  /** The process, when it is ready; or why there is none. */
  static async start(threads: number): Promise<DuckDb | string> {
    if (!PYTHON) return 'OPENCHATML_TABLES_PYTHON does not name a Python with duckdb';
    const child = spawn(PYTHON, [SCRIPT, String(threads)], { stdio: ['pipe', 'pipe', 'ignore'] });
    child.on('error', () => {});
    child.stdin.on('error', () => {});
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { done, value } = await answers.next();
    if (done) return 'the Python that OPENCHATML_TABLES_PYTHON names has no duckdb';
    return new DuckDb(child, answers, (JSON.parse(value) as { version: string }).version);
  }

  /** Runs a query that the script knows on a file; answers with its numbers. */
  async ask(query: string, path: string): Promise<number[]> {
    this.#child.stdin!.write(`${JSON.stringify({ query, path })}\n`);
    const { done, value } = await this.#answers.next();
    if (done) throw new Error('duckdb ended');
    const answer = JSON.parse(value) as { error: string } | { numbers: number[] };
    if ('error' in answer) throw new Error(`duckdb: ${answer.error}`);
    return answer.numbers;
  }

  close(): void {
    this.#child.stdin!.end();
  }
}
