// Rows to events: messages as they open, grow and end, and what stands between them.
//
// What a header means is read by the model (HeaderView over a table of this message's own rows) once it is final, so
// that a stream says what `parse` says. The body goes out by position: all before `#told` is done with.

import {
  CHANNEL, EOF_END, ESCAPE, FILE, HAS_ESCAPE, HAS_LINE, IMPLICIT_END, KIND, KIND_MASK, MARK, MESSAGE, NO_BODY_TOKEN,
  PLAIN, ROW_WORDS, SLOT_BODY, SLOT_FIELD, SLOT_HEADER, SLOT_LITERAL, SLOT_MESSAGE, SLOT_TEXT, STRAY, TEXT, TOKEN_MASK,
  TOKEN_SHIFT, TRAILING, UNTERMINATED,
} from '../../abi.ts';
import { CR, LF } from '../../model/bytes.ts';
import { HeaderView, type MessageContext } from '../../model/header-view.ts';
import { ENDING, OPENED } from '../../model/rescue.ts';
import { detectedBy, Divider, HeaderCache } from '../../model/transcript.ts';
import { problemsOf } from '../../rules/conform.ts';
import { CLOSE_LITERAL, type Dialect, OPEN_LITERAL, TOKEN_NAMES } from '../../scan/dialects.ts';
import type { StreamEvent } from './event.ts';
import type { Machines } from './machines.ts';
import { StreamFindings } from './findings.ts';
import { HeaderRows } from './header-rows.ts';
import { OpenMessage } from './message.ts';
import type { ResolvedOptions } from './options.ts';
import type { FlowRescue, MessageFlow } from './rescue.ts';
import type { PlainText } from './plain.ts';
import type { OpenRow } from './rows.ts';
import { StreamScan, type ScanVisitor } from './scan.ts';
import { StrayText } from './stray.ts';

const LT = 0x3c;
/** So much of a body is told at once. */
const PIECE = 256 * 1024;

export class StreamReader implements ScanVisitor {
  readonly #options: ResolvedOptions;
  readonly #tell: (event: StreamEvent) => void;
  readonly #findings: StreamFindings;
  readonly #headers: HeaderCache;
  readonly #divider: Divider;
  readonly scan: StreamScan;
  /** Of the message at hand. */
  readonly #own: HeaderRows;
  /** A top-level row that is placed. */
  readonly #row = new Float64Array(ROW_WORDS);
  #place: 'gap' | 'header' | 'body' = 'gap';
  /**
   * The message at hand: where it begins; and, where it begins in another one of the scan (R-RESCUE), that this is so,
   * and how many of the scan's rows stand before its second one.
   */
  #from = 0;
  #isImplied = false;
  #skipped = 0;
  /** Null: exact messages alone. */
  readonly #rescue: FlowRescue | null;
  #message: OpenMessage | null = null;
  /** All of the body before it is told; where the literal block at hand begins, or -1. */
  #told = 0;
  #literalFrom = -1;
  /** No row was seen, but for a document header that is under way. */
  #isFresh = true;
  /**
   * Where the line at hand of a gap begins, which may open a document header; and what of the gap was searched for
   * lines.
   */
  #lineFrom = 0;
  #gapTo = 0;
  /** What the first row was read as. */
  #firstDialect: Dialect | null = null;
  readonly #stray: StrayText;
  #final = false;

  constructor(machines: Machines, options: ResolvedOptions, tell: (event: StreamEvent) => void) {
    this.#options = options;
    this.#tell = tell;
    this.#headers = new HeaderCache(undefined, options.yaml);
    const { dialect, role, requireChannels, rescue } = options;
    this.#divider = new Divider(dialect !== undefined, role ?? null, this.#headers, requireChannels, rescue);
    this.#own = new HeaderRows(this);
    this.#rescue = rescue && rescue.flow(this.#flow(), role, options.bounds.header);
    this.scan = new StreamScan(machines, this, {
      dialect: options.dialect,
      role: options.role !== undefined,
      headerBytes: options.bounds.header,
      decide: (from, to) => detectedBy(this.#headers.peek(this, from, to)),
    });
    this.#findings = new StreamFindings(this.scan, options, tell);
    this.#stray = new StrayText(options.strayText, (from, to) => this.bytes(from, to), tell);
  }

  #flow(): MessageFlow {
    return {
      rows: this.#own,
      bytes: (from, to) => this.bytes(from, to),
      begin: (from, skipped) => {
        this.#beginMessage(from, true);
        this.#skipped = skipped;
      },
      word: () => this.#word,
      open: (word, from, to, isWhole) => this.#open(word, from, to, isWhole),
      close: (word, to) => this.#close(word, to, to),
      tellTo: (to) => this.#tellTo(to),
      stray: ({ token, from, to }) => this.#strayInBody(token, from, to),
    };
  }

