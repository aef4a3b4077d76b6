// What an assistant writes is read alike in a chat record and in text of 0.1 (R-HERMES, R-THINK): findings, calls, what
// is shown.
import { readFileSync } from 'node:fs';
import { tableFromIPC } from '@uwdata/flechette';
import { expect, test } from 'vitest';
import { checkFile, readMessages, scanFile } from '../../../src/node.ts';
import { at, file, run } from '../../cli/harness.ts';

const CALL = '{"name":"f","arguments":{}}';
const tagged = (text: string): string => `<tool_call>${text}</tool_call>`;
const told = (given: string): string => tagged(`{"name":"f","arguments":{"s":"${given}"}}`);
const OK = tagged(CALL);

const BODIES = [
  `<think>x</think>\n${OK}`, `<think>x</think>\n\n \n${OK}\n`, `x</think>\n${OK}`, `<think>x</think>\nHi\n${OK}`,
  `<think>x</think>${OK}`, `<think>x</think> ${OK}`, `x</think>${OK}`, `a\r${OK}`, `a\u2028${OK}`, ` ${OK}`,
  `\n${OK} tail`, `${OK}\n<tool_call>${CALL}`, tagged(`${CALL} x`), tagged(''), tagged(`[${CALL}]`),
  tagged(CALL + CALL), tagged('{"name":"f","arguments":"{}"}'), tagged('{"name":"f"}'), told('</tool_call>'),
  told('<think>'), told('a</think>b'), `hello\n${told('a</think>b')}`, `<think>\n${OK}\n</think>\nanswer`,
  `<think>a\n${OK}`, `text\n\n<tool_call>\n${CALL}\n</tool_call>\n\nmore text`,
  tagged('{"name":"g","arguments":{}, "name":"f"}'), tagged('{"name":"","arguments":{}}'), tagged(`${CALL}\u00a0`),
  `${tagged('nonsense')} visible?`, '<tool_call>', 'Use <tool_call> like so', '<tool_call> is a tag',
  `<tool_call>{"name":"f","arguments":{"s":"a</think>b`, `Hm.\n${told('</think>')}\n</think>\nHi`,
  `${OK}\n${tagged('{"name":1}')}`, `${tagged('{"name":1}')}\n${OK}`, OK + tagged('junk'),
];
const REPLIES = [
  null, '<tool_response>1</tool_response>', '<tool_response>1</tool_response>\n<tool_response>2</tool_response>',
  '<tool_response>{"name":"f","content":1}</tool_response>',
];

