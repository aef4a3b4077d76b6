// Lines of JSON whose lists are written in parts are those that JSON.stringify gives.
import { expect, test } from 'vitest';
import { ConvertOutput } from '../../../src/corpus/jobs/convert-output.ts';
import type { ChatRecord } from '../../../src/formats/chat/read.ts';
import type { ToolDefinition } from '../../../src/model/data.ts';

function written(write: (output: ConvertOutput) => Iterable<Uint8Array>): string {
  const output = new ConvertOutput(false);
  let text = '';
  // A piece is valid until the next one.
  for (const pieces of [write(output), output.flush()]) {
    for (const piece of pieces) text += Buffer.from(piece).toString();
  }
  output.close();
  return text;
}

test.each([0, 1, 256, 257, 512, 1000, 20_000])('%d items', (length) => {
  const messages = Array.from({ length }, (_, i) => i % 7 === 3 ? undefined : { role: 'user', content: `"${i}"` });
  const lines = [
    { messages }, { tools: [{}], messages, none: undefined, 'a"': 1 }, { none: undefined, conversations: messages },
  ];
  for (const members of lines) {
    const line = written((output) => output.addLine('x', members, Infinity));
    expect(line === `${JSON.stringify({ id: 'x', ...members })}\n`, line.slice(0, 200)).toBe(true);
  }
  const tools = [{ type: 'function', function: { name: 'f' } }];
  const record = { tools, messages } as unknown as ChatRecord;
  const definitions: ToolDefinition[] = [];
  const line = written((output) => output.addRecord(7, record, definitions, Infinity));
  expect(line === `${JSON.stringify({ id: 7, tools, messages })}\n`, line.slice(0, 200)).toBe(true);
});

test.each([65_535, 65_536, 65_537, 131_072, 500_000])('a text of %d units, in a message and by itself', (length) => {
  const pair = '\u{1f600}'.repeat(length / 2);
  const halves = '\ud83d\u{1f600}'.repeat(length / 3);
  for (const text of ['"\n'.repeat(length / 2), `a${pair}`, pair, `${pair}\ud83d`, '\udc00'.repeat(length), halves]) {
    const call = { id: 'c', function: { name: 'f', arguments: text, none: undefined } };
    const messages = [{ role: 'user', content: 'x' }, { content: text, parts: [text, null, 'b'], calls: [call] }, null];
    const members = { messages, text, note: null };
    const line = written((output) => output.addLine(1, members, Infinity));
    expect(line === `${JSON.stringify({ id: 1, ...members })}\n`, line.slice(0, 200)).toBe(true);
  }
});
