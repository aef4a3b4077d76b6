// Where messages go: to standard output or to a file, as lines of JSON, an Arrow IPC stream, or Parquet.

import { isTablePiece, type Piece } from '../../corpus/jobs/job.ts';
import { MESSAGE_TABLE } from '../../corpus/tables/message-schema.ts';
import { openTable, type Table } from '../../corpus/tables/table.ts';
import { OutputFile } from '../../corpus/output-file.ts';
import type { Invocation } from '../invocation.ts';

export class MessagesSink {
  readonly #run: Invocation;
  readonly #file: OutputFile | null;
  readonly #table: Table | null;

  private constructor(run: Invocation, file: OutputFile | null, table: Table | null) {
    this.#run = run;
    this.#file = file;
    this.#table = table;
  }

  /** Null: the file cannot be made, which is told. */
  static async open(
    run: Invocation, format: 'ndjson' | 'arrow' | 'parquet', path: string | undefined,
  ): Promise<MessagesSink | null> {
    try {
      const file = path === undefined ? null : OutputFile.create(path);
      const write = (bytes: Uint8Array): void => (file === null ? run.out.bytes(bytes) : file.write(bytes));
      return new MessagesSink(run, file, format === 'ndjson' ? null : await openTable(format, MESSAGE_TABLE, write));
    } catch (error) {
      if (!run.complainOfOutput(error)) throw error;
      return null;
    }
  }

  take(piece: Piece): void {
    if (this.#table !== null) {
      if (isTablePiece(piece)) this.#table.take(piece);
    } else if (piece instanceof Uint8Array) {
      if (this.#file === null) this.#run.out.jsonBytes(piece);
      else this.#file.write(piece);
    }
  }

  /** All has come. */
  end(): void {
    this.#table?.end();
    this.#file?.commit();
    this.#run.out.flush();
  }

  /** Nothing more comes: a file that did not end is taken away. */
  close(): void {
    this.#file?.discard();
  }
}
