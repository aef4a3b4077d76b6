// The base model's own BOS and EOS, named where text is read (0.1 extended §2): what `<s>` and `</s>` give, whatever
// the names, the windows and the engine.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse, scan } from '../../src/index.ts';
import { check } from '../../src/tools.ts';
import type { Diagnostic } from '../../src/errors.ts';
import { createMachine, type Engine } from '../../src/scan/engine.ts';
import type { ReadOptions } from '../../src/model/walk.ts';
import { checkSource } from '../../src/rules/check-source.ts';
import { Counter } from '../../src/rules/count.ts';
import { SlowSource } from '../corpus/input/slow-source.ts';
import { jobsHere, seen } from '../corpus/jobs/seen.ts';
import { runs } from '../long.ts';
import { type Random, randomInput, randomOf, SEED } from '../random.ts';

const folder = mkdtempSync(join(tmpdir(), 'openchatml-edges-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DIALECT = 'openchatml-0.1';
/** Names that begin as `<s>` and `</s>` do and are as long, so that positions are the same. */
const SAME = { bos: '<%>', eos: '</%>' };
const LLAMA = { bos: '<|begin_of_text|>', eos: '<|eot_id|>' };
const USER = '<|im_start|>user\nQ<|im_end|>';

test('named tokens bound transcripts and are no text', () => {
  const text = `${LLAMA.bos}${USER}${LLAMA.eos}\n${LLAMA.bos}${USER}\n${USER}${LLAMA.eos}`;
  const { transcripts } = parse(text, { edges: LLAMA });
  expect(transcripts.map((transcript) => [transcript.from, transcript.length])).toEqual([
    [0, 1], [text.indexOf(LLAMA.bos, 1), 2],
  ]);
  expect(check(text, { edges: LLAMA })).toEqual([]);
  expect(scan(text, { edges: LLAMA })).toMatchObject({ transcripts: 2, messages: 3, findings: {} });
  // Unnamed, they are stray text.
  expect(check(text).map(({ rule }) => rule)).toEqual(Array(3).fill('text-between-messages'));
  expect(parse(text).transcripts).toHaveLength(1);
});

test('a model may have one token for both, or name one of them', () => {
  const one = '<|endoftext|>';
  const text = `${USER}${one}\n${USER}${one}${one}${USER}`;
  expect(parse(text, { edges: { bos: one, eos: one } }).transcripts).toHaveLength(3);
  expect(parse(text, { edges: { eos: one } }).transcripts).toHaveLength(3);
  expect(parse(text, { edges: { eos: '', bos: '' } }).transcripts).toHaveLength(1);
});

test('text beside them stays text, as long as it is', () => {
  const eos = '\u2581eos';
  const space = ' '.repeat(200_000);
  const text = `${USER}a ${eos} b${space}${eos}${'c'.repeat(70_000)}${eos}\n${USER}`;
  const { transcripts } = parse(text, { dialect: DIALECT, edges: { eos } });
  expect(transcripts).toHaveLength(2);
  const found = check(text, { dialect: DIALECT, edges: { eos } });
  expect(found.map(({ rule, from, to }) => [rule, to - from])).toEqual([
    ['text-between-messages', 1], ['text-between-messages', 1], ['text-between-messages', 70_000],
  ]);
});

test('in bodies they are text, in other dialects too; the longer name is found first', () => {
  const body = parse(`<|im_start|>user\n${LLAMA.eos}<|im_end|>`, { edges: LLAMA }).transcripts[0]!.at(0)!;
  expect(body.content).toBe(LLAMA.eos);
  const newer = `version: 2.2\n<|start|>user<|message|>Q<|end|>\n${LLAMA.eos}`;
  expect(check(newer, { edges: LLAMA })).toEqual(check(newer));
  const text = `${USER}AA${USER}`;
  expect(parse(text, { edges: { bos: 'AA', eos: 'A' } }).transcripts.map(({ from }) => from)).toEqual([0, USER.length]);
});

test('what is no name is refused', () => {
  for (const edges of [{ bos: '<|im_start|>' }, { eos: '\ud800' }, { bos: 1 }, { other: 'x' }]) {
    expect(() => parse('', { edges: edges as ReadOptions['edges'] })).toThrow(RangeError);
  }
});

const PIECES = ['<s>', '</s>', '<s>', '</s>', ' ', '\n', 'a', '[EOS]', '<|file_separator|>', `${USER}\n`, '<|im_end|>'];

/** Bytes with `<s>` and `</s>`, and the same with the names. */
function inputOf(random: Random): [usual: Buffer, named: Buffer] {
  const parts = Array.from({ length: 1 + random.below(20) }, () =>
    random.once(5) ? randomInput(random, 3) : Buffer.from(random.pick(PIECES)));
  const usual = Buffer.concat(parts);
  const named = usual.toString('latin1').replaceAll('<s>', SAME.bos).replaceAll('</s>', SAME.eos);
  return [usual, Buffer.from(named, 'latin1')];
}

const placesOf = (found: Iterable<Diagnostic>): unknown[] =>
  [...found].map(({ rule, severity, from, to }) => [rule, severity, from, to]);

test(`they give what the usual tokens give, in every window and engine (OPENCHATML_SEED=${SEED})`, () => {
  const machines = (['simd', 'scalar', 'js'] as Engine[]).map((engine) => createMachine({ engine, window: 1024 }));
  let bounds = 0;
  for (let round = 0; round < runs(6000); round++) {
    const random = randomOf(SEED + round);
    const [usual, named] = inputOf(random);
    const base: ReadOptions = { dialect: DIALECT, ...(random.once(6) && { role: 'assistant' }) };
    const options: ReadOptions = { ...base, edges: SAME };
    const about = `seed ${SEED}, round ${round}`;
    const wanted = parse(usual, base);
    const read = parse(named, options);
    expect([...read.rows], about).toEqual([...wanted.rows]);
    expect(JSON.stringify(read), about).toBe(JSON.stringify(wanted));
    expect(read.transcripts.map((own) => own.files()), about).toEqual(wanted.transcripts.map((own) => own.files()));
    const machine = random.pick(machines);
    const slow = new SlowSource(named, 1 + random.below(40));
    const counter = new Counter();
    counter.add(machine, slow, options);
    // Words of headers are told as they stand.
    const counts = JSON.stringify(counter.result()).replaceAll(SAME.bos, '<s>').replaceAll(SAME.eos, '</s>');
    expect(JSON.parse(counts), about).toEqual(JSON.parse(JSON.stringify(scan(usual, base))));
    const places = placesOf(checkSource(machine, new SlowSource(named, 1 + random.below(40)), options));
    expect(places, about).toEqual(placesOf(check(named, options)));
    expect(places, about).toEqual(placesOf(check(usual, base)));
    bounds += named.toString('latin1').split('%').length - 1;
  }
  expect(bounds).toBeGreaterThan(runs(6000));
});

test(`any parts of an input give what the whole gives (OPENCHATML_SEED=${SEED})`, async () => {
  const read = { dialect: DIALECT, edges: SAME } as const;
  for (let round = 0; round < runs(300); round++) {
    const random = randomOf(SEED + round);
    const path = join(folder, `input-${round}`);
    writeFileSync(path, Buffer.concat(Array.from({ length: 6 }, () => inputOf(random)[1])));
    const step = 1 + random.below(200);
    const convert = {
      kind: 'convert', to: 'openchatml-2.2', from: 'auto', format: 'text', forTerminal: false, neutralise: true,
    } as const;
    for (const work of [{ kind: 'count' } as const, convert]) {
      const whole = await seen(path, work, read, 1);
      const parts = await seen(path, work, read, 2, { step: () => step, least: 0 }, jobsHere());
      expect(parts, `seed ${SEED}, round ${round}, ${work.kind}`).toEqual(whole);
    }
  }
});
