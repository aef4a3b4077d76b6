// The library's main functions over a scanner: machines are made when they are needed, each used by one call at a time.

import type { Diagnostic } from '../errors.ts';
import { type Parsed, parseOn, toBytes } from '../model/parse.ts';
import type { ReadOptions } from '../model/walk.ts';
import type { Machine } from '../scan/machine.ts';
import { MemorySource } from '../scan/source.ts';
import { type CheckOptions, checkSource } from './check.ts';
import { Counter } from './count.ts';
import type { Counts } from './counts.ts';

export interface Library {
  /**
   * Reads an input: bytes as UTF-8, or text, at most 2^31 - 1 bytes. Never throws on data. Throws a TypeError or
   * RangeError that names the option on a wrong call.
   */
  parse(input: Uint8Array | string, options?: ReadOptions): Parsed;
  /** Every diagnostic of an input: in the order of `checkSource`, nearly by rising position. Never throws on data. */
  check(input: Uint8Array | string, options?: CheckOptions): Diagnostic[];
  /** Counts of an input: transcripts, messages by role, channel and end, calls, tokens, findings of structure. */
  scan(input: Uint8Array | string, options?: ReadOptions): Counts;
  /** Which build of the scanner runs. */
  engine(): 'simd' | 'scalar' | 'js';
}

export function makeLibrary(makeMachine: () => Machine): Library {
  const idle: Machine[] = [];
  // A caller's content check may call the library while a scan is under way: that needs a scanner of its own.
  const using = <T>(work: (machine: Machine) => T): T => {
    const machine = idle.pop() ?? makeMachine();
    try {
      return work(machine);
    } finally {
      idle.push(machine);
    }
  };
  return {
    parse: (input, options) => using((machine) => parseOn(machine, input, options)),
    check: (input, options) => using((machine) => [...checkSource(machine, new MemorySource(toBytes(input)), options)]),
    scan: (input, options) =>
      using((machine) => {
        const counter = new Counter();
        counter.add(machine, new MemorySource(toBytes(input)), options);
        return counter.result();
      }),
    engine: () => using((machine) => machine.engine),
  };
}
