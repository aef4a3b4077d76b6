// Reasoning that is written as text (R-THINK): what a view reads in bytes is what data reads in the same text.
import { expect, test } from 'vitest';
import { parseOn } from '../../src/model/parse.ts';
import { thoughtIn } from '../../src/model/written-thought.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { runs } from '../long.ts';
import { randomOf, SEED } from '../random.ts';
import { contentOffset } from '../../src/model/message-rows.ts';

const MACHINE = new WasmMachine();
const PIECES = [
  '<think>', '</think>', '<think', '</think', '<', '>', '/', 'think>', ' ', '\n', '\t', 'a', 'text ', '<<', '\r\n',
  '\u00a0', 'x'.repeat(65_530),
];

const RUNS = runs(20_000);
test(`${RUNS} random texts (OPENCHATML_SEED=${SEED})`, () => {
  const random = randomOf(SEED);
  let found = 0;
  for (let run = 0; run < RUNS; run++) {
    let content = '';
    for (let left = random.below(9); left > 0; left--) {
      const piece = random.pick(PIECES);
      if (piece.length < 100 || random.once(9)) content += piece;
    }
    // A `<` at the end would make the terminator text.
    content += random.pick(['.', ' ', '</think>']);
    const text = `<|start|>assistant<|message|>${content}<|end|>`;
    const [message] = parseOn(MACHINE, text, { dialect: 'openchatml-2.2' }).messages();
    const read = message!.writtenThought;
    const at = (position: number): number => contentOffset(message!, position);
    const placed = read && {
      from: at(read.from), to: at(read.to), textFrom: at(read.textFrom), textTo: at(read.textTo),
      marker: { from: at(read.marker.from), to: at(read.marker.to) }, isOpened: read.isOpened,
    };
    expect(placed, `OPENCHATML_SEED=${SEED}, run ${run}: ${JSON.stringify(content)}`).toEqual(thoughtIn(content));
    if (read !== null) found++;
  }
  expect(found).toBeGreaterThan(RUNS / 10);
});
