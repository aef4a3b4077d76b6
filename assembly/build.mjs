// Builds the package: WebAssembly binaries, bundles, types. Runs as `prepare`; does nothing when dist/ is fresh.
//
//   asc      the modules below, twice    -> scanner.wasm, scanner.scalar.wasm, and its like
//   embed    both binaries of a module   -> src/scan/binary.ts and its like (generated, untracked)
//   embed    the report page's script    -> src/corpus/report/assets.ts (generated, untracked)
//   esbuild  the entries below           -> *.js with shared and lazily loaded chunks, for Node: few files load fast
//   esbuild  each file of the library    -> web/**/*.js: bundlers leave out the files that nothing needs
//   rolldown the command, its threads    -> cli/*.js; program.mjs tells why they are bundled in another way
//   esbuild  the validator page          -> page/*; page.mjs
//   tsc      src, checked                -> *.d.ts
//
// Flags: --fast leaves out tsc; --clean also removes files of earlier builds from dist/.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BuildError, embed } from './embed.mjs';
import { embedReport } from './report-assets.mjs';
import { hashInputs, isWhole, keepOnly, listFiles, makeExecutable, place, readStamp, withLock } from './place.mjs';
import { bundlePage, PAGE_INPUTS } from './page.mjs';
import { bundleProgram } from './program.mjs';

/** The entries of the library. One for anywhere must not reach a module of Node. */
const ENTRIES = [
  { source: 'src/index.ts', anywhere: true },
  { source: 'src/convert.ts', anywhere: true },
  { source: 'src/js.ts', anywhere: true },
  { source: 'src/stream.ts', anywhere: true },
  { source: 'src/tools.ts', anywhere: true },
  { source: 'src/yaml.ts', anywhere: true },
  { source: 'src/node.ts', anywhere: false },
];
/** The folder of the program, and its first file, which goes into dist/ last. */
const PROGRAM = 'cli';
const COMMAND = `${PROGRAM}/main.js`;
/** The package ships its sources. */
const MAPS = { sourcemap: true, sourcesContent: false };
/** The folder of the library's files for bundlers. */
const WEB = 'web';
/**
 * WebAssembly modules. The scanner travels inside every bundle, the others inside those for Node: each stays below
 * `most` bytes. That of records has 32 kB for chat and ShareGPT, 11 for other forms and contents in parts, 4 for what
 * is written as text between tags, 2 for bounds, 2 for turns and for arguments that are objects, 3 for records that are
 * written as chat records or ShareGPT, 6 for definitions that are written, and 2 for questions and answers, all of
 * which it does 3 to 60 times as fast as the host.
 */
const MODULES = [
  { name: 'core', source: 'assembly/core.ts', binary: 'src/scan/core-binary.ts', most: 13 * 1024 },
  { name: 'scanner', source: 'assembly/index.ts', binary: 'src/scan/binary.ts', most: 24 * 1024 },
  { name: 'text', source: 'assembly/text.ts', binary: 'src/scan/text-binary.ts', most: 13 * 1024 },
  { name: 'record', source: 'assembly/record/index.ts', binary: 'src/scan/record-binary.ts', most: 66 * 1024 },
  { name: 'pack', source: 'assembly/pack.ts', binary: 'src/scan/pack-binary.ts', most: 8 * 1024 },
];
/** The folder of the validator page. */
const PAGE = 'page';
/** The script and the style of report pages. */
const REPORT_MODULE = 'src/corpus/report/assets.ts';
const GENERATED = [...MODULES.map(({ binary }) => binary), REPORT_MODULE];
/** TypeScript 7 checks in a fifth of the time of 6, whose API the tests still need: 7 has none that is stable. */
const TOOLS = ['assemblyscript', 'esbuild', 'rolldown', 'typescript-7'];
const INPUT_FOLDERS = ['assembly', 'src', ...PAGE_INPUTS];
const INPUT_FILES = ['package.json', 'package-lock.json', 'tsconfig.json', 'asconfig.json'];

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** Packages that are not bundled: who wants what they do installs them. */
const peers = Object.keys(manifest.peerDependencies ?? {});
const fast = process.argv.includes('--fast');
const clean = process.argv.includes('--clean');

