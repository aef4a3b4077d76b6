// What a model is sampled from (R-SAMPLING): every page of fixtures/sampling under both rules, and laws on random
// transcripts.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { withCallIds } from '../../src/formats/chat/calls.ts';
import { writeTranscript } from '../../src/formats/write/write.ts';
import { type MessageData, messageData } from '../../src/model/data.ts';
import { check, parse } from '../../src/rules/library-best.ts';
import { matchReplies, messagesForCompletion } from '../../src/rules/sampling.ts';
import { runs } from '../long.ts';
import { type Random, randomOf, SEED } from '../random.ts';

const PAGES = new URL('../../fixtures/sampling/', import.meta.url).pathname;

interface Page {
  name: string;
  messages: MessageData[];
  kept: Map<string, number[]>;
}

function readPage(file: string): Page {
  const page = readFileSync(PAGES + file, 'utf8');
  const block = (word: string): string => page.split(`\n\`\`\`${word}\n`)[1]!.split('\n```')[0]!;
  const kept = block('kept').split('\n').map((line): [string, number[]] => {
    const [rule, numbers] = line.split(': ') as [string, string];
    return [rule, numbers.split(' ').map(Number)];
  });
  const messages = [...parse(block('transcript'), { dialect: 'openchatml-2.2' }).messages()].map(messageData);
  return { name: file.replace(/\.md$/, ''), messages, kept: new Map(kept) };
}

const pages = readdirSync(PAGES).filter((file) => file.endsWith('.md') && file !== 'README.md').sort().map(readPage);

describe('pages', () => {
  test('are there, with both rules each', () => {
    expect(pages.length).toBeGreaterThan(15);
    for (const { name, kept } of pages) expect([...kept.keys()], name).toEqual(['ocm', 'harmony']);
  });

  test.each(pages.flatMap((page) => (['ocm', 'harmony'] as const).map((rule) => [page.name, rule, page] as const)))(
    '%s under the rule %s',
    (_name, rule, { messages, kept }) => {
      const result = messagesForCompletion(messages, { rule });
      const dropped = result.dropped.map(({ index }) => index);
      expect([...messages.keys()].filter((index) => !dropped.includes(index))).toEqual(kept.get(rule));
      expect(result.messages).toEqual(kept.get(rule)!.map((index) => {
        const message = messages[index]!;
        return message.end === 'return' ? { ...message, end: 'end' } : message;
      }));
    },
  );

  test('the rule keep drops nothing but an open turn', () => {
    for (const { name, messages } of pages) {
      const { dropped } = messagesForCompletion(messages, { rule: 'keep' });
      expect(dropped, name).toEqual(name === 'open-turn' ? [{ index: 2, reason: 'open-turn' }] : []);
    }
  });
});

test('an unknown rule is a wrong call', () => {
  expect(() => messagesForCompletion([], { rule: 'none' as 'ocm' }))
    .toThrow(/option rule: expected one of keep, harmony, ocm; got none/);
  expect(() => messagesForCompletion([], { rule: 'toString' as 'ocm' })).toThrow(RangeError);
});

test('nothing gives nothing', () => {
  for (const rule of ['ocm', 'harmony', 'keep'] as const) {
    expect(messagesForCompletion([], { rule })).toEqual({ messages: [], dropped: [] });
  }
});

test('replies are matched as check and conversion match them', () => {
  const call = (callId?: string): MessageData => ({
    role: 'assistant', recipient: 'functions.f', channel: 'commentary', content: '{}', end: 'call',
    ...(callId && { callId }),
  });
  const reply = (more: object): MessageData => ({ role: 'tool', recipient: 'assistant', content: 'x', ...more });
  const cases: [MessageData[], number][] = [
    [[call('a'), reply({ callId: 'a', name: 'functions.f' })], 1],
    [[call('a'), reply({ name: 'functions.f' })], 1],
    [[call('a'), reply({})], 1],
    [[call(), reply({ name: 'f' })], 1],
    [[call('a'), reply({ callId: 'b', name: 'functions.f' })], 0],
    [[call(), reply({ callId: 'b', name: 'functions.f' })], 0],
  ];
  for (const [messages, answered] of cases) {
    const told = JSON.stringify(messages);
    expect(matchReplies(messages).size, told).toBe(answered);
    // Conversion makes ids where there are none; where a reply has one, it answers no other call.
    for (const shaped of [messages, withCallIds(messages).messages]) {
      const { text } = writeTranscript({ header: null, tools: [], messages: [...shaped] }, 'openchatml-2.2');
      const rules = check(text!).map(({ rule }) => rule);
      expect(rules.includes('unmatched-reply'), told).toBe(answered === 0);
    }
  }
});

function randomMessages(random: Random): MessageData[] {
  return Array.from({ length: random.below(14) }, (): MessageData => {
    const role = random.pick(['system', 'user', 'assistant', 'assistant', 'assistant', 'assistant', 'tool', 'tool']);
    const callId = random.once(3) ? random.pick(['a', 'b']) : undefined;
    const channel = random.pick(['analysis', 'analysis', 'commentary', 'final', undefined]);
    const end = random.once(4) ? 'return' : 'end';
    if (role === 'tool') {
      return { role, name: random.pick(['functions.f', 'f', 'python', undefined]), callId, channel, end, content: 'r' };
    }
    const recipient = role === 'assistant' && random.once(2)
      ? random.pick(['functions.f', 'functions.f', 'python', 'user'])
      : undefined;
    return { role, recipient, callId, channel, end, content: 'x' };
  });
}

test(`laws on random transcripts (OPENCHATML_SEED=${SEED})`, () => {
  const seeds = randomOf(SEED);
  let mattered = 0;
  for (let run = 0; run < runs(20_000); run++) {
    const messages = randomMessages(randomOf(seeds.below(0x7fffffff)));
    const told = `OPENCHATML_SEED=${SEED}, run ${run}: ${JSON.stringify(messages)}`;
    const { messages: kept, dropped } = messagesForCompletion(messages, { rule: 'ocm' });
    mattered += dropped.length;
    // Only analysis goes, and never what a model was told.
    for (const { index, reason } of dropped) {
      expect([reason, messages[index]!.channel], told).toEqual(['analysis', 'analysis']);
      expect(messages[index]!.role === 'assistant' || messages[index]!.role === 'tool', told).toBe(true);
    }
    // No reply loses its call, no call that was answered opens again.
    const gone = new Set(dropped.map(({ index }) => index));
    for (const [call, reply] of matchReplies(messages)) expect(gone.has(call), told).toBe(gone.has(reply));
    // Ends of the past; and what stays is as it was.
    expect(kept.some(({ end }) => end === 'return'), told).toBe(false);
    expect(kept.length + dropped.length, told).toBe(messages.length);
    // Once is enough.
    expect(messagesForCompletion(kept, { rule: 'ocm' }).dropped, told).toEqual([]);
  }
  expect(mattered).toBeGreaterThan(runs(1000));
});

test('many open calls and replies without a call take no time that grows with their product', () => {
  const calls = Array.from({ length: 100_000 }, (_, n): MessageData =>
    ({ role: 'assistant', recipient: 'functions.f', callId: `c${n}`, channel: 'commentary', content: '{}' }));
  const replies =
    calls.map((_, n): MessageData => ({ role: 'tool', name: 'functions.g', callId: `d${n}`, content: '' }));
  const answer: MessageData = { role: 'assistant', channel: 'final', content: 'x' };
  expect(messagesForCompletion([...calls, ...replies, answer], { rule: 'ocm' }).dropped).toEqual([]);
});
