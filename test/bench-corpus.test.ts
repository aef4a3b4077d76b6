// The benchmark corpora hold what their generator says: counted again here by a slow walk that shares no code with it.
// Also: the corpora conform (calls have ids and are answered, JSON bodies parse) and a seed always gives one text.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { textLines } from '../bench/corpora-files.ts';
import { KINDS, type Kind, corpus, hostile, jsonl } from '../bench/corpus.ts';
import { type Counts, differences, emptyCounts } from '../bench/counts.ts';
import { SHAPES, type Shape } from '../bench/hostile.ts';
import type { Notation } from '../bench/notation.ts';

const NINE = ['start', 'channel', 'message', 'call', 'constrain', 'return', 'end', 'literal', 'endliteral'];
const OLD = ['im_start', 'im_end', 'function_call', 'function_output'].concat(
  ['reason', 'reflect', 'introspect'].flatMap((name) => [`start_${name}`, `end_${name}`]),
);
const NAMES: Record<Notation, string[]> = {
  'openchatml-2.2': NINE,
  'openchatml-0.1': OLD,
  harmony: NINE.slice(0, 7),
};
const SIZE = 600_000;

interface Walk {
  counts: Counts;
  /** Bodies declared to be JSON, and calls and replies in order with their ids. */
  json: string[];
  calls: { id: string | undefined; reply: boolean; transcript: number }[];
}

function add(record: Record<string, number>, key: string): void {
  record[key] = (record[key] ?? 0) + 1;
}

