// Findings of a check that are still to be told: those of the message at hand and the gap before it, until all of them
// are known; and those that depend on whether the text looks like Harmony, until that is (R-LIKELY).

import { type Diagnostic, diagnose, type Finding, type RuleName } from '../errors.ts';
import type { HarmonyLikeness } from '../model/harmony-likeness.ts';

/** What is told, or not, when it is known whether the text looks like Harmony. */
const DEPENDING: ReadonlySet<RuleName> = new Set(['missing-header', 'missing-call-id', 'looks-like-harmony']);

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

  /** `strict`: warnings are errors. */
  constructor(likeness: HarmonyLikeness, strict: boolean) {
    this.#likeness = likeness;
    this.#strict = strict;
  }

  add(finding: Finding, transcript: number, declared: boolean, isGapText = false): void {
    const depends = transcript === 0 && DEPENDING.has(finding.rule);
    if (depends && this.#likeness.isLikely && finding.rule !== 'looks-like-harmony') return;
    const diagnostic = diagnose(finding, transcript, declared);
    const isHardened = this.#strict && diagnostic.severity === 'warning';
    const entry = { diagnostic: isHardened ? { ...diagnostic, severity: 'error' as const } : diagnostic, isGapText };
    (depends && this.#likeness.isOpen ? this.#held : this.#pending).push(entry);
  }

  /** Something was found since the last `settle`. */
  get isAny(): boolean {
    return this.#pending.length > 0;
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
    const first = this.#held.find(({ diagnostic }) => diagnostic.from > 0)?.diagnostic.from ?? before;
    return this.#pending.reduce((least, { diagnostic }) => Math.min(least, diagnostic.from), Math.min(first, before));
  }

  /** The gap's text is a file. */
  dropGapText(): void {
    this.#pending = this.#pending.filter(({ isGapText }) => !isGapText);
  }

  /** It is known what the text looks like: what was held back is to be told, as far as it stands. */
  release(): void {
    const { isLikely } = this.#likeness;
    const held = this.#held;
    this.#held = [];
    this.#pending.push(...held.filter(({ diagnostic }) => (diagnostic.rule === 'looks-like-harmony') === isLikely));
    this.settle();
  }

  /** What was found is to be told, in order. */
  settle(): void {
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
