// Chat records as rows against the way on which every record is a value, a text, and views of it: the same counts,
// findings and lines of messages, whatever the records, the size of reads, of the window and of the table.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { FORM_MESSAGES, FORM_OTHERS, HAS_MARKED, KIND, SLOW } from '../../../src/abi.ts';
import type { InputSource } from '../../../src/corpus/input/source.ts';
import type { Job, JobResult, Piece, Work } from '../../../src/corpus/jobs/job.ts';
import { ThreadContext } from '../../../src/corpus/jobs/open.ts';
import { kindOf } from '../../../src/corpus/jobs/kinds.ts';
import { perform } from '../../../src/corpus/jobs/perform.ts';
import { layoutOf } from '../../../src/corpus/records/layout.ts';
import { beginsWithTurn } from '../../../src/corpus/records/turns.ts';
import { LARGEST } from '../../../src/corpus/records/record.ts';
import type { FileOptions } from '../../../src/corpus/records/unit.ts';
import { linePieces } from '../../../src/formats/chat/record-lines.ts';
import { RecordMachine, type RecordMachineOptions } from '../../../src/scan/record-machine.ts';
import { toolsFromOpenAI } from '../../../src/tools/records.ts';
import { isAll, runs, testLong } from '../../long.ts';
import { type Random, randomOf, SEED } from '../../random.ts';
import { SlowSource } from '../input/slow-source.ts';
import { ARGUMENTS, mutated, NAMES, randomRecord, randomText, randomTools, TEXTS } from './random-chat.ts';
import { transcript } from './random-forms.ts';

const RUNS = runs(200, 12);

/** Small windows hold some lines, small tables some records. */
const MACHINES: RecordMachineOptions[] = [
  { build: 'simd' }, { build: 'scalar' }, { build: 'simd', input: 2000, rows: 40 },
  { build: 'scalar', input: 9000, rows: 300 },
];
const contextOf = (options: RecordMachineOptions): ThreadContext =>
  new ThreadContext({ records: new RecordMachine(options) });
const CONTEXTS = MACHINES.map(contextOf);
/** Its window grows, once. */
const growing = (): ThreadContext => contextOf({ input: 500, rows: 40, most: 3000 });
const PLAIN = new ThreadContext();
/** Limits that are not the usual ones leave nothing to the scanner. */
const OLD: FileOptions = { largestRecord: LARGEST - 1 };

const INPUT = {
  ref: { kind: 'file', path: 'x' }, path: 'x.jsonl', options: {}, tellsAtEnd: false,
} as unknown as Job['input'];
const WHOLE = { of: 'lines', from: 0, to: Infinity, record: 0, line: 1, surplus: 0 } as const;
const WORK = [
  { kind: 'count' }, { kind: 'check', tools: [] }, { kind: 'messages', form: 'lines', filters: {} },
  {
    kind: 'messages', form: 'lines', filters: { onlyRole: ['tool', 'developer'], onlyChannel: ['commentary', 'final'] },
  },
  { kind: 'messages', form: { format: 'arrow', section: 1200 }, filters: { onlyRole: ['tool', 'assistant'] } },
  { kind: 'messages', form: { format: 'parquet', section: 1e6 }, filters: {} },
  { kind: 'statistics', tools: [], characters: true },
] as const;
type RowsWork = Extract<Work, { kind: 'count' | 'check' | 'messages' | 'statistics' }>;
const KINDS = new Map(await Promise.all(WORK.map(async (work) => [work.kind, await kindOf(work)] as const)));

function inputOf(bytes: Uint8Array, most: number): InputSource {
  const source = new SlowSource(bytes, most);
  // A file, in which places are looked up later.
  const rest = { path: 'x', size: bytes.length, canReread: true, first: 0, close: () => {}, release: () => {} };
  return Object.assign(source, rest) as unknown as InputSource;
}

/** All that comes out of a job, its bytes as text. */
function done(
  context: ThreadContext, work: RowsWork, input: InputSource, options: FileOptions,
): { pieces: unknown[]; text: string; result: JobResult } {
  const job = { ...work, input: { ...INPUT, options }, part: WHOLE } as unknown as Job;
  const running = perform(context, KINDS.get(work.kind)!, job, { input, options });
  const pieces: unknown[] = [];
  const text: Buffer[] = [];
  for (let next = running.next(); ; next = running.next()) {
    if (next.done) return { pieces, text: Buffer.concat(text).toString('latin1'), result: next.value };
    const piece = next.value as Piece;
    if (piece instanceof Uint8Array) text.push(Buffer.from(piece));
    else pieces.push(...(Array.isArray(piece) ? piece : [piece]));
  }
}

