// Records of messages as lines of JSON, in bytes: what `toRecord` says, columns in that order.
//
// Most messages say nothing but a known role and channel: their columns are bytes that were made once, and numbers.
// Contents never become strings. Lines are gathered in the output of a text machine of its own and handed out in large
// pieces.

import { MESSAGE } from '../abi.ts';
import { KnownBytes } from '../model/known-bytes.ts';
import type { End, Message } from '../model/message.ts';
import type { TranscriptInfo } from '../model/transcript.ts';
import type { Build } from '../scan/builds.ts';
import type { Source } from '../scan/source.ts';
import { kindWord } from '../scan/table.ts';
import { TextMachine } from '../scan/text-machine.ts';
import { visibilityClass } from '../model/visibility.ts';
import { hasWrittenCalls, plainWord } from '../model/message-rows.ts';

export interface MessageLinesOptions {
  readonly build?: Build | undefined;
  /** A machine of `lineMachine` that nobody else uses meanwhile, for pieces of the usual size; else a new one. */
  readonly machine?: TextMachine | undefined;
  /** Bytes that are gathered before they are handed out. 256 KiB by default. */
  readonly piece?: number | undefined;
  /** Counts something in contents, the tokens of a model: a member of lines, behind the content. */
  readonly count?: ((content: string) => number) | null | undefined;
  /** Bytes of a body that is not added at once, where raw text is: `goOn` adds it, before the next message. */
  readonly long?: number | undefined;
}

const KIB = 1024;
const PIECE = 256 * KIB;
/** The machine's input: what stands before `record` | well-known middles | a middle of its own | bytes of a body. */
const MIDDLES_AT = 32 * KIB;
/** A well-known one takes less than a slot. */
const SLOT = 256;
const MIDDLE_AT = 160 * KIB;
const BODY_AT = 176 * KIB;
const BODY_BYTES = 64 * KIB;
const ENDS: readonly End[] = ['end', 'call', 'return', 'implicit'];
/** Bits of a well-known middle's number: role, channel; end; what decides whether it is visible. */
const END_SHIFT = 5;
const CLASS_SHIFT = 7;
/** Bytes of the columns between head, middle and content, seven numbers among them; and of the line's end. */
const COLUMNS_BYTES = 256;
/** The most that a byte becomes. */
const LONGEST = 6;
/** A body up to this long is taken at once. */
const SHORT_BODY = 40 * KIB;
/** Spans of a content up to this long are escaped together. */
const SHORT_SPAN = 128;

const ENCODER = new TextEncoder();
const END_OF_LINE = ENCODER.encode('"}\n');
const NOTHING = new Uint8Array(0);
const same = (offset: number): number => offset;
/** Mostly names, which need no escapes. */
const PLAIN = /^[\w.:-]*$/;
const quote = (value: string | null): string =>
  value === null ? 'null' : PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);

/** What lines are made with: memory that is worth being used again. */
export function lineMachine(build?: Build, piece = PIECE): TextMachine {
  const output = Math.max(piece + LONGEST * SHORT_BODY + MIDDLES_AT, 8 * BODY_BYTES);
  return new TextMachine({ build, input: BODY_AT + BODY_BYTES, output });
}

export class MessageLines {
  readonly #write: (bytes: Uint8Array) => void;
  readonly #piece: number;
  readonly #count: ((content: string) => number) | null;
  readonly #long: number;
  readonly #text: TextMachine;
  /** What is left of a line with a long body. */
  #rest: Generator<void, void, void> | null = null;
  /** Bytes of the output that are not handed out. */
  #at = 0;
  /** Where the last line begins among them. */
  #lineAt = 0;
  /** What stands before `record`; as a text only when it is too long for its place. */
  #headTo = 0;
  #head: Uint8Array = new Uint8Array(0);
  readonly #middleRoom: Uint8Array;
  /** Middles by their headers. */
  readonly #known = new KnownBytes<Uint8Array>();
  /** Ends of the well-known middles, by number; 0: not made yet. Each begins where a slot of its own begins. */
  readonly #middleTo = new Int32Array(4 << CLASS_SHIFT);

  /** `write` takes whole pieces; lines may be cut. The bytes are valid until it returns. */
  constructor(write: (bytes: Uint8Array) => void, options: MessageLinesOptions = {}) {
    this.#write = write;
    this.#piece = options.piece ?? PIECE;
    this.#count = options.count ?? null;
    this.#long = options.long ?? Infinity;
    this.#text = options.machine ?? lineMachine(options.build, this.#piece);
    this.#middleRoom = this.#text.input.subarray(MIDDLE_AT, BODY_AT);
    this.begin('');
  }

