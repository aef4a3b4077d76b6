// The sums that statistics are, and how they are added up: neither the order nor the grouping of the parts changes
// anything.

import { CHANNEL_NAMES, ROLE_NAMES } from '../../scan/dialects.ts';
import { Calls, Cell, Named, Spread, Tally } from './statistics-parts.ts';
import { Found } from './statistics-samples.ts';

/** Names that are counted one by one. */
const MOST_TOOLS = 65536;
const MOST_TYPES = 1000;
/** Pairs of role and channel that are not well known: each has a histogram. */
const MOST_PAIRS = 256;

export const ENDS = ['end', 'call', 'return', 'implicit', 'eof'] as const;
/** Dialects, and chat data of records. */
export const DIALECT_IDS = ['openchatml-2.2', 'openchatml-2.0', 'openchatml-0.1', 'harmony', 'chat'] as const;
export const CHANNELS = CHANNEL_NAMES.length;
/** Pairs of a well-known role and channel, each with none at 0. */
export const PAIRS = ROLE_NAMES.length * CHANNELS;

export class Sums {
  files = 0;
  bytes = 0;
  records = 0;
  badRecords = 0;
  replies = 0;
  readonly ends = new Float64Array(ENDS.length);
  /** Transcripts by dialect; messages of a transcript, and its bytes. */
  readonly dialects = new Float64Array(DIALECT_IDS.length);
  readonly transcriptMessages = new Spread();
  readonly transcriptBytes = new Spread();
  /** By role and effective channel: of well-known ones at role * CHANNELS + channel, of others by JSON of both. */
  readonly cells: (Cell | undefined)[] = Array<Cell | undefined>(PAIRS).fill(undefined);
  readonly otherCells = new Named(MOST_PAIRS, () => new Cell());
  readonly contentTypes = new Named(MOST_TYPES, () => new Tally());
  /** By name, without `functions.`. */
  readonly tools = new Named(MOST_TOOLS, () => new Calls());
  /** Failing calls in messages that call several tools: which one fails is not known. */
  readonly severalCalls = new Calls();
  readonly findings = new Map<string, Found>();
  /** Of the message before whose role or channel is rare; and how often names had gone then. */
  #last: { role: string | null; channel: string; cell: Cell; cuts: number } | undefined;

  /** Adds what was counted elsewhere. */
  add(other: Sums): void {
    this.files += other.files;
    this.bytes += other.bytes;
    this.records += other.records;
    this.badRecords += other.badRecords;
    this.replies += other.replies;
    for (let i = 0; i < ENDS.length; i++) this.ends[i]! += other.ends[i]!;
    for (let i = 0; i < DIALECT_IDS.length; i++) this.dialects[i]! += other.dialects[i]!;
    this.transcriptMessages.add(other.transcriptMessages);
    this.transcriptBytes.add(other.transcriptBytes);
    other.cells.forEach((cell, i) => cell && (this.cells[i] ??= new Cell()).add(cell));
    this.otherCells.add(other.otherCells);
    this.contentTypes.add(other.contentTypes);
    this.tools.add(other.tools);
    this.severalCalls.add(other.severalCalls);
    for (const [rule, found] of other.findings) this.found(rule).add(found);
  }

  /** What was found by a rule. */
  found(rule: string): Found {
    let found = this.findings.get(rule);
    if (!found) this.findings.set(rule, (found = new Found()));
    return found;
  }

  /** Where messages of a role and a channel are counted. */
  cell(role: string | null, channel: string): Cell {
    const roleId = role === null ? -1 : ROLE_NAMES.indexOf(role);
    const channelId = CHANNEL_NAMES.indexOf(channel);
    if (roleId > 0 && channelId > 0) return (this.cells[roleId * CHANNELS + channelId] ??= new Cell());
    // Mostly they are those of the message before.
    const last = this.#last;
    if (last?.role === role && last.channel === channel && last.cuts === this.otherCells.cuts) return last.cell;
    const cell = this.otherCells.at(JSON.stringify([role, channel]));
    this.#last = { role, channel, cell, cuts: this.otherCells.cuts };
    return cell;
  }
}
