// An output of a run while it is written, lines or a table: its bytes are counted and hashed on their way to the file.

import { createHash, type Hash } from 'node:crypto';
import { isTablePiece, type Piece } from '../jobs/job.ts';
import { type FileCalls, OutputFile } from '../output-file.ts';
import { openTable, type Table, type TableSchema } from '../tables/table.ts';
import type { TableFormat } from '../tables/writer.ts';

export class ShardOutput {
  readonly #file: OutputFile;
  readonly #hash: Hash = createHash('sha256');
  #table: Table | null = null;
  #bytes = 0;

  /** Throws a FileOutputError, as all that is called on it. */
  private constructor(path: string, calls?: FileCalls) {
    this.#file = OutputFile.create(path, calls);
  }

  /** `table` null: what comes is lines. */
  static async open(
    path: string, table: { readonly format: TableFormat; readonly schema: TableSchema } | null, calls?: FileCalls,
  ): Promise<ShardOutput> {
    const output = new ShardOutput(path, calls);
    try {
      if (table !== null) {
        output.#table = await openTable(table.format, table.schema, (bytes) => output.#write(bytes));
      }
      return output;
    } catch (error) {
      output.discard();
      throw error;
    }
  }

  take(piece: Piece): void {
    if (!isTablePiece(piece)) return;
    if (this.#table !== null) this.#table.take(piece);
    else if (piece instanceof Uint8Array) this.#write(piece);
  }

  #write(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    this.#file.write(bytes);
  }

  /** Puts the file in its place; answers with what it holds. */
  commit(): { bytes: number; sha256: string } {
    this.#table?.end();
    this.#file.commit();
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  discard(): void {
    this.#file.discard();
  }
}
