// The public names: options that there are not, results typed by what was asked for, chats in one call.
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  type ChatRecord, convertTranscript, fromHarmony, fromOpenAI, fromResponses, fromShareGpt, type InterchangeRecord,
  messagesForCompletion, neutralOf, renderHtml, renderText, toHarmony, type TranscriptData, writePrompt, writeSegments,
  writeTranscript,
} from '../src/convert.ts';
import {
  check, chatToText, createMachine, escapeControlTokens, findControlTokens, parse, rescue, scan, textToChat,
} from '../src/index.ts';
import * as js from '../src/js.ts';
import { checkFile, readMessages, scanCorpus, scanFile } from '../src/node.ts';
import {
  ChatAdapter, defineTool, EventReader, eventsOf, MessageStream, MessageTransform, openAICompatible, readCompletion,
  rescue as streamRescue, runTurn, type ToolHandler, ToolRouter, TokenStream,
} from '../src/stream.ts';
import * as tools from '../src/tools.ts';

const DATA: TranscriptData = { header: null, tools: [], messages: [{ role: 'user', content: 'Hi' }] };
const TEXT = '<|start|>user<|message|>Hi<|end|>';
const FILE = 'fixtures/samples/tool-2.0.ocml';
const [MESSAGE] = parse(TEXT).messages();

/** Calls with an option that there is not, and the name that is meant. */
const SLIPS: [what: string, call: (options: never) => unknown, slip: string, meant: string | null][] = [
  ['parse', (options) => parse(TEXT, options), 'dialekt', 'dialect'],
  ['scan', (options) => scan(TEXT, options), 'rol', 'role'],
  ['check', (options) => check(TEXT, options), 'stopstripped', 'stopStripped'],
  ['js parse', (options) => js.parse(TEXT, options), 'dialekt', 'dialect'],
  ['js scan', (options) => js.scan(TEXT, options), 'rescu', 'rescue'],
  ['js check', (options) => js.check(TEXT, options), 'jsondepth', 'jsonDepth'],
  ['check of tools', (options) => tools.check(TEXT, options), 'tool', 'tools'],
  ['createMachine', createMachine, 'engin', 'engine'],
  ['hiddenReason', (options) => MESSAGE!.hiddenReason(options), 'harmonyPreamble', 'harmonyPreambles'],
  ['show', (options) => MESSAGE!.show(options), 'debu', 'debug'],
  ['findControlTokens', (options) => findControlTokens('', options), 'edge', 'edges'],
  ['escapeControlTokens', (options) => escapeControlTokens('', options), 'dialects', 'dialect'],
  ['chatToText', (options) => chatToText({ messages: [] }, 'harmony', options), 'neutralize', 'neutralise'],
  ['convertTranscript', (options) => convertTranscript(DATA, 'harmony', options), 'neutralize', 'neutralise'],
  ['neutralOf', (options) => neutralOf(DATA, 'harmony', options), 'preamble', 'preambles'],
  ['fromOpenAI', (options) => fromOpenAI({ messages: [] }, options), 'origin', 'origins'],
  ['fromResponses', (options) => fromResponses({ input: [] }, options), 'origin', 'origins'],
  ['fromShareGpt', (options) => fromShareGpt({ conversations: [] }, options), 'origin', 'origins'],
  ['toHarmony', (options) => toHarmony(DATA, options), 'styl', 'style'],
  ['fromHarmony', (options) => fromHarmony(DATA, options), 'preambels', 'preambles'],
  ['messagesForCompletion', (options) => messagesForCompletion([], options), 'rules', 'rule'],
  ['renderText', (options) => renderText(parse(TEXT), options), 'note', 'notes'],
  ['renderHtml', (options) => renderHtml(parse(TEXT), options), 'titl', 'title'],
  ['writePrompt', (options) => writePrompt(DATA, 'harmony', options), 'sistem', 'system'],
  ['writeSegments', (options) => writeSegments(DATA, 'harmony', options), 'sistem', 'system'],
  ['writeTranscript', (options) => writeTranscript(DATA, 'harmony', options), 'marker', 'markers'],
  ['MessageStream', (options) => new MessageStream(options), 'reasonings', 'reasoning'],
  ['end of a MessageStream', (options) => new MessageStream().end(options), 'finish_reason', 'finishReason'],
  ['TokenStream', (options: object) => new TokenStream({ decode: () => null, ...options }), 'colect', 'collect'],
  ['eventsOf', (options) => eventsOf([], options), 'reasonin', 'reasoning'],
  ['MessageTransform', (options) => new MessageTransform(options), 'reasonin', 'reasoning'],
  ['ChatAdapter', (options) => new ChatAdapter(options), 'respons', 'response'],
  ['ToolRouter', (options) => new ToolRouter(options), 'handler', 'handlers'],
  ['defineTool', (options) => defineTool(options), 'excute', 'execute'],
  ['runTurn', (options) => runTurn(options), 'modl', 'model'],
  ['openAICompatible', (options) => openAICompatible('http://localhost/v1/completions', options), 'header', 'headers'],
  ['readCompletion', (options) => readCompletion(new Blob().stream() as never, options).next(), 'frame', null],
  ['EventReader', (options) => new EventReader(options), 'longst', 'longest'],
  ['scanFile', (options) => scanFile(FILE, options), 'fiel', 'field'],
  ['scanCorpus', (options) => scanCorpus([FILE], options), 'thread', 'threads'],
  ['checkFile', (options) => checkFile(FILE, options), 'strikt', 'strict'],
  ['readMessages', (options) => readMessages(FILE, options), 'largestrecord', 'largestRecord'],
];

