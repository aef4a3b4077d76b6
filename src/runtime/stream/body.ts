// The body of one message, as text for those who want it: an end user (without thoughts and calls), a router, a program
// that asked for reasoning, the caller who collects.

import type { Mark } from '../../model/thoughts.ts';
import { ThoughtReader } from '../../model/thoughts.ts';
import type { Finding } from '../../errors.ts';
import type { StreamEvent } from './event.ts';
import { JsonBody } from './json-body.ts';
import { LeakReader } from './leak.ts';
import { LineCalls } from './line-calls.ts';
import { PlainText } from './plain.ts';
import { isBlankText, MOST_WAITING, Paragraphs, TextPieces } from './text.ts';
import { ThoughtText } from './thought-text.ts';
import { behindBlanks, CLOSE, thoughtIn, type WrittenThought } from '../../model/written-thought.ts';
import { CallTagReader, ReplyTagReader, type TagReader } from './written-tags.ts';
import { WrittenThoughtReader } from './written-thought.ts';
import type { Span } from '../../model/message.ts';
import { checkThere } from '../../options.ts';

/** What a body's text is for. */
export interface BodyUse {
  /** Deltas for an end user. */
  readonly shows: boolean;
  /** The one who speaks is an assistant: marks are private (R-COT). */
  readonly isAssistant: boolean;
  /** Reasoning may be written as text (R-THINK); `open`: it began in the prompt. */
  readonly writtenThoughts: 'none' | 'some' | 'open';
  /** Deltas of such reasoning. */
  readonly tellsThoughts: boolean;
  /** Of the message. */
  readonly header: Span;
  /** Calls or replies may be written as text (R-HERMES). */
  readonly writtenTags: 'calls' | 'replies' | null;
  /** A 0.1 call of which only white space would be shown is not visible: white space waits (R-CALL). */
  readonly waitsForText: boolean;
  /** In what is shown; in 0.1 they are usual (R-COT). */
  readonly marksAreWrong: boolean;
  /** The body is to be JSON. */
  readonly isJson: boolean;
  /** Deltas of the whole content. */
  readonly deltas: 'reasoning' | 'arguments' | null;
  readonly summarize: ((paragraph: string) => string) | undefined;
  readonly collects: boolean;
}

export class BodyText {
  readonly #use: BodyUse;
  readonly #id: string;
  readonly #callId: string | null;
  readonly #tell: (event: StreamEvent) => void;
  readonly #content: TextPieces | null;
  readonly #shown: TextPieces | null;
  readonly #paragraphs: Paragraphs | null;
  readonly #thoughts: ThoughtReader | null;
  readonly #written: WrittenThoughtReader | null;
  readonly #thought: ThoughtText | null;
  /** White space before reasoning that is told first, if any is written; null: nothing waits for that. */
  #front: string | null;
  /** Of an assistant's text that is shown. */
  readonly #leak: LeakReader | null;
  readonly #tags: TagReader | null;
  readonly #json: JsonBody | null;
  /** Marks that begin thoughts in what is shown: from and to of each. */
  readonly #marks: number[] = [];
  /** In 0.1: from the first call on, which nobody is shown. */
  #calls: LineCalls | null = null;
  #hasReply = false;
  /** At the mark that ends a thought. */
  #isEnding = false;
  /** Text that is not told yet; null: nothing waits any more. */
  #waiting: string | null;
  #collected = '';
  #leakAt = 0;
  /** UTF-16 units of the content up to behind the marker that ends reasoning. */
  #thoughtTo = 0;
  #paragraph = '';
  isVisible: boolean;
  readonly #onText = (delta: string): void => this.#tell({ type: 'response.delta', message_id: this.#id, delta });
  readonly #onThought = (delta: string): void =>
    this.#tell({ type: 'response.reasoning_text.delta', message_id: this.#id, delta });
  readonly #onThoughtEnd = (): void => this.#tell({ type: 'response.reasoning_text.done', message_id: this.#id });
  readonly #onFlush = (): void => this.#tell({ type: 'response.delta.flush', message_id: this.#id });

