// Chat records from the rows of texts say what those from values say; what loses something, or is written otherwise, is
// left to the values.
import { describe, expect, test } from 'vitest';
import { transcriptsOrRows } from '../../../src/corpus/records/raw.ts';
import { convertTranscript } from '../../../src/formats/convert.ts';
import { neutralOf } from '../../../src/formats/neutral.ts';
import { RecordMessages } from '../../../src/formats/chat/record-messages.ts';
import type { Loss } from '../../../src/formats/loss.ts';
import type { MessageData, ToolDefinition, TranscriptData } from '../../../src/model/data.ts';
import type { ReadOptions } from '../../../src/model/walk.ts';
import { createMachine } from '../../../src/scan/engine.ts';
import type { Machine } from '../../../src/scan/machine.ts';
import { MemorySource, type Source } from '../../../src/scan/source.ts';
import { runs } from '../../long.ts';
import { type Random, randomOf, SEED } from '../../random.ts';
import { SlowSource } from '../../corpus/input/slow-source.ts';
import { mutated } from '../../corpus/records/random-chat.ts';

const BUILDS = ['simd', 'scalar'] as const;
const DECODER = new TextDecoder();
const MACHINE = createMachine();
const WRITERS = { simd: new RecordMessages({ build: 'simd' }), scalar: new RecordMessages({ build: 'scalar' }) };

interface Written {
  readonly json: string;
  readonly losses: readonly Loss[];
}

interface Made {
  /** Of each transcript that is given as rows: the record's JSON from rows, and what is lost; null: it must be read. */
  readonly fromRows: (Written | null)[];
  /** The same from values; null: it is refused. */
  readonly fromValues: (Written | null)[];
}

interface MadeOptions extends ReadOptions {
  readonly preambles?: boolean;
}

/** Records of a text's transcripts in both ways. */
function recordsOf(
  text: Uint8Array | string | Source, build: (typeof BUILDS)[number],
  { preambles = false, ...options }: MadeOptions = {}, machine: Machine = MACHINE,
): Made {
  const source = typeof text === 'object' && 'read' in text ? text
    : new MemorySource(typeof text === 'string' ? Buffer.from(text) : text);
  const writer = WRITERS[build];
  const made: Made = { fromRows: [], fromValues: [] };
  for (const one of transcriptsOrRows(machine, source, options)) {
    if (!('read' in one)) continue;
    const written = writer.write(one.batch, one.row, one.to, one.info, one.context, preambles);
    made.fromRows.push(written && {
      json: `{${DECODER.decode(written.opening)}${DECODER.decode(written.messages)}]}`,
      losses: written.losses,
    });
    const { data, dialect, losses, refusal } = one.read();
    made.fromValues.push(refusal === null ? recordOf(data, dialect, losses, preambles) : null);
  }
  return made;
}

function recordOf(
  data: TranscriptData, dialect: Parameters<typeof neutralOf>[1], before: readonly Loss[], preambles: boolean,
): Written | null {
  try {
    const neutral = neutralOf(data, dialect, { preambles });
    const { record, losses } = convertTranscript(neutral.data, 'messages');
    return { json: JSON.stringify(record), losses: [...before, ...neutral.losses, ...losses] };
  } catch {
    return null;
  }
}

/** What rows give is right; answers how many they gave. */
function expectRight({ fromRows, fromValues }: Made, name: string): number {
  fromRows.forEach((written, i) => {
    if (written !== null) expect(written, name).toEqual(fromValues[i]);
  });
  return fromRows.filter((written) => written !== null).length;
}

const framed = (...messages: string[]): string => `version: 2.2\n${messages.join('\n')}\n`;
const SAID = '<|start|>user<|message|>Hi "there"\n<|end|>';
const ANSWER = '<|start|>assistant<|channel|>final<|message|>Grüße \\ 😀<|end|>';
const RETURNED = ANSWER.replace('<|end|>', '<|return|>');
const THOUGHT = '<|start|>assistant<|channel|>analysis<|message|>Well.<|end|>';
const PREAMBLE = '<|start|>assistant intent=preamble<|channel|>commentary<|message|>One moment.<|end|>';
const CALL = '<|start|>assistant to=functions.f call_id=c-1<|channel|>commentary<|constrain|>json<|message|>{"a": 1}'
  + '<|call|>';
