// `merge`: the shares of a run put together, when all of them are there.

import { InputError } from '../../corpus/error.ts';
import { FileOutputError } from '../../corpus/output-file.ts';
import { joinOutputs, MergeError, wholeRun } from '../../corpus/shards/merge.ts';
import { Output } from '../output.ts';
import { escapeLine } from '../print.ts';
import { FAILED, OK, tell } from '../invocation.ts';
import type { Host } from '../stream.ts';

export interface MergeOptions {
  /** Where the joined outputs go. */
  readonly output?: string;
}

const SCHEMA = 'openchatml/merge/1';

export function merge(
  paths: readonly string[],
  options: MergeOptions,
  host: Host,
): number {
  const [folder] = paths;
  if (folder === undefined || paths.length > 1) {
    tell(host, 'error: merge reads one folder, the one that `run` has written to');
    return FAILED;
  }
  try {
    const whole = wholeRun(folder);
    const { version, options: made, sha256, inputBytes, outputBytes, counts, statistics, outputs } = whole;
    if (options.output !== undefined) {
      if (made.format !== 'ndjson') {
        throw new MergeError([`outputs in ${made.format} need not be joined: give readers ${folder}/*.${made.format}`]);
      }
      joinOutputs(folder, whole, options.output);
    }
    const out = new Output(host.stdout);
    out.json(JSON.stringify({
      schema: SCHEMA,
      version,
      options: made,
      inputs: outputs.length,
      inputs_sha256: sha256,
      input_bytes: inputBytes,
      output_bytes: outputBytes,
      ...counts,
      statistics,
    }));
    out.flush();
    return OK;
  } catch (error) {
    const reasons = error instanceof MergeError ? error.reasons
      : error instanceof InputError || error instanceof FileOutputError ? [error.message] : null;
    if (!reasons) throw error;
    for (const reason of reasons) tell(host, `error: ${escapeLine(reason)}`);
    return FAILED;
  }
}
