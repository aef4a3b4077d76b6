// Whole transcripts: what is written reads back as the same data, in every dialect; fixtures and real dialogues too
// (2.2 §2, R-VERSION, R-CONCAT).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../../../src/formats/loss.ts';
import {
  transcriptTexts, writeHead, writeMessage, type WriteOptions, writeTail, writeTranscript,
} from '../../../src/formats/write/write.ts';
import { type MessageData, messageData, type TranscriptData } from '../../../src/model/data.ts';
import type { HeaderValue } from '../../../src/model/header/text.ts';
import { type Transcript } from '../../../src/model/parse.ts';
import type { DialectId } from '../../../src/scan/dialects.ts';
import { check, parse } from '../../../src/rules/library-best.ts';
import { readFixtures } from '../../fixture.ts';
import { runs } from '../../long.ts';
import { SEED } from '../../random.ts';
import { sharedData } from '../../skip.ts';

const USER: MessageData = { role: 'user', content: 'Hi' };
const ANSWER: MessageData = { role: 'assistant', channel: 'final', content: 'Hello', end: 'return' };

/** The data of a transcript; the version as text (R-VERSION). */
function dataOf(transcript: Transcript): TranscriptData {
  const header = transcript.header && {
    ...transcript.header,
    ...(transcript.version !== null && { version: transcript.version }),
  };
  return { header, tools: [], messages: [...transcript].map(messageData) };
}

const header = (
  fields: { [key: string]: HeaderValue } | null,
  dialect: DialectId = 'openchatml-2.2',
  options?: WriteOptions,
): string => writeHead({ header: fields, tools: [] }, dialect, options).text;

describe('a transcript', () => {
  const data = { header: { version: '2.2', model: 'm' }, tools: [], messages: [USER, ANSWER] };

  test('in each dialect', () => {
    const written = (dialect: DialectId, options?: WriteOptions) => writeTranscript(data, dialect, options);
    expect(written('openchatml-2.2')).toEqual({
      text: 'version: 2.2\nmodel: m\n<|start|>user<|message|>Hi<|end|>\n'
        + '<|start|>assistant<|channel|>final<|message|>Hello<|return|>\n',
      losses: [],
    });
    expect(written('openchatml-2.0').text).toMatch(/^version: 2\.0\nmodel: m\n<\|start\|>/);
    expect(written('harmony')).toEqual({
      text: '<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>final<|message|>Hello<|return|>',
      losses: [{ what: 'header', message: null }],
    });
    const line = '<|im_start|>user\nHi\n<|im_end|>\n<|im_start|>assistant\nHello\n<|im_end|>\n';
    expect(written('openchatml-0.1')).toEqual({
      text: `<s>\n${line}</s>\n`,
      losses: [
        { what: 'header', message: null },
        { what: 'end', message: 1 },
      ],
    });
    expect(written('openchatml-0.1', { bounds: 'bracket' }).text).toBe(`[BOS]${line}[EOS]\n`);
    expect(written('openchatml-0.1', { bounds: 'none' }).text).toBe(line);
  });

  test('is the same in pieces', () => {
    for (const dialect of ['openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1', 'harmony'] as const) {
      const pieces = [
        writeHead(data, dialect),
        ...data.messages.map((message, i) => writeMessage(message, i, dialect, {}, data.messages[i - 1])),
      ];
      const { text, losses } = writeTranscript(data, dialect);
      expect(pieces.map((piece) => piece.text).join('') + writeTail(dialect)).toBe(text);
      expect(pieces.flatMap((piece) => piece.losses)).toEqual(losses);
    }
  });

  test('tools beside the messages are a loss', () => {
    const tools = [{ namespace: 'functions', name: 'f' }];
    for (const dialect of ['openchatml-2.2', 'harmony', 'openchatml-0.1'] as const) {
      expect(writeTranscript({ header: null, tools, messages: [] }, dialect).losses).toMatchObject([
        { what: 'tools', message: null },
      ]);
    }
  });

  test('several can stand in one file', () => {
    for (const dialect of ['openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1'] as const) {
      const { text } = writeTranscript({ header: null, tools: [], messages: [USER] }, dialect);
      const parsed = parse(text.repeat(3));
      expect(parsed.transcripts.map((transcript) => [transcript.dialect, transcript.length])).toEqual(
        Array(3).fill([dialect, 1]),
      );
    }
  });

  test('a wrong call throws, and names the option', () => {
    expect(() => writeTranscript(data, 'openchatml-1.0' as DialectId)).toThrow(RangeError);
    for (const option of ['markers', 'contentType', 'bounds', 'header', 'neutralise']) {
      expect(() => writeTranscript(data, 'harmony', { [option]: 'x' })).toThrow(`option ${option}`);
    }
  });
});

