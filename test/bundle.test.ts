// What the entries weigh in a page: bundled by esbuild from what the package ships, minified and gzipped.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { WEIGHTS } from './weights.ts';

const ROOT = join(import.meta.dirname, '..');
const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { readonly types: string; readonly node?: string; readonly default: string }>;
};
const entry = (name: string): string => {
  const target = exports[name]!;
  return join(ROOT, typeof target === 'string' ? target : target.default);
};

/** Bytes of a script in a page, gzipped. */
async function weight(code: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: {
      contents: code.replace(/'openchatml(\/\w+)?'/g, (_, rest = '') => JSON.stringify(entry(`.${rest}`))),
      resolveDir: ROOT,
    },
    bundle: true, minify: true, format: 'esm', platform: 'browser', target: 'es2022', write: false, logLevel: 'error',
    absWorkingDir: ROOT,
  });
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length;
}

test.each(WEIGHTS)('%s weighs at most %i bytes', async (code, most) => {
  expect(await weight(code)).toBeLessThan(most);
});

const NAMES = ['', '/convert', '/js', '/stream', '/tools', '/yaml'];

test.each(NAMES)('importing openchatml%s alone does nothing', async (name) => {
  expect(await weight(`import 'openchatml${name}';`)).toBeLessThan(100);
});

test('every entry names files that are there', () => {
  const targets = Object.entries(exports).filter(([name]) => !name.includes('*'))
    .flatMap(([, target]) => (typeof target === 'string' ? [target] : [target.node ?? target.default, target.default]));
  expect(targets.length).toBeGreaterThan(12);
  expect(targets.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

/** The files that the page loads before it draws: what they import, without what they load later. */
function firstLoad(): string[] {
  const files = ['index.html', 'page.css', 'page.js'];
  for (const name of files) {
    if (!name.endsWith('.js')) continue;
    const text = readFileSync(join(ROOT, 'dist/page', name), 'utf8');
    for (const [, path] of text.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)) {
      if (!files.includes(path!)) files.push(path!);
    }
  }
  return files;
}

test('the first load of the page weighs at most 150 kB', () => {
  const files = firstLoad();
  expect(files.length).toBeGreaterThan(4);
  const sum = files.reduce((all, name) => all + gzipSync(readFileSync(join(ROOT, 'dist/page', name))).length, 0);
  console.log(`the first load of the page weighs ${sum} bytes`);
  expect(sum).toBeLessThan(150_000);
});
