// Rendering a part of an input: what an end user may see of the transcripts that begin in it, as text or as sections of
// a page.

import { RECORD_ROWS } from '../../abi.ts';
import { RULES } from '../../errors.ts';
import type { Message } from '../../model/message.ts';
import { type HtmlOptions, renderHtml, renderText } from '../../formats/render/render.ts';
import type { PlainReadOptions } from '../../model/part-walk.ts';
import { MemorySource, type Source } from '../../scan/source.ts';
import { type MessagesEnd, messagesOf, type PlacedMessage } from '../messages.ts';
import { BadRuns } from '../records/bad-runs.ts';
import { passBad, type PassesBad } from '../records/pass-bad.ts';
import { isRows, nextRecord, type RecordRows } from '../records/rows.ts';
import { type BadRecord, isBad, type Unit } from '../records/unit.ts';
import { READING } from '../records/unit-chat.ts';
import { Units } from '../records/units.ts';
import { countEmpty, writeRecordTexts } from './convert-rows.ts';
import { FewTexts } from './few-texts.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import { type Job, NO_RESULT, type Piece } from './job.ts';
import type { Kind } from './kind.ts';
import type { ThreadContext } from './open.ts';
import type { Words } from './words.ts';

type RenderJob = Extract<Job, { kind: 'render' }>;

export const RENDER: Kind<RenderJob> = {
  *raw(context, job, { input, options }, range) {
    const from = range.start?.position ?? 0;
    const output = new RenderOutput(job, !input.canReread);
    const setting = { range, known: context.headers, wholeTranscripts: true };
    const reading = new Reading(messagesOf(context.machine, context.watched(input), options, setting));
    yield* output.take(reading);
    yield* output.flush();
    // It is left early only when a transcript behind the wanted one has begun.
    const { transcripts, position, likeHarmony } = reading.end ?? { transcripts: 1, position: from, likeHarmony: 0 };
    const bytes = Math.min(range.to, position) - from;
    return { ...NO_RESULT, transcripts, messages: output.messages, likeHarmony, bytes };
  },

  *records(context, job, { input, options }, part) {
    const output = new RenderOutput(job, !input.canReread);
    // One transcript is looked for by its number; a debug view tells where messages stand in the text of a record.
    const isQuick = job.transcript === undefined && job.options.debug !== true;
    const rows = isQuick ? 'definitions' : 'none';
    const units = new Units(context, job.input.path, context.watched(input), options, part, rows);
    const records = new RenderedRecords(context, job, units, output, part.record + part.surplus);
    try {
      for (const item of units.items()) {
        if (isRows(item)) yield* records.rows(item);
        else if (!(yield* records.take(item))) break;
      }
    } catch (error) {
      // What was read before belongs to the output.
      yield* output.flush();
      throw error;
    }
    yield* output.flush();
    yield* records.end();
    const { transcripts, likeHarmony } = records;
    const bytes = units.end(part.to) - part.from;
    return { ...NO_RESULT, records: units.records, transcripts, messages: output.messages, likeHarmony, bytes };
  },
};

/** Records of a part, one after the other: those whose text is written from their rows are read together. */
class RenderedRecords {
  transcripts: number;
  likeHarmony = 0;
  readonly #context: ThreadContext;
  readonly #job: RenderJob;
  readonly #units: Units;
  readonly #output: RenderOutput;
  readonly #runs = new BadRuns<BadRecord>();
  readonly #few = new FewTexts();

  constructor(context: ThreadContext, job: RenderJob, units: Units, output: RenderOutput, transcripts: number) {
    this.#context = context;
    this.#job = job;
    this.#units = units;
    this.#output = output;
    this.transcripts = transcripts;
  }

