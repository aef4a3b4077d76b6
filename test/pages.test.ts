// The blocks of the page for those who migrate, and those of README.md about streams and turns, run and print what
// stands below them.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const PRINTING = /```js\n((?:(?!```)[^])*)```\n+(?:It prints\n+)?```\n([^]*?)```/g;
const pages = ['src/runtime/MIGRATION.md', 'README.md'].map((name) => ({
  name, blocks: [...readFileSync(join(ROOT, name), 'utf8').matchAll(PRINTING)],
}));

/** What a block prints. It stands where its packages are found. */
async function printed(code: string): Promise<string> {
  const folder = mkdtempSync(join(ROOT, 'node_modules/.page-'));
  const { log } = console;
  const { write } = process.stdout;
  const pieces: string[] = [];
  try {
    const file = join(folder, 'block.mjs');
    writeFileSync(file, code.replace("'openchatml'", JSON.stringify(pathToFileURL(join(ROOT, 'src/index.ts')).href)));
    console.log = (...values) => void pieces.push(`${format(...values)}\n`);
    process.stdout.write = (piece: string | Uint8Array) => pieces.push(String(piece)) > 0;
    await import(/* @vite-ignore */ pathToFileURL(file).href);
  } finally {
    console.log = log;
    process.stdout.write = write;
    rmSync(folder, { recursive: true });
  }
  return pieces.join('');
}

const cases = pages.flatMap(({ name, blocks }) =>
  blocks.map(([, code, output], index): [string, number, string, string] => [name, index + 1, code!, output!]));

test.each(cases)('%s: block %d', async (_, __, code, output) => {
  // Streams have numbers that count up in a process.
  expect((await printed(code)).replace(/msg_\d+_/g, 'msg_0_').trimEnd()).toBe(output.trimEnd());
});

test('no block is forgotten', () => {
  const counts = pages.map(({ blocks }) => blocks.length);
  const page = readFileSync(join(ROOT, pages[0]!.name), 'utf8');
  expect(counts[0]).toBe(page.split('```js').length - 1);
  expect(pages[1]!.blocks.some(([, code]) => code!.includes('runTurn('))).toBe(true);
  expect(pages[1]!.blocks.some(([, code]) => code!.includes('TokenStream('))).toBe(true);
});
