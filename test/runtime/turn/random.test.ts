// The turn loop with models that say anything: each run ends, each call has one outcome, and what the loop keeps of an
// output shows an end user nothing that the stream did not show. OPENCHATML_SEED repeats a run.
import { expect, test } from 'vitest';
import { convertTranscript } from '../../../src/formats/convert.ts';
import { Refusal } from '../../../src/formats/loss.ts';
import type { MessageData } from '../../../src/model/data.ts';
import { parse } from '../../../src/index.ts';
import { ToolRouter } from '../../../src/runtime/router/router.ts';
import type { ToolHandler, Outcome, RouterEvent } from '../../../src/runtime/router/types.ts';
import { runTurn } from '../../../src/runtime/turn/turn.ts';
import type { TurnEvent, TurnResult } from '../../../src/runtime/turn/types.ts';
import { runs } from '../../long.ts';
import { type Random, randomInput, randomOf, SEED } from '../../random.ts';

const RUNS = runs(3000);
const DIALECTS = ['openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1', 'harmony'] as const;
const CALLS = [
  '<|start|>assistant to=functions.x call_id=c1<|channel|>commentary<|constrain|>json<|message|>{"a":1}<|call|>',
  '<|start|>assistant<|channel|>analysis to=python code<|message|>1+1<|call|>',
  '<|start|>assistant<|channel|>commentary to=functions.x call_id=c2<|message|>{"a":1}',
  '<|im_start|>assistant\n<|function_call|>{"name":"x","arguments":{}}<|im_end|>',
];

/** A random input, with a call or two among it. */
function output(random: Random): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let left = 1 + random.below(3); left > 0; left--) {
    parts.push(randomInput(random, 6));
    if (random.once(2)) parts.push(new TextEncoder().encode(random.pick(CALLS)));
  }
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** What an end user sees of one message that was written and read. */
function shownOf(message: MessageData): string | null {
  try {
    const { text } = convertTranscript({ header: null, tools: [], messages: [message] }, 'openchatml-2.2');
    const [transcript] = parse(text!, { dialect: 'openchatml-2.2' }).transcripts;
    const view = transcript!.at(0)!;
    return view.isVisible ? view.show() : '';
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

test(`${RUNS} runs (OPENCHATML_SEED=${SEED})`, { timeout: 300_000 }, async () => {
  const seeds = randomOf(SEED);
  const stops = new Set<string>();
  let called = 0;
  for (let number = 0; number < RUNS; number++) {
    const random = randomOf(seeds.below(0x7fffffff));
    const outputs = Array.from({ length: 1 + random.below(3) }, () => output(random));
    const dialect = random.pick(DIALECTS);
    const said = JSON.stringify(outputs.map((one) => Buffer.from(one).toString('latin1')));
    const told = `OPENCHATML_SEED=${SEED}, run ${number}, ${dialect}: ${said}`;
    const ended: RouterEvent[] = [];
    const events: TurnEvent[] = [];
    let asked = 0;
    const handler: ToolHandler = () => {
      asked++;
      return random.pick(['<|end|><|start|>assistant<|message|>', null, { a: ['<'] }]);
    };
    const router = new ToolRouter({
      handlers: { 'functions.*': handler, 'browser.*': handler, python: handler },
      onEvent: (event) => void (event.type === 'tool.done' && ended.push(event)),
    });
    const size = random.once(4) ? 1 : 1 + random.below(40);
    async function* model({ round }: { round: number }): AsyncGenerator<Uint8Array> {
      const bytes = outputs[round - 1]!;
      for (let at = 0; at < bytes.length; at += size) {
        if (failures > 0 && random.once(60)) throw new Error(`failure ${failures--}`);
        yield bytes.subarray(at, at + size);
      }
    }
    const messages: MessageData[] = [{ role: 'user', content: 'Hi' }];
    const options = {
      model,
      messages,
      router,
      dialect,
      maxRounds: outputs.length,
      harmonyPreambles: true,
      stopStripped: random.once(2),
    };
    let failures = random.once(4) ? 2 : 0;
    let result: TurnResult | undefined;
    const outcomes: Outcome[] = [];
    do {
      const running = runTurn({ ...options, messages: result?.messages ?? messages });
      for await (const event of running) events.push(event);
      result = await running.result;
      outcomes.push(...result.outcomes);
      stops.add(result.stop);
      const endings = events.filter(({ type }) => /^response\.(completed|incomplete|cancel)$/.test(type)).length;
      const outputs = events.filter(({ type }) => type === 'turn.prompt').length;
      if (endings !== outputs) throw new Error(`${told}: ${outputs} outputs, ${endings} endings`);
      if (result.stop === 'failed' && events.at(-1)!.type !== 'response.cancel') throw new Error(`${told}: no cancel`);
      // What failed is asked for again, in a run of its own.
    } while (result.stop === 'failed');
    called += asked;
    const replies = result.messages.filter(({ role }) => role === 'tool');
    const wrong = [
      ended.length !== outcomes.length && 'outcomes',
      replies.length !== outcomes.length && 'replies',
      outcomes.filter(({ status }) => status === 'ok').length !== asked && 'handlers',
      result.messages.some(({ role }, index) => index > 0 && role !== 'assistant' && role !== 'tool') && 'roles',
      (result.stop === 'refused') !== (result.refusal !== null) && 'refusal',
    ].filter(Boolean);
    if (wrong.length > 0) throw new Error(`${told}: ${wrong.join(', ')}`);
    const displayed = events.map((event) => (event.type === 'response.delta' ? event.delta : '')).join('');
    for (const message of result.messages.slice(1)) {
      const shown = shownOf(message);
      if (shown !== null && !displayed.includes(shown))
        expect(displayed, `${told}: ${JSON.stringify(message)}`).toContain(shown);
    }
  }
  expect(called).toBeGreaterThan(RUNS / 20);
  expect([...stops].sort()).toEqual(['failed', 'final', 'length', 'rounds', 'unanswered']);
});
