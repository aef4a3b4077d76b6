// Statistics: the same as a plain recount, whatever the order and grouping in which parts are added up; bounds; the
// JSON form.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { Statistics, type StatisticsJson } from '../../../src/corpus/report/statistics.ts';
import { BUCKETS, bucketOf, Named, Tally } from '../../../src/corpus/report/statistics-parts.ts';
import { RULES, type Severity } from '../../../src/errors.ts';
import { readYaml } from '../../../src/model/header/yaml.ts';
import type { MessageRecord } from '../../../src/model/message.ts';
import { parseOn } from '../../../src/model/parse.ts';
import { MemorySource } from '../../../src/scan/source.ts';
import { WasmMachine } from '../../../src/scan/wasm.ts';
import { countCalls } from '../../../src/rules/call-count.ts';
import { checkSource } from '../../../src/rules/check-source.ts';
import type { CheckVisitor } from '../../../src/rules/check-options.ts';
import { readFixtures } from '../../fixture.ts';
import { isAll, runs } from '../../long.ts';
import { type Random, randomInput, randomOf, SEED } from '../../random.ts';
import { randomCalls } from '../../random-calls.ts';
import { recordsOf } from '../../read.ts';
import { sharedData } from '../../skip.ts';
import { collect } from './statistics-run.ts';
import { rescue } from '../../../src/model/rescue-rows.ts';
import type { ReadOptions } from '../../../src/model/walk.ts';

const machine = new WasmMachine();
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const plain = (statistics: Statistics): StatisticsJson => JSON.parse(JSON.stringify(statistics)) as StatisticsJson;

function statisticsOf(input: Uint8Array | string, options: object = {}, path = 'a'): Statistics {
  const statistics = new Statistics();
  collect(statistics, machine, path, typeof input === 'string' ? encode(input) : input, options);
  return statistics;
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}

const lengthOf = (record: MessageRecord): number => record.body_to - record.body_from;

/** Lengths by comparing them with the bounds of buckets. */
function spreadOf(lengths: readonly number[]): object {
  const log2: number[] = [];
  for (const length of lengths) {
    let bucket = 0;
    while (2 ** bucket <= length) bucket++;
    while (log2.length <= bucket) log2.push(0);
    log2[bucket]!++;
  }
  const some = lengths.length > 0;
  return {
    count: lengths.length,
    sum: sumOf(lengths),
    min: some ? Math.min(...lengths) : null,
    max: some ? Math.max(...lengths) : null,
    log2,
  };
}

/** Longer names are not counted by themselves. */
const isShort = (name: string): boolean => name.length <= 200;

/**
 * The statistics that do not depend on names of calls, from records as `messages` prints them, and from parsing all at
 * once.
 */
