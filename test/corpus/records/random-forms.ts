// Seeded random records of forms beside chat and ShareGPT: Anthropic's blocks, items of Responses,
// preferences, prompts with completions, instructions; turns by themselves.
import type { Random } from '../../random.ts';
import { ARGUMENTS, content, IDS, NAMES, randomTools, shuffled, TEXTS } from './random-chat.ts';

/** Ids of calls that no reply has answered yet. */
type Open = string[];

const list = (random: Random, most: number, item: () => unknown): unknown[] =>
  Array.from({ length: random.below(most + 1) }, item);

function given(random: Random): unknown {
  if (random.once(12)) return random.pick<unknown>([null, undefined, 'x', [1], 12]);
  try {
    return JSON.parse(random.once(3) ? random.pick(ARGUMENTS) : '{"city": "Paris"}') as unknown;
  } catch {
    return {};
  }
}

function called(random: Random, open: Open): { id: unknown; name: unknown } {
  const id = random.once(8) ? random.pick<unknown>([...IDS, null, 3]) : `c${open.length}_${random.below(1000)}`;
  if (typeof id === 'string') open.push(id);
  return { id, name: random.once(9) ? random.pick<unknown>([...NAMES, null, 3]) : random.pick(['get_weather', 'f']) };
}

const answered = (random: Random, open: Open): unknown => {
  const isKnown = open.length > 0 && !random.once(9);
  return isKnown ? open.splice(random.once(4) ? random.below(open.length) : 0, 1)[0] : random.pick([...IDS, null]);
};

const extra = (random: Random): object => (random.once(20) ? { cache_control: { type: 'ephemeral' } } : {});

/** What an assistant's entry holds, mostly in the order in which it is read quickly. */
function acts(random: Random, open: Open): unknown[] {
  const thought = { type: 'thinking', thinking: random.pick(TEXTS), signature: 'x' };
  const blocks: unknown[] = [
    ...(random.once(3) ? [thought] : []),
    ...(random.once(9) ? [{ type: 'redacted_thinking', data: 'x' }] : []),
    ...list(random, 2, () => ({ type: 'text', text: random.pick(TEXTS), ...extra(random) })),
    ...list(random, 2, () => ({ type: 'tool_use', ...called(random, open), input: given(random), ...extra(random) })),
  ];
  if (random.once(20)) blocks.push(random.pick<unknown>([
    thought, { ...thought, thinking: [{ type: 'text', text: thought.thinking }] }, 'x', null, {}, { text: 'x' },
    { type: 'thinking' }, { type: 'thinking', thinking: '' },
    { type: 'tool_result' }, { type: 'tool_use', name: 'f' },
    { type: 'tool_use', id: 'c', name: 'f', input: { a: 1 }, text: 'x' },
  ]));
  return random.once(9) ? shuffled(random, blocks) : blocks;
}

function replies(random: Random, open: Open): unknown[] {
  const blocks: unknown[] = [
    ...(random.once(8) ? [{ type: 'text', text: random.pick(TEXTS) }] : []),
    ...list(random, 2, () => ({
      type: 'tool_result', tool_use_id: answered(random, open), content: content(random),
      ...(random.once(9) && { is_error: true }),
    })),
    ...list(random, 1, () => ({ type: 'text', text: random.pick(TEXTS) })),
  ];
  if (random.once(20)) blocks.push(random.pick<unknown>([
    { type: 'tool_result' }, { type: 'image', source: {} }, { type: 'tool_use', id: 'c', name: 'f', input: {} },
    { type: 'tool_result', tool_use_id: 'c', content: [{ type: 'tool_result', content: 'x' }] },
  ]));
  return blocks;
}

