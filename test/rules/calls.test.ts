// Calls and replies (R-CALL): what each transcript is told about them. fixtures/cases/calls holds the cases for people
// to read.
import { describe, expect, test } from 'vitest';
import { check } from '../../src/tools.ts';

/** `call f c1 commentary` and the like, as messages of 2.2. */
const call = (name: string, id: string | null = null, channel = 'commentary'): string =>
  `<|start|>assistant to=${name}${id === null ? '' : ` call_id=${id}`}${channel && `<|channel|>${channel}`}`
    + `<|message|>{}<|call|>\n`;
const reply = (name: string, id: string | null = null): string =>
  `<|start|>tool${id === null ? '' : ` call_id=${id}`} name=${name} to=assistant<|channel|>commentary<|message|>{}`
    + `<|end|>\n`;
const line = (...bodies: string[]): string => bodies.map((body) => `<|im_start|>${body}\n<|im_end|>\n`).join('');

const HEADER = 'version: 2.2\n';

const CODES: Readonly<Record<string, string | null>> = { 'open-call': null, 'missing-tool-name': 'E-PARSE-HEADER' };

/** Rules with severity, in the order of their places. */
function told(text: string, dialect: 'auto' | 'harmony' | 'openchatml-2.0' | 'openchatml-0.1' = 'auto'): string[] {
  const found = check(text, { dialect }).filter(({ rule }) => rule !== 'missing-header');
  return found.sort((a, b) => a.from - b.from).map(({ rule, severity, code }) => {
    expect(code).toBe(CODES[rule] === undefined ? 'E-CALL-SCHEMA' : CODES[rule]);
    return `${severity} ${rule}`;
  });
}

describe('2.2', () => {
  test.each<[string, string, string[]]>([
    [
      'replies in any order',
      call('functions.f', 'a') + call('functions.g', 'b') + reply('functions.g', 'b') + reply('functions.f', 'a'), [],
    ],
    [
      'a reply that names another tool', call('functions.f', 'a') + reply('functions.g', 'a'),
      ['info open-call', 'error unmatched-reply'],
    ],
    [
      'a reply without a name',
      call('functions.f', 'a') + '<|start|>tool call_id=a to=assistant<|channel|>commentary<|message|>x<|end|>\n',
      ['warning missing-tool-name'],
    ],
    ['a reply of an author', call('browser.search', 'a')
      + '<|start|>browser.search call_id=a to=assistant<|channel|>commentary<|message|>x<|end|>\n', []],
    [
      'a call and its reply without ids', call('functions.f') + reply('functions.f'),
      ['error missing-call-id', 'error missing-call-id'],
    ],
    [
      'an id that is used again after its reply',
      call('functions.f', 'a') + reply('f', 'a') + call('functions.f', 'a') + reply('f', 'a'),
      ['error duplicate-call-id'],
    ],
    ['two replies', call('functions.f', 'a') + reply('f', 'a') + reply('f', 'a'), ['error duplicate-reply']],
    [
      'an unknown id after a call', call('functions.f', 'a') + reply('f', 'a') + reply('f', 'b'),
      ['error unmatched-reply'],
    ],
    [
      'an unknown id before any call', reply('f', 'b') + call('functions.f', 'a') + reply('f', 'a'),
      ['warning unmatched-reply'],
    ],
    [
      'two calls with one id, and a reply to each',
      call('functions.f', 'a') + call('functions.f', 'a') + reply('f', 'a') + reply('f', 'a'),
      ['error duplicate-call-id'],
    ],
    [
      'two calls with one id, and three replies',
      call('functions.f', 'a') + call('functions.f', 'a') + reply('f', 'a').repeat(3),
      ['error duplicate-call-id', 'error duplicate-reply'],
    ],
    [
      'two calls with one id, and one reply: the first one is answered',
      call('functions.f', 'a') + call('functions.g', 'a') + reply('f', 'a'),
      ['error duplicate-call-id', 'info open-call'],
    ],
    [
      'tools that share an id are told apart by their names',
      call('functions.f', 'a') + call('functions.g', 'a') + reply('g', 'a') + reply('f', 'a'),
      ['error duplicate-call-id'],
    ],
    [
      'an id that is used again after its reply',
      call('functions.f', 'a') + reply('f', 'a') + call('functions.f', 'a') + reply('f', 'a').repeat(2),
      ['error duplicate-call-id', 'error duplicate-reply'],
    ],
    [
      'a reply of a third tool with an id that two calls have',
      call('functions.f', 'a') + call('functions.g', 'a') + reply('h', 'a') + reply('f', 'a') + reply('g', 'a'),
      ['error duplicate-call-id', 'error unmatched-reply'],
    ],
    [
      'a call of the browser on analysis',
      call('browser', 'a', 'analysis') + call('container.exec', 'b', 'analysis') + call('python', 'c', 'analysis'),
      ['info open-call', 'info open-call', 'info open-call'],
    ],
    [
      'a name that only begins like a builtin', call('pythonic', 'a', 'analysis') + reply('pythonic', 'a'),
      ['error call-channel'],
    ],
    ['a call terminator of a user', '<|start|>user<|message|>x<|call|>\n', ['error call-without-recipient']],
    ['a message to the user', '<|start|>assistant to=user<|channel|>final<|message|>x<|end|>\n', []],
    [
      'ids of one transcript are not those of the next', call('functions.f', 'a') + HEADER + call('functions.f', 'a'),
      ['info open-call', 'info open-call'],
    ],
  ])('%s', (_, text, expected) => {
    expect(told(HEADER + text)).toEqual(expected);
  });

  test('ambiguous messages take no part', () => {
    const ambiguous =
      '<|start|>assistant to=functions.f to=functions.g call_id=a<|channel|>commentary<|message|>{}<|call|>\n';
    const found = check(HEADER + ambiguous + reply('f', 'a')).map(({ rule, severity }) => `${severity} ${rule}`);
    expect(found).toEqual(['error duplicate-attribute', 'warning unmatched-reply']);
  });

  test('a detected version asks for ids with a warning', () => {
    expect(told(call('functions.f'))).toEqual(['warning missing-call-id', 'info open-call']);
  });

  test('an open call is told when its transcript ends, at its message', () => {
    const text = `${HEADER}${call('functions.f', 'a')}${HEADER}<|start|>user<|message|>x`;
    expect(check(text).map(({ rule, from, to, transcript }) => ({ rule, from, to, transcript }))).toEqual([
      { rule: 'open-call', from: 13, to: text.indexOf('{}'), transcript: 0 },
      { rule: 'truncated', from: text.lastIndexOf('<|start|>'), to: text.length, transcript: 1 },
    ]);
  });

  test('more open calls than are remembered: the oldest are told, the others still wait', () => {
    const count = 65_536 + 10;
    const calls = Array.from({ length: count }, (_, i) => call('functions.f', `c${i}`)).join('');
    const found = check(HEADER + calls + reply('f', 'c20'));
    expect(new Set(found.map(({ rule }) => rule))).toEqual(new Set(['open-call']));
    // The last finding stands for many.
    const times = Number(/(\d+) times/.exec(found.at(-1)!.message)![1]);
    expect([found.length, found.length - 1 + times]).toEqual([10 + 1000 + 1, count - 1]);
  });
});