const lineOf = (random: Random): Buffer => {
  if (random.once(40)) return Buffer.from(random.pick(['', ' ', '\t\r', 'x', '{', '\ufeff', '\xff']), 'latin1');
  const line = Buffer.from(randomText(random, randomRecord(random)), 'utf8');
  return random.once(12) ? mutated(random, line) : line;
};

/** A value as a list holds it: over many lines, most of them. */
function valueOf(random: Random): Buffer {
  if (random.once(40)) return Buffer.from(random.pick(['{}', 'x', '{', '[]', '12', '"a, b"', '{"text":"a\nb"}']));
  const text = randomText(random, randomRecord(random));
  let value = text;
  try {
    if (!random.once(4)) value = JSON.stringify(JSON.parse(text), null, random.pick([1, 2, '\t']));
  } catch {
    // It is broken as it is.
  }
  const bytes = Buffer.from(random.once(4) ? value.replaceAll('\n', '\r\n') : value, 'utf8');
  return random.once(20) ? mutated(random, bytes) : bytes;
}

const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner));
const isSame = (a: unknown, b: unknown): boolean => isDeepStrictEqual(a, b) || jsonOf(a) === jsonOf(b);

/** What comes out without places of findings: as values nobody knows those of a file that begins with a turn yet. */
const placeless = <T extends ReturnType<typeof done>>(out: T): T =>
  ({ ...out, pieces: JSON.parse(jsonOf(out.pieces).replaceAll(/"place":\{[^{}]*\}/g, '"place":null')) as unknown[] });

const EACH = [0, 1, 2, 3, 4];
/** Machines that read a random input: in `npm test` two of them, each pair one input in ten; else three, in turn. */
function someOf(run: number): readonly number[] {
  const first = run % 5;
  const second = (first + 1 + (Math.floor(run / 5) % 2)) % 5;
  return isAll ? [first, second, (second + 1) % 5] : [first, second];
}

function same(
  bytes: Buffer, hint: string, options: FileOptions = {}, works: readonly RowsWork[] = WORK,
  machines: readonly number[] = EACH,
): void {
  const old = { ...OLD, ...options };
  const isTurns = beginsWithTurn(inputOf(bytes, 1 << 20));
  // Where groups of rows end is not known of turns that were joined.
  const isSmall = (work: RowsWork): boolean => 'form' in work && work.form !== 'lines' && work.form.section < 1e6;
  const contexts = machines.map((i) => [i, CONTEXTS[i] ?? growing()] as const);
  for (const work of works.filter((work) => !isTurns || !isSmall(work))) {
    const plain = done(PLAIN, work, inputOf(bytes, 1 << 20), old);
    for (const [i, context] of contexts) {
      const most = [1 << 20, 1 << 20, 100, 5000, 200][i]!;
      const out = done(context, work, inputOf(bytes, most), options);
      const rows = isTurns ? placeless(out) : out;
      if (isSame(rows, plain)) continue;
      // A line that goes wrong alone is easier to look at.
      if (layoutOf(inputOf(bytes, 1 << 20)) === 'lines') for (const text of bytes.toString('latin1').split('\n')) {
        const line = Buffer.from(text, 'latin1');
        const alone = done(PLAIN, work, inputOf(line, 1 << 20), old);
        const told = `${hint}, ${work.kind}, machine ${i}:\n${line.toString()}`;
        expect(done(context, work, inputOf(line, most), options), told).toEqual(alone);
      }
      expect(rows, `${hint}, ${work.kind}, machine ${i}:\n${bytes.toString()}`).toEqual(plain);
    }
  }
}

