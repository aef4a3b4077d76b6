// Transcripts: which rows of an input belong to which one, and what each is read as (R-CONCAT, R-DETECT, R-DIAG).

import {
  BOS, BOUND, BRACKET_BOS, DEVELOPER, FILE, HAS_HEADERS, HAS_LINE, HEADER, MESSAGE, PLAIN, RETURN, ROLE_MASK,
  ROLE_SHIFT, SYSTEM, TOKEN_MASK, TOKEN_SHIFT,
} from '../abi.ts';
import { DETECTED_20, DETECTED_22, type Dialect } from '../scan/dialects.ts';
import { fromOf, kindWord, type Table, toOf } from '../scan/table.ts';
import { ByBytes } from './by-bytes.ts';
import { LF } from './bytes.ts';
import { type DocumentHeader, HEADER_BYTES, readDocumentHeader } from './header/document.ts';
import type { ReadYaml } from './header/text.ts';
import { HeaderView, type KnownHeader, type MessageContext } from './header-view.ts';
import type { Rescue } from './rescue.ts';
import type { TranscriptInfo } from './transcript-info.ts';

export type { TranscriptInfo };

/** Document headers by their bytes: a corpus repeats them, and reading YAML is slow. */
export class HeaderCache {
  readonly #known: { readonly ended: ByBytes<DocumentHeader>; readonly open: ByBytes<DocumentHeader> };
  /** Headers that were read for their dialect and will be asked for again, for their transcripts, in the same order. */
  readonly #ahead: { from: number; header: DocumentHeader }[] = [];
  /** The first one of these that was not asked for again: a window may hold ten thousand. */
  #next = 0;

  readonly #readYaml: ReadYaml | undefined;

  /** `shared`: headers of other inputs are known too, and read in the same way. */
  constructor(shared?: HeaderCache, readYaml?: ReadYaml) {
    this.#known = shared === undefined ? { ended: new ByBytes(), open: new ByBytes() } : shared.#known;
    this.#readYaml = shared === undefined ? readYaml : shared.#readYaml;
  }

  /** Reads the header [from, to) of the one input that this cache serves, for its dialect. */
  peek(source: { bytes(from: number, to: number): Uint8Array }, from: number, to: number): DocumentHeader {
    const header = this.#find(source, from, to);
    this.#ahead.push({ from, header });
    return header;
  }

