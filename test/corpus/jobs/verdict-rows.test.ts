// Verdicts written from rows against a verdict on each line by itself: blank lines, overlong ones, whatever they hold.
import { expect, test } from 'vitest';
import { filter, type FilterOptions } from '../../../src/cli/commands/filter.ts';
import { file } from '../../cli/harness.ts';
import { SHARED, work } from '../../cli/hosts.ts';
import { runs } from '../../long.ts';
import { type Random, randomOf, SEED } from '../../random.ts';
import { mutated, randomRecord, randomText } from '../records/random-chat.ts';

const RUNS = runs(300, 5);
/** What every record may call. */
const TOOLS = file('verdict-rows/tools.json', JSON.stringify([
  { type: 'function', function: { name: 'f' } },
  {
    type: 'function', function: {
      name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
]));

async function verdicts(stdin: Buffer, options: Partial<FilterOptions>): Promise<unknown> {
  const { code, out, err } =
    await work((host) => filter([], { ...SHARED, emit: 'verdict', ...options }, host), { stdin });
  return { code, out, err };
}

/** A line whose messages stand in another field, most of them. */
function inField(random: Random, line: Buffer, field: string): Buffer {
  if (random.once(8)) return line;
  return Buffer.from(line.toString('latin1').replace('"messages"', `"${field}"`), 'latin1');
}

function lineOf(random: Random): Buffer {
  if (random.once(9)) {
    return Buffer.from(random.pick(['', ' ', '\t', '\r', 'x', '{}', '12', '{"text": "x"}', '\ufeff{}']));
  }
  const line = Buffer.from(randomText(random, randomRecord(random)));
  return random.once(12) ? mutated(random, line) : line;
}

test(`random lines (seed ${SEED})`, { timeout: 20 * 60_000 }, async () => {
  for (let run = 0; run < RUNS; run++) {
    const random = randomOf(SEED + run);
    const field = random.once(4) ? random.pick(['conversation', 'messages', 'tools']) : null;
    const lines = Array.from({ length: 1 + random.below(20) }, () => {
      const line = lineOf(random);
      return field === null ? line : inField(random, line, field);
    });
    const bytes = Buffer.concat(
      lines.flatMap((line, i) => (i === 0 ? [line] : [Buffer.from(random.once(9) ? '\r\n' : '\n'), line])),
    );
    const stdin =
      random.once(2) ? Buffer.concat([Buffer.from(random.once(9) ? '\ufeff' : ''), bytes, Buffer.from('\n')]) : bytes;
    const warnings = random.once(3) ? { warnings: true } as const : {};
    const tools = random.once(2) ? [] : [TOOLS];
    for (const emit of ['verdict', 'messages'] as const) {
      const options: Partial<FilterOptions> = { ...warnings, tools, emit, ...(field !== null && { field }) };
      // Buffered by lines, nothing is read as rows.
      const plain = await verdicts(stdin, { ...options, lineBuffered: true });
      expect(await verdicts(stdin, options), `seed ${SEED + run}, ${emit}: ${stdin.toString()}`).toEqual(plain);
    }
  }
});

test('a line that is longer than the window, between others', async () => {
  const record = (content: string): string => JSON.stringify({ messages: [{ role: 'user', content }] });
  const stdin = Buffer.from(
    `\ufeff${record('x'.repeat(5_000_000))}\n\n${record('a')}\n${record('b'.repeat(4_300_000))}\n${record('c')}`,
  );
  for (const emit of ['verdict', 'messages'] as const) {
    expect(await verdicts(stdin, { emit }), emit).toEqual(await verdicts(stdin, { emit, lineBuffered: true }));
  }
});

test.each([
  '{}', ' ', '', 'x', '{"text":"x"}', `{"text":"${'x'.repeat(5_000_000)}"}`,
])('a marked line alone: %.20j', async (line) => {
  for (const end of ['', '\n', '\n{}']) {
    const stdin = Buffer.from(`\ufeff${line}${end}`);
    expect(await verdicts(stdin, {}), JSON.stringify(end)).toEqual(await verdicts(stdin, { lineBuffered: true }));
  }
});

test('what rows tell of calls and replies: as of each line by itself', async () => {
  const tools = [{
    type: 'function', function: {
      name: 'f', parameters: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
    },
  }];
  const call = (id: string, args: string, name = 'f'): object => ({
    id, type: 'function', function: { name, arguments: args },
  });
  const asks = (...tool_calls: object[]): object => ({ role: 'assistant', content: null, tool_calls });
  const reply = (tool_call_id: string): object => ({ role: 'tool', tool_call_id, content: 'é' });
  const think = '<think>t</think>x';
  const chats: (readonly object[])[] = [
    [asks(call('1', '{"a":1')), reply('1')],
    [asks(call('1', '{"a":"x"}'), call('1', '{}')), reply('1')],
    [asks(call('1', '{"a":1}', 'g')), reply('2')],
    [asks(call('1', '{"a":1}')), { role: 'assistant', content: think }, reply('1')],
    // The calls stand before the text that is told, and behind it.
    [{ role: 'assistant', tool_calls: [call('1', '[]')], content: think }],
    [{ role: 'assistant', content: think, tool_calls: [call('1', '[]')] }],
    [asks(...Array.from({ length: 120 }, (_, i) => call(`${i}`, '{"a":""}')))],
  ];
  const ids: readonly object[] = [{}, { id: 7 }, { id: 1.5 }, { id: 'é"' }, { id: null }, { id: { a: 1 } }];
  const records = chats.flatMap((messages) => [{ tools, messages }, { messages }])
    .map((record, i) => ({ ...ids[i % ids.length], ...record }));
  const stdin = Buffer.from(`\ufeff${records.map((record) => JSON.stringify(record)).join('\n\n')}\n`);
  for (const emit of ['verdict', 'keep', 'drop'] as const) {
    for (const rest of [{}, { warnings: true }, { strict: true }, { tools: [TOOLS] }] as const) {
      const options = { ...rest, emit };
      const plain = await verdicts(stdin, { ...options, lineBuffered: true });
      expect(await verdicts(stdin, options), JSON.stringify(options)).toEqual(plain);
    }
  }
});
