// Likely messages rather than exact ones (R-RESCUE), in streams: what parsing gives, whatever the cuts, and nothing
// that is hidden in what is shown.
import { expect, test } from 'vitest';
import { MessageStream, type StreamOptions } from '../../../src/runtime/stream/stream.ts';
import type { DialectId } from '../../../src/scan/dialects.ts';
import { TokenStream } from '../../../src/runtime/token.ts';
import { isAll, runs } from '../../long.ts';
import { type Random, randomOf, SEED } from '../../random.ts';
import { expectAgreement } from './agrees.ts';
import { bytewise, eventsOf, expectSameForCuts, id } from './run.ts';
import { rescue } from '../../../src/runtime/stream/rescue.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const OPTIONS: StreamOptions = { dialect: 'harmony', role: 'assistant', rescue, messageId: id };

const shownBy = (chunks: readonly string[], options: StreamOptions = OPTIONS): string[] => {
  const stream = new MessageStream(options);
  return chunks.map((chunk) => stream.feed(chunk).map((event) => ('delta' in event ? event.delta : '')).join(''));
};

test('nothing is held back but what may be a header', () => {
  const front = '<|channel|>final<|message|>';
  expect(shownBy([front, 'a', '<|channel|>', 'fin', 'al', ' to', '=x', '\n', 'and', ' b'])).toEqual(
    ['', 'a', '', '', '', '', '', '', '', '<|channel|>final to=x\nand b'],
  );
  expect(shownBy([front, '<|channel|>find'])).toEqual(['', '<|channel|>find']);
  expect(shownBy([front, '<|channel|>final <|constrain|>', 'a', ' b', ' c'])).toEqual(
    ['', '', '', '', '<|channel|>final <|constrain|>a b c'],
  );
  expect(shownBy([front, 'a<|channel|>final', '<|message|>b'])).toEqual(['', 'a', 'b']);
});

test('a header of more than 1,024 bytes is text', () => {
  for (const size of [1005, 1006]) {
    const header = `<|channel|>final x=${'a'.repeat(size)}`;
    const input = bytes(`<|channel|>analysis<|message|>a${header}<|message|>b<|return|>`);
    const length = bytes(header).length;
    expect(length).toBe(19 + size);
    for (const cuts of [[], bytewise(input)]) {
      const done = eventsOf(input, OPTIONS, cuts).filter(({ type }) => type === 'response.output_item.done');
      expect(done.length, `${length} bytes`).toBe(length <= 1024 ? 2 : 1);
    }
  }
});

test('token ids: text that spells a header is none', () => {
  const texts = new Map([[1, 'a'], [2, 'final'], [3, '<|channel|>'], [4, '<|message|>'], [5, 'b']]);
  const decode = (token: number): Uint8Array => bytes(texts.get(token) ?? '');
  const said = (ids: readonly number[]): string[] => {
    const stream = new TokenStream({ ...OPTIONS, collect: true, decode });
    const events = [...ids.flatMap((token) => stream.feedTokens([token])), ...stream.end()];
    return events.flatMap((event) => {
      return event.type === 'response.output_item.done' ? [`${event.message.channel}: ${event.message.content}`] : [];
    });
  };
  const front = [200005, 2, 200008];
  expect(said([...front, 1, 200005, 2, 200008, 5, 200002])).toEqual(['final: a', 'final: b']);
  expect(said([...front, 1, 3, 2, 4, 5, 200002])).toEqual(['final: a<|channel|>final<|message|>b']);
  expect(said([...front, 1, 200005, 2, 4, 5, 200002])).toEqual(['final: a<|channel|>final<|message|>b']);
});

const HEADERS = [
  '<|channel|>final', '<|channel|>analysis', '<|channel|>commentary', '<|channel|>commentary to=functions.f',
  '<|channel|>commentary to=assistant<|channel|>analysis', '<|channel|>commentary<|channel|>final',
  '<|channel|>commentary to=assistant<|channel|>commentary to=functions.f', '<|channel|>final to=', '<|channel|>fin',
  '<|channel|>analysis<|channel|>final', '<|channel|> final', '<|channel|>final x=1', '<|channel|>final x', '',
  '<|channel|>commentary call_id=c1 to=functions.f', '<|channel|>', '<|channel|>commentary to=user\t<|channel|>final\n',
];
const TYPES = ['', '', '', '<|constrain|>json', ' <|constrain|>json x=1', ' json', '<|constrain|>', '<|constrain|>a b'];
const JOINS = ['', '', '', '<|end|><|start|>assistant', '<|start|>assistant', '<|end|>', '<|call|>', '<|return|>', '<'];
const TEXTS = [
  'a', ' ', 'final', 'analysis', '{"a":1}', '<', '<|', '\u00e9', '<<|end|>', '<think>b</think>', '\n', 'x=',
];
const FRONTS = [
  '', '', 'I think. ', 'analysis', 'assistant', ' to=functions.f', ' to=functions.f json', 'user: a', '\n', 'x=1',
  'analysis of it', 'a <|literal|>b<|endliteral|> ', 'functions.f',
];
const STRIPPED = [
  'assistantfinal', 'assistantcommentary to=functions.f', ' json', '{', 'a', '\u00e9', ' ', '<', '<|end|>',
];

