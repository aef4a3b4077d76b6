// Plain headers, read in one pass, against the reading that all other headers get.
import { describe, expect, test } from 'vitest';
import { messagesOf } from '../../src/corpus/messages.ts';
import type { Message } from '../../src/model/message.ts';
import type { ReadOptions } from '../../src/model/walk.ts';
import { MemorySource } from '../../src/scan/source.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { readFixtures } from '../fixture.ts';
import { runs } from '../long.ts';
import { type Random, randomInput, randomOf, SEED } from '../random.ts';

const machine = new WasmMachine();
const encoder = new TextEncoder();
const RUNS = runs(4000);
const KNOWN = ['to', 'call_id', 'name', 'intent', 'content_type'];

const said = ({ name, recipient, contentType, isConstrained: constrained, intent, callId }: Message): object => {
  return { name, recipient, contentType, constrained, intent, callId };
};

/** Compares every message; answers how many of them are plain and say something. */
function compare(input: Uint8Array, options: ReadOptions, told: string): number {
  let plain = 0;
  for (const { message } of messagesOf(machine, new MemorySource(input), options)) {
    // Asked before the header is read: afterwards its reading answers.
    const found = said(message);
    const { name, recipient, contentType, constrained, intent, callId, attributes } = message.reading.meaning;
    expect(found, told).toEqual({ name, recipient, contentType, constrained, intent, callId });
    if (message.isPlain) expect(attributes.filter(({ key }) => !KNOWN.includes(key)), told).toEqual([]);
    if (message.isPlain && !message.isBare) plain++;
  }
  return plain;
}

const ATTRIBUTES = [
  'to=functions.x', 'to=assistant', 'to=a=b', 'to=<|x', 'to=<', 'to==', 'call_id=c1', 'call_id="c<|channel|"', 'name=n',
  'intent=debug', 'intent=preamble',
  'content_type=json', 'content_type=text/plain',
];

function randomHeader(random: Random): string {
  const space = (): string => random.pick([' ', '  ', '\t', '\n', '\r\n']);
  const left = [...ATTRIBUTES];
  const attributes = (): string => {
    let text = '';
    while (left.length > 0 && random.once(2)) {
      const attribute = random.pick(left);
      const key = attribute.slice(0, attribute.indexOf('='));
      if (random.once(10)) text += space() + attribute;
      else text += space() + left.splice(left.findIndex((other) => other.startsWith(`${key}=`)), 1)[0]!;
    }
    return text;
  };
  if (random.once(4)) {
    return `<|im_start|>${random.pick(['user', 'assistant', 'tool'])}${attributes().replace(/[\r\n]+/g, ' ')}\n`;
  }
  const channel = `<|channel|>${random.pick(['', ' '])}${random.pick(['analysis', 'commentary', 'final'])}`
    + `${attributes()}`
    + (random.once(4) ? `${space()}${random.pick(['json', 'text', 'a.b', 'code'])}${attributes()}` : '');
  const constrain = `<|constrain|>${random.pick(['', ' '])}${random.pick(['json', 'x/y', '<', 'json '])}`;
  const fields = random.pick(['', channel, constrain, channel + constrain, constrain + channel]);
  return `<|start|>${random.pick(['', ' '])}`
    + `${random.pick(['user', 'assistant', 'functions.a.b-c', 'tool', 'functions.'])}${attributes()}${fields}`
    + `<|message|>`;
}

describe('plain headers say what all headers are read to say', () => {
  test('on all fixtures', () => {
    let plain = 0;
    for (const { name, input, options } of readFixtures()) plain += compare(input, options, name);
    expect(plain).toBeGreaterThan(50);
  });

  test('on random headers', () => {
    let plain = 0;
    for (let run = 0; run < RUNS; run++) {
      const random = randomOf(SEED + run);
      const header = randomHeader(random);
      const isLine = header.startsWith('<|im_start|>');
      const dialect = isLine ? 'openchatml-0.1' : random.pick(['openchatml-2.2', 'openchatml-2.0', 'harmony'] as const);
      plain += compare(
        encoder.encode(`${header}x${isLine ? '<|im_end|>' : '<|end|>'}`), { dialect },
        `OPENCHATML_SEED=${SEED + run} ${JSON.stringify(header)}`,
      );
    }
    expect(plain).toBeGreaterThan(RUNS / 4);
  });

  test('on random transcripts', () => {
    for (let run = 0; run < RUNS; run++) {
      const random = randomOf(SEED + run);
      const options = random.once(3) ? { role: 'assistant' } : {};
      compare(randomInput(random), options, `OPENCHATML_SEED=${SEED + run}`);
    }
  });
});
