// Lines of messages in bytes against the same record as an object, written by JSON.stringify: on all fixtures, on
// random transcripts, and where bodies are larger than what is taken at once.
import { describe, expect, test } from 'vitest';
import { messagesOf } from '../../src/corpus/messages.ts';
import { MessageLines } from '../../src/formats/message-lines.ts';
import type { ReadOptions } from '../../src/model/walk.ts';
import { MemorySource, type Source } from '../../src/scan/source.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { readFixtures } from '../fixture.ts';
import { part, runs } from '../long.ts';
import { randomInput, randomOf, SEED } from '../random.ts';

const machine = new WasmMachine();
const encoder = new TextEncoder();
const RUNS = runs(4000);
const parts: Uint8Array[] = [];
const keep = (bytes: Uint8Array): void => void parts.push(bytes.slice());
const LINES = (['simd', 'scalar'] as const).map((build) => [build, new MessageLines(keep, { build })] as const);

interface Way {
  readonly path: string;
  readonly record?: number | null;
  readonly place?: (offset: number) => number;
}

/** The lines as objects say them. */
function* plainLines(
  source: Source, options: ReadOptions, { path, record = null, place = (offset) => offset }: Way,
): Generator<string> {
  for (const { message } of messagesOf(machine, source, options)) {
    const row = message.toRecord();
    const placed = {
      from: place(row.from), to: place(row.to), body_from: place(row.body_from), body_to: place(row.body_to),
    };
    yield `${JSON.stringify({ path, ...row, record, ...placed })}\n`;
  }
}

/** What `lines` writes. */
function written(
  lines: MessageLines, source: Source, options: ReadOptions, { path, record = null, place }: Way,
): string {
  parts.length = 0;
  lines.begin(path);
  for (const { message, transcript, index, source: bytes } of messagesOf(machine, source, options)) {
    lines.add(message, transcript, index, bytes, record, place);
  }
  lines.flush();
  expect(lines.pending).toBe(0);
  return Buffer.concat(parts).toString();
}

function expectSame(lines: MessageLines, input: Uint8Array, options: ReadOptions, way: Way, told: string): number {
  const right = [...plainLines(new MemorySource(input), options, way)];
  const found = written(lines, new MemorySource(input), options, way);
  if (found !== right.join('')) expect(found, told).toBe(right.join(''));
  return right.length;
}

test('a long body is added in parts, when that is asked for', () => {
  const body = `${'x\u00e9"<<|end|>\n'.repeat(200_000)}<|literal|><|end|><|endliteral|>`;
  const input = encoder.encode(`<|start|>user<|message|>${body}<|end|>\n<|start|>tool f<|message|>y<|end|>`);
  let pieces = 0;
  const lines = new MessageLines((bytes) => {
    pieces++;
    keep(bytes);
  }, { long: 1 << 20 });
  const most: number[] = [];
  parts.length = 0;
  lines.begin('long.txt');
  const source = new MemorySource(input);
  for (const { message, transcript, index, source: bytes } of messagesOf(machine, source, {})) {
    lines.add(message, transcript, index, bytes, null);
    expect(lines.isOpen).toBe(index === 0);
    for (let before = pieces; lines.goOn(); before = pieces) most.push(pieces - before);
    expect(lines.isOpen).toBe(false);
  }
  lines.flush();
  // What waits to be taken is bounded by what one part may become.
  expect(pieces).toBeGreaterThan(4);
  expect(Math.max(...most)).toBeLessThan(3);
  expect(Buffer.concat(parts).toString()).toBe([...plainLines(source, {}, { path: 'long.txt' })].join(''));
});

