// Which scanner runs: SIMD, scalar, or the TypeScript twin where the engine or a content security policy refuses WebAssembly.

import type { Machine } from './machine.ts';
import { Twin } from './twin.ts';
import { WasmMachine } from './wasm.ts';

export type Engine = 'simd' | 'scalar' | 'js';

export interface MachineOptions {
  /** `best`: SIMD where the engine has it, else scalar, else `js`. */
  readonly engine?: Engine | 'best';
  /** Bytes of the window. */
  readonly window?: number;
}

/** A new scanner. Throws where the engine that was asked for does not run; `best` always gives one. */
export function createMachine(options: MachineOptions = {}): Machine {
  const { engine = 'best', ...sizes } = options;
  if (engine === 'js') return new Twin(sizes);
  try {
    return new WasmMachine({ build: engine, ...sizes });
  } catch (error) {
    if (engine !== 'best') throw error;
    return new Twin(sizes);
  }
}
