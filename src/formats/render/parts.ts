// What rendering as text and as HTML have in common: which messages of an input are told, and the words about them.

import type { Message, Span } from '../../model/message.ts';
import type { Parsed } from '../../model/parse.ts';
import type { TranscriptInfo } from '../../model/transcript.ts';
import { GatheredPieces } from '../../model/content.ts';
import { bodyPieces, type CutReason } from '../../model/shown.ts';
import { type HiddenReason, hiddenReason, type ShowOptions } from '../../model/visibility.ts';
import { decodeUtf8 } from '../../utf8.ts';
import type { Known } from '../../options.ts';

/** With `debug: true`, hidden messages and parts are told too, marked as such. */
export interface RenderOptions extends ShowOptions {
  /** After each transcript: how many of its messages are hidden. A debug view hides none. */
  readonly notes?: boolean | undefined;
  /** @internal From the number of a transcript among these to the one that is told. */
  readonly numbered?: ((own: number) => number) | undefined;
}

export const RENDER_OPTIONS: Known<RenderOptions> = {
  debug: 1, notes: 1, harmonyPreambles: 1, missingChannel: 1, numbered: 1,
};

/** What is to be written, in order. */
export type Item =
  /** The next items belong to the transcript of this number. */
  | { readonly kind: 'transcript'; readonly number: number }
  /** `hidden`: why it is, in a debug view. */
  | { readonly kind: 'message'; readonly message: Message; readonly hidden: HiddenReason | null }
  | { readonly kind: 'note'; readonly hidden: number };

/** Messages; each is looked at before the next one is asked for. */
export type Input = Parsed | Iterable<Message>;

/** By what it can do, not by its class: who only renders messages does not carry the parser. */
const isParsed = (input: Input | undefined): input is Parsed =>
  typeof (input as Parsed | undefined)?.messages === 'function';

/** Throws a TypeError on what is no input. */
export function checkInput(input: Input): void {
  if (isParsed(input)) return;
  const isIterable = typeof (input as Iterable<Message> | undefined)?.[Symbol.iterator] === 'function';
  if (isIterable && typeof input !== 'string') return;
  throw new TypeError('render: expected what `parse` gives, or messages');
}

/** A transcript of which nothing is told gives no item. */
export function* itemsOf(input: Input, options: RenderOptions): Generator<Item, void, void> {
  const { numbered = (own) => own } = options;
  let current: TranscriptInfo | null = null;
  let told: TranscriptInfo | null = null;
  let hiddenCount = 0;
  const tell = function* (item: Item): Generator<Item, void, void> {
    if (told !== current) yield { kind: 'transcript', number: numbered(current!.number) };
    told = current;
    yield item;
  };
  const note = function* (): Generator<Item, void, void> {
    if (hiddenCount > 0 && options.notes === true) yield* tell({ kind: 'note', hidden: hiddenCount });
    hiddenCount = 0;
  };
  for (const message of isParsed(input) ? input.messages() : input) {
    const { transcript } = message;
    if (transcript !== current) {
      yield* note();
      current = transcript;
    }
    const hidden = hiddenReason(message, options);
    if (hidden !== null && options.debug !== true) hiddenCount++;
    else if (told === current) yield { kind: 'message', message, hidden };
    else yield* tell({ kind: 'message', message, hidden });
  }
  yield* note();
}

/** A part of a body's text; `cut`: why an end user does not see it. */
export interface Part {
  readonly text: string;
  readonly cut: CutReason | null;
}

/** The text of a message in parts of bounded length: of a shown one what is shown, in a debug view all. */
export function* bodyParts(message: Message, hidden: boolean, debug: boolean): Generator<Part, void, void> {
  if (hidden) {
    for (const span of message.contentSpans()) {
      for (const text of textOf(message.source, span)) yield { text, cut: null };
    }
    return;
  }
  const { source } = message;
  const gathered = new GatheredPieces(ROOM);
  let cut: CutReason | null = null;
  for (const { from, to, cut: next } of bodyPieces(message)) {
    if (next !== null && !debug) continue;
    const isSmall = to - from <= SMALL;
    if (isSmall && next === cut && gathered.take(source.bytes(from, to))) continue;
    const before = gathered.end();
    if (before !== '') yield { text: before, cut };
    cut = next;
    if (isSmall) gathered.take(source.bytes(from, to));
    else for (const text of textOf(source, { from, to })) yield { text, cut };
  }
  const last = gathered.end();
  if (last !== '') yield { text: last, cut };
}

