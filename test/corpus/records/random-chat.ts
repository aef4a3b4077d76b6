// Seeded random chat records as lines of JSON: mostly what people have, and everything odd that one may hold.
import type { Random } from '../../random.ts';
import { randomOther } from './random-forms.ts';
import { randomWritten } from './random-written.ts';

export const TEXTS = [
  'Hello', 'What is 2+2?', '', ' ', 'a "quoted" text', 'a\\b', 'line\nline\r\n\tend',
  'caf\u00e9 \u{1f600} \u4e2d\u6587', '\u0000\u001f\u007f',
  'a < b', 'ends with <', '<|end|>', '<<|end|>', '<|start|>user<|message|>x', '<|literal|>', 'x <|start_reason|> y',
  '/', '\u2028',
  'namespace functions { type f = (_: {}) => any; }',
  '# Tools\n\nnamespace functions {\n\n// F\ntype get_weather = (_: {\ncity: string,\n}) => any;\n\n}',
  '{"name": "get_weather", "parameters": {"type": "object"}}', 'see {this}', '\ud83d', '\udc00\ud83d', 'x'.repeat(300),
  '\ufeff', '<think>\nHm.\n</think>\n\nYes.', ' \n<think>a', 'a</think>b', 'a <think> b', '<think',
  '<think>a/</think>\u4e2d', '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>', 'in <tool_call> a line',
  'x\n<tool_call>{"name":"get_weather","arguments":{"city":"\u4e2d"}}</tool_call>\n<tool_call>{"bad"</tool_call>',
  '<tool_response>\nok\n</tool_response>', 'a <tool_response>1</tool_response><tool_response>2</tool_response> b',
  '<tools>{"name": "f", "parameters": {"type": "object"}}</tools>', '<tools>', '<tool_', '<tool_response>',
  '<tool_response>{"name": "f", "content": "<\\n\\u00e9"}</tool_response>',
];
export const NAMES = [
  'get_weather', 'search', 'f', 'a.b', 'x-y', 'functions.f', 'browser.search', 'python', 'browser', '', 'two words',
  'caf\u00e9', 'a=b', '"', '<|end|>', 'containers', 'n'.repeat(90), 'n'.repeat(300),
];
export const IDS = [
  'call_1', 'call_2', 'call_3', 'c', 'abc-123', '', 'a b', 'x<', '\u00e9', 'i'.repeat(120), '"', '\\',
];
const PEOPLE = ['eric', 'a=b', 'two words', '', '\u00e9', 'x<y', 'to=all'];
export const ARGUMENTS = [
  '{}', '{"city": "Paris"}', '{"city":"Paris","days":3}', ' {"city": "a\\"b"} ', '{"city": 1}', '{"unit": "c"}',
  '{"city": "x", "unit": "c"}',
  '{"city": "x", "unit": "k"}', '{"days": 1.5, "city": "x"}', '{"city": "x", "days": -2}', '{"city": "x", "days": 1e3}',
  '[1, 2]', '12', '"x"', 'null',
  '', '{', '{"a": }', '{"city": "x",}', '{"city": "x", "city": "y"}',
  '{"city": "x", "more": {"deep": [1, {"a": null}]}}', '{\n  "city": "x"\n}',
  '{"city": "x", "tags": ["a", "b"]}', '{"city": "x", "tags": [1]}', '{"city": "x", "tags": []}',
  '{"city": "x", "box": {"w": 1, "h": 2.5}}',
  '{"city": "x", "box": {"h": 2}}', '{"city": "x", "on": true}', '{"city": "x", "on": null}', '{"c\\u0069ty": "x"}',
  '{"deadline_ms": 5, "city": "x"}', '{"city": "x", "both": null}', '{"both": 1}', '{"nested": 1.5}',
  '{"nested": null}',
  '{"opt": null, "city": "x"}', '{"opt": "b"}', '{"opt": "c"}', '{"tri": null}', '{"tri": "a"}', '{"tri": "b"}',
  '{"parts": [{"w": null}, {}]}', '{"parts": "x"}', '{"parts": [1]}', '{"maybe": null}', '{"maybe": "x", "low": 1}',
  '{"city": "caf\u00e9"}', '{"city": "\\ud83d"}', '\u00a0{}', '{"city": "x"} x',
];

