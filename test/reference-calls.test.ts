// The rules of meaning against the reference of test/reference, which was written from the rulings alone: calls and
// replies, content types, thoughts in shown text, on random transcripts in every dialect and in detection, and on every
// page of fixtures.
import { expect, test } from 'vitest';
import type { RuleName } from '../src/errors.ts';
import { MemorySource } from '../src/scan/source.ts';
import { WasmMachine } from '../src/scan/wasm.ts';
import { checkSource } from '../src/rules/check-source.ts';
import type { CheckOptions } from '../src/rules/check-options.ts';
import { readFixtures } from './fixture.ts';
import { runs } from './long.ts';
import { randomOf, SEED } from './random.ts';
import { randomCalls } from './random-calls.ts';
import type { ReferenceMessage, ReferenceResult } from './reference/parser.ts';
import { referenceParse } from './reference/parser.ts';

const INPUTS = runs(30_000, 10);
/** Definitions of tools are not the reference's matter. */
const TOOLS = new Set<string>(['unknown-tool', 'invalid-arguments'] satisfies RuleName[]);
/** The reference tells which body is no JSON; where it breaks is for test/scan/json.test.ts. */
const JSON_RULES = new Set<string>(['invalid-json', 'hint-mismatch'] satisfies RuleName[]);
const MEANING: readonly RuleName[] = [
  'missing-call-id', 'duplicate-call-id', 'unmatched-reply', 'duplicate-reply', 'call-without-recipient',
  'call-channel', 'open-call', 'unknown-content-type', 'invalid-json', 'hint-mismatch', 'cot-in-final',
  'reasoning-in-final', 'leaked-channel', 'mixed-call', 'bad-deadline', 'reply-order', 'bad-call-object',
];
const LIKELY: RuleName = 'looks-like-harmony';
const DIALECTS = ['auto', 'auto', 'openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1', 'harmony'] as const;

interface Found {
  readonly severity: string;
  readonly code: string | null;
  readonly rule: string;
  readonly from: number;
  readonly transcript: number;
}

/** One line for each finding, sorted: an open call is told when its transcript ends. */
function lines(findings: Iterable<Found>, messages: readonly ReferenceMessage[]): string[] {
  const told: string[] = [];
  for (const { severity, code, rule, from, transcript } of findings) {
    if (TOOLS.has(rule)) continue;
    const place = JSON_RULES.has(rule) ? bodyAt(from, messages) : from;
    told.push(`${place} ${rule} ${severity} ${code} ${transcript}`);
  }
  return told.sort();
}

/** The body that an offset lies in or directly behind, by its first byte. No two bodies touch. */
function bodyAt(offset: number, messages: readonly ReferenceMessage[]): number {
  return messages.find(({ body_from: from, body_to: to }) => offset >= from && offset <= to)?.body_from ?? -1;
}

const linesOf = ({ diagnostics, meaning, messages }: ReferenceResult): string[] => {
  return lines([...diagnostics, ...meaning], messages);
};

test(`${INPUTS} random transcripts (OPENCHATML_SEED=${SEED})`, { timeout: 600_000 }, () => {
  const machine = new WasmMachine();
  const seeds = randomOf(SEED);
  const seen = new Set<string>();
  for (let run = 0; run < INPUTS; run++) {
    const random = randomOf(seeds.below(0x7fffffff));
    const input = randomCalls(random, random.once(5) ? 20 : 7);
    const role = random.once(12) ? random.pick(['assistant', 'tool', 'functions.f', 'user']) : undefined;
    const dialect = random.pick(DIALECTS);
    const options: CheckOptions = { dialect, stopStripped: random.once(4), ...(role && { role }) };
    const reference = referenceParse(input, options);
    const expected = linesOf(reference);
    const found = lines(checkSource(machine, new MemorySource(input), options), reference.messages);
    for (const { rule } of reference.meaning) seen.add(rule);
    for (const { rule } of reference.diagnostics) if (rule === LIKELY) seen.add(rule);
    if (found.join() === expected.join()) continue;
    const text = JSON.stringify(Buffer.from(input).toString('latin1'));
    const told = `OPENCHATML_SEED=${SEED}, run ${run}, ${JSON.stringify(options)}: ${text}`;
    expect(found, told).toEqual(expected);
  }
  // A generator that no longer makes what a rule is about would compare nothing.
  expect([...seen].sort()).toEqual([...MEANING, LIKELY].sort());
});

test('every page of fixtures/cases', () => {
  for (const { name, input, options, diagnostics } of readFixtures()) {
    const { dialect, role, stopStripped, rescue } = options;
    const reference = referenceParse(input, { dialect, role, stopStripped, rescue });
    expect(linesOf(reference), name).toEqual(lines(diagnostics, reference.messages));
  }
});
