// Neutral data to Harmony and back: fields, channels, ends, instructions, tools; nothing lost in silence, nothing
// hidden shown.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fromHarmony, toHarmony, type ToHarmonyOptions } from '../../../src/formats/harmony/harmony.ts';
import { HARMONY_SYSTEM, harmonySystem } from '../../../src/formats/harmony/system.ts';
import { type Loss, Refusal } from '../../../src/formats/loss.ts';
import { writeTranscript } from '../../../src/formats/write/write.ts';
import { type MessageData, messageData, type ToolDefinition, type TranscriptData } from '../../../src/model/data.ts';
import { parse } from '../../../src/rules/library-best.ts';
import { runs } from '../../long.ts';
import { type Random, randomOf, SEED } from '../../random.ts';

const of = (...messages: MessageData[]): TranscriptData => ({ header: null, tools: [], messages });
const user: MessageData = { role: 'user', content: 'Hi.', end: 'end' };
const answer: MessageData = { role: 'assistant', channel: 'final', content: 'Hello.', end: 'end' };
const thought: MessageData = { role: 'assistant', channel: 'analysis', content: 'Hm.', end: 'end' };
const call: MessageData = {
  role: 'assistant', recipient: 'functions.f', channel: 'commentary', contentType: 'json', constrained: true,
  content: '{}', end: 'call',
};
const reply: MessageData = {
  role: 'tool', name: 'functions.f', recipient: 'assistant', channel: 'commentary', content: 'ok', end: 'end',
};
const tool: ToolDefinition = { namespace: 'functions', name: 'f', description: 'Does it.' };
const TOOLS =
  '# Tools\n\n## functions\n\nnamespace functions {\n\n// Does it.\ntype f = () => any;\n\n} // namespace functions';
const SYSTEM = harmonySystem({ ...HARMONY_SYSTEM, functionTools: true });
const named = (losses: readonly Loss[]): string[] => losses.map(({ what, message }) => `${what} ${message}`);

describe('one message to Harmony', () => {
  const untyped = { contentType: undefined, constrained: undefined };
  const x = { key: 'x', value: 'y' };
  const rows: [name: string, message: MessageData, shaped: Partial<MessageData>, losses: string[]][] = [
    ['a user\'s message as it is', user, {}, []],
    ['a user\'s name stays', { ...user, name: 'eric' }, { name: 'eric' }, []],
    ['another name goes', { ...answer, name: 'bob' }, { name: undefined }, ['name 0']],
    ['an answer without a channel gets the one it means', { ...answer, channel: undefined }, { channel: 'final' }, []],
    [
      'a call without a channel is made on commentary', { ...call, channel: undefined }, { channel: 'commentary' },
      ['channel 0'],
    ],
    ['a call with JSON says so', { ...call, ...untyped }, { contentType: 'json', constrained: true }, []],
    ['a call with other text does not', { ...call, ...untyped, content: 'x = 1' }, untyped, []],
    ['a call id goes', { ...call, callId: 'c1' }, { callId: undefined }, ['call-id 0']],
    ['a call ends in its token', { ...call, end: 'end' }, { end: 'call' }, ['end 0']],
    [
      'a preamble needs no intent', { ...thought, channel: 'commentary', intent: 'preamble' },
      { intent: undefined, channel: 'commentary' }, ['intent 0'],
    ],
    [
      'commentary that users may not see', { ...thought, channel: 'commentary' }, { channel: 'analysis' },
      ['channel 0'],
    ],
    [
      'a status', { ...thought, channel: 'commentary', intent: 'status' }, { channel: 'analysis' },
      ['intent 0', 'channel 0'],
    ],
    [
      'an answer that users may not see', { ...answer, intent: 'debug' }, { channel: 'analysis' },
      ['intent 0', 'channel 0'],
    ],
    [
      'a user\'s message that users may not see', { ...user, intent: 'debug' }, { channel: 'analysis' },
      ['intent 0', 'channel 0'],
    ],
    [
      'unknown attributes go, one by one', { ...user, attributes: [x, x] }, { attributes: undefined },
      ['attribute 0', 'attribute 0'],
    ],
    ['an unknown channel stays', { ...answer, channel: 'side' }, { channel: 'side' }, []],
    ['a stop token of the past', { ...answer, end: 'return' }, { end: 'end' }, ['end 0']],
    ['a reply is told to the assistant', { ...reply, recipient: undefined }, { recipient: 'assistant' }, []],
    ['a reply without a channel', { ...reply, channel: undefined }, { channel: 'commentary' }, ['channel 0']],
  ];

  test.each(rows)('%s', (_name, message, shaped, losses) => {
    const { data, losses: told } = toHarmony(of(message));
    const { intent: _intent, callId: _callId, attributes: _attributes, ...rest } = message;
    expect(data.messages).toEqual([{ ...rest, ...shaped }]);
    expect(named(told).sort()).toEqual([...losses].sort());
  });
});

