// Counting: what `scan` tells. Rows alone answer for messages of well-known words; only the others are read.

import * as abi from '../abi.ts';
import { callTags } from '../model/hermes.ts';
import { Message } from '../model/message.ts';
import type { PartDivider } from '../model/part-divider.ts';
import type { HeaderCache } from '../model/transcript.ts';
import { type Checkpoint, PartWalk, type PlainReadOptions, type Range, WHOLE } from '../model/part-walk.ts';
import type { Dialect } from '../scan/dialects.ts';
import type { Machine } from '../scan/machine.ts';
import { MemorySource, type Source } from '../scan/source.ts';
import { type Batch, fromOf, kindWord, toOf } from '../scan/table.ts';
import { countWrittenCalls } from './call-count.ts';
import { scanTexts, textGroups } from './count-texts.ts';
import { CHAT, CountSums } from './count-sums.ts';
import { countedOf, KnownCounts } from './known-counts.ts';
import { repeatsOf } from './repeats.ts';
import { WrittenTags } from './written-tags.ts';

/** Messages after which sums of 32 bits are taken. */
const MOST_SUMMED = 1 << 30;

/**
 * Adds up what inputs hold: bytes, transcripts, messages, findings of structure. Files that stand in a sequence are
 * counted apart (R-FIM).
 *
 * @example
 * ```ts
 * import { Counter, createMachine, MemorySource } from 'openchatml';
 *
 * const counter = new Counter();
 * for (const text of ['<|start|>user<|message|>Hi<|end|>', '<|start|>user<|message|>Ho<|end|>']) {
 *   counter.add(createMachine(), new MemorySource(new TextEncoder().encode(text)));
 * }
 * console.log(counter.result().messages); // 2
 * ```
 */
export class Counter extends CountSums {
  /** The dialect's tokens are none of the input's own. */
  #isChat = false;

  /** Counts one raw input. */
  add(machine: Machine, source: Source, options: PlainReadOptions = {}): void {
    const walk = new PartWalk(machine, source, options);
    this.#count(machine, walk, options, Infinity);
    this.addFile(walk.reading.position);
  }

  /**
   * Counts the transcripts of a text that is a part of a file; `isChat`: they were chat data; `unread`: calls in that
   * which could not be read (R-HERMES).
   */
  addText(
    machine: Machine, source: Source, options: PlainReadOptions, isChat: boolean, known: HeaderCache, unread = 0,
  ): void {
    this.calls += unread;
    const before = isChat ? this.tokens.slice() : null;
    this.#isChat = isChat;
    this.#count(machine, new PartWalk(machine, source, options, { known }), options, Infinity);
    this.#isChat = false;
    if (before !== null) this.tokens.set(before);
  }

  /** Counts texts that are parts of a file: they follow each other in `bytes` up to `ends`, and fit the window. */
  addTexts(machine: Machine, bytes: Uint8Array, ends: readonly number[], known: HeaderCache): void {
    const begins = (text: number): number => (text === 0 ? 0 : ends[text - 1]!);
    const alone = (text: number): void => {
      const source = new MemorySource(bytes.subarray(begins(text), ends[text]!));
      this.addText(machine, source, {}, false, known);
    };
    for (const { dialect, first, last, starts } of textGroups(machine, bytes, ends, known)) {
      if (dialect === null) {
        for (let text = first; text < last; text++) alone(text);
        continue;
      }
      const runs = scanTexts(machine, bytes, starts, ends.slice(first, last), dialect);
      machine.sums.fill(0);
      this.#summed = dialect;
      for (const run of runs) {
        if ('text' in run) continue;
        machine.tally(run.from, run.to, 0);
        this.transcripts += run.texts;
        this.dialects.add(dialect.id, run.texts);
        this.calls += run.calls;
      }
      this.#takeSums(machine.sums);
      for (const run of runs) if ('text' in run) alone(first + run.text);
    }
  }

  /**
   * Counts a part of a raw input. Answers where the next part begins; null: at the input's end. `known`: document
   * headers.
   */
  addRange(
    machine: Machine, source: Source, options: PlainReadOptions, range: Range = WHOLE, known?: HeaderCache,
  ): Checkpoint | null {
    const walk = new PartWalk(machine, source, options, { start: range.start, to: range.to, known });
    const end = this.#count(machine, walk, options, range.to);
    this.bytes += (end?.position ?? walk.reading.position) - (range.start?.position ?? 0);
    return end;
  }

