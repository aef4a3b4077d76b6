// Ways to read an input in tests: records and rows of a source, and a source that gives its bytes in pieces.
import { MESSAGE, ROW_WORDS } from '../src/abi.ts';
import { readYaml } from '../src/model/header/yaml.ts';
import { type MessageRecord } from '../src/model/message.ts';
import { Message } from '../src/model/message.ts';
import { PartWalk } from '../src/model/part-walk.ts';
import type { ReadOptions } from '../src/model/walk.ts';
import type { Machine } from '../src/scan/machine.ts';
import { MemorySource, type Source } from '../src/scan/source.ts';
import { kindOf, nextOf } from '../src/scan/table.ts';

/** Gives at most `cuts(read)` bytes a read, `read` counting reads from 0; does not tell where it ends. */
export class Chunked extends MemorySource {
  override readonly end = Infinity;
  readonly #cuts: (read: number) => number;
  #reads = 0;

  constructor(bytes: Uint8Array, cuts: (read: number) => number) {
    super(bytes);
    this.#cuts = cuts;
  }

  override read(at: number, into: Uint8Array): number {
    return super.read(at, into.subarray(0, this.#cuts(this.#reads++)));
  }
}

/** What `messages` prints. */
export function recordsOf(
  machine: Machine, source: Source, options: ReadOptions,
): (MessageRecord & { content: string })[] {
  const walk = new PartWalk(machine, source, { yaml: readYaml, ...options });
  const records: (MessageRecord & { content: string })[] = [];
  for (const batch of walk.batches()) {
    for (let row = batch.from; row < batch.to; row = nextOf(batch, row)) {
      walk.divider.place(batch, row);
      if (kindOf(batch, row) !== MESSAGE) continue;
      const message = new Message(batch, row, walk.divider.context, false, walk.divider.messages - 1);
      const record = message.toRecord();
      records.push({ ...record, content: message.content });
    }
  }
  return records;
}

/** All rows with absolute positions, as text to compare. */
export function rowsOf(machine: Machine, source: Source, options: ReadOptions): string {
  const walk = new PartWalk(machine, source, { yaml: readYaml, ...options });
  let text = '';
  let count = 0;
  for (const batch of walk.batches()) {
    const shift = count - batch.from;
    for (let row = batch.from; row < batch.to; row++) {
      const at = (row - batch.first) * ROW_WORDS;
      const { words, base } = batch;
      text += `${words[at]} ${words[at + 1]! + base} ${words[at + 2]! + base} ${words[at + 3]! + shift}\n`;
    }
    count += batch.to - batch.from;
    for (let row = batch.from; row < batch.to; row = nextOf(batch, row)) walk.divider.place(batch, row);
  }
  return text;
}