describe('a transcript to Harmony', () => {
  test('reasoning that is written as text stays hidden', () => {
    const said = (content: string): MessageData => ({ ...answer, channel: undefined, content });
    const { data, losses } = toHarmony(of(user, said('<think>\nSECRET\n</think>\n\nYes.')));
    const { text } = writeTranscript(data, 'harmony');
    const messages = [...parse(text, { dialect: 'harmony' }).messages()];
    expect(messages.map((message) => [message.channel, message.content])).toEqual([
      ['final', 'Hi.'], ['analysis', 'SECRET'], ['final', 'Yes.'],
    ]);
    expect(losses.map(({ what }) => what)).not.toContain('thinking');
  });

  test('a reply without a name has that of its call, by id or by order', () => {
    const calls = [{ ...call, callId: 'a' }, { ...call, recipient: 'functions.g', callId: 'b' }];
    const byId = toHarmony(
      of(...calls, { ...reply, name: undefined, callId: 'b' }, { ...reply, name: undefined, callId: 'a' }),
    );
    expect(byId.data.messages.map(({ name }) => name)).toEqual([undefined, undefined, 'functions.g', 'functions.f']);
    expect(toHarmony(of(call, { ...reply, name: undefined })).data.messages[1]!.name).toBe('functions.f');
  });

  test('a reply that would answer another call without its id is told', () => {
    const calls = [{ ...call, callId: 'a' }, { ...call, callId: 'b' }];
    const inOrder = toHarmony(of(...calls, { ...reply, callId: 'a' }, { ...reply, callId: 'b' })).losses;
    expect(named(inOrder)).toEqual(['call-id 0', 'call-id 1', 'call-id 2', 'call-id 3']);
    const crossed = toHarmony(of(...calls, { ...reply, callId: 'b' }, { ...reply, callId: 'a' })).losses;
    expect(crossed.filter(({ detail }) => detail?.includes('another call')).map(({ message }) => message).sort())
      .toEqual([2, 3]);
  });

  test('only the last answer of training data ends in the stop token', () => {
    const data = of(user, { ...answer, end: 'return' }, user, answer);
    const ends = (options: ToHarmonyOptions): unknown[] => toHarmony(data, options).data.messages.map(({ end }) => end);
    expect(ends({})).toEqual(['end', 'end', 'end', 'end']);
    expect(ends({ training: true })).toEqual(['end', 'end', 'end', 'return']);
    expect(toHarmony(of(user, thought), { training: true }).data.messages.at(-1)!.end).toBe('end');
    expect(toHarmony(of(user, { ...answer, end: 'return' }), { training: true }).losses).toEqual([]);
  });

  test.each(['ocm', 'harmony'] as const)('old reasoning is left out by the rule %s, and told', (reasoning) => {
    const { data, losses } = toHarmony(of(user, thought, answer, user), { reasoning });
    expect(data.messages).toEqual([user, answer, user]);
    expect(named(losses)).toEqual(['thinking 1']);
  });

  test('an open turn is left out, and told', () => {
    const { data, losses } = toHarmony(of(user, { role: 'assistant', content: '', end: 'eof' }));
    expect(data.messages).toEqual([user]);
    expect(named(losses)).toEqual(['end 1']);
  });

  test('what a document header says beside its version is told', () => {
    expect(named(toHarmony({ ...of(user), header: { version: '2.2', model: 'x' } }).losses)).toEqual(['header null']);
    expect(toHarmony({ ...of(user), header: { version: '2.2' } }).losses).toEqual([]);
  });

  test.each([{ instructions: 'other' }, { style: 'plain' }, { reasoning: 'all' }])('%j is a wrong call', (options) => {
    expect(() => toHarmony(of(user), options as ToHarmonyOptions)).toThrow(RangeError);
  });
});