describe.each(LINES)('lines, %s', (build, lines) => {
  test('all fixtures', () => {
    const fixtures = readFixtures();
    let count = 0;
    for (const { name, input, options } of fixtures) {
      count += expectSame(lines, input, options, { path: `${name}.txt` }, name);
    }
    expect(count).toBeGreaterThan(fixtures.length);
  });

  test('random transcripts, with records and places', () => {
    let count = 0;
    for (let run = 0; run < RUNS; run++) {
      const random = randomOf(SEED + run);
      const dialect = random.pick(['auto', 'openchatml-2.2', 'openchatml-0.1', 'harmony'] as const);
      const base = random.pick([0, 1, 4_000_000_000, 2 ** 53 - 1_000_000]);
      const way: Way = {
        path: random.pick(['a.txt', 'd\u00e9j\u00e0/"x"\n.jsonl', '']),
        record: random.pick([null, 0, 9, 10, 4_294_967_296]),
        place: (offset) => base + 3 * offset,
      };
      const options = { dialect, ...(random.once(4) && { role: 'assistant' }), requireChannels: random.once(3) };
      count += expectSame(lines, randomInput(random), options, way, `OPENCHATML_SEED=${SEED + run}`);
    }
    expect(count).toBeGreaterThan(RUNS);
  });

  test('headers of Harmony that repeat', () => {
    const headers = [
      'assistant<|channel|>commentary to=functions.f <|constrain|>json', 'functions.f to=user<|channel|>commentary',
      'assistant to=functions.f<|channel|>analysis', 'assistant to=user', 'user to=assistant name=n', 'functions.f',
      'assistant<|channel|>commentary', 'assistant<|channel|>final json', 'tool name=\u00e9', 'user to=a to=b',
    ];
    const rests = ['<|message|>{}<|end|>', '<|message|>2<|call|>', '<|message|>', '<|message|><|end|><|end|>', ''];
    for (let run = 0; run < runs(500); run++) {
      const random = randomOf(SEED + run);
      const text = Array.from({ length: 20 }, () => `<|start|>${random.pick(headers)}${random.pick(rests)}`).join('');
      const dialect = random.pick(['harmony', 'openchatml-2.2', 'openchatml-2.0'] as const);
      const options = { dialect, requireChannels: random.once(2) };
      expectSame(lines, encoder.encode(text), options, { path: 'x' }, `OPENCHATML_SEED=${SEED + run}`);
    }
  });

  test('numbers of every length', () => {
    const input = encoder.encode('<|start|>user<|message|>hi<|end|>');
    const numbers = [0, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1];
    for (let power = 1; power < 2 ** 53; power *= 10) numbers.push(power - 1, power);
    for (const number of numbers) {
      expectSame(lines, input, {}, { path: 'x', record: number, place: () => number }, String(number));
    }
  });

  test('every column that a header can fill', () => {
    const input = encoder.encode(
      '---\nversion: 2.2\n---\n<|start|>functions.a.b to=assistant call_id=c1 name=n intent="x"<|channel|>commentary '
      + 'text<|message|>1<|end|>'
      + '<|start|>user<|channel|>analysis<|message|>2'
      + '<|start|>assistant to=functions.x<|channel|>commentary<|constrain|>json<|message|>{}<|call|>'
      + '<|start|>assistant<|message|>\u00e9\u0000"\\\ud83d\ude00<|return|><|start|>developer<|message|>open',
    );
    expect(expectSame(lines, input, {}, { path: 'x' }, '')).toBe(5);
  });

  test('a path and names that are longer than their places', () => {
    const name = 'n'.repeat(40_000);
    const input = encoder.encode(`<|start|>user name=${name}\u00e9<|message|>a<|end|><|start|>user<|message|>b<|end|>`);
    for (const path of ['x', 'p"'.repeat(30_000), 'p'.repeat(1_000_000), 'y']) {
      expectSame(lines, input, {}, { path }, path.slice(0, 9));
    }
  });

  test('bodies of every size, cut by escapes and literal blocks, with bad bytes at every cut', () => {
    const KIB = 1024;
    for (const size of part([
      0, 1, 40 * KIB, 40 * KIB - 1, 40 * KIB + 1, 64 * KIB - 1, 64 * KIB, 64 * KIB + 1, 200 * KIB, 1000 * KIB,
    ], 6)) {
      for (const filling of ['a', '\u4f60', '\ud83d\ude00x', '\u0001', '\n"', '\u00e9']) {
        const text = filling.repeat(size / filling.length + 1).slice(0, size);
        const body = `${text}<<|end|>${text.slice(size >> 1)}<|literal|>${text}<|end|><|endliteral|>`;
        const input = encoder.encode(
          `<|start|>user<|message|>${text}<|end|><|start|>assistant<|message|>${body}<|end|><|start|>tool<|message|>ok`,
        );
        expect(expectSame(lines, input, {}, { path: 'x' }, `${size} ${JSON.stringify(filling)}`)).toBe(3);
        for (let i = 30; i < input.length - 30; i += 4099) input[i] = [0xff, 0xe4, 0xf0, 0x80][i & 3]!;
        expectSame(
          lines, input, { dialect: 'openchatml-2.2' }, { path: 'x' },
          `${size} ${JSON.stringify(filling)} with bad bytes`,
        );
      }
    }
  });

  test('a source that gives few bytes at once, and small pieces', () => {
    const text = '\u4f60\n\ud83d\ude00 "q" '.repeat(20_000);
    const input = encoder.encode(`<|start|>user<|message|>${text}<|end|>`.repeat(3));
    const slow = new (class extends MemorySource {
      override read(at: number, into: Uint8Array): number {
        return super.read(at, into.subarray(0, 1 + (at % 1013)));
      }
    })(input);
    const small = new MessageLines(keep, { build, piece: 100 });
    const right = [...plainLines(new MemorySource(input), {}, { path: 'x' })].join('');
    expect(written(small, slow, {}, { path: 'x' }) === right).toBe(true);
    expect(parts.length).toBeGreaterThanOrEqual(3);
  });
});

test('hands out pieces of about the size that was asked for', () => {
  const sizes: number[] = [];
  const lines = new MessageLines((bytes) => void sizes.push(bytes.length), { piece: 10_000 });
  lines.begin('x');
  const input = encoder.encode('<|start|>user<|message|>hello<|end|>'.repeat(1000));
  for (const { message, transcript, index, source } of messagesOf(machine, new MemorySource(input), {})) {
    lines.add(message, transcript, index, source, null);
  }
  lines.flush();
  lines.flush();
  expect(sizes.length).toBeGreaterThan(10);
  for (const size of sizes.slice(0, -1)) expect(size >= 10_000 && size < 10_500).toBe(true);
});
