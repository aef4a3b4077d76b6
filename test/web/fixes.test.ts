// Fixes of the page where the bytes make it hard: the place is right, or there is no fix.
import { expect, test } from 'vitest';
import type { RuleName } from '../../src/index.ts';
import { analyse, AUTOMATIC } from '../../src/web/analysis.ts';
import { edited } from '../../src/web/bytes.ts';
import { fixOf } from '../../src/web/fixes.ts';
import { FULL } from '../../src/web/full-checks.ts';
import { TextMap } from '../../src/web/text-map.ts';

const HEAD = 'version: 2.2\n---\n';
const HEAD_2_0 = 'version: 2.0\n---\n';
const NEXT = '<|start|>assistant<|channel|>final<|message|>x<|end|>';

/** Text with its first finding of a rule mended; null: there is no fix. */
function mended(text: string, rule: RuleName): string | null {
  const bytes = Buffer.from(text);
  const found = analyse(bytes, AUTOMATIC, FULL);
  const finding = found.findings.find((one) => one.rule === rule);
  expect(finding, rule).toBeDefined();
  const fix = fixOf(finding!, found, new TextMap(bytes));
  if (fix === null) return null;
  return Buffer.from(edited(bytes, fix.edits)).toString();
}

test.each<[what: string, rule: RuleName, before: string, after: string]>([
  ['a body that begins with U+FEFF', 'truncated', `${HEAD}<|start|>user<|message|>\ufeffHello`, '<|end|>'],
  ['letters of several bytes', 'missing-end', `${HEAD}<|start|>user<|message|>Zoë \u{1f600}`, `<|end|>${NEXT}`],
  ['white space that is none of the format', 'missing-end', `${HEAD}<|start|>user<|message|>a\u00a0\u3000\u2028`,
    `<|end|> \t\r\n${NEXT}`],
  ['a name with U+00A0', 'reply-recipient', `${HEAD_2_0}<|start|>name=a\u00a0b`,
    ' to=assistant tool<|channel|>commentary<|message|>x<|end|>'],
  ['a name with a "<"', 'reply-recipient', `${HEAD_2_0}<|start|>name=a<b`, ' to=assistant tool<|message|>x<|end|>'],
])('%s: the fix of %s is in its place', (_, rule, before, after) => {
  const added = /^(?:<\|end\|>| to=assistant)/.exec(after)![0];
  expect(mended(before + after.slice(added.length), rule)).toBe(before + after);
});

test('a header goes behind a byte order mark', () => {
  expect(mended('\ufeff<|start|>user<|message|>Hi<|end|>', 'missing-header'))
    .toBe(`\ufeff${HEAD}<|start|>user<|message|>Hi<|end|>`);
});

test('what is no UTF-8 has no fix', () => {
  const bytes = Buffer.from(`${HEAD}<|start|>user<|message|>a\xff\xffb${NEXT}`, 'latin1');
  const found = analyse(bytes, AUTOMATIC, FULL);
  expect(found.findings.map((finding) => fixOf(finding, found, new TextMap(bytes)))).toEqual([null, null, null]);
});

test('a token is escaped only where the dialect has an escape', () => {
  const body = '<|start|>user<|message|>a <|channel|> b<|end|>';
  expect(mended(HEAD + body, 'stray-token')).toBe(HEAD + body.replace('<|ch', '<<|ch'));
  expect(mended(HEAD_2_0 + body, 'stray-token')).toBeNull();
});

test('a terminator is not put behind a "<" that would escape it', () => {
  for (const body of ['a <', 'a < \n']) {
    expect(mended(`${HEAD}<|start|>user<|message|>${body}`, 'truncated')).toBeNull();
    expect(mended(`${HEAD_2_0}<|start|>user<|message|>${body}`, 'truncated')).toContain('a <<|end|>');
  }
});
