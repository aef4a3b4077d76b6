// The tool router: which calls are refused, who does the others, and with which arguments (R-CALL, R-TOOLS, 2.2 §8).
import { describe, expect, test } from 'vitest';
import type { ToolHandler, RoutedCall, RouterOptions } from '../../../src/runtime/router/types.ts';
import { call, envelope, errorOf, routerOf, WEATHER } from './cases.ts';

/** What a handler was given, for one call. */
async function argumentsGiven(fields: Partial<RoutedCall>, options: Partial<RouterOptions> = {}): Promise<unknown[]> {
  const given: unknown[] = [];
  const note: ToolHandler = (value) => void given.push(value);
  const { router } = routerOf({ handlers: { 'functions.weather': note, 'browser.*': note, python: note }, ...options });
  await router.dispatch(call(fields));
  return given;
}

describe('a call is refused', () => {
  const tools = [WEATHER];
  test.each<[what: string, fields: Partial<RoutedCall>, code: string, rule: string]>([
    ['whose recipient is ambiguous', { isUndispatchable: true }, 'E-PARSE-HEADER', 'duplicate-attribute'],
    ['whose channel is ambiguous', { isAmbiguous: true }, 'E-PARSE-HEADER', 'duplicate-attribute'],
    ['of a user', { role: 'user' }, 'E-CALL-SCHEMA', 'call-without-recipient'],
    ['without a recipient', { recipient: null }, 'E-CALL-SCHEMA', 'call-without-recipient'],
    ['to a person', { recipient: 'user' }, 'E-CALL-SCHEMA', 'call-without-recipient'],
    ['to a number', { recipient: 5 as never }, 'E-CALL-SCHEMA', 'call-without-recipient'],
    ['with a number as its id', { callId: 5 as never }, 'E-CALL-SCHEMA', 'missing-call-id'],
    ['with an object as its id', { callId: {} as never, recipient: 'x' }, 'E-CALL-SCHEMA', 'missing-call-id'],
    ['of no id under a version that is none', { callId: null, header: { version: { toString: null } } as never },
      'E-CALL-SCHEMA', 'missing-call-id'],
    ['without its message token', { lacksMessage: true }, 'E-PARSE-HEADER', 'missing-message'],
    ['that was cut', { end: 'eof' }, 'E-STREAM-TRUNCATED', 'truncated'],
    ['that never ended', { end: 'implicit' }, 'E-STREAM-TRUNCATED', 'missing-end'],
    ['without an id', { callId: null }, 'E-CALL-SCHEMA', 'missing-call-id'],
    ['with an empty id', { callId: '' }, 'E-CALL-SCHEMA', 'missing-call-id'],
    ['of a function on analysis', { channel: 'analysis' }, 'E-CALL-SCHEMA', 'call-channel'],
    ['of a function on final', { channel: 'final' }, 'E-CALL-SCHEMA', 'call-channel'],
    ['without a channel', { channel: null }, 'E-CALL-SCHEMA', 'call-channel'],
    ['of a builtin tool on final', { recipient: 'python', channel: 'final' }, 'E-CALL-SCHEMA', 'call-channel'],
    ['of an unknown function', { recipient: 'functions.missing' }, 'E-CALL-SCHEMA', 'unknown-tool'],
    ['of an unknown builtin tool', { recipient: 'container.exec' }, 'E-CALL-SCHEMA', 'unknown-tool'],
    ['of a name of a prototype', { recipient: 'functions.constructor' }, 'E-CALL-SCHEMA', 'unknown-tool'],
    ['of __proto__', { recipient: '__proto__' }, 'E-CALL-SCHEMA', 'unknown-tool'],
    ['of a prefix alone', { recipient: 'browser.' }, 'E-CALL-SCHEMA', 'unknown-tool'],
    ['without a definition', { recipient: 'functions.undefined' }, 'E-CALL-SCHEMA', 'unknown-tool'],
    ['with arguments that are declared as JSON', { content: '{' }, 'E-BODY-CONSTRAINT-VIOLATION', 'invalid-json'],
    ['with no JSON of a hint', { content: '{', constrained: false }, 'E-CALL-SCHEMA', 'invalid-arguments'],
    ['with no JSON of no type', { content: '{', contentType: null }, 'E-CALL-SCHEMA', 'invalid-arguments'],
    ['with arguments of another shape', { content: '{"city":1}' }, 'E-CALL-SCHEMA', 'invalid-arguments'],
    ['with arguments that are none', { content: '' }, 'E-BODY-CONSTRAINT-VIOLATION', 'invalid-json'],
    ['with more arguments', { content: '{"city":"Oslo","secret":"x"}' }, 'E-CALL-SCHEMA', 'invalid-arguments'],
    ['with long arguments', { content: `{"city":"${'x'.repeat(1 << 20)}"}` }, 'E-CALL-SCHEMA', 'invalid-arguments'],
    [
      'with marks of reasoning',
      { recipient: 'python', channel: 'analysis', marked: true },
      'E-CALL-SCHEMA',
      'invalid-arguments',
    ],
    [
      'with what reads as reasoning',
      { recipient: 'python', channel: 'analysis', content: '<|start_reason|>x' },
      'E-CALL-SCHEMA',
      'invalid-arguments',
    ],
    [
      'with deep arguments of no schema',
      { recipient: 'browser.x', content: '['.repeat(100_000) + ']'.repeat(100_000) },
      'E-CALL-SCHEMA',
      'invalid-arguments',
    ],
    [
      'with a number beyond JavaScript',
      { recipient: 'browser.x', content: '[1e400]' },
      'E-CALL-SCHEMA',
      'invalid-arguments',
    ],
    ...['0', '-1', '"soon"', '"5"', 'null', 'true', '[1]', '{}'].map(
      (value): [string, Partial<RoutedCall>, string, string] => [
        `with deadline_ms ${value}`,
        { content: `{"city":"Oslo","deadline_ms":${value}}` },
        'E-CALL-SCHEMA',
        'bad-deadline',
      ],
    ),
  ])('%s', async (_, fields, code, rule) => {
    let asked = 0;
    const ask: ToolHandler = () => void asked++;
    const { router, clock, events } = routerOf({
      tools,
      handlers: { 'functions.weather': ask, 'functions.undefined': ask, 'browser.*': ask, python: ask },
    });
    const outcome = await router.dispatch(call({ callId: 'c', ...fields }));
    expect([outcome.status, outcome.code, outcome.rule, asked, clock.timers]).toEqual(['refused', code, rule, 0, 0]);
    expect(envelope(outcome)).toMatchObject({ ok: false, content: null, error: { code } });
    expect(errorOf(outcome).message).toContain(rule);
    expect(outcome.reply).toMatchObject({ role: 'tool', recipient: 'assistant', channel: 'commentary' });
    expect(events).toEqual([{ type: 'tool.done', call_id: outcome.callId, status: 'refused', code }]);
  });

  test('and what it is told holds nothing of the arguments', async () => {
    const { router } = routerOf({ tools });
    for (const content of ['{"city":"canary"', '{"city":["canary"]}', '{"city":"canary","deadline_ms":"canary"}']) {
      const outcome = await router.dispatch(call({ content }));
      const rule = { '{"city":"canary"': 'invalid-json', '{"city":["canary"]}': 'invalid-arguments' }[content];
      expect([outcome.rule, outcome.reply.content.includes('canary')]).toEqual([rule ?? 'bad-deadline', false]);
    }
  });

  test('with the id of another one, which goes on undisturbed', async () => {
    const { router, clock } = routerOf({
      handlers: { 'functions.weather': () => new Promise((resolve) => clock.setTimeout(() => resolve(1), 10)) },
    });
    const first = router.dispatch(call({ callId: 'same' }));
    const second = await router.dispatch(call({ callId: 'same' }));
    expect([second.status, second.rule, second.callId]).toEqual(['refused', 'duplicate-call-id', 'same']);
    await clock.run();
    expect((await first).status).toBe('ok');
    expect((await router.dispatch(call({ callId: 'same' }))).rule).toBe('duplicate-call-id');
    router.reserveIds(['older']);
    expect((await router.dispatch(call({ callId: 'older' }))).rule).toBe('duplicate-call-id');
  });
});

