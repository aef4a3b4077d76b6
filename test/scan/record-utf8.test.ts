// A record that is not UTF-8 is slow, wherever the byte stands that makes it so, and however often the record comes.
// The same record with valid characters is not.
import { describe, expect, test } from 'vitest';
import * as abi from '../../src/abi.ts';
import { RecordMachine } from '../../src/scan/record-machine.ts';
import { scanByTwin, scanWith, type Table } from './record-drive.ts';

const MACHINES = [new RecordMachine({ build: 'simd' }), new RecordMachine({ build: 'scalar' })];

const ENTRY = '{"role":"user","content":"x"}';
const tool = (description: string, property = 'p'): string =>
  `{"type":"function","function":{"name":"f","description":"${description}","parameters":{"type":"object",`
  + `"properties":{"${property}":{"type":"string","description":"a place ${'.'.repeat(100)}"}}}}}`;

/** Lines in which characters stand at `@`. */
const PLACES: readonly (readonly [name: string, line: string])[] = [
  ['a content', '{"messages":[{"role":"user","content":"@"}]}'],
  ['a content behind an escape', '{"messages":[{"role":"user","content":"a\\nb@"}]}'],
  ['a content before an escape', '{"messages":[{"role":"user","content":"@\\n\\u00e9"}]}'],
  ['a content before a long rest', `{"messages":[{"role":"user","content":"@${'y'.repeat(200)}"}]}`],
  ['a key', `{"@":1,"messages":[${ENTRY}]}`],
  ['a value that nobody knows', `{"messages":[${ENTRY}],"source":{"a":["@"]}}`],
  ['a part', '{"messages":[{"role":"user","content":[{"type":"text","text":"@"}]}]}'],
  ['a tool', `{"messages":[${ENTRY}],"tools":[${tool('@')}]}`],
  ['a tool behind an escape', `{"messages":[${ENTRY}],"tools":[${tool('\\n@')}]}`],
  ['the name of a parameter', `{"messages":[${ENTRY}],"tools":[${tool('d', '@')}]}`],
  ['a tool before the messages', `{"tools":[${tool('@')}],"messages":[${ENTRY}]}`],
  ['arguments', '{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":'
    + '{"name":"f","arguments":"{\\"a\\":\\"@\\"}"}}]}]}'],
];
const VALID = ['\xc3\xa9', '\xe2\x80\xa6', '\xf0\x9f\x98\x80', '\xed\x9f\xbf', '\x7f'];
const INVALID = ['\x80', '\xc3', '\xe2\x80', '\xf0\x9f\x98', '\xc0\xaf', '\xed\xa0\x80', '\xf4\x90\x80\x80', '\xff'];

/** Whether each record is slow. */
function slow({ words }: Table): boolean[] {
  const found: boolean[] = [];
  for (let at = 0; at < words.length; at += abi.ROW_WORDS) {
    if ((words[at]! & abi.KIND_MASK) === abi.RECORD) found.push((words[at]! & abi.SLOW) !== 0);
  }
  return found;
}

describe.each(PLACES)('%s', (_, line) => {
  test.each([['valid', VALID, false], ['not valid', INVALID, true]] as const)('%s', (_, characters, isSlow) => {
    const clean = line.replace('@', 'z');
    for (const one of characters) {
      for (let before = 0; before < 70; before++) {
        const given = line.replace('@', `${'x'.repeat(before)}${one}`);
        // A list of tools is known the third time.
        const six = [given, clean, given, clean, given, given];
        const lines = Buffer.from(six.map((each) => `${each}\n`).join(''), 'latin1');
        const expected = [isSlow, false, isSlow, false, isSlow, isSlow];
        for (const machine of MACHINES) {
          expect(slow(scanWith(machine, lines)), `${machine.engine}, ${JSON.stringify(given)}`).toEqual(expected);
        }
        if (before < 3) expect(slow(scanByTwin(lines)), JSON.stringify(given)).toEqual(expected);
      }
    }
  });
});
