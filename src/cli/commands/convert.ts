// `convert`: transcripts from any form to any other. What a form loses is summed up, what it cannot carry is refused
// record by record.

import { JSON_DEEPEST } from '../../abi.ts';
import { ENDINGS } from '../../corpus/input/paths.ts';
import { formOf, holdsRecords, type RecordForm } from '../../corpus/records/form.ts';
import { type CorpusRecord, readRecords, type RecordProblem } from '../../corpus/records/record.ts';
import { rawTranscripts, type RawTranscript } from '../../corpus/records/raw.ts';
import { fromChat } from '../../formats/chat/read.ts';
import { convertTranscript, type Form, isDialect, neutralOf } from '../../formats/convert.ts';
import { fromInterchange20, fromInterchange22 } from '../../formats/interchange/read.ts';
import { type Loss, Refusal } from '../../formats/loss.ts';
import { fromShareGpt } from '../../formats/chat/sharegpt.ts';
import type { TranscriptData } from '../../model/data.ts';
import type { ReadOptions } from '../../model/walk.ts';
import type { DialectId } from '../../scan/dialects.ts';
import { MemorySource, type Source } from '../../scan/source.ts';
import { ConvertOutput, type Origin, type OutputFormat } from './convert-output.ts';
import type { SharedOptions } from '../options.ts';
import type { MakeSpinner } from '../progress.ts';
import { escapeLine } from '../print.ts';
import { FAILED, FOUND, Invocation, OK, type OpenInput, tell } from '../invocation.ts';
import type { Host } from '../stream.ts';

export interface ConvertCommandOptions extends SharedOptions {
  readonly to: Form;
  /** What the inputs hold: a dialect's text (raw, or in records' `text`), or records of one form. */
  readonly from: 'auto' | DialectId | Exclude<RecordForm, 'text'>;
  /** `text` by default for dialects; the other forms are always lines of JSON. */
  readonly format?: OutputFormat;
  readonly neutralise?: true;
  readonly constrain?: 'bare' | 'constrain';
  readonly harmonyPreambles?: true;
  readonly reasoning?: 'keep' | 'ocm' | 'harmony';
}

const READERS: Readonly<
  Record<Exclude<RecordForm, 'text'>, (record: unknown) => { data: TranscriptData; losses: Loss[] }>
> = {
  messages: fromChat,
  sharegpt: fromShareGpt,
  'interchange-2.0': fromInterchange20,
  'interchange-2.2': fromInterchange22,
};

export function convert(
  paths: readonly string[],
  options: ConvertCommandOptions,
  host: Host,
  makeSpinner: MakeSpinner | null,
): number {
  if (isDialect(options.from) && options.dialect !== 'auto' && options.dialect !== options.from) {
    tell(host, `error: --from ${options.from} and --dialect ${options.dialect} contradict each other; give one of them`);
    return FAILED;
  }
  if (options.format === 'text' && !isDialect(options.to)) {
    tell(host, `error: --format text is for dialects; ${options.to} is written as lines of JSON`);
    return FAILED;
  }
  const run = new Invocation(options, host, makeSpinner);
  const output = new ConvertOutput(
    run,
    options.to,
    options.format ?? (isDialect(options.to) ? 'text' : 'ndjson'),
    host.stdout.isTTY,
  );
  const work = new Conversion(run, output, options);
  run.each(paths, (input) => work.read(input), ENDINGS);
  run.out.flush();
  output.tellSummary(options.quiet === true);
  if (run.failed) return FAILED;
  return output.refused > 0 ? FOUND : OK;
}

class Conversion {
  readonly #run: Invocation;
  readonly #output: ConvertOutput;
  readonly #options: ConvertCommandOptions;

  constructor(run: Invocation, output: ConvertOutput, options: ConvertCommandOptions) {
    this.#run = run;
    this.#output = output;
    this.#options = options;
  }