function expectRecount(input: Uint8Array, given: object, told: string): void {
  const options = { yaml: readYaml, ...given };
  const json = plain(statisticsOf(input, options));
  const records = recordsOf(machine, new MemorySource(input), options);
  const parsed = parseOn(machine, input, options);
  expect({ files: json.files, bytes: json.bytes, records: json.records }, told)
    .toEqual({ files: 1, bytes: input.length, records: 0 });

  const key = ({ role, channel }: { role: string | null; channel: string }): string => JSON.stringify([role, channel]);
  const pairs = [...groupBy(records.filter((one) => isShort(key(one))), key)].map(([name, group]) => {
    const [role, channel] = JSON.parse(name) as [string | null, string];
    const shown = group.filter(({ visible }) => visible);
    return {
      role,
      channel,
      bodies: spreadOf(group.map(lengthOf)),
      visible: { messages: shown.length, bytes: sumOf(shown.map(lengthOf)) },
    };
  });
  const sorted = <T extends { role: string | null; channel: string }>(list: readonly T[]): T[] =>
    list.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  expect(sorted(json.messages.pairs), told).toEqual(sorted(pairs));
  const others = records.filter((one) => !isShort(key(one)));
  expect(json.messages.other.bodies, told).toEqual(spreadOf(others.map(lengthOf)));

  const ends = { end: 0, call: 0, return: 0, implicit: 0, eof: 0 };
  for (const { end } of records) ends[end]++;
  expect(json.messages.ends, told).toEqual(ends);
  const types = [
    ...groupBy(records.filter(({ content_type: type }) => type !== null && isShort(type)), (one) => one.content_type!),
  ];
  const byName = <T extends { name: string }>(list: readonly T[]): T[] =>
    list.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  expect(byName(json.content_types.names), told)
    .toEqual(byName(types.map(([name, { length: count }]) => ({ name, count }))));

  expect(json.transcripts.messages, told).toEqual(spreadOf(parsed.transcripts.map(({ length }) => length)));
  expect(json.transcripts.bytes.count, told).toBe(parsed.transcripts.length);
  expect(sumOf(Object.values(json.transcripts.dialects)), told).toBe(parsed.transcripts.length);
  for (const [id, count] of Object.entries(json.transcripts.dialects)) {
    expect(parsed.transcripts.filter(({ dialect }) => dialect === id).length, told).toBe(count);
  }
  expect(sumOf(json.calls.tools.map(({ calls }) => calls)) + json.calls.other.calls, told)
    .toBe(sumOf([...parsed.messages()].map(countCalls)));

  const findings = [...checkSource(machine, new MemorySource(input), options)];
  const counted = json.findings.map(({ rule, error, warning, info, samples }) => {
    const all = findings.filter((finding) => finding.rule === rule);
    const first = all.map(({ from }) => from).sort((a, b) => a - b).slice(0, 10);
    expect(samples.map(({ from }) => from), told).toEqual(first);
    for (const severity of ['error', 'warning', 'info'] as const) {
      expect({ error, warning, info }[severity], told)
        .toBe(all.filter((finding) => finding.severity === severity).length);
    }
    return all.length;
  });
  expect(sumOf(counted), told).toBe(findings.length);
  expectTools(json, records, findings, options, told);
}

/** Calls of the 2.x dialects: their tools from the records, their errors by where they are. */
function expectTools(
  json: StatisticsJson, records: MessageRecord[], findings: Found[], options: object, told: string,
): void {
  if (json.transcripts.dialects['openchatml-0.1'] > 0) return;
  const persons = ['assistant', 'user', 'all'];
  const calls = records.filter(({ role, recipient }) => {
    return role === 'assistant' && recipient !== null && !persons.includes(recipient);
  });
  const tools = [...groupBy(calls, ({ recipient }) => recipient!.replace(/^functions\./, ''))].map(([name, group]) => {
    const failures = group.map(({ from, to }) => new Set(findings
      .filter(({ severity, code }) => {
        return severity === 'error' && (code === 'E-CALL-SCHEMA' || code === 'E-BODY-CONSTRAINT-VIOLATION');
      })
      .filter((finding) => (finding.from === finding.to
        ? from < finding.from && finding.from <= to
        : from <= finding.from && finding.from < to))
      .map(({ rule }) => rule as string)));
    const rules = [...new Set(failures.flatMap((found) => [...found]))].sort();
    const reasons = rules.map((rule) => ({ rule, count: failures.filter((found) => found.has(rule)).length }));
    return { name, calls: group.length, failing: failures.filter(({ size }) => size > 0).length, reasons };
  });
  const byName = <T extends { name: string }>(list: readonly T[]): T[] =>
    list.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  expect(byName(json.calls.tools), `${told} ${JSON.stringify(options)}`)
    .toEqual(byName(tools.filter(({ name }) => isShort(name))));
  expect(json.replies, told).toBe(records.filter(({ role }) => role === 'tool').length);
}

interface Found {
  readonly severity: Severity;
  readonly code: string | null;
  readonly rule: string;
  readonly from: number;
  readonly to: number;
}

const DIALECTS = ['auto', 'openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1', 'harmony'] as const;

function randomOptions(random: Random): ReadOptions {
  return {
    dialect: random.pick(DIALECTS),
    ...(random.once(8) && { role: 'assistant' }),
    ...(random.once(5) && { requireChannels: true }),
    ...(random.once(5) && { rescue }),
  };
}

