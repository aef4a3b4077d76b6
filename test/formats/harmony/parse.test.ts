// What openai-harmony reads, we read too: every text that it takes gives the same messages, but for a table of its
// defects.
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from '../../../src/rules/library-best.ts';
import { readFixtures } from '../../fixture.ts';
import { runs } from '../../long.ts';
import { type Answer, askHarmony, hasHarmony, type ReadMessage } from '../../outside/harmony.ts';
import { type Random, randomOf, SEED } from '../../random.ts';

const RUNS = runs(2000);

interface Asked {
  text: string;
  /** The text is a completion of this role. */
  role: string | null;
}

interface Defect {
  name: string;
  ruling: string;
  /** A message as the library reads it shows the defect. */
  shows(message: ReadMessage): boolean;
  example: Asked & { theirs: Partial<ReadMessage>; ours: Partial<ReadMessage>[] };
}

const CONTROL = /<\|(start|end|message|channel|call|return|constrain)\|>/;
const START = '<|start|>assistant';

const DEFECTS: Defect[] = [
  {
    name: 'a lone content type is taken for the recipient',
    ruling: 'R-CTYPE',
    shows: ({ recipient }) => recipient?.startsWith('<|constrain|>') ?? false,
    example: {
      text: '<|channel|>final <|constrain|>json<|message|>{}<|return|>', role: 'assistant',
      theirs: { recipient: '<|constrain|>json', contentType: null },
      ours: [{ channel: 'final', recipient: null, contentType: 'json' }],
    },
  },
  {
    name: 'a lone word after the channel is taken for the recipient, not for the content type',
    ruling: 'R-CTYPE, R-STRAY-WORD',
    shows: ({ recipient }) => recipient !== null && !KNOWN_RECIPIENTS.includes(recipient),
    example: {
      text: `${START}<|channel|>commentary json<|message|>{}<|end|>`, role: null,
      theirs: { recipient: 'json', contentType: null },
      ours: [{ channel: 'commentary', recipient: null, contentType: 'json' }],
    },
  },
  {
    name: 'a second channel is part of the value before it',
    ruling: 'R-CHANNEL',
    shows: ({ recipient, name }) => CONTROL.test(recipient ?? '') || CONTROL.test(name ?? ''),
    example: {
      text: `${START}<|channel|>commentary to=functions.f<|channel|>commentary<|message|>{}<|call|>`, role: null,
      theirs: { recipient: 'functions.f<|channel|>commentary' },
      ours: [{ recipient: 'functions.f', channel: 'commentary' }],
    },
  },
  {
    name: 'a terminator or start in a header is part of it',
    ruling: 'R-MISSING-MESSAGE',
    shows: ({ recipient }) => /<\|(start|end)\|>/.test(recipient ?? ''),
    example: {
      text: `<|channel|>final<|end|>${START}<|message|>x<|end|>`, role: 'assistant',
      theirs: { recipient: '<|end|><|start|>assistant', channel: 'final' },
      ours: [
        { role: 'assistant', channel: 'final', recipient: null, content: '' },
        { role: 'assistant', recipient: null, content: 'x' },
      ],
    },
  },
  {
    name: 'with a role given, a start token and role are the recipient',
    ruling: 'R-IMPLIED-START',
    shows: ({ recipient }) => recipient?.startsWith('<|start|>') ?? false,
    example: {
      text: `${START}<|channel|>final<|message|>x<|end|>`, role: 'assistant',
      theirs: { recipient: '<|start|>assistant' },
      ours: [{ role: 'assistant', recipient: null, channel: 'final', content: 'x' }],
    },
  },
  {
    name: 'a start token in a body is text',
    ruling: 'R-UNCLOSED',
    shows: ({ content }) => content.includes('<|start|>'),
    example: {
      text: `${START}<|channel|>analysis<|message|>a${START}<|channel|>final<|message|>b<|end|>`, role: null,
      theirs: { channel: 'analysis', content: `a${START}<|channel|>final<|message|>b` },
      ours: [{ channel: 'analysis', content: 'a' }, { channel: 'final', content: 'b' }],
    },
  },
  {
    name: 'a recipient in the place of the role is the name of a tool',
    ruling: 'R-ROLE',
    shows: ({ name }) => name?.startsWith('to=') ?? false,
    example: {
      text: '<|start|>to=functions.f<|channel|>commentary<|message|>{}<|call|>', role: null,
      theirs: { role: 'tool', name: 'to=functions.f', recipient: null },
      ours: [{ role: 'assistant', name: null, recipient: 'functions.f' }],
    },
  },
  {
    name: 'the role tool is also the name of the tool',
    ruling: 'R-ROLE',
    shows: ({ role, name }) => role === 'tool' && name === 'tool',
    example: {
      text: '<|start|>tool to=assistant<|message|>x<|end|>', role: null,
      theirs: { role: 'tool', name: 'tool' }, ours: [{ role: 'tool', name: null, recipient: 'assistant' }],
    },
  },
  {
    name: 'a named person with a recipient is a tool',
    ruling: 'R-ROLE',
    shows: ({ role, name }) => role === 'tool' && /^(user|assistant|system|developer|tool):/.test(name ?? ''),
    example: {
      text: '<|start|>user:eric to=assistant<|message|>x<|end|>', role: null,
      theirs: { role: 'tool', name: 'user:eric' }, ours: [{ role: 'user', name: 'eric', recipient: 'assistant' }],
    },
  },
  {
    name: 'an author with any recipient is a tool',
    ruling: 'R-ROLE',
    shows: ({ role, name, recipient }) => role === 'tool' && !name?.startsWith('functions.')
      && recipient !== 'assistant',
    example: {
      text: '<|start|>python to=user<|message|>x<|end|>', role: null,
      theirs: { role: 'tool', name: 'python', recipient: 'user' },
      ours: [{ role: 'python', name: null, recipient: 'user' }],
    },
  },
];

