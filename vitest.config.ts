// Tests import the TypeScript sources; the ones about the command line run dist/, which `npm test` builds first.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files of which `npm test` does a part: they import long.ts, or what does. */
function filesWithParts(): string[] {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const texts = new Map(files.map((name) => [name, readFileSync(join('test', name), 'utf8')]));
  const found = new Set<string>(['long.ts']);
  // The set grows while it is walked through.
  for (const name of found) {
    for (const [other, text] of texts) if (text.includes(`/${basename(name)}'`)) found.add(other);
  }
  return [...found].filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name}`);
}

/** Files that take long in full, and hardly any time in `npm test`, by whose times vitest would begin them last. */
const LONGEST = [/engines\//, /rescue\.test/, /bounds\.test/, /package\.test/, /sparse\.test/, /reference-calls\.test/];

/** A long file that is begun last leaves the other core with nothing to do. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => LONGEST.some((name) => name.test(moduleId)) ? 0 : 1;
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    // OPENCHATML_FILES=parts: not what `npm test` does in full.
    include: process.env['OPENCHATML_FILES'] === 'parts' ? filesWithParts() : ['test/**/*.test.ts'],
    globalSetup: 'test/temporary.mjs',
    // Threads that a test asks for take part, however small its input is.
    env: { OPENCHATML_THREADS: 'always' },
    // Every core works, and loads the sources once.
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    // The garbage collector's threads take time from the other core's tests: with them, all take 8 % longer.
    execArgv: ['--single-threaded-gc', '--max-semi-space-size=64'],
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