describe('the document header', () => {
  test('is made where there is none, unless the caller wants none', () => {
    expect(header(null)).toBe('version: 2.2\n');
    expect(header(null, 'openchatml-2.0')).toBe('version: 2.0\n');
    expect(header(null, 'openchatml-2.2', { header: false })).toBe('');
    expect(header(null, 'harmony')).toBe('');
    expect(
      writeHead({ header: { version: '2.2', a: 1 }, tools: [] }, 'openchatml-2.2', { header: false }).losses,
    ).toEqual([{ what: 'header', message: null }]);
  });

  test('begins with a version that asks for the dialect', () => {
    const versions: [HeaderValue, string, string][] = [
      ['2.2', '2.2', '2.0'],
      ['2.10', '2.10', '2.0'],
      ['2.0', '2.2', '2.0'],
      [2, '2.2', '2.0'],
      [2.1, '2.2', '2.0'],
      ['1.1', '2.2', '2.0'],
      ['2.00', '2.00', '2.0'],
    ];
    for (const [version, text22, text20] of versions) {
      expect(header({ model: 'm', version })).toBe(`version: ${text22}\nmodel: m\n`);
      expect(header({ model: 'm', version }, 'openchatml-2.0')).toBe(`version: ${text20}\nmodel: m\n`);
    }
    for (const version of ['3.0', '2.2\nx: y', null, ['2.2'], '']) {
      const written = writeHead({ header: { version }, tools: [] }, 'openchatml-2.2');
      expect(written).toMatchObject({ text: 'version: 2.2\n', losses: [{ what: 'header', message: null }] });
    }
  });

  test('does not end where its fields hold tokens or lines', () => {
    const fields: { [key: string]: HeaderValue } = {
      version: '2.2',
      a: '<|start|>user<|message|>x<|end|>',
      '<|end|>': ['<|start|>', { '<|start|>u': '<|message|>' }],
      b: 'x\n---\n<|start|>\ny',
      c: '---',
      d: '...',
      e: '\\x3c|start|>u',
      f: '2.2',
      g: 'true',
      h: null,
      i: [[], {}],
      j: -0.5,
      k: '# no',
      'a: b': ': c',
      l: '\u2028\u0085\0\r\n\t\ud800',
      __x: 'version: 2.0',
      m: '&a',
      n: '!!x *y',
    };
    const text = header(fields) + writeMessage(USER, 0, 'openchatml-2.2').text;
    expect(check(text)).toEqual([]);
    const [transcript] = parse(text).transcripts;
    expect(dataOf(transcript!)).toEqual({ header: { ...fields }, tools: [], messages: [{ ...USER, end: 'end' }] });
  });

  test('tells values apart that look alike', () => {
    const values: HeaderValue[] = [
      0,
      -0,
      Infinity,
      NaN,
      null,
      '0',
      'n0',
      's0',
      '',
      { n: '0' },
      ['0'],
      [0],
      [null],
      true,
      'true',
    ];
    const texts = [...values, ...values].map((value) => header({ a: value }));
    expect(new Set(texts).size).toBe(values.length);
    expect(texts.slice(values.length)).toEqual(texts.slice(0, values.length));
  });

  test('that a reader would not take back is refused', () => {
    const deep = (depth: number): HeaderValue => {
      let value: HeaderValue = 1;
      for (let i = 0; i < depth; i++) value = { a: value };
      return value;
    };
    for (const value of [deep(100), deep(20_000), 'x'.repeat(70_000), '['.repeat(65), 'y'.repeat(1 << 20)]) {
      expect(() => header({ a: value })).toThrow(Refusal);
    }
    expect(header({ a: '['.repeat(64) })).toContain('[[[');
    expect(header({ a: deep(63) })).toContain('{"a":{"a":');
  });

  test(`with any fields is read back (OPENCHATML_SEED=${SEED})`, () => {
    const piece = fc.constantFrom(
      'a',
      ' ',
      '\n',
      ':',
      '#',
      '-',
      '---',
      '"',
      "'",
      '<|',
      '<|start|>',
      '<|end|>',
      'u',
      '\\',
      '|',
      '>',
      '&',
      '*',
      '!',
      '%',
      '@',
      '{',
      '1',
      '.',
      '~',
      '\u00e9',
      '\u{1f600}',
      '\ufeff',
      '\t',
      '\r',
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 6 }).map((parts) => parts.join('')),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    );
    const { value } = fc.letrec<{ value: HeaderValue }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.integer(),
        fc.double(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(text, tie('value'), { maxKeys: 3, noNullPrototype: true }),
      ),
    }));
    let written = 0;
    fc.assert(
      fc.property(fc.dictionary(text, value, { maxKeys: 4, noNullPrototype: true }), (fields) => {
        let head: string;
        try {
          head = header({ ...fields, version: '2.2' });
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
          return;
        }
        written++;
        const [transcript] = parse(head + writeMessage(USER, 0, 'openchatml-2.2').text).transcripts;
        expect(transcript!.info.header!.problems).toEqual([]);
        expect(dataOf(transcript!).header).toEqual({ ...fields, version: '2.2' });
        expect(transcript!.length).toBe(1);
      }),
      { seed: SEED, numRuns: runs(3_000) },
    );
    expect(written).toBeGreaterThan(runs(2_500));
  });
});

