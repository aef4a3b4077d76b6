// The report page: its structure, its policy, its numbers, and that no text of the data is anything but text.
import { createHash } from 'node:crypto';
import { Script } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { writeReport } from '../../../src/corpus/report/report.ts';
import { PLOT_STYLE, SCRIPT } from '../../../src/corpus/report/assets.ts';
import { dataBlock } from '../../../src/corpus/report/html.ts';
import { addSpreads, quantile } from '../../../src/corpus/report/totals.ts';
import { Statistics, type StatisticsJson } from '../../../src/corpus/report/statistics.ts';
import { RULES } from '../../../src/errors.ts';
import { WasmMachine } from '../../../src/scan/wasm.ts';
import { readFixtures } from '../../fixture.ts';
import { randomOf, SEED } from '../../random.ts';
import { type Element, elementsOf, readHtml, textOf } from './html.ts';
import { collect } from './statistics-run.ts';

const machine = new WasmMachine();
const META = { title: 'a corpus', version: '1.2.3' };

function statisticsOf(...texts: string[]): StatisticsJson {
  const statistics = new Statistics();
  texts.forEach((text, i) => collect(statistics, machine, `file${i}.txt`, new TextEncoder().encode(text)));
  return JSON.parse(JSON.stringify(statistics)) as StatisticsJson;
}

const fixtures = ((): StatisticsJson => {
  const statistics = new Statistics();
  for (const { name, input, options } of readFixtures()) collect(statistics, machine, name, input, options);
  return JSON.parse(JSON.stringify(statistics)) as StatisticsJson;
})();

