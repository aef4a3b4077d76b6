// Record forms to plain messages and back, on random conversations: nothing is lost, all forms say the same, and of a
// record with anything odd in it nothing is lost that is not told.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { READERS } from '../../../src/corpus/records/chat-form.ts';
import { convertTranscript } from '../../../src/formats/convert.ts';
import { type Loss, Refusal } from '../../../src/formats/loss.ts';
import type { TranscriptData } from '../../../src/model/data.ts';
import { isAll } from '../../long.ts';
import { toolsFromOpenAI } from '../../../src/tools/records.ts';
import { type Random, randomOf, SEED } from '../../random.ts';
import { type Conversation, randomConversation, SPELLINGS } from './conversations.ts';

const FORMS = Object.keys(SPELLINGS) as (keyof typeof SPELLINGS)[];
const ROUNDS = isAll ? 5000 : 300;

function readAndWrite(form: keyof typeof SPELLINGS, record: object): { record: object; losses: Loss[] } {
  const { data, losses } = READERS[form](record);
  const written = convertTranscript(data, form);
  return { record: written.record!, losses: [...losses, ...written.losses] };
}

/** What the form can say, with all that it has that is no text. */
const conversationOf = (form: keyof typeof SPELLINGS, random: Random): Conversation =>
  randomConversation(random, form === 'sharegpt', form === 'sharegpt' ? 'none' : 'own');

test.each(FORMS)(`%s comes back as it was (OPENCHATML_SEED=${SEED})`, (form) => {
  for (let round = 0; round < ROUNDS; round++) {
    const record = SPELLINGS[form](conversationOf(form, randomOf(SEED + round)));
    const found = readAndWrite(form, record);
    const expected = { record, losses: [] };
    if (!isDeepStrictEqual(found, expected)) expect(found, `round ${round}`).toEqual(expected);
  }
});

test(`a conversation is the same in every form, and goes from each to each (OPENCHATML_SEED=${SEED})`, () => {
  for (let round = 0; round < ROUNDS; round++) {
    const isPlain = round % 3 === 0;
    const conversation = randomConversation(randomOf(SEED ^ round), isPlain, isPlain ? 'none' : 'shared');
    const forms = isPlain ? FORMS : FORMS.filter((form) => form !== 'sharegpt');
    const [first, ...others] = forms.map((form) => plain(READERS[form](SPELLINGS[form](conversation)).data, forms));
    for (const other of others) if (!isDeepStrictEqual(other, first)) expect(other, `round ${round}`).toEqual(first);
    if (isPlain) continue;
    for (const from of forms) {
      const { data } = READERS[from](SPELLINGS[from](conversation));
      for (const to of forms) {
        const { record, losses } = convertTranscript(data, to);
        const expected = [SPELLINGS[to](conversation), []];
        if (!isDeepStrictEqual([record, losses], expected)) expect([record, losses], `${round}: ${from}, ${to}`)
          .toEqual(expected);
      }
    }
  }
});

test(`what is no text comes to the other forms, or is told (OPENCHATML_SEED=${SEED})`, () => {
  const forms = FORMS.filter((form) => form !== 'sharegpt');
  const counts = { kept: 0, told: 0 };
  for (let round = 0; round < ROUNDS / 10; round++) {
    const conversation = randomConversation(randomOf(SEED * 7 + round), false, 'own');
    for (const from of forms) {
      const { data } = READERS[from](SPELLINGS[from](conversation));
      for (const to of [...forms, 'sharegpt', 'openchatml-2.2', 'interchange-2.2'] as const) {
        const { record, losses } = convertTranscript(data, to, { neutralise: true });
        const kept = record === null || !(to in READERS) ? 0 : mediaIn(READERS[to as 'messages'](record).data);
        const told = losses.filter(({ detail }) => /^a part of type [a-z_]+ is not carried$/.test(detail ?? '')).length;
        if (kept + told !== mediaIn(data)) expect([kept, told], `${round}: ${from}, ${to}`).toEqual(mediaIn(data));
        counts.kept += kept;
        counts.told += told;
      }
    }
  }
  expect(Math.min(counts.kept, counts.told), JSON.stringify(counts)).toBeGreaterThan(0);
});

const mediaIn = ({ messages }: TranscriptData): number =>
  messages.flatMap(({ parts = [] }) => parts).filter((part) => typeof part !== 'string').length;

