// `check --sample`: which transcripts of the inputs are looked at, chosen by a first reading that counts them.

import { Counter } from '../../rules/count.ts';
import type { CorpusOptions } from '../options.ts';
import type { Invocation } from '../invocation.ts';
import { Sample } from '../sample.ts';

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
      const { transcripts } = counter.result();
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
