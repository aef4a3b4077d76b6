// Seeded random transcripts that are about meaning: calls and replies whose ids and names fit or not, function tokens
// of 0.1, ambiguous headers, typed bodies, markers in shown text, several transcripts in one input.
import type { Random } from './random.ts';
import { randomInput } from './random.ts';

const HEADERS = [
  'version: 2.2\n', 'version: 2.2\n', '---\nversion: 2.2\n---\n', 'version: 2.0\n', 'version: 2.1\n', 'version: 2.9\n',
  'version: 1.0\n', 'version: 1\n', 'version: 1.2\nmodel: x\n', 'version: 1.2.3\n', 'version: 3.0\n', 'version:\n',
  '---\nmodel: x\n---\n',
  'version: 2.2\nprofiles:\n  harmony:\n    enabled: true\n    require_channels: ["final"]\n',
  'version: 2.2\nprofiles:\n  harmony:\n    enabled: true\n    tool_calls_in: analysis\n'
    + '    builtins_in: ["final","analysis"]\n',
  'version: 2.2\ngeneration_settings:\n  builtin_tools: ["g","browser"]\n  temperature: warm\n'
    + '  reasoning_effort: max\n',
  'version: 2.2\ngeneration_settings: {temperature: 1, reasoning_effort: low, builtin_tools: browser}\n',
  'version: 2.2\ncapabilities: {roles: [assistant, functions.*], channels: [analysis, commentary]}\n',
  'version: 2.0\ncapabilities:\n  roles: ["assistant", "tool", 7]\n  channels: none\n',
];
const RECIPIENTS = [
  'functions.f', 'functions.f', 'functions.g', 'f', 'g', 'python', 'browser', 'browser.search', 'browser.', 'container',
  'container.exec', 'functions.browser', 'functions.', 'functions.functions.f', 'Python', 'python.run',
  'functions.python', 'user', 'all', 'assistant',
];
const NAMES = [
  'functions.f', 'functions.f', 'f', 'functions.g', 'g', 'python', 'browser', 'browser.search', 'functions.',
  'functions.functions.f',
];
const IDS = ['c1', 'c1', 'c2', 'c3', '', '\u00e9'];
const CHANNELS = ['commentary', 'commentary', 'commentary', 'analysis', 'final', 'other', ''];
const INTENTS = ['preamble', 'debug', 'status'];
const TYPES = ['json', 'json', 'json', 'text', 'markdown', 'yaml', 'JSON', 'application/json'];
const ODD_WORDS = [
  'to=', 'name=', 'intent=', 'x=y', 'content_type=', 'intent=debug intent=preamble', 'user', 'final', 'assistant',
];
const THOUGHTS = ['reflect', 'introspect', 'reason'];
const ESCAPED = ['<|end|>', '<|literal|>', '<|start_reason|>', '<|end_reason|>', '<|endliteral|>'];
const STRAY = [
  '<|channel|>analysis', '<|channel|>commentary<|message|>', '<|channel|>', '<|message|>', '<|endliteral|>',
  '<|constrain|>', '<|reason|>', '<|function_call|>',
];
const GOOD_JSON = [
  '{}', '{"a":1}', '[1, -2.5e3, "\\u00e9"]', ' null\n', '"x"', '0', '{"a":{"b":[true,false]},"a":""}', '"<<|end|>"',
  '{"deadline_ms":5}', '{"deadline_ms":0}', '{"a":1,"deadline\\u005fms":"5"}',
  '{"tool_calls":[]}', '{"tool_call":1,"a_c":2}',
];
const BAD_JSON = [
  '', ' ', '{', '{"a":1', '{"a" 1}', '[1,]', '01', '+1', '.5', '1.', '"\\x"', "'a'", '{} {}', 'nul', '\ufeff{}', '"\t"',
  'NaN', '"a\u0000"',
];
const NESTED = [1023, 1024, 1025];
const ENDS = [
  '<|end|>', '<|end|>', '<|end|>\n', '<|return|>', '<|call|>', '<|call|>', '<|call|><|end|>', '', '<|end|>stray',
];
const BOUNDS = ['<s>', '</s>', '[BOS]', '[EOS]', '</s>\n<s>', '<|file_separator|>'];

const NAMED = ['x\n# Valid channels: a', '# Valid channels:', 'x # Valid channels:', 'x\n\n# Valid channels:\ny']
  .map((content) => `<|start|>system<|message|>${content}<|end|>`);