describe('dialects without ids', () => {
  test('harmony matches by name and order', () => {
    const two = call('functions.f') + call('functions.f') + call('functions.g');
    expect(told(two.replaceAll('\n', ''), 'harmony')).toEqual(['info open-call', 'info open-call', 'info open-call']);
    const answers = ['f', 'g', 'f']
      .map((name) => `<|start|>functions.${name} to=assistant<|channel|>commentary<|message|>x<|end|>`)
      .join('');
    expect(told(two.replaceAll('\n', '') + answers, 'harmony')).toEqual([]);
    expect(told(
      two.replaceAll('\n', '') + answers + '<|start|>functions.h to=assistant<|channel|>commentary<|message|>x<|end|>',
      'harmony',
    ))
      .toEqual(['error unmatched-reply']);
  });

  test('2.0 asks for no id', () => {
    expect(told('version: 2.0\n' + call(
      'functions.f',
    ) + '<|start|>functions.f to=assistant<|channel|>commentary<|message|>x<|end|>\n')).toEqual([]);
  });

  test('1.x knows no channel for calls', () => {
    expect(
      told('version: 1.0\n' + call('functions.f', null, '') + '<|start|>tool name=f to=assistant<|message|>x<|end|>\n'),
    ).toEqual([]);
  });

  const F = '<|function_call|>\n{"name":"f","arguments":{}}';
  const OUT = '<|function_output|>\n{"name":"f","content":1}';
  test.each<[string, string, string[]]>([
    ['two calls in one message, two replies', line(`assistant\n${F}\n${F}`, `tool\n${OUT}`, `tool\n${OUT}`), []],
    ['two outputs in one message', line(`assistant\n${F}\n${F}`, `tool\n${OUT}\n${OUT}`), []],
    ['one reply too many', line(`assistant\n${F}`, `tool\n${OUT}`, `tool\n${OUT}`), ['error unmatched-reply']],
    ['a call in a thought is text', line(`assistant\n<|start_reason|>${F}<|end_reason|>no`), []],
    ['a function token of a user is text', line(`user\n${F}`), []],
    [
      'BOS begins anew', `<s>${line(`assistant\n${F}`)}</s><s>${line(`tool\n${OUT}`)}</s>`,
      ['info open-call', 'warning unmatched-reply'],
    ],
  ])('0.1: %s', (_, text, expected) => {
    expect(told(text)).toEqual(expected);
  });
});
