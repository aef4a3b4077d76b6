// Reading tool definitions from Harmony's declarations: blocks `namespace name { type f = (_: { ... }) => any; }` among
// other text (R-TOOLS, 2.2 §16.2).

import type { ToolDefinition } from '../model/data.ts';
import { readDescription } from './declaration-comment.ts';
import { DeclarationLexer, Fault } from './declaration-lexer.ts';
import { readType, type Schema } from './declaration-type.ts';
import { isToolName, MOST_TEXT, MOST_TOOLS, type ToolProblem, type ToolsInText } from './types.ts';

const KEYWORD = 'namespace';
const TOOLS = '# Tools';

/** Blocks that were read before and had no problems: a corpus repeats them in front of other text. */
export class KnownBlocks {
  readonly #blocks = new Map<string, Block[]>();

  /** The block that a text goes on with behind `namespace … {`; undefined: none that is known. */
  find(namespace: string, text: string, from: number): Block | undefined {
    return this.#blocks.get(namespace)?.find((block) => text.startsWith(block.text, from));
  }

  add(namespace: string, block: Block): void {
    if (block.text.length > LONGEST_BLOCK) return;
    const blocks = this.#blocks.get(namespace) ?? [];
    if (this.#blocks.size < MOST_NAMESPACES || blocks.length > 0) {
      this.#blocks.set(namespace, [block, ...blocks].slice(0, KEPT_BLOCKS));
    }
  }
}

interface Block {
  /** From behind the opening brace to behind the closing one. */
  readonly text: string;
  readonly tools: readonly ToolDefinition[];
}

/** UTF-16 units of a block that is kept; blocks of a namespace, and namespaces. */
const LONGEST_BLOCK = 64 * 1024;
const KEPT_BLOCKS = 16;
const MOST_NAMESPACES = 64;

/**
 * The definitions of a text, in order (R-TOOLS). Linear in its length; what is no declaration is passed over. `known`:
 * definitions are the same objects for the same blocks.
 *
 * @example
 * ```ts
 * import { readDeclarations } from 'openchatml/tools';
 *
 * const { tools } = readDeclarations('# Tools\n\n## functions\n\nnamespace functions {\n\ntype now = () => any;\n\n}');
 * console.log(tools.map(({ name }) => name).join()); // now
 * ```
 */
export function readDeclarations(text: string, known?: KnownBlocks): ToolsInText {
  if (!text.includes(KEYWORD)) return { tools: [], problems: [], from: 0, to: 0, isClean: true };
  if (text.length > MOST_TEXT) {
    const problem: ToolProblem = { reason: 'too-long', from: 0, to: text.length };
    return { tools: [], problems: [problem], from: 0, to: text.length, isClean: false };
  }
  return new Reader(text, known).read();
}

class Reader {
  readonly #text: string;
  readonly #known: KnownBlocks | undefined;
  readonly #tools: ToolDefinition[] = [];
  readonly #problems: ToolProblem[] = [];
  #from = -1;
  #to = 0;
  #isClean = true;

  constructor(text: string, known: KnownBlocks | undefined) {
    this.#text = text;
    this.#known = known;
  }

