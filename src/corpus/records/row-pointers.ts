// JSON pointers of calls and texts that stand in rows of a record. Its line is read again, up to the place: nothing of
// this is done for records in which nothing is found.

import type { RuleName } from '../../errors.ts';
import { CALL, FROM, KIND, TO, TOKEN_MASK, TOKEN_SHIFT } from '../../abi.ts';
import { wordAt } from '../../scan/record-rows.ts';
import { JsonPointers, placesOf } from './json-place.ts';
import { EntryCalls, messageSpot, Spot } from './pointer.ts';
import { RowEntries } from './row-entries.ts';
import type { RecordRows } from './rows.ts';

/** The bytes of a record; valid while its rows are. */
export function bytesOfRow({ machine }: RecordRows, record: number): Uint8Array {
  const [from, to] = [wordAt(machine.rows, record, FROM), wordAt(machine.rows, record, TO)];
  return machine.input.subarray(from - machine.origin, to - machine.origin);
}

export class RowPointers {
  readonly #rows: Int32Array;
  readonly #bytes: Uint8Array;
  /** Its address. */
  readonly #from: number;
  readonly #pointers: JsonPointers;
  readonly #entries: RowEntries | null;
  /** Where these are not known; apart from those of entries, so that both rise. */
  #texts: JsonPointers | undefined;
  /** The entry whose messages pass, by its address, and how many of them were calls. */
  #entry = -1;
  #calls = 0;
  /** What was read of an entry. */
  #read: { readonly entry: number; readonly calls: EntryCalls } | undefined;

  constructor(rows: RecordRows, record: number) {
    const { machine } = rows;
    this.#rows = machine.rows;
    this.#from = wordAt(machine.rows, record, FROM);
    this.#bytes = bytesOfRow(rows, record);
    this.#pointers = new JsonPointers(this.#bytes);
    this.#entries = RowEntries.of(rows, record, this.#bytes);
  }

  /** A message of the record, in order; each is to be passed. */
  pass(row: number): void {
    const entry = wordAt(this.#rows, row, FROM);
    if (entry !== this.#entry) this.#calls = 0;
    this.#entry = entry;
    if (((wordAt(this.#rows, row, KIND) >>> TOKEN_SHIFT) & TOKEN_MASK) === CALL) this.#calls++;
  }

  /**
   * The pointer of the call that was passed last, or of its part that a rule is about; `inBody`: of its arguments.
   */
  pointer(row: number, rule: RuleName = 'open-call', inBody = false): string {
    return this.#callsOf(row)?.spot(this.#calls - 1, rule, inBody).pointer ?? '';
  }

  /** The pointer of the reply that was passed last, of an entry that is one, or of its part that a rule is about. */
  reply(row: number, rule: RuleName): string {
    const reply = this.#callsOf(row)?.reply(0);
    return reply === undefined ? '' : messageSpot(reply, rule, false, false).pointer;
  }

  #callsOf(row: number): EntryCalls | null {
    const entry = this.#entry;
    if (this.#read?.entry !== entry) {
      const from = entry - this.#from;
      const place = placesOf(this.#bytes.subarray(from, wordAt(this.#rows, row, TO) - this.#from));
      const pointer = this.#pointers.at(from);
      if (place === null || pointer === null) return null;
      this.#read = { entry, calls: new EntryCalls(new Spot(place, pointer)) };
    }
    return this.#read.calls;
  }

  /** The pointer of the string whose inside is the body at a row, of the message that was passed last. */
  text(body: number): string {
    const at = wordAt(this.#rows, body, FROM) - 1 - this.#from;
    const from = this.#entry - this.#from;
    const entries = this.#entries;
    if (entries !== null) while (entries.from < from || entries.index < 0) if (!entries.next()) break;
    if (entries?.from !== from) return (this.#texts ??= new JsonPointers(this.#bytes)).at(at) ?? '';
    // The entry up to the text.
    const inner = new JsonPointers(this.#bytes.subarray(from, entries.to)).at(at - from);
    return inner === null ? '' : `/${entries.list}/${entries.index}${inner}`;
  }
}
