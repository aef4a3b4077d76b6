// Where messages go: to standard output or to a file, as lines of JSON, an Arrow IPC stream, or Parquet.

import { isTablePiece, type Piece } from '../../corpus/jobs/job.ts';
import { MESSAGE_TABLE } from '../../corpus/tables/message-schema.ts';
import { openTable, type Table } from '../../corpus/tables/table.ts';
import { OutputFile } from '../../corpus/output-file.ts';
import type { Invocation } from '../invocation.ts';
import { FirstLines, type LineChoice, LineSample } from '../line-choice.ts';

/** Which lines are wanted. */
interface Choice {
  readonly limit?: number | undefined;
  readonly sample?: number | undefined;
  readonly seed?: number | undefined;
}

export class MessagesSink {
  readonly #run: Invocation;
  readonly #file: OutputFile | null;
  readonly #table: Table | null;

  readonly #choice: LineChoice | null;

  private constructor(run: Invocation, file: OutputFile | null, table: Table | null, { limit, sample, seed }: Choice) {
    this.#run = run;
    this.#file = file;
    this.#table = table;
    const write = (bytes: Uint8Array): void => this.#write(bytes);
    if (limit !== undefined) this.#choice = new FirstLines(limit, write);
    else this.#choice = sample === undefined ? null : new LineSample(sample, seed ?? 0, write);
  }

  /** Null: the file cannot be made, which is told. */
  static async open(
    run: Invocation, format: 'ndjson' | 'arrow' | 'parquet', path: string | undefined, choice: Choice,
  ): Promise<MessagesSink | null> {
    try {
      const file = path === undefined ? null : OutputFile.create(path);
      const write = (bytes: Uint8Array): void => (file === null ? run.out.bytes(bytes) : file.write(bytes));
      const table = format === 'ndjson' ? null : await openTable(format, MESSAGE_TABLE, write);
      return new MessagesSink(run, file, table, choice);
    } catch (error) {
      if (!run.complainOfOutput(error)) throw error;
      return null;
    }
  }

  take(piece: Piece): void {
    if (this.#table !== null) {
      if (isTablePiece(piece)) this.#table.take(piece);
    } else if (piece instanceof Uint8Array) {
      if (this.#choice === null) this.#write(piece);
      else this.#choice.take(piece);
    }
  }

  /** No further message is wanted. */
  get isDone(): boolean {
    return this.#choice?.isDone ?? false;
  }

  #write(bytes: Uint8Array): void {
    if (this.#file === null) this.#run.out.jsonBytes(bytes);
    else this.#file.write(bytes);
  }

  /** All has come. */
  end(): void {
    this.#choice?.end();
    this.#table?.end();
    this.#file?.commit();
    this.#run.out.flush();
  }

  /** Nothing more comes: a file that did not end is taken away. */
  close(): void {
    this.#file?.discard();
  }
}
