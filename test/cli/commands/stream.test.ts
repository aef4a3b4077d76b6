// `stream`: events of what comes through a pipe, each answered before more is waited for; forms, formats, bad options.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type EventForm, eventsOf, readServerSentEvents } from '../../../src/stream.ts';
import { at, file, jsonLines, run } from '../harness.ts';

const COMMAND = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const OUTPUT = '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant to=functions.sky<|channel|>commentary'
  + '<|message|>{"a":"é"}<|call|>';
const READ = ['--dialect', 'harmony', '--completion-role', 'assistant'];

/** Without what differs between runs. */
const plain = (events: readonly unknown[]): unknown => JSON.parse(
  JSON.stringify(events)
    .replaceAll(/"(id|item_id|message_id|call_id)":"[a-z_]+[0-9_]+"/g, '"$1":"x"')
    .replaceAll(/"(created|created_at)":\d+/g, '"$1":0'),
);

async function eventsIn(as: EventForm, reasoning: boolean): Promise<object[]> {
  const events: object[] = [];
  const options = { dialect: 'harmony', role: 'assistant', reasoning, as, response: { model: 'm' } } as const;
  for await (const event of eventsOf([new TextEncoder().encode(OUTPUT)], options)) events.push(event);
  return events;
}

describe.each(['ocm', '2.0', 'responses', 'chat'] as const)('--events %s', (as) => {
  test.each([[], ['--reasoning']])('is what eventsOf gives, as lines and as server-sent events %j', async (...more) => {
    const argv = ['stream', ...READ, '--events', as, '--model', 'm', ...more];
    const expected = plain(await eventsIn(as, more.length > 0));
    const lines = await run(argv, { stdin: OUTPUT });
    expect([lines.code, lines.err]).toEqual([0, '']);
    expect(plain(jsonLines(lines.out))).toEqual(expected);
    const { out } = await run([...argv, '--format', 'sse'], { stdin: OUTPUT });
    const events: unknown[] = [];
    for await (const { data, event } of readServerSentEvents([out])) {
      if (data === '[DONE]') continue;
      const value = JSON.parse(data) as { type?: string };
      expect(event).toBe(value.type ?? 'message');
      events.push(value);
    }
    expect(plain(events)).toEqual(expected);
    expect(out.endsWith('data: [DONE]\n\n')).toBe(as === 'chat');
    if (more.length === 0) expect(lines.out).not.toContain('Hm.');
  });
});

test.each([
  [['--think-open'], 'Hi'], [[], 'Hm.Hi'],
])('a thought that began in the prompt, with %j', async (more, shown) => {
  const argv = ['stream', '--dialect', 'openchatml-0.1', '--completion-role', 'assistant', '--events', 'chat', ...more];
  const { out } = await run(argv, { stdin: 'Hm.</think>Hi<|im_end|>' });
  const chunks = jsonLines(out) as { choices: { delta: { content?: string } }[] }[];
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(shown);
});

test('--rescue goes on behind a preamble that ends as a call', async () => {
  const stdin = '<|channel|>commentary<|message|>I look.<|call|>'
    + '<|start|>assistant<|channel|>final<|message|>The answer.<|return|>';
  const argv = ['stream', ...READ, '--harmony-preambles', '--events', 'chat'];
  expect((await run(argv, { stdin })).out).not.toContain('The answer.');
  expect((await run([...argv, '--rescue'], { stdin })).out).toContain('The answer.');
});

test('a finish reason, a file, and options of reading', async () => {
  const path = file('stream/answer.harmony', '<|channel|>final<|message|>Yes.');
  const last = async (...argv: string[]): Promise<unknown> => {
    return jsonLines((await run(['stream', path, ...argv])).out).at(-1);
  };
  expect(await last()).toMatchObject({ type: 'response.incomplete' });
  expect(await last('--finish-reason', 'stop')).toMatchObject({ type: 'response.completed', stop: 'stripped' });
  expect(await last('--stop-stripped', '--events', '2.0')).toMatchObject({ type: 'response.output_item.done' });
});

test('wrong usage and inputs that cannot be read', async () => {
  const two = await run(['stream', 'a', 'b']);
  expect([two.code, two.out, two.err]).toEqual([2, '', expect.stringContaining('reads one input')]);
  expect(await run(['stream', '--bos', 'x'], { stdin: '' })).toMatchObject({ code: 2, out: '' });
  const { code, out, err } = await run(['stream', '--events', 'responses', at('stream/none')]);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain('stream/none');
});

test('a terminal is not steered by what a model says', async () => {
  for (const format of ['ndjson', 'sse']) {
    const stdin = '<|channel|>final<|message|>\x9b31m<|return|>';
    const { out } = await run(['stream', ...READ, '--format', format], { stdin, outIsTTY: true });
    expect(out).not.toMatch(/[\x80-\x9f\x1b]/);
    expect(out).toContain('9b31m');
  }
});

describe('as a process', () => {
  test('answers each piece before it waits for the next one', async () => {
    const child = spawn(process.execPath, [COMMAND, 'stream', ...READ], { stdio: ['pipe', 'pipe', 'inherit'] });
    // Without an answer the test ends by its time limit.
    const answer = async (piece: string): Promise<string> => {
      child.stdin.write(piece);
      const [data] = (await once(child.stdout, 'data')) as [Buffer];
      return data.toString();
    };
    expect(await answer('<|channel|>final<|message|>He')).toContain('"delta":"He"');
    expect(await answer('y')).toContain('"delta":"y"');
    expect(await answer('!')).toContain('"delta":"!"');
    child.stdin.end('<|return|>');
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(0);
  });

  test('a reader that goes away ends it quietly', async () => {
    const many = file('stream/many.txt', `<|channel|>final<|message|>${'word \n\n'.repeat(500_000)}`);
    const argv = [COMMAND, 'stream', ...READ, '--events', 'chat', '--format', 'sse', many];
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'pipe'] });
    let words = '';
    child.stderr.on('data', (data) => (words += data));
    child.stdout.once('data', () => child.stdout.destroy());
    const [code] = (await once(child, 'close')) as [number];
    expect([code, words]).toEqual([0, '']);
  });

  test('a slow reader gets everything, and little waits for it', async () => {
    const argv = ['--max-old-space-size=64', COMMAND, 'stream', ...READ];
    const child = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit'] });
    const piece = Buffer.alloc(1024 * 1024, 'some words ');
    let length = 0;
    child.stdout.on('data', (data: Buffer) => {
      length += data.length;
      child.stdout.pause();
      setImmediate(() => child.stdout.resume());
    });
    const closed = once(child, 'close');
    child.stdin.write('<|channel|>final<|message|>');
    for (let n = 0; n < 100; n++) if (!child.stdin.write(piece)) await once(child.stdin, 'drain');
    child.stdin.end('<|return|>');
    const [code] = (await closed) as [number];
    expect(code).toBe(0);
    expect(length).toBeGreaterThan(100 * piece.length);
  });

  test.runIf(process.platform === 'linux')('a full disk fails, what the model says does not', () => {
    const full = openSync('/dev/full', 'w');
    const failed = spawnSync(process.execPath, [COMMAND, 'stream', ...READ], {
      input: OUTPUT, encoding: 'utf8', stdio: ['pipe', full, 'pipe'],
    });
    expect([failed.status, failed.stderr])
      .toEqual([2, 'error: standard output cannot be written: no space left on device (ENOSPC)\n']);
    const odd = spawnSync(process.execPath, [COMMAND, 'stream', ...READ], { input: '\xff<|start|>?' });
    expect(odd.status).toBe(0);
    closeSync(full);
  });
});
