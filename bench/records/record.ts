// Chat records as values: the real dialogues where they lie beside the checkout, or made ones of the same shape.
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type Message, type Sink, writeChats } from '../chat.ts';
import { dialogues, poolSize } from '../corpus.ts';
import { PROFILES } from '../profiles.ts';

export interface Tool {
  type: 'function';
  function: { name: string; description: string; parameters: Schema };
}

/** As flat as those of the dialogues. */
export interface Schema {
  type: 'object';
  properties: Record<string, { type: string; description?: string; enum?: string[] }>;
  required?: string[];
}

export interface Call {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

export type ChatMessage =
  | { role: 'user'; content: string }
  | { role: 'assistant'; content: string | null; tool_calls?: Call[] }
  | { role: 'tool'; tool_call_id: string; name: string; content: string };

export interface ChatRecord {
  id: string;
  tools?: Tool[];
  messages: ChatMessage[];
}

/** Takes a record; false: it is enough. */
export type Take = (record: ChatRecord) => boolean;

const DIALOGUES = dialogues('messages.jsonl.gz');

/** Whether the real dialogues are at hand. */
export const hasDialogues = (): boolean => existsSync(DIALOGUES);

/** The real dialogues, from the beginning again after the last one. */
export function eachDialogue(take: Take): void {
  const lines = gunzipSync(readFileSync(DIALOGUES)).toString('utf8').trimEnd().split('\n');
  for (let n = 0; take(JSON.parse(lines[n % lines.length]!) as ChatRecord); n++);
}

/** Made records: the corpus of calls, with the definitions of its tools. The same seed gives the same ones. */
export function eachMade(seed: number, size: number, take: Take): void {
  // Without quoted control tokens: what a user wrote would then be full of them.
  const profile = { ...PROFILES.find(({ name }) => name === 'calls')!, escapes: 0, literals: 0 };
  writeChats(profile, 'openchatml-2.2', seed, poolSize(size), new Recorder(take));
}

const text = (description: string): Schema['properties'][string] => ({ type: 'string', description });
const tool = (name: string, description: string, parameters: Omit<Schema, 'type'>): Tool => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', ...parameters } },
});

/** What the generator of chats calls. */
const TOOLS: readonly Tool[] = [
  tool('search', 'Search the document index', {
    properties: { query: text('What to look for'), limit: { type: 'integer', description: 'How many results' } },
    required: ['query'],
  }),
  tool('write_file', 'Write a text file', {
    properties: { path: text('Where'), content: text('What'), mode: text('Permissions') },
    required: ['path', 'content'],
  }),
  tool('lookup_weather', 'Weather of a city', {
    properties: { location: text('City'), format: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
    required: ['location'],
  }),
  tool('python', 'Run a program', { properties: { code: text('The program') }, required: ['code'] }),
];

/** One of so many calls has no arguments. */
const FAULTY = 1000;

/** Planned messages as records, as the dialogues have them: what is said, and one call at a time with its reply. */
class Recorder implements Sink {
  readonly #take: Take;
  #record: ChatRecord = { id: '', messages: [] };
  /** The call that has no reply yet. */
  #open: string | null = null;
  #number = 0;
  #calls = 0;
  #isFull = false;

  constructor(take: Take) {
    this.#take = take;
  }

  begin(): void {
    this.#record = { id: `made-${this.#number++}`, tools: structuredClone(TOOLS) as Tool[], messages: [] };
  }

  message({ role, channel, recipient, callId, name, parts }: Message): void {
    const { messages } = this.#record;
    const said = parts.map(({ bytes, from, to }) => bytes.toString('utf8', from, to)).join('');
    // Control tokens of other dialects, which texts have now and then.
    const content = said.replaceAll('<|', '< |');
    const short = (name || recipient).replace('functions.', '');
    if (role === 'user') messages.push({ role, content });
    else if (role === 'tool') {
      if (callId !== this.#open) return;
      this.#open = null;
      messages.push({ role, tool_call_id: callId, name: short, content });
    } else if (role === 'assistant' && recipient !== '') {
      if (this.#open !== null) return;
      this.#open = callId;
      // Now and then a call without what its tool asks for.
      const isFaulty = this.#calls++ % FAULTY === 0;
      const given = isFaulty ? '{}' : short === 'python' ? JSON.stringify({ code: content }) : content;
      const call: Call = { id: callId, type: 'function', function: { name: short, arguments: given } };
      messages.push({ role, content: null, tool_calls: [call] });
    } else if (role === 'assistant' && channel === 'final') messages.push({ role, content });
  }

  finish(): void {
    this.#isFull = !this.#take(this.#record);
  }

  full(): boolean {
    return this.#isFull;
  }
}
