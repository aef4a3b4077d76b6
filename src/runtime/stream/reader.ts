// Rows to events: messages as they open, grow and end, and what stands between them.
//
// What a header means is read by the model (HeaderView over a table of this message's own rows) once it is final, so
// that a stream says what `parse` says. Bodies go out by position (body-reader.ts).

import {
  EOF_END, FILE, HAS_LINE, IMPLICIT_END, KIND, KIND_MASK, MESSAGE, NO_BODY_TOKEN, PLAIN, ROW_WORDS, SLOT_BODY,
  SLOT_FIELD, SLOT_HEADER, SLOT_LITERAL, SLOT_MESSAGE, SLOT_TEXT, STRAY, TEXT, TOKEN_MASK, TOKEN_SHIFT, TRAILING,
} from '../../abi.ts';
import { LF } from '../../model/bytes.ts';
import { HeaderView, type MessageContext } from '../../model/header-view.ts';
import { ENDING, OPENED } from '../../model/rescue.ts';
import { detectedBy, Divider, HeaderCache } from '../../model/transcript.ts';
import { problemsOf } from '../../rules/conform.ts';
import { type Dialect, TOKEN_NAMES } from '../../scan/dialects.ts';
import { BodyReader } from './body-reader.ts';
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
  readonly #body: BodyReader;

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
    this.#body = new BodyReader(this.scan, this.#findings, this.#rescue);
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
      tellTo: (to) => this.#body.tellTo(to),
      stray: ({ token, from, to }) => this.#body.stray(token, from, to),
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
    if (this.#place !== 'body' || this.#body.literalFrom >= 0 || this.scan.dialect.flags & HAS_LINE) return null;
    if (this.#rescue?.isIdle === false || !this.scan.isReadTo(this.#body.told)) return null;
    return this.#message!.plain(this.#body.told);
  }

  /** Plain text has come. */
  catchUp(plain: PlainText): void {
    if (plain.bytes === 0) return;
    this.#body.told += plain.bytes;
    this.scan.skip(plain.bytes);
    this.#message!.text?.catchUp(plain);
  }

  // -- What the scan asks and tells.

  needs(sure: number): number {
    if (this.#place === 'header') return this.#message ? sure : this.#from;
    if (this.#place === 'body') return this.#body.told;
    if (this.#isFresh) return 0;
    const header = this.scan.rows[SLOT_HEADER]!;
    if (header.isOpen) return header.from;
    return Math.min(this.#stray.needs, this.#lineFrom);
  }

  sure(to: number, final: boolean): void {
    if (this.#place === 'body') {
      this.#body.tellTo(this.#body.sureTo(to, final));
      this.#findings.invalidUtf8(this.#body.told, 0, this.#divider.number, this.#message!.id, true);
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
      this.#body.beginLiteral(row.from);
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
      this.#body.endLiteral(row);
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
      this.#body.take(kind, (word >>> TOKEN_SHIFT) & TOKEN_MASK, from, to, true);
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
    if (this.#message) {
      this.#body.begin(this.#message, from);
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
    this.#body.begin(message, message.bodyFrom);
    message.mayBeOpenTurn = isWhole ? view.isOpenTurn : this.#wouldBeOpenTurn(context);
    message.tellAdded();
    this.#findings.header(message, view, isWhole || !(dialect.flags & HAS_LINE));
    // Without its message token, part of the header may be body.
    for (let i = 1; i < bodyRow; i++) {
      const [word, from, to] = this.#own.words.subarray(i * ROW_WORDS) as unknown as [number, number, number];
      if (from < this.#body.told) continue;
      this.#body.take(word & KIND_MASK, (word >>> TOKEN_SHIFT) & TOKEN_MASK, from, to, false);
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

  #endBody(row: OpenRow): void {
    this.#rescue?.release();
    const word = this.#word;
    const token = (word >>> TOKEN_SHIFT) & TOKEN_MASK;
    const isEnded = (word & (EOF_END | IMPLICIT_END)) === 0;
    const to = isEnded ? this.#body.endBefore(row.to) : row.to;
    this.#close(word, to, isEnded ? row.to + tokenLength(token) : row.to);
  }

  /** The body ends at `to`, the message at `messageTo`, as `word` says. */
  #close(word: number, to: number, messageTo: number): void {
    const message = this.#message!;
    this.#body.tellTo(to);
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