  constructor(use: BodyUse, id: string, callId: string | null, tell: (event: StreamEvent) => void) {
    this.#use = use;
    this.#id = id;
    this.#callId = callId;
    this.#tell = tell;
    this.#content = use.collects || use.deltas || use.summarize ? new TextPieces() : null;
    this.#shown = use.shows ? new TextPieces() : null;
    this.#paragraphs = use.shows || use.summarize ? new Paragraphs() : null;
    const isSaid = use.shows && use.isAssistant;
    const { writtenThoughts } = use;
    const give = (bytes: Uint8Array): void => {
      if (!this.#isCut) this.#show(this.#shown!.take(bytes));
    };
    const part = (): void => {
      if (!this.#isCut) this.#show(this.#shown!.flush());
    };
    this.#thoughts = isSaid ? new ThoughtReader() : null;
    this.#leak = isSaid ? new LeakReader((bytes, at) => this.#passOn(bytes, at)) : null;
    const hasWritten = isSaid && writtenThoughts !== 'none';
    this.#thought = hasWritten && use.tellsThoughts ? new ThoughtText(this.#onThought, this.#onThoughtEnd) : null;
    this.#front = this.#thought && '';
    this.#written = hasWritten
      ? new WrittenThoughtReader(writtenThoughts === 'open', give, part, this.#thought) : null;
    this.#tags = use.shows ? this.#tagReader() : null;
    this.#json = use.isJson ? new JsonBody() : null;
    this.#waiting = use.waitsForText ? '' : null;
    this.isVisible = use.shows;
  }

  /** Nothing of the body is asked for. */
  get isIdle(): boolean {
    return this.#content === null && this.#shown === null && this.#json === null;
  }

  get content(): string {
    return this.#collected;
  }

  /** The marker of reasoning that is written as text in what is shown; null: none. */
  get reasoning(): Span | null {
    return this.isVisible && this.#written ? this.#written.found : null;
  }

  /** Where a hidden channel begins in what is shown; null: none does. */
  get leak(): Span | null {
    return this.isVisible && this.#leak ? this.#leak.found : null;
  }

  /** UTF-16 units of the content before it. */
  get leakAt(): number {
    return this.#leakAt;
  }

  /** The marks that begin thoughts in what is shown. */
  *marks(): Generator<Span, void, void> {
    const marks = this.isVisible ? this.#marks : [];
    for (let i = 0; i < marks.length; i += 2) yield { from: marks[i]!, to: marks[i + 1]! };
  }

  /** Where the body, which ends at `bodyTo`, is no JSON and is to be; null: nowhere. */
  brokenJson(bodyTo: number): Span | null {
    return this.#json === null ? null : this.#json.wrong(bodyTo);
  }

  /** Reasoning that is written as text in what is shown, where the content alone says otherwise, as data has it. */
  get written(): WrittenThought | null | undefined {
    const content = this.#collected;
    const looks = thoughtIn(content);
    const reader = this.#written;
    if (reader === null || (reader.found === null && !reader.isUnclosed)) return looks === null ? undefined : null;
    const isOpened = reader.isOpened && looks !== null;
    const [textFrom, from] = isOpened ? [looks.marker.to, looks.from] : [0, 0];
    const to = reader.isUnclosed ? content.length : this.#thoughtTo;
    const textTo = reader.isUnclosed ? to : to - CLOSE.length;
    if (looks !== null && looks.isOpened === isOpened && looks.textTo === textTo) return undefined;
    const marker = isOpened ? looks.marker : { from: textTo, to };
    return { from, to: behindBlanks(content, to), textFrom, textTo, marker, isOpened };
  }

  /** Takes plain text from here on, `most` bytes of it; null: something waits for what comes, or wants its bytes. */
  plain(most: number): PlainText | null {
    const { shows, deltas, summarize, collects } = this.#use;
    if (this.#json !== null || this.#tags !== null || this.#waiting !== null || summarize) return null;
    if (this.#content?.isCut || this.#shown?.isCut || this.#front) return null;
    const isHeld = this.#isCut || !this.isVisible || this.#leak?.isWaiting || this.#written?.isPassing === false;
    if (shows && isHeld) return null;
    const shown = shows ? this.#paragraphs : null;
    return new PlainText({ id: this.#id, callId: this.#callId, shown, deltas, collects }, most);
  }

  /** Plain text has come. */
  catchUp({ collected }: PlainText): void {
    this.#collected += collected;
  }

  /** A `<` that is taken next, at this position of the input, is text: it begins no marker. */
  quote(at: number): void {
    if (!this.#hasCall) this.#written?.quote(at);
  }

  /** What is wrong with calls of 0.1. */
  get callFaults(): readonly Finding[] {
    return this.#calls?.faults ?? [];
  }

  get #hasCall(): boolean {
    return this.#calls !== null;
  }

  /** The next bytes of the content, which stand at position `at` of the input. */
  take(bytes: Uint8Array, at: number): void {
    const closed = this.#written === null ? -1 : this.#written.closed;
    if (this.#tags !== null) this.#tags.take(bytes, at);
    else if (this.#leak !== null && this.#leak.isWaiting) this.#leak.take(bytes, at);
    else this.#passOn(bytes, at);
    this.#json?.take(bytes, at);
    if (this.#content === null) return;
    if (this.#written === null || this.#written.closed === closed) {
      this.#give(this.#content.take(bytes));
      return;
    }
    const behind = this.#written.closed - at;
    this.#give(this.#content.take(bytes.subarray(0, behind)));
    this.#thoughtTo = this.#collected.length;
    this.#give(this.#content.take(bytes.subarray(behind)));
  }

  #tagReader(): TagReader | null {
    const give = (bytes: Uint8Array, at: number): void => this.#passOn(bytes, at);
    switch (this.#use.writtenTags) {
      case 'calls':
        return new CallTagReader(give, (to) => {
          if (this.#thoughts!.open !== null || this.#written?.isUnclosed) return;
          this.#written?.interrupt();
          this.#call(to, true);
        });
      case 'replies':
        return new ReplyTagReader(give, () => void (this.#hasReply = true));
      default:
        return null;
    }
  }

  /** A call begins behind a token or tag that ends at `from`: nothing more is shown. */
  #call(from: number, isWritten: boolean): void {
    this.#show(this.#shown!.flush());
    this.#calls ??= new LineCalls(this.#use.header);
    this.#calls.begin(from, isWritten);
    if (this.#use.waitsForText && this.#waiting !== null) this.isVisible = false;
  }

  /** Bytes that do not wait for what follows them. */
  #passOn(bytes: Uint8Array, at: number): void {
    if (this.#calls !== null) this.#calls.take(bytes, at);
    else if (this.#written !== null) this.#written.take(bytes, at);
    else if (this.#shown && !this.#isCut) this.#show(this.#shown.take(bytes));
  }

  /** A `<|channel|>` token, which is content: its bytes are taken next. */
  channel(): void {
    if (this.#leak === null || this.#leak.found !== null) return;
    this.#leak.token();
    this.#thought?.part();
    if (this.#content) this.#give(this.#content.flush());
    this.#leakAt = this.#collected.length;
    this.#written?.interrupt();
    // What is shown may end here, in a character that was cut.
    if (!this.#isCut) this.#show(this.#shown!.flush());
  }

  /** Bytes that are no content stand here: characters do not go on behind them. */
  part(): void {
    this.#letGo();
    this.#part();
  }

  /** What is held back is no marker. */
  #letGo(): void {
    this.#tags?.interrupt();
    this.#leak?.release();
    this.#written?.interrupt();
  }

  #part(): void {
    this.#json?.part();
    this.#thought?.part();
    if (this.#shown && !this.#isCut) this.#show(this.#shown.flush());
    if (this.#content) this.#give(this.#content.flush());
  }

  /** A literal block begins or ends. */
  literal(begins: boolean): void {
    this.part();
    this.#written?.literal(begins);
  }

  /** A mark, which is content: its bytes are taken between `mark` and `afterMark`. */
  mark(mark: Mark): void {
    if (!this.#thoughts) return;
    this.#letGo();
    const does = this.#thoughts.take(mark);
    if (does === 'calls' && this.#written?.isUnclosed) return;
    if (does === 'ends') this.#isEnding = true;
    if (does === 'opens' && this.#use.marksAreWrong) this.#marks.push(mark.from, mark.to);
    if (does === 'opens') this.#show(this.#shown!.flush());
    else if (does === 'calls') this.#call(mark.to, false);
  }

  afterMark(): void {
    this.#isEnding = false;
  }

  get #isCut(): boolean {
    return this.#hasCall || this.#isEnding || (this.#leak !== null && this.#leak.found !== null)
      || (this.#thoughts !== null && this.#thoughts.open !== null);
  }

  /** The body has ended; `isStopped`: it goes on beyond a bound, so that what is held back may still be a marker. */
  finish(isStopped: boolean): void {
    if (!isStopped) {
      this.#tags?.finish();
      this.#letGo();
    }
    this.#calls?.end();
    this.#part();
    if (this.#written?.isUnclosed) this.#thought?.end();
    this.#showFront();
    if (this.#hasReply && this.#waiting !== null) this.isVisible = false;
    this.#release();
    if (this.#paragraph !== '') this.#summary();
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting && this.isVisible) this.#display(waiting);
  }

  #showFront(): void {
    const front = this.#front;
    this.#front = null;
    if (front) this.#show(front);
  }

  #show(text: string): void {
    if (text === '' || !this.isVisible) return;
    if (this.#front !== null) {
      this.#front += text;
      if (!this.#written!.isFront || this.#front.length > MOST_WAITING) this.#showFront();
      return;
    }
    if (this.#waiting === null) {
      this.#display(text);
      return;
    }
    this.#waiting += text;
    if (this.#waiting.length > MOST_WAITING || !isBlankText(text)) this.#release();
  }

  #display(text: string): void {
    this.#paragraphs!.take(text, this.#onText, this.#onFlush);
  }

  #give(text: string): void {
    if (text === '') return;
    const { deltas, summarize, collects } = this.#use;
    if (collects) this.#collected += text;
    if (deltas === 'reasoning') {
      this.#tell({ type: 'response.reasoning_text.delta', message_id: this.#id, delta: text });
    } else if (deltas === 'arguments') {
      this.#tell({
        type: 'response.function_call_arguments.delta', message_id: this.#id, call_id: this.#callId, delta: text,
      });
    }
    if (!summarize) return;
    this.#paragraphs!.take(text, (part) => void (this.#paragraph += part), () => this.#summary());
    if (this.#paragraph.length > MOST_WAITING) this.#summary();
  }

  #summary(): void {
    const paragraph = this.#paragraph;
    this.#paragraph = '';
    if (isBlankText(paragraph)) return;
    const delta = this.#use.summarize!(paragraph);
    checkThere('summarize', delta);
    if (typeof delta === 'string' && delta !== '') {
      this.#tell({ type: 'response.reasoning_summary_text.delta', message_id: this.#id, delta });
    }
  }
}
