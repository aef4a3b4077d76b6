// The tool router (2.2 §8): calls by recipient to handlers, some at a time, each until its deadline. Whatever a
// handler does, a call has exactly one outcome, and an outcome is a tool message that the model can be given.
//
// A call is refused, or it waits in the queue and then runs. Its deadline counts from the dispatch on, so that no call
// takes longer than it was given, wherever the time went. The moment of its outcome ends everything about it: its
// timer, its listener, its place. A handler that goes on after that (it was told by its signal to stop) holds no
// place, and what it gives is dropped and counted.

import type { Signal } from '../../platform.ts';
import type { Code } from '../../errors.ts';
import { DIAGNOSES, type RuleName } from '../../rule-table.ts';
import type { ToolDefinition } from '../../model/data.ts';
import { isBuiltin } from '../../tools/name.ts';
import { reasonOf } from '../reason.ts';
import { type Clock, LONGEST_TIMER, systemClock } from './clock.ts';
import { AbortWatch } from './abort.ts';
import { asksOf, CallDesk, type CallFault, faultOfMessage, isFault, type Plan } from './check.ts';
import { TakenIds } from './ids.ts';
import { Lanes } from './lanes.ts';
import { InvalidArguments, toolsOf } from './tool.ts';
import {
  type Envelope,
  errorEnvelope,
  replyMessage,
  resultEnvelope,
  SMALLEST_REPLY,
  thrownError,
} from './reply.ts';
import type { InspectedCall, Outcome, OutcomeStatus, RoutedCall, RouterEvent, RouterOptions } from './types.ts';
import { checkFunction, checkOptions, checkSignal, FLAG, type Known } from '../../options.ts';

/** A call that waits or runs. */
interface Pending {
  readonly id: string;
  readonly plan: Plan;
  readonly from: number;
  readonly deadline: number;
  readonly signal: Signal | undefined;
  readonly resolve: (outcome: Outcome) => void;
  timer: unknown;
  /** Made when the handler is asked. */
  controller: AbortController | null;
  isDone: boolean;
}

/** How a call ended. */
interface Ending {
  readonly status: OutcomeStatus;
  readonly code: Code | null;
  readonly rule?: RuleName;
  readonly warning?: RuleName;
  readonly reason?: string;
  readonly envelope: Envelope;
}

const ROUTER_OPTIONS: Known<RouterOptions> = {
  handlers: 1, tools: 1, builtinTools: 1, concurrency: 1, concurrencyOf: 1, deadlineMs: 1, maxDeadlineMs: 1,
  maxCalls: 1, maxArgumentsLength: 1, maxReplyBytes: 1, requireIds: FLAG, exposeErrors: FLAG, clock: 1, onEvent: 1,
};

/**
 * Makes the calls of a model (2.2 §8). One router serves one transcript: call ids are unique in it.
 *
 * @example
 * ```ts
 * import { ToolRouter } from 'openchatml/stream';
 *
 * const router = new ToolRouter({
 *   handlers: { 'functions.weather': ({ city }: { city: string }) => `${city}: rain` },
 * });
 * const { status } = await router.dispatch({
 *   role: 'assistant', recipient: 'functions.weather', channel: 'commentary', callId: 'w1', content: '{"city":"Oslo"}',
 * });
 * console.log(status); // ok
 * ```
 */
export class ToolRouter {
  /** The definitions that a model is to be told: those that were given, without builtin tools, which it knows. */
  readonly tools: readonly ToolDefinition[];
  readonly #desk: CallDesk;
  readonly #clock: Clock;
  readonly #onEvent: RouterOptions['onEvent'];
  readonly #limits: Limits;
  readonly #requireIds: boolean | undefined;
  readonly #exposeErrors: boolean;
  readonly #ids = new TakenIds();
  readonly #pending = new Map<string, Pending>();
  readonly #lanes: Lanes<Pending>;
  readonly #watch = new AbortWatch<Pending>((pending, signal) => this.#cancel(pending, reasonOf(signal)));
  #calls = 0;
  #late = 0;
  #abandoned = 0;
  #isClosed = false;

