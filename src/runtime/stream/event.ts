// The events of a stream: one closed list. Names are the documents' (2.2 §9, 2.0 §9); where they give none, those of
// OpenAI's Responses streaming; `transcript.…` and `diagnostic` are this project's own.
//
// Only `response.delta` may be shown to an end user. Everything else is for the program.

import type { Code, Diagnostic, RuleName, Severity } from '../../errors.ts';
import type { HeaderValue } from '../../model/header/text.ts';
import type { End } from '../../model/message.ts';
import type { WrittenThought } from '../../model/written-thought.ts';
import type { DialectId } from '../../scan/dialects.ts';

/**
 * Which deltas a message has. `text`: an end user may see it, but for reasoning that is written in it; `call`: an
 * assistant's message to a tool; `reasoning`: an assistant's analysis; `hidden`: none.
 */
export type MessageKind = 'text' | 'call' | 'reasoning' | 'hidden';

/** What the header of a message says. Columns as in `MessageData`; positions are bytes since the stream's beginning. */
export interface StreamedMessage {
  /** From 0, in the stream; and the number of its transcript. */
  readonly index: number;
  readonly transcript: number;
  readonly role: string | null;
  readonly name: string | null;
  readonly recipient: string | null;
  /** The effective channel, and the one that is written. */
  readonly channel: string;
  readonly explicitChannel: string | null;
  readonly intent: string | null;
  readonly callId: string | null;
  readonly contentType: string | null;
  readonly constrained: boolean;
  /** Attributes that the format does not name. */
  readonly attributes: readonly { readonly key: string; readonly value: string }[];
  /** Never to be shown, never to be dispatched (R-ATTR-DUP). */
  readonly isAmbiguous: boolean;
  readonly isUndispatchable: boolean;
  readonly kind: MessageKind;
  readonly from: number;
  readonly bodyFrom: number;
}

/** A message that has ended. */
export interface DoneMessage extends StreamedMessage {
  readonly end: End;
  /** The byte after the terminator; a trailing one may still follow (R-END). */
  readonly to: number;
  /** The byte after the body. */
  readonly bodyTo: number;
  /** A prompt that waits for its completion (R-OPEN-TURN). */
  readonly isOpenTurn: boolean;
  /** An end user may see it: of a 0.1 call it is known now. What was shown stays so, however the message ends. */
  readonly visible: boolean;
  /**
   * `completed`: ended by a terminator, or by the input's end where the stop token was stripped. `incomplete`: cut off,
   * beyond a bound, ended by the next start token, or a call without its message token.
   */
  readonly status: 'completed' | 'incomplete';
  /** As `Message.content` gives it; only when the caller collects. */
  readonly content?: string;
  /**
   * Reasoning that is written as text in what is shown (R-THINK), where the content does not tell by itself; only when
   * the caller collects. Null: what looks like it is text.
   */
  readonly written?: WrittenThought | null;
  /** UTF-16 units of the content before a hidden channel that begins in what is shown (R-LEAK); absent: none does. */
  readonly leakAt?: number;
}

/** A rule of the library, one of a stream's bounds, or of the turn loop what follows a call (R-STOP). */
export type StreamRule = RuleName | 'body-limit' | 'literal-limit' | 'after-call';

/** What is wrong at one place of a stream; positions are bytes from its beginning. */
export interface StreamDiagnostic extends Omit<Diagnostic, 'rule'> {
  readonly code: Code | null;
  readonly rule: StreamRule;
  readonly severity: Severity;
}

/**
 * The id of the message that an event is about; null: of none. Streams that are interleaved are kept apart by it (2.2
 * §9).
 */
interface OfMessage<Id extends string | null = string> {
  readonly message_id: Id;
}

/** A transcript begins: its document header, or its first message or file, is read. Before all that belongs to it. */
export interface TranscriptBegin extends OfMessage<null> {
  readonly type: 'transcript.begin';
  readonly transcript: number;
  readonly dialect: DialectId;
  readonly version: string | null;
  readonly header: { readonly [key: string]: HeaderValue } | null;
}

/** The header of a message is final; no delta of it came before (R-STREAM). */
export interface ItemAdded extends OfMessage {
  readonly type: 'response.output_item.added';
  readonly message: StreamedMessage;
}

/** `final` text, or a preamble, for the end user (2.2 §9, R-VISIBLE). Whole characters; joined, what `show` gives. */
export interface TextDelta extends OfMessage {
  readonly type: 'response.delta';
  readonly delta: string;
}

