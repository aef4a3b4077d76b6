// Chat records whose texts are read where they lie: what is found in them is what is found in their values.
import { afterAll, describe, expect, test } from 'vitest';
import { FROM, NEXT, TO } from '../../../src/abi.ts';
import { auditLines, type AuditOptions, auditRecords } from '../../../src/corpus/audit/audit.ts';
import type { AuditedText, ByteEdit } from '../../../src/corpus/audit/audited.ts';
import { chatFields } from '../../../src/corpus/audit/chat-fields.ts';
import { pathText } from '../../../src/corpus/audit/fields.ts';
import { ThreadContext } from '../../../src/corpus/jobs/open.ts';
import { type Layout, layoutOf } from '../../../src/corpus/records/layout.ts';
import { ChatLines } from '../../../src/corpus/records/chat-lines.ts';
import { isRows } from '../../../src/corpus/records/rows.ts';
import { ALL } from '../../../src/corpus/records/units.ts';
import { MemorySource } from '../../../src/scan/source.ts';
import { runs } from '../../long.ts';
import { type Random, randomOf, SEED } from '../../random.ts';
import { content, mutated, randomLine, randomText, randomTools } from '../records/random-chat.ts';

const context = new ThreadContext();
afterAll(() => context.close());

const linesOf = (bytes: Uint8Array, layout: Layout = 'lines', field?: string): ChatLines => {
  const wanted = { takesTexts: true };
  return new ChatLines(context, new MemorySource(bytes), { field }, ALL, layout, wanted);
};

/** Of each record the fields that are read where they lie, by path, role and text; null: it is read as a whole. */
function fieldsOf(bytes: Uint8Array): (string[] | null)[] {
  const all: (string[] | null)[] = [];
  for (const rows of linesOf(bytes).scanned()) {
    if (rows === null || !isRows(rows)) continue;
    const { machine, to } = rows;
    for (let record = 0; record < to; record = machine.rows[record * 4 + NEXT]!) {
      const [from, end] = [machine.rows[record * 4 + FROM]!, machine.rows[record * 4 + TO]!];
      const fields = chatFields(rows, record, Buffer.from(machine.memory.slice(from, end)));
      all.push(fields && fields.map(({ path, role, text }) => `${pathText(path)} ${role} ${text}`));
    }
  }
  return all;
}

type Told = Pick<AuditedText, 'findings' | 'at' | 'line' | 'left'> & { readonly edits: readonly ByteEdit[] };

function toldOf(audited: Iterable<AuditedText | number>): Told[] {
  return [...audited].filter((one): one is AuditedText => typeof one !== 'number').map((one) => {
    const edits: ByteEdit[] = [];
    const edit = one.change?.byteEdits();
    while (edit?.next() === true) edits.push({ from: edit.from, to: edit.to, bytes: Uint8Array.from(edit.bytes) });
    return { findings: one.findings, at: one.at, line: one.line, left: one.left, edits };
  });
}

const WAYS: readonly AuditOptions[] = [
  {}, { tellsOnly: true }, { lookAlikes: true, foreign: true }, { how: 'escape', lookAlikes: true, foreign: true },
];

function expectSame(bytes: Uint8Array, why: string, field?: string): Told[] {
  const layout = layoutOf(new MemorySource(bytes));
  const all = WAYS.map((way) => {
    const lines = linesOf(bytes, layout, field);
    const options = { ...way, field };
    const told = toldOf(auditLines(context.machine, new MemorySource(bytes), options, lines, layout));
    expect(told, why).toEqual(toldOf(auditRecords(context.machine, new MemorySource(bytes), options)));
    return told;
  });
  return all[0]!;
}

