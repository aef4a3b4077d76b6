// The exports of the pack machine: numbers and bytes as Parquet has them in its pages. README.md specifies the calls.

/** First byte that the host may use. */
export function memoryFrom(): usize { return __heap_base; }

export { compress } from './pack-snappy';
export { greatestPacked, leastPacked, packDifferences, packLengths } from './pack-numbers';
export { presentNumbers, presentWords } from './pack-present';
export { packIds, packMarks } from './pack-runs';
