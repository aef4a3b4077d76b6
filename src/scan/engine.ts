// Which scanner runs: SIMD, scalar, or the TypeScript twin where the engine or a content security policy refuses
// WebAssembly.

import type { Machine } from './machine.ts';
import { Twin } from './twin/twin.ts';
import { WasmMachine } from './wasm.ts';
import { checkOptions, type Known } from '../options.ts';

/** A build of the scanner: WebAssembly with SIMD, without, or TypeScript. All give the same answers. */
export type Engine = 'simd' | 'scalar' | 'js';

const LEAST_WINDOW = 1024;
const LARGEST_WINDOW = 2 ** 30;

/** Which scanner `createMachine` makes, and how much of an input it holds at a time. */
export interface MachineOptions {
  /** `best`: SIMD where the engine has it, else scalar, else `js`. */
  readonly engine?: Engine | 'best';
  /** Bytes of the window, 1 KiB to 1 GiB; 256 KiB without it. */
  readonly window?: number;
}

const MACHINE_OPTIONS: Known<MachineOptions> = { engine: 1, window: 1 };

/**
 * A new scanner. Throws where the engine that was asked for does not run (`best` always gives one); a RangeError on a
 * wrong option.
 *
 * @example
 * ```ts
 * import { createMachine } from 'openchatml';
 *
 * console.log(createMachine({ engine: 'js' }).engine); // js
 * ```
 */
export function createMachine(options: MachineOptions = {}): Machine {
  checkOptions(options, MACHINE_OPTIONS);
  const { engine = 'best', window } = options;
  if (!['best', 'simd', 'scalar', 'js'].includes(engine)) {
    throw new RangeError(`option engine: expected best, simd, scalar or js; got ${JSON.stringify(engine)}`);
  }
  if (window !== undefined && !(Number.isInteger(window) && window >= LEAST_WINDOW && window <= LARGEST_WINDOW)) {
    throw new RangeError(`option window: expected ${LEAST_WINDOW} to ${LARGEST_WINDOW} bytes, got ${String(window)}`);
  }
  const sizes = window === undefined ? {} : { window };
  if (engine === 'js') return new Twin(sizes);
  try {
    return new WasmMachine({ build: engine, ...sizes });
  } catch (error) {
    if (engine !== 'best') throw error;
    return new Twin(sizes);
  }
}
