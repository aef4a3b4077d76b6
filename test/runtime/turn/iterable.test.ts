// A run as an iterable: its events in step with who reads them, its result, and what is left when the reader leaves.
import { describe, expect, test } from 'vitest';
import { runTurn } from '../../../src/runtime/turn/turn.ts';
import type { TurnModel, TurnEvent, TurnOptions } from '../../../src/runtime/turn/types.ts';
import { countedController, settled, VirtualClock } from '../router/clock.ts';
import { ANSWER, ASK, CALL, lines, refuseUnhandled, routerOf, scripted, shown, THINK } from './script.ts';

refuseUnhandled();

const optionsOf = (outputs: readonly string[], more: Partial<TurnOptions> = {}): TurnOptions =>
  ({ model: scripted(outputs).model, messages: [ASK], router: routerOf(), ...more });
const hang = (): Promise<never> => new Promise(() => undefined);

describe('events and result', () => {
  test('come from one run', async () => {
    const run = runTurn(optionsOf([THINK + CALL, ANSWER]));
    const events: TurnEvent[] = [];
    for await (const event of run) events.push(event);
    const { stop, messages } = await run.result;
    expect([stop, messages.length, shown(events)]).toEqual(['final', 5, 'It rains.']);
    expect(await run.result).toBe(await run.result);
  });

  test('the last value of the iterator is the result', async () => {
    const run = runTurn(optionsOf([ANSWER]));
    const events = run[Symbol.asyncIterator]();
    let step = await events.next();
    while (!step.done) step = await events.next();
    expect(step.value).toBe(await run.result);
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  test('the result alone reads the events by itself', async () => {
    const { stop, messages } = await runTurn(optionsOf([THINK + CALL, ANSWER])).result;
    expect([stop, messages.length]).toEqual(['final', 5]);
  });

  test('asked for side by side', async () => {
    const run = runTurn(optionsOf([ANSWER]));
    const events: TurnEvent[] = [];
    const read = async (): Promise<void> => {
      for await (const event of run) events.push(event);
    };
    const [result] = await Promise.all([run.result, read()]);
    expect([result.stop, shown(events)]).toEqual(['final', 'It rains.']);
  });

  test('are read once', async () => {
    const message = 'read once';
    const read = runTurn(optionsOf([ANSWER]));
    read[Symbol.asyncIterator]();
    expect(() => read[Symbol.asyncIterator]()).toThrow(message);
    const passed = runTurn(optionsOf([ANSWER]));
    await passed.result;
    expect(() => passed[Symbol.asyncIterator]()).toThrow(message);
  });

  test('nothing happens before somebody asks', async () => {
    const { controller, listeners } = countedController();
    const script = scripted([ANSWER]);
    const run = runTurn(optionsOf([], { model: script.model, signal: controller.signal }));
    await settled();
    expect([script.prompts.length, listeners()]).toEqual([0, 0]);
    expect((await run.result).stop).toBe('final');
  });

  test('the model is read no further than events are asked for', async () => {
    let given = 0;
    async function* model(): AsyncGenerator<string> {
      for (const piece of ['<|channel|>final<|message|>', 'a ', 'b ', 'c ', '<|return|>']) {
        given++;
        yield piece;
      }
    }
    const seen: [string, number][] = [];
    for await (const event of runTurn(optionsOf([], { model }))) {
      if (event.type !== 'response.delta') continue;
      for (let turns = 0; turns < 3; turns++) await settled();
      seen.push([event.delta, given]);
    }
    expect(seen).toEqual([['a ', 2], ['b ', 3], ['c ', 4]]);
  });

  test('several may be asked for at once', async () => {
    const events = runTurn(optionsOf([ANSWER]))[Symbol.asyncIterator]();
    const steps = await Promise.all(Array.from({ length: 40 }, () => events.next()));
    const whole: TurnEvent[] = [];
    for await (const event of runTurn(optionsOf([ANSWER]))) whole.push(event);
    const types = steps.flatMap(({ done, value }) => (done === true ? [] : [(value as TurnEvent).type]));
    expect(types).toEqual(whole.map(({ type }) => type));
  });
});

describe('who leaves the loop cancels the run', () => {
  const hanging: [what: string, model: TurnModel][] = [
    ['while the output hangs', async function* () {
      yield '<|channel|>final<|message|>It ';
      await hang();
    }],
    ['while the output goes on for ever', async function* () {
      yield '<|channel|>final<|message|>';
      for (;;) {
        await settled();
        yield 'and ';
      }
    }],
    ['while a stream hangs', () => new ReadableStream<string>({
      start: (controller) => controller.enqueue('<|channel|>final<|message|>It '),
    })],
  ];
  test.each(hanging)('%s', async (_, model) => {
    const { controller, listeners } = countedController();
    const signals: AbortSignal[] = [];
    const run = runTurn(optionsOf([], {
      model: (prompt) => (signals.push(prompt.signal), model(prompt)),
      signal: controller.signal,
    }));
    for await (const { type } of run) if (type === 'response.delta') break;
    expect([signals.map(({ aborted }) => aborted), listeners()]).toEqual([[true], 0]);
    const { stop, messages, rounds } = await run.result;
    expect([stop, messages, rounds]).toEqual(['cancelled', [ASK], 1]);
  });

  test('while tools run: they are told, and have their outcomes', async () => {
    const clock = new VirtualClock();
    const aborted: unknown[] = [];
    const router = routerOf({
      clock,
      handlers: {
        'functions.weather': (_, { signal }) =>
          new Promise((_, reject) => signal.addEventListener('abort', () => {
            aborted.push(signal.aborted);
            reject(signal.reason as Error);
          })),
      },
    });
    const run = runTurn(optionsOf([CALL.slice(18) + CALL.replace('c1', 'c2'), ANSWER], { router }));
    const events = run[Symbol.asyncIterator]();
    let pending = events.next();
    const done = (async () => {
      for (let step = await pending; step.done !== true; step = await pending) pending = events.next();
    })();
    while (clock.timers === 0) await settled();
    await events.return!();
    await done;
    const { stop, outcomes, messages } = await run.result;
    expect([stop, outcomes.map(({ status, reason }) => [status, reason]), aborted, clock.timers]).toEqual([
      'cancelled', [['cancelled', 'nobody reads on'], ['cancelled', 'nobody reads on']], [true, true], 0,
    ]);
    expect(messages.slice(3).map(({ role, callId }) => [role, callId])).toEqual([['tool', 'c1'], ['tool', 'c2']]);
  });

  test('before the calls are made: none is', async () => {
    let asked = 0;
    const router = routerOf({ handlers: { 'functions.weather': () => asked++ } });
    const run = runTurn(optionsOf([THINK + CALL, ANSWER], { router }));
    for await (const { type } of run) if (type === 'response.completed') break;
    const { stop, outcomes } = await run.result;
    expect([stop, outcomes, asked]).toEqual(['cancelled', [], 0]);
  });

  test('before anything was asked', async () => {
    const script = scripted([ANSWER]);
    const run = runTurn(optionsOf([], { model: script.model }));
    await run[Symbol.asyncIterator]().return!();
    const { stop, rounds } = await run.result;
    expect([stop, rounds, script.prompts]).toEqual(['cancelled', 0, []]);
  });

  test('by throwing', async () => {
    const run = runTurn(optionsOf([THINK + CALL, ANSWER]));
    const read = async (): Promise<void> => {
      for await (const { type } of run) if (type === 'turn.outcome') throw new Error('of the reader');
    };
    await expect(read()).rejects.toThrow('of the reader');
    const { stop, outcomes, messages } = await run.result;
    expect([stop, outcomes.map(({ status }) => status), messages.length]).toEqual(['cancelled', ['ok'], 4]);
  });

  test('but an answer that is there is an answer', async () => {
    const run = runTurn(optionsOf([ANSWER]));
    for await (const { type } of run) if (type === 'response.completed') break;
    const { stop, messages } = await run.result;
    expect([stop, lines(messages).at(-1)]).toEqual(['final', 'assistant final - - It rains.']);
  });
});

test('who leaves behind the whole answer leaves a run that is final', async () => {
  const options = optionsOf(['<|channel|>final<|message|>ab<|return|>', ANSWER]);
  const left = runTurn(options);
  for await (const { type } of left) if (type === 'response.output_item.done') break;
  const result = await left.result;
  expect([result.stop, result.messages.length]).toEqual(['final', 2]);
  const { messages: _, ...rest } = options;
  const again = await runTurn({ ...rest, resume: result }).result;
  expect(again.messages).toEqual(result.messages);
});

test('a signal ends the request while nobody asks for the next event', async () => {
  const controller = new AbortController();
  let signal: AbortSignal | undefined;
  const model: TurnModel = async function* (prompt) {
    signal = prompt.signal;
    yield new TextEncoder().encode('<|channel|>final<|message|>a');
    yield* [await hang()];
  };
  const events = runTurn({ ...optionsOf([]), model, signal: controller.signal })[Symbol.asyncIterator]();
  for (let i = 0; i < 3; i++) await events.next();
  controller.abort('gone');
  expect(signal?.aborted).toBe(true);
  await events.return?.();
});

describe('a run whose signal aborts ends by itself', () => {
  const endless: TurnModel = async function* () {
    yield '<|channel|>final<|message|>';
    for (;;) yield 'and ';
  };

  test.each([0, 1, 3, 5])('after %d events, of which nobody asks for the next; the rest wait', async (asked) => {
    const { controller, listeners } = countedController();
    const run = runTurn(optionsOf([], { model: endless, signal: controller.signal }));
    const events = run[Symbol.asyncIterator]();
    for (let i = 0; i < asked; i++) await events.next();
    const result = run.result;
    await settled();
    controller.abort('gone');
    expect([(await result).stop, listeners()]).toEqual(['cancelled', 0]);
    const rest: TurnEvent[] = [];
    for (let step = await events.next(); step.done !== true; step = await events.next()) rest.push(step.value);
    expect(rest.at(-1)).toMatchObject({ type: 'response.cancel', reason: 'gone' });
    expect(rest.filter(({ type }) => type === 'response.cancel')).toHaveLength(1);
  });

  test('while a tool runs', async () => {
    const controller = new AbortController();
    const clock = new VirtualClock();
    const router = routerOf({ clock, handlers: { 'functions.weather': hang } });
    const run = runTurn(optionsOf([CALL.slice(18), ANSWER], { router, signal: controller.signal }));
    const events = run[Symbol.asyncIterator]();
    while (clock.timers === 0) {
      void events.next();
      await settled();
    }
    controller.abort('gone');
    const { stop, outcomes } = await run.result;
    expect([stop, outcomes.map(({ status }) => status), clock.timers]).toEqual(['cancelled', ['cancelled'], 0]);
  });
});
