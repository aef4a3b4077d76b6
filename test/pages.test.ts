// The pages: every JavaScript block of every page compiles, runs and prints what the page says, and every link leads
// somewhere.
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { testLong } from './long.ts';
import { printed, typeErrors } from './examples.ts';
import { anchors, links, type Page, PAGES, readPage, ROOT } from './pages.ts';

const pages = PAGES.map(readPage);
const page = (path: string): Page => pages.find((one) => one.path === path)!;

/** Pages whose blocks other tests run: a server does not end by itself. */
const ELSEWHERE = ['src/runtime/README.md']; // runtime/events/server.test.ts

interface Example {
  readonly code: string;
  readonly output: string | null;
}

/** A page's JavaScript and TypeScript, and what it prints: the next block, which has no word, or its last comment. */
function examples({ blocks }: Page): [line: number, example: Example][] {
  return blocks.flatMap(({ kind, code, line }, i) => {
    if (kind !== 'js' && kind !== 'ts') return [];
    const next = blocks[i + 1];
    if (next?.kind === '') return [[line, { code, output: next.code }]];
    const [, comment] = /\n\n((?:\/\/ .*\n?)+)$/.exec(code) ?? [];
    return [[line, { code, output: comment?.replace(/^\/\/ /gm, '') ?? null }]];
  });
}

/** Packages are found from here. */
const folder = mkdtempSync(join(ROOT, 'node_modules/.page-'));
afterAll(() => rmSync(folder, { recursive: true }));

const fileOf = (path: string, line: number, ending: string): string => {
  return join(folder, `${path.replace(/\W/g, '-')}-${line}.${ending}`);
};

describe('JavaScript', () => {
  const cases = pages.flatMap((one) => {
    return examples(one).map(([line, example]): [string, number, Example] => [one.path, line, example]);
  });

  test.each(cases.filter(([path]) => !ELSEWHERE.includes(path)))('%s:%d', async (path, line, { code, output }) => {
    expect(output, 'a block prints something, and the page says what').not.toBeNull();
    // Streams have numbers that count up in a process.
    const text = await printed(fileOf(path, line, 'mjs'), code);
    expect(text.replace(/msg_\d+_/g, 'msg_0_').trimEnd()).toBe(output!.trimEnd());
  });

  testLong('compiles under --strict', () => {
    const files = cases.map(([path, line, { code }]) => {
      const file = fileOf(path, line, 'ts');
      writeFileSync(file, code);
      return file;
    });
    expect(files.length).toBeGreaterThan(10);
    expect(typeErrors(files)).toEqual([]);
  });

  test('stands in every page where a reader looks for it', () => {
    const counts = Object.fromEntries(pages.map((one) => [one.path, examples(one).length]));
    for (const room of ['corpus', 'formats', 'model', 'runtime']) {
      expect(counts[`src/${room}/README.md`], room).toBeGreaterThan(0);
    }
    for (const name of ['STREAMS', 'EVENTS', 'TURNS', 'MIGRATION']) {
      expect(counts[`src/runtime/${name}.md`], name).toBeGreaterThan(0);
    }
    expect(counts['README.md']).toBeGreaterThan(1);
  });
});

describe('links', () => {
  test.each(PAGES)('of %s lead somewhere', (path) => {
    const found = links(page(path).prose).filter((target) => !/^https?:/.test(target)).filter((target) => {
      const [file, anchor] = target.split('#');
      const to = file === '' ? path : join(dirname(path), file!);
      if (!existsSync(join(ROOT, to))) return true;
      if (anchor === undefined) return false;
      return !anchors(readPage(to).prose).includes(anchor);
    });
    expect(found).toEqual([]);
  });

  test('lead from README.md to every room', () => {
    const seen = new Set(['README.md']);
    for (const path of seen) {
      for (const target of links(page(path)?.prose ?? '')) {
        if (!/^https?:/.test(target)) seen.add(join(dirname(path), target.split('#')[0]!));
      }
    }
    expect(PAGES.filter((path) => !seen.has(path))).toEqual([]);
  });
});

test('README.md has at most 180 lines, and its pictures are small', () => {
  const { lines, prose } = page('README.md');
  expect(lines).toBeLessThanOrEqual(180);
  const pictures = links(prose).filter((target) => target.endsWith('.png'));
  expect(pictures.length).toBeGreaterThan(0);
  for (const picture of pictures) expect(statSync(join(ROOT, picture)).size, picture).toBeLessThan(150_000);
});

test('README.md begins with what it is and the two commands', () => {
  const [first] = page('README.md').blocks;
  expect(first!.code).toBe('npm ci && npx openchatml scan fixtures/samples\nnpm ci && npm test');
  expect(first!.line).toBeLessThan(30);
});

describe('what a page says is read:', () => {
  test('headings, links, and none of either in code', () => {
    expect(anchors('# `check`: what is wrong\ntext\n## Ends & X_y\n')).toEqual(['check-what-is-wrong', 'ends--x_y']);
    expect(links('[a](b.md#c) ![d](e.png) `[x](y)`')).toEqual(['b.md#c', 'e.png']);
  });
});
