// Rendering a part of an input: what an end user may see of the transcripts that begin in it, as text or as sections of
// a page.

import { RECORD_ROWS } from '../../abi.ts';
import { RULES } from '../../errors.ts';
import type { Message } from '../../model/message.ts';
import { type HtmlOptions, renderHtml, renderText } from '../../formats/render/render.ts';
import type { PlainReadOptions } from '../../model/part-walk.ts';
import type { TranscriptInfo } from '../../model/transcript.ts';
import { MemorySource, type Source } from '../../scan/source.ts';
import { type MessagesEnd, messagesOf, type PlacedMessage } from '../messages.ts';
import { BadRuns } from '../records/bad-runs.ts';
import { isRows, nextRecord, type RecordRows } from '../records/rows.ts';
import { type BadRecord, isBad, type Unit } from '../records/unit.ts';
import { READING } from '../records/unit-chat.ts';
import { Units } from '../records/units.ts';
import { countEmpty, writeRecordTexts } from './convert-rows.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import { type Job, NO_RESULT, type Piece } from './job.ts';
import type { Kind } from './kind.ts';
import type { Kit } from './open.ts';
import type { Words } from './words.ts';

type RenderJob = Extract<Job, { kind: 'render' }>;

export const RENDER: Kind<RenderJob> = {
  *raw(kit, job, { input, options }, range) {
    const from = range.start?.position ?? 0;
    const output = new RenderOutput(job, !input.canReread);
    const setting = { range, known: kit.headers, wholeTranscripts: true };
    const reading = new Reading(messagesOf(kit.machine, kit.watched(input), options, setting));
    yield* output.take(reading);
    yield* output.flush();
    // It is left early only when a transcript behind the wanted one has begun.
    const { transcripts, position, likeHarmony } = reading.end ?? { transcripts: 1, position: from, likeHarmony: 0 };
    const bytes = Math.min(range.to, position) - from;
    return { ...NO_RESULT, transcripts, messages: output.messages, likeHarmony, bytes };
  },

  *records(kit, job, { input, options }, part) {
    const output = new RenderOutput(job, !input.canReread);
    // One transcript is looked for by its number; a debug view tells where messages stand in the text of a record.
    const isQuick = job.transcript === undefined && job.options.debug !== true;
    const rows = isQuick ? 'chats' : 'none';
    const units = new Units(kit, job.input.path, kit.watched(input), options, part, rows);
    const records = new RenderedRecords(kit, job, units, output, part.record + part.surplus);
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
  readonly #kit: Kit;
  readonly #job: RenderJob;
  readonly #units: Units;
  readonly #output: RenderOutput;
  readonly #runs = new BadRuns<BadRecord>();

  constructor(kit: Kit, job: RenderJob, units: Units, output: RenderOutput, transcripts: number) {
    this.#kit = kit;
    this.#job = job;
    this.#units = units;
    this.#output = output;
    this.transcripts = transcripts;
  }

  *rows(rows: RecordRows): Generator<Piece, void, void> {
    for (let record = 0; record < rows.to; ) {
      const texts = writeRecordTexts(rows, record, rows.to, true);
      let next = texts.next();
      for (; !next.done; next = texts.next()) {
        // Each text is a transcript.
        yield* this.#read(new MemorySource(next.value.bytes), READING);
      }
      record = next.value;
      if (record === rows.to) return;
      const empty = countEmpty(rows, record, rows.to);
      if (empty > 0) {
        // Nothing is shown of them.
        this.transcripts += empty;
        record += empty * RECORD_ROWS;
        continue;
      }
      for (const unit of this.#units.slow(rows, record)) yield* this.take(unit);
      record = nextRecord(rows, record);
    }
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

  *#read(source: Source, options: PlainReadOptions): Generator<Piece, void, void> {
    const messages = messagesOf(this.#kit.machine, source, options, { known: this.#kit.headers });
    const reading = new Reading(messages, this.transcripts);
    yield* this.#output.take(reading, this.transcripts);
    this.transcripts += reading.end?.transcripts ?? 0;
    this.likeHarmony += reading.end?.likeHarmony ?? 0;
  }
}

/** Bad records that were not told by themselves. */
function wordsOf(runs: BadRuns<BadRecord>, path: string): Words[] {
  return runs.take().map(({ first, times, lastLine }) =>
    [`${path}:`, first.line!, `: ${RULES[first.rule].text}: ${times} times, up to line `, lastLine]);
}

/** Messages, whose transcripts have `before` others before them; and where reading them ended, when it did. */
class Reading implements Iterable<PlacedMessage> {
  end: MessagesEnd | null = null;
  readonly #messages: Generator<PlacedMessage, MessagesEnd, void>;
  readonly #before: number;

  constructor(messages: Generator<PlacedMessage, MessagesEnd, void>, before = 0) {
    this.#messages = messages;
    this.#before = before;
  }

  *[Symbol.iterator](): Generator<PlacedMessage, void, void> {
    if (this.#before === 0) {
      this.end = yield* this.#messages;
      return;
    }
    let own: TranscriptInfo | undefined;
    let transcript: TranscriptInfo | undefined;
    for (let next = this.#messages.next(); ; next = this.#messages.next()) {
      if (next.done) {
        this.end = next.value;
        return;
      }
      if (next.value.transcript !== own) {
        own = next.value.transcript;
        transcript = { ...own, number: this.#before + own.number };
      }
      yield { ...next.value, transcript: transcript! };
    }
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

  /** Messages of whole transcripts; `before`: transcripts before them, which messages of a record do not count. */
  *take(messages: Iterable<PlacedMessage>, before = 0): Generator<Piece, void, void> {
    const { format, untitled, input } = this.#job;
    const options = { ...this.#job.options, before };
    const wanted = this.#wanted(messages);
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
  *#wanted(messages: Iterable<PlacedMessage>): Generator<Message, void, void> {
    const { transcript } = this.#job;
    for (const placed of messages) {
      const { number } = placed.transcript;
      if (transcript !== undefined && number > transcript) return;
      if (transcript !== undefined && number < transcript) continue;
      this.messages++;
      yield placed.message;
    }
  }
}
