// Gaps, for the TypeScript scanner: what stands before and between messages, document headers included.
// Every method that reads takes the position it begins at and answers how far it came.

import * as abi from '../../abi.ts';
import {
  AT_MARK, BRACKET, HEADER_OVER, IN_DOCUMENT, IN_GAP, IN_LEAD, IN_OPENER, LF, LT, NOT, type Cursor,
} from './cursor.ts';
import { GOES_ON, Lines, Opener, OPENS } from './line.ts';
import type { Messages } from './message.ts';
import { boundAt, boundLength, classOf, CUT, idOf, isLetter, isWhite } from './token.ts';

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

export class Gaps {
  private readonly cursor: Cursor;
  private readonly messages: Messages;
  readonly opener = new Opener();
  readonly lines = new Lines();
  how = abi.AT_INPUT;
  /** Only a byte order mark and white space came so far. */
  fresh = false;
  /** The next byte begins a line. */
  atLine = false;
  /** Window position of the line that may open a document header. */
  lineFrom = 0;
  /** Window position after the byte order mark. */
  leadFrom = 0;

  constructor(cursor: Cursor, messages: Messages) {
    this.cursor = cursor;
    this.messages = messages;
  }

  begin(how: number): void {
    this.how = how;
    this.cursor.place = how === abi.IN_GAP ? IN_GAP : AT_MARK;
    this.fresh = this.atLine = how === abi.AT_INPUT;
    this.lineFrom = this.leadFrom = 0;
  }

  slide(from: number): void {
    this.lineFrom -= from;
    this.leadFrom -= from;
  }

  mark(from: number): number {
    const { cursor } = this;
    let same = 0;
    while (same < 3 && cursor.bytes[from + same] === BYTE_ORDER_MARK[same]) same++;
    if (same < 3 && from + same === cursor.length && !cursor.final) return cursor.hold(from);
    this.leadFrom = same === 3 ? from + 3 : from;
    cursor.place = this.how === abi.AT_ROLE ? IN_LEAD : IN_GAP;
    return this.leadFrom;
  }

  lead(from: number): number {
    const { cursor } = this;
    let p = from;
    while (p < cursor.length && isWhite(cursor.bytes[p]!)) p++;
    if (p === cursor.length) return p;
    if (cursor.bytes[p] === LT) {
      const word = cursor.match(p);
      if (word === CUT) return cursor.hold(p);
      if (classOf(word) === abi.CLASS_OPEN) {
        cursor.place = IN_GAP;
        return p;
      }
    }
    if (!cursor.hasRoom()) return p;
    const isLine = cursor.has(abi.HAS_LINE);
    this.messages.start(isLine ? this.leadFrom : p, abi.BY_ROLE);
    if (isLine) this.messages.startBody(this.leadFrom);
    return p;
  }

  gap(from: number): number {
    const { cursor } = this;
    const { bytes, length } = cursor;
    const headers = cursor.has(abi.HAS_HEADERS);
    let p = from;
    while (p < length) {
      const byte = bytes[p]!;
      if (isWhite(byte)) {
        this.atLine = byte === LF;
        p++;
      } else if (headers && this.atLine && this.opener.begins(byte, this.fresh)) {
        cursor.place = IN_OPENER;
        this.lineFrom = p;
        return p;
      } else if (byte === LT || byte === BRACKET) {
        p = this.#token(p);
        if (cursor.stop !== NOT || cursor.place !== IN_GAP) return p;
      } else {
        let to = p + 1;
        while (to < length && isDull(bytes[to]!)) to++;
        p = this.#text(p, to);
        if (p < to) return p;
      }
    }
    return p;
  }

  /** A line that may open a document header, from where it was left. */
  openerLine(from: number): number {
    const { cursor, opener } = this;
    if (this.lineFrom < -abi.UNDECIDED_LINE && cursor.hasRoom()) {
      this.#failOpener(from);
      return from;
    }
    for (let p = from; p < cursor.length; p++) {
      const saying = opener.feed(cursor.bytes[p]!);
      if (saying === GOES_ON) continue;
      if (!cursor.hasRoom()) return p;
      if (saying === OPENS) this.#startDocument();
      else this.#failOpener(p);
      return p;
    }
    return cursor.length;
  }

  /** The input ends at p in a line that may open a document header. */
  endOpener(p: number): void {
    if (!this.cursor.hasRoom()) return;
    if (this.opener.opensAtEnd()) this.#startDocument();
    else this.#failOpener(p);
  }

