// Inputs of streams for clients: every fixture, and random inputs, in random cuts; and what a client must read of them.
import { expect } from 'vitest';
import type { StreamOptions } from '../../../src/stream.ts';
import { readFixtures } from '../../fixture.ts';
import { randomInput, randomOf, SEED } from '../../random.ts';
import { bytewise } from '../stream/run.ts';
import { asValues, expectedOf, type Said } from './expected.ts';
import { rescue } from '../../../src/runtime/stream/rescue.ts';

export interface Case {
  readonly told: string;
  readonly input: Uint8Array;
  readonly options: StreamOptions;
  readonly cuts: readonly number[];
}

export function* fixtureCases(): Generator<Case> {
  const random = randomOf(SEED);
  for (const { name, input, options } of readFixtures()) {
    const cuts = bytewise(input).filter(() => random.once(3));
    yield { told: `${name}, OPENCHATML_SEED=${SEED}`, input, options: { ...options, reasoning: true }, cuts };
  }
}

const DIALECTS = ['openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1', 'harmony', 'auto'] as const;

export function* randomCases(inputs: number): Generator<Case> {
  const seeds = randomOf(SEED);
  for (let run = 0; run < inputs; run++) {
    const random = randomOf(seeds.below(0x7fffffff));
    const input = randomInput(random, 12);
    const options = {
      dialect: random.pick(DIALECTS), role: random.once(2) ? 'assistant' : undefined, stopStripped: random.once(4),
      missingChannel: random.once(2), reasoning: random.once(2), rescue: random.once(3) ? rescue : undefined,
    };
    const cuts = bytewise(input).filter(() => random.once(3));
    const told = `OPENCHATML_SEED=${SEED}, run ${run}, ${JSON.stringify(options)}: `
      + JSON.stringify(Buffer.from(input).toString('latin1'));
    yield { told, input, options, cuts };
  }
}

export interface ReadBack {
  /** The visible deltas, joined. */
  readonly shown: string;
  /** Texts, calls and reasoning, each in order; `null`: the form does not keep one apart from the next. */
  readonly texts: readonly string[] | null;
  readonly calls: readonly { name: string; arguments: string }[];
  readonly reasoning: readonly string[] | null;
  readonly allReasoning: string;
}

/** What a client read is what `parse` and `show` give of the input. */
export function expectRead(found: ReadBack, { told, input, options }: Case): void {
  const { said, isExact } = expectedOf(input, options);
  if (!isExact) return;
  const texts = said.flatMap((one) => ('text' in one ? [one.text] : []));
  const reasoning = said.flatMap((one) => ('reasoning' in one ? [one.reasoning] : []));
  const calls = said.filter((one): one is Extract<Said, { name: string }> => 'name' in one);
  expect(found.shown, told).toBe(texts.join(''));
  if (found.texts) expect(found.texts, told).toEqual(texts);
  if (found.reasoning) expect(found.reasoning, told).toEqual(reasoning);
  expect(found.allReasoning, told).toBe(reasoning.join(''));
  const isLine = options.dialect === 'openchatml-0.1' || options.dialect === 'auto';
  expect(isLine ? asValues(found.calls) : found.calls, told).toEqual(isLine ? asValues(calls) : calls);
}
