// A simulation of the tool router on a virtual clock: hundreds of calls a seed with delays, failures, time-outs,
// cancellations, duplicate and foreign ids, and handlers that break every promise. Each call has exactly one outcome,
// the right one as far as it is known beforehand, and nothing is left open: no timer, no listener, no place.
// OPENCHATML_SEED is the first seed.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ToolRouter } from '../../../src/runtime/router/router.ts';
import type {
  HandlerContext, Outcome, RoutedCall, RouterEvent, ToolHandler,
} from '../../../src/runtime/router/types.ts';
import { runs } from '../../long.ts';
import { type Random, randomOf, SEED } from '../../random.ts';
import { countedController, settled, VirtualClock } from './clock.ts';

const SEEDS = runs(1000, 12);

/** What a handler does: [how, after how long, heeding its signal or not]. */
interface Behaviour {
  readonly how:
    | 'value'
    | 'later'
    | 'throws'
    | 'rejects'
    | 'never'
    | 'thenable'
    | 'silent-thenable'
    | 'unusable'
    | 'undefined'
    | 'cancels-itself'
    | 'dispatches';
  readonly after: number;
  readonly heeds: boolean;
}
const HOW = [
  'value',
  'later',
  'later',
  'later',
  'later',
  'throws',
  'rejects',
  'never',
  'thenable',
  'silent-thenable',
  'unusable',
  'undefined',
  'cancels-itself',
  'dispatches',
] as const;
/** How a call ends when nothing comes between. */
const STATUS: Readonly<Record<Behaviour['how'], Outcome['status']>> = {
  value: 'ok',
  later: 'ok',
  throws: 'error',
  rejects: 'error',
  never: 'timeout',
  thenable: 'ok',
  'silent-thenable': 'timeout',
  unusable: 'error',
  undefined: 'ok',
  'cancels-itself': 'cancelled',
  dispatches: 'ok',
};

interface Dispatched {
  readonly call: RoutedCall;
  readonly behaviour: Behaviour;
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
  /** Why it must be refused; null: it must not be. */
  readonly refusal: string | null;
  /** Somebody asked to cancel it while it had no outcome. */
  isCancelled: boolean;
  starts: number;
  outcomes: Outcome[];
}

class Simulation {
  readonly #random: Random;
  readonly #clock = new VirtualClock();
  readonly #timers = new Set<unknown>();
  readonly #router: ToolRouter;
  readonly #concurrency: number;
  readonly #deadlineMs: number;
  readonly #events: RouterEvent[] = [];
  readonly all: Dispatched[] = [];
  readonly #byId = new Map<string, Dispatched>();
  /** Ids of calls that were not refused and are over. */
  readonly #over = new Set<string>();
  #signals = Array.from({ length: 3 }, countedController);
  #running = 0;
  most = 0;
  #neverSettled = 0;
  #isClosed = false;

