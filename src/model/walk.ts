// The walk through an input: a scanner driven over a source, its rows divided into transcripts.

import { type Dialect, DIALECTS, type DialectId } from '../scan/dialects.ts';
import type { RowMachine } from '../scan/machine.ts';
import { Reading, type Watch } from '../scan/reading.ts';
import type { Source } from '../scan/source.ts';
import type { Batch } from '../scan/table.ts';
import { EdgeFinder, type Edges } from './edges.ts';
import type { ReadYaml } from './header/text.ts';
import type { Rescue } from './rescue.ts';
import { detectedBy, Divider, HeaderCache } from './transcript.ts';
import { checkFunction, FLAG, type Known } from '../options.ts';

/** How an input is read. All options may be left out. */
export interface ReadOptions {
  /** `auto` detects it (R-DETECT). */
  readonly dialect?: DialectId | 'auto' | undefined;
  /** The text is a completion of this role (R-IMPLIED-START). */
  readonly role?: string | undefined;
  /** The stop token of the last message was stripped: its end is no finding. */
  readonly stopStripped?: boolean | undefined;
  /**
   * Messages of assistants and tools must have a channel, as in the Harmony profile (R-CHANNEL-MISSING); not in 0.1.
   */
  readonly requireChannels?: boolean | undefined;
  /**
   * In 0.1: the base model's own BOS and EOS, which bound transcripts beside `<s>`, `</s>`, `[BOS]` and `[EOS]` (0.1
   * extended §2).
   */
  readonly edges?: Edges | undefined;
  /**
   * `rescue`, for runtimes that would rather have a likely message than an exact one (R-RESCUE): a header in an
   * assistant's body begins a message, filler channels count for nothing, text before a completion's first token is a
   * message, and so are the parts of a completion whose control tokens a server has stripped.
   */
  readonly rescue?: Rescue | undefined;
  /**
   * Reads document headers that are more than the usual YAML: `readYaml` of `openchatml/yaml`, which is larger than all
   * else that reading takes. Without it such a header is a finding (`bad-yaml`), and says nothing.
   */
  readonly yaml?: ReadYaml | undefined;
}

export const READ_OPTIONS: Known<ReadOptions> = {
  dialect: 1, role: 1, stopStripped: FLAG, requireChannels: FLAG, edges: 1, rescue: 1, yaml: 1,
};

/** The caller's dialect, or undefined for detection. Throws a RangeError that names the option. */
export function givenDialect(dialect: string | undefined): Dialect | undefined {
  if (dialect === undefined || dialect === 'auto') return undefined;
  if (Object.hasOwn(DIALECTS, dialect)) return DIALECTS[dialect as DialectId];
  throw new RangeError(
    `option dialect: expected auto, ${Object.keys(DIALECTS).join(', ')}; got ${JSON.stringify(dialect)}`,
  );
}

/** The caller's role, if there is one. Throws a TypeError that names the option. */
export function givenRole(role: string | undefined): string | undefined {
  if (role === undefined || (typeof role === 'string' && role !== '')) return role;
  throw new TypeError('option role: expected a role as text, `assistant` for example');
}

export interface WalkSetting {
  /** Sees every byte of the input, window by window. */
  readonly watch?: Watch | undefined;
  /** A message's start token at which to begin, and what the scan reads there. */
  readonly start?: { readonly position: number; readonly dialect: Dialect } | undefined;
  /** Where a range ends: of what stands behind it little is read. */
  readonly to?: number;
  /** Document headers of other inputs, which need not be read again. */
  readonly known?: HeaderCache | undefined;
}

export class Walk {
  readonly reading: Reading;
  readonly divider: Divider;
  readonly #edges: EdgeFinder | null;
  readonly #rescue: ReturnType<Rescue['rows']> | null;

  constructor(
    machine: RowMachine, source: Source, options: ReadOptions, { watch, start, to, known }: WalkSetting = {},
    OwnDivider: typeof Divider = Divider,
  ) {
    const dialect = givenDialect(options.dialect);
    const role = givenRole(options.role);
    this.#edges = EdgeFinder.of(options.edges);
    checkFunction('yaml', options.yaml);
    const headers = new HeaderCache(known, options.yaml);
    const rescue = options.rescue || null;
    if (rescue !== null && typeof rescue.rows !== 'function') {
      throw new TypeError('option rescue: expected `rescue` of openchatml');
    }
    this.#rescue = rescue && rescue.rows(role ?? null);
    const asksForChannels = options.requireChannels === true;
    this.divider = new OwnDivider(dialect !== undefined, role ?? null, headers, asksForChannels, rescue);
    this.reading = new Reading(machine, source, {
      dialect,
      start,
      role: role !== undefined,
      enough: to,
      watch,
      decide: (input, from, to) => detectedBy(headers.peek(input, from, to)),
    });
  }

  /** Batches of top-level rows. The caller walks each one and gives every top-level row to `divider.place`. */
  batches(): Generator<Batch, void, void> {
    return this.#edges === null && this.#rescue === null ? this.reading.batches() : this.#cutBatches();
  }

  *#cutBatches(): Generator<Batch, void, void> {
    for (const batch of this.reading.batches()) {
      const rescued = this.#rescue === null ? batch : this.#rescue.cut(batch);
      yield this.#edges === null ? rescued : this.#edges.cut(rescued);
    }
  }
}