const LISTS = '<|start|>system<|message|>[{"name": "f", "parameters": {}}]<|end|>';
const REPLY_WORDS = ['to=assistant', 'call_id=c-1', 'name=functions.f'];
const reply = (words: readonly string[]): string =>
  `<|start|>tool ${words.join(' ')}<|channel|>commentary<|message|>2<|end|>`;
const REPLY = reply(REPLY_WORDS);
const ORDERS = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] as const;

const H_SYSTEM = '<|start|>system<|message|>You are ChatGPT.\n\n# Valid channels: analysis, final.<|end|>';
const H_TOOLS = '<|start|>developer<|message|># Tools\n\n## functions\n\nnamespace functions {\n\n// Does f\n'
  + 'type f = (_: {\na: string,\n}) => any;\n\n} // namespace functions<|end|>';
const H_SAID = '<|start|>user<|message|>Hi "there"\n<|end|>';
const H_THOUGHT = '<|start|>assistant<|channel|>analysis<|message|>Well.<|end|>';
const H_ANSWER = '<|start|>assistant<|channel|>final<|message|>Yes 😀<|end|>';
const H_RETURNED = H_ANSWER.replace('<|end|>', '<|return|>');
const BESIDE = '<|start|>assistant<|channel|>commentary<|message|>One moment.<|end|>';
const H_CALL = '<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": "1"}<|call|>';
const HINTED = H_CALL.replace('<|constrain|>', '');
const H_REPLY = '<|start|>functions.f to=assistant<|channel|>commentary<|message|>2<|end|>';
const PREAMBLES = { dialect: 'harmony', preambles: true } as const;

