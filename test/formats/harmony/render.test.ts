// Our Harmony text is openai-harmony's, byte for byte: random conversations, tools, system messages, training, old
// reasoning.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { toHarmony, type ToHarmonyOptions } from '../../../src/formats/harmony/harmony.ts';
import { HARMONY_SYSTEM } from '../../../src/formats/harmony/system.ts';
import { writeTranscript } from '../../../src/formats/write/write.ts';
import { type MessageData, messageData, type ToolDefinition } from '../../../src/model/data.ts';
import { parse } from '../../../src/rules/library-best.ts';
import { brokenBy } from '../../conform.ts';
import { runs } from '../../long.ts';
import { askHarmony, hasHarmony, type OutsideMessage, type OutsideTool, type Request } from '../../outside/harmony.ts';
import { type Random, randomOf, SEED } from '../../random.ts';

const RUNS = runs(600);

const TOOLS: ToolDefinition[] = [
  {
    namespace: 'functions', name: 'get_weather', description: 'Tells the weather.\nNow, or on a day.',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string', description: 'Where' },
        unit: { type: 'string', enum: ['celsius', 'fahrenheit'], default: 'celsius' },
        days: { type: 'array', items: { type: 'number' } },
      },
      required: ['city'],
    },
  },
  { namespace: 'functions', name: 'clock', description: 'Tells the time.' },
  {
    namespace: 'functions', name: 'note-2', description: 'Keeps a note.',
    parameters: { type: 'object', properties: { text: { type: 'string' } } },
  },
];

/** Text without a control token; all else may be in it. */
function body(random: Random): string {
  const pieces = [
    'a', 'word ', '\n', '\n\n', '<', '<|', '|>', 'é', '😀', ' ', '\t', '"', '\\', '# Tools', '<|literal|>', '<|foo|>',
    '<<', '\r\n', '你好', '0',
  ];
  return Array.from({ length: random.below(8) }, () => random.pick(pieces)).join('');
}

/**
 * Where it stands in instructions, tools behind them could not be told from them: they come in a message of their own,
 * before.
 */
const HEADING = /\n\n# Tools\n\n/g;

