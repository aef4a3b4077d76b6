// The findings of a stream, with rule, code and place as `check` gives them, each as soon as it is known.
//
// Told are those of headers and of structure, bad UTF-8, bodies that are no JSON, and what shown text holds that is
// private. What else needs a whole body or the messages before (call ids, tools) is for `check`. Within a message they
// stand in the order of the text, and what only its end tells comes last: the same order for every cut of the input.

import { AT_START, BY_ROLE, HAS_ESCAPE, HAS_LINE, STRAY } from '../../abi.ts';
import { type Code, diagnose, type Finding, type Severity } from '../../errors.ts';
import type { HeaderView } from '../../model/header-view.ts';
import { type Divider, type TranscriptInfo, wantsHeader } from '../../model/transcript.ts';
import { type Dialect, OPEN_LITERAL } from '../../scan/dialects.ts';
import { isCallToNobody } from '../../rules/calls.ts';
import { conformOfEnd } from '../../rules/conform.ts';
import { brokenJson } from '../../rules/constraint.ts';
import { headerFindings, limitFindings } from '../../rules/header.ts';
import type { InvalidUtf8 } from '../../rules/utf8.ts';
import type { StreamDiagnostic, StreamEvent } from './event.ts';
import type { OpenMessage } from './message.ts';
import type { ResolvedOptions } from './options.ts';

/** Rules of streams alone. */
const BOUNDS: Readonly<Record<'body-limit' | 'literal-limit', { code: Code; severity: Severity; text: string }>> = {
  'body-limit': {
    code: 'E-STREAM-TRUNCATED', severity: 'error', text: 'the body is larger than is read; the rest of it is dropped',
  },
  'literal-limit': {
    code: 'E-STREAM-TRUNCATED', severity: 'error',
    text: 'the literal block is larger than is read; the rest of the body is dropped',
  },
};

interface Scan {
  invalidUtf8(all: boolean): InvalidUtf8;
}

type StreamFinding = Finding | (Omit<Finding, 'rule'> & { readonly rule: keyof typeof BOUNDS });


export class StreamFindings {
  readonly #scan: Scan;
  readonly #options: ResolvedOptions;
  readonly #tell: (event: StreamEvent) => void;
  /** Text in a gap of 0.1: no finding when a file token shows up in the gap (R-FIM). */
  #texts: StreamDiagnostic[] = [];
  #gapHasFiles = false;
  #hasText = false;
  /** Of a header that may turn out to be an open turn, of which nothing else is told. */
  #waiting: (() => void)[] = [];
  #isFirst = true;
  #isStripped: boolean;

  constructor(scan: Scan, options: ResolvedOptions, tell: (event: StreamEvent) => void) {
    this.#scan = scan;
    this.#options = options;
    this.#tell = tell;
    this.#isStripped = options.stopStripped;
  }

  /** Whether the end of input stands for the last stop token. */
  set isStripped(value: boolean) {
    this.#isStripped = value;
  }

  add(finding: StreamFinding, transcript: number, declared: boolean, id: string | null): void {
    this.#found(diagnosed(finding, transcript, declared), id);
  }

