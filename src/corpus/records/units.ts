// The units of an input of records, one after the other, the quick way where there is one.

import { type Source, type SourceWatcher, WatchedSource } from '../../scan/source.ts';
import type { Scanners } from '../jobs/scanners.ts';
import type { KnownBad } from './known-bad.ts';
import { layoutOf } from './layout.ts';
import { RecordLines } from './lines.ts';
import { canJoinRows, canReadRows, ChatLines } from './chat-lines.ts';
import type { RecordRows } from './rows.ts';
import { beginsWithTurn } from './turns.ts';
import { type BadRecord, type Unit, type FileOptions, unitsOf } from './unit.ts';
import type { LineRange } from './window.ts';

/** Lines, and the transcripts that the records before have beyond one each. */
export type LinesPart = LineRange & { readonly surplus: number };

/** From the beginning to the end. */
export const ALL: LinesPart = { from: 0, to: Infinity, record: 0, line: 1, surplus: 0 };

/**
 * Chat records may come as rows, which `Units.items` gives; also texts that may be transcripts; or what their
 * definitions say is wanted, too.
 */
export type RowsWanted = 'none' | 'chats' | 'texts' | 'definitions';

/** The units of a part, with what is known of the part when they were all taken. */
export class Units implements SourceWatcher {
  readonly #lines: RecordLines | ChatLines | null;
  readonly #all: Iterable<Unit | BadRecord | RecordRows>;
  readonly #joinsTurns: boolean;
  records: number;
  #furthest = 0;

  /** Rows of tables may come as rows, too: their positions are those of the decoded file. */
  constructor(
    scanners: Scanners, path: string, source: Source, options: FileOptions, part: LinesPart,
    rows: RowsWanted = 'none',
  ) {
    const counted = new WatchedSource(source, this);
    this.records = part.record;
    const layout = part.from > 0 ? 'lines' : layoutOf(source);
    const isRead = rows !== 'none' && canReadRows(options, { takesField: true });
    const isTurns = part.from === 0 && beginsWithTurn(source);
    const joinsTurns = isTurns && canJoinRows(options);
    this.#joinsTurns = joinsTurns;
    this.#lines = isRead && isTurns === joinsTurns ? new ChatLines(scanners, counted, options, part, layout, {
      takesTexts: rows === 'texts', joinsTurns, writesTools: rows === 'definitions',
    })
      : isTurns ? null
      : layout !== 'lines' ? null
      : new RecordLines(scanners.text, scanners.machine, counted, options, part);
    this.#all = this.#lines?.units() ?? unitsOf(scanners.machine, path, counted, options);
  }

  [Symbol.iterator](): Iterator<Unit | BadRecord> {
    return this.items() as Iterator<Unit | BadRecord>;
  }

  *items(): Generator<Unit | BadRecord | RecordRows, void, void> {
    try {
      for (const unit of this.#all) {
        if (this.#lines === null) this.records = (unit as Unit).record! + 1;
        yield unit;
      }
    } finally {
      if (this.#lines !== null) this.records = this.#lines.records;
    }
  }

  /** The units of a record among rows, which is not read as rows. */
  slow(rows: RecordRows, record: number): Iterable<Unit | BadRecord> {
    return (this.#lines as ChatLines).slow(rows, record);
  }

  /** The unit of a record that was written as text from its rows. The scanner of text may be at work. */
  whole(rows: RecordRows, record: number): Unit {
    return (this.#lines as ChatLines).whole(rows, record);
  }

  /** What bad records among rows were told. */
  get knownBad(): KnownBad {
    return (this.#lines as ChatLines).knownBad;
  }

  /** Where the line of the unit at hand begins in the input; null: it is not known. */
  get lineFrom(): number | null {
    return this.#lines?.lineFrom ?? null;
  }

  hasRead(to: number): void {
    this.#furthest = Math.max(this.#furthest, to);
  }

  /** Lines of a part that others follow: an input of turns has none. */
  get lines(): number {
    return this.#joinsTurns ? 0 : this.#lines?.lines ?? 0;
  }

  /** Position up to which the part was done with. */
  end(to: number): number {
    return Math.min(to, this.#furthest);
  }
}
