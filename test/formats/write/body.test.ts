// Bodies: every string of token fragments is written so that the real parser gives it back, or is refused (R-ESCAPE,
// R-TAIL, R-REFUSE).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Refusal } from '../../../src/formats/loss.ts';
import { type WriteOptions, writeMessage, writeTranscript } from '../../../src/formats/write/write.ts';
import type { MessageData } from '../../../src/model/data.ts';
import type { DialectId } from '../../../src/scan/dialects.ts';
import { check, parse } from '../../../src/rules/library-best.ts';
import { isAll, runs } from '../../long.ts';
import { randomOf, SEED } from '../../random.ts';

const FRAGMENTS = [
  '<',
  '<<',
  '<|',
  '|>',
  '<|end|>',
  '<|literal|>',
  '<|endliteral|>',
  '<|start|>',
  '<|start_reason|>',
  '<|end_reason|>',
  '<|im_end|>',
  'a',
  '\n',
  '\r',
];

const KINDS: readonly { name: string; message: Omit<MessageData, 'content'> }[] = [
  { name: 'user', message: { role: 'user' } },
  { name: 'assistant final', message: { role: 'assistant', channel: 'final' } },
  { name: 'assistant analysis', message: { role: 'assistant', channel: 'analysis' } },
];

/** All strings of up to `most` fragments. */
function* strings(most: number): Generator<string> {
  const counts = Array<number>(most).fill(0);
  const empty = FRAGMENTS.length;
  for (;;) {
    // A digit that is `empty` ends the string; what follows it is skipped, so that no string is made twice of the same
    // digits.
    const end = counts.indexOf(empty);
    const used = end < 0 ? counts : counts.slice(0, end);
    if (end < 0 || counts.slice(end).every((digit) => digit === empty))
      yield used.map((digit) => FRAGMENTS[digit]!).join('');
    let at = most - 1;
    while (at >= 0 && counts[at] === empty) counts[at--] = 0;
    if (at < 0) return;
    counts[at]!++;
  }
}

/** What may not stand in a body of the dialect. */
const BARRED: Readonly<Record<DialectId, RegExp | null>> = {
  'openchatml-2.2': null,
  'openchatml-2.0': /<\|(end|start)\|>/,
  'openchatml-0.1': /<\|im_(start|end)\|>/,
  harmony: /<\|(end|start)\|>/,
};

/** Writes bodies as messages of one transcript and reads all of them at once. */
function checkBatch(
  bodies: readonly string[],
  message: Omit<MessageData, 'content'>,
  dialect: DialectId,
  options: WriteOptions,
): void {
  const messages = bodies.map((content) => ({ ...message, content }));
  const { text, losses } = writeTranscript({ header: null, tools: [], messages }, dialect, options);
  expect(losses).toEqual([]);
  const parsed = parse(text, { dialect });
  expect(parsed.transcripts.length).toBe(1);
  const read = [...parsed.messages()];
  expect(read.length).toBe(bodies.length);
  for (let i = 0; i < bodies.length; i++) {
    if (read[i]!.content !== bodies[i])
      expect({ content: read[i]!.content, role: read[i]!.role }).toEqual({ content: bodies[i], role: message.role });
  }
  const errors = check(text, { dialect }).filter((found) => found.severity !== 'info');
  expect(errors).toEqual([]);
}

const MOST = isAll ? 4 : 3;

describe.each(Object.keys(BARRED) as DialectId[])('bodies in %s', (dialect) => {
  test.each(KINDS)(`$name: all strings of up to ${MOST} fragments`, ({ name, message }) => {
    if (dialect === 'openchatml-0.1' && name === 'assistant analysis') {
      expect(() => writeMessage({ ...message, content: '' }, 0, dialect)).toThrow(Refusal);
      return;
    }
    const marker = /<\|(start|end)_reason\|>/;
    let batch: string[] = [];
    let refused = 0;
    let written = 0;
    for (const content of strings(MOST)) {
      const isBarred =
        (BARRED[dialect]?.test(content) ?? false) ||
        (dialect === 'openchatml-2.0' && name === 'assistant final' && marker.test(content));
      if (isBarred) {
        refused++;
        expect(() => writeMessage({ ...message, content }, 0, dialect)).toThrow(Refusal);
        continue;
      }
      written++;
      batch.push(content);
      if (batch.length === 4000) {
        checkBatch(batch, message, dialect, {});
        batch = [];
      }
    }
    checkBatch(batch, message, dialect, {});
    expect(written).toBeGreaterThan(isAll ? 10_000 : 1000);
    expect(refused > 0).toBe(BARRED[dialect] !== null);
  });
});

