// Real dialogues: every record comes back from plain messages and from each text, but for the losses that are told.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { fromOpenAI } from '../../src/formats/chat/read.ts';
import { fromResponses } from '../../src/formats/chat/responses.ts';
import { toOpenAI } from '../../src/formats/chat/write.ts';
import { convertTranscript } from '../../src/formats/convert.ts';
import { neutralOf } from '../../src/formats/neutral.ts';
import { fromInterchange } from '../../src/formats/interchange/interchange.ts';
import type { Loss } from '../../src/formats/loss.ts';
import { fromShareGpt } from '../../src/formats/chat/sharegpt.ts';
import { parse } from '../../src/index.ts';
import { messageData, type TranscriptData } from '../../src/model/data.ts';
import type { DialectId } from '../../src/scan/dialects.ts';
import { brokenBy } from '../conform.ts';
import { isAll, testLong } from '../long.ts';
import { sharedData } from '../skip.ts';

const folder = sharedData('dialogues');

interface Call {
  id: string;
}
interface Message {
  role: string;
  name?: string;
  tool_call_id?: string;
  tool_calls?: Call[];
}
interface ChatRecord {
  id: string;
  tools: { function: { parameters: { required: string[] } } }[];
  messages: Message[];
}

function dataOf(text: string, dialect: DialectId): TranscriptData {
  const { transcripts } = parse(text, { dialect });
  if (transcripts.length !== 1) expect(transcripts).toHaveLength(1);
  const [transcript] = transcripts;
  return neutralOf({ header: transcript!.header, tools: [], messages: [...transcript!].map(messageData) }, dialect)
    .data;
}

/** What a record is after it was a text: ids are made where the text has none. */
function expectedFrom(record: ChatRecord, dialect: DialectId, hasIds = dialect === 'openchatml-2.2'): ChatRecord {
  if (hasIds) return record;
  let calls = 0;
  const messages = record.messages.map((message) => ({
    ...message,
    ...(message.tool_calls && { tool_calls: message.tool_calls.map((call) => ({ ...call, id: `call_${++calls}` })) }),
    ...(message.role === 'tool' && { tool_call_id: `call_${calls}` }),
  }));
  return { ...record, messages };
}

/** What messages say, with arguments as values; whether a reply has its name from its call is left out. */
function saidBy({ tools, messages }: TranscriptData): unknown {
  const said = messages.map(({ content, ...message }) => ({
    ...message, content: message.end === 'call' ? (JSON.parse(content) as unknown) : content, nameFromCall: true,
  }));
  return { tools, said };
}

/** Counts of losses by name. */
function count(counts: Record<string, number>, losses: readonly Loss[]): void {
  for (const { what } of losses) counts[what] = (counts[what] ?? 0) + 1;
}

