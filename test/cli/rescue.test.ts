// `--rescue` (R-RESCUE): the commands that read transcripts say what the library says with that option.
import { expect, test } from 'vitest';
import { parse } from '../../src/index.ts';
import { check } from '../../src/tools.ts';
import { CASES, readFixtures } from '../fixture.ts';
import { jsonLines, run } from './harness.ts';

const READ = ['--dialect', 'harmony', '--rescue'];
const COMPLETION = [...READ, '--completion-role', 'assistant'];
const output = async (...argv: string[]): Promise<string> => (await run(argv)).out;

test.each(readFixtures().filter(({ name, options }) => name.startsWith('rescue/') && options.role === 'assistant'))(
  '$name', async ({ name, input, options }) => {
    const path = `${CASES}${name}.txt`;
    const stripped = options.stopStripped === true ? ['--stop-stripped'] : [];
    const found = jsonLines(await output('check', ...COMPLETION, ...stripped, '--format', 'ndjson', path)).slice(0, -1);
    expect(found.map(({ rule, from }) => ({ rule, from })))
      .toEqual(check(input, options).map(({ rule, from }) => ({ rule, from })));
    const messages = jsonLines(await output('messages', ...COMPLETION, ...stripped, path));
    expect(messages.map(({ content, channel }) => ({ content, channel })))
      .toEqual([...parse(input, options).messages()].map(({ content, channel }) => ({ content, channel })));
    const counts = JSON.parse(await output('scan', ...COMPLETION, ...stripped, '--format', 'json', path)) as object;
    expect(counts).toMatchObject({ messages: messages.length });
  },
);

test('what is shown, converted and judged', async () => {
  const path = `${CASES}rescue/analysis-in-final.txt`;
  expect(await output('render', ...READ, path)).toBe('assistant\n  4\n\nassistant\n  It is 4.\n\n');
  const converted = JSON.parse(await output('convert', ...READ, '--to', 'messages', path)) as { messages: unknown[] };
  expect(converted.messages).toMatchObject([{ content: '4' }, { thinking: 'Did I add?', content: 'It is 4.' }]);
  const exact = JSON.parse(await output('convert', '--dialect', 'harmony', '--to', 'messages', path)) as object;
  expect(exact).toMatchObject({ messages: null });
});
