// What the tool router takes and gives: calls, handlers, outcomes, events.

import type { Signal } from '../../platform.ts';
import type { Code, RuleName } from '../../errors.ts';
import type { MessageData, ToolDefinition, TranscriptData } from '../../model/data.ts';
import type { DialectId } from '../../scan/dialects.ts';
import type { Clock } from './clock.ts';

/** A message that calls a tool, and what its header was besides the data. */
export interface RoutedCall extends MessageData {
  /** `Message.isAmbiguous` and `Message.isUndispatchable`: such a call never reaches a handler (R-ATTR-DUP). */
  readonly isAmbiguous?: boolean | undefined;
  readonly isUndispatchable?: boolean | undefined;
  /**
   * Its header is not ended by `<|message|>`: nobody knows for certain where the arguments begin, and such a call never
   * reaches a handler either (R-MISSING-MESSAGE).
   */
  readonly lacksMessage?: boolean | undefined;
  /**
   * What it was read as. In `harmony`, where models do otherwise, the wrong channel is a warning, in 0.1 there are no
   * channels (R-CALL). Default `openchatml-2.2`.
   */
  readonly dialect?: DialectId | undefined;
  /**
   * What the document header of its transcript says: in 1.x calls need neither ids nor channels; a header may list
   * builtin tools, and say on which channels calls stand (R-BUILTIN).
   */
  readonly header?: TranscriptData['header'] | undefined;
}

/** All that a handler is told beside the arguments. Nothing of the transcript is among it (2.2 §8.3). */
export interface HandlerContext {
  readonly callId: string;
  /** As it was called: a handler of `browser.*` learns which one is meant. */
  readonly recipient: string;
  /** Aborts when the call has timed out or was cancelled. What the handler gives afterwards is dropped. */
  readonly signal: Signal;
  /** When the call times out, by the router's clock (`performance.now()`). */
  readonly deadline: number;
}

/**
 * Does the work of a tool. Gets the value of the call's JSON body without `deadline_ms`; `python` gets its body as
 * text unless the call says that it is JSON. Gives a value that JSON can carry, or a ToolResult; throws a ToolError to
 * tell the model what is wrong.
 */
export type ToolHandler = {
  // A method's parameter may be narrower: `({ city }: { city: string }) => ...` is a handler.
  handle(argumentsValue: unknown, context: HandlerContext): unknown;
}['handle'];

/** A definition with its handler, as `defineTool` gives it: `new ToolRouter({ tools: [tool] })` needs no other. */
export interface Tool extends ToolDefinition {
  readonly execute: ToolHandler;
  /** Calls of it that run at a time. */
  readonly concurrency?: number | undefined;
}

/** How a call ended. */
export type OutcomeStatus = 'ok' | 'error' | 'timeout' | 'cancelled' | 'refused' | 'denied';

/** What became of one call. Each call has exactly one. */
export interface Outcome {
  /** The call's id; one that the router made where the call had none; null: it was refused for having none. */
  readonly callId: string | null;
  readonly recipient: string | null;
  /**
   * `ok`: the handler gave a result. `error`: it threw, or gave what cannot be written. `timeout`, `cancelled`:
   * nothing came in time. `refused`: the call is wrong, `denied`: it was not approved, and no handler was asked.
   */
  readonly status: OutcomeStatus;
  /** The code of 2.2 §14; null where none of them covers it. */
  readonly code: Code | null;
  /** Which rule a refused call breaks. */
  readonly rule?: RuleName | undefined;
  /** Which rule a call breaks that is not refused for it. */
  readonly warning?: RuleName | undefined;
  /** Why a cancelled call was cancelled: what `cancel` was given, or the reason of the caller's signal. */
  readonly reason?: string | undefined;
  /** Milliseconds from the dispatch on, the time in the queue included. */
  readonly durationMs: number;
  /**
   * The tool message that answers the call (2.2 §8.1): its content is the envelope of 2.2 §8.2. To be written by the
   * writer.
   */
  readonly reply: MessageData;
}

