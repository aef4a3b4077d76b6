// Calls that are approved, denied, or wait for it; and runs that are the rest of others.
import { describe, expect, test } from 'vitest';
import type { MessageData } from '../../../src/model/data.ts';
import { runTurn } from '../../../src/runtime/turn/turn.ts';
import type {
  Approval, ApprovalRequest, StoredTurn, TurnEvent, TurnOptions, TurnResult,
} from '../../../src/runtime/turn/types.ts';
import { settled, VirtualClock } from '../router/clock.ts';
import { ANSWER, ASK, CALL, lines, refuseUnhandled, routerOf, run, scripted, THINK } from './script.ts';

refuseUnhandled();

const FIRST = CALL.slice(18);
const callOf = (id: string, city: string): string => CALL.replace('c1', id).replace('Oslo', city);
const THREE = FIRST + callOf('c2', 'Rome') + callOf('c3', 'Bern');
const THOUGHT = `${THINK}<|start|>assistant${THREE}`;
/** Through JSON and back, as a store would give it. */
const stored = (result: TurnResult): StoredTurn => JSON.parse(JSON.stringify(result)) as StoredTurn;
const asked: string[] = [];
const counting = (): ReturnType<typeof routerOf> => {
  asked.length = 0;
  return routerOf({
    handlers: { 'functions.weather': (value) => void asked.push((value as { city: string }).city) },
  });
};

