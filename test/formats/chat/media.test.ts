// Contents with parts that are no text: what each form makes of those of the others, what is told, and what is refused.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { READERS } from '../../../src/corpus/records/chat-form.ts';
import { fromOpenAI } from '../../../src/formats/chat/read.ts';
import { fromResponses } from '../../../src/formats/chat/responses.ts';
import { toShareGpt } from '../../../src/formats/chat/sharegpt.ts';
import { convertTranscript, FORMS, isDialect } from '../../../src/formats/convert.ts';
import { toHarmony } from '../../../src/formats/harmony/harmony.ts';
import { toInterchange22 } from '../../../src/formats/interchange/write.ts';
import type { Loss } from '../../../src/formats/loss.ts';
import { writeSegments } from '../../../src/formats/segments.ts';
import { writeTranscript } from '../../../src/formats/write/write.ts';
import type { MessageData, TranscriptData } from '../../../src/model/data.ts';

const PARTS_FORMS = ['messages', 'anthropic', 'responses'] as const;
type PartsForm = (typeof PARTS_FORMS)[number];

const details = (losses: readonly Loss[]): string[] => losses.map(({ detail }) => detail ?? '');
const notCarried = (type: string): string => `a part of type ${type} is not carried`;

describe('the fixtures', () => {
  const record = (form: PartsForm): object => {
    const url = new URL(`../../../fixtures/chat/media/${form}.json`, import.meta.url);
    return JSON.parse(readFileSync(url, 'utf8')) as object;
  };

  test.each(PARTS_FORMS.flatMap((from) => PARTS_FORMS.map((to) => [from, to] as const)))('%s as %s', (from, to) => {
    const { data, losses } = READERS[from](record(from));
    const written = convertTranscript(data, to);
    expect({ id: 'media', ...written.record }).toEqual(record(to));
    expect([...losses, ...written.losses]).toEqual([]);
  });

  test.each(PARTS_FORMS)('%s as text', (from) => {
    const { data } = READERS[from](record(from));
    const file = from === 'anthropic' ? '[document]' : '[file]';
    const { text, losses } = convertTranscript(data, 'openchatml-2.2');
    expect(text).toContain('Which of these is Oslo?[image][image]<|end|>');
    expect(text).toContain(`<|message|>${file}And what does the report say?<|end|>`);
    expect(losses.map(({ message }) => message)).toEqual([1, 1, 1, 3, 3]);
  });
});

const PNG = 'data:image/png;base64,AAAA';
const PDF = 'data:application/pdf;base64,BBBB';
const ADDRESS = 'https://example.org/a';
const image = (url: string, more = {}): object => ({ type: 'image_url', image_url: { url, ...more } });
const file = (of: object): object => ({ type: 'file', file: of });
const block = (source: object, more = {}): object => ({ type: 'image', source, ...more });
const document = (source: object, more = {}): object => ({ type: 'document', source, ...more });

/** What a user says, in a form. */
const said = (form: PartsForm, content: unknown): object =>
  (form === 'responses' ? { input: [{ type: 'message', role: 'user', content }] }
    : { messages: [{ role: 'user', content }] });
const contentOf = (record: object): unknown =>
  Object.values(record as Record<string, { content: unknown }[]>).at(-1)![0]!.content;

type Case = [from: PartsForm, to: PartsForm, part: object, expected: object | null, ...losses: string[]];

