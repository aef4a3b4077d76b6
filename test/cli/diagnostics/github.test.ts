// `check --format github`: the commands, their escapes, their bounds.
import { expect, test } from 'vitest';
import { type Diagnostic, RULES } from '../../../src/errors.ts';
import { GitHub } from '../../../src/cli/diagnostics/github.ts';
import { Output } from '../../../src/cli/output.ts';
import { relativePath } from '../../../src/cli/diagnostics/relative-path.ts';
import { FAULTY, file } from '../harness.ts';
import { inputFrom, report, SECRETS } from './report.ts';

interface Command {
  name: string;
  properties: Record<string, string>;
  message: string;
}

/** A command as a runner reads it: properties are parted at commas and the first `=`, the message begins after `::`. */
function read(line: string): Command {
  const [, name, properties, message] = /^::([a-z]+) (.*?)::(.*)$/.exec(line)!;
  const undo = (text: string): string => text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%3A', ':')
    .replaceAll('%2C', ',').replaceAll('%25', '%');
  return {
    name: name!,
    properties: Object.fromEntries(properties!.split(',').map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at), undo(pair.slice(at + 1))];
    })),
    message: undo(message!),
  };
}

const commands = (out: string): Command[] => out.split('\n').slice(0, -1).map(read);

test('one command each: error, warning, notice, with place and title', async () => {
  const path = file('github/faulty.txt', FAULTY);
  const { code, out, err } = await report('github', [path]);
  expect([code, err]).toEqual([1, '1 error, 1 warning, 1 info in 1 file\n']);
  const message = (place: string, rule: keyof typeof RULES): string => {
    return `${path}:${place}: ${RULES[rule].text} (remedy: ${RULES[rule].remedy})`;
  };
  expect(commands(out)).toEqual([
    {
      name: 'error',
      properties: {
        file: path, line: '2', col: '10', endLine: '2', endColumn: '14', title: 'unknown-role (E-PARSE-HEADER)',
      },
      message: message('2:10', 'unknown-role'),
    },
    {
      name: 'warning',
      properties: { file: path, line: '2', col: '39', endLine: '2', endColumn: '42', title: 'text-between-messages' },
      message: message('2:39', 'text-between-messages'),
    },
    {
      name: 'notice',
      properties: { file: path, line: '2', col: '57', endLine: '2', endColumn: '65', title: 'unknown-attribute' },
      message: message('2:57', 'unknown-attribute'),
    },
  ]);
});

test('a name cannot begin a command or a property', async () => {
  const path = file('github/a,line=7::b%0A\n::error::x\r.txt', FAULTY);
  const { out } = await report('github', [path]);
  expect(out.split('\n')).toHaveLength(4);
  expect(out).not.toContain('\r');
  for (const { properties } of commands(out)) expect(properties).toMatchObject({ file: path, line: '2' });
});

test('what a header or a name holds cannot steer the terminal', async () => {
  const path = file('github/na\x1b[31mme\u202e.txt', 'version: 2.2\n---\n<|start|>a\x1b]0;x\x07<|message|><|end|>');
  for (const isTTY of [false, true]) {
    expect((await report('github', [path], '', isTTY)).out).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  }
});

test('a region of several lines has no columns, one that ends at a line begins it not', async () => {
  const places = async (text: string): Promise<unknown[]> => {
    return commands((await report('github', [file('github/lines.txt', text)])).out).map(({ properties }) => {
      const { file: _, title, ...place } = properties;
      return [title!.split(' ')[0], place];
    });
  };
  expect(await places('version: 2.2\n---\n<|start|>user<|message|>a\nb\n<|start|>user<|message|>c\n<|end|>')).toEqual([
    ['missing-end', { line: '3', endLine: '4' }],
  ]);
  expect(await places('<|start|>user<|message|>c<|end|>')).toEqual([
    ['missing-header', { line: '1', col: '1', endLine: '1', endColumn: '1' }],
  ]);
});

test('columns count code points', async () => {
  const text = 'version: 2.2\n---\n<|start|>user<|message|>\u{1f600}\u00e9<|end|>\u{1f600}a'
    + '<|start|>user<|message|>c<|end|>';
  const [{ properties }] = commands((await report('github', [file('github/columns.txt', text)])).out) as [Command];
  expect(properties).toMatchObject({ line: '3', col: '34', endColumn: '35' });
});

test('a very long span has its beginning alone', async () => {
  const text = `version: 2.2\n---\n<|start|>user<|message|>${'a'.repeat(70_000)}`;
  const [{ properties }] = commands((await report('github', [file('github/long.txt', text)])).out) as [Command];
  expect(properties).toMatchObject({ line: '3', col: '1' });
  expect(Object.keys(properties)).toEqual(['file', 'line', 'col', 'title']);
});

test('standard input is no file', async () => {
  const [{ properties, message }] = commands((await report('github', ['-'], FAULTY)).out) as [Command];
  expect(properties).toEqual({ title: 'unknown-role (E-PARSE-HEADER)' });
  expect(message).toContain('-:2:10: ');
});

test('fifty of a kind are written, the rest is counted; the exit code is that of check', async () => {
  const faults = '<|start|>robot<|message|><|end|>'.repeat(60) + '<|start|>user a=b<|message|><|end|>'.repeat(1200);
  const { code, out, err } = await report('github', [file('github/many.txt', `version: 2.2\n---\n${faults}`)]);
  const names = commands(out).map(({ name }) => name);
  const written = (wanted: string): number => names.filter((name) => name === wanted).length;
  expect([written('error'), written('notice')]).toEqual([50, 50]);
  expect([code, names.length]).toEqual([1, 100]);
  const left = '1,160 more than the 50 annotations of a kind that are written';
  expect(err).toBe(`60 errors, 0 warnings, 1,200 infos in 1 file; ${left}\n`);
});

test('no command holds a byte of a body', async () => {
  const { out, err } = await report('github', [file('github/secret.txt', SECRETS)]);
  expect(commands(out).length).toBeGreaterThan(8);
  expect(out + err).not.toContain('SECRET');
});

test('paths are as seen from the working directory', () => {
  const inner = `${process.cwd()}/a/b.txt`;
  expect(relativePath(inner)).toBe('a/b.txt');
  expect(relativePath('./a/b.txt')).toBe('a/b.txt');
  expect(relativePath('././/b.txt')).toBe('b.txt');
  expect(relativePath('../b.txt')).toBe('../b.txt');
  expect(relativePath('/x/..b/c.txt', '/x')).toBe('..b/c.txt');
  expect(relativePath('/y/c.txt', '/x')).toBe('/y/c.txt');
  expect(relativePath('/x', '/x')).toBe('/x');
  expect(relativePath('-')).toBe('-');
});

test('bytes that a pipe has let go leave the end open', () => {
  let out = '';
  const diagnostic: Diagnostic = {
    code: null, rule: 'truncated', severity: 'error', from: 2, to: 8, transcript: 0, message: 'm',
  };
  const output = new Output({ isTTY: false, write: (text) => void (out += text) });
  const github = new GitHub(output);
  github.diagnostic('a.txt', diagnostic, { line: 1, column: 3 }, inputFrom(4, '0123456789'));
  github.diagnostic('a.txt', diagnostic, { line: 1, column: 3 }, inputFrom(0, '0123456789'));
  output.flush();
  expect(commands(out).map(({ properties }) => properties['endColumn'])).toEqual([undefined, '8']);
});