  /** The header [from, to), for its transcript. */
  read(source: { bytes(from: number, to: number): Uint8Array }, from: number, to: number): DocumentHeader {
    const ahead = this.#ahead;
    while (this.#next < ahead.length && ahead[this.#next]!.from < from) this.#next++;
    const known = this.#next < ahead.length ? ahead[this.#next++] : undefined;
    if (this.#next === ahead.length) ahead.length = this.#next = 0;
    return known?.from === from ? known.header : this.#find(source, from, to);
  }

  #find(source: { bytes(from: number, to: number): Uint8Array }, from: number, to: number): DocumentHeader {
    const length = Math.min(to - from, HEADER_BYTES + 1);
    // One byte more tells whether the input ends here.
    const seen = source.bytes(from, from + length + 1);
    const lineEnded = seen.length === length || seen[length - 1] === LF;
    const bytes = seen.subarray(0, length);
    const known = lineEnded ? this.#known.ended : this.#known.open;
    return known.get(bytes, () => readDocumentHeader(bytes, lineEnded, this.#readYaml));
  }
}

/** What is detected behind a document header: the tokens of the dialect that it asks for. */
export const detectedBy = ({ dialect }: DocumentHeader): Dialect =>
  (dialect === 'openchatml-2.0' ? DETECTED_20 : DETECTED_22);

/** Walks top-level rows in order and says which transcript each one belongs to. */
export class Divider {
  protected readonly given: boolean;
  protected readonly role: string | null;
  protected readonly headers: HeaderCache;
  protected readonly asksForChannels: boolean;
  protected readonly rescue: Rescue | null;
  /** Knows what headers said before. */
  protected readonly known: KnownHeader | undefined;
  /** The input was written from chat data. */
  isChat = false;
  /** The transcript at hand; null before the first one. */
  current: TranscriptInfo | null = null;
  /** Messages seen in it. */
  messages = 0;
  /** In 0.1: the next message or file opens a transcript; position of the BOS that announced it, or -1. */
  protected bounded = true;
  protected boundFrom = -1;
  protected afterMessage = false;
  protected afterReturn = false;
  protected wasLine = false;

  /** `given`: the caller chose the dialect. */
  constructor(
    given: boolean, role: string | null, headers: HeaderCache, asksForChannels: boolean, rescue: Rescue | null,
  ) {
    this.asksForChannels = asksForChannels;
    this.rescue = rescue;
    this.given = given;
    this.role = role;
    this.headers = headers;
  }

  /** The number that findings in a gap get: the transcript before it, 0 when there is none. */
  get number(): number {
    return this.current?.number ?? 0;
  }

  /** Takes the next top-level row. True: it began a transcript. */
  place(table: Table & { readonly dialect: Dialect }, row: number): boolean {
    const word = kindWord(table, row);
    const kind = word & 0xff;
    if (kind === MESSAGE) {
      const begins = this.begins(table, row, word);
      if (begins) this.#open(table, fromOf(table, row), null, word);
      this.messages++;
      this.afterMessage = true;
      this.placed(table, row, word);
      this.afterReturn = ((word >> TOKEN_SHIFT) & TOKEN_MASK) === RETURN;
      return begins;
    }
    if (kind === HEADER) {
      this.#open(table, fromOf(table, row), row);
      return true;
    }
    this.#noteDialect(table.dialect);
    if (!this.wasLine) return false;
    if (kind === BOUND) {
      const token = (word >> TOKEN_SHIFT) & TOKEN_MASK;
      this.bounded = true;
      this.boundFrom = token === BOS || token === BRACKET_BOS ? fromOf(table, row) : -1;
    } else if (kind === FILE && (this.bounded || !this.current)) {
      this.#open(table, fromOf(table, row), null);
      return true;
    }
    return false;
  }

  /** A run of messages went by; the KIND word of the last one. */
  passed(messages: number, lastWord: number): void {
    this.messages += messages;
    this.afterMessage = true;
    this.afterReturn = ((lastWord >> TOKEN_SHIFT) & TOKEN_MASK) === RETURN;
  }

  /** A message was placed, whose row has this KIND word. */
  protected placed(_table: Table & { readonly dialect: Dialect }, _row: number, _word: number): void {}

  /** A transcript was opened. `opener`: the KIND word of the message with which it begins; 0: it begins otherwise. */
  protected opened(_opener: number): void {}

  /** A message's context. */
  get context(): MessageContext {
    const transcript = this.current!;
    if (this.#context?.transcript !== transcript) {
      const { role, rescue, known } = this;
      this.#context = { dialect: transcript.dialect, transcript, role, rescue, known };
    }
    return this.#context;
  }

  #context: MessageContext | null = null;

  /** Detection may go over to 0.1 in the middle of an input: a transcript of its own. */
  #noteDialect(dialect: Dialect): void {
    const isLine = (dialect.flags & HAS_LINE) !== 0;
    if (isLine && !this.wasLine) {
      this.bounded = true;
      this.boundFrom = -1;
    }
    this.wasLine = isLine;
  }

  protected begins(table: Table & { readonly dialect: Dialect }, row: number, word: number): boolean {
    const { dialect } = table;
    this.#noteDialect(dialect);
    if (!this.current) return true;
    if (dialect.flags & HAS_LINE) return this.bounded;
    if (dialect.id !== 'harmony' || !this.afterMessage) return false;
    if (word & PLAIN) {
      const role = (word >> ROLE_SHIFT) & ROLE_MASK;
      return role === SYSTEM || (role === DEVELOPER && this.afterReturn);
    }
    const role = this.roleOf(table, row);
    return role === 'system' || (role === 'developer' && this.afterReturn);
  }

  /** The role of a message whose header is not plain. */
  protected roleOf(table: Table & { readonly dialect: Dialect }, row: number): string | null {
    const { role, rescue, known } = this;
    return new HeaderView(table, row, { dialect: table.dialect, transcript: null, role, rescue, known }).role;
  }

  #open(table: Table & { readonly dialect: Dialect }, from: number, headerRow: number | null, opener = 0): void {
    const span = headerRow === null ? null : { from: fromOf(table, headerRow), to: toOf(table, headerRow) };
    const header = span && this.headers.read(table.source, span.from, span.to);
    this.current = {
      number: this.current ? this.current.number + 1 : 0,
      dialect: table.dialect,
      declared: this.given || (header?.version ?? null) !== null,
      headerSpan: span,
      header,
      from: headerRow === null && this.boundFrom >= 0 ? this.boundFrom : from,
      asksForChannels: this.asksForChannels && !(table.dialect.flags & HAS_LINE),
      isChat: this.isChat,
    };
    this.opened(opener);
    this.messages = 0;
    this.bounded = false;
    this.boundFrom = -1;
    this.afterMessage = this.afterReturn = false;
  }
}

/** True when a document header is to be expected of a transcript in this dialect. */
export const wantsHeader = (dialect: Dialect): boolean => (dialect.flags & HAS_HEADERS) !== 0;
