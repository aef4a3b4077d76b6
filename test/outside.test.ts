// Counts that another program agrees with: every control token of a Harmony corpus, as ripgrep finds them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { corpus, KINDS } from '../bench/corpus.ts';
import { scan } from '../src/index.ts';
import { SEED } from './random.ts';
import { hasCommand } from './skip.ts';

test.skipIf(!hasCommand('rg'))(`ripgrep counts the same tokens (OPENCHATML_SEED=${SEED})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'openchatml-'));
  try {
    const kind = KINDS.find(({ name }) => name === 'harmony')!;
    const { path } = corpus(kind, 2_000_000, SEED, folder);
    const { tokens } = scan(readFileSync(path), { dialect: 'harmony' });
    const counted = Object.fromEntries(Object.keys(tokens).map((name) => {
      const { stdout } = spawnSync('rg', [
        '--count-matches', '--text', '--fixed-strings', '--no-filename', '--', `<|${name}|>`, path,
      ]);
      return [name, Number(stdout.toString())];
    }));
    expect(Object.keys(tokens).length).toBeGreaterThan(5);
    expect({ ...tokens }).toEqual(counted);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
