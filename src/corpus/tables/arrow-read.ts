// Arrow IPC streams from a pipe, one after the other, message by message: one batch is in memory.
//
// The library decodes whole streams, and believes what they say. So each batch is handed to it with its schema as a
// stream of its own; and buffers are checked against what they promise (arrow-batch.ts).

import * as arrow from '@uwdata/flechette';
import { InputError } from '../error.ts';
import type { InputSource } from '../input/source.ts';
import { checkBatch, type ColumnBatch, Damaged } from './arrow-batch.ts';
import { BATCH, DICTIONARY, type Head, headOf, SCHEMA } from './arrow-head.ts';

export interface ArrowField {
  readonly name: string;
  readonly type: arrow.DataType;
}

/** What a message of a stream says. Valid until the next one is asked for. */
export type ArrowMessage =
  | { readonly kind: 'schema'; readonly fields: readonly ArrowField[] }
  | { readonly kind: 'batch'; readonly rows: number; readonly columns: readonly ColumnBatch[] }
  | { readonly kind: 'end' };

/** Bytes of what describes a message, of a batch, of the dictionaries of a stream; rows of a batch. */
const MOST_HEAD = 16 * 1024 * 1024;
const MOST_BODY = 1024 * 1024 * 1024;
const MOST_DICTIONARIES = 256 * 1024 * 1024;
const MOST_ROWS = 4 * 1024 * 1024;

const PREFIX = 8;
const CONTINUATION = 0xffffffff;
const END = new Uint8Array(PREFIX).fill(0xff, 0, 4);

export class ArrowReader {
  readonly #input: InputSource;
  #at = 0;
  /** The messages that a batch needs. */
  #schema: Uint8Array | null = null;
  readonly #dictionaries = new Map<bigint, Uint8Array[]>();
  #dictionaryBytes = 0;
  /** Takes one batch after the other. */
  #room = new Uint8Array(0);

  constructor(input: InputSource) {
    this.#input = input;
  }

  /** The next message; null: the input has ended. Throws an InputError. */
  next(): ArrowMessage | null {
    while (true) {
      const message = this.#message();
      if (message === null) return this.#ended();
      const { bytes, head } = message;
      const { type } = head;
      if (type === SCHEMA) {
        if (this.#schema !== null) throw this.#damage('a schema stands between its batches');
        this.#schema = bytes.slice();
        return { kind: 'schema', fields: this.#decode([bytes, END]).schema.fields };
      }
      if (this.#schema === null) throw this.#damage('it has no schema');
      if (type === BATCH) return this.#batch(bytes);
      if (type !== DICTIONARY) throw this.#damage('it has a message of an unknown kind');
      this.#keep(bytes.slice(), head);
    }
  }

  #ended(): ArrowMessage | null {
    if (this.#schema === null) return null;
    this.#schema = null;
    this.#dictionaries.clear();
    this.#dictionaryBytes = 0;
    return { kind: 'end' };
  }

  /** The next message, its description after the prefix; null: the stream has ended. */
  #message(): { bytes: Uint8Array; head: Head } | null {
    const prefix = this.#bytes(new Uint8Array(PREFIX), 0);
    if (prefix.length === 0) return null;
    const [mark, length] = [wordOf(prefix, 0), wordOf(prefix, 4)];
    if (mark !== CONTINUATION) throw this.#noStream(prefix);
    if (length === 0) return null;
    if (length > MOST_HEAD) throw this.#damage(`what describes a message has ${length} bytes`);
    const described = this.#bytes(new Uint8Array(length), PREFIX);
    const head = this.#attempt(() => headOf(described));
    const { size } = head;
    if (size > MOST_BODY) {
      const most = `${MOST_BODY / 2 ** 20} MiB are read at once`;
      throw this.#error(`has a batch of ${size} bytes, and at most ${most}`, 'send batches of fewer rows');
    }
    const whole = PREFIX + length + size;
    if (this.#room.length < whole || this.#room.length > 4 * whole + MOST_HEAD) this.#room = new Uint8Array(whole);
    const bytes = this.#room.subarray(0, whole);
    bytes.set(prefix);
    bytes.set(described, PREFIX);
    this.#bytes(bytes.subarray(PREFIX + length), PREFIX + length);
    return { bytes, head };
  }

  /** Fills `into`. Of a message, of which there were `before` bytes, all must come. */
  #bytes(into: Uint8Array, before: number): Uint8Array {
    for (let read = 0; read < into.length; ) {
      const count = this.#input.read(this.#at, into.subarray(read));
      if (count === 0) {
        if (before + read === 0) return into.subarray(0, 0);
        if (before === 0 && read < PREFIX) throw this.#noStream(into.subarray(0, read));
        throw this.#error('ends within a message of Arrow', 'look why the program that sends it was stopped');
      }
      read += count;
      this.#at += count;
      this.#input.release(this.#at);
    }
    return into;
  }

  #keep(bytes: Uint8Array, { id, isDelta }: Head): void {
    const before = this.#dictionaries.get(id) ?? [];
    if (!isDelta) for (const replaced of before.splice(0)) this.#dictionaryBytes -= replaced.length;
    this.#dictionaryBytes += bytes.length;
    if (this.#dictionaryBytes > MOST_DICTIONARIES) {
      const most = `${MOST_DICTIONARIES / 2 ** 20} MiB are kept`;
      throw this.#error(`has dictionaries of ${this.#dictionaryBytes} bytes, and at most ${most}`,
        'make the columns with dictionaries plain text');
    }
    this.#dictionaries.set(id, [...before, bytes]);
  }

  #batch(bytes: Uint8Array): ArrowMessage {
    const table = this.#decode([this.#schema!, ...[...this.#dictionaries.values()].flat(), bytes, END]);
    const columns = table.children.map(({ data }) => data[0] as unknown as ColumnBatch);
    const rows = this.#attempt(() => checkRows(columns));
    if (rows > MOST_ROWS) {
      throw this.#error(`has a batch of ${rows} rows, and at most ${MOST_ROWS} are read at once`,
        'send batches of fewer rows');
    }
    return { kind: 'batch', rows, columns };
  }

  #decode(messages: Uint8Array[]): arrow.Table {
    return this.#attempt(() => arrow.tableFromIPC(messages, { useBigInt: true }));
  }

  /** What goes wrong in the library is damage, or a kind that it does not know. */
  #attempt<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      const { message } = error as Error;
      if (/compression codec/.test(message)) {
        throw this.#error('is compressed within its batches', 'send it without compression');
      }
      throw this.#damage(error instanceof Damaged ? message : 'it cannot be decoded');
    }
  }

  #noStream(first: Uint8Array): InputError {
    if (Buffer.from(first).toString('latin1').startsWith('ARROW1')) {
      return this.#error('is an Arrow file and no stream', 'send the stream form (pyarrow.ipc.new_stream)');
    }
    return this.#error(`has no message of Arrow at byte ${this.#at - first.length}`,
      'send an Arrow IPC stream (pyarrow.ipc.new_stream), or lines of JSON to --format ndjson');
  }

  #damage(what: string): InputError {
    return this.#error(`is an Arrow stream that is damaged or of an unknown kind: ${what}`,
      'write it anew, as a stream of Arrow 1.0 or later');
  }

  #error(reason: string, remedy: string): InputError {
    return new InputError(this.#input.path, reason, remedy);
  }
}

function checkRows(columns: readonly ColumnBatch[]): number {
  const rows = columns[0]?.length ?? 0;
  for (const column of columns) {
    if (column.length !== rows) throw new Damaged('its columns have different numbers of rows');
    checkBatch(column);
  }
  return rows;
}

function wordOf(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true);
}
