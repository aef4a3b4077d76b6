// A hidden channel that begins in what is shown (R-LEAK), in streams: never shown, whatever the cuts.
import { expect, test } from 'vitest';
import { parse } from '../../../src/index.ts';
import type { StreamEvent } from '../../../src/runtime/stream/event.ts';
import { MessageStream, type StreamOptions } from '../../../src/runtime/stream/stream.ts';
import { O200K_HARMONY, TokenStream } from '../../../src/runtime/token.ts';
import { runs } from '../../long.ts';
import { randomOf, SEED } from '../../random.ts';
import { bytewise, deltasOf, eventsOf, id } from './run.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const OPTIONS: StreamOptions = { dialect: 'harmony', role: 'assistant', messageId: id };
const shownOf = (events: readonly StreamEvent[]): string => deltasOf(events, 'response.delta', id(0));
const leaksOf = (events: readonly StreamEvent[]): number[] =>
  events.flatMap((event) => (event.type === 'diagnostic' && event.diagnostic.rule === 'leaked-channel'
    ? [event.diagnostic.from] : []));

test.each([
  ['Hello.<|channel|>analysis<|message|>SECRET', 'Hello.', [33]],
  ['Hello.<|channel|>commentary to=functions.f<|message|>{}', 'Hello.', [33]],
  ['Hello.<|channel|>anal<|channel|>analysis', 'Hello.<|channel|>anal', [48]],
  ['Hello.<|channel|>final', 'Hello.<|channel|>final', []],
  ['Hello.<|channel|>', 'Hello.<|channel|>', []],
  ['<think>a</think>Hello.<|channel|>analysis', '<think>a</think>Hello.', [49]],
])('%s', (body, shown, leaks) => {
  const input = bytes(`<|channel|>final<|message|>${body}<|return|>`);
  for (const cuts of [[], bytewise(input), ...bytewise(input).map((at) => [at])]) {
    const events = eventsOf(input, OPTIONS, cuts);
    expect([shownOf(events), leaksOf(events)], String(cuts)).toEqual([shown, leaks]);
  }
});

test('a character that the leak cuts is replaced, as show does it', () => {
  const [front, leak] = [bytes('<|channel|>final<|message|>Hi'), bytes('<|channel|>analysis<|message|>S<|return|>')];
  const input = Uint8Array.from([...front, 0xe2, 0x82, ...leak]);
  for (const cuts of [[], bytewise(input)]) expect(shownOf(eventsOf(input, OPTIONS, cuts))).toBe('Hi\ufffd');
});

test('nothing is held back but what may be the name of a channel', () => {
  const stream = new MessageStream(OPTIONS);
  stream.feed('<|channel|>final<|message|>Hi <|channel|>');
  expect(shownOf(stream.feed('comment'))).toBe('');
  expect(shownOf(stream.feed('s'))).toBe('<|channel|>comments');
});

test('a hidden channel that is glued to the role shows nothing, whatever the caller opts in to', () => {
  const words = ['analysis', 'assistantanalysis', 'assistantcommentary', ' assistantanalysis', 'assistant-analysis:'];
  const fronts = [...words, ...words.map((word) => `<|start|>assistant ${word}`), '<|start|>assistantanalysis'];
  for (const dialect of ['auto', 'openchatml-2.2', 'openchatml-2.0', 'harmony'] as const) {
    for (const front of fronts) {
      const text = `${front}<|message|>SECRET<|end|><|start|>assistant<|channel|>final<|message|>Hi<|return|>`;
      const input = bytes(text);
      const options = { dialect, role: 'assistant' };
      for (const cuts of [[], bytewise(input)]) {
        const events = eventsOf(input, { ...options, missingChannel: true, messageId: id }, cuts);
        expect(deltasOf(events, 'response.delta', id(0)), text).toBe('');
        expect(deltasOf(events, 'response.delta', id(1)), text).toBe('Hi');
        const found = events.flatMap((event) => (event.type === 'diagnostic' ? [event.diagnostic.rule] : []));
        expect(found, text).toContain(front === '<|start|>assistantanalysis' ? 'unknown-role' : 'stray-word');
      }
      const [hidden] = parse(text, options).messages();
      expect(() => hidden!.show({ missingChannel: true }), text).toThrow('hidden');
      const decode = (token: number): Uint8Array => Uint8Array.of(token);
      const specials = O200K_HARMONY;
      const stream = new TokenStream({ ...options, missingChannel: true, specials, decode });
      const tokens = text.split(/(<\|\w+\|>)/).flatMap((piece) => {
        const special = Object.entries(specials).find(([, spelled]) => spelled === piece);
        return special ? [Number(special[0])] : [...bytes(piece)];
      });
      const shown = [...stream.feedTokens(tokens), ...stream.end()]
        .flatMap((event) => (event.type === 'response.delta' ? [event.delta] : []));
      expect(shown.join(''), text).toBe('Hi');
    }
  }
});

const NOISE = ['a', '<', '<|', '<|channel|>', 'anal', '<think>', '</think>', '\n', '\u00e9'];
const RUNS = runs(20_000);
test(`${RUNS} random answers: nothing behind a leak is shown (OPENCHATML_SEED=${SEED})`, () => {
  const random = randomOf(SEED);
  const noise = (): string => random.pick(NOISE);
  for (let run = 0; run < RUNS; run++) {
    const channel = random.pick(['analysis', 'commentary']);
    const front = noise() + noise() + noise();
    const body = `${front}x<|channel|>${channel}${noise()}SECRET${noise()}<|message|>SECRET`;
    const input = bytes(`<|channel|>final<|message|>${body}<|return|>`);
    const cuts = bytewise(input).filter(() => random.once(4));
    const dialect = random.pick(['harmony', 'openchatml-2.2', 'openchatml-2.0'] as const);
    const shown = shownOf(eventsOf(input, { ...OPTIONS, dialect }, cuts));
    expect(shown, `OPENCHATML_SEED=${SEED}, run ${run}, ${dialect}: ${body}`).not.toContain('SECRET');
  }
});