describe('a recount gives the same', () => {
  test('of every fixture', () => {
    for (const { name, input, options } of readFixtures()) expectRecount(input, options, name);
  });

  test(`of random transcripts (OPENCHATML_SEED=${SEED})`, () => {
    const seeds = randomOf(SEED);
    for (let run = 0; run < runs(1500); run++) {
      const random = randomOf(seeds.below(0x7fffffff));
      const input = random.once(2) ? randomInput(random, 20) : randomCalls(random);
      expectRecount(input, randomOptions(random), `OPENCHATML_SEED=${SEED}, run ${run}`);
    }
  });
});

/** Messages whose headers say more than a role and a channel, all in known words. */
function randomHeaders(random: Random): string {
  const some = (text: string): string => (random.once(2) ? text : '');
  return Array.from({ length: random.below(8) }, () => {
    const role = random.once(2) ? 'assistant' : random.pick(['system', 'developer', 'user', 'tool', 'functions.f']);
    const recipient = random.once(4) ? ` to=${random.pick(['functions.f', 'user', 'assistant', 'browser'])}` : '';
    const words = recipient + some(` intent=${random.pick(['preamble', 'preamble', 'debug', 'plan'])}`)
      + some(` call_id=c${random.below(4)}`) + (random.once(4) ? ' name=functions.f' : '');
    const named = random.pick(['final', 'analysis', 'commentary', 'commentary']);
    const channel = random.once(4) ? '' : `<|channel|>${named}`;
    const body = random.pick(['', 'Hi', '{}', '{"a": 1}', 'é <think>x</think> y', '<think>x</think>', '<<|end|> z']);
    return `<|start|>${role}${words}${channel}${random.once(4) ? '<|constrain|>json' : ''}<|message|>${body}`
      + random.pick(['<|end|>', '<|end|>', '<|call|>', '<|return|>']);
  }).join('');
}

test(`messages that are passed as rows count as their views do (OPENCHATML_SEED=${SEED})`, () => {
  const machines = [new WasmMachine(), new WasmMachine({ build: 'scalar' })];
  const seeds = randomOf(SEED);
  for (let run = 0; run < runs(1500); run++) {
    const random = randomOf(seeds.below(0x7fffffff));
    const inputs = Array.from({ length: 1 + random.below(4) }, () =>
      Buffer.from(random.pick([(of: Random) => randomInput(of, 20), randomCalls, randomHeaders])(random)));
    const options = { ...randomOptions(random), isChat: random.once(3) };
    const counted = (machine: WasmMachine, isBulk: boolean): StatisticsJson => {
      const statistics = new Statistics({ characters: true });
      const visitor: CheckVisitor = {
        message: (...seen) => statistics.message(...seen),
        transcriptEnd: (...seen) => statistics.transcriptEnd(...seen),
        ...(isBulk && { messages: (...seen: Parameters<Statistics['messages']>) => statistics.messages(...seen) }),
      };
      for (const found of checkSource(machine, new MemorySource(Buffer.concat(inputs)), { ...options, visitor })) {
        const place = (): { line: number; column: null } => ({ line: 1, column: null });
        statistics.diagnostic(found, { path: 'a', record: null, from: found.from, place });
      }
      return plain(statistics);
    };
    const told = `OPENCHATML_SEED=${SEED}, run ${run}`;
    for (const machine of machines) expect(counted(machine, true), told).toEqual(counted(machine, false));
  }
});

