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

test.each([
  ['one in another', '<|start_reason|>a<|start_reflect|>b<|end_reflect|>c<|end_reason|>', ' d'],
  ['one that ends behind the other', '<|start_reason|>a<|start_reflect|>b<|end_reason|>c<|end_reflect|>', ' d'],
  ['three',
    '<|start_reason|><|start_reflect|><|start_introspect|>a<|end_reflect|>b<|end_reason|>c<|end_introspect|>', ' d'],
  ['two of one name around another',
    '<|start_reason|>a<|start_reflect|>b<|start_reason|><|end_reason|><|end_reason|>c<|end_reflect|>', ' d'],
  ['one that does not end', '<|start_reason|>a<|start_reflect|>b<|end_reason|>c', ''],
])('in an answer, and in 0.1, a block goes on while one in it is open: %s', (_, block, rest) => {
  for (const header of ['<|start|>assistant<|message|>', '<|im_start|>assistant\n']) {
    const thoughts = thoughtsOf(header, block + rest);
    expect(thoughts.map(([name, , whole]) => [name, whole])).toEqual([['reason', block]]);
  }
});