  #found(diagnostic: StreamDiagnostic, id: string | null): void {
    this.#tell({ type: 'diagnostic', message_id: id, diagnostic });
  }

  /**
   * The first transcript is the only one that may lack its header. With the caller's role no header is missing
   * (R-NO-HEADER).
   */
  firstTranscript(transcript: TranscriptInfo, opener: number): void {
    const completes = (opener & (BY_ROLE | AT_START)) !== 0;
    const isDue = this.#isFirst && (this.#options.role === undefined || !completes);
    if (isDue) this.#missingHeader(transcript.dialect, transcript);
    this.#isFirst = false;
  }

  #missingHeader(dialect: Dialect, transcript: TranscriptInfo | null): void {
    if (!wantsHeader(dialect) || transcript?.header) return;
    this.add({ rule: 'missing-header', from: 0, to: 0 }, 0, !dialect.detecting, null);
  }

  /** `dialect`: what the first row was read as; null: there was none. */
  atEnd(divider: Divider, dialect: Dialect | null): void {
    const isNothing = this.#isFirst && divider.current === null && this.#hasText;
    // Where nothing is found, that is told.
    if (this.#isFirst && dialect && !(isNothing && dialect.detecting)) this.#missingHeader(dialect, null);
    if (isNothing) this.add({ rule: 'nothing-found', from: 0, to: 0 }, 0, false, null);
    this.#isFirst = false;
    this.endGap();
    this.invalidUtf8(Infinity, 0, divider.number, null);
  }

  // -- Between messages.

  text(from: number, to: number, transcript: number, dialect: Dialect): void {
    this.#hasText = true;
    if (this.#gapHasFiles) return;
    const diagnostic = diagnosed({ rule: 'text-between-messages', from, to }, transcript, false);
    if (dialect.flags & HAS_LINE) this.#texts.push(diagnostic);
    else this.#found(diagnostic, null);
  }

  file(): void {
    this.#texts = [];
    this.#gapHasFiles = true;
  }

  endGap(): void {
    for (const diagnostic of this.#texts) this.#found(diagnostic, null);
    this.#texts = [];
    this.#gapHasFiles = false;
  }

  /**
   * Bad bytes up to `to`; those before `headerTo` stand in a header. `isPart`: of a body that goes on, those that are
   * known already.
   */
  invalidUtf8(to: number, headerTo: number, transcript: number, id: string | null, isPart = false): void {
    const utf8 = this.#scan.invalidUtf8(!isPart);
    if (!utf8.pending(to)) return;
    utf8.upTo(to, (from, end) => {
      const harder = from < headerTo ? { severity: 'error' as const } : {};
      this.add({ rule: 'invalid-utf8', from, to: end, ...harder }, transcript, false, id);
    });
  }

  // -- Messages.

  /** What the header says. `isSure`: else it waits until the message is sure to be no open turn. */
  header(message: OpenMessage, view: HeaderView, isSure: boolean): void {
    this.#waiting = [];
    const { number, declared } = message.transcript;
    const findings = isSure && message.mayBeOpenTurn ? [] : findingsOfHeader(message, view);
    const tell = (): void => {
      for (const finding of findings) this.add(finding, number, declared, message.id);
    };
    if (isSure) tell();
    else if (findings.length > 0) this.#waiting = [tell];
    this.invalidUtf8(view.header.to, view.header.to, number, message.id);
  }

  /** The message has a body: it is no open turn. */
  release(): void {
    if (this.#waiting.length === 0) return;
    for (const tell of this.#waiting) tell();
    this.#waiting = [];
  }

  strayInBody(from: number, to: number, { transcript, id }: OpenMessage, dialect: Dialect): void {
    const softer = (dialect.flags & HAS_ESCAPE) === 0 ? { severity: 'warning' as const } : {};
    this.add({ rule: 'stray-token', from, to, ...softer }, transcript.number, transcript.declared, id);
  }

  /** How the message ended. */
  end(message: OpenMessage): void {
    if (message.isOpenTurn) this.#waiting = [];
    else this.release();
    const { from, to, id, end, openLiteral, transcript } = message;
    const { number, declared } = transcript;
    const add = (finding: Finding): void => this.add(finding, number, declared, id);
    for (const mark of message.marks()) add({ rule: 'cot-in-final', ...mark });
    if (message.brokenJson) add(brokenJson(message.about.constrained, message.brokenJson));
    for (const fault of message.callFaults) add(fault);
    if (message.reasoning) add({ rule: 'reasoning-in-final', ...message.reasoning });
    if (message.leak) add({ rule: 'leaked-channel', ...message.leak });
    if (message.isOpenTurn) {
      add({ rule: 'open-turn', from, to });
      limitFindings({ from, to: message.bodyFrom }, add);
    } else if (end === 'implicit') {
      if (!message.isCut) add({ rule: 'missing-end', from, to });
    } else if (openLiteral) {
      const bytes = openLiteral.to - openLiteral.from - OPEN_LITERAL.length;
      const detail = `it holds the last ${bytes} bytes of the input`;
      add({ rule: 'unterminated-literal', from: openLiteral.from, to: openLiteral.from + OPEN_LITERAL.length, detail });
    } else if (end === 'eof' && !this.#isStripped) {
      add({ rule: 'truncated', from, to });
    }
    if (message.isAbandoned || message.isReadInPart) return;
    const header = { from, to: message.bodyFrom };
    if (isCallToNobody(message.about, end, transcript)) add({ rule: 'call-without-recipient', ...header });
    conformOfEnd(message.about, end, transcript, header, add);
  }

  get stripped(): boolean {
    return this.#isStripped;
  }
}

function diagnosed(finding: StreamFinding, transcript: number, declared: boolean): StreamDiagnostic {
  const { rule, from, to } = finding;
  if (rule !== 'body-limit' && rule !== 'literal-limit') return diagnose(finding as Finding, transcript, declared);
  const { code, severity, text } = BOUNDS[rule];
  return { code, rule, severity, from, to, transcript, message: text };
}

/** As `check` finds them: by rising position. */
function findingsOfHeader(message: OpenMessage, view: HeaderView): Finding[] {
  const found: Finding[] = [];
  headerFindings(view, message.transcript, message.isCut, (finding) => void found.push(finding));
  if (!view.isPlain) {
    for (const stray of view.rowsOf(STRAY)) found.push({ rule: 'stray-token', from: stray.from, to: stray.to });
  }
  return found.sort((a, b) => a.from - b.from);
}
