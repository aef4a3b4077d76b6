// Diagnostics: how what is wrong with a transcript is reported. Lines and columns are found on demand.

import { type Code, DIAGNOSES, type RuleName, type Severity } from './rule-table.ts';
import { characterLength, countCodePoints } from './utf8.ts';

export { type Code, type Rule, type RuleName, RULES, type Severity } from './rule-table.ts';

/**
 * What is wrong at one place of an input (R-DIAG): a rule, its severity, a span in bytes and a sentence that quotes
 * nothing hidden.
 */
export interface Diagnostic {
  readonly code: Code | null;
  readonly rule: RuleName;
  readonly severity: Severity;
  /** Byte positions in the input, half open. */
  readonly from: number;
  readonly to: number;
  /** Number of the transcript, from 0. */
  readonly transcript: number;
  /** A sentence; holds nothing of a body. */
  readonly message: string;
  /** How many of one rule it stands for, from here on: beyond the first ones, many are told as one. Left out: one. */
  readonly times?: number;
}

/** A finding before it becomes a diagnostic: the rule, its place, and what differs from the rule's row. */
export interface Finding {
  readonly rule: RuleName;
  readonly from: number;
  readonly to: number;
  /** Where the severity is softer than the rule's. */
  readonly severity?: Severity;
  /** Further words for the message; never anything of a body. */
  readonly detail?: string;
  /** How many it stands for; left out: one. */
  readonly times?: number;
}

/** Words for a finding that stands for many. */
export const manyTimes = (times: number): string => `${times} times, from here on`;

/** Takes a finding. */
export type Tell = (finding: Finding) => void;

/** The diagnostic of a finding. `declared`: the version was declared (R-DIAG). */
export function diagnose(finding: Finding, transcript: number, declared: boolean): Diagnostic {
  const [code, severity, text] = DIAGNOSES[finding.rule];
  const { rule, from, to, detail, times } = finding;
  const diagnostic: Diagnostic = {
    code,
    rule,
    severity: finding.severity ?? (severity === 'declared' ? (declared ? 'error' : 'warning') : severity),
    from,
    to,
    transcript,
    message: detail ? `${text}: ${detail}` : text,
  };
  return times === undefined ? diagnostic : { ...diagnostic, times };
}

/** A place as people count: line and column from 1; columns are code points. */
export interface Place {
  /** From 1; lines end at LF. */
  readonly line: number;
  /** From 1, in code points; a byte order mark at the beginning of the input counts none. */
  readonly column: number;
}

/**
 * Bytes between two places that are remembered, at first; and how many are. When there are more, every second one is
 * forgotten.
 */
const STEP = 65536;
const REMEMBERED = 4096;

interface Remembered extends Place {
  readonly at: number;
  /** The bytes before it that begin a character which goes on behind it; they count as one. */
  readonly cut: Uint8Array;
}

const NOTHING = new Uint8Array(0);
const BEGINNING: Remembered = { at: 0, line: 1, column: 1, cut: NOTHING };

/** Bytes that are looked at one by one before the next line feed is searched: lines may hold a byte or none. */
const TOGETHER = 64;

export function countLineFeeds(part: Uint8Array): number {
  let count = 0;
  for (let at = 0; at >= 0 && at < part.length; ) {
    const before = count;
    for (const near = Math.min(at + TOGETHER, part.length); at < near; at++) if (part[at] === LF) count++;
    if (count === before) at = part.indexOf(LF, at);
  }
  return count;
}

/** How line feeds and code points are counted. */
export interface LineCounting {
  lines(part: Uint8Array): number;
  codePoints(part: Uint8Array): number;
}

const PLAIN_COUNTING: LineCounting = {
  lines: countLineFeeds,
  codePoints: (part) => countCodePoints(part, 0, part.length),
};

/**
 * Finds lines and columns of byte positions. Goes forward through the input while positions rise; for an earlier
 * position the bytes since the nearest remembered place are read again. A part is read at a time, so that a line may be
 * of any length.
 *
 * @example
 * ```ts
 * import { Lines } from 'openchatml';
 *
 * const bytes = new TextEncoder().encode('a\nbc');
 * const { line, column } = new Lines((from, to) => bytes.subarray(from, to)).at(3);
 * console.log(line, column); // 2 2
 * ```
 */
export class Lines {
  readonly #bytes: (from: number, to: number) => Uint8Array;
  readonly #counting: LineCounting;
  #line = 1;
  #column = 1;
  #at: number;
  #cut: Uint8Array = NOTHING;
  #remembered: Remembered[];
  #step = STEP;

