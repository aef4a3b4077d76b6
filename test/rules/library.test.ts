// The library's functions as a caller meets them: values of bodies, calls within calls.
import { expect, test } from 'vitest';
import { parse, scan } from '../../src/index.ts';
import { check } from '../../src/tools.ts';

test.each<[string, unknown]>([
  ['{"a":[1,null]}', { a: [1, null] }],
  [' 7 ', 7],
  ['<|literal|>"<|end|>"<|endliteral|>', '<|end|>'],
  ['"<<|end|>"', '<|end|>'],
  ['', undefined],
  ['{"a":', undefined],
])('the value of %j', (body, value) => {
  const [message] = parse(`version: 2.2\n<|start|>user<|message|>${body}<|end|>`).messages();
  expect(message!.json()).toEqual(value);
});

test("a caller's content check may use the library", () => {
  const inner = 'version: 2.2\n<|start|>robot<|message|>x<|end|>';
  const contentTypes = {
    chat: () => (check(inner).length === 1 && scan(inner).messages === 1 && [...parse(inner).messages()].length === 1
      ? null
      : 0),
  };
  const text =
    `version: 2.2\n${'<|start|>user<|constrain|>chat<|message|>x<|end|>\n'.repeat(1000)}<|start|>user<|message|>x`;
  expect(check(text, { contentTypes }).map(({ rule, from }) => [rule, from]))
    .toEqual([['truncated', text.lastIndexOf('<|start|>')]]);
});

test('a caller may ask for channels', () => {
  const told = (text: string, dialect: 'auto' | 'harmony' = 'auto'): string[] => {
    const options = { dialect, requireChannels: true };
    const found = check(text, options).filter(({ rule }) => rule === 'missing-channel');
    const visible = parse(text, options).transcripts.flatMap((transcript) =>
      [...transcript].filter((message) => {
        return message.isVisible;
      }));
    return [...found.map(({ severity, from }) => `${severity} ${from}`), ...visible.map(({ content }) => content)];
  };
  const text = '<|start|>assistant<|message|>A<|end|><|start|>user<|message|>B<|end|>'
    + '<|start|>assistant<|channel|>final<|message|>C<|end|>';
  expect(told(text)).toEqual(['error 0', 'B', 'C']);
  expect(told(text.replace('user', 'tool'))).toEqual(['error 0', `error ${text.indexOf('<|start|>user')}`, 'C']);
  expect(told(text.replace('user', 'functions.f'), 'harmony'))
    .toEqual(['error 0', `error ${text.indexOf('<|start|>user')}`, 'C']);
  expect(told('<|im_start|>assistant\nA\n<|im_end|>')).toEqual(['A']);
});