function anthropic(random: Random): unknown {
  const open: Open = [];
  const messages = list(random, 6, () => {
    const isUser = random.once(2);
    const blocks = random.once(3) ? content(random) : isUser ? replies(random, open) : acts(random, open);
    const usual = isUser ? 'user' : 'assistant';
    const role = random.once(30) ? random.pick(['system', 'tool', 'developer', 'human']) : usual;
    const beside = random.once(30) ? random.pick<object>([{ name: 'x' }, { tool_calls: null }, { weight: 1 }]) : {};
    return { role, content: blocks, ...beside };
  });
  const members: [string, unknown][] = [['messages', messages]];
  if (random.once(2)) members.unshift(['system', system(random)]);
  if (random.once(2)) members.push(['tools', randomTools(random)]);
  if (random.once(20)) members.push(['input', random.pick<unknown>(['x', [], [{ role: 'user', content: 'x' }]])]);
  return Object.fromEntries(random.once(4) ? shuffled(random, members) : members);
}

const system = (random: Random): unknown =>
  (random.once(8) ? random.pick<unknown>([null, '', [{ type: 'text', text: 'x' }], 3]) : random.pick(TEXTS));

function itemContent(random: Random, type: string): unknown {
  if (random.once(3)) return content(random);
  return list(random, 2, () => ({ type, text: random.pick(TEXTS), ...(random.once(5) && { annotations: [] }) }));
}

function item(random: Random, open: Open): unknown {
  if (random.once(40)) return random.pick<unknown>([
    null, 'x', {}, { type: 'web_search_call' }, { type: 'item_reference', id: 'x' }, { type: null, role: 'user' },
    { type: 'function_call', role: 'user', name: 'f' }, { type: 'message', content: 'x' }, { content: 'x' },
  ]);
  const beside = random.once(9)
    ? random.pick<object>([{ status: 'completed' }, { id: 'x' }, { phase: 'commentary' }, { phase: null }]) : {};
  switch (random.below(6)) {
    case 0: case 1: {
      const role = random.once(20) ? random.pick(['tool', 'developer', 'function', 'x'])
        : random.pick(['user', 'assistant', 'assistant', 'system']);
      const type = role === 'assistant' ? 'output_text' : 'input_text';
      return { ...(random.once(2) && { type: 'message' }), role, content: itemContent(random, type), ...beside };
    }
    case 2: {
      const members = random.pick(['summary', 'content', 'both', 'none']);
      return {
        type: 'reasoning',
        ...(members !== 'content' && members !== 'none' && { summary: itemContent(random, 'summary_text') }),
        ...(members !== 'summary' && members !== 'none' && { content: itemContent(random, 'reasoning_text') }),
        ...(random.once(9) && { encrypted_content: 'x' }), ...beside,
      };
    }
    case 3: case 4: {
      const { id, name } = called(random, open);
      const text = random.once(4) ? given(random) : random.pick(ARGUMENTS);
      if (random.once(8)) return { type: 'custom_tool_call', call_id: id, name, input: text, ...beside };
      return { type: 'function_call', call_id: id, name, arguments: text, ...beside };
    }
    default:
      const type = random.once(8) ? 'custom_tool_call_output' : 'function_call_output';
      return { type, call_id: answered(random, open), output: content(random), ...beside };
  }
}

function responses(random: Random): unknown {
  const open: Open = [];
  const items = (): unknown[] => list(random, 6, () => item(random, open));
  const members: [string, unknown][] = [];
  if (random.once(3)) members.push(['instructions', system(random)]);
  members.push(['input', random.once(9) ? random.pick(TEXTS) : items()]);
  if (random.once(3)) {
    members.push(['output', random.once(20) ? null : random.once(4) ? random.pick(TEXTS) : items()]);
  }
  if (random.once(2)) members.push(['tools', randomTools(random)]);
  if (random.once(20)) members.push(random.pick<[string, unknown]>([
    ['system', 'x'], ['text', 'x'], ['text', { format: {} }], ['model', 'x'], ['chosen', []], ['instruction', 'x'],
    ['prompt', null], ['version', '1'],
  ]));
  return Object.fromEntries(random.once(4) ? shuffled(random, members) : members);
}

