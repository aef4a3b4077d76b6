// Counting: what `scan` tells. Rows alone answer for messages of well-known words; only the others are read.

import * as abi from '../abi.ts';
import { callTags } from '../model/hermes.ts';
import { Message, type MessageContext } from '../model/message.ts';
import type { HeaderCache } from '../model/transcript.ts';
import { type Checkpoint, PartWalk, type PlainReadOptions, type Range, WHOLE } from '../model/part-walk.ts';
import { CHANNEL_NAMES, type Dialect, ROLE_NAMES, TOKEN_NAMES } from '../scan/dialects.ts';
import type { Machine } from '../scan/machine.ts';
import { MemorySource, type Source } from '../scan/source.ts';
import { type Batch, fromOf, kindWord, toOf } from '../scan/table.ts';
import { countWrittenCalls } from './call-count.ts';
import { scanTexts, textGroups } from './count-texts.ts';
import { SequenceCounter } from './count-sequences.ts';
import { type CountedFinding, type Counts, FINDINGS, type PartialCounts, type Totals } from './counts.ts';
import { type Counted, countedOf, KnownCounts } from './known-counts.ts';
import { Names } from './names.ts';
import { WrittenTags } from './written-tags.ts';

/** Messages after which sums of 32 bits are taken. */
const MOST_SUMMED = 1 << 30;

const ENDS = ['end', 'call', 'return', 'implicit', 'eof'] as const;
const NO_ROLE = '(none)';

/** What chat data is counted as, instead of the dialect that it is scanned in. */
const CHAT = 'chat';

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
export class Counter {
  #files = 0;
  #bytes = 0;
  #transcripts = 0;
  #messages = 0;
  #calls = 0;
  readonly #dialects = new Names();
  readonly #roles: Names;
  readonly #channels: Names;
  readonly #findings = new Map<CountedFinding, number>();
  /** Messages of well-known words by (role, channel), all messages by end, tokens by id. */
  readonly #plain = new Float64Array(64);
  readonly #ends = new Float64Array(8);
  readonly #tokens = new Float64Array(32);
  readonly #sequences = new SequenceCounter();

  /** System messages by which headerless text looks like Harmony (R-LIKELY). */
  likeHarmony = 0;
  /** The dialect's tokens are none of the input's own. */
  #isChat = false;

  /**
   * `part`: for `partial`, to be merged into a sum, which keeps the names that it meets first. The part must be a small
   * one.
   */
  constructor(part = false) {
    this.#roles = new Names(part ? Infinity : undefined);
    this.#channels = new Names(part ? Infinity : undefined);
  }

  /** Counts one raw input. */
  add(machine: Machine, source: Source, options: PlainReadOptions = {}): void {
    const walk = new PartWalk(machine, source, options);
    this.#count(machine, walk, options, Infinity);
    this.addFile(walk.reading.position);
  }

  /** A file of so many bytes that was read; what stands in it is counted apart. */
  addFile(bytes: number): void {
    this.#files++;
    this.#bytes += bytes;
  }

