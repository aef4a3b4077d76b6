// The walk through a file: dialects, transcripts, gaps, bytes that are no UTF-8 (R-DETECT, R-CONCAT, R-NO-HEADER,
// R-GAP, R-FIM, R-UTF16, R-UTF8).
import { conformNotes } from './conform.ts';
import { finding } from './findings.ts';
import type { Finding, Note } from './findings.ts';
import { TERMINATORS } from './frames.ts';
import type { Opener } from './frames.ts';
import { readGapText } from './gap.ts';
import { headerAtStart, headerSpan, readHeader } from './header.ts';
import type { HeaderReading, HeaderSpan } from './header.ts';
import { channelsRequired, readLegacyMessage, readMessage } from './message.ts';
import type { ParsedMessage } from './message.ts';
import { invalidUtf8 } from './text.ts';
import type { Range } from './text.ts';
import {
  ALL_TOKENS,
  DIALECTS,
  FILE_TOKENS,
  firstToken,
  skipWhite,
  startsWith,
  TOKENS_2X,
} from './tokens.ts';
import type { Dialect, Source, Token } from './tokens.ts';

/** What the transcript at hand, or the next one, is read as. */
interface Settings {
  dialect: Dialect;
  declared: boolean;
  /** A 1.x transcript, read with the tokens of 2.2. */
  firstMajor: boolean;
  requireChannels: boolean;
  hasHeader: boolean;
  header: HeaderReading | null;
}

export interface Transcript extends Settings {
  from: number;
  /** Where in the file it became known: what a gap holds before belongs to the transcript before. */
  opened: number;
  messages: number;
}

export interface PlacedMessage {
  readonly transcript: number;
  readonly index: number;
  readonly message: ParsedMessage;
  /** Trailing terminators lengthen the message. */
  to: number;
}

const LEGACY = DIALECTS['openchatml-0.1'];
/** In a gap of 0.1 the other tokens are stray text. */
const LEGACY_GAP: ReadonlySet<string> = new Set(['im_start', 'im_end', ...FILE_TOKENS]);
const OPENERS: ReadonlySet<string> = new Set(['start', 'channel', 'message', 'im_start']);
const NOT_UTF8 = ['\xff\xfe\x00\x00', '\x00\x00\xfe\xff', '\xff\xfe', '\xfe\xff', '<\x00', '\x00<', 'v\x00', '\x00v'];

export class Walk {
  readonly transcripts: Transcript[] = [];
  readonly messages: PlacedMessage[] = [];
  readonly findings: Finding[] = [];

  private readonly source: Source;
  private readonly given: Dialect | null;
  private readonly stopStripped: boolean;
  private readonly rescue: boolean;
  private readonly headers: Range[] = [];
  /** The first byte that is neither byte order mark nor white space. */
  private readonly textFrom: number;
  role: string | null;
  private settings: Settings;
  /** In 0.1: the next message or file opens a transcript, and where its BOS stands if it has one. */
  private boundary = true;
  private boundaryFrom: number | null = null;
  /** Stray text of the gap at hand, and whether a file token says that it is a file's text. */
  private gapText: Finding[] = [];
  private gapHasFiles = false;
  private hasText = false;
  /** The message that a further terminator belongs to, and the last token while only white space follows it. */
  private closed: PlacedMessage | null = null;

  constructor(source: Source, given: Dialect | null, role: string | null, stopStripped: boolean, rescue: boolean) {
    this.source = source;
    this.given = given;
    this.role = role;
    this.stopStripped = stopStripped;
    this.rescue = rescue;
    this.settings = headerless(given ?? DIALECTS['openchatml-2.2'], given !== null);
    this.textFrom = skipWhite(source.bytes, source.start, source.bytes.length);
  }

  run(): void {
    const { bytes } = this.source;
    const mark = NOT_UTF8.find((text) => startsWith(bytes, 0, text));
    if (mark !== undefined) this.note(0, { rule: 'not-utf8', from: 0, to: mark.length });
    if (this.textFrom < bytes.length) {
      let at = this.begin();
      const first = this.settings;
      while (at < bytes.length) at = this.gap(at);
      this.endGap();
      if (this.role === null || this.transcripts.length === 0) this.checkHeader(first);
    }
    this.noteInvalidUtf8();
  }

