// The one direction of imports, read from the sources: rooms, Node's modules, packages, WebAssembly, cycles; the pages
// of the rooms; and the length of lines.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

/** Rooms from low to high; a step may hold several. A file imports from its own room and from lower steps only. */
const STEPS = [
  ['abi', 'utf8', 'printable', 'pattern', 'platform', 'nearest', 'rule-table'],
  ['options'],
  ['errors'],
  ['scan'],
  ['model'],
  ['tools'],
  ['rules'],
  ['formats'],
  ['runtime', 'corpus'],
  ['entry'],
  ['cli', 'engines', 'web'],
];
const ENTRIES = ['index.ts', 'convert.ts', 'js.ts', 'node.ts', 'report.ts', 'stream.ts', 'tools.ts', 'yaml.ts'];
/** Export lines that several entries share. */
const SHARED = ['public.ts'];
/** Generated, so that they may be missing. All but the first two are for Node alone: browsers do not load them. */
const BINARIES = [
  'scan/core-binary.ts', 'scan/binary.ts', 'scan/text-binary.ts', 'scan/record-binary.ts', 'scan/pack-binary.ts',
];
/** Entries that a browser loads; and those of them that need no WebAssembly. */
const ANYWHERE = ENTRIES.filter((entry) => !['node.ts', 'report.ts'].includes(entry));
const WITHOUT_WEBASSEMBLY = ['js.ts', 'stream.ts', 'yaml.ts'];
/** Packages that are larger than what uses them: only these entries reach them. */
const LARGE: Record<string, string[]> = {
  'yaml': ['node.ts', 'report.ts', 'tools.ts', 'yaml.ts'],
  're2js': ['node.ts', 'report.ts', 'stream.ts', 'tools.ts'],
  '@cfworker/json-schema': ['node.ts', 'report.ts', 'stream.ts', 'tools.ts'],
};
const ROOMS_WITH_NODE = ['corpus', 'cli'];
/** Packages with exactly one importing file, and its room. */
const SINGLE_IMPORTERS: Record<string, string> = { 'yaml': 'model', '@assemblyscript/loader': 'scan' };

interface Source {
  imports: string[];
  /** Those that are more than types. */
  loads: string[];
  namesWebAssembly: boolean;
}

function read(path: string, text: string): Source {
  const source: Source = { imports: [], loads: [], namesWebAssembly: false };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      if (node.moduleSpecifier !== undefined) {
        const { text } = node.moduleSpecifier as ts.StringLiteral;
        source.imports.push(text);
        if (!isOfTypes(node)) source.loads.push(text);
      }
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const target = node.arguments[0];
      source.imports.push(target !== undefined && ts.isStringLiteralLike(target) ? target.text : '(computed)');
      source.loads.push(source.imports.at(-1)!);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      source.imports.push((node.argument.literal as ts.StringLiteral).text);
    } else if ((ts.isIdentifier(node) || ts.isStringLiteralLike(node)) && node.text === 'WebAssembly') {
      source.namesWebAssembly = true;
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.ES2022));
  return source;
}

/** Nothing is left of it when the types are taken away. */
function isOfTypes(node: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  const clause = ts.isImportDeclaration(node) ? node.importClause : node;
  const names = ts.isImportDeclaration(node) ? node.importClause?.namedBindings : node.exportClause;
  const isList = names !== undefined && (ts.isNamedImports(names) || ts.isNamedExports(names));
  return clause?.isTypeOnly === true || (isList && names.elements.every(({ isTypeOnly }) => isTypeOnly));
}

function roomOf(file: string): string {
  const room = file.split('/')[0]!;
  return [...ENTRIES, ...SHARED].includes(room) ? 'entry' : room.replace(/\.tsx?$/, '');
}

function stepOf(file: string): number {
  return STEPS.findIndex((rooms) => rooms.includes(roomOf(file)));
}