type Said = { readonly role: string; readonly content: string }[];
const asText = (messages: Said): string =>
  messages.map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`).join('');

/** The lines that `render` writes, without white space at their ends. */
const shownIn = async (path: string): Promise<string[]> =>
  (await run(['render', path])).out.split('\n').map((line) => line.trim()).filter((line) => line !== '');

test.each(BODIES)('%j', async (body) => {
  for (const reply of REPLIES) {
    const messages: Said = [
      { role: 'user', content: 'q' }, { role: 'assistant', content: body },
      ...(reply === null ? [] : [{ role: 'tool', content: reply }]),
    ];
    const [inRecord, inText] = await Promise.all([{ messages }, { text: asText(messages) }].map(async (record, i) => {
      const path = file(`alike-${i}.jsonl`, `${JSON.stringify(record)}\n`);
      const findings = [...checkFile(path)].map(({ severity, rule }) => `${severity} ${rule}`).sort();
      return { findings, calls: scanFile(path).calls, shown: await shownIn(path) };
    }));
    expect(inRecord, reply ?? 'no reply').toEqual(inText);
  }
});

test('a call that cannot be read is answered by a reply with an id of its own, too', () => {
  const messages = [
    { role: 'user', content: 'q' }, { role: 'assistant', content: tagged('{"name":1}') },
    { role: 'tool', tool_call_id: 'x', name: 'f', content: '1' }, { role: 'tool', tool_call_id: 'y', content: '2' },
  ];
  const path = file('alike.jsonl', `${JSON.stringify({ messages })}\n`);
  expect([...checkFile(path)].map(({ rule, pointer }) => [rule, pointer])).toEqual([
    ['bad-call-object', '/messages/1/content'], ['unmatched-reply', '/messages/3/tool_call_id'],
  ]);
});

// What an assistant says before its calls, as contents and as the text around it in a chat record.
const ALONE = [
  '<think>x</think>', ' \n<think>x</think>\n\t \r\n', 'x</think>', 'a <think>x</think>', '<think>x',
  '<think></think>', '</think>\n', '<think>a <|end|> <|start_reason|> b</think>\n', '<think>a "q" \\ b\u4e2d</think> ',
];
const SAID = [
  'Hi', ' ', '<think>x</think>\nHi', 'x</think>.', '<think>x</think>\u00a0', '<think>x</think>\\n',
  '<think>x</think><think>y</think>', '<thinkx', 'k>', '<think>x</think><',
];

/** Records in which an assistant says a text, and then calls a tool. */
const callers = (text: string): readonly object[] => {
  const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const asked = { role: 'user', content: 'q' };
  const said = (content: unknown, more: object = {}): object =>
    ({ messages: [asked, { role: 'assistant', content, ...more }] });
  return [
    said(text, { tool_calls: [call] }),
    said(text, { tool_calls: [{ ...call, function: { name: 'f', arguments: {} } }] }),
    said(text, { function_call: call.function, reasoning_content: 'more' }),
    said(text, { tool_calls: [call], reasoning: 'more' }),
    said([{ type: 'text', text }], { tool_calls: [call] }),
    said([{ type: 'text', text }, { type: 'tool_use', id: 'c1', name: 'f', input: {} }]),
    said([{ type: 'thinking', thinking: 'more' }, { type: 'text', text },
      { type: 'tool_use', id: 'c1', name: 'f', input: {} }]),
    { input: [{ type: 'message', ...asked }, { type: 'message', role: 'assistant', content: text },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }] },
    // A thought that goes on holds what looks like a call, too.
    ...(text === '<think>x' || /^\s*$|\\n|<$/.test(text) ? [] : [said(`${text}\n${OK}`),
      { conversations: [{ from: 'human', value: 'q' }, { from: 'gpt', value: `${text}\n${OK}` }] }]),
  ];
};

/** Whether messages of preambles are visible, as every way of reading tells it: lines, a table, the library. */
async function visibleIn(path: string): Promise<unknown[]> {
  const lines = (await run(['messages', path])).out.split('\n').filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { record: number; intent: string | null; visible: boolean })
    .filter(({ intent }) => intent === 'preamble').map(({ record, visible }) => `${record} ${visible}`);
  await run(['messages', '--format', 'arrow', '-o', at('beside.arrow'), path]);
  const columns = (tableFromIPC(readFileSync(at('beside.arrow'))).toArray() as Record<string, unknown>[])
    .filter(({ intent }) => intent === 'preamble').map(({ record, visible }) => `${Number(record)} ${String(visible)}`);
  const seen: string[] = [];
  for (const { message, record } of readMessages(path)) {
    if (message.intent !== 'preamble') continue;
    seen.push(`${record} ${message.isVisible}`);
    expect(message.toRecord().visible).toBe(message.isVisible);
  }
  expect(columns, 'a table').toEqual(lines);
  expect(seen, 'the library').toEqual(lines);
  return lines;
}

test.each([['alone', ALONE, false], ['said', SAID, true]] as const)('what stands before calls: %s', async (
  _, texts, isVisible,
) => {
  for (const text of texts) {
    const records = callers(text);
    const written = records.map((record) => JSON.stringify(record));
    // An escape that no writer needs makes a value of what is read.
    const coded = written.map((line) => line.replaceAll('>', '\\u003e'));
    const path = file('beside.jsonl', `${[...written, ...coded].join('\n')}\n`);
    expect(await visibleIn(path), JSON.stringify(text))
      .toEqual([...written, ...coded].map((_, record) => `${record} ${isVisible}`));
  }
});