describe.each(BUILDS)('%s', (build) => {
  test.each([
    ['an answer', [SAID, ANSWER]],
    ['a thought and an answer', [SAID, THOUGHT, ANSWER]],
    ['a preamble, calls and replies', [SAID, PREAMBLE, CALL, CALL.replace('c-1', 'c_2'), REPLY, ANSWER]],
    ['a thought and a call', [SAID, THOUGHT, CALL]],
    ['two answers', [SAID, ANSWER, ANSWER]],
    ['a system message', ['<|start|>system<|message|>Be brief.<|end|>', SAID]],
    ['only a system message', ['<|start|>system<|message|>Be brief.<|end|>']],
    ['a later system message', [SAID, '<|start|>system<|message|>Be brief.<|end|>', ANSWER]],
    ['no channel', [SAID, '<|start|>assistant<|message|>Yes.<|end|>']],
    ['markup', [SAID.replace('Hi', '<p>a</p> <')]],
    ...ORDERS.map((order): [string, string[]] => {
      return [`a reply whose words stand as ${order.join()}`, [CALL, reply(order.map((i) => REPLY_WORDS[i]!))]];
    }),
    ['a return', [SAID, RETURNED]],
    ['returns, and a system message before', ['<|start|>system<|message|>Be brief.<|end|>', SAID, RETURNED, RETURNED]],
    ['a thought that returns', [SAID, THOUGHT.replace('<|end|>', '<|return|>'), RETURNED]],
  ])('%s', (_, messages) => {
    const made = recordsOf(framed(...messages), build);
    expect(made.fromRows).toHaveLength(1);
    expect(expectRight(made, 'rows')).toBe(1);
  });

  test.each([
    ['a preamble without a call', [SAID, PREAMBLE, ANSWER]],
    ['a preamble before a user', [PREAMBLE, SAID]],
    ['a preamble at the end', [SAID, PREAMBLE]],
    ['two thoughts', [THOUGHT, THOUGHT, ANSWER]],
    ['an empty thought', [THOUGHT.replace('Well.', ''), ANSWER]],
    ['commentary', [THOUGHT.replace('analysis', 'commentary')]],
    ['a hidden user', [SAID.replace('<|message|>', '<|channel|>analysis<|message|>')]],
    ['a builtin tool', [CALL.replace('functions.f', 'functions.python')]],
    ['a tool without namespace', [CALL.replace('functions.f', 'f')]],
    ['an action', [CALL.replace('functions.f', 'functions.f.g')]],
    ['a call without id', [CALL.replace(' call_id=c-1', '')]],
    ['a reply without name', [CALL, REPLY.replace(' name=functions.f', '')]],
    ['a reply with two names', [CALL, reply([REPLY_WORDS[2]!, REPLY_WORDS[1]!, REPLY_WORDS[2]!])]],
    ['a reply with two ids', [CALL, reply([...REPLY_WORDS, REPLY_WORDS[1]!])]],
    ['a reply with an empty id', [CALL, reply([REPLY_WORDS[0]!, 'call_id=', REPLY_WORDS[2]!])]],
    ['a reply whose role is its name', [CALL, REPLY.replace('tool', 'functions.f').replace(' name=functions.f', '')]],
    ['a name', [SAID.replace('user', 'user name=n')]],
    ['an id with a quote', [CALL.replace('c-1', 'c"1')]],
    ['a call that ends as a message', [CALL.replace('<|call|>', '<|end|>')]],
    ['an answer that ends as a call', [ANSWER.replace('<|end|>', '<|call|>')]],
    ['a user who returns', [SAID.replace('<|end|>', '<|return|>')]],
    ['no end', [SAID.replace('<|end|>', ''), ANSWER]],
    ['two ends', [SAID, `${ANSWER}<|end|>`]],
    ['an escape', [SAID.replace('Hi', '<<|end|>')]],
    ['a marker', [THOUGHT.replace('Well', '<|start_reason|>')]],
    ['a written thought', [ANSWER.replace('G', '<think>a</think>G')]],
    ['a written call', [ANSWER.replace('G', '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>')]],
    ['text between messages', [SAID, 'text', ANSWER]],
    ['an unknown role', [SAID.replace('user', 'robot')]],
    ['an attribute', [SAID.replace('user', 'user a=b')]],
    ['a list of tools in a system message', [LISTS, SAID]],
  ])('%s: left to values', (_, messages) => {
    expect(recordsOf(framed(...messages), build).fromRows.filter((written) => written !== null)).toEqual([]);
  });

  test('bad UTF-8, a profile, channels that are asked for: left to values', () => {
    const text = Buffer.from(framed(SAID.replace('Hi', '\xff')), 'latin1');
    expect(recordsOf(text, build).fromRows).toEqual([null]);
    const profile = framed(SAID).replace('version: 2.2\n', 'version: 2.2\nprofiles:\n  harmony:\n    enabled: true\n');
    expect(recordsOf(profile, build).fromRows).toEqual([null]);
    expect(recordsOf(framed(SAID), build, { requireChannels: true }).fromRows).toEqual([null]);
  });

  test('what a document header says beside the version is lost', () => {
    const text = framed(SAID, RETURNED).replace('version: 2.2\n', 'version: 2.2\nmodel: m\ngeneration_settings: {}\n');
    const made = recordsOf(text + text + framed(SAID), build);
    expect(expectRight(made, 'rows')).toBe(3);
    expect(made.fromRows.map((written) => written!.losses.map(({ what, message }) => [what, message]))).toEqual([
      [['header', null], ['header', null], ['end', 1]], [['header', null], ['header', null], ['end', 1]], [],
    ]);
  });

  describe('Harmony', () => {
    test.each([
      ['an answer', [H_SAID, H_ANSWER]],
      ['a thought and an answer', [H_SAID, H_THOUGHT, H_ANSWER]],
      ['a return', [H_SAID, H_THOUGHT, H_RETURNED]],
      ['a system message and tools', [H_SYSTEM, H_TOOLS, H_SAID, H_CALL, H_REPLY, H_ANSWER]],
      ['tools and instructions', [H_TOOLS.replace('# Tools', '# Instructions\n\nBe brief.\n\n# Tools'), H_SAID]],
      ['only tools', [H_TOOLS]],
      ['tools before a call', [H_TOOLS, H_CALL, H_REPLY]],
      ['calls with replies in another order', [
        H_SAID, H_CALL, H_CALL.replace('.f ', '.g '), H_CALL, H_REPLY.replace('.f ', '.g '), H_REPLY, H_REPLY, H_ANSWER,
      ]],
      ['a recipient before the channel', [
        '<|start|>assistant to=functions.f<|channel|>commentary <|constrain|>json<|message|>{}<|call|>', H_REPLY,
      ]],
      ['no space before the type', [H_CALL.replace(' <|constrain|>', '<|constrain|>'), H_REPLY]],
      ['no type', [H_CALL.replace(' <|constrain|>json', ''), H_REPLY]],
      ['a space and no type', [H_CALL.replace('<|constrain|>json', ''), H_REPLY]],
      ['types that are hints, and a return', [H_SAID, HINTED, H_REPLY, H_RETURNED, H_SAID, HINTED, H_REPLY]],
      ['a reply to nobody', [H_CALL, H_REPLY.replace(' to=assistant', '')]],
      ['a reply without a channel', [H_CALL, H_REPLY.replace('<|channel|>commentary', '')]],
      ['many calls', Array.from({ length: 120 }, (_, i) => [H_CALL, i % 7 < 6 ? H_REPLY : '']).flat()],
      ['a hidden commentary', [H_SAID, BESIDE, H_CALL, H_REPLY, H_ANSWER]],
      ['a hidden commentary that returns', [H_SAID, BESIDE.replace('<|end|>', '<|return|>')]],
    ])('%s', (_, messages) => {
      const made = recordsOf(messages.join(''), build, { dialect: 'harmony' });
      expect(made.fromRows).toHaveLength(1);
      expect(expectRight(made, 'rows')).toBe(1);
    });

    test('preambles that are asked for', () => {
      const made = recordsOf([H_SAID, BESIDE, H_CALL, H_REPLY, H_ANSWER].join(''), build, PREAMBLES);
      expect(expectRight(made, 'rows')).toBe(1);
      expect(made.fromRows[0]!.json).toContain('"content":"One moment.","tool_calls"');
    });

    test.each([
      ['a reply that answers no call', [H_SAID, H_REPLY]],
      ['a second reply', [H_CALL, H_REPLY, H_REPLY]],
      ['a reply of another tool', [H_CALL, H_REPLY.replace('.f ', '.g ')]],
      ['a reply whose role is tool', [H_CALL, '<|start|>tool to=assistant<|channel|>commentary<|message|>2<|end|>']],
      ['a call on analysis', [H_CALL.replace('commentary', 'analysis')]],
      ['a builtin tool', [H_CALL.replace('functions.f', 'python')]],
      ['a function of that name', [H_CALL.replace('.f', '.python'), H_REPLY.replace('.f', '.python')]],
      ['code', [H_CALL.replace('<|constrain|>json', 'code')]],
      ['two recipients', [H_CALL.replace('assistant<', 'assistant to=functions.g<')]],
      ['an id', [H_CALL.replace(' to=', ' call_id=c to=')]],
      ['no channel', [H_SAID, '<|start|>assistant<|message|>Yes.<|end|>']],
      ['instructions in the middle', [H_SAID, H_TOOLS, H_ANSWER]],
      ['two thoughts', [H_THOUGHT, H_THOUGHT, H_ANSWER]],
      ['a thought and a hidden commentary', [H_THOUGHT, BESIDE, H_ANSWER]],
      ['no end', [H_SAID, H_ANSWER.replace('<|end|>', '')]],
      ['a written call', [H_ANSWER.replace('Yes', '<tool_call>{}</tool_call>')]],
    ])('%s: left to values', (_, messages) => {
      expect(recordsOf(messages.join(''), build, { dialect: 'harmony' }).fromRows).toEqual([null]);
      expect(recordsOf(messages.join(''), build, PREAMBLES).fromRows).toEqual([null]);
    });

    test(`random texts (OPENCHATML_SEED=${SEED})`, () => {
      let given = 0;
      for (let round = 0; round < runs(1500); round++) {
        const random = randomOf(SEED + round);
        const text = randomHarmony(random);
        const name = `seed ${SEED}, round ${round}`;
        given += expectRight(recordsOf(text, build, { dialect: 'harmony', preambles: random.once(2) }), name);
      }
      expect(given).toBeGreaterThan(runs(500));
    });
  });

  describe('0.1', () => {
    const line = (role: string, text: string): string => `<|im_start|>${role}\n${text}\n<|im_end|>\n`;
    const TALK = line('user', 'Hi') + line('assistant', 'Yes.');
    const LIST = '<|function_list|>\n{"type": "function", "function": {"name": "f", "parameters": {}}}';

    test.each([
      ['answers', TALK + TALK],
      ['a system message', line('system', 'Be brief.') + TALK],
      ['a system message with tools', line('system', `Be brief.\n${LIST}`) + TALK],
      ['only tools', line('system', LIST) + TALK],
      ['no newline before the end', TALK.replaceAll('\n<|im_end|>', '<|im_end|>')],
      ['newlines of two bytes', ['\r\n', 'Hi\r\n', '\r', '\n', '\n\r\n', '\r\r\n'].map((text) => {
        return `<|im_start|>user\n${text}<|im_end|>`;
      }).join('')],
      ['blank lines', line('user', '\n Hi \n') + line('assistant', '')],
      ['markup', TALK.replace('Hi', '<p>"a"</p> <|end|> \u0001 😀')],
      ['messages that follow each other', line('user', 'a') + line('user', 'b') + TALK + line('assistant', 'c')],
      ['a bound of the text', `<s>\n${TALK}</s>`],
    ])('%s', (_, text) => {
      const made = recordsOf(text, build);
      expect(made.fromRows).toHaveLength(1);
      expect(expectRight(made, 'rows')).toBe(1);
    });

    test.each([
      ['a thought', TALK.replace('Yes.', '<think>Well.</think>Yes.')],
      ['the end of a thought', TALK.replace('Yes.', 'Well.</think>Yes.')],
      ['a thought between tokens', TALK.replace('Yes.', '<|start_reason|>Well.<|end_reason|>Yes.')],
      ['a call', TALK.replace('Yes.', '<|function_call|>\n{"name": "f", "arguments": {}}')],
      ['a written call', TALK.replace('Yes.', '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>')],
      ['a written reply', TALK.replace('Hi', '<tool_response>\n2\n</tool_response>')],
      ['a reply', line('tool', '<|function_output|>\n2')],
      ['a name', TALK.replace('user', 'user name=n')],
      ['carriage returns', TALK.replaceAll('\n', '\r\n')],
      ['no end', line('user', 'Hi').replace('<|im_end|>\n', '') + TALK],
    ])('%s: left to values', (_, text) => {
      expect(recordsOf(text, build).fromRows).toEqual([null]);
    });

    test(`random texts (OPENCHATML_SEED=${SEED})`, () => {
      let given = 0;
      for (let round = 0; round < runs(1000); round++) {
        const random = randomOf(SEED + round);
        const content = (): string => random.pick(CONTENTS) + random.pick(['', '\n', random.pick(CONTENTS)]);
        const role = (): string => random.pick(random.once(12) ? ['tool', 'developer', 'x'] : ['user', 'assistant']);
        const texts = Array.from({ length: 1 + random.below(4) }, () => {
          const messages = Array.from({ length: random.below(6) }, () => line(role(), content()));
          return (random.once(2) ? line('system', random.pick([content(), LIST])) : '') + messages.join('');
        });
        const text = Buffer.from(texts.join(random.pick(['', '\n', '</s><s>'])));
        const made = recordsOf(random.once(3) ? changed(random, text) : text, build, { dialect: 'openchatml-0.1' });
        given += expectRight(made, `seed ${SEED}, round ${round}`);
      }
      expect(given).toBeGreaterThan(runs(250));
    });
  });

  test(`random texts (OPENCHATML_SEED=${SEED})`, () => {
    let given = 0;
    for (let round = 0; round < runs(3000); round++) {
      const random = randomOf(SEED + round);
      const made = recordsOf(randomTexts(random), build);
      given += expectRight(made, `seed ${SEED}, round ${round}`);
    }
    expect(given).toBeGreaterThan(runs(1000));
  });

  test(`texts that are read in any pieces give what they give at once (OPENCHATML_SEED=${SEED})`, () => {
    const machine = createMachine({ engine: 'js', window: 1024 });
    for (let round = 0; round < runs(1000); round++) {
      const random = randomOf(SEED + round);
      const text = randomTexts(random);
      const pieces = new SlowSource(text, 1 + random.below(1200));
      const name = `seed ${SEED}, round ${round}`;
      expect(recordsOf(pieces, build, {}, machine), name).toEqual(recordsOf(text, build));
    }
  });

  test('a transcript that is kept for long is left to values', () => {
    const text = Buffer.from(framed(SAID.replace('Hi', 'long '.repeat(30_000)), ANSWER) + framed(SAID));
    const machine = createMachine({ engine: 'js', window: 1024 });
    const made = recordsOf(new SlowSource(text, 1000), build, {}, machine);
    expect(made.fromRows).toHaveLength(1);
    expect(expectRight(made, 'rows')).toBe(1);
  });
});