const CASES: Case[] = [
  ['messages', 'responses', image(ADDRESS, { detail: 'high' }),
    { type: 'input_image', image_url: ADDRESS, detail: 'high' }],
  ['messages', 'anthropic', image(PNG, { detail: 'high' }),
    block({ type: 'base64', media_type: 'image/png', data: 'AAAA' }), 'content.detail'],
  ['messages', 'anthropic', { type: 'image_url', image_url: ADDRESS }, block({ type: 'url', url: ADDRESS })],
  ['messages', 'anthropic', image('data:image/svg+xml;base64,AAAA'), null],
  ['messages', 'anthropic', image('data:image/png,AAAA'), null],
  ['messages', 'anthropic', image('ftp://example.org/a'), null],
  ['messages', 'anthropic', { ...image(ADDRESS), cache: 1 }, block({ type: 'url', url: ADDRESS }), 'content.cache'],
  ['messages', 'anthropic', file({ file_data: PDF }),
    document({ type: 'base64', media_type: 'application/pdf', data: 'BBBB' })],
  ['messages', 'anthropic', file({ file_data: 'BBBB', filename: 'a.pdf' }), null],
  ['messages', 'anthropic', file({ file_data: 'https://example.org/a.pdf' }), null],
  ['messages', 'anthropic', file({ file_id: 'file-1' }), null],
  ['messages', 'responses', file({ file_id: 'file-1' }), { type: 'input_file', file_id: 'file-1' }],
  ['messages', 'responses', file({ file_id: 'file-1', file_data: PDF }), null],
  ['messages', 'responses', file({ filename: 1, file_data: PDF }), null],
  ['messages', 'responses', { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }, null],
  ['messages', 'anthropic', { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }, null],
  ['messages', 'anthropic', { type: 'image', image: ADDRESS }, null],
  ['responses', 'messages', { type: 'input_image', image_url: PNG, detail: 'low' }, image(PNG, { detail: 'low' })],
  ['responses', 'messages', { type: 'input_image', file_id: 'file-1', detail: 'low' }, null],
  ['responses', 'messages', { type: 'input_file', file_url: ADDRESS }, null],
  ['responses', 'anthropic', { type: 'input_file', file_url: `${ADDRESS}.PDF?b=1` },
    document({ type: 'url', url: `${ADDRESS}.PDF?b=1` })],
  ['responses', 'anthropic', { type: 'input_file', file_url: ADDRESS }, null],
  ['anthropic', 'messages', block({ type: 'url', url: ADDRESS }, { cache_control: {} }), image(ADDRESS),
    'content.cache_control'],
  ['anthropic', 'messages', block({ type: 'file', file_id: 'file_1' }), null],
  ['anthropic', 'responses', document({ type: 'url', url: ADDRESS }, { title: 'a' }),
    { type: 'input_file', filename: 'a', file_url: ADDRESS }],
  ['anthropic', 'responses', document({ type: 'text', media_type: 'text/plain', data: 'a' }), null],
  ['anthropic', 'messages', { type: 'search_result', source: ADDRESS, title: 'a', content: [] }, null],
];

describe('a part of one form in another', () => {
  test.each(CASES)('%s to %s: %j', (from, to, part, expected, ...lost) => {
    const { data, losses: before } = READERS[from](said(from, [part]));
    expect(before).toEqual([]);
    const { record, losses } = convertTranscript(data, to);
    expect(contentOf(record!)).toEqual(expected === null ? data.messages[0]!.content : [expected]);
    expect(details(losses)).toEqual(expected === null ? [notCarried((part as { type: string }).type)] : lost);
    // At home it comes back as it was, also where another part has no place.
    const own = convertTranscript(data, from);
    expect([contentOf(own.record!), own.losses]).toEqual([[part], []]);
  });

  test('what has no place is text between the others', () => {
    const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };
    const text = { type: 'text', text: 'a' };
    const { data } = fromOpenAI({ messages: [{ role: 'user', content: [audio, text, image(ADDRESS)] }] });
    const { record, losses } = convertTranscript(data, 'anthropic');
    expect(contentOf(record!)).toEqual([{ type: 'text', text: '[audio]' }, text, block({ type: 'url', url: ADDRESS })]);
    expect(details(losses)).toEqual([notCarried('input_audio')]);
  });
});

describe('in what a tool answers', () => {
  const png = block({ type: 'base64', media_type: 'image/png', data: 'AAAA' });
  const text = { type: 'text', text: 'a' };
  const ask = { role: 'user', content: 'Q' };
  const input = { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] };
  const reply = { type: 'tool_result', tool_use_id: 'c', content: [text, png] };
  const record = { messages: [ask, input, { role: 'user', content: [reply, png] }] };
  const { data } = fromOpenAI(record);

  test('comes back, and to Responses', () => {
    expect(convertTranscript(data, 'anthropic')).toMatchObject({ record, losses: [] });
    const { record: items, losses } = convertTranscript(data, 'responses');
    const output = [{ type: 'input_text', text: 'a' }, { type: 'input_image', image_url: PNG }];
    expect((items as { input: object[] }).input[2]).toEqual({ type: 'function_call_output', call_id: 'c', output });
    expect(losses).toEqual([]);
    expect(convertTranscript(fromResponses(items).data, 'anthropic')).toMatchObject({ record, losses: [] });
  });

  test('OpenAI’s messages of a tool take text alone', () => {
    const { record: chat, losses } = convertTranscript(data, 'messages');
    expect((chat as { messages: object[] }).messages.slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'c', content: 'a[image]' }, { role: 'user', content: [image(PNG)] },
    ]);
    expect(details(losses)).toEqual([notCarried('image'), 'parts of content were joined']);
  });
});

