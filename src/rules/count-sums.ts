// What was counted, as sums that parts are added to and read from.

import * as abi from '../abi.ts';
import { CHANNEL_NAMES, type Dialect, ROLE_NAMES, TOKEN_NAMES } from '../scan/dialects.ts';
import { SequenceCounter } from './count-sequences.ts';
import { type CountedFinding, type Counts, FINDINGS, type PartialCounts, type Totals } from './counts.ts';
import type { Counted } from './known-counts.ts';
import { Names } from './names.ts';

const ENDS = ['end', 'call', 'return', 'implicit', 'eof'] as const;
const NO_ROLE = '(none)';

/** What chat data is counted as, instead of the dialect that it is scanned in. */
export const CHAT = 'chat';

const PLACES = new Map(FINDINGS.map((finding, i) => [finding, i]));

export class CountSums {
  #files = 0;
  protected bytes = 0;
  protected transcripts = 0;
  protected messages = 0;
  protected calls = 0;
  protected readonly dialects = new Names();
  readonly #roles: Names;
  readonly #channels: Names;
  /** In the order of FINDINGS. */
  readonly #findings = new Float64Array(FINDINGS.length);
  /** Messages of well-known words by (role, channel), all messages by end, tokens by id. */
  protected readonly plain: Float64Array = new Float64Array(64);
  readonly #ends = new Float64Array(8);
  protected readonly tokens: Float64Array = new Float64Array(32);
  protected readonly sequences = new SequenceCounter();

  /** System messages by which headerless text looks like Harmony (R-LIKELY). */
  likeHarmony = 0;

  /**
   * `part`: for `partial`, to be merged into a sum, which keeps the names that it meets first. The part must be a small
   * one.
   */
  constructor(part = false) {
    this.#roles = new Names(part ? Infinity : undefined);
    this.#channels = new Names(part ? Infinity : undefined);
  }

  /** A file of so many bytes that was read; what stands in it is counted apart. */
  addFile(bytes: number): void {
    this.#files++;
    this.bytes += bytes;
  }

  /** Bytes that were read and belong to no new file. */
  addBytes(bytes: number): void {
    this.bytes += bytes;
  }

  /** Adds sums over chat records (RECORD_SUM_… in abi.ts), and clears them. */
  addChat(sums: Uint32Array): void {
    const messages = sums[abi.RECORD_SUM_MESSAGES]!;
    const calls = sums[abi.RECORD_SUM_CALLS]!;
    const transcripts = sums[abi.RECORD_SUM_TRANSCRIPTS]!;
    const texts = sums[abi.RECORD_SUM_TEXTS]!;
    if (transcripts + texts === 0) return;
    if (texts > 0) this.addFinding('text-between-messages', texts);
    for (let i = 0; i < 32; i++) this.plain[i]! += sums[abi.RECORD_SUM_PLAIN + i]!;
    this.#ends[0]! += messages - calls;
    this.#ends[1]! += calls;
    this.messages += messages;
    this.calls += calls;
    this.transcripts += transcripts;
    if (transcripts > 0) this.dialects.add(CHAT, transcripts);
    sums.fill(0);
  }

