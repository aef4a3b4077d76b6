// The section json: are bodies JSON? The checker beside JSON.parse of the same bytes, the decoding that it needs
// included, on the bodies of tool calls and replies as they are, on small and large ones of them, and on the real
// dialogues where they are at hand.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { JSON_DEPTH } from '../src/abi.ts';
import { parse } from '../src/index.ts';
import { createMachine } from '../src/scan/engine.ts';
import type { Machine } from '../src/scan/machine.ts';
import { type Corpus, corpus, dialogues, type Kind } from './corpus.ts';
import { interleave, type Job, median } from './measure.ts';
import { megabytes, type Result, resultTable } from './report.ts';
import type { Outcome, Settings } from './sections.ts';

/** The bodies of a set, each in memory as a source gives it. */
interface Bodies {
  name: string;
  list: readonly Buffer[];
  bytes: number;
}

/** Says of each body whether it is JSON; answers how many are. */
export interface JsonContender {
  name: string;
  does: string;
  /** Called once for each set, outside the measured time; what it gives is run instead of the bodies. */
  prepare?(list: readonly Buffer[]): readonly unknown[];
  run(list: readonly unknown[]): number;
}

const CORPUS_SIZE = 16_000_000;
const LARGE = 1_000_000;
/** Bytes that a round of a row goes through at least, so that no time is too short to tell. */
const LEAST_ROUND = 8_000_000;
/** Every so many bodies one is cut short, when the answers are looked at. */
const CUT_SHORT = 7;
const DIALOGUES = dialogues('openchatml-2.2.txt.gz');

function checks(name: string, does: string, machine: () => Machine): JsonContender {
  let made: Machine | undefined;
  return {
    name,
    does,
    run(list) {
      made ??= machine();
      let count = 0;
      for (const body of list as Uint8Array[]) if (made.checkJson(body, JSON_DEPTH) < 0) count++;
      return count;
    },
  };
}

/** A machine whose window holds the whole set, as a window holds the bodies of a file that is read. */
function inWindow(): JsonContender {
  let machine: Machine | undefined;
  return {
    ...checks('checkJson, in the window', 'the same, of bytes that lie in the window already', () => {
      return machine as Machine;
    }),
    prepare(list) {
      machine ??= createMachine({ window: 2 * CORPUS_SIZE });
      const { source } = machine;
      let at = 0;
      return list.map((body) => {
        source.set(body, at);
        at += body.length;
        return source.subarray(at - body.length, at);
      });
    },
  };
}

