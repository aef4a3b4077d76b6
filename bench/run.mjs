// `npm run bench -- ARGS`: bundles bench/main.ts (Node 20 does not run TypeScript) into dist-bench/ and runs it
// in the package's root, with the garbage collector exposed so that a measurement can start from a clean heap.
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

rmSync(`${root}dist-bench`, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  // Threads of the corpora run what was bundled beside.
  entryPoints: [
    { in: 'bench/main.ts', out: 'main' },
    { in: 'bench/records/loop-command.ts', out: 'loop-command' },
    { in: 'src/corpus/jobs/worker.ts', out: 'corpus-jobs-worker' },
    { in: 'src/corpus/input/decode-worker.ts', out: 'corpus-input-decode-worker' },
  ],
  outdir: 'dist-bench',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'es2022',
  packages: 'external',
  logLevel: 'warning',
});

const args = ['--expose-gc', `${root}dist-bench/main.js`, ...process.argv.slice(2)];
const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
child.on('exit', (code, signal) => {
  process.exitCode = signal === null ? code : 1;
});
