// The text as a stream: cut at any byte, with the events up to there and what a user has seen by then.

import { useMemo, useState } from 'preact/hooks';
import { MessageStream, type StreamEvent } from '../stream.ts';
import { checks, choice, input, readingNow, select, text } from './store.ts';

/** Events that are drawn: the last ones. */
const MOST_EVENTS = 200;
const LONGEST = 300;

interface Streamed {
  readonly events: readonly StreamEvent[];
  readonly shown: string;
}

function streamed(to: number, isEnded: boolean): Streamed {
  const { bytes } = input.value;
  const stream = new MessageStream({
    ...readingNow(), reasoning: true, messageId: (index) => `msg_${index}`,
  });
  const events = stream.feed(bytes.subarray(0, to));
  if (isEnded) events.push(...stream.end());
  let shown = '';
  for (const event of events) if (event.type === 'response.delta') shown += event.delta;
  return { events, shown };
}

export function Stream() {
  const { length } = input.value.bytes;
  const [wanted, setAt] = useState(Infinity);
  const [isEnded, setEnded] = useState(false);
  const at = Math.min(wanted, length);
  const { events, shown } = useMemo(() => streamed(at, isEnded), [
    at, isEnded, input.value, choice.value, checks.value,
  ]);
  const move = (to: number): void => {
    setAt(to);
    select({ from: Math.max(0, to - 1), to });
  };
  const last = text.value.text.slice(Math.max(0, text.value.unitAt(at) - 40), text.value.unitAt(at));
  return (
    <div class="stream">
      <div class="bar">
        <label class="slider">Bytes that have come: {at} of {length}
          <input type="range" min={0} max={length} value={at} step={1}
            onInput={(event) => move(Number(event.currentTarget.value))} />
        </label>
        <label><input type="checkbox" checked={isEnded}
          onChange={(event) => setEnded(event.currentTarget.checked)} /> and no more comes</label>
      </div>
      <p class="note">…<bdi><code>{last}</code></bdi>▏</p>
      <div class="streamed">
        <section aria-label="Events">
          <h3>{events.length} events</h3>
          <div class="events" role="region" tabIndex={0} aria-label="Events so far"><ol
            start={Math.max(1, events.length - MOST_EVENTS + 1)}>
            {events.slice(-MOST_EVENTS).map((event, i) => (
              <li key={events.length - i}><code>{event.type}</code> <bdi class="note">{detailOf(event)}</bdi></li>
            ))}
          </ol></div>
        </section>
        <section aria-label="What a user has seen">
          <h3>A user has seen</h3>
          <bdi class="text">{shown === '' ? <em>(nothing)</em> : shown}</bdi>
        </section>
      </div>
    </div>
  );
}

/** What an event says beside its type. */
function detailOf(event: StreamEvent): string {
  const { type: _, ...rest } = event;
  const text = JSON.stringify(rest);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
