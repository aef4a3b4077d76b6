// What a user sees of chat records whose text is written from their rows, against the way on which every record is a
// value; and that transcripts have the numbers that they have in the input.
import { expect, test } from 'vitest';
import type { InputSource } from '../../../src/corpus/input/source.ts';
import { RENDER } from '../../../src/corpus/jobs/render-job.ts';
import { type Opened, ThreadContext } from '../../../src/corpus/jobs/open.ts';
import { LARGEST } from '../../../src/corpus/records/record.ts';
import { ALL } from '../../../src/corpus/records/units.ts';
import { runs } from '../../long.ts';
import { randomOf, SEED } from '../../random.ts';
import { SlowSource } from '../input/slow-source.ts';
import { file, run } from '../../cli/harness.ts';
import { randomLine } from '../records/random-chat.ts';

const CONTEXT = new ThreadContext();

function rendered(bytes: Uint8Array, format: 'text' | 'html', as: 'rows' | 'values', notes?: true): unknown {
  const rest = { path: 'x', size: bytes.length, canReread: true, first: 0, close: () => {}, release: () => {} };
  const input = Object.assign(new SlowSource(bytes, 5000), rest) as unknown as InputSource;
  const job = { kind: 'render', format, options: { notes }, untitled: 'x', input: { path: 'x' }, part: null };
  // Limits that are not the usual ones leave nothing to rows.
  const opened = { input, options: as === 'rows' ? {} : { largestRecord: LARGEST - 1 } } as Opened;
  const pieces = RENDER.records(CONTEXT, job as unknown as Parameters<typeof RENDER.records>[1], opened, ALL);
  let text = '';
  const words: string[] = [];
  for (let next = pieces.next(); ; next = pieces.next()) {
    if (next.done) {
      const { transcripts, messages, records } = next.value;
      return { text, words, transcripts, messages, records };
    }
    if (next.value instanceof Uint8Array) text += Buffer.from(next.value).toString();
    else words.push(JSON.stringify(next.value).replaceAll(/at byte \d+/g, 'at byte'));
  }
}

test(`rows show what values show (seed ${SEED})`, { timeout: 20 * 60_000 }, () => {
  for (let seed = SEED; seed < SEED + runs(1500); seed++) {
    const random = randomOf(seed);
    const lines = Array.from({ length: 1 + random.below(12) }, () => randomLine(random));
    const bytes = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
    const format = random.pick(['text', 'html'] as const);
    const notes = random.once(2) ? true : undefined;
    expect(rendered(bytes, format, 'rows', notes), `seed ${seed}`).toEqual(rendered(bytes, format, 'values', notes));
  }
});

test('reasoning that is written as text, and parts, are shown as they are given', () => {
  const contents = [
    '<think>\nHm.\n</think>\n\nYes.', '<think>Hm.</think>Yes.',
    [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }],
    [{ type: 'image_url', image_url: { url: 'x' } }, { type: 'text', text: 'b' }],
  ];
  const records = contents.map((content) =>
    ({ messages: [{ role: 'user', content }, { role: 'assistant', content }, { role: 'user', content: 'Hi' }] }));
  const bytes = Buffer.from(records.map((record) => JSON.stringify(record)).join('\n'));
  for (const format of ['text', 'html'] as const) {
    expect(rendered(bytes, format, 'rows')).toEqual(rendered(bytes, format, 'values'));
  }
});

test('transcripts of records are numbered through the input', async () => {
  const record = (content: string): string => JSON.stringify({ messages: [{ role: 'user', content }] });
  const text = [record('a'), '{"id":1}', record('<|end|>'), record('c')].join('\n');
  const path = file('render/numbers.jsonl', text);
  expect((await run(['render', path])).out)
    .toBe('user\n  a\n\n--- transcript 1 ---\n\nuser\n  <|end|>\n\n--- transcript 2 ---\n\nuser\n  c\n\n');
  const { out } = await run(['render', '--format', 'html', path]);
  expect(out.match(/Transcript \d/g)).toEqual(['Transcript 0', 'Transcript 1', 'Transcript 2']);
  expect((await run(['render', '--transcript', '2', path])).out).toContain('  c\n');
});

test('empty records between short and long ones have numbers too', () => {
  const record = (content: string): string => JSON.stringify({ messages: [{ role: 'user', content }] });
  const lines = Array.from({ length: 4000 }, (_, i) => {
    if (i % 3 === 1 || i % 7 === 0) return '{"messages":[]}';
    return i % 500 === 2 ? record('<|end|>'.repeat(i % 9)) : record(i % 400 === 3 ? 'long '.repeat(2000) : `of ${i}`);
  });
  const bytes = Buffer.from(lines.join('\n'));
  for (const format of ['text', 'html'] as const) {
    const shown = rendered(bytes, format, 'rows');
    expect(shown).toEqual(rendered(bytes, format, 'values'));
    expect(shown).toMatchObject({ records: 4000, transcripts: 4000 });
  }
});

test('bad records beyond the first thousand are told as a number, wherever they stand', () => {
  const record = JSON.stringify({ messages: [{ role: 'user', content: 'x' }] });
  const lines = Array.from({ length: 9000 }, (_, i) => i % 1000 === 500 ? record : ['{"id":7}', '{', '{}'][i % 3]!);
  const bytes = Buffer.from(lines.join('\n'));
  const shown = rendered(bytes, 'text', 'rows');
  expect(shown).toEqual(rendered(bytes, 'text', 'values'));
  expect(shown).toMatchObject({ records: 9000, transcripts: 9, messages: 9 });
  expect((shown as { words: string[] }).words.length).toBeLessThan(1100);
});
