// The package as npm gives it: packed, installed into an empty project, and used there as its users do.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publicExports, ROOT } from './exports.ts';
import { describeLong, isAll } from './long.ts';
import { findsCommand } from './skip.ts';
import { findChromium, launch } from './web/browser.ts';
import { WEIGHTS } from './weights.ts';

/** A build with declarations: `npm run build` makes it, `--fast` does not. */
const hasTypes = existsSync(join(ROOT, 'dist/index.d.ts'));
if (!hasTypes) {
  if (process.env['OPENCHATML_CI'] === '1') throw new Error('dist/ has no declarations');
  console.log('skipped: dist/ has no declarations: `npm run build` makes them');
}
/** TypeScript 5.0, publint and attw, as .ci/run installs them. */
const tools = process.env['OPENCHATML_PACKAGE_TOOLS'];
if (tools === undefined) {
  console.log('skipped: OPENCHATML_PACKAGE_TOOLS names no folder with publint, attw and TypeScript 5.0');
}
const chromium = findChromium();
/** Other versions of Node, as .ci/run installs them: programs, with `:` between them. */
const nodes = process.env['OPENCHATML_NODES']?.split(':') ?? [];
if (nodes.length === 0) console.log('skipped: OPENCHATML_NODES names no other versions of Node');
const RUNTIMES: [name: string, command: readonly string[], isThere: boolean][] = [
  ...nodes.map((path): [string, string[], boolean] => [`Node (${path})`, [path], true]),
  ['Bun', ['bun'], isAll && findsCommand('bun')],
  // Its cache of code takes a file that was built again for the one before, when it is as long.
  ['Deno', ['deno', 'run', '--no-code-cache', '--allow-all'], isAll && findsCommand('deno')],
];

const project = mkdtempSync(join(tmpdir(), 'openchatml-project-'));
const installed = join(project, 'node_modules/openchatml');
afterAll(() => rmSync(project, { recursive: true }));

/** Runs a program in the project and gives its output; throws where it fails. */
function run(command: string, args: readonly string[], folder = project): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

const write = (name: string, text: string): void => writeFileSync(join(project, name), text);

beforeAll(() => {
  const [{ filename }] = JSON.parse(run('npm', [
    'pack', '--silent', '--ignore-scripts', '--json', '--pack-destination', project,
  ], ROOT)) as [{ filename: string }];
  write('package.json', '{"name":"empty","private":true,"type":"module"}');
  run('npm', ['install', '--silent', '--offline', '--no-audit', '--no-fund', '--omit=peer', filename]);
}, 60_000);

