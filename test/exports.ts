// The public exports of every entry, as the TypeScript compiler sees them, with their docstrings.
import { join } from 'node:path';
import ts from 'typescript';

export const ROOT = join(import.meta.dirname, '..');
export const ENTRIES = ['index', 'convert', 'stream', 'tools', 'yaml', 'js', 'node'] as const;

export interface PublicExport {
  readonly entry: string;
  readonly name: string;
  /** A function or a class, which is to be called. */
  readonly isCalled: boolean;
  /** Text of the docstring without its tags; empty: there is none. */
  readonly text: string;
  /** Code of the blocks `@example`. */
  readonly examples: readonly string[];
  /** Where it is declared, from the root. */
  readonly file: string;
}

/** Every export of every entry. */
export function publicExports(): PublicExport[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
  const paths = ENTRIES.map((entry) => join(ROOT, 'src', `${entry}.ts`));
  const program = ts.createProgram(paths, options);
  const checker = program.getTypeChecker();
  return ENTRIES.flatMap((entry, i) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(paths[i]!)!)!;
    return checker.getExportsOfModule(module).map((exported): PublicExport => {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const declaration = symbol.declarations![0]!;
      const tags = symbol.getJsDocTags(checker).filter(({ name }) => name === 'example');
      return {
        entry,
        name: exported.name,
        isCalled: (symbol.flags & (ts.SymbolFlags.Function | ts.SymbolFlags.Class)) !== 0,
        text: ts.displayPartsToString(symbol.getDocumentationComment(checker)),
        examples: tags.map(({ text }) => codeOf(ts.displayPartsToString(text))),
        file: declaration.getSourceFile().fileName.slice(ROOT.length + 1),
      };
    });
  });
}

/** The code of a block between three backticks. */
function codeOf(text: string): string {
  return /```ts\n([^]*?)\n```/.exec(text)?.[1] ?? text;
}
