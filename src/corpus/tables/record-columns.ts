// Messages of chat records as rows of the columns of `messages`, from the cells that the record machine writes.

import {
  CELL_BODY_FROM, CELL_BODY_TO, CELL_CONTENT_TO, CELL_FROM, CELL_ID_FROM, CELL_ID_TO, CELL_INDEX, CELL_KIND,
  CELL_NAME_FROM, CELL_NAME_TO, CELL_RECORD, CELL_TO, CELLS,
} from '../../abi.ts';
import { RECORD_KINDS } from '../../formats/chat/record-lines.ts';
import type { RecordMachine } from '../../scan/record-machine.ts';
import { decodeUtf8 } from '../../utf8.ts';
import type { KindIds, MessageColumns } from './message-columns.ts';

/** Names that were met last, each at a place that its bytes give. */
const PLACES = 1024;

/** The kinds of messages that say a name, each made when it is asked for. */
interface Named {
  readonly bytes: Uint8Array;
  readonly kinds: (KindIds | undefined)[];
}

export class RecordColumns {
  readonly #rows: MessageColumns;
  readonly #kinds = new Array<KindIds | undefined>(RECORD_KINDS.length);
  readonly #named = new Array<Named | undefined>(PLACES);
  readonly #texts = new Map<string, Named>();

  constructor(rows: MessageColumns) {
    this.#rows = rows;
  }

  /** The rows are gone. */
  clear(): void {
    this.#kinds.fill(undefined);
    this.#named.fill(undefined);
    this.#texts.clear();
  }

  /**
   * Adds the messages of the machine's cells, of one record after the other. At the first message of each record, whose
   * row they get, `baseOf` answers the position of address 0, and `record` the record's number; negative: nothing more
   * is wanted. Answers the row of that record; -1: all were added.
   */
  add(
    machine: RecordMachine, transcripts: number, baseOf: (row: number) => number, record: (row: number) => number,
  ): number {
    const { cells, linesWritten: count } = machine;
    if (count === 0) return -1;
    const rows = this.#rows;
    const { content, callId } = rows;
    const memory = machine.memory;
    const { outputAt } = machine;
    let contentFrom = outputAt;
    content.fill(memory.subarray(outputAt, cells[(count - 1) * CELLS + CELL_CONTENT_TO]!));
    let row = -1;
    let number = 0;
    let base = 0;
    for (let cell = 0; cell < count * CELLS; cell += CELLS) {
      if (cells[cell + CELL_RECORD]! !== row) {
        row = cells[cell + CELL_RECORD]!;
        number = record(row);
        if (number < 0) return row;
        base = baseOf(row);
      }
      const kind = cells[cell + CELL_KIND]!;
      const nameFrom = cells[cell + CELL_NAME_FROM]!;
      const ids = nameFrom === 0 ? (this.#kinds[kind] ??= this.#kindOf(kind, null))
        : this.#kindOfNamed(kind, memory, nameFrom, cells[cell + CELL_NAME_TO]!);
      const idFrom = cells[cell + CELL_ID_FROM]!;
      if (idFrom === 0) callId.setNull();
      else {
        callId.begin();
        callId.addShort(memory, idFrom, cells[cell + CELL_ID_TO]!);
      }
      const contentTo = cells[cell + CELL_CONTENT_TO]!;
      content.take(contentTo - contentFrom);
      contentFrom = contentTo;
      rows.add(
        ids, number, transcripts + number, cells[cell + CELL_INDEX]!,
        base + cells[cell + CELL_FROM]!, base + cells[cell + CELL_TO]!,
        base + cells[cell + CELL_BODY_FROM]!, base + cells[cell + CELL_BODY_TO]!,
      );
    }
    return -1;
  }

  #kindOf(kind: number, name: string | null): KindIds {
    const { recipient, isExplicit, ...said } = RECORD_KINDS[kind]!;
    const tool = `functions.${name}`;
    const isCall = recipient === 'functions';
    return this.#rows.kind({
      ...said,
      name: isCall || name === null ? null : recipient === null ? name : tool,
      recipient: isCall ? tool : recipient,
      explicitChannel: isExplicit ? said.channel : null,
    });
  }

  #kindOfNamed(kind: number, memory: Uint8Array, from: number, to: number): KindIds {
    const length = to - from;
    const hash = memory[from]! + memory[to - 1]! * 37 + memory[to - 2]! * 259 + memory[to - 3]! * 83;
    const place = (length + hash) & (PLACES - 1);
    let named = this.#named[place];
    if (named === undefined || named.bytes.length !== length || !isSame(named.bytes, memory, from)) {
      const bytes = memory.slice(from, to);
      const text = decodeUtf8(bytes);
      named = this.#texts.get(text);
      if (named === undefined) this.#texts.set(text, (named = { bytes, kinds: [] }));
      this.#named[place] = named;
    }
    return (named.kinds[kind] ??= this.#kindOf(kind, decodeUtf8(named.bytes)));
  }
}

function isSame(bytes: Uint8Array, memory: Uint8Array, from: number): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== memory[from + i]) return false;
  return true;
}
