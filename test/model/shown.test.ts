// What an end user sees: every page of fixtures/cases says it; and bodies made of parts of which it is known.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { messagesOf } from '../../src/corpus/messages.ts';
import { parseOn } from '../../src/model/parse.ts';
import type { DialectId } from '../../src/scan/dialects.ts';
import type { Machine } from '../../src/scan/machine.ts';
import { Twin } from '../../src/scan/twin/twin.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { bodyPieces, shownSpans, shownText } from '../../src/model/shown.ts';
import { VisibilityError } from '../../src/model/visibility.ts';
import { type Fixture, readFixtures } from '../fixture.ts';
import { SEED } from '../random.ts';
import { Chunked } from '../read.ts';

const WASM = new WasmMachine();
const SMALL = new WasmMachine({ tableRows: 8, window: 1024 });

/** What `show` gives for every message; null: it refuses. */
function shownOf(machine: Machine, { input, options }: Fixture, cuts: (read: number) => number): (string | null)[] {
  const shown: (string | null)[] = [];
  for (const { message } of messagesOf(machine, new Chunked(input, cuts), options)) {
    try {
      shown.push(message.show());
    } catch (error) {
      expect(error).toBeInstanceOf(VisibilityError);
      expect(error).toMatchObject({ code: 'E-PERM-VISIBILITY', from: message.from });
      shown.push(null);
    }
  }
  return shown;
}

describe('every fixture page', () => {
  const fixtures = readFixtures();

  test.each(fixtures.map((fixture): [string, Fixture] => [fixture.name, fixture]))('%s', (_, fixture) => {
    const whole = shownOf(WASM, fixture, () => fixture.input.length);
    const expected = fixture.messages.map((message, i) => {
      if (!message['visible']) return null;
      const length = message['content-length'];
      const shown = message['shown'] ?? message['content'];
      return shown ?? (whole[i]?.length === length ? whole[i] : length);
    });
    expect(whole).toEqual(expected);
    for (const machine of [new Twin(), SMALL]) expect(shownOf(machine, fixture, () => 5)).toEqual(whole);
  });

  test('some of them show less than the content', () => {
    const less = fixtures.filter(({ messages }) => messages.some((message) => 'shown' in message));
    expect(less.length).toBeGreaterThan(15);
  });
});

interface Part {
  text: string;
  shown: string;
}

const plain = (text: string): Part => ({ text, shown: text });
const hidden = (text: string): Part => ({ text, shown: '' });
const NAMES = ['reason', 'reflect', 'introspect'] as const;