/** Of what stands beside it, in a template. */
const copy = (random: Random): string =>
  random.pick(['x', '### A:\nx', 'a <| b', '<|im_start|>user\nHi<|im_end|>\n', '<|eot_id|><|start|>', 'Below.\n<s>']);

function instruction(random: Random): unknown {
  const text = (): unknown => (random.once(20) ? random.pick<unknown>([null, 3, []]) : random.pick(TEXTS));
  const members: [string, unknown][] = [['instruction', text()]];
  if (!random.once(4)) members.push(['input', random.once(2) ? '' : text()]);
  members.push(['output', text()]);
  if (random.once(5)) members.push(['system', system(random)]);
  if (random.once(4)) members.push(['text', copy(random)]);
  if (random.once(6)) members.push(['history', random.pick<unknown>([null, [], [['a', 'b']], ''])]);
  if (random.once(9)) members.push(['tools', randomTools(random)]);
  if (random.once(12)) members.push(random.pick<[string, unknown]>([
    ['text', 3], ['id', 'x'], ['source', 'x'], ['prompt', 'x'], ['rejected', 'x'], ['instructions', 'x'],
  ]));
  return Object.fromEntries(random.once(4) ? shuffled(random, members) : members);
}

/** A question and its answer, mostly alone. */
function exchange(random: Random): unknown {
  const text = (): unknown => {
    if (random.once(20)) return random.pick<unknown>([null, 3, [], {}]);
    return random.pick(random.once(4) ? PLAIN_TEXTS : TEXTS);
  };
  const asked = random.pick(['question', 'query', 'problem', 'prompt']);
  const answered = asked === 'problem' ? 'solution' : random.pick(['answer', 'response', 'response']);
  const members: [string, unknown][] = [[asked, text()]];
  if (!random.once(20)) members.push([answered, text()]);
  if (random.once(6)) members.push([random.pick(['answer', 'response', 'solution']), text()]);
  if (random.once(9)) members.push([random.pick(['question', 'query', 'problem', 'instruction', 'input']), text()]);
  if (random.once(4)) members.push([random.pick(['system', 'system_prompt']), system(random)]);
  if (random.once(9)) members.push(['system_prompt', text()]);
  if (random.once(6)) members.push(['tools', randomTools(random)]);
  if (random.once(9)) members.push(['text', copy(random)]);
  if (random.once(3)) members.push(random.pick<[string, unknown]>([
    ['id', 'x'], ['source', 'x'], ['score', 0.5], ['level', null], ['metadata', {}], ['options', [{ role: 'user' }]],
    ['role', 'user'],
    ['role', 1], ['context', 'x'], ['history', null], ['history', [['a', 'b']]], ['output', 'x'], ['completion', null],
    ['body', { messages: [{ role: 'user', content: 'x' }] }], ['request', { prompt: 'a', completion: 'b' }],
    ['choices', [{ message: { role: 'assistant', content: 'x' } }]], ['chosen', 'x'], ['instructions', 'x'],
    ['conversation', 'c1'], ['conversation', '[{"role":"user","content":"x"}]'], ['version', 1],
    ['messages', '[{"role":"user","content":"x"}]'], ['messages', chat(random, 2)], ['functions', []],
  ]));
  return Object.fromEntries(random.once(4) ? shuffled(random, members) : members);
}

/** The entries of a chat: of OpenAI, of Anthropic, or of ShareGPT. */
function chat(random: Random, most: number): unknown {
  if (random.once(30)) return random.pick<unknown>([null, 'x', {}, [null], [[]]]);
  const open: Open = [];
  const isShareGpt = random.once(6);
  return list(random, most, () => {
    if (random.once(isShareGpt ? 20 : 60)) return { role: 'system', content: random.pick(TEXTS) };
    if (isShareGpt) return { from: random.pick(['human', 'gpt']), value: random.pick(TEXTS) };
    if (random.once(4)) return { role: 'assistant', content: acts(random, open) };
    if (random.once(5)) return { role: 'user', content: replies(random, open) };
    if (random.once(30)) return { role: 'developer', content: random.pick(TEXTS) };
    return { role: random.pick(['user', 'assistant']), content: random.once(9) ? content(random) : random.pick(TEXTS) };
  });
}

