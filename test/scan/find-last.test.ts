// The last bracket of a span of the window, in every build.
import { expect, test } from 'vitest';
import type { Machine } from '../../src/scan/machine.ts';
import { Twin } from '../../src/scan/twin/twin.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';

const machines: readonly Machine[] = [
  new WasmMachine({ build: 'simd' }), new WasmMachine({ build: 'scalar' }), new Twin(),
];

test.each(
  machines.map((machine) => [machine.engine, machine] as const),
)('%s: at each place, with others around the span', (_, machine) => {
  const find = (from: number, to: number, byte: number): number => machine.findLast(from, to, byte);
  for (const [byte, other] of [[0x7d, 0x5d], [0x7b, 0x5b]] as const) {
    for (const from of [0, 1, 15, 16, 40]) {
      for (let length = 0; length <= 50; length++) {
        const to = from + length;
        machine.source.fill(0x61, 0, 120);
        // What stands outside decides nothing; nor does what is alike but for other bits.
        machine.source.fill(byte, Math.max(0, from - 20), from);
        machine.source.fill(byte, to, to + 20);
        machine.source.fill(byte ^ 0x80, from, to);
        expect(find(from, to, byte)).toBe(-1);
        for (let at = from; at < to; at++) {
          machine.source[at] = at % 2 === 0 ? byte : other;
          if (find(from, to, byte) !== at) expect(find(from, to, byte), `${from}, ${length}`).toBe(at);
        }
      }
    }
  }
});
