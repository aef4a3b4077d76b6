// Files and fill-ins of 0.1 as data: read, written, and carried beside messages (R-FIM).
import { readFileSync } from 'node:fs';
import { Validator } from '@cfworker/json-schema';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { convertTranscript } from '../../src/formats/convert.ts';
import { neutralOf } from '../../src/formats/neutral.ts';
import {
  fromInterchange20, fromInterchange22, toInterchange20, toInterchange22,
} from '../../src/formats/interchange/interchange.ts';
import { type Loss, Refusal } from '../../src/formats/loss.ts';
import { transcriptData } from '../../src/formats/transcript-data.ts';
import { writeTranscript, type WriteOptions } from '../../src/formats/write/write.ts';
import type { FileData, FilePart, MessageData, TranscriptData } from '../../src/model/data.ts';
import type { FillInPart } from '../../src/model/sequence.ts';
import { parse } from '../../src/rules/library-best.ts';
import { runs } from '../long.ts';
import { SEED } from '../random.ts';

const LINE = 'openchatml-0.1';
const USER: MessageData = { role: 'user', content: 'Q', end: 'end' };
const ANSWER: MessageData = { role: 'assistant', content: 'A', end: 'end' };
const of = (files: readonly FileData[], ...messages: MessageData[]): TranscriptData =>
  ({ header: null, tools: [], messages, files });
const fileOf = (before: number, ...parts: FilePart[]): FileData => ({ before, parts });

function read(text: string, dialect: 'auto' | typeof LINE = LINE): TranscriptData {
  const { transcripts } = parse(text, { dialect });
  expect(transcripts).toHaveLength(1);
  return transcriptData(transcripts[0]!);
}

function written(data: TranscriptData, options?: WriteOptions): string {
  const { text, losses } = writeTranscript(data, LINE, options);
  expect(losses).toEqual([]);
  return text;
}

describe('the examples of the documents', () => {
  const example = (name: string): string =>
    readFileSync(new URL(`../../fixtures/cases/examples/${name}.txt`, import.meta.url), 'utf8');

  test('0.1 §7: three files', () => {
    const data = read(example('0-1-7-files'));
    expect(data.files).toEqual([
      fileOf(0, 'This is the content from the first file.'),
      fileOf(0, 'This is the content from the second file.\nAnd this is more content from the second file.'),
      fileOf(0, 'Finally, this is the content from the third file.'),
    ]);
    expect(written(data, { bounds: 'none' })).toBe(example('0-1-7-files'));
  });

  test('0.1 §7: a fill-in to complete', () => {
    const data = read(example('0-1-7-fill-in'));
    expect(data.files).toEqual([fileOf(0, {
      prefix: 'The capital of France is ',
      middle: '',
      suffix: ', which is known for its famous Eiffel Tower.',
      order: ['prefix', 'middle', 'suffix'],
    })]);
    expect(written(data, { bounds: 'none' })).toBe(example('0-1-7-fill-in'));
  });

  test.each([
    '0-1-extended-9-code', '0-1-extended-9-code-completed', '0-1-extended-9-files', '0-1-extended-9-files-completed',
  ])('%s comes back, and so it does through convert', (name) => {
    const data = read(example(name));
    expect(written(data, { bounds: 'none' })).toBe(example(name));
    const neutral = neutralOf(data, LINE);
    const { text, losses } = convertTranscript(neutral.data, LINE, { edges: { bos: '', eos: '' } });
    expect([text, neutral.losses, losses]).toEqual([example(name), [], []]);
  });
});

test('where they stand, whether a separator comes first, and the order of a fill-in', () => {
  const text = '<s>\n<|file_separator|>\none\n<|im_start|>user\nQ\n<|im_end|>\n'
    + 'two\n<|file_separator|>\n<|fim_suffix|>)<|fim_prefix|>(<|fim_middle|>x\n</s>\n';
  const data = read(text);
  expect(data).toEqual(of([
    { before: 0, separated: true, parts: ['one'] },
    fileOf(1, 'two'),
    fileOf(1, { prefix: '(', middle: 'x', suffix: ')', order: ['suffix', 'prefix', 'middle'] }),
  ], USER));
  expect(written(data)).toBe(text);
});

test('white space around tokens is all that changes', () => {
  expect(written(read('a<|file_separator|>b<|file_separator|>'), { bounds: 'none' }))
    .toBe('a\n<|file_separator|>\nb\n<|file_separator|>\n');
});

