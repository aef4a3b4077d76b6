// Positions in lines of messages: exact wherever the records stand in the file.
import { expect, test } from 'vitest';
import { FORM_MESSAGES } from '../../src/abi.ts';
import { linePieces } from '../../src/formats/chat/record-lines.ts';
import { RecordMachine } from '../../src/scan/record-machine.ts';

const ALL_MESSAGES = 0xffffffff;
const MACHINES = [new RecordMachine({ build: 'simd' }), new RecordMachine({ build: 'scalar' })];
const LINES = Buffer.from(Array.from({ length: 4 }, (_, i) => {
  const messages = [{ role: 'user', content: 'x'.repeat(40 * i) }, { role: 'assistant', content: 'y' }];
  return `${JSON.stringify({ messages })}\n`;
}).join(''));

type Line = Readonly<Record<'from' | 'to' | 'body_from' | 'body_to' | 'index', number>>;

/** The lines of all messages, of records that stand at `base` in their file. */
function linesAt(machine: RecordMachine, base: number): Line[] {
  machine.input.set(LINES);
  const rows = machine.scan(0, LINES.length, FORM_MESSAGES);
  machine.setPieces(linePieces('a.jsonl'));
  expect(machine.writeLines(0, rows, 0, base - machine.origin, 0, 0, ALL_MESSAGES)).toBe(rows);
  const text = Buffer.from(machine.output.subarray(0, machine.linesTo)).toString();
  return text.trimEnd().split('\n').map((line) => JSON.parse(line) as Line);
}

const NEAR = Array.from({ length: LINES.length + 2 }, (_, i) => i);

test.each([
  ['the beginning', [0, 1, 9, 10, 99_999]],
  ['100,000,000', NEAR.map((back) => 1e8 - back + 1)],
  ['1,200,000,000', NEAR.map((back) => 12e8 - back + 1)],
  ['2^32', NEAR.map((back) => 2 ** 32 - back + 1)],
  ['10^15, and 2^52', [1e15 - 200, 1e15 - 1, 1e15, 2 ** 52]],
])('around %s', (_, bases) => {
  for (const machine of MACHINES) {
    const zero = linesAt(machine, 0);
    expect(zero[0]!.from).toBe(LINES.indexOf('{"role"'));
    for (const base of bases) {
      const moved = zero.map(({ from, to, body_from, body_to, ...rest }) => {
        return { ...rest, from: from + base, to: to + base, body_from: body_from + base, body_to: body_to + base };
      });
      expect(linesAt(machine, base), `${machine.engine}, ${base}`).toEqual(moved);
    }
  }
});
