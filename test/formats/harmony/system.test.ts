// The system message of Harmony: written, read, and compared with openai-harmony over all its settings.
import { describe, expect, test } from 'vitest';
import {
  HARMONY_SYSTEM, type HarmonySystem, harmonySystem, readHarmonySystem,
} from '../../../src/formats/harmony/system.ts';
import { runs } from '../../long.ts';
import { askHarmony, hasHarmony, type OutsideMessage } from '../../outside/harmony.ts';
import { randomOf, SEED } from '../../random.ts';

const CHANNELS = ['analysis', 'commentary', 'final'];
const SEARCH =
  'namespace browser {\n\n// Searches.\ntype search = (_: {\nquery: string,\n}) => any;\n\n} // namespace browser';
const BROWSER = `## browser\n\n// Looks things up.\n${SEARCH}`;
const PYTHON = '## python\n\nRuns code.\n\nIt has no network.';

test('the layout, in full', () => {
  const fields = { ...HARMONY_SYSTEM, currentDate: '2025-08-10', builtinTools: PYTHON, functionTools: true };
  expect(harmonySystem(fields)).toBe(`You are ChatGPT, a large language model trained by OpenAI.
Knowledge cutoff: 2024-06
Current date: 2025-08-10

Reasoning: medium

# Tools

## python

Runs code.

It has no network.

# Valid channels: analysis, commentary, final. Channel must be included for every message.
Calls to these tools must go to the commentary channel: 'functions'.`);
});

/** Every mixture of fields that are there and are not. */
function mixtures(): HarmonySystem[] {
  const values: { [K in keyof HarmonySystem]: (HarmonySystem[K] | undefined)[] } = {
    identity: [undefined, 'You are Ada.', 'You are Ada.\n\nYou are kind.'],
    knowledgeCutoff: [undefined, '2024-06'],
    currentDate: [undefined, '2025-08-10'],
    reasoningEffort: [undefined, 'low', 'medium', 'high'],
    builtinTools: [undefined, PYTHON, `${BROWSER}\n\n${PYTHON}`],
    channels: [undefined, CHANNELS, ['final']],
    channelRequired: [undefined, false],
    functionTools: [undefined, true],
  };
  let all: HarmonySystem[] = [{}];
  for (const [key, choices] of Object.entries(values)) {
    all = all.flatMap((fields) => choices.map((value) => (value === undefined ? fields : { ...fields, [key]: value })));
  }
  return all.filter(({ channels, functionTools, channelRequired }) => {
    return channels || (!functionTools && channelRequired === undefined);
  });
}

test('reading gives the fields back wherever effort or channels tell the layout', () => {
  let told = 0;
  for (const fields of mixtures()) {
    const text = harmonySystem(fields);
    const isTold = fields.reasoningEffort !== undefined || fields.channels !== undefined;
    expect(readHarmonySystem(text), text).toEqual(isTold ? fields : null);
    if (isTold) told++;
  }
  expect(told).toBeGreaterThan(200);
});

test(`any text: what is read stays the same when it is written and read again (OPENCHATML_SEED=${SEED})`, () => {
  const random = randomOf(SEED);
  const pieces = [
    'You are Ada.', 'Knowledge cutoff: 2024-06', 'Current date: 2025-08-10', 'Reasoning: low', 'Reasoning:', '# Tools',
    '## python', 'Runs code.',
    '# Valid channels: final.', '# Valid channels: a, b. Channel must be included for every message.',
    '# Valid channels: ',
    "Calls to these tools must go to the commentary channel: 'functions'.", '', '', ' ',
  ];
  let read = 0;
  for (let run = 0; run < runs(20_000); run++) {
    const text = Array.from({ length: random.below(9) }, () => random.pick(pieces)).join(random.pick(['\n', '\n\n']));
    const fields = readHarmonySystem(text);
    if (fields === null) continue;
    read++;
    expect(readHarmonySystem(harmonySystem(fields)), `OPENCHATML_SEED=${SEED}: ${JSON.stringify(text)}`)
      .toEqual(fields);
  }
  expect(read).toBeGreaterThan(runs(500));
});

describe('reading', () => {
  test('takes other blank lines, as in the example of 2.2 §16.2', () => {
    const text = `You are a helpful AI assistant.
Knowledge cutoff: 2024-06
Current date: 2025-08-08

Reasoning: high
# Valid channels: analysis, commentary, final. Channel must be included for every message.
Calls to these tools must go to the commentary channel: 'functions'.`;
    const fields = readHarmonySystem(text);
    expect(fields).toEqual({
      identity: 'You are a helpful AI assistant.', knowledgeCutoff: '2024-06', currentDate: '2025-08-08',
      reasoningEffort: 'high',
      channels: CHANNELS, functionTools: true,
    });
    expect(harmonySystem(fields!)).toBe(text.replace('high\n', 'high\n\n'));
  });

  test.each([
    'You are a helpful assistant.',
    '',
    'Reasoning: I like to explain.',
    "Answer.\nCalls to these tools must go to the commentary channel: 'functions'.",
    '# Valid channels: analysis, final',
    'Knowledge cutoff: 2024-06\nCurrent date: 2025-08-10',
    '# Valid channels: final. Channel must be included for every message.\nAnd more words.',
  ])('%j is another text', (text) => {
    expect(readHarmonySystem(text)).toBeNull();
  });
});

const named = (tools: string): Record<string, unknown> =>
  Object.fromEntries(tools.split(/\n\n(?=## )/).map((part) => {
    const name = /^## (\w+)/.exec(part)![1]!;
    const description = 'Looks things up.';
    const parameters = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] };
    if (name === 'browser') {
      return [name, { name, description, tools: [{ name: 'search', description: 'Searches.', parameters }] }];
    }
    return [name, { name, description: part.split('\n\n').slice(1).join('\n\n'), tools: [] }];
  }));

test.skipIf(!hasHarmony())('openai-harmony renders every mixture of fields byte for byte the same', () => {
  const all = mixtures();
  const answers = askHarmony(all.map((fields) => {
    const { reasoningEffort: effort } = fields;
    const system = {
      model_identity: fields.identity ?? null,
      knowledge_cutoff: fields.knowledgeCutoff ?? null,
      conversation_start_date: fields.currentDate ?? null,
      reasoning_effort: effort ? effort[0]!.toUpperCase() + effort.slice(1) : null,
      channel_config: fields.channels
        ? { valid_channels: fields.channels, channel_required: fields.channelRequired !== false }
        : null,
      tools: fields.builtinTools ? named(fields.builtinTools) : null,
    };
    const messages: OutsideMessage[] = [{ role: 'system', content: { system } }];
    const tools = [{ name: 'f', description: 'd', parameters: null }];
    if (fields.functionTools) messages.push({ role: 'developer', content: { developer: { tools } } });
    return { op: 'render', mode: 'conversation', drop: false, messages };
  }));
  const wrong = all.flatMap((fields, at) => {
    const answer = answers[at]!;
    const text = 'text' in answer ? answer.text.split('<|end|>')[0] : answer.error;
    const ours = `<|start|>system<|message|>${harmonySystem(fields)}`;
    return text === ours ? [] : [{ text, ours }];
  });
  expect(wrong).toEqual([]);
  expect(all.length).toBeGreaterThan(300);
});
