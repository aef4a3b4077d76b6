// The tool router: deadlines, calls side by side, cancellation (2.2 §8.2).
import { describe, expect, test } from 'vitest';
import { ToolRouter } from '../../../src/runtime/router/router.ts';
import type { ToolHandler, RoutedCall, RouterOptions } from '../../../src/runtime/router/types.ts';
import { call, envelope, errorOf, never, routerOf, WEATHER } from './cases.ts';
import { countedController, settled } from './clock.ts';

describe('a deadline', () => {
  test.each<[content: string, after: number]>([
    ['{"city":"Oslo"}', 1000],
    ['{"city":"Oslo","deadline_ms":250}', 250],
    ['{"city":"Oslo","deadline_ms":0.01}', 1],
    ['{"city":"Oslo","deadline_ms":1.5}', 2],
    ['{"city":"Oslo","deadline_ms":1e300}', 5000],
    ['{"city":"Oslo","deadline_ms":1e400}', 5000],
  ])('of %s is kept to the millisecond', async (content, after) => {
    const aborted: [number, string][] = [];
    const { router, clock, events } = routerOf({
      tools: [WEATHER],
      deadlineMs: 1000,
      maxDeadlineMs: 5000,
      handlers: {
        'functions.weather': (_, { signal }) =>
          new Promise((resolve) => {
            signal.addEventListener('abort', () => aborted.push([clock.now(), (signal.reason as Error).name]));
            clock.setTimeout(() => resolve('late'), 10_000);
          }),
      },
    });
    const dispatched = router.dispatch(call({ callId: 'c', content }));
    await clock.run(9_000);
    const outcome = await dispatched;
    expect([outcome.status, outcome.code, outcome.durationMs]).toEqual(['timeout', 'E-TOOL-TIMEOUT', after]);
    expect(errorOf(outcome)).toEqual({ code: 'E-TOOL-TIMEOUT', message: 'the tool exceeded its deadline' });
    expect([aborted, router.late, router.abandoned]).toEqual([[[after, 'TimeoutError']], 0, 1]);
    await clock.run();
    expect([router.late, router.abandoned, clock.timers, events.at(-1)]).toEqual([
      1,
      0,
      0,
      { type: 'tool.late', call_id: 'c' },
    ]);
  });

  test('is kept where a handler holds up the timers, and settles at once', async () => {
    const { router, clock } = routerOf({
      deadlineMs: 100,
      handlers: {
        'functions.weather': (value) => {
          clock.hold((value as { ms: number }).ms);
          if ((value as { ms: number }).ms === 150) throw new Error('late');
        },
      },
    });
    for (const [ms, status] of [[99, 'ok'], [100, 'timeout'], [150, 'timeout']] as const) {
      const outcome = await router.dispatch(call({ callId: `c${ms}`, content: `{"ms":${ms}}` }));
      expect([outcome.status, outcome.durationMs]).toEqual([status, ms]);
    }
    expect([router.late, router.abandoned, clock.timers]).toEqual([0, 0, 0]);
  });

  test('counts the time in the queue, and a call that waited too long never starts', async () => {
    const started: string[] = [];
    const { router, clock } = routerOf({
      concurrency: 1,
      deadlineMs: 100,
      handlers: {
        'functions.weather': (_, { callId }) => {
          started.push(callId);
          return new Promise(() => undefined);
        },
      },
    });
    const all = router.dispatchAll([
      call({ callId: 'a' }),
      call({ callId: 'b', content: '{"deadline_ms":50}' }),
      call({ callId: 'c' }),
    ]);
    await clock.run();
    expect((await all).map(({ callId, status, durationMs }) => [callId, status, durationMs])).toEqual([
      ['a', 'timeout', 100],
      ['b', 'timeout', 50],
      ['c', 'timeout', 100],
    ]);
    expect(started).toEqual(['a']);
  });

  test('in real time, with the clock of the system', async () => {
    const router = new ToolRouter({ handlers: { 'functions.weather': never }, deadlineMs: 5 });
    const outcome = await router.dispatch(call());
    expect(outcome.status).toBe('timeout');
  });
});

