// The rows of this package itself: each reads a corpus with a public entry and answers with the counts that it knows.
import type { Contender, MemoryContender } from './contender.ts';

export const OURS: readonly Contender[] = [];

export const OURS_IN_MEMORY: readonly MemoryContender[] = [];
