// Seeded random conversations, and how each form of records spells them: written by hand from the descriptions of the
// forms, apart from the writers.
import type { Random } from '../../random.ts';

type PartsForm = 'messages' | 'anthropic' | 'responses';

/** Text, or how each form spells what is no text. */
export type Part = string | Readonly<Record<PartsForm, object>>;

export interface Turn {
  readonly who: 'system' | 'developer' | 'user' | 'assistant';
  readonly text: string | readonly Part[] | null;
  readonly thinking: string | null;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: object }[];
  /** Of the calls, in their order. */
  readonly replies: readonly (string | readonly Part[])[];
}

export interface Conversation {
  readonly tools: readonly { name: string; description: string; parameters: object }[];
  readonly turns: readonly Turn[];
}

/** Which parts that are no text are drawn: none, what all forms have for users, or anything that a form has. */
export type Media = 'none' | 'shared' | 'own';

type Value = null | boolean | number | string | Value[] | { [key: string]: Value };

const TEXTS = [
  'Hello', '', ' ', 'a\nb\r\n', 'caf\u00e9 \u{1f600}', '<|end|>', 'a <think> b', '{"a": 1}', '"', '\\',
  'x'.repeat(200), '[image]', '\u2028', 'version: 2.2', 'a <tool_call>{}</tool_call>',
];
/** Empty reasoning is none. */
const SOME = TEXTS.filter((text) => text !== '');
const NAMES = ['weather', 'a.b', 'x-y', 'search_2', 'browser.search', 'python'];

