// What a build leaves in dist/: its own files, the chunks of the build before, and nothing else.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
// @ts-expect-error -- It is JavaScript.
import { listFiles, place } from '../assembly/place.mjs';

const root = mkdtempSync(join(tmpdir(), 'place-'));
afterAll(() => rmSync(root, { recursive: true }));

/** A build of these files; the first one is an entry. Answers what stands in dist/ then. */
function build(files: readonly string[]): string[] {
  const scratch = join(root, 'scratch');
  for (const file of files) {
    mkdirSync(dirname(join(scratch, file)), { recursive: true });
    writeFileSync(join(scratch, file), file);
  }
  place(root, scratch, files.slice(0, 1), { inputs: files.join(), types: false, files: {} });
  return (listFiles(root, 'dist') as string[]).map((file) => file.slice('dist/'.length));
}

test('an entry that is removed goes at once, its chunks a build later', () => {
  build(['index.js', 'report.js', 'report.js.map', 'web/report.js', 'chunk-ABCDEFGH.js', 'chunk-ABCDEFGH.js.map']);
  const now = ['.build.json', 'chunk-IJKLMNOP.js', 'index.js'];
  expect(build(['index.js', 'chunk-IJKLMNOP.js'])).toEqual(
    ['.build.json', 'chunk-ABCDEFGH.js', 'chunk-ABCDEFGH.js.map', 'chunk-IJKLMNOP.js', 'index.js'],
  );
  expect(build(['index.js', 'chunk-IJKLMNOP.js'])).toEqual(now);
  expect(build(['index.js', 'chunk-IJKLMNOP.js'])).toEqual(now);
});
