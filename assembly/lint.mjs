// `npm run lint`: oxlint over sources, tests and benchmarks. It does not parse the decorators that AssemblyScript has
// on functions and variables: it is given copies of these files in which the decorators are comments.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const scripts = readdirSync(join(root, 'assembly')).filter((name) => name.endsWith('.mjs'));
const lint = (folder, paths) => {
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint');
  const settings = ['--config', join(root, '.oxlintrc.json'), '--format', 'unix'];
  const { status } = spawnSync(process.execPath, [oxlint, ...settings, ...paths], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
};

lint(root, ['src', 'test', 'bench', ...scripts.map((name) => join('assembly', name))]);

const scratch = mkdtempSync(join(tmpdir(), 'openchatml-lint-'));
try {
  const copy = join(scratch, 'assembly');
  cpSync(join(root, 'assembly'), copy, { recursive: true, filter: (path) => !path.endsWith('.mjs') });
  for (const entry of readdirSync(copy, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue;
    const path = join(entry.parentPath, entry.name);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/^( *)@(\w+)/gm, '$1/*$2*/'));
  }
  lint(scratch, ['assembly']);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