describe('approval', () => {
  test('comes before a call runs, with what the handler is given', async () => {
    const requests: ApprovalRequest[] = [];
    const approve = (request: ApprovalRequest): Approval => {
      requests.push(request);
      expect(asked).toEqual([]);
      return true;
    };
    const { stop, outcomes, events } = await run([FIRST, ANSWER], { approve, router: counting() });
    expect([stop, asked, outcomes.map(({ status }) => status)]).toEqual(['final', ['Oslo'], ['ok']]);
    expect(requests).toMatchObject([{
      callId: 'c1', recipient: 'functions.weather', argumentsValue: { city: 'Oslo' },
      call: { content: '{"city":"Oslo"}' },
    }]);
    const order = events.map(({ type }) => type).filter((type) => /^turn\.(approval|outcome)$/.test(type));
    expect(order).toEqual(['turn.approval', 'turn.outcome']);
    expect(events.find(({ type }) => type === 'turn.approval')).toMatchObject({
      call_id: 'c1', recipient: 'functions.weather',
    });
  });

  test.each<[what: string, approval: Approval, message: string]>([
    ['false', false, 'the call was not approved'],
    ['a reason', { reason: 'too far away' }, 'the call was not approved: too far away'],
  ])('%s denies the call, and the model is told', async (_, approval, message) => {
    const { stop, outcomes, messages, script } = await run([FIRST + callOf('c2', 'Rome'), ANSWER], {
      router: counting(), approve: ({ callId }) => (callId === 'c1' ? approval : true),
    });
    expect([stop, asked, outcomes.map(({ status, code }) => [status, code])]).toEqual([
      'final', ['Rome'], [['denied', null], ['ok', null]],
    ]);
    const reply = JSON.parse(messages[3]!.content) as unknown;
    expect(reply).toEqual({ ok: false, content: null, error: { code: 'call-denied', message } });
    expect(script.prompts[1]!.text).toContain(message);
  });

  test('is not asked for calls that are refused', async () => {
    const bad = CALL.replace('city', 'town').slice(18);
    const { outcomes, stop } = await run([bad, ANSWER], { approve: () => { throw new Error('asked'); } });
    expect([stop, outcomes.map(({ rule }) => rule)]).toEqual(['final', ['invalid-arguments']]);
  });

  test.each([[1, 20], [20, 1]])('of two calls with one id is asked for the first (%d, %d ms)', async (...times) => {
    const requests: ApprovalRequest[] = [];
    const approve = async (request: ApprovalRequest): Promise<boolean> => {
      requests.push(request);
      await new Promise((resolve) => setTimeout(resolve, times[requests.length - 1]));
      return true;
    };
    const { outcomes, events } = await run([FIRST + callOf('c1', 'Rome'), ANSWER], { router: counting(), approve });
    expect(requests.map(({ argumentsValue }) => argumentsValue)).toEqual([{ city: 'Oslo' }]);
    expect([asked, outcomes.map(({ status, rule }) => rule ?? status)]).toEqual([
      ['Oslo'], ['ok', 'duplicate-call-id'],
    ]);
    expect(events.filter(({ type }) => type === 'turn.approval')).toHaveLength(1);
  });

  test('is not asked for a call whose id one before it has that is refused', async () => {
    const { outcomes } = await run([FIRST.replace('city', 'town') + CALL, ANSWER], {
      router: counting(), approve: () => { throw new Error('asked'); },
    });
    expect(outcomes.map(({ rule }) => rule)).toEqual(['invalid-arguments', 'duplicate-call-id']);
  });

  test('is asked for a call whose id stands in one before it that is no call', async () => {
    const ambiguous = FIRST.replace('call_id=c1', 'intent=a intent=b call_id=c1');
    const { outcomes } = await run([ambiguous + CALL, ANSWER], { router: counting(), approve: () => true });
    expect(outcomes.map(({ status, rule }) => rule ?? status)).toEqual(['duplicate-attribute', 'ok']);
  });

  test('is not asked for a call beyond those that a router makes', async () => {
    const router = routerOf({ maxCalls: 1 });
    const requests: (string | null)[] = [];
    const approve = ({ callId }: ApprovalRequest): boolean => requests.push(callId) > 0;
    const { outcomes } = await run([FIRST, callOf('c2', 'Rome').slice(18), ANSWER], { router, approve });
    expect([requests, outcomes.map(({ status }) => status)]).toEqual([['c1'], ['ok', 'cancelled']]);
    router.close();
    const next = await run([callOf('c3', 'Bern').slice(18), ANSWER], { router, approve });
    expect([requests, next.outcomes.map(({ status }) => status)]).toEqual([['c1'], ['cancelled']]);
  });

  test('takes its time: the deadline of a call begins when it is approved', async () => {
    const clock = new VirtualClock();
    const router = routerOf({
      clock, deadlineMs: 50,
      handlers: { 'functions.weather': () => new Promise((resolve) => clock.setTimeout(() => resolve(1), 40)) },
    });
    const approve = (): Promise<boolean> => new Promise((resolve) => clock.setTimeout(() => resolve(true), 10_000));
    const running = run([FIRST, ANSWER], { router, approve });
    while (clock.timers === 0) await settled();
    await clock.run(clock.now() + 10_000);
    await clock.run();
    const { outcomes } = await running;
    expect(outcomes.map(({ status, durationMs }) => [status, durationMs])).toEqual([['ok', 40]]);
  });

  test.each<[what: string, approve: () => unknown]>([
    ['throws', () => { throw new Error('of approve'); }],
    ['rejects', () => Promise.reject(new Error('of approve'))],
    ['gives something else', () => 'of approve'],
  ])('that %s makes no call, and the run fails', async (_, approve) => {
    const { stop, error, openCalls, outcomes } = await run([THREE, ANSWER], {
      router: counting(), approve: ({ callId }) => (callId === 'c2' ? approve() as Approval : true),
    });
    expect([stop, asked, outcomes.length]).toEqual(['failed', ['Oslo', 'Bern'], 2]);
    expect(openCalls.map(({ call }) => call.callId)).toEqual(['c2']);
    expect(error!.message).toContain('approve');
  });

  test('that nobody gives leaves the call open when the reader leaves', async () => {
    const signals: AbortSignal[] = [];
    const router = counting();
    const running = runTurn({
      model: scripted([FIRST]).model, messages: [ASK], router,
      approve: ({ signal }) => (signals.push(signal), new Promise(() => undefined)),
    });
    const events = running[Symbol.asyncIterator]();
    const read = (async () => {
      for (let step = await events.next(); step.done !== true; step = await events.next());
    })();
    while (signals.length === 0) await settled();
    await events.return!();
    await read;
    const { stop, openCalls, outcomes } = await running.result;
    expect([stop, openCalls.length, outcomes, asked, signals[0]!.aborted]).toEqual(['cancelled', 1, [], [], true]);
  });
});