describe('parts add up', () => {
  const seeds = randomOf(SEED);
  const parts = Array.from({ length: 12 }, (_, i) => {
    const random = randomOf(seeds.below(0x7fffffff));
    const statistics = new Statistics();
    for (let n = 0; n < 5; n++) collect(
      statistics, machine, `${random.below(4)}-${i}-${n}`,
      random.once(2) ? randomInput(random, 40) : randomCalls(random), randomOptions(random),
    );
    for (let n = random.below(5); n > 0; n--) statistics.record();
    statistics.badRecord('bad-record', 'it is no JSON object', {
      path: `${i}`, record: i, from: i, place: () => ({ line: i, column: null }),
    });
    return JSON.stringify(statistics);
  });
  const empty = JSON.stringify(new Statistics());
  const merge = (...jsons: string[]): string => {
    const sum = new Statistics();
    for (const json of jsons) sum.merge(JSON.parse(json));
    return JSON.stringify(sum);
  };
  const whole = merge(...parts);

  test(`in any order and grouping (OPENCHATML_SEED=${SEED})`, () => {
    const random = randomOf(seeds.below(0x7fffffff));
    for (let run = 0; run < runs(60); run++) {
      const left = [...parts];
      // Any two parts become one, until one is left.
      while (left.length > 1) {
        const [a] = left.splice(random.below(left.length), 1);
        const [b] = left.splice(random.below(left.length), 1);
        left.push(merge(a!, b!));
      }
      expect(left[0]).toBe(whole);
    }
  });

  test('with nothing to themselves; and the JSON form gives them back', () => {
    for (const part of parts) {
      expect(merge(part, empty)).toBe(part);
      expect(merge(empty, part)).toBe(part);
      expect(JSON.stringify(Statistics.fromJSON(JSON.parse(part)))).toBe(part);
    }
  });

  test(`to what one run over all gives (OPENCHATML_SEED=${SEED})`, () => {
    const random = randomOf(seeds.below(0x7fffffff));
    const list = '[{"name":"f","parameters":{"type":"object","required":["a"]}}]';
    const calls = ['f', 'h'].map((name) => `<|function_call|>{"name":"${name}","arguments":{}}`).join('');
    const several = `<|im_start|>system\n<|function_list|>${list}<|im_end|>\n<|im_start|>assistant\n${calls}<|im_end|>`;
    const inputs = [
      ...readFixtures().map(({ input, options }) => ({ input, options: options as object })),
      ...Array.from({ length: runs(400) }, () => ({
        input: random.once(2) ? randomInput(random, 30) : randomCalls(random), options: randomOptions(random),
      })),
      // A prompt that waits for its completion is hidden, though it looks like a message that is shown.
      ...[
        'x<|im_end|>\n<|im_start|>user\n', '',
      ].map((end) => ({ input: encode(`<|im_start|>user\n${end}`), options: {} })),
      { input: encode(several), options: { dialect: 'openchatml-0.1' } },
    ];
    const all = new Statistics();
    const apart = new Statistics();
    inputs.forEach(({ input, options }, i) => {
      collect(all, machine, `${i}`, input, options);
      apart.add(statisticsOf(input, options, `${i}`));
    });
    expect(plain(apart).calls.several.failing).toBeGreaterThan(0);
    expect(plain(apart)).toEqual(plain(all));
    expect(JSON.stringify(apart)).toBe(JSON.stringify(all));
  });
});

describe('names are bounded', () => {
  const named = (names: Iterable<string>): Named<Tally> => {
    const sums = new Named(50, () => new Tally());
    for (const name of names) sums.at(name).count++;
    return sums;
  };
  const show = (sums: Named<Tally>): unknown =>
    [sums.entries().map(([name, { count }]) => [name, count]), sums.other.count];

  test(`and what is kept is exact, in any order (OPENCHATML_SEED=${SEED})`, () => {
    const random = randomOf(SEED);
    for (let run = 0; run < 200; run++) {
      const names = Array.from({ length: 400 }, () => `${random.below(random.pick([40, 400]))}`);
      const counts = [...groupBy(names, (name) => name)].map(([name, group]) => [name, group.length] as const);
      const kept = counts.sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1)).slice(0, 50);
      const expected = [kept.map((pair) => [...pair]), names.length - sumOf(kept.map(([, count]) => count))];
      expect(show(named(names))).toEqual(expected);
      expect(show(named(names.toReversed()))).toEqual(expected);
      const cut = random.below(names.length);
      const sum = named(names.slice(0, cut));
      sum.add(named(names.slice(cut)));
      expect(show(sum)).toEqual(expected);
    }
  });

  test('and long ones are counted together', () => {
    const sums = named(['x'.repeat(200), 'x'.repeat(201), 'y'.repeat(1000)]);
    expect(show(sums)).toEqual([[['x'.repeat(200), 1]], 2]);
  });

  test('of roles and channels too', () => {
    const text = Array.from({ length: 300 }, (_, i) => `<|start|>role${i}<|message|>${'x'.repeat(i)}<|end|>`).join('');
    const { messages } = plain(statisticsOf(text, { dialect: 'harmony' }));
    expect(messages.pairs.length).toBe(256);
    expect(sumOf(messages.pairs.map(({ bodies }) => bodies.count)) + messages.other.bodies.count).toBe(300);
    expect(messages.other.bodies).toMatchObject({ count: 44, min: 256, max: 299 });
  });
});

