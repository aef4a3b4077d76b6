// Files and fill-ins of 0.1 in inputs that are read once, in pieces, and by several threads: the same as in memory.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { rawTranscripts } from './raw-transcripts.ts';
import { Refusal } from '../../../src/formats/loss.ts';
import { transcriptData } from '../../../src/formats/transcript-data.ts';
import type { FileData } from '../../../src/model/data.ts';
import { parse } from '../../../src/rules/library-best.ts';
import { createMachine } from '../../../src/scan/engine.ts';
import { runs } from '../../long.ts';
import { type Random, randomInput, randomOf, SEED } from '../../random.ts';
import { SlowSource } from '../input/slow-source.ts';
import { jobsHere, seen } from '../jobs/seen.ts';

const folder = mkdtempSync(join(tmpdir(), 'openchatml-raw-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const DIALECT = 'openchatml-0.1';
const PIECES = [
  '<|file_separator|>', '<|file_separator|>', '<|fim_prefix|>', '<|fim_middle|>', '<|fim_suffix|>', '<s>', '</s>',
  '<|im_end|>', 'a', ' ', '\n', '\u00e9', '<|im_start|>user\nQ\n<|im_end|>\n', '<|im_start|>assistant\n<|im_end|>',
];

function inputOf(random: Random): Uint8Array {
  const parts = Array.from({ length: 1 + random.below(24) }, () =>
    random.once(8) ? randomInput(random, 2) : Buffer.from(random.pick(PIECES)));
  return Buffer.concat(parts);
}

/** A pipe: what was released is gone. */
class Pipe extends SlowSource {
  #first = 0;

  override bytes(from: number, to: number): Uint8Array {
    if (from < this.#first) throw new Error('released');
    return super.bytes(from, to);
  }

  override release(before: number): void {
    this.#first = before;
    super.release(before);
  }
}

test(`a pipe gives the files that memory gives (OPENCHATML_SEED=${SEED})`, () => {
  const machine = createMachine({ engine: 'js', window: 1024 });
  let files = 0;
  for (let round = 0; round < runs(4000); round++) {
    const random = randomOf(SEED + round);
    const bytes = inputOf(random);
    const wanted: (readonly FileData[] | string)[] = [];
    for (const transcript of parse(bytes, { dialect: DIALECT }).transcripts) {
      try {
        const data = transcriptData(transcript);
        if (data.messages.length > 0 || data.files) wanted.push(data.files ?? []);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        wanted.push(error.message);
      }
    }
    const source = new Pipe(bytes, 1 + random.below(40));
    const found = [...rawTranscripts(machine, source, { dialect: DIALECT })]
      .filter(({ data, refusal }) => refusal !== null || data.messages.length > 0 || data.files)
      .map(({ data, refusal }) => refusal?.message ?? data.files ?? []);
    expect(found, `seed ${SEED}, round ${round}`).toEqual(wanted);
    files += wanted.reduce((sum, own) => sum + (typeof own === 'string' ? 0 : own.length), 0);
  }
  expect(files).toBeGreaterThan(runs(4000));
});

test('white space that fills windows, before a token and before a message', () => {
  const space = ' '.repeat(5000);
  const text = `<|im_start|>user\nQ\n<|im_end|>\none${space}<|file_separator|>${space}two${space}<|im_start|>user\nR`;
  const machine = createMachine({ engine: 'js', window: 1024 });
  const [found] = [...rawTranscripts(machine, new Pipe(Buffer.from(text), 100), { dialect: DIALECT })];
  expect(found!.data.files).toEqual([
    { before: 1, parts: [`one${space}`] },
    { before: 1, parts: [`${space}two${space}`] },
  ]);
});

test('bytes that are not UTF-8 are told', () => {
  const bytes = Buffer.from('a\u00ff<|file_separator|>b', 'latin1');
  const [found] = [...rawTranscripts(createMachine(), new SlowSource(bytes, 100), { dialect: DIALECT })];
  expect(found!.data.files!.map(({ parts }) => parts)).toEqual([['a\ufffd'], ['b']]);
  expect(found!.losses).toEqual([
    { what: 'field', message: null, detail: 'bytes of files that are not UTF-8 become U+FFFD' },
  ]);
});

test(`any parts of an input convert to what the whole does (OPENCHATML_SEED=${SEED})`, async () => {
  for (let round = 0; round < runs(400); round++) {
    const random = randomOf(SEED + round);
    const path = join(folder, `input-${round}`);
    writeFileSync(path, Buffer.concat(Array.from({ length: 6 }, () => inputOf(random))));
    const work = {
      kind: 'convert', to: DIALECT, from: 'auto', format: 'text', forTerminal: false, neutralise: random.once(2),
    } as const;
    const read = random.once(2) ? { dialect: DIALECT } as const : {};
    const whole = await seen(path, work, read, 1);
    const step = 1 + random.below(200);
    expect(await seen(path, work, read, 2, { step: () => step, least: 0 }, jobsHere()), `seed ${SEED}, round ${round}`)
      .toEqual(whole);
  }
});
