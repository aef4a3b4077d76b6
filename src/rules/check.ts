// Checking: every finding of an input or a part of it, in order: those of messages, and of headers, of what stands
// between messages, and of the transcript as a whole.

import { AT_START, BY_ROLE, FILE, HAS_LINE, HEADER, MESSAGE, STRAY, TEXT } from '../abi.ts';
import type { Diagnostic } from '../errors.ts';
import { Message } from '../model/message.ts';
import { type TranscriptInfo, wantsHeader } from '../model/transcript.ts';
import { type Checkpoint, isStart, PartWalk, type Range, WHOLE } from '../model/part-walk.ts';
import type { Machine } from '../scan/machine.ts';
import { type Source, type SourceWatcher, WatchedSource } from '../scan/source.ts';
import { type Batch, fromOf, kindOf, kindWord, nextOf, toOf } from '../scan/table.ts';
import { ToolMemory } from '../tools/known.ts';
import type { CheckOptions, CheckSetting } from './check-options.ts';
import { problemsOf } from './conform.ts';
import { Meaning } from './meaning.ts';
import { Beginning } from './likeness.ts';
import { MessageFindings } from './message-findings.ts';
import { PendingFindings } from './pending.ts';
import { WrittenTags } from './written-tags.ts';
import { InvalidUtf8 } from './utf8.ts';
import { CleanMessages } from './clean.ts';
import { Watches } from './watches.ts';

const NOTHING: readonly Diagnostic[] = [];
const isGapKind = (kind: number): boolean => kind !== MESSAGE && kind !== HEADER;
/** No row. */
const NONE = -1;

export class Checker implements SourceWatcher {
  readonly #machine: Machine;
  readonly #range: Range;
  readonly #most: number;
  readonly #begun: ((at: Checkpoint) => void) | undefined;
  readonly #walk: PartWalk;
  readonly #source: Source;
  readonly #options: CheckOptions;
  readonly #meaning: Meaning;
  readonly #clean: CleanMessages;
  readonly #utf8: InvalidUtf8;
  readonly #beginning = new Beginning();
  readonly #found: PendingFindings;
  readonly #messages: MessageFindings;
  #gapHasFiles = false;
  #isBlank = true;
  /** The transcript that was under way when the range began. */
  #passed: TranscriptInfo | null = null;
  #hasText = false;