describe('forms without a place', () => {
  const content = [{ type: 'text', text: 'a ' }, image('data:image/png;base64,SECRET')];
  const { data } = fromOpenAI({ messages: [{ role: 'user', content }] });
  const lost = [notCarried('image_url'), 'parts of content were joined'];

  test.each(FORMS.filter((form) => !(PARTS_FORMS as readonly string[]).includes(form)))('%s', (form) => {
    const converted = convertTranscript(data, form);
    expect(details(converted.losses)).toEqual(lost);
    expect(JSON.stringify(converted)).toContain('a [image]');
    expect(JSON.stringify(converted)).not.toContain('SECRET');
    if (isDialect(form)) expect(details(writeSegments(data, form).losses)).toEqual(lost);
  });

  test.each<[name: string, write: (data: TranscriptData) => { losses: readonly Loss[] }]>([
    ['toShareGpt', toShareGpt], ['toInterchange22', toInterchange22], ['toHarmony', toHarmony],
    ['writeTranscript', (given) => writeTranscript(given, 'openchatml-2.2')],
  ])('%s tells it by itself', (_, write) => {
    expect(details(write(data).losses)).toEqual(lost);
  });
});

describe('a message that was changed', () => {
  const part = { shown: '[image]', form: 'messages', part: image(ADDRESS) as { [key: string]: unknown } } as const;
  const dataOf = (...messages: MessageData[]): TranscriptData => ({ header: null, tools: [], messages });
  const written = (data: TranscriptData): unknown => {
    const { record, losses } = convertTranscript(data, 'messages', {});
    const { messages } = record as unknown as { messages: { content: unknown }[] };
    return [messages.map(({ content }) => content), details(losses)];
  };

  test('its content decides', () => {
    const user = { role: 'user', content: '[image]', parts: [part] };
    expect(written(dataOf(user))).toEqual([[[image(ADDRESS)]], []]);
    expect(written(dataOf({ ...user, content: 'else' }))).toEqual([['else'], [notCarried('image_url')]]);
  });

  test('replies and calls that are written as text are taken out, and what stands between them told', () => {
    const replies = '<tool_response>\na\n</tool_response>';
    const asked = { role: 'user', content: [{ type: 'text', text: replies }, image(ADDRESS)] };
    const { data, losses } = fromOpenAI({ messages: [asked] });
    expect(data.messages.map(({ role, content, parts }) => [role, content, parts])).toEqual([
      ['tool', 'a', undefined], ['user', '[image]', undefined],
    ]);
    expect(details(losses)).toContain(notCarried('image_url'));
  });

  test('calls as text: what is put together is text alone', () => {
    const { data } = fromOpenAI({
      messages: [
        { role: 'user', content: [image(ADDRESS)] },
        {
          role: 'assistant', content: [{ type: 'text', text: 'A' }, image(ADDRESS)],
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
      ],
    });
    const { record, losses } = convertTranscript(data, 'messages', { calls: 'hermes' });
    const [user, assistant] = (record as unknown as { messages: { content: unknown }[] }).messages;
    expect(user!.content).toEqual([image(ADDRESS)]);
    expect(assistant!.content).toMatch(/^A\[image\]\n<tool_call>/);
    expect(details(losses)).toContain(notCarried('image_url'));
  });

  test('thinking is text', () => {
    const said = { role: 'assistant', content: 'a', thinking: [image(ADDRESS)] };
    const { data, losses } = fromOpenAI({ messages: [said] });
    expect(data.messages.map(({ content }) => content)).toEqual(['[image]', 'a']);
    expect(data.messages.map(({ parts }) => parts)).toEqual([undefined, undefined]);
    expect(details(losses)).toEqual([notCarried('image_url'), 'parts of thinking were joined']);
  });
});
