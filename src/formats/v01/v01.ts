// The shape of 0.1: thoughts, calls, outputs and tool lists stand in bodies there, not in channels and headers (0.1
// extended §4, §8).

export { fromLine } from './from.ts';
export { toLine, type ToLineOptions } from './to.ts';
