// What was wrong with short records.

import { KnownBytes } from '../../model/known-bytes.ts';
import type { CorpusRecord, Placed, RecordProblem } from './record.ts';
import {
  type BadRecord, badRecord, type BadRecordRule, detailOf, type FileOptions, isBad, type Unit, unitsOfRecord,
} from './unit.ts';

/** What is told of a record wherever it stands. */
export interface Fault {
  readonly rule: BadRecordRule;
  readonly detail: string;
  readonly pointer: string;
  /** Byte of the record where it goes wrong; null: unknown, or nothing to tell. */
  readonly at: number | null;
}

export class KnownBad {
  readonly #options: FileOptions;
  readonly #known = new KnownBytes<Fault>();

  constructor(options: FileOptions) {
    this.#options = options;
  }

  /** What is known to be wrong with bytes [from, to); undefined: nothing. */
  get(bytes: Uint8Array, from: number, to: number): Fault | undefined {
    return this.#known.get(bytes, from, to);
  }

  /** The units of the record at a place, which `read` reads. */
  units(bytes: Buffer, place: Placed, read: () => CorpusRecord | RecordProblem): Iterable<Unit | BadRecord> {
    const known = this.#known.get(bytes);
    if (known !== undefined) return [faultyRecord(place, known)];
    const record = read();
    if (!KnownBytes.fits(bytes.length)) return unitsOfRecord(record, this.#options);
    const units = [...unitsOfRecord(record, this.#options)];
    const [first] = units;
    if (units.length === 1 && isBad(first!)) this.#known.keep(bytes, faultOf(record, first));
    return units;
  }
}

/** What is told of the record, without its place. */
export function faultOf(
  record: CorpusRecord | RecordProblem, { rule, detail, pointer }: Pick<BadRecord, 'rule' | 'detail' | 'pointer'>,
): Fault {
  if (!('problem' in record) || record.at === null) return { rule, detail, pointer, at: null };
  return { rule, detail: record.problem, pointer, at: record.at - record.from };
}

/** The bad record at a place. */
export function faultyRecord(place: Placed, { rule, detail, pointer, at }: Fault): BadRecord {
  return badRecord(place, rule, detailOf(detail, at), pointer, at);
}
