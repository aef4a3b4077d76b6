// What the tests of the tool router share: a tool, calls of it, a router on a virtual clock, and what replies say.
import type { ToolDefinition } from '../../../src/model/data.ts';
import { ToolRouter } from '../../../src/runtime/router/router.ts';
import type { ToolHandler, RoutedCall, RouterEvent, RouterOptions } from '../../../src/runtime/router/types.ts';
import { VirtualClock } from './clock.ts';

export const WEATHER: ToolDefinition = {
  namespace: 'functions',
  name: 'weather',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};

let ids = 0;
export const call = (fields: Partial<RoutedCall> = {}): RoutedCall => ({
  role: 'assistant',
  recipient: 'functions.weather',
  channel: 'commentary',
  contentType: 'json',
  constrained: true,
  callId: `c${++ids}`,
  end: 'call',
  content: '{"city":"Oslo"}',
  ...fields,
});

export const routerOf = (
  options: Partial<RouterOptions> = {},
): { router: ToolRouter; clock: VirtualClock; events: RouterEvent[] } => {
  const clock = new VirtualClock();
  const events: RouterEvent[] = [];
  const router = new ToolRouter({
    handlers: { 'functions.weather': () => 'rain' },
    clock,
    onEvent: (event) => void events.push(event),
    ...options,
  });
  return { router, clock, events };
};

export const never: ToolHandler = () => new Promise(() => undefined);
export const envelope = ({ reply }: { reply: { content: string } }): Record<string, unknown> =>
  JSON.parse(reply.content) as Record<string, unknown>;
export const errorOf = (outcome: { reply: { content: string } }): { code: string; message: string } =>
  envelope(outcome)['error'] as { code: string; message: string };
