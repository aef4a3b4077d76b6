// Records, and the transcripts of raw text, to verdicts.

import { type Diagnostic, diagnose } from '../../errors.ts';
import type { ToolDefinition } from '../../model/data.ts';
import type { Message } from '../../model/message.ts';
import type { TranscriptInfo } from '../../model/transcript.ts';
import type { Machine } from '../../scan/machine.ts';
import { Checker } from '../../rules/check.ts';
import type { CorpusRecord, RecordProblem } from '../records/record.ts';
import { isBad, type Unit, type FileOptions, unitsOfRecord } from '../records/unit.ts';
import { type BadRecord, badRecord } from '../records/unit-types.ts';
import type { JudgeWork } from './job.ts';
import { leaveContext, takeContext, type ThreadContext } from './open.ts';
import { type PlaceOf, Verdict } from './verdict.ts';
import type { PlacedMessage } from '../messages.ts';

export interface JudgeOptions {
  readonly tools: readonly ToolDefinition[];
  /** Verdicts name findings that are no errors, too. */
  readonly warnings: boolean;
  /** The diagnostic as a configuration of rules wants it; null: it is not to be told. */
  readonly adjust: (diagnostic: Diagnostic) => Diagnostic | null;
}

/** Nothing but errors is told: the rest is not asked for, and nothing makes it an error. */
export const tellsOnlyErrors = ({ warnings, rules, strict }: JudgeWork): boolean =>
  !warnings && !strict && Object.keys(rules).length === 0;

/** Sees what the verdicts are made of, in order: each message before its diagnostics. */
export interface Watcher {
  message?(visited: PlacedMessage, unit: Unit): void;
  diagnostic?(diagnostic: Diagnostic, unit: Unit): void;
  /** `to`: where what follows begins. */
  end?(transcript: TranscriptInfo, messages: number, to: number, unit: Unit): void;
  /** Positions are bytes of the file. */
  bad?(diagnostic: Diagnostic, record: BadRecord): void;
}

/** What a text is told to. */
interface Taker {
  message(visited: PlacedMessage): void;
  diagnostic(diagnostic: Diagnostic): void;
  end(transcript: TranscriptInfo): void;
}

export class Judge {
  readonly #options: JudgeOptions;
  /** Scanners, free between two verdicts, and what they know. */
  readonly context: ThreadContext;
  /** Transcripts of the last record, or of raw text; system messages by which it looks like Harmony (R-LIKELY). */
  transcripts = 0;
  likeHarmony = 0;
  /** What is wrong with the last record, where that is all that it gave. */
  onlyBad: BadRecord | null = null;

  constructor(options: JudgeOptions, context: ThreadContext = takeContext()) {
    this.#options = options;
    this.context = context;
  }

  /** Leaves the scanners to others; nothing is judged any more. */
  close(): void {
    leaveContext(this.context);
  }

  get machine(): Machine {
    return this.context.machine;
  }

  /** Tools that every transcript may call. */
  get tools(): readonly ToolDefinition[] {
    return this.#options.tools;
  }

  /** The verdict on one record, which begins at a position of the input. Never throws on data. */
  record(
    record: CorpusRecord | RecordProblem, options: FileOptions, watcher: Watcher = {}, at = record.from,
  ): Verdict {
    const verdict = new Verdict(this.#options.warnings);
    this.transcripts = this.likeHarmony = 0;
    let units = 0;
    this.onlyBad = null;
    try {
      for (const unit of unitsOfRecord(record, options)) {
        this.onlyBad = units++ === 0 && isBad(unit) ? unit : null;
        if (isBad(unit)) {
          this.#refuse(unit, verdict, watcher);
          continue;
        }
        verdict.calls += unit.options.writtenCalls?.size ?? 0;
        const take = (visited: PlacedMessage): void => verdict.message(visited);
        const steps = this.#read(unit, at, watcher, {
          message: take, diagnostic: (diagnostic) => verdict.diagnostic(diagnostic), end: () => {},
        });
        while (!steps.next().done);
        verdict.settle(unit.place, null);
      }
    } catch (error) {
      // What nests too deeply for the stack, or makes a text longer than texts can be.
      if (!(error instanceof RangeError)) throw error;
      this.#refuse(badRecord(record, 'bad-record', 'it is too deep or too large'), verdict, watcher);
    }
    return verdict;
  }

  /** The verdict on a record that gives nothing else. */
  bad(bad: BadRecord, watcher: Watcher): Verdict {
    const verdict = new Verdict(this.#options.warnings);
    this.transcripts = this.likeHarmony = 0;
    this.#refuse(bad, verdict, watcher);
    return verdict;
  }

  /**
   * The verdicts on the transcripts of raw text, in order; none when nothing stands there. What is found where no
   * transcript is belongs to one with the number 0. `lines` tells line and column, where the input can be read again.
   * Stops behind each piece of the input.
   */
  *raw(
    unit: Unit, lines: PlaceOf | null, watcher: Watcher, take: (verdict: Verdict, transcript: number) => void,
  ): Generator<void, void, void> {
    this.transcripts = this.likeHarmony = 0;
    const open = new Map<number, Verdict>();
    const verdictOf = (transcript: number): Verdict => {
      let verdict = open.get(transcript);
      if (!verdict) open.set(transcript, (verdict = new Verdict(this.#options.warnings)));
      return verdict;
    };
    const close = (below: number): void => {
      for (const [transcript, verdict] of open) {
        if (transcript >= below) continue;
        verdict.settle(unit.place, lines);
        open.delete(transcript);
        take(verdict, transcript);
      }
    };
    yield* this.#read(unit, null, watcher, {
      message: (visited) => verdictOf(visited.transcript.number).message(visited),
      diagnostic: (diagnostic) => verdictOf(diagnostic.transcript).diagnostic(diagnostic),
      // Of the one that has ended something may still be found; of those before it nothing.
      end: ({ number }) => {
        verdictOf(number);
        close(number);
      },
    });
    close(Infinity);
  }

  *#read(unit: Unit, at: number | null, watcher: Watcher, taker: Taker): Generator<void, void, void> {
    const { tools, adjust } = this.#options;
    let last: TranscriptInfo | null = null;
    let index = 0;
    const checker = new Checker(this.machine, unit.source, {
      ...unit.options,
      tools,
      visitor: {
        message: (message: Message, transcript, source) => {
          if (transcript !== last) index = 0;
          last = transcript;
          const visited = { message, transcript, index: index++, source };
          taker.message(visited);
          watcher.message?.(visited, unit);
        },
        transcriptEnd: (transcript, messages, to) => {
          taker.end(transcript);
          watcher.end?.(transcript, messages, to, unit);
        },
      },
    }, { known: this.context.headers, memory: this.context.tools, at });
    for (const found of checker.steps()) {
      if (found === null) {
        yield;
        continue;
      }
      const diagnostic = adjust(found);
      if (!diagnostic) continue;
      taker.diagnostic(diagnostic);
      watcher.diagnostic?.(diagnostic, unit);
    }
    this.transcripts += checker.transcripts;
    this.likeHarmony += checker.likeHarmony;
  }

  #refuse(bad: BadRecord, verdict: Verdict, watcher: Watcher): void {
    const { rule, from, to, detail } = bad;
    const diagnostic = this.#options.adjust(diagnose({ rule, from, to, detail }, this.transcripts, true));
    if (!diagnostic) return;
    verdict.placed(diagnostic);
    watcher.bad?.(diagnostic, bad);
  }
}
