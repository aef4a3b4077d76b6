// The command line itself: help, wrong usage, and every exit code.
import { expect, test } from 'vitest';
import { ClosedPipe, OutputError } from '../../src/cli/stream.ts';
import { CLEAN, FAULTY, file, run } from './harness.ts';

test('--version and -V', async () => {
  for (const flag of ['--version', '-V']) expect(await run([flag])).toEqual({ code: 0, out: '0.0.0-test\n', err: '' });
});

test('help goes to standard output and holds two examples', async () => {
  for (const argv of [['--help'], ['scan', '--help'], ['check', '-h'], ['messages', '--help'], ['render', '--help'], ['convert', '--help'], ['explain', '--help'], ['help', 'check']]) {
    const { code, out, err } = await run(argv);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^Usage: openchatml/);
    expect(out.split('\nExamples:\n')[1]!.match(/^ .*openchatml (scan|check|messages|render|convert|explain) /gm)).toHaveLength(2);
  }
});

test('every example is a command line that is understood', async () => {
  for (const name of [[], ['scan'], ['check'], ['messages'], ['render'], ['convert'], ['explain']]) {
    const { out } = await run([...name, '--help']);
    for (const [, line] of out.split('\nExamples:\n')[1]!.matchAll(/openchatml ((?:scan|check|messages|render|convert|explain) [^#|>\n]*)/g)) {
      const words = line!.trim().split(/\s+/).filter((word) => !/^(raw|chats)\/$|\.(txt|ocml|jsonl|ndjson)$/.test(word));
      const stdin = words.includes('--completion-role') ? '<|channel|>final<|message|>Hi<|return|>' : CLEAN;
      const { code, err } = await run(words, { stdin });
      expect([code, err.includes('error:')], line).toEqual([0, false]);
    }
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
  [['messages', '--at'], "option '--at <byte>' argument missing", ''],
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
