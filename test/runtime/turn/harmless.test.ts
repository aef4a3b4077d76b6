// The next prompt is written whatever the model said: a tool that has run does not lose its reply for a word that no
// header carries, or for marks that the dialect cannot quote.
import { describe, expect, test } from 'vitest';
import { parse } from '../../../src/index.ts';
import { rescue } from '../../../src/runtime/stream/rescue.ts';
import type { TurnOutputChunk, TurnModel } from '../../../src/runtime/turn/types.ts';
import type { DialectId } from '../../../src/scan/dialects.ts';
import { O200K_HARMONY } from '../../../src/stream.ts';
import { runs } from '../../long.ts';
import { randomOf, SEED } from '../../random.ts';
import { ANSWER, refuseUnhandled, routerOf, run } from './script.ts';

refuseUnhandled();

const noted = (): string => 'noted';
const NOTE = { tools: [], handlers: { 'functions.f': noted, 'functions.a': noted, 'functions.system': noted } };
const CALL = '<|channel|>commentary to=functions.f<|message|>{}<|call|>';
const answerIn = (dialect: DialectId): string => (dialect === 'openchatml-0.1' ? 'It rains.<|im_end|>' : ANSWER);

type Row = readonly [dialect: DialectId, output: string, status: 'ok' | 'refused', written: string];

const ROWS: readonly Row[] = [
  ['harmony', '<|channel|>commentary to=functions.f<<|message|>{}<|call|>', 'refused', 'to=functions.f_'],
  ['harmony', '<|channel|>commentary to=functions.f<|im_end|><|message|>{}<|call|>', 'refused',
    'to=functions.f__im_end__'],
  ['harmony', '<|channel|>commentary to=functions.f <|constrain|>json<|endoftext|><|message|>{}<|call|>', 'ok',
    'to=functions.f<|channel|>commentary <|constrain|>json<|message|>'],
  ['harmony', '<|channel|>commentary to=functions.f <|constrain|>json=x<|message|>{}<|call|>', 'ok', 'to=functions.f'],
  ['harmony', '<|channel|>commentary to=system<|message|>{}<|call|>', 'ok', 'functions.system to=assistant'],
  ['openchatml-2.0', '<|channel|>commentary to=functions.f<|constrain|>json<|message|>{}<|call|>', 'refused',
    'to=functions.f__constrain__json'],
  ['openchatml-2.0', `<|channel|>final foo=bar<|constrain|><|message|>Hi<|end|><|start|>assistant${CALL}`, 'ok',
    '<|message|>Hi'],
  // It hides the message, and 2.0 has none.
  ['openchatml-2.0', ` intent=debug<|message|>x<|end|><|start|>assistant${CALL}`, 'ok',
    '<|channel|>analysis<|message|>x'],
  ['openchatml-2.0', `x <|end_reflect|> y<|end|><|start|>assistant${CALL}`, 'ok', 'to=functions.f'],
  ['openchatml-2.0', `<|im_end|><|end|><|start|>assistant${CALL}`, 'ok', 'to=functions.f'],
  ['openchatml-2.2', '<|channel|>commentary to=functions.f< call_id=c<|message|>{}<|call|>', 'refused',
    'to=functions.f_'],
  ['openchatml-2.2', '<|channel|>commentary call_id=c< to=functions.f<|message|>{}<|call|>', 'ok', 'call_id=c_'],
  ['openchatml-2.2', `<|channel|>final intent=x\u202e<|message|>Hi<|end|><|start|>assistant to=functions.f call_id=c`
    + '<|channel|>commentary<|message|>{}<|call|>', 'ok', '<|message|>Hi'],
  ['openchatml-0.1', '<|start_reason|></think><|im_end|>\n<|im_start|>assistant\n'
    + '<|function_call|>{"name":"f","arguments":{}}<|im_end|>', 'ok', '<|function_call|>'],
];

