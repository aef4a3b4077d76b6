// Docstrings: every public export has one, and every function and class an example that compiles and prints what it
// says.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';
import ts from 'typescript';
import { afterAll, describe, expect, test } from 'vitest';
import { ENTRIES, publicExports, ROOT } from './exports.ts';

const all = publicExports();
/** Each once, though `openchatml/node` has those of other entries too. */
const examples = [...new Map(all.flatMap(({ entry, name, file, examples: codes }) => {
  return codes.map((code, i): [string, [name: string, code: string]] => {
    return [`${file} ${name} ${i}`, [`${entry}-${name}-${i}`, code]];
  });
})).values()];

/** Packages are found from here. */
const folder = mkdtempSync(join(ROOT, 'node_modules/.docs-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('every export of every entry has a docstring, and every function and class an example', () => {
  expect(new Set(all.map(({ entry }) => entry))).toEqual(new Set(ENTRIES));
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { exports: object };
  const names = Object.keys(exports).filter((name) => /^\.(?:\/\w+)?$/.test(name));
  const given = names.map((name) => name.slice(2) || 'index');
  expect(given.sort()).toEqual([...ENTRIES].sort());
  expect(all.length).toBeGreaterThan(500);
  expect(all.filter(({ text }) => text.length < 10).map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
  const called = all.filter(({ isCalled }) => isCalled);
  expect(called.length).toBeGreaterThan(150);
  expect(called.filter(({ examples: [one] }) => one === undefined).map(({ file, name }) => `${file}: ${name}`))
    .toEqual([]);
});

test('examples compile under --strict', () => {
  const paths: Record<string, string[]> = {};
  for (const entry of ENTRIES) {
    paths[entry === 'index' ? 'openchatml' : `openchatml/${entry}`] = [join(ROOT, 'src', `${entry}.ts`)];
  }
  for (const [name, code] of examples) writeFileSync(join(folder, `${name}.ts`), code);
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts')).map((name) => join(folder, name));
  const program = ts.createProgram(files, {
    strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler, moduleDetection: ts.ModuleDetectionKind.Force, paths,
    types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')], skipLibCheck: true,
    allowImportingTsExtensions: true, resolveJsonModule: true,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
  });
  const wrong = files.flatMap((file) => {
    const source = program.getSourceFile(file)!;
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
  });
  expect(wrong.map(({ file, messageText }) => {
    return `${file!.fileName.slice(folder.length + 1)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  })).toEqual([]);
});

/** What an example says that it prints: the comments behind its calls of console.log, and at its end. */
function saidOf(code: string): string[] {
  const last = /(?:\n\/\/ .*)+$/.exec(code)?.[0] ?? '';
  const inline = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text!);
  return [...inline, ...last.split('\n').slice(1).map((line) => line.slice('// '.length))];
}

/** What it prints. */
async function printedBy(name: string, code: string): Promise<string[]> {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
  });
  const file = join(folder, `${name}.mjs`);
  writeFileSync(file, outputText.replace(/'openchatml(?:\/(\w+))?'/g, (_, entry = 'index') => {
    return JSON.stringify(pathToFileURL(join(ROOT, 'src', `${entry}.ts`)).href);
  }).replace(/'(no-such-file|one)\.(\w+)'/g, (_, base, ending) => JSON.stringify(join(folder, `${base}.${ending}`))));
  const { log } = console;
  const lines: string[] = [];
  try {
    console.log = (...values) => void lines.push(...format(...values).split('\n'));
    await import(/* @vite-ignore */ pathToFileURL(file).href);
  } finally {
    console.log = log;
  }
  return lines;
}

describe('examples print what they say:', () => {
  test.each(examples)('%s', async (name, code) => {
    const said = saidOf(code);
    expect(said.length).toBeGreaterThan(0);
    expect(await printedBy(name, code)).toEqual(said);
  });
});
