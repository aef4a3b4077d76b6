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
  /** Clauses and rulings that the code of a function or a class, or the head of its file, cites. */
  readonly clauses: readonly string[];
  /** What can be called or read: the function, or members of the class or the interface. */
  readonly parts: readonly Part[];
}

/** A function, a method, a property. */
export interface Part {
  readonly name: string;
  /** Its docstring and the one of what holds it, tags included. */
  readonly text: string;
  /** Numbers that come in or out: parameters, or the property itself. */
  readonly numbers: readonly string[];
  /** A statement `throw` stands in it. */
  readonly throws: boolean;
}

/** A ruling, or a section of a document. */
const CLAUSE = /\bR-[A-Z][A-Z0-9-]+\b|§\d[\d.]*/g;

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
        clauses: clausesOf(declaration),
        parts: partsOf(checker, symbol),
      };
    });
  });
}

/** The code of a block between three backticks. */
function codeOf(text: string): string {
  return /```ts\n([^]*?)\n```/.exec(text)?.[1] ?? text;
}

function clausesOf(declaration: ts.Declaration): string[] {
  if (!ts.isFunctionDeclaration(declaration) && !ts.isClassDeclaration(declaration)) return [];
  const { text } = declaration.getSourceFile();
  const head = /^(?:\/\/.*\n)*/.exec(text)![0];
  return [...new Set(`${head}${declaration.getFullText()}`.match(CLAUSE))];
}

function partsOf(checker: ts.TypeChecker, symbol: ts.Symbol): Part[] {
  const outer = docOf(checker, symbol);
  return symbol.declarations!.flatMap((declaration): Part[] => {
    if (ts.isFunctionDeclaration(declaration)) {
      return [{ name: symbol.name, text: outer, ...contentOf(checker, declaration) }];
    }
    const holder = ts.isTypeAliasDeclaration(declaration) ? declaration.type : declaration;
    const members = ts.isClassDeclaration(holder) || ts.isInterfaceDeclaration(holder) || ts.isTypeLiteralNode(holder)
      ? holder.members : [];
    return [...members].filter(isShown).map((member): Part => {
      const own = ts.isConstructorDeclaration(member) ? '' : docOf(checker, checker.getSymbolAtLocation(member.name!)!);
      const name = `${symbol.name}.${member.name?.getText() ?? 'constructor'}`;
      return { name, text: `${outer} ${own}`, ...contentOf(checker, member) };
    });
  });
}

function isShown(member: ts.ClassElement | ts.TypeElement): boolean {
  if (ts.isConstructorDeclaration(member)) return true;
  if (member.name === undefined || ts.isPrivateIdentifier(member.name)) return false;
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return (ts.getCombinedModifierFlags(member) & hidden) === 0
    && !ts.getJSDocTags(member).some(({ tagName }) => tagName.text === 'internal');
}

/** A docstring with its tags, without examples. */
function docOf(checker: ts.TypeChecker, symbol: ts.Symbol): string {
  const tags = symbol.getJsDocTags(checker).filter(({ name }) => name !== 'example');
  const texts = tags.map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`);
  return [ts.displayPartsToString(symbol.getDocumentationComment(checker)), ...texts].join(' ');
}

function contentOf(checker: ts.TypeChecker, node: ts.Declaration): { numbers: string[]; throws: boolean } {
  const isNumber = (one: ts.Node): boolean => {
    const type = checker.getNonNullableType(checker.getTypeAtLocation(one));
    return (type.flags & ts.TypeFlags.NumberLike) !== 0;
  };
  const isCalled = ts.isFunctionLike(node) && !ts.isGetAccessor(node);
  const values: ts.NamedDeclaration[] = isCalled ? [...node.parameters] : [node];
  const body = ts.isFunctionLike(node) && 'body' in node ? node.body : undefined;
  const throwsIn = (one: ts.Node): boolean => ts.isThrowStatement(one) || ts.forEachChild(one, throwsIn) === true;
  return {
    numbers: values.filter((value) => value.name !== undefined && isNumber(value)).map(({ name }) => name!.getText()),
    throws: body !== undefined && throwsIn(body),
  };
}