describe('an option that there is not is a wrong call, which names what is meant:', () => {
  test.each(SLIPS)('%s', async (_, call, slip, meant) => {
    const made = async (): Promise<unknown> => call({ [slip]: true } as never);
    const rest = meant === null ? '' : `; did you mean ${meant}?`;
    await expect(made()).rejects.toThrow(new TypeError(`option ${slip}: there is none of this name${rest}`));
  });

  const flags: [what: string, call: (options: never) => unknown, flag: string][] = [
    ['parse', (options) => parse(TEXT, options), 'stopStripped'],
    ['scan', (options) => scan(TEXT, options), 'requireChannels'],
    ['check', (options) => check(TEXT, options), 'stopStripped'],
    ['js check', (options) => js.check(TEXT, options), 'strict'],
    ['checkFile', (options) => checkFile(FILE, options), 'strict'],
    ['convertTranscript', (options) => convertTranscript(DATA, 'harmony', options), 'neutralise'],
    ['MessageStream', (options) => new MessageStream(options), 'thinkOpen'],
    // A model would be told what went wrong within a tool.
    ['ToolRouter', (options) => new ToolRouter(options), 'exposeErrors'],
    ['ToolRouter', (options) => new ToolRouter(options), 'requireIds'],
  ];
  test.each(flags)('%s: a flag is true or false', async (_, call, flag) => {
    const made = async (): Promise<unknown> => call({ [flag]: 'false' } as never);
    await expect(made()).rejects.toThrow(new TypeError(`option ${flag}: expected true or false; got "false"`));
  });

  const values: [name: string, value: unknown][] = [
    ['dialect', 'openchatml'], ['role', 5], ['form', 'chat'], ['positions', 'lines'], ['field', 5], ['field', ''],
    ['largestRecord', '1 MiB'], ['largestRecord', 0],
  ];
  test.each(values)('%s of a file: %j is none', async (name, value) => {
    const options = { [name]: value } as never;
    const told = new RegExp(`^option ${name}: expected `);
    for (const read of [scanFile, checkFile, readMessages]) expect(() => read(FILE, options)).toThrow(told);
    await expect(scanCorpus([FILE], options)).rejects.toThrow(told);
    expect(() => checkFile(FILE, { tools: 5 as never })).toThrow(/^option tools: expected a list/);
    await expect(scanCorpus(FILE as never)).rejects.toThrow(new TypeError('paths: expected a list of paths'));
  });

  test('options that are no object', () => {
    for (const wrong of [null, 'harmony', 5]) expect(() => parse(TEXT, wrong as never)).toThrow(TypeError);
  });
});