  /** Bytes that were read and belong to no new file. */
  addBytes(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Counts the transcripts of a text that is a part of a file; `isChat`: they were chat data. */
  addText(machine: Machine, source: Source, options: PlainReadOptions, isChat: boolean, known: HeaderCache): void {
    const before = isChat ? this.#tokens.slice() : null;
    this.#isChat = isChat;
    this.#count(machine, new PartWalk(machine, source, options, { known }), options, Infinity);
    this.#isChat = false;
    if (before !== null) this.#tokens.set(before);
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
        this.#transcripts += run.texts;
        this.#dialects.add(dialect.id, run.texts);
        this.#calls += run.calls;
      }
      this.#takeSums(machine.sums);
      for (const run of runs) if ('text' in run) alone(first + run.text);
    }
  }

  /** Adds sums over chat records (RECORD_SUM_… in abi.ts), and clears them. */
  addChat(sums: Uint32Array): void {
    const messages = sums[abi.RECORD_SUM_MESSAGES]!;
    const calls = sums[abi.RECORD_SUM_CALLS]!;
    const transcripts = sums[abi.RECORD_SUM_TRANSCRIPTS]!;
    const texts = sums[abi.RECORD_SUM_TEXTS]!;
    if (transcripts + texts === 0) return;
    if (texts > 0) this.#find('text-between-messages', texts);
    for (let i = 0; i < 32; i++) this.#plain[i]! += sums[abi.RECORD_SUM_PLAIN + i]!;
    this.#ends[0]! += messages - calls;
    this.#ends[1]! += calls;
    this.#messages += messages;
    this.#calls += calls;
    this.#transcripts += transcripts;
    if (transcripts > 0) this.#dialects.add(CHAT, transcripts);
    sums.fill(0);
  }

  /** A finding about a record. */
  addFinding(finding: CountedFinding, times = 1): void {
    this.#find(finding, times);
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
    this.#bytes += (end?.position ?? walk.reading.position) - (range.start?.position ?? 0);
    return end;
  }

  /** What was counted so far, in short. */
  get totals(): Totals {
    const { likeHarmony } = this;
    return { bytes: this.#bytes, transcripts: this.#transcripts, messages: this.#messages, likeHarmony };
  }

  /** What was counted since then. */
  since(before: Totals): Totals {
    const { bytes, transcripts, messages, likeHarmony } = this.totals;
    return {
      bytes: bytes - before.bytes,
      transcripts: transcripts - before.transcripts,
      messages: messages - before.messages,
      likeHarmony: likeHarmony - before.likeHarmony,
    };
  }

  /** What was counted so far, whole. */
  partial(): PartialCounts {
    return {
      totals: [
        this.#files, this.#bytes, this.#transcripts, this.#messages, this.#calls, this.#sequences.files,
        this.#sequences.fillIns,
      ],
      dialects: this.#dialects.entries,
      roles: this.#roles.entries,
      channels: this.#channels.entries,
      findings: [...this.#findings],
      plain: [...this.#plain],
      ends: [...this.#ends],
      tokens: [...this.#tokens],
      likeHarmony: this.likeHarmony,
    };
  }

  /** Adds what another one counted, of the part or the input that follows. */
  merge(part: PartialCounts): void {
    const [files, bytes, transcripts, messages, calls, sequenceFiles, fillIns] = part.totals as [
      number, number, number, number, number, number, number,
    ];
    this.#files += files;
    this.#bytes += bytes;
    this.#transcripts += transcripts;
    this.#messages += messages;
    this.#calls += calls;
    this.#sequences.files += sequenceFiles;
    this.#sequences.fillIns += fillIns;
    this.#dialects.merge(part.dialects);
    this.#roles.merge(part.roles);
    this.#channels.merge(part.channels);
    for (const [finding, count] of part.findings) this.#find(finding, count);
    part.plain.forEach((count, i) => (this.#plain[i]! += count));
    part.ends.forEach((count, i) => (this.#ends[i]! += count));
    part.tokens.forEach((count, i) => (this.#tokens[i]! += count));
    this.likeHarmony += part.likeHarmony;
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
              this.#sequences.end();
              row = after;
              continue;
            }
          }
          const word = kindWord(batch, row);
          const begins = walk.divider.place(batch, row);
          if (begins) this.#begin(batch.dialect);
          const kind = word & abi.KIND_MASK;
          if (kind === abi.MESSAGE) {
            this.#closeGap();
            this.#sequences.end();
            row = this.#message(batch, row, word, !tags.mayStandIn(row), walk.divider.context, options);
            continue;
          }
          if (kind === abi.TEXT) this.#gapTexts++;
          else if (kind === abi.HEADER) this.#closeGap();
          else this.#gapToken(kind, word);
          if (batch.dialect.flags & abi.HAS_LINE) this.#sequences.row(kind, (word >> abi.TOKEN_SHIFT) & abi.TOKEN_MASK);
          row++;
        }
        if (end === batch.to) break;
        const checkpoint = walk.checkpoint(batch, end);
        if (checkpoint === null) continue;
        this.#closeGap();
        this.#sequences.end();
        return checkpoint;
      }
    }
    this.#closeGap();
    this.#sequences.end();
    return null;
  }

  /** Adds what was summed up, all of one dialect. */
  #takeSums(sums: Uint32Array): void {
    const dialect = this.#summed;
    if (dialect === undefined || sums[abi.TALLY_MESSAGES] === 0) return;
    const isLine = (dialect.flags & abi.HAS_LINE) !== 0;
    const messages = sums[abi.TALLY_MESSAGES]!;
    this.#messages += messages;
    this.#tokens[isLine ? abi.IM_START : abi.START]! += messages;
    if (!isLine) {
      this.#tokens[abi.MESSAGE_TOKEN]! += messages;
      this.#calls += sums[abi.TALLY_CALLS]!;
    }
    for (let i = 0; i < 32; i++) {
      this.#plain[i]! += sums[abi.TALLY_PLAIN + i]!;
      this.#tokens[i]! += sums[abi.TALLY_TOKENS + i]!;
    }
    for (let i = 0; i < 3; i++) this.#ends[i]! += sums[abi.TALLY_ENDS + i]!;
    sums.fill(0);
  }

  #begin(dialect: Dialect): void {
    this.#transcripts++;
    this.#dialects.add(this.#isChat ? CHAT : dialect.id);
  }

  #find(finding: CountedFinding, count = 1): void {
    this.#findings.set(finding, (this.#findings.get(finding) ?? 0) + count);
  }

  /** Rows of text in the gap at hand, and whether a file token stands there too (R-FIM). */
  #gapTexts = 0;
  #gapHasFiles = false;

  #closeGap(): void {
    if (this.#gapTexts > 0 && !this.#gapHasFiles) this.#find('text-between-messages', this.#gapTexts);
    this.#gapTexts = 0;
    this.#gapHasFiles = false;
  }

  /** A row in a gap that is no text. */
  #gapToken(kind: number, word: number): void {
    if (kind === abi.STRAY) this.#find('stray-token');
    const isFile = kind === abi.FILE;
    if (isFile || kind === abi.STRAY) this.#tokens[(word >> abi.TOKEN_SHIFT) & abi.TOKEN_MASK]!++;
    if (isFile) this.#gapHasFiles = true;
  }

  /** Counts a message; answers the row after it. */
  #message(
    batch: Batch, row: number, word: number, isUntagged: boolean, context: MessageContext, options: PlainReadOptions,
  ): number {
    const { words, first } = batch;
    const isLine = (batch.dialect.flags & abi.HAS_LINE) !== 0;
    this.#messages++;
    if (!(word & (abi.IMPLIED | abi.BY_ROLE))) this.#tokens[isLine ? abi.IM_START : abi.START]!++;
    if (!isLine && !(word & abi.NO_BODY_TOKEN)) this.#tokens[abi.MESSAGE_TOKEN]!++;
    let marks = false;
    let body = -1;
    const next = words[(row - first) * abi.ROW_WORDS + abi.NEXT]!;
    for (let child = row + 1; child < next; child++) {
      const below = words[(child - first) * abi.ROW_WORDS]!;
      const kind = below & abi.KIND_MASK;
      if (kind === abi.BODY) body = child;
      if (kind === abi.BODY || kind === abi.ESCAPE) continue;
      if (kind === abi.MARK && !isLine) continue;
      this.#tokens[(below >> abi.TOKEN_SHIFT) & abi.TOKEN_MASK]!++;
      if (kind === abi.FIELD) continue;
      if (kind === abi.MARK) marks = true;
      else this.#below(kind, below);
    }
    this.#end(word);
    if ((word & abi.PLAIN) !== 0 && !(word & abi.EOF_END) && !marks) {
      this.#plain[((word >> abi.ROLE_SHIFT) & 7) | (((word >> abi.CHANNEL_SHIFT) & 3) << 3)]!++;
      const isCall = !isLine && ((word >> abi.ROLE_SHIFT) & 7) === abi.ASSISTANT
        && ((word >> abi.RECIPIENT_SHIFT) & 3) === abi.TO_TOOL;
      if (isCall) this.#calls++;
      // Rows do not tell of calls that are written as text.
      const mayCall = isLine && !isUntagged && ((word >> abi.ROLE_SHIFT) & 7) === abi.ASSISTANT;
      if (mayCall && body >= 0) {
        const span = { from: fromOf(batch, body), to: toOf(batch, body) };
        this.#calls += countWrittenCalls(batch.source, span, callTags(batch.source, span).map(({ from }) => from));
      }
      if (word & abi.IMPLICIT_END) this.#find('missing-end');
    } else {
      const known = this.#known.of(batch, row, word, context);
      if (known === null) this.#readMessage(new Message(batch, row, context, isUntagged), options);
      else {
        this.#addMessage(known);
        this.#addFindings(known, (word & abi.IMPLICIT_END) !== 0);
      }
    }
    this.#openLiteral = false;
    return next;
  }

  #openLiteral = false;

  /** Rows below a message that are findings. */
  #below(kind: number, word: number): void {
    if (kind === abi.STRAY) this.#find('stray-token');
    else if (kind === abi.TRAILING) this.#find('trailing-terminator');
    else if (kind === abi.LITERAL && word & abi.UNTERMINATED) {
      this.#openLiteral = true;
      this.#find('unterminated-literal');
    } else if (kind === abi.LITERAL) this.#tokens[abi.ENDLITERAL]!++;
  }

  #end(word: number): void {
    const token = (word >> abi.TOKEN_SHIFT) & abi.TOKEN_MASK;
    if (word & abi.EOF_END) this.#ends[4]!++;
    else if (word & abi.IMPLICIT_END) this.#ends[3]!++;
    else {
      this.#ends[token === abi.CALL ? 1 : token === abi.RETURN ? 2 : 0]!++;
      this.#tokens[token]!++;
    }
  }

  readonly #known = new KnownCounts();

  #addMessage({ role, channel, calls }: Counted): void {
    this.#roles.add(role ?? NO_ROLE);
    this.#channels.add(channel);
    this.#calls += calls;
  }

  #addFindings({ cut, duplicates }: Counted, isImplicit: boolean): void {
    if (cut) this.#find('missing-message');
    else if (isImplicit) this.#find('missing-end');
    if (duplicates > 0) this.#find('duplicate-channel', duplicates);
  }

  /** A message whose rows do not tell everything. */
  #readMessage(message: Message, options: PlainReadOptions): void {
    const counted = countedOf(message);
    this.#addMessage(counted);
    if (message.isOpenTurn) {
      this.#find('open-turn');
      return;
    }
    const { missingStart, end } = message;
    const isLine = (message.dialect.flags & abi.HAS_LINE) !== 0;
    if (missingStart === 'missing') this.#find('missing-start');
    else if (missingStart === 'completion' && !(isLine && message.completesRole)) this.#find('completion');
    this.#addFindings(counted, end === 'implicit');
    if (end === 'eof' && !options.stopStripped && !this.#openLiteral) this.#find('truncated');
  }

  /** The sums. Only names that occur have an entry. */
  result(): Counts {
    const roles = new Names(Infinity);
    const channels = new Names(Infinity);
    for (let i = 0; i < this.#plain.length; i++) {
      if (this.#plain[i] === 0) continue;
      roles.add(ROLE_NAMES[i & 7]!, this.#plain[i]);
      channels.add(CHANNEL_NAMES[i >> 3] || 'final', this.#plain[i]);
    }
    for (const [name, count] of Object.entries(this.#roles.result([]))) roles.add(name, count);
    for (const [name, count] of Object.entries(this.#channels.result([]))) channels.add(name, count);
    const tokens: Record<string, number> = Object.create(null);
    this.#tokens.forEach((count, id) => {
      if (count > 0 && id > 0) tokens[TOKEN_NAMES[id]!] = count;
    });
    const ends: Record<string, number> = Object.create(null);
    ENDS.forEach((end, i) => {
      if (this.#ends[i]! > 0) ends[end] = this.#ends[i]!;
    });
    const findings: Record<string, number> = Object.create(null);
    for (const finding of FINDINGS) if (this.#findings.has(finding)) findings[finding] = this.#findings.get(finding)!;
    return {
      files: this.#files,
      bytes: this.#bytes,
      transcripts: this.#transcripts,
      messages: this.#messages,
      calls: this.#calls,
      dialects: this.#dialects.result([]),
      roles: roles.result(ROLE_NAMES.slice(1)),
      channels: channels.result(CHANNEL_NAMES.slice(1)),
      ends,
      tokens,
      files_in_sequences: this.#sequences.files,
      fill_ins: this.#sequences.fillIns,
      findings,
    };
  }
}
