// Diagnostics of records: their number is told, and nothing around them is shown; and the forms of other tools.
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { type Diagnostic, RULES } from '../../../src/errors.ts';
import { Output } from '../../../src/cli/output.ts';
import { colorsFor } from '../../../src/cli/print.ts';
import { REPORT_FORMATS, type ReportFormat, type Summary } from '../../../src/cli/diagnostics/report.ts';
import { makeReport } from '../../../src/cli/diagnostics/format.ts';
import { hasCommand } from '../../skip.ts';
import { jsonLines } from '../harness.ts';
import { inputFrom } from './report.ts';

const TEXT = '{"text":"<|start|>robot SECRET<|message|>"}';
const ROBOT: Diagnostic = {
  code: 'E-PARSE-HEADER', rule: 'unknown-role', severity: 'error', from: 17, to: 22, transcript: 0,
  message: RULES['unknown-role'].text,
};
const WARNING: Diagnostic = {
  ...ROBOT, code: null, rule: 'text-between-messages', severity: 'warning', message: 'a <b> & "c"\u0007',
};
const INFO: Diagnostic = { ...ROBOT, code: null, rule: 'open-turn', severity: 'info' };
const SUMMARY: Summary = { schema: 'openchatml/audit/1', files: 1, errors: 1, warnings: 1, infos: 1, rules: {} };

type Told = [path: string, diagnostic: Diagnostic, record?: number | null];

function written(format: ReportFormat, told: readonly Told[], input = inputFrom(0, TEXT)): string {
  let text = '';
  const out = new Output({ isTTY: false, write: (piece) => void (text += piece) });
  const colors = colorsFor('never', false, {});
  const report = makeReport({ format, schema: 'openchatml/audit/1', out, colors, isTTY: false, version: '1' });
  const place = { line: 7, column: 18 };
  for (const [path, diagnostic, record] of told) report.diagnostic(path, diagnostic, place, input, record);
  report.end(SUMMARY, true);
  out.flush();
  return text;
}

test('ndjson and json tell the record; it is null in raw text', () => {
  const told: Told[] = [['a', ROBOT, 6], ['a', ROBOT, null], ['a', ROBOT]];
  const lines = jsonLines(written('ndjson', told));
  expect(lines.slice(0, 3).map(({ record }) => record)).toEqual([6, null, null]);
  expect(Object.keys(lines[0]!).slice(0, 3)).toEqual(['path', 'record', 'transcript']);
  const whole = JSON.parse(written('json', told)) as { schema: string; diagnostics: unknown };
  expect([whole.schema, whole.diagnostics]).toEqual(['openchatml/audit/1', lines.slice(0, 3)]);
});

test('sarif tells the record, and names findings by it', () => {
  const text = written('sarif', [['a', ROBOT, 6], ['a', ROBOT, 7], ['a', ROBOT, 7], ['a', ROBOT]]);
  const { runs: [{ results }] } = JSON.parse(text) as {
    runs: [{ results: { properties: object; partialFingerprints: Record<string, string> }[] }];
  };
  expect(results.map(({ properties }) => properties)).toEqual([
    { code: 'E-PARSE-HEADER', record: 6, transcript: 0 },
    { code: 'E-PARSE-HEADER', record: 7, transcript: 0 },
    { code: 'E-PARSE-HEADER', record: 7, transcript: 0 },
    { code: 'E-PARSE-HEADER', transcript: 0 },
  ]);
  expect(new Set(results.map(({ partialFingerprints }) => Object.values(partialFingerprints)[0])).size).toBe(4);
});

test('no excerpt is shown of a record, nor where nothing can be looked into', () => {
  expect(written('pretty', [['a', ROBOT]])).toContain('  | ');
  expect(written('pretty', [['a', ROBOT, 0]])).not.toContain('  | ');
  for (const format of REPORT_FORMATS) {
    const text = written(format, [['a', ROBOT, 0]], null as never);
    expect(text).toContain('a');
    expect(text).not.toContain('SECRET');
  }
});

