// Which scanner of rows runs: the WebAssembly one, or the TypeScript one where the engine or a content security policy
// refuses that.

import type { RowMachine } from './machine.ts';
import { TwinRows } from './twin/rows.ts';
import { WasmCore } from './wasm-core.ts';

export function createRowMachine(): RowMachine {
  try {
    return new WasmCore();
  } catch {
    return new TwinRows();
  }
}
