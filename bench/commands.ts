// What a user of a shell would run instead. Each command is started without a shell, by its full path.
import { spawnSync } from 'node:child_process';
import { accessSync, closeSync, constants, openSync } from 'node:fs';
import { delimiter, join } from 'node:path';
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

/** Runs a command to its end. Its output is either thrown away or, where it is one short line, read. */
export function startCommand(command: string, args: readonly string[], output: 'discard' | 'read'): string {
  const nowhere = output === 'discard' ? openSync('/dev/null', 'w') : null;
  try {
    const { error, status, stdout, stderr } = spawnSync(findCommand(command) ?? command, args, {
      stdio: ['ignore', nowhere ?? 'pipe', 'pipe'],
      encoding: 'utf8',
    });
    if (error !== undefined) throw error;
    // Searchers end with 1 when they find nothing.
    const fine = status === 0 || (status === 1 && output === 'read');
    if (!fine) throw new Error(`${command} ended with ${status}: ${stderr}`);
    return stdout ?? '';
  } finally {
    if (nowhere !== null) closeSync(nowhere);
  }
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
  run() {
    startCommand('true', [], 'discard');
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
    run({ path }) {
      startCommand('cat', [path], 'discard');
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
    run: ({ path, notation }) => ({
      messages: Number(startCommand('rg', ['--no-config', '-c', '-F', '-e', token(opener(notation)), path], 'read')),
    }),
  },
  {
    name: 'rg tokens',
    does: '`rg --count-matches` with a regex of all control tokens: every place, whatever it means there',
    exact: true,
    command: true,
    unfit: unfit('rg'),
    run: ({ path, notation }) => ({
      occurrences: Number(
        startCommand('rg', ['--no-config', '--count-matches', '-e', alternatives(notation), path], 'read'),
      ),
    }),
  },
  {
    name: 'grep -c',
    does: "`grep -c -F '<|start|>' FILE`: lines with a start token, not messages",
    exact: false,
    command: true,
    unfit: unfit('grep'),
    run: ({ path, notation }) => ({
      messages: Number(startCommand('grep', ['-c', '-F', '-e', token(opener(notation)), path], 'read')),
    }),
  },
];
