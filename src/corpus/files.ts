// Files and corpora for the library: counts, diagnostics, messages of whatever a file holds.

import { Checker } from '../rules/check.ts';
import type { CheckOptions } from '../rules/check-options.ts';
import { Counter } from '../rules/count.ts';
import type { Counts } from '../rules/counts.ts';
import { Flow } from './jobs/flow.ts';
import { leaveContext, type Opened, openInput, takeContext, type ThreadContext } from './jobs/open.ts';
import { COMMON } from './jobs/common-jobs.ts';
import { perform } from './jobs/perform.ts';
import { RecordCheck, rowsFor } from './check-records.ts';
import { checkCheckOptions, checkFileOptions } from './file-options.ts';
import { inFile, recordMessages } from './file-messages.ts';
import type { FileDiagnostic, FileMessage } from './file-types.ts';
import { messagesOf } from './messages.ts';
import { type FilePath, findInputs, givenPath, optionsFor, type Path, pathText } from './input/paths.ts';
import { type FileOptions, isContainer } from './records/unit.ts';
import { ALL, Units } from './records/units.ts';

export type { FileDiagnostic, FileMessage } from './file-types.ts';

/** Opens a file, reads it by `work`, and closes it when `work` is done or given up. */
function* reading<T, O extends FileOptions>(
  path: Path,
  options: O,
  work: (context: ThreadContext, opened: Opened, options: O, name: string) => Generator<T, unknown, void>,
): Generator<T, void, void> {
  const name = pathText(path);
  const opened = openInput({
    ref: { kind: 'file', path, inFolder: false }, path: name, options: optionsFor(name, options), tellsAtEnd: false,
  });
  const context = takeContext();
  try {
    yield* work(context, opened, { ...options, ...opened.options }, name);
  } finally {
    leaveContext(context);
    opened.input.close();
  }
}

/**
 * Counts of a file: transcripts, messages by role, channel and end, calls, tokens, findings of structure. The file
 * holds raw text, or records (JSON lines, a JSON list, Parquet), and may be compressed (gzip, zstd); its size has no
 * limit. Without a dialect it is detected; `*.harmony` is read as harmony.
 *
 * Throws an InputError when the file cannot be opened or read, a TypeError or RangeError that names a wrong option;
 * never on data.
 *
 * @example
 * ```ts
 * import { writeFileSync } from 'node:fs';
 * import { scanFile } from 'openchatml/node';
 *
 * writeFileSync('one.jsonl', '{"messages":[{"role":"user","content":"Hi"}]}\n');
 * console.log(scanFile('one.jsonl').messages); // 1
 * ```
 */
export function scanFile(path: FilePath, options: FileOptions = {}): Counts {
  checkFileOptions(options);
  const counter = new Counter();
  const at = givenPath(path);
  for (const _ of reading(at, options, function* (context, opened, given, name): Generator<never, void, void> {
    context.watching = { source: (input) => input, counter };
    const input = {
      ref: { kind: 'file', path: at, inFolder: false }, path: name, options: given, tellsAtEnd: true,
    } as const;
    // Counting gives no pieces.
    for (const __ of perform(context, COMMON, { kind: 'count', input, part: { of: 'whole' } }, opened));
    counter.addFile(0);
  }));
  return counter.result();
}

/**
 * Counts of files and folders, on at most `threads` threads (1 by default: this one), the same for every number. Throws
 * as `scanFile` does, for the first input that cannot be read.
 *
 * @example
 * ```ts
 * import { writeFileSync } from 'node:fs';
 * import { scanCorpus } from 'openchatml/node';
 *
 * writeFileSync('one.jsonl', '{"messages":[{"role":"user","content":"Hi"}]}\n');
 * console.log((await scanCorpus(['one.jsonl'])).messages); // 1
 * ```
 */
