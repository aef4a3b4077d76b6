// Headerless Harmony (R-LIKELY): every command says so, once and on standard error, with the number of such system
// messages; convert does not make one conversation of several.
import { expect, test } from 'vitest';
import { seen } from '../corpus/jobs/seen.ts';
import { file, jsonLines, run } from './harness.ts';

const ONE = '<|start|>system<|message|>You are ChatGPT.\n\n# Valid channels: analysis, commentary, final.<|end|>'
  + '<|start|>user<|message|>Rain?<|end|>'
  + '<|start|>assistant to=functions.f<|channel|>commentary<|message|>{}<|call|>'
  + '<|start|>functions.f to=assistant<|channel|>commentary<|message|>no<|end|>'
  + '<|start|>assistant<|channel|>final<|message|>No.<|return|>';
const TWO = file('likeness/two.txt', ONE.repeat(2));
const said = (count: string): string =>
  `${count} like Harmony, and the text is read as OpenChatML 2.2; --dialect harmony reads it as Harmony\n`;

const COMMANDS = [['scan'], ['check'], ['messages'], ['render'], ['audit']];

test.each(COMMANDS)('%s', async (...command) => {
  expect((await run([...command, TWO])).err).toContain(said('2 system messages look'));
  expect((await run([...command, '-'], { stdin: ONE })).err).toContain(said('1 system message looks'));
  const records = file('likeness/records.jsonl', `${JSON.stringify({ text: ONE })}\n`.repeat(3));
  if (command[0] !== 'audit') {
    expect((await run([...command, TWO, records])).err.split('like Harmony')).toHaveLength(2);
    expect((await run([...command, TWO, records])).err).toContain(said('5 system messages look'));
  }
  for (const quiet of [['--dialect', 'harmony'], ['--quiet']]) {
    expect((await run([...command, ...quiet, TWO])).err).not.toContain('like Harmony');
  }
});

test('check tells each, and no missing ids', async () => {
  const { code, out } = await run(['check', '--format', 'ndjson', TWO]);
  expect(code).toBe(0);
  expect(jsonLines(out).slice(0, -1).map(({ rule, from }) => [rule, from])).toEqual([
    ['looks-like-harmony', 0], ['looks-like-harmony', ONE.length],
  ]);
});

test('convert refuses several, and takes one, or those of a named dialect', async () => {
  const several = await run(['convert', '--to', 'messages', TWO]);
  expect([several.code, jsonLines(several.out)]).toEqual([1, [expect.objectContaining({ messages: null })]]);
  expect(several.err).toContain('it looks like 2 conversations of Harmony, which would become one; give --dialect');
  expect(several.err).toContain(said('2 system messages look'));
  expect(jsonLines((await run(['convert', '--to', 'messages', file('likeness/one.txt', ONE)])).out)).toHaveLength(1);
  for (const [dialect, count] of [['harmony', 2], ['openchatml-2.2', 1]] as const) {
    const { out } = await run(['convert', '--to', 'messages', '--dialect', dialect, TWO]);
    expect(jsonLines(out)).toHaveLength(count);
  }
});

test('the same on every number of threads, wherever the input is cut', async () => {
  const path = file('likeness/many.txt', ONE.repeat(2000));
  const works = [
    { kind: 'count' }, { kind: 'check', tools: [] }, { kind: 'messages', form: 'lines', filters: {} },
  ] as const;
  for (const work of works) {
    const wanted = await seen(path, work, {}, 1);
    for (const step of [5000, 70_001]) {
      expect(await seen(path, work, {}, 2, { least: 1, step: () => step })).toEqual(wanted);
    }
  }
});

test.each(['1', '2'])('the number with %s threads', async (threads) => {
  const path = file('likeness/large.txt', ONE.repeat(20_000));
  for (const command of [['scan'], ['check', '--format', 'concise'], ['messages'], ['audit']]) {
    expect((await run([...command, '--threads', threads, path])).err).toContain(said('20,000 system messages look'));
  }
});
