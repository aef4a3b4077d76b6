// Events as the text of an event stream (`text/event-stream`), for clients of a server.

import { leavable, SourceReader } from '../source.ts';

/** Behind the chunks of a chat completion, as its clients expect it. */
export const CHAT_DONE = 'data: [DONE]\n\n';

/**
 * One event: its `type`, if it has one, as the name, and itself as JSON.
 *
 * @example
 * ```ts
 * import { serverSentEvent } from 'openchatml/stream';
 *
 * console.log(serverSentEvent({ type: 'ping' }).split('\n')[0]); // event: ping
 * ```
 */
export function serverSentEvent(event: object): string {
  const name = 'type' in event && typeof event.type === 'string' ? `event: ${event.type}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}

/**
 * The text of an event stream, an event at a time: `for await (const text of serverSentEvents(events)) write(text)`.
 * Chunks of a chat completion end in `[DONE]`, as its clients expect it.
 *
 * @example
 * ```ts
 * import { eventsOf, serverSentEvents } from 'openchatml/stream';
 *
 * let text = '';
 * for await (const piece of serverSentEvents(eventsOf(['<|start|>user<|message|>Hi<|end|>']))) text += piece;
 * console.log(text.startsWith('event: transcript.begin')); // true
 * ```
 */
export function serverSentEvents(events: AsyncIterable<object>): AsyncGenerator<string, void, void> {
  const reader = new SourceReader(events, 'serverSentEvents');
  return leavable(textsOf(reader), () => reader.close());
}

async function* textsOf(events: SourceReader<object>): AsyncGenerator<string, void, void> {
  let isChat = false;
  for await (const event of events) {
    isChat ||= 'object' in event && event.object === 'chat.completion.chunk';
    yield serverSentEvent(event);
  }
  if (isChat && !events.isLeft) yield CHAT_DONE;
}
