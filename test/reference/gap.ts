// Text between messages: document headers, BOS and EOS, and runs of text that belong nowhere (R-GAP, R-HEADER-END).
import { opensLaterHeader } from './header.ts';
import { isWhite, LF, startsWith } from './tokens.ts';
import type { Range } from './text.ts';
import type { Source } from './tokens.ts';

export interface GapText {
  /** One for each run that no token, BOS or EOS interrupts, from its first byte that is not white. */
  readonly runs: readonly Range[];
  readonly marks: readonly Range[];
  /** Where a document header opens; nothing after it was looked at. */
  readonly header: number | null;
}

const BOUNDARIES = ['<s>', '</s>', '[BOS]', '[EOS]'];

/** Reads [from, to), which holds no token. */
export function readGapText(source: Source, from: number, to: number, headers: boolean): GapText {
  const { bytes } = source;
  const runs: Range[] = [];
  const marks: Range[] = [];
  let run: number | null = null;
  const close = (end: number) => {
    if (run !== null) runs.push({ from: run, to: end });
    run = null;
  };
  let at = from;
  while (at < to) {
    const atLine = at === source.start || (at > 0 && bytes[at - 1] === LF);
    if (headers && atLine && opensLaterHeader(bytes, at)) {
      close(at);
      return { runs, marks, header: at };
    }
    const mark = BOUNDARIES.find((text) => startsWith(bytes, at, text));
    if (mark !== undefined) {
      close(at);
      marks.push({ from: at, to: at + mark.length });
      at += mark.length;
      continue;
    }
    if (run === null && !isWhite(bytes[at])) run = at;
    at++;
  }
  close(to);
  return { runs, marks, header: null };
}
