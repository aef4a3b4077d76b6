// What an audit finds where findings are many: beyond so many of a block, those of one kind are told as one. A finding
// takes many times longer to tell than what it is about, and an input may hold nothing else.

import { manyTimes } from '../../errors.ts';
import { AUDIT_RULES, type AuditRuleName } from '../../formats/control-tokens/rules.ts';
import { BLOCK } from '../../scan/source.ts';
import type { Found } from '../jobs/job.ts';
import type { AuditFinding, Brief } from './audited.ts';

/** Findings of a block that are told by themselves, and its bytes for each further one. */
const MOST_ALONE = 4000;
const BYTES_EACH = 128;

type Crowded = Found & { readonly diagnostic: Omit<AuditFinding, 'record'> };

interface Run {
  readonly first: Crowded;
  times: number;
  to: number;
}

export class Crowd {
  #block = 0;
  #told = 0;
  #runs: Run[] = [];

  /** Byte position of the first finding that is still to be told. */
  get least(): number {
    return this.#runs.reduce((least, { first }) => Math.min(least, first.diagnostic.from), Infinity);
  }

  /** Goes to the message or record that begins at a position; answers what is to be told before it. */
  enter(position: number): readonly Found[] {
    const block = Math.floor(position / BLOCK);
    if (block <= this.#block) return NOTHING;
    this.#block = block;
    this.#told = 0;
    return this.take();
  }

  /** Whether a finding is told by itself. Of what is wrong with whole records there are few. */
  isAlone({ rule }: Brief, from: number): boolean {
    if (!Object.hasOwn(AUDIT_RULES, rule)) return true;
    if (this.#told >= MOST_ALONE + (from - this.#block * BLOCK) / BYTES_EACH) return false;
    this.#told++;
    return true;
  }

  /** Takes one that is not; false: it is the first of its kind, and is to be kept. */
  isFurther({ rule, severity, times = 1 }: Brief, to: number): boolean {
    for (const run of this.#runs) {
      const { diagnostic } = run.first;
      if (diagnostic.rule !== rule || diagnostic.severity !== severity) continue;
      run.times += times;
      run.to = Math.max(run.to, to);
      return true;
    }
    return false;
  }

  keep(first: Crowded): void {
    this.#runs.push({ first, times: first.diagnostic.times ?? 1, to: first.diagnostic.to });
  }

  /** What was kept is told now. */
  take(): readonly Found[] {
    if (this.#runs.length === 0) return NOTHING;
    const runs = this.#runs;
    this.#runs = [];
    return runs.map(({ first, times, to }) => {
      if (times === 1) return first;
      const { diagnostic } = first;
      const { text } = AUDIT_RULES[diagnostic.rule as AuditRuleName];
      return { ...first, diagnostic: { ...diagnostic, to, times, message: `${text}: ${manyTimes(times)}` } };
    });
  }
}

const NOTHING: readonly Found[] = [];
