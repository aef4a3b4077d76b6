// Raw transcripts of an input as plain data, one after the other: what a reader hides stays hidden, or the transcript
// is refused.

import { isUtf8 } from 'node:buffer';
import { FILE, HAS_LINE, MESSAGE, STRAY, TEXT } from '../../abi.ts';
import { type Loss, Refusal } from '../../formats/loss.ts';
import { refusalOf } from '../../formats/transcript-data.ts';
import { type FileData, messageData, type MessageData, type TranscriptData } from '../../model/data.ts';
import { filesData } from '../../model/file-data.ts';
import { Message, type MessageContext } from '../../model/message.ts';
import { type FileInSequence, gapFiles } from '../../model/sequence.ts';
import type { HeaderCache, TranscriptInfo } from '../../model/transcript.ts';
import { PartWalk, type PlainReadOptions, type Range, WHOLE } from '../../model/part-walk.ts';
import type { DialectId } from '../../scan/dialects.ts';
import type { Machine } from '../../scan/machine.ts';
import { type Source, WatchedSource } from '../../scan/source.ts';
import { type Batch, fromOf, GrowingTable, kindOf, nextOf, toOf } from '../../scan/table.ts';
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

/** A transcript all of whose messages are rows of the batch at hand, between which nothing stands. */
export interface TranscriptRows {
  readonly info: TranscriptInfo;
  readonly context: MessageContext;
  readonly batch: Batch;
  /** Top-level rows [row, to). */
  readonly row: number;
  readonly to: number;
  /** The transcript as values. */
  read(): RawTranscript;
}

/** Where reading transcripts ended. */
export interface TranscriptsEnd {
  /** Transcripts met so far, those before the range included. */
  readonly transcripts: number;
  /** Byte position up to which the input was done with. */
  readonly position: number;
}

export interface RawOptions {
  readonly range?: Range;
  readonly known?: HeaderCache;
}

/**
 * The transcripts of a source, or of a part of it, that have messages, in order. Memory holds one of them. Never throws
 * on data.
 */
export function* rawTranscripts(
  machine: Machine, source: Source, options: PlainReadOptions, setting: RawOptions = {},
): Generator<RawTranscript, TranscriptsEnd, void> {
  const all = transcriptsOrRows(machine, source, options, setting);
  for (let next = all.next(); ; next = all.next()) {
    if (next.done) return next.value;
    yield 'read' in next.value ? next.value.read() : next.value;
  }
}

/** The same; transcripts that rows stand for are read when that is asked for, before the next one. */
export function* transcriptsOrRows(
  machine: Machine, source: Source, options: PlainReadOptions, { range = WHOLE, known }: RawOptions = {},
): Generator<RawTranscript | TranscriptRows, TranscriptsEnd, void> {
  const gap = new Gap(range.start === null ? 0 : range.start.position);
  // A gap is read when it is known what it holds.
  const kept = new WatchedSource(source, { mayRelease: (before) => gap.mayRelease(before) });
  const walk = new PartWalk(machine, kept, options, { start: range.start, to: range.to, known });
  const own = new OwnTranscripts(range);
  const { divider } = walk;
  let open = null as OpenTranscript | null;
  let transcripts = range.start === null ? 0 : range.start.transcript.number + 1;
  let isBehind = false;
  // Text before the first message belongs to the first transcript.
  let early = false;
  const endGap = (to: number): void => {
    if (gap.isOwn && gap.hasFiles) open!.takeFiles(gap, to, walk.reading);
    else if (gap.isOwn && open !== null) open.skipText();
    else early ||= gap.isOwn;
  };
  for (const batch of walk.batches()) {
    for (let row = batch.from; row < batch.to; row = nextOf(batch, row)) {
      const kind = kindOf(batch, row);
      const isOutside = kind === TEXT || kind === STRAY || kind === FILE;
      if (!isOutside) {
        endGap(fromOf(batch, row));
        gap.begin(toOf(batch, row));
      }
      const begins = divider.place(batch, row);
      const lies = own.at(fromOf(batch, row), begins);
      isBehind = lies === BEHIND;
      if (isBehind) break;
      if (isOutside) gap.add(batch, row, lies !== BEFORE);
      if (lies === BEFORE) continue;
      const info = divider.current;
      if (info !== null && (open === null || info !== open.info)) {
        if (open !== null && open.holdsAnything) yield open.end(divider.likeness.count);
        open = new OpenTranscript(info);
        transcripts = info.number + 1;
        if (early) open.skipText();
        early = false;
      }
      if (kind === MESSAGE) open!.add(batch, row, divider.context);
    }
    // Its rows are about to leave.
    open?.takeRows();
    if (isBehind) break;
  }
  if (!isBehind) endGap(walk.reading.position);
  divider.likeness.close();
  if (open !== null && open.holdsAnything) yield open.close(divider.likeness.count);
  return { transcripts, position: isBehind ? range.to : walk.reading.position };
}

