// What a user of a shell would run instead. Each command is started without a shell, by its full path.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Asked, script } from './asked.ts';
import type { Contender } from './contender.ts';
import { type Notation, TOKENS, opener, token } from './notation.ts';

export function findCommand(command: string): string | null {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    if (folder === '') continue;
    const path = join(folder, command);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

/** Another process that starts commands: see starter.mjs. */
let starter: Promise<Asked | null> | undefined;

/** Runs a command to its end. Its output is either thrown away or, where it is short, read. */
export async function startCommand(
  command: string, args: readonly string[], output: 'discard' | 'read',
): Promise<string> {
  starter ??= Asked.start('starter', process.execPath, [script('starter.mjs')]);
  const asked = await starter;
  if (asked === null) throw new Error('the process that starts commands ended at once');
  const question = JSON.stringify({ command: findCommand(command) ?? command, args, output });
  const { status, stdout, stderr } = await asked.line<Ended>(question);
  // Searchers end with 1 when they find nothing.
  const fine = status === 0 || (status === 1 && output === 'read');
  if (!fine) throw new Error(`${command} ended with ${status}: ${stderr}`);
  return stdout;
}

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** No command is started any more. */
export async function closeCommands(): Promise<void> {
  (await starter)?.close();
  starter = undefined;
}

function alternatives(notation: Notation): string {
  return `<\\|(${TOKENS[notation].join('|')})\\|>`;
}

function unfit(command: string): () => string | null {
  return () => (findCommand(command) === null ? `${command} is not installed` : null);
}

/** The time of this one is what starting a command takes. */
export const START: Contender = {
  name: 'true',
  does: 'starts a command that does nothing',
  exact: true,
  command: true,
  unfit: unfit('true'),
  async run() {
    await startCommand('true', [], 'discard');
    return {};
  },
};

export const COMMANDS: readonly Contender[] = [
  {
    name: 'cat',
    does: '`cat FILE >/dev/null`: counts nothing',
    exact: true,
    command: true,
    unfit: unfit('cat'),
    async run({ path }) {
      await startCommand('cat', [path], 'discard');
      return {};
    },
  },
  {
    name: 'rg -c -F',
    does: "`rg -c -F '<|start|>' FILE`: lines with a start token, not messages",
    exact: false,
    command: true,
    unfit: unfit('rg'),
    // The count goes to a pipe: with /dev/null as output a searcher may stop at the first match.
    run: async ({ path, notation }) => {
      const args = ['--no-config', '-c', '-F', '-e', token(opener(notation)), path];
      return { messages: Number(await startCommand('rg', args, 'read')) };
    },
  },
  {
    name: 'rg tokens',
    does: '`rg --count-matches` with a regex of all control tokens: every place, whatever it means there',
    exact: true,
    command: true,
    unfit: unfit('rg'),
    run: async ({ path, notation }) => ({
      occurrences: Number(
        await startCommand('rg', ['--no-config', '--count-matches', '-e', alternatives(notation), path], 'read'),
      ),
    }),
  },
  {
    name: 'grep -c',
    does: "`grep -c -F '<|start|>' FILE`: lines with a start token, not messages",
    exact: false,
    command: true,
    unfit: unfit('grep'),
    run: async ({ path, notation }) => ({
      messages: Number(await startCommand('grep', ['-c', '-F', '-e', token(opener(notation)), path], 'read')),
    }),
  },
];
