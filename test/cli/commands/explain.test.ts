// `explain`: every code and rule, their examples, and names that are near to one. What the examples break and keep is
// checked.
import { describe, expect, test } from 'vitest';
import { explain, type ExplainOptions } from '../../../src/cli/commands/explain.ts';
import { nearest } from '../../../src/nearest.ts';
import { isBad, unitsOf } from '../../../src/corpus/records/unit.ts';
import { diagnose, type Diagnostic, type RuleName, RULES } from '../../../src/errors.ts';
import { MemorySource } from '../../../src/scan/source.ts';
import { Twin } from '../../../src/scan/twin/twin.ts';
import { checkSource } from '../../../src/rules/check-source.ts';
import type { ContentCheck } from '../../../src/rules/constraint.ts';
import { type Example, EXAMPLES } from '../../../src/rules/examples.ts';
import { AUDIT_EXAMPLES } from '../../../src/formats/control-tokens/examples.ts';
import { AUDIT_RULES, type AuditRuleName } from '../../../src/formats/control-tokens/rules.ts';
import { file, jsonLines, type Result, run as runCommand } from '../harness.ts';

function run(name?: string, format: ExplainOptions['format'] = 'text', isTTY = false): Result {
  const result: Result = { code: -1, out: '', err: '' };
  result.code = explain(name, { format, color: 'auto' }, {
    stdin: { fd: -1, isTTY: true },
    stdout: { isTTY, write: (text) => void (result.out += text) },
    stderr: { isTTY: false, write: (text) => void (result.err += text) },
    env: {},
    version: '0.0.0-test',
  });
  return result;
}

const RULE_NAMES = Object.keys(RULES) as RuleName[];

/** The type that the example of `invalid-content` speaks of: decimal digits. */
const digits: ContentCheck = (content) => {
  let before = 0;
  for (const part of content) {
    const at = part.findIndex((byte) => byte < 0x30 || byte > 0x39);
    if (at >= 0) return before + at;
    before += part.length;
  }
  return null;
};

function check(example: Example, text: Example['bad']): Diagnostic[] {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const options = { ...example.options, contentTypes: { digits } };
  if (!example.areRecords) return [...checkSource(new Twin(), new MemorySource(bytes), options)];
  return [...unitsOf(new Twin(), 'records.jsonl', new MemorySource(bytes), {})].flatMap((unit) =>
    isBad(unit)
      ? [diagnose(unit, 0, true)]
      : [...checkSource(new Twin(), unit.source, { ...options, ...unit.options })]);
}

describe.each(RULE_NAMES.map((rule): [RuleName, Example] => [rule, EXAMPLES[rule]]))('%s', (rule, example) => {
  test('the bad example breaks it, and nothing else than it says', () => {
    const found = check(example, example.bad);
    const rules = new Set(found.map((diagnostic) => diagnostic.rule));
    expect([...rules].sort()).toEqual([rule, ...example.also ?? []].sort());
    const { code, severity } = RULES[rule];
    const diagnostic = found.find((one) => one.rule === rule)!;
    expect(diagnostic.code).toBe(code);
    expect(severity === 'declared' ? ['error', 'warning'] : [severity]).toContain(diagnostic.severity);
  });

  test('the good example has no finding', () => {
    expect(check(example, example.good)).toEqual([]);
  });

  test('its page holds every word of its row and both examples', () => {
    const { code, out, err } = run(rule);
    expect([code, err]).toEqual([0, '']);
    for (const words of [rule, RULES[rule].code ?? 'none', RULES[rule].clause, RULES[rule].text, RULES[rule].remedy]) {
      expect(out).toContain(words);
    }
    expect(out).toContain(`  | ${example.good.replace(/\n$/, '').split('\n').join('\n  | ')}\n`);
    expect(out).toContain('not so:');
    expect(out).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\ufffd]/);
  });
});

describe.each(Object.entries(AUDIT_EXAMPLES))('%s, of the audit', (rule, { bad, good }) => {
  test('the bad example breaks it, the good one nothing', async () => {
    const rulesOf = async (text: string): Promise<unknown[]> => {
      const { out } = await runCommand(['audit', '--format', 'ndjson', file(`explain/${rule}.jsonl`, text)]);
      return jsonLines(out).slice(0, -1).map((line) => line['rule']);
    };
    expect(new Set(await rulesOf(bad))).toEqual(new Set([rule]));
    expect(await rulesOf(good)).toEqual([]);
  });

  test('has a page', () => {
    const { code, out } = run(rule);
    expect(code).toBe(0);
    expect(out).toContain(AUDIT_RULES[rule as AuditRuleName].remedy);
    expect(out).toContain(`  | ${good.trimEnd()}\n`);
  });
});

test('a rule: code, severity, clause, remedy, examples', () => {
  expect(run('duplicate-channel').out).toBe(
    'duplicate-channel: the message has more than one channel\n\n'
    + 'code      E-PARSE-HEADER (a document header or a message header is malformed)\n'
    + 'severity  error\n          info when both are the same\n'
    + 'clause    R-CHANNEL, 2.2 §5\nremedy    keep one of them\n\n'
    + 'not so:\n  | version: 2.2\n  | ---\n'
    + '  | <|start|>assistant<|channel|>analysis<|channel|>final<|message|>Hi.<|end|>\n\n'
    + 'but so:\n  | version: 2.2\n  | ---\n  | <|start|>assistant<|channel|>final<|message|>Hi.<|end|>\n',
  );
  expect(run('missing-header').out).toContain('severity  error where the version is declared (by a document header');
});