/** A completion with messages that are not divided as they should be. */
function completion(random: Random): string {
  if (random.once(6)) {
    let text = 'analysis';
    for (let left = random.below(7); left > 0; left--) text += random.pick(STRIPPED);
    return text;
  }
  let text = random.pick(FRONTS);
  for (let left = 1 + random.below(4); left > 0; left--) {
    const body = random.pick(TEXTS) + random.pick(TEXTS) + random.pick(TEXTS);
    text += `${random.pick(HEADERS)}${random.pick(TYPES)}<|message|>${body}${random.pick(JOINS)}`;
  }
  return text;
}

const INPUTS = runs(4_000, 12);
test(`${INPUTS} random completions: what parsing gives (OPENCHATML_SEED=${SEED})`, { timeout: 600_000 }, () => {
  const seeds = randomOf(SEED);
  for (let run = 0; run < INPUTS; run++) {
    const random = randomOf(seeds.below(0x7fffffff));
    const dialect = random.pick(['harmony', 'harmony', 'openchatml-2.2', 'openchatml-2.0', 'auto'] as const);
    const role = random.pick(['assistant', 'assistant', 'user', undefined]);
    const text = completion(random);
    const input = bytes(role === undefined ? `<|start|>${random.pick(['assistant', 'user'])}${text}` : text);
    const read = {
      dialect, role, rescue, stopStripped: random.once(3), harmonyPreambles: random.once(2),
      missingChannel: random.once(2),
    };
    const options = { ...read, collect: true, reasoning: true, strayText: true };
    const told = `OPENCHATML_SEED=${SEED}, run ${run}, ${JSON.stringify(read)}: ${JSON.stringify(text)}`;
    expectAgreement(expectSameForCuts(input, options, random, told), input, read, told);
  }
});

const START = '<|start|>assistant';

/** A completion in which whatever no user may see says HIDDEN. */
function secrets(random: Random, dialect: DialectId, rescue: boolean): string {
  const attribute = (): string => random.pick(['', '', ' call_id=c1', ' x=1']);
  const filler = (): string => random.pick(['', '', '<|channel|>commentary', '<|channel|>commentary to=assistant']);
  const type = (): string => (dialect === 'openchatml-2.0' ? '' : random.pick(['', '', ' <|constrain|>json']));
  const noise = (): string => random.pick(['', 'a', '<', '<|', '\n', '\u00e9', ' <|chan', 'final', '|>']);
  const hidden = (): string => `${noise()}HIDDEN${noise()}`;
  const header = (): string => random.pick([
    '<|channel|>analysis', '<|channel|>analysis to=python', '<|channel|>commentary to=functions.f',
    '<|channel|>commentary',
  ]);
  // As the first thing of a body; what nobody ended goes on as one.
  let isFirst = true;
  const thought = (): string => (dialect === 'harmony' ? '' : random.pick([
    '', '<|start_reason|>HIDDEN<|end_reason|>', ...(isFirst ? ['<think>HIDDEN</think>', '<think>HIDDEN'] : []),
  ]));
  if (rescue && random.once(8)) return `analysis${hidden()}assistantfinal${noise()}`;
  let text = random.pick(['', '', '', 'assistant', ' to=functions.f']);
  let isHidden = text === ' to=functions.f';
  for (let left = 1 + random.below(4); left > 0; left--) {
    isHidden = (isHidden && text === ' to=functions.f') || !random.once(2);
    text += isHidden
      ? `${filler()}${header()}${attribute()}${type()}<|message|>${hidden()}`
      : `${filler()}<|channel|>final${attribute()}${type()}<|message|>${thought()}shown`;
    // Where nothing ends what is shown, a channel that directly follows does (R-LEAK).
    const join = random.pick(['', '', START, `<|end|>${START}`, '<|end|>', `<|call|>${START}`]);
    isFirst = rescue || join !== '';
    text += join;
  }
  return text + random.pick(['<|return|>', '<|end|>', '', '<|call|>']);
}

const STREAMS = Number(process.env['OPENCHATML_STREAMS'] ?? (isAll ? 100_000 : 4000));
test(`${STREAMS} random streams show nothing hidden (OPENCHATML_SEED=${SEED})`, { timeout: STREAMS * 10 }, () => {
  const seeds = randomOf(SEED);
  let shown = 0;
  for (let run = 0; run < STREAMS; run++) {
    const random = randomOf(seeds.below(0x7fffffff));
    const dialect = random.pick(['harmony', 'openchatml-2.2', 'openchatml-2.0'] as const);
    const rescued = !random.once(4);
    const text = secrets(random, dialect, rescued);
    const stream = new MessageStream({
      ...OPTIONS, dialect, rescue: rescued ? rescue : undefined, missingChannel: random.once(2),
    });
    let deltas = '';
    const take = (events: ReturnType<MessageStream['feed']>): void => {
      for (const event of events) if (event.type === 'response.delta') deltas += event.delta;
    };
    for (let at = 0; at < text.length; ) {
      const to = at + 1 + random.below(12);
      take(stream.feed(text.slice(at, to)));
      at = to;
    }
    take(stream.end());
    shown += deltas.length;
    if (!deltas.includes('HIDDEN')) continue;
    const told = `OPENCHATML_SEED=${SEED}, run ${run}, ${dialect}, ${rescued ? 'with' : 'without'} rescue: `;
    expect(deltas, told + JSON.stringify(text)).not.toContain('HIDDEN');
  }
  expect(shown).toBeGreaterThan(STREAMS);
});
