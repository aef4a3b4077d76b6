// Messages, for the TypeScript scanner: header, body and literal blocks, from what opens a message to what ends it.
// Every method that reads takes the position it begins at and answers how far it came.

import * as abi from '../../abi.ts';
import { IN_BODY, IN_GAP, IN_HEADER, IN_LITERAL, LF, LT, NOT, type Cursor } from './cursor.ts';
import { classOf, CUT, ESCAPED, idOf, isWhite } from './token.ts';
import { Words } from './word.ts';

export class Messages {
  readonly words = new Words();
  private readonly cursor: Cursor;

  constructor(cursor: Cursor) {
    this.cursor = cursor;
  }

  /** `flags`: what opens it, when that is no start token. */
  start(from: number, flags: number): void {
    const { cursor } = this;
    cursor.start(abi.SLOT_MESSAGE, abi.MESSAGE | flags, from);
    cursor.place = IN_HEADER;
    this.words.begin(flags === 0, cursor.lexicon.roles);
  }

  startBody(from: number): void {
    this.cursor.start(abi.SLOT_BODY, abi.BODY, from);
    this.cursor.place = IN_BODY;
  }

  header(from: number): number {
    const { cursor, words } = this;
    const { bytes, length } = cursor;
    const isLine = cursor.has(abi.HAS_LINE);
    let p = from;
    while (p < length) {
      if (!words.plain && !isLine) p = cursor.findLt(p);
      if (p === length) return p;
      const byte = bytes[p]!;
      if (byte === LT) {
        const word = cursor.lookAt(p);
        if (word === CUT) return cursor.hold(p);
        if (word !== 0 && classOf(word) !== abi.CLASS_NONE) {
          words.endWord();
          p = this.#headerToken(p, word, isLine);
          if (cursor.stop !== NOT || cursor.place !== IN_HEADER) return p;
          continue;
        }
        words.feed(byte);
      } else if (!isWhite(byte)) {
        words.feed(byte);
      } else if (byte !== LF || !isLine) {
        words.space();
      } else {
        if (!cursor.hasRoom()) return p;
        cursor.table.mark(abi.SLOT_MESSAGE, words.finish());
        this.startBody(p + 1);
        return p + 1;
      }
      p++;
    }
    return p;
  }

  body(from: number): number {
    const { cursor } = this;
    let p = cursor.findLt(from);
    while (p < cursor.length) {
      const word = cursor.lookAt(p);
      if (word === CUT) return cursor.hold(p);
      if (word === 0 || classOf(word) === abi.CLASS_NONE) {
        p = cursor.findLt(p + 1);
        continue;
      }
      if (!cursor.hasRoom()) return p;
      const to = p + cursor.lexicon.lengthOf(word);
      switch (classInside(word)) {
        case abi.CLASS_OPEN:
          return this.#startNext(p, to);
        case abi.CLASS_CLOSE:
          return this.#end(p, to, idOf(word));
        case abi.CLASS_RAW:
          cursor.start(abi.SLOT_LITERAL, abi.LITERAL | idOf(word), p);
          cursor.place = IN_LITERAL;
          return to;
        default:
          cursor.add(kindInside(word), p, to);
      }
      p = cursor.findLt(to);
    }
    return p;
  }

  literal(from: number): number {
    const { cursor } = this;
    const { length, lexicon } = cursor;
    for (let p = cursor.findLt(from); p < length; p = cursor.findLt(p + 1)) {
      const word = cursor.match(p);
      if (word === CUT) return cursor.hold(p);
      if (classOf(word) === abi.CLASS_RAW_END) {
        const to = p + lexicon.lengthOf(word);
        cursor.close(abi.SLOT_LITERAL, to);
        cursor.place = IN_BODY;
        return to;
      }
    }
    return length;
  }

  /** The input ends in the message. */
  cutOff(p: number): void {
    const { cursor } = this;
    if (!cursor.hasRoom()) return;
    if (cursor.place === IN_LITERAL) cursor.table.mark(abi.SLOT_LITERAL, abi.UNTERMINATED);
    this.#end(p, p, abi.EOF_END);
  }

  /** What the message holds ends at `at`, the message itself at `to`; its row stays open for trailing terminators. */
  #end(at: number, to: number, bits: number): number {
    const { cursor } = this;
    cursor.table.mark(abi.SLOT_MESSAGE, bits);
    cursor.close(abi.SLOT_FIELD, at);
    cursor.close(abi.SLOT_LITERAL, at);
    if (cursor.place === IN_HEADER) {
      cursor.table.mark(abi.SLOT_MESSAGE, abi.NO_BODY_TOKEN);
      this.startBody(at);
    }
    cursor.close(abi.SLOT_BODY, at);
    cursor.end(abi.SLOT_MESSAGE, to);
    cursor.place = IN_GAP;
    return to;
  }

  /** A start token ends the message and opens one. */
  #startNext(p: number, to: number): number {
    this.#end(p, p, abi.IMPLICIT_END);
    this.start(p, 0);
    return to;
  }

  #headerToken(p: number, word: number, isLine: boolean): number {
    const { cursor, words } = this;
    if (!cursor.hasRoom()) return p;
    const id = idOf(word);
    const to = p + cursor.lexicon.lengthOf(word);
    const tokenClass = classInside(word);
    if (tokenClass === abi.CLASS_OPEN) return this.#startNext(p, to);
    if (tokenClass === abi.CLASS_CLOSE) return this.#end(p, to, id);
    if (isLine) {
      cursor.table.mark(abi.SLOT_MESSAGE, abi.NO_BODY_TOKEN);
      this.startBody(p);
      return p;
    }
    switch (tokenClass) {
      case abi.CLASS_NAME:
        cursor.close(abi.SLOT_FIELD, p);
        cursor.start(abi.SLOT_FIELD, abi.FIELD | id, p);
        words.beginField(id >> abi.TOKEN_SHIFT);
        break;
      case abi.CLASS_TEXT:
        cursor.close(abi.SLOT_FIELD, p);
        cursor.table.mark(abi.SLOT_MESSAGE, words.finish());
        this.startBody(to);
        break;
      default:
        cursor.add(kindInside(word), p, to);
        words.spoil();
    }
    return to;
  }
}

/** The class of a token, CLASS_NONE for an escaped one. */
function classInside(word: number): number {
  return (word & ESCAPED) === 0 ? classOf(word) : abi.CLASS_NONE;
}

/** The row for a token that stays a part of header or body. */
function kindInside(word: number): number {
  const tokenClass = classInside(word);
  const isMark = tokenClass === abi.CLASS_INNER || tokenClass === abi.CLASS_FILE;
  return (tokenClass === abi.CLASS_NONE ? abi.ESCAPE : isMark ? abi.MARK : abi.STRAY) | idOf(word);
}
