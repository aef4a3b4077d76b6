// The command and the library under Bun and Deno, from dist/: what they print is what Node prints.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { describeLong, isAll } from '../long.ts';
import { findsCommand } from '../skip.ts';

const dist = (path: string): string => fileURLToPath(new URL(`../../dist/${path}`, import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'runtimes-'));
afterAll(() => rmSync(root, { recursive: true }));

const TEXT = '<|start|>user<|message|>Hi<|end|>\n<|start|>assistant<|channel|>final<|message|>Hello<|return|>\n';
const SAID = [{ role: 'user', content: 'Hi' }, { role: 'assistant', content: 'é' }];
const RECORD = `${JSON.stringify({ messages: SAID })}\n`;
const MARKED = `${JSON.stringify({ messages: [{ role: 'user', content: 'a<|im_end|>' }] })}\n`;
mkdirSync(join(root, 'folder/inside'), { recursive: true });
writeFileSync(join(root, 'folder/a.ocml'), TEXT);
writeFileSync(join(root, 'folder/inside/b.jsonl'), RECORD.repeat(40_000));
writeFileSync(join(root, 'folder/inside/c.jsonl.gz'), gzipSync(`${RECORD}${MARKED}{"messages":[{}]}\n`));

const library = join(root, 'library.mjs');
writeFileSync(library, `
  import { check, parse, scan } from ${JSON.stringify(`file://${dist('index.js')}`)};
  import { MessageStream } from ${JSON.stringify(`file://${dist('stream.js')}`)};
  const text = ${JSON.stringify(TEXT)};
  console.log(JSON.stringify([
    [...parse(text).messages()].map(({ role, channel, content }) => [role, channel, content]),
    check(text), scan(text), typeof MessageStream,
  ]));
`);

interface Ran {
  readonly status: number | null;
  /** Bytes of the output. */
  readonly length: number;
  readonly hash: string;
}

function run(command: readonly string[], args: readonly string[], input = ''): Ran {
  const [name, ...before] = command;
  const settings = { cwd: root, input, maxBuffer: 2 ** 28 };
  const { status, stdout, stderr } = spawnSync(name!, [...before, ...args], settings);
  expect(stderr.toString()).not.toContain('bug in openchatml');
  return { status, length: stdout.length, hash: createHash('sha256').update(stdout).digest('hex') };
}

/** Deno's cache of code takes a file that was built again for the one before, when it is as long. */
const RUNTIMES = { bun: ['bun'], deno: ['deno', 'run', '--no-code-cache', '--allow-all'] } as const;
const COMMANDS: readonly (readonly string[])[] = [
  ['scan', 'folder', '--format', 'json'],
  ['check', 'folder', '--format', 'ndjson', '--threads', '2'],
  ['messages', 'folder', '--only-role', 'user'],
  ['messages', 'folder/inside', '--format', 'arrow', '--threads', '2'],
  ['audit', 'folder'],
  ['convert', 'folder/inside', '--to', 'openchatml-2.2', '--threads', '2'],
  ['render', 'folder/a.ocml', '--format', 'html'],
];

describeLong.each(Object.entries(RUNTIMES))('%s', (name, command) => {
  const there = findsCommand(name);

  test.skipIf(!there)('the library', () => {
    const expected = run([process.execPath], [library]);
    expect(expected.status).toBe(0);
    expect(run(command, [library])).toEqual(expected);
  });

  test.skipIf(!there).each(COMMANDS.map((args) => [args.join(' '), args] as const))('%s', (_, args) => {
    const expected = run([process.execPath], [dist('cli/main.js'), ...args]);
    expect(expected.length).toBeGreaterThan(40);
    expect(run(command, [dist('cli/main.js'), ...args])).toEqual(expected);
  }, 60_000);

  test.skipIf(!there)('a pipe', () => {
    const args = [dist('cli/main.js'), 'filter'];
    const expected = run([process.execPath], args, RECORD);
    expect(run(command, args, RECORD)).toEqual(expected);
  });
});

test.skipIf(!isAll || !findsCommand('deno'))('what Deno does not read, it says', () => {
  writeFileSync(join(root, 'a.parquet'), 'PAR1 and more');
  const [name, ...before] = RUNTIMES.deno;
  const { status, stderr } = spawnSync(name, [...before, dist('cli/main.js'), 'scan', 'a.parquet'], {
    cwd: root, encoding: 'utf8',
  });
  expect(stderr).toContain('a.parquet: is a Parquet file, which cannot be read under Deno; use Node or Bun');
  expect(status).toBe(2);
});
