// A message of a stream, from its header to its end: what it is, who its text is for, and the events that frame it.

import { CALL, EOF_END, HAS_LINE, IMPLICIT_END, RETURN, TOKEN_MASK, TOKEN_SHIFT } from '../../abi.ts';
import type { Finding } from '../../errors.ts';
import { isToolRecipient } from '../../model/attributes.ts';
import type { End, HeaderView, Span } from '../../model/header-view.ts';
import type { TranscriptInfo } from '../../model/transcript.ts';
import { hiddenByHeader, type VisibilityOptions } from '../../model/visibility.ts';
import type { DoneMessage, MessageKind, StreamedMessage, StreamEvent } from './event.ts';
import { BodyText, type BodyUse } from './body.ts';
import type { ResolvedOptions } from './options.ts';
import { PlainText } from './plain.ts';


const KNOWN: ReadonlySet<string> = new Set(['to', 'call_id', 'name', 'intent', 'content_type']);
const NONE: readonly never[] = [];
const UNREAD = {
  role: null, name: null, recipient: null, channel: 'final', explicitChannel: null, intent: null, callId: null,
  contentType: null,
  constrained: false, attributes: NONE, isAmbiguous: true, isUndispatchable: true, kind: 'hidden',
} as const;

export class OpenMessage {
  readonly id: string;
  readonly transcript: TranscriptInfo;
  /** The header was beyond the bound. */
  readonly isAbandoned: boolean;
  /** The header is longer than what is read of one. */
  readonly isReadInPart: boolean;
  /** The header is not ended by its message token or newline. */
  readonly isCut: boolean;
  /** It has no message token because a server has stripped it (R-RESCUE). */
  readonly #isStripped: boolean;
  readonly #about: StreamedMessage;
  readonly #options: ResolvedOptions;
  readonly #tell: (event: StreamEvent) => void;
  /** The body's text, for whom it is; null: nobody, or it is beyond a bound. */
  text: BodyText | null;
  readonly #whole: BodyText | null;
  /** A prompt that waits, if the input ends right here (R-OPEN-TURN). */
  mayBeOpenTurn = false;
  openLiteral: { from: number; to: number } | null = null;
  /** Beyond a bound. */
  isStopped = false;
  end: End = 'eof';
  isOpenTurn = false;
  to = 0;
  #bodyTo = 0;
  /** The stop token that was read last (R-END). */
  stop: 'return' | 'call' | 'end' | null = null;

  constructor(
    view: HeaderView | null, transcript: TranscriptInfo, options: ResolvedOptions, index: number,
    tell: (event: StreamEvent) => void, from = 0,
  ) {
    this.id = options.messageId(index);
    this.transcript = transcript;
    this.isAbandoned = view === null;
    this.isReadInPart = view !== null && view.isReadInPart;
    this.isCut = view !== null && !view.isPlain && view.reading.cut;
    this.#isStripped = view !== null && view.isStripped;
    this.#options = options;
    this.#tell = tell;
    if (!view) {
      this.#about = { ...UNREAD, index, transcript: transcript.number, from, bodyFrom: from };
      this.#whole = this.text = null;
      return;
    }
    const shows = mayShow(view, options.visibility);
    const kind = kindOf(view, shows);
    this.#about = aboutOf(view, kind, index, transcript.number);
    const isAssistant = view.role === 'assistant';
    const isLine = (transcript.dialect.flags & HAS_LINE) !== 0;
    const isHarmony = transcript.dialect.id === 'harmony';
    const use: BodyUse = {
      shows,
      isAssistant,
      writtenThoughts: isHarmony ? 'none' : options.thinkOpen && index === 0 ? 'open' : 'some',
      tellsThoughts: options.reasoning,
      header: { from: view.from, to: view.header.to },
      writtenTags: !isLine ? null : isAssistant ? 'calls' : 'replies',
      waitsForText: isLine,
      marksAreWrong: !isLine,
      isJson: this.#about.contentType === 'json' && !isLine && !this.isReadInPart,
      deltas: kind === 'call' ? 'arguments' : kind === 'reasoning' && options.reasoning ? 'reasoning' : null,
      summarize: kind === 'reasoning' ? options.summarize : undefined,
      collects: options.collect,
    };
    this.#whole = this.text = new BodyText(use, this.id, view.callId, tell);
  }

