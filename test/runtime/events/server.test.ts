// The server of the runtime's README: OpenAI's Responses in front of a server that completes text, asked by the real
// client.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { APIError } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';

const entryOf = (name: string): string => new URL(`../../../dist/${name}.js`, import.meta.url).href;
const PAGE = new URL('../../../src/runtime/README.md', import.meta.url);

const prompts: string[] = [];
let outputs: string[] = [];
const upstream = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  prompts.push((JSON.parse(body) as { prompt: string }).prompt);
  const output = outputs.shift();
  if (output === undefined) {
    response.writeHead(500);
    response.end('out of memory at 10.0.0.1');
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const text of output.match(/[^]{1,5}/g)!) {
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, text, finish_reason: null }] })}\n\n`);
  }
  response.write(`data: ${JSON.stringify({ choices: [{ index: 0, text: '', finish_reason: 'stop' }] })}\n\n`);
  const usage = { prompt_tokens: 30, completion_tokens: 12, prompt_tokens_details: { cached_tokens: 5 } };
  response.write(`data: ${JSON.stringify({ choices: [], usage })}\n\n`);
  response.end('data: [DONE]\n\n');
});

let child: ChildProcess;
let client: OpenAI;
let url = '';
let words = '';

beforeAll(async () => {
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const [, code] = /```js\n([^]*?)```/.exec(readFileSync(PAGE, 'utf8'))!;
  expect(code!.split('\n').length).toBeLessThan(60);
  const path = join(mkdtempSync(join(tmpdir(), 'openchatml-server-')), 'server.mjs');
  writeFileSync(path, code!.replaceAll(/'openchatml\/(\w+)'/g, (_, name: string) => JSON.stringify(entryOf(name))));
  const { port } = upstream.address() as AddressInfo;
  const argv = [path, `http://127.0.0.1:${port}/v1/completions`];
  child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stderr!.on('data', (data) => (words += String(data)));
  const [line] = (await once(child.stdout!, 'data')) as [Buffer];
  const [, heard] = /port: (\d+)/.exec(line.toString())!;
  url = `http://127.0.0.1:${heard!}`;
  client = new OpenAI({ apiKey: 'none', baseURL: url, maxRetries: 0 });
});
afterAll(async () => {
  child.kill();
  await once(child, 'close');
  upstream.closeAllConnections();
  upstream.close();
});

test('a call, its reply, and the answer', async () => {
  const tools = [{
    type: 'function' as const, name: 'sky', description: 'The sky over a city.', strict: false,
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  }];
  const question = { role: 'user' as const, content: 'What is the sky like over Oslo? <|end|>' };
  outputs = [
    '<|channel|>analysis<|message|>SECRET<|end|><|start|>assistant<|channel|>commentary<|message|>One moment.<|end|>'
      + '<|start|>assistant to=functions.sky<|channel|>commentary <|constrain|>json<|message|>{"city":"Oslo"}',
    '<|channel|>final<|message|>It rains.',
  ];
  const first = client.responses.stream({ model: 'gpt-oss-20b', instructions: 'Be brief.', input: [question], tools });
  let deltas = '';
  first.on('response.output_text.delta', ({ delta }) => void (deltas += delta));
  const { output, output_text: preamble, model, status, usage } = await first.finalResponse();
  expect(usage).toMatchObject({ input_tokens: 30, output_tokens: 12, total_tokens: 42 });
  expect([deltas, preamble, model, status]).toEqual(['One moment.', 'One moment.', 'gpt-oss-20b', 'completed']);
  expect(JSON.stringify(output)).not.toContain('SECRET');
  const call = output.find((item) => item.type === 'function_call')!;
  expect(call).toMatchObject({ name: 'sky', arguments: '{"city":"Oslo"}', status: 'completed' });
  expect(prompts[0]).toContain('Be brief.');
  expect(prompts[0]).toContain('type sky = (_: {');
  expect(prompts[0]).toContain('over Oslo? <| end |><|end|><|start|>assistant');

  const reply = { type: 'function_call_output' as const, call_id: call.call_id, output: 'rain' };
  const second = client.responses.stream({ model: 'gpt-oss-20b', input: [question, call, reply], tools });
  expect((await second.finalResponse()).output_text).toBe('It rains.');
  expect(prompts[1]).toContain('{"city":"Oslo"}<|call|><|start|>functions.sky to=assistant');
});

test('what fails is told without its details', async () => {
  const ask = (input: never): Promise<unknown> => client.responses.stream({ model: 'm', input }).finalResponse();
  const failed = await ask('Hi' as never).catch((error: unknown) => error) as APIError;
  expect([failed.status, failed.message]).toEqual([502, '502 the model cannot be asked']);
  expect(words).toContain('answered 500: out of memory');
  const wrong = await ask([{ type: 'function_call_output' }, 7] as never).catch((error: unknown) => error) as APIError;
  expect(wrong).toBeInstanceOf(APIError);
  expect(wrong.status).toBe(400);
});

const NO_REQUESTS = [
  'null', '7', '"text"', '[]', '{}', '', '{', '{"input":null}', '{"input":[null]}', '{"input":7}',
  'x'.repeat(1_100_000),
].map((body) => [body.slice(0, 20), body] as const);
test.each(NO_REQUESTS)('a body that is no request is the client’s fault: %s', async (_, body) => {
  const response = await fetch(`${url}/responses`, { method: 'POST', body });
  expect([response.status, response.headers.get('content-type')]).toEqual([400, 'application/json']);
  expect(await response.json()).toEqual({
    error: { message: expect.any(String), type: 'invalid_request_error', param: null, code: null },
  });
});
