// A simulation of turns on a virtual clock: models that fail, hang and are cut, approvals that are given, denied, late
// or never come, readers that leave, signals that abort, and runs that resume what others left, some from JSON and with
// another router. Each call has one outcome in the end, and none is made twice; what was said and done once stays; and
// nothing is left running. OPENCHATML_SEED is the first seed.
import { expect, test } from 'vitest';
import { ToolRouter } from '../../../src/runtime/router/router.ts';
import type { MessageData } from '../../../src/model/data.ts';
import type { HandlerContext, Outcome } from '../../../src/runtime/router/types.ts';
import { runTurn } from '../../../src/runtime/turn/turn.ts';
import type {
  Approval, ApprovalRequest, TurnPrompt, StoredTurn, TurnOptions, TurnResult, TurnRun,
} from '../../../src/runtime/turn/types.ts';
import { runs } from '../../long.ts';
import { type Random, randomOf, SEED } from '../../random.ts';
import { countedController, settled, VirtualClock } from '../router/clock.ts';
import { ASK, refuseUnhandled } from './script.ts';

refuseUnhandled();

const SEEDS = runs(5_000, 25);
const DIALECTS = ['openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1', 'harmony'] as const;
/** Runs after which everybody behaves. */
const WILD_RUNS = 12;

interface Deed {
  starts: number;
  approvals: number;
  denials: number;
}

class Simulation {
  readonly #random: Random;
  readonly #clock = new VirtualClock();
  readonly #dialect: (typeof DIALECTS)[number];
  #router: ToolRouter;
  /** By the number that the arguments of a call hold. */
  readonly #deeds = new Map<number, Deed>();
  /** Signals of models that were asked, and whether their outputs came to an end. */
  readonly #asked: { readonly signal: AbortSignal; isOver: boolean }[] = [];
  #numbers = 0;
  #outputsLeft: number;
  #runs = 0;
  readonly #withApproval: boolean;
  readonly stops: string[] = [];

  constructor(random: Random) {
    this.#random = random;
    this.#dialect = random.pick(DIALECTS);
    this.#withApproval = !random.once(3);
    this.#outputsLeft = 1 + random.below(3);
    this.#router = this.#makeRouter();
  }