/** The file below src/ that a relative import means. */
function resolve(from: string, specifier: string): string {
  return join(dirname(from), specifier).replaceAll('\\', '/');
}

/** Every broken rule in `files` (path below src/ to text), one line each. `declared`: packages of the manifest. */
function findings(files: Record<string, string>, declared: string[]): string[] {
  const sources = new Map(Object.entries(files).map(([path, text]) => [path, read(path, text)]));
  const found: string[] = [];
  for (const [path, { imports, namesWebAssembly }] of sources) {
    if (stepOf(path) < 0) found.push(`${path}: no such room`);
    if (namesWebAssembly && roomOf(path) !== 'scan') found.push(`${path}: names WebAssembly`);
    for (const specifier of imports) {
      if (specifier.startsWith('.')) found.push(...checkArrow(path, resolve(path, specifier), sources));
      else found.push(...checkPackage(path, specifier, declared));
    }
  }
  for (const [name, room] of Object.entries(SINGLE_IMPORTERS)) {
    const paths = [...sources.keys()].filter((path) => sources.get(path)!.imports.map(packageOf).includes(name));
    if (paths.length !== 1 || roomOf(paths[0]!) !== room) {
      found.push(`${name}: imported by [${paths}], not by one file of ${room}`);
    }
  }
  return [...found, ...findCycles(sources), ...checkReach(sources)];
}

function checkArrow(from: string, to: string, sources: Map<string, Source>): string[] {
  if (to.endsWith('.json')) return [];
  if (!BINARIES.includes(to) && !sources.has(to)) return [`${from} -> ${to}: no such file`];
  if (roomOf(from) === roomOf(to)) return [];
  if (roomOf(from) === 'web' && !ENTRIES.includes(to)) return [`${from} -> ${to}: the page uses entries only`];
  return stepOf(to) < stepOf(from) ? [] : [`${from} -> ${to}: points up`];
}

function packageOf(specifier: string): string {
  return specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

function checkPackage(from: string, specifier: string, declared: string[]): string[] {
  if (specifier.startsWith('node:')) {
    const allowed = ROOMS_WITH_NODE.includes(roomOf(from)) || from === 'node.ts';
    return allowed ? [] : [`${from}: imports ${specifier}`];
  }
  if (builtinModules.includes(specifier)) return [`${from}: write node:${specifier}`];
  return declared.includes(packageOf(specifier)) ? [] : [`${from}: ${specifier} is not a dependency`];
}

function findCycles(sources: Map<string, Source>): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, above: string[]): void => {
    if (above.includes(path)) cycles.push(`cycle: ${[...above.slice(above.indexOf(path)), path].join(' -> ')}`);
    else if (!done.has(path)) {
      for (const specifier of sources.get(path)?.imports ?? []) {
        if (specifier.startsWith('.')) visit(resolve(path, specifier), [...above, path]);
      }
      done.add(path);
    }
  };
  for (const path of sources.keys()) visit(path, []);
  return cycles;
}

/** What the entries for any platform, and the one without WebAssembly, must not reach by any chain of imports. */
function checkReach(sources: Map<string, Source>): string[] {
  const found: string[] = [];
  for (const entry of ANYWHERE.filter((name) => sources.has(name))) {
    const reached = new Set([entry]);
    for (const path of reached) {
      const { loads = [], namesWebAssembly = false } = sources.get(path) ?? {};
      const needsNode = loads.some((specifier) => specifier.startsWith('node:'));
      const needsWebAssembly = namesWebAssembly || BINARIES.includes(path);
      if (BINARIES.slice(2).includes(path)) found.push(`${entry} reaches ${path}, which is for Node alone`);
      if (needsNode) found.push(`${entry} reaches ${path}, which needs Node`);
      if (needsWebAssembly && WITHOUT_WEBASSEMBLY.includes(entry)) {
        found.push(`${entry} reaches ${path}, which needs WebAssembly`);
      }
      for (const specifier of loads) {
        const isLarge = LARGE[specifier]?.includes(entry) === false;
        if (specifier.startsWith('.')) reached.add(resolve(path, specifier));
        else if (isLarge) found.push(`${entry} reaches ${specifier} through ${path}`);
      }
    }
  }
  return found;
}