describe('thought markers (R-COT)', () => {
  const read = (message: MessageData, options: WriteOptions = {}) => {
    const { text } = writeMessage(message, 0, 'openchatml-2.2', options);
    const [view] = parse(text, { dialect: 'openchatml-2.2' }).messages();
    return { content: view!.content, thoughts: view!.thoughts.length, text };
  };
  const content = 'a <<|start_reason|>b<|end_reason|> c';
  const final: MessageData = { role: 'assistant', channel: 'final', content };
  const analysis: MessageData = { role: 'assistant', channel: 'analysis', content };

  test('stay in an analysis, and are quoted where the body is shown', () => {
    expect(read(analysis)).toMatchObject({ content, thoughts: 1 });
    expect(read(final)).toMatchObject({ content, thoughts: 0 });
    expect(read({ role: 'user', content })).toMatchObject({ content, thoughts: 0 });
    expect(read({ role: 'assistant', channel: 'commentary', intent: 'preamble', content })).toMatchObject({
      content,
      thoughts: 0,
    });
    expect(read({ role: 'assistant', channel: 'commentary', content })).toMatchObject({ content, thoughts: 0 });
    expect(read(final).text).toContain(
      'a <|literal|><<|start_reason|><|endliteral|>b<|literal|><|end_reason|><|endliteral|> c<|end|>',
    );
  });

  test('are kept or quoted as the caller says', () => {
    expect(read(final, { markers: 'keep' })).toMatchObject({ content, thoughts: 1 });
    expect(read(analysis, { markers: 'quote' })).toMatchObject({ content, thoughts: 0 });
  });

  test('are kept or quoted as the message says, whatever the caller says', () => {
    expect(read({ ...final, marked: true }, { markers: 'quote' })).toMatchObject({ content, thoughts: 1 });
    expect(read({ ...analysis, marked: false }, { markers: 'keep' })).toMatchObject({ content, thoughts: 0 });
  });

  test('divide analyses of 2.0, and are refused where 2.0 would hide shown text', () => {
    const { text } = writeMessage(analysis, 0, 'openchatml-2.0');
    const [view] = parse(text, { dialect: 'openchatml-2.0' }).messages();
    expect(view!.thoughts.length).toBe(1);
    expect(view!.content).toBe(content);
    expect(() => writeMessage(final, 3, 'openchatml-2.0')).toThrow('message 3: the body holds <|start_reason|>');
    const written = writeMessage(final, 0, 'openchatml-2.0', { neutralise: true });
    expect(written.text).toContain('a <<| start_reason |>b<| end_reason |> c<|end|>');
    expect(written.losses).toEqual([
      { what: 'field', message: 0, detail: 'control tokens of the body neutralised with spaces: 2' },
    ]);
  });

  test('in a shown body are refused in Harmony, which would show the thoughts', () => {
    expect(() => writeMessage({ ...final, marked: true }, 0, 'harmony')).toThrow('would show');
    expect(writeMessage({ ...analysis, marked: true }, 0, 'harmony').text).toContain(content);
    expect(writeMessage(final, 0, 'harmony').text).toContain(content);
  });
});

