// What holds for every build of the scanner: small tables written by hand, each one under every cut; on random input,
// what holds for every table.
import { describe, expect, test } from 'vitest';
import * as abi from '../../src/abi.ts';
import { DETECTED_20, DETECTED_22, DIALECTS, type Dialect } from '../../src/scan/dialects.ts';
import type { RowMachine } from '../../src/scan/machine.ts';
import { runs } from '../long.ts';
import { randomInput, randomOf, SEED } from '../random.ts';
import { bytesOf, CASES } from './cases.ts';
import { drive, randomPlan, type Plan } from './drive.ts';
import { findings, show } from './table.ts';

const V22 = DIALECTS['openchatml-2.2'];
const V20 = DIALECTS['openchatml-2.0'];
const V01 = DIALECTS['openchatml-0.1'];
const HARMONY = DIALECTS.harmony;
const DIALECTS_BY_NAME: Record<string, Dialect> = { V22, V20, V01, HARMONY, DETECTED_22, DETECTED_20 };

export interface Machines {
  /** One with room for everything, one whose window and table are small, one with the least of both. */
  wide: RowMachine;
  narrow: RowMachine;
  least: RowMachine;
  /** Bytes that may be held back. */
  mostHeld: number;
}

/** Compared by hand: a comparison with a message for each of many thousand tables would take most of the time. */
function expectSame(table: Int32Array, expected: Int32Array, told: () => string): void {
  const same = table.length === expected.length && table.every((word, at) => word === expected[at]);
  if (!same) expect(table, told()).toEqual(expected);
}

function tell(run: number, input: Uint8Array): string {
  return `OPENCHATML_SEED=${SEED}, run ${run}: ${JSON.stringify(new TextDecoder('latin1').decode(input))}`;
}

/** Runs everything on three machines of one build. */
export function scannerSuite({ wide, narrow, least, mostHeld }: Machines): void {
  describe.each(CASES)('%s', (_, dialect, cases) => {
    test.each(cases)('%j', (text, rows, options) => {
      const input = bytesOf(text);
      const plan: Plan = { dialect, mostHeld, ...options };
      const table = drive(wide, input, plan);
      const expected = rows.map((row) => {
        const [word, bytes] = [row.slice(0, row.indexOf('|')), row.slice(row.indexOf('|') + 1)];
        return `${word}|${new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytesOf(bytes))}`;
      });
      expect(show(table, input)).toEqual(expected);
      if (options?.answers === undefined) {
        expect(findings(table, input, dialect, options?.how ?? abi.AT_INPUT)).toEqual([]);
      }

      for (let at = 1; at < input.length; at++) {
        const cuts = [at, input.length];
        expect(drive(wide, input, { ...plan, chunk: () => cuts.shift() ?? 1 }), `cut at ${at}`).toEqual(table);
      }
      const bytewise: Plan = { ...plan, chunk: () => 1 };
      expect(drive(wide, input, bytewise), 'byte by byte').toEqual(table);
      const drained: Plan = { ...bytewise, drains: () => true, slides: () => true };
      expect(drive(narrow, input, drained), 'drained every time').toEqual(table);
      expect(drive(least, input, plan), 'two rows').toEqual(table);
      const random = randomOf(SEED);
      for (let run = 0; run < 20; run++) {
        const machine = run % 2 === 0 ? narrow : least;
        expect(drive(machine, input, randomPlan(random, plan)), `OPENCHATML_SEED=${SEED}, run ${run}`).toEqual(table);
      }
    });
  });

  describe('random input', () => {
    test.each(Object.keys(DIALECTS_BY_NAME))('%s: tables are whole, whatever the cuts', (name) => {
      const dialect = DIALECTS_BY_NAME[name]!;
      const seeds = randomOf(SEED);
      for (let run = 0; run < runs(3400); run++) {
        const random = randomOf(seeds.below(0x7fffffff));
        const input = randomInput(random);
        const how = random.pick([abi.AT_INPUT, abi.AT_INPUT, abi.AT_ROLE, abi.IN_GAP]);
        const told = (): string => tell(run, input);
        const plan: Plan = { dialect, how, mostHeld };
        const table = drive(wide, input, plan);
        const found = findings(table, input, dialect, how);
        if (found.length > 0) expect(found, told()).toEqual([]);
        expectSame(drive(narrow, input, randomPlan(random, plan)), table, told);
        expectSame(drive(least, input, randomPlan(random, plan)), table, told);
      }
    });

    test('another dialect after a header, whatever the cuts', () => {
      const seeds = randomOf(SEED);
      for (let run = 0; run < runs(2000); run++) {
        const random = randomOf(seeds.below(0x7fffffff));
        const input = randomInput(random);
        const plan: Plan = {
          dialect: DETECTED_22,
          mostHeld,
          answers: (header) => [undefined, V01, DETECTED_20][header.reduce((sum, byte) => sum + byte, 0) % 3],
        };
        const table = drive(wide, input, plan);
        expectSame(drive(narrow, input, randomPlan(random, plan)), table, () => tell(run, input));
      }
    });
  });

  describe('hostile shapes', () => {
    const size = 20_000;
    test.each([
      '<', '<|', '<<|start|>', '<|start|>', '<|literal|>', '<|start|>u<|message|><|literal|>', '---\n', '--- ', '\n---',
      'k', 'version', '\n', ' ',
      '[BO', '</', '<|channel|>', '<<', '\n#', '--', '\nversion: ', '<|start|>user to=', '\nk: "<|start|>"', '<|start',
      '<<|endlitera',
    ])('%j again and again, in small windows, with nothing held back for long', (shape) => {
      const heads = [
        '', '---', '---\n', 'k', '<|start|>', '<|start|>user<|message|>', '<|start|>u<|message|><|literal|>',
      ];
      for (const head of heads) {
        const input = new TextEncoder().encode(head + shape.repeat(Math.ceil(size / shape.length)));
        const table = drive(wide, input, { dialect: V22 });
        expect(findings(table, input, V22, abi.AT_INPUT)).toEqual([]);
        // `drive` fails when more than one token is held back, so no byte is read again more than a few times.
        expectSame(drive(narrow, input, { dialect: V22, mostHeld }), table, () => head);
      }
    });
  });
}
