// Counting: the same sums on every build, and the same as from the messages themselves; files and fill-ins.
import { describe, expect, test } from 'vitest';
import { newHeaders } from '../../src/corpus/headers.ts';
import { MemorySource } from '../../src/scan/source.ts';
import { Twin } from '../../src/scan/twin/twin.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { countCalls } from '../../src/rules/call-count.ts';
import { checkSource } from '../../src/rules/check-source.ts';
import { Counter } from '../../src/rules/count.ts';
import type { Counts } from '../../src/rules/counts.ts';
import { readYaml } from '../../src/model/header/yaml.ts';
import { parseOn } from '../../src/model/parse.ts';
import { readFixtures } from '../fixture.ts';
import { runs } from '../long.ts';
import { type Random, randomInput, randomOf, SEED } from '../random.ts';
import { Chunked } from '../read.ts';

const machines = [
  new WasmMachine(), new WasmMachine({ build: 'scalar', window: 1024, tableRows: 12 }), new Twin(),
  new Twin({ window: 64, tableRows: 4 }),
];
const DIALECTS = ['auto', 'openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1', 'harmony'] as const;

function count(machine: (typeof machines)[number], source: MemorySource, options: object): Counts {
  const counter = new Counter();
  counter.add(machine, source, { yaml: readYaml, ...options });
  return counter.result();
}

const plus = (into: Record<string, number>, name: string): void => void (into[name] = (into[name] ?? 0) + 1);

const PIECES = [
  '<tool_call>', '\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>', '</tool_call>', '<think>', '</think>',
  '<think>\nHm.\n</think>\n\n', '<tool_response>', '</tool_response>', '<t', ' ', '\n', 'x', '\u00e9',
  '<|function_call|>', '<|reason|>', '<|end_reason|>', '[INST]', '# Valid channels: final',
];
const ROLES = ['assistant', 'assistant', 'assistant', 'user', 'tool', 'system', 'robot', 'assistant name=x', ''];

/** Text of 0.1, now and then of 2.2, with tags anywhere; mostly well-formed. */
function writtenText(random: Random): string {
  const is22 = random.once(5);
  let text = random.once(9) ? random.pick(['version: 2.2\n---\n', '<s>', 'x', ' ', '<|im_end|>']) : '';
  const messages = random.below(6);
  for (let i = 0; i < messages; i++) {
    const body = Array.from({ length: random.below(7) }, () => random.pick(PIECES)).join('');
    const [open, close] = is22 ? ['<|start|>', '<|end|>'] : ['<|im_start|>', '<|im_end|>'];
    text += `${open}${random.pick(ROLES)}${is22 ? '<|message|>' : '\n'}${body}${random.once(20) ? '' : close}`;
    text += random.once(20) ? 'x' : random.pick(['', '\n']);
  }
  return text;
}

const SHAPES = [
  '<|start|>user', '<|start|>users', '<|start|>developer', '<|start|>system', '<|start|>',
  '<|start|>user x<|message|>y',
  '<|start|>system x<|message|># Valid channels: final<|end|>', '<|start|>developer x<|message|>y<|return|>',
  '<|start|>assistant<|channel|>a<|channel|>a<|message|>', '<|start|>assistant to=functions.f x<|message|>{}<|call|>',
  '<|start|>robot<|message|>a<|start|>robot<|message|>b', '<|start|>user x<|message|><<|end|>\ufffd<|end|><|end|>',
  '<|start|>user x<|message|><|literal|>y<|endliteral|>', '<|im_start|>user x\n', '<|im_start|>robot\nx<|im_end|>',
  'x', '<|message|>y<|end|>', '<|message|><|end|>', '<|channel|>final<|message|>y<|end|>', '<|message|>y<|call|>',
];

/** Few different messages, most of them repeated. */
function repeatingText(random: Random): string {
  const shapes = Array.from({ length: 1 + random.below(3) }, () => random.pick(SHAPES));
  const runs = Array.from({ length: 1 + random.below(4) }, () => random.pick(shapes).repeat(1 + random.below(12)));
  return random.pick(['', '', 'version: 2.2\n---\n', '<s>', '<|start|>user<|message|>Hi<|return|>']) + runs.join('');
}

/** What a look at each message gives. */
function slowCounts(input: Uint8Array, options: object): Partial<Counts> {
  const parsed = parseOn(machines[2]!, input, { yaml: readYaml, ...options });
  const counts = {
    transcripts: parsed.transcripts.length, messages: 0, calls: 0, dialects: {}, roles: {}, channels: {}, ends: {},
  };
  for (const transcript of parsed.transcripts) {
    plus(counts.dialects, transcript.dialect);
    for (const message of transcript) {
      counts.messages++;
      counts.calls += countCalls(message);
      plus(counts.roles, message.role ?? '(none)');
      plus(counts.channels, message.channel);
      plus(counts.ends, message.end);
    }
  }
  return counts;
}

const COUNTED = [
  'missing-start', 'completion', 'missing-message', 'open-turn', 'missing-end', 'truncated', 'unterminated-literal',
  'trailing-terminator', 'stray-token', 'text-between-messages', 'duplicate-channel',
];

