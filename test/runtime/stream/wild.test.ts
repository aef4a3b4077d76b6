// What models really put out, streamed: malformed as it is, it never throws, loses no text, and the next message is
// read as ever. And whole dialogues, in pieces of any size.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { parse } from '../../../src/index.ts';
import type { DoneMessage, StreamEvent } from '../../../src/runtime/stream/event.ts';
import { isBlankText } from '../../../src/runtime/stream/text.ts';
import { readFixtures } from '../../fixture.ts';
import { part } from '../../long.ts';
import { randomOf, SEED } from '../../random.ts';
import { sharedData } from '../../skip.ts';
import { bytewise, deltasOf, eventsOf, id } from './run.ts';

const done = (events: readonly StreamEvent[]): DoneMessage[] =>
  events.flatMap((event) => (event.type === 'response.output_item.done' ? [event.message] : []));

const wild = readFixtures().filter(({ name }) => /^(wild|disagreements)\//.test(name));

describe.each(wild.map((fixture) => ({ fixture, name: fixture.name })))('$name', ({ fixture }) => {
  const { options } = fixture;
  const isLine = fixture.messages.length > 0 && Buffer.from(fixture.input).includes('<|im_');
  const next = isLine ? '<|im_start|>user\nthe next one<|im_end|>' : '<|start|>user<|message|>the next one<|end|>';

  test('the next message is read as ever', () => {
    // A literal block that is not ended swallows what follows: here it is ended.
    const isOpen = fixture.diagnostics.some(({ rule }) => rule === 'unterminated-literal');
    const input = Buffer.concat([fixture.input, Buffer.from((isOpen ? '<|endliteral|>' : '') + next)]);
    for (const cuts of [[], [fixture.input.length], bytewise(input)]) {
      const events = eventsOf(input, { ...options, collect: true }, cuts);
      const messages = done(events);
      expect(messages.at(-1)).toMatchObject({ role: 'user', content: 'the next one', visible: true });
      expect(deltasOf(events, 'response.delta', id(messages.length - 1))).toBe('the next one');
    }
  });

  test('no byte is lost', () => {
    const events = eventsOf(fixture.input, { ...options, collect: true, strayText: true }, bytewise(fixture.input));
    const text = Buffer.from(fixture.input).toString('latin1');
    const spans = [
      ...done(events),
      ...events.flatMap((event) => (event.type === 'transcript.stray' ? [event] : [])),
      ...events.flatMap((event) => (event.type === 'diagnostic' ? [event.diagnostic] : [])),
    ].sort((a, b) => a.from - b.from);
    let at = 0;
    for (const { from, to } of spans) {
      if (from > at) expect(
        isBlankText(text.slice(at, from)) || text.startsWith('---') || text.startsWith('version'), text.slice(at, from),
      ).toBe(true);
      at = Math.max(at, to);
    }
    expect(isBlankText(text.slice(at)), text.slice(at)).toBe(true);
  });
});

describe('whole dialogues', () => {
  const folder = sharedData('dialogues');

  test.skipIf(!folder).each(part([
    'openchatml-2.2.txt.gz', 'harmony.txt.gz', 'chatml-0.1.txt.gz',
  ]))(`%s in pieces (OPENCHATML_SEED=${SEED})`, (name) => {
    const input = gunzipSync(readFileSync(join(folder!, name))).subarray(0, 3_000_000);
    const random = randomOf(SEED);
    const dialect = name.startsWith('harmony') ? 'harmony' : 'auto';
    const cuts: number[] = [];
    for (let at = 0; at < input.length; cuts.push(at)) at += 1 + random.below(random.once(10) ? 40_000 : 40);
    const events = eventsOf(input, { dialect, collect: true }, cuts.filter((at) => at < input.length));
    const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
    const found = done(events).map(({ role, channel, recipient, from, end, content }) => {
      return `${from} ${role} ${channel} ${recipient} ${end} ${hash(content!)}`;
    });
    const expected = [...parse(input, { dialect }).messages()]
      .map(({ role, channel, recipient, from, end, content }) => {
        return `${from} ${role} ${channel} ${recipient} ${end} ${hash(content)}`;
      });
    expect(found.length).toBeGreaterThan(100);
    expect(found).toEqual(expected);
  });
});
