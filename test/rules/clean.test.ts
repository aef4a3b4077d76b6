// Clean messages are passed over as rows: the same findings, in the same order, as views of all messages give. A
// visitor, which sees a view of each message, asks for those.
import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/errors.ts';
import type { ToolDefinition } from '../../src/model/data.ts';
import type { Machine } from '../../src/scan/machine.ts';
import { MemorySource } from '../../src/scan/source.ts';
import { Twin } from '../../src/scan/twin/twin.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { CallRules } from '../../src/rules/calls.ts';
import { Checker } from '../../src/rules/check.ts';
import type { CheckOptions } from '../../src/rules/check-options.ts';
import { CleanMessages } from '../../src/rules/clean.ts';
import { newToolMemory } from '../../src/tools/knowledge.ts';
import { readFixtures } from '../fixture.ts';
import { runs } from '../long.ts';
import { randomCalls } from '../random-calls.ts';
import { type Random, randomOf, SEED } from '../random.ts';

const RUNS = runs(6000);
const MACHINES: readonly Machine[] = [
  new WasmMachine({ build: 'simd' }), new WasmMachine({ build: 'simd', window: 1024, tableRows: 16 }),
  new WasmMachine({ build: 'scalar', window: 1500 }),
  new Twin(), new Twin({ window: 700, tableRows: 9 }),
];
const VIEWS = { message: () => {}, transcriptEnd: () => {} };
const encoder = new TextEncoder();

const DIALECTS = ['auto', 'auto', 'auto', 'openchatml-2.2', 'openchatml-2.0', 'harmony', 'openchatml-0.1'] as const;
const DOCUMENTS = [
  'version: 2.2\n', 'version: 2.2\n', '---\nversion: 2.2\nmodel: x\n---\n', 'version: 2.0\n', 'version: 1.0\n', '',
  'version: 2.2\nprofiles:\n  harmony:\n    enabled: true\n    require_channels: ["final"]\n',
];
const BLOCK = `# Tools

## functions

namespace functions {

type search = (_: {
// What
query: string,
limit?: number, // default: 10
}) => any;

type pick = (_: {
from: "a" | "b",
of?: string[],
sure?: boolean,
count?: integer,
}) => any;

type now = () => any;

} // namespace functions
`;
const SCHEMA = {
  type: 'object',
  properties: { n: { type: 'integer' }, o: { type: 'object', properties: { x: { type: 'null' } } } },
  required: ['n'],
};
const LIST = JSON.stringify([
  { name: 'count', parameters: SCHEMA },
  { name: 'match', parameters: { type: 'object', properties: { s: { type: 'string', pattern: '^a' } } } },
]);
const PROSE = [
  'Be brief.', '{', '}', ' [x] ', 'namespace x {', '\u00e9\u20ac\ud83d\ude00 ', '"name"',
  'a long line of text that says nothing. ', '\n\n', '<b>', 'namespace functions {\ntype f = () => any;\n}',
];
const DEADLINE = '{"query":"q","deadline_ms":5}';
const ARGUMENTS: readonly (readonly [string, readonly string[]])[] = [
  ['functions.search', [
    '{"query":"a \\"b\\" \\u00e9 \u00e9\u20ac","limit":3}', '{ "limit" : 1e3 ,\n"query":""}', '{"limit":1}',
    '{"query":1}', DEADLINE, '{"query":"x","query":"y"}', '{"que\\u0072y":"x"}',
  ]],
  ['functions.pick', [
    '{"from":"a","of":["x","y"],"sure":true,"count":-12}', '{"from":"c"}', '{"from":"b","of":[1]}',
    '{"from":"a","sure":nul}', '{"from":"a","count":1.0}', '{"from":"a","count":007}', '{"from":"a","of":[]}',
  ]],
  ['now', ['{}', ' {} ', '{"a":1}', '[]', '']],
  ['functions.count', [
    '{"n":1}', '{"n":1,"o":{"x":null}}', '{"n":1,"o":{"x":0}}', '{"n":123456789012345678}', '{"o":{}}',
    `{"n":1,"o":${'{"x":'.repeat(3)}null}}}}`,
  ]],
  ['functions.match', ['{"s":"ab"}', '{"s":"b"}']],
  ['functions.none', ['{}', 'x']],
  ['python', ['print(1)', '{"a":1}']],
  ['browser.search', ['{}']],
];
const JSON_TEXTS = [
  '{"ok":true}', '[1,2', '"\\ud800"', '"\u00e9\ud83d\ude00"', 'null', '{"a":{"b":[[]]}}', '', '[[[[1]]]]',
];

