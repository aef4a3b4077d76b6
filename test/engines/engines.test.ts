// The drivers for engines in Python, on the real dialogues in eight shards with two workers: whatever is killed on the
// way, every row has the verdict that `run` gives it, and a record that kills its reader has one that says so.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isAll } from '../long.ts';
import { sharedData } from '../skip.ts';

const COMMAND = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const PACKAGE = fileURLToPath(new URL('../../src/engines', import.meta.url));
const PYTHON = process.env['OPENCHATML_ENGINES_PYTHON'];
const POISON = 'POISON-7f3a';

function hasEngines(): boolean {
  if (!isAll) return false;
  if (PYTHON) return true;
  const reason = 'OPENCHATML_ENGINES_PYTHON does not name a Python with ray, pyspark, datasets and datatrove';
  if (process.env['OPENCHATML_CI'] === '1') throw new Error(reason);
  console.log(`skipped: ${reason}`);
  return false;
}

const dialogues = sharedData('dialogues');
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'openchatml-engines-'));
const shards = join(folder, 'shards');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function python(script: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(PYTHON!, [here(script), ...args], {
    encoding: 'utf8', maxBuffer: 1 << 28, env: { ...process.env, PYTHONPATH: PACKAGE, RAY_DEDUP_LOGS: '0' },
  });
  if (error || status !== 0) throw new Error(`${script} ${args[0]}: ${error?.message ?? stderr.slice(-3000)}`);
  return stdout;
}

/** Of a row: whether it is ok, messages, calls, findings, what they say. */
type Told = [ok: boolean, messages: number, calls: number, findings: number, err: string[]];
const expected: Record<string, Told> = {};
const withPoison: Record<string, Told> = {};
const KILLED: Told = [false, 0, 0, 1, ['the record ends the process that reads it: exit code 70']];

const files = (ending: string): string[] =>
  readdirSync(shards).filter((name) => name.endsWith(ending)).sort().map((name) => join(shards, name));

/** What a driver answers, with faults on its way. */
function answers(engine: string, faults: Record<string, string>): Record<string, Told> {
  const out = join(folder, engine);
  mkdirSync(`${out}-faults`);
  for (const [name, text] of Object.entries(faults)) writeFileSync(join(`${out}-faults`, name), text);
  python('drivers.py', engine, shards, out, process.execPath, here('faulty.mjs'), `${out}-faults`, COMMAND);
  const left = readdirSync(`${out}-faults`);
  expect(left, 'faults that nobody met').toEqual(left.filter((name) => name === 'poison' || name.includes('.')));
  return JSON.parse(readFileSync(`${out}.json`, 'utf8')) as Record<string, Told>;
}

function demandSame(found: Record<string, Told>, wanted: Record<string, Told>): void {
  expect(Object.keys(found).length).toBe(Object.keys(wanted).length);
  const others = Object.keys(wanted).filter((id) => JSON.stringify(found[id]) !== JSON.stringify(wanted[id]));
  expect(others.map((id) => [id, found[id], wanted[id]]).slice(0, 5)).toEqual([]);
}

describe.skipIf(!hasEngines())('a process that stays', () => {
  test('answers every call, or says what is wrong with it', () => {
    expect(python('check_filter.py', here('faulty.mjs'), process.execPath, COMMAND)).toBe('');
  });
});

describe.skipIf(!hasEngines() || dialogues === null)('eight shards, the last of them empty', () => {
  beforeAll(() => {
    const records = join(dialogues!, 'messages.jsonl.gz');
    const poisoned = JSON.parse(python('make_shards.py', records, shards, '8', POISON)) as string[];
    const out = join(folder, 'run');
    const done = spawnSync(process.execPath, [COMMAND, 'run', '--out', out, ...files('.jsonl')], { encoding: 'utf8' });
    expect([done.status, done.stderr]).toEqual([0, '']);
    for (const name of readdirSync(out).filter((one) => one.endsWith('.verdict.ndjson'))) {
      for (const line of readFileSync(join(out, name), 'utf8').split('\n').filter((one) => one !== '')) {
        const { id, ok, messages, calls, err, more = 0 } = JSON.parse(line) as {
          id: string; ok: boolean; messages: number; calls: number; err: { message: string }[]; more?: number;
        };
        expected[id] = [ok, messages, calls, err.length + more, err.map(({ message }) => message)];
      }
    }
    expect(Object.keys(expected).length).toBeGreaterThan(10_000);
    Object.assign(withPoison, expected, Object.fromEntries(poisoned.map((id) => [id, KILLED])));
    expect(poisoned.every((id) => expected[id]![0])).toBe(true);
  });

  test('by the package alone, as by `run`', () => demandSame(answers('plain', {}), expected));

  test('Hugging Face datasets: a killed child, two records that kill', () =>
    demandSame(answers('datasets', { poison: POISON, child: '' }), withPoison));

  test('datatrove: a killed child, two records that kill', () => {
    const found = answers('datatrove', { poison: POISON, child: '' });
    expect(Object.keys(found).length).toBeGreaterThan(3000);
    demandSame(found, Object.fromEntries(Object.keys(found).map((id) => [id, withPoison[id]!])));
    expect(Object.values(found).filter((told) => told[4][0] === KILLED[4][0]).length).toBe(2);
  });

  test('Ray Data: a killed child, a killed worker, two records that kill', () =>
    demandSame(answers('ray', { poison: POISON, child: '', worker: '' }), withPoison));

  test('Spark: a killed child, a killed worker, two records that kill', () =>
    demandSame(answers('spark', { poison: POISON, child: '', worker: '' }), withPoison));
});