test('bytes that are no text are visible, and so are control characters', () => {
  expect(run('invalid-utf8').out).toContain('<|message|>Gr\\xfc\\xdfe<|end|>');
  expect(run('not-utf8').out).toContain('  | v\\x00e\\x00r\\x00');
  const base64 = Buffer.from(EXAMPLES['invalid-utf8'].bad).toString('base64');
  expect(JSON.parse(run('invalid-utf8', 'json').out)).toMatchObject({ rules: [{ example: { bad: { base64 } } }] });
});

test('a code: its meaning and its rules', () => {
  const { code, out } = run('E-STREAM-TRUNCATED');
  expect(code).toBe(0);
  expect(out).toMatch(/^E-STREAM-TRUNCATED \(2\.2 §14\): /);
  expect(out.match(/^ {2}[a-z-]+ +error /gm)).toHaveLength(3);
  for (const rule of ['missing-end', 'truncated', 'unterminated-literal'] as const) {
    expect(out).toContain(RULES[rule].text);
  }
  for (const raised of ['E-TOOL-TIMEOUT', 'E-TOOL-CANCELLED']) {
    expect(run(raised).out).toContain('No rule has this code: a runtime raises it');
  }
});

test('names are found whatever their case, with underscores for hyphens', () => {
  expect(run('e-call-schema').out).toBe(run('E-CALL-SCHEMA').out);
  expect(run(' Missing_End ').out).toBe(run('missing-end').out);
});

test.each([
  ['mising-end', 'did you mean missing-end?'],
  ['E-CALL-SHEMA', 'did you mean E-CALL-SCHEMA?'],
  ['trunkated', 'did you mean truncated?'],
  ['zzzzzzzzzz', '`openchatml explain` lists all'],
  ['', '`openchatml explain` lists all'],
  ['x'.repeat(1_000_000), '`openchatml explain` lists all'],
  ['constructor', '`openchatml explain` lists all'],
])('%.20s: 2, %s', (name, hint) => {
  const { code, out, err } = run(name);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain('error: no code, rule or ruling is named');
  expect(err).toContain(hint);
});

test('rulings are explained with the rules that cite them', () => {
  const { code, out } = run('r-gap');
  expect(code).toBe(0);
  expect(out).toMatch(/^R-GAP: White space between messages/);
  expect(out).toContain('text-between-messages');
  const { rulings, rules } = JSON.parse(run('R-TILE', 'json').out) as { rulings: object[]; rules: object[] };
  expect([rulings.length, rules.length]).toEqual([1, 0]);
  expect(run('R-TIL').err).toContain('did you mean R-TILE?');
});

test('a name cannot steer the terminal', () => {
  expect(run('\x1b[2J\u009b\n').err).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
});

test('the nearest name, by characters to insert, remove or replace', () => {
  const names = ['abcdef', 'abcxyz', 'q'];
  expect(nearest('abcdef', names)).toBe('abcdef');
  expect(nearest('abcde', names)).toBe('abcdef');
  expect(nearest('abXxyz', names)).toBe('abcxyz');
  expect(nearest('zabcdefz', names)).toBe('abcdef');
  expect(nearest('abc', names)).toBe(null);
  expect(nearest('', names)).toBe(null);
});

test('without a name, every code and rule is listed once', () => {
  const { code, out } = run();
  expect(code).toBe(0);
  for (const rule of RULE_NAMES) expect(out.match(new RegExp(`^  ${rule} `, 'gm')), rule).toHaveLength(1);
  for (const name of new Set(Object.values(RULES).map((row) => row.code))) expect(out).toContain(name ?? '(no code)');
});

test('json: one object with the same, one shape for all three', () => {
  interface Page {
    schema: string;
    codes: { code: string; rules: string[] }[];
    rules: { rule: string }[];
  }
  const page = (name?: string): Page => JSON.parse(run(name, 'json').out) as Page;
  const all = page();
  expect(all.schema).toBe('openchatml/explain/1');
  expect(all.codes).toHaveLength(8);
  expect(all.rules.map(({ rule }) => rule)).toEqual([...RULE_NAMES, ...Object.keys(AUDIT_RULES)]);
  const code = page('E-CALL-SCHEMA');
  expect(code.codes).toEqual(all.codes.filter((one) => one.code === 'E-CALL-SCHEMA'));
  expect(code.rules).toEqual(all.rules.filter(({ rule }) => code.codes[0]!.rules.includes(rule)));
  const rule = page('open-call');
  expect(rule.codes).toEqual([]);
  expect(rule.rules).toEqual(all.rules.filter((one) => one.rule === 'open-call'));
  const good = { text: EXAMPLES['open-call'].good };
  expect(rule.rules[0]).toMatchObject({ code: null, severity: 'info', example: { good } });
});

test('colours where a terminal shows them', () => {
  expect(run('truncated', 'text', true).out).toContain('\x1b[31merror\x1b[39m');
  expect(run('truncated').out).not.toContain('\x1b');
});
