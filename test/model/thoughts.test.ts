// Thoughts between markers (R-COT): in an analysis of 2.x one after the other, elsewhere blocks.
import { expect, test } from 'vitest';
import { parseOn } from '../../src/model/parse.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';

const MACHINE = new WasmMachine();

function thoughtsOf(header: string, body: string): [name: string, text: string, whole: string][] {
  const text = `${header}${body}${header.startsWith('<|im') ? '<|im_end|>' : '<|end|>'}`;
  const [message] = parseOn(MACHINE, text, {}).messages();
  return message!.thoughts.map(({ name, from, to, textFrom, textTo }) =>
    [name, text.slice(textFrom, textTo), text.slice(from, to)]);
}

const ANALYSIS = '<|start|>assistant<|channel|>analysis<|message|>';

test.each([
  ['<|start_reason|>a<|end_reason|>b', [['reason', 'a', '<|start_reason|>a<|end_reason|>']]],
  ['<|start_reason|>a<|start_reflect|>b', [
    ['reason', 'a', '<|start_reason|>a'], ['reflect', 'b', '<|start_reflect|>b'],
  ]],
  ['<|start_reason|>a<|start_reason|>b<|end_reason|>c<|end_reason|>', [
    ['reason', 'a', '<|start_reason|>a'], ['reason', 'b', '<|start_reason|>b<|end_reason|>'],
  ]],
  ['<|start_reason|>a<|end_reflect|>b', [['reason', 'a<|end_reflect|>b', '<|start_reason|>a<|end_reflect|>b']]],
  ['a<|end_reason|>b', []],
])('in an analysis: %j', (body, thoughts) => {
  expect(thoughtsOf(ANALYSIS, body)).toEqual(thoughts);
});

test('in an answer, and in 0.1, blocks hold blocks', () => {
  const body = '<|start_reason|>a<|start_reflect|>b<|end_reason|>c';
  const block = [['reason', 'a<|start_reflect|>b', '<|start_reason|>a<|start_reflect|>b<|end_reason|>']];
  expect(thoughtsOf('<|start|>assistant<|message|>', body)).toEqual(block);
  expect(thoughtsOf('<|im_start|>assistant\n', body)).toEqual(block);
});