export async function scanCorpus(
  paths: readonly string[], options: FileOptions & { readonly threads?: number } = {},
): Promise<Counts> {
  // Other threads take plain data.
  const { threads = 1, rescue, ...rest } = options;
  const given = { ...rest, ...(rescue && { rescue: true }) };
  checkFileOptions(given, { threads: 1 });
  if (!Array.isArray(paths)) throw new TypeError('paths: expected a list of paths');
  if (!Number.isInteger(threads) || threads < 1) {
    throw new RangeError('option threads: expected a whole number from 1 on');
  }
  const counter = new Counter();
  const flow = new Flow({
    threads,
    work: { kind: 'count' },
    read: (path) => optionsFor(path, given),
    tellsAtEnd: true,
    watching: () => ({ source: (input) => input, counter }),
  });
  for await (const event of flow.events(findInputs(paths, -1))) {
    if (event.kind === 'error') throw event.error;
    if (event.kind === 'part' && event.result.counts !== null) counter.merge(event.result.counts);
    if (event.kind === 'end') counter.addFile(0);
  }
  return counter.result();
}

/**
 * The diagnostics of a file as they are found: by rising position within a message and the gap before it, `open-call`
 * when its transcript has ended. Positions are bytes of the file (decompressed; of Parquet bytes of the field), `from`
 * to before `to`; `Lines` gives line and column. A record that holds no transcript is a diagnostic, too.
 *
 * Throws as `scanFile` does, when the first one is asked for or while the file is read. The file is closed at the end,
 * and when the loop over it is left.
 *
 * @example
 * ```ts
 * import { writeFileSync } from 'node:fs';
 * import { checkFile } from 'openchatml/node';
 *
 * writeFileSync('one.ocml', '<|start|>user<|message|>Hi');
 * for (const { rule } of checkFile('one.ocml')) console.log(rule);
 * // missing-header
 * // truncated
 * ```
 */
export function checkFile(
  path: FilePath, options: CheckOptions & FileOptions = {},
): Generator<FileDiagnostic, void, void> {
  checkCheckOptions(options);
  const at = givenPath(path);
  return reading(at, options, function* (context, { input }, given, name): Generator<FileDiagnostic, void, void> {
    if (!isContainer(name, input, given)) {
      yield* new Checker(context.machine, input, given, { known: context.headers, memory: context.tools }).run();
      return;
    }
    const units = new Units(context, name, input, given, ALL, rowsFor(given));
    yield* new RecordCheck(context, units, given).diagnostics();
  });
}

/**
 * The messages of a file, in order: `{message, transcript, index, source, record, place}`. A message is a view that
 * reads when it is asked, and is valid until the next one is asked for; `message.toRecord()` gives it as an object,
 * with positions in `source`. Of records, `transcript.number` counts in the record; a record that holds none is passed
 * over (`checkFile` reports it). A content of more than 512 MiB does not fit into a string: `message.contentSpans()`
 * and `source.read` give it in parts.
 *
 * Throws as `checkFile` does.
 *
 * @example
 * ```ts
 * import { writeFileSync } from 'node:fs';
 * import { readMessages } from 'openchatml/node';
 *
 * writeFileSync('one.jsonl', '{"messages":[{"role":"user","content":"Hi"}]}\n');
 * for (const { message, record } of readMessages('one.jsonl')) console.log(record, message.content); // 0 Hi
 * ```
 */
export function readMessages(path: FilePath, options: FileOptions = {}): Generator<FileMessage, void, void> {
  checkFileOptions(options);
  const at = givenPath(path);
  return reading(at, options, function* (context, { input }, given, name): Generator<FileMessage, void, void> {
    if (isContainer(name, input, given)) {
      yield* recordMessages(context, new Units(context, name, input, given, ALL, 'definitions'));
      return;
    }
    const place = (offset: number): number => offset;
    const reading = messagesOf(context.machine, input, given, { known: context.headers });
    for (const placed of reading) yield inFile(placed, null, place);
  });
}