/** Words of a header, now and then in another order, twice, or with what does not belong there. */
function header(random: Random, role: string, words: readonly string[], channel: string, type: string): string {
  const given = words.filter((word) => word !== '');
  if (random.once(6)) given.reverse();
  if (random.once(50) && given.length > 0) given.push(random.pick(given));
  if (random.once(50)) given.push(random.pick(['x=y', 'to=', 'intent=debug', 'functions.search', 'name=eric']));
  const inChannel = channel !== '' && random.once(6) ? given.splice(random.below(given.length + 1)) : [];
  const bare = channel !== '' && random.once(20) ? ` ${random.pick(['json', 'text', 'code'])}` : '';
  const space = random.once(20) ? random.pick(['  ', '\n', '\t']) : ' ';
  const front = `<|start|>${random.once(40) ? ' ' : ''}${[role, ...given].join(space)}`;
  const field = channel === '' ? '' : `<|channel|>${[channel, ...inChannel].join(space)}${bare}`;
  return `${front}${field}${type === '' ? '' : `<|constrain|>${type}`}<|message|>`;
}

const ended = (random: Random, usual: string): string =>
  (random.once(40) ? random.pick(['<|end|>', '<|call|>', '<|return|>', '', '<|end|><|end|>', '<|end|>x']) : usual);

function text(random: Random): string {
  let made = '';
  for (let left = random.below(6); left > 0; left--) made += random.once(30)
    ? random.pick(['<<|end|>', '<|literal|><|end|><|endliteral|>', '<|start_reason|>', '<|channel|>', '<|literal|>'])
    : random.pick(PROSE);
  return made;
}

function call(random: Random, id: string): string {
  const [name, bodies] = random.pick(ARGUMENTS);
  const recipient = random.once(12) ? name.replace('functions.', '') : name;
  const type = random.once(4) ? random.pick(['', 'text', 'json ', ' json', 'yaml']) : 'json';
  const words = [`to=${recipient}`, random.once(20) ? '' : `call_id=${id}`, random.once(20) ? 'content_type=json' : ''];
  const body = random.once(25) ? `<|literal|>${random.pick(bodies)}<|endliteral|>` : random.pick(bodies);
  return header(
    random, 'assistant', words, random.once(15) ? random.pick(['analysis', '', 'final']) : 'commentary', type,
  ) + body + ended(random, '<|call|>');
}

function reply(random: Random, id: string): string {
  const [name] = random.pick(ARGUMENTS);
  const isNamed = random.once(3);
  const role = random.once(8) ? name : 'tool';
  const type = random.once(2) ? 'content_type=json' : '';
  const words = ['to=assistant', random.once(20) ? '' : `call_id=${id}`, isNamed ? `name=${name}` : '', type];
  return header(random, role, words, random.once(10) ? '' : 'commentary', '') + random.pick(JSON_TEXTS)
    + ended(random, '<|end|>');
}

/** A transcript that is mostly in order: instructions, turns, calls with replies. */
function transcript(random: Random): string {
  let made = random.pick(DOCUMENTS);
  const ids = ['call_1', 'c2', `call_${'x'.repeat(70)}`, 'z'];
  const last: string[] = [];
  for (let left = 2 + random.below(9); left > 0; left--) {
    const kind = random.below(8);
    if (kind === 0) made += header(random, random.pick(['system', 'developer']), [], '', '') + text(random)
      + ended(random, '<|end|>');
    else if (kind === 1) {
      made += `<|start|>developer<|message|>${random.pick([BLOCK, LIST, `${BLOCK}${LIST}`])}${text(random)}<|end|>`;
    } else if (kind === 2) made += header(random, 'user', [random.once(2) ? 'name=eric' : ''], '', '') + text(random)
      + ended(random, '<|end|>');
    else if (kind === 3) made += header(
      random, 'assistant', [random.once(2) ? 'content_type=markdown' : ''], random.pick(['final', 'analysis', '']), '',
    ) + text(random) + ended(random, '<|return|>');
    else if (kind < 6) {
      last.push(random.pick(ids));
      made += call(random, last.at(-1)!);
    } else made += reply(random, (random.once(3) ? undefined : last.shift()) ?? random.pick(ids));
  }
  return made;
}

/** One or more transcripts, now and then with a byte changed. */
function input(random: Random): Uint8Array {
  if (random.once(4)) return randomCalls(random);
  let made = '';
  for (let left = 1 + random.below(3); left > 0; left--) made += (made === '' ? '' : '\n') + transcript(random);
  const bytes = encoder.encode(made);
  for (let left = random.once(3) ? 1 + random.below(3) : 0; left > 0; left--) bytes[random.below(bytes.length)] =
    random.once(2) ? random.below(256) : random.pick([0x80, 0xff, 0x22, 0x5c, 0x2c, 0x7d]);
  return bytes;
}

const TOOLS: readonly ToolDefinition[] = [
  { namespace: 'functions', name: 'none', parameters: SCHEMA }, { namespace: 'browser', name: 'search' },
];

/** What is known of definitions goes on from one input to the next, as it does in a thread. */
const MEMORIES = new Map(MACHINES.map((machine) => [machine, newToolMemory()]));

function compare(machine: Machine, bytes: Uint8Array, options: CheckOptions, told: string): readonly Diagnostic[] {
  const memory = MEMORIES.get(machine);
  const expected = [...new Checker(machine, new MemorySource(bytes), { ...options, visitor: VIEWS }, {
    memory: newToolMemory(),
  }).run()];
  const found = [...new Checker(machine, new MemorySource(bytes), options, { memory }).run()];
  if (JSON.stringify(found) !== JSON.stringify(expected)) {
    expect(found, `${told} ${JSON.stringify(new TextDecoder('latin1').decode(bytes))}`).toEqual(expected);
  }
  return found;
}

