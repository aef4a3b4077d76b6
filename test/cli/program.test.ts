// The command line itself: help, wrong usage, and every exit code.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ClosedPipe, OutputError } from '../../src/cli/stream.ts';
import { loadSpinner, makeProgram } from '../../src/cli/program.ts';
import { ENDINGS } from '../../src/corpus/input/paths.ts';
import { at, CLEAN, FAULTY, file, run } from './harness.ts';

test('--version and -V', async () => {
  for (const flag of ['--version', '-V']) expect(await run([flag])).toEqual({ code: 0, out: '0.0.0-test\n', err: '' });
});

test('help goes to standard output, however it is asked for', async () => {
  const asked = [
    ['--help'], ['scan', '--help'], ['check', '-h'], ['completion', '--help'], ['help', 'check'], ['help'],
  ];
  for (const argv of asked) {
    const { code, out, err } = await run(argv);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^Usage: openchatml/);
    expect(out.split('\nExamples:\n')[1]!.match(/^ .*openchatml [a-z]+ /gm)).toHaveLength(2);
  }
});

test('every example is a command line that is understood', async () => {
  for (const name of [[], ['scan'], ['check'], ['messages'], ['render'], ['convert'], ['filter'], ['explain']]) {
    const { out } = await run([...name, '--help']);
    const examples = out.split('\nExamples:\n')[1]!;
    const lines = examples.matchAll(/openchatml ((?:scan|check|messages|render|convert|filter|explain) [^#|<>\n]*)/g);
    for (const [, line] of lines) {
      const isPath = /^(raw|chats)\/$|\.(txt|ocml|jsonl|ndjson)$/;
      const words = line!.trim().split(/\s+/).filter((word) => !isPath.test(word))
        .map((word) => (word === 'pages/' ? at('program/pages') : word));
      const stdin = words.includes('--completion-role') ? '<|channel|>final<|message|>Hi<|return|>' : CLEAN;
      const { code, err } = await run(words, { stdin });
      expect([code, err.includes('error:')], line).toEqual([0, false]);
    }
  }
});

const silent = { isTTY: false, write: () => {} };
const HOST = { stdin: { fd: -1, isTTY: true }, stdout: silent, stderr: silent, env: {}, version: '' };

test('every command has a help with two examples, and knows the options in them', async () => {
  const { commands } = makeProgram(HOST, () => {});
  expect(commands.length).toBeGreaterThan(8);
  for (const command of commands) {
    const name = command.name();
    const { code, out, err } = await run(['help', name]);
    expect([code, err], name).toEqual([0, '']);
    const lines = out.split('\nExamples:\n')[1]!.split('\n').filter((line) => line.startsWith('  '));
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      const words = new RegExp(`openchatml ${name}( [^#|<>]*|$)`).exec(line)?.[1]!.trim().split(/\s+/) ?? ['(none)'];
      expect(command.parseOptions(words), line).toMatchObject({ unknown: [] });
      expect(words).not.toContain('(none)');
    }
  }
});

test('progress is for a person at a terminal where nothing else moves', async () => {
  type Given = { out?: boolean; err?: boolean; env?: NodeJS.ProcessEnv };
  const shows = async (command: string, options: object, given: Given): Promise<boolean> => {
    const { out = false, err = true, env = {} } = given;
    const host = { ...HOST, stdout: { ...silent, isTTY: out }, stderr: { ...silent, isTTY: err }, env };
    return (await loadSpinner(command, options as never, host)) !== null;
  };
  expect(await shows('check', {}, {})).toBe(true);
  expect(await shows('check', {}, { err: false })).toBe(false);
  expect(await shows('check', { quiet: true }, {})).toBe(false);
  expect(await shows('check', {}, { env: { CI: '' } })).toBe(false);
  expect(await shows('check', {}, { env: { TERM: 'dumb' } })).toBe(false);
  expect(await shows('check', {}, { out: true })).toBe(false);
  expect(await shows('scan', {}, { out: true })).toBe(true);
  expect(await shows('messages', { output: 'a.parquet' }, { out: true })).toBe(true);
});

test('help names the endings of files that folders give', async () => {
  const words = (await run(['scan', '--help'])).out.replace(/\s+/g, ' ');
  expect(ENDINGS.length).toBeGreaterThan(0);
  for (const ending of ENDINGS) expect(words).toContain(`*${ending.replace(/\.(gz|zst)$/, '')}`);
});

test('--exit-zero: findings do not fail; what cannot be read does', async () => {
  const path = file('program/faulty.txt', FAULTY);
  expect((await run(['check', path])).code).toBe(1);
  expect((await run(['check', '--exit-zero', path])).code).toBe(0);
  expect((await run(['check', '--exit-zero', path, `${path}.none`])).code).toBe(2);
});

test('--max-diagnostics bounds what is told, not what is counted', async () => {
  const path = file('program/many.txt', `version: 2.2\n---\n${'<|start|>robot<|message|>a<|end|>\n'.repeat(30)}`);
  const lines = async (...argv: string[]): Promise<[number, number, string]> => {
    const { code, out, err } = await run(['check', '--format', 'concise', ...argv, path], { outIsTTY: true });
    return [code, out.split('\n').length - 1, err];
  };
  const sums = '30 errors, 0 warnings in 1 file\n';
  expect(await lines()).toEqual([1, 20, `10 more; --max-diagnostics none reports them\n${sums}`]);
  expect(await lines('--max-diagnostics', 'none')).toEqual([1, 30, sums]);
  const none = `30 more; --max-diagnostics none reports them\n${sums}`;
  expect(await lines('--max-diagnostics', '0')).toEqual([1, 0, none]);
  expect((await run(['check', '--format', 'concise', path])).out.split('\n')).toHaveLength(31);
});

test('--quiet: errors only; --summary: sums without a terminal, too', async () => {
  const path = file('program/clean.txt', CLEAN);
  for (const command of ['scan', 'check', 'messages']) {
    const sums = /^(?:no findings in )?1 file.*; 118 bytes in \d+\.\d\d s, .*\/s$/m;
    const terminal = { errIsTTY: true, env: { NO_COLOR: '1' } };
    const { err } = await run([command, path], terminal);
    expect(err).toMatch(sums);
    expect(err.match(/1 file/g)).toHaveLength(1);
    expect((await run([command, '--summary', path])).err).toMatch(sums);
    expect((await run([command, path])).err).not.toMatch(sums);
    expect((await run([command, '--quiet', '--summary', path], terminal)).err).toBe('');
    expect((await run([command, '-q', `${path}.none`])).err).toMatch(/^error: /);
  }
});

test('binary output is refused on a terminal, before anything is read', async () => {
  for (const format of ['arrow', 'parquet']) {
    const { code, out, err } = await run(['messages', '--format', format, 'none'], { outIsTTY: true });
    expect([code, out]).toEqual([2, '']);
    const remedy = 'name a file with --output, or send it through a pipe';
    expect(err).toBe(`error: --format ${format} is binary and no output for a terminal; ${remedy}\n`);
  }
});

test('without a command, or without input at a terminal, help and 2', async () => {
  for (const argv of [[], ['scan'], ['check'], ['messages'], ['render']]) {
    const { code, out, err } = await run(argv);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^Usage: openchatml/);
  }
});

test.each([
  [['chek'], "unknown command 'chek'", '(Did you mean check?)'],
  [['scan', '--dialekt', 'x'], "unknown option '--dialekt'", '(Did you mean --dialect?)'],
  [['scan', '--dialect', 'x'], 'choices are auto, openchatml-2.2, openchatml-2.0, openchatml-0.1, harmony.', ''],
  [['scan', '--format', 'xml'], 'Allowed choices are table, json.', ''],
  [['check', '--max-warnings', '-1'], 'Expected a whole number from 0 on.', ''],
  [['check', '--max-warnings', '1e3'], 'Expected a whole number from 0 on.', ''],
  [['messages', '--at', '9007199254740993'], 'Expected a whole number from 0 on.', ''],
  [['check', '--max-diagnostics', 'all'], 'Expected a whole number from 0 on, or none.', ''],
  [['scan', '--threads', '0'], 'Expected a whole number from 1 to 256.', ''],
  [['scan', '--threads', '1000000000'], 'Expected a whole number from 1 to 256.', ''],
  [['scan', '--form', 'x'], 'choices are auto, text, messages, conversations, interchange-2.0, interchange-2.2.', ''],
  [['messages', '--at'], "option '--at <byte>' argument missing", ''],
  [['scan', '-', '-'], 'error: - is named twice, and standard input is read once; name it once', ''],
  [['messages', '-', 'none', '-'], 'error: - is named twice', ''],
  [['check', '--completion-role', 'robot'], 'system, developer, user, assistant, tool or functions.<name>.', ''],
])('wrong usage %j: 2', async (argv, words, suggestion) => {
  const { code, out, err } = await run(argv, { stdin: CLEAN });
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(words);
  expect(err).toContain(suggestion);
});

test('an argument cannot steer the terminal', async () => {
  const { err } = await run(['scan', '--\x1b[2J\u009b', '\x07']);
  expect(err).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
});

test('output that nobody reads ends the work quietly', async () => {
  const path = file('program/faulty.txt', FAULTY);
  for (const argv of [['scan'], ['check'], ['check', '--format', 'json'], ['messages']]) {
    let writes = 0;
    const onWrite = (): never => {
      writes++;
      throw new ClosedPipe();
    };
    expect(await run([...argv, path, path], { onWrite })).toEqual({ code: 0, out: '', err: '' });
    expect(writes).toBe(1);
  }
  expect((await run(['--help'], { onWrite: () => { throw new ClosedPipe(); } })).code).toBe(0);
});

test('output that fails is told: 2', async () => {
  const onWrite = (): never => {
    throw new OutputError('ENOSPC', { cause: Object.assign(new Error(), { code: 'ENOSPC', errno: -28 }) });
  };
  const { code, err } = await run(['scan', file('program/clean.txt', CLEAN)], { onWrite });
  expect(code).toBe(2);
  expect(err).toBe('error: standard output cannot be written: no space left on device (ENOSPC)\n');
});

test('a bug of ours is told as one, without a word of any input: 70', async () => {
  const onWrite = (): never => {
    throw new TypeError('Unexpected token SECRET\n    at SECRET');
  };
  const { code, err } = await run(['scan', file('program/clean.txt', CLEAN)], { onWrite });
  expect(code).toBe(70);
  expect(err).toContain('this is a bug in openchatml 0.0.0-test; please report it');
  expect(err).toContain('  TypeError\n    at ');
  expect(err).toContain('program.test.ts');
  expect(err).not.toContain('SECRET');
});

test('short forms of options; convert lists its forms', async () => {
  const path = file('short.txt', CLEAN);
  const output = at('short.ndjson');
  expect(await run(['messages', '-j', '2', '-o', output, path])).toMatchObject({ code: 0 });
  expect(readFileSync(output, 'utf8')).toBe((await run(['messages', path])).out);
  const { code, err } = await run(['convert', path]);
  expect(code).toBe(2);
  expect(err).toContain('--to: openchatml-2.2, openchatml-2.0, openchatml-0.1, harmony, ');
});

test('reasoning as text is refused for Harmony, which would show it', async () => {
  const { code, err } = await run(['convert', '--to', 'harmony', '--reasoning', 'think', file('think.txt', CLEAN)]);
  expect([code, err]).toEqual([2, expect.stringContaining('--reasoning think is for the other forms')]);
});

