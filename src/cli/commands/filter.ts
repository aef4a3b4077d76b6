// `filter`: one verdict a line, for programs that send records through a pipe. What stands in a record is never a
// reason to fail: the exit code tells of the pipe alone.

import { openInput, openRef, STANDARD_INPUT } from '../../corpus/input/paths.ts';
import { KnownBytes } from '../../model/known-bytes.ts';
import type { CorpusRecord, RecordProblem } from '../../corpus/records/record.ts';
import type { InputSource } from '../../corpus/input/source.ts';
import { readToolsFile } from '../../corpus/input/tools-file.ts';
import { judged, type VerdictMessage, verdictMessage } from '../../corpus/jobs/verdict.ts';
import { LEAST_BOUND, VerdictRows } from '../../corpus/jobs/verdict-rows.ts';
import { canBeRows, formsOf } from '../../corpus/records/rows.ts';
import type { FileForm, FileOptions } from '../../corpus/records/unit.ts';
import { WatchedSource } from '../../scan/source.ts';
import { Judge } from '../../corpus/jobs/verdict-judge.ts';
import { recordOfLine } from '../../corpus/jobs/verdict-record.ts';
import { LARGEST_LINE, linesOf, MOST_LINE_BYTES } from '../../corpus/jobs/verdict-lines.ts';
import { applyRules } from '../../rules/settings.ts';
import { FilterOutput } from './filter-output.ts';
import { readOptionsOf, type SharedOptions } from '../options.ts';
import type { MakeSpinner } from '../progress.ts';
import { FAILED, Invocation, OK, tell } from '../invocation.ts';
import type { Host } from '../stream.ts';

export interface FilterOptions extends SharedOptions {
  /** `verdict` and `messages` write a line for each line; `keep` and `drop` the lines themselves, byte for byte. */
  readonly emit: 'verdict' | 'messages' | 'keep' | 'drop';
  /** `arrow`: Arrow IPC streams in and out. */
  readonly format?: 'ndjson' | 'arrow';
  /** Of Arrow: the column whose cells are records. */
  readonly recordColumn?: string;
  readonly form?: FileForm;
  readonly field?: string;
  readonly tools?: readonly string[];
  /** Bytes of a line that is still read. */
  readonly maxLineBytes?: number;
  /** Each line goes out when it is written. */
  readonly lineBuffered?: true;
  /** The record goes into its line, as `record`. */
  readonly passthrough?: true;
  /** Findings that are no errors are named too. */
  readonly warnings?: true;
  readonly strict?: true;
}

/** Characters of the messages of one line, with which it still is one text. */
const LARGEST_LIST = 128 * 1024 * 1024;

/** `largestList`: characters of the messages of one line. */
export function filter(
  paths: readonly string[],
  options: FilterOptions,
  host: Host,
  _makeSpinner: MakeSpinner | null = null,
  largestList: number = LARGEST_LIST,
): number | Promise<number> {
  const refusal = refuse(paths, options);
  if (refusal !== null) {
    tell(host, `error: ${refusal}`);
    return FAILED;
  }
  const run = new Invocation(options, host, null);
  const tools = run.attempt(() => (options.tools ?? []).flatMap(readToolsFile));
  if (!tools) return FAILED;
  const adjust = applyRules(options.rules, options.strict);
  const judge = new Judge({ tools, warnings: options.warnings === true, adjust });
  if (options.format === 'arrow') return filterBatches(paths[0], judge, run, options, host);
  const output = new FilterOutput(host.stdout, options.lineBuffered === true);
  run.attempt(() => {
    const input = open(paths[0] ?? STANDARD_INPUT, host);
    try {
      filterLines(input, judge, output, options, largestList);
    } finally {
      input.close();
    }
  });
  judge.close();
  output.flush();
  return run.failed ? FAILED : OK;
}

function refuse(paths: readonly string[], options: FilterOptions): string | null {
  const { emit, passthrough, maxLineBytes = 0, format, recordColumn } = options;
  if (maxLineBytes > MOST_LINE_BYTES) return `--max-line-bytes ${maxLineBytes}: expected at most ${MOST_LINE_BYTES}`;
  if (paths.length > 1) return `filter reads one input, not ${paths.length}; call it once for each`;
  if (format !== 'arrow' && recordColumn !== undefined) return '--record-column is for --format arrow';
  if (format === 'arrow' && (emit !== 'verdict' || passthrough)) {
    return '--format arrow writes verdicts, a row for each row: whoever sends the rows has them, and keeps or drops '
      + 'them';
  }
  const isRaw = emit === 'keep' || emit === 'drop';
  if (!isRaw || !passthrough) return null;
  return `--passthrough and --emit ${emit} exclude each other: ${emit} writes the records as they are`;
}

function open(path: string, host: Host): InputSource {
  return path === STANDARD_INPUT
    ? openRef({ kind: 'stdin', fd: host.stdin.fd }, { verify: false }).input
    : openInput(path);
}

