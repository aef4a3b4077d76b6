// The same dialogues otherwise: what is unlike in them is what a reader may stumble over.
import type { Random } from '../random.ts';
import type { ChatMessage, ChatRecord, Tool } from './record.ts';

/** How JSON is spelled. */
export interface Spelling {
  comma: string;
  colon: string;
  /** A string; `key`: the member that it is, or is in. */
  text(value: string, key: string): string;
}

export interface Variant {
  name: string;
  about: string;
  spelling: Spelling;
  /** What a line holds; left out: the record. `n`: its number. */
  change?(record: ChatRecord, n: number, random: Random): object;
  /** Lines are no chat records of OpenAI. */
  isOther?: true;
  /** What a record holds, where that is not the one chat. */
  holds?(record: ChatRecord): ChatRecord[];
  /** The records are one list over many lines. */
  isList?: true;
}

const quote = (value: string): string => JSON.stringify(value);
/** As Python's `json.dumps` has it, without `ensure_ascii`. */
const SPACED: Spelling = { comma: ', ', colon: ': ', text: quote };

/** Members whose strings an encoder may escape as it likes; names and roles it has no reason to. */
const PROSE: ReadonlySet<string> = new Set(['content', 'arguments', 'description']);
/** What is no ASCII, what HTML knows, and the first letter of a word. */
const ESCAPED = /[^\x20-\x7e]|['&<>+=]|(?<= )[A-Za-z]/g;
const escaped = (value: string): string => quote(value).replaceAll(ESCAPED, unit);
const unit = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;

export const VARIANTS: readonly Variant[] = [
  { name: 'dialogues', about: 'as they are: definitions of tools repeat', spelling: SPACED },
  {
    name: 'unique',
    about: 'the definitions of every record are its own',
    spelling: SPACED,
    change: (record, n) => ({ ...record, ...(record.tools && { tools: ownTools(record, n) }) }),
  },
  {
    name: 'short',
    about: 'one call with its reply in each, and a definition of its own',
    spelling: SPACED,
    change: shortened,
  },
  {
    name: 'escapes',
    about: '`\\u` for all that is no ASCII, for what HTML knows, and for the first letter of every word',
    spelling: { ...SPACED, text: (value, key) => (PROSE.has(key) ? escaped(value) : quote(value)) },
  },
  { name: 'compact', about: 'no blanks between tokens', spelling: { comma: ',', colon: ':', text: quote } },
  {
    name: 'long',
    about: 'contents of 1 to 16 kB that need no escape, no tools',
    spelling: SPACED,
    change({ id, messages }, _, random) {
      return { id, messages: messages.flatMap((message) => lengthened(message, random)) };
    },
  },
  {
    name: 'sharegpt',
    about: 'as ShareGPT',
    isOther: true,
    spelling: SPACED,
    change: ({ id, tools, messages }) => ({
      id,
      ...(tools && { tools: write(tools, SPACED) }),
      conversations: messages.flatMap(turnsOf),
    }),
  },
  {
    name: 'anthropic',
    about: 'as Anthropic has them: calls and replies are blocks',
    isOther: true,
    spelling: SPACED,
    change: ({ id, tools, messages }) => ({
      id,
      ...(tools && {
        tools: tools.map(({ function: { parameters, ...rest } }) => ({ ...rest, input_schema: parameters })),
      }),
      messages: messages.map(blocksOf),
    }),
  },
  {
    name: 'responses',
    about: 'as items of Responses',
    isOther: true,
    spelling: SPACED,
    change: ({ id, tools, messages }) => ({
      id,
      ...(tools && { tools: tools.map(({ type, function: definition }) => ({ type, ...definition })) }),
      input: messages.flatMap(itemsOf),
    }),
  },
  {
    name: 'hermes',
    about: 'as Hermes and Qwen have them: calls, replies and definitions are text between tags',
    isOther: true,
    spelling: SPACED,
    change: hermesOf,
  },
  {
    name: 'preferences',
    about: 'an answer to each dialogue that is chosen, and one that is rejected',
    isOther: true,
    spelling: SPACED,
    change: (record) => {
      const { before, answer } = divided(record);
      const { id, tools } = record;
      return { id, ...(tools && { tools }), prompt: before, chosen: [answer], rejected: [REJECTED] };
    },
    holds(record) {
      const { before, answer } = divided(record);
      return [answer, REJECTED].map((side) => ({ ...record, messages: [...before, side] }));
    },
  },
  {
    name: 'instructions',
    about: 'an instruction, the dialogue as its input, an output',
    isOther: true,
    spelling: SPACED,
    change: (record) => {
      const [asked, answered] = asTexts(record);
      return { instruction: ASKED, input: asked, output: answered };
    },
    holds: twoMessages,
  },
  {
    name: 'completions',
    about: 'a prompt and its completion as texts',
    isOther: true,
    spelling: SPACED,
    change: (record) => {
      const [prompt, completion] = asTexts(record);
      return { prompt, completion };
    },
    holds: twoMessages,
  },
  {
    name: 'questions',
    about: 'a question and its answer as texts',
    isOther: true,
    spelling: SPACED,
    change: (record) => {
      const [question, answer] = asTexts(record);
      return { question, answer };
    },
    holds: twoMessages,
  },
  {
    name: 'pretty',
    about: 'one list over many lines, as `JSON.stringify(records, null, 2)` writes it',
    spelling: SPACED,
    isOther: true,
    isList: true,
  },
];

const ASKED = 'Answer the last question of the dialogue.';
const REJECTED: ChatMessage = { role: 'assistant', content: 'I do not know.' };

/** The last answer of a dialogue, and what stands before it. */
function divided({ messages }: ChatRecord): { before: ChatMessage[]; answer: ChatMessage } {
  const at = messages.findLastIndex(({ role, content }) => role === 'assistant' && content !== null);
  const { content } = messages[at]!;
  return { before: messages.slice(0, at), answer: { role: 'assistant', content } };
}

function asTexts(record: ChatRecord): [asked: string, answered: string] {
  const { before, answer } = divided(record);
  const said = before.filter(({ content }) => content !== null).map(({ role, content }) => `${role}: ${content}`);
  return [said.join('\n'), answer.content!];
}

function twoMessages(record: ChatRecord): ChatRecord[] {
  const [asked, answered] = asTexts(record);
  return [{ id: record.id, messages: [{ role: 'user', content: asked }, { role: 'assistant', content: answered }] }];
}

/** What was asked first, and the first call with its reply; what was answered, where nothing is called. */
function shortened(record: ChatRecord, n: number): ChatRecord {
  const { id, messages, tools } = record;
  const at = messages.findIndex((message) => 'tool_calls' in message);
  const call = messages[at];
  if (call === undefined || !('tool_calls' in call)) return { id, messages: messages.slice(0, 2) };
  const name = call.tool_calls![0]!.function.name;
  const short = {
    id, tools: tools!.filter((tool) => tool.function.name === name), messages: [messages[0]!, call, messages[at + 1]!],
  };
  return { ...short, tools: ownTools(short, n) };
}

function hermesOf({ id, tools, messages }: ChatRecord): object {
  const list = tools?.map((tool) => write(tool, SPACED)).join('\n');
  const system = { role: 'system', content: `<tools>\n${list}\n</tools>` };
  return { id, messages: [...(tools ? [system] : []), ...messages.map(taggedOf)] };
}

/** A message whose calls stand in its text. */
function taggedOf(message: ChatMessage): object {
  const { role, content } = message;
  if (role === 'tool') return { role, content: `<tool_response>\n${content}\n</tool_response>` };
  const made = role === 'assistant' ? (message.tool_calls ?? []) : [];
  const calls = made.map(({ function: { name, arguments: text } }) => {
    return `<tool_call>\n${write({ name, arguments: JSON.parse(text) as unknown }, SPACED)}\n</tool_call>`;
  });
  return { role, content: [...(content === null ? [] : [content]), ...calls].join('\n') };
}

/** Records with a control token in every user's first text, for those who look for them. */
export const PLANTED: Variant = {
  name: 'planted',
  about: 'a control token in the first text of each user',
  spelling: SPACED,
  change(record) {
    const first = record.messages.findIndex(({ role }) => role === 'user');
    const messages = record.messages.map((message, i) => (i === first ? planted(message) : message));
    return { ...record, messages };
  },
};

export const TOKEN = '<|start|>';

function planted(message: ChatMessage): ChatMessage {
  return { ...message, content: `${message.content} ${TOKEN}` };
}

/** A value as JSON. */
export function write(value: unknown, spelling: Spelling, key = ''): string {
  const { comma, colon, text } = spelling;
  if (typeof value === 'string') return text(value, key);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => write(item, spelling, key)).join(comma)}]`;
  const members = Object.entries(value).map(([name, member]) => quote(name) + colon + write(member, spelling, name));
  return `{${members.join(comma)}}`;
}

/** Definitions that no other record has: other descriptions, and another name for a property that no call uses. */
function ownTools({ tools, messages }: ChatRecord, n: number): Tool[] {
  const calls = messages.flatMap((message) => ('tool_calls' in message ? (message.tool_calls ?? []) : []));
  const given = calls.flatMap((call) => Object.keys(JSON.parse(call.function.arguments) as object));
  return tools!.map(({ type, function: { name, description, parameters } }) => {
    const used = new Set([...given, ...(parameters.required ?? [])]);
    const entries = Object.entries(parameters.properties);
    const spare = entries.find(([key]) => !used.has(key))?.[0];
    const renamed = entries.map(([key, schema]) => [key === spare ? `${key}_${n}` : key, schema] as const);
    const properties = Object.fromEntries(renamed);
    const own = { name, description: `${description} (${n})`, parameters: { ...parameters, properties } };
    return { type, function: own };
  });
}

const LONG = { min: 1000, max: 16_000 };

/** Long prose instead of what a user or an answer says; calls and replies are left out. */
function lengthened(message: ChatMessage, random: Random): ChatMessage[] {
  const { role, content } = message;
  if (role === 'tool' || content === null) return [];
  const plain = content.replaceAll(/[^\x20-\x7e]|["\\]/g, '');
  const times = Math.ceil(random.length(LONG.min, LONG.max) / (plain.length + 1));
  return [{ ...message, content: `${plain} `.repeat(times).trimEnd() }];
}

interface Turn {
  from: string;
  value: string;
}

function turnsOf(message: ChatMessage): Turn[] {
  const { role, content } = message;
  if (role === 'tool') return [{ from: 'observation', value: content }];
  if (role === 'user') return [{ from: 'human', value: content }];
  const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: text } }): Turn => {
    const value = write({ name, arguments: JSON.parse(text) as unknown }, SPACED);
    return { from: 'function_call', value };
  });
  return content === null ? calls : [{ from: 'gpt', value: content }, ...calls];
}

/** A message of Anthropic. */
function blocksOf(message: ChatMessage): object {
  const { role, content } = message;
  if (role === 'tool') {
    const block = { type: 'tool_result', tool_use_id: message.tool_call_id, content };
    return { role: 'user', content: [block] };
  }
  const calls = role === 'assistant' ? (message.tool_calls ?? []) : [];
  if (calls.length === 0) return { role, content };
  const said = content === null ? [] : [{ type: 'text', text: content }];
  const blocks = calls.map(({ id, function: { name, arguments: text } }) => {
    return { type: 'tool_use', id, name, input: JSON.parse(text) as unknown };
  });
  return { role, content: [...said, ...blocks] };
}

/** Items of Responses. */
function itemsOf(message: ChatMessage): object[] {
  const { role, content } = message;
  if (role === 'tool') return [{ type: 'function_call_output', call_id: message.tool_call_id, output: content }];
  const type = role === 'assistant' ? 'output_text' : 'input_text';
  const said = content === null ? [] : [{ type: 'message', role, content: [{ type, text: content }] }];
  const calls = role === 'assistant' ? (message.tool_calls ?? []) : [];
  return [...said, ...calls.map(({ id, function: called }) => ({ type: 'function_call', call_id: id, ...called }))];
}