type Values = Readonly<Record<string, readonly string[]>>;

const thoughtToken = (random: Random): string => {
  return `<|${random.pick(['start', 'start', 'end'])}_${random.pick(THOUGHTS)}|>`;
};

function json(random: Random): string {
  if (random.once(150)) {
    const depth = random.pick(NESTED);
    return `${'['.repeat(depth)}${random.pick(['', '1'])}${']'.repeat(depth)}`;
  }
  return random.pick(random.once(3) ? BAD_JSON : GOOD_JSON);
}

const literalEnd = (random: Random): string => random.pick(['<|endliteral|>', '<|endliteral|>', '']);

/** Text with markers, escapes and literal blocks in it. */
function text(random: Random): string {
  let made = '';
  for (let left = random.below(7); left > 0; left--) {
    switch (random.below(8)) {
      case 0: case 1: case 2: made += thoughtToken(random); break;
      case 3:
        made += `<|literal|>${thoughtToken(random)}${random.pick(['', '<|end|>', '<'])}${literalEnd(random)}`;
        break;
      case 4: made += `<${random.pick(ESCAPED)}`; break;
      case 5: made += random.pick(STRAY); break;
      default: made += random.pick(['a', ' ', '\n', 'b c', '{}']);
    }
  }
  return made;
}

function body(random: Random): string {
  const value = json(random);
  switch (random.below(7)) {
    case 3:
      return random.pick(['<think>', '\n<think>', '']) + text(random) + random.pick(['</think>\n\n', '']) + value;
    case 0: return text(random);
    case 1: return `<|literal|>${value}<|endliteral|>`;
    case 2: return `${value.slice(0, 1)}<|literal|>${value.slice(1)}${literalEnd(random)}`;
    default: return value;
  }
}

/** Attributes of one message, each now and then twice: with one value or with two. */
function attributes(random: Random, own: Values): string[] {
  const words: string[] = [];
  for (const [key, values] of Object.entries(own)) {
    const word = `${key}=${random.pick(values)}`;
    words.push(word);
    if (random.once(14)) words.push(random.once(3) ? word : `${key}=${random.pick(values)}`);
  }
  if (random.once(8)) words.push(`intent=${random.pick(INTENTS)}`);
  if (random.once(10)) words.push(`content_type=${random.pick(TYPES)}`);
  if (random.once(40)) words.push(random.pick(ODD_WORDS));
  return words;
}

/** A message of 2.x or Harmony: its attributes are divided between start field and channel field. */
function framed(random: Random, role: string, words: readonly string[]): string {
  const inStart: string[] = [];
  const inChannel: string[] = [];
  const channel = random.once(5) ? '' : random.pick(CHANNELS);
  for (const word of words) (channel !== '' && random.once(4) ? inChannel : inStart).push(word);
  const bare = random.once(12) ? ` ${random.pick(random.once(4) ? RECIPIENTS : TYPES)}` : '';
  const later = inChannel.map((word) => ` ${word}`).join('');
  const twice = random.once(25) ? `<|channel|>${random.pick(CHANNELS)}` : '';
  const field = channel === '' && !random.once(10) ? '' : `<|channel|>${channel}${bare}${later}${twice}`;
  const type = `${random.pick(['', ' '])}<|constrain|>${random.pick(['', ' '])}${random.pick(TYPES)}`;
  const start = random.once(30) ? '' : `<|start|>${[role, ...inStart].join(' ')}`;
  const opened = random.once(30) ? ' ' : '<|message|>';
  return `${start}${field}${random.once(4) ? type : ''}${opened}${body(random)}${random.pick(ENDS)}`;
}

function call(random: Random): string {
  const role = random.once(20) ? random.pick(['', 'user', 'system']) : 'assistant';
  return framed(random, role, attributes(random, { to: RECIPIENTS, ...(!random.once(5) && { call_id: IDS }) }));
}

function reply(random: Random): string {
  const role = random.once(3) ? random.pick([...NAMES, '']) : 'tool';
  const name = !random.once(4) && { name: NAMES };
  const id = !random.once(5) && { call_id: IDS };
  const to = !random.once(3) && { to: ['assistant'] };
  return framed(random, role, attributes(random, { ...name, ...id, ...to }));
}