  constructor(options: RouterOptions = {}) {
    checkOptions(options, ROUTER_OPTIONS);
    checkFunction('onEvent', options.onEvent);
    for (const name of ['now', 'setTimeout', 'clearTimeout'] as const) {
      checkFunction(`clock.${name}`, options.clock === undefined ? undefined : options.clock[name] ?? null);
    }
    const {
      builtinTools = [], requireIds, exposeErrors = false, clock = systemClock, onEvent,
    } = options;
    this.#limits = limitsOf(options);
    const { definitions, handlers, bounds } = toolsOf(options);
    this.#lanes = new Lanes(this.#limits.concurrency, bounds);
    this.#desk = new CallDesk(handlers, definitions, builtinTools, this.#limits.maxArgumentsLength);
    this.tools = definitions.filter(({ namespace, name }) => !isBuiltin(`${namespace}.${name}`, builtinTools));
    this.#requireIds = requireIds;
    this.#exposeErrors = exposeErrors;
    this.#clock = clock;
    this.#onEvent = onEvent;
  }

  /** Handlers that gave something after the outcome of their call. */
  get late(): number {
    return this.#late;
  }

  /** Handlers that have been given up and still go on. */
  get abandoned(): number {
    return this.#abandoned;
  }

  /** An id that no call has; `wanted`, if that is one. */
  makeId(wanted?: string | null): string {
    return wanted && !this.#ids.isTaken({ callId: wanted }) ? wanted : this.#ids.make();
  }

  /**
   * @internal Calls of the transcript that come later, in any order: an id belongs to the first of them that has it,
   * and no other call is given it.
   */
  expectCalls(calls: readonly RoutedCall[]): void {
    this.#ids.expect(calls);
  }

  /** @internal These calls have come, or do not come: other calls may have their ids, unless they were made. */
  expectNoMore(calls: readonly RoutedCall[]): void {
    this.#ids.expectNoMore(calls);
  }

  /** Ids of calls that the transcript had before: none of them may come again. */
  reserveIds(ids: Iterable<string>): void {
    this.#ids.reserve(ids);
  }

