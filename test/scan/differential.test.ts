// SIMD = scalar = TypeScript on ten million random inputs, row for row. Half of them stand before a long tail, because
// a scanner works in another way while the end of its window is far.
import { expect, test } from 'vitest';
import * as abi from '../../src/abi.ts';
import { DETECTED_20, DETECTED_22, type Dialect, DIALECTS, TOKEN_NAMES } from '../../src/scan/dialects.ts';
import type { RowMachine } from '../../src/scan/machine.ts';
import { Twin } from '../../src/scan/twin/twin.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { WasmCore } from '../../src/scan/wasm-core.ts';
import { runs } from '../long.ts';
import { randomInput, randomOf, SEED, type Random } from '../random.ts';

const INPUTS = runs(10_000_000, 50);

/** Short inputs are made of these, longer ones by randomInput, which is slower. */
const FRAGMENTS = [
  ...TOKEN_NAMES.slice(1, 28).map((name) => `<|${name}|>`),
  ...TOKEN_NAMES.slice(1, 10).map((name) => `<|${name}|>`),
  '<|start|>user<|message|>', '<|start|>assistant<|channel|>final<|message|>', '<|im_start|>user\n', '<|start|>tool',
  '<|start|>assistant', '<|channel|>analysis', '<|channel|>commentary', '<|constrain|>json', ' to=functions.f',
  ' call_id=1',
  ' name=n', ' intent=preamble', ' content_type=json', 'user', 'assistant', 'system', 'final', 'json', 'x', ' ', '\n',
  '\r\n', '<',
  '<<', '|', '<|', '<|en', '|>', '<s>', '</s>', '[BOS]', '[EOS]', '---\n', '...\n', 'version: 2.2\n', 'key: v\n',
  '# c\n', '\0', '=',
  '\u00e9', '\ufeff', '<|start|>u<|message|>', '<|end|>\n', '<|call|>', '<|return|>', '<<|end|>', '<|literal|>',
].map((text) => new TextEncoder().encode(text));

const DIALECT_LIST: readonly Dialect[] = [...Object.values(DIALECTS), DETECTED_22, DETECTED_20];
const TAIL = new TextEncoder().encode(`<|end|>\n<|start|>user<|message|>${'tail '.repeat(150)}`);

/** Writes an input into `into` at 0; its length. */
function makeInput(random: Random, into: Uint8Array): number {
  if (random.once(16)) {
    const input = randomInput(random);
    into.set(input);
    return input.length;
  }
  let length = 0;
  for (let left = 1 + random.below(9); left > 0; left--) {
    const fragment = random.pick(FRAGMENTS);
    into.set(fragment, length);
    length += fragment.length;
  }
  return length;
}

/** Scans a whole input; the number of rows. */
function rowsOf(machine: RowMachine, input: Uint8Array, how: number, dialect: Dialect): number {
  machine.source.set(input);
  machine.begin(how, dialect);
  let answer = machine.scan(0, input.length, true, 0);
  while (answer === abi.AFTER_HEADER) answer = machine.scan(machine.consumed(), input.length, true, 0);
  if (answer !== abi.DONE) throw new Error(`scan() answered ${answer}`);
  return machine.count();
}

function same(a: Int32Array, b: Int32Array, rows: number): boolean {
  for (let i = 0; i < rows * abi.ROW_WORDS; i++) if (a[i] !== b[i]) return false;
  return true;
}

test(`${INPUTS} inputs give the same rows in all builds (OPENCHATML_SEED=${SEED})`, { timeout: 1_200_000 }, () => {
  const machines = [
    new Twin({ tableRows: 4096 }), new WasmMachine({ build: 'simd' }), new WasmMachine({ build: 'scalar' }),
    new WasmCore(),
  ];
  const names = ['TypeScript', 'SIMD', 'scalar', 'rows alone'];
  const random = randomOf(SEED);
  const buffer = new Uint8Array(1 << 16);
  for (let run = 0; run < INPUTS; run++) {
    let length = makeInput(random, buffer);
    if (random.once(2)) {
      buffer.set(TAIL, length);
      length += TAIL.length;
    }
    const input = buffer.subarray(0, length);
    const dialect = random.pick(DIALECT_LIST);
    const how = random.once(8) ? abi.AT_ROLE : random.once(8) ? abi.IN_GAP : abi.AT_INPUT;
    const counts = machines.map((machine) => rowsOf(machine, input, how, dialect));
    for (let i = 1; i < machines.length; i++) {
      if (counts[i] === counts[0] && same(machines[i]!.rows, machines[0]!.rows, counts[0]!)) continue;
      const told = `OPENCHATML_SEED=${SEED}, run ${run}, ${dialect.id}, begin ${how}, `
        + `${JSON.stringify(Buffer.from(input).toString('latin1'))}`;
      const table = (machine: RowMachine, rows: number): number[][] =>
        Array.from({ length: rows }, (_, row) => {
          return [...machine.rows.subarray(row * abi.ROW_WORDS, (row + 1) * abi.ROW_WORDS)];
        });
      expect(table(machines[i]!, counts[i]!), `${names[i]}: ${told}`).toEqual(table(machines[0]!, counts[0]!));
    }
  }
});
