// What describes a message of an Arrow stream (FlatBuffers; Message.fbs and Schema.fbs of Arrow): the few numbers that
// are needed before its batch is read, and whether its lists are as long as they say. The library believes them, and
// would fill the memory with what is not there.

import { Damaged } from './arrow-batch.ts';

export interface Head {
  /** SCHEMA, DICTIONARY, BATCH; anything else is not read. */
  readonly type: number;
  /** Bytes of the batch. */
  readonly size: number;
  /** Of a dictionary: which one, and whether its words are more words of it. */
  readonly id: bigint;
  readonly isDelta: boolean;
}

export const SCHEMA = 1;
export const DICTIONARY = 2;
export const BATCH = 3;

/** Where the fields of a table are named: 4 + 2 times their number. */
const MESSAGE = { type: 6, header: 8, size: 10 } as const;
const DICTIONARY_BATCH = { id: 4, data: 6, isDelta: 8 } as const;
const RECORD_BATCH = { nodes: 6, buffers: 8, views: 12 } as const;
const SCHEMA_TABLE = { fields: 6, metadata: 8 } as const;
const FIELD = { children: 14, metadata: 16 } as const;
const STRUCT_BYTES = 16;
const LONG_BYTES = 8;
const OFFSET_BYTES = 4;
/** Columns, those in columns too. Offsets may lead to one field many times. */
const MOST_FIELDS = 100_000;

/** Throws Damaged, or a RangeError where something lies outside of the bytes. */
export function headOf(bytes: Uint8Array): Head {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const message = new Table(view, view.getUint32(0, true));
  const type = message.byte(MESSAGE.type);
  const size = Number(message.long(MESSAGE.size));
  if (!(size >= 0)) throw new Damaged('a batch has no such size');
  let [id, isDelta] = [0n, false];
  if (type === SCHEMA) checkSchema(message.table(MESSAGE.header));
  else if (type === BATCH) checkRecordBatch(message.table(MESSAGE.header));
  else if (type === DICTIONARY) {
    const dictionary = message.table(MESSAGE.header);
    id = dictionary.long(DICTIONARY_BATCH.id);
    isDelta = dictionary.byte(DICTIONARY_BATCH.isDelta) !== 0;
    checkRecordBatch(dictionary.table(DICTIONARY_BATCH.data));
  }
  return { type, size, id, isDelta };
}

function checkRecordBatch(batch: Table): void {
  batch.list(RECORD_BATCH.nodes, STRUCT_BYTES);
  batch.list(RECORD_BATCH.buffers, STRUCT_BYTES);
  batch.list(RECORD_BATCH.views, LONG_BYTES);
}

function checkSchema(schema: Table): void {
  schema.list(SCHEMA_TABLE.metadata, OFFSET_BYTES);
  const open = [...schema.tables(SCHEMA_TABLE.fields)];
  for (let seen = open.length; open.length > 0; ) {
    const field = open.pop()!;
    field.list(FIELD.metadata, OFFSET_BYTES);
    const length = field.list(FIELD.children, OFFSET_BYTES);
    seen += length;
    if (seen > MOST_FIELDS) throw new Damaged(`it has more than ${MOST_FIELDS} columns`);
    if (length > 0) open.push(...field.tables(FIELD.children));
  }
}

/** A table of FlatBuffers. What lies outside of its bytes throws a RangeError. */
class Table {
  readonly #view: DataView;
  readonly #at: number;

  constructor(view: DataView, at: number) {
    this.#view = view;
    this.#at = at;
  }

  byte(field: number): number {
    const at = this.#field(field);
    return at === 0 ? 0 : this.#view.getUint8(at);
  }

  long(field: number): bigint {
    const at = this.#field(field);
    return at === 0 ? 0n : this.#view.getBigInt64(at, true);
  }

  table(field: number): Table {
    return new Table(this.#view, this.#target(this.#field(field)));
  }

  /** The length of a list, whose elements have so many bytes; 0: it is left out. */
  list(field: number, bytes: number): number {
    const at = this.#field(field);
    if (at === 0) return 0;
    const from = this.#target(at);
    const length = this.#view.getUint32(from, true);
    if (from + 4 + length * bytes > this.#view.byteLength) throw new Damaged('a list is longer than what holds it');
    return length;
  }

  tables(field: number): Table[] {
    const length = this.list(field, OFFSET_BYTES);
    if (length > MOST_FIELDS) throw new Damaged(`it has more than ${MOST_FIELDS} columns`);
    const from = length === 0 ? 0 : this.#target(this.#field(field)) + 4;
    return Array.from({ length }, (_, i) => new Table(this.#view, this.#target(from + OFFSET_BYTES * i)));
  }

  #target(at: number): number {
    return at + this.#view.getUint32(at, true);
  }

  /** Where a field stands; 0: it is left out. */
  #field(field: number): number {
    const names = this.#at - this.#view.getInt32(this.#at, true);
    if (field >= this.#view.getUint16(names, true)) return 0;
    const offset = this.#view.getUint16(names + field, true);
    return offset === 0 ? 0 : this.#at + offset;
  }
}
