// `filter` of a file on threads, wherever it is cut: it writes what it writes of the same bytes through a pipe,
// whatever the lines are.
import { describe, expect, test } from 'vitest';
import { filter, type FilterOptions } from '../../../src/cli/commands/filter.ts';
import { InputError } from '../../../src/corpus/error.ts';
import { inputAt } from '../../../src/corpus/input/paths.ts';
import { Flow } from '../../../src/corpus/jobs/flow.ts';
import { JointJobs } from '../../../src/corpus/jobs/joint-jobs.ts';
import type { FilterWork } from '../../../src/corpus/jobs/job.ts';
import type { PartOptions } from '../../../src/corpus/jobs/parts.ts';
import { Pool, type Jobs } from '../../../src/corpus/jobs/pool.ts';
import { LARGEST_LINE, LARGEST_LIST } from '../../../src/corpus/jobs/verdict-lines.ts';
import type { FileOptions } from '../../../src/corpus/records/unit.ts';
import { BLOCK } from '../../../src/scan/source.ts';
import { at, CLEAN, FAULTY, file } from '../../cli/harness.ts';
import { SHARED, work } from '../../cli/hosts.ts';
import { after, part, runs } from '../../long.ts';
import { type Random, randomOf, SEED } from '../../random.ts';
import { mutated, randomRecord, randomText } from '../records/random-chat.ts';
import { context, jobsHere } from './seen.ts';

const PLAIN: FilterWork = {
  emit: 'verdict', passthrough: false, isApart: false, largest: LARGEST_LINE, largestList: LARGEST_LIST,
  tools: [], warnings: false, rules: {}, strict: false,
};
const TOOL = { name: 'f', namespace: 'functions', parameters: { type: 'object', required: ['a'] } };
const EMITS = ['verdict', 'messages', 'keep', 'drop'] as const;

const WORKS: readonly FilterWork[] = [
  ...EMITS.map((emit) => ({ ...PLAIN, emit })),
  { ...PLAIN, passthrough: true },
  { ...PLAIN, emit: 'messages', passthrough: true, largestList: 300 },
  { ...PLAIN, emit: 'messages', largestList: 900 },
  { ...PLAIN, warnings: true, strict: true },
  { ...PLAIN, emit: 'keep', rules: { 'bad-record': 'off', 'unknown-role': 'warning' } },
  { ...PLAIN, emit: 'keep', tools: [TOOL] },
  { ...PLAIN, tools: [TOOL] },
  ...EMITS.map((emit) => ({ ...PLAIN, emit, largest: 200 })),
  { ...PLAIN, isApart: true },
];

let files = 0;
const fileOf = (content: Uint8Array): string => file(`filter-job/${files++}`, content);

/** Whether two texts are the same; where they begin to differ, as they may be long. */
function difference(a: string, b: string): string | null {
  if (a === b) return null;
  let at = 0;
  while (a[at] === b[at]) at++;
  return `at ${at}: ${json(a.slice(Math.max(0, at - 40), at + 40))}, ${json(b.slice(Math.max(0, at - 40), at + 40))}`;
}

/** What comes out of a file. */
async function written(
  path: string, given: FilterWork, { read = {}, parts, jobs, threads = 1 }: {
    read?: FileOptions; parts?: PartOptions; jobs?: Jobs; threads?: number;
  } = {},
): Promise<string> {
  const pieces: Uint8Array[] = [];
  const flow = new Flow({
    threads, work: { kind: 'filter', ...given }, read: () => read, tellsAtEnd: false, ...(parts && { parts }),
    ...(jobs && { jobs }),
  });
  for await (const event of flow.events([inputAt(path, -1)])) {
    if (event.kind === 'error') throw event.error;
    // What is told of a first line that is no record is for people.
    if (event.kind === 'piece' && !('words' in event.piece)) pieces.push((event.piece as Uint8Array).slice());
  }
  context.close();
  return Buffer.concat(pieces).toString('latin1');
}

const json = (value: unknown): string => JSON.stringify(value);
const chat = (content: string): string => json({ id: content.length, messages: [{ role: 'user', content }] });
const CALL = 'version: 2.2\n<|start|>assistant to=functions.f call_id=c<|channel|>commentary<|constrain|>json'
  + '<|message|>{}<|call|>\n';

const ODD: readonly string[] = [
  chat('Hi'), '', ' \t', '\r', `${chat('with a carriage return')}\r`, 'what?', '{"text":"<|start|>', '1', 'null',
  '[{"text":""}]', '{"text":""}{"text":""}', '\ufeff{}', '"\xff\xfe"', '{"text":"\\ud800"}', json({ text: FAULTY }),
  json({ id: 'a', text: CLEAN }), `  ${chat('blanks')}  `, '{"id":1.50,"messages":[{"role":"user","content":"x"}]}',
  '{"messages":[{"role":"user","role":"robot","content":"x"}]}',
  '{"id":"x","me\\u0073sages":[{"role":"user","content":"x"}]}',
  '{"messages":[{"role":"robot","content":"x"}]}', json({ text: CALL }), chat('y'.repeat(300)), '{"body":1}',
  '\u2028', '', '', chat('<think>x</think>y'), json({ messages: [] }), json({ id: { no: 1 }, messages: [] }),
];
const LINES = Buffer.from(ODD.join('\n'), 'latin1');

