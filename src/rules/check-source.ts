// Checking with all that is known of tools and of YAML, as the command does it.

import type { Diagnostic } from '../errors.ts';
import { readYaml } from '../model/header/yaml.ts';
import { toBytes } from '../model/parse.ts';
import { createMachine } from '../scan/engine.ts';
import type { Machine } from '../scan/machine.ts';
import { MemorySource, type Source } from '../scan/source.ts';
import { newToolMemory } from '../tools/knowledge.ts';
import { Checker } from './check.ts';
import { CHECK_OPTIONS, type CheckOptions } from './check-options.ts';
import { lending } from './library.ts';
import { READ_OPTIONS } from '../model/walk.ts';
import { checkOptions, type Known } from '../options.ts';

const WITH_TOOLS: Known<Pick<CheckOptions, 'tools'>> = { tools: 1 };

/**
 * The diagnostics of an input as they become known: by rising position within what is told at once, which is a message
 * with the gap before it; `missing-header`, at 0, when the first transcript is known; `open-call` when its transcript
 * has ended. Nothing else is kept for later.
 *
 * @example
 * ```ts
 * import { createMachine, MemorySource } from 'openchatml';
 * import { checkSource } from 'openchatml/tools';
 *
 * const source = new MemorySource(new TextEncoder().encode('<|start|>user<|message|>Hi'));
 * for (const { rule } of checkSource(createMachine(), source)) console.log(rule);
 * // missing-header
 * // truncated
 * ```
 */
export function* checkSource(
  machine: Machine, source: Source, options: CheckOptions = {},
): Generator<Diagnostic, void, void> {
  checkOptions(options, READ_OPTIONS, CHECK_OPTIONS, WITH_TOOLS);
  yield* new Checker(machine, source, { yaml: readYaml, ...options }, { memory: newToolMemory() }).run();
}

const using = /* @__PURE__ */ lending(createMachine);

/**
 * Every diagnostic of an input, those of tools and their arguments too: in the order of `checkSource`, nearly by rising
 * position. Never throws on data.
 *
 * @example
 * ```ts
 * import { check } from 'openchatml/tools';
 *
 * const tools = [{ namespace: 'functions', name: 'f', parameters: { type: 'object', required: ['city'] } }];
 * const call = '<|start|>assistant to=functions.f call_id=1<|channel|>commentary<|message|>{}<|call|>';
 * console.log(check(call, { tools }).some(({ rule }) => rule === 'invalid-arguments')); // true
 * ```
 */
export function check(input: Uint8Array | string, options?: CheckOptions): Diagnostic[] {
  return using((machine) => [...checkSource(machine, new MemorySource(toBytes(input)), options)]);
}
