// Runs streams in tests: an input in any cuts, and its events with what may differ between cuts put together.
import { expect } from 'vitest';
import { textOfPieces } from '../../../src/model/content.ts';
import type { Message } from '../../../src/model/message.ts';
import type { StreamEvent } from '../../../src/runtime/stream/event.ts';
import { Stream } from '../../../src/runtime/stream/core.ts';
import { Machines } from '../../../src/runtime/stream/machines.ts';
import type { StreamOptions } from '../../../src/runtime/stream/options.ts';
import { Twin } from '../../../src/scan/twin/twin.ts';
import { WasmMachine } from '../../../src/scan/wasm.ts';
import type { Random } from '../../random.ts';

/** A small window, so that inputs of a few kilobytes slide it. */
export const SMALL = new Machines(() => new WasmMachine({ window: 1024, tableRows: 64 }));
const TWIN = new Machines(() => new Twin({ window: 1024, tableRows: 64 }));
export const LARGE = new Machines(() => new WasmMachine());

export const id = (index: number): string => `m${index}`;

/** The events of an input that is cut at the given positions. */
export function eventsOf(
  input: Uint8Array, options: StreamOptions, cuts: Iterable<number> = [], machines = LARGE,
): StreamEvent[] {
  const stream = new Stream(machines, { messageId: id, ...options });
  const events: StreamEvent[] = [];
  let from = 0;
  for (const to of [...cuts, input.length]) {
    events.push(...stream.feed(input.subarray(from, to)));
    from = to;
  }
  events.push(...stream.end());
  return events;
}

/** Every position inside an input: byte by byte. */
export const bytewise = (input: Uint8Array): number[] =>
  Array.from({ length: Math.max(0, input.length - 1) }, (_, i) => i + 1);

/** Events with deltas that follow each other joined, pieces of stray text too; diagnostics apart, in their order. */
export function joined(events: readonly StreamEvent[]): { events: StreamEvent[]; diagnostics: string[] } {
  const out: StreamEvent[] = [];
  const diagnostics: string[] = [];
  for (const event of events) {
    const last = out.at(-1);
    if (event.type === 'diagnostic') {
      diagnostics.push(JSON.stringify(event));
    } else if ('delta' in event && last?.type === event.type && last.message_id === event.message_id) {
      out[out.length - 1] = { ...last, delta: (last as { delta: string }).delta + event.delta } as StreamEvent;
    } else if (event.type === 'transcript.stray' && last?.type === event.type && last.to === event.from) {
      const text = event.text === undefined ? {} : { text: (last.text ?? '') + event.text };
      out[out.length - 1] = { ...last, to: event.to, ...text };
    } else {
      out.push(event);
    }
  }
  return { events: out, diagnostics };
}

/** Reasoning that is written in what a message shows, as a stream tells it: none that is empty (R-THINK). */
export function thoughtOf(message: Message): string {
  const written = message.writtenThought;
  if (written?.isOpened !== true) return '';
  const spans = [...message.contentSpans()].map(({ from, to }) =>
    ({ from: Math.max(from, written.textFrom), to: Math.min(to, written.textTo) }));
  const text = textOfPieces(message.source, spans.filter(({ from, to }) => from < to));
  return /^[ \t\r\n]*$/.test(text) ? '' : text;
}

/** The joined deltas of one kind of a message. */
export function deltasOf(events: readonly StreamEvent[], type: StreamEvent['type'], message: string): string {
  let text = '';
  for (const event of events) {
    if (event.type === type && event.message_id === message && 'delta' in event) text += event.delta;
  }
  return text;
}

/** The events of an input as a whole, when those of its bytes, and of random cuts through the twin, are the same. */
export function expectSameForCuts(
  input: Uint8Array, options: StreamOptions, random: Random, told: string,
): StreamEvent[] {
  const whole = eventsOf(input, options);
  const expected = joined(whole);
  const cuts = bytewise(input).filter(() => random.once(3));
  for (const events of [eventsOf(input, options, bytewise(input), SMALL), eventsOf(input, options, cuts, TWIN)]) {
    const found = joined(events);
    if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found, told).toEqual(expected);
  }
  return whole;
}