/** Texts that are no transcripts, and such as begin or end what belongs to one. */
const PLAIN_TEXTS = [
  'What is it', ' the answer.', 'a b', 'c\n', 'Q: a', 'Q', ': a', 'version: 2.2\n', '\nversion: 2.2\n', 'a b\nvers',
  'ion: 2.2\n', '\n---\nversion: 2.2\n---\n', '---', '-', '\n-', '# a\n', '[BOS]', 'a [', 'BOS] b', '[EOS]', '<s>',
  '</s>', 'a <', '|start|>user<|message|>b<|end|>', '\u00a0a b', '\ufeffa', '\r\n', '1. a', 'a-b c', '_x y',
  'http://x.y', '\u2028',
];

/** A dialogue as one text. */
function dialogue(random: Random): string {
  const turn = (): string => {
    const speaker = random.pick(['Human:', 'Assistant:', 'Human: ', 'Assistant: ', 'Human', 'System: ']);
    return random.pick(['\n\n', '\n\n', '\n\n', '\n', '\\n\n']) + speaker + random.pick(PLAIN_TEXTS);
  };
  return (random.once(9) ? '' : '\n\nHuman: Hi') + list(random, 4, turn).join('');
}

/** A side that begins with an answer. */
function answers(random: Random): unknown {
  const said = random.pick<object>([
    { role: 'assistant', content: 'x' }, { content: 'x', role: 'assistant' }, { from: 'gpt', value: 'x' },
  ]);
  return random.once(3) ? said : [said];
}

/** A prompt with its completion, or a preference: lists or texts. */
function pair(random: Random): unknown {
  const isList = !random.once(2);
  const isDialogue = random.once(3);
  const text = (): string => {
    return isDialogue ? dialogue(random) : random.once(2) ? random.pick(PLAIN_TEXTS) : random.pick(TEXTS);
  };
  const value = (most: number): unknown => ((random.once(20) ? !isList : isList) ? chat(random, most) : text());
  const members: [string, unknown][] = [];
  if (!random.once(isDialogue ? 2 : 4)) members.push(['prompt', random.once(12) ? null : value(3)]);
  if (random.once(3)) members.push(['completion', random.once(9) ? null : value(2)]);
  else if (random.once(5)) members.push(['chosen', answers(random)], ['rejected', answers(random)]);
  else members.push(['chosen', value(4)], ['rejected', value(4)]);
  if (random.once(4)) members.push(['system', system(random)]);
  if (random.once(3)) members.push(['tools', randomTools(random)]);
  if (random.once(9)) members.push(random.pick<[string, unknown]>([
    ['text', copy(random)], ['text', []], ['text', null], ['id', 'x'], ['score', 0.5], ['input', []], ['output', 'x'],
    ['instruction', 'x'], ['chosen', null], ['messages', null], ['messages', []], ['history', 'x'], ['role', 'user'],
    ['question', 'x'], ['query', 'x'], ['problem', 1], ['input', 'x'], ['messages', chat(random, 2)],
    ['conversations', [{ from: 'human', value: 'x' }]],
  ]));
  return Object.fromEntries(random.once(4) ? shuffled(random, members) : members);
}

