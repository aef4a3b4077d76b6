// Bundles the command and its threads into dist/cli/, so that they start fast:
//
//   CommonJS    starts faster than ES modules, and can load more of itself in the middle of a function
//   core        what every run needs is one file
//   deferred    what only some runs need is a file of its own. The sources import it like anything else; here the first
//               use of one of its names loads it, as `import defer` will
//   binaries    are read from dist/, not decoded from text
//
// With all of it `scan` of an empty file takes about 1.5 times the processor time of `node -e 0`, without it 2.5
// times. The library is bundled by build.mjs without any of this: it must run in browsers and through other bundlers.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { BuildError } from './embed.mjs';

const COMMAND = 'src/cli/main.ts';
/** The scripts of threads; the library starts them, too. */
const WORKER = 'src/corpus/jobs/worker.ts';
const DECODER = 'src/corpus/input/decode-worker.ts';
/** These, and what they import, are the core. */
const CORE = ['src/cli/program.ts', 'src/cli/commands/scan.ts'];
/** What both these and the core import is the base, which is loaded where the core is not. */
const WITHOUT_CORE = [COMMAND, DECODER];
const DEFERRED_PACKAGES = ['@cfworker/json-schema', 'picocolors', 're2js', 'yaml'];
/** Modules of Node that take 3 to 8 ms to load. */
const DEFERRED_BUILTINS = ['node:child_process', 'node:crypto', 'node:tty', 'node:worker_threads'];
const DEFERRED_SOURCES = [
  'src/cli/commands/scan-report.ts',
  'src/cli/config-read.ts',
  'src/corpus/input/ring.ts',
  'src/corpus/jobs/check-worker.ts',
  'src/corpus/jobs/message-output.ts',
  'src/corpus/jobs/pool.ts',
  'src/corpus/jobs/record-job.ts',
  'src/corpus/jobs/statistics-job.ts',
  'src/corpus/jobs/table-output.ts',
  'src/corpus/output-file.ts',
  'src/corpus/records/other-forms.ts',
  'src/corpus/records/unit-chat.ts',
  'src/corpus/records/units.ts',
  'src/corpus/tables/table.ts',
  'src/formats/chat/tools.ts',
  'src/formats/written-calls.ts',
  'src/model/header/yaml.ts',
  'src/rules/check.ts',
  'src/scan/record-machine.ts',
  'src/scan/text-machine.ts',
  'src/scan/twin/twin.ts',
  'src/tools/knowledge.ts',
  'src/tools/known.ts',
];

/**
 * Writes the files of the program into `folder`, which lies beside the binaries. `modules`: the source that holds the
 * binary of a module as text, and the module's name; `peers`: packages that stay outside. Answers the files that went
 * into it, and what each of its files imports from elsewhere.
 */
export async function bundleProgram(root, folder, modules, peers) {
  const { rolldown } = await import('rolldown');
  const besides = [WORKER, DECODER, ...DEFERRED_PACKAGES, ...DEFERRED_SOURCES].map((name) => [entryOf(name), name]);
  const bundle = await rolldown({
    cwd: root,
    input: { main: COMMAND, ...Object.fromEntries(besides) },
    platform: 'node',
    external: (id) => peers.some((name) => id.startsWith(`${name}/`)),
    preserveEntrySignatures: 'allow-extension',
    plugins: [defer(root), readBinaries(root, modules)],
    onLog: (_, { message }) => {
      throw new BuildError(message);
    },
  });
  const { output } = await bundle.write({
    dir: folder,
    format: 'cjs',
    exports: 'named',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: grouping(root), debugName: 'core' }] },
    // Names stay as they are: a report of a bug quotes them.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  const files = new Set(output.map(({ fileName }) => fileName));
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
  return {
    inputs: output.flatMap(({ moduleIds = [] }) => moduleIds),
    imports: Object.fromEntries(output.map(({ fileName, imports = [] }) => {
      return [fileName, imports.filter((name) => !files.has(name))];
    })),
  };
}

/** The name of the file of a source or a package, without its ending. */
function entryOf(name) {
  return name.replace(/^src\/|^@|\.ts$/g, '').replaceAll('/', '-');
}

/** Puts the core into one file, and its base into another. */
function grouping(root) {
  let core;
  let base;
  return (id, context) => {
    const reachedFrom = (sources) => {
      const reached = new Set(['\0rolldown/runtime.js', ...sources.map((source) => resolve(root, source))]);
      for (const from of reached) for (const to of context.getModuleInfo(from)?.importedIds ?? []) reached.add(to);
      return reached;
    };
    core ??= reachedFrom(CORE);
    base ??= reachedFrom(WITHOUT_CORE);
    if (!core.has(id)) return null;
    return base.has(id) ? 'base' : 'core';
  };
}

/**
 * Where something deferred is imported, a stand-in is. All its names are inherited: the first one that is asked for
 * loads the file, or Node's module, which takes the place of what inherits to it.
 */
function defer(root) {
  const STAND_IN = '\0deferred:';
  const sources = new Map(DEFERRED_SOURCES.map((source) => [resolve(root, source), source]));
  const nameOf = (path, importer) => {
    if (path.startsWith('.')) return sources.get(resolve(importer, '..', path));
    const builtin = path.startsWith('node:') ? path : `node:${path}`;
    return DEFERRED_PACKAGES.includes(path) ? path : DEFERRED_BUILTINS.includes(builtin) ? builtin : undefined;
  };
  return {
    name: 'defer',
    resolveId(path, importer, { kind }) {
      if (importer === undefined || kind === 'dynamic-import') return null;
      if (importer.startsWith(STAND_IN)) return { id: path, external: true };
      const name = nameOf(path, importer);
      return name === undefined ? null : `${STAND_IN}${name}`;
    },
    load(id) {
      if (!id.startsWith(STAND_IN)) return null;
      const name = id.slice(STAND_IN.length);
      const file = name.startsWith('node:') ? name : `./${entryOf(name)}.js`;
      return `const get = (_, name, standIn) => Object.setPrototypeOf(standIn, require(${JSON.stringify(file)}))[name];
        module.exports = Object.create(new Proxy({}, { get }));`;
    },
  };
}

/** Where the library holds a binary as text, the program reads its file. */
function readBinaries(root, modules) {
  const names = new Map(modules.map(({ name, binary }) => [resolve(root, binary), name]));
  return {
    name: 'read-binaries',
    load(id) {
      const name = names.get(id);
      return name === undefined ? null : `import { readFileSync } from 'node:fs';
        export const simd = () => readFileSync(import.meta.dirname + '/../${name}.wasm');
        export const scalar = () => readFileSync(import.meta.dirname + '/../${name}.scalar.wasm');`;
    },
  };
}
