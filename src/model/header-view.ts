// What the header of a message says, and where the message stands: a view of its row. Nothing is read before it is
// asked for; what a header says is read once. Streams, to which bodies come in pieces, need no more.

import {
  AT_START, BODY, BY_ROLE, CALL, CHANNEL_MASK, CHANNEL_SHIFT, EOF_END, HAS_LINE, IMPLICIT_END, IMPLIED, type LITERAL,
  NO_BODY_TOKEN, PLAIN, RETURN, ROLE_MASK, ROLE_SHIFT, type STRAY, STRIPPED, TOKEN_MASK, TOKEN_SHIFT, type TRAILING,
} from '../abi.ts';
import { CHANNEL_NAMES, type Dialect, ROLE_NAMES } from '../scan/dialects.ts';
import { fromOf, kindOf, kindWord, nextOf, type RowBelow, rowsBelow, type Table, toOf } from '../scan/table.ts';
import { type Attribute, type HeaderMeaning, knownRole } from './attributes.ts';
import { CR, LF, type Span } from './bytes.ts';
import { INSPECT } from './inspect.ts';
import { type Header, type HeaderPlace, MESSAGE_TOKEN_BYTES, readHeader, readLine } from './message-header.ts';
import { type PlainHeader, readPlainHeader } from './plain-header.ts';
import type { Rescue } from './rescue.ts';
import type { TranscriptInfo } from './transcript-info.ts';

export type { Span };

/**
 * How a body ended (R-END): by `<|end|>`, `<|call|>` or `<|return|>`, by the next message (`implicit`), or with the
 * input (`eof`).
 */
export type End = 'end' | 'call' | 'return' | 'implicit' | 'eof';

/** What a message must know of where it stands. */
export interface MessageContext {
  readonly dialect: Dialect;
  /** The transcript that it belongs to; null: that is not known yet. */
  readonly transcript: TranscriptInfo | null;
  /** The caller's role. */
  readonly role: string | null;
  /** A likely message rather than an exact one (R-RESCUE); null: exact ones alone. */
  readonly rescue: Rescue | null;
  /** Knows what headers said before. */
  readonly known?: KnownHeader | undefined;
}

type ReadHeader = (place: HeaderPlace) => Header;
export type KnownHeader = (place: HeaderPlace, dialect: Dialect, read: ReadHeader) => Header;

/** Lengths of `<|start|>`, and of `<|im_start|>`. */
export const START_BYTES = 9;
const LINE_START_BYTES = 12;

/** Bytes of a message up to its body, outside 0.1, with nothing in its header but the role and channel of its word. */
export function bareBytes(word: number): number {
  const role = ROLE_NAMES[(word >> ROLE_SHIFT) & ROLE_MASK]!.length;
  const channel = CHANNEL_NAMES[(word >> CHANNEL_SHIFT) & CHANNEL_MASK]!.length;
  return START_BYTES + role + MESSAGE_TOKEN_BYTES + (channel && channel + MESSAGE_TOKEN_BYTES);
}

/** What the header of a message says, and where the message stands. */
export class HeaderView {
  readonly #table: Table;
  readonly #context: MessageContext;
  /** Number of the message's row in its table. */
  readonly row: number;
  /** Number of the message in its transcript, from 0; -1: nobody has counted. */
  readonly index: number;
  #header: Header | undefined;
  #words: PlainHeader | undefined;
  #bodyRow = -1;
  /** @internal No tag of a call or a reply that is written as text stands in the message (R-HERMES), as was found. */
  readonly isUntagged: boolean;
  /** @internal No tag of a written thought stands in the message (R-THINK), as was found. */
  readonly isThoughtless: boolean;

  /**
   * `isUntagged`: no tag of a call or a reply that is written as text stands in the message (R-HERMES);
   * `isThoughtless`: no tag of a written thought (R-THINK). False: nobody has looked.
   */
  constructor(
    table: Table, row: number, context: MessageContext, isUntagged = false, index = -1, isThoughtless = false,
  ) {
    this.#table = table;
    this.row = row;
    this.#context = context;
    this.isUntagged = isUntagged;
    this.isThoughtless = isThoughtless;
    this.index = index;
  }

  get #word(): number {
    return kindWord(this.#table, this.row);
  }