describe('Harmony, where models call on any channel', () => {
  test.each(['analysis', 'final', 'comment', null])('a call on %s is made, with a warning', async (channel) => {
    const { router } = routerOf({ tools: [WEATHER] });
    const made = await router.dispatch(call({ channel, dialect: 'harmony' }));
    expect([made.status, made.code, made.rule, made.warning]).toEqual(['ok', null, undefined, 'call-channel']);
  });

  test('one on its own channel has none, and what else is wrong is refused', async () => {
    const { router } = routerOf({ tools: [WEATHER], handlers: { 'functions.weather': () => 1, python: () => 1 } });
    expect((await router.dispatch(call({ dialect: 'harmony' }))).warning).toBeUndefined();
    const body = { contentType: null, content: '<|start_reason|>' };
    const python = call({ recipient: 'python', channel: 'analysis', dialect: 'harmony', ...body });
    expect(await router.dispatch(python)).toMatchObject({ status: 'ok' });
    expect(await router.dispatch({ ...python, callId: 'marked', marked: true })).toMatchObject({ status: 'refused' });
    const ambiguous = call({ channel: 'analysis', dialect: 'harmony', isAmbiguous: true });
    expect(await router.dispatch(ambiguous)).toMatchObject({ rule: 'duplicate-attribute' });
    const unknown = call({ channel: 'analysis', dialect: 'harmony', recipient: 'functions.x' });
    expect(await router.dispatch(unknown)).toMatchObject({ rule: 'unknown-tool', status: 'refused' });
  });
});

