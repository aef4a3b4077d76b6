// The library over the best scanner that runs here.

import type { Diagnostic } from '../errors.ts';
import { type Parsed, parseOn } from '../model/parse.ts';
import type { PlainReadOptions } from '../model/part-walk.ts';
import { READ_OPTIONS, type ReadOptions } from '../model/walk.ts';
import { checkOptions } from '../options.ts';
import { createMachine, type Engine } from '../scan/engine.ts';
import { createRowMachine } from '../scan/row-engine.ts';
import type { Counts } from './counts.ts';
import { checkStructure, countsOf, lending, type StructureOptions } from './library.ts';

const reading = /* @__PURE__ */ lending(createRowMachine);
const using = /* @__PURE__ */ lending(createMachine);

/**
 * Reads an input: bytes as UTF-8, or text, at most 2^31 - 1 bytes. Never throws on data. Throws a TypeError or
 * RangeError that names the option on a wrong call.
 *
 * @example
 * ```ts
 * import { parse } from 'openchatml';
 *
 * for (const message of parse('<|start|>user<|message|>Hi<|end|>').messages()) {
 *   console.log(message.role, message.content); // user Hi
 * }
 * ```
 */
export function parse(input: Uint8Array | string, options?: ReadOptions): Parsed {
  checkOptions(options, READ_OPTIONS);
  return reading((machine) => parseOn(machine, input, options));
}

/**
 * The diagnostics of an input, nearly by rising position; those of tools and their arguments are told by `check` of
 * `openchatml/tools`. Never throws on data.
 *
 * @example
 * ```ts
 * import { check } from 'openchatml';
 *
 * for (const { severity, rule, from } of check('<|start|>user<|message|>Hi')) {
 *   console.log(severity, rule, from);
 * }
 * // warning missing-header 0
 * // error truncated 0
 * ```
 */
export function check(input: Uint8Array | string, options?: StructureOptions): Diagnostic[] {
  return using((machine) => checkStructure(machine, input, options));
}

/**
 * Counts of an input: transcripts, messages by role, channel and end, calls, tokens, findings of structure.
 *
 * @example
 * ```ts
 * import { scan } from 'openchatml';
 *
 * console.log(scan('<|start|>user<|message|>Hi<|end|>').messages); // 1
 * ```
 */
export function scan(input: Uint8Array | string, options?: PlainReadOptions): Counts {
  checkOptions(options, READ_OPTIONS);
  return using((machine) => countsOf(machine, input, options));
}

/**
 * Which build of the scanner runs.
 *
 * @example
 * ```ts
 * import { engine } from 'openchatml';
 *
 * console.log(['simd', 'scalar', 'js'].includes(engine())); // true
 * ```
 */
export function engine(): Engine {
  return reading((machine) => machine.engine);
}
