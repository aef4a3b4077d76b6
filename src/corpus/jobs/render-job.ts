// Rendering a part of an input: what an end user may see of the transcripts that begin in it, as text or as sections of
// a page.

import { RULES } from '../../errors.ts';
import type { Message } from '../../model/message.ts';
import { type HtmlOptions, renderHtml, renderText } from '../../formats/render/render.ts';
import type { TranscriptInfo } from '../../model/transcript.ts';
import { type MessagesEnd, messagesOf, type PlacedMessage } from '../messages.ts';
import { BadRuns } from '../records/bad-runs.ts';
import { type BadRecord, isBad } from '../records/unit.ts';
import { Units } from '../records/units.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import { type Job, NO_RESULT, type Piece } from './job.ts';
import type { Kind } from './kind.ts';
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
    const units = new Units(kit, job.input.path, kit.watched(input), options, part);
    const runs = new BadRuns<BadRecord>();
    let transcripts = part.record + part.surplus;
    let likeHarmony = 0;
    try {
      for (const unit of units) {
        if (transcripts > (job.transcript ?? Infinity)) break;
        if (isBad(unit)) {
          const words: Words[] = runs.endsBefore(unit.from) ? wordsOf(runs, job.input.path) : [];
          const { rule, line, detail } = unit;
          if (runs.isAlone(rule, unit, unit)) {
            words.push([`${job.input.path}:`, line!, `: ${RULES[rule].text}: ${detail}`]);
          }
          if (words.length > 0) {
            yield* output.flush();
            yield { words };
          }
          continue;
        }
        const { source, options: own } = unit;
        const reading = new Reading(messagesOf(kit.machine, source, own, { known: kit.headers }), transcripts);
        yield* output.take(reading);
        transcripts += reading.end?.transcripts ?? 0;
        likeHarmony += reading.end?.likeHarmony ?? 0;
      }
    } catch (error) {
      // What was read before belongs to the output.
      yield* output.flush();
      throw error;
    }
    yield* output.flush();
    if (runs.isAny) yield { words: wordsOf(runs, job.input.path) };
    const bytes = units.end(part.to) - part.from;
    return { ...NO_RESULT, records: units.records, transcripts, messages: output.messages, likeHarmony, bytes };
  },
};

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

  /** Messages of whole transcripts. */
  *take(messages: Iterable<PlacedMessage>): Generator<Piece, void, void> {
    const { format, untitled, options, input } = this.#job;
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