function outputOf(source) {
  return source.replace(/^src\//, '').replace(/\.ts$/, '.js');
}

function toolVersion(tool) {
  try {
    return JSON.parse(readFileSync(join(root, 'node_modules', tool, 'package.json'), 'utf8')).version;
  } catch {
    throw new BuildError(`${tool} is not installed; run \`npm ci\` first`);
  }
}

function hashEverything() {
  const found = INPUT_FOLDERS.flatMap((folder) => listFiles(root, folder));
  const files = [...found, ...INPUT_FILES].filter((file) => !GENERATED.includes(file));
  return hashInputs(root, files, TOOLS.map((tool) => `${tool}@${toolVersion(tool)}`));
}

/** Runs a program of node_modules in its own process; its words go to stderr. */
function run(what, script, args) {
  return new Promise((resolve, reject) => {
    const options = { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] };
    const child = spawn(process.execPath, [join(root, 'node_modules', script), ...args], options);
    child.stdout.on('data', (bytes) => process.stderr.write(bytes));
    child.stderr.on('data', (bytes) => process.stderr.write(bytes));
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new BuildError(`${what} failed`))));
  });
}

async function compile({ name, source }, target, output) {
  const args = [source, '--config', 'asconfig.json', '--target', target, '--outFile', output];
  await run(`asc (${name}, ${target})`, 'assemblyscript/bin/asc.js', args);
}

async function bundle(scratch) {
  const inReport = await embedReport(root, join(root, REPORT_MODULE), join(scratch, 'report-assets.ts'));
  const { build } = await import('esbuild');
  const result = await build({
    absWorkingDir: root,
    entryPoints: ENTRIES.map((entry) => entry.source),
    outbase: 'src',
    outdir: scratch,
    chunkNames: 'chunk-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    // One run for all entries, so that they share one copy of the library: neutral, with node: modules left alone.
    platform: 'neutral',
    // Packages are bundled, which halves the time to start.
    external: ['node:*', ...peers.map((name) => `${name}/*`)],
    // As packages for Node write it; what runs anywhere is kept from it below.
    alias: { fs: 'node:fs', stream: 'node:stream' },
    mainFields: ['main'],
    target: 'es2022',
    charset: 'utf8',
    ...MAPS,
    metafile: true,
    logLevel: 'warning',
  }).catch(() => {
    throw new BuildError('esbuild failed');
  });
  const inModules = await keepModules(build, join(scratch, WEB));
  const program = await bundleProgram(root, join(scratch, PROGRAM), MODULES, peers).catch((error) => {
    throw new BuildError(`rolldown: ${error.message}`);
  });
  const inPage = await bundlePage(root, join(scratch, PAGE));
  const imports = Object.entries(result.metafile.outputs).map(([name, { imports }]) => {
    return [name, imports.filter(({ external }) => external).map(({ path }) => path)];
  });
  checkPackages([...imports, ...Object.entries(program.imports)]);
  checkLibrary(result.metafile.outputs);
  checkCommand(join(scratch, COMMAND));
  const inputs = Object.keys({ ...result.metafile.inputs, ...inModules, ...inReport });
  collectLicences(scratch, [...inputs, ...inPage, ...program.inputs]);
}

/**
 * The library as it stands, file by file, for bundlers; packages that it uses go into the files that import them, and
 * so do the numbers of the table, as literals: bundlers would keep a variable for each.
 */
async function keepModules(build, outdir) {
  const shared = {
    absWorkingDir: root, outbase: 'src', outdir, bundle: true, format: 'esm', platform: 'neutral',
    mainFields: ['main'], alias: { fs: 'node:fs', stream: 'node:stream' }, external: ['node:*'], target: 'es2022',
    charset: 'utf8', metafile: true, logLevel: 'warning',
  };
  const entryPoints = ENTRIES.filter(({ anywhere }) => anywhere).map(({ source }) => source);
  const { metafile } = await build({ ...shared, entryPoints, write: false });
  const files = Object.keys(metafile.inputs).filter((file) => file.startsWith('src/'));
  const keep = {
    name: 'keep-modules',
    setup({ onResolve }) {
      onResolve({ filter: /^\.\.?\// }, ({ kind, path, importer }) => {
        if (kind === 'entry-point' || importer.includes('node_modules') || path.endsWith('/abi.ts')) return undefined;
        return { path: path.replace(/\.ts$/, '.js'), external: true };
      });
    },
  };
  await build({ ...shared, entryPoints: files, splitting: true, minifySyntax: true, ...MAPS, plugins: [keep] });
  return metafile.inputs;
}

