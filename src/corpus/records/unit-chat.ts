// Chat data of a record as a unit: read, written as OpenChatML 2.2, so that it is scanned and checked like any text.
// Positions lead back to the entry's content where that stands in the text, as it is or escaped, else to the entry.

import type { MessageData } from '../../model/data.ts';
import { convertTranscript } from '../../formats/convert.ts';
import { withoutPreambles } from '../../formats/neutral.ts';
import { Refusal } from '../../formats/loss.ts';
import type { RuleName } from '../../errors.ts';
import { decodeUtf8 } from '../../utf8.ts';
import type { CheckOptions } from '../../rules/check-options.ts';
import { CLOSE_LITERAL, OPEN_LITERAL } from '../../scan/dialects.ts';
import { MemorySource } from '../../scan/source.ts';
import { pathOf, valueAt } from '../../tools/json.ts';
import { type ChatForm, chatOf, READERS } from './chat-form.ts';
import { Entries, type FieldText } from './entries.ts';
import { EscapedBody } from './escaped-body.ts';
import { formOfTurns, type InterchangeForm, isInterchange } from './form.ts';
import { QUOTE } from './json-bytes.ts';
import { type JsonPlace, placesOf, RawOffsets } from './json-place.ts';
import type { Chat } from './other-forms.ts';
import { contentSpots, EntryCalls, messageSpot, Spot } from './pointer.ts';
import type { CorpusRecord } from './record.ts';
import { type BadRecord, badRecord, type Unit } from './unit-types.ts';

/** The unit of a record whose fields hold a chat: one list of messages, a prompt and its completion, or texts. */
export function chatUnit(
  { record, names, paths, form: given, texts }: Pick<Chat, 'record' | 'names' | 'paths' | 'form' | 'texts'>,
  positions: 'file' | 'field',
): Unit | BadRecord {
  const fields = record.value as { readonly [name: string]: unknown };
  const lengths = names.map((name) => (Array.isArray(fields[name]) ? fields[name].length : 0));
  const { form, value } = chatOf(fields, names, given);
  return unitFrom(record, new Entries(paths ?? names.map((name) => [name]), lengths, texts), form, value, positions);
}

/** The unit of a record that is turns: a list of them, or one. */
export function turnsUnit(
  record: CorpusRecord, turns: readonly object[], positions: 'file' | 'field',
): Unit | BadRecord {
  const form = formOfTurns(turns);
  if (isInterchange(form)) return interchangeUnit(record, positions, form);
  return unitFrom(record, turnEntries(record.value), form, { messages: turns }, positions);
}

const turnEntries = (value: unknown): Entries => new Entries([], [Array.isArray(value) ? Infinity : 0]);

/** The unit of a record in an interchange form: an object with `messages`, a list of turns, or one turn. */
export function interchangeUnit(
  record: CorpusRecord, positions: 'file' | 'field', form: InterchangeForm,
): Unit | BadRecord {
  const { value } = record;
  const isHolder = typeof value === 'object' && value !== null && 'messages' in value && Array.isArray(value.messages);
  const entries = isHolder ? new Entries([['messages']], [Infinity]) : turnEntries(value);
  return unitFrom(record, entries, form, value, positions);
}

function unitFrom(
  record: CorpusRecord, entries: Entries, form: ChatForm, value: unknown, positions: 'file' | 'field',
): Unit | BadRecord {
  try {
    const read = READERS[form](value, { origins: true }).data;
    const data = form === 'interchange-2.0' ? { ...read, messages: withoutPreambles(read.messages).messages } : read;
    const { texts, messages, losses } = convertTranscript(data, 'openchatml-2.2', {
      neutralise: true, asWritten: true, asGiven: true, asTexts: true,
    });
    const text = texts!.length === 1 ? texts![0]! : null;
    const bytes = text === null ? bytesOf(texts!) : Buffer.from(text, 'utf8');
    const places = new ChatPlaces(record, entries, text, bytes, messages, positions);
    return {
      kind: 'chat',
      record: record.number,
      line: record.line,
      at: record.from,
      source: new MemorySource(bytes),
      options: losses.some(({ what }) => what === 'tools')
        ? { ...readingOf(messages), wholeTools: data.tools } : readingOf(messages),
      place: (offset, isEnd) => places.at(offset, isEnd),
      pointer: (finding) => places.pointer(finding),
    };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { index, reason, remedy } = error;
    const detail = `${reason}; ${remedy}`;
    if (index === null) return badRecord(record, 'refused-record', detail);
    return badRecord(record, 'refused-record', `message ${index}: ${detail}`, entries.pointer(index));
  }
}

