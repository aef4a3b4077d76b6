// Thoughts between markers, `<|start_reason|>` and its like (R-COT): blocks up to the matching end marker, where same
// names nest; in an analysis of 2.x one after the other.

import {
  END_INTROSPECT, END_REASON, END_REFLECT, FUNCTION_CALL, START_INTROSPECT, START_REASON, START_REFLECT,
} from '../abi.ts';

export type ThoughtName = 'reflect' | 'introspect' | 'reason';

export interface Thought {
  readonly name: ThoughtName;
  /** From the start marker to the end of the end marker, or of the body. */
  readonly from: number;
  readonly to: number;
  /** What is between the markers. */
  readonly textFrom: number;
  readonly textTo: number;
}

/** A CoT marker or function token in a body. */
export interface Mark {
  readonly token: number;
  readonly from: number;
  readonly to: number;
}

/** Calls of a message, and replies: what follows belongs to the last of them. */
export const MOST_CALLS = 65536;

const OPENS: Readonly<Record<number, { name: ThoughtName; end: number }>> = {
  [START_REFLECT]: { name: 'reflect', end: END_REFLECT },
  [START_INTROSPECT]: { name: 'introspect', end: END_INTROSPECT },
  [START_REASON]: { name: 'reason', end: END_REASON },
};

/** Follows the marks of a body, in order. */
export class ThoughtReader {
  /** The outermost block that is open. */
  open: { readonly start: Mark; readonly name: ThoughtName; readonly end: number } | null = null;
  #depth = 0;

  /**
   * What the mark does outside of blocks, or to the outermost one: it opens or ends it, or is a call (R-CALL); null:
   * nothing.
   */
  take(mark: Mark): 'opens' | 'ends' | 'calls' | null {
    if (!this.open) {
      const opens = OPENS[mark.token];
      if (!opens) return mark.token === FUNCTION_CALL ? 'calls' : null;
      this.open = { start: mark, ...opens };
      this.#depth = 1;
      return 'opens';
    }
    if (mark.token === this.open.start.token) this.#depth++;
    else if (mark.token === this.open.end && --this.#depth === 0) {
      this.open = null;
      return 'ends';
    }
    return null;
  }
}

/**
 * The thoughts of an analysis of 2.x, which hold no others: each runs to its own end marker, to the next marker that
 * begins one, or to the end of the body (R-COT).
 */
export function splitThoughts(marks: Iterable<Mark>, bodyTo: number): Thought[] {
  const thoughts: Thought[] = [];
  let open: { readonly start: Mark; readonly name: ThoughtName; readonly end: number } | null = null;
  const close = (textTo: number, to: number): void => {
    if (open) thoughts.push({ name: open.name, from: open.start.from, to, textFrom: open.start.to, textTo });
    open = null;
  };
  for (const mark of marks) {
    const opens = OPENS[mark.token];
    if (opens) {
      close(mark.from, mark.from);
      open = { start: mark, ...opens };
    } else if (mark.token === open?.end) {
      close(mark.from, mark.to);
    }
  }
  close(bodyTo, bodyTo);
  return thoughts;
}

/** The outermost blocks of a body that ends at `bodyTo`, and the function calls outside of them (R-CALL). */
export function readThoughts(marks: Iterable<Mark>, bodyTo: number): { thoughts: Thought[]; calls: Mark[] } {
  const thoughts: Thought[] = [];
  const calls: Mark[] = [];
  const reader = new ThoughtReader();
  for (const mark of marks) {
    const { open } = reader;
    const does = reader.take(mark);
    if (does === 'calls' && calls.length < MOST_CALLS) calls.push(mark);
    if (does !== 'ends') continue;
    const { start, name } = open!;
    thoughts.push({ name, from: start.from, to: mark.to, textFrom: start.to, textTo: mark.from });
  }
  if (reader.open) {
    const { start, name } = reader.open;
    thoughts.push({ name, from: start.from, to: bodyTo, textFrom: start.to, textTo: bodyTo });
  }
  return { thoughts, calls };
}
