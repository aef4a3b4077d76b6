// Parts of the page that need no browser: positions, fixes, links, places, records.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EXAMPLES } from '../../src/tools.ts';
import type { RuleName } from '../../src/index.ts';
import { analyse, AUTOMATIC, choiceFor, type ReadChoice } from '../../src/web/analysis.ts';
import { edited } from '../../src/web/bytes.ts';
import { SparsePlaces } from '../../src/web/file-source.ts';
import { fixOf } from '../../src/web/fixes.ts';
import { FULL } from '../../src/web/full-checks.ts';
import { lineOf, readRecords, transcriptAt } from '../../src/web/records.ts';
import { linkOf, readLink } from '../../src/web/share.ts';
import { TextMap } from '../../src/web/text-map.ts';
import { loadTokenizer, tokenCounter } from '../../src/corpus/tokens.ts';
import { readVocabulary } from '../../src/web/vocabulary.ts';
import { testLong } from '../long.ts';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const vocabulary = join(process.env['TIKTOKEN_ENCODINGS_BASE'] ?? '', 'o200k_base.tiktoken');

test.skipIf(!existsSync(vocabulary))('a vocabulary from a file counts as the command does, long runs too', async () => {
  await loadTokenizer('o200k_harmony');
  const count = tokenCounter('o200k_harmony');
  const { encode: ids } = readVocabulary(readFileSync(vocabulary, 'utf8'));
  const words = 'It is 12345 o\u2019clock, is it not?\n\n  "Yes," said Zoë. ';
  for (const text of ['', words, words + 'a'.repeat(700) + words, `${words}${'='.repeat(1300)} ${words}`]) {
    expect(ids(text)).toHaveLength(count(text));
  }
});

test('positions in bytes and in text lead to each other', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (text) => {
    const map = new TextMap(encode(text));
    const length = [...text].length;
    let unit = 0;
    let byte = 0;
    for (const character of text) {
      expect(map.unitAt(byte)).toBe(unit);
      expect(map.byteAt(unit)).toBe(byte);
      byte += encode(character).length;
      unit += character.length;
    }
    expect([map.unitAt(byte), map.byteAt(unit)]).toEqual([unit, byte]);
    return length >= 0;
  }), { numRuns: 60 });
  expect(new TextMap(Uint8Array.of(0x61, 0xff, 0x62)).isExact).toBe(false);
  expect(new TextMap(encode('\ufeffé')).text).toBe('\ufeffé');
});

describe('fixes', () => {
  const names = Object.keys(EXAMPLES) as RuleName[];
  const fixed: string[] = [];

  test.each(names)('of %s mend what they are for, and break nothing', (name) => {
    const { bad, areRecords, options } = EXAMPLES[name];
    if (areRecords) return;
    const bytes = typeof bad === 'string' ? encode(bad) : bad;
    const choice = { ...AUTOMATIC, ...options } as ReadChoice;
    const before = analyse(bytes, choice, FULL);
    for (const finding of before.findings.filter(({ rule }) => rule === name)) {
      const fix = fixOf(finding, before, new TextMap(bytes));
      if (fix === null) continue;
      fixed.push(name);
      const after = analyse(edited(bytes, fix.edits), choice, FULL);
      const count = (found: typeof before): number => found.findings.filter(({ rule }) => rule === name).length;
      expect(count(after)).toBe(count(before) - 1);
      const rules = new Set(before.findings.map(({ rule }) => rule));
      expect(after.findings.filter(({ rule, severity }) => !rules.has(rule) && severity === 'error')).toEqual([]);
      // Nothing of what the messages say changes.
      if (after.messages.length === before.messages.length && name !== 'stray-token') {
        const said = (found: typeof before): string[] => found.messages.map(({ content }) => content.trimEnd());
        expect(said(after)).toEqual(said(before));
      }
    }
  });

  test('are there for what can be mended', () => {
    expect(fixed.length).toBeGreaterThan(7);
  });
});