  /** What a handler would be given now; null: the call would be refused or turned away. Nothing is called. */
  inspect(call: RoutedCall): InspectedCall | null {
    checkShape(call);
    if (faultOfMessage(call) ?? this.#idFault(call)) return null;
    if (this.#isClosed || this.#calls >= this.#limits.maxCalls) return null;
    const checked = this.#desk.check(call);
    return isFault(checked) ? null : { recipient: checked.name, argumentsValue: checked.argumentsValue };
  }

  /** The outcome of a call that is not approved: no handler is asked, and the model is told. */
  deny(call: RoutedCall, reason = ''): Outcome {
    checkShape(call);
    const id = faultOfMessage(call) ?? this.#takeId(call);
    if (typeof id !== 'string') return this.#refuse(call, idOf(call), id);
    const message = `the call was not approved${reason === '' ? '' : `: ${reason}`}`;
    const envelope = errorEnvelope({ code: 'call-denied', message }, this.#limits.maxReplyBytes);
    return this.#outcome(id, this.#desk.nameOf(call), 0, { status: 'denied', code: null, envelope, reason });
  }

  /**
   * The outcome of one call; rejects only when `call` is no message at all, or `signal` no signal. Aborting `signal`
   * cancels the call.
   */
  async dispatch(call: RoutedCall, signal?: Signal): Promise<Outcome> {
    checkShape(call);
    checkSignal('signal', signal);
    const fault = faultOfMessage(call) ?? this.#takeId(call);
    if (typeof fault !== 'string') return this.#refuse(call, idOf(call), fault);
    const checked = this.#desk.check(call);
    if (isFault(checked)) return this.#refuse(call, fault, checked);
    if (this.#isClosed) return this.#turnAway(fault, checked, 'the router is closed');
    if (++this.#calls > this.#limits.maxCalls) return this.#turnAway(fault, checked, 'there were too many calls');
    if (signal?.aborted) return this.#turnAway(fault, checked, 'the turn was cancelled', reasonOf(signal));
    return this.#enqueue(fault, checked, signal);
  }

  /** All calls of a turn, at once as far as `concurrency` allows. The outcomes stand in the order of the calls. */
  async dispatchAll(calls: Iterable<RoutedCall>, signal?: Signal): Promise<Outcome[]> {
    return Promise.all(Array.from(calls, (call) => this.dispatch(call, signal)));
  }

  /** Cancels the call of this id; false: none waits or runs. */
  cancel(callId: string, reason: string): boolean {
    const pending = this.#pending.get(callId);
    if (!pending) return false;
    this.#cancel(pending, reason);
    return true;
  }

  /** Cancels every call that waits or runs; answers how many there were. */
  cancelAll(reason: string): number {
    const all = [...this.#pending.values()];
    // Those that wait go first: none of them is to start in between.
    for (const pending of all.reverse()) this.#cancel(pending, reason);
    return all.length;
  }

  /** Cancels everything. Calls that come later are cancelled as well. */
  close(): void {
    this.#isClosed = true;
    this.cancelAll('the router is closed');
  }

  /** The call's id, or what is wrong with it. */
  #takeId(call: RoutedCall): string | CallFault {
    const fault = this.#idFault(call);
    if (fault) return fault;
    const id = call.callId || this.makeId();
    this.#ids.reserve([id]);
    return id;
  }

  #idFault(call: RoutedCall): CallFault | null {
    if (call.callId && idOf(call) === null) return { rule: 'missing-call-id', detail: 'its id is no text' };
    if (call.callId) return this.#ids.isTaken(call) ? { rule: 'duplicate-call-id' } : null;
    return (this.#requireIds ?? asksOf(call).needsIds) ? { rule: 'missing-call-id' } : null;
  }

  #refuse(call: RoutedCall, id: string | null, fault: CallFault): Outcome {
    const recipient = typeof call.recipient === 'string' ? this.#desk.nameOf(call) : null;
    return this.#outcome(id, recipient, 0, this.#refusal(fault));
  }

  #refusal({ rule, detail }: CallFault): Ending {
    const [code, , text] = DIAGNOSES[rule];
    const told = `${rule}: ${text}`;
    const error = { code: code ?? rule, message: detail === undefined ? told : `${told}: ${detail}` };
    return { status: 'refused', code, rule, envelope: errorEnvelope(error, this.#limits.maxReplyBytes) };
  }

  #turnAway(id: string, { name }: Plan, why: string, reason = why): Outcome {
    const failure = this.#failure('cancelled', 'E-TOOL-CANCELLED', `the call was cancelled: ${why}`);
    return this.#outcome(id, name, 0, { ...failure, reason });
  }

  #enqueue(id: string, plan: Plan, signal: Signal | undefined): Promise<Outcome> {
    const { maxDeadlineMs, deadlineMs } = this.#limits;
    const milliseconds = Math.max(1, Math.min(Math.ceil(plan.deadlineMs ?? deadlineMs), maxDeadlineMs));
    return new Promise((resolve) => {
      const from = this.#clock.now();
      const pending: Pending = {
        id,
        plan,
        from,
        deadline: from + milliseconds,
        signal,
        resolve,
        timer: undefined,
        controller: null,
        isDone: false,
      };
      pending.timer = this.#clock.setTimeout(() => this.#expire(pending), milliseconds);
      if (signal) this.#watch.add(signal, pending);
      this.#pending.set(id, pending);
      this.#lanes.add(pending, plan.entry);
      this.#fill();
    });
  }

  /** Starts calls while there is room. */
  #fill(): void {
    // Where its timer is due there is no time left to work in, and there never is again: its timer ends the call.
    const isReady = ({ deadline }: Pending): boolean => this.#clock.now() < deadline;
    for (let next = this.#lanes.take(isReady); next !== null; next = this.#lanes.take(isReady)) this.#start(next);
  }

  #start(pending: Pending): void {
    const { id, plan, deadline } = pending;
    const { handler, name: recipient, argumentsValue } = plan;
    const { signal } = (pending.controller = new AbortController());
    this.#emit({ type: 'tool.start', call_id: id, recipient });
    if (pending.isDone) {
      // Cancelled by who was told that it starts: no handler goes on.
      this.#abandoned--;
      return;
    }
    // Also takes what the handler throws at once, and objects that settle as they like.
    const work = new Promise((resolve) =>
      resolve(handler(argumentsValue, { callId: id, recipient, signal, deadline })),
    );
    const bytes = this.#limits.maxReplyBytes;
    work.then(
      (result) => this.#finish(pending, () => resultEnvelope(result, bytes)),
      (thrown: unknown) => {
        if (thrown instanceof InvalidArguments && !pending.isDone) this.#refuseArguments(pending, thrown);
        else this.#finish(pending, () => errorEnvelope(thrownError(thrown, this.#exposeErrors), bytes));
      },
    );
  }

  /** The handler has settled. */
  #finish(pending: Pending, write: () => Envelope): void {
    if (pending.isDone) {
      this.#abandoned--;
      this.#late++;
      this.#emit({ type: 'tool.late', call_id: pending.id });
      return;
    }
    // A handler that held up the timers has settled before its deadline was told.
    if (this.#clock.now() >= pending.deadline) {
      this.#end(pending);
      this.#tell(pending, this.#timeout());
      return;
    }
    this.#end(pending);
    // Writing a result may run code of the handler's; the call is over by then.
    const envelope = write();
    this.#tell(pending, { status: envelope.error ? 'error' : 'ok', code: null, envelope });
  }

  /** The schema of the tool refuses what its JSON Schema allows. */
  #refuseArguments(pending: Pending, thrown: InvalidArguments): void {
    this.#end(pending);
    this.#tell(pending, this.#refusal({ rule: 'invalid-arguments', detail: thrown.detail(this.#exposeErrors) }));
  }