  read({ path, source, options }: OpenInput): void {
    const { from } = this.#options;
    const reading: ReadOptions = isDialect(from) ? { ...options, dialect: from } : options;
    const isNamedForm = from !== 'auto' && !isDialect(from);
    if (isNamedForm || holdsRecords(path, source)) {
      const locate = (bytes: Uint8Array): number => this.#run.machine.checkJson(bytes, JSON_DEEPEST);
      for (const record of readRecords(source, { locate })) this.#record(path, record, reading);
    } else {
      let isEmpty = true;
      for (const transcript of rawTranscripts(this.#run.machine, source, reading)) {
        isEmpty = false;
        const { number, from: at } = transcript;
        this.#raw({ id: `${path}:${number}`, place: `${path}: transcript ${number} at byte ${at}` }, transcript);
      }
      if (isEmpty) this.#run.tell(`${escapeLine(path)}: holds no message to convert`);
    }
  }

  #record(path: string, record: CorpusRecord | RecordProblem, reading: ReadOptions): void {
    const { number, line } = record;
    const place = `${path}:${line}`;
    if ('problem' in record) {
      const where = record.at === null ? '' : ` at byte ${record.at}`;
      this.#output.refuse(
        { id: `${path}:${number}`, place },
        new Refusal(null, `${record.problem}${where}`, record.remedy),
        'record',
      );
      return;
    }
    const { value } = record;
    const given = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
    const origin = { id: typeof given === 'string' || typeof given === 'number' ? given : `${path}:${number}`, place };
    const losses = lossesOf(record, given !== origin.id && given !== null);
    const { from } = this.#options;
    const form = from === 'auto' || isDialect(from) ? formOf(value) : from;
    if (form === null) {
      const remedy = 'give messages, conversations or text, or name its form with --from';
      this.#output.refuse(origin, new Refusal(null, 'its form is none that is known', remedy), 'record');
    } else if (form === 'text') {
      this.#text(origin, value as { text: string }, reading, losses);
    } else {
      this.#convert(origin, () => withLosses(losses, READERS[form](value)), form.startsWith('interchange') ? dialectOf(form) : null);
    }
  }

  /** A record whose text holds raw transcripts, mostly one. */
  #text(origin: Origin, record: { readonly text: string }, reading: ReadOptions, before: Loss[]): void {
    const { text } = record;
    if (/\p{Surrogate}/u.test(text)) {
      this.#output.refuse(origin, new Refusal(null, 'its text holds half a character', 'write whole characters'), 'record');
      return;
    }
    const fields = Object.keys(record).filter((key) => key !== 'id' && key !== 'text');
    const lost = [...before, ...fields.map((key): Loss => ({ what: 'field', message: null, detail: key }))];
    const source: Source = new MemorySource(Buffer.from(text, 'utf8'));
    const transcripts = [...rawTranscripts(this.#run.machine, source, reading)];
    if (transcripts.length === 0)
      this.#output.refuse(origin, new Refusal(null, 'its text holds no transcript', 'give one'), 'record');
    else if (transcripts.length === 1) this.#raw(origin, transcripts[0]!, lost);
    else
      for (const transcript of transcripts)
        this.#raw({ ...origin, id: `${origin.id}:${transcript.number}` }, transcript, lost);
  }

  #raw(origin: Origin, { data, dialect, losses, refusal }: RawTranscript, before: readonly Loss[] = []): void {
    if (refusal !== null) this.#output.refuse(origin, refusal, 'transcript');
    else this.#convert(origin, () => ({ data, losses: [...before, ...losses] }), dialect);
  }

  /** `dialect`: the data has that dialect's shape; null: it is neutral. */
  #convert(origin: Origin, read: () => { data: TranscriptData; losses: Loss[] }, dialect: DialectId | null): void {
    const { to, neutralise, constrain, harmonyPreambles, reasoning } = this.#options;
    try {
      const given = read();
      // From Harmony to Harmony the convention stays as it is.
      const neutral = dialect === null ? { data: given.data, losses: [] } : neutralOf(given.data, dialect, { preambles: harmonyPreambles === true || to === 'harmony' });
      const converted = convertTranscript(neutral.data, to, { neutralise, contentType: constrain, reasoning });
      this.#output.write(origin, converted, neutral.data);
      this.#output.lose(origin, [given.losses, neutral.losses, converted.losses]);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#output.refuse(origin, error, 'record');
    }
  }
}

/** What reading a record as JSON has lost. */
function lossesOf({ isRounded }: CorpusRecord, hasOddId: boolean): Loss[] {
  const losses: Loss[] = [];
  if (isRounded) losses.push({ what: 'field', message: null, detail: 'a number that a double does not hold is rounded' });
  if (hasOddId) losses.push({ what: 'field', message: null, detail: 'an id that is no text and no number' });
  return losses;
}

function withLosses(before: readonly Loss[], read: { data: TranscriptData; losses: Loss[] }): { data: TranscriptData; losses: Loss[] } {
  return before.length === 0 ? read : { data: read.data, losses: [...before, ...read.losses] };
}

const dialectOf = (form: RecordForm): DialectId => (form === 'interchange-2.0' ? 'openchatml-2.0' : 'openchatml-2.2');
