// One input, cut everywhere: what comes out is the same for every cut and every number of threads.
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { Flow } from '../../../src/corpus/jobs/flow.ts';
import { type Job, type JobInput, tableOf, type Work } from '../../../src/corpus/jobs/job.ts';
import { FileSource } from '../../../src/corpus/input/source.ts';
import { WatchedSource } from '../../../src/scan/source.ts';
import { JointJobs } from '../../../src/corpus/jobs/joint-jobs.ts';
import { kindOf } from '../../../src/corpus/jobs/kinds.ts';
import { perform } from '../../../src/corpus/jobs/perform.ts';
import { findInputs } from '../../../src/corpus/input/paths.ts';
import { canBeCut, takesLines } from '../../../src/corpus/jobs/parts.ts';
import { Pool } from '../../../src/corpus/jobs/pool.ts';
import type { FileOptions } from '../../../src/corpus/records/unit.ts';
import { Counter } from '../../../src/rules/count.ts';
import { after, describeOnce, isAll, part, testLong, testOnce } from '../../long.ts';
import { context, jobsHere, seen } from './seen.ts';

const folder = mkdtempSync(join(tmpdir(), 'openchatml-flow-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A thread that begins nothing: who asks does it all. */
const SILENT = new URL('workers/silent.mjs', import.meta.url);

const STRICT = { warnings: true, rules: { completion: 'off' }, strict: true } as const;
const MILD = { warnings: false, rules: {}, strict: false } as const;

const WORKS: readonly Work[] = [
  { kind: 'count' },
  { kind: 'check', tools: [] },
  { kind: 'messages', filters: {}, form: 'lines' },
  { kind: 'messages', filters: {}, form: { format: 'parquet', section: 2000 } },
  { kind: 'messages', filters: { onlyRole: ['user'] }, form: { format: 'arrow', section: 3000 } },
  { kind: 'audit', fix: {}, gives: 'copy' },
  { kind: 'audit', fix: { how: 'neutralise', lookAlikes: true, foreign: true }, gives: 'changes' },
  { kind: 'convert', to: 'harmony', from: 'auto', format: 'text', forTerminal: false, neutralise: true },
  { kind: 'render', format: 'html', untitled: null, options: { notes: true } },
  { kind: 'statistics', tools: [], characters: true },
  ...([
    ['verdict', 'lines'], ['verdict', { format: 'parquet', section: 3000 }],
    ['messages', 'lines'], ['messages', { format: 'arrow', section: 2000 }],
  ] as const).map(([emit, form]) => ({
    kind: 'run', emit, form, tools: [], ...(emit === 'verdict' ? STRICT : MILD),
  } as const)),
  ...(['verdict', 'keep'] as const).map((emit) => ({
    kind: 'filter', emit, passthrough: false, isApart: false, largest: 10_000, largestList: 10_000, tools: [],
    warnings: false, rules: {}, strict: false,
  } as const)),
];

/** The same work, where a table is cut into sections of so many bytes. */
const inSections = (work: Work, section: number): Work => {
  const form = tableOf(work);
  return form === null ? work : { ...work, form: { ...form, section } } as Work;
};

const START = 'version: 2.2\n---\n';
const TALK = '<|start|>user<|message|>Hi<|end|>\n<|start|>assistant<|channel|>final<|message|>Yes.<|return|>\n';
const CALL =
  '<|start|>assistant to=functions.f call_id=c1<|channel|>commentary<|constrain|>json<|message|>{"a":}<|call|>\n';
const LITERAL =
  '<|start|>user<|message|><|literal|>\n<|start|>user<|message|>no<|end|>\n<|endliteral|>yes<<|end|><|end|>\n';

const RAW: Record<string, string | Uint8Array> = {
  'several transcripts, literal blocks, calls that stay open': START + TALK + LITERAL + CALL + START + TALK + LITERAL
    + TALK,
  'versions that change the dialect':
    `${START}${TALK}version: 2.0\n---\n${TALK}<|start|>user<|message|>a<<|end|>b\n${START}${TALK}`,
  'a header that quotes a start token': `version: 2.2\nstop: ["<|start|>user"]\n---\n${TALK}${TALK}`,
  'text between, stray tokens, a cut end': `${START}noise ${TALK}<|end|> more ${TALK}<|start|>robot<|message|>x`,
  'no header': TALK + LITERAL + TALK,
  'bad bytes': Buffer.concat([
    Buffer.from(START + TALK), Buffer.from([0xff, 0x3c, 0xc3]), Buffer.from(`${TALK}<|start|>user<|message|>`),
    Buffer.from([0xe2, 0x82]), Buffer.from(`<|end|>${TALK}`),
  ]),
  'tokens in bodies': `${START}${TALK}<|start|>user<|message|>[INST] <|im_end|> <<|end|> x&lt;|end|&gt;<|end|>\n`
    + `<|start|>user name=<|im_start|><|message|>stray <|channel|><|end|>\n${TALK}`,
  'a literal block that never ends': `${START}${TALK}<|start|>user<|message|><|literal|>${TALK}${TALK}`,
  'an old dialect with bounds and files':
    '<s>\n<|im_start|>system\nBe kind.\n<|im_end|>\n<|im_start|>user\nHi\n<|im_end|>\n</s>\n<s>\n<|im_start|>user\nHo\n'
    + '<|im_end|>\n<|file_separator|>a\n<|fim_prefix|>b<|fim_suffix|>c<|fim_middle|>\n'
    + '<|im_start|>assistant\n<|function_call|>{"name":"f","arguments":{}}\n<|im_end|>\n</s>\n<|im_start|>user\nagain\n'
    + '<|im_end|>\n',
};

const HARMONY =
  '<|start|>system<|message|>S<|end|><|start|>developer<|message|>D<|end|><|start|>user<|message|>Q<|end|>'
    + '<|start|>assistant<|message|>no channel<|end|><|start|>assistant<|channel|>final<|message|>A<|return|>'
    + '<|start|>developer<|message|>D<|end|><|start|>user<|message|>Q<|end|>'
    + '<|start|>assistant<|channel|>analysis<|message|>T<|end|><|start|>system<|message|>S<|end|>'
    + '<|start|>assistant<|channel|>final<|message|>A<|return|><|start|>name=x developer<|message|>D<|end|>'
    + '<|start|>user<|message|>Q<|end|>';

const record = (value: unknown): string => `${JSON.stringify(value)}\n`;
const CHAT = [{ role: 'user', content: 'Grüße "x"' }, {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"a"' } }],
}];
const RECORDS: Record<string, string> = {
  'text, plain and escaped': record({ text: TALK })
    + `{"id":7,"text":"\\u003c|start|\\u003euser<|message|>é \\ud83d\\ude00 <|foo|><|end|> x"}\n` + record({ text: '' })
    + record({ text: START + CALL + START + TALK }) + record({ text: LITERAL + CALL }),
  'chat records': record({ messages: CHAT })
    + record({ conversations: [{ from: 'human', value: 'a <|end|> b' }, { from: 'gpt', value: 'c' }] })
    + record({ messages: CHAT }),
  'prompt and completion': record({
    prompt: `${START}${TALK}<|start|>assi`, completion: 'stant<|channel|>final<|message|>ü<|return|>',
  }) + record({ prompt: CHAT, completion: [{ role: 'tool', tool_call_id: 'a', content: 'x' }] }),
  'bad ones among good ones': `\ufeff${record({ text: CALL })}\n  \r\n{"text": nope}\n[1]\n"x"\n`
    + `${record({ other: 1 })}${record({ messages: [{ role: 'x' }] })}{"text":"\\ud800`
    + `<|start|>user<|message|>x<|end|>"}\n{"text":"${TALK.replaceAll('\n', '\\n').replaceAll('"', '\\"')}`,
  'one list': JSON.stringify([{ text: TALK }, { text: CALL }, { messages: CHAT }], null, 1),
};

const BROKEN = '<|start|>user<|message|>a<|end|><|start|>assistant<|channel|>analysis<|message|>b<|channel|>commentary'
  + '<|channel|>final<|message|>c<|channel|>final x=1<|message|>d<|start|>assistant<|channel|>commentary to=user'
  + '<|channel|>final<|message|>e<|channel|>final f<|message|>g<|end|><|start|>user<|message|>h<|end|>';

let files = 0;
function fileOf(content: string | Uint8Array): string {
  const path = join(folder, `input-${files++}`);
  writeFileSync(path, content);
  return path;
}

/** An input, and what is done with it: in `npm test` a fifth of the works, another one for each. */
const CASES = ([
  ...Object.entries(RAW).map(([name, content]): [string, string | Uint8Array, FileOptions] => [name, content, {}]),
  ['harmony', HARMONY, { dialect: 'harmony' }],
  ['likely messages', BROKEN, { dialect: 'harmony', rescue: true }],
  ...Object.entries(RECORDS).map(([name, content]): [string, string, FileOptions] => [name, content, {}]),
] as [string, string | Uint8Array, FileOptions][]).map(([name, content, read], number) => {
  return [name, content, read, WORKS.filter((_, i) => isAll || (i + number) % 5 === 0)] as const;
});

describe.each(CASES)('%s', (_, content, read, works) => {
  test.each(works)('$kind: every cut', async (work) => {
    const path = fileOf(content);
    const once = await seen(path, work, read, 1);
    const size = Buffer.byteLength(content);
    let begun = 0;
    // Every size up to 16 bytes, and then each that is a 16th larger.
    for (let step = 1; step <= size; step = after(step) + (step >> 4)) {
      const jobs = jobsHere();
      const cut = inSections(work, step);
      const whole = cut === work ? once : await seen(path, cut, read, 1);
      expect(await seen(path, cut, read, 2, { step: () => step, least: 0 }, jobs), `a cut every ${step} bytes`)
        .toEqual(whole);
      begun = Math.max(begun, jobs.begun);
    }
    // Or nothing was cut at all.
    if (_ !== 'one list' && (canBeCut(work, 'raw') || _ in RECORDS)) expect(begun).toBeGreaterThan(1);
  });
});

testLong('what an audit tells of crowds does not depend on cuts', async () => {
  const message = `<|start|>user<|message|>[INST] a [INST] b [INST] c ${'.'.repeat(60)}<|end|>\n`;
  const path = fileOf(START + message.repeat(Math.ceil(9 * 2 ** 20 / message.length)));
  const work = { kind: 'audit', fix: {}, gives: null } as const;
  const cut = { step: () => 5_000_000, least: 0 };
  expect(await seen(path, work, {}, 2, cut, jobsHere())).toEqual(await seen(path, work, {}, 1));
});

test.each(part([2, 3, 7]))('%i threads', async (threads) => {
  const raw = fileOf(Object.entries(RAW).filter(([name]) => {
    return !name.includes('never ends') && !name.includes('old');
  }).map(([, text]) => (START + text).repeat(40)).join(''));
  const records = fileOf(Object.values(RECORDS).slice(0, 3).join('').repeat(100));
  const works = isAll && threads === 2 ? WORKS : WORKS.filter((_, i) => i % (isAll ? 3 : 6) === threads % 3);
  // One flow after the other has the same threads.
  const pools = [new Pool(threads), new JointJobs(threads), new JointJobs(threads, SILENT)];
  for (const path of [raw, records]) {
    for (const work of works) {
      const whole = await seen(path, work, {}, 1);
      for (const pool of isAll ? pools : pools.slice(1)) {
        expect(await seen(path, work, {}, threads, { step: () => 10_000, least: 0 }, pool)).toEqual(whole);
      }
    }
  }
  for (const pool of pools) pool.close();
});

testOnce.each(WORKS)('$kind: threads are started where they gain, or always', async (work) => {
  let begun = 0;
  const count = (): void => void begun++;
  process.on('worker', count);
  const path = fileOf((START + TALK).repeat(300));
  const parts = { step: () => 5000, least: 0 };
  for (const [threads, when] of [[undefined, 'always'], [1, 'always'], [2, 'always'], [2, '']] as const) {
    begun = 0;
    vi.stubEnv('OPENCHATML_THREADS', when);
    const flow = new Flow({ threads, work, read: () => ({}), tellsAtEnd: false, parts });
    for await (const { kind } of flow.events(findInputs([path], -1))) expect(kind).not.toBe('error');
    const isStarted = threads === 2 && when === 'always' && (canBeCut(work, 'raw') || takesLines(work));
    expect(begun).toBe(isStarted ? 1 : 0);
  }
  vi.unstubAllEnvs();
  process.off('worker', count);
});

test('compressed inputs: one is decoded ahead, by the threads that decoded those before', async () => {
  let begun = 0;
  const count = (): void => void begun++;
  process.on('worker', count);
  const path = fileOf(gzipSync((START + TALK).repeat(300)));
  const flow = new Flow({ threads: 2, work: { kind: 'count' }, read: () => ({}), tellsAtEnd: false });
  let ends = 0;
  for await (const event of flow.events(findInputs(Array.from({ length: 12 }, () => path), -1))) {
    if (event.kind === 'end') ends += event.transcripts;
  }
  await sleep(5);
  process.off('worker', count);
  expect([ends, begun]).toEqual([12 * 300, 2]);
});

test('check: a part of raw text is done once, where it begins as was guessed', async () => {
  const check: Work = { kind: 'check', tools: [] };
  const text = (START + TALK + CALL).repeat(300);
  const quoted = `${START}<|start|>user<|message|><|literal|>${(START + TALK).repeat(2000)}<|endliteral|><|end|>\n`;
  for (const [content, again] of [[text, 0], [text + quoted + text, 1]] as const) {
    const path = fileOf(content);
    const jobs = jobsHere();
    const cut = { step: () => 10_000, least: 0 };
    expect(await seen(path, check, {}, 2, cut, jobs)).toEqual(await seen(path, check, {}, 1));
    const parts = Math.ceil(content.length / 10_000);
    if (again === 0) expect(jobs.begun).toBe(parts);
    else expect(jobs.begun).toBeGreaterThan(parts);
  }
});

describeOnce('a part within one long transcript', () => {
  const path = fileOf(START + TALK.repeat(60_000));
  const input: JobInput = { ref: { kind: 'file', path, inFolder: false }, path, options: {}, tellsAtEnd: false };
  const start = new Counter().addRange(context.machine, FileSource.open(path), {}, { start: null, to: 100_000 });

  const works = WORKS.filter((work) => canBeCut(work, 'raw'));

  test.each(works)('$kind: no more is read than belongs to it', async (work) => {
    let furthest = 0;
    const watch = { hasRead: (to: number) => void (furthest = Math.max(furthest, to)) };
    context.watching = { source: (source) => new WatchedSource(source, watch) };
    const job = { ...work, input, part: { of: 'raw', start, to: 200_000 } } as Job;
    const pieces = perform(context, await kindOf(job), job);
    let found = 0;
    for (let next = pieces.next(); !next.done; next = pieces.next()) found++;
    context.watching = undefined;
    context.close();
    const isCopy = work.kind === 'audit' && work.gives === 'copy';
    expect(found > 0).toBe(isCopy || work.kind === 'messages' || work.kind === 'convert');
    expect(furthest).toBeGreaterThan(200_000);
    expect(furthest).toBeLessThan(1_500_000);
  });
});

/** Descriptors of this process that a file has. */
function openOf(path: string): number {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return links.filter((link) => link === path).length;
}

describe.skipIf(!existsSync('/proc/self/fd'))('who leaves early leaves no file open', () => {
  const raw = fileOf((START + TALK + CALL).repeat(400));
  const lines = fileOf(Object.values(RECORDS)[0]!.repeat(400));
  const cases = [raw, lines].flatMap((path) => WORKS.flatMap((work) => {
    return [1, 2].map((threads) => ({ path, work, threads, kind: work.kind, of: path === raw ? 'text' : 'lines' }));
  }));

  test.each(part(cases, 5))('$kind of $of, $threads threads', async ({ path, work, threads }) => {
    for (const wanted of [1, 2, 5]) {
      const flow = new Flow({
        threads, work, read: () => ({}), tellsAtEnd: false, parts: { step: () => 3000, least: 0 },
      });
      let count = 0;
      for await (const event of flow.events(findInputs([path, path, path], -1))) {
        expect(event.kind).not.toBe('error');
        if (++count === wanted) break;
      }
      expect(count).toBe(wanted);
      // Threads that are ended let go a little later; the test's time is the limit.
      while (openOf(path) > 0) await sleep(5);
    }
  });
});