const CONTENTS = [
  '', 'Hi', 'Grüße\n"x"', '\u0001\\', 'a <b> c</b>', '😀'.repeat(9), '{"a": [1, "b"]}', '# Tools', 'x'.repeat(70),
  '</t>', 'think>',
];
const TOOL_NAMES = ['f', 'get_x', 'python', 'browser'];

/** As `mutated`, which leaves no newline. */
function changed(random: Random, text: Uint8Array): Uint8Array {
  const newline = 0xfe;
  const bytes = mutated(random, text.map((byte) => (byte === 0x0a ? newline : byte)));
  return bytes.map((byte) => (byte === newline ? 0x0a : byte));
}

function randomTexts(random: Random): Uint8Array {
  const texts = Array.from({ length: 2 + random.below(4) }, () => textOf(random));
  const text = Buffer.from(texts.join(''));
  return random.once(2) ? text : random.pick([mutated, changed])(random, text);
}

/** Transcripts of Harmony, some of them written in odd ways. */
function randomHarmony(random: Random): Uint8Array {
  const fill = (message: string, content: string): string => message.replace(/(<\|message\|>)[^<]*/, `$1${content}`);
  const content = (): string => (random.once(5) ? random.pick(CONTENTS).replaceAll('$', '') : 'Well, well.');
  const ways: readonly [string, string][] = [
    ['<|constrain|>', ''], [' <|constrain|>json', ''], [' <|c', '<|c'], ['.f ', '.get_x '], ['.f ', '.browser '],
    [' to=assistant', ''], ['<|end|>', '<|return|>'],
    ['<|channel|>commentary to=functions.f', ' to=functions.f<|channel|>commentary'],
  ];
  const oddly = (message: string): string => (random.once(3) ? message.replace(...random.pick(ways)) : message);
  let text = '';
  for (let transcripts = 1 + random.below(4); transcripts > 0; transcripts--) {
    const instructed = fill(H_TOOLS, `# Instructions\n\n${content()}`);
    text += random.pick([H_SYSTEM, H_TOOLS, '', H_SYSTEM + H_TOOLS, H_SYSTEM + instructed]);
    for (let turns = random.below(5); turns > 0; turns--) {
      text += fill(H_SAID, content());
      if (random.once(2)) text += fill(H_THOUGHT, content());
      if (random.once(6)) text += fill(BESIDE, content());
      for (let calls = random.below(3); calls > 0; calls--) text += oddly(fill(H_CALL, content()));
      for (let replies = random.below(3); replies > 0; replies--) text += oddly(fill(H_REPLY, content()));
      text += oddly(fill(H_ANSWER, content()));
    }
  }
  const bytes = Buffer.from(text);
  return random.once(4) ? changed(random, bytes) : bytes;
}

