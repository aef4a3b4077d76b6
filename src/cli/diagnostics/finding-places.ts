// Lines and columns of findings, whichever thread they come from. Those of raw text come with them; what was read as
// records in another thread is opened again here, when something is found in it.

import type { Place } from '../../errors.ts';
import type { Found, JobInput } from '../../corpus/jobs/job.ts';
import { type Opened, openInput, type Watching } from '../../corpus/jobs/open.ts';
import type { InputSource } from '../../corpus/input/source.ts';
import { Places } from '../../corpus/places.ts';
import { isContainer } from '../../corpus/records/unit.ts';
import type { Source } from '../../scan/source.ts';

export interface PlacedFinding {
  readonly place: Place;
  /** What can be looked into around it; null: nothing. */
  readonly input: InputSource | null;
}

export class FindingPlaces {
  #places: Places | undefined;
  #of: InputSource | undefined;
  /** Opened here. */
  #own: { readonly job: JobInput; readonly opened: Opened } | undefined;

  /** For an input that is read in this thread: of records, what is let go is counted first. */
  watch({ path }: JobInput, { input, options }: Opened, source: Source): Watching {
    const watched = isContainer(path, input, options) ? this.#for(input).over(source) : source;
    return { source: () => watched };
  }

  /** The place of a finding. Throws an InputError. */
  of(job: JobInput, opened: Opened | null, { diagnostic, line, place }: Found): PlacedFinding {
    const { input, options } = opened ?? this.#open(job);
    const { from, faultAt: at = from } = diagnostic;
    // A row of a table has no place in the file: its number stands for the line, and the offset in the field for the
    // column.
    if (options.positions === 'field' && line !== null) {
      return { place: { line, column: at + 1 }, input: null };
    }
    if (place !== null) return { place, input };
    const places = this.#for(input);
    // A record that is too large is told when its beginning was let go.
    if (line !== null && places.hasForgotten(at)) return { place: { line, column: 1 }, input };
    return { place: places.at(at), input };
  }

  /** An input is done with. */
  close(): void {
    this.#own?.opened.input.close();
    this.#own = this.#places = this.#of = undefined;
  }

  #open(job: JobInput): Opened {
    if (this.#own?.job !== job) {
      this.close();
      this.#own = { job, opened: openInput(job) };
    }
    return this.#own.opened;
  }

  #for(input: InputSource): Places {
    if (this.#of !== input) {
      this.#of = input;
      this.#places = new Places(input);
    }
    return this.#places!;
  }
}