describeLong('the package, installed,', () => {
  test('brings nothing else', () => {
    expect(readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['openchatml']);
  });

  test('has the sources that its maps name', () => {
    const maps = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.map'));
    expect(maps.length).toBeGreaterThan(100);
    const missing = maps.flatMap((name) => {
      const path = join(installed, 'dist', name);
      const { sources, sourcesContent = [] } = JSON.parse(readFileSync(path, 'utf8')) as {
        sources: string[]; sourcesContent?: (string | null)[];
      };
      return sources.filter((source, i) => {
        // Those of packages, and of binaries as text, are no sources of this package.
        if (/node_modules|binary\.ts$|assets\.ts$/.test(source)) return false;
        return typeof sourcesContent[i] !== 'string' && !existsSync(join(dirname(path), source));
      }).map((source) => `${name}: ${source}`);
    });
    expect(missing).toEqual([]);
  });

  test('is loaded by import, by require and in a worker', () => {
    const call = "parse('<|start|>user<|message|>Hi').bytes.length";
    write('import.mjs', `import { parse } from 'openchatml'; console.log(${call});`);
    write('require.cjs', `console.log(require('openchatml').${call});`);
    write('worker.mjs', `import { isMainThread, parentPort, Worker } from 'node:worker_threads';
      import { parse } from 'openchatml';
      if (isMainThread) new Worker(new URL(import.meta.url)).on('message', (length) => console.log(length));
      else parentPort.postMessage(${call});`);
    for (const file of ['import.mjs', 'require.cjs', 'worker.mjs']) {
      const { stdout, stderr } = spawnSync(process.execPath, [file], { cwd: project, encoding: 'utf8' });
      expect([stdout, stderr], file).toEqual(['26\n', '']);
    }
    for (const entry of ['tools', 'convert', 'stream', 'node', 'js', 'yaml']) {
      const code = `console.log(Object.keys(require('openchatml/${entry}')).length > 0)`;
      expect(run(process.execPath, ['-e', code]), entry).toBe('true\n');
    }
    run(process.execPath, ['-e', "require('node:fs').statSync(require.resolve('openchatml/scanner.wasm'))"]);
    expect(run('npx', ['--no-install', 'openchatml', '--version'])).toMatch(/^openchatml \d|^\d/);
  });

  describe('in other runtimes', () => {
    const name = 'smoke.mjs';
    beforeAll(() => cpSync(join(ROOT, 'test/smoke.mjs'), join(project, name)));

    test('the smoke test says something here', () => {
      expect(run(process.execPath, [name]).length).toBeGreaterThan(1000);
    });

    test.skipIf(RUNTIMES.every(([, , isThere]) => !isThere)).each(RUNTIMES.filter(([, , isThere]) => isThere))(
      '%s says what Node says', (_, [command, ...args]) => {
        expect(run(command!, [...args, name])).toBe(run(process.execPath, [name]));
      },
    );

    test.skipIf(nodes.length === 0).each(nodes)('%s requires the library, and runs the command', (node) => {
      const code = "console.log(require('openchatml').parse('<|start|>user<|message|>Hi').bytes.length)";
      expect(run(node, ['-e', code])).toBe('26\n');
      const command = join(installed, 'dist/cli/main.js');
      for (const args of [['--version'], ['explain', 'missing-end']]) {
        expect(run(node, [command, ...args])).toBe(run(process.execPath, [command, ...args]));
      }
    });
  });

  test.skipIf(!hasTypes)('runs every example of its docstrings', () => {
    const names = [...new Map(publicExports().flatMap(({ entry, name, file, examples }) => {
      return examples.map((code) => [`${file} ${name}`, [`${entry}-${name}`, code]] as const);
    })).values()].map(([name, code]) => {
      mkdirSync(join(project, 'examples'), { recursive: true });
      write(`examples/${name}.ts`, `${code}\nexport {};\n`);
      return name;
    });
    expect(names.length).toBeGreaterThan(80);
    compile('nodenext', names.map((name) => `examples/${name}.ts`), { outDir: 'compiled', rootDir: 'examples' }, true);
    write('all.mjs', `const names = ${JSON.stringify(names)};
      console.log = () => {};
      for (const name of names) await import('./compiled/' + name + '.js');
      process.stdout.write('all ran');`);
    expect(run(process.execPath, ['all.mjs'])).toBe('all ran');
  });

  /** Compiles files of the project, declarations of packages included. */
  function compile(
    resolution: 'bundler' | 'node16' | 'nodenext', files: readonly string[], more: object, withPlatform: boolean,
    typescript = join(ROOT, 'node_modules/typescript-7'),
  ): void {
    if (withPlatform) {
      mkdirSync(join(project, 'types'), { recursive: true });
      for (const name of ['@types/node', 'undici-types']) {
        const to = join(project, name === '@types/node' ? 'types/node' : 'node_modules/undici-types');
        if (!existsSync(to)) cpSync(join(ROOT, 'node_modules', name), to, { recursive: true });
      }
    }
    write('tsconfig.json', JSON.stringify({
      compilerOptions: {
        strict: true, skipLibCheck: false, target: 'es2022', moduleResolution: resolution,
        module: resolution === 'bundler' ? 'esnext' : resolution,
        ...(withPlatform ? { types: ['node'], typeRoots: ['types'], lib: ['es2023', 'dom', 'dom.iterable'] }
          : { types: [], lib: ['es2022'] }),
        ...more,
      },
      files,
    }));
    run(process.execPath, [join(typescript, 'bin/tsc')]);
  }

  const BROWSER = ['', '/tools', '/convert', '/stream', '/js', '/yaml'];
  const versions: [name: string, folder: string | undefined][] = [
    ['7.0', join(ROOT, 'node_modules/typescript-7')],
    ['6.0', join(ROOT, 'node_modules/typescript')],
    ['5.0', tools === undefined ? undefined : join(tools, 'node_modules/typescript')],
  ];
  describe.each(versions)('TypeScript %s', (_, folder) => {
    test.skipIf(!hasTypes || folder === undefined).each(['bundler', 'node16', 'nodenext'] as const)(
      'reads the declarations under %s, those for browsers without any platform', (resolution) => {
        const code = BROWSER.map((entry, i) => `export * as e${i} from 'openchatml${entry}';`).join('\n');
        const use = "import { parse } from 'openchatml';\nexport const n: number = parse('').bytes.length;\n";
        write('browser.ts', `${code}\n${use}`);
        compile(resolution, ['browser.ts'], { noEmit: true }, false, folder);
      },
    );
  });

  test.skipIf(!hasTypes)('openchatml/node has declarations that need nothing but Node', () => {
    write('node.ts', "import { scanFile } from 'openchatml/node';\nexport const n: number = scanFile('x').messages;\n");
    compile('nodenext', ['node.ts'], { noEmit: true }, true);
  });

  test.skipIf(tools === undefined || !hasTypes)('publint and attw have nothing to say', () => {
    const bin = (name: string): string => join(tools!, 'node_modules/.bin', name);
    run(bin('publint'), ['run', installed, '--strict']);
    const tarball = readdirSync(project).find((name) => name.endsWith('.tgz'))!;
    // Its name for `require` of a module of ECMAScript, which every Node that is supported can do.
    run(bin('attw'), [
      tarball, '--profile', 'esm-only', '--exclude-entrypoints', './scanner.wasm', './schemas/*', './package.json',
    ]);
  });

  test.each(WEIGHTS)('%s weighs at most %i bytes, bundled by esbuild and by Vite', async (code, most) => {
    write('entry.js', code);
    const { outputFiles } = await build({
      entryPoints: [join(project, 'entry.js')], bundle: true, minify: true, format: 'esm', platform: 'browser',
      target: 'es2022', write: false, logLevel: 'error', absWorkingDir: project,
    });
    expect(gzipSync(outputFiles[0]!.contents, { level: 9 }).length).toBeLessThan(most);
    const vite = await import('vite');
    const made = await vite.build({
      root: project, configFile: false, logLevel: 'error',
      build: {
        write: false, minify: true, target: 'es2022', modulePreload: false,
        rollupOptions: { input: join(project, 'entry.js'), preserveEntrySignatures: 'strict' },
      },
    });
    const [output] = Array.isArray(made) ? made : [made];
    const [chunk] = (output as { output: { code: string }[] }).output;
    expect(gzipSync(chunk!.code, { level: 9 }).length).toBeLessThan(most);
  });

  test.each(BROWSER)('vite bundles all of openchatml%s', async (entry) => {
    write('entry.js', `export * from 'openchatml${entry}';`);
    const vite = await import('vite');
    await expect(vite.build({
      root: project, configFile: false, logLevel: 'error',
      build: { write: false, lib: { entry: join(project, 'entry.js'), formats: ['es'] } },
    })).resolves.toBeTruthy();
  });

  test.skipIf(chromium === null).each([
    ["script-src 'self' 'wasm-unsafe-eval'", 'simd'], ["script-src 'self'", 'js'],
  ])('runs in Chromium under %s, on %s', async (policy, expected) => {
    write('index.html', '<!doctype html><title>t</title><script type="module" src="page.js"></script>');
    write('page.js', `import { engine, parse } from './node_modules/openchatml/dist/web/index.js';
      const [message] = parse('<|start|>user<|message|>Hi<|end|>').messages();
      document.title = [engine(), message.role, message.content].join(' ');`);
    const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript' };
    const server = createServer(({ url = '/' }, response) => {
      const path = join(project, url === '/' ? 'index.html' : url);
      if (!existsSync(path)) return void response.writeHead(404).end();
      response.writeHead(200, {
        'content-type': types[extname(path)] ?? 'application/octet-stream', 'content-security-policy': policy,
      });
      response.end(readFileSync(path));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const browser = await launch(chromium!);
    try {
      const page = await browser.newPage();
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      await page.waitForFunction(() => document.title !== 't', null, { timeout: 10_000 });
      expect(await page.title()).toBe(`${expected} user Hi`);
    } finally {
      await browser.close();
      server.close();
    }
  });
});
