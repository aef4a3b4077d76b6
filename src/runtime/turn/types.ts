// What the turn loop takes and gives: the model, its prompts and outputs, events, the result.

import type { Loss, Refusal } from '../../formats/loss.ts';
import type { HarmonySystem } from '../../formats/harmony/system.ts';
import type { MessageData, ToolDefinition, TranscriptData } from '../../model/data.ts';
import type { DialectId } from '../../scan/dialects.ts';
import type { SamplingOptions } from '../../rules/sampling.ts';
import type { StreamDiagnostic, StreamEvent } from '../stream/event.ts';
import type { Outcome } from '../router/types.ts';
import type { ToolRouter } from '../router/router.ts';

/** What a model is asked to go on with. */
export interface Prompt {
  /** What the sampling rule leaves of the transcript. */
  readonly messages: readonly MessageData[];
  /** The same in the dialect, with the beginning of an assistant's message at the end: `<|start|>assistant`. */
  readonly text: string;
  /** Definitions that stand in no message; in the text they do. */
  readonly tools: readonly ToolDefinition[];
  /** From 1. */
  readonly round: number;
  /** Aborts when nothing more of the output is read, also when it is enough: stop sampling. */
  readonly signal: AbortSignal;
}

/** Text or bytes as they come, beginning where the prompt ends. */
export type OutputStream = AsyncIterable<string | Uint8Array> | ReadableStream<string | Uint8Array>;

/**
 * An output, and why the model stopped, asked for at its end: `stop` and `tool_calls` say that the stop token was
 * stripped.
 */
export interface Output {
  readonly stream: OutputStream;
  readonly finishReason?: (() => string | null | undefined) | undefined;
}

export type Model = (prompt: Prompt) => OutputStream | Output | Promise<OutputStream | Output>;

/**
 * What happens in a run: the events of the outputs' streams, prompts, and outcomes of calls. A run that is cancelled
 * has `tool.cancel` for each call that is, and then one `response.cancel`.
 */
export type TurnEvent =
  | StreamEvent
  | { readonly type: 'turn.prompt'; readonly round: number; readonly losses: readonly Loss[] }
  | { readonly type: 'turn.outcome'; readonly outcome: Outcome };

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
export interface TurnRun extends AsyncIterable<TurnEvent, TurnResult | undefined, undefined> {
  /** Comes when the run has ended, and never rejects. */
  readonly result: Promise<TurnResult>;
  /** Can be had once, and not after the run has gone on for `result`. Its last value is the result. */
  [Symbol.asyncIterator](): AsyncIterator<TurnEvent, TurnResult | undefined, undefined>;
}

export interface TurnOptions {
  readonly model: Model;
  /** The transcript so far, as neutral data. */
  readonly messages: readonly MessageData[];
  /** For the prompts: the document header. */
  readonly header?: TranscriptData['header'] | undefined;
  /** Definitions that stand in no message yet. Without it, those of the router that stand in none. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /** One router for one transcript. It is not closed. */
  readonly router: ToolRouter;
  /** Of prompts and outputs. Default `openchatml-2.2`. */
  readonly dialect?: DialectId | undefined;
  /** Which reasoning a prompt leaves out (R-SAMPLING). Default `ocm`. */
  readonly rule?: SamplingOptions['rule'] | undefined;
  /** Outputs that are asked for at most. Default 16. */
  readonly maxRounds?: number | undefined;
  /** Bytes, or UTF-16 units of text, of one output; what is longer is cut. Default 16 MiB. */
  readonly maxOutputLength?: number | undefined;
  /**
   * Where the dialect has no escape: control tokens in bodies of a prompt are broken up instead of refused. In what the
   * model said they always are.
   */
  readonly neutralise?: boolean | undefined;
  /** The model's outputs end without their stop token. An output's `finishReason` says more. */
  readonly stopStripped?: boolean | undefined;
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
  readonly signal?: AbortSignal | undefined;
}

/**
 * Why a run ended. `final`: with an answer. `length`: the output was cut. `rounds`: there were too many. `unanswered`:
 * the model stopped with neither answer nor call, or its answer may not be shown. `cancelled`: by the signal, or by who
 * left the events. `refused`: the transcript cannot be written in the dialect. `failed`: the model threw.
 */
export type TurnStop = 'final' | 'length' | 'rounds' | 'unanswered' | 'cancelled' | 'refused' | 'failed';

export interface TurnResult {
  /**
   * The messages given, and after them those of the model and the replies to its calls. An output that failed is left
   * out: a run with these messages asks for it again.
   */
  readonly messages: MessageData[];
  /** One for each call that was dispatched, in order. */
  readonly outcomes: Outcome[];
  readonly stop: TurnStop;
  /** Why the transcript cannot be written, when `stop` is `refused`. */
  readonly refusal: Refusal | null;
  /** What was thrown, when `stop` is `failed`; else null. */
  readonly error: unknown;
  readonly rounds: number;
  /** Errors and warnings of the outputs, up to 1,000; positions are bytes of each output. */
  readonly diagnostics: StreamDiagnostic[];
}
