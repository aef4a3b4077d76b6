// Tokens in the bodies of 0.1, in text that is no message yet or no longer: where they stand and what they divide
// (R-COT, R-CALL).

import {
  END_INTROSPECT,
  END_REASON,
  END_REFLECT,
  FUNCTION_CALL,
  START_INTROSPECT,
  START_REASON,
  START_REFLECT,
} from '../../abi.ts';
import { callsIn, type Mark, type Thought, thoughtsIn } from '../../model/thoughts.ts';
import { TOKEN_NAMES } from '../../scan/dialects.ts';

const textOf = (id: number): string => `<|${TOKEN_NAMES[id]}|>`;

export const CALL = textOf(FUNCTION_CALL);
export const OUTPUT = '<|function_output|>';
export const LIST = '<|function_list|>';
export const START_THOUGHT = textOf(START_REASON);
export const END_THOUGHT = textOf(END_REASON);

const IDS = [START_REFLECT, END_REFLECT, START_INTROSPECT, END_INTROSPECT, START_REASON, END_REASON, FUNCTION_CALL];
const ID_OF: ReadonlyMap<string, number> = new Map(IDS.map((id) => [textOf(id), id]));
const MARKS = new RegExp(`<\\|(?:${IDS.map((id) => TOKEN_NAMES[id]!).join('|')})\\|>`, 'g');

/** The outermost thoughts of a text and the calls outside of them; positions are UTF-16 units. */
export function marksOf(text: string): { thoughts: Thought[]; calls: Mark[] } {
  if (!text.includes('<|')) return { thoughts: [], calls: [] };
  return { thoughts: [...thoughtsIn(marksIn(text), text.length)], calls: callsIn(marksIn(text)) };
}

function* marksIn(text: string): Generator<Mark, void, void> {
  for (const match of text.matchAll(MARKS)) {
    yield { token: ID_OF.get(match[0])!, from: match.index, to: match.index + match[0].length };
  }
}

/** The thought stands between the markers of a `reason` block; without its end it may be cut. */
export const isReason = (text: string, { name, textTo, to }: Thought): boolean =>
  name === 'reason' && (textTo === to || text.slice(textTo, to) === END_THOUGHT);

/** The text is one thought block that has other markers than those of `reason`: it keeps them in an analysis. */
export function isNamedThought(text: string): boolean {
  const [thought, ...others] = marksOf(text).thoughts;
  return (
    thought !== undefined &&
    others.length === 0 &&
    !isReason(text, thought) &&
    thought.from === 0 &&
    thought.to === text.length &&
    thought.textTo < thought.to
  );
}

/** A thought goes on behind the text. */
export function endsInThought(text: string): boolean {
  const last = marksOf(text).thoughts.at(-1);
  return last !== undefined && last.textTo === last.to;
}

/** Between the markers of a `reason` block, the text stays within it. */
export function staysInside(text: string): boolean {
  const [thought] = marksOf(START_THOUGHT + text + END_THOUGHT).thoughts;
  return thought!.textTo === START_THOUGHT.length + text.length && thought!.textTo < thought!.to;
}

/** The newline after a text that is followed by a token; a CR at its end would swallow a lone LF. */
export const newlineAfter = (text: string): string => (text.endsWith('\r') ? '\r\n' : '\n');

/** Without one newline at its end. */
export function withoutNewline(text: string): string {
  return text.endsWith('\r\n') ? text.slice(0, -2) : text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** Length of one newline at a position; 0 where none is. */
export function newlineAt(text: string, at: number): number {
  return text.startsWith('\n', at) ? 1 : text.startsWith('\r\n', at) ? 2 : 0;
}

export const isBlankText = (text: string): boolean => !/[^ \t\r\n]/.test(text);
