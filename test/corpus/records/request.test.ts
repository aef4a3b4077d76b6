// Requests in the lines of a batch are read as the records that they hold: places, pointers, counts, what is lost.
import { expect, test } from 'vitest';
import { at, file, jsonLines, run } from '../../cli/harness.ts';
import { write } from '../tables/parquet-here.ts';

const TOOLS = [{
  type: 'function',
  function: { name: 'f', parameters: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } },
}];
const CALL = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"a": 1}' } };
const ASKED = { role: 'user', content: 'Wie "heißt" das? <|end|>' };
const CHAT = { model: 'm', messages: [ASKED, { role: 'assistant', content: null, tool_calls: [CALL] }], tools: TOOLS };

type Case = [name: string, record: object, before: string];
const RECORDS: Case[] = [
  ['OpenAI', { custom_id: '1', method: 'POST', url: '/v1/chat/completions', body: CHAT }, '/body'],
  ['Anthropic', { custom_id: '1', params: CHAT }, '/params'],
];
const waysOf = (record: object): [way: string, text: string, isLines: boolean][] => [
  ['lines', `${JSON.stringify(record)}\n`, true], ['list', ` [${JSON.stringify(record)}]`, false],
  ['behind others', `{"messages":[]}\n${JSON.stringify(record)}\n`, true],
  ['pretty', JSON.stringify(record, null, 2), false],
];

test.each(RECORDS.flatMap(([name, record, before]) => waysOf(record).map(([way, text, isLines]) => ({
  name, way, text, isLines, before,
}))))('$name, $way', async ({ name, way, text, isLines, before }) => {
  const path = file(`request/${name} ${way}.jsonl`, text);
  const bytes = Buffer.from(text, 'utf8');
  const counts = JSON.parse((await run(['scan', '--format', 'json', path])).out) as Record<string, unknown>;
  // The definitions make a message of their own.
  expect(counts).toMatchObject({ messages: 3, calls: 1 });

  const messages = jsonLines((await run(['messages', path])).out) as Record<string, unknown>[];
  const [, asked] = messages;
  expect(bytes.toString('utf8', asked!['body_from'] as number, asked!['body_to'] as number))
    .toBe(JSON.stringify(ASKED.content).slice(1, -1));

  const found = (jsonLines((await run(['check', '--format', 'ndjson', path])).out) as Record<string, unknown>[])
    .filter(({ severity }) => severity === 'error');
  expect(found.map(({ rule, pointer }) => [rule, pointer])).toEqual([
    ['invalid-arguments', `${before}/messages/1/tool_calls/0/function/arguments`],
  ]);
  // The message that calls.
  const rest = bytes.toString('utf8', found[0]!['from'] as number).replaceAll(/\s/g, '');
  expect(rest.startsWith(JSON.stringify(CHAT.messages[1]).replaceAll(' ', '')), rest.slice(0, 40)).toBe(true);

  // A filter reads lines.
  if (isLines) {
    const judged = jsonLines((await run(['filter', '--emit', 'verdict', path])).out) as Record<string, unknown>[];
    expect(judged.at(-1)).toMatchObject({ ok: false, messages: 3, calls: 1, err: [{ rule: 'invalid-arguments' }] });
  }

  const audited = jsonLines((await run(['audit', '--format', 'ndjson', path])).out) as Record<string, unknown>[];
  expect(audited[0]).toMatchObject({ rule: 'control-token', field: `${before.slice(1)}.messages[0].content` });
});

test('what is refused in a request has its pointer', async () => {
  const record = { body: { messages: [{ role: 'x', content: 'a' }] } };
  const line = `${JSON.stringify(record)}\n`;
  const path = file('request/refused.jsonl', line + line);
  const found = jsonLines((await run(['check', '--format', 'ndjson', path])).out) as Record<string, unknown>[];
  const told = { rule: 'refused-record', pointer: '/body/messages/0' };
  // One that is known has the same place in its line.
  expect(found.slice(0, 2)).toMatchObject([
    { ...told, from: 0, to: line.length - 1 }, { ...told, from: line.length, to: 2 * line.length - 1 },
  ]);
});