test('what needs a separator before it gets one', () => {
  const texts: [FileData[], string][] = [
    [[fileOf(0, 'one')], '<|file_separator|>\none\n'],
    [[fileOf(0)], '<|file_separator|>\n'],
    [[fileOf(0), fileOf(0, 'two')], '<|file_separator|>\n<|file_separator|>\ntwo\n'],
    [[fileOf(0, '<|start|>'), fileOf(0)], '<|file_separator|>\n<|start|>\n<|file_separator|>\n'],
    [[fileOf(0, '\ufeffone'), fileOf(0)], '\n\ufeffone\n<|file_separator|>\n'],
  ];
  for (const [files, text] of texts) {
    expect(written(of(files), { bounds: 'none' })).toBe(text);
    const parts = read(text, 'auto').files!.map((file) => file.parts);
    expect(parts).toEqual(files.map((file) => file.parts));
  }
});

describe('what a reader would take for something else', () => {
  const refused: [string, FilePart[], RegExp][] = [
    ['a message', ['a<|im_start|>user'], /file 0 holds <\|im_start\|>/],
    ['a separator', ['<|file_separator|>'], /file 0 holds <\|file_separator\|>/],
    ['the end of the sequence', ['a</s>'], /file 0 holds <\/s>/],
    ['a token within a fill-in', [{ prefix: '[BOS]', middle: null, suffix: null }], /file 0 holds \[BOS\]/],
    ['text behind a fill-in', [{ prefix: 'a', middle: null, suffix: null }, 'b'], /part of the fill-in before it/],
    [
      'two fill-ins that would be one',
      [{ prefix: 'a', middle: null, suffix: null }, { prefix: null, middle: 'b', suffix: null }],
      /part of the fill-in before it/,
    ],
    ['a fill-in of nothing', [{ prefix: null, middle: null, suffix: null }], /order/],
    ['an order that is none', [{ prefix: 'a', middle: null, suffix: null, order: ['suffix'] }], /order/],
    ['half a character', ['\ud83d'], /surrogate/],
  ];
  test.each(refused)('is refused: %s', (_, parts, words) => {
    const data = of([fileOf(0, ...parts)]);
    expect(() => writeTranscript(data, LINE)).toThrow(Refusal);
    expect(() => writeTranscript(data, LINE)).toThrow(words);
  });

  test('named tokens of the base model are no text either', () => {
    const data = of([fileOf(0, 'a <|begin|> b')]);
    expect(written(data)).toContain('<|begin|>');
    expect(() => writeTranscript(data, LINE, { edges: { bos: '<|begin|>' } })).toThrow(Refusal);
  });

  test('is broken up when that is asked for', () => {
    const data = of([fileOf(0, '<|im_start|> </s> [EOS] <|fim_middle|>')]);
    const { text, losses } = writeTranscript(data, LINE, { neutralise: true });
    expect(read(text).files![0]!.parts).toEqual(['<| im_start |> < /s> [ EOS] <| fim_middle |>']);
    expect(losses).toEqual([
      { what: 'field', message: null, detail: 'control tokens of a file neutralised with spaces: 4' },
    ]);
  });
});

describe('through the shapes of other forms', () => {
  const FILES = [fileOf(1, 'one'), fileOf(1, 'two')];

  test.each(['openchatml-2.2', 'openchatml-2.0', 'harmony', 'messages', 'anthropic', 'responses', 'sharegpt'] as const)(
    '%s has no place for them, which is told once', (form) => {
      const { losses } = convertTranscript(of(FILES, USER, { ...ANSWER, channel: 'final' }), form);
      expect(losses.filter(({ what }) => what === 'files')).toEqual([
        { what: 'files', message: null, detail: 'files and fill-ins outside of messages are left out' },
      ]);
    },
  );

  test('no turn of 0.1 goes on behind a file', () => {
    const thought: MessageData = { role: 'assistant', channel: 'analysis', content: 'T' };
    const data = of(FILES, thought, { ...ANSWER, channel: 'final' });
    const { text } = convertTranscript(data, LINE);
    expect(text).toBe('<s>\n<|im_start|>assistant\n<|start_reason|>T<|end_reason|>\n<|im_end|>\n'
      + 'one\n<|file_separator|>\ntwo\n<|im_start|>assistant\nA\n<|im_end|>\n</s>\n');
    expect(neutralOf(read(text!), LINE).data.files).toEqual(FILES);
  });

  test('they stay where they are when messages before them go or come', () => {
    const thought: MessageData = { role: 'assistant', content: '<think>\nT\n</think>\n\nA', end: 'end' };
    const data = of([fileOf(2, 'one'), fileOf(2, 'two')], USER, thought, USER);
    const order = (text: string): string[] => [...text.matchAll(/\b(?:one|two|[QTA])\b/g)].map(([word]) => word);
    expect(order(convertTranscript(data, LINE).text!)).toEqual(['Q', 'T', 'A', 'one', 'two', 'Q']);
    expect(order(convertTranscript(data, LINE, { reasoning: 'ocm' }).text!)).toEqual(['Q', 'A', 'one', 'two', 'Q']);
    const tools = [{ namespace: 'functions', name: 'f' }];
    expect(order(convertTranscript({ ...data, tools }, LINE).text!)).toEqual(['Q', 'T', 'A', 'one', 'two', 'Q']);
  });
});