  /** Bytes [from, to) as far as they are at hand. */
  bytes(from: number, to: number): Uint8Array {
    return this.scan.bytes(from, to);
  }

  /** The message that is open and was told of. */
  get open(): OpenMessage | null {
    return this.#place === 'body' || this.#message?.isAbandoned ? this.#message : null;
  }

  /** Whether the end of input stands for the last stop token. */
  set isStripped(value: boolean) {
    this.#findings.isStripped = value;
  }

  /** The last message that has ended. */
  last: OpenMessage | null = null;
  messages = 0;

  /** Takes plain text from here on; null: the scanner has to read each piece. */
  plain(): PlainText | null {
    if (this.#place !== 'body' || this.#literalFrom >= 0 || this.scan.dialect.flags & HAS_LINE) return null;
    if (this.#rescue?.isIdle === false || !this.scan.isReadTo(this.#told)) return null;
    return this.#message!.plain(this.#told);
  }

  /** Plain text has come. */
  catchUp(plain: PlainText): void {
    if (plain.bytes === 0) return;
    this.#told += plain.bytes;
    this.scan.skip(plain.bytes);
    this.#message!.text?.catchUp(plain);
  }

  // -- What the scan asks and tells.

  needs(sure: number): number {
    if (this.#place === 'header') return this.#message ? sure : this.#from;
    if (this.#place === 'body') return this.#told;
    if (this.#isFresh) return 0;
    const header = this.scan.rows[SLOT_HEADER]!;
    if (header.isOpen) return header.from;
    return Math.min(this.#stray.needs, this.#lineFrom);
  }

  sure(to: number, final: boolean): void {
    this.#final = final;
    if (this.#place === 'body') {
      this.#tellTo(this.#sureTo(to));
      this.#findings.invalidUtf8(this.#told, 0, this.#divider.number, this.#message!.id, true);
    } else if (this.#place === 'header') {
      const from = this.#from;
      if (!this.#message && to - from > this.#options.bounds.header) this.#abandon(from);
      if (this.#message) this.#findings.invalidUtf8(to, to, this.#divider.number, this.#message.id, true);
    } else {
      this.#gap(to);
    }
    if (final) this.#findings.atEnd(this.#divider, this.#isFresh ? null : (this.#firstDialect ?? this.scan.dialect));
  }

  begin(slot: number, row: OpenRow): void {
    if (slot === SLOT_MESSAGE) {
      this.#findings.endGap();
      this.#isFresh = false;
      this.#beginMessage(row.from, false);
    } else if (slot === SLOT_FIELD) {
      if (this.#mayRescue) this.#rescue!.atField(this.#from, this.scan.dialect.flags, row.from);
      this.#own.addField(row.word, row.from);
    } else if (slot === SLOT_BODY) {
      const isOpen = this.#mayRescue && this.#rescue!.atBody(this.#from, this.scan.dialect.flags, row);
      if (!isOpen) this.#beginBody(row);
    } else if (slot === SLOT_LITERAL) {
      this.#rescue?.release();
      this.#tellTo(row.from);
      this.#literal(row.from + OPEN_LITERAL.length, true);
      this.#literalFrom = row.from;
    } else if (slot === SLOT_TEXT) {
      this.#place = 'gap';
      this.#isFresh = false;
      this.#firstDialect ??= this.scan.dialect;
      this.#stray.begin(row.from);
    }
  }

  end(slot: number, row: OpenRow): void {
    if (slot === SLOT_FIELD) {
      if (this.#message) return;
      this.#own.endField(row.number - this.scan.rows[SLOT_MESSAGE]!.number - this.#skipped, row.to);
    } else if (slot === SLOT_LITERAL) {
      const isOpen = (row.word & UNTERMINATED) !== 0;
      this.#tellTo(isOpen ? row.to : row.to - CLOSE_LITERAL.length);
      this.#literal(row.to, false);
      if (isOpen) this.#message!.openLiteral = { from: this.#literalFrom, to: row.to };
      this.#literalFrom = -1;
    } else if (slot === SLOT_BODY) {
      this.#endBody(row);
    } else if (slot === SLOT_TEXT) {
      this.#stray.end(row.to);
      this.#leaf(TEXT, row.from, row.to);
      this.#findings.text(row.from, row.to, this.#divider.number, this.scan.dialect);
      this.#findings.invalidUtf8(row.to, 0, this.#divider.number, null);
    } else if (slot === SLOT_HEADER) {
      this.#isFresh = false;
      this.#lineFrom = row.to;
      this.#findings.endGap();
      this.#leaf(row.word, row.from, row.to);
      const { number, declared, header } = this.#divider.current!;
      for (const problem of problemsOf(header!)) {
        this.#findings.add({ ...problem, from: row.from, to: row.to }, number, declared, null);
      }
      this.#findings.invalidUtf8(row.to, row.to, number, null);
    }
  }

  leaf(word: number, from: number, to: number): void {
    const kind = word & KIND_MASK;
    if (this.#place === 'body') {
      this.#inBody(kind, (word >>> TOKEN_SHIFT) & TOKEN_MASK, from, to, true);
    } else if (this.#place === 'header') {
      if (!this.#message) this.#own.addLeaf(word, from, to);
    } else if (kind === TRAILING) {
      const token = (word >>> TOKEN_SHIFT) & TOKEN_MASK;
      this.last!.trailing(token);
      const info = this.last!.transcript;
      this.#findings.add({ rule: 'trailing-terminator', from, to }, info.number, info.declared, this.last!.id);
      this.#lineFrom = to;
    } else {
      this.#isFresh = false;
      this.#firstDialect ??= this.scan.dialect;
      this.#lineFrom = to;
      const { number } = this.#divider;
      this.#leaf(word, from, to);
      if (kind === STRAY) {
        this.#findings.add({ rule: 'stray-token', from, to, severity: 'warning' }, number, false, null);
      } else if (kind === FILE) this.#findings.file();
    }
  }

  // -- Between messages.

  /** Places a top-level row that is whole; tells of the transcript that it begins. */
  #leaf(word: number, from: number, to: number): void {
    this.#row.set([word, from, to, 1]);
    this.#divide(this.#row, word & KIND_MASK);
  }

  #divide(words: Float64Array | Int32Array, kind: number): void {
    const { source } = this.#own.table;
    const begins = this.#divider.place({ words, base: 0, first: 0, source, dialect: this.scan.dialect }, 0);
    if (!begins) return;
    const { number: transcript, dialect: { id: dialect }, header } = this.#divider.current!;
    const about = { transcript, dialect, version: header?.version ?? null, header: header?.fields ?? null };
    this.#tell({ type: 'transcript.begin', message_id: null, ...about });
    const opener = kind === MESSAGE ? this.#own.words[KIND]! : 0;
    this.#findings.firstTranscript(this.#divider.current!, opener);
  }

  #gap(to: number): void {
    const text = this.scan.rows[SLOT_TEXT]!;
    if (text.isOpen) this.#stray.grow(text.to);
    const from = Math.max(this.#lineFrom, this.#gapTo, this.scan.windowFrom);
    if (to <= from) return;
    this.#gapTo = to;
    const lf = this.bytes(from, to).lastIndexOf(LF);
    if (lf >= 0) this.#lineFrom = from + lf + 1;
    if (text.isOpen && text.to > this.#lineFrom) this.#lineFrom = to;
  }

  // -- The header of a message.

  /** `isImplied`: it begins in another one of the scan. */
  #beginMessage(from: number, isImplied: boolean): void {
    this.#place = 'header';
    this.#message = null;
    this.#from = from;
    this.#isImplied = isImplied;
    this.#skipped = 0;
    this.#own.begin(this.#word, from);
  }

  /** The message at hand is one of the scan's, and its header goes on. */
  get #mayRescue(): boolean {
    return this.#rescue !== null && !this.#isImplied && !this.#message;
  }

  /** What is known of the message at hand. */
  get #word(): number {
    const { word } = this.scan.rows[SLOT_MESSAGE]!;
    return this.#isImplied ? OPENED | (word & (ENDING | NO_BODY_TOKEN)) : word;
  }

  #beginBody(row: OpenRow): void {
    const word = this.#word;
    // A body without its token ends where it begins, at what ended the header: then all is known. Else how it ends is
    // not.
    const isWhole = (word & NO_BODY_TOKEN) !== 0 && row.next !== 0 && row.to === row.from;
    const to = isWhole ? this.scan.rows[SLOT_MESSAGE]!.to : row.from;
    this.#open(isWhole ? word : word & ~ENDING, row.from, to, isWhole);
  }

  /** The header is read: the body begins at `from`. `isWhole`: the message ends at `to`, as `word` says. */
  #open(word: number, from: number, to: number, isWhole: boolean): void {
    if (!this.#message && from - this.#from > this.#options.bounds.header) this.#abandon(this.#from);
    this.#place = 'body';
    this.#told = from;
    if (this.#message) {
      this.#findings.invalidUtf8(from, from, this.#divider.number, this.#message.id);
      return;
    }
    const bodyRow = this.#own.count;
    this.#own.addBody(word, from, to);
    const { dialect } = this.scan;
    this.#divide(this.#own.words, MESSAGE);
    const { context } = this.#divider;
    const view = new HeaderView(this.#own.table, 0, context);
    const info = this.#divider.current!;
    const message = this.#message = new OpenMessage(view, info, this.#options, this.messages++, this.#tell);
    this.#told = message.bodyFrom;
    message.mayBeOpenTurn = isWhole ? view.isOpenTurn : this.#wouldBeOpenTurn(context);
    message.tellAdded();
    this.#findings.header(message, view, isWhole || !(dialect.flags & HAS_LINE));
    // Without its message token, part of the header may be body.
    for (let i = 1; i < bodyRow; i++) {
      const [word, from, to] = this.#own.words.subarray(i * ROW_WORDS) as unknown as [number, number, number];
      if (from >= this.#told) this.#inBody(word & KIND_MASK, (word >>> TOKEN_SHIFT) & TOKEN_MASK, from, to, false);
    }
  }

  /**
   * In 0.1 a header line with nothing behind it is a prompt that waits: whether it would be one, were the input to end
   * here.
   */
  #wouldBeOpenTurn(context: MessageContext): boolean {
    if (!(context.dialect.flags & HAS_LINE)) return false;
    const { words } = this.#own;
    words[KIND]! |= EOF_END;
    const { isOpenTurn } = new HeaderView(this.#own.table, 0, context);
    words[KIND]! &= ~EOF_END;
    return isOpenTurn;
  }

  /** The header is beyond the bound: of the message nothing is told but that it is there. */
  #abandon(from: number): void {
    const { words } = this.#own;
    words[KIND] = MESSAGE | PLAIN;
    this.#divide(words, MESSAGE);
    const info = this.#divider.current!;
    this.#message = OpenMessage.abandoned(from, info, this.#options, this.messages++, this.#tell);
    const to = from + this.#options.bounds.header;
    this.#findings.add({ rule: 'header-limit', from, to }, info.number, info.declared, this.#message.id);
    this.#message.tellAdded();
  }

  // -- The body.

  /**
   * Up to where the body is sure: not a `<` that may be an escape, not the newline that may stand before 0.1's
   * terminator.
   */
  #sureTo(to: number): number {
    const told = this.#told;
    if (to <= told || this.#final || this.#literalFrom >= 0) return to;
    if (this.#rescue !== null) {
      const sure = this.#rescue.sureTo(to);
      if (sure < to) return sure;
    }
    const { flags } = this.scan.dialect;
    if (flags & HAS_ESCAPE) {
      const [last, next] = this.bytes(to - 1, to + 1);
      return last === LT && next === LT ? to - 1 : to;
    }
    return flags & HAS_LINE ? to - newlineBefore(this.bytes(Math.max(told, to - 2), to), true) : to;
  }

  /** Tells the content up to a position. */
  #tellTo(to: number): void {
    const message = this.#message!;
    if (to <= this.#told) return;
    this.#findings.release();
    const limit = message.limit(this.#literalFrom);
    const until = Math.min(to, limit);
    if (!message.text || message.text.isIdle) {
      this.#told = to;
    } else {
      while (this.#told < until) {
        const bytes = this.bytes(this.#told, Math.min(until, this.#told + PIECE));
        if (bytes.length > 0) message.text.take(bytes, this.#told);
        this.#told = bytes.length > 0 ? this.#told + bytes.length : Math.max(this.#told + 1, this.scan.windowFrom);
      }
    }
    if (to <= limit) return;
    this.#told = to;
    const { number, declared } = message.transcript;
    const isLiteral = message.isLiteralLimit(this.#literalFrom);
    const rule = isLiteral ? 'literal-limit' : 'body-limit';
    const from = isLiteral ? this.#literalFrom : message.bodyFrom;
    this.#findings.invalidUtf8(limit, 0, number, message.id);
    this.#findings.add({ rule, from, to: limit }, number, declared, message.id);
    message.cutOff();
  }

  /** What stands from here to `to` is no content. */
  #part(to: number): void {
    this.#message!.text?.part();
    this.#told = Math.max(this.#told, to);
  }

  /** A literal block begins or ends, and its token ends at `to`. */
  #literal(to: number, begins: boolean): void {
    this.#message!.text?.literal(begins);
    this.#told = Math.max(this.#told, to);
  }

  #inBody(kind: number, token: number, from: number, to: number, isNew: boolean): void {
    if (this.#rescue !== null) {
      if (kind === STRAY && isNew && this.#mayBreak && this.#rescue.take({ token, from, to })) return;
      this.#rescue.release();
    }
    const message = this.#message!;
    this.#tellTo(from);
    if (kind === ESCAPE) {
      this.#part(from + 1);
    } else if (kind === MARK) {
      message.text?.mark({ token, from, to });
      this.#tellTo(to);
      message.text?.afterMark();
    } else if (kind === STRAY) {
      if (isNew) this.#strayInBody(token, from, to);
      else if (token === CHANNEL) message.text?.channel();
    }
  }

  /** A header in the body ends it. */
  get #mayBreak(): boolean {
    return !this.#message!.isAbandoned && this.#message!.about.role === 'assistant';
  }

  #strayInBody(token: number, from: number, to: number): void {
    const message = this.#message!;
    this.#tellTo(from);
    this.#findings.invalidUtf8(from, 0, this.#divider.number, message.id);
    this.#findings.strayInBody(from, to, message, this.scan.dialect);
    if (token === CHANNEL) message.text?.channel();
  }

  #endBody(row: OpenRow): void {
    this.#rescue?.release();
    const word = this.#word;
    const token = (word >>> TOKEN_SHIFT) & TOKEN_MASK;
    const isEnded = (word & (EOF_END | IMPLICIT_END)) === 0;
    let to = row.to;
    if (isEnded && this.scan.dialect.flags & HAS_LINE && to > this.#told) {
      to -= newlineBefore(this.bytes(Math.max(this.#told, to - 2), to), false);
    }
    this.#close(word, to, isEnded ? row.to + tokenLength(token) : row.to);
  }

  /** The body ends at `to`, the message at `messageTo`, as `word` says. */
  #close(word: number, to: number, messageTo: number): void {
    const message = this.#message!;
    this.#tellTo(to);
    this.#divider.passed(0, word);
    message.finish(word, to, messageTo);
    this.#findings.invalidUtf8(messageTo, 0, this.#divider.number, message.id);
    this.#findings.end(message);
    message.tellDone(this.#findings.stripped);
    this.last = message;
    this.#message = null;
    this.#place = 'gap';
    this.#lineFrom = messageTo;
  }
}

const tokenLength = (token: number): number => TOKEN_NAMES[token]!.length + 4;

/** Bytes of the newline at the end, LF or CRLF; `isOpen`: of a CR too, which an LF may follow. */
function newlineBefore(bytes: Uint8Array, isOpen: boolean): number {
  const last = bytes[bytes.length - 1];
  if (last === LF) return bytes.length > 1 && bytes[bytes.length - 2] === CR ? 2 : 1;
  return isOpen && last === CR ? 1 : 0;
}