test('a request is audited beside texts that are not read', async () => {
  const messages = [{ role: 'user', content: 'a<|end|>' }];
  const asked = { answer: 'x <|end|>', body: { messages } };
  // What else is read stands for it.
  const path = file('request/audited.jsonl', [asked, { messages, body: { messages } }].map((record) => {
    return `${JSON.stringify(record)}\n`;
  }).join(''));
  const found = jsonLines((await run(['audit', '--format', 'ndjson', path])).out).slice(0, -1);
  expect(found.map((one) => [(one as { record: number }).record, (one as { field: string }).field])).toEqual([
    [0, 'answer'], [0, 'body.messages[0].content'], [1, 'messages[0].content'],
  ]);
});

test('convert tells what stands beside a request', async () => {
  const messages = [{ role: 'user', content: 'a' }];
  // What a record says beside a request is none of it.
  const record = { custom_id: '1', system: 'b', body: { messages, model: 'm' } };
  const path = file('request/beside.jsonl', JSON.stringify(record));
  const { out, err } = await run(['convert', '--to', 'messages', path]);
  expect(jsonLines(out)).toEqual([{ id: `${path}:0`, messages }]);
  expect(err).toBe(`lost: field 3 (first: ${path}:1: model)\n`);
  expect(jsonLines((await run(['messages', path])).out)).toHaveLength(1);
});

test('what is no request is told as before', async () => {
  const others = [
    { body: { role: 'user', content: 'a' } }, { body: { text: 1 } }, { body: [] }, { body: { body: CHAT } },
    { messages: 'x', body: {} },
  ];
  const path = file('request/others.jsonl', others.map((record) => `${JSON.stringify(record)}\n`).join(''));
  for (const argv of [['check', '--format', 'ndjson'], ['audit', '--format', 'ndjson']]) {
    const found = jsonLines((await run([...argv, path])).out) as Record<string, unknown>[];
    expect(found.filter(({ rule }) => rule === 'unknown-record'), argv[0]).toHaveLength(others.length);
  }
  const { out } = await run(['convert', '--to', 'messages', path]);
  expect(jsonLines(out).map((line) => (line as { messages: unknown }).messages)).toEqual(others.map(() => null));
});

const RESPONSE = { id: 'x', object: 'chat.completion', usage: { total_tokens: 3 } };
const choiceOf = (message: object, index = 0): object => ({ index, message, finish_reason: 'stop' });
const said = (content: string): object => ({ role: 'assistant', content, refusal: null });
const called = { role: 'assistant', content: null, tool_calls: [CALL] };
const item = (text: string): object =>
  ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
const completion = (...messages: object[]): object => ({ ...RESPONSE, choices: messages.map(choiceOf) });
const block = { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'a<|end|>' }] };
const request = { model: 'm', messages: [{ role: 'user', content: 'q' }], tools: TOOLS };
const asked = { ...request, tools: [] };

/** Records, the contents of their transcripts but for definitions, and where the token and what is wrong stand. */
const ANSWERS: [name: string, record: object, contents: string[][], token: string | null, wrong: string | null][] = [
  ['a completion', completion(said('a<|end|>'), said('b')), [['a<|end|>'], ['b']], 'choices[0].message.content', null],
  ['a line of a batch', { custom_id: '1', response: { status_code: 200, body: completion(said('a<|end|>')) } },
    [['a<|end|>']], 'response.body.choices[0].message.content', null],
  ['a log', { request, response: completion(called, said('a<|end|>')) }, [['q', '{"a": 1}'], ['q', 'a<|end|>']],
    'response.choices[1].message.content', '/response/choices/0/message/tool_calls/0/function/arguments'],
  ['a log with bodies', { request: { body: request }, response: { body: completion(called) } }, [['q', '{"a": 1}']],
    null, '/response/body/choices/0/message/tool_calls/0/function/arguments'],
  ['a batch of Anthropic', { custom_id: '1', result: { type: 'succeeded', message: block } }, [['a<|end|>']],
    'result.message.content[0].text', null],
  ['a log of Anthropic', { request: asked, response: block }, [['q', 'a<|end|>']], 'response.content[0].text', null],
  ['a batch of Responses', { response: { body: { object: 'response', output: [item('a<|end|>')] } } }, [['a<|end|>']],
    'response.body.output[0].content[0].text', null],
  ['a log of Responses', { request: { input: 'q' }, response: { output: [item('a<|end|>')] } }, [['q', 'a<|end|>']],
    'response.output[0].content[0].text', null],
  ['a request without an answer', { request: asked, response: null }, [['q']], null, null],
  ['a request that failed', { body: asked, response: { body: { error: { message: 'x' } } } }, [['q']], null, null],
  ['a list that is a text', { request: { messages: '[{"role":"user","content":"q"}]' }, response: { choices: [] } },
    [['q']], null, null],
];

