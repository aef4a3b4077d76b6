// The library's main functions over a scanner: scanners are made when they are needed, each used by one call at a time.

import type { Diagnostic } from '../errors.ts';
import { toBytes } from '../model/parse.ts';
import type { PlainReadOptions } from '../model/part-walk.ts';
import { READ_OPTIONS } from '../model/walk.ts';
import { checkOptions } from '../options.ts';
import type { Machine } from '../scan/machine.ts';
import { MemorySource } from '../scan/source.ts';
import { Checker } from './check.ts';
import { CHECK_OPTIONS, type CheckOptions } from './check-options.ts';
import { Counter } from './count.ts';
import type { Counts } from './counts.ts';

/** Lends scanners. A caller's content check may call the library while a scan is under way: that needs another one. */
export function lending<M>(make: () => M): <T>(work: (machine: M) => T) => T {
  const idle: M[] = [];
  return (work) => {
    const machine = idle.pop() ?? make();
    try {
      return work(machine);
    } finally {
      idle.push(machine);
    }
  };
}

/** Options of a check that does not look at tools. */
export type StructureOptions = Omit<CheckOptions, 'tools'>;

export function checkStructure(
  machine: Machine, input: Uint8Array | string, options: StructureOptions = {},
): Diagnostic[] {
  if ('tools' in options) throw new TypeError('option tools: `check` of openchatml/tools looks at tools');
  checkOptions(options, READ_OPTIONS, CHECK_OPTIONS);
  return [...new Checker(machine, new MemorySource(toBytes(input)), options).run()];
}

export function countsOf(machine: Machine, input: Uint8Array | string, options?: PlainReadOptions): Counts {
  const counter = new Counter();
  counter.add(machine, new MemorySource(toBytes(input)), options);
  return counter.result();
}