  /** Settles the dialect of the start; the walk begins at the offset that it returns. */
  private begin(): number {
    const { source, given } = this;
    const mayHaveHeader = this.role === null && (given?.documentHeader ?? true);
    const header = mayHaveHeader ? headerAtStart(source, given?.tokens ?? ALL_TOKENS) : null;
    if (header !== null) return this.enterHeader(header);
    if (given === null) this.settings = headerless(this.detect(0), false);
    if (this.role === null) return source.start;

    // The caller's role: the text goes on after a prompt, unless it begins with a start token after all.
    const legacy = this.settings.dialect === LEGACY;
    const token = firstToken(source, this.settings.dialect.tokens, this.textFrom);
    const name = token?.from === this.textFrom ? token.name : null;
    if (name === (legacy ? 'im_start' : 'start')) {
      this.role = null;
      return source.start;
    }
    if (legacy) return this.message(source.start, 'caller');
    const inGap = name === 'channel' || name === 'message';
    return inGap ? source.start : this.message(this.textFrom, 'caller');
  }

  /** The dialect that the first control token from `from` on asks for. */
  private detect(from: number): Dialect {
    const token = firstToken(this.source, ALL_TOKENS, from);
    return token === null || TOKENS_2X.has(token.name) ? DIALECTS['openchatml-2.2'] : LEGACY;
  }

  /** Begins a transcript with a document header; in detection a header before 0.1 tokens does not count. */
  private enterHeader(span: HeaderSpan): number {
    const { source, given } = this;
    this.endGap();
    if (given === null && this.detect(span.to) === LEGACY) {
      this.settings = headerless(LEGACY, false);
      this.boundary = true;
      this.boundaryFrom = null;
      return span.from;
    }
    const reading = readHeader(source.bytes, span);
    const counts = firstToken(source, ALL_TOKENS, span.to) !== null;
    this.settings = {
      dialect: given ?? (counts ? DIALECTS[reading.dialect] : DIALECTS['openchatml-2.2']),
      declared: given !== null || reading.declared,
      firstMajor: reading.firstMajor,
      requireChannels: reading.requireChannels,
      hasHeader: true,
      header: reading,
    };
    this.openTranscript(span.from, span.from);
    this.headers.push(span);
    for (const rule of reading.rules) this.note(this.current(), { rule, from: span.from, to: span.to });
    return span.to;
  }

  private checkHeader(first: Settings): void {
    const isNothing = this.transcripts.length === 0 && this.hasText;
    if (isNothing) this.note(0, { rule: 'nothing-found', from: 0, to: 0 });
    const { dialect, declared, hasHeader } = this.transcripts[0] ?? first;
    if (isNothing && !declared) return;
    if (!dialect.documentHeader || hasHeader) return;
    this.note(0, { rule: 'missing-header', from: 0, to: 0, severity: declared ? 'error' : 'warning' });
  }

  private openTranscript(from: number, opened: number): void {
    this.transcripts.push({ ...this.settings, from, opened, messages: 0 });
    this.boundary = false;
    this.boundaryFrom = null;
  }

  /** Index of the transcript at hand, 0 when there is none yet. */
  private current(): number {
    return Math.max(0, this.transcripts.length - 1);
  }

  private note(transcript: number, note: Note): void {
    this.findings.push(finding(transcript, note));
  }

  /** Reads a gap from `at` to the next token or document header, and what stands there. */
  private gap(at: number): number {
    const { source } = this;
    const { dialect } = this.settings;
    const length = source.bytes.length;
    const token = firstToken(source, dialect === LEGACY ? LEGACY_GAP : dialect.tokens, at);
    const text = readGapText(source, at, token?.from ?? length, dialect.documentHeader);
    if (text.runs.length > 0) this.hasText = true;
    for (const run of text.runs) {
      this.gapText.push(finding(this.current(), { rule: 'text-between-messages', ...run }));
    }
    if (dialect === LEGACY) for (const mark of text.marks) this.bound(mark.from);
    if (text.runs.length > 0 || text.marks.length > 0 || text.header !== null) this.forget();
    if (text.header !== null) {
      return this.enterHeader(headerSpan(source, this.given?.tokens ?? ALL_TOKENS, text.header));
    }
    if (token === null) return length;
    if (OPENERS.has(token.name)) {
      return this.message(token.from, token.name === 'start' || token.name === 'im_start' ? 'start' : 'implied');
    }
    if (FILE_TOKENS.has(token.name)) {
      if (this.boundary) this.openTranscript(this.boundaryFrom ?? token.from, token.from);
      this.gapHasFiles = true;
      this.forget();
    } else {
      this.strayToken(token);
    }
    return token.to;
  }

