// A raw transcript while its messages come: rows as long as rows say everything, else plain data.

import { isUtf8 } from 'node:buffer';
import { MESSAGE } from '../../abi.ts';
import { type Loss, Refusal } from '../../formats/loss.ts';
import { refusalOf } from '../../formats/transcript-data.ts';
import { type FileData, messageData, type MessageData, type TranscriptData } from '../../model/data.ts';
import { filesData } from '../../model/file-data.ts';
import { Message, type MessageContext } from '../../model/message.ts';
import type { TranscriptInfo } from '../../model/transcript.ts';
import type { DialectId } from '../../scan/dialects.ts';
import type { Source } from '../../scan/source.ts';
import { type Batch, kindOf, nextOf } from '../../scan/table.ts';
import { type Gap, LARGEST, MOST_FILES } from './gap.ts';
import type { KeptRows } from './kept-rows.ts';

export interface RawTranscript {
  /** From 0, in the input. */
  readonly number: number;
  /** Byte position where it begins. */
  readonly from: number;
  /** That of the last start token up to its first row, by which a part of the input has it; 0: there is none before. */
  readonly after: number;
  readonly dialect: DialectId;
  readonly data: TranscriptData;
  /** What the data does not hold. */
  readonly losses: readonly Loss[];
  /** System messages by which it looks like Harmony (R-LIKELY): it may be as many conversations. */
  readonly likeHarmony: number;
  /** Why the data is not to be used; null: it is. */
  readonly refusal: Refusal | null;
}

/** A transcript all of whose messages are rows, between which nothing stands. Valid until the next one is asked for. */
export interface TranscriptRows {
  readonly info: TranscriptInfo;
  readonly after: number;
  readonly context: MessageContext;
  readonly batch: Batch;
  /** Top-level rows [row, to). */
  readonly row: number;
  readonly to: number;
  /** The transcript as values. */
  read(): RawTranscript;
}

const severalIn = (conversations: number): Refusal => new Refusal(
  null,
  `it looks like ${conversations} conversations of Harmony, which would become one`,
  'give --dialect harmony, or --dialect openchatml-2.2 if it is one',
);

/** Messages of one transcript. */
const MOST_MESSAGES = 1 << 18;

export class OpenTranscript {
  readonly info: TranscriptInfo;
  readonly #after: number;
  readonly #messages: MessageData[] = [];
  readonly #files: FileData[] = [];
  readonly #losses: Loss[] = [];
  #refusal: Refusal | null = null;
  #hasSkipped = false;
  #bytes = 0;
  #fileTokens = 0;
  /** Rows of former batches, and rows [#row, #to) of this one, that are not read: nothing else was met. */
  readonly #kept: KeptRows;
  #batch: Batch | null = null;
  #context: MessageContext | null = null;
  #row = 0;
  #to = 0;
  #isRead = false;

  /** `kept`: what another transcript has kept is let go. */
  constructor(info: TranscriptInfo, after: number, kept: KeptRows) {
    this.info = info;
    this.#after = after;
    this.#kept = kept;
    kept.clear();
  }

