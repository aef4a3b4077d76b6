// Raw transcripts of an input as plain data, one after the other: what a reader hides stays hidden, or the transcript
// is refused.

import { isUtf8 } from 'node:buffer';
import { FILE, MESSAGE, STRAY, TEXT } from '../../abi.ts';
import { type Loss, Refusal } from '../../formats/loss.ts';
import { refusalOf } from '../../formats/transcript-data.ts';
import { messageData, type MessageData, type TranscriptData } from '../../model/data.ts';
import { Message } from '../../model/message.ts';
import type { HeaderCache, TranscriptInfo } from '../../model/transcript.ts';
import { type Range, type ReadOptions, Walk, WHOLE } from '../../model/walk.ts';
import type { DialectId } from '../../scan/dialects.ts';
import type { Machine } from '../../scan/machine.ts';
import type { Source } from '../../scan/source.ts';
import { fromOf, kindOf, nextOf } from '../../scan/table.ts';
import { BEFORE, BEHIND, OwnTranscripts } from '../own-transcripts.ts';

export interface RawTranscript {
  /** From 0, in the input. */
  readonly number: number;
  /** Byte position where it begins. */
  readonly from: number;
  readonly dialect: DialectId;
  readonly data: TranscriptData;
  /** What the data does not hold. */
  readonly losses: readonly Loss[];
  /** System messages by which it looks like Harmony (R-LIKELY): it may be as many conversations. */
  readonly likeHarmony: number;
  /** Why the data is not to be used; null: it is. */
  readonly refusal: Refusal | null;
}

/** Where reading transcripts ended. */
export interface TranscriptsEnd {
  /** Transcripts met so far, those before the range included. */
  readonly transcripts: number;
  /** Byte position up to which the input was done with. */
  readonly position: number;
}

/**
 * The transcripts of a source, or of a part of it, that have messages, in order. Memory holds one of them. Never throws
 * on data.
 */
export function* rawTranscripts(
  machine: Machine,
  source: Source,
  options: ReadOptions,
  { range = WHOLE, known }: { readonly range?: Range; readonly known?: HeaderCache } = {},
): Generator<RawTranscript, TranscriptsEnd, void> {
  const walk = new Walk(machine, source, options, { start: range.start, to: range.to, known });
  const own = new OwnTranscripts(range);
  const { divider } = walk;
  let open = null as OpenTranscript | null;
  let transcripts = range.start === null ? 0 : range.start.transcript.number + 1;
  let isBehind = false;
  // Text before the first message belongs to the first transcript.
  let [early, earlyFiles] = [false, false];
  for (const batch of walk.batches()) {
    for (let row = batch.from; row < batch.to; row = nextOf(batch, row)) {
      const begins = divider.place(batch, row);
      const lies = own.at(fromOf(batch, row), begins);
      if (lies === BEFORE) continue;
      isBehind = lies === BEHIND;
      if (isBehind) break;
      const info = divider.current;
      if (info !== null && (open === null || info !== open.info)) {
        if (open !== null && open.holdsAnything) yield open.close(divider.likeness.count);
        open = new OpenTranscript(info);
        transcripts = info.number + 1;
        if (earlyFiles) open.skip('files');
        else if (early) open.skip('text');
        early = earlyFiles = false;
      }
      const kind = kindOf(batch, row);
      if (kind === MESSAGE) open!.take(new Message(batch, row, divider.context), batch.source);
      else if (kind === TEXT || kind === STRAY || kind === FILE) {
        if (kind === FILE) earlyFiles ||= open === null;
        else early ||= open === null;
        open?.skip(kind === FILE ? 'files' : 'text');
      }
    }
    if (isBehind) break;
  }
  divider.likeness.close();
  if (open !== null && open.holdsAnything) yield open.close(divider.likeness.count);
  return { transcripts, position: isBehind ? range.to : walk.reading.position };
}

const severalIn = (conversations: number): Refusal => new Refusal(
  null,
  `it looks like ${conversations} conversations of Harmony, which would become one`,
  'give --dialect harmony, or --dialect openchatml-2.2 if it is one',
);

/** Bytes of text of one transcript: it is held in memory, and written as one string. */
const LARGEST = 64 * 1024 * 1024;

class OpenTranscript {
  readonly info: TranscriptInfo;
  readonly #messages: MessageData[] = [];
  readonly #losses: Loss[] = [];
  #refusal: Refusal | null = null;
  readonly #skipped = new Set<'files' | 'text'>();
  #bytes = 0;

  constructor(info: TranscriptInfo) {
    this.info = info;
  }

  get holdsAnything(): boolean {
    return this.#refusal !== null || this.#messages.length > 0 || this.#losses.length > 0;
  }

  /** What stands outside of messages is left out, which is told once; text beside file tokens is theirs (R-FIM). */
  skip(what: 'files' | 'text'): void {
    if (this.#skipped.has(what) || this.#skipped.has('files')) return;
    this.#skipped.add(what);
    const files: Loss = { what: 'files', message: null, detail: 'files and fill-ins between messages are left out' };
    const text: Loss = { what: 'field', message: null, detail: 'text outside of messages is left out' };
    this.#losses.push(what === 'files' ? files : text);
  }

  take(message: Message, source: Source): void {
    const index = this.#messages.length;
    if (message.isOpenTurn) {
      this.#losses.push({
        what: 'field',
        message: index,
        detail: 'a prompt that waits for its completion is left out',
      });
      return;
    }
    const { from, to } = message.body;
    this.#bytes += to - from;
    if (this.#bytes > LARGEST) {
      this.#refusal ??= new Refusal(index, `the transcript has more than ${LARGEST} bytes of text`, 'divide it');
      this.#messages.length = 0;
    }
    if (this.#refusal !== null) return;
    const data = messageData(message);
    this.#refusal = refusalOf(message, data, this.info, source, index);
    if (data.content.includes('\ufffd') && !isUtf8(message.rawBody)) {
      this.#losses.push({ what: 'field', message: index, detail: 'bytes that are not UTF-8 become U+FFFD' });
    }
    this.#messages.push(data);
  }

  /** `likeHarmony`: of the first transcript. */
  close(likeHarmony: number): RawTranscript {
    const { number, from, dialect, header } = this.info;
    // The version as it is written: YAML's number would lose a part of it.
    const fields = header?.fields ?? null;
    const version = header?.version ?? null;
    const data: TranscriptData = {
      header: fields && { ...fields, ...(version !== null && { version }) },
      tools: [],
      messages: this.#messages,
    };
    const signs = number === 0 ? likeHarmony : 0;
    const refusal = signs > 1 ? severalIn(signs) : this.#refusal;
    return { number, from, dialect: dialect.id, data, losses: this.#losses, likeHarmony: signs, refusal };
  }
}