  constructor(
    machine: Machine, source: Source, options: CheckOptions,
    {
      range = WHOLE, known, memory = new ToolMemory(null), at = null, watch, most = Infinity, begun,
    }: CheckSetting = {},
  ) {
    this.#machine = machine;
    this.#utf8 = new InvalidUtf8();
    const watches = new Watches(this.#utf8, watch === undefined ? [this.#beginning] : [this.#beginning, watch]);
    this.#range = range;
    this.#most = most;
    this.#begun = begun;
    this.#walk = new PartWalk(machine, new WatchedSource(source, this), options, {
      watch: watches, start: range.start, to: range.to, known,
    });
    this.#found = new PendingFindings(this.#walk.divider.likeness, options.strict === true);
    this.#source = source;
    this.#options = options;
    this.#meaning = new Meaning(machine, this.#walk.reading, options, memory, at);
    this.#clean = new CleanMessages(machine, this.#meaning, memory);
    this.#messages = new MessageFindings(this.#walk, options, this.#meaning, this.#clean, this.#utf8, this.#found);
  }

  /** Number of transcripts met so far, those before the range's start included. */
  get transcripts(): number {
    const { current } = this.#walk.divider;
    return current === null ? 0 : current.number + 1;
  }

  /** System messages by which it looks like Harmony (R-LIKELY); none in a part that does not begin the input. */
  get likeHarmony(): number {
    return this.#range.start === null ? this.#walk.divider.likeness.count : 0;
  }

  /** Byte position up to which the input was done with. */
  get position(): number {
    return this.end?.position ?? this.#walk.reading.position;
  }

  /** Where the transcript behind the range begins; null: nowhere, or it was not read up to there. */
  end: Checkpoint | null = null;

  *run(): Generator<Diagnostic, void, void> {
    for (const diagnostic of this.steps()) if (diagnostic !== null) yield diagnostic;
  }

  /** The same, and null behind each piece of the input. */
  *steps(): Generator<Diagnostic | null, void, void> {
    const { divider } = this.#walk;
    const { start, to } = this.#range;
    let first = start === null;
    // From a checkpoint on, a transcript that is under way was begun by who read what stands before.
    let passing = start !== null;
    if (!passing) this.#checkEncoding();
    for (const batch of this.#walk.batches()) {
      let row = batch.from;
      if (passing) {
        row = this.#pass(batch, this.#range);
        if (row === NONE) return;
        if (row === batch.to) continue;
        passing = false;
      }
      const limit = this.#walk.endOf(batch, to);
      const tags = new WrittenTags(this.#machine, batch);
      this.#messages.begin(tags);
      while (row < batch.to) {
        this.#isBlank = false;
        if ((row >= limit || this.#isEnough) && this.#endsBefore(batch, row)) {
          yield* this.#close(batch, row);
          return;
        }
        const kind = kindOf(batch, row);
        if (kind === MESSAGE && row < limit && divider.continues(batch.dialect)) {
          const next = this.#messages.skip(batch, row, tags.next(row, limit), divider.stops(batch.dialect));
          if (next > row) {
            this.#gapHasFiles = false;
            divider.passed(this.#clean.messages, this.#clean.lastWord);
            if (this.#found.isReady) yield* this.#found.take();
            row = next;
            continue;
          }
        }
        if (kind === MESSAGE || kind === HEADER) this.#gapHasFiles = false;
        const before = divider.current;
        const messages = divider.messages;
        const begins = divider.place(batch, row);
        if (this.#found.isHeld && !divider.likeness.isOpen) {
          this.#found.release();
          if (begins) yield* this.#found.take();
        }
        if (begins) {
          if (!isGapKind(kind) && this.#found.isRunning) {
            this.#found.finish();
            yield* this.#found.take();
          }
          const told = this.#endTranscript(before, messages, divider.current!.from);
          if (told !== NOTHING) yield* told;
          this.#meaning.begin(divider.current!);
          // With the caller's role no header is missing, unless the text begins with a start token after all.
          const completes = kind === MESSAGE && (kindWord(batch, row) & (BY_ROLE | AT_START)) !== 0;
          if (first && (this.#options.role === undefined || !completes)) {
            this.#checkHeader(divider.current!.dialect, divider.current!);
          }
          first = false;
        }
        if (kind === MESSAGE && divider.likeness.isSign) this.#tellLikeness(batch, row);
        const next = nextOf(batch, row);
        const isSkipped = kind === MESSAGE && this.#messages.skip(batch, row, tags.next(row, next), 0) > row;
        if (!isSkipped) this.#row(batch, row, kind);
        const isGap = isGapKind(kind);
        const isSure = !isGap || this.#gapHasFiles || !(batch.dialect.flags & HAS_LINE);
        if (isSure) this.#found.settle(isGap);
        if (this.#found.isReady) yield* this.#found.take();
        row = next;
      }
      if (batch.to > batch.from) this.#firstDialect ??= batch.dialect;
      yield null;
    }
    if (passing) return;
    if (first && !this.#isBlank) this.#checkHeader(this.#firstDialect!, null);
    if (first && this.#hasText) {
      this.#found.add({ rule: 'nothing-found', from: 0, to: 0, ...this.#beginning.likeness() }, 0, false);
    }
    divider.likeness.close();
    this.#found.release();
    this.#messages.invalidBytes(Infinity, 0, divider.number);
    this.#found.finish();
    yield* this.#found.take();
    yield* this.#endTranscript(divider.current, divider.messages, this.#walk.reading.position);
  }

  /**
   * Walks to the first message that begins a transcript of the range; its row, or the batch's end, or NONE when none
   * does.
   */
  #pass(batch: Batch, { from = 0, to }: Range): number {
    const { divider } = this.#walk;
    let row = batch.from;
    for (; row < batch.to; row = nextOf(batch, row)) {
      if (fromOf(batch, row) >= to) return NONE;
      if (fromOf(batch, row) >= from && isStart(kindWord(batch, row)) && divider.beginsAt(batch, row)) break;
      divider.place(batch, row);
    }
    if (row === batch.to) return row;
    this.#isBlank = false;
    this.#begun?.(this.#walk.checkpoint(batch, row)!);
    this.#utf8.upTo(fromOf(batch, row), () => {});
    if (divider.messages > 0) this.#passed = divider.current;
    if (divider.messages === 0) this.#meaning.begin(divider.current!);
    return row;
  }

  /** All transcripts that are wanted have begun, and the last of them has messages. */
  get #isEnough(): boolean {
    if (this.#most === Infinity) return false;
    const { transcripts } = this;
    return transcripts > this.#most || (transcripts === this.#most && this.#walk.divider.messages > 0);
  }

  /** The range ends before this row: another one begins with it. */
  #endsBefore(batch: Batch, row: number): boolean {
    const { divider } = this.#walk;
    return divider.current !== null && isStart(kindWord(batch, row)) && divider.beginsAt(batch, row);
  }

  *#close(batch: Batch, row: number): Generator<Diagnostic, void, void> {
    const { divider } = this.#walk;
    const from = fromOf(batch, row);
    this.end = this.#walk.checkpoint(batch, row);
    divider.likeness.close();
    this.#found.release();
    this.#messages.invalidBytes(from, 0, divider.number);
    this.#found.finish();
    yield* this.#found.take();
    if (divider.messages === 0) return;
    yield* this.#endTranscript(divider.current, divider.messages, divider.startOf(batch, row));
  }

  /**
   * Told at once, not with what is pending: that stands behind it, and text in a 0.1 gap may still turn out to be a
   * file.
   */
  #endTranscript(transcript: TranscriptInfo | null, messages: number, to: number): Iterable<Diagnostic> {
    if (transcript === null || transcript === this.#passed) return NOTHING;
    this.#options.visitor?.transcriptEnd(transcript, messages, to);
    return this.#meaning.hasOpen ? this.#openCalls(transcript) : NOTHING;
  }

  *#openCalls(transcript: TranscriptInfo): Generator<Diagnostic, void, void> {
    const found = new PendingFindings(this.#walk.divider.likeness, false);
    for (const finding of this.#meaning.end()) found.add(finding, transcript.number, transcript.declared);
    found.finish();
    yield* found.take();
  }

  #firstDialect: Batch['dialect'] | null = null;

  /** In what the source lets go stands no finding that is still to be told. */
  mayRelease(before: number): number {
    return this.#found.least(before);
  }

  /** Input that is not UTF-8 at all (R-UTF16). */
  #checkEncoding(): void {
    const [a, b, c, d] = this.#source.bytes(0, 4);
    const wide = (a === 0xff && b === 0xfe && c === 0 && d === 0) || (a === 0 && b === 0 && c === 0xfe && d === 0xff);
    const marked = (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff);
    const isAscii = (byte: number | undefined): boolean => byte === 0x3c || byte === 0x76;
    const bare = (isAscii(a) && b === 0) || (a === 0 && isAscii(b));
    if (wide || marked || bare) this.#found.add({ rule: 'not-utf8', from: 0, to: wide ? 4 : 2 }, 0, true);
  }

  /** The first transcript is the only one that may lack its header: all others begin with one (R-NO-HEADER). */
  #checkHeader(dialect: Batch['dialect'], transcript: TranscriptInfo | null): void {
    if (!wantsHeader(dialect) || transcript?.header) return;
    // Where nothing is found, that is told.
    if (transcript === null && dialect.detecting && this.#hasText) return;
    this.#found.add({ rule: 'missing-header', from: 0, to: 0 }, 0, !dialect.detecting);
  }

  /** A system message by which the text looks like Harmony. */
  #tellLikeness(batch: Batch, row: number): void {
    const { from, header } = new Message(batch, row, this.#walk.divider.context);
    this.#found.add({ rule: 'looks-like-harmony', from, to: header.to }, 0, false);
  }

  /** A file token shows that the gap's text is a file. */
  #takeFile(): void {
    if (!this.#gapHasFiles) this.#found.dropGapText();
    this.#gapHasFiles = true;
  }

  #row(batch: Batch, row: number, kind: number): void {
    const { divider } = this.#walk;
    if (kind === MESSAGE) {
      this.#messages.look(batch, row, divider.current!);
      return;
    }
    const number = divider.number;
    const from = fromOf(batch, row);
    const to = toOf(batch, row);
    if (kind === HEADER) {
      const transcript = divider.current!;
      const problems = [...problemsOf(transcript.header!)];
      const { version } = transcript.header!;
      // Scripts begin with comments, as headers may.
      const likeness = problems.length > 0 && version === null && number === 0 ? this.#beginning.likeness(to) : {};
      for (const problem of problems) {
        this.#found.add({ ...likeness, ...problem, from, to }, number, transcript.declared);
      }
      this.#messages.invalidBytes(to, to, number);
    } else {
      if (kind === TEXT) this.#hasText = true;
      if (kind === TEXT && !this.#gapHasFiles) {
        const mayBeFile = (batch.dialect.flags & HAS_LINE) !== 0;
        this.#found.add({ rule: 'text-between-messages', from, to }, number, false, mayBeFile);
      } else if (kind === STRAY) {
        this.#found.add({ rule: 'stray-token', from, to, severity: 'warning' }, number, false);
      } else if (kind === FILE) {
        this.#takeFile();
      }
      this.#messages.invalidBytes(to, 0, number);
    }
  }
}
