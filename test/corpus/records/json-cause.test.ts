// Why bytes are no JSON: what people are told of the mistakes that programs make.
import { isUtf8 } from 'node:buffer';
import { expect, test } from 'vitest';
import { causeOf, invalidUtf8At } from '../../../src/corpus/records/json-cause.ts';
import { locateWith } from '../../../src/corpus/records/lines.ts';
import { createMachine } from '../../../src/index.ts';
import { forSeeds } from '../../random.ts';

const locate = locateWith(createMachine());

/** The byte where a text goes wrong, and why. */
function told(text: string): [at: number, problem: string] {
  const bytes = Buffer.from(text, 'latin1');
  const at = locate(bytes);
  return [at, causeOf(bytes, at, (part) => locate(part) < 0).problem];
}

test.each([
  ['{"a":NaN}', 5, 'JSON has no NaN'],
  ['{"a":[1, -Infinity]}', 10, 'JSON has no Infinity'],
  ['{"a": None}', 6, 'JSON has no None'],
  ['{"a":True}', 5, 'JSON has no True'],
  ['{"a":undefined}', 5, 'JSON has no undefined'],
  ['{"a":1, }', 8, 'a comma stands with nothing behind it'],
  ['[1,2,]', 5, 'a comma stands with nothing behind it'],
  ["{'a':1}", 1, 'JSON has no texts in single quotes'],
  ["{\"a\":'b'}", 5, 'JSON has no texts in single quotes'],
  ['{a:1}', 1, 'a key has no quotes'],
  ['{"a":"x\ty"}', 7, 'the control character U+0009 stands in it as it is'],
  ['{"a":"x\ny"}', 7, 'the control character U+000A stands in it as it is'],
  ['{\0"\0', 1, 'the control character U+0000 stands in it as it is'],
  ['{"a":"C:\\Users"}', 9, 'an escape is none of JSON'],
  ['{"a":"cut', 9, 'it ends in the middle'],
  ['{"a":[1,', 8, 'it ends in the middle'],
  ['{', 1, 'it ends in the middle'],
  ['{"a":1},', 7, 'a comma follows the value'],
  ['{"a":1}{"a":2}', 7, 'something follows the value'],
  ['12 34', 3, 'something follows the value'],
  ['// note', 0, 'JSON has no comments'],
  ['{"a":1 /* one */}', 7, 'JSON has no comments'],
  ['\xef\xbb\xbf{}', 0, 'a byte order mark stands in it'],
  // Words within a text, or where no value can stand, are not to blame.
  ['{"NaN" NaN}', 7, 'it is no JSON'],
  ['{"a":1 "b":2}', 7, 'it is no JSON'],
  ['hello', 0, 'it is no JSON'],
  ['{"a":01}', 6, 'it is no JSON'],
])('%j', (text, at, problem) => {
  expect(told(text)).toEqual([at, problem]);
});

test('what is told holds nothing of the record', () => {
  for (const text of ['{"secret": oops}', '{secret:1}', '{"secret":\'x\'}', '{"secret":1} secret', '["secret']) {
    expect(told(text)[1]).not.toMatch(/secret|oops/);
  }
});

test('the first byte that is no UTF-8, wherever parts of a long text end', () => {
  const wrong = [[0xff], [0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80], [0x80], [0xc0, 0xaf]];
  forSeeds(200, (random) => {
    const filling = ['a', 'é', '€', '😀'];
    let text = '';
    for (let left = random.below(3000); left > 0; left--) text += filling[random.below(4)];
    const before = Buffer.from(text);
    const bad = Buffer.from(wrong[random.below(wrong.length)]!);
    const bytes = Buffer.concat([before, bad, Buffer.from(`"${text}`)]);
    expect(isUtf8(bytes)).toBe(false);
    expect(invalidUtf8At(bytes)).toBe(before.length);
    expect(invalidUtf8At(before)).toBe(before.length);
  });
});