describe('links', () => {
  test('hold a text, how it is read, and a finding', async () => {
    const shared = {
      name: 'a <b>', bytes: encode('version: 2.2\n---\n<|start|>user<|message|>é\n<|end|>'),
      choice: { dialect: 'harmony', role: 'assistant', stopStripped: true } as const,
      finding: { rule: 'missing-end', from: 12 },
    };
    const link = await linkOf(shared);
    expect(link).toMatch(/^#t=[\w-]+$/);
    expect(await readLink(link)).toEqual(shared);
  });

  test('that are damaged or bad are refused; members that are none are left out', async () => {
    expect(await readLink('#other')).toBeNull();
    for (const bad of ['#t=', '#t=!!', '#t=AAAA', `#t=${'A'.repeat(100)}`]) {
      await expect(readLink(bad)).rejects.toThrow('damaged');
    }
    const odd = { name: 'x'.repeat(500), bytes: encode('a'), choice: AUTOMATIC, finding: null };
    const choice = { dialect: 'x', role: '<', stopStripped: 1 } as never;
    const read = await readLink(await linkOf({ ...odd, choice }));
    expect(read).toEqual({ name: 'x'.repeat(200), bytes: encode('a'), choice: AUTOMATIC, finding: null });
    const bomb = { ...odd, name: '', bytes: new Uint8Array(4 * 1024 * 1024) };
    await expect(readLink(await linkOf(bomb))).rejects.toThrow('damaged');
  });
});

test('only the ending of a name says that a file is Harmony', () => {
  const harmony = ['a.harmony', 'a.harmony.gz', 'a.b.harmony.zst'];
  const others = ['a.harmony.txt', 'a.harmony2.txt.gz', 'harmony', 'a.harmony.gz.txt', 'a.jsonl'];
  expect(harmony.map((name) => choiceFor(name).dialect)).toEqual(harmony.map(() => 'harmony'));
  expect(others.map((name) => choiceFor(name))).toEqual(others.map(() => AUTOMATIC));
});

testLong('as many places are kept, however many there are', () => {
  for (const count of [1, 65_536, 65_537, 400_000]) {
    const places = new SparsePlaces();
    for (let i = 0; i < count; i++) places.add(i * 3);
    const { step, places: kept, count: all } = places.result();
    expect([all, kept.length <= 65_536]).toEqual([count, true]);
    kept.forEach((place, i) => expect(place).toBe(i * step * 3));
    expect((kept.length - 1) * step + step).toBeGreaterThanOrEqual(count);
  }
});

test('lines are cut out of a file', async () => {
  const words = Array.from({ length: 300 }, (_, i) => `{"line":${i + 1},"x":"${'y'.repeat(i * 37)}"}`);
  const file = new Blob([`${words.join('\n')}\n`]);
  const starts = new Float64Array(100);
  let at = 0;
  words.forEach((word, i) => {
    if (i % 3 === 0) starts[i / 3] = at;
    at += word.length + 1;
  });
  const places = { step: 3, count: 300, places: starts };
  for (const line of [1, 2, 3, 4, 150, 299, 300]) {
    expect(new TextDecoder().decode((await lineOf(file, places, line))!)).toBe(words[line - 1]);
  }
  expect(await lineOf(file, places, 0)).toBeNull();
});

const HEADED = (i: number): string => `version: 2.2\n---\n<|start|>user<|message|>Number ${i}<|end|>\n`;
const HARMONY = (i: number): string => {
  return `<|start|>system<|message|>Hi<|end|><|start|>user<|message|>Number ${i} <|literal|><|end|>`;
};

test.each([
  ['auto', HEADED], ['harmony', HARMONY],
] as const)('transcripts (%s) are cut out of a file as it was read', async (dialect, one) => {
  const text = Array.from({ length: 50 }, (_, i) => one(i)).join('');
  const kept = Float64Array.from([0, 7, 14, 21, 28, 35, 42, 49], (i) => text.indexOf(one(i)));
  const from = { step: 7, count: 50, places: kept };
  for (const i of [0, 6, 7, 48, 49]) {
    const found = await transcriptAt(new Blob([text]), from, text.indexOf(one(i)) + 30, { ...AUTOMATIC, dialect });
    expect(new TextDecoder().decode(found!)).toBe(one(i));
  }
});

test('nothing of a transcript that is too long is read', async () => {
  const file = { slice: () => expect.fail('it was read') } as unknown as Blob;
  const mebibyte = 1024 * 1024;
  for (const [step, position] of [[1, 2 * mebibyte], [2, 9 * mebibyte]] as const) {
    const places = { step, count: step, places: Float64Array.of(7) };
    expect(await transcriptAt(file, places, position, AUTOMATIC)).toBeNull();
  }
});

test('records give texts whose findings point into them', () => {
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{' } };
  const messages = [{ role: 'user', content: 'Hi' }, { role: 'assistant', content: null, tool_calls: [call] }];
  const [chat] = readRecords(encode(JSON.stringify({ messages }))) as Exclude<ReturnType<typeof readRecords>, string>;
  const { findings, messages: read } = analyse(chat!.bytes, AUTOMATIC, FULL, chat!.record);
  expect(read.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(findings.map(({ rule, pointer }) => [rule, pointer])).toContainEqual([
    'invalid-json', '/messages/1/tool_calls/0/function/arguments',
  ]);
  expect(readRecords(encode('{"a":1}'))).toMatch(/^unknown-record/);
});
