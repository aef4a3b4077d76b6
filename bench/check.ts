// Runs a contender once and compares its answer with the right counts, before anything is timed.
import { type Answer, type Counts, differences } from './counts.ts';

export interface Verdict {
  /** May be timed: it answered, and rightly where it claims to be right. */
  usable: boolean;
  wrong: boolean;
  note: string;
}

const SHOWN = 3;

export async function check(exact: boolean, right: Counts, run: () => Answer | Promise<Answer>): Promise<Verdict> {
  let answer: Answer;
  try {
    answer = await run();
  } catch (error) {
    return { usable: false, wrong: true, note: `FAILED: ${error instanceof Error ? error.message : String(error)}` };
  }
  const found = differences(answer, right);
  if (found.length === 0) return { usable: true, wrong: false, note: '' };
  const shown = found.slice(0, SHOWN).join('; ') + (found.length > SHOWN ? `; ${found.length - SHOWN} more` : '');
  return exact
    ? { usable: false, wrong: true, note: `WRONG: ${shown}` }
    : { usable: true, wrong: false, note: `counts otherwise: ${shown}` };
}