test.each([
  [0, 0], [1, 1], [2, 2], [3, 2], [4, 3], [1023, 10], [1024, 11], [2 ** 31, 32], [2 ** 32 - 1, 32], [2 ** 32, 33],
  [2 ** 53 - 1, BUCKETS - 1],
])(
  'the length %d is in bucket %d', (length, bucket) => {
    expect(bucketOf(length)).toBe(bucket);
  });

describe('calls', () => {
  const call = (tool: string, id: string, body: string): string =>
    `<|start|>assistant to=${tool} call_id=${id}<|channel|>commentary<|constrain|>json<|message|>${body}<|call|>\n`;

  test('fail with each rule once, and count for their tool', () => {
    const text = `version: 2.2\n${call('functions.f', 'a', '{')}${call('f', 'a', '{}')}${call('g', 'b', '{}')}`
      + `${call('python', 'c', '{}')}`
      + '<|start|>tool name=h call_id=z<|channel|>commentary<|message|>x<|end|>';
    const { calls, replies } = plain(statisticsOf(text));
    expect(calls.tools).toEqual([
      {
        name: 'f',
        calls: 2,
        failing: 2,
        reasons: [{ rule: 'duplicate-call-id', count: 1 }, { rule: 'invalid-json', count: 1 }],
      },
      { name: 'g', calls: 1, failing: 0, reasons: [] },
      { name: 'python', calls: 1, failing: 0, reasons: [] },
    ]);
    expect(replies).toBe(1);
  });

  test('of 0.1: by the names in their bodies; errors among several are of none of them', () => {
    const list = JSON.stringify([{ name: 'f', parameters: { type: 'object', required: ['a'] } }]);
    const one = (body: string): string => `<|im_start|>assistant\n${body}<|im_end|>\n`;
    const f = '<|function_call|>{"name":"f","arguments":{}}';
    const text = `<|im_start|>system\n<|function_list|>${list}<|im_end|>\n`
      + `${one(f)}${one(`${f}\n<|function_call|>{"name":"g","arguments":{}}`)}${one('<|function_call|>nothing')}`
      + '<|im_start|>tool\n<|function_output|>1<|function_output|>2<|im_end|>\n';
    const { calls, replies } = plain(statisticsOf(text, { dialect: 'openchatml-0.1' }));
    const rules = (rule: string, count: number) => [{ rule, count }];
    expect(calls.tools)
      .toMatchObject([{ name: 'f', calls: 2 }, { name: 'g', calls: 1, failing: 0 }, { name: '(none)', calls: 1 }]);
    expect(calls.tools[0]).toMatchObject({ failing: 1, reasons: rules('invalid-arguments', 1) });
    expect(calls.several.calls).toBe(0);
    expect(calls.several.failing).toBe(1);
    expect(replies).toBe(2);
  });
});

describe('findings', () => {
  const at = (path: string, record: number | null, from: number, seen: number[] = []) =>
    ({ path, record, from, place: () => (seen.push(from), { line: 1, column: from }) });
  const error = (from: number) =>
    ({ code: null, rule: 'stray-token', severity: 'error', from, to: from, transcript: 0, message: 'm' }) as const;

  test('keep the first ten of a rule, by path, record and position, and look for the lines of no others', () => {
    const statistics = new Statistics();
    const seen: number[] = [];
    for (let i = 0; i < 100; i++) statistics.diagnostic(error(i), at('b', null, i, seen));
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    statistics.diagnostic(error(7), at('a', 3, 7));
    statistics.diagnostic(error(9), at('a', 2, 9));
    const [found] = plain(statistics).findings;
    expect(found).toMatchObject({ rule: 'stray-token', error: 102, warning: 0, info: 0 });
    expect(found!.samples.map(({ path, record, from }) => `${path} ${record} ${from}`))
      .toEqual(['a 2 9', 'a 3 7', ...[0, 1, 2, 3, 4, 5, 6, 7].map((from) => `b null ${from}`)]);
  });

  test('of bad records', () => {
    const statistics = new Statistics();
    statistics.record();
    statistics.record();
    statistics.badRecord('unknown-record', 'no field', at('a', 1, 5));
    expect(plain(statistics)).toMatchObject({
      records: 2,
      bad_records: 1,
      findings: [{ rule: 'unknown-record', error: 1, samples: [{ record: 1, message: 'no field' }] }],
    });
  });
});