/** Text without `<`, so that it is neither token nor escape; nor a newline at its end, which 0.1 may trim. */
const word = fc.stringMatching(/^[a-zé"&{} ]{0,6}x$/);
const thought = fc.tuple(fc.constantFrom(...NAMES), word, word).map(([name, a, b]) => {
  const other = NAMES[(NAMES.indexOf(name) + 1) % NAMES.length]!;
  const inner = `${a}<|start_${name}|>${b}<|end_${name}|><|end_${other}|><|start_${other}|>${a}`;
  return hidden(`<|start_${name}|>${inner}<|end_${name}|>${b}<|end_${other}|>`);
});
const marks = fc.constantFrom(...NAMES.map((name) => plain(`<|end_${name}|>`)));
const escape = fc.constantFrom('end', 'start', 'literal', 'endliteral').map((name) => ({
  text: `<<|${name}|>`,
  shown: `<|${name}|>`,
}));
const opaque = fc.constantFrom('<|end|>', '<|start_reason|>', '<<|end|>', '<|literal|>');
const literal = fc.tuple(word, opaque).map(([a, token]) => ({
  text: `<|literal|>${a}${token}<|endliteral|>`,
  shown: a + token,
}));

interface Kind {
  dialect: DialectId;
  frame: (body: string) => string;
  parts: fc.Arbitrary<Part>[];
  last: Part[];
}

const DIALECTS: Record<string, Kind> = {
  '2.2': {
    dialect: 'openchatml-2.2',
    frame: (body) => `<|start|>assistant<|channel|>final<|message|>${body}`,
    parts: [word.map(plain), thought, marks, escape, literal],
    last: [
      plain('<|end|>'), hidden('<|start_reason|>a<<|end|><|end_reflect|>'),
      hidden('<|literal|>a<|start_reason|><|end|>'),
    ],
  },
  '2.0': {
    dialect: 'openchatml-2.0',
    frame: (body) => `<|start|>assistant<|channel|>final<|message|>${body}`,
    parts: [word.map(plain), thought, marks, word.map((text) => plain(`<|literal|>${text}`))],
    last: [plain('<|end|>'), hidden('<|start_introspect|>a<|end_reason|>')],
  },
  '0.1': {
    dialect: 'openchatml-0.1',
    frame: (body) => `<|im_start|>assistant\nfirst ${body}`,
    parts: [word.map(plain), thought, marks, word.map((text) => plain(`<|literal|><|end|>${text}`))],
    last: [
      plain('<|im_end|>'), hidden('<|function_call|>{}<|end_reason|>text<|start_reason|>a'),
      hidden('<|start_reason|>a<|function_call|>'),
    ],
  },
};
const TERMINATORS = new Set(['<|end|>', '<|im_end|>']);

test.each(Object.keys(DIALECTS))(`a body of known parts, %s (OPENCHATML_SEED=${SEED})`, (name) => {
  const { dialect, frame, parts, last } = DIALECTS[name]!;
  const body = fc.tuple(fc.array(fc.oneof(...parts), { maxLength: 8 }), fc.constantFrom(...last));
  fc.assert(fc.property(body, ([begin, end]) => {
    const text = frame(begin.map((part) => part.text).join('') + end.text);
    const bytes = new TextEncoder().encode(text);
    const message = parseOn(WASM, bytes, { dialect }).transcripts[0]!.at(0)!;
    const shown = [...begin, ...(TERMINATORS.has(end.text) ? [] : [end])].map((part) => part.shown).join('');
    expect(shownText(message)).toBe((dialect === 'openchatml-0.1' ? 'first ' : '') + shown);
  }), { seed: SEED, numRuns: 2000 });
});

test('spans are in order, inside the body, and with what is cut they are the content', () => {
  const text = '<|start|>assistant<|message|>a<<|end|><|start_reason|>b<|literal|>c<|endliteral|>d<|end_reason|>e'
    + '<|literal|>f';
  const bytes = new TextEncoder().encode(text);
  const message = parseOn(WASM, bytes).transcripts[0]!.at(0)!;
  const cut = (from: number, to: number): string => text.slice(from, to);
  expect([...shownSpans(message)].map(({ from, to }) => cut(from, to))).toEqual(['a', '<|end|>', 'e']);
  const pieces = [...bodyPieces(message)];
  expect(pieces.map(({ from, to, cut: reason }) => [cut(from, to), reason])).toEqual([
    ['a', null], ['<|end|>', null], ['<|start_reason|>b', 'thought'], ['c', 'thought'], ['d<|end_reason|>', 'thought'],
    ['e', null], ['f', 'literal'],
  ]);
  expect(pieces.map(({ from, to }) => cut(from, to)).join('')).toBe(message.content);
});

test('each piece of a content is decoded by itself, of whatever length', () => {
  const pieces = ['\xe2', '\x82\xac', 'a', '\xe2\x82', '\xc3', '\xa9', 'b'.repeat(20_000), '\xf0\x9f', '\x98\x80c'];
  const body = pieces.map((piece) => `<|literal|>${piece}<|endliteral|>`).join('');
  const bytes = Buffer.from(`<|start|>assistant<|message|>${body.repeat(3)}<|end|>`, 'latin1');
  const message = parseOn(WASM, bytes).transcripts[0]!.at(0)!;
  const expected = pieces.map((piece) => Buffer.from(piece, 'latin1').toString()).join('').repeat(3);
  expect(message.content).toBe(expected);
  expect(shownText(message)).toBe(expected);
});

test('a user says markers and function tokens as text; an open literal block is cut there too', () => {
  const shown = (text: string): string => {
    const bytes = new TextEncoder().encode(text);
    return shownText(parseOn(WASM, bytes).transcripts[0]!.at(0)!);
  };
  const body = 'a <|start_reason|>b<|function_call|>c';
  expect(shown(`<|im_start|>user\n${body}<|im_end|>`)).toBe(body);
  expect(shown('<|start|>user<|message|>a <|start_reason|>b<|literal|>c<|end|>')).toBe('a <|start_reason|>b');
});