  get #isWild(): boolean {
    return this.#runs <= WILD_RUNS;
  }

  #makeRouter(): ToolRouter {
    return new ToolRouter({
      clock: this.#clock, concurrency: 1 + this.#random.below(4), deadlineMs: 60,
      ...(this.#random.once(3) && { concurrencyOf: { 'functions.x': 1 } }),
      handlers: { 'functions.x': (value, context) => this.#handle(value, context) },
    });
  }

  async run(): Promise<{ outcomes: readonly Outcome[]; calls: number }> {
    let result: TurnResult | null = null;
    do {
      this.#runs++;
      const before: TurnResult | null = result;
      result = await this.#oneRun(before);
      this.stops.push(result.stop);
      if (before) checkKept(before, result);
      this.#checkCalls(result);
      if (this.#runs > WILD_RUNS + 20) throw new Error(`no end: ${this.stops.join(' ')}`);
    } while (result.stop !== 'final');
    // Handlers that heed nothing come to their end.
    await this.#clock.run();
    expect([result.openCalls, this.#clock.timers, this.#router.cancelAll('none')]).toEqual([[], 0, 0]);
    return { outcomes: result.outcomes, calls: this.#deeds.size };
  }

  async #oneRun(before: TurnResult | null): Promise<TurnResult> {
    const random = this.#random;
    const { controller, listeners } = countedController();
    let stored: StoredTurn | null = before;
    if (before && random.once(2)) {
      stored = JSON.parse(JSON.stringify(before)) as StoredTurn;
      this.#router = this.#makeRouter();
    }
    const options: TurnOptions = {
      model: (prompt) => this.#model(prompt),
      ...(stored ? { resume: stored } : { messages: [ASK] }),
      router: this.#router, dialect: this.#dialect, signal: controller.signal, maxRounds: 1 + random.below(4),
      ...(this.#withApproval && { approve: (request) => this.#approve(request) }),
    };
    const running = runTurn(options);
    let isDone = false;
    const read = this.#read(running).then((result) => {
      isDone = true;
      return result;
    });
    // What hangs ends by the signal.
    const abortAt = this.#clock.now() + (this.#isWild ? random.below(random.once(3) ? 40 : 400) : 1000);
    while (!isDone) {
      await this.#clock.run(this.#clock.now() + 5);
      if (this.#clock.now() >= abortAt) controller.abort('enough');
    }
    const result = await read;
    expect(listeners()).toBe(0);
    for (const { signal, isOver } of this.#asked.splice(0))
      if (!isOver && !signal.aborted) throw new Error('a model goes on');
    return result;
  }

  /** Reads the events, or some of them, or none. */
  async #read(running: TurnRun): Promise<TurnResult> {
    const random = this.#random;
    if (random.once(4)) return running.result;
    const most = this.#isWild && random.once(3) ? random.below(60) : Infinity;
    let count = 0;
    for await (const _ of running) {
      if (++count > most) break;
      if (random.once(12)) await this.#wait(random.below(10));
    }
    return running.result;
  }

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.setTimeout(resolve, milliseconds));
  }

  async *#model({ signal }: TurnPrompt): AsyncGenerator<string> {
    const random = this.#random;
    const asked = { signal, isOver: false };
    this.#asked.push(asked);
    const text = this.#outputsLeft > 0 ? this.#calls() : this.#answer();
    const trouble = this.#isWild ? random.below(12) : 12;
    const troubleAt = random.below(text.length);
    try {
      for (let at = 0; at < text.length; ) {
        const to = Math.min(text.length, at + 1 + random.below(90));
        if (trouble < 3 && at <= troubleAt && troubleAt < to) {
          if (trouble === 0) throw new Error('of the model');
          if (trouble === 1) await new Promise(() => undefined);
          return;
        }
        if (random.once(4)) await this.#wait(random.below(20));
        yield text.slice(at, to);
        at = to;
      }
      this.#outputsLeft--;
    } finally {
      asked.isOver = true;
    }
  }

  #calls(): string {
    const calls = Array.from({ length: this.#random.below(5) }, () => this.#call());
    if (this.#dialect === 'openchatml-0.1') return `Let me see.${calls.join('')}<|im_end|>`;
    const thought = '<|channel|>analysis<|message|>Let me see.<|end|>';
    return [thought, ...calls].join('<|start|>assistant');
  }

  #call(): string {
    const number = this.#numbers++;
    this.#deeds.set(number, { starts: 0, approvals: 0, denials: 0 });
    const body = `{"number":${number}}`;
    if (this.#dialect === 'openchatml-0.1') return `<|function_call|>{"name":"x","arguments":${body}}`;
    const id = this.#dialect === 'openchatml-2.2' ? ` call_id=n${number}` : '';
    const wrong = this.#random.once(10) ? 'functions.unknown' : 'functions.x';
    return ` to=${wrong}${id}<|channel|>commentary<|message|>${body}<|call|>`;
  }

  #answer(): string {
    return this.#dialect === 'openchatml-0.1' ? 'Done.<|im_end|>' : '<|channel|>final<|message|>Done.<|return|>';
  }

  #approve({ argumentsValue, signal }: ApprovalRequest): Approval | Promise<Approval> {
    const deed = this.#deeds.get((argumentsValue as { number: number }).number)!;
    const random = this.#random;
    const yes = (): true => (deed.approvals++, true);
    const no = (approval: Approval): Approval => (deed.denials++, approval);
    switch (this.#isWild ? random.below(9) : 0) {
      case 0:
      case 1:
        return yes();
      case 2:
        return no(false);
      case 3:
        return no({ reason: 'random' });
      case 4:
        return null;
      case 5:
        throw new Error('of approve');
      case 6:
        return new Promise(() => undefined);
      // Who is not listened to any more decides nothing.
      default:
        return this.#wait(random.below(100)).then(() => (signal.aborted ? true : random.once(4) ? no(false) : yes()));
    }
  }

  #handle(value: unknown, { signal }: HandlerContext): unknown {
    const { number } = value as { number: number };
    const deed = this.#deeds.get(number)!;
    deed.starts++;
    const random = this.#random;
    switch (random.below(6)) {
      case 0:
        throw new Error('of a handler');
      case 1:
        return new Promise(() => undefined);
      case 2:
        return new Promise((resolve, reject) => {
          const timer = this.#clock.setTimeout(() => resolve(number), random.below(90));
          signal.addEventListener('abort', () => {
            this.#clock.clearTimeout(timer);
            reject(signal.reason as Error);
          });
        });
      case 3:
        return this.#wait(random.below(90)).then(() => number);
      default:
        return number;
    }
  }

  /** Each call that was read has an outcome and a reply, or is open; and what ran had to. */
  #checkCalls({ messages, outcomes, openCalls, stop }: TurnResult): void {
    const told = `${stop} after ${this.stops.join(' ')}`;
    const isCall = ({ role, recipient, unread }: MessageData): boolean =>
      role === 'assistant' && (recipient != null || unread === true);
    const calls = messages.filter(isCall);
    const replies = messages.filter(({ role }) => role === 'tool');
    if (calls.length !== outcomes.length + openCalls.length || replies.length !== outcomes.length) {
      throw new Error(`${told}: ${calls.length} calls, ${outcomes.length} outcomes, ${openCalls.length} open`);
    }
    for (const { at, call } of openCalls)
      if (messages[at]!.content !== call.content) throw new Error(`${told}: an open call stands elsewhere`);
    const open = new Set(openCalls.map(({ at }) => messages[at]));
    const made = calls.filter((call) => !open.has(call));
    if (this.#dialect !== 'openchatml-0.1') {
      const ids = (from: readonly { readonly callId?: string | null | undefined }[]): string =>
        from.map(({ callId }) => callId).sort().join();
      if (ids(made) !== ids(replies)) throw new Error(`${told}: replies ${ids(replies)} to calls ${ids(made)}`);
    }
    let starts = 0;
    for (const [number, deed] of this.#deeds) {
      starts += deed.starts;
      if (deed.starts > 1) throw new Error(`${told}: call ${number} was made ${deed.starts} times`);
      const isAllowed = !this.#withApproval || (deed.approvals > 0 && deed.denials === 0);
      if (deed.starts > 0 && !isAllowed) throw new Error(`${told}: call ${number} was made without approval`);
    }
    const count = (...statuses: Outcome['status'][]): number =>
      outcomes.filter(({ status }) => statuses.includes(status)).length;
    const [ended, mayRun] = [count('ok', 'error'), count('ok', 'error', 'timeout', 'cancelled')];
    if (starts < ended || starts > mayRun) throw new Error(`${told}: ${starts} handlers ran for ${ended} to ${mayRun}`);
    const denied = count('denied');
    const denials = [...this.#deeds.values()].filter((deed) => deed.denials > 0).length;
    if (denied > denials) throw new Error(`${told}: ${denied} denied, ${denials} denials`);
  }
}