/** A transcript that mostly loses no more than rows can tell. */
function textOf(random: Random): string {
  const content = (): string => random.pick(CONTENTS) + random.pick(['', '', random.pick(CONTENTS)]);
  const messages: MessageData[] = [];
  if (random.once(2)) messages.push({ role: random.pick(['system', 'developer']), content: content(), end: 'end' });
  const instructs = (): boolean => random.once(6);
  for (let turns = random.below(5); turns > 0; turns--) {
    const role = instructs() ? random.pick(['system', 'developer']) : 'user';
    messages.push({ role, content: content(), end: 'end' });
    if (random.once(3)) {
      messages.push({ role: 'assistant', channel: 'analysis', content: content() || 'a', end: 'end' });
    }
    if (random.once(3)) {
      const preamble = { channel: 'commentary', intent: 'preamble' };
      if (random.once(2)) messages.push({ role: 'assistant', ...preamble, content: content(), end: 'end' });
      const calls = 1 + random.below(2);
      const name = `functions.${random.pick(TOOL_NAMES.slice(0, random.once(8) ? 4 : 2))}`;
      const type = { channel: 'commentary', contentType: 'json', constrained: true } as const;
      for (let i = 0; i < calls; i++) {
        const call = { recipient: name, callId: `c${i}`, content: content(), end: 'call' } as const;
        messages.push({ role: 'assistant', ...call, ...type });
      }
      for (let i = 0; i < calls; i++) {
        const to = { recipient: 'assistant', channel: 'commentary', callId: `c${i}`, name };
        messages.push({ role: 'tool', ...to, content: content(), end: 'end' });
      }
    }
    const end = random.once(4) ? 'return' : 'end';
    messages.push({ role: 'assistant', ...random.pick([{}, { channel: 'final' }]), content: content(), end });
  }
  const parameters = { type: 'object', properties: { a: { type: 'number' } }, required: [] };
  const tools: ToolDefinition[] = random.once(3) ? [{ namespace: 'functions', name: 'f', parameters }] : [];
  try {
    const header = random.pick([{}, {}, { model: 'm' }, { model: 'm', generation_settings: { temperature: 1 } }]);
    const text = convertTranscript({ header, tools, messages }, 'openchatml-2.2').text!;
    // Others write the words of replies in another order.
    return random.once(2) ? text : text.replace(/(<\|start\|>tool)( to=\S+)( call_id=\S+)( name=[\w.]+)/g, '$1$3$4$2');
  } catch {
    return '';
  }
}