/** ShareGPT has no ids; parts have a spelling in each form, and a file has two names. */
function plain(data: TranscriptData, forms: readonly string[]): TranscriptData {
  const messages = data.messages.map(({ parts, callId, ...message }) => {
    const { content } = message;
    const named = parts === undefined ? content : content.replaceAll('[document]', '[file]');
    return { ...message, content: named, ...(!forms.includes('sharegpt') && callId !== undefined && { callId }) };
  });
  return { ...data, messages };
}

describe(`odd records (OPENCHATML_SEED=${SEED})`, () => {
  test.each(FORMS)('%s: what is lost is told, or the record is refused', (form) => {
    const counts = { same: 0, told: 0, refused: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const random = randomOf(SEED * 31 + round);
      const record = SPELLINGS[form](conversationOf(form, random));
      for (let changes = 1 + random.below(2); changes > 0; changes--) spoil(random, record);
      const given = JSON.stringify(record);
      try {
        const found = readAndWrite(form, JSON.parse(given) as object);
        if (found.losses.length > 0) counts.told++;
        else {
          counts.same++;
          const { id: _, tools, ...expected } = JSON.parse(given) as Record<string, unknown>;
          // Definitions come back in the form's own spelling.
          expect(toolsFromOpenAI((found.record as { tools?: unknown }).tools)).toEqual(toolsFromOpenAI(tools));
          expect(missing(leavesOf(found.record), leavesOf(expected)), `round ${round}: ${given}`).toEqual([]);
        }
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        counts.refused++;
      }
    }
    expect(Math.min(counts.same, counts.told, counts.refused), JSON.stringify(counts)).toBeGreaterThan(0);
  });
});

const ODD: readonly unknown[] = [
  null, '', 'zzz', [], {}, 1, true, [{ type: 'text', text: 'x' }], [{ type: 'image', source: {} }], ['x'],
  [{ type: 'text', text: 'x' }, { type: 'text', text: 'y' }], 'assistant', 'user', 'tool', 'tool_use', 'message',
  { type: 'thinking', thinking: 't', signature: 's' }, { type: 'tool_result', tool_use_id: 'call_1', content: 'r' },
  { type: 'web_search_call', status: 'completed' }, { type: 'custom', name: 'x', input_schema: {} },
];

/** Changes a member or an item somewhere in a record: another value, a new one, none, or two in another order. */
function spoil(random: Random, record: object): void {
  const places: { holder: Record<string, unknown> | unknown[]; key: string | number }[] = [];
  const visit = (holder: unknown): void => {
    if (typeof holder !== 'object' || holder === null) return;
    for (const [key, inner] of Object.entries(holder)) {
      places.push({ holder: holder as Record<string, unknown>, key: Array.isArray(holder) ? Number(key) : key });
      visit(inner);
    }
  };
  visit(record);
  if (places.length === 0) return;
  const { holder, key } = random.pick(places);
  if (Array.isArray(holder)) {
    const at = Number(key);
    switch (random.below(4)) {
      case 0: holder.splice(at, 1); break;
      case 1: holder.splice(at, 0, structuredClone(random.pick(ODD))); break;
      case 2: holder[at] = structuredClone(random.pick(ODD)); break;
      default: [holder[at], holder[0]] = [holder[0], holder[at]];
    }
  } else if (random.once(4)) delete holder[key];
  else holder[random.once(3) ? random.pick(['zzz', 'name', 'type', 'content', 'thinking', 'id', 'system']) : key] =
    structuredClone(random.pick(ODD));
}

/** Words of the forms, which another spelling may lack. */
const WORDS: ReadonlySet<string> = new Set(['type', 'role', 'from']);

/** Texts, numbers and truth values in a value, sorted; what is empty says nothing. */
function leavesOf(value: unknown): string[] {
  const leaves: string[] = [];
  const visit = (inner: unknown, key: string): void => {
    if (typeof inner === 'object' && inner !== null) for (const [name, one] of Object.entries(inner)) visit(one, name);
    else if (inner !== null && inner !== '' && !WORDS.has(key)) leaves.push(JSON.stringify(inner));
  };
  visit(value, '');
  return leaves.sort();
}

/** What of `expected` is not in `found`; both are sorted. */
function missing(found: readonly string[], expected: readonly string[]): string[] {
  let at = 0;
  return expected.filter((leaf) => {
    while (at < found.length && found[at]! < leaf) at++;
    if (found[at] !== leaf) return true;
    at++;
    return false;
  });
}
