// Real dialogues in 2.2 and in Harmony: converting one gives the messages of the other.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { fromHarmony, toHarmony } from '../../../src/formats/harmony/harmony.ts';
import { type MessageData, messageData, type TranscriptData } from '../../../src/model/data.ts';
import type { Transcript } from '../../../src/model/parse.ts';
import { parse } from '../../../src/rules/library-best.ts';
import { sharedData } from '../../skip.ts';

/** Bytes of each file that are looked at; 1e9: all 12,174 dialogues, which takes a minute or two. */
const BYTES = 2e6;

const folder = sharedData('dialogues');
const read = (name: string): Buffer => gunzipSync(readFileSync(join(folder!, `${name}.txt.gz`))).subarray(0, BYTES);
const dataOf = (transcript: Transcript): MessageData[] => [...transcript].map(messageData);
const ofMessages = (messages: MessageData[]): TranscriptData => ({ header: null, tools: [], messages });

test.skipIf(folder === null)('dialogues, with old reasoning left out', { timeout: 300_000 }, () => {
  const ours = parse(read('openchatml-2.2')).transcripts;
  const harmony = parse(read('harmony'), { dialect: 'harmony' }).transcripts;
  // The last one may be cut.
  const count = Math.min(ours.length, harmony.length) - 1;
  expect(count).toBeGreaterThan(200);
  const losses = new Map<string, number>();
  let [calls, apart] = [0, 0];
  for (let at = 0; at < count; at++) {
    const transcript = ours[at]!;
    const converted = toHarmony(ofMessages(dataOf(transcript)), { reasoning: 'ocm', training: true });
    const expected = dataOf(harmony[at]!);
    expect(converted.data.messages, `transcript ${at}`).toEqual(expected);
    calls += expected.filter(({ end }) => end === 'call').length;
    for (const { what } of converted.losses) losses.set(what, (losses.get(what) ?? 0) + 1);
    // The tools are read out of the developer message, and written back as they stood.
    const neutral = fromHarmony(converted.data).data;
    if (neutral.tools.length > 0) apart++;
    expect(toHarmony(neutral, { training: true }).data.messages, `transcript ${at}`).toEqual(expected);
  }
  expect(apart).toBe(count);
  expect(calls).toBeGreaterThan(count);
  // A call and its reply each have an id; the reasoning before each call is old.
  expect(Object.fromEntries(losses)).toEqual({ 'call-id': 2 * calls, thinking: calls });
});
