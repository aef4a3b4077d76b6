// Lines and columns, rule rows, and what a diagnostic may say.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Lines, RULES } from '../src/index.ts';
import { check } from '../src/tools.ts';
import { characterLength, countCodePoints, decodeUtf8 } from '../src/utf8.ts';
import { randomInput, randomOf, SEED } from './random.ts';
import { RULINGS } from '../src/rules/rulings.ts';

const linesOf = (bytes: Uint8Array): Lines => new Lines((from, to) => bytes.subarray(from, to));

describe('places', () => {
  test.each([
    ['ab\ncd', 4, 2, 2], ['ab\ncd', 2, 1, 3], ['ab\ncd', 3, 2, 1], ['', 0, 1, 1], ['\ufeffab', 3, 1, 1],
    ['\ufeffab', 4, 1, 2],
    ['a\ufeffb', 4, 1, 3], ['é😀x', 6, 1, 3], ['a\r\nb', 3, 2, 1], ['\n\n', 2, 3, 1],
  ])('%j at byte %d is line %d, column %d', (text, at, line, column) => {
    expect(linesOf(new TextEncoder().encode(text)).at(at)).toEqual({ line, column });
  });

  test('positions may rise, repeat and fall', () => {
    const lines = linesOf(new TextEncoder().encode('ab\ncd\nef'));
    expect([7, 7, 1, 4].map((at) => lines.at(at))).toEqual([
      { line: 3, column: 2 }, { line: 3, column: 2 }, { line: 1, column: 2 }, { line: 2, column: 2 },
    ]);
  });

  test('a byte order mark counts none, wherever it was asked for', () => {
    for (const text of ['\ufeffabc', '\ufeff\ufeffé', '\ufeff\na', '\ufeff', 'a\ufeffb']) {
      const bytes = new TextEncoder().encode(text);
      const fresh = bytes.reduce((places, _, at) => [...places, linesOf(bytes).at(at + 1)], [linesOf(bytes).at(0)]);
      for (const asked of [[1], [2], [1, 2], [1, 2, 3], [2, 1], [2, 0, 1], [3, 1]]) {
        for (const forgets of [false, true]) {
          const lines = linesOf(bytes);
          for (const at of asked) lines.at(at);
          const from = asked.at(-1)!;
          if (forgets) lines.forget(from);
          for (let at = from; at <= bytes.length; at++) {
            const told = `${at} after ${asked} of ${JSON.stringify(text)}`;
            expect(lines.at(at), told).toEqual(fresh[at]);
            if (forgets) continue;
            const others = linesOf(bytes);
            for (const before of asked) others.at(before);
            expect(others.at(at), told).toEqual(fresh[at]);
          }
        }
      }
    }
  });

  test('a line of many parts', () => {
    const bytes = new TextEncoder().encode(`x\n${'é'.repeat(200_000)}y`);
    expect(linesOf(bytes).at(bytes.length - 1)).toEqual({ line: 2, column: 200_001 });
  });

  test(`lines of any length count, empty ones too (OPENCHATML_SEED=${SEED})`, () => {
    const random = randomOf(SEED);
    for (let run = 0; run < 300; run++) {
      const longest = random.pick([1, 3, 12, 40]);
      const text = Array.from({ length: 200 }, () => 'x'.repeat(random.below(longest))).join('\n');
      const place = { line: 200, column: text.length - text.lastIndexOf('\n') };
      expect(linesOf(new TextEncoder().encode(text)).at(text.length), text).toEqual(place);
    }
  });

  test(`what is let go again and again is not read again (OPENCHATML_SEED=${SEED})`, () => {
    const random = randomOf(SEED);
    const bytes = new TextEncoder().encode(`a${'é\n'.repeat(1000)}${'x'.repeat(100_000)}`.repeat(20));
    let asked = 0;
    const lines = new Lines((from, to) => {
      asked += to - from;
      return bytes.subarray(from, to);
    });
    let kept = 0;
    for (let at = 0; at <= bytes.length; at += 1 + random.below(20_000)) {
      const wanted = random.once(2) ? at : Math.max(kept, at - random.below(30_000));
      const text = decodeUtf8(bytes.subarray(0, wanted)).split('\n');
      expect(lines.at(wanted).line).toBe(text.length);
      // What goes on begins far before, as a long message does.
      lines.forget(kept);
      if (random.once(20)) lines.forget((kept = Math.max(kept, wanted - random.below(1_000_000))));
    }
    // Going back is to the last place that is remembered, 64 KiB at most.
    expect(asked).toBeLessThan(bytes.length * 12);
  });

  test(`characters that parts cut count once (OPENCHATML_SEED=${SEED})`, () => {
    const random = randomOf(SEED);
    for (let run = 0; run < 1000; run++) {
      const bytes = Uint8Array.from({ length: random.below(40) }, () => {
        return random.pick([0x0a, 0x61, 0x80, 0xa9, 0xc3, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98]);
      });
      const expected = (at: number): object => {
        const lines = decodeUtf8(bytes.subarray(0, at)).split('\n');
        return { line: lines.length, column: [...lines.at(-1)!].length + 1 };
      };
      for (let asked = 0; asked < 6; asked++) {
        const lines = linesOf(bytes);
        const first = random.below(bytes.length + 1);
        expect(lines.at(first), `${first} in ${bytes}`).toEqual(expected(first));
        if (random.once(3)) lines.forget(first);
        else if (random.once(2)) lines.at(0);
        for (let at = first; at <= bytes.length; at += 1 + random.below(3)) {
          expect(lines.at(at), `${at} after ${first} in ${bytes}`).toEqual(expected(at));
        }
      }
    }
  });

  test(`code points are those that TextDecoder gives (OPENCHATML_SEED=${SEED})`, () => {
    const random = randomOf(SEED);
    for (let run = 0; run < 20_000; run++) {
      const bytes = Uint8Array.from({ length: random.below(12) }, () => {
        return random.pick([0x61, 0x80, 0xbf, 0xc2, 0xe0, 0xed, 0xa0, 0xf0, 0x9f, 0xf4, 0x8f, 0xff]);
      });
      expect(countCodePoints(bytes, 0, bytes.length)).toBe([...decodeUtf8(bytes)].length);
    }
  });
});