const CASES: readonly [name: string, content: Buffer][] = [
  ['odd lines, the last one without an end', LINES],
  ['the same with a mark, between CR LF, and an end', Buffer.from(`\xef\xbb\xbf${ODD.join('\r\n')}\n`, 'latin1')],
  ['line feeds alone', Buffer.from('\n'.repeat(40))],
  ['a mark alone', Buffer.from('\xef\xbb\xbf', 'latin1')],
  ['a mark before a line feed', Buffer.from('\xef\xbb\xbf\n', 'latin1')],
  ['raw text', Buffer.from(CLEAN + FAULTY)],
  ['one list over lines', Buffer.from(JSON.stringify([{ text: CLEAN }, { text: FAULTY }], null, 1))],
];

describe.each(part(CASES))('%s', (name, content) => {
  test.each(WORKS)('$emit, $largest, passthrough $passthrough: every cut', async (given) => {
    const path = fileOf(content);
    const once = await written(path, given);
    if (given.emit === 'verdict') expect(once.split('\n').length - 1).toBe(lineCount(content));
    let begun = 0;
    for (let step = 1; step <= content.length; step = after(step) + (step >> 5)) {
      const jobs = jobsHere();
      const parts = { step: () => step, least: 0 };
      expect(difference(await written(path, given, { parts, jobs, threads: 2 }), once), `a cut every ${step} bytes`)
        .toBe(null);
      begun = Math.max(begun, jobs.begun);
    }
    if (content.length > 3 && name !== 'a mark before a line feed') expect(begun).toBeGreaterThan(1);
  });
});

const lineCount = (bytes: Buffer): number => {
  const ends = bytes.filter((byte) => byte === 0x0a).length;
  return ends + Number(bytes.length > 0 && bytes.at(-1) !== 0x0a);
};

/** Lines that are longer than what is read at once, than a part, and than may be read. */
const HUGE = Buffer.from([
  chat('a'), chat('b'.repeat(900_000)), 'z'.repeat(5_000_000), chat('c'), chat('d'.repeat(4_500_000)), '', chat('e'),
  'z'.repeat(4_194_304 + 5), chat('f'),
].join('\n'));
const HUGE_WORKS: readonly FilterWork[] = [LARGEST_LINE, 4 * 2 ** 20, 4_700_000, 100_000].flatMap((largest) => {
  return EMITS.map((emit) => ({ ...PLAIN, emit, largest }));
});

test.each(part(HUGE_WORKS, 16))('huge lines: $emit, $largest', async (given) => {
  for (const content of [HUGE, Buffer.concat([Buffer.from('\ufeff'), HUGE.subarray(json({}).length), HUGE])]) {
    const path = fileOf(content);
    const once = await written(path, given);
    for (const step of [BLOCK, 1_000_000]) {
      const parts = { step: () => step, least: 0 };
      expect(difference(await written(path, given, { parts, jobs: jobsHere(), threads: 2 }), once)).toBe(null);
    }
    if (given.emit === 'verdict' || given.emit === 'messages') continue;
    const other = await written(path, { ...given, emit: given.emit === 'keep' ? 'drop' : 'keep' });
    const sorted = (text: string): string => text.split('\n').sort().join('\n').trim();
    expect(difference(sorted(`${once}\n${other}`), sorted(content.toString('latin1')))).toBe(null);
  }
});

function lineOf(random: Random): Buffer {
  if (random.once(3)) return Buffer.from(random.pick(ODD), 'latin1');
  const line = Buffer.from(randomText(random, randomRecord(random)));
  return random.once(12) ? mutated(random, line) : line;
}

test(`random lines on threads (seed ${SEED})`, { timeout: 10 * 60_000 }, async () => {
  const pools = [new Pool(2), new JointJobs(2), new JointJobs(3)];
  for (let run = 0; run < runs(60); run++) {
    const random = randomOf(SEED + run);
    const lines = Array.from({ length: 1 + random.below(40) }, () => lineOf(random));
    const ended = lines.flatMap((line, i) => [line, Buffer.from(i < lines.length - 1 || random.once(2) ? '\n' : '')]);
    const content = Buffer.concat([Buffer.from(random.once(4) ? '\ufeff' : ''), ...ended]);
    const given = random.pick(WORKS);
    const read = random.pick<FileOptions>([
      {}, {}, {}, { form: 'text' }, { form: 'conversations' }, { field: 'text' }, { dialect: 'harmony' },
    ]);
    const { emit, passthrough, tools, largest, isApart, rules, warnings, strict } = given;
    const options = {
      ...SHARED, ...read, emit, rules, warnings, strict, ...(passthrough && { passthrough }),
      maxLineBytes: largest, ...(isApart && { lineBuffered: true }),
    } as FilterOptions;
    const step = 1 + random.below(content.length);
    const what = `seed ${SEED + run}: ${json({ given, read, step })} ${content.toString('latin1')}`;
    const path = fileOf(content);
    const once = await written(path, given, { read });
    if (tools.length === 0 && given.largestList === LARGEST_LIST) {
      const piped = await work((host) => filter([], options, host), { stdin: content });
      expect(difference(piped.bytes.toString('latin1'), once), what).toBe(null);
    }
    for (const jobs of pools) {
      const parts = { step: () => step, least: 0 };
      expect(difference(await written(path, given, { read, parts, jobs, threads: 3 }), once), what).toBe(null);
    }
  }
  for (const pool of pools) pool.close();
});

test('what is no file is told', async () => {
  for (const path of [at('filter-job'), at('filter-job/none')]) {
    await expect(written(path, PLAIN)).rejects.toThrow(InputError);
  }
});