  /** The file that the following lines are about. */
  begin(path: string): void {
    this.#head = ENCODER.encode(`{"path":${JSON.stringify(path)},"record":`);
    this.#headTo = this.#head.length;
    if (this.#headTo <= MIDDLES_AT) this.#text.input.set(this.#head);
  }

  /** Bytes that wait to be handed out. */
  get pending(): number {
    return this.#at;
  }

  /** Hands out what was gathered. */
  flush(): void {
    const length = this.#at;
    if (length === 0) return;
    this.#at = this.#lineAt = 0;
    this.#write(this.#text.output.subarray(0, length));
  }

  /** Adds lines that were made elsewhere. */
  addLines(bytes: Uint8Array): void {
    this.#put(bytes);
    this.#lineAt = this.#at;
    if (this.#at >= this.#piece) this.flush();
  }

  /** Takes back what was gathered of a line that `add` could not end, as reading its message failed. */
  dropLine(): void {
    this.#at = this.#lineAt;
  }

  /**
   * Adds a message's line. `record`: the number of its record in the file; null in raw text. `place` tells the position
   * in the file of one in the text; it is asked in rising order.
   */
  add(
    message: Message,
    transcript: TranscriptInfo,
    index: number,
    source: Source,
    record: number | null,
    place: (offset: number, isEnd?: boolean) => number = same,
  ): void {
    this.#lineAt = this.#at;
    const { from: bodyFrom, to: bodyTo } = message.body;
    const from = place(message.from);
    const placedFrom = place(bodyFrom);
    const placedTo = place(bodyTo, true);
    const to = place(message.to, true);
    const isLeaf = message.isLeaf;
    const text = this.#text;
    const middle = this.#middle(message, transcript, isLeaf);
    const middleTo = this.#middleEnd;
    const length = bodyTo - bodyFrom;
    const isShort = length <= SHORT_BODY;
    if (middleTo < 0 || this.#headTo > MIDDLES_AT) {
      const own = middleText(message, message.isVisible);
      const columns = `${record},"transcript":${transcript.number},"index":${index}${own}${from},"to":${to}`
        + `,"body_from":${placedFrom},"body_to":${placedTo},"content":"`;
      this.#put(this.#head);
      this.#put(ENCODER.encode(columns));
    } else {
      const needed = this.#headTo + middleTo - middle + COLUMNS_BYTES + (isShort ? LONGEST * length : 0);
      if (this.#at + needed > text.output.length) this.flush();
      this.#at = text.columns(
        0, this.#headTo, record ?? -1, transcript.number, index, middle, middleTo, from, to, placedFrom, placedTo,
        this.#at,
      );
      if (isShort && isLeaf && this.#count === null) {
        if (length > 0) text.input.set(source.bytes(bodyFrom, bodyTo), BODY_AT);
        this.#at = text.content(BODY_AT, BODY_AT + length, this.#at);
        if (this.#at >= this.#piece) this.flush();
        return;
      }
    }
    this.#rest = this.#content(message, source);
    if (length <= this.#long || record !== null) while (this.goOn());
  }

  /** Whether the line of the last message is still to be ended: `goOn` does. */
  get isOpen(): boolean {
    return this.#rest !== null;
  }

  /** Adds a part of a long body; false: the line has ended. */
  goOn(): boolean {
    const rest = this.#rest;
    this.#rest = null;
    if (rest === null || rest.next().done === true) return false;
    this.#rest = rest;
    return true;
  }

  /** What stands behind the columns, part by part. */
  *#content(message: Message, source: Source): Generator<void, void, void> {
    // Bytes of short spans that wait: a body full of escapes has one for each.
    let waiting = 0;
    let window: Uint8Array = NOTHING;
    let windowFrom = 0;
    for (const { from, to } of message.contentSpans()) {
      const length = to - from;
      if (waiting > 0 && (length > SHORT_SPAN || waiting + length > BODY_BYTES)) {
        this.#escapeInput(BODY_AT + waiting, true);
        waiting = 0;
        window = NOTHING;
        yield;
      }
      if (length > SHORT_SPAN) {
        window = NOTHING;
        yield* this.#escape(source, from, to);
        continue;
      }
      if (from < windowFrom || to > windowFrom + window.length) {
        window = source.bytes(from, Math.min(from + BODY_BYTES, message.body.to));
        windowFrom = from;
      }
      copyFew(window, from - windowFrom, to - windowFrom, this.#text.input, BODY_AT + waiting);
      waiting += length;
      if (length === 0 || window[to - windowFrom - 1]! < 0x80) continue;
      // Each span is a text by itself, and this one may end within a character.
      this.#escapeInput(BODY_AT + waiting, true);
      waiting = 0;
    }
    this.#escapeInput(BODY_AT + waiting, true);
    const count = this.#count;
    this.#put(count === null ? END_OF_LINE : ENCODER.encode(`","tokens":${count(message.content)}}\n`));
    if (this.#at >= this.#piece) this.flush();
  }

  #middleEnd = 0;

  /**
   * Position in the input of what stands between `index` and `from`; it ends at #middleEnd, which is negative when it
   * is too long.
   */
  #middle(message: Message, transcript: TranscriptInfo, isLeaf: boolean): number {
    const word = isLeaf && message.isBare && !hasWrittenCalls(message) ? plainWord(message) : -1;
    const end = message.end;
    if (word < 0 || end === 'eof') {
      if (isLeaf && message.dialect.id === 'harmony') return this.#knownMiddle(message, transcript);
      return this.#ownMiddle(message);
    }
    const number = word | (ENDS.indexOf(end) << END_SHIFT) | (visibilityClass(transcript) << CLASS_SHIFT);
    const from = MIDDLES_AT + number * SLOT;
    let to = this.#middleTo[number]!;
    if (to === 0) {
      const text = middleText(message, message.isVisible);
      to = from + ENCODER.encodeInto(text, this.#text.input.subarray(from, from + SLOT)).written;
      this.#middleTo[number] = to;
    }
    this.#middleEnd = to;
    return from;
  }

  #ownMiddle(message: Message): number {
    const text = middleText(message, message.isVisible);
    const { read, written } = ENCODER.encodeInto(text, this.#middleRoom);
    this.#middleEnd = read === text.length ? MIDDLE_AT + written : -1;
    return MIDDLE_AT;
  }

  /** The same of a plain header of Harmony, which mostly has no ids: a corpus repeats it. */
  #knownMiddle(message: Message, transcript: TranscriptInfo): number {
    const { from, to } = message.header;
    const header = message.source.bytes(from, to);
    // In place of the kind of row, which is the same for all.
    const kind = kindWord(message.table, message.row) - MESSAGE + visibilityClass(transcript);
    const known = this.#known.get(header, 0, header.length, kind);
    if (known !== undefined) {
      this.#middleRoom.set(known);
      this.#middleEnd = MIDDLE_AT + known.length;
      return MIDDLE_AT;
    }
    this.#ownMiddle(message);
    if (this.#middleEnd > 0 && KnownBytes.fits(header.length)) {
      this.#known.keep(header, this.#middleRoom.slice(0, this.#middleEnd - MIDDLE_AT), kind);
    }
    return MIDDLE_AT;
  }

  /** Adds bytes of any number. */
  #put(bytes: Uint8Array): void {
    const { output } = this.#text;
    for (let at = 0; at < bytes.length; ) {
      if (this.#at === output.length) this.flush();
      const part = bytes.subarray(at, at + output.length - this.#at);
      output.set(part, this.#at);
      this.#at += part.length;
      at += part.length;
    }
  }

  /** Adds bytes [from, to) of a source as a part of a content: a text by itself. */
  *#escape(source: Source, from: number, to: number): Generator<void, void, void> {
    const text = this.#text;
    const room = text.input.subarray(BODY_AT);
    // Bytes of a character that the part before has cut.
    let kept = 0;
    for (let at = from; at < to || kept > 0; ) {
      const most = Math.min(to - at, BODY_BYTES - kept);
      let read = most;
      if (to - from <= BODY_BYTES) text.input.set(source.bytes(at, to), BODY_AT);
      else if (most > 0) read = source.read(at, room.subarray(kept, kept + most));
      at += read;
      const end = BODY_AT + kept + read;
      const final = at >= to || read === 0;
      const taken = this.#escapeInput(end, final);
      kept = end - taken;
      text.input.copyWithin(BODY_AT, taken, end);
      if (final) return;
      yield;
    }
  }

  /** Adds the input's bytes from BODY_AT to `end`; answers where the character begins that they cut, if not `final`. */
  #escapeInput(end: number, final: boolean): number {
    const text = this.#text;
    let taken = BODY_AT;
    while (taken < end) {
      if (this.#at + COLUMNS_BYTES > text.output.length) this.flush();
      this.#at = text.escape(taken, end, this.#at, final);
      if (text.taken === taken) break;
      taken = text.taken;
    }
    return taken;
  }
}

/** Copies bytes [from, to): for few, faster than a call of `set`. */
function copyFew(bytes: Uint8Array, from: number, to: number, into: Uint8Array, at: number): void {
  for (let i = from; i < to; i++) into[at++] = bytes[i]!;
}

/** The columns between `index` and `from`. */
function middleText(message: Message, visible: boolean): string {
  return `,"role":${quote(message.role)},"name":${quote(message.name)},"recipient":${quote(message.recipient)}`
    + `,"channel":${quote(message.channel)},"explicit_channel":${quote(message.explicitChannel)}`
    + `,"content_type":${quote(message.contentType)},"intent":${quote(message.intent)},`
    + `"call_id":${quote(message.callId)}`
    + `,"end":"${message.end}","visible":${visible},"from":`;
}
