// What documents ask of who writes a transcript (R-CONFORM), and warnings that are errors. fixtures/cases/conform holds
// the cases for people to read.
import { describe, expect, test } from 'vitest';
import { check } from '../../src/tools.ts';
import { brokenBy, CONFORM_RULES } from '../conform.ts';
import { readFixtures } from '../fixture.ts';

test('the examples of the documents, and the fixtures that they suggest, break nothing', () => {
  const pages = readFixtures().filter(({ name }) => /^(?:examples|suggested)\//.test(name));
  expect(pages.length).toBeGreaterThan(20);
  for (const { name, input, options } of pages) expect([name, ...brokenBy(input, options)]).toEqual([name]);
});

test('every rule is a warning, and a page of fixtures breaks it', () => {
  const pages = readFixtures().filter(({ name }) => name.startsWith('conform/'));
  const broken = pages.flatMap(({ diagnostics }) => diagnostics.filter(({ rule }) => CONFORM_RULES.has(rule)));
  expect([...new Set(broken.map(({ rule }) => rule))].sort()).toEqual([...CONFORM_RULES].sort());
  expect(new Set(broken.map(({ severity }) => severity))).toEqual(new Set(['warning']));
});

test('what the capabilities leave out is told in full', () => {
  const told = (header: string): string[] =>
    check(`version: 2.2\ncapabilities:\n  roles: [user]\n  channels: [final]\n${header}<|message|>x<|end|>`)
      .flatMap(({ rule, message }) => (rule === 'undeclared' ? [message] : []));
  expect(told('<|start|>assistant<|channel|>analysis')).toEqual([expect.stringMatching(/: the role and the channel$/)]);
  expect(told('<|start|>assistant')).toEqual([expect.stringMatching(/: the role$/)]);
  expect(told('<|start|>user<|channel|>analysis')).toEqual([expect.stringMatching(/: the channel$/)]);
  expect(told('<|start|>user')).toEqual([]);
});

test('a tool that names the deadline itself', () => {
  const tool = (property: string): string => '<|start|>developer<|message|># Tools\n\n## functions\n\n'
    + `namespace functions {\n\ntype f = (_: {\n  ${property}: string,\n}) => any;\n\n} // namespace functions`
    + '<|end|>\n';
  const call = '<|start|>assistant to=functions.f call_id=c1<|channel|>commentary<|message|>'
    + '{"deadline_ms":"soon","city":"Oslo"}<|call|>\n';
  const broken = (property: string): string[] => brokenBy(`version: 2.2\n---\n${tool(property)}${call}`);
  expect(broken('deadline_ms')).toEqual([]);
  expect(broken('city')).toEqual([expect.stringMatching(/^bad-deadline at/)]);
});

describe('definitions of 0.1 that are no functions', () => {
  const text = (list: string): string => `<|im_start|>system\n${list}<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n`;
  const own = '{"name":"f","parameters":{"type":"object"}}';
  const said = '{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}';
  const other = '{"type":"retrieval"}';

  test.each<[list: string, count: number]>([
    [`<|function_list|>${own}`, 0], [`<|function_list|>${said}`, 0], [`<|function_list|>${other}`, 1],
    [`<|function_list|>[${said},${other},${other}]`, 1], [`<|function_list|>${said}\n${other}`, 1],
    [`<tools>\n${other}\n</tools>`, 1], [`<tools>\n${said}\n</tools>`, 0], [other, 0],
    [`<|start_reason|><|function_list|>${other}<|end_reason|>`, 0], [`<|function_list|>Take care. ${other}`, 0],
  ])('%s', (list, count) => {
    const of = (times: number): string[] => check(text(list).repeat(times), { dialect: 'openchatml-0.1' })
      .flatMap(({ rule, from }) => (rule === 'bad-call-object' ? [`${from}`] : []));
    expect(of(1)).toEqual(Array.from({ length: count }, () => '0'));
    // The same definitions again are not read again.
    expect(of(4).length).toBe(4 * count);
  });
});

describe('strict', () => {
  const text = '<|start|>user intent=plan<|message|>Hello<|end|>\nand more<|start|>user x=y<|message|>Hi<|end|>';

  test('warnings are errors, infos stay what they are', () => {
    const severities = (strict?: boolean): string[] => check(text, { strict }).map(({ severity, rule }) => {
      return `${severity} ${rule}`;
    });
    const soft = ['warning missing-header', 'warning unknown-intent', 'warning text-between-messages',
      'info unknown-attribute'];
    expect(severities()).toEqual(soft);
    expect(severities(false)).toEqual(soft);
    expect(severities(true)).toEqual(soft.map((line) => line.replace('warning', 'error')));
  });
});
