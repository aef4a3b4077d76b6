// One output of a model: through the streaming parser to messages, calls, and how it ended.
//
// What of it belongs to the output is for stream/extent.ts; the rest is left out, with its events. Where nothing that
// follows can belong to it, nothing more is read (2.2 §12.8). What the model goes on with after a call, a result that
// it made up or an answer before the tool has run, is told (R-STOP).

import { neutralOf } from '../../formats/neutral.ts';
import { isToolRecipient } from '../../model/attributes.ts';
import type { MessageData } from '../../model/data.ts';
import type { Span } from '../../model/message.ts';
import type { DialectId } from '../../scan/dialects.ts';
import { isShown } from '../../rules/message-data.ts';
import type { DoneMessage, StreamDiagnostic, StreamEvent, ToolCancel } from '../stream/event.ts';
import type { RoutedCall } from '../router/types.ts';
import { TokenStream } from '../token.ts';
import type { OpenCall, TurnOutputChunk, Vocabulary } from './types.ts';
import { Extent } from '../stream/extent.ts';
import { MessageStream, type StreamOptions } from '../stream/stream.ts';

/** A call to dispatch: its place among the messages, and where its header stands in the output. */
export interface ReadCall extends Span {
  readonly at: number;
  readonly messageId: string;
  readonly call: RoutedCall;
}

/** What an output said. */
export interface OutputRead {
  readonly messages: MessageData[];
  readonly calls: ReadCall[];
  readonly diagnostics: StreamDiagnostic[];
  /** A message answers the user. */
  isAnswered: boolean;
  /** The model itself has stopped, or nothing that it said leads on. */
  isOver: boolean;
  isCut: boolean;
}

const MARKER = /<\|(start|end)_(reflect|introspect|reason)\|>/;
const UNREAD = /^<(?:tool_call>|\|function_call\|>)/;
const PLAIN_WORD = /^[A-Za-z][A-Za-z0-9_-]*$/;
/** Reasons of a model that stopped before it was done. */
const CUT: ReadonlySet<string> = new Set(['length', 'max_tokens', 'max_output_tokens', 'content_filter']);

export class OutputReader {
  readonly #options: StreamOptions;
  readonly #vocabulary: Vocabulary | undefined;
  #stream: MessageStream | TokenStream | null = null;
  readonly #dialect: DialectId;
  readonly #extent: Extent;
  /** Ids of messages whose events are left out. */
  readonly #leftOut = new Set<string>();
  /** After its call the model spoke for others: what follows is counted, as far as it is there, and not looked at. */
  #isForged = false;
  /** The last message whose header is not ended by its message token. */
  #lacksMessage: string | null = null;
  /** The message that ended in `<|return|>` or, last, in `<|call|>`. */
  #stopped: { readonly id: string; readonly stop: 'return' | 'call' } | null = null;
  /** What follows a call and is none: its span, and its bytes. */
  #after: { from: number; to: number; bytes: number } | null = null;
  readonly read: OutputRead = {
    messages: [],
    calls: [],
    diagnostics: [],
    isAnswered: false,
    isOver: true,
    isCut: false,
  };

  constructor(dialect: DialectId, options: StreamOptions, vocabulary?: Vocabulary) {
    this.#dialect = dialect;
    this.#extent = new Extent(true, Boolean(options.rescue));
    this.#options = { ...options, dialect, role: 'assistant', collect: true };
    this.#vocabulary = vocabulary;
  }

  /** Nothing more needs to be read. */
  get isEnough(): boolean {
    return this.#extent.isOver;
  }

  /** Events of a chunk, for who listens. */
  feed(chunk: TurnOutputChunk): StreamEvent[] {
    if (!Array.isArray(chunk)) return this.#take(this.#asText().feed(chunk as string | Uint8Array));
    return this.#take(this.#asIds().feedTokens(chunk as readonly number[]));
  }

  /** A stop id has come. */
  get isStopped(): boolean {
    return this.#stream instanceof TokenStream && this.#stream.isStopped;
  }

  /** The first chunk tells of which kind all are. */
  #asText(): MessageStream {
    this.#stream ??= new MessageStream(this.#options);
    if (this.#stream instanceof MessageStream) return this.#stream;
    throw new TypeError('model: expected chunks of ids, as the first one was');
  }

