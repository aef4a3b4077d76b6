// Real dialogues in three raw forms: what is counted equals what is known of them, and nothing is wrong with any
// message.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { parse, scan } from '../src/index.ts';
import { check } from '../src/tools.ts';
import { countCalls } from '../src/rules/call-count.ts';
import { CONFORM_RULES } from './conform.ts';
import { part, testLong } from './long.ts';
import { sharedData } from './skip.ts';

const folder = sharedData('dialogues');

interface Expected {
  transcripts: number;
  openchatml_messages: number;
  harmony_messages: number;
  chatml_messages: number;
  calls: number;
  user: number;
  assistant_final: number;
  tool: number;
  bytes: Record<string, number>;
}

const FORMS = [
  {
    name: 'openchatml-2.2',
    dialects: ['auto', 'openchatml-2.2'],
    messages: 'openchatml_messages',
    head: 'developer',
    thoughts: true,
  },
  { name: 'harmony', dialects: ['harmony'], messages: 'harmony_messages', head: 'developer', thoughts: false },
  {
    name: 'chatml-0.1',
    dialects: ['auto', 'openchatml-0.1'],
    messages: 'chatml_messages',
    head: 'system',
    thoughts: false,
  },
] as const;

describe.skipIf(folder === null)('dialogues', () => {
  const expected = (folder ? JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) : null) as Expected | null;

  describe.each(FORMS)('$name', ({ name, dialects, messages, head, thoughts }) => {
    const bytes = folder ? gunzipSync(readFileSync(join(folder, `${name}.txt.gz`))) : Buffer.alloc(0);

    test.each(part(dialects))('counts with dialect %s', (dialect) => {
      const known = expected!;
      const counts = scan(bytes, { dialect });
      const { transcripts, calls, user, tool, assistant_final } = known;
      expect(counts).toMatchObject({
        files: 1, bytes: known.bytes[`${name}.txt`], transcripts, calls, messages: known[messages], findings: {},
      });
      const assistant = assistant_final + calls + (thoughts ? calls : 0);
      expect({ ...counts.roles }).toEqual({ [head]: transcripts, user, assistant, tool });
      // 18 reservations lack the location that their tool's definition asks for.
      const diagnostics = check(bytes, { dialect });
      expect(diagnostics.filter(({ rule }) => CONFORM_RULES.has(rule))).toEqual([]);
      const found = diagnostics.map(({ severity, rule, message }) => {
        return `${severity} ${rule}: ${message.split(': ').slice(1).join(': ')}`;
      });
      const lacks =
        /^error invalid-arguments: Hotels_[13]_ReserveHotel: \/(?:location|destination) is missing \(a string\)$/;
      expect(found.filter((line) => line.startsWith('error'))).toEqual(Array(18).fill(expect.stringMatching(lacks)));
    });

    testLong('views say the same', () => {
      const parsed = parse(bytes, { dialect: dialects[0] });
      expect(parsed.transcripts.length).toBe(expected!.transcripts);
      let [calls, finals, shown] = [0, 0, 0];
      for (const transcript of parsed.transcripts) {
        expect(transcript.at(0)!.role).toBe(head);
        for (const message of transcript) {
          const called = countCalls(message);
          calls += called;
          if (message.role === 'assistant' && message.channel === 'final' && called === 0) finals++;
          if (message.isVisible) shown++;
        }
      }
      expect({ calls, finals, shown }).toEqual({
        calls: expected!.calls,
        finals: expected!.assistant_final,
        shown: expected!.user + expected!.assistant_final,
      });
    });
  });
});
