// The audit of records and transcripts: what is found, the exact bytes of each finding, and copies that differ in the
// changed values alone.
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type AuditOptions as Options, auditRecords, auditText } from '../../../src/corpus/audit/audit.ts';
import type { AuditedText, ByteEdit, TextChange } from '../../../src/corpus/audit/audited.ts';
import { messagesOf } from '../../../src/corpus/messages.ts';
import { isContainer } from '../../../src/corpus/records/unit.ts';
import { findControlTokens } from '../../../src/formats/control-tokens/find.ts';
import { createMachine, parse } from '../../../src/index.ts';
import { MemorySource } from '../../../src/scan/source.ts';
import { runs, testLong, testOnce } from '../../long.ts';
import { type Random, randomInput, randomOf, SEED } from '../../random.ts';

const machine = createMachine();
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
const fixture = (name: string): Uint8Array => readFileSync(new URL(`../../../fixtures/audit/${name}`, import.meta.url));

interface AuditOptions extends Options {
  form?: 'text' | 'records';
}

function auditOf(input: string | Uint8Array, { form, ...options }: AuditOptions = {}, path = 'a'): AuditedText[] {
  const source = new MemorySource(typeof input === 'string' ? encode(input) : input);
  const isRecords = form === undefined ? isContainer(path, source, options) : form === 'records';
  const audited = isRecords ? auditRecords(machine, source, options) : auditText(machine, source, options);
  return [...audited].filter((text) => typeof text !== 'number');
}

/** Every finding, short: severity, rule, record, field, the bytes in the input. */
function short(input: string | Uint8Array, options: AuditOptions = {}, path = 'a'): string[] {
  const bytes = typeof input === 'string' ? encode(input) : input;
  return auditOf(bytes, options, path).flatMap(({ findings }) => {
    return findings;
  }).map(({ severity, rule, record, field, from, to }) => {
    const place = record === null ? '' : ` ${record} ${field}`;
    return `${severity} ${rule}${place} ${decode(bytes.subarray(from, to))}`;
  });
}

function editsOf(change: TextChange | null): ByteEdit[] {
  const edits: ByteEdit[] = [];
  if (change === null) return edits;
  for (const edit = change.byteEdits(); edit.next(); ) {
    const { from, to, bytes } = edit;
    edits.push({ from, to, bytes });
  }
  return edits;
}

/** The input with all changes made, as a copy has them. */
function copyOf(bytes: Uint8Array, options: AuditOptions = {}): Uint8Array {
  const edits = auditOf(bytes, options).flatMap(({ change }) => editsOf(change));
  edits.sort((a, b) => a.from - b.from);
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const edit of edits) {
    expect(edit.from).toBeGreaterThanOrEqual(at);
    parts.push(bytes.subarray(at, edit.from), edit.bytes);
    at = edit.to;
  }
  return Uint8Array.from(Buffer.concat([...parts, bytes.subarray(at)]));
}

const record = (value: object): string => `${JSON.stringify(value)}\n`;

describe('the fixtures', () => {
  test('chat records', () => {
    expect(short(fixture('chat.jsonl'))).toEqual([
      'error control-token 1 messages[0].content <|end|>',
      'error control-token 1 messages[0].content <|start|>',
      'error control-token 1 messages[0].content <|message|>',
      'error control-token 1 messages[0].content <|end|>',
      'error control-token 2 messages[0].name \\u003c|im_end|\\u003e',
      'error control-token 2 messages[0].content \\u003c|call|\\u003e',
      'error assembled-token 3 messages[0].content[1].text nd|>',
      'error assembled-token 4 messages[0].content <',
      'warning token-look-alike 5 conversations[0].value <|END|>',
      'warning token-look-alike 5 conversations[0].value &lt;|end|&gt;',
      'warning token-look-alike 5 conversations[0].value \uff1c\uff5cstart\uff5c\uff1e',
      'warning foreign-token 5 conversations[1].value [INST]',
      'warning bound-token 5 conversations[1].value <s>',
      'error control-token 6 tools[0].function.description <|return|>',
      'error control-token 6 tools[0].function.parameters.properties[*] <|call|>',
      'error cot-marker 7 messages[0].content <|start_reason|>',
      'error cot-marker 7 messages[0].content <|end_reason|>',
      'warning cot-marker 7 messages[1].content <|start_reason|>',
      'warning cot-marker 7 messages[1].content <|end_reason|>',
      'warning control-token 8 text <|end|>',
      'error control-token 8 text <|fim_prefix|>',
      'error unknown-record 9 null {"id":"none","meta":"<|end|>"}',
      'error bad-record 10 null no JSON',
    ]);
  });

  test('a transcript of 2.2, and one of 0.1', () => {
    expect(short(fixture('transcript.ocml'))).toEqual([
      'info control-token <|end|>', 'info control-token <|start|>', 'warning control-token <|im_end|>',
      'error control-token <|channel|>',
    ]);
    expect(short(fixture('line.chatml')))
      .toEqual(['error control-token <|fim_middle|>', 'warning control-token <|end|>']);
  });

  test('a copy of each has no error but in what cannot be read', () => {
    for (const [name, left] of [['chat.jsonl', 2], ['transcript.ocml', 0], ['line.chatml', 0]] as const) {
      const copy = copyOf(fixture(name));
      expect(short(copy).filter((it) => it.startsWith('error'))).toHaveLength(left);
      expect(Buffer.from(copyOf(copy))).toEqual(Buffer.from(copy));
    }
    const clean = copyOf(fixture('chat.jsonl'), { lookAlikes: true, foreign: true });
    expect(short(clean, { lookAlikes: true }).filter((it) => !it.includes('record') && !it.includes('cot-marker')))
      .toEqual([]);
  });
});

