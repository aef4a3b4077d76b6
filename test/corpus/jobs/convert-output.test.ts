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
    const line = written((output) => output.addLine('x', members));
    expect(line === `${JSON.stringify({ id: 'x', ...members })}\n`, line.slice(0, 200)).toBe(true);
  }
  const tools = [{ type: 'function', function: { name: 'f' } }];
  const record = { tools, messages } as unknown as ChatRecord;
  const definitions: ToolDefinition[] = [];
  const line = written((output) => output.addRecord(7, record, definitions));
  expect(line === `${JSON.stringify({ id: 7, tools, messages })}\n`, line.slice(0, 200)).toBe(true);
});