  /** A message of which only its place is known. */
  static abandoned(
    from: number, transcript: TranscriptInfo, options: ResolvedOptions, index: number,
    tell: (event: StreamEvent) => void,
  ): OpenMessage {
    return new OpenMessage(null, transcript, options, index, tell, from);
  }

  get about(): StreamedMessage {
    return this.#about;
  }

  get from(): number {
    return this.#about.from;
  }

  get bodyFrom(): number {
    return this.#about.bodyFrom;
  }

  get kind(): MessageKind {
    return this.#about.kind;
  }

  get callId(): string | null {
    return this.#about.callId;
  }

  /** Reasoning that is written as text in what is shown: its marker. */
  get reasoning(): Span | null {
    return this.isOpenTurn ? null : (this.#whole?.reasoning ?? null);
  }

  /** Where a hidden channel begins in what is shown. */
  get leak(): Span | null {
    return this.isOpenTurn ? null : (this.#whole?.leak ?? null);
  }

  /** The marks that begin thoughts in what is shown. */
  marks(): Iterable<Span> {
    return this.isOpenTurn || !this.#whole ? NONE : this.#whole.marks();
  }

  /** Where the body is no JSON and is to be; null: nowhere, as far as it is known. */
  get brokenJson(): Span | null {
    return this.isOpenTurn || this.isStopped || !this.#whole ? null : this.#whole.brokenJson(this.#bodyTo);
  }

  /** What is wrong with calls of 0.1, as far as it is known. */
  get callFaults(): readonly Finding[] {
    return this.isOpenTurn || this.isStopped || !this.#whole ? NONE : this.#whole.callFaults;
  }

  /** Where the text is beyond a bound. */
  limit(literalFrom: number): number {
    if (this.isStopped || this.isAbandoned) return Infinity;
    const { body, literal } = this.#options.bounds;
    return Math.min(this.#about.bodyFrom + body, literalFrom < 0 ? Infinity : literalFrom + literal);
  }

  /** The bound is that of the literal block, which begins at `literalFrom`. */
  isLiteralLimit(literalFrom: number): boolean {
    return literalFrom >= 0 && literalFrom + this.#options.bounds.literal === this.limit(literalFrom)
      && this.#about.bodyFrom + this.#options.bounds.body > this.limit(literalFrom);
  }

  /** Takes plain text behind `told`, where no literal block is open; null: each piece has to be looked at. */
  plain(told: number): PlainText | null {
    if (this.isAbandoned) return null;
    const most = this.limit(-1) - told;
    if (this.text !== null && !this.text.isIdle) return this.text.plain(most);
    return new PlainText({ id: this.id, callId: null, shown: null, deltas: null, collects: false }, most);
  }

  /** Beyond a bound: nothing more of the body is told. */
  cutOff(): void {
    this.isStopped = true;
    this.text = null;
  }

  tellAdded(): void {
    this.#tell({ type: 'response.output_item.added', message_id: this.id, message: this.#about });
  }

  /** The body ended at `bodyTo`, the message at `to`. */
  finish(word: number, bodyTo: number, to: number): void {
    const token = (word >>> TOKEN_SHIFT) & TOKEN_MASK;
    if (word & EOF_END) this.end = 'eof';
    else if (word & IMPLICIT_END) this.end = 'implicit';
    else this.end = token === CALL ? 'call' : token === RETURN ? 'return' : 'end';
    this.stop = this.end === 'eof' || this.end === 'implicit' ? null : this.end;
    this.isOpenTurn = this.mayBeOpenTurn && this.end === 'eof' && bodyTo === this.#about.bodyFrom;
    this.to = to;
    this.#bodyTo = Math.max(bodyTo, this.#about.bodyFrom);
    this.#whole?.finish(this.isStopped);
  }

  /** A further terminator. */
  trailing(token: number): void {
    if (token === RETURN) this.stop = 'return';
    else if (token === CALL && this.stop === 'end') this.stop = 'call';
  }

  /** `isStripped`: the input's end stands for the stop token. */
  status(isStripped: boolean): 'completed' | 'incomplete' {
    return this.isEnded(isStripped) && !this.#isNoWholeCall ? 'completed' : 'incomplete';
  }

  /** Nothing of it is missing at its end, whatever is missing before. */
  isEnded(isStripped: boolean): boolean {
    const { end } = this;
    if (this.isStopped || this.isAbandoned || this.openLiteral) return false;
    if (this.isOpenTurn || end === 'implicit') return false;
    return end !== 'eof' || (isStripped && !this.#isNoWholeCall);
  }

  /** A call without its message token: nobody knows where its arguments begin. */
  get #isNoWholeCall(): boolean {
    return this.isCut && !this.#isStripped && this.kind === 'call';
  }

  #tellArguments(): void {
    const whole = this.#options.collect ? { arguments: this.#whole!.content } : {};
    this.#tell({
      type: 'response.function_call_arguments.done', message_id: this.id, call_id: this.callId, ...whole,
    });
  }

