// Memory through which a thread hands out pieces of bytes: it is used again and again, where messages that carry bytes
// would ask the system for new pages all the time.

import { type Job, tableOf } from './job.ts';

/** Bytes of the memory: all that most parts of an input give. */
const ROOM = 10 * 1024 * 1024;
/**
 * Of parts that become a table: each thread holds their columns, too. Half the room takes 20 MiB less with two threads,
 * and 3 % longer.
 */
const TABLE_ROOM = 5 * 1024 * 1024;

/** Bytes of memory for the pieces of a job. */
export const roomFor = (job: Job): number => (tableOf(job) === null ? ROOM : TABLE_ROOM);

/** Bytes of a piece; a larger one travels in several. */
export const LARGEST_PIECE = 1024 * 1024;
/**
 * Pieces that a worker may be ahead of those who take them: with a part's output it should not wait until the parts
 * before are taken.
 */
export const AHEAD = 32;

/** Where the pieces of one job stand, as whoever writes them knows it. */
export class PiecePlaces {
  /** Counts on over the end of the memory, which begins anew there. */
  #head = 0;
  /** Where each of the last pieces ends. */
  readonly #ends = new Float64Array(2 * AHEAD);
  readonly #room: number;

  /** Bytes of the memory. */
  constructor(room: number) {
    this.#room = room;
  }

  /**
   * Where to write piece `number`, of so many bytes, when `taken` pieces were taken, of which it is less than AHEAD
   * ahead; -1: there is no room yet.
   */
  place(number: number, length: number, taken: number): number {
    const room = this.#room;
    const at = this.#head % room;
    const from = at + length <= room ? this.#head : this.#head - at + room;
    const free = taken === 0 ? 0 : this.#ends[(taken - 1) % this.#ends.length]!;
    if (from + length - free > room) return -1;
    this.#head = this.#ends[number % this.#ends.length] = from + length;
    return from % room;
  }

  /** Piece `number` stands elsewhere. */
  pass(number: number): void {
    this.#ends[number % this.#ends.length] = this.#head;
  }
}