  #asIds(): TokenStream {
    if (this.#vocabulary === undefined) throw new TypeError('model: chunks of ids need the option vocabulary');
    const { decode, specials, stops } = this.#vocabulary;
    this.#stream ??= new TokenStream({ ...this.#options, decode, specials, stops });
    if (this.#stream instanceof TokenStream) return this.#stream;
    throw new TypeError('model: expected chunks of text, as the first one was');
  }

  /** `finishReason`: as the model tells it, if it does. `isCut`: the output goes on, and is not read. */
  end(finishReason: string | null | undefined, isCut: boolean): StreamEvent[] {
    const wasEnough = this.isEnough;
    // No stop token was stripped where the output goes on.
    const reasonGiven = isCut ? 'length' : finishReason;
    const last = (this.#stream ?? this.#asText()).end(reasonGiven == null ? {} : { finishReason: reasonGiven });
    const events = this.#last(last);
    const ending = last.at(-1);
    const reason = ending?.type === 'response.incomplete' ? ending.reason : null;
    const isOpen = reason === 'no-stop-token' || (ending?.type === 'response.completed' && ending.stop === 'end');
    const isStopped = isOpen && CUT.has(finishReason ?? '');
    const isWhole = wasEnough || this.#extent.isWhole;
    this.read.isCut = !isWhole && (isCut || isStopped || reason === 'truncated' || reason === 'bound');
    return events;
  }

  /** Nothing more comes, and nothing is called. */
  cancel(reason: string): StreamEvent[] {
    const events = this.#last((this.#stream ?? this.#asText()).cancel(reason));
    return [...cancelled(this.read.calls, reason), ...events];
  }

  /** The last events of the stream: how it ended is told, whatever of it was left out, and nothing follows. */
  #last(events: readonly StreamEvent[]): StreamEvent[] {
    const taken = this.#take(events.slice(0, -1));
    this.#tellAfter(taken);
    const ending = events.at(-1);
    if (ending === undefined) return taken;
    const { message_id: id } = ending;
    const isOurs = !this.isEnough && !(id !== null && this.#leftOut.has(id));
    const { isWhole } = this.#extent;
    const isWholeHere = isWhole && !isOurs && ending.type !== 'response.cancel';
    if (isWholeHere && this.#stopped !== null) {
      taken.push({ type: 'response.completed', message_id: this.#stopped.id, stop: this.#stopped.stop });
    } else if (isWholeHere && this.isEnough) {
      // The model spoke on for others. How that ends says nothing, and where reading stopped is chance.
      const code = 'E-STREAM-TRUNCATED';
      taken.push({ type: 'response.incomplete', message_id: null, code, reason: 'no-stop-token' });
    } else {
      taken.push(isOurs ? ending : ({ ...ending, message_id: null } as StreamEvent));
    }
    return taken;
  }

  #take(events: readonly StreamEvent[]): StreamEvent[] {
    const taken: StreamEvent[] = [];
    for (const event of events) {
      if (this.#isForged) {
        this.#countAfter(event);
        continue;
      }
      if (this.isEnough) {
        if (event.type === 'response.output_item.done') this.#extent.pass(event.message);
        continue;
      }
      if (event.type === 'response.output_item.added' && !this.#extent.begin(event.message)) {
        const { hasCalled } = this.#extent;
        this.#leftOut.add(event.message_id);
        this.#isForged = hasCalled && event.message.role !== 'assistant';
        if (hasCalled) this.#after ??= { from: event.message.from, to: event.message.from, bytes: 0 };
      }
      if (event.type === 'diagnostic' && event.diagnostic.rule === 'missing-message')
        this.#lacksMessage = event.message_id;
      if (event.type === 'diagnostic' && event.diagnostic.severity !== 'info')
        this.read.diagnostics.push(event.diagnostic);
      if (event.message_id !== null && this.#leftOut.has(event.message_id)) {
        this.#countAfter(event);
        continue;
      }
      taken.push(event);
      if (event.type === 'response.output_item.done') this.#message(event.message, event.message_id);
    }
    return taken;
  }

  /** Counts a message that is left out, once it has ended. */
  #countAfter(event: StreamEvent): void {
    if (event.type !== 'response.output_item.done' || this.#after === null) return;
    this.#after.to = event.message.to;
    this.#after.bytes += event.message.to - event.message.from;
  }

  #tellAfter(events: StreamEvent[]): void {
    const after = this.#after;
    this.#after = null;
    if (after === null) return;
    const { from, to, bytes } = after;
    const message = `the model went on after its call: ${bytes} bytes are left out`;
    const diagnostic: StreamDiagnostic = {
      code: 'E-STREAM-TRUNCATED', rule: 'after-call', severity: 'warning', from, to, transcript: 0, message,
    };
    this.read.diagnostics.push(diagnostic);
    events.push({ type: 'diagnostic', message_id: null, diagnostic });
  }

  #message(said: DoneMessage, id: string): void {
    if (said.isOpenTurn) return;
    const done = this.#extent.finish(said);
    for (const data of neutral(done, this.#dialect)) {
      const isCall = isToolRecipient(data.recipient ?? null) || data.end === 'call' || data.unread === true;
      const { from, bodyFrom: to } = done;
      const at = this.read.messages.length;
      const call = { ...routed(data, done, this.#lacksMessage === id), dialect: this.#dialect };
      if (isCall) this.read.calls.push({ at, messageId: id, from, to, call });
      this.read.messages.push(data);
      const channel = data.channel ?? 'final';
      this.read.isAnswered ||= !isCall && done.visible && channel === 'final';
      // Reasoning or a preamble leads on; what claims to be an answer and may not be shown does not.
      this.read.isOver = !isCall && (done.end === 'return' || done.channel === 'final');
    }
    const stop = this.isEnough ? 'return' : done.end;
    this.#stopped = stop === 'return' || stop === 'call' ? { id, stop } : null;
  }
}

/** Tells that calls which were read are not made. */
export function cancelled(calls: readonly Pick<OpenCall, 'messageId' | 'call'>[], reason: string): ToolCancel[] {
  return calls.map(({ messageId, call }) => {
    return { type: 'tool.cancel', message_id: messageId, call_id: call.callId ?? null, reason };
  });
}

/**
 * What the router is given: the channel as it is written. A call that the stream takes for incomplete is not whole,
 * whatever ended it.
 */
function routed(
  data: MessageData,
  { isAmbiguous, isUndispatchable, explicitChannel, status }: DoneMessage,
  lacksMessage: boolean,
): RoutedCall {
  return {
    ...data,
    isAmbiguous,
    isUndispatchable,
    ...(explicitChannel !== null && { channel: explicitChannel }),
    ...(status === 'incomplete' && data.end !== 'eof' && (lacksMessage ? { lacksMessage } : { end: 'implicit' })),
  };
}

/**
 * A message as plain data that shows no more than the message did: one that is hidden for what data cannot tell goes
 * to analysis. So does one of a channel that is no word: nobody may see it, and no writer takes it.
 */
function neutral(done: DoneMessage, dialect: DialectId): MessageData[] {
  const { data } = neutralOf({ header: null, tools: [], messages: apart(plainData(done, dialect), done) }, dialect);
  return data.messages.map((message) => {
    if (dialect === 'openchatml-0.1' && isUnreadCall(message)) return { end: 'call', ...message, unread: true };
    if (typeof message.channel === 'string' && !PLAIN_WORD.test(message.channel)) {
      return { ...message, channel: isToolRecipient(message.recipient ?? null) ? 'commentary' : 'analysis' };
    }
    if (done.visible || !isShown(message) || (dialect === 'harmony' && isPreamble(done))) return message;
    const { intent: _, ...rest } = message;
    return { ...rest, channel: 'analysis' };
  });
}

/** Of 0.1: a call that cannot be read is hidden text, with its tag or token. */
function isUnreadCall({ channel, intent, recipient, content }: MessageData): boolean {
  return channel === 'commentary' && intent === undefined && recipient === undefined && UNREAD.test(content);
}

/** Up to where a body begins; where none does, the channel alone: what follows it is all that was said. */
const LEAKED_HEADER = /^<\|channel\|>(?:[^<]*<\|message\|>|(?:analysis|commentary)[ \n]?)/;

/** What leaks from a hidden channel, without its header, becomes a message on analysis (R-LEAK). */
function apart(message: MessageData, { leakAt }: DoneMessage): MessageData[] {
  if (leakAt === undefined) return [message];
  const { role, content } = message;
  const leaked = content.slice(leakAt).replace(LEAKED_HEADER, '');
  const said = { ...message, content: content.slice(0, leakAt) };
  return leaked === '' ? [said] : [{ role, channel: 'analysis', content: leaked }, said];
}

/** By Harmony's convention: whether it is shown is for the application to say. */
function isPreamble({ channel, recipient, intent, isAmbiguous, isUndispatchable, end }: DoneMessage): boolean {
  return (
    channel === 'commentary' &&
    recipient === null &&
    intent === null &&
    !isAmbiguous &&
    !isUndispatchable &&
    end !== 'call'
  );
}

function plainData(done: DoneMessage, dialect: DialectId): MessageData {
  const {
    role,
    name,
    recipient,
    explicitChannel,
    contentType,
    constrained,
    intent,
    callId,
    attributes,
    content = '',
    written,
  } = done;
  return {
    role,
    ...(name !== null && { name }),
    ...(recipient !== null && { recipient }),
    ...(explicitChannel !== null && { channel: explicitChannel }),
    ...(contentType !== null && { contentType, ...(constrained && { constrained }) }),
    ...(intent !== null && { intent }),
    ...(callId !== null && { callId }),
    ...(attributes.length > 0 && { attributes }),
    // In Harmony they are text (R-COT); elsewhere they count as marks, also where a literal block may have quoted them.
    ...(MARKER.test(content) && { marked: dialect !== 'harmony' }),
    ...(written !== undefined && { written }),
    end: endOf(done),
    content,
  };
}

/** A stop token that was stripped is there in what is kept. */
function endOf({ end, status, recipient, channel }: DoneMessage): NonNullable<MessageData['end']> {
  if (end !== 'eof' || status === 'incomplete') return end;
  if (isToolRecipient(recipient)) return 'call';
  return channel === 'final' ? 'return' : 'end';
}