describe('system and developer messages', () => {
  const system: MessageData = { role: 'system', content: 'Be kind.', end: 'end' };
  const developer: MessageData = { role: 'developer', content: 'Be kind.', end: 'end' };
  const instructions: MessageData = { ...developer, content: '# Instructions\n\nBe kind.' };
  const own: MessageData = { role: 'system', content: SYSTEM, end: 'end' };

  test('a first system message stays, or becomes the instructions', () => {
    expect(toHarmony(of(system, user)).data.messages).toEqual([system, user]);
    const moved = toHarmony(of(system, user), { instructions: 'developer' });
    expect(moved.data.messages).toEqual([instructions, user]);
    expect(named(moved.losses)).toEqual(['role 0']);
  });

  test('one of Harmony\'s layout always stays', () => {
    expect(toHarmony(of(own, user), { instructions: 'developer', system: HARMONY_SYSTEM }))
      .toEqual({ data: of(own, user), losses: [] });
  });

  test('a later one becomes instructions: text would begin a new transcript', () => {
    const { data, losses } = toHarmony(of(system, user, { ...system, content: 'Be brief.' }));
    expect(data.messages.map(({ role }) => role)).toEqual(['system', 'user', 'developer']);
    expect(named(losses)).toEqual(['role 2']);
    expect(parse(writeTranscript(data, 'harmony').text, { dialect: 'harmony' }).transcripts).toHaveLength(1);
  });

  test('one is written first when asked for, and knows of functions', () => {
    const { data } = toHarmony({ ...of(system, user), tools: [tool] }, { system: HARMONY_SYSTEM });
    expect(data.messages).toEqual([own, { ...developer, content: `# Instructions\n\nBe kind.\n\n${TOOLS}` }, user]);
    expect(toHarmony(of(), { system: HARMONY_SYSTEM }).data.messages)
      .toEqual([{ ...own, content: harmonySystem(HARMONY_SYSTEM) }]);
  });

  test('tools stand in the first developer message, or in one of their own', () => {
    const withTools = (data: TranscriptData): readonly MessageData[] =>
      toHarmony({ ...data, tools: [tool] }).data.messages;
    expect(withTools(of(developer, user)))
      .toEqual([{ ...developer, content: `# Instructions\n\nBe kind.\n\n${TOOLS}` }, user]);
    expect(withTools(of(own, user))).toEqual([own, { ...developer, content: TOOLS }, user]);
    expect(withTools(of(user, developer))).toEqual([{ ...developer, content: TOOLS }, user, instructions]);
    expect(withTools(of({ ...developer, content: TOOLS }, user))).toEqual([{ ...developer, content: TOOLS }, user]);
    const unreadable = { ...developer, content: '# Tools\n\nprose' };
    expect(withTools(of(unreadable, user))).toEqual([{ ...developer, content: TOOLS }, unreadable, user]);
  });

  test('a definition that the notation does not carry whole is told; one that it cannot name is refused', () => {
    const pattern = { type: 'object', properties: { x: { type: 'string', pattern: '^a' } } };
    const { losses } = toHarmony({ ...of(user), tools: [tool, { ...tool, name: 'g', parameters: pattern }] });
    expect(losses).toEqual([
      { what: 'tools', message: null, detail: 'tool 1: the text does not hold all of its definition' },
    ]);
    expect(() => toHarmony({ ...of(user), tools: [{ ...tool, name: 'f = () => any;\n} evil {' }] })).toThrow(Refusal);
  });

  test('a developer message is taken apart where it can be built again', () => {
    const back = (...messages: MessageData[]): TranscriptData => fromHarmony(of(...messages)).data;
    expect(back(instructions, user)).toEqual(of(developer, user));
    expect(back({ ...developer, content: `# Instructions\n\nBe kind.\n\n${TOOLS}` }, user))
      .toEqual({ ...of(developer, user), tools: [tool] });
    expect(back(own, { ...developer, content: TOOLS }, user)).toEqual({ ...of(own, user), tools: [tool] });
    // A later message may have instructions only, as tools are written to the front.
    expect(back(user, instructions)).toEqual(of(user, developer));
    const kept = [
      of(user, { ...developer, content: TOOLS }),
      of({ ...developer, content: `${TOOLS}\n` }, user),
      of({ ...developer, content: TOOLS.replace('type f', ' type f') }, user),
      of({ ...developer, content: '# Instructions\n\n# Tools\n\nin words' }, user),
      of({ ...developer, content: TOOLS, name: 'ann' }, user),
      of(developer, user),
    ];
    for (const data of kept) expect(fromHarmony(data).data).toEqual(data);
    expect(back({ ...developer, content: TOOLS }, instructions, user))
      .toEqual(of({ ...developer, content: TOOLS }, developer, user));
  });
});