const sha256 = (text: string): string => `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;

/** All that the page may be made of. */
const ELEMENTS: Readonly<Record<string, readonly string[]>> = {
  html: ['lang'], head: [], meta: ['charset', 'http-equiv', 'content', 'name'], title: [], style: [], body: [],
  main: [], h1: [], wbr: [], h2: [], h3: [],
  bdi: [], dl: ['class'], div: ['class', 'id'], dt: [], dd: [], small: [], nav: ['aria-label'], ul: [], li: [],
  a: ['href'],
  section: ['id'], p: ['class'], table: ['class'], caption: [], thead: [], tbody: [], tr: [],
  th: ['scope', 'class', 'data-value'],
  td: ['class', 'data-value'], code: ['class'], span: ['class'],
  svg: ['class', 'viewBox', 'preserveAspectRatio', 'aria-hidden'],
  rect: ['width', 'height'], details: ['id'], summary: [], figure: ['hidden'], figcaption: [], script: ['type', 'id'],
};

function expectSafe(page: string): Element {
  const root = readHtml(page);
  const wrong: string[] = [];
  for (const { name, attributes, children } of elementsOf(root)) {
    const allowed = Object.hasOwn(ELEMENTS, name) ? ELEMENTS[name]! : null;
    if (!allowed) wrong.push(`<${name}>`);
    for (const [key, value] of attributes) {
      const isWell = key === 'href' ? /^#[a-z0-9-]+$/.test(value) : key !== 'id' || /^[a-z0-9-]+$/.test(value);
      if (!allowed?.includes(key) || !isWell) wrong.push(`<${name} ${key}="${value}">`);
    }
    if ((name === 'style' || name === 'script') && /<\/|<!--/.test(children.join(''))) {
      wrong.push(`the text of <${name}>`);
    }
  }
  expect(wrong).toEqual([]);
  // Nothing steers the direction of writing, or a terminal.
  expect(page).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/);
  return root;
}

const named = (root: Element, name: string): Element[] =>
  [...elementsOf(root)].filter((element) => element.name === name);

/** Rows of the table with a caption, as text. */
function tableOf(root: Element, caption: string): string[][] {
  const table = named(root, 'table').find((element) => textOf(named(element, 'caption')[0]!).startsWith(caption));
  if (!table) throw new Error(`there is no table ${caption}`);
  return named(named(table, 'tbody')[0]!, 'tr').map((row) => {
    return row.children.filter((child) => typeof child !== 'string').map((cell) => textOf(cell));
  });
}

const tilesOf = (root: Element): Record<string, string> => Object.fromEntries(
  named(named(root, 'dl')[0]!, 'div').map((tile) => [
    textOf(named(tile, 'dt')[0]!), named(tile, 'dd')[0]!.children.filter((child) => typeof child === 'string').join(''),
  ]),
);

describe('the page', () => {
  const page = writeReport(fixtures, META);
  const root = expectSafe(page);

  test('allows its one script and its one style by their hashes, and nothing else', () => {
    const policy = named(root, 'meta')
      .find(({ attributes }) => attributes.get('http-equiv') === 'Content-Security-Policy')!.attributes
      .get('content')!;
    const scripts = named(root, 'script');
    expect(scripts.map(({ attributes }) => attributes.get('type'))).toEqual(['application/json', undefined]);
    const styles = named(root, 'style');
    expect(styles.length).toBe(1);
    expect(policy.split('; ')).toEqual([
      "default-src 'none'", `script-src ${sha256(scripts[1]!.children.join(''))}`,
      `style-src ${sha256(styles[0]!.children.join(''))}`,
      "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
    ]);
    for (const part of [...scripts, ...styles]) {
      expect(part.children.join('')).not.toMatch(/https?:|["'`]\/\/|url\(|@import/);
    }
    // The policy stands before all that it is for.
    expect(page.indexOf('Content-Security-Policy')).toBeLessThan(page.indexOf('<style'));
  });

  test('has a script that makes no markup and no code of text, and has the licence of what is in it', () => {
    expect(() => new Script(SCRIPT)).not.toThrow();
    expect(SCRIPT).not.toMatch(
      /innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function|fetch\(|XMLHttpRequest|import\(/,
    );
    expect(SCRIPT).toContain('Permission is hereby granted');
    expect(`${SCRIPT}${PLOT_STYLE}`).not.toMatch(/[^\n\x20-\x7e]/);
  });

  test('is the same for the same statistics; the time is in it when it is given', () => {
    expect(writeReport(JSON.parse(JSON.stringify(fixtures)) as StatisticsJson, META)).toBe(page);
    expect(page).not.toContain('throughput');
    const timed = readHtml(writeReport({ ...fixtures, bytes: 3_000_000 }, { ...META, seconds: 1.5 }));
    expect(tilesOf(timed)['throughput']).toBe('2.0 MB/s');
  });

  test('has one heading above all, one for each section, and links that lead somewhere', () => {
    expect(named(root, 'h1').map(textOf)).toEqual(['Chat transcripts in a corpus']);
    expect(named(root, 'title').map(textOf)).toEqual(['Chat transcripts in a corpus - openchatml']);
    // A narrow screen breaks a path between its folders.
    expect(writeReport(fixtures, { title: 'a/b/c', version: '1' }))
      .toContain('<h1>Chat transcripts in <bdi>a/<wbr>b/<wbr>c</bdi></h1>');
    const ids = [...elementsOf(root)].flatMap(({ attributes }) => attributes.get('id') ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    for (const link of named(root, 'a')) expect(ids).toContain(link.attributes.get('href')!.slice(1));
    expect(named(root, 'h2').map(textOf)).toEqual(named(named(root, 'nav')[0]!, 'a').map(textOf));
  });

  test('tells all that the statistics hold', () => {
    const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
    const severities = (['error', 'warning', 'info'] as const).map((severity) => {
      return sum(fixtures.findings.map((finding) => finding[severity]));
    });
    const messages = sum(fixtures.messages.pairs.map(({ bodies }) => bodies.count));
    const plain = (text: string): number => Number(text.replaceAll(',', ''));
    expect(tilesOf(root)).toMatchObject({
      files: String(fixtures.files),
      errors: String(severities[0]),
      warnings: String(severities[1]),
      infos: String(severities[2]),
    });
    expect(sum(tableOf(root, 'Messages by role and channel').map((row) => plain(row[2]!)))).toBe(messages);
    expect(sum(tableOf(root, 'Bytes of a body by role').map((row) => plain(row[1]!)))).toBe(messages);
    expect(sum(tableOf(root, 'Messages by bytes of their body').flatMap((row) => row.slice(1).map(plain))))
      .toBe(messages);
    expect(sum(tableOf(root, 'Transcripts by dialect').map((row) => plain(row[1]!))))
      .toBe(fixtures.transcripts.messages.count);
    expect(tableOf(root, 'Calls by tool').map(([name, calls, , failing]) => `${name} ${calls} ${failing}`).sort())
      .toEqual(fixtures.calls.tools.map(({ name, calls, failing }) => `${name} ${calls} ${failing}`).sort());
    expect(tableOf(root, 'Findings by rule').map(([rule, , ...rest]) => {
      return [rule, ...rest.slice(0, 3).map(plain), ...rest.slice(4)].join(' ');
    }).sort())
      .toEqual(fixtures.findings.map(({ rule, error, warning, info }) => {
        const { text, remedy } = RULES[rule as keyof typeof RULES];
        return `${rule} ${error} ${warning} ${info} ${text} ${remedy}`;
      }).sort());
    const samples = named(root, 'details').filter(({ attributes }) => attributes.get('id')?.startsWith('found-'));
    expect(samples.flatMap((element) => named(named(element, 'tbody')[0]!, 'tr')).length)
      .toBe(sum(fixtures.findings.map((finding) => finding.samples.length)));
  });

  test('gives the plots what the tables say', () => {
    const plots = JSON.parse(named(root, 'script')[0]!.children.join('')) as {
      target: string;
      series: { label: string; values: number[] }[];
    }[];
    const ids = [...elementsOf(root)].map(({ attributes }) => attributes.get('id'));
    for (const { target } of plots) expect(ids).toContain(target);
    const rows = tableOf(root, 'Messages by bytes of their body');
    expect(plots[0]!.target).toBe('plot-lengths');
    plots[0]!.series.forEach(({ values }, i) => expect(rows.map((row, bucket) => [row[i + 1], bucket])).toEqual(
      rows.map((_, bucket) => [String(values[bucket] ?? 0), bucket]),
    ));
  });
});

test('what is no statistics gives no page: numbers are no text', () => {
  for (const spoilt of [{}, { ...fixtures, files: '<b>1</b>' }, { ...fixtures, schema: 'x' }]) {
    expect(() => writeReport(spoilt as unknown as StatisticsJson, META)).toThrow(TypeError);
  }
});

test('nothing at all gives a page too', () => {
  const root = expectSafe(writeReport(statisticsOf(), META));
  expect(tilesOf(root)).toMatchObject({ files: '0', transcripts: '0', messages: '0', calls: '0', errors: '0' });
  expect(textOf(root)).toContain('Nothing was found.');
});

test('samples have their places, and records their numbers', () => {
  const statistics = new Statistics();
  const error = {
    code: null, rule: 'stray-token', severity: 'error', from: 3, to: 4, transcript: 0, message: 'a message',
  } as const;
  statistics.diagnostic(error, { path: 'a.txt', record: null, from: 1234, place: () => ({ line: 7, column: 12 }) });
  statistics.diagnostic(error, { path: 'b.jsonl', record: 41, from: 5, place: () => ({ line: 42, column: null }) });
  statistics.diagnostic(error, { path: 'c.parquet', record: 1, from: 0, place: () => ({ line: null, column: null }) });
  const root = expectSafe(writeReport(statistics.toJSON(), META));
  expect(tableOf(root, 'By file, record and position')).toEqual([
    ['a.txt:7:12', '', '1,234', 'a message'], ['b.jsonl:42', '41', '5', 'a message'],
    ['c.parquet', '1', '0', 'a message'],
  ]);
});

test('of many tools the most called ones are listed, and the others summed up', () => {
  const calls = Array.from({ length: 1200 }, (_, i) => {
    return `<|start|>assistant to=functions.tool${i}<|channel|>commentary<|message|>{}<|call|>`;
  }).join('');
  const statistics = statisticsOf(`version: 2.2\n${calls}${calls.slice(-300)}`);
  const rows = tableOf(expectSafe(writeReport(statistics, META)), 'Calls by tool');
  expect(rows.length).toBe(1001);
  expect(rows.at(-1)!.slice(0, 2)).toEqual(['others', '200']);
});

describe('text of the data', () => {
  const ATTACKS = [
    '<img src=x onerror=alert(1)>', '</script><script>alert(1)</script>', '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)", '<!--', ']]>', '&lt;b&gt;',
    '</bdi></code></title></style>', 'javascript:alert(1)', '\u202egnp.exe', '\u0000\u0007\u001b[31m', '\u2028\u2029',
    '__proto__', 'constructor', '\ud800', '\ufeff', '${x}', 'a\nb\tc\r\u200b',
    '$&$1$`', 'x'.repeat(90),
  ];

  test.each(ATTACKS)('%j is text wherever it stands', (attack) => {
    const spread = { count: 1, sum: 1, min: 1, max: 1, log2: [0, 1] };
    const cell = { bodies: spread, visible: { messages: 0, bytes: 0 } };
    const sample = { path: attack, record: null, from: 0, line: 1, column: 1, message: attack };
    const none = { calls: 0, failing: 0, reasons: [] };
    const spoilt: StatisticsJson = {
      ...fixtures,
      messages: { ...fixtures.messages, pairs: [{ role: attack, channel: attack, ...cell }] },
      content_types: { names: [{ name: attack, count: 1 }], other: 1 },
      calls: {
        tools: [{ name: attack, calls: 2, failing: 1, reasons: [{ rule: attack, count: 1 }] }],
        other: none,
        several: none,
      },
      findings: [{ rule: attack, error: 1, warning: 0, info: 0, samples: [sample] }],
    };
    const page = writeReport(spoilt, { title: attack, version: attack });
    const root = expectSafe(page.replaceAll('\ud800', '\ufffd'));
    // What it looks like is in every place the same.
    const [seen] = tableOf(root, 'Calls by tool')[0]!;
    expect(tableOf(root, 'Messages by role and channel')[0]!.slice(0, 2)).toEqual([seen, seen]);
    expect(tableOf(root, 'Findings by rule')[0]![0]).toBe(seen);
    expect(tableOf(root, 'Calls with an error')[0]![0]).toBe(seen);
    expect(tableOf(root, 'By file')[0]).toEqual([`${seen}:1:1`, '0', seen]);
    expect(textOf(named(root, 'h1')[0]!)).toBe(`Chat transcripts in ${seen}`);
    if (/^[\x20-\x7e]{1,100}$/.test(attack)) expect(seen).toBe(attack);
    if (attack.includes('\n')) expect(seen).toBe('a\\nb\\tc\\r\\u200b');
    // The page is whole: as many elements as with a harmless name, but for places where a path may break.
    const harmless = JSON.parse(JSON.stringify(spoilt).replaceAll(JSON.stringify(attack), '"x"')) as StatisticsJson;
    const count = (of: Element): number => [...elementsOf(of)].filter(({ name }) => name !== 'wbr').length;
    expect(count(root)).toBe(count(readHtml(writeReport(harmless, { title: 'x', version: 'x' }))));
  });

  test('in a data block ends no element, and is the same when read', () => {
    const value = { '<!--': ['</script>', '<script>', '\u2028&amp;', ']]>'] };
    const block = dataBlock('x', value);
    const json = block.slice(block.indexOf('>') + 1, block.lastIndexOf('</script>'));
    expect(json).not.toMatch(/[<>&\u2028]/);
    expect(JSON.parse(json)).toEqual(value);
  });

  test(`of headers reaches the page as text (OPENCHATML_SEED=${SEED})`, () => {
    const random = randomOf(SEED);
    const pieces = ['<', '>', '"', "'", '&', '/', 'script', '!--', 'a', '=', '\u202e', '\u0001', ';', '`', '\\'];
    const word = (): string => Array.from({ length: 1 + random.below(8) }, () => random.pick(pieces)).join('');
    for (let run = 0; run < 150; run++) {
      const messages = Array.from({ length: 6 }, () => {
        return `<|start|>${random.pick(['assistant', word()])} to=${word()}<|channel|>${word()}<|constrain|>${word()}`
          + `<|message|>x<|end|>`;
      });
      const page = writeReport(statisticsOf(`version: 2.2\n${messages.join('')}`), { title: word(), version: 'x' });
      try {
        expectSafe(page);
      } catch (error) {
        throw new Error(`OPENCHATML_SEED=${SEED}, run ${run}: ${String(error)}`, { cause: error });
      }
    }
  });
});

