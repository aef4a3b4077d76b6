// The commands as they are run on chat records, and in this process: warm, on threads that are there already.
import { spawnSync } from 'node:child_process';
import { closeSync, open, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { commandRows } from '../../src/cli/command-table.ts';
import { cli } from '../../src/cli/program.ts';
import { DescriptorStream, type Host } from '../../src/cli/stream.ts';
import { JointJobs } from '../../src/corpus/jobs/joint-jobs.ts';
import { startCommand } from '../commands.ts';
import { cacheFolder } from '../corpus.ts';
import { type Look, LOOKS } from './answers.ts';

export interface Command {
  name: string;
  does: string;
  args: readonly string[];
  /** Its input comes through a pipe. */
  isPiped?: true;
  look: Look;
}

export const SCAN: Command = { name: 'scan', does: 'counts', args: ['scan', '--format', 'json'], look: LOOKS.scan };
export const CHECK: Command = {
  name: 'check', does: 'every finding', args: ['check', '--format', 'ndjson'], look: LOOKS.check,
};
export const MESSAGES: Command = {
  name: 'messages', does: 'a line of JSON for each message', args: ['messages'], look: LOOKS.messages,
};
export const PARQUET: Command = {
  name: 'messages parquet', does: 'a table of the messages', args: ['messages', '--format', 'parquet'],
  look: LOOKS.parquet,
};
export const AUDIT: Command = {
  name: 'audit', does: 'control tokens in texts', args: ['audit', '--format', 'ndjson'], look: LOOKS.audit,
};
export const FILTER: Command = {
  name: 'filter', does: 'pipe in, a verdict for each line out', args: ['filter'], isPiped: true, look: LOOKS.filter,
};
export const CONVERT: Command = {
  name: 'convert', does: 'records to 2.2 text', args: ['convert', '--to', 'openchatml-2.2'], look: LOOKS.text,
};
export const BACK: Command = {
  name: 'convert back', does: '2.2 text to records', args: ['convert', '--to', 'messages'], look: LOOKS.records,
};

export const RECORDS: Command = {
  name: 'convert to messages', does: 'records to chat records', args: ['convert', '--to', 'messages'],
  look: LOOKS.records,
};

export const HARMONY: Command = {
  name: 'convert to Harmony', does: 'records to lines of Harmony text',
  args: ['convert', '--to', 'harmony', '--format', 'ndjson'], look: LOOKS.text,
};

export const SHARE_GPT: Command = {
  name: 'convert to ShareGPT', does: 'records to ShareGPT', args: ['convert', '--to', 'sharegpt'], look: LOOKS.shareGpt,
};

export const ARROW: Command = {
  name: 'messages arrow', does: 'a table of the messages', args: ['messages', '--format', 'arrow'], look: LOOKS.arrow,
};
export const RENDER: Command = { name: 'render', does: 'what a user may see', args: ['render'], look: LOOKS.none };
/** Besides, it needs a folder for its output. */
export const RUN: Command = { name: 'run', does: 'a corpus to a folder, verdicts', args: ['run'], look: LOOKS.none };

/** Whether a command can be told how many threads to use. */
export function takesThreads({ args: [name] }: Command): boolean {
  const { options } = commandRows().find((row) => row.name === name)!;
  return options().some(({ long }) => long === '--threads');
}

/** The whole command line. `threads` null: as many as the command itself takes. */
export function commandLine(command: Command, path: string, threads: number | null): string[] {
  const more = threads !== null && takesThreads(command) ? ['--threads', String(threads)] : [];
  return [...command.args, '--no-config', '--quiet', ...more, command.isPiped ? '-' : path];
}

/** 1 is no failure of a command that tells findings. */
export const isFine = (code: number): boolean => code === 0 || code === 1;

export class Here {
  readonly threads: number;
  readonly #pool: JointJobs | null;
  readonly #nowhere = openSync('/dev/null', 'w');
  readonly #pipe = join(cacheFolder(), `pipe-${process.pid}-${pipes++}`);

  constructor(threads: number) {
    this.threads = threads;
    this.#pool = threads === 1 ? null : new JointJobs(threads);
    if (spawnSync('mkfifo', ['-m', '600', this.#pipe]).status !== 0) throw new Error(`${this.#pipe} cannot be made`);
  }

  /** Runs a command; `output`: where its data goes, nowhere without it. */
  async run(command: Command, path: string, output = this.#nowhere): Promise<void> {
    const words: string[] = [];
    const stderr = { isTTY: false, write: (text: string) => void words.push(text) };
    const filled = command.isPiped ? startCommand('sh', ['-c', 'exec cat -- "$0" > "$1"', path, this.#pipe], 'discard')
      : null;
    // It waits for whoever fills it.
    const fd = filled === null ? -1 : await openLater(this.#pipe, 'r');
    const stdin = { fd, isTTY: false };
    const jobs = this.#pool;
    const stdout = new DescriptorStream(output, false);
    const host: Host = { stdin, stdout, stderr, env: {}, version: 'bench', ...(jobs && { jobs }) };
    try {
      const code = await cli(commandLine(command, path, this.threads), host);
      if (!isFine(code)) throw new Error(`${command.name} ended with ${code}: ${words.join('').trimEnd()}`);
    } finally {
      if (filled !== null) closeSync(fd);
      await filled;
    }
  }

  close(): void {
    this.#pool?.close();
    closeSync(this.#nowhere);
    rmSync(this.#pipe, { force: true });
  }
}

let pipes = 0;
const openLater = promisify(open);