function message(random: Random): string {
  switch (random.below(9)) {
    case 0: case 1: case 2: return call(random);
    case 3: case 4: case 5: return reply(random);
    case 6: if (random.once(5)) return random.pick(NAMED);
      return framed(random, random.pick(['developer', 'system', 'user']), attributes(random, {}));
    default: return framed(random, 'assistant', attributes(random, {}));
  }
}

/** A call as text, most of them where a line begins. */
function writtenCall(random: Random): string {
  const value = random.pick(['{"name":"f","arguments":{}}', '{"arguments":{"a":[]},"name":"g"}', json(random)]);
  const space = random.pick(['', '\n', ' ']);
  const end = random.pick(['</tool_call>', '</tool_call>\n', '</tool_call>', '\n', '']);
  return `${random.pick(['\n', '\n', '', ' '])}<tool_call>${space}${value}${space}${end}`;
}

/** A message of 0.1, most of them calls and outputs. */
function line(random: Random): string {
  const role = random.pick(['assistant', 'assistant', 'tool', 'tool', 'user', 'system', '']);
  let made = '';
  for (let left = random.below(6); left > 0; left--) {
    switch (random.below(9)) {
      case 0: made += thoughtToken(random); break;
      case 7: made += writtenCall(random); break;
      case 8:
        made += `<tool_response>${json(random)}${random.pick(['</tool_response>', '</tool_response>\n', ''])}`;
        break;
      case 4: made += random.pick(['<think>', '</think>', '</think>\n']); break;
      case 1: made += random.pick(['x', '\n', ' ', '<', '<|reason|>', '<|function_list|>[]']); break;
      case 2: made += `<|function_call|>\n${json(random)}`; break;
      case 3: made += `<|function_output|>\n${json(random)}`; break;
      default:
        made += role === 'tool' ? `<|function_output|>{"name":"${random.pick(['f', 'g'])}","content":1}`
          : `<|function_call|>{"name":"${random.pick(['f', 'g'])}"}`;
    }
  }
  const name = random.once(5) && { name: NAMES };
  const to = random.once(12) && { to: RECIPIENTS };
  const id = random.once(12) && { call_id: IDS };
  const words = [role, ...attributes(random, { ...name, ...to, ...id })].join(' ');
  const bound = random.once(8) ? random.pick(BOUNDS) : '';
  const newline = random.pick(['\n', '\n', '\n', '\r\n', '']);
  const end = `${random.pick(['', '\n'])}${random.once(15) ? '' : '<|im_end|>'}\n`;
  return `<|im_start|>${words}${newline}${made}${end}${bound}`;
}

/** A prompt that waits for its completion, with what would be a finding in a message. */
function prompt(random: Random, legacy: boolean): string {
  const role = random.pick(['assistant', 'tool']);
  const words = [role, ...attributes(random, { to: RECIPIENTS, content_type: TYPES })].join(' ');
  return legacy ? `<|im_start|>${words}${random.pick(['', '\n'])}` : `<|start|>${words}`;
}

/** Up to three transcripts of up to `most` messages; now and then with something of any kind cut or put in. */
export function randomCalls(random: Random, most = 8): Uint8Array {
  const legacy = random.once(4);
  // As Harmony begins (R-LIKELY), and often without ids, as it goes on.
  const named = !legacy && random.once(5);
  let made = named ? random.pick(NAMED) : '';
  for (let left = 1 + (random.once(4) ? random.below(3) : 0); left > 0; left--) {
    if (made !== '' && !made.endsWith('\n')) made += '\n';
    if (legacy ? random.once(12) : !random.once(3)) made += random.pick(HEADERS);
    for (let messages = random.below(most + 1); messages > 0; messages--) {
      made += legacy ? line(random) : message(random);
    }
  }
  if (named && random.once(2)) made = made.replaceAll(/ call_id=[^ <]*/g, '');
  if (random.once(10)) made += prompt(random, legacy);
  const bytes = new TextEncoder().encode(made);
  if (!random.once(8)) return bytes;
  const at = random.below(bytes.length + 1);
  const further = random.once(2) ? randomInput(random, 2) : Uint8Array.of(random.below(256));
  const from = at + (random.once(2) ? random.below(20) : 0);
  return Uint8Array.from([...bytes.subarray(0, at), ...further, ...bytes.subarray(from)]);
}
