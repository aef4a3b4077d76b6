// What became of the transcripts of a conversion, in sums that are added up part by part.

import type { Loss, LossName } from '../../formats/loss.ts';
import { movedWords, type Words } from './words.ts';

/** How the text of a transcript begins, where Harmony text tells one transcript from the other by it (R-CONCAT). */
const OPENINGS = ['system', 'developer'] as const;
export type Opening = (typeof OPENINGS)[number];

/** How a text of Harmony begins; null: neither way. */
export const openingOf = (text: string): Opening | null =>
  OPENINGS.find((role) => text.startsWith(`<|start|>${role}`)) ?? null;

interface Edge {
  /** Where the first transcript comes from, and how its text begins. */
  readonly place: Words;
  readonly opening: Opening | null;
  /** How the last message of the last one ended. */
  readonly lastEnd: string;
}

/** The sums as plain data. */
export interface ConvertedJson {
  readonly converted: number;
  readonly refused: number;
  /** What was lost, how often, and where first; in the order in which it came first. */
  readonly losses: readonly (readonly [what: LossName, count: number, first: Words])[];
  /** Of Harmony text; null: there is none. */
  readonly edge: Edge | null;
}

export class ConvertSums {
  converted = 0;
  refused = 0;
  readonly #losses = new Map<LossName, { count: number; first: Words }>();
  #edge: Edge | null = null;

  /** What was lost, in the order in which it came first. */
  get losses(): ConvertedJson['losses'] {
    return [...this.#losses].map(([what, { count, first }]) => [what, count, first]);
  }

  lose(place: Words, losses: readonly Loss[]): void {
    for (const loss of losses) this.loseTimes(1, place, loss);
  }

  /** Whether something of the kind was lost before: where it was first is known then. */
  hasLost(what: LossName): boolean {
    return this.#losses.has(what);
  }

  /** Something was lost several times more. */
  loseMore(what: LossName, count: number): void {
    if (count > 0) this.#losses.get(what)!.count += count;
  }

  /** Something was lost several times, the first time there. */
  loseTimes(count: number, place: Words, loss: Loss): void {
    this.#lose(loss.what, count, placeOf(place, loss));
  }

  /**
   * A transcript that is written as Harmony text, which has no mark between transcripts: a system message begins one,
   * and a developer's after a return (R-CONCAT).
   */
  join(place: Words, opening: Opening | null, lastEnd: string): void {
    this.#join({ place, opening, lastEnd });
  }

  /** Adds what another one has of what follows. */
  add({ converted, refused, losses, edge }: ConvertedJson): void {
    this.converted += converted;
    this.refused += refused;
    // A transcript is joined before anything else of it is lost.
    if (edge !== null) this.#join(edge);
    for (const [what, count, first] of losses) this.#lose(what, count, first);
  }

  toJSON(): ConvertedJson {
    return { converted: this.converted, refused: this.refused, losses: this.losses, edge: this.#edge };
  }

  #join(next: Edge): void {
    const before = this.#edge;
    this.#edge = before === null ? next : { ...before, lastEnd: next.lastEnd };
    if (before === null || next.opening === 'system') return;
    if (next.opening === 'developer' && before.lastEnd === 'return') return;
    this.lose(next.place, [{ what: 'grouping', message: null, detail: UNTOLD }]);
  }

  #lose(what: LossName, count: number, first: Words): void {
    const known = this.#losses.get(what);
    if (known) known.count += count;
    else this.#losses.set(what, { count, first });
  }
}

const UNTOLD = 'the text does not show where the transcript begins; --format ndjson does';

function placeOf(place: Words, { message, detail }: Loss): Words {
  return [...place, `${message === null ? '' : `, message ${message}`}${detail ? `: ${detail}` : ''}`];
}

/** The sums of a part before which so many lines, or transcripts, stand. */
export function movedSums({ losses, edge, ...counts }: ConvertedJson, before: number): ConvertedJson {
  return {
    ...counts,
    losses: losses.map(([what, count, first]) => [what, count, movedWords(first, before)]),
    edge: edge && { ...edge, place: movedWords(edge.place, before) },
  };
}