/** A call that may run, as who approves it sees it. */
export interface InspectedCall {
  /** The tool's own name. */
  readonly recipient: string;
  /** What the handler is given. */
  readonly argumentsValue: unknown;
}

/** What happens to calls. `tool.cancel` is the event of 2.2 §8.2. Nothing holds arguments or results. */
export type RouterEvent =
  | { readonly type: 'tool.start'; readonly call_id: string; readonly recipient: string }
  | { readonly type: 'tool.cancel'; readonly call_id: string; readonly reason: string }
  | {
      readonly type: 'tool.done';
      readonly call_id: string | null;
      readonly status: OutcomeStatus;
      readonly code: Code | null;
    }
  | { readonly type: 'tool.late'; readonly call_id: string };

/** The tools of a router, and its bounds. */
export interface RouterOptions {
  /**
   * By recipient: `functions.get_weather`, `python`, or `browser.*` for every recipient below `browser.`. The whole
   * recipient wins over a pattern, a longer pattern over a shorter one. Tools of `defineTool` bring their own.
   */
  readonly handlers?: { readonly [recipient: string]: ToolHandler } | undefined;
  /**
   * What may be called, with which arguments. When some are given, a function without a definition is unknown,
   * whatever handlers there are. Without any, arguments are looked at for being JSON only.
   */
  readonly tools?: readonly (ToolDefinition | Tool)[] | undefined;
  /**
   * Builtin tools beside `browser`, `python` and `container`, as `generation_settings.builtin_tools` of a header lists
   * them: they need no definition, and may be called on analysis (R-BUILTIN).
   */
  readonly builtinTools?: readonly string[] | undefined;
  /** Calls that run at a time; the others wait in order. Default 8. */
  readonly concurrency?: number | undefined;
  /** The same for single tools, by a recipient or pattern that stands among the handlers: `{ 'functions.pay': 1 }`. */
  readonly concurrencyOf?: { readonly [recipient: string]: number } | undefined;
  /** Milliseconds for calls without `deadline_ms`, from the dispatch on, in the queue, too. Default 30,000. */
  readonly deadlineMs?: number | undefined;
  /** Milliseconds that no call may exceed, whatever its `deadline_ms` says. Default 600,000. */
  readonly maxDeadlineMs?: number | undefined;
  /** Calls in the life of the router; those beyond are cancelled. Default 10,000. */
  readonly maxCalls?: number | undefined;
  /** UTF-16 units of a call's body. Default 1 MiB. */
  readonly maxArgumentsLength?: number | undefined;
  /** UTF-8 bytes of a reply's content. What is longer becomes an error, and is never cut. Default 1 MiB. */
  readonly maxReplyBytes?: number | undefined;
  /**
   * A call must have an id; false: `call_1` and so on are made where there is none. By default one of 2.2 must, and one
   * of another dialect or of 1.x not.
   */
  readonly requireIds?: boolean | undefined;
  /**
   * Tell the model the messages of exceptions. They may hold what it should not see; by default it learns the
   * exception's name. What a ToolError says is always told.
   */
  readonly exposeErrors?: boolean | undefined;
  readonly clock?: Clock | undefined;
  /** What it throws is dropped. */
  readonly onEvent?: ((event: RouterEvent) => void) | undefined;
}

/**
 * A result with its provenance (2.2 §11): source, checksum, timestamp.
 *
 * @example
 * ```ts
 * import { ToolResult } from 'openchatml/stream';
 *
 * const result = new ToolResult({ metres: 3967 }, { source: 'https://example.org/eiger' });
 * console.log(JSON.stringify(result.content)); // {"metres":3967}
 * ```
 */
export class ToolResult {
  readonly content: unknown;
  readonly provenance: object | null;

  constructor(content: unknown, provenance: object | null = null) {
    this.content = content;
    this.provenance = provenance;
  }
}

/**
 * An error that is meant for the model: both texts stand in the reply.
 *
 * @example
 * ```ts
 * import { ToolError } from 'openchatml/stream';
 *
 * console.log(new ToolError('E-NO-CITY', 'there is no city of this name').code); // E-NO-CITY
 * ```
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
