// The scanner of rows alone in WebAssembly: a smaller binary, for who reads and neither checks nor counts.

import { simd } from './core-binary.ts';
import { WasmRows, type WindowOptions } from './wasm-rows.ts';

let compiled: WebAssembly.Module | undefined;

/** Throws where the engine has no SIMD, or refuses WebAssembly. */
export class WasmCore extends WasmRows {
  constructor(options: WindowOptions = {}) {
    compiled ??= new WebAssembly.Module(simd());
    super(new WebAssembly.Instance(compiled, {}).exports, options, { before: 0, behind: 0 });
  }
}