  constructor(random: Random) {
    this.#random = random;
    this.#concurrency = 1 + random.below(random.once(2) ? 8 : 64);
    this.#deadlineMs = 20 + random.below(200);
    const clock = this.#clock;
    const handler: ToolHandler = (value, context) => this.#handle(value, context);
    this.#router = new ToolRouter({
      concurrency: this.#concurrency,
      deadlineMs: this.#deadlineMs,
      maxDeadlineMs: 400,
      maxReplyBytes: 4096,
      tools: [
        {
          namespace: 'functions',
          name: 'work',
          parameters: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
        },
      ],
      handlers: { 'functions.work': handler, 'browser.*': handler },
      onEvent: (event) => this.#onEvent(event),
      clock: {
        now: () => clock.now(),
        setTimeout: (callback, milliseconds) => {
          const timer = clock.setTimeout(() => {
            this.#timers.delete(timer);
            callback();
          }, milliseconds);
          this.#timers.add(timer);
          return timer;
        },
        clearTimeout: (timer) => {
          this.#timers.delete(timer);
          clock.clearTimeout(timer);
        },
      },
    });
  }

  async run(calls: number): Promise<void> {
    const random = this.#random;
    while (this.all.length < calls) {
      const turn = 1 + random.below(random.once(4) ? 80 : 12);
      for (let left = turn; left > 0; left--) this.#dispatch();
      this.#disturb();
      if (!random.once(3)) await this.#clock.run(this.#clock.now() + random.below(120));
      if (random.once(2000)) {
        this.#isClosed = true;
        for (const one of this.all) if (one.outcomes.length === 0) one.isCancelled = true;
        this.#router.close();
      }
    }
    // Past every deadline each call has its outcome, while handlers that heed nothing still go on.
    for (let turns = 0; turns < 50 && this.all.some(({ outcomes }) => outcomes.length === 0); turns++) {
      // Calls that were dispatched by a handler of the last ones need their own time.
      await this.#clock.run(this.#clock.now() + 400);
    }
    this.#check();
    await this.#clock.run();
    this.#checkEnd();
  }

  #dispatch(): void {
    const random = this.#random;
    const number = this.all.length;
    const behaviour = { how: random.pick(HOW), after: random.below(random.once(3) ? 500 : 40), heeds: random.once(2) };
    const asked = random.once(3) ? 1 + random.below(600) : null;
    const content = JSON.stringify({ number, ...(asked !== null && { deadline_ms: asked }) });
    let call: RoutedCall = {
      role: 'assistant',
      recipient: random.once(2) ? 'functions.work' : 'browser.work',
      channel: 'commentary',
      callId: `c${number}`,
      end: 'call',
      content,
    };
    let refusal: string | null = null;
    if (random.once(8)) [call, refusal] = this.#spoil(call);
    if (
      refusal === null ||
      refusal === 'invalid-arguments' ||
      refusal === 'bad-deadline' ||
      refusal === 'call-channel' ||
      refusal === 'unknown-tool'
    ) {
      if (this.#byId.has(call.callId!)) refusal = 'duplicate-call-id';
    }
    const signal = random.once(2) ? random.pick(this.#signals).controller.signal : undefined;
    const dispatched: Dispatched = {
      call,
      behaviour,
      refusal,
      signal,
      deadline: Math.min(400, asked ?? this.#deadlineMs),
      isCancelled: this.#isClosed || signal?.aborted === true,
      starts: 0,
      outcomes: [],
    };
    this.all.push(dispatched);
    const isTaken = !['duplicate-attribute', 'truncated', 'missing-call-id', 'duplicate-call-id'].includes(
      refusal ?? '',
    );
    if (isTaken) this.#byId.set(call.callId!, dispatched);
    void this.#router.dispatch(call, signal).then((outcome) => dispatched.outcomes.push(outcome));
  }

  /** A call with something wrong, and the rule that it breaks. */
  #spoil(call: RoutedCall): [RoutedCall, string | null] {
    switch (this.#random.below(9)) {
      case 0:
        return [{ ...call, isUndispatchable: true }, 'duplicate-attribute'];
      case 1:
        return [{ ...call, isAmbiguous: true }, 'duplicate-attribute'];
      case 2:
        return [{ ...call, end: 'eof' }, 'truncated'];
      case 3:
        return [{ ...call, callId: null }, 'missing-call-id'];
      case 4:
        return [{ ...call, content: '{"number":' }, 'invalid-arguments'];
      case 5:
        return [{ ...call, content: '{"number":0,"deadline_ms":-1}' }, 'bad-deadline'];
      case 6:
        return [{ ...call, channel: 'final' }, 'call-channel'];
      case 7:
        return [{ ...call, recipient: 'functions.toString' }, 'unknown-tool'];
      default:
        return [{ ...call, callId: `c${this.#random.below(this.all.length + 1)}` }, null];
    }
  }

  /** Cancellations, also of what is not there. */
  #disturb(): void {
    const random = this.#random;
    for (let left = random.below(3); left > 0; left--) {
      const id = `c${random.below(this.all.length * 2)}`;
      const one = this.#byId.get(id);
      const isOpen = one !== undefined && one.refusal === null && !this.#over.has(id);
      if (one && isOpen) one.isCancelled = true;
      const isCancelled = this.#router.cancel(id, 'random');
      if (isCancelled !== isOpen) throw new Error(`cancel of ${id} gave ${isCancelled}`);
    }
    if (random.once(25)) {
      for (const one of this.all) if (one.outcomes.length === 0) one.isCancelled = true;
      this.#router.cancelAll('all');
    }
    if (random.once(15)) {
      const at = random.below(this.#signals.length);
      const { controller, listeners } = this.#signals[at]!;
      const watching = this.all.filter((one) => one.signal === controller.signal && one.refusal === null);
      for (const one of watching) if (one.outcomes.length === 0) one.isCancelled = true;
      controller.abort();
      for (const { call } of watching)
        if (!this.#over.has(call.callId!)) throw new Error(`call ${call.callId} goes on`);
      if (listeners() > 0) throw new Error('a listener is left');
      this.#signals[at] = countedController();
    }
  }

  #onEvent(event: RouterEvent): void {
    this.#events.push(event);
    if (event.type === 'tool.start') this.most = Math.max(this.most, ++this.#running);
    if (event.type === 'tool.done' && event.status !== 'refused') {
      this.#over.add(event.call_id!);
      if (this.#byId.get(event.call_id!)!.starts > 0) this.#running--;
    }
    if (this.#random.once(50)) throw new Error('of a listener');
  }

  #handle(value: unknown, { callId, signal, recipient }: HandlerContext): unknown {
    const one = this.#byId.get(callId)!;
    one.starts++;
    const { number, deadline_ms: deadline } = value as { number: number; deadline_ms?: number };
    if (number !== this.all.indexOf(one) || deadline !== undefined || recipient !== one.call.recipient)
      throw new Error('wrong arguments');
    const { how, after, heeds } = one.behaviour;
    switch (how) {
      case 'value':
        return number;
      case 'undefined':
        return undefined;
      case 'throws':
        throw new Error('private');
      case 'unusable':
        return { number: 1n };
      case 'never':
        this.#neverSettled++;
        return new Promise(() => undefined);
      case 'silent-thenable':
        this.#neverSettled++;
        return { then: () => undefined };
      case 'cancels-itself':
        one.isCancelled = true;
        this.#router.cancel(callId, 'itself');
        return number;
      case 'dispatches':
        this.#dispatch();
        return number;
      default:
        return this.#slow(how, after, heeds, signal, number);
    }
  }

  #slow(how: string, after: number, heeds: boolean, signal: AbortSignal, number: number): unknown {
    const work = (resolve: (value: unknown) => void, reject: (error: Error) => void): void => {
      const timer = this.#clock.setTimeout(() => {
        if (how === 'rejects') reject(new Error('private'));
        else resolve(number);
        // Again, and otherwise.
        reject(new Error('private'));
        resolve('again');
      }, after);
      if (heeds) {
        signal.addEventListener('abort', () => {
          this.#clock.clearTimeout(timer);
          reject(signal.reason as Error);
        });
      }
    };
    return how === 'thenable' ? { then: work } : new Promise(work);
  }

  #check(): void {
    for (const one of this.all) this.#checkOne(one);
    const done = this.#events.filter(({ type }) => type === 'tool.done').length;
    expect([done, this.#timers.size, this.#signals.map(({ listeners }) => listeners())]).toEqual([
      this.all.length,
      0,
      [0, 0, 0],
    ]);
    expect(this.most).toBeLessThanOrEqual(this.#concurrency);
    expect(this.#router.cancelAll('none')).toBe(0);
  }

  #checkOne(one: Dispatched): void {
    const [outcome] = one.outcomes;
    const told = `call ${one.call.callId}, ${JSON.stringify(one.behaviour)}`;
    if (!outcome || one.outcomes.length !== 1) throw new Error(`${told}: ${one.outcomes.length} outcomes`);
    const { status, rule, reply, durationMs, callId } = outcome;
    const isRefused = one.refusal !== null;
    const natural = STATUS[one.behaviour.how];
    const possible = isRefused
      ? ['refused']
      : one.isCancelled
        ? ['cancelled', 'timeout', natural]
        : ['timeout', natural];
    const { ok } = JSON.parse(reply.content) as { ok: boolean };
    const wrong = [
      !possible.includes(status) && 'status',
      (rule ?? null) !== one.refusal && 'rule',
      (callId !== (one.call.callId ?? null) || reply.callId !== (one.call.callId ?? undefined)) && 'id',
      one.starts > (isRefused ? 0 : 1) && 'starts',
      (status === 'ok' || status === 'error') && one.starts !== 1 && 'no start',
      (durationMs > one.deadline || (status === 'timeout' && durationMs !== one.deadline)) && 'duration',
      ok !== (status === 'ok') && 'reply',
      reply.content.includes('private') && 'text of an exception',
    ].filter(Boolean);
    if (wrong.length > 0) throw new Error(`${told}: ${wrong.join(', ')}: ${JSON.stringify(outcome)}`);
  }

  /** Each handler that was asked gave the outcome of its call, or came late, or never comes. */
  #checkEnd(): void {
    const { late, abandoned } = this.#router;
    const starts = this.all.reduce((sum, one) => sum + one.starts, 0);
    const given = this.all.filter(
      ({ outcomes }) => outcomes[0]!.status === 'ok' || outcomes[0]!.status === 'error',
    ).length;
    const lateEvents = this.#events.filter(({ type }) => type === 'tool.late').length;
    const expected = starts - given - this.#neverSettled;
    expect([late, lateEvents, abandoned, this.#clock.timers]).toEqual([expected, expected, this.#neverSettled, 0]);
  }
}

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeAll(() => void process.on('unhandledRejection', note));
afterAll(() => void process.off('unhandledRejection', note));

test(
  `${SEEDS} seeds from ${SEED} on: one outcome for each call, and nothing left`,
  { timeout: 3_600_000 },
  async () => {
    let calls = 0;
    let most = 0;
    const ends: Record<string, number> = {};
    for (let seed = SEED; seed < SEED + SEEDS; seed++) {
      const random = randomOf(seed);
      const simulation = new Simulation(random);
      try {
        await simulation.run(100 + random.below(400));
      } catch (error) {
        throw new Error(`OPENCHATML_SEED=${seed}`, { cause: error });
      }
      calls += simulation.all.length;
      most = Math.max(most, simulation.most);
      for (const { outcomes } of simulation.all) ends[outcomes[0]!.status] = (ends[outcomes[0]!.status] ?? 0) + 1;
    }
    await settled();
    console.log(`${SEEDS} seeds, ${calls} calls: ${JSON.stringify(ends)}`);
    expect(unhandled).toEqual([]);
    expect(Object.keys(ends).sort()).toEqual(['cancelled', 'error', 'ok', 'refused', 'timeout']);
    expect(most).toBeGreaterThan(1);
  },
);