/** What a run left is in what the next one made of it, in order. */
function checkKept(before: TurnResult, after: TurnResult): void {
  let at = 0;
  for (const message of after.messages)
    if (at < before.messages.length && sameMessage(message, before.messages[at]!)) at++;
  if (at < before.messages.length) throw new Error(`message ${at} of ${before.messages.length} is lost`);
  const told = JSON.stringify(after.outcomes.slice(0, before.outcomes.length));
  if (told !== JSON.stringify(before.outcomes)) throw new Error('outcomes have changed');
  if (after.rounds < before.rounds) throw new Error('rounds are lost');
}

const sameMessage = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other);

test(`${SEEDS} seeds from ${SEED} on: one outcome for each call, and nothing lost or left`, {
  timeout: 3_600_000,
}, async () => {
  let calls = 0;
  const ends: Record<string, number> = {};
  const stops: Record<string, number> = {};
  for (let seed = SEED; seed < SEED + SEEDS; seed++) {
    const simulation = new Simulation(randomOf(seed));
    try {
      const run = await simulation.run();
      calls += run.calls;
      for (const { status } of run.outcomes) ends[status] = (ends[status] ?? 0) + 1;
      for (const stop of simulation.stops) stops[stop] = (stops[stop] ?? 0) + 1;
    } catch (error) {
      throw new Error(`OPENCHATML_SEED=${seed}`, { cause: error });
    }
  }
  await settled();
  console.log(`${SEEDS} seeds, ${calls} calls: ${JSON.stringify(ends)}, runs: ${JSON.stringify(stops)}`);
  expect(Object.keys(ends).sort()).toEqual(['cancelled', 'denied', 'error', 'ok', 'refused', 'timeout']);
  const expected = ['approval', 'cancelled', 'failed', 'final', 'length', 'rounds', 'unanswered'];
  expect(Object.keys(stops).sort()).toEqual(expected);
});