test('nothing of a body is in the statistics, or in the page', () => {
  const secret = 'c0ffee5ec2e7';
  const text = `version: 2.2\n<|start|>user<|message|>${secret}<|end|>${secret}<|start|>assistant to=f`
    + `<|channel|>commentary<|constrain|>json<|message|>{"${secret}":${secret}<|call|>`
    + `<|start|>assistant<|channel|>final<|message|><|start_reason|>${secret}<|end_reason|>`
    + `<|start|>tool<|message|>${secret}<|literal|>${secret}`;
  const statistics = statisticsOf(text);
  expect(statistics.findings.length).toBeGreaterThan(4);
  expect(JSON.stringify(statistics)).not.toContain(secret);
  expect(writeReport(statistics, META)).not.toContain(secret);
});

test('quantiles are at most a power of two too large', () => {
  const random = randomOf(SEED);
  for (let run = 0; run < 300; run++) {
    const lengths = Array.from({ length: 1 + random.below(60) }, () => random.below(2 ** random.below(30)))
      .sort((a, b) => a - b);
    const statistics = new Statistics();
    for (const length of lengths) statistics.transcriptBytes.note(length);
    const spread = statistics.toJSON().transcripts.bytes;
    for (const share of [0.5, 0.99]) {
      const exact = lengths[Math.ceil(share * lengths.length) - 1]!;
      const told = quantile(spread, share);
      expect(told, `OPENCHATML_SEED=${SEED}, run ${run}`).toBeGreaterThanOrEqual(exact);
      expect(told, `OPENCHATML_SEED=${SEED}, run ${run}`).toBeLessThanOrEqual(Math.max(2 * exact, 0));
    }
    expect(addSpreads([spread, statisticsOf().transcripts.bytes])).toEqual(spread);
  }
});