/** A long text is put together as bytes alone. */
function bytesOf(texts: readonly string[]): Buffer {
  const bytes = Buffer.allocUnsafe(texts.reduce((sum, text) => sum + Buffer.byteLength(text, 'utf8'), 0));
  let at = 0;
  for (const text of texts) at += bytes.write(text, at, 'utf8');
  return bytes;
}

/** The text is ours: nothing is to be found out of it. */
export const READING: CheckOptions = { dialect: 'openchatml-2.2', isChat: true };

function readingOf(messages: readonly MessageData[]): CheckOptions {
  const writtenCalls = new Set<number>();
  messages.forEach(({ unread }, number) => unread && writtenCalls.add(number));
  return writtenCalls.size === 0 ? READING : { ...READING, writtenCalls };
}

const START = '<|start|>';
const BODY = '<|message|>';

/** Of records, by their bytes: their chats have it in common. */
const ROOTS = new WeakMap<Uint8Array, Spot>();

/** Where all values of a record stand; null: nowhere. */
function rootOf(bytes: Uint8Array): Spot | null {
  const known = ROOTS.get(bytes);
  if (known !== undefined) return known;
  const place = placesOf(bytes);
  if (place === null) return null;
  const root = new Spot(place, '');
  ROOTS.set(bytes, root);
  return root;
}

/** Where a position of the written text comes from. Nothing is done before it is asked. */
class ChatPlaces {
  readonly #record: CorpusRecord;
  readonly #entries: Entries;
  /** The written text; null: it is long, and read again where it is asked for. */
  readonly #text: string | null;
  /** The same, in UTF-8. */
  readonly #bytes: Uint8Array;
  readonly #messages: readonly MessageData[];
  readonly #positions: 'file' | 'field';
  #root: Spot | null = null;
  #last: { readonly origin: number; readonly spot: Spot | null } | undefined;
  /** Of each message: byte positions of its start token, of its body, of its end. */
  #spans: readonly MessageSpan[] | undefined;
  #at = 0;
  /** What was counted of a content that holds several messages. */
  #before: { readonly place: JsonPlace; readonly text: string; units: number; bytes: number } | undefined;
  #content: { place: JsonPlace; offsets: RawOffsets } | undefined;
  #calls: { readonly origin: number; readonly calls: EntryCalls } | undefined;
  #escaped: { readonly message: number; readonly body: EscapedBody } | undefined;

  constructor(
    record: CorpusRecord,
    entries: Entries,
    text: string | null,
    bytes: Uint8Array,
    messages: readonly MessageData[],
    positions: 'file' | 'field',
  ) {
    this.#record = record;
    this.#entries = entries;
    this.#text = text;
    this.#bytes = bytes;
    this.#messages = messages;
    this.#positions = positions;
  }