describe('what is looked into', () => {
  const bad = '<|end|>';
  const message = (fields: object): object => ({ messages: [{ role: 'user', content: 'x', ...fields }] });
  const found: [value: object, field: string][] = [
    [message({ role: bad }), 'messages[0].role'],
    [message({ name: bad }), 'messages[0].name'],
    [message({ content: null, tool_calls: [{ id: bad }] }), 'messages[0].tool_calls[0].id'],
    [
      message({ tool_calls: [{ function: { name: 'f', arguments: `{"a":"${bad}"}` } }] }),
      'messages[0].tool_calls[0].function.arguments',
    ],
    [
      message({ tool_calls: [{ function: { arguments: { a: { b: bad } } } }] }),
      'messages[0].tool_calls[0].function.arguments.a.b',
    ],
    [message({ tool_call_id: bad }), 'messages[0].tool_call_id'],
    [message({ reasoning_content: bad }), 'messages[0].reasoning_content'],
    [message({ recipient: bad, channel: 'final' }), 'messages[0].recipient'],
    [{ messages: [bad] }, 'messages[0]'],
    [{ conversations: [{ from: 'human', value: bad }] }, 'conversations[0].value'],
    [{ prompt: bad, completion: 'x' }, 'prompt'],
    [{ prompt: [{ role: 'user', content: bad }], completion: [] }, 'prompt[0].content'],
    [{ prompt: 'x', chosen: [{ role: 'assistant', content: bad }], rejected: 'y' }, 'chosen[0].content'],
    [{ instruction: bad, output: 'x' }, 'instruction'],
    [{ instructions: bad, input: [] }, 'instructions'],
    [{ input: [{ type: 'function_call_output', call_id: 'c', output: bad }] }, 'input[0].output'],
    [{ output: [{ type: 'function_call', arguments: `{"a":"${bad}"}` }] }, 'output[0].arguments'],
    [
      { output: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: bad }] }] },
      'output[0].summary[0].text',
    ],
    [
      { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: bad }] }] },
      'messages[0].content[0].content',
    ],
    [{ text: `Plain ${bad}` }, 'text'],
    [{ system: bad, messages: [] }, 'system'],
    [{ messages: [], tools: `[{"name":"${bad}"}]` }, 'tools'],
  ];
  test.each(found)('%j', (value, field) => {
    expect(short(record(value))).toEqual([`error control-token 0 ${field} <|end|>`]);
    expect(short(JSON.stringify([value], null, 1))).toEqual([`error control-token 0 ${field} <|end|>`]);
  });

  test('a named field, and what is none', () => {
    expect(short(record({ chatml: bad }), { field: 'chatml' })).toEqual(['error control-token 0 chatml <|end|>']);
    expect(short(record({ id: bad, source: bad, messages: [] }))).toEqual([]);
    expect(short(record({ id: bad }), { field: 'chatml' }))
      .toEqual([`error unknown-record 0 null ${JSON.stringify({ id: bad })}`]);
  });

  test('the last one of duplicate keys counts', () => {
    expect(short('{"messages":[{"content":"<|end|>","content":"x"}]}\n')).toEqual([]);
    expect(short('{"messages":[{"content":"x","content":"<|call|>"}],"messages":[{"content":"<|end|>"}]}\n')).toEqual([
      'error control-token 0 messages[0].content <|end|>',
    ]);
  });

  test('an assistant reasons, whatever its role is called', () => {
    const value = '<|start_reason|>';
    expect(short(record({ conversations: [{ from: 'gpt', value }, { from: 'human', value }] }))).toEqual([
      `warning cot-marker 0 conversations[0].value ${value}`, `error cot-marker 0 conversations[1].value ${value}`,
    ]);
  });

  test('tokens across parts and messages', () => {
    const parts = (...texts: string[]): object =>
      ({ role: 'user', content: texts.map((text) => ({ type: 'text', text })) });
    expect(short(record({ messages: [parts('<|', 'en', 'd|>')] })))
      .toEqual(['error assembled-token 0 messages[0].content[2].text d|>']);
    expect(short(record({ messages: [{ role: 'user', content: 'x <|im_' }, { role: 'user', content: 'end|>' }] })))
      .toEqual(['error assembled-token 0 messages[1].content end|>']);
    expect(short(record({ messages: [{ role: 'user', name: '<|e', content: 'nd|>' }] })))
      .toEqual(['error assembled-token 0 messages[0].content nd|>']);
    expect(short(
      record({ messages: [{ role: 'user', content: 'x <|im_' }] }) + record({ messages: [{ content: 'end|>' }] }),
    )).toEqual([]);
  });

  test('bounds at the edges of the whole only', () => {
    const value = { messages: [{ content: '<s>\na' }, { content: '<s>\nb\n</s>' }, { content: 'c\n</s>' }] };
    expect(short(record(value)))
      .toEqual(['warning bound-token 0 messages[0].content <s>', 'warning bound-token 0 messages[2].content </s>']);
  });

  test('transcripts in fields: of one, and of a prompt with its completion', () => {
    const text = '<|start|>user<|message|>\u00e9 <|channel|> <|im_end|><|end|>';
    expect(short(record({ text })))
      .toEqual(['error control-token 0 text <|channel|>', 'warning control-token 0 text <|im_end|>']);
    const prompt = `${text}<|start|>assistant`;
    const completion = '<|channel|>final<|message|>\u20ac <|constrain|><|return|>';
    for (const value of [{ prompt, completion }, { completion, prompt }]) {
      const line = record(value).replaceAll('<|', '\\u003c|').replaceAll('\u20ac', '\\u20ac');
      const field = 'prompt and completion';
      expect(short(line).sort()).toEqual([
        `error control-token 0 ${field} \\u003c|channel|>`, `error control-token 0 ${field} \\u003c|constrain|>`,
        `warning control-token 0 ${field} \\u003c|im_end|>`,
      ]);
      const copy = JSON.parse(decode(copyOf(encode(line)))) as { prompt: string; completion: string };
      expect(copy.prompt).toBe(prompt.replace('\u00e9 <|channel|>', '\u00e9 <<|channel|>'));
      expect(copy.completion).toBe(completion.replace('<|constrain|>', '<<|constrain|>'));
    }
  });

  test('names in headers', () => {
    expect(short('<|start|>user name=a<|im_end|>b<|message|>x<|end|>')).toEqual(['warning control-token <|im_end|>']);
  });

  test(`headers, those of known words too: what is found in their text (OPENCHATML_SEED=${SEED})`, () => {
    const signs = [
      'a', '<', '|', '>', '[INST]', '&lt;', '%3C', '\\u003c', '<|im_end|>', '<|x|>', '|end|>', '\u00e9', '\uff1c',
      '<s>',
    ];
    let [found, plain] = [0, 0];
    for (let round = 0; round < 500; round++) {
      const random = randomOf(SEED + round);
      const value = Array.from({ length: 1 + random.below(4) }, () => random.pick(signs)).join('');
      if (value.includes('<|end|>')) continue;
      const field = random.pick(['', '<|channel|>final', '<|channel|>commentary intent=preamble<|constrain|>json']);
      const text = `<|start|>assistant ${random.pick(['name', 'call_id', 'x'])}=${value}${field}<|message|>hi<|end|>`;
      const [message] = [...parse(text, { dialect: 'openchatml-2.2' }).transcripts[0]!];
      const header = text.slice(0, text.indexOf('<|message|>') + '<|message|>'.length);
      const all = findControlTokens(header, { body: 'openchatml-2.2', edges: 'none' });
      const place = ({ rule, from, to }: { rule: string; from: number; to: number }): object => ({ rule, from, to });
      const wanted = all.filter(({ severity }) => severity !== 'error').map(place);
      const findings = auditOf(text, { form: 'text', dialect: 'openchatml-2.2' }).flatMap((one) => one.findings);
      const given = findings.map(place);
      expect(given, `seed ${SEED}, round ${round}: ${text}`).toEqual(wanted);
      found += wanted.length > 0 ? 1 : 0;
      plain += message!.isPlain ? 1 : 0;
    }
    expect(Math.min(found, plain)).toBeGreaterThan(50);
  });

  test(`headers of any message, the bad ones too (OPENCHATML_SEED=${SEED})`, () => {
    let [found, bad] = [0, 0];
    for (let round = 0; round < runs(10_000); round++) {
      const random = randomOf(SEED + round);
      const input = randomInput(random, 8);
      const dialect = random.pick(['openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1', 'harmony'] as const);
      const source = new MemorySource(input);
      const wanted: object[] = [];
      const headers: { from: number; to: number }[] = [];
      for (const { message } of messagesOf(machine, source, { dialect })) {
        const { from, to } = message.header;
        headers.push({ from, to });
        if (message.isBare || !isUtf8(input.subarray(from, to))) continue;
        bad += message.isPlain ? 0 : 1;
        const all = findControlTokens(decode(input.subarray(from, to)), { body: dialect, edges: 'none' });
        for (const one of all) {
          if (one.severity !== 'error') wanted.push({ rule: one.rule, from: from + one.from, to: from + one.to });
        }
      }
      const inHeader = (at: number): boolean =>
        headers.some(({ from, to }) => at >= from && at < to && isUtf8(input.subarray(from, to)));
      const given = auditOf(input, { form: 'text', dialect }).flatMap(({ findings }) => findings)
        .filter(({ from }) => inHeader(from)).map(({ rule, from, to }) => ({ rule, from, to }));
      expect(given, `seed ${SEED}, round ${round}: ${JSON.stringify(decode(input))}`).toEqual(wanted);
      found += wanted.length;
    }
    expect(Math.min(found, bad)).toBeGreaterThan(runs(10_000) / 100);
  });

  test('positions are bytes where text is not UTF-8', () => {
    const bytes = Uint8Array.from([...encode('<|start|>user<|message|>'), 0xff, 0xc3, ...encode('<|channel|><|end|>')]);
    const [audited] = auditOf(bytes);
    expect(audited!.findings).toEqual([expect.objectContaining({ from: 26, to: 37, rule: 'control-token' })]);
    expect(Buffer.from(copyOf(bytes)).indexOf('<<|channel|>')).toBe(26);
  });
});