test.each(ANSWERS)('%s is read by every command', async (name, record, contents, token, wrong) => {
  const path = file(`request/${name}.jsonl`, `${JSON.stringify(record)}\n`);
  const messages = jsonLines((await run(['messages', path])).out).filter(({ role }) => role !== 'developer');
  const read = contents.map((_, i) => {
    return messages.filter(({ transcript }) => transcript === i).map(({ content }) => content);
  });
  expect(read).toEqual(contents);
  const counts = JSON.parse((await run(['scan', '--format', 'json', path])).out) as { transcripts: number };
  expect(counts.transcripts).toBe(contents.length);
  const found = jsonLines((await run(['check', '--format', 'ndjson', path])).out);
  const errors = found.filter(({ severity }) => severity === 'error').map(({ pointer }) => pointer);
  expect(errors).toEqual(wrong === null ? [] : [wrong]);
  const audited = jsonLines((await run(['audit', '--format', 'ndjson', path])).out).slice(0, -1);
  expect(audited.map(({ rule, field }) => [rule, field])).toEqual(token === null ? [] : [['control-token', token]]);
  const [converted] = jsonLines((await run(['convert', '--to', 'messages', path])).out);
  const again = (converted!['messages'] as { role: string; content: string | null }[])
    .map(({ content }) => content ?? CALL.function.arguments);
  expect(again).toEqual(contents[0]);
  const fixed = at(`request/${name}.out`);
  await run(['audit', '--fix', '--output', fixed, path]);
  expect((await run(['audit', '--format', 'concise', fixed])).code).toBe(0);
  const counted = JSON.parse((await run(['scan', '--format', 'json', fixed])).out) as object;
  expect(counted).toMatchObject({ transcripts: contents.length });
});

test('of very many answers each stands by itself', async () => {
  const count = async (n: number): Promise<number> => {
    const record = { request: asked, response: completion(...Array.from({ length: n }, () => said('a'))) };
    const path = file('request/many.jsonl', JSON.stringify(record));
    return (JSON.parse((await run(['scan', '--format', 'json', path])).out) as { messages: number }).messages;
  };
  expect([await count(16), await count(17)]).toEqual([32, 17]);
});

test('columns of a table that hold answers', async () => {
  const columns = { request: asked, response: completion(said('a')), text_of_others: 'x' };
  const data = Object.entries(columns).map(([column, value]) => {
    return { name: column, data: [value], type: typeof value === 'string' ? 'STRING' as const : 'JSON' as const };
  });
  const listed = jsonLines((await run(['messages', write('request', data)])).out);
  expect(listed.map(({ content }) => content)).toEqual(['q', 'a']);
});

test('convert tells what stands beside an answer', async () => {
  const record = { ts: 1, request: { messages: asked.messages, model: 'm' }, response: completion(said('a')) };
  const path = file('request/told.jsonl', JSON.stringify(record));
  const { err } = await run(['convert', '--to', 'messages', path]);
  // ts; model; id, object, usage; index, finish_reason.
  expect(err).toBe(`lost: field 7 (first: ${path}:1: model)\n`);
});