test('the example of 2.2 §16.2 as Harmony', () => {
  const bytes = readFileSync(new URL('../../../fixtures/cases/examples/2-2-16-2.txt', import.meta.url));
  const messages = [...parse(bytes, { dialect: 'openchatml-2.2' }).messages()].map(messageData);
  const { data, losses } = toHarmony(of(...messages), { reasoning: 'ocm', training: true });
  const [system, developer] = messages;
  expect(writeTranscript(data, 'harmony').text).toBe(
    `<|start|>system<|message|>${system!.content}<|end|>` +
    `<|start|>developer<|message|>${developer!.content}<|end|>` +
    "<|start|>user<|message|>What's the weather in Tokyo?<|end|>" +
    '<|start|>assistant to=functions.get_current_weather<|channel|>commentary <|constrain|>json'
    + '<|message|>{"location":"Tokyo","format":"celsius"}<|call|>' +
    '<|start|>functions.get_current_weather to=assistant<|channel|>commentary<|message|>{"ok":true,'
    + '"content":{"temperature":20,"sunny":true}}<|end|>' +
    '<|start|>assistant<|channel|>final<|message|>It’s 20\u202f°C and sunny in Tokyo right now.<|return|>',
  );
  expect(named(losses)).toEqual(['thinking 3', 'call-id 4', 'call-id 5']);
});

describe('from Harmony', () => {
  test('commentary without a recipient is a preamble', () => {
    const commentary = { ...thought, channel: 'commentary' };
    expect(fromHarmony(of(commentary, call, { ...commentary, recipient: 'user' }), { preambles: true }).data.messages)
      .toEqual([
        { ...commentary, intent: 'preamble' }, call, { ...commentary, recipient: 'user' },
      ]);
  });

  test('a message without a channel is told, as it is hidden there and shown elsewhere', () => {
    expect(named(fromHarmony(of(user, { ...answer, channel: undefined })).losses)).toEqual(['channel 1']);
  });
});

/** A message of any mixture of fields that 2.2 can write. */
function randomMessage(random: Random): MessageData {
  const role = random.pick(['user', 'assistant', 'assistant', 'assistant', 'tool', 'developer']);
  const maybe = <T>(value: T): T | undefined => (random.once(3) ? value : undefined);
  const contentType = maybe(random.pick(['json', 'text']));
  return {
    role,
    name: role === 'tool' ? random.pick(['functions.f', 'functions.g']) : maybe('n'),
    recipient: maybe(random.pick(['functions.f', 'functions.g', 'python', 'user', 'assistant', 'all'])),
    channel: maybe(random.pick(['analysis', 'commentary', 'final', 'side'])),
    intent: maybe(random.pick(['preamble', 'status', 'debug'])),
    callId: maybe(random.pick(['a', 'b'])),
    contentType,
    constrained: contentType === undefined ? undefined : true,
    attributes: random.once(9) ? [{ key: 'x', value: 'y' }] : undefined,
    end: random.pick(['end', 'end', 'call', 'return', undefined]),
    content: random.pick(['{}', 'text', '', '# Instructions\n\nx', '# Tools\n\nx']),
  };
}

const randomData = (random: Random): TranscriptData =>
  of(...Array.from({ length: 1 + random.below(7) }, () => randomMessage(random)));
const present = (message: MessageData): object =>
  Object.fromEntries(
    Object.entries(message).filter(([, value]) => value !== undefined && value !== null && value !== false),
  );

test(`what users may not see they do not see in Harmony either (OPENCHATML_SEED=${SEED})`, () => {
  const seeds = randomOf(SEED);
  let hidden = 0;
  for (let run = 0; run < runs(3000); run++) {
    const data = randomData(randomOf(seeds.below(0x7fffffff)));
    const read = (text: string, dialect: 'openchatml-2.2' | 'harmony'): { message: MessageData; shown: boolean }[] => {
      const bytes = new TextEncoder().encode(text);
      const [transcript] = parse(bytes, { dialect }).transcripts;
      return [...transcript!].map((message) => {
        const { role, channel, recipient, end } = message;
        const mayBe = dialect === 'harmony' && role === 'assistant' && recipient === null && end !== 'call';
        const isConvention = mayBe && channel === 'commentary';
        return { message: messageData(message), shown: isConvention || message.isVisible };
      });
    };
    const before = read(writeTranscript(data, 'openchatml-2.2', { header: false }).text, 'openchatml-2.2');
    const after = read(writeTranscript(toHarmony(data).data, 'harmony').text, 'harmony');
    const told = `OPENCHATML_SEED=${SEED}, run ${run}: ${JSON.stringify(data.messages)}`;
    expect(after.length, told).toBe(before.length);
    for (const [at, { shown }] of before.entries()) {
      if (shown) continue;
      hidden++;
      expect(after[at]!.shown, `${told}, message ${at}`).toBe(false);
    }
  }
  expect(hidden).toBeGreaterThan(runs(1000));
});