  /** BOS and EOS bound the transcripts of 0.1. */
  private bound(from: number): void {
    const begins = startsWith(this.source.bytes, from, '<s>') || startsWith(this.source.bytes, from, '[BOS]');
    this.boundary = true;
    this.boundaryFrom = begins ? from : null;
  }

  private forget(): void {
    this.closed = null;
  }

  private strayToken(token: Token): void {
    const { from, to } = token;
    const terminates = TERMINATORS.has(token.name) || token.name === 'im_end';
    if (terminates && this.closed !== null) {
      this.closed.to = to;
      this.note(this.closed.transcript, { rule: 'trailing-terminator', from, to });
    } else {
      this.note(this.current(), { rule: 'stray-token', from, to, severity: 'warning' });
      this.closed = null;
    }
  }

  /** A gap with file tokens has no stray text (R-FIM). */
  private endGap(): void {
    if (!this.gapHasFiles) for (const text of this.gapText) this.findings.push(text);
    this.gapText = [];
    this.gapHasFiles = false;
  }

  private message(from: number, opener: Opener): number {
    const { source } = this;
    const { dialect, requireChannels, declared } = this.settings;
    this.endGap();
    const options = {
      opener,
      first: from <= this.textFrom,
      role: this.role,
      stopStripped: this.stopStripped,
      channelsFor: channelsRequired(dialect, requireChannels),
      declared,
      rescue: this.rescue,
      textFrom: this.textFrom,
    };
    const legacy = dialect === LEGACY;
    const message = legacy ? readLegacyMessage(source, from, options) : readMessage(source, dialect, from, options);
    if (this.beginsTranscript(message.reading.role)) this.openTranscript(this.boundaryFrom ?? from, from);
    const transcript = this.current();
    const index = this.transcripts[transcript].messages++;
    const placed: PlacedMessage = { transcript, index, message, to: message.to };
    this.messages.push(placed);
    for (const note of message.notes) this.note(transcript, note);
    for (const note of conformNotes(this.settings, message)) this.note(transcript, note);
    const terminated = message.end !== 'implicit' && message.end !== 'eof';
    this.closed = terminated ? placed : null;
    return message.goesOn ? this.message(message.to, 'implied') : message.to;
  }

  private beginsTranscript(role: string | null): boolean {
    if (this.transcripts.length === 0) return true;
    const { id } = this.settings.dialect;
    if (id === 'openchatml-0.1') return this.boundary;
    return id === 'harmony'
      && (role === 'system' || (role === 'developer' && this.messages.at(-1)?.message.end === 'return'));
  }

  /** An error in headers, a warning elsewhere; in a gap it belongs to the transcript before. */
  private noteInvalidUtf8(): void {
    const { source, transcripts } = this;
    const messageHeaders = this.messages.map(({ message }) => ({ from: message.from, to: message.headerTo }));
    const spans = [...this.headers, ...messageHeaders].sort((a, b) => a.from - b.from);
    let span = 0;
    let transcript = 0;
    for (const bad of invalidUtf8(source.bytes)) {
      while (span < spans.length && spans[span].to <= bad.from) span++;
      while (transcript + 1 < transcripts.length && transcripts[transcript + 1].opened <= bad.from) transcript++;
      const inHeader = span < spans.length && spans[span].from <= bad.from;
      this.note(transcript, { rule: 'invalid-utf8', ...bad, severity: inHeader ? 'error' : 'warning' });
    }
  }
}

function headerless(dialect: Dialect, declared: boolean): Settings {
  return { dialect, declared, firstMajor: false, requireChannels: false, hasHeader: false, header: null };
}
