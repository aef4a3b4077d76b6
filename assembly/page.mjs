// Builds the validator page into a folder of static files: a page, a style, modules. Nothing in it asks for anything
// else, and it needs no server that knows of it. `npm run page` builds dist/page alone, from the sources.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BuildError } from './embed.mjs';

const SOURCES = 'src/web';
/** Texts that the page offers: folder, and what their group is called. */
const SAMPLES = [
  { folder: 'fixtures/cases/suggested', files: /\.txt$/, group: 'Conformance fixtures (2.2 §17)' },
  { folder: 'fixtures/cases/examples', files: /^2-[02].*\.txt$/, group: 'Worked examples of 2.0 and 2.2' },
  { folder: 'fixtures/cases/examples', files: /^0-1-(?:7-(?:conversation|name)|extended-(?:4|8-5|9-named-roles))\.txt$/,
    group: 'Worked examples of 0.1' },
  { folder: 'fixtures/samples', files: /\.harmony$/, group: 'Harmony', dialect: 'harmony' },
];
/** Records, which the page reads as a corpus. */
const RECORDS = { file: 'fixtures/pictures/weather.jsonl', group: 'Chat records', title: 'A record with two mistakes' };

/** What the page's files are made of, beside the sources: for who asks whether a build is fresh. */
export const PAGE_INPUTS = [...new Set([...SAMPLES.map(({ folder }) => folder), 'fixtures/pictures'])];

function samples(root) {
  const texts = SAMPLES.flatMap(({ folder, files, group, dialect }) => {
    return readdirSync(join(root, folder)).filter((name) => files.test(name)).sort().map((name) => {
      const text = readFileSync(join(root, folder, name), 'utf8');
      return { group, ...headOf(join(root, folder, name), dialect), name, text };
    });
  });
  const { file, group, title } = RECORDS;
  const text = readFileSync(join(root, file), 'utf8');
  return [...texts, { group, title, dialect: 'records', name: basename(file), text }];
}

/** What the page of a fixture says: its heading, and the dialect it is read in. */
function headOf(path, dialect) {
  if (dialect !== undefined) return { title: basename(path), dialect };
  const page = readFileSync(path.replace(/\.txt$/, '.md'), 'utf8');
  return { title: /^# (.*)/.exec(page)[1], dialect: /^dialect: (.*)$/m.exec(page)[1] };
}

/** Data inside the page: nothing in it ends the element. */
function dataBlock(id, value) {
  const json = JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (found) => {
    return `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `<script type="application/json" id="${id}">${json}</script>\n`;
}

/** Writes the page's files into `folder`. Answers the files that went into it: their licences go into the package. */
export async function bundlePage(root, folder) {
  const { build } = await import('esbuild');
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      page: `${SOURCES}/main.tsx`, results: `${SOURCES}/results.ts`, worker: `${SOURCES}/worker.ts`,
    },
    outdir: folder,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    chunkNames: 'chunk-[hash]',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // What reads records is written for Node: of Node it needs buffers alone.
    alias: { 'node:buffer': join(root, SOURCES, 'buffer.ts') },
    inject: [join(root, SOURCES, 'buffer.ts')],
    // Vocabularies are loaded from files.
    external: ['gpt-tokenizer/encoding/*'],
    metafile: true,
    logLevel: 'warning',
  }).catch(() => {
    throw new BuildError('esbuild failed for the page');
  });
  const style = ['node_modules/uplot/dist/uPlot.min.css', `${SOURCES}/page.css`].map((file) => {
    return readFileSync(join(root, file), 'utf8').trim();
  });
  writeFileSync(join(folder, 'page.css'), `${style.join('\n')}\n`);
  const page = readFileSync(join(root, SOURCES, 'index.html'), 'utf8');
  const data = dataBlock('samples', samples(root));
  writeFileSync(join(folder, 'index.html'), page.replace('</body>', () => `${data}</body>`));
  return Object.keys(metafile.inputs);
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const target = join(root, 'dist', 'page');
  const scratch = join(root, `.dist-page-${process.pid}`);
  try {
    mkdirSync(scratch);
    await bundlePage(root, scratch);
    rmSync(target, { recursive: true, force: true });
    cpSync(scratch, target, { recursive: true });
    console.error(`built ${target}`);
  } catch (error) {
    console.error(error instanceof BuildError ? `page: ${error.message}` : error);
    process.exitCode = 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