test(`what does not come back is told, message by message (OPENCHATML_SEED=${SEED})`, () => {
  const seeds = randomOf(SEED + 1);
  let [same, lost] = [0, 0];
  for (let run = 0; run < runs(3000); run++) {
    const data = randomData(randomOf(seeds.below(0x7fffffff)));
    const { data: shaped, losses } = toHarmony(data);
    const { text, losses: ofWriting } = writeTranscript(shaped, 'harmony');
    const parsed = parse(text, { dialect: 'harmony' });
    const back = fromHarmony({ header: null, tools: [], messages: [...parsed.messages()].map(messageData) }, {
      preambles: true,
    }).data.messages;
    const told = `OPENCHATML_SEED=${SEED}, run ${run}: ${JSON.stringify(data.messages)}`;
    expect(ofWriting, told).toEqual([]);
    for (const [at, message] of data.messages.entries()) {
      if (losses.some((loss) => loss.message === at)) {
        lost++;
        continue;
      }
      // What Harmony says in so many words, and 2.2 leaves unsaid.
      const isCall = message.role === 'assistant' && !['user', 'assistant', 'all'].includes(message.recipient ?? 'all');
      const said: MessageData = { ...message, end: message.end ?? (isCall ? 'call' : 'end') };
      const more: Partial<MessageData> = {};
      if (message.role === 'assistant' && message.channel === undefined) Object.assign(more, { channel: 'final' });
      if (message.role === 'tool' && message.recipient === undefined) Object.assign(more, { recipient: 'assistant' });
      if (isCall && message.recipient!.startsWith('functions.') && !message.contentType && message.content === '{}') {
        Object.assign(more, { contentType: 'json', constrained: true });
      }
      if (message.role === 'developer') {
        Object.assign(more, { content: message.content.replace(/^# Instructions\n\n/, '') });
      }
      expect(present(back[at]!), `${told}, message ${at}`).toEqual(present({ ...said, ...more }));
      same++;
    }
  }
  expect(same).toBeGreaterThan(runs(1000));
  expect(lost).toBeGreaterThan(runs(1000));
});

const DEVELOPERS = [
  TOOLS, `# Instructions\n\nx\n\n${TOOLS}`, '# Instructions\n\nx', 'x', '# Instructions\n\n', '# Tools\n\nx',
  `# Instructions\n\n${TOOLS}`, `${TOOLS}\n`,
];

test(`Harmony to neutral data and back is the same text (OPENCHATML_SEED=${SEED})`, () => {
  const seeds = randomOf(SEED + 2);
  for (let run = 0; run < runs(3000); run++) {
    const random = randomOf(seeds.below(0x7fffffff));
    const front = random
      .pick([[], [SYSTEM], ['Be kind.']])
      .map((content): MessageData => ({ role: 'system', content }));
    const developers = Array.from({ length: random.below(3) }, (): MessageData => ({
      role: 'developer', content: random.pick(DEVELOPERS),
    }));
    const data = of(...front, ...developers, ...toHarmony(randomData(random)).data.messages);
    const text = writeTranscript(data, 'harmony').text;
    const messages = [...parse(text, { dialect: 'harmony' }).messages()].map(messageData);
    const neutral = fromHarmony({ header: null, tools: [], messages }, { preambles: true }).data;
    // A message without headings gets them; all else is as it was.
    const expected = of(...messages.map((message) => {
      const isPlain = message.role === 'developer' && !/^# (Instructions|Tools)\n\n/.test(message.content);
      return isPlain ? { ...message, content: `# Instructions\n\n${message.content}` } : message;
    }));
    expect(
      writeTranscript(toHarmony(neutral).data, 'harmony').text,
      `OPENCHATML_SEED=${SEED}, run ${run}: ${JSON.stringify(text)}`,
    )
      .toBe(writeTranscript(expected, 'harmony').text);
  }
});
