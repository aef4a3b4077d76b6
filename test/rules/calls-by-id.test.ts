// Which call a reply with an id answers, where calls share ids: compared with looking through all of them.
import { expect, test } from 'vitest';
import { withReplyNames } from '../../src/formats/chat/calls.ts';
import type { MessageData } from '../../src/model/data.ts';
import { checkFile } from '../../src/corpus/files.ts';
import { CallsById } from '../../src/rules/calls-by-id.ts';
import { matchReplies } from '../../src/rules/sampling.ts';
import { file } from '../cli/harness.ts';
import { randomOf, SEED } from '../random.ts';

interface Call {
  readonly id: string;
  readonly name: string;
  isDone: boolean;
  isAnswered: boolean;
}

test(`the same as looking through all (OPENCHATML_SEED=${SEED})`, () => {
  const seeds = randomOf(SEED);
  for (let run = 0; run < 300; run++) {
    const random = randomOf(seeds.below(0x7fffffff));
    const byId = new CallsById<Call>();
    const all: Call[] = [];
    for (let step = 0; step < 40; step++) {
      const id = random.pick(['1', '2', '3']);
      const name = random.pick(['f', 'g', 'h']);
      if (random.once(2)) {
        const call = { id, name, isDone: false, isAnswered: false };
        expect(byId.has(id)).toBe(all.some((one) => one.id === id));
        byId.add(id, call);
        all.push(call);
        continue;
      }
      const asked = random.once(3) ? null : name;
      const same = all.filter((call) => call.id === id);
      const open = same.filter(({ isAnswered }) => !isAnswered);
      const expected = open.find((call) => call.name === asked) ?? open[0] ?? (same.length > 0 ? null : undefined);
      const call = byId.waiting(id, asked);
      expect(call, `OPENCHATML_SEED=${SEED}, run ${run}, step ${step}`).toBe(expected);
      if (!call) continue;
      call.isDone = call.isAnswered = true;
      byId.answered(id, call);
    }
  }
});

const call = (name: string): MessageData =>
  ({ role: 'assistant', recipient: `functions.${name}`, channel: 'commentary', callId: '1', content: '{}' });
const reply = (name?: string): MessageData => ({ role: 'tool', callId: '1', content: 'x', ...(name && { name }) });

test('sampling and conversion match them in the same way', () => {
  const named = [call('f'), call('g'), reply('g'), reply('f'), reply()];
  expect([...matchReplies(named)]).toEqual([[1, 2], [0, 3]]);
  const unnamed = [call('f'), call('g'), reply(), reply(), reply()];
  expect([...matchReplies(unnamed)]).toEqual([[0, 2], [1, 3]]);
  expect(withReplyNames(unnamed).map(({ name }) => name).slice(2)).toEqual(['functions.f', 'functions.g', undefined]);
});

test('two calls of a chat record with one id, and two replies', () => {
  const calls = ['f', 'g'].map((name) => ({ id: '1', type: 'function', function: { name, arguments: '{}' } }));
  const answer = { role: 'tool', tool_call_id: '1', content: 'x' };
  const record = (replies: number): string => {
    const messages = [{ role: 'assistant', content: null, tool_calls: calls }, ...Array(replies).fill(answer)];
    return `${JSON.stringify({ messages })}\n`;
  };
  const told = (replies: number): string[] =>
    [...checkFile(file(`same-id-${replies}.jsonl`, record(replies)))].map(({ rule }) => rule);
  expect(told(1)).toEqual(['duplicate-call-id', 'open-call']);
  expect(told(2)).toEqual(['duplicate-call-id']);
  expect(told(3)).toEqual(['duplicate-call-id', 'duplicate-reply']);
});
