// The walk through an input: a scanner driven over a source, its rows divided into transcripts.

import { type Dialect, DETECTED_20, DETECTED_22, DIALECTS, type DialectId } from '../scan/dialects.ts';
import type { Machine } from '../scan/machine.ts';
import { Reading, type Watch } from '../scan/reading.ts';
import type { Source } from '../scan/source.ts';
import type { Batch } from '../scan/table.ts';
import { Divider, HeaderCache } from './transcript.ts';

export interface ReadOptions {
  /** `auto` detects it (R-DETECT). */
  readonly dialect?: DialectId | 'auto' | undefined;
  /** The text is a completion of this role (R-IMPLIED-START). */
  readonly role?: string | undefined;
  /** The stop token of the last message was stripped: its end is no finding. */
  readonly stopStripped?: boolean | undefined;
  /** Messages of assistants and tools must have a channel, as in the Harmony profile (R-CHANNEL-MISSING); not in 0.1. */
  readonly requireChannels?: boolean | undefined;
}

/** The caller's dialect, or undefined for detection. Throws a RangeError that names the option. */
export function givenDialect(dialect: string | undefined): Dialect | undefined {
  if (dialect === undefined || dialect === 'auto') return undefined;
  if (Object.hasOwn(DIALECTS, dialect)) return DIALECTS[dialect as DialectId];
  throw new RangeError(`option dialect: expected auto, ${Object.keys(DIALECTS).join(', ')}; got ${JSON.stringify(dialect)}`);
}

export class Walk {
  readonly reading: Reading;
  readonly divider: Divider;

  /** `watch` sees every byte of the input, window by window. */
  constructor(machine: Machine, source: Source, options: ReadOptions, watch?: Watch) {
    const dialect = givenDialect(options.dialect);
    const { role } = options;
    if (role !== undefined && (typeof role !== 'string' || role === '')) {
      throw new TypeError('option role: expected a role as text, `assistant` for example');
    }
    const headers = new HeaderCache();
    this.divider = new Divider(dialect !== undefined, role ?? null, headers, options.requireChannels === true);
    this.reading = new Reading(machine, source, {
      dialect,
      role: role !== undefined,
      watch,
      decide: (input, from, to) => (headers.peek(input, from, to).dialect === 'openchatml-2.0' ? DETECTED_20 : DETECTED_22),
    });
  }

  /** Batches of top-level rows. The caller walks each one and gives every top-level row to `divider.place`. */
  batches(): Generator<Batch, void, void> {
    return this.reading.batches();
  }
}