describe('what the model said does not stop the run', () => {
  test.each(ROWS)('%s: %s', async (dialect, output, status, written) => {
    const { stop, outcomes, script, messages } = await run([output, answerIn(dialect)], {
      dialect, router: routerOf(NOTE), rescue, thinkOpen: /^(x|<.im_end)/.test(output),
    });
    expect([stop, outcomes.map((outcome) => outcome.status)]).toEqual(['final', [status]]);
    const { text } = script.prompts[1]!;
    expect(text).toContain(written);
    // The reply is there, and what the run keeps is what was said.
    expect(text).toContain(status === 'ok' ? 'noted' : 'unknown-tool');
    expect(messages.some(({ role }) => role === 'tool')).toBe(true);
  });

  test('the prompt tells what became of it, and reads as the same call and reply', async () => {
    const output = '<|channel|>commentary call_id=c< to=functions.f<tag><|message|>{"a":"<<|end|>"}<|call|>';
    const { script, events } = await run([output, ANSWER], { dialect: 'openchatml-2.2', router: routerOf(NOTE) });
    const prompts = events.flatMap((event) => (event.type === 'turn.prompt' ? [event.losses] : []));
    expect(prompts[1]).toContainEqual({
      what: 'field', message: 1, detail: 'the model said what cannot be written again: it is made harmless',
    });
    const [transcript] = parse(script.prompts[1]!.text, { dialect: 'openchatml-2.2' }).transcripts;
    const [, call, reply] = [...transcript!];
    expect([call!.recipient, call!.callId, call!.content]).toEqual(['functions.f_tag_', 'c_', '{"a":"<|end|>"}']);
    expect([reply!.name, reply!.callId]).toEqual(['functions.f_tag_', 'c_']);
  });

  test('ids that would become one stay two', async () => {
    const call = (id: string): string => `<|start|>assistant call_id=${id} to=functions.f<|channel|>commentary`
      + '<|message|>{}<|call|>';
    const { stop, script } = await run([call('c<').slice(18) + call('c_'), ANSWER], { router: routerOf(NOTE) });
    expect(stop).toBe('final');
    const [transcript] = parse(script.prompts[1]!.text).transcripts;
    expect([...transcript!].flatMap(({ callId }) => callId ?? [])).toEqual(['c_2', 'c_', 'c_2', 'c_']);
  });

  test('with token ids', async () => {
    const ids = new Map(Object.entries(O200K_HARMONY).map(([id, text]) => [text, Number(id)]));
    const encode = (text: string): number[] => [...new TextEncoder().encode(text)];
    const vocabulary = { encode, decode: (id: number) => (id < 256 ? Uint8Array.of(id) : null) };
    const model: TurnModel = async function* ({ round }): AsyncGenerator<TurnOutputChunk> {
      const text = round === 1 ? CALL.replace('functions.f', 'functions.f<') : ANSWER;
      yield text.split(/(<\|[a-z]+\|>)/).flatMap((part) => ids.get(part) ?? encode(part));
    };
    const { stop } = await run([], { model, vocabulary, dialect: 'harmony', router: routerOf(NOTE), maxRounds: 2 });
    expect(stop).toBe('final');
  });

  test('what a user said is refused as ever', async () => {
    const messages = [{ role: 'user', content: 'a <|end|>' }];
    const output = CALL.replace('functions.f', 'functions.f<');
    const { stop } = await run([output, ANSWER], { dialect: 'harmony', router: routerOf(NOTE), messages });
    expect(stop).toBe('refused');
  });
});

const PIECES = [
  '<|start|>', '<|channel|>', '<|message|>', '<|call|>', '<|constrain|>', '<|end|>', '<|literal|>', '<|endliteral|>',
  '<|start|>assistant<|channel|>analysis<|message|>', '<|start|>assistant<|channel|>final<|message|>', 'to=functions.b',
  '<|channel|>commentary to=functions.a<|constrain|>json<|message|>', '<|start|>assistant', ' call_id=c',
  '<|channel|>commentary<|message|>', 'analysis', ' name=x', '{"x":1}', '\0', 'é', '<think>', '</think>', '\n', '<',
  '<<', ' intent=preamble', ' foo=bar',
  '\u202e', 'é=ü', 'json', '<|im_end|>', '<|start_reflect|>', '<|end_reflect|>', ' to=system',
];
const LINE_PIECES = [
  '<|im_start|>assistant\n', '<|im_end|>\n', '<think>', '</think>', '<tool_call>', '</tool_call>', '<|function_call|>',
  '\n<tool_call>\n{"name":"a","arguments":{"x":1}}\n</tool_call>', '<|function_call|>{"name":"a","arguments":{}}',
  '<|start_reason|>', '<|end_reason|>', 'hello', '\n', '<tool_response>', '</tool_response>', '<|fim_prefix|>',
  ' name=b',
  '<|end|>', '<|start_reflect|>', '<|function_output|>', '<tools>',
];

test(`no run ends as refused (OPENCHATML_SEED=${SEED})`, { timeout: 300_000 }, async () => {
  const seeds = randomOf(SEED);
  let answered = 0;
  for (let round = 0; round < runs(4_000); round++) {
    const random = randomOf(seeds.below(0x7fffffff));
    const dialect = random.pick(['harmony', 'openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1'] as const);
    const isLine = dialect === 'openchatml-0.1';
    const said = Array.from({ length: 1 + random.below(9) }, () => random.pick(isLine ? LINE_PIECES : PIECES)).join('');
    const output = said + (isLine
      ? '<|im_end|>\n<|im_start|>assistant\n<|function_call|>{"name":"a","arguments":{}}<|im_end|>'
      : '<|end|><|start|>assistant<|channel|>commentary to=functions.a call_id=z<|message|>{}<|call|>');
    const how = {
      rescue: random.once(3) ? rescue : undefined, thinkOpen: random.once(4), neutralise: random.once(3),
    };
    const { stop, refusal } = await run([output, answerIn(dialect)], { dialect, router: routerOf(NOTE), ...how }, 1000);
    const told = `OPENCHATML_SEED=${SEED}, round ${round}: ${JSON.stringify([dialect, output, how])}`;
    expect(refusal?.reason ?? stop, told).toBe(stop);
    if (stop === 'final') answered++;
  }
  expect(answered).toBeGreaterThan(runs(1_000));
});