  #expire(pending: Pending): void {
    if (pending.isDone) return;
    this.#end(pending);
    if (pending.controller) this.#abandoned++;
    pending.controller?.abort(new DOMException('the call has timed out', 'TimeoutError'));
    this.#tell(pending, this.#timeout());
  }

  #timeout(): Ending {
    return this.#failure('timeout', 'E-TOOL-TIMEOUT', 'the tool exceeded its deadline');
  }

  #cancel(pending: Pending, reason: string): void {
    if (pending.isDone) return;
    this.#end(pending);
    if (pending.controller) this.#abandoned++;
    this.#emit({ type: 'tool.cancel', call_id: pending.id, reason });
    pending.controller?.abort(new DOMException('the call was cancelled', 'AbortError'));
    this.#tell(pending, { ...this.#failure('cancelled', 'E-TOOL-CANCELLED', 'the call was cancelled'), reason });
  }

  /** The call is over: nothing of it is left, and nothing can end it again. */
  #end(pending: Pending): void {
    pending.isDone = true;
    this.#clock.clearTimeout(pending.timer);
    if (pending.signal) this.#watch.remove(pending.signal, pending);
    this.#pending.delete(pending.id);
    if (pending.controller) this.#lanes.free(pending.plan.entry);
    else this.#lanes.remove(pending, pending.plan.entry);
  }

  #tell({ id, plan, from, resolve }: Pending, ending: Ending): void {
    const { name, warning } = plan;
    const told = warning === undefined ? ending : { ...ending, warning };
    resolve(this.#outcome(id, name, this.#clock.now() - from, told));
    this.#fill();
  }

  #failure(status: OutcomeStatus, code: Code, message: string): Ending {
    return { status, code, envelope: errorEnvelope({ code, message }, this.#limits.maxReplyBytes) };
  }

  #outcome(callId: string | null, recipient: string | null, durationMs: number, ending: Ending): Outcome {
    const { status, code, envelope, rule, warning, reason } = ending;
    const why = {
      ...(rule !== undefined && { rule }), ...(warning !== undefined && { warning }),
      ...(reason !== undefined && { reason }),
    };
    this.#emit({ type: 'tool.done', call_id: callId, status, code });
    const reply = replyMessage(callId, recipient, envelope.content);
    return { callId, recipient, status, code, ...why, durationMs, reply };
  }

  /** Who listens cannot harm a call. */
  #emit(event: RouterEvent): void {
    try {
      const given: unknown = this.#onEvent?.(event);
      if (given instanceof Promise) given.catch(() => undefined);
    } catch {
      // Dropped, as the option says.
    }
  }
}

function checkShape(call: RoutedCall): void {
  if (typeof call !== 'object' || call === null || typeof call.content !== 'string') {
    throw new TypeError('call: expected a message with a content');
  }
}

/** The id that a call has, whatever a program took from elsewhere. */
function idOf({ callId }: { readonly callId?: unknown }): string | null {
  return typeof callId === 'string' && callId !== '' ? callId : null;
}

type Limits = { readonly [K in keyof typeof DEFAULTS]: number };

const DEFAULTS = {
  concurrency: 8,
  deadlineMs: 30_000,
  maxDeadlineMs: 600_000,
  maxCalls: 10_000,
  maxArgumentsLength: 1 << 20,
  maxReplyBytes: 1 << 20,
} as const;

/** Throws a RangeError that names the option. */
function limitsOf(options: RouterOptions): Limits {
  const limits = Object.fromEntries(
    Object.entries(DEFAULTS).map(([name, value]) => {
      const given: unknown = options[name as keyof typeof DEFAULTS] ?? value;
      const least = name === 'maxReplyBytes' ? SMALLEST_REPLY : 1;
      if (Number.isInteger(given) && (given as number) >= least && (given as number) <= LONGEST_TIMER)
        return [name, given];
      throw new RangeError(
        `option ${name}: expected an integer from ${least} to ${LONGEST_TIMER}; got ${String(given)}`,
      );
    }),
  );
  return limits as Limits;
}
