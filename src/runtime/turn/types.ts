// What the turn loop takes and gives: the model, its prompts and outputs, events, the result.

import type { ReadableSource, Signal } from '../../platform.ts';
import type { Loss, Refusal } from '../../formats/loss.ts';
import type { HarmonySystem } from '../../formats/harmony/system.ts';
import type { MessageData, ToolDefinition, TranscriptData } from '../../model/data.ts';
import type { Span } from '../../model/message.ts';
import type { DialectId } from '../../scan/dialects.ts';
import type { SamplingOptions } from '../../rules/sampling.ts';
import type { StreamDiagnostic, StreamEvent } from '../stream/event.ts';
import type { StreamRescue } from '../stream/rescue.ts';
import type { Encoder } from '../../formats/segments.ts';
import type { TokenOptions } from '../token-core.ts';
import type { InspectedCall, Outcome, RoutedCall } from '../router/types.ts';
import type { ToolRouter } from '../router/router.ts';
import type { Usage } from '../usage.ts';
import type { TurnError } from './error.ts';

/** What a model is asked to go on with. */
export interface TurnPrompt {
  /** What the sampling rule leaves of the transcript. */
  readonly messages: readonly MessageData[];
  /** The same in the dialect, with the beginning of an assistant's message at the end: `<|start|>assistant`. */
  readonly text: string;
  /**
   * With `vocabulary`: the same as ids. Then send these: bodies may spell control tokens, which the text cannot tell
   * from real ones.
   */
  readonly ids?: readonly number[] | undefined;
  /** Definitions that stand in no message; in the text they do. */
  readonly tools: readonly ToolDefinition[];
  /** From 1. */
  readonly round: number;
  /** Aborts when nothing more of the output is read, also when it is enough: stop sampling. */
  readonly signal: Signal;
}

/** Text, bytes, or with `vocabulary` ids. */
export type TurnOutputChunk = string | Uint8Array | readonly number[];

/** Chunks of one kind as they come, beginning where the prompt ends. */
export type TurnOutputStream = AsyncIterable<TurnOutputChunk> | ReadableSource<TurnOutputChunk>;

/** Ids of text, and bytes of ids. */
export interface Vocabulary extends Encoder, Pick<TokenOptions, 'decode' | 'stops'> {}

/**
 * An output, and why the model stopped, a text or a function that is asked at its end: `stop` and `tool_calls` say that
 * the stop token was stripped.
 */
export interface TurnOutput {
  readonly stream: TurnOutputStream;
  readonly finishReason?: string | null | (() => string | null | undefined) | undefined;
  /**
   * What the output cost. A function is asked when it is read no further; where that throws, the output still counts.
   */
  readonly usage?: Usage | null | (() => Usage | null | undefined) | undefined;
}

/** What `runTurn` asks for an output. */
export type TurnModel = (prompt: TurnPrompt) => TurnOutputStream | TurnOutput | Promise<TurnOutputStream | TurnOutput>;

/**
 * What happens in a run: the events of the outputs' streams, prompts, what outputs cost, calls that `approve` is asked
 * about, and outcomes of calls, each with the id of the message that holds the call. A run that is cancelled has
 * `tool.cancel` for each call that is, and then one `response.cancel`.
 */
export type TurnEvent =
  | StreamEvent
  | { readonly type: 'turn.prompt'; readonly round: number; readonly losses: readonly Loss[] }
  | { readonly type: 'turn.usage'; readonly round: number; readonly usage: Usage }
  | {
      readonly type: 'turn.approval';
      readonly message_id: string | null;
      readonly call_id: string | null;
      readonly recipient: string;
    }
  | { readonly type: 'turn.outcome'; readonly message_id: string; readonly outcome: Outcome };

/**
 * A run under way: its events, one after the other, and its result.
 *
 *     const run = runTurn(options);
 *     for await (const event of run) show(event);
 *     const { messages, stop } = await run.result;
 *
 * The run goes on when the next event is asked for. Who leaves the loop cancels it. `result` alone reads the events
 * itself and drops them. Nothing happens before one of the two is asked for.
 */
export interface TurnRun extends AsyncIterable<TurnEvent> {
  /** Comes when the run has ended, and never rejects. When the signal aborts it comes whoever reads the events. */
  readonly result: Promise<TurnResult>;
  /** Can be had once, and not after the run has gone on for `result`. Its last value is the result. */
  [Symbol.asyncIterator](): AsyncIterator<TurnEvent, TurnResult | undefined, undefined>;
}