  /** @internal Of 0.1. */
  get isLine(): boolean {
    return (this.#context.dialect.flags & HAS_LINE) !== 0;
  }

  /** Byte position of the first byte of the message. */
  get from(): number {
    return fromOf(this.#table, this.row);
  }

  /** Byte position after the terminator and every trailing one, or where an implicit end or the end of input cut it. */
  get to(): number {
    return toOf(this.#table, this.row);
  }

  get dialect(): Dialect {
    return this.#context.dialect;
  }

  /** What its transcript is read as, and where that stands. */
  get transcript(): TranscriptInfo {
    return this.#context.transcript!;
  }

  /** @internal The table of its row. */
  get table(): Table {
    return this.#table;
  }

  /** @internal Where its bytes are. */
  get source(): Table['source'] {
    return this.#table.source;
  }

  /** The role as it counts (R-ROLE): a known one, or the unknown word; null when nothing tells it. */
  get role(): string | null {
    return this.#word & PLAIN ? ROLE_NAMES[(this.#word >> ROLE_SHIFT) & ROLE_MASK]! : this.#read().meaning.role;
  }

  get name(): string | null {
    return this.isBare ? null : this.said.name;
  }

  /** Who the message is addressed to (`to=`). */
  get recipient(): string | null {
    return this.isBare ? null : this.said.recipient;
  }

  /** The channel as it is written; null when the message has none. */
  get explicitChannel(): string | null {
    if (!(this.#word & PLAIN)) return this.#read().meaning.explicitChannel;
    return CHANNEL_NAMES[(this.#word >> CHANNEL_SHIFT) & CHANNEL_MASK] || null;
  }

  /** The effective channel: `final` when none is written (2.2 §5). */
  get channel(): string {
    return this.explicitChannel ?? 'final';
  }

  get contentType(): string | null {
    return this.isBare ? null : this.said.contentType;
  }

  /** The content type comes from `<|constrain|>` and binds (R-CONSTRAINT). */
  get isConstrained(): boolean {
    return !this.isBare && this.said.constrained;
  }

  get intent(): string | null {
    return this.isBare ? null : this.said.intent;
  }

  get callId(): string | null {
    return this.isBare ? null : this.said.callId;
  }

  /** Every `key=value` word of the header, in order, with its byte span. */
  get attributes(): readonly Attribute[] {
    return this.reading.meaning.attributes;
  }

  /** How the body ended (R-END). */
  get end(): End {
    const word = this.#word;
    if (word & EOF_END) return 'eof';
    if (word & IMPLICIT_END) return 'implicit';
    const token = (word >> TOKEN_SHIFT) & TOKEN_MASK;
    return token === CALL ? 'call' : token === RETURN ? 'return' : 'end';
  }

  /** Header [from, to): from the start token to the body. */
  get header(): Span {
    return { from: this.from, to: this.#headerTo };
  }

  /** The body's bytes. */
  get body(): Span {
    const from = this.#headerTo;
    let to = toOf(this.#table, this.#body());
    if (this.isLine && this.end === 'end' && to > from) {
      // One newline before the terminator is not part of a 0.1 body (R-TRIM).
      const bytes = this.#table.source.bytes(Math.max(from, to - 2), to);
      const last = bytes.length - 1;
      if (bytes[last] === LF) {
        to -= last > 0 && bytes[last - 1] === CR ? 2 : 1;
      }
    }
    return { from, to };
  }

  /** A prompt that waits for its completion: the input ends after role and attributes (R-OPEN-TURN). */
  get isOpenTurn(): boolean {
    return (this.#word & EOF_END) !== 0 && this.#read().openTurn;
  }

  /**
   * @internal The header is longer than what is read of one (R-ATTR): channel, recipient and all else may stand behind,
   * so the message is as one that contradicts itself.
   */
  get isReadInPart(): boolean {
    return !(this.#word & PLAIN) && this.#read().meaning.readInPart;
  }

  /**
   * Two different channels, intents or roles are given (R-ATTR-DUP, R-STRAY-WORD), or the header is too long to be
   * read: never shown.
   */
  get isAmbiguous(): boolean {
    return !(this.#word & PLAIN) && this.#read().meaning.ambiguous;
  }

  /**
   * Never to be dispatched: two different recipients or call ids, an attribute without value (R-ATTR-DUP), or a header
   * that is too long to be read.
   */
  get isUndispatchable(): boolean {
    return !(this.#word & PLAIN) && this.#read().meaning.undispatchable;
  }

  /** Opened without a start token: `completion` at the start of input or by the caller's role, else `missing`. */
  get missingStart(): 'no' | 'completion' | 'missing' {
    const word = this.#word;
    if (word & BY_ROLE) return 'completion';
    return word & IMPLIED ? (word & AT_START ? 'completion' : 'missing') : 'no';
  }

  /** @internal For checking: what was found in the header, and where it ends. */
  get reading(): { readonly meaning: HeaderMeaning; readonly cut: boolean } {
    const header = this.#read();
    return header.placed?.() ?? header;
  }

  /** @internal The header is made of well-known words, each once: nothing in it can be wrong. */
  get isPlain(): boolean {
    return (this.#word & PLAIN) !== 0;
  }

  /** @internal It was asked for a likely message rather than an exact one (R-RESCUE). */
  get isRescued(): boolean {
    return this.#context.rescue !== null;
  }

  /** @internal A server has stripped its control tokens: what stands for them is known (R-RESCUE). */
  get isStripped(): boolean {
    return (this.#word & STRIPPED) !== 0;
  }

  /** @internal Opened by the caller's role. */
  get completesRole(): boolean {
    return (this.#word & BY_ROLE) !== 0;
  }

  /**
   * @internal Nothing but fields and a body below: no escape, stray token, mark, literal block or trailing terminator.
   */
  get isLeaf(): boolean {
    return this.#body() + 1 === nextOf(this.#table, this.row) && this.isPlain;
  }

  /** @internal There are rows below that of the message, beside the body's. */
  get hasRows(): boolean {
    return nextOf(this.#table, this.row) - this.row > 2;
  }

  /** @internal First byte after the body token, or what ended a header without one. */
  get bodyTokenFrom(): number {
    return fromOf(this.#table, this.#body());
  }

  /** @internal Trailing terminators, stray tokens, literals: their rows. */
  rowsOf(kind: typeof TRAILING | typeof STRAY | typeof LITERAL): Iterable<RowBelow> {
    return rowsBelow(this.#table, this.row, kind);
  }

  toJSON(): object {
    return { from: this.from, to: this.to, end: this.end };
  }

  [INSPECT](): object {
    return this.toJSON();
  }

  /**
   * @internal A plain header that is no longer than its role and channel: nothing else is in it. Most messages are like
   * that.
   */
  get isBare(): boolean {
    const word = this.#word;
    if (!(word & PLAIN)) return false;
    const length = fromOf(this.#table, this.#body()) - this.from;
    if (!this.isLine) return length === bareBytes(word);
    return length === LINE_START_BYTES + ROLE_NAMES[(word >> ROLE_SHIFT) & ROLE_MASK]!.length + 1;
  }

  /** @internal What the header says beside role and channel; a plain one need not be read for it. */
  get said(): PlainHeader {
    if (this.#header || !(this.#word & PLAIN)) return this.#read().meaning;
    const to = fromOf(this.#table, this.#body()) - (this.isLine ? 1 : MESSAGE_TOKEN_BYTES);
    return (this.#words ??= readPlainHeader(this.#table, this.row, this.#textFrom, to));
  }

  get #headerTo(): number {
    const word = this.#word;
    // A line is read for its words before it is known where it ends, unless it is plain.
    if (!(word & NO_BODY_TOKEN) && (!this.isLine || word & (PLAIN | BY_ROLE))) {
      return fromOf(this.#table, this.#body());
    }
    return this.#read().to;
  }

  /** Row of the body: the last child but for trailing terminators. */
  #body(): number {
    if (this.#bodyRow < 0) {
      let row = this.row + 1;
      while (kindOf(this.#table, row) !== BODY) {
        const next = nextOf(this.#table, row);
        if (!(next > row)) throw new Error(
          'the message is gone: where an input is read in pieces, a view lives until the next one is asked for',
        );
        row = next;
      }
      this.#bodyRow = row;
    }
    return this.#bodyRow;
  }

  #read(): Header {
    return (this.#header ??= this.#readHeader());
  }

  #readHeader(): Header {
    const { rescue, known, dialect } = this.#context;
    const read = this.isLine ? readLine : readHeader;
    const place = {
      table: this.#table, row: this.row, bodyRow: this.#body(), textFrom: this.#textFrom, given: this.#given, rescue,
    };
    return known ? known(place, dialect, read) : read(place);
  }

  /** First byte of the start field's text. */
  get #textFrom(): number {
    if (this.#word & (IMPLIED | BY_ROLE)) return this.from;
    return this.from + (this.isLine ? LINE_START_BYTES : START_BYTES);
  }

  get #given() {
    if (!(this.#word & (IMPLIED | BY_ROLE))) return null;
    const role = this.missingStart === 'completion' ? (this.#context.role ?? 'assistant') : 'assistant';
    return knownRole(role, this.isLine) ?? { role, name: null };
  }
}