describe('a run that is resumed', () => {
  const rest = async (
    from: TurnResult, outputs: readonly string[], options: Partial<TurnOptions> = {},
  ): Promise<TurnResult & { events: TurnEvent[]; prompts: readonly { text: string; round: number }[] }> => {
    const script = scripted(Array.from({ length: from.rounds }, () => '').concat(outputs));
    const running = runTurn({ model: script.model, router: counting(), resume: stored(from), ...options });
    const events: TurnEvent[] = [];
    for await (const event of running) events.push(event);
    return { ...(await running.result), events, prompts: script.prompts };
  };

  test('makes the calls that waited for approval, and no other again', async () => {
    const first = await run([THOUGHT], {
      router: counting(), approve: ({ callId }) => (callId === 'c2' ? true : null),
    });
    expect([first.stop, asked]).toEqual(['approval', ['Rome']]);
    expect(first.openCalls.map(({ at, replyAt, call }) => [at, replyAt, call.callId])).toEqual([
      [2, 5, 'c1'], [4, 6, 'c3'],
    ]);
    const second = await rest(first, [ANSWER], { approve: ({ callId }) => callId !== 'c3' });
    expect([second.stop, asked, second.rounds, second.openCalls]).toEqual(['final', ['Oslo'], 2, []]);
    expect(second.outcomes.map(({ callId, status }) => `${callId} ${status}`)).toEqual(['c2 ok', 'c1 ok', 'c3 denied']);
    const replies = second.messages.filter(({ role }) => role === 'tool').map(({ callId }) => callId);
    expect(replies).toEqual(['c1', 'c2', 'c3']);
    expect(second.prompts.map(({ round }) => round)).toEqual([2]);
  });

  test.each([[true], [false]])('makes the first of two calls with one id, the same router: %s', async (isSame) => {
    const router = counting();
    const first = await run([FIRST + callOf('c1', 'Rome')], { router, approve: () => null });
    expect([first.stop, first.openCalls.length, first.outcomes.map(({ rule }) => rule)]).toEqual([
      'approval', 1, ['duplicate-call-id'],
    ]);
    const second = await rest(first, [ANSWER], isSame ? { router } : {});
    expect([second.stop, asked, second.outcomes.map(({ status, rule }) => rule ?? status)]).toEqual([
      'final', ['Oslo'], ['duplicate-call-id', 'ok'],
    ]);
    expect(second.messages.filter(({ role }) => role === 'tool').map(({ content }) => content.slice(0, 10))).toEqual([
      '{"ok":true', '{"ok":fals',
    ]);
  });

  test('makes no call with the id of an earlier one', async () => {
    const { model } = scripted([FIRST, callOf('c1', 'Rome').slice(18)]);
    const running = runTurn({ model, messages: [ASK], router: counting() });
    let outputs = 0;
    for await (const { type } of running) if (type === 'response.completed' && ++outputs === 2) break;
    const second = await rest(await running.result, [ANSWER], { approve: () => true });
    expect([asked, second.outcomes.map(({ status, rule }) => rule ?? status)]).toEqual([
      [], ['ok', 'duplicate-call-id'],
    ]);
  });

  test('makes the calls of a run that was cancelled before them', async () => {
    const { model } = scripted([THOUGHT]);
    const running = runTurn({ model, messages: [ASK], router: counting() });
    for await (const { type } of running) if (type === 'response.completed') break;
    const first = await running.result;
    expect([first.stop, first.openCalls.length, asked]).toEqual(['cancelled', 3, []]);
    const second = await rest(first, [ANSWER]);
    expect([second.stop, asked, second.openCalls]).toEqual(['final', ['Oslo', 'Rome', 'Bern'], []]);
  });

  test('makes the whole calls of an output that was cut, and tells the model of the one that is not', async () => {
    const first = await run([FIRST + callOf('c2', 'Rome').slice(0, -12)], { router: counting() });
    expect([first.stop, first.openCalls.length, asked, first.outcomes]).toEqual(['length', 2, [], []]);
    const second = await rest(first, [ANSWER]);
    expect([second.stop, asked, second.outcomes.map(({ status, rule }) => rule ?? status)]).toEqual([
      'final', ['Oslo'], ['ok', 'truncated'],
    ]);
  });

  test('asks again for an output that failed', async () => {
    const script = scripted([THREE]);
    const first = await run([], {
      router: counting(), maxRounds: 2,
      model: (prompt) => {
        if (prompt.round === 2) throw new Error('of the model');
        return script.model(prompt);
      },
    });
    expect([first.stop, asked.length]).toEqual(['failed', 3]);
    expect(stored(first)).toMatchObject({ error: { name: 'TurnError', message: 'Error: of the model' } });
    const second = await rest(first, [ANSWER]);
    expect([second.stop, second.error, asked, second.outcomes.length]).toEqual(['final', null, [], 3]);
  });

  test('is the same as one that was never interrupted', async () => {
    const usage = { inputTokens: 10, outputTokens: 5, reasoningTokens: 2 };
    const model: TurnOptions['model'] = (prompt) =>
      ({ stream: scripted([THOUGHT, ANSWER]).model(prompt) as AsyncIterable<string>, usage: () => usage });
    const whole = await run([], { model, router: counting(), maxRounds: 2 });
    expect(whole.usage).toEqual({ inputTokens: 20, outputTokens: 10, reasoningTokens: 4 });
    const told = whole.events.flatMap((event) => (event.type === 'turn.usage' ? [event.round] : []));
    expect(told).toEqual([1, 2]);
    const first = await run([], { model, router: counting(), approve: () => null });
    const second = await rest(first, [], { model });
    const { events: _, script: __, ...plain } = whole;
    const { events: ___, prompts: ____, ...resumed } = second;
    const timeless = (result: TurnResult): unknown =>
      ({ ...result, outcomes: result.outcomes.map((outcome) => ({ ...outcome, durationMs: 0 })) });
    expect(timeless(resumed)).toEqual(timeless(plain));
  });

  test('with the answer there, asks nobody', async () => {
    const first = await run([THREE, ANSWER], { router: counting() });
    const second = await rest(first, []);
    expect([second.stop, second.prompts, second.messages.length]).toEqual(['final', [], first.messages.length]);
  });

  test('by the same router makes no call twice', async () => {
    const router = counting();
    const first = await run([FIRST], { router, approve: () => null });
    for (const expected of [['ok'], ['refused']]) {
      const model = scripted(['', ANSWER]).model;
      const { outcomes } = await runTurn({ model, router, resume: stored(first) }).result;
      expect(outcomes.map(({ status }) => status)).toEqual(expected);
    }
    expect(asked).toEqual(['Oslo']);
  });

  test('in Harmony, where calls have no ids but those that were made for them', async () => {
    const output = '<|channel|>commentary to=functions.weather<|message|>{"city":"Oslo"}<|call|>';
    const both = `${output}<|start|>assistant${output.replace('Oslo', 'Rome')}`;
    const first = await run([both], { dialect: 'harmony', router: counting(), approve: ({ argumentsValue }) =>
      ((argumentsValue as { city: string }).city === 'Rome' ? true : null) });
    expect([first.stop, asked]).toEqual(['approval', ['Rome']]);
    const second = await rest(first, [ANSWER], { dialect: 'harmony' });
    expect([second.stop, asked, lines(second.messages).slice(1, 5).map((line) => line.split(' ')[3])]).toEqual([
      'final', ['Oslo'], ['call_1', 'call_2', 'call_1', 'call_2'],
    ]);
  });

  test('where calls need no ids: those that the router made do not come again', async () => {
    const output = (city: string, id = ''): string => FIRST.replace(' call_id=c1', id).replace('Oslo', city);
    const router = (): ReturnType<typeof routerOf> => routerOf({ requireIds: false });
    // The second call has the id that the first one would be given.
    const first = await run([`${output('Oslo')}<|start|>assistant${output('Rome', ' call_id=call_1')}`], {
      router: router(),
    });
    const idsOf = ({ messages }: TurnResult): unknown[] =>
      messages.slice(1).map(({ role, callId }) => `${role} ${callId}`);
    const made = ['assistant call_2', 'assistant call_1', 'tool call_2', 'tool call_1'];
    expect([first.outcomes.map(({ status }) => status), idsOf(first)]).toEqual([['ok', 'ok'], made]);
    const second = await rest(first, [output('Bern'), ANSWER], { router: router() });
    expect([second.stop, idsOf(second).slice(4, 6)]).toEqual(['final', ['assistant call_3', 'tool call_3']]);
    const { outcomes } = await run([output('Bern')], { messages: first.messages, router: router() });
    expect(outcomes.map(({ callId }) => callId)).toEqual(['call_3']);
  });

  test.each<[what: string, change: (from: TurnResult) => unknown]>([
    ['null', () => null],
    ['no object', () => 'text'],
    ['without messages', ({ messages: _, ...others }) => others],
    ['with a message without content', (from) => ({ ...from, messages: [{}] as MessageData[] })],
    ['with a call of no message', (from) => ({ ...from, openCalls: from.openCalls.map((one) => ({ ...one, at: 9 })) })],
    ['with a reply before its call', (from) =>
      ({ ...from, openCalls: from.openCalls.map((one) => ({ ...one, replyAt: 0 })) })],
    ['with null for a call', (from) => ({ ...from, openCalls: [null] })],
  ])('from something else throws: %s', async (_, change) => {
    const first = await run([FIRST], { approve: () => null });
    const resume = change(first) as StoredTurn;
    expect(() => runTurn({ model: scripted([]).model, router: routerOf(), resume })).toThrow('option resume');
  });
});
