// Findings of a check that are still to be told: those of the message at hand and the gap before it, until all of them
// are known; and those that depend on whether the text looks like Harmony, until that is (R-LIKELY).

import { type Diagnostic, diagnose, type Finding, manyTimes, type RuleName } from '../errors.ts';
import type { HarmonyLikeness } from '../model/harmony-likeness.ts';

/** What is told, or not, when it is known whether the text looks like Harmony. */
const DEPENDING: ReadonlySet<RuleName> = new Set(['missing-header', 'missing-call-id', 'looks-like-harmony']);

/** Findings of a message and the gap before it that are told one by one; and bytes of a run of others, in a gap. */
const MOST_ALONE = 1000;
/** The same of invalid bytes before anything that makes the input a transcript: it may be none. */
const MOST_BEFORE = 16;
const LONGEST_RUN = 1 << 20;
/**
 * The same of a transcript, and its bytes for each further one: a finding about a tiny message takes many times longer
 * than the message.
 */
const MOST_OF_TRANSCRIPT = 4000;
const BYTES_EACH = 128;

/** Findings that differ in nothing but their place. */
interface Run {
  /** The first of them. */
  readonly finding: Finding;
  readonly transcript: number;
  readonly declared: boolean;
  readonly isGapText: boolean;
  from: number;
  to: number;
  times: number;
}

interface Entry {
  readonly diagnostic: Diagnostic;
  /** Text in a gap of 0.1: no finding when a file token shows up in the gap (R-FIM). */
  readonly isGapText: boolean;
}

export class PendingFindings {
  readonly #likeness: HarmonyLikeness;
  readonly #strict: boolean;
  #pending: Entry[] = [];
  /** Of the first transcript, while it is open what it looks like. */
  #held: Entry[] = [];
  #ready: Diagnostic[] = [];
  /** Findings since the last message that were told alone; beyond MOST_ALONE, those of one kind are one. */
  #count = 0;
  #runs: Run[] = [];
  /** Invalid bytes before the first transcript. */
  #before = 0;
  /** The transcript at hand: its first finding, its findings that were told alone, and whether that is all of them. */
  #transcript = -1;
  #from = 0;
  #told = 0;
  #isCrowded = false;

  /** `strict`: warnings are errors. */
  constructor(likeness: HarmonyLikeness, strict: boolean) {
    this.#likeness = likeness;
    this.#strict = strict;
  }

  add(finding: Finding, transcript: number, declared: boolean, isGapText = false): void {
    const depends = transcript === 0 && DEPENDING.has(finding.rule);
    if (depends && this.#likeness.isLikely && finding.rule !== 'looks-like-harmony') return;
    if (depends && this.#likeness.isOpen) {
      this.#held.push(this.#entry(finding, transcript, declared, isGapText));
    } else if (this.#isAlone(finding, transcript)) {
      this.#pending.push(this.#entry(finding, transcript, declared, isGapText));
    } else {
      this.#run(finding, transcript, declared, isGapText);
    }
  }

  /** Adds what is no UTF-8 before the first transcript. */
  addBefore(finding: Finding): void {
    if (this.#before++ < MOST_BEFORE) this.add(finding, 0, false);
    else this.#run(finding, 0, false, false);
  }

  /** As the message and the transcript are until here: the same for every way of reading them. */
  #isAlone({ from }: Finding, transcript: number): boolean {
    if (transcript !== this.#transcript) {
      this.#transcript = transcript;
      this.#from = from;
      this.#told = 0;
      this.#isCrowded = false;
    }
    if (this.#told >= MOST_OF_TRANSCRIPT + (from - this.#from) / BYTES_EACH) this.#isCrowded = true;
    else if (this.#count < MOST_ALONE) {
      this.#count++;
      this.#told++;
      return true;
    }
    return false;
  }

  #entry(finding: Finding, transcript: number, declared: boolean, isGapText: boolean): Entry {
    const diagnostic = diagnose(finding, transcript, declared);
    const isHardened = this.#strict && diagnostic.severity === 'warning';
    return { diagnostic: isHardened ? { ...diagnostic, severity: 'error' as const } : diagnostic, isGapText };
  }

  #run(finding: Finding, transcript: number, declared: boolean, isGapText: boolean): void {
    const { rule, severity, from, to } = finding;
    for (const run of this.#runs) {
      const { finding: first } = run;
      if (first.rule !== rule || first.severity !== severity || run.transcript !== transcript) continue;
      if (from < run.from) run.from = from;
      if (to > run.to) run.to = to;
      run.times++;
      return;
    }
    this.#runs.push({ finding, transcript, declared, isGapText, from, to, times: 1 });
  }

  /** The runs are over, those of more than `bytes`, and those of a transcript before. */
  #endRuns(bytes: number): void {
    if (this.#runs.length === 0) return;
    const isOver = ({ from, to, transcript }: Run): boolean => to - from >= bytes || transcript !== this.#transcript;
    const over = this.#runs.filter(isOver);
    if (over.length === 0) return;
    this.#runs = this.#runs.filter((run) => !over.includes(run));
    for (const { finding, transcript, declared, isGapText, from, to, times } of over) {
      const whole = times === 1 ? finding : { ...finding, from, to, detail: manyTimes(times), times };
      this.#pending.push(this.#entry(whole, transcript, declared, isGapText));
    }
  }

  /** Something was found since the last `settle`. */
  get isAny(): boolean {
    return this.#pending.length > 0 || this.#runs.length > 0;
  }

  /** A run may become longer. */
  get isRunning(): boolean {
    return this.#runs.length > 0;
  }

  /** Something waits for what the text looks like. */
  get isHeld(): boolean {
    return this.#held.length > 0;
  }

  /** Something can be taken. */
  get isReady(): boolean {
    return this.#ready.length > 0;
  }

  /** Byte position of the first one that is still to be told, not behind `before`. */
  least(before: number): number {
    const held = this.#held.find(({ diagnostic }) => diagnostic.from > 0)?.diagnostic.from ?? before;
    const first = this.#runs.reduce((least, { from }) => Math.min(least, from), held);
    return this.#pending.reduce((least, { diagnostic }) => Math.min(least, diagnostic.from), Math.min(first, before));
  }

  /** The gap's text is a file. */
  dropGapText(): void {
    this.#pending = this.#pending.filter(({ isGapText }) => !isGapText);
    this.#runs = this.#runs.filter(({ isGapText }) => !isGapText);
  }

  /** It is known what the text looks like: what was held back is to be told, as far as it stands. */
  release(): void {
    const { isLikely } = this.#likeness;
    const held = this.#held;
    this.#held = [];
    for (const entry of held) {
      if ((entry.diagnostic.rule === 'looks-like-harmony') === isLikely) this.#pending.push(entry);
    }
    this.settle();
  }

  /** What was found is to be told, in order. `isGap`: in a gap that goes on, where a run may wait to become longer. */
  settle(isGap = false): void {
    this.#endRuns(isGap || this.#isCrowded ? LONGEST_RUN : 0);
    if (!isGap) this.#count = 0;
    this.#tell();
  }

  /** The transcript has ended, and the gap behind it: all that was found is to be told. */
  finish(): void {
    this.#endRuns(0);
    this.#tell();
  }

  #tell(): void {
    const pending = this.#pending;
    if (pending.length === 0) return;
    this.#pending = [];
    pending.sort((a, b) => a.diagnostic.from - b.diagnostic.from);
    for (const { diagnostic } of pending) this.#ready.push(diagnostic);
  }

  take(): readonly Diagnostic[] {
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }
}
