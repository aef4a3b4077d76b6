// Seeded random chat records whose calls, replies and definitions are written as text between tags (R-HERMES): mostly
// as Hermes and Qwen have them, and everything odd that may stand there.
import type { Random } from '../../random.ts';
import { ARGUMENTS, NAMES, randomTools, shuffled, TEXTS } from './random-chat.ts';

const GAPS = ['\n', '\n', '\n', '', ' ', '\r\n', '\n\n', '\t', '\u000b'];
const some = (random: Random, most: number, make: () => string): string =>
  Array.from({ length: random.below(most + 1) }, make).join(random.once(3) ? random.pick(GAPS) : '\n');
const nameOf = (random: Random): string =>
  (random.once(12) ? random.pick(NAMES) : random.pick(['get_weather', 'search', 'f']));
const short = (random: Random): string => (random.once(3) ? random.pick(TEXTS) : random.pick(['', 'Ok.', 'I look.\n']));

/** An object with a name and one other member, whose value is JSON. */
function named(random: Random, key: string, value: string): string {
  const gap = random.pick(['', ' ', '\n ']);
  const members = [`"name":${gap}${JSON.stringify(nameOf(random))}`, `"${key}":${gap}${value}`];
  if (random.once(20)) {
    members.push(random.pick([
      '"id": 1', '"name": "f"', `"${key}": {}`, '"na\\u006de": "f"', '"x": {"name": "y"}', '"name": 3', '"name": ""',
    ]));
  }
  if (random.once(2)) members.reverse();
  return `{${gap}${members.join(random.once(9) ? ',\n' : ', ')}${gap}}${random.once(40) ? ',' : ''}`;
}

function call(random: Random): string {
  if (random.once(40)) return random.pick(['<tool_call>', '<tool_call>{}</tool_call>', '<tool_call>x</tool_call>']);
  const given = random.once(3) ? random.pick(ARGUMENTS)
    : random.once(20) ? '{"city": "a</think>b"}' : '{"city": "Paris"}';
  const [before, after] = [random.pick(GAPS), random.pick(GAPS)];
  return `<tool_call>${before}${named(random, 'arguments', given)}${after}${random.once(40) ? '' : '</tool_call>'}`;
}

/** What an assistant says, with calls. */
export function saidWithCalls(random: Random): string {
  const thought = random.once(4) ? random.pick([
    '<think>\nHm.\n</think>\n\n', '<think>\n<tool_call>\n</think>\n', '</think>', ' <think>a</think> \n ',
    '<think>open\n',
  ]) : '';
  const calls = some(random, 3, () => call(random));
  const end = random.once(20) ? '\n</think>\nYes.' : random.once(9) ? short(random) : '';
  return `${thought}${short(random)}${random.once(3) ? '\n' : ''}${calls}${end}`;
}

function reply(random: Random): string {
  const content = random.pick(['"ok"', '{"a": [1, "b"]}', '12', 'null', '"a\\n\\"b\\" \\u00e9"', '""', '[]']);
  const said = random.once(2) ? named(random, 'content', content)
    : random.pick(['ok', '{"a": 1}', "{'a': 1}", '', '{"name": "f"}', ' x ', '\n', '{'.repeat(70), '</tool_call>']);
  const [before, after] = [random.pick(GAPS), random.pick(GAPS)];
  return `<tool_response>${before}${said}${after}${random.once(40) ? '' : '</tool_response>'}`;
}

/** Replies, and perhaps what is said beside them. */
export function saidWithReplies(random: Random): string {
  const text = (): string => (random.once(9) ? short(random) : random.pick(['', '\n', ' ']));
  return text() + some(random, 3, () => reply(random) + (random.once(12) ? text() : '')) + text();
}

/** What a system says, with definitions. */
export function saidWithTools(random: Random): string {
  const given = randomTools(random);
  const list = typeof given === 'string' ? given
    : random.once(4) || !Array.isArray(given) ? JSON.stringify(given)
    : given.map((tool) => JSON.stringify(tool)).join(random.once(6) ? random.pick([', ', ' ', '', ',\n']) : '\n');
  const tools = `<tools>${random.pick(GAPS)}${list}${random.pick(GAPS)}</tools>`;
  const before = random.once(3) ? 'within <tools></tools> tags:\n' : random.once(9) ? random.pick(TEXTS) : '';
  const after = random.once(3) ? '\n\n{"name": <function-name>, "arguments": <args>}\n' : '';
  const again = random.once(20) ? tools : random.once(20) ? '<tools>x' : '';
  return `${before}${random.once(6) ? random.pick(GAPS) : ''}${tools}${after}${again}`;
}

/** A record as a value, with `messages` or `conversations`. */
export function randomWritten(random: Random): unknown {
  const isTurns = random.once(3);
  const entry = (role: string, content: string): object => {
    if (isTurns) return { from: { user: 'human', assistant: 'gpt' }[role] ?? role, value: content };
    const name = random.once(20) ? { name: nameOf(random) } : {};
    const id = role === 'tool' && random.once(12) ? { tool_call_id: 'call_1' } : {};
    const thinking = role === 'assistant' && random.once(12) ? { thinking: random.pick(TEXTS) } : {};
    const calls = role === 'assistant' && random.once(40)
      ? { tool_calls: [{ id: 'call_1', function: { name: 'f', arguments: '{}' } }] } : {};
    return { role, content: random.once(40) ? [{ type: 'text', text: content }] : content, ...name, ...id, ...thinking,
      ...calls };
  };
  const list: object[] = [];
  if (!random.once(3)) list.push(entry('system', random.once(12) ? short(random) : saidWithTools(random)));
  if (random.once(20)) list.push(entry(random.pick(['system', 'developer']), saidWithTools(random)));
  for (let left = random.below(5); left > 0; left--) {
    list.push(entry('user', random.once(9) ? saidWithReplies(random) : short(random)));
    list.push(entry('assistant', saidWithCalls(random)));
    if (!random.once(4)) list.push(entry(random.once(3) ? 'user' : 'tool', saidWithReplies(random)));
  }
  const members: [string, unknown][] = [[isTurns ? 'conversations' : 'messages', list]];
  if (random.once(12)) members.push(['tools', random.once(2) ? randomTools(random) : random.pick([null, [], ''])]);
  if (random.once(3)) members.push(['id', 'a']);
  return Object.fromEntries(shuffled(random, members));
}