  read(): ToolsInText {
    const text = this.#text;
    for (let at = text.indexOf(KEYWORD); at >= 0; at = text.indexOf(KEYWORD, at)) {
      const head = this.#head(at);
      if (head) {
        const from = this.#sectionFrom(at);
        const to = this.#block(head.namespace, head.to);
        if (this.#from < 0) this.#from = from;
        else if (text.slice(this.#to, from).trim() !== '') this.#isClean = false;
        this.#to = to;
        at = to;
      } else {
        at += KEYWORD.length;
      }
    }
    const isClean = this.#isClean && this.#problems.length === 0;
    return { tools: this.#tools, problems: this.#problems, from: Math.max(this.#from, 0), to: this.#to, isClean };
  }

  /** `namespace name {` at the start of a line: the name, and where the block's content begins. */
  #head(at: number): { namespace: string; to: number } | null {
    let before = at;
    while (before > this.#to && isSpace(this.#text.charCodeAt(before - 1))) before--;
    if (before > 0 && before > this.#to && this.#text.charCodeAt(before - 1) !== 0x0a) return null;
    let from = at + KEYWORD.length;
    while (isSpace(this.#text.charCodeAt(from))) from++;
    let to = from;
    // A name longer than any that may be would not be taken, wherever it ends.
    while (to < this.#text.length && to - from <= 256 && !' \t\r\n{'.includes(this.#text[to]!)) to++;
    const namespace = this.#text.slice(from, to);
    while (isSpace(this.#text.charCodeAt(to))) to++;
    if (from === at + KEYWORD.length || this.#text[to] !== '{' || !isToolName(namespace)) return null;
    return { namespace, to: to + 1 };
  }

  /** Where the section of a namespace begins: with comments, its `## name`, and `# Tools` above it. */
  #sectionFrom(at: number): number {
    let from = this.#text.lastIndexOf('\n', at - 1) + 1;
    let isTitled = false;
    for (let end = from - 1; end >= this.#to && end > 0; ) {
      const start = Math.max(this.#text.lastIndexOf('\n', end - 1) + 1, this.#to);
      const line = this.#text.slice(start, end).trim();
      const isTitle: boolean = !isTitled && line.startsWith('## ');
      if (line.startsWith('//') && !isTitled) this.#isClean = false;
      else if (line !== '' && !isTitle && line !== TOOLS) break;
      if (line !== '') from = start;
      isTitled ||= isTitle;
      if (line === TOOLS || start === 0) break;
      end = start - 1;
    }
    return Math.max(from, this.#to);
  }

  /** What stands between the braces; where the block ends. */
  #block(namespace: string, from: number): number {
    const known = this.#known?.find(namespace, this.#text, from);
    if (known && this.#tools.length + known.tools.length <= MOST_TOOLS) {
      for (const tool of known.tools) this.#tools.push(tool);
      return this.#blockEnd(namespace, from + known.text.length);
    }
    const [tools, problems] = [this.#tools.length, this.#problems.length];
    const to = this.#readBlock(namespace, from);
    const isWhole = this.#problems.length === problems && this.#tools.length < MOST_TOOLS;
    if (isWhole) {
      this.#known?.add(namespace, { text: this.#text.slice(from, this.#closed), tools: this.#tools.slice(tools) });
    }
    return to;
  }

  /** Behind the closing brace of the block that was read last. */
  #closed = 0;

  #readBlock(namespace: string, from: number): number {
    const lexer = new DeclarationLexer(this.#text, from);
    let start = from;
    for (;;) {
      try {
        const next = lexer.peek();
        start = next.from;
        if (next.kind === 'end') {
          this.#problems.push({ reason: 'unclosed', from, to: this.#text.length });
          return this.#text.length;
        }
        if (lexer.skip('}')) {
          this.#closed = lexer.position;
          return this.#blockEnd(namespace, lexer.position);
        }
        this.#declaration(namespace, lexer);
      } catch (fault) {
        if (!(fault instanceof Fault)) throw fault;
        start = Math.max(start, lexer.position);
        lexer.jump(this.#recover(start));
        this.#problems.push({ reason: fault.reason, from: start, to: lexer.position });
      }
    }
  }

  #declaration(namespace: string, lexer: DeclarationLexer): void {
    const { comments, from } = lexer.peek();
    lexer.expect('type');
    const name = lexer.take().text;
    if (!isToolName(name)) throw new Fault('name');
    lexer.expect('=');
    lexer.expect('(');
    const tool: { -readonly [K in keyof ToolDefinition]: ToolDefinition[K] } = { namespace, name };
    const description = readDescription(comments);
    if (description !== undefined) tool.description = description;
    if (!lexer.sees(')')) {
      lexer.takeFieldName();
      tool.parameters = sayRequired(readType(lexer, 0).schema);
      lexer.skip(',');
    }
    lexer.expect(')');
    lexer.expect('=>');
    readType(lexer, 0);
    lexer.skip(';');
    if (this.#tools.length < MOST_TOOLS) this.#tools.push(tool);
    else this.#problems.push({ reason: 'too-many', from, to: lexer.position });
  }

  /** Behind the declaration that could not be read: the next line that begins one, or ends the block. */
  #recover(at: number): number {
    for (let from = this.#text.indexOf('\n', at) + 1; from > 0; from = this.#text.indexOf('\n', from) + 1) {
      const next = this.#text.slice(from, from + 512).trimStart();
      if (next.startsWith('type ') || next.startsWith('} // namespace') || next.startsWith('}\n')) return from;
      const end = this.#text.indexOf('\n', from);
      if (end > 0 && this.#text.slice(Math.max(from, end - 64), end).trimEnd().endsWith('=> any;')) return end;
    }
    return this.#text.length;
  }

  /** Behind the closing brace, and the comment that names the namespace again. */
  #blockEnd(namespace: string, at: number): number {
    const echo = ` // ${KEYWORD} ${namespace}`;
    return this.#text.startsWith(echo, at) ? at + echo.length : at;
  }
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x09;
}

/** The arguments' own object names what is required even when nothing is, as definitions in JSON do. */
function sayRequired(schema: Schema): Schema {
  return schema['type'] === 'object' && schema['properties'] !== undefined && schema['required'] === undefined
    ? { ...schema, required: [] }
    : schema;
}
