// Reasoning that a model writes as text, in streams (R-THINK): never shown, nothing held back but what may be a marker.
import { describe, expect, test } from 'vitest';
import type { StreamEvent } from '../../../src/runtime/stream/event.ts';
import { MessageStream, type StreamOptions } from '../../../src/runtime/stream/stream.ts';
import { runs } from '../../long.ts';
import { randomOf, SEED } from '../../random.ts';
import { bytewise, deltasOf, eventsOf, id, SMALL } from './run.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const OPTIONS: StreamOptions = { dialect: 'openchatml-2.2', role: 'assistant', messageId: id };
const shownOf = (events: readonly StreamEvent[]): string => deltasOf(events, 'response.delta', id(0));
const toldOf = (events: readonly StreamEvent[]): number[][] =>
  events.flatMap((event) => (event.type === 'diagnostic' && event.diagnostic.rule === 'reasoning-in-final'
    ? [[event.diagnostic.from, event.diagnostic.to]] : []));

/** What is shown after each character of a body. */
function stepwise(body: string, options: StreamOptions = {}): string[] {
  const stream = new MessageStream({ ...OPTIONS, ...options });
  stream.feed('<|message|>');
  const steps: string[] = [];
  let shown = '';
  for (const character of body) {
    shown += shownOf(stream.feed(character));
    steps.push(shown);
  }
  return steps;
}

describe.each([
  ['a thought', '<think>\nSecret.\n</think>\n\nHello.', 'Hello.', [11, 18]],
  ['behind white space', ' \n<think>Secret.</think>Hello.', ' \nHello.', [13, 20]],
  ['without an end', '<think>Secret. </thinkSecret', '', [11, 18]],
  ['what only looks like one', '<thin king> < </thin', '<thin king> < </thin', null],
  ['later in the text', 'Write <think> first.', 'Write <think> first.', null],
  ['one thought alone', '<think>Secret</think>a<think>b</think>c', 'a<think>b</think>c', [11, 18]],
  ['in literal blocks', '<|literal|><think><|endliteral|>a', '<think>a', null],
  ['a block in a thought', '<think>Secret<|literal|></think><|endliteral|>Secret</think>a', 'a', [11, 18]],
  ['a quoted token in a thought', '<think>Secret<<|end|>Secret</think>a', 'a', [11, 18]],
  ['with marks', '<think>Secret<|start_reason|>Secret</think>Secret<|end_reason|>a', 'a', [11, 18]],
  ['characters of several bytes', '<think>Secret ü</think> ü<é</think>', 'ü<é</think>', [11, 18]],
] as const)('%s', (_, body, shown, told) => {
  const input = bytes(`<|message|>${body}<|return|>`);
  test('at every cut', () => {
    for (const machines of [undefined, SMALL]) {
      const whole = eventsOf(input, OPTIONS, [], machines);
      expect([shownOf(whole), toldOf(whole)]).toEqual([shown, told === null ? [] : [told]]);
      for (const cuts of [bytewise(input), ...bytewise(input).map((at) => [at])]) {
        const events = eventsOf(input, OPTIONS, cuts, machines);
        expect([shownOf(events), toldOf(events)], String(cuts)).toEqual([shown, told === null ? [] : [told]]);
      }
    }
  });
});

test('nothing is held back but what may be a marker', () => {
  expect(stepwise(' <t')).toEqual([' ', ' ', ' ']);
  expect(stepwise('<tx')).toEqual(['', '', '<tx']);
  expect(stepwise('a </b')).toEqual(['a', 'a ', 'a ', 'a ', 'a </b']);
  // A lone `<` may be a control token.
  expect(stepwise('<think>a</think>b</t')).toEqual([...Array<string>(16).fill(''), 'b', 'b', 'b</', 'b</t']);
});

test('an end alone: what was shown stays shown, and it is told', () => {
  expect(stepwise('a</think> b')).toEqual([...Array<string>(10).fill('a'), 'ab']);
  const events = eventsOf(bytes('<|message|>a</think> b<|return|>'), OPTIONS);
  expect(toldOf(events)).toEqual([[12, 20]]);
});

test('no character goes on behind a marker', () => {
  const body = [0xe2, ...bytes('</think>'), 0x82, 0x80];
  const input = Uint8Array.from([...bytes('<|message|>'), ...body, ...bytes('b<|end|>')]);
  for (const cuts of [[], bytewise(input)]) expect(shownOf(eventsOf(input, OPTIONS, cuts))).toBe('\ufffd\ufffd\ufffdb');
});

test('thinkOpen: the first message begins within a thought', () => {
  expect(stepwise('Secret</think>\n\nb', { thinkOpen: true }).at(-1)).toBe('b');
  expect(stepwise('<think>Secret</think>b', { thinkOpen: true }).at(-1)).toBe('b');
  expect(stepwise('Secret', { thinkOpen: true }).at(-1)).toBe('');
  const next = '<|message|>Secret</think>a<|end|><|start|>assistant<|message|>b</think>c<|end|>';
  const events = eventsOf(bytes(next), { ...OPTIONS, thinkOpen: true });
  expect([shownOf(events), deltasOf(events, 'response.delta', id(1))]).toEqual(['a', 'bc']);
});

test('in Harmony it is text', () => {
  const text = '<|channel|>final<|message|><think>a</think>b<|return|>';
  const events = eventsOf(bytes(text), { ...OPTIONS, dialect: 'harmony' });
  expect([shownOf(events), toldOf(events)]).toEqual(['<think>a</think>b', []]);
});

test('in 0.1 a call in a thought is text, and one behind it ends what is shown', () => {
  const options: StreamOptions = { dialect: 'openchatml-0.1', messageId: id };
  const text = '<|im_start|>assistant\n<think>Secret <|function_call|></think>a<|function_call|>{}<|im_end|>\n';
  for (const cuts of [[], bytewise(bytes(text))]) expect(shownOf(eventsOf(bytes(text), options, cuts))).toBe('a');
});

const NOISE = ['', 'S', '<', '</', '<think', '</thinkS', '<|literal|>S<|endliteral|>', '<<|end|>', '\n'];
const RUNS = runs(20_000);
test(`${RUNS} random bodies: no thought is shown (OPENCHATML_SEED=${SEED})`, () => {
  const random = randomOf(SEED);
  for (let run = 0; run < RUNS; run++) {
    const noise = (): string => random.pick(NOISE);
    const secret = `${noise()}${noise()}SECRET${noise()}${noise()}`;
    const [front, behind] = [random.pick(['', ' ', '\r\n\t']), random.pick(['', '\n\n'])];
    const input = bytes(`<|message|>${front}<think>${secret}</think>${behind}answer<|end|>`);
    const cuts = bytewise(input).filter(() => random.once(4));
    const shown = shownOf(eventsOf(input, OPTIONS, cuts));
    expect(shown.trim(), `OPENCHATML_SEED=${SEED}, run ${run}: ${Buffer.from(input).toString()}`).toBe('answer');
  }
});
