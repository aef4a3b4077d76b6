// `completion`: the scripts hold the whole table of commands, and the shells themselves read and use them.
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { type Completed, completedOf, SHELLS } from '../../../src/cli/completion/table.ts';
import { makeProgram } from '../../../src/cli/program.ts';
import { REPORT_FORMATS } from '../../../src/cli/diagnostics/report.ts';
import { ClosedPipe } from '../../../src/cli/stream.ts';
import { RULES } from '../../../src/errors.ts';
import { file, run } from '../harness.ts';

const silent = { isTTY: false, write: () => {} };
const host = { stdin: { fd: -1, isTTY: true }, stdout: silent, stderr: silent, env: {}, version: '' };
const commands: Completed[] = completedOf(makeProgram(host, () => {}));

async function script(shell: string): Promise<string> {
  const { code, out, err } = await run(['completion', shell]);
  expect([code, err]).toEqual([0, '']);
  return file(`completion/script.${shell}`, out);
}

test('the table: all commands, their visible options, choices and files', () => {
  const check = commands.find(({ name }) => name === 'check')!;
  const some = ['scan', 'check', 'messages', 'explain', 'completion', 'help'];
  expect(commands.map(({ name }) => name)).toEqual(expect.arrayContaining(some));
  const choices = [...REPORT_FORMATS];
  expect(check.options).toContainEqual(expect.objectContaining({ long: '--format', value: 'choice', choices }));
  expect(check.options).toContainEqual(expect.objectContaining({ long: '--tools', value: 'file' }));
  expect(check.options).toContainEqual(expect.objectContaining({ long: '--max-warnings', value: 'free' }));
  expect(check.options).toContainEqual(expect.objectContaining({ long: '--quiet', short: '-q', value: 'none' }));
  expect(check.options.map(({ long }) => long)).not.toContain('--no-quiet');
  // The scripts write these words without quotes.
  const words = commands.flatMap(({ name, options, words }) => {
    const flags = options.flatMap(({ long, short, choices }) => [long, short ?? '-h', ...choices]);
    return [name, ...(words ?? []), ...flags];
  });
  for (const word of words) expect(word).toMatch(/^[A-Za-z0-9._-]+$/);
});

test('every script names every command and every option', async () => {
  for (const shell of SHELLS) {
    const { out } = await run(['completion', shell]);
    for (const { name, options } of commands) {
      expect(out).toContain(name);
      for (const { long } of options) expect(out).toContain(shell === 'fish' ? ` -l ${long.slice(2)}` : long);
    }
  }
});

test('a shell that is not known: 2, with the nearest name', async () => {
  const err = 'error: zhs\\x1b is no shell that is known; there are bash, zsh, fish, pwsh\n';
  expect(await run(['completion', 'zhs\x1b'])).toEqual({ code: 2, out: '', err });
  expect((await run(['completion', 'fisch'])).err).toBe('error: fisch is no shell that is known; did you mean fish?\n');
  expect((await run(['completion'])).code).toBe(2);
});

test('a reader that goes away ends it quietly', async () => {
  const onWrite = (): never => {
    throw new ClosedPipe();
  };
  const quiet = { code: 0, out: '', err: '' };
  for (const shell of SHELLS) expect(await run(['completion', shell], { onWrite })).toEqual(quiet);
});

/** Not every machine has every shell, and none of them is promised. */
function isInstalled(name: string): boolean {
  if (spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0) return true;
  console.log(`skipped: ${name} is not installed`);
  return false;
}

const shell = (name: string, ...argv: string[]): string => {
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent' };
  const { status, stdout, stderr } = spawnSync(name, argv, { encoding: 'utf8', env });
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
};

describe.runIf(isInstalled('bash'))('bash', () => {
  /** What is offered for the last word of a line that bash has split. */
  const offered = (path: string, ...words: string[]): string[] => {
    const line = words.map((word) => `'${word}'`).join(' ');
    const text = `source "$0"; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _openchatml
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    return shell('bash', '--norc', '-c', text, path).split('\n').filter((word) => word !== '');
  };

  test('completes commands, options, values and names', async () => {
    const path = await script('bash');
    expect(offered(path, 'openchatml', 'sc')).toEqual(['scan']);
    expect(offered(path, 'openchatml', '')).toEqual(commands.map(({ name }) => name));
    expect(offered(path, 'openchatml', '--v')).toEqual(['--version']);
    expect(offered(path, 'openchatml', 'check', '--max')).toEqual(['--max-warnings', '--max-diagnostics']);
    expect(offered(path, 'openchatml', 'check', '--format', 'js')).toEqual(['json']);
    expect(offered(path, 'openchatml', 'check', '--format', '=')).toEqual([...REPORT_FORMATS]);
    expect(offered(path, 'openchatml', 'check', '--format', '=', 'sa')).toEqual(['sarif']);
    expect(offered(path, 'openchatml', 'explain', 'missing-e')).toEqual(['missing-end']);
    expect(offered(path, 'openchatml', 'explain', 'E-CALL')).toEqual(['E-CALL-SCHEMA']);
    expect(offered(path, 'openchatml', 'completion', '')).toEqual(SHELLS);
    expect(offered(path, 'openchatml', 'help', 'rend')).toEqual(['render']);
    // Files are left to bash itself.
    expect(offered(path, 'openchatml', 'scan', '')).toEqual([]);
    expect(offered(path, 'openchatml', 'check', '--tools', '')).toEqual([]);
  });

  test('is registered, with files where nothing is offered', async () => {
    expect(shell('bash', '--norc', '-c', 'source "$0"; complete -p openchatml', await script('bash')))
      .toBe('complete -o bashdefault -o default -F _openchatml openchatml\n');
  });
});

test.runIf(isInstalled('zsh'))('zsh reads the script and registers it', async () => {
  const path = await script('zsh');
  shell('zsh', '-f', '-n', path);
  const text = 'autoload -Uz compinit; compinit -u -D; source "$0"; print -r -- $_comps[openchatml]';
  expect(shell('zsh', '-f', '-c', text, path)).toBe('_openchatml\n');
});

test.runIf(isInstalled('fish'))('fish completes commands, values and names', async () => {
  const path = await script('fish');
  const offered = (line: string): string[] => {
    const lines = shell('fish', '--no-config', '-c', `source ${path}; complete -C'${line}'`).split('\n');
    return lines.filter((one) => one !== '').map((one) => one.split('\t')[0]!);
  };
  expect(offered('openchatml sca')).toEqual(['scan']);
  expect(offered('openchatml check --format s')).toEqual(['sarif']);
  expect(offered('openchatml check --exit')).toEqual(['--exit-zero']);
  expect(offered('openchatml explain missing-e')).toEqual(['missing-end']);
  expect(Object.keys(RULES)).toEqual(expect.arrayContaining(offered('openchatml explain un')));
});

test.runIf(isInstalled('pwsh'))('PowerShell completes commands and values', async () => {
  const path = await script('pwsh');
  const offered = (line: string): string => {
    const expand = `(TabExpansion2 '${line}' ${line.length}).CompletionMatches.CompletionText -join ' '`;
    const load = `. { Get-Content -Raw '${path}' | Invoke-Expression }`;
    return shell('pwsh', '-NoProfile', '-Command', `${load}; ${expand}`).trim();
  };
  expect(offered('openchatml sca')).toBe('scan');
  expect(offered('openchatml check --format sar')).toBe('sarif');
});
