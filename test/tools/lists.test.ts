// Tool definitions as JSON: 0.1's function list (0.1 extended §8), lists in a developer message of 2.0 (§8.2), chat
// records; and which reader a message takes (R-TOOLS).
import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import type { ToolDefinition } from '../../src/model/data.ts';
import { readFunctionList, readToolList, writeFunctionList, writeToolList } from '../../src/tools/lists.ts';
import { type ToolMessage, toolsOf } from '../../src/tools/message.ts';
import { toolsFromOpenAI, toolsToOpenAI } from '../../src/tools/records.ts';
import { MOST_TEXT, MOST_TOOLS } from '../../src/tools/types.ts';

const STOCK: ToolDefinition = {
  namespace: 'functions',
  name: 'get_stock_fundamentals',
  description: 'Get fundamental data for a given stock symbol using yfinance API.',
  parameters: { type: 'object', properties: { symbol: { type: 'string' } }, required: ['symbol'] },
};
const NOW: ToolDefinition = { namespace: 'functions', name: 'now' };
const ONE = JSON.stringify(toolsToOpenAI([STOCK])[0]);
const PRETTY = JSON.stringify(toolsToOpenAI([STOCK])[0], null, 2);
const SCHEMA = '{\n  "title": "FunctionCall",\n  "type": "object",\n'
  + '  "properties": {"arguments": {"type": "object"}, "name": {"type": "string"}}\n}';