  get holdsAnything(): boolean {
    if (this.#batch !== null || !this.#kept.isEmpty || this.#refusal !== null) return true;
    if (this.info.header !== null) return true;
    return this.#messages.length + this.#losses.length + this.#files.length > 0;
  }

  /** The next messages: top-level rows [row, to) of a batch. */
  add(batch: Batch, row: number, to: number, context: MessageContext): void {
    if (this.#isRead) {
      this.#takeRows(batch, row, to, context);
      return;
    }
    if (this.#batch === null) {
      this.#batch = batch;
      this.#context = context;
      this.#row = row;
    }
    this.#to = to;
  }

  /** The batch is about to leave. */
  leaveBatch(): void {
    if (this.#batch !== null && !this.#keep()) this.#readOn();
  }

  /** Keeps the rows of this batch with those of former ones; false: they are too many. */
  #keep(): boolean {
    if (!this.#kept.keep(this.#batch!, this.#row, this.#to)) return false;
    this.#batch = null;
    return true;
  }

  /** Reads the rows that wait: rows alone do not say everything. */
  #readOn(): void {
    this.#isRead = true;
    const { batch } = this.#kept;
    if (!this.#kept.isEmpty) this.#takeRows(batch, 0, batch.to, this.#context!);
    this.#kept.clear();
    if (this.#batch !== null) this.#takeRows(this.#batch, this.#row, this.#to, this.#context!);
    this.#batch = null;
  }

  #takeRows(batch: Batch, from: number, to: number, context: MessageContext): void {
    for (let row = from; row < to; row = nextOf(batch, row)) {
      if (kindOf(batch, row) === MESSAGE) this.#take(new Message(batch, row, context));
    }
  }

  /** Text outside of messages, which is told once. */
  skipText(): void {
    this.#readOn();
    if (!this.#hasSkipped) this.#lose(null, 'text outside of messages is left out');
    this.#hasSkipped = true;
  }

  takeFiles(gap: Gap, to: number, source: Source): void {
    this.#readOn();
    this.#fileTokens += gap.fileTokens;
    if (this.#fileTokens > MOST_FILES) {
      this.#refuse(null, `the transcript has more than ${MOST_FILES} tokens of files and fill-ins`);
    }
    if (!this.#hasRoom(gap.lengthTo(to))) return;
    const files = gap.files(to, source);
    for (const file of filesData(files, source, () => this.#messages.length)) this.#files.push(file);
    const isText = files.every(({ from, to: end }) => isUtf8(source.bytes(from, end)));
    if (!isText) this.#lose(null, 'bytes of files that are not UTF-8 become U+FFFD');
  }

  #lose(message: number | null, detail: string): void {
    this.#losses.push({ what: 'field', message, detail });
  }

  /** Takes room for more bytes; false: the transcript is refused, and nothing of it is kept. */
  #hasRoom(bytes: number): boolean {
    this.#bytes += bytes;
    const index = this.#messages.length;
    if (this.#bytes > LARGEST) this.#refuse(index, `the transcript has more than ${LARGEST} bytes of text`);
    else if (index === MOST_MESSAGES) this.#refuse(index, `the transcript has more than ${MOST_MESSAGES} messages`);
    return this.#refusal === null;
  }

  #refuse(index: number | null, reason: string): void {
    this.#refusal ??= new Refusal(index, reason, 'divide it');
    this.#messages.length = this.#files.length = this.#losses.length = 0;
  }

  #take(message: Message): void {
    const index = this.#messages.length;
    if (message.isOpenTurn && !message.isReadInPart) {
      this.#lose(index, 'a prompt that waits for its completion is left out');
      return;
    }
    const { from, to } = message.body;
    if (!this.#hasRoom(to - from)) return;
    const data = messageData(message);
    this.#refusal = refusalOf(message, data, index);
    if (data.content.includes('\ufffd') && !isUtf8(message.rawBody)) {
      this.#lose(index, 'bytes that are not UTF-8 become U+FFFD');
    }
    this.#messages.push(data);
  }

  /** Ends it. `likeHarmony`: of the first transcript. */
  end(likeHarmony: number): RawTranscript | TranscriptRows {
    const isRows = this.#batch !== null || !this.#kept.isEmpty;
    if (!isRows || (this.info.number === 0 && likeHarmony > 0)) return this.#close(likeHarmony);
    if (!this.#kept.isEmpty && this.#batch !== null && !this.#keep()) return this.#close(likeHarmony);
    const { info } = this;
    const after = this.#after;
    const [context, read] = [this.#context!, (): RawTranscript => this.#close(likeHarmony)];
    if (this.#batch !== null) return { info, after, context, batch: this.#batch, row: this.#row, to: this.#to, read };
    const { batch } = this.#kept;
    return { info, after, context, batch, row: 0, to: batch.to, read };
  }

  /** As values. */
  #close(likeHarmony: number): RawTranscript {
    this.#readOn();
    const { number, from, dialect, header } = this.info;
    // The version as it is written: YAML's number would lose a part of it.
    const fields = header?.fields ?? null;
    const version = header?.version ?? null;
    const data: TranscriptData = {
      header: fields && { ...fields, ...(version !== null && { version }) },
      tools: [],
      messages: this.#messages,
      ...(this.#files.length > 0 && { files: this.#files }),
    };
    const signs = number === 0 ? likeHarmony : 0;
    const refusal = signs > 1 ? severalIn(signs) : this.#refusal;
    const after = this.#after;
    return { number, from, after, dialect: dialect.id, data, losses: this.#losses, likeHarmony: signs, refusal };
  }
}
