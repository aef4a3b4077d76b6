// `run`: a corpus, or a share of it, into a folder of verdicts, messages or kept records. Stopped at any moment, it
// goes on where it was when it is called again; called once more when all is done, it does nothing.

import { InputError } from '../../corpus/error.ts';
import { type FileCalls, FileOutputError } from '../../corpus/output-file.ts';
import { removeStale } from '../../corpus/output-temporary.ts';
import { makeFolder } from '../../corpus/shards/folder.ts';
import { shardInputs } from '../../corpus/shards/inputs.ts';
import type { RunEmit } from '../../corpus/jobs/job.ts';
import { type RunFormat, runShare } from '../../corpus/shards/run.ts';
import { type Share, ShareError, shareOf } from '../../corpus/shards/share.ts';
import type { InputSource } from '../../corpus/input/source.ts';
import { readToolsFile } from '../../corpus/input/tools-file.ts';
import { MOST_LINE_BYTES } from '../../corpus/jobs/verdict-lines.ts';
import type { Source } from '../../scan/source.ts';
import { type CorpusOptions, readOptionsOf } from '../options.ts';
import { countOf, escapeLine } from '../print.ts';
import type { MakeSpinner } from '../progress.ts';
import { FAILED, Invocation, OK, tell, TRY_AGAIN } from '../invocation.ts';
import type { Host } from '../stream.ts';

export interface RunShardsOptions extends CorpusOptions {
  readonly out: string;
  readonly emit: RunEmit;
  /** `arrow` and `parquet`: tables of verdicts or messages. */
  readonly format: RunFormat;
  readonly shardIndex?: number;
  readonly shardCount?: number;
  readonly tools?: readonly string[];
  /** Bytes of a record that is still read. */
  readonly maxLineBytes?: number;
  /** Verdicts name findings that are no errors, too. */
  readonly warnings?: true;
  readonly strict?: true;
}

/** For tests: faults of the file system. */
export interface Faults {
  readonly calls?: FileCalls;
  readonly wrap?: (input: InputSource) => InputSource;
}

/** What the system says for a lack or a trouble that others cause and that ends. */
const PASSING: ReadonlySet<string | undefined> = new Set([
  'EAGAIN', 'EBUSY', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTDOWN', 'EHOSTUNREACH', 'EINTR', 'EMFILE', 'ENETDOWN',
  'ENETRESET',
  'ENETUNREACH', 'ENFILE', 'ENOLCK', 'ENOMEM', 'ESTALE', 'ETIMEDOUT',
]);

export async function runShards(
  paths: readonly string[],
  options: RunShardsOptions,
  host: Host,
  makeSpinner: MakeSpinner | null,
  faults: Faults = {},
): Promise<number> {
  const run = new Invocation(options, host, makeSpinner);
  const failures: (string | undefined)[] = [];
  const complain = (error: InputError | FileOutputError): void => {
    failures.push(error.code);
    run.tell(`error: ${escapeLine(error.message)}`);
  };
  try {
    const refusal = refuse(paths, options);
    if (refusal !== null) throw new ShareError(refusal);
    await work(paths, options, host, run, complain, faults);
  } catch (error) {
    if (error instanceof ShareError) {
      tell(host, `error: ${escapeLine(error.message)}`);
      return FAILED;
    }
    if (!(error instanceof InputError || error instanceof FileOutputError)) throw error;
    complain(error);
  } finally {
    run.progress.stop();
  }
  if (failures.length === 0) return OK;
  return failures.every((code) => PASSING.has(code)) ? TRY_AGAIN : FAILED;
}

function refuse(paths: readonly string[], { emit, format, maxLineBytes = 0 }: RunShardsOptions): string | null {
  if (maxLineBytes > MOST_LINE_BYTES) return `--max-line-bytes ${maxLineBytes}: expected at most ${MOST_LINE_BYTES}`;
  if (paths.length === 0) return 'run reads files and folders; name some';
  if (emit !== 'keep' || format === 'ndjson') return null;
  return `--emit keep writes records as they are; --format ${format} is for verdicts and messages`;
}

async function work(
  paths: readonly string[],
  options: RunShardsOptions,
  host: Host,
  run: Invocation,
  complain: (error: InputError) => void,
  faults: Faults,
): Promise<void> {
  const { out, emit, format } = options;
  const share: Share = shareOf({ index: options.shardIndex, count: options.shardCount }, host.env);
  const tools = (options.tools ?? []).flatMap(readToolsFile);
  const inputs = shardInputs(paths);
  makeFolder(out, paths);
  removeStale(out);
  const watch = (input: InputSource): Source => run.progress.watch(faults.wrap?.(input) ?? input);
  const { inputs: all, written, skipped } = await runShare(inputs, {
    folder: out,
    share,
    emit,
    format,
    unit: {
      ...readOptionsOf(options),
      form: options.form ?? 'auto',
      field: options.field,
      largestRecord: options.maxLineBytes,
    },
    judging: {
      tools, warnings: options.warnings === true, rules: options.rules ?? {}, strict: options.strict === true,
    },
    version: host.version,
    events: (given, jobs) => run.events(paths, options, {
      inputs: given, largestRecord: options.maxLineBytes, work: jobs, tellsAtEnd: true, onFailure: complain,
      watching: () => ({ source: watch }),
    }),
    onFailure: complain,
    ...faults,
  });
  if (options.quiet || !host.stderr.isTTY) return;
  const which = share.count === 1 ? '' : ` of share ${share.index} of ${share.count}`;
  run.tell(`${countOf(all, 'input')}${which}: ${written} read, ${skipped} done before`);
}