describe('calls of a turn', () => {
  test('run side by side up to the bound, in order', async () => {
    let most = 0;
    let running = 0;
    const order: string[] = [];
    const { router, clock } = routerOf({
      concurrency: 3,
      handlers: {
        'functions.weather': async (_, { callId }) => {
          order.push(callId);
          most = Math.max(most, ++running);
          await new Promise<void>((resolve) => clock.setTimeout(resolve, 10));
          running--;
          return callId;
        },
      },
    });
    const calls = Array.from({ length: 10 }, () => call());
    const all = router.dispatchAll(calls);
    await clock.run();
    const outcomes = await all;
    const expected = calls.map(({ callId }) => callId);
    expect([most, order, outcomes.map(({ callId }) => callId), clock.now()]).toEqual([3, expected, expected, 40]);
    expect(outcomes.map((outcome) => envelope(outcome)['content'])).toEqual(expected);
    expect(outcomes.every(({ reply, callId }) => reply.callId === callId)).toBe(true);
  });

  test('beyond the bound of a router are cancelled', async () => {
    const { router } = routerOf({ maxCalls: 2 });
    const outcomes = await router.dispatchAll([call(), call(), call()]);
    expect(outcomes.map(({ status, code }) => [status, code])).toEqual([
      ['ok', null],
      ['ok', null],
      ['cancelled', 'E-TOOL-CANCELLED'],
    ]);
  });

  test('get ids where the dialect has none', async () => {
    const { router } = routerOf({ requireIds: false });
    const fields = { callId: null };
    const outcomes = await router.dispatchAll([call(fields), call({ callId: 'call_2' }), call(fields), call(fields)]);
    expect(outcomes.map(({ callId, status }) => [callId, status])).toEqual([
      ['call_1', 'ok'],
      ['call_2', 'ok'],
      ['call_3', 'ok'],
      ['call_4', 'ok'],
    ]);
  });
});