const ADDRESS = 'https://example.org/cat.png';
const PNG = 'iVBORw0KGgo=';
const PDF = 'JVBERi0=';
const SHARED: readonly Exclude<Part, string>[] = [
  {
    messages: { type: 'image_url', image_url: { url: ADDRESS } },
    responses: { type: 'input_image', image_url: ADDRESS },
    anthropic: { type: 'image', source: { type: 'url', url: ADDRESS } },
  },
  {
    messages: { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
    responses: { type: 'input_image', image_url: `data:image/png;base64,${PNG}` },
    anthropic: { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
  },
  {
    messages: { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
    responses: { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` },
    anthropic: {
      type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF }, title: 'a.pdf',
    },
  },
];
/** Parts that not all forms have. */
const OWN: Readonly<Record<PartsForm, readonly object[]>> = {
  messages: [
    { type: 'image_url', image_url: { url: ADDRESS, detail: 'high' }, extra: 1 },
    { type: 'image_url', image_url: 'data:image/svg+xml,<svg/>' }, { type: 'image_url' },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
    { type: 'file', file: { file_id: 'file-1' } }, { type: 'file', file: {} },
    { type: 'video_url', video_url: { url: 'https://example.org/cat.mp4' } }, { type: 'image', image: 'cat.png' },
  ],
  responses: [
    { type: 'input_image', file_id: 'file-1', detail: 'auto' }, { type: 'input_image', image_url: null, detail: 'low' },
    { type: 'input_file', file_url: 'https://example.org/a.pdf' }, { type: 'input_file', file_id: 'file-2' },
    { type: 'input_file', file_url: 'https://example.org/a.csv', filename: 'a.csv' },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
  ],
  anthropic: [
    { type: 'image', source: { type: 'url', url: ADDRESS }, cache_control: { type: 'ephemeral' } },
    { type: 'image', source: { type: 'file', file_id: 'file_1' } },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a' }, title: 'A', context: 'c' },
    { type: 'document', source: { type: 'url', url: 'https://example.org/a' } },
    { type: 'search_result', source: ADDRESS, title: 'A', content: [{ type: 'text', text: 'a' }] },
  ],
};

function own(random: Random): Exclude<Part, string> {
  const { messages, responses, anthropic } = OWN;
  return { messages: random.pick(messages), responses: random.pick(responses), anthropic: random.pick(anthropic) };
}

/** A text, or a list with something in it that is none. */
function content(random: Random, media: Media): string | readonly Part[] {
  if (media === 'none' || random.once(2)) return random.pick(TEXTS);
  const pick = (): Part => (media === 'own' && random.once(2) ? own(random) : random.pick(SHARED));
  const parts = [pick()];
  for (let more = random.below(4); more > 0; more--) {
    parts.splice(random.below(parts.length + 1), 0, random.once(2) ? random.pick(TEXTS) : pick());
  }
  return parts;
}

/** A content as a form spells it. */
function spelled(form: PartsForm, content: string | readonly Part[] | null): unknown {
  if (content === null || typeof content === 'string') return content;
  const type = form === 'responses' ? 'input_text' : 'text';
  return content.map((part) => (typeof part === 'string' ? { type, text: part } : part[form]));
}

/** The same as blocks. */
const blocks = (content: string | readonly Part[]): unknown[] =>
  spelled('anthropic', typeof content === 'string' ? [content] : content) as unknown[];

function value(random: Random, depth = 0): Value {
  switch (random.below(depth > 2 ? 4 : 6)) {
    case 0: return random.pick([null, true, false]);
    case 1: return random.pick([0, -1, 1.5, 1e21, 123456789]);
    case 2: case 3: return random.pick(TEXTS);
    case 4: return Array.from({ length: random.below(3) }, () => value(random, depth + 1));
    default: return object(random, depth + 1);
  }
}

function object(random: Random, depth = 0): { [key: string]: Value } {
  const keys = ['city', 'a b', '\u00e9', 'type', 'text', 'content'].slice(0, random.below(6));
  return Object.fromEntries(keys.map((key) => [key, value(random, depth)]));
}

/** `plain`: what ShareGPT can say, too. */
export function randomConversation(random: Random, plain = false, media: Media = 'none'): Conversation {
  const turns: Turn[] = [];
  let ids = 0;
  const said = (who: Turn['who'], text: string | readonly Part[]): Turn => {
    return { who, text, thinking: null, calls: [], replies: [] };
  };
  if (random.once(2)) turns.push(said('system', random.pick(TEXTS.filter((text) => text !== ''))));
  for (let left = 1 + random.below(5); left > 0; left--) {
    turns.push(said('user', content(random, media)));
    for (let steps = random.below(3); steps > 0; steps--) {
      const calls = Array.from({ length: 1 + random.below(plain ? 1 : 3) }, () => {
        return { id: `call_${++ids}`, name: random.pick(NAMES), input: object(random) };
      });
      const isCut = left === 1 && steps === 1 && random.once(8);
      const replies = isCut ? [] : calls.map(() => content(random, media === 'own' ? media : 'none'));
      turns.push({
        who: 'assistant',
        thinking: plain || random.once(2) ? null : random.pick(SOME),
        // Empty text beside calls is the same as none.
        text: plain || random.once(2) ? null : random.pick(SOME),
        calls,
        replies,
      });
      if (isCut) return { tools: tools(random), turns };
    }
    const thinking = plain || random.once(2) ? null : random.pick(SOME);
    turns.push({ ...said('assistant', random.pick(TEXTS)), thinking });
  }
  return { tools: tools(random), turns };
}

function tools(random: Random): Conversation['tools'] {
  const parameters = { type: 'object', properties: { city: { type: 'string', enum: ['a', 'b'] } }, required: ['city'] };
  return ['weather', 'search_2']
    .slice(0, random.below(3))
    .map((name) => ({ name, description: 'Does it.', parameters }));
}

const listOf = (tools: Conversation['tools'], of: (tool: Conversation['tools'][number]) => object): object => {
  return tools.length === 0 ? {} : { tools: tools.map(of) };
};

/** By the names that `convert --to` has. */
export const SPELLINGS: Record<'messages' | 'anthropic' | 'responses' | 'sharegpt', (from: Conversation) => object> = {
  messages: ({ tools, turns }) => ({
    ...listOf(tools, (tool) => ({ type: 'function', function: tool })),
    messages: turns.flatMap(({ who, text, thinking, calls, replies }) => [
      {
        role: who,
        content: spelled('messages', text),
        ...(thinking !== null && { thinking }),
        ...(calls.length > 0 && {
          tool_calls: calls.map(({ id, name, input }) => {
            return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
          }),
        }),
      },
      ...replies.map((reply, i) => {
        return { role: 'tool', tool_call_id: calls[i]!.id, content: spelled('messages', reply) };
      }),
    ]),
  }),

  anthropic: ({ tools, turns }) => {
    const messages: { role: string; content: unknown }[] = [];
    for (const { who, text, thinking, calls, replies } of turns) {
      const last = messages.at(-1);
      if (who === 'system') continue;
      if (who === 'user' && last?.role === 'user') (last.content as unknown[]).push(...blocks(text!));
      else if (thinking === null && calls.length === 0) {
        messages.push({ role: who, content: spelled('anthropic', text) });
      } else {
        const content = [
          ...(thinking === null ? [] : [{ type: 'thinking', thinking }]),
          ...(text === null ? [] : blocks(text)),
          ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
        ];
        messages.push({ role: who, content });
      }
      if (replies.length === 0) continue;
      const content = replies.map((reply, i) => {
        return { type: 'tool_result', tool_use_id: calls[i]!.id, content: spelled('anthropic', reply) };
      });
      messages.push({ role: 'user', content });
    }
    const [first] = turns;
    return {
      ...(first?.who === 'system' && { system: first.text }),
      ...listOf(tools, ({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
      messages,
    };
  },

  responses: ({ tools, turns }) => ({
    ...listOf(tools, (tool) => ({ type: 'function', ...tool })),
    input: turns.flatMap(({ who, text, thinking, calls, replies }) => [
      ...(thinking === null
        ? []
        : [{ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: thinking }] }]),
      ...(text === null ? [] : [{ type: 'message', role: who, content: spelled('responses', text) }]),
      ...calls.map(({ id, name, input }) => {
        return { type: 'function_call', call_id: id, name, arguments: JSON.stringify(input) };
      }),
      ...replies.map((reply, i) => {
        return { type: 'function_call_output', call_id: calls[i]!.id, output: spelled('responses', reply) };
      }),
    ]),
  }),

  sharegpt: ({ tools, turns }) => ({
    ...(tools.length > 0 && {
      tools: JSON.stringify(tools.map((tool) => ({ type: 'function', function: tool }))),
    }),
    conversations: turns.flatMap(({ who, text, calls, replies }) => [
      ...(text === null
        ? []
        : [{ from: who === 'user' ? 'human' : who === 'assistant' ? 'gpt' : who, value: text }]),
      ...calls.map(({ name, input }) => {
        return {
          from: 'function_call', value: `{"name": ${JSON.stringify(name)}, "arguments": ${JSON.stringify(input)}}`,
        };
      }),
      ...replies.map((reply) => ({ from: 'observation', value: reply })),
    ]),
  }),
};