/** Lines of abi.ts that both asc and tsc's erasable syntax might not read the same way. */
function strangeLines(abi: string): string[] {
  const constant = /^(export const [A-Z][A-Z0-9_]* = -?(0x[0-9a-fA-F]+|\d+);)?\s*(\/\/.*)?$/;
  return abi.replace(/\/\*[^]*?\*\//g, '').split('\n').filter((line) => !constant.test(line));
}

describe('the sources', () => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const src = join(root, 'src');
  const paths = readdirSync(src, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(src, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !BINARIES.includes(path));
  const files = Object.fromEntries(paths.map((path) => [path, readFileSync(join(src, path), 'utf8')]));
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

  test('have every entry and no arrow that points up', () => {
    expect(paths).toEqual(expect.arrayContaining(['abi.ts', ...ENTRIES]));
    expect(findings(files, Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }))).toEqual([]);
  });

  test('share plain integer constants with the assembly, nothing else', () => {
    expect(strangeLines(files['abi.ts']!)).toEqual([]);
  });
});

describe('the pages of the rooms', () => {
  const src = fileURLToPath(new URL('../src/', import.meta.url));
  const rooms = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => {
    return name;
  });

  test.each(rooms)('%s has one, which names its folders, and no file that is not there', (room) => {
    const page = readFileSync(join(src, room, 'README.md'), 'utf8');
    const folders = readdirSync(join(src, room), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const { name } of folders) expect(page).toContain(`\`${name}/`);
    const generated = [...BINARIES, 'corpus/report/assets.ts'];
    const paths = /`([a-z0-9./-]+(?:\.(?:tsx?|py|sh|yaml)|\/))`/g;
    const named = [...page.matchAll(paths)].map(([, path]) => join(room, path!));
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((path) => !generated.includes(path) && !existsSync(join(src, path)))).toEqual([]);
  });
});

/** Lines with more than 120 columns, as `line: columns`. A long word that has its line to itself may stay. */
function longLines(text: string): string[] {
  const lines = text.split('\n').map((line, i) => ({ line, number: i + 1, columns: [...line].length }));
  return lines.filter(({ line, columns }) => columns > 120 && /\s/.test(line.trim().replace(/^(\/\/|\*) /, '')))
    .map(({ number, columns }) => `${number}: ${columns}`);
}

describe('lines', () => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const generated = [...BINARIES, 'corpus/report/assets.ts'].map((path) => join('src', path));
  const written = ['src', 'assembly', 'test', 'bench'].flatMap((folder) => {
    return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(tsx?|mjs|py|cpp)$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  }).filter((path) => !generated.includes(path));

  test('of the sources, tests and benchmarks have at most 120 columns', () => {
    expect(written.length).toBeGreaterThan(500);
    const found = written.flatMap((path) => {
      return longLines(readFileSync(join(root, path), 'utf8')).map((line) => `${path}:${line}`);
    });
    expect(found).toEqual([]);
  });

  test('are measured in characters; a word that cannot be broken may be longer', () => {
    const lines = [`${'é'.repeat(60)} ${'\u{1f600}'.repeat(59)}`, `a ${'b'.repeat(119)}`, `// ${'c'.repeat(200)}`];
    expect(longLines(lines.join('\n'))).toEqual(['2: 121']);
  });
});

