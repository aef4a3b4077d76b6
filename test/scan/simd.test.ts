// The SIMD build of the scanner.
import { wasmSuite } from './wasm-suite.ts';

wasmSuite('simd');