function parsing(name: string, does: string, decode: (body: Buffer) => string): JsonContender {
  return {
    name,
    does,
    run(list) {
      let count = 0;
      for (const body of list as Buffer[]) {
        try {
          JSON.parse(decode(body));
          count++;
        } catch {
          // No JSON.
        }
      }
      return count;
    },
  };
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const BASE = 'toString, JSON.parse';

export const JSON_ROWS: readonly JsonContender[] = [
  parsing(BASE, 'bytes to a string by Buffer.toString, then JSON.parse', (body) => body.toString()),
  parsing('TextDecoder, JSON.parse', 'bytes to a string by TextDecoder, then JSON.parse', (body) => {
    return decoder.decode(body);
  }),
  {
    ...parsing('JSON.parse', 'of strings that are ready', (body) => body as unknown as string),
    prepare: (list) => list.map((body) => body.toString()),
  },
  checks('checkJson', 'whether the bytes are JSON, SIMD build; they are copied to the scanner', () => {
    return createMachine({ engine: 'simd' });
  }),
  inWindow(),
  checks('checkJson, scalar', 'the same, scalar build', () => createMachine({ engine: 'scalar' })),
  checks('checkJson, js', 'the same, without WebAssembly', () => createMachine({ engine: 'js' })),
];

/** Contents of calls and replies that are declared as JSON, or replies, which mostly are. */
function bodiesOf(bytes: Uint8Array, most: number): Buffer[] {
  const found: Buffer[] = [];
  let total = 0;
  for (const message of parse(bytes, { dialect: 'openchatml-2.2' }).messages()) {
    if (message.contentType !== 'json' && message.role !== 'tool') continue;
    const spans = [...message.contentSpans()].map(({ from, to }) => bytes.subarray(from, to));
    const [only] = spans as [Uint8Array];
    const body = spans.length === 1 ? Buffer.from(only.buffer, only.byteOffset, only.length) : Buffer.concat(spans);
    total += body.length;
    if (total > most) break;
    found.push(body);
  }
  return found;
}

function setOf(name: string, list: readonly Buffer[]): Bodies {
  return { name, list, bytes: list.reduce((total, body) => total + body.length, 0) };
}

/** Lists of bodies, each of about a megabyte. */
function joined(list: readonly Buffer[]): Buffer[] {
  const large: Buffer[] = [];
  let parts: string[] = [];
  let length = 0;
  for (const body of list) {
    parts.push(body.toString());
    length += body.length + 1;
    if (length < LARGE) continue;
    large.push(Buffer.from(`[${parts.join(',')}]`));
    parts = [];
    length = 0;
  }
  return large.length > 0 ? large : [Buffer.from(`[${parts.join(',')}]`)];
}

function setsOf(made: Corpus, log: (line: string) => void): Bodies[] {
  const all = bodiesOf(readFileSync(made.path), CORPUS_SIZE);
  const between = (from: number, to: number): Buffer[] => all.filter(({ length }) => length >= from && length <= to);
  const sets = [
    setOf(`${made.name}, as they are`, all),
    setOf(`${made.name}, 40 to 200 bytes`, between(40, 200)),
    setOf(`${made.name}, 1.5 to 3 KB`, between(1500, 3000)),
    setOf(`${made.name}, 1 MB`, joined(all)),
  ];
  if (existsSync(fileURLToPath(DIALOGUES))) {
    const real = bodiesOf(gunzipSync(readFileSync(DIALOGUES)), CORPUS_SIZE);
    sets.push(setOf('dialogues, as they are', real));
    sets.push(setOf('dialogues, 40 to 200 bytes', real.filter(({ length }) => length >= 40 && length <= 200)));
  } else {
    log('\njson: skipped the real dialogues, which are not beside the checkout');
  }
  return sets.filter(({ list }) => list.length > 0);
}

/** What is wrong with a row's answers, of the bodies and of some that are cut short; or nothing. */
function verify(row: JsonContender, list: readonly Buffer[]): string {
  const cut = list.map((body, i) => (i % CUT_SHORT === 0 ? body.subarray(0, body.length - 1) : body));
  const answer = (of: readonly Buffer[]): number => row.run(row.prepare?.(of) ?? of);
  const right = list.length - Math.ceil(list.length / CUT_SHORT);
  const [whole, some] = [answer(list), answer(cut)];
  if (whole === list.length && some === right) return '';
  return `WRONG: ${whole} of ${list.length} are JSON; with bodies cut short ${some}, not ${right}`;
}

async function measure(
  set: Bodies, rows: readonly JsonContender[], notation: Result['notation'], settings: Settings,
): Promise<Outcome> {
  const { list, bytes, name } = set;
  const mean = Math.round(bytes / list.length).toLocaleString('en');
  settings.log(`\njson: ${name}, ${list.length.toLocaleString('en')} bodies, ${megabytes(bytes)}, ${mean} bytes each`);
  const times = Math.max(1, Math.ceil(LEAST_ROUND / bytes));
  const outcome: Outcome = { results: [], wrong: 0 };
  const jobs: Job[] = [];
  for (const row of rows) {
    const note = verify(row, list);
    if (note !== '') outcome.wrong++;
    const shared = { section: 'json', corpus: name, notation, bytes, row: row.name, does: row.does } as const;
    outcome.results.push({ ...shared, ms: null, gigabytesPerSecond: null, toBase: null, base: null, rounds: 0, note });
    if (note !== '') continue;
    const input = row.prepare?.(list) ?? list;
    const run = (): number => {
      let count = 0;
      for (let i = 0; i < times; i++) count += row.run(input);
      return count;
    };
    jobs.push({ name: row.name, run });
  }
  for (const timing of await interleave(jobs, settings.rounds)) {
    const result = outcome.results.find(({ row }) => row === timing.name)!;
    result.ms = median(timing.times) / times;
    result.gigabytesPerSecond = bytes / result.ms / 1e6;
    result.rounds = timing.times.length;
  }
  const base = outcome.results.find(({ row, ms }) => row === BASE && ms !== null);
  for (const result of outcome.results) {
    if (!base || result.ms === null) continue;
    result.base = BASE;
    result.toBase = base.ms! / result.ms;
  }
  settings.log(resultTable(outcome.results, base ? BASE : null));
  return outcome;
}

/** Measures `rows` on the bodies of a corpus. */
export async function json(kind: Kind, rows: readonly JsonContender[], settings: Settings): Promise<Outcome> {
  const made = corpus(kind, Math.min(CORPUS_SIZE, settings.size), settings.seed);
  const total: Outcome = { results: [], wrong: 0 };
  for (const set of setsOf(made, settings.log)) {
    const { results, wrong } = await measure(set, rows, made.notation, settings);
    total.results.push(...results);
    total.wrong += wrong;
  }
  return total;
}