const FIELDS = {
  city: { type: 'string', description: 'Where' },
  days: { type: 'integer' },
  unit: { type: 'string', enum: ['c', 'f'] },
  tags: { type: 'array', items: { type: 'string' } },
  box: { type: 'object', properties: { w: { type: 'number' }, h: { type: 'number' } }, required: ['w'] },
  on: { type: 'boolean' },
} as const;
const ODD_FIELDS = {
  any: {}, both: { type: ['string', 'null'] }, old: { type: 'string', default: 'x' },
  low: { type: 'integer', minimum: 1 }, ref: { $ref: '#/$defs/a' },
  'with space': { type: 'string' }, mixed: { type: 'string', enum: ['a', 1] }, list: { type: 'array' },
  nested: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  opt: { anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }], default: null, title: 'Opt' },
  parts: { anyOf: [{ type: 'array', items: { type: 'object', properties: { w: { type: ['number', 'null'] } } } },
    { type: 'string', minLength: 1 }] }, tri: { type: ['string', 'null'], enum: ['a', null] },
  quoted: { type: 'string', enum: ['a"b', 'a\\b'] }, number: { type: 'number', enum: [1, 2] },
  closed: { type: 'object', properties: {}, additionalProperties: false },
  doc: { type: 'string', description: 'a\nb "c" \u2028 // d */ \u0000' }, text: true,
  day: { type: 'string', format: 'date', examples: ['2026-01-01', 1], $schema: 'x' },
  maybe: { type: 'string', nullable: true, default: null }, lost: { description: null, default: { a: [1, '}'] } },
  short: { type: 'string', minLength: 2, maxLength: 3 }, less: { type: 'string', minLength: -1 },
  whole: { type: 'number', minimum: 1.5, maximum: 1e3 }, top: { type: 'integer', maximum: 3 }, far: { minItems: '1' },
  items: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 }, odd: { type: 'dict' },
  either: { oneOf: [{ type: 'string', description: 'a' }, { const: 1 }] }, one: { const: 'x' },
  match: { type: 'string', pattern: '^a+$' }, bad: { type: 'string', pattern: '(' },
  map: { type: 'object', additionalProperties: { type: 'number' } },
  wild: { type: 'object', additionalProperties: { type: 'x' } },
  deep: { type: 'string', default: [[[[[[[[[[1]]]]]]]]]] }, unit: { enum: ['a'] }, keys: { properties: { a: {} } },
};

export function randomTools(random: Random): unknown {
  if (random.once(30)) return random.pick([
    null, [], '', 'x', {}, [null], [{}], [{ type: 'function' }], 12, '[]',
    [{ type: 'function', function: { name: 'a b' } }],
  ]);
  const names = random.once(8)
    ? [random.pick(NAMES), random.pick(NAMES)]
    : ['get_weather', 'search', 'f'].slice(0, 1 + random.below(3));
  const tools = names.map((name) => {
    const properties: Record<string, unknown> = {};
    for (const key of Object.keys(FIELDS) as (keyof typeof FIELDS)[]) {
      if (!random.once(3)) properties[key] = FIELDS[key];
    }
    if (random.once(4)) {
      const key = random.pick(Object.keys(ODD_FIELDS)) as keyof typeof ODD_FIELDS;
      properties[key] = ODD_FIELDS[key];
    }
    const required = Object.keys(properties).filter(() => random.once(3));
    if (random.once(20)) required.push('missing');
    if (random.once(3)) required.reverse();
    const parameters = {
      type: 'object',
      ...(random.once(5) && { required }),
      properties,
      ...(!random.once(4) && { required }),
      ...(random.once(9) && { additionalProperties: false }),
      ...(random.once(20) && random.pick<object>([
        { $defs: { a: {} } }, { type: 'dict' }, { type: undefined }, { type: ['object'] }, { minProperties: 1 },
        { anyOf: [{}] }, { oneOf: [{}] },
      ])),
    };
    const called = { name, ...(!random.once(5)
      && { description: random.pick(['Look it up', '', 'a\nb', 'x "y"', '}\n} // namespace functions', '\u2028']) }),
      ...(!random.once(9)
        && { parameters: random.once(20) ? random.pick([{}, null, 'x', '{}', { type: 'string' }])
          : random.once(9) ? JSON.stringify(parameters) : parameters }),
      ...(random.once(20) && { strict: true }) };
    if (random.once(8)) {
      const { parameters: input_schema, ...rest } = called;
      return { ...(random.once(3) && { type: random.pick(['custom', null, 'function', 'x']) }), ...rest, input_schema };
    }
    if (random.once(12)) {
      const { parameters: format, ...custom } = called;
      return random.once(3) ? { type: 'custom', ...custom, format } : { type: 'custom', custom };
    }
    const tool = random.once(8) ? { type: 'function', ...called } : { type: 'function', function: called };
    return random.once(20) ? JSON.stringify(tool) : tool;
  });
  return random.once(6) ? JSON.stringify(tools, null, random.once(3) ? 1 : 0) : tools;
}

