// What `convert` writes: texts one after the other, or a line of JSON for each transcript, refused ones too; and what
// it tells of losses.

import type { Converted, Form } from '../../formats/convert.ts';
import type { Loss, LossName, Refusal } from '../../formats/loss.ts';
import type { TranscriptData } from '../../model/data.ts';
import { countOf, escapeLine, escapeText, thousands } from '../print.ts';
import type { Invocation } from '../invocation.ts';

export type OutputFormat = 'text' | 'ndjson';

/** Where a transcript comes from: for its id, and for people. */
export interface Origin {
  readonly id: string | number;
  readonly place: string;
}

/** The field of a record that holds the messages. */
const HOLDERS: Partial<Record<Form, string>> = {
  messages: 'messages',
  sharegpt: 'conversations',
  'interchange-2.0': 'messages',
  'interchange-2.2': 'messages',
};

export class ConvertOutput {
  readonly #run: Invocation;
  readonly #to: Form;
  readonly #format: OutputFormat;
  readonly #isTTY: boolean;
  readonly #losses = new Map<LossName, { count: number; first: string }>();
  /** Harmony text: how the transcript before ended; null: there is none. */
  #lastEnd: string | null = null;
  converted = 0;
  refused = 0;

  constructor(run: Invocation, to: Form, format: OutputFormat, isTTY: boolean) {
    this.#run = run;
    this.#to = to;
    this.#format = format;
    this.#isTTY = isTTY;
  }

  write(origin: Origin, { text, record }: Converted, data: TranscriptData): void {
    const { out } = this.#run;
    this.converted++;
    if (record !== null) {
      out.json(JSON.stringify({ id: origin.id, ...record }));
    } else if (this.#format === 'ndjson') {
      out.json(JSON.stringify({ id: origin.id, text }));
    } else {
      if (this.#to === 'harmony') this.#tellBoundary(origin, text!, data);
      // Harmony text ends without a newline: on a terminal, what is told next begins a line.
      out.line(this.#isTTY ? `${escapeText(text!).trimEnd()}\n` : text!);
    }
  }

  /**
   * Harmony text has no mark between transcripts: a system message begins one, and a developer's after a return
   * (R-CONCAT).
   */
  #tellBoundary(origin: Origin, text: string, { messages }: TranscriptData): void {
    const begins =
      text.startsWith('<|start|>system') || (this.#lastEnd === 'return' && text.startsWith('<|start|>developer'));
    if (this.#lastEnd !== null && !begins) {
      this.lose(origin, [
        [
          {
            what: 'grouping',
            message: null,
            detail: 'the text does not tell where the transcript begins; --format ndjson does',
          },
        ],
      ]);
    }
    this.#lastEnd = messages.at(-1)?.end ?? 'end';
  }

  /** `whole`: what is refused when no message is to blame. */
  refuse({ id, place }: Origin, { index, reason, remedy }: Refusal, whole: 'record' | 'transcript'): void {
    this.refused++;
    const what = index === null ? whole : `message ${index}`;
    const { out } = this.#run;
    out.flush();
    this.#run.tell(escapeLine(`refused: ${place}: ${what}: ${reason}; ${remedy}`));
    if (this.#format === 'text') return;
    out.json(JSON.stringify({ id, [HOLDERS[this.#to] ?? 'text']: null, error: `${what}: ${reason}; ${remedy}` }));
  }

  lose({ place }: Origin, lists: readonly (readonly Loss[])[]): void {
    for (const losses of lists) {
      for (const loss of losses) {
        const known = this.#losses.get(loss.what);
        if (known) known.count++;
        else this.#losses.set(loss.what, { count: 1, first: placeOf(place, loss) });
      }
    }
  }

  /** Losses and sums; `quiet`: neither. */
  tellSummary(quiet: boolean): void {
    if (quiet) return;
    for (const [what, { count, first }] of this.#losses) {
      this.#run.tell(escapeLine(`lost: ${what} ${thousands(count)} (first: ${first})`));
    }
    if (this.refused > 0)
      this.#run.tell(`${countOf(this.converted, 'transcript')} converted, ${thousands(this.refused)} refused`);
  }
}

function placeOf(place: string, { message, detail }: Loss): string {
  return `${place}${message === null ? '' : `, message ${message}`}${detail ? `: ${detail}` : ''}`;
}