describe('fields of a record', () => {
  const user = { role: 'user', content: 'Hi' };
  const CASES: readonly (readonly [string, unknown, string[] | null])[] = [
    ['reasoning in a content', { messages: [user, { role: 'assistant', content: '<think>a</think>b' }] },
      ['messages[1].content assistant <think>a</think>b']],
    ['a call and its reply as text', { messages: [
      { role: 'assistant', content: '<tool_call>{"name":"f","arguments":{}}</tool_call>' },
      { role: 'tool', content: '<tool_response>1</tool_response>' }, user,
    ] }, [
      'messages[0].content assistant <tool_call>{"name":"f","arguments":{}}</tool_call>',
      'messages[1].content tool <tool_response>1</tool_response>',
    ]],
    ['a message of definitions alone', { messages: [
      { role: 'system', content: '<tools>{"name":"f","parameters":{}}</tools>' }, user,
      { content: '[INST]', role: 'user' },
    ] }, ['messages[0].content system <tools>{"name":"f","parameters":{}}</tools>', 'messages[2].content user [INST]']],
    ['ShareGPT', { conversations: [{ from: 'human', value: 'a <|end|> b' }, { from: 'gpt', value: 'Hi' }] },
      ['conversations[0].value user a <|end|> b']],
    ['behind other members', { id: 1, meta: { messages: [] }, messages: [user, { ...user, content: '<think>' }] },
      ['messages[1].content user <think>']],
    ['another member of a message', { messages: [{ ...user, note: '[INST]' }] }, ['messages[0].note user [INST]']],
    ['escapes', { messages: [{ role: 'user', content: '"é"\n<|end|>.' }] },
      ['messages[0].content user "é"\n<|end|>.']],
    ['a text beside the messages', { system: '[INST]', messages: [user] }, null],
    ['one behind them', { messages: [user], system: '[INST]' }, null],
    ['a part of a content', { messages: [{ role: 'user', content: [{ type: 'text', text: '[INST]' }] }] }, null],
    ['an argument', { messages: [{ role: 'assistant', content: null, tool_calls: [
      { id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":"[INST]"}' } },
    ] }] }, null],
    ['a role', { messages: [{ role: '[INST]', content: 'x' }] }, null],
    ['a bound', { messages: [{ role: 'user', content: '<s>' }, user] }, null],
    ['a beginning that the next text may end', { messages: [
      { role: 'user', content: 'a<|en' }, { role: 'user', content: 'd|>' },
    ] }, null],
    ['a key that says nothing', { messages: [{ ...user, '[INST]': 1 }] }, null],
  ];

  test.each(CASES)('%s', (_, value, fields) => {
    const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
    expect(fieldsOf(bytes)).toEqual([fields]);
    expect(expectSame(bytes, '')).not.toEqual([]);
  });

  test('members that stand twice', () => {
    const bytes = Buffer.from('{"messages":[{"role":"user","content":"x","note":"<think>","note":"[INST]"}]}\n');
    expect(fieldsOf(bytes)).toEqual([null]);
    expectSame(bytes, '');
  });
});

const PIECES = [
  '<think>', '</think>\n', '\n<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>', '[INST]',
  '<|end|>', '<', '<|', '|end|>', 'end|>', '<s>', '[BOS]', '&lt;|end|>',
  '\\u003c|end|>', 'é', '\u{1f600}', '\uff1c|end|>', '"', '\n',
  '<tool_response>1</tool_response>', '<tools>{"name":"f","parameters":{}}</tools>', '\ud800',
];
const WORDS = ['Hello there. ', 'a b ', 'One, two; three. '];

/** A chat record of which some texts hold something. */
function randomSigned(random: Random, messages: string): unknown {
  const text = (): string => Array.from({ length: 1 + random.below(4) }, () =>
    random.pick(random.once(5) ? PIECES : WORDS)).join('');
  const role = (): string => random.pick(['user', 'assistant', 'assistant', 'tool', 'system', 'developer', 'x']);
  const message = (): Record<string, unknown> => ({
    role: role(), content: random.once(30) ? content(random) : text(),
    ...(random.once(20) && { reasoning_content: text() }),
    ...(random.once(20) && { name: random.pick(['bob', 'f', '[INST]']) }),
    ...(random.once(40) && { [random.pick(['note', 'a b', '<|end|>'])]: random.pick([text(), [text()], null]) }),
  });
  const said = (): unknown => ({ from: random.pick(['human', 'gpt', 'system', 'tool']), value: text() });
  const isShared = random.once(4);
  const list = Array.from({ length: 1 + random.below(5) }, isShared ? said : message);
  return {
    ...(random.once(6) && { id: random.pick([1, 'x', '[INST]']) }),
    ...(random.once(8) && { tools: randomTools(random) }),
    [isShared && random.once(2) ? 'conversations' : messages]: list,
    ...(random.once(10) && { meta: text() }),
  };
}

test(`random records (seed ${SEED})`, { timeout: 20 * 60_000 }, () => {
  let [taken, left] = [0, 0];
  for (let run = 0; run < runs(2500, 12); run++) {
    const random = randomOf(SEED + run);
    const name = random.once(4) ? random.pick(['conversation', 'conversation', 'dialogue']) : 'messages';
    const field = random.once(name === 'dialogue' ? 1 : 8) ? name : undefined;
    const lines = Array.from({ length: 1 + random.below(4) }, () => {
      if (random.once(6)) return randomLine(random);
      const messages = random.once(8) ? 'messages' : name;
      const line = Buffer.from(`${randomText(random, randomSigned(random, messages))}\n`);
      return random.once(10) ? mutated(random, line) : line;
    });
    const bytes = Buffer.concat(lines);
    for (const fields of fieldsOf(bytes)) {
      if (fields === null) left++;
      else if (fields.length > 0) taken++;
    }
    expectSame(bytes, `seed ${SEED + run}: ${bytes.toString()}`, field);
  }
  expect(taken).toBeGreaterThan(runs(2500, 12) / 10);
  expect(left).toBeGreaterThan(runs(2500, 12) / 10);
});
