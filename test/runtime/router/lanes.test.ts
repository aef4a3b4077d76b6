// Tools with a bound of their own: how many calls of one run at a time, beside those of others.
import { describe, expect, test } from 'vitest';
import { Lanes } from '../../../src/runtime/router/lanes.ts';
import { ToolRouter } from '../../../src/runtime/router/router.ts';
import type { ToolHandler, RouterOptions } from '../../../src/runtime/router/types.ts';
import { randomOf, SEED } from '../../random.ts';
import { call, routerOf } from './cases.ts';
import { VirtualClock } from './clock.ts';

test('a call that is not ready is asked about once, and those behind it keep their order', () => {
  const lanes = new Lanes<number>(1, new Map([['own', 1]]));
  for (let call = 0; call < 1_000; call++) lanes.add(call, call % 3 === 0 ? 'own' : 'other');
  let asked = 0;
  const taken: number[] = [];
  const isReady = (call: number): boolean => (asked++, call % 100 > 97);
  for (let call = lanes.take(isReady); call !== null; call = lanes.take(isReady)) {
    taken.push(call);
    lanes.free(call % 3 === 0 ? 'own' : 'other');
    // What is passed over can be given up as well.
    lanes.remove(call - 1, (call - 1) % 3 === 0 ? 'own' : 'other');
  }
  expect(taken).toEqual(Array.from({ length: 10 }, (_, index) => [index * 100 + 98, index * 100 + 99]).flat());
  expect(asked).toBeLessThan(1_100);
});

describe('a bound of a tool', () => {
  test('holds beside the bound of all, and others pass by', async () => {
    const clock = new VirtualClock();
    const started: string[] = [];
    const slow: ToolHandler = (_, { callId }) => {
      started.push(callId);
      return new Promise((resolve) => clock.setTimeout(() => resolve(1), 10));
    };
    const { router } = routerOf({
      clock, concurrency: 3, concurrencyOf: { 'functions.pay': 1, 'browser.*': 2 },
      handlers: { 'functions.pay': slow, 'browser.*': slow, 'functions.weather': slow },
    });
    const named = ['pay', 'pay', 'browser.a', 'browser.b', 'browser.c', 'weather', 'pay', 'weather'];
    const all = named.map((name, index) =>
      router.dispatch(call({ callId: `${index}`, recipient: name.includes('.') ? name : `functions.${name}` })));
    expect(started).toEqual(['0', '2', '3']);
    await clock.run(clock.now() + 10);
    expect(started).toEqual(['0', '2', '3', '1', '4', '5']);
    await clock.run();
    expect(started).toEqual(['0', '2', '3', '1', '4', '5', '6', '7']);
    expect((await Promise.all(all)).every(({ status }) => status === 'ok')).toBe(true);
  });

  test.each<[what: string, concurrencyOf: RouterOptions['concurrencyOf']]>([
    ['of no handler', { 'functions.other': 1 }],
    ['of 0', { 'functions.weather': 0 }],
    ['that is no number', { 'functions.weather': '1' as unknown as number }],
  ])('%s is refused', (_, concurrencyOf) => {
    expect(() => routerOf({ concurrencyOf })).toThrow('option concurrencyOf');
  });

  test(`is never exceeded, and no call is forgotten (OPENCHATML_SEED=${SEED})`, async () => {
    const random = randomOf(SEED);
    for (let run = 0; run < 300; run++) {
      const clock = new VirtualClock();
      const tools = ['functions.a', 'functions.b', 'crm.*'];
      const most = new Map(tools.map((tool) => [tool, random.once(3) ? Infinity : 1 + random.below(4)]));
      const running = new Map<string, number>();
      const handlerOf = (tool: string): ToolHandler => (_, { signal }) => {
        const now = (running.get(tool) ?? 0) + 1;
        running.set(tool, now);
        if (now > most.get(tool)!) throw new Error(`run ${run}: ${now} of ${tool}`);
        return new Promise((resolve) => {
          const leave = (): void => {
            clock.clearTimeout(timer);
            running.set(tool, running.get(tool)! - 1);
            resolve(1);
          };
          const timer = clock.setTimeout(leave, random.below(30));
          // A handler that is given up holds no place.
          signal.addEventListener('abort', leave);
        });
      };
      const bounds = [...most].filter(([, bound]) => bound !== Infinity);
      const router = new ToolRouter({
        clock, concurrency: 1 + random.below(6), deadlineMs: 100_000,
        concurrencyOf: Object.fromEntries(bounds),
        handlers: Object.fromEntries(tools.map((tool) => [tool, handlerOf(tool)])),
      });
      const all = Array.from({ length: 60 }, (_, index) => {
        const recipient = random.pick(tools).replace('*', 'x');
        return router.dispatch(call({ callId: `${index}`, recipient }));
      });
      for (let index = 0; index < 60; index += 9) router.cancel(`${index}`, 'random');
      await clock.run();
      const ends = (await Promise.all(all)).map(({ status }) => status);
      expect(ends.filter((status) => status === 'error')).toEqual([]);
      expect([router.cancelAll('none'), clock.timers]).toEqual([0, 0]);
    }
  });
});