const severalIn = (conversations: number): Refusal => new Refusal(
  null,
  `it looks like ${conversations} conversations of Harmony, which would become one`,
  'give --dialect harmony, or --dialect openchatml-2.2 if it is one',
);

/** Bytes of text of one transcript: it is held in memory, and written as one string. And its messages. */
const LARGEST = 64 * 1024 * 1024;
const MOST_MESSAGES = 1 << 18;

/** What stands outside of messages, up to the next message, BOS or EOS. */
class Gap {
  readonly #rows = new GrowingTable(new Float64Array(0));
  #from: number;
  /** It holds something that belongs to the part of the input. */
  isOwn = false;
  /** It holds a token that makes files of it (R-FIM). */
  hasFiles = false;

  constructor(from: number) {
    this.#from = from;
  }

  begin(from: number): void {
    this.#from = from;
    this.#rows.clear();
    this.isOwn = this.hasFiles = false;
  }

  add(batch: Batch, row: number, isOwn: boolean): void {
    this.isOwn ||= isOwn;
    this.hasFiles ||= kindOf(batch, row) === FILE;
    // Only in 0.1 text outside of messages may be a file.
    if ((batch.dialect.flags & HAS_LINE) === 0 || this.lengthTo(toOf(batch, row)) > LARGEST) return;
    this.#rows.append(batch.words, row - batch.first, row - batch.first + 1, batch.base, 0);
  }

  /** Bytes from its beginning. */
  lengthTo(to: number): number {
    return to - this.#from;
  }

  /** Of no use is what is too large. */
  mayRelease(before: number): number {
    return this.lengthTo(before) > LARGEST ? before : Math.min(before, this.#from);
  }

  files(to: number, source: Source): FileInSequence[] {
    const { words, count } = this.#rows;
    return gapFiles({ words, base: 0, first: 0, source }, [...Array(count).keys()], this.#from, to);
  }
}

class OpenTranscript {
  readonly info: TranscriptInfo;
  readonly #messages: MessageData[] = [];
  readonly #files: FileData[] = [];
  readonly #losses: Loss[] = [];
  #refusal: Refusal | null = null;
  #hasSkipped = false;
  #bytes = 0;
  /** The batch whose rows [#row, #to) are not read yet: nothing else was met before them. */
  #batch: Batch | null = null;
  #context: MessageContext | null = null;
  #row = 0;
  #to = 0;
  #isRead = false;

  constructor(info: TranscriptInfo) {
    this.info = info;
  }

  get holdsAnything(): boolean {
    if (this.#batch !== null || this.#refusal !== null) return true;
    return this.#messages.length + this.#losses.length + this.#files.length > 0;
  }

  /** The next message. */
  add(batch: Batch, row: number, context: MessageContext): void {
    if (this.#isRead) {
      this.#take(new Message(batch, row, context));
      return;
    }
    if (this.#batch === null) {
      this.#batch = batch;
      this.#context = context;
      this.#row = row;
    }
    this.#to = nextOf(batch, row);
  }

  /** Reads the rows that wait. */
  takeRows(): void {
    const batch = this.#batch;
    if (batch === null) return;
    this.#batch = null;
    this.#isRead = true;
    for (let row = this.#row; row < this.#to; row = nextOf(batch, row)) {
      if (kindOf(batch, row) === MESSAGE) this.#take(new Message(batch, row, this.#context!));
    }
  }

  /** Text outside of messages, which is told once. */
  skipText(): void {
    this.#readOn();
    if (!this.#hasSkipped) this.#lose(null, 'text outside of messages is left out');
    this.#hasSkipped = true;
  }

  /** Rows alone do not say everything. */
  #readOn(): void {
    this.takeRows();
    this.#isRead = true;
  }

  takeFiles(gap: Gap, to: number, source: Source): void {
    this.#readOn();
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

  #refuse(index: number, reason: string): void {
    this.#refusal ??= new Refusal(index, reason, 'divide it');
    this.#messages.length = this.#files.length = this.#losses.length = 0;
  }

  #take(message: Message): void {
    const index = this.#messages.length;
    if (message.isOpenTurn) {
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
    const batch = this.#batch;
    if (batch === null || (this.info.number === 0 && likeHarmony > 0)) return this.close(likeHarmony);
    const [row, to, context, { info }] = [this.#row, this.#to, this.#context!, this];
    return { info, context, batch, row, to, read: () => this.close(likeHarmony) };
  }

  /** As values. */
  close(likeHarmony: number): RawTranscript {
    this.takeRows();
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
    return { number, from, dialect: dialect.id, data, losses: this.#losses, likeHarmony: signs, refusal };
  }
}
