// Thoughts between markers, `<|start_reason|>` and its like (R-COT): blocks up to where every marker in them has its
// end marker; in an analysis of 2.x one after the other.

import {
  END_INTROSPECT, END_REASON, END_REFLECT, FUNCTION_CALL, START_INTROSPECT, START_REASON, START_REFLECT,
} from '../abi.ts';

/** The name of a marker of reasoning (R-COT). */
export type ThoughtName = 'reflect' | 'introspect' | 'reason';

/** Reasoning between two markers in a body (R-COT), with its spans in bytes. */
export interface Thought {
  readonly name: ThoughtName;
  /** From the start marker to the end of the end marker, or of the body. */
  readonly from: number;
  readonly to: number;
  /** What is between the markers: where blocks cross, the one that ends last is of another name. */
  readonly textFrom: number;
  readonly textTo: number;
}

/** A CoT marker or function token in a body, at bytes [from, to) of the input. */
export interface Mark {
  readonly token: number;
  readonly from: number;
  readonly to: number;
}

/** Calls of a message, and replies: what follows belongs to the last of them. */
export const MOST_CALLS = 32768;

const OPENS: Readonly<Record<number, { name: ThoughtName; end: number }>> = {
  [START_REFLECT]: { name: 'reflect', end: END_REFLECT },
  [START_INTROSPECT]: { name: 'introspect', end: END_INTROSPECT },
  [START_REASON]: { name: 'reason', end: END_REASON },
};

interface Open {
  readonly start: Mark;
  readonly name: ThoughtName;
  readonly end: number;
}

/**
 * Follows the marks of a body, in order. Blocks may cross: what stands in one that is open is hidden, whichever others
 * have ended (R-COT). So the outermost one goes on until all that began in it have ended.
 */
export class ThoughtReader {
  /** The outermost block that is open. */
  open: Open | null = null;
  /** Open blocks of each name, by the token of its end marker. */
  readonly #depths = new Map<number, number>();
  #depth = 0;

  /**
   * What the mark does outside of blocks, or to the outermost one: it opens or ends it, or is a call (R-CALL); null:
   * nothing.
   */
  take(mark: Mark): 'opens' | 'ends' | 'calls' | null {
    const opens = OPENS[mark.token];
    if (opens) {
      this.#depths.set(opens.end, this.#depthOf(opens.end) + 1);
      if (this.#depth++ > 0) return null;
      this.open = { start: mark, ...opens };
      return 'opens';
    }
    if (this.#depth === 0) return mark.token === FUNCTION_CALL ? 'calls' : null;
    const depth = this.#depthOf(mark.token);
    if (depth === 0) return null;
    this.#depths.set(mark.token, depth - 1);
    if (--this.#depth > 0) return null;
    this.open = null;
    return 'ends';
  }

  #depthOf(end: number): number {
    return this.#depths.get(end) ?? 0;
  }
}

/**
 * The thoughts of an analysis of 2.x, which hold no others: each runs to its own end marker, to the next marker that
 * begins one, or to the end of the body (R-COT).
 */
export function* splitThoughts(marks: Iterable<Mark>, bodyTo: number): Generator<Thought, void, void> {
  let open: Open | null = null;
  for (const mark of marks) {
    const opens = OPENS[mark.token];
    if (opens) {
      if (open) yield thoughtOf(open, mark.from, mark.from);
      open = { start: mark, ...opens };
    } else if (open && mark.token === open.end) {
      yield thoughtOf(open, mark.from, mark.to);
      open = null;
    }
  }
  if (open) yield thoughtOf(open, bodyTo, bodyTo);
}

function thoughtOf({ name, start }: Open, textTo: number, to: number): Thought {
  return { name, from: start.from, to, textFrom: start.to, textTo };
}

/** The outermost blocks of a body that ends at `bodyTo`. */
export function* thoughtsIn(marks: Iterable<Mark>, bodyTo: number): Generator<Thought, void, void> {
  const reader = new ThoughtReader();
  for (const mark of marks) {
    const { open } = reader;
    if (reader.take(mark) === 'ends') yield thoughtOf(open!, mark.from, mark.to);
  }
  if (reader.open) yield thoughtOf(reader.open, bodyTo, bodyTo);
}

/** The function calls outside of blocks (R-CALL), up to MOST_CALLS. */
export function callsIn(marks: Iterable<Mark>): Mark[] {
  const calls: Mark[] = [];
  const reader = new ThoughtReader();
  for (const mark of marks) {
    if (reader.take(mark) !== 'calls') continue;
    calls.push(mark);
    if (calls.length === MOST_CALLS) break;
  }
  return calls;
}