const KNOWN_RECIPIENTS = ['assistant', 'user', 'functions.f', 'python', 'browser.search'];

function ours({ text, role }: Asked): ReadMessage[] {
  const parsed = parse(text, { dialect: 'harmony', ...(role !== null && { role }) });
  return [...parsed.messages()].map(({ role, name, recipient, explicitChannel, contentType, content }) =>
    ({ role: role!, name, recipient, channel: explicitChannel, contentType, content }));
}

/** The same text, and where the library's messages differ from ours, the defect that they show. */
function compare(
  all: readonly Asked[],
): { same: number; refused: number; shown: Map<string, number>; unexplained: object[] } {
  const result = { same: 0, refused: 0, shown: new Map<string, number>(), unexplained: [] as object[] };
  for (const [at, answer] of askHarmony(all.map((asked) => ({ op: 'parse', ...asked }))).entries()) {
    if (!('messages' in answer)) {
      result.refused++;
      continue;
    }
    const theirs = answer.messages.map((message) => {
      return { ...message, contentType: message.contentType?.replace(/^<\|constrain\|>/, '') ?? null };
    });
    const mine = ours(all[at]!);
    if (JSON.stringify(mine) === JSON.stringify(theirs)) {
      result.same++;
      continue;
    }
    // A defect explains its own message. It may change the content only where it changes the number of messages.
    let explained = answer.messages.some(hasDefect);
    if (mine.length === theirs.length) {
      explained &&= theirs.every((message, n) => {
        const isSame = JSON.stringify(message) === JSON.stringify(mine[n]);
        return isSame || (hasDefect(answer.messages[n]!) && message.content === mine[n]!.content);
      });
    }
    if (!explained) result.unexplained.push({ ...all[at], theirs, mine });
    for (const { name, shows } of DEFECTS) {
      if (answer.messages.some(shows)) result.shown.set(name, (result.shown.get(name) ?? 0) + 1);
    }
  }
  return result;
}

const hasDefect = (message: ReadMessage): boolean => DEFECTS.some(({ shows }) => shows(message));