  tellDone(isStripped: boolean): void {
    const { id, kind } = this;
    const status = this.status(isStripped);
    const content = this.#options.collect ? { content: this.#whole?.content ?? '' } : {};
    const written = this.#options.collect ? this.#whole?.written : undefined;
    const leak = this.#options.collect && this.leak !== null ? { leakAt: this.#whole!.leakAt } : {};
    if (kind === 'text') {
      this.#tell({ type: 'response.output_text.done', message_id: id });
    } else if (kind === 'call') {
      // Who reads no further would make a call that is cut.
      if (status === 'completed') this.#tellArguments();
    } else if (kind === 'reasoning') {
      if (this.#options.reasoning) this.#tell({ type: 'response.reasoning_text.done', message_id: id });
      if (this.#options.summarize) this.#tell({ type: 'response.reasoning_summary_text.done', message_id: id });
    }
    const about = this.#about;
    // Field by field: spreading takes as long as all the rest.
    const message: DoneMessage = {
      index: about.index,
      transcript: about.transcript,
      role: about.role,
      name: about.name,
      recipient: about.recipient,
      channel: about.channel,
      explicitChannel: about.explicitChannel,
      intent: about.intent,
      callId: about.callId,
      contentType: about.contentType,
      constrained: about.constrained,
      attributes: about.attributes,
      isAmbiguous: about.isAmbiguous,
      isUndispatchable: about.isUndispatchable,
      kind: about.kind,
      from: about.from,
      bodyFrom: about.bodyFrom,
      end: this.end,
      to: this.to,
      bodyTo: this.#bodyTo,
      isOpenTurn: this.isOpenTurn,
      visible: (this.#whole?.isVisible ?? false) && !this.isOpenTurn,
      status,
      ...content,
      ...(written !== undefined && { written }),
      ...leak,
    };
    this.#tell({ type: 'response.output_item.done', message_id: id, message });
  }
}

/** Whether the header lets it be shown: how much of the body is there depends on the cuts. */
function mayShow(view: HeaderView, options: VisibilityOptions): boolean {
  return hiddenByHeader(view, options) === null;
}

function kindOf(view: HeaderView, shows: boolean): MessageKind {
  if (shows) return 'text';
  if (view.role !== 'assistant') return 'hidden';
  if (isToolRecipient(view.recipient)) return 'call';
  return view.channel === 'analysis' && !view.isAmbiguous ? 'reasoning' : 'hidden';
}

function aboutOf(view: HeaderView, kind: MessageKind, index: number, transcript: number): StreamedMessage {
  const rest = view.isBare ? NONE : view.attributes.filter(({ key }) => !KNOWN.has(key));
  const { contentType } = view;
  return {
    index,
    transcript,
    role: view.role,
    name: view.name,
    recipient: view.recipient,
    channel: view.channel,
    explicitChannel: view.explicitChannel,
    intent: view.intent,
    callId: view.callId,
    contentType,
    constrained: contentType !== null && view.isConstrained,
    attributes: rest.length === 0 ? NONE : rest.map(({ key, value }) => ({ key, value })),
    isAmbiguous: view.isAmbiguous,
    isUndispatchable: view.isUndispatchable,
    kind,
    from: view.from,
    bodyFrom: view.header.to,
  };
}
