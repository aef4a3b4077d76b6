// What an assistant writes is read alike in a chat record and in text of 0.1 (R-HERMES, R-THINK): findings, calls, what
// is shown.
import { expect, test } from 'vitest';
import { checkFile, scanFile } from '../../../src/node.ts';
import { file, run } from '../../cli/harness.ts';

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
