// Thought blocks: `<|start_reason|>` and its like, up to the matching end marker; same names nest (R-COT).

import { END_INTROSPECT, END_REASON, END_REFLECT, FUNCTION_CALL, START_INTROSPECT, START_REASON, START_REFLECT } from '../abi.ts';

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

const OPENS: Readonly<Record<number, { name: ThoughtName; end: number }>> = {
  [START_REFLECT]: { name: 'reflect', end: END_REFLECT },
  [START_INTROSPECT]: { name: 'introspect', end: END_INTROSPECT },
  [START_REASON]: { name: 'reason', end: END_REASON },
};

/** The outermost blocks of a body that ends at `bodyTo`, and the function calls outside of them (R-CALL). */
export function readThoughts(marks: Iterable<Mark>, bodyTo: number): { thoughts: Thought[]; calls: Mark[] } {
  const thoughts: Thought[] = [];
  const calls: Mark[] = [];
  let open: { start: Mark; name: ThoughtName; end: number; depth: number } | null = null;
  for (const mark of marks) {
    if (!open) {
      const opens = OPENS[mark.token];
      if (opens) open = { start: mark, ...opens, depth: 1 };
      else if (mark.token === FUNCTION_CALL) calls.push(mark);
    } else if (mark.token === open.start.token) {
      open.depth++;
    } else if (mark.token === open.end && --open.depth === 0) {
      thoughts.push({ name: open.name, from: open.start.from, to: mark.to, textFrom: open.start.to, textTo: mark.from });
      open = null;
    }
  }
  if (open) {
    thoughts.push({ name: open.name, from: open.start.from, to: bodyTo, textFrom: open.start.to, textTo: bodyTo });
  }
  return { thoughts, calls };
}