const TAGGED = TEXTS.filter((text) => /<t|<\/t/.test(text));

/** A text as parts, cut anywhere. */
function cutText(random: Random, text: string): unknown[] {
  const cuts = [0, random.below(text.length + 1), random.below(text.length + 1), text.length].sort((a, b) => a - b);
  return cuts.slice(1).map((to, i) => {
    const piece = text.slice(cuts[i], to);
    return random.once(6) ? piece : { type: 'text', text: piece };
  });
}

export function content(random: Random): unknown {
  if (random.once(12)) return random.pick([null, undefined, 12, {}, true]);
  if (random.once(20)) return cutText(random, random.pick(TAGGED));
  if (random.once(9)) {
    return Array.from({ length: random.below(4) }, () => random.pick<unknown>([
      { type: 'text', text: random.pick(TEXTS) }, { text: 'x', type: 'text' }, { text: random.pick(TEXTS) }, 'plain',
      { type: 'image_url', image_url: { url: 'x' } }, { type: 'text' }, 12,
      { type: 'text', text: 'x', cache: 1 }, { type: 'input_audio', input_audio: { data: 'x' } }, { type: 'image_url' },
      { type: 'image', source: null, text: random.pick(TEXTS) }, { type: 'input_text', text: 'x' },
      { type: random.pick(['document', 'filter', 'input_', 'image-x', 'video'.padEnd(33, 'o'), 'tool_use']), x: [1] },
    ]));
  }
  return random.once(3) ? random.pick(TEXTS) : TEXTS[random.below(3)];
}

interface Call {
  readonly id: string | undefined;
  readonly name: string;
}