describe('types', () => {
  test('what a conversion gives is known by the form that is asked for', () => {
    const { text, record } = convertTranscript(DATA, 'harmony');
    expectTypeOf(text).toEqualTypeOf<string>();
    expectTypeOf(record).toEqualTypeOf<null>();
    expectTypeOf(convertTranscript(DATA, 'messages').record).toEqualTypeOf<ChatRecord>();
    expectTypeOf(convertTranscript(DATA, 'interchange-2.2').record).toEqualTypeOf<InterchangeRecord>();
    expect([text, record]).toEqual(['<|start|>user<|message|>Hi<|end|>', null]);
  });

  test('a handler may say what its arguments are', () => {
    const weather: ToolHandler = ({ city }: { city: string }) => `${city}: rain`;
    const router = new ToolRouter({ handlers: { 'functions.weather': weather } });
    const tool = defineTool({
      name: 'sum', parameters: { type: 'object' }, execute: ({ a, b }: { a: number; b: number }) => a + b,
    });
    expect([router.tools.length, tool.execute({ a: 1, b: 2 }, {} as never)]).toEqual([0, 3]);
  });
});

describe('chats in one call', () => {
  const record = {
    messages: [
      { role: 'user', content: 'Is <|end|> a token?' },
      { role: 'assistant', thinking: 'It is.', content: 'Yes.' },
    ],
  };

  test.each(['openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1', 'harmony'] as const)('to %s and back', (dialect) => {
    const { text, losses } = chatToText(record, dialect, { neutralise: true });
    const isKept = dialect === 'openchatml-2.2' || dialect === 'openchatml-0.1';
    expect(losses.length > 0).toBe(!isKept);
    for (const read of [textToChat, js.textToChat]) {
      const [chat] = read(text + text, dialect === 'openchatml-2.0' ? 'auto' : dialect);
      const { content } = chat!.record.messages[0]!;
      expect(content).toBe(isKept ? 'Is <|end|> a token?' : 'Is <| end |> a token?');
      expect(chat!.record.messages[1]).toEqual(record.messages[1]);
    }
  });

  test('as `convertTranscript` makes them', () => {
    const quoted = '<|start|>assistant<|channel|>final<|message|>';
    const looks = { what: 'field', message: 0, detail: expect.stringContaining('looks like written reasoning') };
    expect(textToChat(`${quoted}<think> is a tag.<|end|>`, 'harmony')[0]!.losses).toEqual([looks]);
    const [call] = textToChat(`version: 2.2\n${quoted}<tool_call>{"name":"f","arguments":{}}</tool_call><|end|>`);
    expect(call!.losses.map(({ detail }) => detail)).toEqual([expect.stringContaining('looks like a call')]);
    const [thought] = textToChat(`version: 2.2\n${quoted}<think>\nHm.\n</think>\n\nYes.<|end|>`);
    expect(thought!.record.messages).toEqual([{ role: 'assistant', thinking: 'Hm.', content: 'Yes.' }]);
  });

  test('one for each transcript', () => {
    const { text } = chatToText(record, 'openchatml-2.2');
    expect(textToChat(text + text)).toEqual([{ record, losses: [] }, { record, losses: [] }]);
    expect(textToChat('')).toEqual([]);
  });
});

test('`rescue` is what is exported by that name, and of streams what their entry exports', () => {
  expect(() => parse(TEXT, { rescue: true as never })).toThrow(
    new TypeError('option rescue: expected `rescue` of openchatml'),
  );
  const forStreams = new TypeError('option rescue: expected `rescue` of openchatml/stream');
  expect(() => new MessageStream({ rescue: true as never })).toThrow(forStreams);
  expect(() => new MessageStream({ rescue: rescue as never })).toThrow(forStreams);
  const output = '<|channel|>analysis<|message|>Hm.<|channel|>final<|message|>4<|return|>';
  const options = { dialect: 'harmony', role: 'assistant' } as const;
  const counted = [rescue, streamRescue, undefined].map((how) => {
    const read = { ...options, rescue: how };
    return [[...parse(output, read).messages()].length, scan(output, read).messages];
  });
  expect(counted).toEqual([[2, 2], [2, 2], [1, 1]]);
  expect(scan(output, { ...options, rescue: true }).messages).toBe(2);
});
