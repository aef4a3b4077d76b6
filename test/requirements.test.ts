// The tables of README.md in this folder: every requirement has a proof, and every proof is there.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const FOLDER = new URL('.', import.meta.url).pathname;
const FIXTURES = new URL('../fixtures/', import.meta.url).pathname;
/** Blocks of a page that words are looked for in. */
const BLOCKS = /```(?:messages|diagnostics|sequence)\n([^]*?)```/g;

interface Row {
  readonly section: string;
  readonly cells: readonly string[];
}

/** The rows of the tables, without their heads. */
function readRows(page: string): Row[] {
  const rows: Row[] = [];
  let section = '';
  for (const line of page.split('\n')) {
    if (line.startsWith('## ')) section = line.slice(3);
    if (!line.startsWith('| ') || line.startsWith('| clause |')) continue;
    rows.push({ section, cells: line.slice(2, line.lastIndexOf(' |')).split(' | ') });
  }
  return rows;
}

/** What is missing of a proof. */
function missing(proof: string): string[] {
  const found: string[] = [];
  let file: string | null = null;
  const spans = [...proof.matchAll(/`([^`]*)`/g)].map(([, span]) => span!);
  if (spans.length === 0) found.push('no proof is named');
  for (const span of spans) {
    if (span.startsWith('cases/')) {
      found.push(...missingOfPage(span));
    } else if (/^(sampling|harmony)\//.test(span)) {
      if (!existsSync(`${FIXTURES}${span}.md`)) found.push(`${span} is not there`);
    } else if (/^[a-z0-9/-]+\.test\.ts$/.test(span)) {
      if (existsSync(`${FOLDER}${span}`)) file = readFileSync(`${FOLDER}${span}`, 'utf8');
      else found.push(`${span} is not there`);
    } else if (file === null) {
      found.push(`${span}: no file stands before it`);
    } else if (!["'", '`', '"'].some((quote) => file!.includes(quote + span))) {
      found.push(`no test is named ${span}`);
    }
  }
  return found;
}

function missingOfPage(span: string): string[] {
  const [name, ...words] = span.split(' ');
  const path = `${FIXTURES}${name}`;
  if (!existsSync(`${path}.md`) || !existsSync(`${path}.txt`)) return [`${name} is not there`];
  const page = readFileSync(`${path}.md`, 'utf8');
  const held = new Set([...page.matchAll(BLOCKS)].flatMap(([, block]) => block!.split(/[ \n]/)));
  return words.flatMap((word) => {
    if (word.startsWith('!')) return held.has(word.slice(1)) ? [`${name} holds ${word.slice(1)}`] : [];
    return held.has(word) ? [] : [`${name} does not hold ${word}`];
  });
}

const ROWS = readRows(readFileSync(`${FOLDER}README.md`, 'utf8'));

describe.each([...new Set(ROWS.map(({ section }) => section))])('%s', (section) => {
  const rows = ROWS.filter((row) => row.section === section);
  test.each(rows.map(({ cells }) => [cells[0], cells[2], cells]))('%s %s', (_, __, cells) => {
    expect(cells).toHaveLength(4);
    expect(missing(cells[3]!)).toEqual([]);
  });
});

test('all documents have a table', () => {
  const text = ROWS.map(({ section }) => section).join('\n');
  for (const number of [3, 4, 5, 6, 7, 8, 9, 11, 12]) expect(text).toContain(`2.2 \u00a7${number}:`);
  for (const document of ['2.0', '0.1', '0.1, extended']) expect(text.split('\n')).toContain(document);
  expect(ROWS.length).toBeGreaterThan(90);
});

describe('what is missing is found:', () => {
  test.each([
    ['', 'no proof is named'],
    ['`cases/roles/nobody`', 'cases/roles/nobody is not there'],
    ['`cases/roles/tool role=user`', 'cases/roles/tool does not hold role=user'],
    ['`cases/roles/tool !role=tool`', 'cases/roles/tool holds role=tool'],
    ['`none.test.ts`', 'none.test.ts is not there'],
    ['`errors.test.ts` `no such test stands in this file`', 'no test is named no such test stands in this file'],
    ['`a test`', 'a test: no file stands before it'],
  ])('%s', (proof, words) => {
    expect(missing(proof)).toEqual([words]);
  });
});