test('escaped records: reading them as bodies gives the text back, and what cannot be escaped is counted', () => {
  const line = encode(
    record({ messages: [{ role: 'user', name: 'n<|im_end|>', content: 'a <|end|> <|end_reason|> <' }] }),
  );
  const copy = JSON.parse(decode(copyOf(line, { how: 'escape' }))) as { messages: object[] };
  expect(copy.messages).toEqual([{
    role: 'user', name: 'n<|im_end|>',
    content: 'a <<|end|> <|literal|><|end_reason|><|endliteral|> <|literal|><<|endliteral|>',
  }]);
  const parts = record({ messages: [{ role: 'user', content: ['<|e', 'nd|>'] }] });
  expect(auditOf(parts, { how: 'escape' })).toEqual([expect.objectContaining({ change: null, left: 1 })]);
  expect(auditOf(parts)).toEqual([expect.objectContaining({ left: 0 })]);
});

/** A value as JSON with random white space and escapes. */
function randomly(random: Random, value: unknown): string {
  const space = (): string => random.pick(['', '', ' ', '\t']);
  if (typeof value === 'string') {
    const unit = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`;
    return `"${[...value].map((character) => {
      const plain = JSON.stringify(character).slice(1, -1);
      return random.once(4)
        ? [...Array(character.length).keys()].map((i) => unit(character.charCodeAt(i))).join('')
        : plain;
    }).join('')}"`;
  }
  if (Array.isArray(value)) return `[${value.map((item) => space() + randomly(random, item)).join(',')}]`;
  const members = Object.entries(value as object);
  return `{${members
    .map(([key, item]) => `${space()}${randomly(random, key)}:${space()}${randomly(random, item)}`)
    .join(',')}}`;
}