function call(random: Random, open: Call[]): unknown {
  const id = random.once(8) ? random.pick([...IDS, undefined, null]) : `call_${open.length}_${random.below(1000)}`;
  const name = random.once(6) ? random.pick(NAMES) : random.pick(['get_weather', 'search', 'f']);
  open.push({ id: id ?? undefined, name });
  const given: unknown = random.once(3) ? random.pick(ARGUMENTS) : '{"city": "Paris"}';
  const value = typeof given === 'string' && random.once(12) ? parsed(given) : given;
  const target = {
    name: random.once(60) ? 7 : name,
    arguments: random.once(60) ? undefined : value,
    ...(random.once(40) && { extra: 1 }),
  };
  if (random.once(30)) {
    const custom = { name, input: random.once(9) ? value : random.pick(TEXTS), ...(random.once(9) && { extra: 1 }) };
    return { ...(id !== undefined && { id }), type: 'custom', custom };
  }
  if (random.once(60)) return random.pick<unknown>([null, {}, { type: 'other' }, { id: 3, function: target }, 'x']);
  return {
    ...(id !== undefined && { id }),
    ...(!random.once(6) && { type: 'function' }),
    ...(random.once(20) && { index: 0 }),
    function: target,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function entry(random: Random, open: Call[]): unknown {
  if (random.once(80)) {
    return random.pick<unknown>([null, 1, 'x', [], {}, { content: 'x' }, { from: 'human', value: 'x' }]);
  }
  const kind = random.below(10);
  const name = random.once(20) ? { name: random.pick(PEOPLE) } : {};
  const extra = random.once(20) ? random.pick<object>([
    { weight: 1 }, { tool_calls: null }, { refusal: null }, { channel: 'final' }, { tool_call: 1 },
    { cache_control: { a: [1] } }, { refusal: 'No.' }, { text: 'x' },
  ]) : {};
  if (random.once(20)) {
    const calling = random.once(4) ? 'function_call' : 'tool_call';
    return { role: calling, content: random.once(9) ? content(random) : textCall(random), ...name, ...extra };
  }
  if (kind < 3) return { role: 'user', content: content(random), ...name, ...extra };
  if (kind === 3) return {
    role: random.pick(['system', 'developer', 'function', 'ipython', 'bot', 'tool_response', 'User', '', 5]),
    content: content(random),
    ...name,
    ...extra,
  };
  if (kind < 6) {
    const thought = random.once(4) ? { [random.pick(['thinking', 'reasoning', 'reasoning_content'])]: random.once(9)
      ? content(random)
      : random.pick(TEXTS) } : {};
    const again = random.once(30) ? { reasoning: 'other' } : {};
    return { role: 'assistant', content: content(random), ...thought, ...again, ...name, ...extra };
  }
  if (kind < 8) {
    const single = random.once(12);
    const calls = single ? { function_call: random.once(9) ? null : { name: 'f', arguments: '{}' } }
      : { tool_calls: Array.from({ length: random.once(20) ? 0 : 1 + random.below(3) }, () => call(random, open)) };
    if (single) open.push({ id: undefined, name: 'f' });
    return { role: 'assistant', content: random.once(3) ? content(random) : null, ...calls, ...name, ...extra };
  }
  const answered = open.length > 0 && !random.once(8)
    ? open.splice(random.once(4) ? random.below(open.length) : 0, 1)[0]!
    : { id: random.pick(IDS), name: random.pick(NAMES) };
  return {
    role: 'tool', ...(answered.id !== undefined && !random.once(20) && { tool_call_id: answered.id }),
    ...(random.once(2) && { name: answered.name }),
    content: content(random), ...extra,
  };
}

/** The value of a turn that calls. */
function textCall(random: Random): string {
  const name = random.once(9) ? random.pick(NAMES) : random.pick(['get_weather', 'search', 'f']);
  const given = random.once(3) ? random.pick(ARGUMENTS) : '{"city": "Paris"}';
  if (random.once(12)) return random.pick(['[]', 'x', '{}', `[{"name": "f", "arguments": ${given}}]`]);
  const members = [`"name":${random.pick(['', ' ', '\n '])}${JSON.stringify(name)}`, `"arguments": ${given}`];
  if (random.once(20)) members.push(random.pick(['"id": 1', '"name": "f"', '"x": {}']));
  if (random.once(20)) members.reverse();
  const [before, between] = [random.pick(['', '', ' ', '\u000b']), random.pick([', ', ',', ',\n'])];
  return `${before}{${members.join(between)}}${random.once(20) ? ' ' : ''}`;
}

/** A turn of ShareGPT. */
function turn(random: Random): unknown {
  if (random.once(60)) return random.pick<unknown>([
    null, {}, { from: 'human' }, { role: 'user', content: 'x' }, { from: 'human', value: null },
  ]);
  const from = random.once(20)
    ? random.pick<unknown>([
      'system', 'human_1', 'tool', 'developer', 'function', 'bot', 'tool_call', 'tool_response', 7, '',
    ])
    : random.pick(['human', 'gpt', 'user', 'assistant', 'chatgpt']);
  if (random.once(9)) return { from: 'function_call', value: textCall(random) };
  const value = random.pick(TEXTS);
  if (random.once(9)) return { from: 'observation', value };
  const joined = random.once(30) && { role: null, ...(random.once(2) && { content: null }) };
  const said = { from, value, ...(random.once(20) && { weight: 1 }), ...(random.once(60) && { role: 'user' }) };
  return random.once(2) ? { ...joined, ...said } : { ...said, ...joined };
}

function shareGpt(random: Random): unknown {
  const turns = Array.from({ length: random.below(6) }, () => turn(random));
  const members: [string, unknown][] = [[random.once(20) ? 'messages' : 'conversations', turns]];
  if (random.once(6)) members.push(['system', random.pick<unknown>(['', null, 'Be brief.', 3])]);
  if (random.once(4)) members.push(['tools', randomTools(random)]);
  if (random.once(3)) members.push(['id', random.pick<unknown>(['a', 7, null])]);
  if (random.once(20)) members.push(['messages', random.pick<unknown>([null, [], [{ role: 'user', content: 'x' }]])]);
  return Object.fromEntries(shuffled(random, members));
}

/** A record as a value. */
export function randomRecord(random: Random): unknown {
  const record = usualRecord(random);
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return record;
  if (random.once(30)) return withFunctions(random, record);
  return random.once(12) ? withConversation(random, record) : record;
}

/** The same with definitions as OpenAI had them first, also beside others. */
function withFunctions(random: Random, record: object): object {
  const tools = randomTools(random);
  const functions = random.once(3) || !Array.isArray(tools) ? tools
    : (tools as ({ function?: unknown } | null)[]).map((tool) => tool?.function ?? tool);
  return Object.fromEntries(shuffled(random, [...Object.entries(record), ['functions', functions]]));
}

/** The same with its list under another name, or with another member of that name. */
function withConversation(random: Random, record: object): object {
  const members = Object.entries(record) as [string, unknown][];
  const list = members.find(([name]) => name === 'messages' || name === 'conversations');
  if (list !== undefined && !random.once(4)) list[0] = 'conversation';
  else members.push(['conversation', random.pick<unknown>([
    'x', null, [], {}, [[]], ['x'], [{}], [{ role: 1 }], [{ from: 'human', value: 'x' }],
    [{ role: 'user', content: 'x' }], [{ role: 'assistant', tool_calls: [] }], [{ input: 'x', output: 'y' }],
  ])]);
  return Object.fromEntries(random.once(3) ? shuffled(random, members) : members);
}

function usualRecord(random: Random): unknown {
  if (random.once(6)) return randomWritten(random);
  if (random.once(5)) return shareGpt(random);
  if (random.once(3)) return randomOther(random);
  if (random.once(60)) return random.pick<unknown>([
    null, 12, 'x', [], {}, [{ role: 'user', content: 'x' }], { text: 'x' }, { messages: {} },
    { messages: null, text: 'x' },
  ]);
  const open: Call[] = [];
  const messages: unknown[] = [];
  if (random.once(2)) messages.push({ role: 'system', content: random.once(3) ? random.pick(TEXTS) : 'Be brief.' });
  if (random.once(12)) messages.push({ role: 'developer', content: random.pick(TEXTS) });
  const count = random.below(8);
  for (let i = 0; i < count; i++) messages.push(entry(random, open));
  // Most conversations are whole.
  if (!random.once(3)) for (const { id, name } of open.splice(0)) messages.push({
    role: 'tool', ...(id !== undefined && { tool_call_id: id }), ...(random.once(2) && { name }), content: 'done',
  });
  const members: [string, unknown][] = [['messages', messages]];
  if (random.once(2)) members.push(['tools', randomTools(random)]);
  if (random.once(3)) members.push(['id', random.pick<unknown>(['a', 7, null])]);
  if (random.once(20)) members.push(random.pick<[string, unknown]>([
    ['version', '2.2'], ['version', 3], ['text', 'x'], ['conversations', []], ['prompt', 'x'],
    ['metadata', { a: [1, { b: null }] }],
  ]));
  return Object.fromEntries(shuffled(random, members));
}

export function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const rest = [...items];
  return items.map(() => rest.splice(random.below(rest.length), 1)[0]!);
}

/** JSON of a value as one of many writers has it: blanks, escapes, orders of members, members that stand twice. */
export function randomText(random: Random, value: unknown): string {
  const style = random.below(4);
  const gap = style === 0 ? '' : style === 1 ? ' ' : random.pick(['', ' ', '  ', '\t', '\r']);
  const isWild = random.once(4);
  const escapes = random.once(5) ? 2 : random.once(3) ? 20 : 0;
  const text = (given: string): string => {
    let out = '';
    for (let i = 0; i < given.length; i++) {
      const unit = given.charCodeAt(i);
      const isLone = unit >= 0xd800 && unit < 0xe000 && !/^[\ud800-\udbff][\udc00-\udfff]$/.test(
        given.slice(unit < 0xdc00 ? i : i - 1, unit < 0xdc00 ? i + 2 : i + 1),
      );
      const code = `\\u${unit.toString(16).padStart(4, '0')}`;
      if (isLone || (escapes > 0 && random.once(escapes))) out += unit === 0x2f && random.once(2) ? '\\/'
        : random.once(2) ? code
        : code.toUpperCase().replace('\\U', '\\u');
      else out += unit === 0x2f && random.once(9)
        ? '\\/'
        : JSON.stringify(given[i]).slice(1, -1).replace(/^\\u(d[89a-f]..)$/, given[i]!);
    }
    return `"${out}"`;
  };
  const write = (given: unknown): string => {
    if (typeof given === 'string') return text(given);
    if (Array.isArray(given)) return `[${gap}${given.map(write).join(`${gap},${gap}`)}${gap}]`;
    if (typeof given !== 'object' || given === null) return JSON.stringify(given) ?? 'null';
    let members = Object.entries(given).filter(([, inner]) => inner !== undefined);
    if (isWild && random.once(3)) members = shuffled(random, members);
    if (random.once(60) && members.length > 0) members.push(random.pick(members));
    return `{${gap}${members
      .map(([key, inner]) => `${random.once(90) ? text(key) : JSON.stringify(key)}${gap}:${gap}${write(inner)}`)
      .join(`${gap},${gap}`)}${gap}}`;
  };
  return write(value);
}

/** A few of its bytes are others, gone, or there twice. */
export function mutated(random: Random, bytes: Uint8Array): Buffer {
  let copy = Buffer.from(bytes);
  for (let times = 1 + random.below(2); times > 0 && copy.length > 0; times--) {
    const at = random.below(copy.length);
    const kind = random.below(5);
    if (kind === 0) copy = Buffer.concat([copy.subarray(0, at), copy.subarray(at + 1)]);
    else if (kind === 1) copy = Buffer.concat([
      copy.subarray(0, at),
      Buffer.from(
        random.pick(['"', '\\', '{', '}', '[', ']', ',', ':', '0', 'e', ' ', '\x01', '\\u12', 'null', '\xff']),
      ),
      copy.subarray(at),
    ]);
    else if (kind === 2) copy = copy.subarray(0, at);
    else copy[at] = random.pick([0x22, 0x5c, 0x7b, 0x7d, 0x2c, 0x3a, 0x20, 0x30, 0x65, 0x80, 0xff, 0x00, 0x1f]);
  }
  return copy.filter((byte) => byte !== 0x0a) as Buffer;
}

/** A line of JSON Lines: mostly a record, now and then one that is broken, or a chat without a message. */
export function randomLine(random: Random): Buffer {
  if (random.once(12)) return Buffer.from(random.pick(EMPTY));
  const line = Buffer.from(randomText(random, randomRecord(random)), 'utf8');
  return random.once(20) ? mutated(random, line) : line;
}

const EMPTY = [
  '{"messages":[]}', '{"id":3,"conversations":[]}', '{"messages":[],"tools":[]}', '{"x":[1],"messages":[]}',
] as const;