describe('what a transcript asks of its calls', () => {
  const profile = (fields: object): RoutedCall['header'] =>
    ({ version: '2.2', profiles: { harmony: { enabled: true, ...fields } } });
  const statusOf = async (fields: Partial<RoutedCall>): Promise<string> => {
    const { router } = routerOf({
      tools: [WEATHER], handlers: { 'functions.weather': () => 1, python: () => 1, 'crm.find': () => 1 },
    });
    const { status, rule, warning } = await router.dispatch(call(fields));
    return [status, rule, warning].filter(Boolean).join(' ');
  };

  test.each<[what: string, fields: Partial<RoutedCall>, status: string]>([
    ['0.1 knows no channels', { dialect: 'openchatml-0.1', channel: null }, 'ok'],
    ['1.x neither', { header: { version: '1.1' }, channel: null }, 'ok'],
    ['1.x as a number', { header: { version: 1 }, channel: null }, 'ok'],
    ['1.x needs no ids', { header: { version: '1.0' }, callId: null }, 'ok'],
    ['2.0 needs no ids', { dialect: 'openchatml-2.0', callId: null }, 'ok'],
    ['Harmony has none', { dialect: 'harmony', callId: null }, 'ok'],
    ['2.2 needs one', { header: { version: '2.2' }, callId: null }, 'refused missing-call-id'],
    ['2.0 knows channels', { dialect: 'openchatml-2.0', channel: null }, 'refused call-channel'],
    ['a profile that allows analysis', { header: profile({ tool_calls_in: 'analysis' }), channel: 'analysis' }, 'ok'],
    ['and then no other', { header: profile({ tool_calls_in: 'analysis' }) }, 'refused call-channel'],
    ['a list of them', { header: profile({ tool_calls_in: ['analysis', 'commentary'] }) }, 'ok'],
    [
      'a profile for builtin tools',
      { recipient: 'python', header: profile({ builtins_in: 'commentary' }), channel: 'analysis' },
      'refused call-channel',
    ],
    [
      'a profile that is not enabled',
      { header: profile({ enabled: false, tool_calls_in: 'analysis' }), channel: 'analysis' },
      'refused call-channel',
    ],
    [
      'Harmony with a profile',
      { dialect: 'harmony', header: profile({ tool_calls_in: 'analysis' }), channel: 'commentary' },
      'ok call-channel',
    ],
    [
      'builtin tools that the header lists',
      { recipient: 'crm.find', header: { generation_settings: { builtin_tools: ['crm'] } }, channel: 'analysis' },
      'ok',
    ],
    ['and without it', { recipient: 'crm.find' }, 'refused unknown-tool'],
  ])('%s', async (_, fields, status) => {
    expect(await statusOf(fields)).toBe(status);
  });
});

describe('a call is looked at, and denied', () => {
  test('inspecting it tells what its handler would be given, and calls nothing', async () => {
    let asked = 0;
    const { router, events } = routerOf({ tools: [WEATHER], handlers: { 'functions.weather': () => asked++ } });
    const one = call({ recipient: 'weather', content: '{"city":"Oslo","deadline_ms":5}' });
    const inspected = { recipient: 'functions.weather', argumentsValue: { city: 'Oslo' } };
    expect([router.inspect(one), router.inspect(one), asked, events]).toEqual([inspected, inspected, 0, []]);
    expect((await router.dispatch(one)).status).toBe('ok');
    expect(router.inspect(one)).toBeNull();
    expect(router.inspect(call({ content: '{' }))).toBeNull();
    expect(router.inspect(call({ callId: null }))).toBeNull();
  });

  test('denying it uses up its id, and tells the model why', async () => {
    const { router, events } = routerOf({ tools: [WEATHER] });
    const one = call({ callId: 'denied' });
    const outcome = router.deny(one, 'not today');
    expect(outcome).toMatchObject({ status: 'denied', code: null, callId: 'denied', recipient: 'functions.weather' });
    expect(errorOf(outcome)).toEqual({ code: 'call-denied', message: 'the call was not approved: not today' });
    expect(events).toEqual([{ type: 'tool.done', call_id: 'denied', status: 'denied', code: null }]);
    expect((await router.dispatch(one)).rule).toBe('duplicate-call-id');
    expect(router.deny(one).rule).toBe('duplicate-call-id');
  });
});