describe('what cannot be written', () => {
  test('a refusal names message and token and nothing of the body', () => {
    const message = { role: 'user', content: 'a secret<|start|>another' };
    for (const dialect of ['openchatml-2.0', 'harmony'] as const) {
      let refusal: unknown;
      try {
        writeMessage(message, 7, dialect);
      } catch (error) {
        refusal = error;
      }
      expect(refusal).toBeInstanceOf(Refusal);
      expect((refusal as Refusal).index).toBe(7);
      expect((refusal as Refusal).message).toMatch(/^message 7: the body holds <\|start\|>/);
      expect((refusal as Refusal).message).not.toMatch(/secret|another/);
    }
  });

  test('each token of a dialect is refused in it, and neutralised on demand', () => {
    const tokens: Record<string, string[]> = {
      'openchatml-2.0': ['start', 'channel', 'message', 'call', 'return', 'end'],
      harmony: ['start', 'channel', 'message', 'call', 'constrain', 'return', 'end'],
      'openchatml-0.1': ['im_start', 'im_end'],
    };
    for (const [dialect, names] of Object.entries(tokens)) {
      for (const name of names) {
        const message = { role: 'user', content: `x<|${name}|>y` };
        expect(() => writeMessage(message, 0, dialect as DialectId), `${dialect} ${name}`).toThrow(Refusal);
        const { text, losses } = writeMessage(message, 0, dialect as DialectId, { neutralise: true });
        const [view] = parse(text, { dialect: dialect as DialectId }).messages();
        expect(view!.content).toBe(`x<| ${name} |>y`);
        expect(losses.length).toBe(1);
      }
    }
  });

  test('half of a surrogate pair is refused in every dialect', () => {
    for (const dialect of Object.keys(BARRED) as DialectId[]) {
      for (const content of ['\ud800', 'a\udc00b', '\udc00\ud800']) {
        expect(() => writeMessage({ role: 'user', content }, 0, dialect)).toThrow('surrogate');
      }
      expect(
        parse(writeMessage({ role: 'user', content: '\u{1f600}' }, 0, dialect).text, { dialect })
          .messages()
          .next().value!.content,
      ).toBe('\u{1f600}');
    }
  });
});

test(`any string without lone surrogates is given back by 2.2 (OPENCHATML_SEED=${SEED})`, () => {
  const fragment = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom(...FRAGMENTS, '<|constrain|>', '<|call|>', '<|return|>', '\r\n', '\0', '\ufeff'),
    },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme' }) },
  );
  const body = fc.array(fragment, { maxLength: 12 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(
      body,
      fc.constantFrom(...KINDS),
      fc.constantFrom('auto', 'keep', 'quote'),
      (content, { message }, markers) => {
        const { text } = writeMessage({ ...message, content }, 0, 'openchatml-2.2', { markers: markers as 'auto' });
        const views = [...parse(text, { dialect: 'openchatml-2.2' }).messages()];
        expect(views.length).toBe(1);
        expect(views[0]!.content).toBe(content);
        expect(views[0]!.end).toBe('end');
      },
    ),
    { seed: SEED, numRuns: runs(20_000) },
  );
});

test(`a token is escaped however many stand before it (OPENCHATML_SEED=${SEED})`, () => {
  const random = randomOf(SEED);
  const parts = ['<|end|>', '<|start|>', '<|endliteral|>', '<<|call|>', '<|', '<|end', '<|end|', '<|ends|>',
    '\u0165nd|>', '<|\u0165nd|>', '<|end|\u013e', '\u{1f600}', '\0', '\ufeff', ' word '];
  let content = '';
  while (content.length < 1_500_000) {
    const few = [random.pick(parts), random.pick(parts), random.pick(parts)];
    // Some stretches are crowded, others hold hardly a token.
    content += random.below(2) === 0 ? few.join('').repeat(10_000) : `${few.join('')}${'word '.repeat(60_000)}`;
  }
  content += '.';
  const tokens = /<\|(?:start|channel|message|call|return|end|constrain|literal|endliteral)\|>/g;
  const written = content.replaceAll(tokens, '<$&');
  const message = { role: 'assistant', channel: 'analysis', content } as const;
  const { text } = writeMessage(message, 0, 'openchatml-2.2');
  expect(text === `<|start|>assistant<|channel|>analysis<|message|>${written}<|end|>\n`).toBe(true);
});

test(
  `any string without lone surrogates is given back by the other dialects, or refused (OPENCHATML_SEED=${SEED})`,
  () => {
    const fragment = fc.oneof(
      fc.constantFrom(...FRAGMENTS, '\r\n', '<s>', '</s>', '\0', '\ufeff', '---\n'),
      fc.string({ unit: 'grapheme' }),
    );
    const body = fc.array(fragment, { maxLength: 10 }).map((parts) => parts.join(''));
    const dialects = ['openchatml-2.0', 'openchatml-0.1', 'harmony'] as const;
    let refused = 0;
    fc.assert(
      fc.property(body, fc.constantFrom(...dialects), (content, dialect) => {
        let text: string;
        try {
          text = writeMessage({ role: 'user', content }, 0, dialect).text;
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
          expect(content).toMatch(BARRED[dialect]!);
          refused++;
          return;
        }
        const views = [...parse(text, { dialect }).messages()];
        expect(views.map((view) => view.content)).toEqual([content]);
      }),
      { seed: SEED, numRuns: runs(20_000) },
    );
    expect(refused).toBeGreaterThan(0);
  },
);
