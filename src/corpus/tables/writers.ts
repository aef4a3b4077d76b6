// The writers of tables, each with a large library, which is loaded when it is needed.

import type { TableFormat, TableWriter } from './writer.ts';

const writers = new Map<TableFormat, TableWriter>();

export async function loadWriter(format: TableFormat): Promise<TableWriter> {
  const loaded = writers.get(format);
  if (loaded !== undefined) return loaded;
  const { writer } = format === 'arrow' ? await import('./arrow.ts') : await import('./parquet-write.ts');
  writers.set(format, writer as TableWriter);
  return writer as TableWriter;
}

/** One that was loaded. */
export function writerOf(format: TableFormat): TableWriter {
  const writer = writers.get(format);
  if (writer === undefined) throw new Error(`nobody has loaded what writes ${format}`);
  return writer;
}
