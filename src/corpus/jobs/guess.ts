// Where a part of a raw input may begin that nobody has read up to: a start token that looks like one. Whether it is
// one is seen when the part before has been read.

import { HAS_LINE } from '../../abi.ts';
import { dialectNamed } from '../../scan/dialects.ts';
import type { Checkpoint } from '../../model/part-walk.ts';
import type { Source } from '../../scan/source.ts';
import { InputError } from '../error.ts';
import type { Job, Part } from './job.ts';

const STEP = 64 * 1024;
/** A token, what stands before it, and the longest role that is looked at. */
const EDGE = 32;
const RETURN = '<|return|>';
const LT = 0x3c;

/** Roles that begin a transcript, or often stand first in one. */
const OPENING = /^(?:system|developer)/;

/**
 * Whether a part of raw text can be begun before the part ahead of it is read, and is seen then to be right: findings,
 * words and ids have numbers of transcripts and places, which can be moved.
 */
export const canBeGuessed = (work: { readonly kind: Job['kind'] }, of: Part['of']): boolean =>
  of === 'raw' && (takesTranscripts(work) || work.kind === 'audit');

/** Work on the transcripts that begin in a part; other work is on its messages. */
export const takesTranscripts = ({ kind }: { readonly kind: Job['kind'] }): boolean =>
  kind === 'check' || kind === 'convert';

/** The first place from `from` on, before `to`, that looks like a message in the dialect of `like`; null: none. */
export function guessStart(source: Source, from: number, to: number, like: Checkpoint): Checkpoint | null {
  const isLine = (dialectNamed(like.dialect).flags & HAS_LINE) !== 0;
  const token = Buffer.from(isLine ? '<|im_start|>' : '<|start|>');
  const part = Buffer.alloc(STEP + 2 * EDGE);
  for (let base = from; base < to; base += STEP) {
    const before = Math.min(base, RETURN.length);
    const read = part.subarray(0, source.read(base - before, part));
    for (let at = read.indexOf(token, before); at >= 0 && at < before + STEP; at = read.indexOf(token, at + 1)) {
      const position = base - before + at;
      if (position >= to) return null;
      const role = read.toString('latin1', at + token.length, at + EDGE);
      if (read[at - 1] !== LT && /^[a-z]/.test(role) && !OPENING.test(role)) {
        const afterReturn = read.toString('latin1', Math.max(0, at - RETURN.length), at) === RETURN;
        return { position, dialect: like.dialect, transcript: { ...like.transcript, afterReturn } };
      }
    }
    if (read.length < STEP) return null;
  }
  return null;
}

/** Two checkpoints at one place that lead to the same reading, whatever they count. */
export function leadsOn(exact: Checkpoint, guessed: Checkpoint): boolean {
  const { transcript: a } = exact;
  const { transcript: b } = guessed;
  // What a system's and a developer's message begin there (R-CONCAT).
  const isLate = a.afterMessage !== b.afterMessage || a.afterReturn !== b.afterReturn;
  if (exact.dialect === 'harmony' && isLate) return false;
  return exact.dialect === guessed.dialect && a.dialect === b.dialect && a.bounded === b.bounded
    && a.wasLine === b.wasLine && a.likeness.verdict === b.likeness.verdict;
}

/** The end of a guessed part, with the counts that the exact checkpoint before it had. */
export function shifted(end: Checkpoint, guessed: Checkpoint, exact: Checkpoint): Checkpoint {
  const transcripts = end.transcript.number - guessed.transcript.number;
  const { number, messages, from, headerSpan, declared } = exact.transcript;
  const transcript =
    transcripts > 0
      ? { ...end.transcript, number: number + transcripts }
      : {
        ...end.transcript,
        number,
        from,
        headerSpan,
        declared,
        messages: messages + end.transcript.messages - guessed.transcript.messages,
      };
  return { ...end, transcript };
}

/**
 * What comes of a guess; null: its input was refused. Where the guess is wrong, what was read may be more than can be
 * kept, and counts for nothing: the part is done again.
 */
export async function unlessRefused<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof InputError) return null;
    throw error;
  }
}
