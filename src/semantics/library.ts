// The library's main functions over a scanner: one machine, made when first needed, used by one call at a time.

import type { Diagnostic } from '../errors.ts';
import { type Parsed, parseOn, toBytes } from '../model/parse.ts';
import type { ReadOptions } from '../model/walk.ts';
import type { Machine } from '../scan/machine.ts';
import { MemorySource } from '../scan/source.ts';
import { checkSource } from './check.ts';
import { type Counts, Counter } from './count.ts';

export interface Library {
  /**
   * Reads an input: bytes as UTF-8, or text, at most 2^31 - 1 bytes. Never throws on data. Throws a TypeError or RangeError that
   * names the option on a wrong call.
   */
  parse(input: Uint8Array | string, options?: ReadOptions): Parsed;
  /** Every diagnostic of an input, by rising position. Never throws on data. */
  check(input: Uint8Array | string, options?: ReadOptions): Diagnostic[];
  /** Counts of an input: transcripts, messages by role, channel and end, calls, tokens, findings of structure. */
  scan(input: Uint8Array | string, options?: ReadOptions): Counts;
  /** Which build of the scanner runs. */
  engine(): 'simd' | 'scalar' | 'js';
}

export function makeLibrary(makeMachine: () => Machine): Library {
  let machine: Machine | undefined;
  const shared = (): Machine => (machine ??= makeMachine());
  return {
    parse: (input, options) => parseOn(shared(), input, options),
    check: (input, options) => [...checkSource(shared(), new MemorySource(toBytes(input)), options)],
    scan: (input, options) => {
      const counter = new Counter();
      counter.add(shared(), new MemorySource(toBytes(input)), options);
      return counter.result();
    },
    engine: () => shared().engine,
  };
}