describe('the function list of 0.1', () => {
  const READ: [what: string, text: string, tools: ToolDefinition[], rest: string][] = [
    ['one object (0.1 extended §8.1)', `\n${PRETTY}\n`, [STOCK], '\n'],
    ['one object a line', `\n${ONE}\n${JSON.stringify(toolsToOpenAI([NOW])[0])}\n`, [STOCK, NOW], '\n'],
    ['objects without anything between, and with commas', `${ONE}${ONE} , ${ONE}`, [STOCK, STOCK, STOCK], ''],
    ['an array', `\n[${ONE},\n${PRETTY}]`, [STOCK, STOCK], ''],
    [
      'name and parameters alone', '{"name":"f","parameters":{}}',
      [{ namespace: 'functions', name: 'f', parameters: {} }], '',
    ],
    [
      'prose and a schema behind it (0.1 extended §8.5)', `\n${PRETTY}\n\nUse the following schema:\n${SCHEMA}`,
      [STOCK], `\n\nUse the following schema:\n${SCHEMA}`,
    ],
    ['a schema right behind it', `${ONE}\n${SCHEMA}`, [STOCK], `\n${SCHEMA}`],
    ['a call behind it', `${ONE}\n{"name":"f","arguments":{}}`, [STOCK], '\n{"name":"f","arguments":{}}'],
    [
      'a quotation of the token', '` tag. You may call one or more functions.', [],
      '` tag. You may call one or more functions.',
    ],
    ['nothing', '', [], ''],
    [
      'a string with braces', '{"name":"f","description":"} {\\" [","parameters":{}} x',
      [{ namespace: 'functions', name: 'f', description: '} {" [', parameters: {} }], ' x',
    ],
  ];
  test.each(READ)('%s', (_, text, tools, rest) => {
    const read = readFunctionList(text);
    expect(read).toMatchObject({ tools, problems: [], isClean: true });
    expect(text.slice(read.to)).toBe(rest);
  });

  test('is written one object a line', () => {
    expect(writeFunctionList([STOCK, NOW])).toBe(`${ONE}\n{"type":"function","function":{"name":"now"}}`);
    expect(writeFunctionList([])).toBe('');
  });

  const BAD: [reason: string, text: string, tools: number][] = [
    ['syntax', `${ONE}\n{"type": "function", "function": {`, 1],
    ['syntax', '{"name": "f", }', 0],
    ['syntax', `[${ONE}, {"x": 1}]`, 1],
    ['name', `${ONE}{"name":"a b","parameters":{}}`, 1],
    ['name', '{"type":"function","function":{"name":"a\\n<|end|>"}}', 0],
    ['field', '{"type":"function","function":{"name":"f","strict":true}}', 1],
    ['field', '{"type":"function","function":{"name":"f","description":1}}', 1],
    [
      'too-deep',
      `{"name":"f","parameters":${'['.repeat(200)}${']'.repeat(200)}}`
        .replace('"parameters":', '"parameters":{"x":')
        .concat('}'),
      0,
    ],
  ];
  test.each(BAD)('%s: %s', (reason, text, tools) => {
    const read = readFunctionList(text);
    expect(read.problems.map((problem) => problem.reason)).toEqual([reason]);
    expect(read.tools).toHaveLength(tools);
    expect(read.isClean).toBe(false);
  });

  test('bounds', () => {
    const many = readFunctionList(
      Array.from({ length: MOST_TOOLS + 1 }, () => '{"name":"f","parameters":{}}').join('\n'),
    );
    expect(many.tools).toHaveLength(MOST_TOOLS);
    expect(many.problems.map((problem) => problem.reason)).toEqual(['too-many']);
    expect(readFunctionList(`${ONE}${' '.repeat(MOST_TEXT)}`).problems)
      .toEqual([{ reason: 'too-long', from: 0, to: ONE.length + MOST_TEXT }]);
    for (const piece of ['{', '[', '{"a":', '{"name":"f","parameters":{', '\n{"']) {
      const text = piece.repeat(MOST_TEXT / piece.length);
      expect(readFunctionList(text).tools).toEqual([]);
      expect(readToolList(`"name"${text}`.slice(0, MOST_TEXT)).tools).toEqual([]);
    }
  });

  test('a property called __proto__ is one of its own', () => {
    const { tools } = readFunctionList(
      '{"name":"f","parameters":{"type":"object","properties":{"__proto__":{"type":"string"}}},"__proto__":{"x":1}}',
    );
    expect(JSON.stringify(tools)).toBe(
      '[{"namespace":"functions","name":"f","parameters":{"type":"object",'
        + '"properties":{"__proto__":{"type":"string"}}}}]',
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe('lists in a developer message (2.0 §8.2)', () => {
  const READ: [what: string, text: string, tools: ToolDefinition[], rest: string][] = [
    ['a bare array', `You have tools.\n\n[${ONE}]\n\nBe kind.`, [STOCK], 'You have tools.\n\n\n\nBe kind.'],
    [
      'a fenced array', `Tools:\n\`\`\`json\n${writeToolList([STOCK, NOW])}\n\`\`\`\nBe kind.`, [STOCK, NOW],
      'Tools:\n\nBe kind.',
    ],
    ['a fenced object', `\`\`\`\n${PRETTY}\n\`\`\``, [STOCK], ''],
    ['objects', `${ONE}\n${PRETTY}`, [STOCK, STOCK], ''],
    [
      'other JSON is passed over', `{"mode": "x"}\n[1, 2]\n${ONE}\n${SCHEMA}`, [STOCK],
      `{"mode": "x"}\n[1, 2]\n\n${SCHEMA}`,
    ],
    ['brackets in prose', `[note] use {x}\n  ${ONE}`, [STOCK], '[note] use {x}\n  '],
    ['none', 'Answer in JSON: {"name": "x"}', [], 'Answer in JSON: {"name": "x"}'],
  ];
  test.each(READ)('%s', (_, text, tools, rest) => {
    const read = readToolList(text);
    expect(read).toMatchObject({ tools, problems: [], isClean: true });
    expect(text.slice(0, read.from) + text.slice(read.to)).toBe(rest);
  });

  test('prose between two lists is told', () => {
    expect(readToolList(`${ONE}\nand\n${ONE}`)).toMatchObject({ tools: [STOCK, STOCK], isClean: false });
  });
});

describe('the tools of chat records', () => {
  const RECORD = [{ type: 'function', function: { name: 'f', description: 'F.', parameters: { type: 'object' } } }];

  test('are read as a list, as one, and as a string that holds either', () => {
    const tools = [{ namespace: 'functions', name: 'f', description: 'F.', parameters: { type: 'object' } }];
    for (const input of [RECORD, RECORD[0], JSON.stringify(RECORD), JSON.stringify(RECORD[0])]) {
      expect(toolsFromOpenAI(input)).toEqual({ tools, problems: [] });
    }
    for (const nothing of [undefined, null, '', [], '[]']) {
      expect(toolsFromOpenAI(nothing)).toEqual({ tools: [], problems: [] });
    }
  });

  test('keep the order of keys, and what is absent stays absent', () => {
    expect(JSON.stringify(toolsToOpenAI([STOCK])))
      .toMatch(/^\[\{"type":"function","function":\{"name":"[a-z_]+","description":"[^"]+","parameters":\{/);
    expect(JSON.stringify(toolsToOpenAI([NOW]))).toBe('[{"type":"function","function":{"name":"now"}}]');
    expect(JSON.stringify(toolsToOpenAI([{ namespace: 'browser', name: 'open' }])))
      .toBe('[{"type":"function","function":{"name":"browser.open"}}]');
  });

  const BAD: [reason: string, input: unknown][] = [
    ['syntax', 'not JSON'], ['syntax', 5], ['syntax', [null]], ['syntax', [{}]], ['syntax', [{ function: {} }]],
    ['syntax', [{ type: 'web_search' }]],
    ['syntax', [{ type: 'function', function: { name: 5 } }]], ['name', [{ type: 'function', function: { name: '' } }]],
    ['field', [{ type: 'function', function: { name: 'f', parameters: 'x' } }]],
    ['field', [{ ...RECORD[0], strict: true }]],
    ['too-long', ' '.repeat(MOST_TEXT + 1)],
  ];
  test.each(BAD)('%s: %j', (reason, input) => {
    const { tools, problems } = toolsFromOpenAI(input);
    expect(problems).toEqual([{ reason, from: 0, to: 1 }]);
    expect(tools).toHaveLength(reason === 'field' ? 1 : 0);
  });
});

describe('a message', () => {
  const names = (message: ToolMessage): string[] => toolsOf(message).tools.map((tool) => tool.name);
  const DECLARED = 'namespace functions {\ntype now = () => any;\n}';

  test('is read by dialect and role', () => {
    const content = `${DECLARED}\n${ONE}`;
    for (const dialectId of ['openchatml-2.2', 'openchatml-2.0', 'harmony'] as const) {
      expect(names({ role: 'developer', content, dialectId })).toEqual(['now', 'get_stock_fundamentals']);
      expect(names({ role: 'system', content, dialectId })).toEqual(['now']);
      for (const role of ['user', 'assistant', 'tool', null]) expect(names({ role, content, dialectId })).toEqual([]);
    }
    expect(names({ role: 'system', content, dialectId: 'openchatml-0.1' })).toEqual([]);
  });

  test('0.1 extended §8.5: the token quoted in the instructions begins no list', () => {
    const document = `You are provided with function signatures after the \`<|function_list|>\` tag. Here are the tools:
<|function_list|>
${PRETTY}

Use the following pydantic model json schema for each tool call you will make:
${SCHEMA}`;
    expect(toolsOf({ role: 'system', content: document, dialectId: 'openchatml-0.1' }))
      .toEqual({ tools: [STOCK], problems: [] });
  });

  test('a thought block of 0.1 defines nothing', () => {
    const list = `<|function_list|>${ONE}`;
    const read = (content: string): number =>
      toolsOf({ role: 'system', content, dialectId: 'openchatml-0.1' }).tools.length;
    expect(read(`<|start_reason|>${list}<|end_reason|>`)).toBe(0);
    expect(read(`<|start_reason|>${list}<|start_reason|><|end_reason|>${list}<|end_reason|>${list}`)).toBe(1);
    expect(read(`<|start_reason|><|end_reflect|>${list}`)).toBe(0);
    expect(read(`<|end_reason|>${list}<|start_reflect|>x<|end_reflect|>${list}`)).toBe(2);
    expect(read(list.replace('Get', '<|start_reason|>'))).toBe(1);
  });

  test('problems stand where they are in the content', () => {
    const content = `Tools:<|function_list|>\n{"name": }`;
    const { problems } = toolsOf({ role: 'system', content, dialectId: 'openchatml-0.1' });
    expect(problems.map(({ from, to }) => content.slice(from, to))).toEqual(['{"name": }']);
    expect(toolsOf({ role: 'system', content: '<|function_list|>{'.repeat(50_000), dialectId: 'openchatml-0.1' }).tools)
      .toEqual([]);
  });

  test('the recorded definitions are the same in both notations', () => {
    const text = readFileSync(new URL('../../fixtures/tools/weather.json', import.meta.url), 'utf8');
    const written = readFileSync(new URL('../../fixtures/tools/weather.harmony.txt', import.meta.url), 'utf8');
    const { tools } = toolsFromOpenAI(text);
    expect(tools).toHaveLength(1);
    expect(toolsOf({ role: 'developer', content: written, dialectId: 'harmony' }).tools).toEqual(tools);
  });
});