test(`any transcript reads back as its data (OPENCHATML_SEED=${SEED})`, () => {
  const fragment = fc.constantFrom(
    'a',
    '<',
    '<|end|>',
    '<|start|>user<|message|>',
    '\n',
    'version: 2.2\n',
    '---\n',
    '<|literal|>',
    '<|endliteral|>',
    '<|start_reason|>',
    '<s>',
  );
  const content = fc.array(fragment, { maxLength: 4 }).map((parts) => parts.join(''));
  const value = fc.constantFrom('x1', 'functions.f', 'a=b', '\u00e9');
  const field = fc.option(value, { nil: undefined });
  const type = fc.option(fc.constantFrom('json', 'markdown'), { nil: undefined });
  const message = fc.record(
    {
      role: fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool'),
      name: field,
      callId: field,
      intent: fc.constantFrom(undefined, 'preamble', 'status'),
      contentType: type,
      recipient: fc.constantFrom(undefined, 'assistant', 'functions.f', 'python'),
      channel: fc.constantFrom(undefined, 'analysis', 'commentary', 'final'),
      content,
      end: fc.constantFrom('end' as const, 'call' as const, 'return' as const),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), (messages) => {
      const { text, losses } = writeTranscript(
        { header: { version: '2.2', model: 'm' }, tools: [], messages },
        'openchatml-2.2',
      );
      expect(losses).toEqual([]);
      // Detection finds the dialect by the header.
      const { transcripts } = parse(text);
      expect(transcripts.length).toBe(1);
      const { header: read, messages: back } = dataOf(transcripts[0]!);
      expect(read).toEqual({ version: '2.2', model: 'm' });
      expect(back.map(({ marked: _, ...rest }) => rest)).toEqual(messages);
    }),
    { seed: SEED, numRuns: runs(3_000) },
  );
});