const PIECES_22 = [
  '<|start|>user<|message|>Hi<|end|>', '<|start|>assistant<|channel|>final<|message|>Yes.<|return|>',
  '<|start|>assistant<|channel|>commentary to=functions.f<|constrain|>json<|message|>{}<|call|>',
  '<|start|>system<|message|>Be brief.<|end|>', '<|start|>system<|message|># Valid channels: final<|end|>',
  '<|start|>user name=x<|message|>a <<|end|> b<|end|>', '<|start|>user<|message|>open', '<|start|>assistant',
  '<|start|>user<|message|><|literal|><|end|><|endliteral|><|end|>', '<|start|>user<|message|><|literal|>a',
  '<|endliteral|>', '<', '<|end|>', '<|end|>', '\n', 'text', '\nversion: 2.2\n', '<|channel|>final<|message|>a<|end|>',
];
const PIECES_01 = [
  '<|im_start|>user\nHi<|im_end|>\n', '<|im_start|>assistant\nYes.<|im_end|>\n', '<|im_start|>system\na<|im_end|>',
  '<|im_start|>assistant\n<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call><|im_end|>\n', '<|im_end|>', '\n',
  '<|im_start|>assistant\n', '<|im_start|>user', '<s>', '</s>', '<', 'text', '<|fim_prefix|>',
  '<|im_start|>\n<|im_end|>',
  '<|im_start|>assistant\n<|start_reflect|>a<|end_reflect|>b<|im_end|>', '<|start|>user<|message|>a<|end|>',
];

/** Document headers, or what looks like one. */
const HEADS = [
  'version: 2.2\n---\n', 'version: 2.2\n---\n', 'version: 2.0\n---\n', 'version: 2.2\n', '---\nversion: 2.2\n---\n',
  '# a\nversion: 2.2\nreasoning_effort: low\n---\n', 'version: 2.2\n---\n\n', 'version: 3.0\n---\n',
  'version: [\n---\n', 'a: <|start|>\n---\n', '\ufeffversion: 2.2\n', 'version: 0.1\n---\n',
  'x: <|im_start|>user\n---\n', 'a <|end|>\n', '---\n', 'version: 1.4\n---\n', 'version: 2.2\n...\n',
  `# ${'x'.repeat(1020)}\nversion: 2.2\n`,
];

/** A record with the text of a transcript, mostly well-made. */
export function transcript(random: Random): unknown {
  const pieces = random.once(2) ? PIECES_22 : PIECES_01;
  const isWell = !random.once(4);
  const said = list(random, 5, () => (isWell ? pieces[random.below(3)]! : random.pick(pieces))).join('');
  const text = random.once(3) ? random.pick(HEADS) + said : said;
  if (random.once(2)) return random.once(12) ? { id: 1, text, tools: null } : { text };
  const at = random.below(text.length + 1);
  return { prompt: text.slice(0, at), completion: text.slice(at) };
}

/** A record as a value. */
/** A turn by itself, mostly one that says nothing but a text. */
function turn(random: Random): unknown {
  const role = random.once(9)
    ? random.pick<unknown>(['human', '', null, 1]) : random.pick(['system', 'developer', 'user', 'assistant', 'tool']);
  const said = random.once(9) ? random.pick<unknown>([null, 3, [], content(random)]) : random.pick(TEXTS);
  const beside = random.once(5) ? random.pick<object>([
    { name: 'x' }, { channel: 'final' }, { thinking: 'x' }, { end: 'return' }, { tool_calls: null }, { messages: [] },
    { recipient: 'user' }, { attributes: [] }, { tools: [] }, { id: 'x' }, { text: 'x' }, { system: 'x' },
  ]) : {};
  const members = Object.entries({ role, content: said, ...beside });
  return Object.fromEntries(random.once(6) ? shuffled(random, members) : members);
}

export const randomOther = (random: Random): unknown => {
  if (random.once(4)) return transcript(random);
  const kind = random.below(9);
  if (kind > 6) return kind === 7 ? turn(random) : exchange(random);
  return kind < 2 ? anthropic(random) : kind < 4 ? responses(random) : kind < 6 ? pair(random) : instruction(random);
};
