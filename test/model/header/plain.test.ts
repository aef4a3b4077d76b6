// Document headers of plain lines: what is read without the library of YAML is what the library reads.

import { expect, test } from 'vitest';
import { readPlain } from '../../../src/model/header/plain.ts';
import { readYaml } from '../../../src/model/header/yaml.ts';
import { randomOf, SEED } from '../../random.ts';

const PLAIN: [text: string, version: string | null, fields: Record<string, string | number>][] = [
  ['version: 2.2\n', '2.2', { version: '2.2' }],
  ['version: 2.2', '2.2', { version: '2.2' }],
  ['version: 2.2\n\n\n', '2.2', { version: '2.2' }],
  ['---\nversion: 2.10\n', '2.10', { version: '2.10' }],
  ['version: latest\nmodel: gpt-oss-120b\nseed: 7\n', 'latest', { version: 'latest', model: 'gpt-oss-120b', seed: 7 }],
  ['model: a/b.c_d\n', null, { model: 'a/b.c_d' }],
  ['__proto__: x\nconstructor: y\n', null, { ['__proto__']: 'x', constructor: 'y' }],
];

test.each(PLAIN)('%j is plain', (text, version, fields) => {
  const read = readPlain(text);
  expect(read?.version).toBe(version);
  expect(Object.entries(read!.fields)).toEqual(Object.entries(fields));
  expect(readYaml(text)).toEqual(read);
});

test.each([
  '', '\n', '---\n', 'version:\n', 'version:2.2\n', 'version : 2.2\n', ' version: 2.2\n', 'version: 2.2 \n',
  'version: 2.2\r\n',
  'version: 2.2 # new\n', '# new\nversion: 2.2\n', 'version: "2.2"\n', 'version: 02.2\n', 'version: 2.\n',
  'version: 1e3\n',
  'version: 0x10\n', 'version: -1\n', 'version: 2.2\nversion: 2.2\n', 'version: 2.2\n\nmodel: a\n', 'a: True\n',
  'a: null\n', 'a: ~\n',
  'NULL: a\n', 'a: b c\n', 'a: b: c\n', 'a: [b]\n', 'a:\n  b: c\n', 'a: *b\n', 'a: !b c\n', 'a: b\n---\n',
  'a: b\n...\n', 'a: Zoë\n', 'a\n',
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

test(`random headers say the same to both, seed ${SEED}`, () => {
  const { below, pick, once } = randomOf(SEED);
  let plain = 0;
  for (let i = 0; i < 30_000; i++) {
    let text = once(4) ? '---\n' : '';
    for (let lines = 1 + below(3); lines > 0; lines--) {
      text += `${pick(KEYS)}: ${pick(VALUES)}${once(8) ? pick(VALUES) : ''}\n`;
    }
    for (let odd = once(3) ? 1 + below(2) : 0; odd > 0; odd--) {
      const at = below(text.length + 1);
      text = text.slice(0, at) + pick(ODD) + text.slice(at + below(3));
    }
    const read = readPlain(text);
    if (read === null) continue;
    plain++;
    expect(readYaml(text), JSON.stringify(text)).toEqual(read);
    expect(Object.keys(read.fields), JSON.stringify(text)).toEqual(Object.keys((readYaml(text) as typeof read).fields));
  }
  expect(plain).toBeGreaterThan(3000);
});
