// What was wrong with short records, by their bytes. A hostile input is millions of them, all alike: to read each again
// takes many times as long as to know it.

import type { CorpusRecord, Placed, RecordProblem } from './record.ts';
import { type BadRecord, badRecord, isBad, type Unit, type FileOptions, unitsOfRecord } from './unit.ts';

/** Bytes of a record that is kept, and how many there are. */
const LONGEST = 64;
const MOST = 64;

export class KnownBad {
  readonly #options: FileOptions;
  readonly #known = new Map<string, BadRecord>();

  constructor(options: FileOptions) {
    this.#options = options;
  }

  /** The units of the record at a place, which `read` reads. */
  units(bytes: Buffer, place: Placed, read: () => CorpusRecord | RecordProblem): Iterable<Unit | BadRecord> {
    if (bytes.length > LONGEST) return unitsOfRecord(read(), this.#options);
    const text = bytes.toString('latin1');
    const known = this.#known.get(text);
    if (known !== undefined) return [badRecord(place, known.rule, known.detail, known.pointer)];
    const record = read();
    const bad = onlyBad(unitsOfRecord(record, this.#options));
    if (bad === null) return unitsOfRecord(record, this.#options);
    // What is told of a place in it would be told of the first one's.
    if (!('problem' in record) || record.at === null) {
      if (this.#known.size === MOST) this.#known.clear();
      this.#known.set(text, bad);
    }
    return [bad];
  }
}

/** What is wrong with a record that gives nothing else. */
function onlyBad(units: Iterator<Unit | BadRecord>): BadRecord | null {
  const { done, value } = units.next();
  return !done && isBad(value) && units.next().done ? value : null;
}