test('gitlab: a list with the fields of Code Quality, every fingerprint once', () => {
  const path = './x/a b.txt';
  const text = written('gitlab', [[path, ROBOT, 6], [path, ROBOT, 6], ['a', WARNING], ['a', INFO]]);
  const findings = JSON.parse(text) as Record<string, unknown>[];
  expect(findings[0]).toEqual({
    description: `${RULES['unknown-role'].text} (remedy: ${RULES['unknown-role'].remedy})`,
    check_name: 'unknown-role',
    fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
    severity: 'major',
    location: { path: 'x/a b.txt', lines: { begin: 7 } },
  });
  expect(findings.map(({ severity }) => severity)).toEqual(['major', 'major', 'minor', 'info']);
  expect(new Set(findings.map(({ fingerprint }) => fingerprint)).size).toBe(4);
  expect(JSON.parse(written('gitlab', []))).toEqual([]);
});

test('rdjson: source, and diagnostics with message, location, severity and code', () => {
  expect(JSON.parse(written('rdjson', [['a', ROBOT, 6], ['a', WARNING], ['a', INFO]]))).toMatchObject({
    source: { name: 'openchatml' },
    diagnostics: [
      { location: { path: 'a', range: { start: { line: 7 } } }, severity: 'ERROR', code: { value: 'unknown-role' } },
      { severity: 'WARNING' }, { severity: 'INFO' },
    ],
  });
  expect(JSON.parse(written('rdjson', []))).toEqual({ source: { name: 'openchatml' }, diagnostics: [] });
});

describe('junit', () => {
  const told: Told[] = [['a', ROBOT, 6], ['<&">\u0001\u202e', WARNING], ['<&">\u0001\u202e', INFO], ['c', INFO]];

  test('a suite a file, a failed case for an error or a warning', () => {
    const remedy = (rule: keyof typeof RULES): string => {
      return `(remedy: ${RULES[rule].remedy.replaceAll('<', '&lt;').replaceAll('>', '&gt;')})`;
    };
    const warning = `a &lt;b&gt; &amp; &quot;c&quot;\\x07 ${remedy('text-between-messages')}`;
    const error = `${RULES['unknown-role'].text} ${remedy('unknown-role')}`;
    const strange = '&lt;&amp;&quot;&gt;\\x01\\u202e';
    expect(written('junit', told).split('\n')).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites name="openchatml">',
      '  <testsuite name="a" tests="1" failures="1" errors="0">',
      '    <testcase name="unknown-role (E-PARSE-HEADER) at 7:18" classname="a" file="a" line="7">',
      `      <failure type="error" message="${error}"></failure>`,
      '    </testcase>',
      '  </testsuite>',
      `  <testsuite name="${strange}" tests="1" failures="1" errors="0">`,
      `    <testcase name="text-between-messages at 7:18" classname="${strange}" file="${strange}" line="7">`,
      `      <failure type="warning" message="${warning}"></failure>`,
      '    </testcase>',
      '  </testsuite>',
      '</testsuites>',
      '',
    ]);
  });

  test('a file with more of them than are written says so', () => {
    const text = written('junit', Array.from({ length: 1234 }, (): Told => ['a', WARNING]));
    expect(text).toContain('tests="1000" failures="1000"');
    expect(text.split('<testcase ')).toHaveLength(1001);
    expect(text).toContain('<system-out>234 more are left out</system-out>');
  });

  test.runIf(hasCommand('python3'))('is XML to another reader', () => {
    const program = 'import sys, xml.etree.ElementTree as t; r = t.fromstring(sys.stdin.buffer.read())\n'
      + 'print(len(r), [c.get("name") for c in r])';
    for (const [list, expected] of [[told, "2 ['a', '<&\">\\\\x01\\\\u202e']\n"], [[], '0 []\n']] as const) {
      const input = written('junit', list);
      const { stdout, stderr } = spawnSync('python3', ['-c', program], { encoding: 'utf8', input });
      expect([stdout, stderr]).toEqual([expected, '']);
    }
  });
});
