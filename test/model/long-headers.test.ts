// Message headers of more than 64 KiB, of which no more is read (R-ATTR): what stands behind may be the channel, the
// recipient or the role, so nothing of the message is shown, called or converted, and nothing is found from what was
// not read.
import { describe, expect, test } from 'vitest';
import { transcriptData } from '../../src/formats/transcript-data.ts';
import type { Message } from '../../src/model/message.ts';
import { parseOn } from '../../src/model/parse.ts';
import { checkSource } from '../../src/rules/check-source.ts';
import { rescue } from '../../src/runtime/stream/rescue.ts';
import type { DialectId } from '../../src/scan/dialects.ts';
import { MemorySource } from '../../src/scan/source.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { runs } from '../long.ts';
import { type Random, randomOf, SEED } from '../random.ts';
import { recordsOf } from '../read.ts';
import { referenceParse } from '../reference/parser.ts';
import { expectAgreement } from '../runtime/stream/agrees.ts';
import { eventsOf } from '../runtime/stream/run.ts';

const MACHINE = new WasmMachine();
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const PAD = ' '.repeat(65_536);

/** What stands behind the first 64 KiB would hide the message, or make a call of it. */
const CASES: [about: string, text: string, options?: { dialect: DialectId }][] = [
  ['a channel', `<|start|>assistant${PAD}<|channel|>analysis<|message|>SECRET<|end|>`],
  ['a channel, in Harmony', `<|start|>assistant${PAD}<|channel|>analysis<|message|>SECRET<|end|>`,
    { dialect: 'harmony' }],
  ['the name of a channel', `<|start|>assistant<|channel|>${PAD}analysis<|message|>SECRET<|end|>`],
  ['another channel', `<|start|>assistant<|channel|>final${PAD}<|channel|>analysis<|message|>SECRET<|end|>`],
  ['a recipient', `<|start|>assistant${PAD}to=functions.f call_id=1<|channel|>commentary<|message|>"SECRET"<|call|>`],
  ['a recipient on final', `<|start|>assistant<|channel|>final${PAD} to=functions.f<|message|>SECRET<|end|>`],
  ['an intent', `<|start|>assistant<|channel|>final${PAD}intent=debug<|message|>SECRET<|end|>`],
  ['another role', `<|start|>user${PAD}system<|message|>SECRET<|return|>`],
  ['a role', `<|start|>${PAD}system<|message|>SECRET<|end|>`],
  ['the recipient of a reply', `<|start|>browser${PAD}to=assistant<|message|>SECRET<|end|>`],
  ['what a tool is named', `<|start|>tool${PAD}name=functions.f to=assistant call_id=1<|message|>SECRET<|end|>`],
  ['another content type', `<|start|>assistant<|constrain|>json${PAD}<|constrain|>text<|message|>SECRET<|end|>`],
  ['nothing', `<|start|>assistant${PAD}<|message|>SECRET<|end|>`],
  ['a channel, without a message token', `<|start|>assistant foo${PAD}<|channel|>analysis SECRET<|end|>`],
  ['words, in a prompt that waits', `<|start|>assistant${PAD}SECRET`],
  ['another role, in 0.1', `<|im_start|>assistant${PAD}system\nSECRET<|im_end|>`],
  ['a channel, where the start is missing', `<|channel|>final${PAD}<|channel|>analysis<|message|>SECRET<|end|>`],
];

const headed = (text: string, options?: { dialect: DialectId }): string =>
  options?.dialect === undefined && !text.startsWith('<|im_start|>') ? `version: 2.2\n${text}` : text;

const only = (text: string, options?: { dialect: DialectId }): Message =>
  parseOn(MACHINE, headed(text, options), options).transcripts[0]!.at(0)!;