describe('JSON that is none of it', () => {
  const good = (): Record<string, unknown> =>
    JSON.parse(JSON.stringify(statisticsOf('<|start|>user to=f<|message|>x'))) as Record<string, unknown>;

  // oxlint-disable-next-line typescript/no-explicit-any -- what is spoiled lies deep
  test.each<[string, (json: Record<string, any>) => unknown]>([
    ['statistics: expected an object', () => null],
    ['statistics: expected an object', () => []],
    [
      'statistics: schema: expected openchatml/statistics/1',
      (json) => ({ ...json, schema: 'openchatml/statistics/2' }),
    ],
    ['statistics: files: expected an integer', (json) => ({ ...json, files: -1 })],
    ['statistics: bytes: expected an integer', (json) => ({ ...json, bytes: 0.5 })],
    ['statistics: replies: expected an integer', (json) => ({ ...json, replies: '1' })],
    ['statistics: files: expected an integer', ({ files: _, ...json }) => json],
    [
      'statistics: files: expected an integer',
      ({ files: _, ...json }) => Object.assign(Object.create({ files: 1 }), json),
    ],
    [
      'statistics: messages: pairs: expected a list',
      (json) => ({ ...json, messages: { ...json['messages'], pairs: {} } }),
    ],
    ['statistics: messages: pairs[0]: bodies: log2: expected a list of at most 54', (json) => {
      json['messages'].pairs[0].bodies.log2 = Array(55).fill(1);
      return json;
    }],
    ['statistics: findings[0]: samples: expected a list of at most 10', (json) => {
      json['findings'][0].samples = Array(11).fill(json['findings'][0].samples[0]);
      return json;
    }],
  ])('%s', (message, spoil) => {
    const statistics = statisticsOf('<|start|>user<|message|>x<|end|>');
    const before = JSON.stringify(statistics);
    const spoilt = spoil(good());
    expect(() => statistics.merge(spoilt)).toThrow(TypeError);
    expect(() => statistics.merge(spoilt)).toThrow(message);
    expect(JSON.stringify(statistics)).toBe(before);
  });
});

test('every rule that is counted for calls is an error of a call or of its content', () => {
  const codes = new Set(Object.values(RULES).map(({ code }) => code));
  for (const code of ['E-CALL-SCHEMA', 'E-BODY-CONSTRAINT-VIOLATION'] as const) expect(codes).toContain(code);
});

const folder = sharedData('dialogues');

describe.skipIf(folder === null || !isAll)('dialogues', () => {
  test.each(['openchatml-2.2', 'harmony', 'chatml-0.1'] as const)('%s', (name) => {
    const known = JSON.parse(readFileSync(join(folder!, 'expected.json'), 'utf8')) as Record<string, number>;
    const input = gunzipSync(readFileSync(join(folder!, `${name}.txt.gz`)));
    const { transcripts, messages, calls, replies, findings } = plain(
      statisticsOf(input, { dialect: name === 'chatml-0.1' ? 'openchatml-0.1' : name }),
    );
    expect(transcripts.messages.count).toBe(known['transcripts']);
    expect(sumOf(Object.values(messages.ends))).toBe(known[`${name.replace(/-.*/, '')}_messages`]);
    expect(sumOf(calls.tools.map((tool) => tool.calls))).toBe(known['calls']);
    // 18 reservations lack the location that their tool's definition asks for.
    expect(sumOf(calls.tools.map((tool) => tool.failing))).toBe(18);
    expect(calls.tools.filter(({ failing }) => failing > 0).flatMap(({ reasons }) => reasons.map(({ rule }) => rule)))
      .toEqual(expect.arrayContaining(['invalid-arguments']));
    expect(findings.find(({ rule }) => rule === 'invalid-arguments')!.error).toBe(18);
    expect(replies).toBe(known['tool']);
    const shown = sumOf(messages.pairs.map(({ visible }) => visible.messages));
    expect(shown).toBe(known['user']! + known['assistant_final']!);
  });
});