  *rows(rows: RecordRows): Generator<Piece, void, void> {
    for (let record = 0; record < rows.to; ) {
      const texts = writeRecordTexts(rows, record, rows.to);
      let next = texts.next();
      for (; !next.done; next = texts.next()) {
        if (this.#few.add(next.value)) continue;
        yield* this.#readFew();
        // Each text is a transcript.
        yield* this.#read(new MemorySource(next.value.bytes), READING);
      }
      record = next.value;
      if (record === rows.to) break;
      const empty = countEmpty(rows, record, rows.to);
      if (empty > 0) {
        // Nothing is shown of them.
        this.#few.skip(empty);
        record += empty * RECORD_ROWS;
        continue;
      }
      yield* this.#readFew();
      const passed = passBad(rows, record, this.#isFurther, this.#units.knownBad);
      if (passed > record) {
        record = passed;
        continue;
      }
      for (const unit of this.#units.slow(rows, record)) yield* this.take(unit);
      record = nextRecord(rows, record);
    }
    yield* this.#readFew();
  }

  /** Takes a bad record of which nothing but its number is told. */
  readonly #isFurther: PassesBad = (...bad) => this.#runs.isFurther(...bad);

  /** Reads the texts that wait. */
  *#readFew(): Generator<Piece, void, void> {
    const { bytes, records } = this.#few;
    const before = this.transcripts;
    const numbered = this.#few.numbering();
    if (bytes.length > 0) yield* this.#read(new MemorySource(bytes), READING, (own) => before + numbered(own));
    this.transcripts = before + records;
    this.#few.clear();
  }

  /** False: nothing further is wanted. */
  *take(unit: Unit | BadRecord): Generator<Piece, boolean, void> {
    if (this.transcripts > (this.#job.transcript ?? Infinity)) return false;
    if (!isBad(unit)) {
      yield* this.#read(unit.source, unit.options);
      return true;
    }
    const { path } = this.#job.input;
    const words: Words[] = this.#runs.endsBefore(unit.from) ? wordsOf(this.#runs, path) : [];
    const { rule, line, detail } = unit;
    if (this.#runs.isAlone(rule, unit, unit)) words.push([`${path}:`, line!, `: ${RULES[rule].text}: ${detail}`]);
    if (words.length > 0) {
      yield* this.#output.flush();
      yield { words };
    }
    return true;
  }

  *end(): Generator<Piece, void, void> {
    if (this.#runs.isAny) yield { words: wordsOf(this.#runs, this.#job.input.path) };
  }

  /** `numbered`: from the number of a transcript in the source to that in the file; by default it follows the last. */
  *#read(
    source: Source, options: PlainReadOptions, numbered: Numbering = numberedBehind(this.transcripts),
  ): Generator<Piece, void, void> {
    const messages = messagesOf(this.#context.machine, source, options, { known: this.#context.headers });
    const reading = new Reading(messages);
    yield* this.#output.take(reading, numbered);
    this.transcripts += reading.end?.transcripts ?? 0;
    this.likeHarmony += reading.end?.likeHarmony ?? 0;
  }
}

type Numbering = (own: number) => number;
const same: Numbering = (own) => own;
const numberedBehind = (before: number): Numbering => (own) => before + own;

/** Bad records that were not told by themselves. */
function wordsOf(runs: BadRuns<BadRecord>, path: string): Words[] {
  return runs.take().map(({ first, times, lastLine }) =>
    [`${path}:`, first.line!, `: ${RULES[first.rule].text}: ${times} times, up to line `, lastLine]);
}

/** Messages, and where reading them ended, when it did. */
class Reading implements Iterable<PlacedMessage> {
  end: MessagesEnd | null = null;
  readonly #messages: Generator<PlacedMessage, MessagesEnd, void>;

  constructor(messages: Generator<PlacedMessage, MessagesEnd, void>) {
    this.#messages = messages;
  }

  *[Symbol.iterator](): Generator<PlacedMessage, void, void> {
    this.end = yield* this.#messages;
  }
}

class RenderOutput {
  /** Messages that were wanted. */
  messages = 0;
  readonly #job: RenderJob;
  readonly #isLive: boolean;
  readonly #out = new GatheredBytes();

  /** `isLive`: the input may come slowly, and what is there goes out. */
  constructor(job: RenderJob, isLive: boolean) {
    this.#job = job;
    this.#isLive = isLive;
  }

  /** Messages of whole transcripts; `numbered`: from the number of a transcript among them to that in the file. */
  *take(messages: Iterable<PlacedMessage>, numbered = same): Generator<Piece, void, void> {
    const { format, untitled, input } = this.#job;
    const options = { ...this.#job.options, numbered };
    const wanted = this.#wanted(messages, numbered);
    const settings: HtmlOptions = { ...options, fragment: true, level: input.path === untitled ? 2 : 3 };
    const texts = format === 'html' ? renderHtml(wanted, settings) : renderText(wanted, options);
    try {
      for (const text of texts) {
        if (!this.#out.takeText(text)) yield* this.#out.addText(text);
        if (this.#isLive) yield* this.#out.patience();
      }
    } catch (error) {
      yield* this.flush();
      throw error;
    }
  }

  flush(): Generator<Piece, void, void> {
    return this.#out.flush();
  }

  /** The messages of one transcript, or all. */
  *#wanted(messages: Iterable<PlacedMessage>, numbered: Numbering): Generator<Message, void, void> {
    const { transcript } = this.#job;
    for (const placed of messages) {
      const number = numbered(placed.transcript.number);
      if (transcript !== undefined && number > transcript) return;
      if (transcript !== undefined && number < transcript) continue;
      this.messages++;
      yield placed.message;
    }
  }
}