/** The licences of all packages that are part of a bundle. */
function collectLicences(scratch, inputs) {
  const owners = inputs.map((input) => /\bnode_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]);
  const texts = [...new Set(owners)].filter(Boolean).sort().map((owner) => {
    const folder = join(root, 'node_modules', owner);
    const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const text = file ? readFileSync(join(folder, file), 'utf8').trim() : `Licence: ${license}`;
    return `${owner} ${version}\n\n${text}\n`;
  });
  writeFileSync(join(scratch, 'LICENSES.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`));
}

/** What a bundle imports, and is no module of Node, must be declared. */
function checkPackages(bundles) {
  const declared = [...Object.keys(manifest.dependencies ?? {}), ...peers];
  for (const [name, imports] of bundles) {
    for (const path of imports) {
      if (isBuiltin(path)) continue;
      const owner = path.split('/').slice(0, path.startsWith('@') ? 2 : 1).join('/');
      if (!declared.includes(owner) && owner !== manifest.name) {
        throw new BuildError(`${name} imports ${path}, which is not a dependency`);
      }
    }
  }
}

/** An entry for any platform must not reach Node's own modules. */
function checkLibrary(outputs) {
  for (const { source } of ENTRIES.filter((entry) => entry.anywhere)) {
    const start = Object.keys(outputs).find((name) => outputs[name].entryPoint === source);
    const reached = new Set([start]);
    for (const name of reached) {
      for (const { path, external } of outputs[name].imports) {
        if (!external) reached.add(path);
        else if (isBuiltin(path)) throw new BuildError(`${source} must run anywhere, but reaches ${path}`);
      }
    }
  }
}

function checkCommand(path) {
  if (!readFileSync(path, 'utf8').startsWith('#!')) throw new BuildError(`${COMMAND} must start with a #! line`);
  makeExecutable(path);
}

async function declare(scratch) {
  const config = join(scratch, 'tsconfig.json');
  const emit = { noEmit: false, declaration: true, declarationMap: true, emitDeclarationOnly: true };
  const compilerOptions = { ...emit, rootDir: '../src', outDir: '.' };
  writeFileSync(config, JSON.stringify({
    extends: '../tsconfig.json', include: ['../src'], exclude: ['../src/web'], compilerOptions,
  }));
  await run('tsc', 'typescript-7/bin/tsc', ['-p', config]);
  rmSync(config);
  // Compilers before 5.7 read no `.ts` there.
  for (const file of listFiles(scratch, '.').filter((name) => name.endsWith('.d.ts'))) {
    const path = join(scratch, file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(/((?:from |import\()'\.[^'\n]*)\.ts'/g, "$1.js'"));
  }
}

async function buildInto(scratch, inputs) {
  for (const { source } of ENTRIES) {
    if (!existsSync(join(root, source))) throw new BuildError(`the entry ${source} does not exist`);
  }
  const start = Date.now();
  const paths =
    MODULES.map(({ name }) => ({ simd: join(scratch, `${name}.wasm`), scalar: join(scratch, `${name}.scalar.wasm`) }));
  const compiled = await Promise.allSettled(MODULES.flatMap((module, i) => {
    return Object.entries(paths[i]).map(([target, path]) => compile(module, target, path));
  }));
  for (const { reason } of compiled) if (reason !== undefined) throw reason;
  const sizes = MODULES.map((module, i) => {
    const { simd, scalar } = embed(module, paths[i], join(root, module.binary), join(scratch, 'binary.ts'));
    return `; ${module.name}: simd ${simd} bytes, scalar ${scalar} bytes`;
  });
  await bundle(scratch);
  if (!fast) await declare(scratch);
  const files = Object.fromEntries(GENERATED.map((file) => [file, statSync(join(root, file)).size]));
  place(root, scratch, [
    ...ENTRIES.map((entry) => outputOf(entry.source)), `${PAGE}/index.html`, COMMAND,
  ], { inputs, types: !fast, files });
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  console.error(`built dist/ in ${seconds} s${sizes.join('')}`);
}

function isFresh(inputs) {
  const stamp = readStamp(root);
  return stamp.inputs === inputs && (stamp.types || fast) && isWhole(root, stamp);
}

try {
  if (!isFresh(hashEverything())) {
    await withLock(root, async (scratch) => {
      // Another build may have done the work while this one waited.
      const inputs = hashEverything();
      if (!isFresh(inputs)) await buildInto(scratch, inputs);
    });
  }
  if (clean) keepOnly(root, Object.keys(readStamp(root).files));
} catch (error) {
  if (!(error instanceof BuildError)) console.error(error);
  else console.error(`build: ${error.message}`);
  process.exitCode = 1;
}
