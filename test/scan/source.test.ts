// A source that tells its end is not asked beyond it, whoever stands between it and its reader.
import { expect, test } from 'vitest';
import { Places } from '../../src/corpus/places.ts';
import { Progress } from '../../src/cli/progress.ts';
import { ThreadContext } from '../../src/corpus/jobs/open.ts';
import type { InputSource } from '../../src/corpus/input/source.ts';
import { isBad } from '../../src/corpus/records/unit.ts';
import { ALL, Units } from '../../src/corpus/records/units.ts';
import { HeaderCache } from '../../src/model/transcript.ts';
import { DIALECTS } from '../../src/scan/dialects.ts';
import { createMachine } from '../../src/scan/engine.ts';
import { Reading } from '../../src/scan/reading.ts';
import { MemorySource, type Source, WatchedSource } from '../../src/scan/source.ts';
import { Checker } from '../../src/rules/check.ts';
import { Counter } from '../../src/rules/count.ts';

/** Bytes that are read once; a read at their end or behind it is an error. */
class Ending extends MemorySource implements InputSource {
  readonly path = '-';
  readonly size = null;
  readonly canReread = false;
  readonly first = 0;

  override read(at: number, into: Uint8Array): number {
    if (at >= this.end) throw new Error(`byte ${at} was asked for, and the end is ${this.end}`);
    return super.read(at, into);
  }

  close(): void {}
}

const machine = createMachine();
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const TEXT = 'version: 2.2\n---\n<|start|>user<|message|>Hi<|end|>\n<|start|>robot<|message|>';

const count = (source: Source): void => void new Counter(true).addText(machine, source, {}, false, new HeaderCache());
const readAll = (source: Source): Reading => {
  const reading = new Reading(machine, source, {
    dialect: DIALECTS['openchatml-2.2'], decide: () => DIALECTS['openchatml-2.2'],
  });
  for (const batch of reading.batches()) expect(batch.to).toBeGreaterThan(batch.from);
  return reading;
};

const READERS: [string, (source: Ending) => void][] = [
  ['a reading', (source) => readAll(source)],
  ['a watcher', (source) => readAll(new WatchedSource(source, {}))],
  ['progress', (source) => count(new Progress({ isTTY: false, write: () => {} }, null).watch(source))],
  ['places', (source) => count(new Places(source).over(source))],
  ['a reading of what was read', (source) => expect(readAll(source).end).toBe(source.end)],
  ['a check', (source) => expect([...new Checker(machine, source, {}).run()].map(({ rule }) => rule)).toEqual([
    'truncated', 'unknown-role',
  ])],
];

test.each(READERS)('%s', (_, read) => read(new Ending(encode(TEXT))));

const RECORDS = {
  'JSON lines': `{"text":"x"}\n{"messages":[]}\n{"text":"y"}`,
  'a JSON list': '[{"text":"x"}, {"messages":[]}, {"text":"y"}]',
};
test.each(Object.entries(RECORDS))('records of %s', (_, text) => {
  const context = new ThreadContext();
  const units = [...new Units(context, 'x.jsonl', new Ending(encode(text)), {}, ALL)];
  expect(units.map((unit) => (isBad(unit) ? unit.rule : unit.kind))).toEqual(['text', 'chat', 'text']);
});
