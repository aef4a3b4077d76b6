// What a form of table files can do: encode columns, on any thread; and put what was encoded into a file.

import type { Column, Columns } from './columns.ts';

export type TableFormat = 'arrow' | 'parquet';

export interface TableWriter<Group = unknown> {
  /**
   * The bytes of some rows, at least one, each piece valid until the next; and what the file has to know of them, as
   * plain data.
   */
  group(columns: Columns): Generator<Uint8Array, Group, void>;
  /** Begins a file. `write` takes bytes that belong to it while it runs, not longer. */
  file(
    columns: readonly Column[],
    metadata: ReadonlyMap<string, string>,
    write: (bytes: Uint8Array) => void,
  ): TableFile<Group>;
}

export interface TableFile<Group = unknown> {
  /** Bytes of the next group. */
  bytes(bytes: Uint8Array): void;
  /** All bytes of the group have come. */
  group(group: Group): void;
  end(): void;
}