describe('in the interchange forms (R-JSON)', () => {
  const FORMS = [[toInterchange22, fromInterchange22], [toInterchange20, fromInterchange20]] as const;
  const SCHEMAS = ['2.2', '2.0'].map((version) => {
    const path = new URL(`../../schemas/interchange-${version}.schema.json`, import.meta.url);
    return new Validator(JSON.parse(readFileSync(path, 'utf8')) as object, '2020-12');
  });
  const through = (
    data: TranscriptData, [to, from]: (typeof FORMS)[number],
  ): { data: TranscriptData; losses: Loss[] } => {
    const { record, losses } = to(data);
    const read = from(JSON.parse(JSON.stringify(record)));
    return { data: read.data, losses: [...losses, ...read.losses] };
  };

  test.each(FORMS)('nothing is folded over a file', (...form) => {
    const call = (callId: string): MessageData => ({
      role: 'assistant', recipient: 'functions.f', channel: 'commentary', callId, content: '{}', end: 'call',
    });
    const said: MessageData[] = [
      USER, { role: 'assistant', channel: 'analysis', content: 'T', end: 'end' },
      { role: 'assistant', channel: 'final', intent: 'preamble', content: 'P', end: 'end' }, call('a'), call('b'),
    ];
    for (let before = 0; before <= said.length; before++) {
      const data = of([{ before, separated: true, parts: ['one'] }, fileOf(before, 'two')], ...said);
      expect(through(data, form)).toEqual({ data, losses: [] });
    }
  });

  test.each<[what: string, files: unknown]>([
    ['no list', {}], ['no file', ['a']], ['no parts', [{ before: 0 }]], ['no place', [{ parts: [] }]],
    ['behind all', [{ before: 2, parts: [] }]], ['a half', [{ before: 0.5, parts: [] }]],
    ['out of order', [{ before: 1, parts: [] }, { before: 0, parts: [] }]],
    ['no text', [{ before: 0, parts: [1] }]], ['no prefix', [{ before: 0, parts: [{ prefix: 1 }] }]],
    ['another order', [{ before: 0, parts: [{ prefix: 'a', order: ['suffix'] }] }]],
    ['a part twice', [{ before: 0, parts: [{ prefix: 'a', suffix: 'b', order: ['prefix', 'prefix'] }] }]],
    ['separated by words', [{ before: 0, separated: 'yes', parts: [] }]],
  ])('%s is refused', (_, files) => {
    const record = { version: '2.2', messages: [{ role: 'user', content: 'Q' }], files };
    expect(() => fromInterchange22(record)).toThrow(Refusal);
  });

  test('what else a file says is told', () => {
    const files = [{ before: 0, path: 'a.ts', parts: [{ prefix: 'a', language: 'ts' }] }];
    const { losses } = fromInterchange22({ version: '2.2', messages: [], files });
    expect(losses.map(({ detail }) => detail)).toEqual(['files.path', 'files.parts.language']);
  });

  test(`any files come back (OPENCHATML_SEED=${SEED})`, () => {
    fc.assert(fc.property(transcripts(), fc.constantFrom(...FORMS), (data, form) => {
      const { files, ...rest } = data;
      const given = files!.length > 0 ? data : rest;
      expect(through(data, form)).toEqual({ data: given, losses: [] });
      expect(SCHEMAS[FORMS.indexOf(form)]!.validate(form[0](data).record).valid).toBe(true);
    }), { seed: SEED, numRuns: runs(10_000) });
  });
});