  #count(machine: Machine, walk: PartWalk, options: PlainReadOptions, to: number): Checkpoint | null {
    machine.sums.fill(0);
    this.#summed = undefined;
    const { likeness } = walk.divider;
    try {
      const end = this.#countBatches(machine, walk, options, to);
      if (end === null) likeness.close();
      this.likeHarmony += likeness.count;
      return end;
    } finally {
      // What was read before an input failed counts too.
      this.#takeSums(machine.sums);
    }
  }

  /** What is summed up is of this dialect. */
  #summed: Dialect | undefined;

  #takeSums(sums: Uint32Array): void {
    if (this.#summed !== undefined) this.takeTally(sums, this.#summed);
  }

  #countBatches(machine: Machine, walk: PartWalk, options: PlainReadOptions, to: number): Checkpoint | null {
    const { sums } = machine;
    for (const batch of walk.batches()) {
      if (batch.dialect !== this.#summed || sums[abi.TALLY_MESSAGES]! > MOST_SUMMED) {
        if (batch.dialect !== this.#summed) this.#closeGap();
        this.#takeSums(sums);
        this.#summed = batch.dialect;
      }
      let row = batch.from;
      const tags = new WrittenTags(machine, batch);
      // Before the first transcript nothing can be gone on from: then the batch is counted to its end.
      for (let end = walk.endOf(batch, to); ; end = batch.to) {
        while (row < end) {
          // All that most corpora are made of is summed up where it lies; the rest is looked at row by row.
          if (batch.words === machine.rows && walk.divider.continues(batch.dialect)) {
            const before = sums[abi.TALLY_MESSAGES]!;
            const stops = walk.divider.stops(batch.dialect);
            const last = tags.next(row, end);
            const after = batch.first + machine.tally(row - batch.first, last - batch.first, stops);
            if (after > row) {
              walk.divider.passed(sums[abi.TALLY_MESSAGES]! - before, sums[abi.TALLY_LAST]!);
              this.#closeGap();
              this.sequences.end();
              row = after;
              continue;
            }
          }
          if ((kindWord(batch, row) & abi.KIND_MASK) !== abi.MESSAGE) {
            row = this.#gap(batch, row, end, walk.divider);
            continue;
          }
          if (walk.divider.place(batch, row)) this.#begin(batch.dialect);
          this.#closeGap();
          this.sequences.end();
          row = this.#message(batch, row, end, walk.divider, !tags.mayStandIn(row), options);
        }
        if (end === batch.to) break;
        const checkpoint = walk.checkpoint(batch, end);
        if (checkpoint === null) continue;
        this.#closeGap();
        this.sequences.end();
        return checkpoint;
      }
    }
    this.#closeGap();
    this.sequences.end();
    return null;
  }

  #begin(dialect: Dialect): void {
    this.transcripts++;
    this.dialects.add(this.#isChat ? CHAT : dialect.id);
  }

  /** Rows of text in the gap at hand, and whether a file token stands there too (R-FIM). */
  #gapTexts = 0;
  #gapHasFiles = false;

  #closeGap(): void {
    if (this.#gapTexts > 0 && !this.#gapHasFiles) this.addFinding('text-between-messages', this.#gapTexts);
    this.#gapTexts = 0;
    this.#gapHasFiles = false;
  }

  /** Counts what stands between messages from row `row` on, before row `end`; answers the row after it. */
  #gap(batch: Batch, row: number, end: number, divider: PartDivider): number {
    const isLine = (batch.dialect.flags & abi.HAS_LINE) !== 0;
    for (; row < end; row++) {
      const word = kindWord(batch, row);
      const kind = word & abi.KIND_MASK;
      if (kind === abi.MESSAGE) break;
      if (divider.place(batch, row)) this.#begin(batch.dialect);
      const token = (word >> abi.TOKEN_SHIFT) & abi.TOKEN_MASK;
      if (kind === abi.TEXT) this.#gapTexts++;
      else if (kind === abi.HEADER) this.#closeGap();
      else this.#gapToken(kind, token);
      if (isLine) this.sequences.row(kind, token);
    }
    return row;
  }

  /** A token between messages. */
  #gapToken(kind: number, token: number): void {
    if (kind === abi.STRAY) this.addFinding('stray-token');
    else if (kind === abi.FILE) this.#gapHasFiles = true;
    if (kind === abi.STRAY || kind === abi.FILE) this.tokens[token]!++;
  }

  /** Counts a message, and those before row `end` that repeat it; answers the row after them. */
  #message(
    batch: Batch, row: number, end: number, divider: PartDivider, isUntagged: boolean, options: PlainReadOptions,
  ): number {
    const { words, first } = batch;
    const { context } = divider;
    const isLine = (batch.dialect.flags & abi.HAS_LINE) !== 0;
    const word = kindWord(batch, row);
    const next = words[(row - first) * abi.ROW_WORDS + abi.NEXT]!;
    let marks = false;
    let body = -1;
    for (let child = row + 1; child < next; child++) {
      const kind = kindWord(batch, child) & abi.KIND_MASK;
      if (kind === abi.BODY) body = child;
      else if (kind === abi.MARK) marks ||= isLine;
    }
    const isPlain = (word & abi.PLAIN) !== 0 && !(word & abi.EOF_END) && !marks;
    const known = isPlain ? null : this.#known.of(batch, row, word, context);
    const repeats = known !== null && divider.repeats(batch.dialect, known.role) ? repeatsOf(batch, row, end) : 0;
    if (repeats > 0) divider.passed(repeats, word);
    const times = 1 + repeats;
    this.messages += times;
    if (!(word & (abi.IMPLIED | abi.BY_ROLE))) this.tokens[isLine ? abi.IM_START : abi.START]! += times;
    if (!isLine && !(word & abi.NO_BODY_TOKEN)) this.tokens[abi.MESSAGE_TOKEN]! += times;
    for (let child = row + 1; child < next; child++) this.#below(kindWord(batch, child), isLine, times);
    this.addEnds(word, times);
    if (known !== null) {
      this.addRead(known, times);
      if (word & abi.IMPLIED) this.addFinding('missing-start', times);
      this.addReadFindings(known, (word & abi.IMPLICIT_END) !== 0, times);
    } else if (isPlain) this.#addPlain(batch, word, body, isUntagged);
    else this.#readMessage(new Message(batch, row, context, isUntagged), options);
    this.#openLiteral = false;
    return next + repeats * (next - row);
  }

  #openLiteral = false;

  /** A row below a message. */
  #below(word: number, isLine: boolean, times: number): void {
    const kind = word & abi.KIND_MASK;
    if (kind === abi.BODY || kind === abi.ESCAPE || (kind === abi.MARK && !isLine)) return;
    this.tokens[(word >> abi.TOKEN_SHIFT) & abi.TOKEN_MASK]! += times;
    if (kind === abi.STRAY) this.addFinding('stray-token', times);
    else if (kind === abi.TRAILING) this.addFinding('trailing-terminator', times);
    else if (kind === abi.LITERAL && word & abi.UNTERMINATED) {
      this.#openLiteral = true;
      this.addFinding('unterminated-literal', times);
    } else if (kind === abi.LITERAL) this.tokens[abi.ENDLITERAL]! += times;
  }

  /** A message of well-known words, of which its row says all but for calls that are written as text. */
  #addPlain(batch: Batch, word: number, body: number, isUntagged: boolean): void {
    const isLine = (batch.dialect.flags & abi.HAS_LINE) !== 0;
    const role = (word >> abi.ROLE_SHIFT) & 7;
    this.plain[role | (((word >> abi.CHANNEL_SHIFT) & 3) << 3)]!++;
    if (role === abi.ASSISTANT && !isLine && ((word >> abi.RECIPIENT_SHIFT) & 3) === abi.TO_TOOL) this.calls++;
    if (role === abi.ASSISTANT && isLine && !isUntagged && body >= 0) {
      const span = { from: fromOf(batch, body), to: toOf(batch, body) };
      this.calls += countWrittenCalls(batch.source, span, callTags(batch.source, span).map(({ from }) => from));
    }
    if (word & abi.IMPLICIT_END) this.addFinding('missing-end');
  }

  readonly #known = new KnownCounts();

  /** A message whose rows do not tell everything. */
  #readMessage(message: Message, options: PlainReadOptions): void {
    const counted = countedOf(message);
    this.addRead(counted, 1);
    if (message.isOpenTurn) {
      this.addFinding('open-turn');
      return;
    }
    const { missingStart, end } = message;
    const isLine = (message.dialect.flags & abi.HAS_LINE) !== 0;
    if (missingStart === 'missing') this.addFinding('missing-start');
    else if (missingStart === 'completion' && !(isLine && message.completesRole)) this.addFinding('completion');
    this.addReadFindings(counted, end === 'implicit', 1);
    if (end === 'eof' && !options.stopStripped && !this.#openLiteral) this.addFinding('truncated');
  }
}