describe('a recipient', () => {
  test.each([
    ['functions.weather', 'commentary', 'own'],
    ['weather', 'commentary', 'own'],
    ['functions.other', 'commentary', 'functions.*'],
    ['functions.a.b', 'commentary', 'functions.a.*'],
    ['browser.search', 'analysis', 'search'],
    ['browser.search', 'commentary', 'search'],
    ['browser.open', 'analysis', 'browser.*'],
    ['python', 'analysis', 'python'],
    ['browser', 'analysis', null],
    ['functions.python', 'analysis', 'python'],
    ['functions.browser.search', 'commentary', 'search'],
  ])('%s on %s goes to %s', async (recipient, channel, expected) => {
    const named =
      (name: string): ToolHandler =>
      () =>
        name;
    const { router } = routerOf({
      handlers: {
        'functions.*': named('functions.*'),
        'functions.a.*': named('functions.a.*'),
        'functions.weather': named('own'),
        'browser.*': named('browser.*'),
        'browser.search': named('search'),
        python: named('python'),
      },
    });
    const outcome = await router.dispatch(call({ recipient, channel }));
    expect(outcome.status === 'ok' ? envelope(outcome)['content'] : null).toBe(expected);
    // A builtin tool is named without `functions.`
    const own = recipient.replace(/^functions\.(?=python|browser)/, '');
    expect(outcome.reply.name).toBe(recipient === 'weather' ? 'functions.weather' : own);
  });

  test.each([
    ['calendar', 'analysis', 'calendar', 'ok'], ['calendar.add', 'commentary', 'calendar.add', 'ok'],
    ['functions.calendar.add', 'commentary', 'calendar.add', 'ok'], ['clock', 'analysis', 'functions.clock', 'refused'],
  ])('builtin tools of a header: %s on %s', async (recipient, channel, name, status) => {
    const run = (): number => 1;
    const handlers = { calendar: run, 'calendar.*': run, 'functions.clock': run };
    const { router } = routerOf({ handlers, builtinTools: ['calendar'] });
    const outcome = await router.dispatch(call({ recipient, channel }));
    expect([outcome.reply.name, outcome.status]).toEqual([name, status]);
  });

  test('of many dots is looked up at once', async () => {
    const { router } = routerOf({ handlers: { 'functions.*': () => 1 } });
    expect((await router.dispatch(call({ recipient: 'a.'.repeat(32_000) }))).rule).toBe('unknown-tool');
  });
});

describe('arguments', () => {
  test.each<[what: string, fields: Partial<RoutedCall>, given: unknown]>([
    ['of a function are the value of the body', {}, { city: 'Oslo' }],
    ['lose deadline_ms', { content: '{"city":"Oslo","deadline_ms":5}' }, { city: 'Oslo' }],
    [
      'of a builtin tool are a value as well',
      { recipient: 'browser.search', contentType: 'code', channel: 'analysis', content: '{"query":1}' },
      { query: 1 },
    ],
    ['of python are its text', { recipient: 'python', contentType: 'code', content: '1' }, '1'],
    ['of python are a value when it says so', { recipient: 'python', content: '{"code":"1"}' }, { code: '1' }],
  ])('%s', async (_, fields, given) => {
    expect(await argumentsGiven(fields)).toEqual([given]);
  });

  test('keep deadline_ms when the schema names it', async () => {
    const tool = {
      ...WEATHER,
      parameters: { type: 'object', properties: { deadline_ms: { type: ['number', 'string'] } } },
    };
    const tools = [tool];
    expect(await argumentsGiven({ content: '{"deadline_ms":5}' }, { tools })).toEqual([{ deadline_ms: 5 }]);
    expect(await argumentsGiven({ content: '{"deadline_ms":"soon"}' }, { tools })).toEqual([{ deadline_ms: 'soon' }]);
  });
});