function expectCounts(input: Uint8Array, options: object, told: string): void {
  const found: Record<string, number> = {};
  for (const { rule } of checkSource(machines[0]!, new MemorySource(input), options)) {
    if (COUNTED.includes(rule)) plus(found, rule);
  }
  const [whole, ...others] = machines.map((machine, i) => {
    return count(machine, i === 0 ? new MemorySource(input) : new Chunked(input, () => 13), options);
  });
  const plain = (counts: Counts): unknown => JSON.parse(JSON.stringify(counts));
  for (const other of others) expect(plain(other), told).toEqual(plain(whole!));
  expect(plain(whole!), told).toMatchObject({ ...slowCounts(input, options), bytes: input.length, files: 1 });
  expect({ ...whole!.findings }, told).toEqual(found);
}

describe('counts', () => {
  test('of every fixture', () => {
    for (const { name, input, options } of readFixtures()) expectCounts(input, options, name);
  });

  test(`of random input (OPENCHATML_SEED=${SEED})`, () => {
    const seeds = randomOf(SEED);
    for (let run = 0; run < runs(6000); run++) {
      const random = randomOf(seeds.below(0x7fffffff));
      const input = randomInput(random, random.once(3) ? 60 : 12);
      const options = {
        dialect: random.pick(DIALECTS), ...(random.once(8) && { role: 'assistant' }), stopStripped: random.once(3),
      };
      expectCounts(input, options, `OPENCHATML_SEED=${SEED}, run ${run}`);
    }
  });

  test(`of calls that are written as text (OPENCHATML_SEED=${SEED})`, () => {
    const seeds = randomOf(SEED ^ 0x7a6);
    let calls = 0;
    for (let run = 0; run < runs(3000); run++) {
      const input = Buffer.from(writtenText(randomOf(seeds.below(0x7fffffff))));
      expectCounts(input, {}, `OPENCHATML_SEED=${SEED}, run ${run}`);
      calls += slowCounts(input, {}).calls!;
    }
    expect(calls).toBeGreaterThan(runs(3000) / 10);
  });

  test(`of messages that are repeated (OPENCHATML_SEED=${SEED})`, () => {
    const seeds = randomOf(SEED ^ 0x7a8);
    for (let run = 0; run < runs(1000); run++) {
      const input = Buffer.from(repeatingText(randomOf(seeds.below(0x7fffffff))));
      for (const dialect of DIALECTS) expectCounts(input, { dialect }, `OPENCHATML_SEED=${SEED}, run ${run}`);
    }
  });

  test(`of texts that are counted together (OPENCHATML_SEED=${SEED})`, () => {
    const seeds = randomOf(SEED ^ 0x7a7);
    const machine = machines[0]!;
    for (let run = 0; run < runs(1000); run++) {
      const random = randomOf(seeds.below(0x7fffffff));
      const texts = Array.from({ length: 1 + random.below(12) }, () => Buffer.from(writtenText(random)));
      const together = new Counter();
      let end = 0;
      together.addTexts(machine, Buffer.concat(texts), texts.map(({ length }) => (end += length)), newHeaders());
      const alone = new Counter();
      for (const text of texts) alone.addText(machine, new MemorySource(text), {}, false, newHeaders());
      expect(together.result(), `OPENCHATML_SEED=${SEED}, run ${run}`).toEqual(alone.result());
    }
  });

  test('add up over inputs', () => {
    const counter = new Counter();
    const input = new TextEncoder().encode('<|start|>user<|message|>x<|end|>');
    for (let i = 0; i < 3; i++) counter.add(machines[0]!, new MemorySource(input), { dialect: 'harmony' });
    expect(counter.result()).toMatchObject({
      files: 3, bytes: 3 * input.length, transcripts: 3, messages: 3, tokens: { start: 3, message: 3, end: 3 },
    });
  });

  test('a source that tells its end is read once, another one until it has nothing more', () => {
    const input = new TextEncoder().encode('<|start|>user<|message|>x<|end|> ');
    let reads = 0;
    const counted = (bytes: number): number => {
      reads++;
      return bytes;
    };
    class Told extends MemorySource {
      override read(at: number, into: Uint8Array): number {
        return counted(super.read(at, into));
      }
    }
    const [told, untold] = [new Told(input), new Chunked(input, () => counted(5))];
    const all = machines.map((machine) => [told, untold].map((source) => {
      reads = 0;
      return { counts: JSON.stringify(count(machine, source, {})), reads };
    }));
    expect(new Set(all.flat().map(({ counts }) => counts)).size).toBe(1);
    expect(all.map(([one, other]) => [one!.reads, other!.reads]))
      .toEqual(machines.map(() => [1, Math.ceil(input.length / 5) + 1]));
  });

  test('unknown names are bounded', () => {
    const text = Array.from({ length: 1500 }, (_, i) => `<|start|>role${i}<|message|>x<|end|>`).join('');
    const { roles } = count(machines[0]!, new MemorySource(new TextEncoder().encode(text)), { dialect: 'harmony' });
    expect(Object.keys(roles).length).toBe(1001);
    expect(roles['(other)']).toBe(500);
  });
});