/** Pages whose transcripts cannot come back the same, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'attributes/control-character-value': 'a control character in a value is refused',
  'attributes/nul-value': 'a control character in a value is refused',
  'escape/in-a-value': 'a token in a value is refused',
  'calls/function-1-x': 'what was 1.x is written as 2.2',
  'detect/version-1-all-final': 'what was 1.x is written as 2.2',
  'detect/version-1-escape': 'what was 1.x is written as 2.2',
  'detect/version-1-explicit-channel': 'what was 1.x is written as 2.2',
  'suggested/1-all-final': 'what was 1.x is written as 2.2',
  'conform/bad-header-value': 'what is no version is written as 2.2',
  'conform/one-x': 'what was 1.x is written as 2.2',
  'conform/reply-recipient': 'a reply of 2.0 is told to the assistant',
  'conform/unknown-intent-0-1': 'an intent has no place in 0.1',
  'visibility/preamble-in-2-0': 'an intent has no place in 2.0',
  'concat/given-dialect-for-all': 'the header names another version than the dialect that the caller gives',
  'detect/caller-wins-over-header': 'the header names another version than the dialect that the caller gives',
  'disagreements/call-of-2-2': 'Harmony has no call id',
  'disagreements/tool-role-no-recipient': 'a reply in Harmony always has a recipient',
  'unclosed/header-tokens-in-body-2-0': 'a body with a token is refused where there is no escape',
  'rescue/header-in-user': 'a body with a token is refused where there is no escape',
  'rescue/words-behind-channel': 'a body with a token is refused where there is no escape',
  'unclosed/header-tokens-in-body-harmony': 'a body with a token is refused where there is no escape',
};

describe('fixtures that are read without an error come back', () => {
  const pages = readFixtures().filter(
    (page) => page.diagnostics.every((it) => it.severity !== 'error') && page.messages.length > 0,
  );

  test('are many', () => {
    expect(pages.length).toBeGreaterThan(80);
  });

  /** Throws when a transcript does not come back. */
  const comeBack = ({ input, options }: (typeof pages)[number]): void => {
    for (const transcript of parse(input, options).transcripts) {
      if (transcript.length === 0) continue;
      const data = dataOf(transcript);
      const given: WriteOptions = { header: data.header !== null, contentType: 'given', bounds: 'none' };
      const { text, losses } = writeTranscript(data, transcript.dialect, given);
      expect(losses.filter(({ what }) => what !== 'end')).toEqual([]);
      const { transcripts } = parse(text, { dialect: data.header ? 'auto' : transcript.dialect });
      expect(transcripts.map(dataOf)).toEqual([usual(data)]);
    }
  };

  test.each(pages.filter(({ name }) => !(name in EXCEPTIONS)).map((page) => [page.name, page] as const))(
    '%s',
    (_, page) => comeBack(page),
  );

  test.each(Object.entries(EXCEPTIONS))('but %s: %s', (name) => {
    expect(() => comeBack(pages.find((page) => page.name === name)!)).toThrow();
  });
});

/** A message that was cut is written as a whole one. */
function usual(data: TranscriptData): TranscriptData {
  const messages = data.messages.map((message) =>
    message.end === 'implicit' || message.end === 'eof' ? { ...message, end: 'end' as const } : message,
  );
  return { ...data, messages };
}

const folder = sharedData('dialogues');

test.skipIf(folder === null)('real dialogues of 2.2 come back byte for byte, but for the order of attributes', () => {
  const bytes = gunzipSync(readFileSync(join(folder!, 'openchatml-2.2.txt.gz')));
  const texts = bytes
    .toString('utf8')
    .split(/(?=^version: 2\.2$)/m)
    .slice(0, runs(3000));
  let [same, reordered] = [0, 0];
  for (const text of texts) {
    const [transcript] = parse(text).transcripts;
    // This corpus quotes a value of its header that YAML reads without quotes.
    const { text: written, losses } = writeTranscript(dataOf(transcript!), 'openchatml-2.2');
    expect(losses).toEqual([]);
    const expected = text
      .replace(/reasoning_effort: "low"/, 'reasoning_effort: low')
      .replace(/^(<\|start\|>tool) (call_id=\S+) (name=\S+) (to=assistant)(?=<)/gm, (_, start, id, name, to) => {
        reordered++;
        return `${start} ${to} ${id} ${name}`;
      });
    if (written !== expected) expect(written).toBe(expected);
    same++;
  }
  expect({ same, reordered: reordered > 0 }).toEqual({ same: runs(3000), reordered: true });
});

test('long bodies are not put together, nor copied where nothing is to be escaped', () => {
  const plain = 'a < b '.repeat(50_000);
  const messages: MessageData[] = [
    USER, { role: 'user', content: plain }, { role: 'user', content: '<|end|>'.repeat(200_000) },
    { ...ANSWER, content: '<think></think>'.repeat(20_000), written: null }, ANSWER,
  ];
  const data: TranscriptData = { header: null, tools: [], messages };
  const { texts } = transcriptTexts(data, 'openchatml-2.2');
  expect(texts.every((text) => text.length < 1_000_000)).toBe(true);
  expect(texts.join('') === writeTranscript(data, 'openchatml-2.2').text).toBe(true);
  const contents = (all: Iterable<{ content: string }>): string => [...all].map(({ content }) => content).join('');
  expect(contents(parse(texts.join('')).messages()) === contents(messages)).toBe(true);
});
