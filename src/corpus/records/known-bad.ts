// What was wrong with short records.

import { KnownShort } from './known-short.ts';
import type { CorpusRecord, Placed, RecordProblem } from './record.ts';
import { type BadRecord, badRecord, isBad, type Unit, type FileOptions, unitsOfRecord } from './unit.ts';

export class KnownBad {
  readonly #options: FileOptions;
  readonly #known = new KnownShort<BadRecord>();

  constructor(options: FileOptions) {
    this.#options = options;
  }

  /** The units of the record at a place, which `read` reads. */
  units(bytes: Buffer, place: Placed, read: () => CorpusRecord | RecordProblem): Iterable<Unit | BadRecord> {
    const known = this.#known.get(bytes);
    if (known !== undefined) return [badRecord(place, known.rule, known.detail, known.pointer)];
    const record = read();
    if (!KnownShort.takes(bytes)) return unitsOfRecord(record, this.#options);
    const bad = onlyBad(unitsOfRecord(record, this.#options));
    if (bad === null) return unitsOfRecord(record, this.#options);
    if (isPlaceless(record)) this.#known.keep(bytes, bad);
    return [bad];
  }
}

/** Whether what is told of a record names no place in it, which would be the first one's for all that are alike. */
export const isPlaceless = (record: CorpusRecord | RecordProblem): boolean =>
  !('problem' in record) || record.at === null;

/** What is wrong with a record that gives nothing else. */
function onlyBad(units: Iterator<Unit | BadRecord>): BadRecord | null {
  const { done, value } = units.next();
  return !done && isBad(value) && units.next().done ? value : null;
}