describe('rows of chat records', () => {
  test(`random lines (seed ${SEED})`, { timeout: 120 * 60_000 }, () => {
    for (let run = 0; run < RUNS; run++) {
      const seed = SEED + run;
      const random = randomOf(seed);
      // Short texts that follow each other are scanned together.
      const isTexts = random.once(8);
      const lines = Array.from({ length: 1 + random.below(12) }, () => {
        return isTexts ? Buffer.from(JSON.stringify(transcript(random))) : lineOf(random);
      });
      // What was bad before is known again, between what is good.
      if (random.once(3)) lines.push(...Array.from({ length: 8 }, () => random.pick(lines)));
      // A bracket in front would make a list of them.
      if (/^[\s\ufeff]*\[/.test(lines.map(String).join('\n'))) lines.unshift(Buffer.from('{"messages":[]}'));
      const bytes = Buffer.concat(lines.flatMap((line, i) => (i === 0 ? [line] : [Buffer.from('\n'), line])));
      const ended = random.once(2) ? Buffer.concat([bytes, Buffer.from('\n')]) : bytes;
      same(ended, `seed ${seed}`, {}, WORK, someOf(run));
    }
  });

  test(`calls of tools whose definitions repeat (seed ${SEED})`, { timeout: 120 * 60_000 }, () => {
    for (let run = 0; run < runs(90, 12); run++) {
      const random = randomOf(SEED + run);
      const stock = Array.from({ length: 2 }, () => randomTools(random));
      const lines = Array.from({ length: 3 + random.below(10) }, () => {
        const ids = Array.from({ length: 1 + random.below(3) }, (_, i) => `c${i}`);
        const calls = ids.map((id) => {
          const given = random.pick(ARGUMENTS);
          let value: unknown = given;
          try {
            if (random.once(6)) value = JSON.parse(given);
          } catch {
            // It is no JSON.
          }
          const name = random.once(20) ? random.pick(NAMES) : random.pick(['get_weather', 'search', 'f']);
          return { id, type: 'function', function: { name, arguments: value } };
        });
        const content = random.once(8) ? random.pick(TEXTS) : null;
        const messages = [
          ...(random.once(9) ? [{ role: random.pick(['system', 'developer']), content: random.pick(TEXTS) }] : []),
          { role: 'user', content: 'Hi' }, { role: 'assistant', content, tool_calls: calls },
          ...ids.filter(() => !random.once(6)).map((id) => ({ role: 'tool', tool_call_id: id, content: 'ok' })),
        ];
        return Buffer.from(JSON.stringify({ tools: random.pick(stock), messages }));
      });
      const bytes = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
      same(bytes, `seed ${SEED + run}`, {}, WORK, someOf(run));
    }
  });

  test(`values of a list, and over many lines (seed ${SEED})`, { timeout: 120 * 60_000 }, () => {
    for (let run = 0; run < runs(70, 12); run++) {
      const seed = SEED + run;
      const random = randomOf(seed);
      const blank = (): string => random.pick(['', '', ' ', '\n', '\r\n', ' \n\n\t']);
      const values = Array.from({ length: 1 + random.below(8) }, () => valueOf(random));
      const isList = !random.once(3);
      const pieces = values.flatMap((value, i) => [
        blank(), i === 0 ? '' : isList ? ',' : random.pick(['\n', '\n', ' ', '\n\x1e', '\x1e']),
        isList && random.once(60) ? ',' : '', blank(), value, random.once(60) ? 'x' : '',
      ]);
      const end = random.once(30) ? '' : random.once(30) ? ']\n x' : ']';
      const inside = isList ? ['[', ...pieces, blank(), end] : pieces;
      const all = [random.once(10) ? '\ufeff' : '', blank(), ...inside, blank()];
      const bytes = Buffer.concat(all.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
      same(bytes, `seed ${seed}`, {}, WORK, someOf(run));
    }
  });

  testLong(`a field that is named (seed ${SEED})`, { timeout: 120 * 60_000 }, () => {
    const names = ['messages', 'conversation', 'conversations', 'turns of it', 'x'];
    for (let run = 0; run < runs(70, 12); run++) {
      const random = randomOf(SEED + run);
      const field = random.pick([...names, 'id', 'tools', 'text', '\u00e9']);
      const lines = Array.from({ length: 1 + random.below(12) }, () => {
        const line = lineOf(random).toString('latin1');
        if (random.once(8)) return line;
        const name = random.once(5) ? random.pick(names) : field;
        return line.replace(/"(?:messages|conversations)"/, () => `"${name}"`);
      });
      if (lines[0]!.trimStart().startsWith('[')) lines.unshift('{"messages":[]}');
      same(Buffer.from(lines.join('\n'), 'latin1'), `seed ${SEED + run}, ${field}`, { field }, WORK, someOf(run));
    }
  });

  testLong(`tools that every record may call (seed ${SEED})`, { timeout: 120 * 60_000 }, () => {
    for (let run = 0; run < runs(100); run++) {
      const random = randomOf(SEED + run);
      const { tools } = toolsFromOpenAI(randomTools(random));
      const lines = Array.from({ length: 1 + random.below(12) }, () => {
        const line = lineOf(random).toString('latin1');
        return random.once(2) ? line.replace('"tools"', '"other"') : line;
      });
      if (lines[0]!.trimStart().startsWith('[')) lines.unshift('{"messages":[]}');
      const works = [{ kind: 'check', tools }, { kind: 'statistics', tools, characters: true }] as const;
      const told = `seed ${SEED + run}, ${JSON.stringify(tools)}`;
      same(Buffer.from(lines.join('\n'), 'latin1'), told, {}, works, someOf(run));
      // They are forgotten again.
      if (random.once(4)) same(Buffer.from(lines.join('\n'), 'latin1'), told, {}, [WORK[1]], someOf(run));
    }
  });

  testLong(`messages that hold a byte (seed ${SEED})`, { timeout: 120 * 60_000 }, () => {
    for (let run = 0; run < runs(100); run++) {
      const random = randomOf(SEED + run);
      const lines = Array.from({ length: 1 + random.below(12) }, () => lineOf(random));
      const isList = random.once(4);
      const parts = lines.flatMap((line, i) => (i === 0 ? [line] : [Buffer.from(isList ? ',' : '\n'), line]));
      const bytes = Buffer.concat(isList ? [Buffer.from('['), ...parts, Buffer.from(']')] : parts);
      const works = Array.from({ length: 6 }, () => {
        return { kind: 'messages', form: 'lines', filters: { at: random.below(bytes.length + 2) } } as const;
      });
      same(bytes, `seed ${SEED + run}`, {}, works, someOf(run));
    }
  });

  test('definitions that hold half a character', () => {
    const definition = `{"name":"f","description":"a\\udc00${'x'.repeat(200)}","parameters":{"type":"object"}}`;
    const tools = `"tools":[{"type":"function","function":${definition}}]`;
    const lines = ['"messages":[{"role":"user","content":"x"}]', '"instruction":"x","output":"y"']
      .flatMap((said) => Array.from({ length: 3 }, () => `{${said},${tools}}`));
    same(Buffer.from(lines.join('\n')), 'half a character');
  });

  test('bad records that come again, between others', () => {
    const chat = (content: string): string => JSON.stringify({ messages: [{ role: 'user', content }] });
    const bad = ['{"messages":1}', '{"messages":1}', '{"other":1}', `{"messages":"${'x'.repeat(80)}"}`];
    const lines = Array.from({ length: 40 }, (_, i) => i % 3 === 0 ? bad[i % 4]! : chat(`chat ${'long '.repeat(i)}`));
    same(Buffer.from(lines.join('\n')), 'known bad ones');
  });

  const answer = '{"role":"assistant","content":"b"}';
  const withMetadata = (metadata: string): string => `{"messages":[${answer}],"metadata":[${metadata}]}`;
  const withCall = (value: string): string[] => {
    const called = `{"id":"c","type":"function","function":{"name":"f","arguments":${value}}}`;
    return [
      `{"messages":[{"role":"assistant","tool_calls":[${called}]}]}`,
      `{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":${value}}]}]}`,
      `{"input":[{"type":"function_call","call_id":"c","name":"f","arguments":${value}}]}`,
    ];
  };
  const many = (value: string, times: number): string => Array.from({ length: times }, () => value).join();

  test('records of too many lists, and numbers that cannot be written again', () => {
    const text = '<|start|>user<|message|>x<|end|>';
    const lists = many('[]', 70_000);
    const lines = [
      withMetadata(lists), withMetadata(JSON.stringify(lists)), withMetadata('1'),
      `{"metadata":[${lists}],"text":"${text}"}`, `{"text":"${text}","metadata":[1]}`, `{"metadata":[${lists}]}`,
      ...withCall('{"a":1e400}'), ...withCall('{"a":[1e30,2.5e-7]}'),
    ];
    same(Buffer.from(lines.join('\n')), 'crowded');
  });

  testLong('records of too many numbers', () => {
    // A window that grew for a long record holds the next ones, too.
    const long = withMetadata(`"${'x'.repeat(5_000_000)}"`);
    const numbers = withMetadata(many('1', (1 << 20) + 2));
    const bytes = Buffer.from([long, numbers, ...withCall(`{"a":[${many('1', 1_000_001)}]}`)].join('\n'));
    // What is written of records makes no difference to which ones are crowded.
    same(bytes, 'crowded', {}, WORK.filter(({ kind }) => kind === 'count' || kind === 'check'), [0, 1, 4]);
  });

  test('reasoning as text beside control tokens, which are escaped where it is written', () => {
    const texts = [
      '<think>a</think><|end|>', ' <think><|start|></think>b', 'a<|end|>b</think>c', '<|literal|>a</think>b',
      'a<<|end|></think>b', '\u00e9<|start|>\u{1f600}</think>', '<|literal|>a<|endliteral|></think>b',
      '<|literal|></think><|endliteral|>', '<<|literal|><think></think>', '<think>\n<tool_call>\n</think>\n<|start|>x',
      '<|end|><tool_call>\n{"name": "f", "arguments": {}}\n</tool_call></think>',
      '<think>\n<tool_call>\n</think>\n<|start|>user<|message|>x<tool_call>\n{"name": "f"}</tool_call>',
    ];
    const lines = texts.flatMap((content) => [
      JSON.stringify({ messages: [{ role: 'user', content: 'a' }, { role: 'assistant', content }] }),
      JSON.stringify({ conversations: [{ from: 'gpt', value: content }, { from: 'gpt', value: content }] }),
    ]);
    same(Buffer.from(lines.join('\n'), 'utf8'), 'escaped');
  });

  testLong('reasoning and calls as text, each of their characters as a code', () => {
    const codeOf = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
    const written = (content: string): string => `{"messages":[{"role":"assistant","content":${content}}]}`;
    const lines: string[] = [];
    for (const text of ['<think>a</think>b', 'know<tool_call>{"name": "f", "arguments": {}}</tool_call>', 'k e > 3']) {
      for (let i = 0; i < text.length; i++) {
        const [before, after] = [text.slice(0, i), text.slice(i + 1)].map((part) => JSON.stringify(part).slice(1, -1));
        const code = codeOf(text[i]!);
        // With two backslashes it is no code.
        for (const sign of [code, code.toUpperCase().replace('U', 'u'), `\\${code}`]) {
          lines.push(written(`"${before}${sign}${after}"`));
          lines.push(written(`[{"type":"text","text":"${before}"},{"type":"text","text":"${sign}${after}"}]`));
        }
      }
      const every = Array.from(text, codeOf).join('');
      lines.push(written(`"${every}"`), written(`"kk ${every.replaceAll('e', 'E')}"`));
    }
    same(Buffer.from(lines.join('\n')), 'codes');
  });

  test('messages of several texts, or of two transcripts', () => {
    const schema = '{"type":"object","properties":{}}';
    const tools = `"tools":[{"type":"function","function":{"name":"f","parameters":${schema}}}]`;
    const chat = (...entries: string[]): string => `{"messages":[${entries.join()}]}`;
    const text = (said: string, type = 'text'): string => `{"type":"${type}","text":"${said}"}`;
    const user = (content: string): string => `{"role":"user","content":${content}}`;
    const [said, better, worse] = ['"a"', '"b"', '"\\u0062"']
      .map((content) => `{"role":"assistant","content":${content}}`);
    const lines = [
      '{"instruction":"Add \\u0031","id":1,"input":"1\\n2","output":"3"}',
      '{"output":"3","instruction":"a","input":"b"}', '{"input":"b","output":"3","instruction":"a"}',
      '{"instruction":"a","other":{"input":"c"},"input":"b","output":"3"}',
      chat(user(`[${text('a')}]`), user(`[ ${text('a')} , ${text('\\u00e9')},${text('')} ]`)),
      chat(user(`[{"text":"a","type":"text","cache_control":{"type":"x"}},${text('b', 'input_text')}]`)),
      chat(user(`[${text('a')},{"type":"image_url","image_url":{"url":"x"}}]`), user('[]'), user('["a"]')),
      `{"prompt":[${user('"q"')}],"chosen":[${better}],"rejected":[${worse}],${tools}}`,
      `{"chosen":[${user('"q"')},${better}],"rejected":[${user('"q"')},${worse}],"system":"s"}`,
      '{"input":[{"type":"reasoning","summary":"s"},{"type":"reasoning","content":"t"}]}',
      `{"chosen":[],"rejected":[${user('"q"')}],"system":"s"}`,
      `{"system":"s","prompt":"q","chosen":"a","rejected":"b"}`, `{"system":"s","messages":[${said}],${tools}}`,
      chat(`{"role":"assistant","content":[{"type":"thinking","thinking":"t"},${text('a')},${text('b')}]}`),
      chat(user(`[{"type":"tool_result","tool_use_id":"c","content":"r"},${text('a')}]`)),
    ];
    // Each of them alone, and behind others that count as two.
    same(Buffer.from([...lines, ...lines.toReversed()].join('\n')), 'several texts');
    // The scanner writes them itself, but for an input that stands in front, a text that is no part, definitions, and a
    // reply to no call.
    const machine = new RecordMachine();
    machine.setPieces(linePieces('x'));
    const written = lines.map((line) => {
      const bytes = Buffer.from(`${line}\n`);
      machine.input.set(bytes);
      const rows = machine.scan(0, bytes.length, FORM_MESSAGES | FORM_OTHERS);
      const next = machine.writeLines(0, rows, 0, 0, 0, 0, -1);
      return next === rows ? machine.linesWritten : next === 0 ? 'host' : 'some';
    });
    const host = 'host';
    expect(written).toEqual([2, 2, host, 2, 2, 1, host, host, 6, 2, 3, 6, host, 2, host]);
  });

  test('findings of calls and replies are told from rows', () => {
    const call = (id: string, name: string, given: string): string =>
      `{"id":"${id}","type":"function","function":{"name":"${name}","arguments":${given}}}`;
    const called = (...calls: string[]): string =>
      `{"role":"assistant","content":null,"tool_calls":[${calls.join()}]}`;
    const reply = (id: string, more = ''): string => `{"role":"tool","tool_call_id":"${id}",${more}"content":"r"}`;
    const entries = [
      called(call('c', 'g', '"{}"')), called(call('c', 'g', '{"a":1}'), call('d', 'f', '"{}"')),
      called(call('c', 'f', '"{}"'), call('c', 'f', '"{}"')), reply('c'), reply('x', '"name":"f",'),
      `${called(call('c', 'f', '"{}"'))},${reply('c')},${reply('c')}`,
      `${called(call('c', 'f', '"{}"'))},${reply('c', '"name":"g",')}`,
      `${called(call('c', 'f', '"{}"'))},${reply('c')},${called(call('c', 'g', '"{}"'))},${reply('c')}`,
      ...[
        '""', '"{"', '"{\\"a\\": }"', '"{\\n\\"\u00e9\\": \u00e9}"', '"{} \u{1f600}"', '"[<|end|>"',
      ].map((given) => called(call('c', 'f', given), call('d', 'g', given))),
    ];
    const schema = '{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}}';
    const tools = `,"tools":[{"type":"function","function":{"name":"f","parameters":${schema}}}]`;
    const lines = entries.flatMap((list) => ['', tools].map((more) => `{"messages":[${list}]${more}}`));
    same(Buffer.from([...lines, ...lines].join('\n')), 'findings');
    // What is missing is told in the order of the text that defines it, also where the list is met for the first time.
    const properties = '"properties":{"a":{"type":"string"},"b":{"type":"boolean"}}';
    const ordered = tools.slice(1).replace(schema, `{"type":"object",${properties},"required":["b","a"]}`);
    const line = `{${ordered},"messages":[${called(call('c', 'f', '"{}"'))},${reply('c')}]}`;
    const bytes = Buffer.from([line, line].join('\n'));
    const check = WORK.find(({ kind }) => kind === 'check')!;
    const values = done(PLAIN, check, inputOf(bytes, 1 << 20), OLD);
    expect(done(new ThreadContext(), check, inputOf(bytes, 1 << 20), {})).toEqual(values);
    // Of a type that is none the host tells.
    same(Buffer.from(lines.map((line) => line.replace('"integer"', '"integex"')).join('\n')), 'types');
    const machine = new RecordMachine();
    const ways = lines.filter((line) => !line.includes(tools)).map((line) => {
      const bytes = Buffer.from(`${line}\n`);
      machine.input.set(bytes);
      const rows = machine.scan(0, bytes.length, FORM_MESSAGES);
      machine.check(0, rows);
      return machine.rows[KIND]! & SLOW ? 'host' : machine.rows[KIND]! & HAS_MARKED ? 'rows' : 'well';
    });
    expect(ways).toEqual(ways.map(() => 'rows'));
  });

  test('replies that lack an id, and answer no call', () => {
    const call = (name: string, id = ''): string =>
      `{${id}"type":"function","function":{"name":"${name}","arguments":"{}"}}`;
    const called = (...calls: string[]): string =>
      `{"role":"assistant","content":null,"tool_calls":[${calls.join()}]}`;
    const reply = (more = ''): string => `{"role":"tool",${more}"content":"r"}`;
    const asked = '{"role":"user","content":"Hi"}';
    const entries = [
      reply(), reply('"name":"f",'), `${reply()},${reply()}`, '{"role":"function","content":"x"}',
      `${reply()},${called(call('f'))},${reply()}`, `${called(call('f'))},${reply()},${reply()}`,
      `${called(call('f'), call('g'))},${reply('"name":"h",')},${reply('"name":"g",')}`,
      `${reply('"tool_call_id":"call_1",')},${called(call('f'))},${reply()}`,
      `${called(call('f'), call('g', '"id":"call_2",'))},${reply()},${reply()},${reply()}`,
      `${called(call('f', '"id":"a",'), call('g', '"id":"a",'))},${reply()},${reply('"name":"g",')}`,
    ];
    const lines = entries.map((list) => `{"messages":[${asked},${list},${asked}]}`);
    same(Buffer.from([...lines, ...lines].join('\n')), 'without ids');
    const machine = new RecordMachine();
    const ways = lines.map((line) => {
      const bytes = Buffer.from(`${line}\n`);
      machine.input.set(bytes);
      const rows = machine.scan(0, bytes.length, FORM_MESSAGES);
      machine.check(0, rows);
      const isMarked = (machine.rows[KIND]! & (SLOW | HAS_MARKED)) === HAS_MARKED;
      machine.scan(0, bytes.length, FORM_MESSAGES);
      return [isMarked, machine.writeLines(0, rows, 0, 0, 0, 0, -1) === rows];
    });
    // Whether an id that would be made is one that is there is the host's to find out.
    const withIds = [7, 8, 9];
    expect(ways).toEqual(lines.map((_, at) => [true, !withIds.includes(at)]));
  });

  test('contents with parts that are no text', () => {
    const types = [
      'image_url', 'input_image', 'input_audio', 'audio_url', 'input_file', 'video_url', 'input_video', 'image', 'file',
      'document', 'file_url', 'input_image_url', 'images_url', 'input_', 'video', 'vidio_url', 'audio_url_',
    ];
    const entry = (...parts: object[]): object => ({ role: 'user', content: parts });
    const text = { type: 'text', text: 'a "b"' };
    const records = types.flatMap((type) => {
      const part = { type, [type]: { url: 'x' } };
      return [[entry(part)], [entry(text, part, text), entry(part, part)], [entry({ x: { type: 'text' }, type })]];
    });
    const lines = records.map((messages) => JSON.stringify({ messages }));
    same(Buffer.from([...lines, ...lines].join('\n')), 'parts');
    const machine = new RecordMachine();
    machine.setPieces(linePieces('x'));
    for (const line of lines) {
      const bytes = Buffer.from(`${line}\n`);
      machine.input.set(bytes);
      const rows = machine.scan(0, bytes.length, FORM_MESSAGES);
      expect(machine.writeLines(0, rows, 0, 0, 0, 0, -1), line).toBe(rows);
    }
  });

  test('replies and thoughts that are written as text around calls', () => {
    const said = (role: string, content: string): object => ({ role, content });
    const call = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>';
    const chat = (reply: string, before = ''): object => {
      return { messages: [said('assistant', `${before}${call}`), said('tool', reply), said('assistant', 'Done.')] };
    };
    const contents = [
      '"x"', '""', '" "', '"a\\"b"', '"\\n"', '"\u00e9"', '"\\u0041"', '1', '-1.50', 'null', 'true', '{}', '[]',
      '{"a": [1, "x\\n"], "a": 1e3}', '[ 1 ]',
    ];
    const named = contents.map((content) => `<tool_response>\n{"name": "f", "content": ${content}}\n</tool_response>`);
    const thoughts = ['<think>x</think>\n', '<think>x', 'x</think>', '<think>x</think>y\n', 'y<think>x</think>\n'];
    const records = [
      ...named.map((reply) => chat(reply)), chat(named.slice(0, 2).join('\n')), ...thoughts.map((one) =>
        chat(named[0]!, one)),
    ];
    const lines = records.map((record) => JSON.stringify(record));
    same(Buffer.from([...lines, ...lines].join('\n')), 'written as text');
    const machine = new RecordMachine();
    machine.setPieces(linePieces('x'));
    const ways = lines.map((line) => {
      const bytes = Buffer.from(`${line}\n`);
      machine.input.set(bytes);
      const rows = machine.scan(0, bytes.length, FORM_MESSAGES);
      return machine.writeLines(0, rows, 0, 0, 0, 0, -1) === rows && machine.check(0, rows) === rows;
    });
    // A string that holds an escape of its own, a second reply to one call, thoughts that are open or shown.
    const host = [3, 4, 6, 15, 17, 18, 19];
    expect(ways.map((is, at) => is ? -1 : at).filter((at) => at >= 0)).toEqual(host);
  });

  test('replies that stand beside such as are written between tags', () => {
    const call = (id: string, name: string): string =>
      `{"id":"${id}","type":"function","function":{"name":"${name}","arguments":"{}"}}`;
    const written = '{"role":"user","content":"<tool_response>\\nx\\n</tool_response>"}';
    const lines = [
      [call('a', 'g')], [call('a', 'g'), call('b', 'f')], [call('a', 'g'), call('a', 'f')],
    ].flatMap((calls) => ['"tool_call_id":"a",', '"tool_call_id":"x",', '"tool_call_id":"a","name":"f",'].map((id) => {
      const said = `{"role":"assistant","content":null,"tool_calls":[${calls.join()}]}`;
      return `{"messages":[${said},${written},{"role":"tool",${id}"content":"r"}]}`;
    }));
    same(Buffer.from(lines.join('\n')), 'between tags');
  });

  testLong('records that are longer than the window, and than what is written at once', () => {
    const mib = 1 << 20;
    const chat = (content: string): string => `{"messages":[{"role":"assistant","content":"${content}"}]}`;
    const short = chat('x');
    const lines = [
      short, chat('and so on '.repeat(mib / 4)), short, chat('\\/\\u0041\\n'.repeat(mib / 5)),
      chat('<|end|>'.repeat(mib / 3)),
      `{"messages":[${`{"role":"user","content":"${'y'.repeat(1000)}"},`.repeat(2400)}{"role":"user"}]}`, short,
      chat('too long '.repeat(mib / 2)), short, chat('at the end '.repeat(mib / 5)),
    ];
    const bytes = Buffer.from(lines.join('\n'));
    for (const work of WORK) {
      const rows = done(contextOf({ input: mib, most: 4 * mib }), work, inputOf(bytes, 1 << 20), {});
      const plain = done(PLAIN, work, inputOf(bytes, 1 << 20), OLD);
      expect(isDeepStrictEqual(rows, plain), work.kind).toBe(true);
    }
  });

  test('a record that is cut at every byte', () => {
    const random = randomOf(7);
    const line = Buffer.from(randomText(random, {
      messages: [
        { role: 'user', content: 'a \u00e9 "b"' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a": [1.5e3, true]}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'x' },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
    }));
    const cuts = Array.from({ length: line.length }, (_, at) => {
      return Buffer.concat([line.subarray(0, at), Buffer.from('\n')]);
    });
    same(Buffer.concat(cuts), 'cuts');
  });
});