  /** What was counted so far, in short. */
  get totals(): Totals {
    const { likeHarmony } = this;
    return { bytes: this.bytes, transcripts: this.transcripts, messages: this.messages, likeHarmony };
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
        this.#files, this.bytes, this.transcripts, this.messages, this.calls, this.sequences.files,
        this.sequences.fillIns,
      ],
      dialects: this.dialects.entries,
      roles: this.#roles.entries,
      channels: this.#channels.entries,
      findings: FINDINGS.flatMap((finding, i) => {
        return this.#findings[i]! > 0 ? [[finding, this.#findings[i]!] as const] : [];
      }),
      plain: [...this.plain],
      ends: [...this.#ends],
      tokens: [...this.tokens],
      likeHarmony: this.likeHarmony,
    };
  }

  /** Adds what another one counted, of the part or the input that follows. */
  merge(part: PartialCounts): void {
    const [files, bytes, transcripts, messages, calls, sequenceFiles, fillIns] = part.totals as [
      number, number, number, number, number, number, number,
    ];
    this.#files += files;
    this.bytes += bytes;
    this.transcripts += transcripts;
    this.messages += messages;
    this.calls += calls;
    this.sequences.files += sequenceFiles;
    this.sequences.fillIns += fillIns;
    this.dialects.merge(part.dialects);
    this.#roles.merge(part.roles);
    this.#channels.merge(part.channels);
    for (const [finding, count] of part.findings) this.addFinding(finding, count);
    part.plain.forEach((count, i) => (this.plain[i]! += count));
    part.ends.forEach((count, i) => (this.#ends[i]! += count));
    part.tokens.forEach((count, i) => (this.tokens[i]! += count));
    this.likeHarmony += part.likeHarmony;
  }

  /** Adds sums over rows of one dialect (TALLY_… in abi.ts), and clears them. */
  protected takeTally(sums: Uint32Array, dialect: Dialect): void {
    if (sums[abi.TALLY_MESSAGES] === 0) return;
    const isLine = (dialect.flags & abi.HAS_LINE) !== 0;
    const messages = sums[abi.TALLY_MESSAGES]!;
    this.messages += messages;
    this.tokens[isLine ? abi.IM_START : abi.START]! += messages;
    if (!isLine) {
      this.tokens[abi.MESSAGE_TOKEN]! += messages;
      this.calls += sums[abi.TALLY_CALLS]!;
    }
    for (let i = 0; i < 32; i++) {
      this.plain[i]! += sums[abi.TALLY_PLAIN + i]!;
      this.tokens[i]! += sums[abi.TALLY_TOKENS + i]!;
    }
    for (let i = 0; i < 3; i++) this.#ends[i]! += sums[abi.TALLY_ENDS + i]!;
    sums.fill(0);
  }

  addFinding(finding: CountedFinding, times = 1): void {
    this.#findings[PLACES.get(finding)!]! += times;
  }

  /** How messages end; `word`: of their rows. */
  protected addEnds(word: number, times: number): void {
    const token = (word >> abi.TOKEN_SHIFT) & abi.TOKEN_MASK;
    if (word & abi.EOF_END) this.#ends[4]! += times;
    else if (word & abi.IMPLICIT_END) this.#ends[3]! += times;
    else {
      this.#ends[token === abi.CALL ? 1 : token === abi.RETURN ? 2 : 0]! += times;
      this.tokens[token]! += times;
    }
  }

  /** What messages are that had to be read. */
  protected addRead({ role, channel, calls }: Counted, times: number): void {
    this.#roles.add(role ?? NO_ROLE, times);
    this.#channels.add(channel, times);
    this.calls += calls * times;
  }

  /** What is wrong with messages that had to be read. */
  protected addReadFindings({ cut, duplicates }: Counted, isImplicit: boolean, times: number): void {
    if (cut) this.addFinding('missing-message', times);
    else if (isImplicit) this.addFinding('missing-end', times);
    if (duplicates > 0) this.addFinding('duplicate-channel', duplicates * times);
  }

  /** The sums. Only names that occur have an entry. */
  result(): Counts {
    const roles = new Names(Infinity);
    const channels = new Names(Infinity);
    for (let i = 0; i < this.plain.length; i++) {
      if (this.plain[i] === 0) continue;
      roles.add(ROLE_NAMES[i & 7]!, this.plain[i]);
      channels.add(CHANNEL_NAMES[i >> 3] || 'final', this.plain[i]);
    }
    for (const [name, count] of Object.entries(this.#roles.result([]))) roles.add(name, count);
    for (const [name, count] of Object.entries(this.#channels.result([]))) channels.add(name, count);
    const tokens: Record<string, number> = Object.create(null);
    this.tokens.forEach((count, id) => {
      if (count > 0 && id > 0) tokens[TOKEN_NAMES[id]!] = count;
    });
    const ends: Record<string, number> = Object.create(null);
    ENDS.forEach((end, i) => {
      if (this.#ends[i]! > 0) ends[end] = this.#ends[i]!;
    });
    const findings: Record<string, number> = Object.create(null);
    FINDINGS.forEach((finding, i) => {
      if (this.#findings[i]! > 0) findings[finding] = this.#findings[i]!;
    });
    return {
      files: this.#files,
      bytes: this.bytes,
      transcripts: this.transcripts,
      messages: this.messages,
      calls: this.calls,
      dialects: this.dialects.result([]),
      roles: roles.result(ROLE_NAMES.slice(1)),
      channels: channels.result(CHANNEL_NAMES.slice(1)),
      ends,
      tokens,
      files_in_sequences: this.sequences.files,
      fill_ins: this.sequences.fillIns,
      findings,
    };
  }
}
