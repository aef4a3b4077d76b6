// `filter`: one verdict a line, of a file or for programs that send records through a pipe. What stands in a record is
// never a reason to fail: the exit code tells of reading and writing alone.

import { type Input, inputAt, STANDARD_INPUT } from '../../corpus/input/paths.ts';
import { readToolsFile } from '../../corpus/input/tools-file.ts';
import type { FilterWork, JudgeWork } from '../../corpus/jobs/job.ts';
import { textOfWords } from '../../corpus/jobs/words.ts';
import { LARGEST_LINE, LARGEST_LIST, MOST_LINE_BYTES } from '../../corpus/jobs/verdict-lines.ts';
import { type CorpusOptions, readOptionsOf } from '../options.ts';
import { escapeJson, escapeText } from '../print.ts';
import type { MakeSpinner } from '../progress.ts';
import { FAILED, Invocation, OK, tell } from '../invocation.ts';
import type { Host, TextStream } from '../stream.ts';

export interface FilterOptions extends Omit<CorpusOptions, 'summary'> {
  readonly emit: FilterWork['emit'];
  /** `arrow`: Arrow IPC streams in and out. */
  readonly format?: 'ndjson' | 'arrow';
  /** Of Arrow: the column whose cells are records. */
  readonly recordColumn?: string;
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

/** `largestList`: characters of the messages of one line. */
export async function filter(
  paths: readonly string[],
  options: FilterOptions,
  host: Host,
  _makeSpinner: MakeSpinner | null = null,
  largestList: number = LARGEST_LIST,
): Promise<number> {
  const refusal = refuse(paths, options);
  if (refusal !== null) {
    tell(host, `error: ${refusal}`);
    return FAILED;
  }
  const run = new Invocation(options, host, null);
  const tools = run.attempt(() => (options.tools ?? []).flatMap(readToolsFile));
  if (!tools) return FAILED;
  const { emit, rules = {}, passthrough = false, lineBuffered: isApart = false, maxLineBytes: largest } = options;
  const judging: JudgeWork = { tools, warnings: options.warnings === true, rules, strict: options.strict === true };
  const input = inputAt(paths[0] ?? STANDARD_INPUT, host.stdin.fd);
  if (options.format === 'arrow') return filterBatches(input, judging, run, options, host);
  const out = new Written(host.stdout, emit === 'keep' || emit === 'drop');
  // Threads would be ahead of a line that somebody waits for.
  const reading = isApart ? { ...options, threads: 1 } : options;
  for await (const event of run.events(paths, reading, {
    inputs: [input],
    largestRecord: largestOf(options),
    work: { kind: 'filter', emit, passthrough, isApart, largest: largest ?? LARGEST_LINE, largestList, ...judging },
    tellsAtEnd: false,
  })) {
    if (event.kind !== 'piece') continue;
    if ('words' in event.piece) run.tellAll(event.piece.words.map(textOfWords));
    else out.bytes(event.piece as Uint8Array);
  }
  out.end();
  return run.failed ? FAILED : OK;
}

/** Who asks for longer lines asks for longer texts in them; shorter ones are bounded by their lines. */
const largestOf = ({ maxLineBytes }: FilterOptions): number | undefined =>
  maxLineBytes !== undefined && maxLineBytes > LARGEST_LINE ? maxLineBytes : undefined;

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

/** Batches in, batches out. Arrow is loaded for it alone. */
async function filterBatches(
  input: Input, judging: JudgeWork, run: Invocation, options: FilterOptions, host: Host,
): Promise<number> {
  const { filterArrow } = await import('./filter-arrow.ts');
  run.attempt(() => filterArrow(input, host.stdout, judging, {
    unit: {
      ...readOptionsOf(options), form: options.form, field: options.field, largestRecord: largestOf(options),
    },
    recordColumn: options.recordColumn,
    largest: options.maxLineBytes ?? LARGEST_LINE,
  }));
  return run.failed ? FAILED : OK;
}

/** What goes out at once; on a terminal, what could steer it is escaped. */
class Written {
  readonly #stream: TextStream;
  readonly #escape: (text: string) => string;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  /** `isRaw`: lines as they are, or else lines of JSON, whose values stay the same. */
  constructor(stream: TextStream, isRaw: boolean) {
    this.#stream = stream;
    this.#escape = isRaw ? escapeText : escapeJson;
  }

  bytes(bytes: Uint8Array): void {
    const { isTTY, writeBytes } = this.#stream;
    if (!isTTY && writeBytes !== undefined) this.#stream.writeBytes!(bytes);
    else this.#text(this.#decoder.decode(bytes, { stream: true }));
  }

  /** The bytes may end within a character. */
  end(): void {
    this.#text(this.#decoder.decode());
  }

  #text(text: string): void {
    if (text !== '') this.#stream.write(this.#stream.isTTY ? this.#escape(text) : text);
  }
}