/** A transcript that goes on, with its model and its tools. */
export interface TurnOptions {
  readonly model: TurnModel;
  /** The transcript so far, as neutral data. This, or `resume`. */
  readonly messages?: readonly MessageData[] | undefined;
  /**
   * The result of a run, as it was or from JSON: this run is its rest. Calls that have an outcome are not made again,
   * those that have none are. Where the answer is there, nothing happens.
   */
  readonly resume?: StoredTurn | undefined;
  /** For the prompts: the document header. */
  readonly header?: TranscriptData['header'] | undefined;
  /** Definitions that stand in no message yet. Without it, those of the router that stand in none. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /** One router for one transcript. It is not closed. */
  readonly router: ToolRouter;
  /** Asked before a call runs, unless the router would refuse it. The call's deadline begins when it has answered. */
  readonly approve?: Approve | undefined;
  /** Of prompts and outputs. Default `openchatml-2.2`. */
  readonly dialect?: DialectId | undefined;
  /** Which reasoning a prompt leaves out (R-SAMPLING). Default `ocm`. */
  readonly rule?: SamplingOptions['rule'] | undefined;
  /** Outputs that this run asks for at most. Default 16. */
  readonly maxRounds?: number | undefined;
  /**
   * For models that take and give token ids: prompts have `ids`, and an output may be chunks of them. Bodies that spell
   * control tokens need no escape then.
   */
  readonly vocabulary?: Vocabulary | undefined;
  /**
   * Bytes, UTF-16 units of text, or ids of one output; what is longer is cut, and no pair of surrogates in two. Default
   * 16 MiB.
   */
  readonly maxOutputLength?: number | undefined;
  /**
   * Where the dialect has no escape: control tokens in bodies of a prompt are broken up instead of refused. In what the
   * model said they always are.
   */
  readonly neutralise?: boolean | undefined;
  /** The model's outputs end without their stop token. An output's `finishReason` says more. */
  readonly stopStripped?: boolean | undefined;
  /** `rescue`: outputs are read for a likely message rather than an exact one (as in StreamOptions). */
  readonly rescue?: StreamRescue | undefined;
  /** Prompts end in `<think>`: the first message of an output begins within a thought (as in StreamOptions). */
  readonly thinkOpen?: boolean | undefined;
  /** As in VisibilityOptions: what an application shows beyond the rules. */
  readonly harmonyPreambles?: boolean | undefined;
  readonly missingChannel?: boolean | undefined;
  /**
   * Only in Harmony: a system message in its layout to begin with, unless the transcript has one. `true`: what
   * openai-harmony writes, with the reasoning effort and the builtin tools of the header; an object says more.
   */
  readonly system?: boolean | HarmonySystem | undefined;
  /** How Harmony text tells a content type: ` <|constrain|>json`, or the bare word ` json` of the models' template. */
  readonly contentType?: 'constrain' | 'bare' | undefined;
  /** Events with the model's reasoning too. */
  readonly reasoning?: boolean | undefined;
  /**
   * Ends the run: the model's output is read no further, its calls are cancelled. Its reason stands in `tool.cancel`
   * and `response.cancel`.
   */
  readonly signal?: Signal | undefined;
}

/**
 * Why a run ended. `final`: with an answer. `length`: the output was cut. `rounds`: there were too many. `unanswered`:
 * the model stopped with neither answer nor call, or its answer may not be shown. `cancelled`: by the signal, or by who
 * left the events. `approval`: a call waits for it. `refused`: the transcript cannot be written in the dialect.
 * `failed`: the model or `approve` threw.
 */
export type TurnStop =
  'final' | 'length' | 'rounds' | 'unanswered' | 'cancelled' | 'approval' | 'refused' | 'failed';

/** A call that was read and not made: it has no outcome, and no reply. */
export interface OpenCall extends Span {
  /** Number of its message in `messages`. */
  readonly at: number;
  /** Number of the message before which its reply is to stand. */
  readonly replyAt: number;
  /** The id of its message in the events of its run. */
  readonly messageId: string;
  readonly call: RoutedCall;
}

/** A call that is to be approved. */
export interface ApprovalRequest extends InspectedCall {
  readonly callId: string | null;
  readonly call: MessageData;
  /** Aborts when the run is cancelled; then the call stays open, whatever the answer is. */
  readonly signal: Signal;
}

/**
 * `true`: the call is made. `false`, or a reason: it is denied, and the model is told so. Null: nobody knows yet; the
 * run ends with `approval`, and a run that resumes it asks again.
 */
export type Approval = boolean | { readonly reason: string } | null | undefined;

/** Says whether a call may be made. */
export type Approve = (request: ApprovalRequest) => Approval | Promise<Approval>;

/** What a run needs to know of the one that it resumes. */
export type StoredTurn =
  Pick<TurnResult, 'messages' | 'outcomes' | 'openCalls' | 'stop' | 'rounds' | 'usage' | 'diagnostics'>;

/** Plain data, as JSON too (`error` is its name and message there). A run that resumes another one adds to it. */
export interface TurnResult {
  /**
   * The messages given, and after them those of the model and the replies to its calls. An output that failed is left
   * out: a run that resumes this one asks for it again.
   */
  readonly messages: readonly MessageData[];
  /** One for each call that was made, refused or denied, in order. */
  readonly outcomes: readonly Outcome[];
  /** Calls of the last output that were not made. */
  readonly openCalls: readonly OpenCall[];
  readonly stop: TurnStop;
  /** Why the transcript cannot be written, when `stop` is `refused`. */
  readonly refusal: Refusal | null;
  /**
   * Its `cause` is what was thrown: when `stop` is `failed`, by the model or `approve`; else by the `usage` of an
   * output. Null: nothing was.
   */
  readonly error: TurnError | null;
  /** Outputs that were asked for. */
  readonly rounds: number;
  /** The sum of what the model told; null: it told nothing. */
  readonly usage: Usage | null;
  /** Errors and warnings of the outputs, up to 1,000; positions are bytes of each output. */
  readonly diagnostics: readonly StreamDiagnostic[];
}
