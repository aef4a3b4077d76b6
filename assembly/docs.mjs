// Writes the reference of the library from its docstrings: `npm run docs` makes docs/index.html. TypeDoc is not
// installed with the tools of the package: npx fetches the version that stands here.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PACKAGES = ['typedoc@0.28.20', 'typescript@6.0.3'];
const ENTRIES = ['index', 'tools', 'convert', 'stream', 'node', 'js', 'yaml'];

const { status } = spawnSync('npx', [
  '--yes', ...PACKAGES.map((name) => `--package=${name}`), 'typedoc',
  '--entryPoints', ...ENTRIES.map((entry) => `src/${entry}.ts`),
  '--tsconfig', 'tsconfig.json', '--out', process.argv[2] ?? 'docs', '--name', 'openchatml', '--readme', 'README.md',
  '--excludeInternal', '--excludePrivate', '--disableSources', '--skipErrorChecking',
  '--validation.notExported', 'false', '--validation.invalidLink', 'false', '--treatWarningsAsErrors', 'false',
], { cwd: fileURLToPath(new URL('..', import.meta.url)), stdio: 'inherit' });
process.exitCode = status ?? 1;
