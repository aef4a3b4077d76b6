// The pages of the project, and what stands in them: blocks of code, links and headings.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..');

/** The names of pages below a folder of the root. */
function pagesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md')).map((path) => `${folder}/${path}`);
}

/** Every page that people read, by its path from the root. Those of fixtures have a reader of their own. */
export const PAGES = [
  ...readdirSync(ROOT).filter((path) => path.endsWith('.md')),
  ...['assembly', 'bench', 'src', 'test'].flatMap(pagesBelow),
  ...pagesBelow('fixtures').filter((path) => path.endsWith('/README.md')),
].sort();

export interface Block {
  /** The word behind the three backticks. */
  readonly kind: string;
  readonly code: string;
  /** The line of the page on which the block begins, from 1. */
  readonly line: number;
}

export interface Page {
  readonly path: string;
  readonly lines: number;
  readonly blocks: readonly Block[];
  /** Everything but the blocks. */
  readonly prose: string;
}

export function readPage(path: string): Page {
  const lines = readFileSync(join(ROOT, path), 'utf8').replace(/\n$/, '').split('\n');
  const blocks: Block[] = [];
  const prose: string[] = [];
  let open: { kind: string; line: number; code: string[] } | null = null;
  lines.forEach((line, i) => {
    if (!line.startsWith('```')) return void (open?.code ?? prose).push(line);
    if (open !== null) blocks.push({ kind: open.kind, line: open.line, code: open.code.join('\n') });
    open = open === null ? { kind: line.slice(3), line: i + 1, code: [] } : null;
  });
  if (open !== null) throw new Error(`${path}: a block is not ended`);
  return { path, lines: lines.length, blocks, prose: prose.join('\n') };
}

/** The names of a page's headings, as a link to one has them behind `#`. */
export function anchors(prose: string): string[] {
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => {
    return heading!.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
  });
}

/** Where the links and pictures of a page lead. What stands in backticks is none. */
export function links(prose: string): string[] {
  return [...prose.replace(/`[^`]*`/g, '``').matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
}