/** Counts 2.x text. Bytes are characters here. */
function walk(text: string, notation: Notation): Walk {
  const rich = notation === 'openchatml-2.2';
  const counts = emptyCounts();
  const json: string[] = [];
  const calls: Walk['calls'] = [];
  counts.bytes = text.length;
  for (const name of NAMES[notation]) {
    const times = text.split(`<|${name}|>`).length - 1;
    if (times > 0) counts.textual[name] = times;
  }
  counts.occurrences = Object.values(counts.textual).reduce((a, b) => a + b, 0);
  counts.openers = counts.textual['start'] ?? 0;
  const tokenAt = (i: number): string | undefined => NAMES[notation].find((name) => text.startsWith(`<|${name}|>`, i));
  let i = 0;
  let place: 'gap' | 'header' | 'body' = 'gap';
  let fields: Record<string, string> = {};
  let field = 'start';
  let body = '';
  let newTranscript = true;

  const finish = (end: string): void => {
    if (newTranscript) counts.transcripts++;
    newTranscript = false;
    const words = (fields['start'] ?? '').split(/[ \n]/).filter((word) => word !== '');
    const more = (fields['channel'] ?? '').split(' ').filter((word) => word !== '');
    const value = (key: string): string | undefined =>
      [...words, ...more].find((word) => word.startsWith(`${key}=`))?.slice(key.length + 1);
    let role = words[0];
    const to = value('to');
    if (role?.startsWith('functions.') || (role === 'python' && to === 'assistant')) role = 'tool';
    counts.messages++;
    if (role !== undefined) add(counts.roles, role);
    add(counts.channels, more[0] ?? 'final');
    if (fields['channel'] === undefined) counts.unchanneled++;
    add(counts.ends, end);
    const call = role === 'assistant' && to !== undefined;
    if (call) counts.calls++;
    if (call || role === 'tool') calls.push({ id: value('call_id'), reply: !call, transcript: counts.transcripts });
    if (fields['constrain'] === 'json' || value('content_type') === 'json') json.push(body);
    fields = {};
    body = '';
  };

  while (i < text.length) {
    const lineStart = i === 0 || text[i - 1] === '\n';
    if (place === 'gap' && rich && lineStart && /^(---\n|version: |# )/.test(text.slice(i, i + 9))) {
      counts.transcripts++;
      newTranscript = false;
      for (let content = false; i < text.length && !text.startsWith('<|', i); ) {
        const line = text.slice(i, text.indexOf('\n', i) + 1);
        i += line.length;
        if (line === '---\n' && content) break;
        content ||= line !== '---\n' && !line.startsWith('#');
      }
      continue;
    }
    if (rich && place === 'body' && text[i] === '<' && tokenAt(i + 1) !== undefined) {
      const name = tokenAt(i + 1) as string;
      counts.escapes++;
      body += `<|${name}|>`;
      i += name.length + 5;
      continue;
    }
    const name = text[i] === '<' ? tokenAt(i) : undefined;
    if (name === undefined) {
      if (place === 'body') body += text[i];
      if (place === 'header') fields[field] += text[i] as string;
      i++;
      continue;
    }
    add(counts.tokens, name);
    i += name.length + 4;
    if (name === 'start') {
      if (place !== 'gap') finish('implicit');
      if (notation === 'harmony' && text.startsWith('system', i) && counts.messages > 0) newTranscript = true;
      place = 'header';
      field = 'start';
      fields[field] = '';
    } else if (place === 'header' && name === 'message') place = 'body';
    else if (place === 'header' && (name === 'channel' || name === 'constrain')) {
      field = name;
      fields[field] = '';
    } else if (place === 'body' && name === 'literal') {
      const to = text.indexOf('<|endliteral|>', i);
      counts.literals++;
      add(counts.tokens, 'endliteral');
      body += text.slice(i, to);
      i = to + 14;
    } else if (place === 'body' && ['end', 'call', 'return'].includes(name)) {
      finish(name);
      place = 'gap';
    }
  }
  if (place !== 'gap') finish('eof');
  if (rich) {
    for (const [, name] of text.matchAll(/<\|((?:start|end)_(?:reason|reflect|introspect))\|>/g)) {
      add(counts.marks, name as string);
    }
  }
  return { counts, json, calls };
}

/** Counts 0.1 text. */
function walkOld(text: string): Walk {
  const counts = emptyCounts();
  const json: string[] = [];
  counts.bytes = text.length;
  for (const name of OLD) {
    const times = text.split(`<|${name}|>`).length - 1;
    if (times > 0) counts.textual[name] = times;
  }
  counts.tokens = { ...counts.textual };
  counts.occurrences = Object.values(counts.textual).reduce((a, b) => a + b, 0);
  counts.openers = counts.textual['im_start'] ?? 0;
  for (const sequence of text.split('<s>\n<|im_start|>').slice(1)) {
    counts.transcripts++;
    expect(sequence.endsWith('\n<|im_end|>\n</s>\n')).toBe(true);
    for (const message of sequence.slice(0, -'</s>\n'.length).split('\n<|im_end|>\n').slice(0, -1)) {
      const role = message.replace('<|im_start|>', '').split(/[ \n]/, 1)[0] as string;
      const [first, ...rest] = message.slice(message.indexOf('\n') + 1).split('\n');
      counts.messages++;
      counts.unchanneled++;
      add(counts.roles, role);
      add(counts.channels, 'final');
      add(counts.ends, 'end');
      if (first === '<|function_call|>') counts.calls++;
      if (first?.startsWith('<|function_')) json.push(rest.join('\n'));
    }
  }
  return { counts, json, calls: [] };
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'openchatml-corpus-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('corpora', () => {
  test.each(KINDS.map((kind): [string, Kind] => [kind.name, kind]))('%s', (_, kind) => {
    const { path, counts, notation } = corpus(kind, SIZE, 7, folder);
    const bytes = readFileSync(path);
    const text = bytes.toString('latin1');
    expect(bytes.length).toBeGreaterThanOrEqual(SIZE);
    expect(Buffer.from(bytes.toString('utf8')).equals(bytes)).toBe(true);

    const walked = notation === 'openchatml-0.1' ? walkOld(text) : walk(text, notation);
    expect(walked.counts).toEqual(counts);

    for (const body of walked.json) expect(() => JSON.parse(Buffer.from(body, 'latin1').toString())).not.toThrow();
    expect(walked.json.length > 0).toBe(kind.profile.calls > 0);

    if (notation === 'openchatml-2.2') {
      const open = new Set<string>();
      const used = new Set<string>();
      for (const { id, reply, transcript } of walked.calls) {
        const key = `${transcript} ${id}`;
        expect(id).toBeDefined();
        if (reply) expect(open.delete(key)).toBe(true);
        else {
          expect(used.has(key)).toBe(false);
          used.add(key);
          open.add(key);
        }
      }
      expect(open.size).toBe(0);
      expect(walked.calls.length).toBe(2 * counts.calls);
    }
  });

  test('the mixed corpus holds what scanners trip over', () => {
    const { counts } = corpus(KINDS[0] as Kind, 4 * SIZE, 7, folder);
    expect(counts.escapes).toBeGreaterThan(0);
    expect(counts.literals).toBeGreaterThan(0);
    expect(counts.textual['start']).toBeGreaterThan(counts.tokens['start'] as number);
    expect(Object.keys(counts.marks).length).toBeGreaterThan(0);
  });

  test('a seed gives one text, another seed another', () => {
    const kind = KINDS[0] as Kind;
    const again = mkdtempSync(join(folder, 'again-'));
    const text = (seed: number, to: string): Buffer => readFileSync(corpus(kind, SIZE, seed, to).path);
    expect(text(7, folder).equals(text(7, again))).toBe(true);
    expect(text(7, folder).equals(text(8, folder))).toBe(false);
  });

  test('JSON lines hold the same chats', () => {
    const kind = KINDS[0] as Kind;
    const { counts, path } = corpus(kind, SIZE, 7, folder);
    const made = jsonl(kind, SIZE, 7, counts, folder);
    const lines = readFileSync(made.path, 'utf8').trimEnd().split('\n');
    expect(lines.length).toBe(made.lines);
    expect(made.lines).toBe(counts.transcripts);
    const messages = lines.flatMap((line) => (JSON.parse(line) as { messages: Record<string, string>[] }).messages);
    expect(messages.length).toBe(counts.messages);
    // An empty literal block leaves nothing in the content.
    const text = readFileSync(path, 'utf8').replaceAll('<|literal|><|endliteral|>', '');
    const plain = messages.filter(({ content }) => !content?.includes('<|'));
    expect(plain.length).toBeGreaterThan(messages.length / 2);
    for (const { content } of plain) expect(text.includes(`<|message|>${content}`)).toBe(true);
  });

  test('lines with a transcript each hold what the generator says', () => {
    const made = textLines(KINDS[0] as Kind, SIZE, 7, folder);
    const file = readFileSync(made.path, 'utf8');
    const texts = file.trimEnd().split('\n').map((line) => Buffer.from((JSON.parse(line) as { text: string }).text));
    expect(texts.length).toBe(made.lines);
    expect(made.bytes).toBe(Buffer.byteLength(file));
    expect(made.textBytes).toBe(texts.reduce((total, text) => total + text.length, 0));
    const sums = { transcripts: 0, messages: 0, calls: 0, roles: {} as Record<string, number> };
    for (const text of texts) {
      const { counts } = walk(text.toString('latin1'), 'openchatml-2.2');
      expect(counts.transcripts).toBe(1);
      sums.transcripts++;
      sums.messages += counts.messages;
      sums.calls += counts.calls;
      for (const [role, count] of Object.entries(counts.roles)) sums.roles[role] = (sums.roles[role] ?? 0) + count;
    }
    expect(differences({ ...sums, bytes: made.bytes }, made.counts)).toEqual([]);
  });
});

describe('hostile shapes', () => {
  test.each(SHAPES.map((shape): [string, Shape] => [shape.name, shape]))('%s', (_, shape) => {
    for (const size of [4096, 8192]) {
      const { path, counts } = hostile(shape, size, folder);
      expect(counts.bytes).toBeLessThanOrEqual(size);
      expect(counts.bytes).toBeGreaterThan(size - 64);
      expect(walk(readFileSync(path, 'latin1'), 'openchatml-2.2').counts).toEqual(counts);
    }
  });
});

test('a wrong answer is told from a right one', () => {
  const right: Counts = { ...emptyCounts(), messages: 3, tokens: { start: 3, end: 2 } };
  expect(differences({ messages: 3, tokens: { start: 3, end: 2 } }, right)).toEqual([]);
  expect(differences({ messages: 4 }, right)).toEqual(['messages 4, not 3']);
  expect(differences({ tokens: { start: 3, call: 1 } }, right)).toEqual([
    'tokens.call 1, not 0',
    'tokens.end 0, not 2',
  ]);
});
