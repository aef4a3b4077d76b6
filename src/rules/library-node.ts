// The library with the reader of any YAML: what `openchatml/node` has, whose other functions read any YAML too.

import { readYaml } from '../model/header/yaml.ts';
import type { Parsed } from '../model/parse.ts';
import type { PlainReadOptions } from '../model/part-walk.ts';
import { READ_OPTIONS, type ReadOptions } from '../model/walk.ts';
import { checkOptions } from '../options.ts';
import type { Counts } from './counts.ts';
import * as plain from './library-best.ts';

/**
 * `parse` of `openchatml`, which reads any YAML in a document's header. Throws a TypeError or RangeError that names the
 * option on a wrong call.
 *
 * @example
 * ```ts
 * import { parse } from 'openchatml/node';
 *
 * const { transcripts } = parse('version: 2.0\nnote: one\n  two\n<|start|>user<|message|>Hi<|end|>');
 * console.log(transcripts[0]?.version); // 2.0
 * ```
 */
export function parse(input: Uint8Array | string, options?: ReadOptions): Parsed {
  checkOptions(options, READ_OPTIONS);
  return plain.parse(input, { yaml: readYaml, ...options });
}

/**
 * `scan` of `openchatml`, which reads any YAML in a document's header. Throws a TypeError or RangeError that names the
 * option on a wrong call.
 *
 * @example
 * ```ts
 * import { scan } from 'openchatml/node';
 *
 * console.log(scan('<|start|>user<|message|>Hi<|end|>').messages); // 1
 * ```
 */
export function scan(input: Uint8Array | string, options?: PlainReadOptions): Counts {
  checkOptions(options, READ_OPTIONS);
  return plain.scan(input, { yaml: readYaml, ...options });
}