  at(offset: number, isEnd = false): number {
    const { from, place, text } = this.#record;
    const base = this.#positions === 'field' ? 0 : from;
    const within = this.#within(offset, isEnd);
    if (text !== undefined) return place!(within) - (this.#positions === 'field' ? from : 0);
    // The end of a span belongs to what stands before it.
    const isPlaced = place !== undefined && this.#positions === 'file' && within > 0;
    if (isPlaced) return isEnd ? place(within - 1) + 1 : place(within);
    return base + within;
  }

  /** The position in the record's bytes. */
  #within(offset: number, isEnd: boolean): number {
    const spot = this.#goTo(isEnd ? offset - 1 : offset);
    if (spot === null) return 0;
    const entry = spot.place;
    const { body, to, isAsIs } = this.#spans![this.#at]!;
    if (isEnd && offset > to) return entry.to;
    const content = offset < body ? null : this.#contentOf(spot);
    if (content === null) return isEnd ? entry.to : entry.from;
    if (offset >= to && !this.#fieldText?.isPart) return content.place.to - 1;
    const inBody = Math.min(offset, to) - body;
    const inside = isAsIs ? inBody : this.#escapedBody().of(inBody);
    if (inside === null) return isEnd ? entry.to : entry.from;
    return this.#offsetsOf(content.place).of(this.#contentBytes(content) + inside);
  }

  /** JSON pointer of what a finding in the text is about; empty: nothing but the record is known. */
  pointer({ rule, from }: { readonly rule: RuleName; readonly from: number }): string {
    const entry = this.#goTo(from);
    if (entry === null) return '';
    const { body, number } = this.#spans![this.#at]!;
    const { end, role, channel, contentFrom } = this.#messages[this.#at]!;
    const inBody = from >= body;
    // What is written as text has no members of its own.
    if (contentFrom !== undefined) return messageSpot(entry, rule, true, false).pointer;
    if (end === 'call') return this.#callsOf(entry).spot(number, rule, inBody).pointer;
    const holder = role === 'tool' ? this.#callsOf(entry).reply(number) : entry;
    return messageSpot(holder, rule, inBody, channel === 'analysis').pointer;
  }

  /** Goes to the message that holds a byte of the text; answers its entry. */
  #goTo(byte: number): Spot | null {
    this.#root ??= rootOf(this.#record.bytes);
    const spans = (this.#spans ??= this.#readSpans());
    if (this.#at > 0 && spans[this.#at]!.from > byte) this.#at = 0;
    while (this.#at + 1 < spans.length && spans[this.#at + 1]!.from <= byte) this.#at++;
    return this.#entry(this.#messages[this.#at]?.origin);
  }

  #readSpans(): readonly MessageSpan[] {
    const text = this.#text ?? decodeUtf8(this.#bytes);
    return spansOf(text, this.#messages, text.length === this.#bytes.length);
  }

  /** The entry of a number. Places are asked for message by message. */
  #entry(origin: number | undefined): Spot | null {
    if (origin === undefined || !this.#root) return null;
    if (this.#last?.origin !== origin) this.#last = { origin, spot: this.#entries.spot(this.#root, origin) };
    return this.#last.spot;
  }

  /** The text of a field that the message at hand was made of. */
  get #fieldText(): FieldText | null {
    const { origin } = this.#messages[this.#at]!;
    return origin === undefined ? null : this.#entries.text(origin);
  }

  /** The string that the message's content was read from; null: it was put together. */
  #contentOf(entry: Spot): Spot | null {
    const { end, channel, contentFrom } = this.#messages[this.#at]!;
    const field = this.#fieldText;
    if (field !== null) return field.at === null ? null : entry;
    const isText = ({ place }: Spot): boolean => this.#record.bytes[place.from] === QUOTE;
    const spots = contentFrom !== undefined ? contentSpots(entry, false) : end === 'call'
      ? [this.#callsOf(entry).spot(this.#spans![this.#at]!.number, 'invalid-json', true)]
      : contentSpots(entry, channel === 'analysis');
    return spots.find(isText) ?? null;
  }

  /** Bytes of the text at a place, as it is, before the content of the message at hand. */
  #contentBytes(content: Spot): number {
    const contentFrom = (this.#messages[this.#at]!.contentFrom ?? 0) + (this.#fieldText?.at ?? 0);
    if (contentFrom === 0) return 0;
    // Messages that one content holds are asked for in order: each goes on from where the last one was.
    if (this.#before?.place !== content.place || contentFrom < this.#before.units) {
      const { place, pointer } = content;
      const { value, bytes } = this.#record;
      // Texts of fields are no values of what is read.
      const read = this.#fieldText === null ? valueAt(value, pathOf(pointer)) : null;
      // A content may be most of the record: it is not read again.
      const text = typeof read === 'string' ? read
        : JSON.parse(decodeUtf8(bytes.subarray(place.from, place.to))) as string;
      this.#before = { place, text, units: 0, bytes: 0 };
    }
    const before = this.#before;
    before.bytes += Buffer.byteLength(before.text.slice(before.units, contentFrom), 'utf8');
    before.units = contentFrom;
    return before.bytes;
  }

  /** The body of the message at hand, which was escaped. */
  #escapedBody(): EscapedBody {
    if (this.#escaped?.message !== this.#at) {
      const { body, to } = this.#spans![this.#at]!;
      const content = Buffer.from(this.#messages[this.#at]!.content, 'utf8');
      this.#escaped = { message: this.#at, body: new EscapedBody(this.#bytes.subarray(body, to), content) };
    }
    return this.#escaped.body;
  }

  /** The calls of the entry of the message at hand. */
  #callsOf(entry: Spot): EntryCalls {
    const origin = this.#messages[this.#at]!.origin!;
    if (this.#calls?.origin !== origin) this.#calls = { origin, calls: new EntryCalls(entry) };
    return this.#calls.calls;
  }

  #offsetsOf(place: JsonPlace): RawOffsets {
    if (this.#content?.place !== place) {
      this.#content = { place, offsets: new RawOffsets(this.#record.bytes, place) };
    }
    return this.#content.offsets;
  }
}
interface MessageSpan {
  readonly from: number;
  readonly body: number;
  readonly to: number;
  /** The body is the content, byte for byte: nothing in it was escaped. */
  readonly isAsIs: boolean;
  /** Of a call or a reply: its number among those of its entry. */
  readonly number: number;
}

/**
 * The messages are written one after the other, and each body follows its header's last token. `isBytes`: each unit of
 * the text is a byte.
 */
function spansOf(text: string, messages: readonly MessageData[], isBytes: boolean): MessageSpan[] {
  const spans: MessageSpan[] = [];
  let number = 0;
  let entry: number | undefined;
  let at = 0;
  let bytes = 0;
  const to = (index: number): number => {
    bytes += isBytes ? index - at : Buffer.byteLength(text.slice(at, index), 'utf8');
    at = index;
    return bytes;
  };
  for (const [i, { content, origin, role, end: terminator, contentFrom }] of messages.entries()) {
    if (origin !== entry) number = 0;
    entry = origin;
    const from = to(text.indexOf(START, at));
    const bodyIndex = text.indexOf(BODY, at) + BODY.length;
    const isAsIs = text.startsWith(content, bodyIndex) && text.startsWith('<|', bodyIndex + content.length);
    const body = to(bodyIndex);
    // Content that was escaped is longer in the text, up to the terminator: that of the last message ends the text.
    const end = isAsIs ? bodyIndex + content.length
      : i === messages.length - 1 ? text.lastIndexOf('<|') : endOf(text, bodyIndex);
    const hasPlace = contentFrom === undefined && (terminator === 'call' || role === 'tool');
    spans.push({ from, body, to: to(end), isAsIs, number: hasPlace ? number++ : 0 });
  }
  return spans;
}

/** The terminator of a body that was escaped: the first token that is not, and no literal block's. */
function endOf(text: string, from: number): number {
  let at = from;
  while (true) {
    // Where there are many most are escaped: they are passed without a step for each.
    NOT_ESCAPED.lastIndex = at - 1;
    if (!NOT_ESCAPED.test(text)) return text.length;
    const token = NOT_ESCAPED.lastIndex - 2;
    if (text.startsWith(OPEN_LITERAL, token)) {
      const close = text.indexOf(CLOSE_LITERAL, token);
      at = close < 0 ? text.length : close + CLOSE_LITERAL.length;
    } else if (/^<\|(?:end|call|return)\|>/.test(text.slice(token, token + 10))) return token;
    else at = token + 2;
  }
}

const NOT_ESCAPED = /[^<]<\|/g;