describe.skipIf(!hasHarmony())('against openai-harmony', () => {
  const answers = new Map<Defect, Answer>();
  beforeAll(() => {
    const told = askHarmony(DEFECTS.map(({ example: { text, role } }) => ({ op: 'parse', text, role })));
    for (const [at, defect] of DEFECTS.entries()) answers.set(defect, told[at]!);
  });

  test.each(DEFECTS.map((defect) => [defect.name, defect] as const))('%s', (_name, defect) => {
    const { shows, example } = defect;
    const answer = answers.get(defect);
    if (!answer || !('messages' in answer)) throw new Error(`refused: ${JSON.stringify(answer)}`);
    expect(answer.messages.some(shows)).toBe(true);
    expect(answer.messages[0]).toMatchObject(example.theirs);
    const mine = ours(example);
    expect(mine).toHaveLength(example.ours.length);
    expect(mine).toMatchObject(example.ours);
  });

  test('reported texts, as they are, as completions and as prompts', () => {
    const pages = readFixtures().filter(({ name }) => /^(wild|disagreements)\//.test(name));
    const texts =
      pages.map(({ input, options }): Asked => ({ text: Buffer.from(input).toString(), role: options.role ?? null }));
    const all = texts.flatMap(({ text, role }) => {
      return [{ text, role }, { text, role: 'assistant' }, { text: START + text, role: null }];
    });
    const { same, refused, unexplained } = compare(all);
    expect(unexplained).toEqual([]);
    expect(same).toBeGreaterThan(10);
    expect(refused).toBeLessThan(all.length);
  });

  test(`${RUNS} random texts (OPENCHATML_SEED=${SEED})`, { timeout: 300_000 }, () => {
    const seeds = randomOf(SEED);
    const all = Array.from({ length: RUNS }, () => randomText(randomOf(seeds.below(0x7fffffff))));
    const { same, refused, shown, unexplained } = compare(all);
    expect(unexplained.slice(0, 3), `OPENCHATML_SEED=${SEED}`).toEqual([]);
    expect(same, `${refused} refused, ${JSON.stringify([...shown])}`).toBeGreaterThan(RUNS / 3);
  });
});

const ROLES = ['system', 'developer', 'user', 'assistant', 'assistant', 'assistant', 'functions.f'];

/** A header, likely well made; oddities come one at a time. */
function randomHeader(random: Random): string {
  const space = (): string => (random.once(6) ? random.pick(['  ', '\t', '\n']) : ' ');
  const to = (): string =>
    `${space()}to=${random.pick(['functions.f', 'functions.f', 'python', 'browser.search', 'user'])}`;
  const isOdd = random.once(10);
  const role = random.pick(isOdd ? ['tool', 'user:eric', 'to=functions.f', 'python'] : ROLES);
  let start = role;
  let channel = '';
  let type = '';
  if (role === 'functions.f' || isOdd) start += random.once(12) ? to() : `${space()}to=assistant`;
  if (!random.once(4)) {
    channel = `<|channel|>${random.pick(['analysis', 'commentary', 'final', 'final', 'comment', 'Final'])}`;
  }
  const isCall = role === 'assistant' && random.once(2);
  if (isCall && (channel === '' || random.once(2))) start += to();
  else if (isCall) channel += to();
  if (channel !== '' && random.once(25)) channel += '<|channel|>commentary';
  if (isCall ? random.once(2) : random.once(25)) {
    const word = random.pick(['json', 'code']);
    if (channel !== '' && random.once(2)) channel += space() + word;
    else type = `${random.pick(['', ' '])}<|constrain|>${word}`;
  }
  return `<|start|>${start}${channel}${type}${random.once(12) ? ' ' : ''}<|message|>`;
}

function randomText(random: Random): Asked {
  const pieces = [
    'a', ' ', '\n', '<', '<|', '|>', '<<|', 'é', '😀', '{"a": 1}', '\0', '<|literal|>', '<|foo|>', '<|channel|>',
    '<|message|>', '<|constrain|>',
    '<|im_end|>', '<|endoftext|>',
  ];
  let text = '';
  for (let left = 1 + random.below(4); left > 0; left--) {
    text += randomHeader(random);
    for (let size = random.below(6); size > 0; size--) text += random.pick(pieces);
    if (random.once(60)) text += START;
    text += left === 1 && random.once(6) ? '' : random.pick(['<|end|>', '<|return|>', '<|call|>']);
  }
  // As a completion the first message's start token and role are the caller's.
  return random.once(4) && text.startsWith(START)
    ? { text: text.slice(START.length), role: 'assistant' }
    : { text, role: null };
}
