// What holds for the WebAssembly builds: the suite of every build, on windows and tables as small as they may be.
import { expect, test } from 'vitest';
import * as abi from '../../src/abi.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { scannerSuite } from './suite.ts';

export function wasmSuite(build: 'simd' | 'scalar'): void {
  scannerSuite({
    wide: new WasmMachine({ build }),
    narrow: new WasmMachine({ build, window: 1024, tableRows: 12 }),
    least: new WasmMachine({ build, window: 1024, tableRows: 6 }),
    // A header field is kept until it is whole, as long as it may be plain.
    mostHeld: abi.PLAIN_BYTES + 3 * abi.LONGEST_TOKEN,
  });

  test('the engine tells its build', () => {
    expect(new WasmMachine({ build }).engine).toBe(build);
  });
}
