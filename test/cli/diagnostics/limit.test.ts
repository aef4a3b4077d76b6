// How many diagnostics are told: the bounds, what a terminal gets, and counts that stay exact.
import { expect, test } from 'vitest';
import { type Diagnostic, RULES } from '../../../src/errors.ts';
import { Output } from '../../../src/cli/output.ts';
import { colorsFor } from '../../../src/cli/print.ts';
import { type Report, REPORT_FORMATS, type ReportFormat, type Summary } from '../../../src/cli/diagnostics/report.ts';
import { LimitedReport } from '../../../src/cli/diagnostics/limit.ts';
import { makeReport } from '../../../src/cli/diagnostics/format.ts';
import { inputFrom } from './report.ts';

const INPUT = inputFrom(0, '<|start|>user<|message|>Hi');
const SUMMARY: Summary = {
  schema: 'openchatml/check/1', files: 3, errors: 0, warnings: 300, infos: 0, rules: { 'text-between-messages': 300 },
};

function diagnosticAt(from: number): Diagnostic {
  const rule = 'text-between-messages';
  return { code: null, rule, severity: 'warning', from, to: from + 1, transcript: 0, message: RULES[rule].text };
}

/** A report that takes down what it is told. */
function listener(words: string | null): { told: string[]; report: Report } {
  const told: string[] = [];
  return { told, report: { diagnostic: (path, { from }) => void told.push(`${path}${from}`), end: () => words } };
}

test('so many of a file, so many in all; the rest is counted', () => {
  const { told, report } = listener('words');
  const limited = new LimitedReport(report, { perFile: 2, inAll: 5 });
  for (const path of ['a', 'b', 'c', 'd']) {
    for (let i = 0; i < 3; i++) limited.diagnostic(path, diagnosticAt(i), { line: 1, column: 1 }, null);
  }
  expect(told).toEqual(['a0', 'a1', 'b0', 'b1', 'c0']);
  expect(limited.end(SUMMARY, true)).toBe('7 more; --max-diagnostics none reports them\nwords');
});

test('who asks first need not find the place', () => {
  const { told, report } = listener(null);
  const limited = new LimitedReport(report, { perFile: 1, inAll: 9 });
  expect(limited.wants('a')).toBe(true);
  limited.diagnostic('a', diagnosticAt(0), { line: 1, column: 1 }, null);
  expect([limited.wants('a'), limited.wants('b')]).toEqual([false, true]);
  for (let i = 0; i < 1234; i++) limited.leave();
  expect(told).toEqual(['a0']);
  expect(limited.end(SUMMARY, true)).toBe('1,234 more; --max-diagnostics none reports them');
});

test('nothing is said when nothing was left out', () => {
  const limited = new LimitedReport(listener('words').report, { perFile: 1, inAll: 1 });
  limited.diagnostic('a', diagnosticAt(0), { line: 1, column: 1 }, null);
  expect(limited.end(SUMMARY, true)).toBe('words');
  expect(new LimitedReport(listener(null).report, { perFile: 0, inAll: 0 }).end(SUMMARY, true)).toBeNull();
});

/** Three files with a hundred diagnostics each; answers with how many were told, and the words. */
function hundreds(format: ReportFormat, isTTY: boolean, maxDiagnostics?: number): [number, string | null] {
  let text = '';
  const out = new Output({ isTTY, write: (piece) => void (text += piece) });
  const colors = colorsFor('never', false, {});
  const schema = 'openchatml/check/1';
  const report = makeReport({ format, maxDiagnostics, schema, out, colors, isTTY, version: '1' });
  for (const path of ['a', 'b', 'c']) {
    for (let i = 0; i < 100; i++) report.diagnostic(path, diagnosticAt(i % 20), { line: 1, column: 1 }, INPUT);
  }
  const words = report.end(SUMMARY, true);
  out.flush();
  return [text.split(`${RULES['text-between-messages'].text}`).length - 1, words];
}

/** What is in the text besides: SARIF describes the rule twice, GitHub writes fifty of a kind. */
const DESCRIBED: Partial<Record<ReportFormat, number>> = { sarif: 2 };
const MOST: Partial<Record<ReportFormat, number>> = { github: 50 };

test.each(REPORT_FORMATS)('%s: all of them, or as many as were asked for', (format) => {
  const described = DESCRIBED[format] ?? 0;
  const most = MOST[format] ?? 300;
  expect(hundreds(format, false)[0]).toBe(most + described);
  expect(hundreds(format, false, Infinity)[0]).toBe(most + described);
  expect(hundreds(format, true, Infinity)[0]).toBe(most + described);
  for (const asked of [0, 1, 40]) {
    const [count, words] = hundreds(format, false, asked);
    expect(count).toBe(asked + described);
    const left = 300 - asked;
    const said = format === 'sarif' ? `${left} results are left out.* at most ${asked} and 9 MB` : `^${left} more; `;
    expect(words).toMatch(new RegExp(said));
  }
});

test('a terminal gets 20 of a file in the forms for people, and all of the others', () => {
  for (const format of REPORT_FORMATS) {
    const isForPeople = format === 'pretty' || format === 'concise';
    expect(hundreds(format, true)[0]).toBe(isForPeople ? 60 : (MOST[format] ?? 300) + (DESCRIBED[format] ?? 0));
  }
  const [, words] = hundreds('concise', true);
  expect(words).toBe('240 more; --max-diagnostics none reports them\n0 errors, 300 warnings in 3 files');
});
