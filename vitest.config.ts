// Tests import the TypeScript sources; the ones about the command line run dist/, which `npm test` builds first.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/temporary.mjs',
    // Every core works, and loads the sources once.
    maxWorkers: '100%',
    isolate: false,
    // Node itself loads whatever is no test. By vitest an import is a property, which is looked up at each use: tests
    // that compare the scanners took 2.5 times as long.
    setupFiles: 'ts-blank-space/register',
    server: { deps: { external: [/\/(src|test|bench)\/.*(?<!\.test)\.(ts|mjs)$/] } },
    // For what hangs.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