/** Batches in, batches out. Arrow is loaded for it alone. */
async function filterBatches(
  path: string = STANDARD_INPUT, judge: Judge, run: Invocation, options: FilterOptions, host: Host,
): Promise<number> {
  const { filterArrow } = await import('./filter-arrow.ts');
  run.attempt(() => {
    const input = open(path, host);
    try {
      filterArrow(input, host.stdout, {
        judge,
        unit: unitOf(options),
        recordColumn: options.recordColumn,
        largest: options.maxLineBytes ?? LARGEST_LINE,
        onlyErrors: tellsOnlyErrors(options),
        asRows: (options.tools ?? []).length === 0,
      });
    } finally {
      input.close();
    }
  });
  judge.close();
  return run.failed ? FAILED : OK;
}

const unitOf = (options: FilterOptions): FileOptions =>
  ({ ...readOptionsOf(options), form: options.form, field: options.field });

/** What is no error is told only when it is asked for, or when something makes it one. */
const tellsOnlyErrors = ({ warnings, rules, strict }: FilterOptions): boolean =>
  warnings !== true && rules === undefined && !strict;

function filterLines(
  input: InputSource,
  judge: Judge,
  output: FilterOutput,
  options: FilterOptions,
  largestList: number,
): void {
  const { emit, passthrough } = options;
  const unit = unitOf(options);
  const largest = options.maxLineBytes ?? LARGEST_LINE;
  const isRaw = emit === 'keep' || emit === 'drop';
  const rows = canBeRows(unit) && passesAsRows(options, output) ? judge.kit.records : null;
  // Bytes of the lines that were judged one by one.
  let position = 0;
  if (rows !== null && largest >= LEAST_BOUND) {
    const refused = new RefusedTexts();
    const known = new KnownBytes<string>();
    new VerdictRows(rows, new WatchedSource(input, { willRead: () => output.flush() }), {
      largest,
      forms: formsOf(unit),
      onlyErrors: tellsOnlyErrors(options),
      judge: (line) => {
        const { number, isTooLong, bytes } = line;
        // A byte order mark may begin the first one.
        const isOwn = number > 0 && !isTooLong;
        let rest = isOwn ? known.get(bytes) : undefined;
        if (rest === undefined) {
          const record = recordOfLine(line, judge.machine, largest);
          const text = (): string => judge.record(record, unit, {}, position).text();
          rest = idOf(record) + ('problem' in record ? refused.of(record, text) : text());
          // `refused` knows problems.
          if (isOwn && !('problem' in record)) known.keep(bytes, rest);
        }
        position += line.size;
        output.text(`{"n":${number},${rest}\n`);
      },
      write: (bytes) => output.bytes(bytes),
    }).run();
    return;
  }
  const lines = linesOf(input, {
    largest,
    beforeRead: () => output.flush(),
    ...(emit === 'drop' && { onPart: (part) => output.bytes(part) }),
  });
  for (const line of lines) {
    const record = recordOfLine(line, judge.machine, largest);
    const messages = new MessageList(largestList);
    const verdict = judge.record(record, unit, {
      ...(emit === 'messages' && { message: (visited, { place }) => messages.add(verdictMessage(visited, place)) }),
    }, position);
    position += line.size;
    if (!isRaw) {
      const start = `{"n":${line.number},${idOf(record)}`;
      const text = verdict.text(emit === 'messages' ? messages.text : undefined);
      output.json(start + (passthrough ? `${text.slice(0, -1)},"record":${judged(record).text() ?? 'null'}}` : text));
    } else if (verdict.ok === (emit === 'keep') && !line.isTooLong) {
      output.bytes(line.bytes);
      if (line.isEnded) output.bytes(LINE_END);
      output.lineEnded();
    }
  }
}

/** Verdicts alone are asked for, on what records hold by themselves, and nobody waits for each of them. */
function passesAsRows(
  { emit, passthrough, tools = [], lineBuffered }: FilterOptions, { isTTY }: FilterOutput,
): boolean {
  return emit === 'verdict' && !passthrough && tools.length === 0 && !lineBuffered && !isTTY;
}

/** A verdict's line between its number and `"ok"`. */
function idOf(record: CorpusRecord | RecordProblem): string {
  const id = judged(record).id();
  return id === null ? '' : `"id":${id},`;
}

/** Verdicts on short lines that hold no record: where it goes wrong is all that tells them apart. */
class RefusedTexts {
  readonly #texts = new Map<string, Map<number, string>>();

  of({ problem, from, to, at }: RecordProblem, make: () => string): string {
    if (to >= SHORT || from > 0) return make();
    let texts = this.#texts.get(problem);
    if (texts === undefined) this.#texts.set(problem, (texts = new Map<number, string>()));
    const key = to * SHORT + (at ?? -1);
    let text = texts.get(key);
    if (text === undefined) texts.set(key, (text = make()));
    return text;
  }
}

const SHORT = 128;

/** Messages as JSON. */
class MessageList {
  readonly #largest: number;
  #text = '';

  constructor(largest: number) {
    this.#largest = largest;
  }

  /** Throws a RangeError when they are too long for one line; then there are none. */
  add(message: VerdictMessage): void {
    const text = JSON.stringify(message);
    const before = this.#text;
    this.#text = '';
    if (before.length + text.length > this.#largest) throw new RangeError('too many messages for one text');
    this.#text = before === '' ? text : `${before},${text}`;
  }

  get text(): string {
    return `[${this.#text}]`;
  }
}

const LINE_END = Buffer.from('\n');