const PIECES = [
  '<|end|>', '<|im_start|>', '<|start_reason|>', '<', '<|', '|>', 'end|>', ' ', 'a', '\u00e9', '\u{1f600}', '"', '\\',
  '\n', '<|END|>', '\ud83d',
];

function randomRecord(random: Random): object {
  const text = (): string => Array.from({ length: random.below(5) }, () => random.pick(PIECES)).join('');
  const content = (): unknown =>
    random.once(3) ? [{ type: 'text', text: text() }, { type: 'text', text: text() }] : text();
  const messages = Array.from({ length: random.below(4) }, () => ({
    role: random.pick(['user', 'assistant', 'tool']), ...(random.once(3) && { name: text() }), content: content(),
    ...(random.once(4) && { extra: { [text()]: text() } }),
  }));
  return { id: text(), messages };
}

test('random records: findings are where the bytes are, copies are clean and differ in nothing else', () => {
  for (let round = 0; round < 400; round++) {
    const random = randomOf(SEED + round);
    const values = Array.from({ length: 1 + random.below(3) }, () => randomRecord(random));
    const bytes = encode(
      values.map((value) => `${randomly(random, value)}${random.pick(['\n', '\r\n', '\n\n'])}`).join(''),
    );
    const why = `seed ${SEED}, round ${round}: ${decode(bytes)}`;
    const audited = auditOf(bytes);
    let last = -1;
    for (const { findings } of audited) {
      for (const { rule, from, to, message } of findings) {
        const text = JSON.parse(`"${decode(bytes.subarray(from, to))}"`) as string;
        if (rule === 'control-token' || rule === 'cot-marker') expect(message, why).toContain(`: ${text} (`);
        else if (rule === 'token-look-alike') {
          expect(message, why).toContain(`: ${text.replace(/\s/g, '').toLowerCase()}, with`);
        } else expect(text.length, why).toBeGreaterThan(0);
        expect(from, why).toBeGreaterThanOrEqual(last);
        last = from;
      }
    }
    const copy = copyOf(bytes);
    expect(short(copy).filter((it) => it.startsWith('error')), why).toEqual([]);
    const plain = (it: Uint8Array): string => decode(it).replaceAll(' ', '').replaceAll('\\u0020', '');
    const read = (it: string): unknown[] =>
      it.split('\n').filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as unknown);
    expect(read(plain(copy)), why).toEqual(read(plain(bytes)));
    if (audited.every(({ change }) => change === null)) expect(Buffer.from(copy), why).toEqual(Buffer.from(bytes));
  }
});

