// Line feeds and characters of a span of the window, in every build.
import { expect, test } from 'vitest';
import type { Machine } from '../../src/scan/machine.ts';
import { Twin } from '../../src/scan/twin/twin.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { randomOf, SEED } from '../random.ts';

const machines: readonly Machine[] = [
  new WasmMachine({ build: 'simd' }), new WasmMachine({ build: 'scalar' }), new Twin(),
];

test.each(
  machines.map((machine) => [machine.engine, machine] as const),
)(`%s (OPENCHATML_SEED=${SEED})`, (_, machine) => {
  const random = randomOf(SEED);
  for (let run = 0; run < 3000; run++) {
    const text =
      Array.from({ length: random.below(120) }, () => random.pick(['\n', 'a', 'é', '€', '😀', '\t', '\u008a'])).join('');
    const bytes = new TextEncoder().encode(text);
    const from = random.below(70);
    const to = from + bytes.length;
    // What stands around the span counts nothing.
    machine.source.fill(random.pick([0x0a, 0x61, 0x80]), 0, to + 100);
    machine.source.set(bytes, from);
    expect(machine.countLines(from, to)).toBe(text.split('\n').length - 1);
    expect(machine.countCharacters(from, to)).toBe([...text].length);
  }
});