  /** A document header, from where it was left. */
  document(from: number): number {
    const { cursor, lines } = this;
    const { bytes, length } = cursor;
    let p = from;
    while (p < length) {
      if (lines.isDull()) while (p < length && bytes[p] !== LT && bytes[p] !== LF) p++;
      if (p === length) return p;
      if (bytes[p] !== LT) {
        if (lines.feed(bytes[p++]!)) return this.endDocument(p, true);
        continue;
      }
      const word = cursor.match(p);
      if (word === CUT) return cursor.hold(p);
      if (lines.atStart() && (word & abi.ENDS_HEADER) !== 0) return this.endDocument(p, false);
      if (classOf(word) === abi.CLASS_OPEN) {
        const to = p + cursor.lexicon.lengthOf(word);
        if (to === length && !cursor.final) return cursor.hold(p);
        if (to < length && isLetter(bytes[to]!)) return this.endDocument(p, false);
      }
      lines.feed(LT);
      p++;
    }
    return p;
  }

  endDocument(to: number, atLine: boolean): number {
    const { cursor } = this;
    cursor.close(abi.SLOT_HEADER, to);
    cursor.place = IN_GAP;
    if (cursor.has(abi.STOPS_AT_HEADER)) cursor.stop = HEADER_OVER;
    this.atLine = atLine;
    return to;
  }

  /** What a `<` or `[` begins; answers where it ends, or p when more input, room or another place is needed. */
  #token(p: number): number {
    const { cursor } = this;
    const { bytes, lexicon, table } = cursor;
    const word = bytes[p] === LT ? cursor.match(p) : 0;
    if (word === CUT) return cursor.hold(p);
    if (word === 0) return this.#bound(p);
    const tokenClass = classOf(word);
    const to = p + lexicon.lengthOf(word);
    const isText = tokenClass === abi.CLASS_INNER || tokenClass === abi.CLASS_NONE;
    if (isText) return this.#text(p, to);
    if (!cursor.hasRoom()) return p;
    const atStart = this.fresh ? abi.AT_START : 0;
    this.#leaveText();
    if (tokenClass === abi.CLASS_OPEN) {
      this.messages.start(p, 0);
      return to;
    }
    if ((word & abi.OPENS_IMPLIED) !== 0) {
      this.messages.start(p, abi.IMPLIED | atStart);
      return p;
    }
    if (tokenClass === abi.CLASS_CLOSE && table.isOpen(abi.SLOT_MESSAGE)) {
      cursor.add(abi.TRAILING | idOf(word), p, to);
      cursor.end(abi.SLOT_MESSAGE, to);
      return to;
    }
    table.release(abi.SLOT_MESSAGE);
    cursor.add((tokenClass === abi.CLASS_FILE ? abi.FILE : abi.STRAY) | idOf(word), p, to);
    return to;
  }

  /** BOS or EOS at p, or text of one byte. */
  #bound(p: number): number {
    const { cursor } = this;
    const id = boundAt(cursor.bytes, p, cursor.length);
    if (id === CUT && !cursor.final) return cursor.hold(p);
    if (id <= 0) return this.#text(p, p + 1);
    if (!cursor.hasRoom()) return p;
    this.#leaveText();
    cursor.table.release(abi.SLOT_MESSAGE);
    const to = p + boundLength(id);
    cursor.add(abi.BOUND | id, p, to);
    return to;
  }

  /** Gap text from `from` to `to`; answers `to`, or `from` when the table is full. */
  #text(from: number, to: number): number {
    const { cursor } = this;
    if (!cursor.table.isOpen(abi.SLOT_TEXT)) {
      if (!cursor.hasRoom()) return from;
      cursor.table.release(abi.SLOT_MESSAGE);
      cursor.start(abi.SLOT_TEXT, abi.TEXT, from);
    }
    cursor.end(abi.SLOT_TEXT, to);
    this.fresh = this.atLine = false;
    return to;
  }

  #leaveText(): void {
    this.cursor.table.release(abi.SLOT_TEXT);
    this.fresh = this.atLine = false;
  }

  #startDocument(): void {
    const { cursor, opener } = this;
    this.#leaveText();
    cursor.table.release(abi.SLOT_MESSAGE);
    cursor.start(abi.SLOT_HEADER, abi.HEADER | (opener.first ? abi.AT_START : 0), this.lineFrom);
    cursor.place = IN_DOCUMENT;
    this.lines.begin(opener);
  }

  /** The line is gap text up to p, but for blanks after `---`. */
  #failOpener(p: number): void {
    this.#text(this.lineFrom, this.opener.isMarker() ? this.lineFrom + 3 : p);
    this.cursor.place = IN_GAP;
  }
}

/** A byte of gap text that neither ends a word nor may begin a token. */
function isDull(byte: number): boolean {
  return byte > 0x20 && byte !== LT && byte !== BRACKET;
}
