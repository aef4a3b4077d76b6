// Document headers of the usual YAML: what is read without the library of YAML is what the library reads.

import { expect, test } from 'vitest';
import { readPlain } from '../../../src/model/header/plain.ts';
import { readYaml } from '../../../src/model/header/yaml.ts';
import { randomOf, SEED } from '../../random.ts';

const PLAIN: [text: string, version: string | null, fields: Record<string, unknown>][] = [
  ['version: 2.2\n', '2.2', { version: '2.2' }],
  ['version: 2.2', '2.2', { version: '2.2' }],
  ['version: 2.2\n\n\n', '2.2', { version: '2.2' }],
  ['---\nversion: 2.10\n', '2.10', { version: '2.10' }],
  ['version: latest\nmodel: gpt-oss-120b\nseed: 7\n', 'latest', { version: 'latest', model: 'gpt-oss-120b', seed: 7 }],
  ['model: a/b.c_d\n', null, { model: 'a/b.c_d' }],
  ['__proto__: x\nconstructor: y\n', null, { ['__proto__']: 'x', constructor: 'y' }],
  ['', null, {}],
  ['---\n# nothing\n\n', null, {}],
  ['# new\nversion: 2.2 # old\n', '2.2', { version: '2.2' }],
  ['version: "2.10"\n', '2.10', { version: '2.10' }],
  ['version: 1e3\nseed: 1e3\n', '1e3', { version: '1e3', seed: 1000 }],
  ['a: b c\n\nd: Zoë\n', null, { a: 'b c', d: 'Zoë' }],
  ['a: null\nb: true\nc: -0.5\nd: .inf\ne: -.inf\n', null, { a: null, b: true, c: -0.5, d: Infinity, e: -Infinity }],
  ['a:\n  b:\n    - c\n    - "d\\u0041\\x3c|"\n  e: {}\nf: []\n', null,
    { a: { b: ['c', 'dA<|'], e: {} }, f: [] }],
  ['a:\n- b: 1\n  c: [d, "e", {"f":1, g: h i}]\n-\n  j: k\n-\n', null,
    { a: [{ b: 1, c: ['d', 'e', { f: 1, g: 'h i' }] }, { j: 'k' }, null] }],
  ['---\r\nversion: 2.2\r\na:\n  - b # c\r\n', '2.2', { version: '2.2', a: ['b'] }],
  ["a: 'it''s'\nb: it's\nc: 2024-01-01\n", null, { a: "it's", b: "it's", c: '2024-01-01' }],
];

test.each(PLAIN)('%j is plain', (text, version, fields) => {
  const read = readPlain(text);
  expect(read?.version).toBe(version);
  expect(Object.entries(read!.fields)).toEqual(Object.entries(fields));
  expect(readYaml(text)).toEqual(read);
});

test('a key that stands twice is found', () => {
  const text = 'a: 1\nb: 2\na: {c: 3, c: 4}\n';
  expect(readPlain(text)).toEqual({
    version: null, fields: { a: { c: 4 }, b: 2 }, problems: ['duplicate-key', 'duplicate-key'],
  });
  expect(readYaml(text)).toEqual(readPlain(text));
});

test.each([
  'version:\n', 'version:2.2\n', 'version : 2.2\n', ' version: 2.2\n', 'version: 2.2\r', 'version: true\n',
  'version: 02.2\n', 'version: 2.\n', 'version: 0x10\n', 'version: " 2"\n', 'version: [2]\n', 'a: True\n',
  'a: ~\n', 'NULL: a\n', 'a: b: c\n', 'a: [b\n', 'a: [b,\n  c]\n', 'a: [b,]\n', 'a: b\n  c\n', 'a:\n  b\n',
  'a:\n  b: c\n d: e\n', 'a: *b\n', 'a: !b c\n', 'a: b\n---\n', 'a: b\n...\n', 'a: |\n  b\n', 'a: >-\n  b\n',
  '? a\n: b\n', 'a\n', '- a\n', 'a: "b\n', 'a: "\\e"\n', 'a: - b\n', 'a:\n  - - b\n', 'a: b #c: d\nb: #c\n\tb: c\n',
])('%j is left to YAML', (text) => {
  expect(readPlain(text)).toBeNull();
});

const KEYS = ['version', 'model', 'a', 'b', 'C', 'd_e', '_', 'yes', 'null', 'True', '__proto__'];
const VALUES = [
  'a', 'b-c', 'b.c', 'b/c', 'b_c', 'B', 'y', 'yes', 'No', 'off', 'null', 'Null', 'true', 'FALSE', '2.2', '2.10', '0',
  '00', '0.0', '1_0', '1e3',
  'e3', '0x1f', '0o7', '.5', '.inf', '.nan', '-1', '+1', '123456789', '1234567890', '1.1234567890', '2024-01-01',
  '12:30',
];
const ODD = [
  ': ', ':', '\n', ' ', '#', ' #', '"', "'", '---\n', '...\n', '<<', '~', '[', ']', '{', '}', '*', '&', '!', '|', '>',
  '%', '@', '`', ',', '?', '-',
  '\t', '\r', 'é', '\ufeff',
];

type Draw = ReturnType<typeof randomOf>;

/** A value on one line. */
function value(below: Draw['below'], pick: Draw['pick'], once: Draw['once']): string {
  const more = (): string => value(below, pick, once);
  if (once(12)) return `[${Array.from({ length: below(3) }, more).join(pick([',', ', ', ' , ']))}]`;
  if (once(12)) return `{${Array.from({ length: below(3) }, () => `${pick(KEYS)}: ${more()}`).join(', ')}}`;
  if (once(8)) return `"${pick(VALUES)}${pick(['', ' ', '\\n', '\\x3c', '\\u00e9', ': ', ' #', '\\'])}"`;
  if (once(12)) return `'${pick(VALUES)}${pick(["''", '', ': ', '"'])}'`;
  return `${pick(VALUES)}${once(8) ? pick(['', ' ', ', ', ' - ', '(', "'"]) + pick(VALUES) : ''}`;
}

test(`random headers say the same to both, seed ${SEED}`, () => {
  const { below, pick, once } = randomOf(SEED);
  let plain = 0;
  for (let i = 0; i < 60_000; i++) {
    let text = once(4) ? '---\n' : '';
    for (let lines = 1 + below(4); lines > 0; lines--) {
      const indent = '  '.repeat(once(3) ? below(3) : 0) + (once(6) ? '- ' : '');
      text += once(6) ? `${indent}${pick(KEYS)}:${once(4) ? ' #x' : ''}\n`
        : `${indent}${once(9) ? `"${pick(KEYS)}"` : pick(KEYS)}: ${value(below, pick, once)}${once(9) ? ' # x' : ''}\n`;
      if (once(9)) text += `${' '.repeat(below(4))}${pick(['', '# a: b'])}\n`;
    }
    for (let odd = once(3) ? 1 + below(2) : 0; odd > 0; odd--) {
      const at = below(text.length + 1);
      text = text.slice(0, at) + pick(ODD) + text.slice(at + below(3));
    }
    if (once(6)) text = text.replaceAll('\n', '\r\n');
    const read = readPlain(text);
    if (read === null) continue;
    plain++;
    expect(readYaml(text), JSON.stringify(text)).toEqual(read);
    expect(Object.keys(read.fields), JSON.stringify(text)).toEqual(Object.keys((readYaml(text) as typeof read).fields));
  }
  expect(plain).toBeGreaterThan(3000);
});
