// What the tests of the turn loop share: scripted models, a router with a tool, runs and what is seen of them.
import { afterAll, beforeAll, expect } from 'vitest';
import type { MessageData, ToolDefinition } from '../../../src/model/data.ts';
import { ToolRouter } from '../../../src/runtime/router/router.ts';
import type { RouterOptions } from '../../../src/runtime/router/types.ts';
import { runTurn } from '../../../src/runtime/turn/turn.ts';
import type { TurnModel, TurnPrompt, TurnEvent, TurnOptions, TurnResult } from '../../../src/runtime/turn/types.ts';
import { settled, VirtualClock } from '../router/clock.ts';

export const WEATHER: ToolDefinition = {
  namespace: 'functions',
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
export const ASK: MessageData = { role: 'user', content: 'What is the weather in Oslo?' };
export const THINK = '<|channel|>analysis<|message|>I have to ask.<|end|>';
export const CALL =
  '<|start|>assistant to=functions.weather call_id=c1<|channel|>commentary<|constrain|>json<|message|>{"city":"Oslo"}'
    + '<|call|>';
export const ANSWER = '<|channel|>final<|message|>It rains.<|return|>';

export interface Scripted {
  readonly model: TurnModel;
  readonly prompts: TurnPrompt[];
  /** Outputs that were closed before their end. */
  closed: number;
}

/** Says one output after the other, in chunks of `size` bytes. */
export function scripted(outputs: readonly string[], size = 7): Scripted {
  const script: Scripted = { model, prompts: [], closed: 0 };
  async function* model(prompt: TurnPrompt): AsyncGenerator<Uint8Array> {
    script.prompts.push(prompt);
    const bytes = new TextEncoder().encode(outputs[prompt.round - 1]);
    let at = 0;
    try {
      for (; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    } finally {
      if (at < bytes.length) script.closed++;
    }
  }
  return script;
}

export const routerOf = (options: Partial<RouterOptions> = {}): ToolRouter =>
  new ToolRouter({
    handlers: { 'functions.weather': () => ({ sky: 'rain' }), python: () => 4 },
    tools: [WEATHER],
    clock: new VirtualClock(),
    ...options,
  });

export interface Ran extends TurnResult {
  readonly events: TurnEvent[];
  readonly script: Scripted;
}

export interface RunOptions extends Partial<TurnOptions> {
  /** Is told of each event before the next one is asked for. */
  readonly onEvent?: (event: TurnEvent) => void;
}

export async function run(outputs: readonly string[], options: RunOptions = {}, size = 7): Promise<Ran> {
  const script = scripted(outputs, size);
  const events: TurnEvent[] = [];
  const { onEvent, ...others } = options;
  const running = runTurn({
    model: script.model, messages: [ASK], router: routerOf(), maxRounds: Math.max(outputs.length, 1), ...others,
  });
  for await (const event of running) {
    events.push(event);
    onEvent?.(event);
  }
  return { ...(await running.result), events, script };
}

export const shown = (events: readonly TurnEvent[]): string =>
  events.map((event) => (event.type === 'response.delta' ? event.delta : '')).join('');
export const lines = (messages: readonly MessageData[]): string[] =>
  messages.map(({ role, channel, recipient, callId, content }) =>
    [role, channel ?? '-', recipient ?? '-', callId ?? '-', content].join(' '),
  );

/** For a test file: no promise may be rejected unseen. */
export function refuseUnhandled(): void {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  beforeAll(() => void process.on('unhandledRejection', note));
  afterAll(async () => {
    await settled();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
}