const PIECES = [
  'a', 'b c', ' ', '\t', '\n', '\r\n', '\r', '<', '<|', '|>', '<|end|>', '<|start|>user', '<|im_end|>', '<|reason|>',
  '<|function_call|>', '<s', '[BO', '{', '\u00e9', '\u{1f600}', '\ufeff', '\0', 'key: x\n', '---\n', '# c\n',
];

/** Transcripts with files in the form that reading gives. */
function transcripts(): fc.Arbitrary<TranscriptData> {
  const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 5 }).map((pieces) => pieces.join(''));
  const order = fc.shuffledSubarray<FillInPart>(['prefix', 'middle', 'suffix'], { minLength: 1 });
  const task = fc.tuple(order, text, text, text).map(([parts, prefix, middle, suffix]) => {
    const has = (part: FillInPart, given: string): string | null => (parts.includes(part) ? given : null);
    const texts = { prefix: has('prefix', prefix), middle: has('middle', middle), suffix: has('suffix', suffix) };
    return { ...texts, order: parts };
  });
  const tasks = fc.array(task, { maxLength: 3 })
    .filter((all) => all.every((it, i) => i === 0 || all[i - 1]!.order.includes(it.order[0]!)));
  const parts = fc.tuple(text, tasks).map(([lead, rest]): FilePart[] => (lead === '' ? rest : [lead, ...rest]));
  const place = fc.oneof(fc.constant([]), fc.array(parts, { minLength: 1, maxLength: 3 }));
  const message = fc.tuple(fc.constantFrom('user', 'assistant', 'system'), fc.constantFrom('Q', '', '\n', '<s>', '<'))
    .map(([role, content]): MessageData => ({ role, content, end: 'end' }));
  return fc.array(message, { maxLength: 3 }).chain((messages) =>
    fc.tuple(fc.array(place, { minLength: messages.length + 1, maxLength: messages.length + 1 }), fc.boolean())
      .map(([places, isSeparated]): TranscriptData => of(places.flatMap((all, before) => all.map((own, i): FileData =>
        ({ before, ...(isSeparated && i === 0 && { separated: true }), parts: own }))), ...messages)));
}

/** Without what the writer may add: a separator before the first file of a place. */
const bare = ({ files, ...rest }: TranscriptData): TranscriptData =>
  ({ ...rest, files: (files ?? []).map(({ before, parts }) => ({ before, parts })) });

test(`any files come back from the text, and from its data again (OPENCHATML_SEED=${SEED})`, () => {
  const bounds = fc.constantFrom<'s' | 'bracket' | 'none'>('s', 'bracket', 'none');
  let carried = 0;
  fc.assert(
    fc.property(transcripts(), bounds, fc.constantFrom<'auto' | typeof LINE>('auto', LINE), (data, edges, dialect) => {
      const text = written(data, { bounds: edges });
      if (data.messages.length + data.files!.length === 0) return;
      const again = read(text, dialect);
      expect(bare(again)).toEqual(bare(data));
      for (const [i, file] of data.files!.entries()) {
        if (file.separated) expect(again.files![i]!.separated).toBe(true);
      }
      expect(written(again, { bounds: edges })).toBe(text);
      carried += data.files!.length;
    }),
    { seed: SEED, numRuns: runs(10_000) },
  );
  expect(carried).toBeGreaterThan(runs(10_000));
});

test(`any text of files comes back but for white space around tokens (OPENCHATML_SEED=${SEED})`, () => {
  const token = fc.constantFrom('<|file_separator|>', '<|fim_prefix|>', '<|fim_middle|>', '<|fim_suffix|>');
  const piece = fc.oneof(token, fc.constantFrom('a', 'b  c', ' ', '\n', '\r\n', '<', '<|reason|>', '\u00e9'));
  const gap = fc.tuple(fc.array(piece, { maxLength: 6 }), token, fc.array(piece, { maxLength: 6 }))
    .map(([before, one, behind]) => [...before, one, ...behind].join(''));
  const message = fc.constantFrom('<|im_start|>user\nQ\n<|im_end|>\n', '<|im_start|>assistant\n<|im_end|>');
  const tight = (text: string): string =>
    text.replace(/[ \t\r\n]*(<\|(?:file_separator|fim_\w+|im_start|im_end)\|>|<\/?s>)[ \t\r\n]*/g, '$1');
  fc.assert(
    fc.property(gap, message, gap, (first, between, last) => {
      const text = `<s>${first}${between}${last}</s>`;
      expect(tight(written(read(text)))).toBe(tight(text));
    }),
    { seed: SEED, numRuns: runs(10_000) },
  );
});
