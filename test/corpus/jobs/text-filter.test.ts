// Messages that hold a text: in rows of chat records as in what the program writes of all messages.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { TextFilter } from '../../../src/corpus/jobs/text-filter.ts';
import { runs } from '../../long.ts';
import { type Random, randomOf, SEED } from '../../random.ts';
import { mutated, randomRecord, randomText } from '../records/random-chat.ts';
import { jobsHere, seen } from './seen.ts';

const folder = mkdtempSync(join(tmpdir(), 'openchatml-grep-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'records.jsonl');

/** What `messages` gives, a character for each byte. */
interface Seen {
  readonly lines: string;
}

interface Search {
  readonly grep: string;
  readonly ignoreCase: boolean;
}

const linesOf = ({ lines }: Seen): string[] => Buffer.from(lines, 'latin1').toString('utf8').split('\n').slice(0, -1);
const contentOf = (line: string): string => (JSON.parse(line) as { content: string }).content;

function holds(content: string, { grep, ignoreCase }: Search): boolean {
  if (!ignoreCase) return content.includes(grep);
  return new RegExp(grep.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'iu').test(content);
}

/** A part of what a message says, now and then in another case, or anything else. */
function randomSearch(random: Random, lines: readonly string[]): Search {
  const ignoreCase = random.once(2);
  const rare = ['s', 'K', 'ſ', '\n', '"', 'é', 'x y'];
  if (lines.length === 0 || random.once(8)) return { grep: random.pick(rare), ignoreCase };
  const units = contentOf(random.pick(lines));
  const from = random.below(units.length + 1);
  const grep = units.slice(from, from + 1 + random.below(6)) || 'a';
  return { grep: ignoreCase && random.once(2) ? grep.toUpperCase() : grep, ignoreCase };
}

test(`random records (OPENCHATML_SEED=${SEED})`, async () => {
  let found = 0;
  for (let run = 0; run < runs(300, 5); run++) {
    const random = randomOf(SEED + run);
    const records = Array.from({ length: 1 + random.below(20) }, () => {
      const line = Buffer.from(randomText(random, randomRecord(random)));
      return Buffer.concat([random.once(15) ? mutated(random, line) : line, Buffer.from('\n')]);
    });
    writeFileSync(path, Buffer.concat([Buffer.from('{"messages":[]}\n'), ...records]));
    const all = linesOf(await seen(path, { kind: 'messages', filters: {}, form: 'lines' }, {}, 1) as Seen);
    const filters = randomSearch(random, all);
    const expected = all.filter((line) => holds(contentOf(line), filters));
    found += expected.length;
    const hint = `seed ${SEED + run}, ${JSON.stringify(filters)}`;
    const parts = { step: () => 1 + random.below(6000), least: 0 };
    for (const threads of [1, 2]) {
      const jobs = threads === 1 ? undefined : jobsHere();
      const given = await seen(path, { kind: 'messages', filters, form: 'lines' }, {}, threads, parts, jobs) as Seen;
      expect(linesOf(given), hint).toEqual(expected);
    }
  }
  expect(found).toBeGreaterThan(runs(300, 5));
});

test.each<[text: string, search: Partial<Search>, kept: number[]]>([
  ['ab', {}, [0, 3]],
  ['AB', {}, []],
  ['AB', { ignoreCase: true }, [0, 3]],
  ['mass', { ignoreCase: true }, [1]],
  ['kg', { ignoreCase: true }, [2]],
  ['a\nb', {}, []],
  ['é', {}, [4]],
  ['.', {}, [5]],
])('%j %j', (grep, { ignoreCase = false }, kept) => {
  const contents = ['xab', 'maſs', '1 \u212ag', '\\u0061b', 'é', 'a.b', 'none'];
  const lines = contents.map((content) => `{"role":"user","content":"${content}"}\n`);
  const filter = new TextFilter({ grep, ignoreCase });
  expect(filter.takesLines).toBe(true);
  const bytes = Buffer.from(lines.join(''));
  expect(Buffer.from(filter.keep(bytes)).toString('utf8')).toBe(kept.map((at) => lines[at]).join(''));
  expect(filter.kept).toBe(kept.length);
});

test.each<[text: string, ignoreCase: boolean]>([['É', true], ['\n', false], ['"\\', true], ['\ufffd', false]])(
  'nothing of %j stands as it is in a line', (grep, ignoreCase) => {
    expect(new TextFilter({ grep, ignoreCase }).takesLines).toBe(false);
  },
);
