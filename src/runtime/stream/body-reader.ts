// The body of the message at hand, from rows to its text, by position: content, literal blocks, marks, and tokens that
// mean nothing there.

import { CHANNEL, ESCAPE, HAS_ESCAPE, HAS_LINE, MARK, STRAY, UNTERMINATED } from '../../abi.ts';
import { CR, LF } from '../../model/bytes.ts';
import { CLOSE_LITERAL, OPEN_LITERAL } from '../../scan/dialects.ts';
import type { StreamFindings } from './findings.ts';
import type { OpenMessage } from './message.ts';
import type { FlowRescue } from './rescue.ts';
import type { OpenRow } from './rows.ts';
import type { StreamScan } from './scan.ts';

const LT = 0x3c;
/** So much of a body is told at once. */
const PIECE = 256 * 1024;

export class BodyReader {
  readonly #scan: StreamScan;
  readonly #findings: StreamFindings;
  /** Null: exact messages alone. */
  readonly #rescue: FlowRescue | null;
  #message: OpenMessage | null = null;
  /** All of the body before it is told; where the literal block at hand begins, or -1. */
  told = 0;
  literalFrom = -1;

  constructor(scan: StreamScan, findings: StreamFindings, rescue: FlowRescue | null) {
    this.#scan = scan;
    this.#findings = findings;
    this.#rescue = rescue;
  }

  /** The body of a message begins at `from`. */
  begin(message: OpenMessage, from: number): void {
    this.#message = message;
    this.told = from;
  }

  /**
   * Up to where the body is sure: not a `<` that may be an escape, not the newline that may stand before 0.1's
   * terminator.
   */
  sureTo(to: number, final: boolean): number {
    const { told } = this;
    if (to <= told || final || this.literalFrom >= 0) return to;
    if (this.#rescue !== null) {
      const sure = this.#rescue.sureTo(to);
      if (sure < to) return sure;
    }
    const { flags } = this.#scan.dialect;
    if (flags & HAS_ESCAPE) {
      const [last, next] = this.#scan.bytes(to - 1, to + 1);
      return last === LT && next === LT ? to - 1 : to;
    }
    return flags & HAS_LINE ? to - newlineBefore(this.#scan.bytes(Math.max(told, to - 2), to), true) : to;
  }

  /** Tells the content up to a position. */
  tellTo(to: number): void {
    const message = this.#message!;
    if (to <= this.told) return;
    this.#findings.release();
    const limit = message.limit(this.literalFrom);
    const until = Math.min(to, limit);
    if (!message.text || message.text.isIdle) {
      this.told = to;
    } else {
      while (this.told < until) {
        const bytes = this.#scan.bytes(this.told, Math.min(until, this.told + PIECE));
        for (const at of this.#scan.maskedIn(this.told, this.told + bytes.length)) message.text.quote(at);
        if (bytes.length > 0) message.text.take(bytes, this.told);
        this.told = bytes.length > 0 ? this.told + bytes.length : Math.max(this.told + 1, this.#scan.windowFrom);
      }
    }
    if (to <= limit) return;
    this.told = to;
    const { number, declared } = message.transcript;
    const isLiteral = message.isLiteralLimit(this.literalFrom);
    const rule = isLiteral ? 'literal-limit' : 'body-limit';
    const from = isLiteral ? this.literalFrom : message.bodyFrom;
    this.#findings.invalidUtf8(limit, 0, number, message.id);
    this.#findings.add({ rule, from, to: limit }, number, declared, message.id);
    message.cutOff();
  }

  /** What stands from here to `to` is no content. */
  #part(to: number): void {
    this.#message!.text?.part();
    this.told = Math.max(this.told, to);
  }

  beginLiteral(from: number): void {
    this.#rescue?.release();
    this.tellTo(from);
    this.#literal(from + OPEN_LITERAL.length, true);
    this.literalFrom = from;
  }

  endLiteral(row: OpenRow): void {
    const isOpen = (row.word & UNTERMINATED) !== 0;
    this.tellTo(isOpen ? row.to : row.to - CLOSE_LITERAL.length);
    this.#literal(row.to, false);
    if (isOpen) this.#message!.openLiteral = { from: this.literalFrom, to: row.to };
    this.literalFrom = -1;
  }

  /** A literal block begins or ends, and its token ends at `to`. */
  #literal(to: number, begins: boolean): void {
    this.#message!.text?.literal(begins);
    this.told = Math.max(this.told, to);
  }

  /** A row in the body. `isNew`: false, it was met as part of the header. */
  take(kind: number, token: number, from: number, to: number, isNew: boolean): void {
    if (this.#rescue !== null) {
      if (kind === STRAY && isNew && this.#mayBreak && this.#rescue.take({ token, from, to })) return;
      this.#rescue.release();
    }
    const message = this.#message!;
    this.tellTo(from);
    if (kind === ESCAPE) {
      this.#part(from + 1);
      // It begins what would be a token, and no marker.
      message.text?.quote(from + 1);
    } else if (kind === MARK) {
      message.text?.mark({ token, from, to });
      this.tellTo(to);
      message.text?.afterMark();
    } else if (kind === STRAY) {
      if (isNew) this.stray(token, from, to);
      else if (token === CHANNEL) message.text?.channel();
    }
  }

  /** A header in the body ends it. */
  get #mayBreak(): boolean {
    return !this.#message!.isAbandoned && this.#message!.about.role === 'assistant';
  }

  /** A token that means nothing there. */
  stray(token: number, from: number, to: number): void {
    const message = this.#message!;
    this.tellTo(from);
    this.#findings.invalidUtf8(from, 0, message.transcript.number, message.id);
    this.#findings.strayInBody(from, to, message, this.#scan.dialect);
    if (token === CHANNEL) message.text?.channel();
  }

  /** Where the content ends when a terminator stands at `to`: 0.1 may have a newline before it. */
  endBefore(to: number): number {
    if (!(this.#scan.dialect.flags & HAS_LINE) || to <= this.told) return to;
    return to - newlineBefore(this.#scan.bytes(Math.max(this.told, to - 2), to), false);
  }
}

/** Bytes of the newline at the end, LF or CRLF; `isOpen`: of a CR too, which an LF may follow. */
function newlineBefore(bytes: Uint8Array, isOpen: boolean): number {
  const last = bytes[bytes.length - 1];
  if (last === LF) return bytes.length > 1 && bytes[bytes.length - 2] === CR ? 2 : 1;
  return isOpen && last === CR ? 1 : 0;
}
