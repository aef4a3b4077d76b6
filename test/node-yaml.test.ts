// openchatml/node reads any YAML in a document's header, whichever of its functions reads it.
import { expect, test } from 'vitest';
import * as node from '../src/node.ts';
import { parse } from '../src/index.ts';
import { file } from './cli/harness.ts';

const HEADER = 'version: 2.0\nnote: one\n  two\n';
const TEXT = `${HEADER}<|start|>user<|message|>Write <<|end|> please.<|end|>\n`;

test('parse, scan, check, textToChat and those that read files see the same', () => {
  const path = file('node-yaml.ocml', TEXT);
  const [transcript] = node.parse(TEXT).transcripts;
  expect([transcript!.dialect, transcript!.version]).toEqual(['openchatml-2.0', '2.0']);
  const contents = [...node.readMessages(path)].map(({ message }) => message.content);
  expect([...node.parse(TEXT).messages()].map(({ content }) => content)).toEqual(contents);
  expect(node.scan(TEXT).dialects).toEqual(node.scanFile(path).dialects);
  expect(node.check(TEXT).map(({ rule, from }) => [rule, from]))
    .toEqual([...node.checkFile(path)].map(({ rule, from }) => [rule, from]));
  expect(node.textToChat(TEXT)[0]!.record.messages[0]!.content).toBe(contents[0]);
  // Elsewhere the reader of any YAML is the caller's to give.
  expect(parse(TEXT).transcripts[0]!.version).toBe(null);
  expect(parse(TEXT, { yaml: node.readYaml }).transcripts[0]!.version).toBe('2.0');
});

test('options are checked as those of openchatml', () => {
  expect(() => node.parse(TEXT, { dialekt: 'harmony' } as object)).toThrow(/dialect/);
  expect(() => node.scan(TEXT, 5 as unknown as object)).toThrow(TypeError);
});
