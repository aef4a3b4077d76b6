// What is known of short messages is said of those alone that are the same: what is found in many is what is found in
// each of them by itself.
import { expect, test } from 'vitest';
import { auditText } from '../../../src/corpus/audit/audit.ts';
import { createMachine } from '../../../src/index.ts';
import { MemorySource } from '../../../src/scan/source.ts';
import { runs } from '../../long.ts';
import { type Random, randomOf, SEED } from '../../random.ts';

const machine = createMachine();
const DIALECTS = ['openchatml-2.2', 'openchatml-2.0', 'harmony'] as const;
const HEADERS = [
  '', 'user', 'assistant', 'tool', 'system', 'user name=x', 'assistant<|channel|>final', 'assistant<|fim_prefix|>',
  'user name=&lt;', 'tool to=<|END|>', 'assistant to=f<|channel|>commentary', 'user<|channel|>\u00e9',
];
const BODIES = [
  '', 'x', '<|im_start|>', '<|END|>', '[INST]', '<s>', '<<|end|>', 'a<b', '<|fim_prefix|>', '&lt;|end|&gt;',
  '<|channel|>',
];
const ENDS = ['<|end|>', '<|call|>', '<|return|>', '<|end|><|end|>', ''];

function message(random: Random): string {
  const body = random.once(4) ? '' : `<|message|>${random.pick(BODIES)}`;
  return `<|start|>${random.pick(HEADERS)}${body}${random.pick(ENDS)}`;
}

type Dialect = (typeof DIALECTS)[number];

/** Findings, and changes: what they are and where. */
function found(text: string, dialect: Dialect, tellsOnly: boolean): { at: number; what: object }[] {
  const options = { dialect, tellsOnly, lookAlikes: true, foreign: true };
  return [...auditText(machine, new MemorySource(Buffer.from(text)), options)].flatMap((one) => {
    if (typeof one === 'number') return [];
    const edits: { from: number; to: number; bytes: string }[] = [];
    for (const edit = one.change?.byteEdits(); edit?.next(); ) {
      const { from, to, bytes } = edit;
      edits.push({ from: from - one.at, to: to - one.at, bytes: Buffer.from(bytes).toString() });
    }
    const findings = one.findings.map(({ rule, severity, from, to, message: words }) => {
      return { rule, severity, from: from - one.at, to: to - one.at, words: words.replace(/ \(.*\)$/, '') };
    });
    return [{ at: one.at, what: { findings, edits, left: one.left } }];
  });
}

test(`random messages (seed ${SEED})`, { timeout: 20 * 60_000 }, () => {
  const around = '<|start|>user<|message|>x<|end|>';
  let hits = 0;
  for (let run = 0; run < runs(500); run++) {
    const random = randomOf(SEED + run);
    const dialect = random.pick(DIALECTS);
    const few = Array.from({ length: 1 + random.below(4) }, () => message(random));
    const messages = Array.from({ length: 20 }, () => random.pick(few));
    for (const tellsOnly of [false, true]) {
      const alone = new Map(few.map((one) => [one, found(around + one + around, dialect, tellsOnly)]));
      let at = around.length;
      const expected = messages.flatMap((one) => {
        const moved = alone.get(one)!.map((each) => ({ ...each, at: each.at + at - around.length }));
        at += Buffer.byteLength(one);
        return moved;
      });
      hits += expected.length;
      const all = found(around + messages.join('') + around, dialect, tellsOnly);
      expect(all, `seed ${SEED + run}, ${dialect}: ${messages.join('')}`).toEqual(expected);
    }
  }
  // Else nothing was shown.
  expect(hits).toBeGreaterThan(runs(500));
});
