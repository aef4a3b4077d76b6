// Transcripts of a part of an input from any form to any other, as text or as lines of JSON; what a form cannot carry
// is refused record by record.

import { RECORD_ROWS } from '../../abi.ts';
import { type Converted, type ConvertedText, convertTranscript, type Form, isDialect } from '../../formats/convert.ts';
import { neutralOf } from '../../formats/neutral.ts';
import type { ChatRecord } from '../../formats/chat/read.ts';
import { RecordMessages, type RecordWritten } from '../../formats/chat/record-messages.ts';
import { type Loss, Refusal } from '../../formats/loss.ts';
import { type PromptOptions, writePrompt } from '../../formats/prompt.ts';
import { escapeText } from '../../printable.ts';
import type { TranscriptData } from '../../model/data.ts';
import type { DialectId } from '../../scan/dialects.ts';
import { MemorySource } from '../../scan/source.ts';
import type { InputSource } from '../input/source.ts';
import { type ChatForm, READERS } from '../records/chat-form.ts';
import type { RecordForm } from '../records/form.ts';
import { type Held, heldAs, heldBy } from '../records/held.ts';
import type { RawTranscript, TranscriptRows } from '../records/open-transcript.ts';
import { transcriptsOrRows } from '../records/raw.ts';
import type { CorpusRecord, Placed, RecordProblem } from '../records/record.ts';
import { passBad, type PassesBad } from '../records/pass-bad.ts';
import type { ChatLines } from '../records/chat-lines.ts';
import { nextRecord, type RecordRows } from '../records/rows.ts';
import { type FileOptions, largeText } from '../records/unit.ts';
import { columnLost, fieldLost, lossesOf, type Read, withLosses } from './convert-losses.ts';
import { ConvertOutput } from './convert-output.ts';
import { canBeRecords } from './convert-quick.ts';
import { addWritten, convertRecords, countPlainEmpty, emptyText, type RowsWork } from './convert-rows.ts';
import { refusalOf, Refusals, type Refused, refusedFor, RUNS, toldOf } from './convert-refusals.ts';
import { ConvertSums, openingOf } from './convert-sums.ts';
import type { Job, Piece } from './job.ts';
import type { Opened, ThreadContext } from './open.ts';
import { placeOfLine, type Words } from './words.ts';

export type ConvertJob = Extract<Job, { kind: 'convert' }>;
type Pieces = Generator<Piece, void, void>;

/** Where a transcript comes from: for its id, and for people. */
interface Origin {
  readonly id: string | number;
  readonly place: Words;
  /** Bytes of the input; of raw text, by which it belongs to a part. */
  readonly from: number;
  readonly to: number;
  /** Of a record. */
  readonly line: number | null;
}

/** Forms whose data has the shape of a dialect. */
const SHAPES: Partial<Record<RecordForm, DialectId>> = {
  'interchange-2.0': 'openchatml-2.0',
  'interchange-2.2': 'openchatml-2.2',
};

/** Forms that have a document header. */
const HEADERS = /^(?:openchatml|interchange)-2\./;

/** The field of a record that holds the messages. */
const HOLDERS: Partial<Record<Form, string>> = {
  messages: 'messages',
  anthropic: 'messages',
  responses: 'input',
  sharegpt: 'conversations',
  'interchange-2.0': 'messages',
  'interchange-2.2': 'messages',
};

/** Writers of records that a job is done with: the next part needs no new memory, and has its definitions known. */
const IDLE: RecordMessages[] = [];

export class Conversion {
  readonly #context: ThreadContext;
  readonly #job: ConvertJob;
  readonly #input: InputSource;
  readonly #reading: FileOptions;
  readonly #out: ConvertOutput;
  #sums = new ConvertSums();
  #handedOut = 0;
  #records: RecordMessages | undefined;
  readonly #refusals = new Refusals();

  constructor(context: ThreadContext, job: ConvertJob, { input, options }: Opened) {
    this.#context = context;
    this.#job = job;
    this.#input = input;
    this.#reading = options;
    this.#out = new ConvertOutput(job.part.of === 'guess');
  }

  /** System messages by which headerless text looks like Harmony (R-LIKELY). */
  likeHarmony = 0;

  /** Transcripts that were converted or refused. */
  get transcripts(): number {
    return this.#handedOut + this.#sums.converted + this.#sums.refused;
  }