describe.skipIf(folder === null)('dialogues', () => {
  const lines = folder
    ? gunzipSync(readFileSync(join(folder, 'messages.jsonl.gz')))
        .toString('utf8')
        .split('\n')
        .filter((line, i) => line !== '' && (isAll || i % 40 === 0))
    : [];
  const records = lines.map((line) => JSON.parse(line) as ChatRecord);
  const callsOf = (some: readonly ChatRecord[]): number =>
    some.flatMap(({ messages }) => messages.flatMap((message) => message.tool_calls ?? [])).length;
  const calls = callsOf(records);

  test('each record comes back from plain messages', () => {
    expect([records.length, isAll ? calls : 33_963]).toEqual([isAll ? 12_174 : 305, 33_963]);
    records.forEach((record, index) => {
      const { data, losses } = fromOpenAI(record);
      const back = toOpenAI(data);
      if (losses.length + back.losses.length > 0) expect([losses, back.losses]).toEqual([[], []]);
      const text = JSON.stringify({ id: record.id, ...back.record });
      if (text !== JSON.stringify(JSON.parse(lines[index]!))) expect(back.record).toEqual(record);
    });
  });

  testLong('the tools of a thousand records say that nothing is required', () => {
    const parameters = records.flatMap(({ tools }) => tools.map((tool) => tool.function.parameters));
    expect(parameters.filter(({ required }) => required.length === 0)).toHaveLength(1030);
  });

  test('each record comes back from the other forms of records', () => {
    const lost: Record<string, number> = {};
    for (const record of records) {
      const { data } = fromOpenAI(record);
      for (const form of ['interchange-2.2', 'interchange-2.0'] as const) {
        const written = convertTranscript(data, form);
        const dialect = form === 'interchange-2.2' ? 'openchatml-2.2' : 'openchatml-2.0';
        const read = toOpenAI(neutralOf(fromInterchange(written.record).data, dialect).data);
        if (written.losses.length + read.losses.length > 0) expect([written.losses, read.losses]).toEqual([[], []]);
        const [found, expected] = [{ id: record.id, ...read.record }, expectedFrom(record, dialect, true)];
        if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected);
      }
      for (const [form, read] of [['anthropic', fromOpenAI], ['responses', fromResponses]] as const) {
        const there = convertTranscript(data, form);
        const back = read(there.record);
        const isSame = isDeepStrictEqual(saidBy(back.data), saidBy(data));
        const losses = [...there.losses, ...back.losses].filter(({ detail }) => {
          return detail !== 'arguments are laid out anew';
        });
        if (!isSame || losses.length > 0) expect([form, losses, saidBy(back.data)]).toEqual([form, [], saidBy(data)]);
      }
      const written = convertTranscript(data, 'sharegpt');
      count(lost, written.losses);
      const read = fromShareGpt(written.record);
      const again = convertTranscript(read.data, 'sharegpt');
      if (!isDeepStrictEqual([again.record, read.losses, again.losses], [written.record, [], []])) {
        expect([again.record, read.losses, again.losses]).toEqual([written.record, [], []]);
      }
    }
    expect(lost).toEqual({ 'call-id': 2 * calls });
  });

  test.each(['openchatml-0.1', 'messages', 'sharegpt'] as const)('each comes back from calls as text in %s', (form) => {
    const some = records.filter((_, i) => i % 5 === 0);
    const lost: Record<string, number> = {};
    for (const record of some) {
      const { data } = fromOpenAI(record);
      const { text, record: there, losses } = convertTranscript(data, form, { calls: 'hermes' });
      count(lost, losses);
      const back = there === null ? dataOf(text!, 'openchatml-0.1')
        : (form === 'messages' ? fromOpenAI : fromShareGpt)(there).data;
      const found = { id: record.id, ...toOpenAI(back).record };
      const expected = expectedFrom(record, 'openchatml-0.1');
      if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected);
    }
    expect(lost).toEqual({ 'call-id': 2 * callsOf(some) });
  });

  const dialects: [dialect: DialectId, there: object, back: object][] = [
    ['openchatml-2.2', {}, {}],
    ['openchatml-2.0', { 'call-id': 2 * calls, 'content-type': calls }, { 'call-id': 2 * calls }],
    ['openchatml-0.1', { 'call-id': 2 * calls }, { 'call-id': 2 * calls }],
    ['harmony', { 'call-id': 2 * calls }, { 'call-id': 2 * calls }],
  ];
  test.each(dialects)('each record comes back from %s', (dialect, there, back) => {
    const lostThere: Record<string, number> = {};
    const lostBack: Record<string, number> = {};
    for (const record of records) {
      const { text, losses } = convertTranscript(fromOpenAI(record).data, dialect);
      count(lostThere, losses);
      const broken = brokenBy(text!, { dialect });
      if (broken.length > 0) expect([broken, text]).toEqual([[], text]);
      const read = toOpenAI(dataOf(text!, dialect));
      count(lostBack, read.losses);
      const found = { id: record.id, ...read.record };
      const expected = expectedFrom(record, dialect);
      // Quicker than an expectation for each one.
      if (!isDeepStrictEqual(found, expected)) expect(found).toEqual(expected);
    }
    expect({ there: lostThere, back: lostBack }).toEqual({ there, back });
  });
});