describe('hostile records', () => {
  testLong('deep values with a token on every level', () => {
    const depth = 50_000;
    const line = `{"messages":[{"content":${'["<|end|>",'.repeat(depth)}0${']'.repeat(depth)}}]}\n`;
    const audited = auditOf(line);
    expect(audited).toHaveLength(depth);
    expect(audited.at(-1)!.findings[0]!.field!.length).toBeLessThan(200);
    expect(short(copyOf(encode(line)))).toEqual([]);
  });

  testLong('many tokens in one value, many values, many messages', () => {
    const count = 50_000;
    const many = record({ text: `x${'<|end|>'.repeat(count)}` });
    const [{ findings, change }] = auditOf(many) as [AuditedText];
    expect(findings).toHaveLength(1001);
    expect(findings[1000]).toMatchObject({ rule: 'control-token', severity: 'error', to: many.length - 3 });
    expect(findings[1000]!.message).toContain(`${count - 1000} times`);
    // A copy has none of them.
    expect(change!.edits).toHaveLength(count);
    const text = `<|im_start|>user\n${'<|start_reason|>'.repeat(5000)}<|im_end|>`;
    const raw = auditOf(text, { dialect: 'openchatml-0.1' });
    expect([raw[0]!.findings.length, raw[0]!.change!.edits.length]).toEqual([1001, 5000]);
    expect(auditOf(many, { tellsOnly: true })[0]).toMatchObject({ findings, change: null });
    expect(auditOf(record({ messages: Array(count).fill({ role: 'user', content: '<|end|>' }) }))).toHaveLength(count);
    const halves = { messages: [{ role: 'user', content: Array(count).fill('<|') }] };
    expect(short(record(halves))).toEqual([]);
  });

  testOnce('keys that mean something to JavaScript', () => {
    const line = '{"__proto__":{"x":"<|end|>"},"messages":[{"__proto__":{"x":"<|end|>"},"constructor":"<|call|>"}]}\n';
    expect(short(line)).toEqual([
      'error control-token 0 messages[0].__proto__.x <|end|>', 'error control-token 0 messages[0].constructor <|call|>',
    ]);
  });
});