/**
 * How many messages are passed over, how many of them are listed, how many of these are to be looked at, and how many
 * calls are taken over from those that were passed over, while `work` is done.
 */
function counted(work: () => void): { passed: number; listed: number; looked: number; adopted: number } {
  const { skip, tell } = CleanMessages.prototype;
  const { adopt } = CallRules.prototype;
  const count = { passed: 0, listed: 0, looked: 0, adopted: 0 };
  CallRules.prototype.adopt = function (calls): void {
    count.adopted += [...calls].length;
    adopt.call(this, calls);
  };
  CleanMessages.prototype.skip = function (...given): number {
    const next = skip.apply(this, given);
    if (next > given[1]) count.passed += this.messages;
    return next;
  };
  CleanMessages.prototype.tell = function (...given): boolean {
    const isTold = tell.apply(this, given);
    count.listed++;
    if (!isTold) count.looked++;
    return isTold;
  };
  try {
    work();
  } finally {
    Object.assign(CleanMessages.prototype, { skip, tell });
    CallRules.prototype.adopt = adopt;
  }
  return count;
}

describe('findings of rows are findings of views', () => {
  test(`${RUNS} random inputs (OPENCHATML_SEED=${SEED})`, { timeout: 600_000 }, () => {
    const rules = new Set<string>();
    const { passed, listed, looked, adopted } = counted(() => {
      for (let run = 0; run < RUNS; run++) {
        const random = randomOf(SEED + run);
        const bytes = input(random);
        const options: CheckOptions = {
          dialect: random.pick(DIALECTS), jsonDepth: random.once(6) ? random.below(4) : undefined,
          requireChannels: random.once(6),
          stopStripped: random.once(4), tools: random.once(4) ? TOOLS : undefined,
          role: random.once(12) ? 'assistant' : undefined,
        };
        const machine = MACHINES[run % MACHINES.length]!;
        for (const { rule } of compare(machine, bytes, options, `OPENCHATML_SEED=${SEED + run}, ${machine.engine}`)) {
          rules.add(rule);
        }
      }
    });
    // What rows tell, and what they must leave to views.
    for (const rule of [
      'call-channel', 'missing-call-id', 'duplicate-call-id', 'duplicate-reply', 'unmatched-reply', 'open-call',
    ]) expect(rules).toContain(rule);
    for (const rule of [
      'unknown-tool', 'invalid-arguments', 'invalid-json', 'hint-mismatch', 'invalid-utf8', 'cot-in-final',
    ]) expect(rules).toContain(rule);
    expect(passed - listed).toBeGreaterThan(RUNS / 2);
    expect(listed - looked).toBeGreaterThan(RUNS / 2);
    expect(looked).toBeGreaterThan(RUNS / 2);
    expect(adopted).toBeGreaterThan(RUNS / 60);
  });

  test('on all fixtures', () => {
    for (const { name, input: bytes, options } of readFixtures()) {
      for (const machine of MACHINES) compare(machine, bytes, options, name);
    }
  });

  test('a tool of the model needs no definition, whether it is written as a function or not', () => {
    const turn = (to: string, id: string): string =>
      `<|start|>assistant to=${to} call_id=${id}<|channel|>commentary<|message|>{}<|call|>`
        + `<|start|>tool call_id=${id}<|message|>x<|end|>`;
    const calls = turn('python', 'a') + turn('functions.python', 'b') + turn('functions.now', 'c');
    const transcript = `version: 2.2\n<|start|>developer<|message|>${BLOCK}<|end|>${calls}\n`;
    for (const machine of MACHINES) {
      const found = compare(machine, encoder.encode(transcript.repeat(6)), {}, machine.engine);
      expect(found.filter(({ rule }) => rule === 'unknown-tool')).toHaveLength(0);
    }
  });

  test('texts that are kept, and forgotten when there is no more room', () => {
    const filler = '// x\n'.repeat(20_000);
    const transcripts = Array.from({ length: 40 }, (_, i) => {
      const name = `f${i % 25}`;
      const block = `${BLOCK.replace('search', name)}${filler.slice(0, 90_000 + (i % 3))}`;
      const turn = (to: string): string => `<|start|>assistant to=functions.${to} call_id=c${i}${to}`
        + `<|channel|>commentary<|constrain|>json<|message|>{"query":"q"}<|call|>`;
      return `version: 2.2\n<|start|>developer<|message|>${block}<|end|>${turn(name)}${turn(`f${(i + 1) % 25}`)}\n`;
    });
    const bytes = encoder.encode(transcripts.join(''));
    for (const machine of MACHINES.filter(({ capacity }) => capacity > 100_000)) {
      const found = compare(machine, bytes, {}, machine.engine);
      expect(found.filter(({ rule }) => rule === 'unknown-tool')).toHaveLength(40);
      compare(machine, encoder.encode(transcripts.slice(5, 9).join('')), {}, machine.engine);
    }
  });
});