describe('cancelling', () => {
  test('ends a running call, tells its handler and is told', async () => {
    let signal: AbortSignal | undefined;
    const { router, clock, events } = routerOf({
      handlers: {
        'functions.weather': (_, context) => {
          signal = context.signal;
          return new Promise(() => undefined);
        },
      },
    });
    const dispatched = router.dispatch(call({ callId: 'c' }));
    expect(router.cancel('foreign', 'x')).toBe(false);
    expect(router.cancel('c', 'the user left')).toBe(true);
    const outcome = await dispatched;
    expect([outcome.status, outcome.code, signal?.aborted, clock.timers]).toEqual([
      'cancelled',
      'E-TOOL-CANCELLED',
      true,
      0,
    ]);
    expect(events.slice(1)).toEqual([
      { type: 'tool.cancel', call_id: 'c', reason: 'the user left' },
      { type: 'tool.done', call_id: 'c', status: 'cancelled', code: 'E-TOOL-CANCELLED' },
    ]);
    expect(outcome.reply.content).not.toContain('the user left');
    expect(router.cancel('c', 'x')).toBe(false);
  });

  test('calls in the queue never start', async () => {
    const started: string[] = [];
    const { router } = routerOf({
      concurrency: 1,
      handlers: {
        'functions.weather': (_, { callId }) => {
          started.push(callId);
          return new Promise(() => undefined);
        },
      },
    });
    const all = router.dispatchAll([call({ callId: 'a' }), call({ callId: 'b' }), call({ callId: 'c' })]);
    expect(router.cancelAll('x')).toBe(3);
    expect((await all).map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(started).toEqual(['a']);
    expect(router.cancelAll('x')).toBe(0);
  });

  test('by a signal leaves no listener, however the calls end', async () => {
    const { controller, listeners } = countedController();
    const { router, clock, events } = routerOf({
      concurrency: 2,
      handlers: { 'functions.weather': () => 1, 'functions.never': never },
    });
    const quick = router.dispatchAll(
      Array.from({ length: 50 }, () => call()),
      controller.signal,
    );
    expect(listeners()).toBe(1);
    await quick;
    expect(listeners()).toBe(0);
    const slow = router.dispatchAll(
      [call({ recipient: 'functions.never' }), call({ recipient: 'functions.never' }), call()],
      controller.signal,
    );
    expect(listeners()).toBe(1);
    controller.abort('enough');
    const outcomes = await slow;
    expect(outcomes.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(outcomes.map(({ reason }) => reason)).toEqual(['enough', 'enough', 'enough']);
    expect([listeners(), clock.timers]).toEqual([0, 0]);
    expect(
      events.filter(({ type }) => type === 'tool.cancel').map((event) => 'reason' in event && event.reason),
    ).toEqual(['enough', 'enough', 'enough']);
    const late = await router.dispatch(call(), controller.signal);
    expect([late.status, late.reason]).toEqual(['cancelled', 'enough']);
    expect(listeners()).toBe(0);
  });

  test('by a signal starts none of those that wait', async () => {
    const controller = new AbortController();
    const { router, events } = routerOf({ concurrency: 2, handlers: { 'functions.weather': never } });
    const all = router.dispatchAll([call(), call(), call(), call(), call()], controller.signal);
    controller.abort();
    expect((await all).every(({ status }) => status === 'cancelled')).toBe(true);
    expect(events.filter(({ type }) => type === 'tool.start')).toHaveLength(2);
  });

  test('by a signal reaches those that still run when others have ended', async () => {
    const { controller, listeners } = countedController();
    const { router } = routerOf({ handlers: { 'functions.weather': () => 1, 'functions.never': never } });
    const all = router.dispatchAll([call(), call({ recipient: 'functions.never' })], controller.signal);
    await settled();
    expect(listeners()).toBe(1);
    controller.abort();
    expect((await all).map(({ status }) => status)).toEqual(['ok', 'cancelled']);
    expect(listeners()).toBe(0);
  });

  test('a listener that throws, rejects or cancels disturbs nothing', async () => {
    let asked = 0;
    for (const onEvent of [
      (): never => {
        throw new Error('x');
      },
      async (): Promise<never> => {
        throw new Error('x');
      },
    ]) {
      const { router } = routerOf({ onEvent });
      expect((await router.dispatch(call())).status).toBe('ok');
    }
    const { router, clock } = routerOf({
      handlers: { 'functions.weather': () => void asked++ },
      onEvent: (event) => void (event.type === 'tool.start' && router.cancel(event.call_id, 'no')),
    });
    expect((await router.dispatch(call())).status).toBe('cancelled');
    expect([asked, router.abandoned, router.late, clock.timers]).toEqual([0, 0, 0, 0]);
  });

  test('a closed router turns everything away', async () => {
    const { router } = routerOf({ handlers: { 'functions.weather': never } });
    const running = router.dispatch(call());
    router.close();
    expect((await running).status).toBe('cancelled');
    expect((await router.dispatch(call())).code).toBe('E-TOOL-CANCELLED');
  });
});

test('wrong options and wrong calls are told', async () => {
  const handlers = {};
  for (const name of [
    'concurrency',
    'deadlineMs',
    'maxDeadlineMs',
    'maxCalls',
    'maxArgumentsLength',
    'maxReplyBytes',
  ]) {
    for (const value of [0, -1, 1.5, NaN, 2 ** 31, '5'])
      expect(() => new ToolRouter({ handlers, [name]: value })).toThrow(`option ${name}`);
  }
  expect(() => new ToolRouter({ handlers: { f: 1 as unknown as ToolHandler } })).toThrow('option handlers');
  expect(() => new ToolRouter({ handlers: 5 } as unknown as RouterOptions)).toThrow('option handlers');
  const { router, events } = routerOf();
  const error = new TypeError('signal: expected an AbortSignal; got an object');
  const signal = new AbortController() as never;
  await expect(router.dispatch(call(), signal)).rejects.toEqual(error);
  await expect(router.dispatchAll([call(), call()], signal)).rejects.toEqual(error);
  expect(events).toEqual([]);
  await expect(new ToolRouter({ handlers }).dispatch(null as unknown as RoutedCall)).rejects.toThrow(TypeError);
});