describe('the rules', () => {
  const good = {
    'abi.ts': 'export const A = 1;',
    'scan/memory.ts': "import '@assemblyscript/loader'; import { A } from '../abi.ts'; WebAssembly.validate(A);",
    'model/header.ts': "import { parse } from 'yaml';",
    'index.ts': "export * from './model/data.ts';",
    'js.ts': "export * from './model/data.ts';",
    'model/data.ts': '',
    'tools.ts': "export * from './model/header.ts';",
  };
  const found = (extra: Record<string, string>): string[] => {
    return findings({ ...good, ...extra }, ['yaml', '@assemblyscript/loader']);
  };

  test('accept a tree that keeps them', () => {
    const above = {
      'cli/main.ts': "import 'node:fs'; import manifest from '../../package.json' with { type: 'json' };",
      'cli/scan.ts': "import { Transcript } from '../index.ts'; void import('./main.ts');",
      'web/page.ts': "import { type Message } from '../index.ts';",
    };
    expect(found(above)).toEqual([]);
  });

  const broken: [finding: string, files: Record<string, string>][] = [
    ['model/a.ts -> formats/b.ts: points up', { 'model/a.ts': "import '../formats/b.ts';", 'formats/b.ts': '' }],
    ['model/a.ts -> index.ts: points up', { 'model/a.ts': "export type { B } from '../index.ts';" }],
    ['runtime/a.ts -> corpus/b.ts: points up', { 'runtime/a.ts': "import('../corpus/b.ts');", 'corpus/b.ts': '' }],
    ['scan/a.ts -> cli/b.ts: points up', { 'scan/a.ts': "type B = import('../cli/b.ts').B;", 'cli/b.ts': '' }],
    ['web/page.tsx -> abi.ts: the page uses entries only', { 'web/page.tsx': "import '../abi.ts';" }],
    ['web/page.tsx: imports node:fs', { 'web/page.tsx': "import 'node:fs';" }],
    ['model/a.ts -> model/b.ts: no such file', { 'model/a.ts': "import './b.ts';" }],
    ['utils/a.ts: no such room', { 'utils/a.ts': '' }],
    ['formats/a.ts: imports node:fs', { 'formats/a.ts': "import 'node:fs';" }],
    ['corpus/a.ts: write node:fs', { 'corpus/a.ts': "import 'fs';" }],
    ['corpus/a.ts: left/pad.js is not a dependency', { 'corpus/a.ts': "import 'left/pad.js';" }],
    ['corpus/a.ts: (computed) is not a dependency', { 'corpus/a.ts': 'void import(name);' }],
    ['model/a.ts: names WebAssembly', { 'model/a.ts': "Reflect.get(globalThis, 'WebAssembly');" }],
    [
      'yaml: imported by [model/header.ts,model/b.ts], not by one file of model',
      { 'model/b.ts': "import 'yaml';" },
    ],
    [
      'cycle: model/a.ts -> model/b.ts -> model/a.ts',
      { 'model/a.ts': "import './b.ts';", 'model/b.ts': "import './a.ts';" },
    ],
    [
      'index.ts reaches scan/text-binary.ts, which is for Node alone',
      { 'index.ts': "import './scan/text-binary.ts';" },
    ],
    ['index.ts reaches yaml through model/header.ts', { 'index.ts': "export * from './model/header.ts';" }],
    ['js.ts reaches scan/memory.ts, which needs WebAssembly', { 'js.ts': "export * from './scan/memory.ts';" }],
    [
      'index.ts reaches corpus/a.ts, which needs Node',
      { 'index.ts': "import './corpus/a.ts';", 'corpus/a.ts': "import 'node:fs';" },
    ],
  ];
  test.each(broken)('report %s', (finding, files) => {
    expect(found(files)).toContain(finding);
  });

  const strange = ['export const A = B + 1;', 'export const a = 1;', 'const A = 1;', 'export const A = 1.5;', 'f();'];
  test.each(strange)('refuse %s among the shared numbers', (line) => {
    const abi = `// words\nexport const A = 0x1F; // more\n/** doc\n */\nexport const B = -1;\n${line}\n`;
    expect(strangeLines(abi)).toEqual([line]);
  });
});
