// The scalar build of the scanner.
import { wasmSuite } from './wasm-suite.ts';

wasmSuite('scalar');