describe.each(CASES)('behind 64 KiB stands %s', (_, text, options) => {
  const input = bytes(headed(text, options));

  test('the message is neither shown nor dispatched', () => {
    const message = only(text, options);
    expect([message.isVisible, message.isAmbiguous, message.isUndispatchable]).toEqual([false, true, true]);
    expect(message.hiddenReason({ missingChannel: true, harmonyPreambles: true })).not.toBeNull();
    expect(() => message.show()).toThrow('hidden from end users');
  });

  test('nothing is found but that it is too long, and where no message token stands', () => {
    const found = [...checkSource(MACHINE, new MemorySource(input), options)].map(({ rule }) => rule);
    const others = new Set(['header-limit', 'missing-message', 'open-turn', 'completion', 'duplicate-channel',
      'missing-header', 'missing-start', 'stray-word']);
    expect(found).toContain('header-limit');
    expect(found.filter((rule) => !others.has(rule))).toEqual([]);
  });

  test.each([true, false])('a stream tells nothing of it (collect: %s)', (collect) => {
    const events = eventsOf(input, { ...options, reasoning: true, collect });
    if (collect) expectAgreement(events, input, options ?? {}, 'a long header');
    else expect(JSON.stringify(events)).not.toContain('SECRET');
  });

  test('no data is made of it', () => {
    const transcript = parseOn(MACHINE, input, options).transcripts[0]!;
    expect(() => transcriptData(transcript)).toThrow('its header is longer than 64 KiB');
  });
});

test('a header of just 64 KiB is read, of one byte more it is not known what it says', () => {
  const message = (length: number): Message => only(
    `<|start|>assistant${' '.repeat(length - '<|start|>assistant<|channel|>analysis<|message|>'.length)}`
      + '<|channel|>analysis<|message|>x<|end|>',
  );
  expect([message(65_536).channel, message(65_536).isAmbiguous]).toEqual(['analysis', false]);
  expect([message(65_537).isAmbiguous, message(65_537).hiddenReason()]).toEqual([true, 'channel']);
});

const WORDS = [
  'assistant', 'user', 'tool', 'functions.f', 'robot', 'to=functions.f', 'to=assistant', 'to=', 'call_id=1', 'name=n',
  'intent=debug', 'intent=preamble', 'content_type=json', 'analysis', 'final', 'commentary', 'json', 'x=y',
  '<|channel|>', '<|channel|>analysis', '<|channel|>final', '<|constrain|>json', '<|constrain|>text', '<|literal|>',
];

/** A header of about 64 KiB, and a body. */
function randomMessage(random: Random, isLine: boolean): string {
  const words = (): string =>
    Array.from({ length: random.below(5) }, () => random.pick(WORDS) + random.pick(['', ' ', ' '])).join('');
  const front = (isLine ? '<|im_start|>' : random.pick(['<|start|>', '<|start|>', '<|channel|>'])) + words();
  const room = 65_536 - front.length - random.below(60) + random.below(30);
  const filler = random.pick([' ', 'n', ` name=${'n'.repeat(400)}`]);
  const pad = filler.repeat(Math.ceil(room / filler.length)).slice(0, room);
  const end = random.pick(['<|end|>', '<|end|>', '<|call|>', '<|return|>', '']);
  const line = random.pick(['\n', '\n', '']);
  if (isLine) return `${front}${pad}${words()}${line}${random.pick(['x', ''])}<|im_end|>`;
  const token = random.pick(['<|message|>', '<|message|>', '']);
  return `${front}${pad}${words()}${token}${random.pick(['{}', 'x', ''])}${end}`;
}

test(`headers of about that length, against the reference (OPENCHATML_SEED=${SEED})`, { timeout: 120_000 }, () => {
  const seeds = randomOf(SEED);
  const dialects: DialectId[] = ['openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1', 'harmony'];
  for (let run = 0; run < runs(600, 25); run++) {
    const random = randomOf(seeds.below(0x7fffffff));
    const dialect = random.pick(dialects);
    const options = { dialect, rescue: random.once(4) ? rescue : undefined };
    const input = bytes(Array.from({ length: 2 }, () => randomMessage(random, dialect === 'openchatml-0.1')).join(''));
    const told = `OPENCHATML_SEED=${SEED}, run ${run}, ${JSON.stringify(options)}`;
    const reference = referenceParse(input, options);
    const records = recordsOf(MACHINE, new MemorySource(input), options).map(({ record: _, ...fields }) => fields);
    expect(records, told).toEqual(reference.messages);
    const line = ({ from, rule, severity }: { from: number; rule: string; severity: string }): string =>
      `${from} ${rule} ${severity}`;
    const found = [...checkSource(MACHINE, new MemorySource(input), options)].map(line).sort();
    const lines = [...reference.diagnostics, ...reference.meaning].map(line).sort();
    // The place where a body is no JSON is not the reference's matter.
    const isCompared = (one: string): boolean => !/invalid-json|hint-mismatch/.test(one);
    expect(found.filter(isCompared), told).toEqual(lines.filter(isCompared));
    expectAgreement(eventsOf(input, { ...options, reasoning: true, collect: true }), input, options, told);
  }
});