const PART = 64 * 1024;
/** Escapes may stand at every second byte, and a part of a body takes longer than so many bytes. */
const SMALL = 1024;
/** Nothing waits in it when a part is given: what else is rendered meanwhile writes over it. */
const ROOM = new Uint8Array(16 * 1024);

function* textOf(source: Message['source'], { from, to }: Span): Generator<string, void, void> {
  if (to - from <= PART) {
    yield decodeUtf8(source.bytes(from, to));
    return;
  }
  // A decoder that goes on cuts no character.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for (let at = from; at < to; at += PART) {
    yield decoder.decode(source.bytes(at, Math.min(to, at + PART)), { stream: true });
  }
  yield decoder.decode();
}

/** Line ends: CRLF counts as LF. Text comes in parts, so a CR at the end of one waits for the next. */
export class LineEnds {
  #held = '';

  take(text: string): string {
    const whole = this.#held + text;
    this.#held = whole.endsWith('\r') ? '\r' : '';
    return (this.#held === '' ? whole : whole.slice(0, -1)).replaceAll('\r\n', '\n');
  }

  /** What is left at the end. */
  end(): string {
    const left = this.#held;
    this.#held = '';
    return left;
  }
}

/** What a hidden message is called, in a debug view. */
export function hiddenLabel({ role, channel }: Message, reason: HiddenReason): string {
  switch (reason) {
    case 'role':
      return role === null ? 'no role' : KNOWN_ROLES.has(role) ? role : 'unknown role';
    case 'channel':
      return KNOWN_CHANNELS.has(channel) ? channel : 'unknown channel';
    case 'intent':
      return 'debug';
    case 'recipient':
      return 'to a tool';
    case 'open-turn':
      return 'open turn';
    case 'header-limit':
      return 'header too long';
    case 'missing-channel':
      return 'no channel';
    case 'missing-start':
      return 'no start';
    default:
      return reason;
  }
}

const KNOWN_ROLES: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool']);
const KNOWN_CHANNELS: ReadonlySet<string> = new Set(['analysis', 'commentary', 'final']);

/** Attributes that are told of one message, and characters of a word. */
const MOST_WORDS = 64;
const LONGEST_WORD = 200;

/** What a debug view tells of a message beside its role, name and body. */
export function detailsOf(message: Message): [key: string, value: string][] {
  const { explicitChannel, recipient, contentType, attributes } = message;
  const details: [string, string][] = [];
  const isWritten = (key: string): boolean => attributes.some((attribute) => attribute.key === key);
  if (explicitChannel !== null) details.push(['channel', explicitChannel]);
  if (recipient !== null && !isWritten('to')) details.push(['to', recipient]);
  for (const { key, value } of attributes.slice(0, MOST_WORDS)) details.push([key, value]);
  if (attributes.length > MOST_WORDS) details.push(['further', String(attributes.length - MOST_WORDS)]);
  if (contentType !== null && !isWritten('content_type')) details.push(['content_type', contentType]);
  details.push(['end', message.end], ['bytes', `${message.from}..${message.to}`]);
  return details.map(([key, value]) => [shortened(key), shortened(value)]);
}

/** A word of a header, not longer than a line can take. */
export function shortened(word: string): string {
  if (word.length <= LONGEST_WORD) return word;
  const cut = word.slice(0, LONGEST_WORD - 3);
  const last = cut.charCodeAt(cut.length - 1);
  return `${last >= 0xd800 && last <= 0xdbff ? cut.slice(0, -1) : cut}...`;
}