  /** A piece that was handed out, with the numbers in it that others have to count on. */
  numbered(piece: Piece): Piece {
    return this.#out.numbered(piece);
  }

  /** Converts all that comes; the sums are the last piece. */
  *take<T, R>(all: Generator<T, R, void>, convert: (one: T) => Pieces): Generator<Piece, R, void> {
    // Where an input may come slowly, what is there goes out.
    const isLive = !this.#input.canReread;
    try {
      let next = all.next();
      if (!next.done) this.#loseColumns();
      for (; !next.done; next = all.next()) {
        yield* convert(next.value);
        if (isLive) yield* this.#out.patience();
      }
      yield* this.#end();
      return next.value;
    } catch (error) {
      // What was read before belongs to the output.
      yield* this.#end();
      throw error;
    } finally {
      this.#out.close();
      // A part that nobody wants any more ends in the middle.
      if (this.#records !== undefined) IDLE.push(this.#records);
      this.#records = undefined;
    }
  }

  #loseColumns(): void {
    const { leftOut } = this.#input;
    const { path } = this.#job.input;
    if (leftOut) this.#sums.loseTimes(leftOut.count, [path], columnLost(leftOut.first));
  }

  *#end(): Pieces {
    yield* this.#refusals.end(this.#out);
    yield* this.#handOut();
  }

  *#handOut(): Pieces {
    yield* this.#out.flush();
    const sums = this.#sums;
    this.#handedOut = this.transcripts;
    this.#sums = new ConvertSums();
    yield { converted: sums.toJSON() };
  }

  /** A transcript is done with. */
  *#settle(): Pieces {
    if (this.#job.apart) yield* this.#handOut();
  }

  /** Records that were scanned together. */
  *rows(rows: RecordRows, lines: ChatLines): Pieces {
    const { input: { path }, to, format } = this.#job;
    const isText = format === 'text';
    const work = { form: to as RowsWork['form'], isLines: !isText, path };
    for (let record = 0; record < rows.to; ) {
      const writing = convertRecords(rows, record, rows.to, work, this.#sums);
      let next = writing.next();
      let from = record;
      for (; !next.done; next = writing.next()) {
        addWritten(this.#sums, rows, from, next.value, work);
        from = next.value.next;
        yield* this.#out.add(next.value.bytes);
      }
      record = next.value;
      if (record === rows.to) return;
      // Lines tell of each refusal.
      const passed = isText ? passBad(rows, record, this.#isFurther, this.#refusals.known) : record;
      if (passed > record) {
        record = passed;
        continue;
      }
      const empty = isText && to === 'openchatml-2.2' ? countPlainEmpty(rows, record, rows.to) : 0;
      if (empty > 0) {
        yield* this.#empty(empty);
        record += empty * RECORD_ROWS;
        continue;
      }
      yield* this.#rowRecord(rows, record, lines);
      record = nextRecord(rows, record);
    }
  }

  /** Records without a message, as text. */
  *#empty(records: number): Pieces {
    this.#sums.converted += records;
    const text = emptyText();
    for (let left = records; left > 0; left--) if (!this.#out.take(text)) yield* this.#out.add(text);
  }

  /** Takes a refusal of which nothing but its number is told. */
  readonly #isFurther: PassesBad<string> = (rule, from, to, line, times) => {
    if (!this.#refusals.isFurther(rule, from, to, line, times)) return false;
    this.#sums.refused += times;
    return true;
  };

  *#rowRecord(rows: RecordRows, row: number, lines: ChatLines): Pieces {
    const bytes = lines.bytesOf(rows, row);
    const known = this.#refusals.known.get(bytes);
    if (known === undefined) return yield* this.record(lines.record(rows, row), bytes);
    const place = lines.placeOf(rows, row);
    yield* this.#refuse(this.#originOf(place, known.id), toldOf(known), 'record', known.rule);
  }

  #originOf({ number, line, from, to }: Placed, id: string | number | null): Origin {
    const { path } = this.#job.input;
    return { id: id ?? `${path}:${number}`, place: placeOfLine(path, line), from, to, line };
  }

  *transcript(given: RawTranscript | TranscriptRows): Pieces {
    const { path } = this.#job.input;
    const isRows = 'read' in given;
    const { number, from } = isRows ? given.info : given;
    const { after } = given;
    if (this.#refusals.endsBefore(after)) yield* this.#refusals.end(this.#out);
    const id = `${path}:${number}`;
    const place = [`${path}: transcript `, number, ` at byte ${from}`];
    const origin = { id, place, from: after, to: from, line: null };
    yield* this.#writeOne(origin, this.#recordOrValues(given), []);
  }

  /** A transcript as a chat record where rows may be written as one; else as values, which are read now. */
  #recordOrValues(given: RawTranscript | TranscriptRows): RawTranscript | RecordWritten {
    if (!('read' in given)) return given;
    if (!canBeRecords(this.#job)) return given.read();
    const { batch, row, to, info, context } = given;
    const records = (this.#records ??= IDLE.pop() ?? new RecordMessages());
    return records.write(batch, row, to, info, context, this.#job.harmonyPreambles === true) ?? given.read();
  }

  /** Writes it. `before`: what was lost on the way to it. */
  *#writeOne(origin: Origin, one: RawTranscript | RecordWritten, before: readonly Loss[]): Pieces {
    if ('data' in one) return yield* this.#raw(origin, one, before);
    const { id, place } = origin;
    this.#sums.converted++;
    this.#sums.lose(place, before);
    this.#sums.lose(place, one.losses);
    yield* this.#out.addWritten(id, one);
  }

  /** `bytes`: its own, where others may be alike. */
  *record(record: CorpusRecord | RecordProblem, bytes: Buffer | null = null): Pieces {
    if ('problem' in record) {
      const { from, to, line } = record;
      const isCounted = this.#job.format === 'text' && !this.#job.apart;
      if (isCounted && bytes === null && this.#isFurther(RUNS.problem, from, to, line, 1)) return;
      const refused = refusedFor(record);
      if (bytes !== null) this.#refusals.known.keep(bytes, refused);
      yield* this.#refuse(this.#originOf(record, null), toldOf(refused), 'record', refused.rule);
      return;
    }
    const { value } = record;
    const given = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
    const id = typeof given === 'string' || typeof given === 'number' ? given : null;
    const origin = this.#originOf(record, id);
    const losses = lossesOf(record, given !== id);
    const { from } = this.#job;
    // A form that is named holds one chat; else a record holds what every command reads.
    const held: Held[] =
      from === 'auto' || isDialect(from) ? heldBy(record, this.#reading)
        : [heldAs(from as ChatForm, value)];
    if (held.length === 0) {
      const refusal = refusalOf(value, this.#reading);
      if (bytes !== null) this.#refusals.known.keep(bytes, { refusal, id, at: null, rule: RUNS.record });
      yield* this.#refuse(origin, refusal, 'record');
    }
    for (const chat of held) {
      const { side } = chat;
      const place = side === null ? origin.place : [...origin.place, `: ${side}`];
      const own = side === null ? origin : { ...origin, id: `${origin.id}:${side}`, place };
      if ('texts' in chat) yield* this.#text(own, chat, losses);
      else {
        const { form, hidden } = chat;
        const before = hidden === null ? losses : [...losses, fieldLost(hidden)];
        yield* this.#convert(own, () => withLosses(before, READERS[form](chat.value)), SHAPES[form] ?? null);
      }
    }
  }

  /** A record whose text holds raw transcripts, mostly one. */
  *#text(origin: Origin, { texts, otherFields }: Extract<Held, { texts: unknown }>, before: Loss[]): Pieces {
    if (texts.some((text) => /\p{Surrogate}/u.test(text))) {
      const refusal = new Refusal(null, 'its text holds half a character', 'write whole characters');
      yield* this.#refuse(origin, refusal, 'record');
      return;
    }
    const problem = largeText(texts, this.#reading);
    if (problem !== null) {
      yield* this.#refuse(origin, new Refusal(null, problem, 'split it'), 'record');
      return;
    }
    const lost = [...before, ...otherFields.map(fieldLost)];
    const source = new MemorySource(Buffer.from(texts.join(''), 'utf8'));
    const all = transcriptsOrRows(this.#context.machine, source, this.#reading, { known: this.#context.headers });
    let next = all.next();
    if (next.done) {
      const refusal = new Refusal(null, 'its text holds no transcript', 'give one');
      const data = { header: null, tools: [], messages: [] };
      if (next.value.hasText) yield* this.#refuse(origin, refusal, 'record');
      else yield* this.#convert(origin, () => ({ data, losses: lost }), null);
    }
    for (let count = 0; !next.done; count++) {
      const number = 'read' in next.value ? next.value.info.number : next.value.number;
      const one = this.#recordOrValues(next.value);
      next = all.next();
      const id = count === 0 && next.done ? origin.id : `${origin.id}:${number}`;
      yield* this.#writeOne({ ...origin, id }, one, lost);
    }
  }

  #raw(
    origin: Origin, { data, dialect, losses, likeHarmony, refusal }: RawTranscript, before: readonly Loss[],
  ): Pieces {
    this.likeHarmony += likeHarmony;
    if (refusal !== null) return this.#refuse(origin, refusal, 'transcript');
    return this.#convert(origin, () => ({ data, losses: [...before, ...losses] }), dialect);
  }

  /** `dialect`: the data has that dialect's shape; null: it is neutral. */
  *#convert(origin: Origin, read: () => Read, dialect: DialectId | null): Pieces {
    const { to, neutralise, calls, constrain: contentType, harmonyPreambles, reasoning } = this.#job;
    const { end, edges, prompt, system } = this.#job;
    try {
      const given = read();
      // From Harmony to Harmony the convention stays as it is.
      const preambles = harmonyPreambles === true || to === 'harmony';
      const neutral =
        dialect === null ? { data: given.data, losses: [] }
          : neutralOf(given.data, dialect, { preambles, settings: HEADERS.test(to) });
      const constrainCalls = dialect === 'openchatml-2.0';
      const options = { neutralise, calls, contentType, edges, system, constrainCalls };
      const converted = prompt === true ? promptOf(neutral.data, to, reasoning, options)
        : convertTranscript(neutral.data, to, {
          neutralise, calls, contentType, edges, system, constrainCalls, reasoning, end, asTexts: true,
        });
      yield* this.#write(origin, converted, neutral.data);
      for (const losses of [given.losses, neutral.losses, converted.losses]) this.#sums.lose(origin.place, losses);
      yield* this.#settle();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      yield* this.#refuse(origin, error, 'record');
    }
  }

  #write({ id, place, ...origin }: Origin, converted: Converted, { messages, tools }: TranscriptData): Pieces {
    const { to, format, forTerminal } = this.#job;
    const size = origin.line === null ? Infinity : origin.to - origin.from;
    this.#sums.converted++;
    const { record } = converted;
    if (record !== null && to === 'messages' && 'tools' in record) {
      return this.#out.addRecord(id, record as ChatRecord, tools, size);
    }
    if (record !== null) return this.#out.addLine(id, record, size);
    const { texts = [converted.text] } = converted as ConvertedText;
    if (format === 'ndjson') return this.#out.addLine(id, { text: texts.join('') }, size);
    if (to === 'harmony') this.#sums.join(place, openingOf(texts[0] ?? ''), messages.at(-1)?.end ?? 'end');
    // Harmony text ends without a newline: on a terminal, what is told next begins a line.
    return this.#out.addTexts(forTerminal ? [`${escapeText(texts.join('')).trimEnd()}\n`] : texts);
  }

  /** `whole`: what is refused when no message is to blame. */
  *#refuse(
    origin: Origin, { index, reason, remedy }: Refused, whole: 'record' | 'transcript',
    run: string = origin.line === null ? RUNS.transcript : RUNS.record,
  ): Pieces {
    this.#sums.refused++;
    const { id, place, from, to, line } = origin;
    if (this.#refusals.endsBefore(from)) yield* this.#refusals.end(this.#out);
    const isText = this.#job.format === 'text';
    const isAlone = this.#refusals.isAlone(run, { from, to, line: line ?? 0 }, place);
    const words = isText && !isAlone ? '' : `${index === null ? whole : `message ${index}`}: ${reason}; ${remedy}`;
    if (isAlone) {
      yield* this.#out.flush();
      yield { words: [['refused: ', ...place, `: ${words}`]] };
    }
    if (!isText) {
      yield* this.#out.addLine(id, { [HOLDERS[this.#job.to] ?? 'text']: null, error: words }, 0);
    }
    yield* this.#settle();
  }
}

/** The prompt for the next completion; `to` is a dialect. */
function promptOf(
  data: TranscriptData, to: Form, reasoning: ConvertJob['reasoning'], options: PromptOptions,
): Converted {
  if (!isDialect(to) || reasoning === 'think') throw new RangeError('a prompt is text of a dialect');
  const { text, messages, losses, dropped } = writePrompt(data, to, { ...options, rule: reasoning });
  return { text, record: null, messages, losses: [...dropped, ...losses] };
}