/** A paragraph has ended: the text so far ends with a blank line (2.2 §9). Once for each run of blank lines. */
export interface DeltaFlush extends OfMessage {
  readonly type: 'response.delta.flush';
}

/** The text for the end user is complete (2.0 §9 `…done`). */
export interface TextDone extends OfMessage {
  readonly type: 'response.output_text.done';
}

/**
 * Raw reasoning, for a program that asked for it; never shown (2.0 §9). Joined, the content of an analysis; or what
 * stands between the markers of reasoning that is written as text (R-THINK), before the text of its message.
 */
export interface ReasoningDelta extends OfMessage {
  readonly type: 'response.reasoning_text.delta';
  readonly delta: string;
}

export interface ReasoningDone extends OfMessage {
  readonly type: 'response.reasoning_text.done';
}

/** What the caller's `summarize` made of a paragraph of reasoning (2.0 §9: moderated summary, optional). */
export interface SummaryDelta extends OfMessage {
  readonly type: 'response.reasoning_summary_text.delta';
  readonly delta: string;
}

export interface SummaryDone extends OfMessage {
  readonly type: 'response.reasoning_summary_text.done';
}

/** A piece of a call's arguments; joined, the content of the call: its exact text, escapes undone. */
export interface ArgumentsDelta extends OfMessage {
  readonly type: 'response.function_call_arguments.delta';
  readonly call_id: string | null;
  readonly delta: string;
}

/**
 * The arguments are complete: not of a call that is cut. Whether it may be dispatched, `response.output_item.done` says
 * next.
 */
export interface ArgumentsDone extends OfMessage {
  readonly type: 'response.function_call_arguments.done';
  readonly call_id: string | null;
  /** Only when the caller collects. */
  readonly arguments?: string;
}

/**
 * The message has ended: at its terminator, the next start token or the end of input (2.0 §9 `…done`). Nothing of it
 * follows.
 */
export interface ItemDone extends OfMessage {
  readonly type: 'response.output_item.done';
  readonly message: DoneMessage;
}

/** A call that was added and is not done was cancelled (2.2 §9, §8.4). */
export interface ToolCancel extends OfMessage {
  readonly type: 'tool.cancel';
  readonly call_id: string | null;
  readonly reason: string;
}

/** The stream was cancelled: stop rendering (2.2 §9). Once, and nothing follows. */
export interface ResponseCancel extends OfMessage<string | null> {
  readonly type: 'response.cancel';
  readonly reason: string;
}

/**
 * Text between messages (R-GAP): it may be a leaked thought, so it is never shown. Long text comes in pieces that
 * adjoin.
 */
export interface Stray extends OfMessage<null> {
  readonly type: 'transcript.stray';
  readonly from: number;
  readonly to: number;
  /** Only when the caller asks for it. */
  readonly text?: string;
}

/** A finding, with rule, code and place as `check` gives them. */
export interface Found extends OfMessage<string | null> {
  readonly type: 'diagnostic';
  readonly diagnostic: StreamDiagnostic;
}

/**
 * The input ended after a stop token (2.2 §9, §3): `stripped` where the caller says that it was cut off. The last
 * event.
 */
export interface Completed extends OfMessage<string | null> {
  readonly type: 'response.completed';
  readonly stop: 'return' | 'call' | 'end' | 'stripped';
}

/**
 * The input ended otherwise (2.2 §9, §14). `truncated`: in a message; `no-stop-token`: after a message that `<|end|>`
 * closed, where another one was to come; `empty`: there was no message; `bound`: the last message was beyond a bound.
 * The last event.
 */
export interface Incomplete extends OfMessage<string | null> {
  readonly type: 'response.incomplete';
  readonly code: 'E-STREAM-TRUNCATED';
  readonly reason: 'truncated' | 'no-stop-token' | 'empty' | 'bound';
}

/**
 * What a stream reports: messages that begin and end, text, reasoning and arguments as they come (2.2 §9), findings.
 */
export type StreamEvent =
  | TranscriptBegin | ItemAdded | TextDelta | DeltaFlush | TextDone | ReasoningDelta | ReasoningDone | SummaryDelta
  | SummaryDone
  | ArgumentsDelta | ArgumentsDone | ItemDone | ToolCancel | ResponseCancel | Stray | Found | Completed | Incomplete;