test('instructions that hold the heading of tools are kept apart from tools', () => {
  const messages = [{ role: 'developer', content: 'Do: \n\n# Tools\n\nthis' }, { role: 'user', content: 'a' }];
  const text = ours({ messages, tools: TOOLS.slice(1, 2), options: {}, mode: 'conversation' });
  expect(text.split('<|start|>').slice(1)).toEqual([
    expect.stringMatching(/^developer<\|message\|># Tools\n\n## functions\n[^]*\} \/\/ namespace functions<\|end\|>$/),
    'developer<|message|># Instructions\n\nDo: \n\n# Tools\n\nthis<|end|>',
    'user<|message|>a<|end|>',
  ]);
});

interface Conversation {
  messages: MessageData[];
  tools: ToolDefinition[];
  options: ToHarmonyOptions;
  mode: 'conversation' | 'training' | 'completion';
}

function conversation(random: Random): Conversation {
  const messages: MessageData[] = [];
  const say = (role: string, content: string, more: Partial<MessageData> = {}): void =>
    void messages.push({ role, content, ...more });
  // Instructions that begin with a heading of the layout are taken to have it already.
  if (random.once(3)) say('developer', `Do: ${body(random).replaceAll(HEADING, 'Tools')}`);
  for (let turns = random.below(5); turns > 0; turns--) {
    say('user', body(random), random.once(5) ? { name: 'eric' } : {});
    for (let steps = random.below(4); steps > 0; steps--) {
      if (random.once(2)) say('assistant', body(random), { channel: 'analysis' });
      if (random.once(4)) say('assistant', body(random), { channel: 'commentary', intent: 'preamble' });
      if (random.once(4)) {
        say('assistant', 'print(1)', {
          recipient: 'python', channel: 'analysis', ...(random.once(2) && { contentType: 'code' }),
        });
        if (!random.once(4)) say('tool', body(random), { name: 'python', recipient: 'assistant', channel: 'analysis' });
      } else if (random.once(2)) {
        const { name } = random.pick(TOOLS);
        const typed = random.once(3) ? {} : { contentType: 'json', constrained: true };
        const callId = random.once(2) ? `c${messages.length}` : undefined;
        say('assistant', `{"n": ${random.below(9)}}`, {
          recipient: `functions.${name}`, channel: 'commentary', callId, ...typed,
        });
        if (!random.once(4)) say('tool', body(random), { name: `functions.${name}`, channel: 'commentary', callId });
      }
    }
    const channel = random.once(3) ? undefined : 'final';
    if (!random.once(5)) say('assistant', body(random), { channel, end: random.once(2) ? 'return' : 'end' });
  }
  const mode = random.pick(['conversation', 'training', 'completion'] as const);
  return {
    messages,
    tools: random.once(2) ? TOOLS.slice(0, 1 + random.below(TOOLS.length)) : [],
    options: {
      system: random.once(2) ? { ...HARMONY_SYSTEM, currentDate: '2025-08-10' } : false,
      reasoning: random.pick(['keep', 'harmony']),
      training: mode === 'training',
    },
    mode,
  };
}

/** The same conversation as the library takes it, made without our conversion. */
function request({ messages, tools, options, mode }: Conversation): Request {
  const outside: OutsideMessage[] = [];
  if (options.system) outside.push({ role: 'system', content: { system: { conversation_start_date: '2025-08-10' } } });
  const declared = tools.map(({ name, description, parameters }): OutsideTool => {
    return { name, description: description!, parameters: parameters ?? null };
  });
  if (declared.length > 0 && messages[0]?.role !== 'developer') {
    outside.push({ role: 'developer', content: { developer: { tools: declared } } });
  }
  for (const [index, message] of messages.entries()) {
    const { role, content } = message;
    if (role === 'developer') {
      outside.push({ role, content: { developer: { instructions: content, tools: index === 0 ? declared : [] } } });
    } else if (role === 'assistant') {
      const isFunction = message.recipient?.startsWith('functions.');
      const type =
        isFunction ? '<|constrain|>json' : message.contentType ? `<|constrain|>${message.contentType}` : null;
      outside.push({
        role, recipient: message.recipient ?? null, channel: message.channel ?? 'final', content_type: type, content,
      });
    } else if (role === 'tool') {
      outside.push({ role, name: message.name!, recipient: 'assistant', channel: message.channel!, content });
    } else {
      outside.push({ role: role!, name: message.name ?? null, content });
    }
  }
  return { op: 'render', mode, drop: options.reasoning === 'harmony', messages: outside };
}

function ours({ messages, tools, options, mode }: Conversation): string {
  const { data } = toHarmony({ header: null, tools, messages }, options);
  return writeTranscript(data, 'harmony').text + (mode === 'completion' ? '<|start|>assistant' : '');
}

test(`${RUNS} random conversations break nothing that documents ask (OPENCHATML_SEED=${SEED})`, () => {
  const seeds = randomOf(SEED);
  for (let run = 0; run < RUNS; run++) {
    const text = ours(conversation(randomOf(seeds.below(0x7fffffff))));
    expect(brokenBy(text, { dialect: 'harmony' }), `OPENCHATML_SEED=${SEED}, run ${run}: ${text}`).toEqual([]);
  }
});

// The same conversations: what is true of one text is true of the other.
test.skipIf(!hasHarmony())(`${RUNS} random conversations (OPENCHATML_SEED=${SEED})`, { timeout: 300_000 }, () => {
  const seeds = randomOf(SEED);
  const all = Array.from({ length: RUNS }, () => conversation(randomOf(seeds.below(0x7fffffff))));
  const answers = askHarmony(all.map(request));
  let bytes = 0;
  for (const [run, answer] of answers.entries()) {
    const text = 'text' in answer ? answer.text : answer;
    expect(ours(all[run]!), `OPENCHATML_SEED=${SEED}, run ${run}`).toEqual(text);
    bytes += String(text).length;
  }
  expect(bytes).toBeGreaterThan(RUNS * 100);
});

test.skipIf(!hasHarmony())('the pages of fixtures/sampling under the rule of Harmony', () => {
  const folder = new URL('../../../fixtures/sampling/', import.meta.url).pathname;
  const all = readdirSync(folder).filter((file) => {
    return file !== 'README.md' && file !== 'open-turn.md';
  }).map((file): Conversation => {
    const text = readFileSync(folder + file, 'utf8').split('\n```transcript\n')[1]!.split('\n```')[0]!;
    const messages = [...parse(text, { dialect: 'openchatml-2.2' }).messages()].map(messageData)
      // A debug answer would be moved to where users do not see it, which has its own test.
      .map(({ intent, ...message }) => (intent === 'debug' ? message : { ...message, intent }));
    return { messages, tools: [], options: { reasoning: 'harmony' }, mode: 'completion' };
  });
  expect(all.length).toBeGreaterThan(15);
  const answers = askHarmony(all.map((each) => {
    const asked = request(each) as Request & { op: 'render' };
    // These pages have channels in places where the random conversations have none.
    const channel = (at: number): string | null => each.messages[at]!.channel ?? null;
    return {
      ...asked,
      messages: asked.messages.map((message, at) => ({ ...message, channel: message.channel ?? channel(at) })),
    };
  }));
  for (const [at, answer] of answers.entries()) {
    expect(ours(all[at]!)).toEqual('text' in answer ? answer.text : answer);
  }
});
