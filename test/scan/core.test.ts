// The scanner of rows alone.
import { expect, test } from 'vitest';
import * as abi from '../../src/abi.ts';
import { WasmCore } from '../../src/scan/wasm-core.ts';
import { scannerSuite } from './suite.ts';

scannerSuite({
  wide: new WasmCore(),
  narrow: new WasmCore({ window: 1024, tableRows: 12 }),
  least: new WasmCore({ window: 1024, tableRows: 6 }),
  mostHeld: abi.PLAIN_BYTES + 3 * abi.LONGEST_TOKEN,
});

test('the engine is the SIMD build', () => {
  expect(new WasmCore().engine).toBe('simd');
});
