// `check --sample`: which transcripts of the inputs are looked at, chosen by a first reading that counts them.

import { Counter } from '../../rules/count.ts';
import type { CorpusOptions } from '../options.ts';
import type { Invocation } from '../invocation.ts';
import { countOf, escapeLine } from '../print.ts';
import { Sample } from '../sample.ts';

/** They hold no transcript that could be chosen. */
export const UNREAD = ['bad-record', 'unknown-record', 'refused-record'] as const;

/** Numbers of the transcripts of each input that are chosen. */
export class ChosenTranscripts {
  readonly #chosen: readonly ReadonlySet<number>[];
  #input = 0;

  private constructor(chosen: readonly ReadonlySet<number>[]) {
    this.#chosen = chosen;
  }

  /** Counts the transcripts of the inputs, and chooses. Null: an input cannot be read, which is told. */
  static async count(
    run: Invocation, paths: readonly string[], options: CorpusOptions, count: number, seed: number,
  ): Promise<ChosenTranscripts | null> {
    const sample = new Sample<{ readonly input: number; readonly transcript: number }>(count, seed);
    let input = 0;
    let counter = new Counter();
    for await (const event of run.events(paths, options, { work: { kind: 'count' }, tellsAtEnd: true })) {
      if (event.kind === 'part' && event.result.counts !== null) counter.merge(event.result.counts);
      if (event.kind !== 'end') continue;
      const { transcripts, findings } = counter.result();
      const unread = UNREAD.reduce((sum, rule) => sum + (findings[rule] ?? 0), 0);
      if (unread > 0 && options.quiet !== true) {
        const told = `${countOf(unread, 'record')} cannot be read, and ${unread === 1 ? 'is' : 'are'} in no sample`;
        run.tell(escapeLine(`${event.input.path}: ${told}; \`openchatml check\` without --sample reports why`));
      }
      counter = new Counter();
      for (let transcript = 0; transcript < transcripts; transcript++) sample.offer(() => ({ input, transcript }));
      input++;
    }
    if (run.failed) return null;
    run.files = 0;
    const chosen = Array.from({ length: input }, () => new Set<number>());
    for (const one of sample.take()) chosen[one.input]!.add(one.transcript);
    return new ChosenTranscripts(chosen);
  }

  /** What follows is about the next input. */
  next(): void {
    this.#input++;
  }

  has(transcript: number): boolean {
    return this.#chosen[this.#input]?.has(transcript) ?? false;
  }
}
