// The examples of commands that the pages show: each `$` line runs in a shell, and prints what stands below it.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandRows } from '../../src/cli/command-table.ts';
import { sharedOptions } from '../../src/cli/options.ts';
import { PAGES, readPage, ROOT } from '../pages.ts';

interface Command {
  readonly line: number;
  readonly command: string;
  readonly output: string;
}

/** The commands of a console block. A command that ends in a backslash goes on in the next line. */
function commands(code: string, from: number): Command[] {
  const found: { line: number; command: string[]; output: string[] }[] = [];
  for (const [i, line] of code.split('\n').entries()) {
    const last = found.at(-1);
    if (line.startsWith('$ ')) found.push({ line: from + i + 1, command: [line.slice(2)], output: [] });
    else if (last!.output.length === 0 && last!.command.at(-1)!.endsWith('\\')) last!.command.push(line);
    else last!.output.push(line);
  }
  return found.map(({ line, command, output }) => ({ line, command: command.join('\n'), output: output.join('\n') }));
}

/** As the pages print it: no line feed at the end, lines of JSON that are broken made whole, and no time. */
function plain(text: string): string {
  return text.trimEnd().replace(/\n (?=[^ ])/g, '').replace(/[\d.]+ s, [\d.]+ \w+\/s/g, 'TIME');
}

const pages = PAGES.map(readPage).filter(({ blocks }) => blocks.some(({ kind }) => kind === 'console'));
const folder = mkdtempSync(join(tmpdir(), 'openchatml-pages-'));

beforeAll(() => {
  mkdirSync(join(folder, 'bin'));
  // `npx openchatml …` without npm, which looks for updates and takes its time.
  const npx = join(folder, 'bin/npx');
  writeFileSync(npx, `#!/bin/sh\nshift\nexec ${process.execPath} ${join(ROOT, 'dist/cli/main.js')} "$@"\n`);
  chmodSync(npx, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(pages)('$path', ({ path, blocks }) => {
  const place = join(folder, path.replaceAll('/', '-'));
  beforeAll(() => cpSync(join(ROOT, 'fixtures'), join(place, 'fixtures'), {
    recursive: true,
    filter: (from) => !from.startsWith(join(ROOT, 'fixtures/cases')),
  }));

  const cases = blocks.filter(({ kind }) => kind === 'console').flatMap(({ code, line }) => commands(code, line));
  test.each(cases)('$line: $command', ({ command, output }) => {
    const { stdout, error } = spawnSync('bash', ['-c', `exec 2>&1\n${command}`], {
      cwd: place,
      encoding: 'utf8',
      env: { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    expect(error).toBeUndefined();
    const [printed, expected] = [plain(stdout), plain(output)];
    // `...` at the end says that more is printed than stands there.
    if (!expected.endsWith('\n...')) expect(printed).toBe(expected);
    else expect(printed.slice(0, expected.length - 3)).toBe(expected.slice(0, -3));
  });
});

test('every command but `completion` has an example', () => {
  const page = pages.find(({ path }) => path === 'src/cli/COMMANDS.md')!;
  const shown = page.blocks.filter(({ kind }) => kind === 'console').map(({ code }) => code).join('\n');
  const names = commandRows().map(({ name }) => name).filter((name) => name !== 'completion');
  expect(names.filter((name) => !shown.includes(`npx openchatml ${name} `))).toEqual([]);
});

test('every option stands in the pages', () => {
  const text = ['src/cli/COMMANDS.md', 'src/cli/CONFIGURATION.md'].map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n');
  // `--no-NAME` undoes what the configuration asks for; help does not list it.
  const flags = commandRows().flatMap(({ options, shared = sharedOptions }) => [...options(), ...shared()])
    .filter(({ hidden }) => !hidden).map(({ long }) => long!);
  expect(flags.length).toBeGreaterThan(80);
  expect([...new Set(flags)].filter((flag) => !new RegExp(`${flag}\\b`).test(text))).toEqual([]);
});
