// Code in pages and docstrings: does it compile under --strict, and what does it print?
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';
import ts from 'typescript';
import { ENTRIES, ROOT } from './exports.ts';

/** What the compiler finds in these files under --strict; `openchatml` is the sources. */
export function typeErrors(files: readonly string[]): string[] {
  const paths: Record<string, string[]> = {};
  for (const entry of ENTRIES) {
    paths[entry === 'index' ? 'openchatml' : `openchatml/${entry}`] = [join(ROOT, 'src', `${entry}.ts`)];
  }
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
  return wrong.map(({ file, start, messageText }) => {
    const name = file!.fileName.slice(file!.fileName.lastIndexOf('/') + 1);
    const line = file!.getLineAndCharacterOfPosition(start!).line + 1;
    return `${name}:${line}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

/** What a module prints, which is written to `file` as JavaScript; `openchatml` is the sources. */
export async function printed(file: string, code: string): Promise<string> {
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
  });
  writeFileSync(file, outputText.replace(/'openchatml(?:\/(\w+))?'/g, (_, entry = 'index') => {
    return JSON.stringify(pathToFileURL(join(ROOT, 'src', `${entry}.ts`)).href);
  }));
  const { log } = console;
  const { write } = process.stdout;
  const pieces: string[] = [];
  try {
    console.log = (...values) => void pieces.push(`${format(...values)}\n`);
    process.stdout.write = (piece: string | Uint8Array) => pieces.push(String(piece)) > 0;
    await import(/* @vite-ignore */ pathToFileURL(file).href);
  } finally {
    console.log = log;
    process.stdout.write = write;
  }
  return pieces.join('');
}