  /** `bytes` gives the bytes of a span of the input. `from`: the position that lines and columns are counted from. */
  constructor(bytes: (from: number, to: number) => Uint8Array, from = 0, counting: LineCounting = PLAIN_COUNTING) {
    this.#bytes = bytes;
    this.#counting = counting;
    this.#at = from;
    this.#remembered = [{ ...BEGINNING, at: from }];
  }

  /** The place of a byte position. */
  at(position: number): Place {
    if (position < this.#at || position > this.#at + this.#step) this.#goNear(position);
    while (this.#at < position) {
      const part = this.#bytes(this.#at, Math.min(position, this.#at + PART));
      if (part.length === 0) break;
      this.#advance(part);
      if (this.#at >= this.#remembered.at(-1)!.at + this.#step) this.#remember();
    }
    return { line: this.#line, column: this.#column };
  }

  /** Bytes before this position cannot be read again: no earlier place will be asked for. */
  forget(before: number): void {
    if (before <= this.#remembered[0]!.at) return;
    this.at(before);
    this.#remembered = [this.#here, ...this.#remembered.filter((place) => place.at > before)];
  }

  get #here(): Remembered {
    return { at: this.#at, line: this.#line, column: this.#column, cut: this.#cut };
  }

  #remember(): void {
    this.#remembered.push(this.#here);
    if (this.#remembered.length <= REMEMBERED) return;
    this.#remembered = this.#remembered.filter((_, i) => i % 2 === 0);
    this.#step *= 2;
  }

  /** To the nearest remembered place before a position, unless it is behind this one already. */
  #goNear(position: number): void {
    let low = 0;
    let high = this.#remembered.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#remembered[middle]!.at <= position) low = middle;
      else high = middle;
    }
    const near = this.#remembered[low]!;
    if (this.#at > position || near.at > this.#at) {
      ({ at: this.#at, line: this.#line, column: this.#column, cut: this.#cut } = near);
    }
  }

  #advance(part: Uint8Array): void {
    // Most findings of a crowd are a few bytes apart.
    if (part.length <= NEAR && this.#advanceAscii(part)) return;
    const isMarked = this.#at === 0 && isMark(part);
    const rest = part.subarray(isMarked ? 3 : this.#restOfCut(part));
    const lines = this.#counting.lines(rest);
    if (lines > 0) {
      this.#line += lines;
      this.#column = 1;
    }
    const last = lines > 0 ? rest.subarray(rest.lastIndexOf(LF) + 1) : rest;
    this.#column += this.#counting.codePoints(last);
    this.#cut = rest.length > 0 ? last.slice(wholeCharacters(last)) : this.#cut;
    this.#at += part.length;
  }

  /** False: the part is not all ASCII, or another one's character may go on in it. */
  #advanceAscii(part: Uint8Array): boolean {
    let line = this.#line;
    let column = this.#column;
    if (this.#cut.length > 0) return false;
    for (const byte of part) {
      if (byte >= 0x80) return false;
      if (byte === LF) line++;
      column = byte === LF ? 1 : column + 1;
    }
    this.#line = line;
    this.#column = column;
    this.#at += part.length;
    return true;
  }

  /** How many bytes of a part belong to the character that the part before has begun, which is counted. */
  #restOfCut(part: Uint8Array): number {
    const cut = this.#cut;
    if (cut.length === 0) return 0;
    const joined = Uint8Array.from([...cut, ...part.subarray(0, MOST_BYTES)]);
    const length = Math.abs(characterLength(joined, 0, joined.length));
    // A mark that a place within it has cut was counted as a character, and counts none.
    if (cut.length === this.#at && isMark(joined)) this.#column--;
    // A part of a byte or two may leave it open.
    this.#cut = length === joined.length && wholeCharacters(joined) === 0 ? joined : NOTHING;
    return length - cut.length;
  }
}

const LF = 0x0a;
const PART = 65536;
/** Bytes that are sooner counted one by one. */
const NEAR = 64;
/** Of a character. */
const MOST_BYTES = 4;

/** Whether bytes begin with a byte order mark. */
function isMark(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** Length of `part` without a character that is cut at its end. */
function wholeCharacters(part: Uint8Array): number {
  for (let at = Math.max(0, part.length - 3); at < part.length; at++) {
    if (part[at]! >= 0xc2 && at - characterLength(part, at, part.length) === part.length) return at;
  }
  return part.length;
}
