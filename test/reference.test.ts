// The library against the reference parser of test/reference, which was written from the rulings alone: every field of
// every message and every diagnostic, on random inputs in every dialect and in detection.
import { expect, test } from 'vitest';
import type { RuleName } from '../src/errors.ts';
import { parseOn } from '../src/model/parse.ts';
import { MemorySource } from '../src/scan/source.ts';
import { WasmMachine } from '../src/scan/wasm.ts';
import { checkSource } from '../src/rules/check-source.ts';
import { runs } from './long.ts';
import { randomInput, randomOf, SEED } from './random.ts';
import { recordsOf } from './read.ts';
import { referenceParse } from './reference/parser.ts';
import { rescue } from '../src/runtime/stream/rescue.ts';

const INPUTS = runs(30_000, 25);
/** What messages mean is for reference-calls.test.ts. */
const MEANING = new Set<RuleName>([
  'missing-call-id', 'duplicate-call-id', 'unmatched-reply', 'duplicate-reply', 'call-without-recipient',
  'call-channel', 'unknown-tool',
  'invalid-arguments', 'bad-call-object', 'open-call', 'invalid-json', 'invalid-content', 'hint-mismatch',
  'unknown-content-type',
  'cot-in-final', 'reasoning-in-final', 'leaked-channel', 'mixed-call', 'bad-deadline', 'reply-order',
]);
const DIALECTS = ['auto', 'openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1', 'harmony'] as const;

test(`${INPUTS} random inputs (OPENCHATML_SEED=${SEED})`, { timeout: 600_000 }, () => {
  const machine = new WasmMachine();
  const seeds = randomOf(SEED);
  for (let run = 0; run < INPUTS; run++) {
    const random = randomOf(seeds.below(0x7fffffff));
    const input = randomInput(random, random.once(4) ? 40 : 12);
    const dialect = random.pick(DIALECTS);
    const role = random.once(7) ? random.pick(['assistant', 'user', 'functions.f']) : undefined;
    const options = { dialect, role, stopStripped: random.once(4), rescue: random.once(3) ? rescue : undefined };
    const reference = referenceParse(input, options);
    const told = `OPENCHATML_SEED=${SEED}, run ${run}, ${JSON.stringify(options)}: `
      + `${JSON.stringify(Buffer.from(input).toString('latin1'))}`;
    const records = recordsOf(machine, new MemorySource(input), options).map(({ record: _, ...fields }) => fields);
    if (JSON.stringify(records) !== JSON.stringify(reference.messages)) {
      expect(records, told).toEqual(reference.messages);
    }
    const line = (
      found: { rule: string; severity: string; code: string | null; from: number; transcript: number },
    ): string =>
      `${found.from} ${found.rule} ${found.severity} ${found.code} ${found.transcript}`;
    const read = [...checkSource(machine, new MemorySource(input), options)].filter(({ rule }) => !MEANING.has(rule));
    const found = read.map(line).sort();
    const expected = reference.diagnostics.map(line).sort();
    if (found.join() !== expected.join()) expect(found, told).toEqual(expected);
  }
});

test(`every byte of a random input lies in one tile, and a message's spans nest (OPENCHATML_SEED=${SEED})`, () => {
  const machine = new WasmMachine();
  const seeds = randomOf(SEED);
  for (let run = 0; run < runs(10_000, 10); run++) {
    const random = randomOf(seeds.below(0x7fffffff));
    const input = randomInput(random, 30);
    const parsed = parseOn(machine, input, {
      dialect: random.pick(DIALECTS), role: random.once(7) ? 'assistant' : undefined,
    });
    const told = `OPENCHATML_SEED=${SEED}, run ${run}`;
    let at = 0;
    for (const { from, to, part } of parsed.tiles()) {
      if (from !== at || to <= from) expect({ part, from, to }, told).toEqual({ part, from: at, to });
      at = to;
    }
    expect(at, told).toBe(input.length);
    for (const message of parsed.messages()) {
      const { from, to, header, body } = message;
      const inOrder =
        header.from === from && header.to >= from && body.from >= header.to && body.to >= body.from && to >= body.to;
      if (!inOrder) expect({ from, to, header, body }, told).toBe('in order');
    }
  }
});
