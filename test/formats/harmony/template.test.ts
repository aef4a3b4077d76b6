// Conversations as the chat template of gpt-oss writes them (fixtures/harmony/template): our text is the same, but for
// a table of known differences; and reading the template's text gives the conversation back.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fromOpenAI } from '../../../src/formats/chat/read.ts';
import { fromHarmony, toHarmony, type ToHarmonyOptions } from '../../../src/formats/harmony/harmony.ts';
import { HARMONY_SYSTEM, readHarmonySystem } from '../../../src/formats/harmony/system.ts';
import { writeTranscript } from '../../../src/formats/write/write.ts';
import { type MessageData, messageData, type TranscriptData } from '../../../src/model/data.ts';
import { parse } from '../../../src/rules/library-best.ts';
import { messagesForCompletion } from '../../../src/rules/sampling.ts';

const FOLDER = new URL('../../../fixtures/harmony/template/', import.meta.url).pathname;

interface Recorded {
  name: string;
  differences: string[];
  date: string;
  effort: string;
  /** The text ends in a prompt for the next answer; otherwise it is for training. */
  prompt: boolean;
  record: { messages: unknown[]; tools?: unknown[] };
  text: string;
}

const recorded = readdirSync(FOLDER).filter((file) => file.endsWith('.json')).sort().map((file): Recorded => {
  const name = file.replace(/\.json$/, '');
  return {
    name, ...JSON.parse(readFileSync(FOLDER + file, 'utf8')), text: readFileSync(`${FOLDER}${name}.txt`, 'utf8'),
  };
});

/** JSON as Python's json.dumps spaces it. */
function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${pythonJson(item)}`).join(', ')}}`;
}

const isCall = (message: MessageData | undefined): boolean =>
  message?.role === 'assistant' && message.recipient != null;
const everywhere = (change: (message: MessageData) => MessageData) =>
  (messages: readonly MessageData[]): MessageData[] => messages.map(change);

/** What the template does otherwise than Harmony: each as a change of our messages that makes the same of them. */
const DIFFERENCES: Record<string, { why: string; change(messages: readonly MessageData[]): MessageData[] }> = {
  'reply-in-json': {
    why: 'the text of a reply stands as a JSON string',
    change: everywhere((message) => {
      return message.role === 'tool' ? { ...message, content: JSON.stringify(message.content) } : message;
    }),
  },
  'content-is-reasoning': {
    why: 'text beside a call is analysis; in Harmony it is a preamble on commentary',
    change: everywhere(({ intent, ...message }) => {
      return intent === 'preamble' ? { ...message, channel: 'analysis' } : message;
    }),
  },
  'first-call-only': {
    why: 'of several calls in one message only the first is written',
    change: (messages) => messages.filter((message, at) => !isCall(message) || !isCall(messages[at - 1])),
  },
  'arguments-rewritten': {
    why: 'arguments are written anew from their value',
    change: everywhere((message) => {
      return isCall(message) ? { ...message, content: pythonJson(JSON.parse(message.content)) } : message;
    }),
  },
  'later-instructions-lost': {
    why: 'system and developer messages behind the first message are left out',
    change: (messages) => messages.filter(({ role }, at) => at === 0 || (role !== 'system' && role !== 'developer')),
  },
  'last-thinking-kept': {
    why: 'in training the reasoning of the last answer stays, while 2.2 drops that of every answered turn',
    change: everywhere((message) => (message.channel === 'analysis' ? { ...message, attributes: [KEEP] } : message)),
  },
};
const KEEP = { key: 'kept', value: '1' };

function changed({ record, differences }: Recorded): TranscriptData {
  const { data } = fromOpenAI(record);
  return {
    ...data, messages: differences.reduce((messages, name) => DIFFERENCES[name]!.change(messages), [...data.messages]),
  };
}

const keepsThinking = ({ messages }: TranscriptData): boolean =>
  messages.some(({ attributes }) => attributes?.includes(KEEP));

function ours(page: Recorded): string {
  const data = changed(page);
  const options: ToHarmonyOptions = {
    instructions: 'developer',
    system: { ...HARMONY_SYSTEM, currentDate: page.date, reasoningEffort: page.effort },
    reasoning: keepsThinking(data) ? 'keep' : 'ocm',
    training: !page.prompt,
    style: 'template',
  };
  const { text } = writeTranscript(toHarmony(data, options).data, 'harmony', { contentType: 'bare' });
  return text + (page.prompt ? '<|start|>assistant' : '');
}

/** The fields that are there. */
const fields = (all: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value != null));

test('there are conversations of every kind', () => {
  expect(recorded.length).toBeGreaterThanOrEqual(12);
  expect(new Set(recorded.flatMap(({ differences }) => differences))).toEqual(new Set(Object.keys(DIFFERENCES)));
});

describe('the template and we write the same', () => {
  test.each(
    recorded.map((page) => [page.name, page.differences.join(' '), page] as const),
  )('%s %s', (_name, _differences, page) => {
    expect(ours(page)).toBe(page.text);
    // Every difference that is named is one.
    for (const name of page.differences) {
      expect(ours({ ...page, differences: page.differences.filter((other) => other !== name) }), name).not
        .toBe(page.text);
    }
  });
});

describe('the template\'s text is read back', () => {
  test.each(recorded.map((page) => [page.name, page] as const))('%s', (_name, page) => {
    const parsed = parse(page.text, { dialect: 'harmony' });
    const messages = [...parsed.messages()].filter((message) => !message.isOpenTurn).map(messageData);
    const { data } = fromHarmony({ header: null, tools: [], messages }, { style: 'template' });
    const [system, ...rest] = data.messages;
    expect(readHarmonySystem(system!.content)).toEqual({
      ...HARMONY_SYSTEM, currentDate: page.date, reasoningEffort: page.effort,
      ...(page.record.tools && { functionTools: true }),
    });
    const expected = changed(page);
    expect(data.tools).toEqual(expected.tools);
    const { messages: kept } = messagesForCompletion(expected.messages, {
      rule: keepsThinking(expected) ? 'keep' : 'ocm',
    });
    // Ids are lost, a bare content type does not bind, instructions are the developer's, and the last answer ends for
    // training.
    expect(rest).toEqual(kept.map(({ role, name, recipient, channel, contentType, intent, end, content }, at) => ({
      ...fields({ name, recipient, channel, contentType, intent }),
      content,
      end: !page.prompt && at === kept.length - 1 ? 'return' : end,
      role: role === 'system' ? 'developer' : role,
    })));
  });
});