test('every rule has a row that a person can read', () => {
  for (const [name, rule] of Object.entries(RULES)) {
    expect(name).toMatch(/^[a-z][a-z0-9-]+$/);
    for (const text of [rule.clause, rule.text, rule.remedy]) expect(text.length, name).toBeGreaterThan(2);
  }
});

test('RULES.md has a row for each rule, and no other', () => {
  const page = readFileSync(new URL('../src/rules/RULES.md', import.meta.url), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows.sort()).toEqual(Object.entries(RULES).map(([name, { severity, clause, text }]) => {
    return `| \`${name}\` | ${severity} | ${clause} | ${text} |`;
  }).sort());
});

test('RULINGS.md has a row for each ruling, and every ruling that is cited is one', () => {
  const src = new URL('../src/', import.meta.url);
  const page = readFileSync(new URL('rules/RULINGS.md', src), 'utf8');
  const rows = Object.entries(RULINGS).map(([name, says]) => `| \`${name}\` | ${says.replaceAll('|', '\\|')} |`);
  expect(page.split('\n').filter((line) => line.startsWith('| `'))).toEqual(rows);
  const paths = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|tsx|md)$/.test(path) && !/(binary|assets)\.ts$/.test(path));
  const cited = paths.flatMap((path) => {
    return readFileSync(new URL(path, src), 'utf8').match(/\bR-[A-Z0-9]+(?:-[A-Z0-9]+)*\b/g) ?? [];
  });
  expect(cited.length).toBeGreaterThan(300);
  expect([...new Set(cited)].filter((name) => name !== 'R-NAME' && !Object.hasOwn(RULINGS, name))).toEqual([]);
});

test('bad bytes are found one by one where TextDecoder replaces them', () => {
  const random = randomOf(SEED);
  for (let run = 0; run < 3000; run++) {
    const input = randomInput(random);
    const found = check(input).filter(({ rule }) => rule === 'invalid-utf8');
    const replaced = [...decodeUtf8(input)].filter((character) => character === '\ufffd').length;
    expect(found.length, `OPENCHATML_SEED=${SEED}, run ${run}`).toBe(replaced);
  }
});

test('runs of bad bytes, alike and not, each have their place', () => {
  const random = randomOf(SEED);
  const subparts = [[0xff], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xc3], [0xc3, 0xa9], [0x61]];
  for (let run = 0; run < 500; run++) {
    const runs = Array.from({ length: 1 + random.below(8) }, () => {
      const subpart = random.pick(subparts);
      return Array.from({ length: random.pick([1, 2, 5, 100]) }, () => subpart).flat();
    });
    const body = Uint8Array.from(runs.flat());
    const input = Buffer.concat([Buffer.from('<|start|>user<|message|>'), body, Buffer.from('<|end|>')]);
    const expected: [number, number][] = [];
    for (let at = 0; at < input.length; ) {
      const length = characterLength(input, at, input.length);
      if (length < 0) expected.push([at, at - length]);
      at += Math.abs(length);
    }
    const found = check(input).filter(({ rule }) => rule === 'invalid-utf8');
    expect(found.map(({ from, to }) => [from, to]), `OPENCHATML_SEED=${SEED}, run ${run}`).toEqual(expected);
  }
});

test('a message never holds text of a body', () => {
  const mark = 'SECRETMARK';
  const text = `<|start|>assistant<|channel|>analysis<|message|>${mark}<|start|>foo ${mark}<|message|>${mark}`
    + `<|literal|>${mark}<|end|>`;
  const found = check(text);
  expect(found.length).toBeGreaterThan(3);
  expect(JSON.stringify(found)).not.toContain(mark);
});
