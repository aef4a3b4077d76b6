// Messages of which nothing is to be told, passed over by the scanner (assembly/clean.ts); and what there is to tell of
// calls, replies and definitions, which it lists with the spans of what their headers say. The simple version is
// `look` in message-findings.ts with `message` in meaning.ts: it makes a view of each message, and whatever is not
// known for certain here goes that way.

import * as abi from '../abi.ts';
import type { Tell } from '../errors.ts';
import { wordOf } from '../model/plain-header.ts';
import type { TranscriptInfo } from '../model/transcript.ts';
import { CHANNEL_NAMES, type DialectId, DIALECTS, ROLE_NAMES } from '../scan/dialects.ts';
import type { Machine } from '../scan/machine.ts';
import type { Batch } from '../scan/table.ts';
import { LEAST_DEPTH, type ToolMemory } from '../tools/known.ts';
import { declaresSome, mayNameFields } from './conform.ts';
import type { Meaning } from './meaning.ts';
import { asksForChannels } from '../model/visibility.ts';

const DIALECT_IDS = Object.keys(DIALECTS) as readonly DialectId[];

/** A window position behind all others. */
const FARTHEST = 0x7fffffff;

export class CleanMessages {
  readonly #machine: Machine;
  readonly #meaning: Meaning;
  readonly #memory: ToolMemory;
  #base = 0;
  /** Of the message at hand: its words in the list, and in the table. */
  #item = 0;
  #at = 0;
  #transcript: TranscriptInfo | null = null;
  #needsChannel = false;
  #tag = 0;

  constructor(machine: Machine, meaning: Meaning, memory: ToolMemory) {
    this.#machine = machine;
    this.#meaning = meaning;
    this.#memory = memory;
  }

  /**
   * Passes over the messages of a transcript from row `row` on, below row `end`; answers the row behind. `validTo`:
   * position of the first byte that is no UTF-8; `stops`: roles to stop before, as bits.
   */
  skip(batch: Batch, row: number, end: number, transcript: TranscriptInfo, validTo: number, stops: number): number {
    const { clean, rows } = this.#machine;
    if (batch.words !== rows || declaresSome(transcript)) return row;
    if (transcript !== this.#transcript) {
      this.#transcript = transcript;
      this.#needsChannel = asksForChannels(transcript);
      this.#tag = DIALECT_IDS.indexOf(transcript.dialect.id) << 8;
    }
    this.#memory.serve(this.#machine);
    this.#base = batch.base;
    clean[abi.CLEAN_FLAGS] = this.#needsChannel ? abi.CLEAN_NEEDS_CHANNEL : 0;
    clean[abi.CLEAN_STOPS] = stops;
    clean[abi.CLEAN_VALID] = Math.min(validTo - batch.base, FARTHEST);
    clean[abi.CLEAN_DEPTH] = this.#meaning.constraints.depth;
    clean[abi.CLEAN_TAG] = this.#tag;
    return batch.first + this.#machine.skipClean(row - batch.first, end - batch.first, batch.base);
  }

  /** How many messages were passed over; the KIND word of the last one, and where it ends. */
  get messages(): number {
    return this.#machine.clean[abi.CLEAN_MESSAGES]!;
  }

  get lastWord(): number {
    return this.#machine.clean[abi.CLEAN_LAST]!;
  }

  get to(): number {
    return this.#base + this.#machine.clean[abi.CLEAN_LAST_TO]!;
  }

  /** How many of them are listed. */
  get listed(): number {
    return this.#machine.clean[abi.CLEAN_LISTED]!;
  }

  /** Goes to one that is listed; answers its row in the batch. */
  goTo(index: number, { first }: Batch): number {
    this.#item = abi.CLEAN_LIST + index * abi.CLEAN_ITEM;
    const row = this.#machine.clean[this.#item + abi.CLEAN_ROW]!;
    this.#at = row * abi.ROW_WORDS;
    return first + row;
  }

  /** Byte positions of the message at hand. */
  get itemFrom(): number {
    return this.#base + this.#machine.rows[this.#at + abi.FROM]!;
  }

  get itemTo(): number {
    return this.#base + this.#machine.rows[this.#at + abi.TO]!;
  }

  /** Tells what is wrong with the message at hand. False: nobody knows; nothing was done. */
  tell(tell: Tell): boolean {
    const why = this.#machine.clean[this.#item + abi.CLEAN_KIND]!;
    switch (why & abi.CLEAN_WHY) {
      case abi.CLEAN_REPLY:
        this.#meaning.calls.reply(
          this.#word(abi.CLEAN_ID), this.#word(abi.CLEAN_NAME), this.itemFrom, this.#headerTo, tell,
        );
        return true;
      case abi.CLEAN_CALL:
        return this.#call((why & abi.CLEAN_JSON) !== 0, tell);
      case abi.CLEAN_DEFINER:
        this.#define();
        return true;
      default:
        return false;
    }
  }

  #word(which: number): string | null {
    const { clean, source } = this.#machine;
    const from = clean[this.#item + which]!;
    return from < 0 ? null : wordOf(source, from, clean[this.#item + which + 1]!);
  }

  get #headerTo(): number {
    return this.#base + this.#machine.clean[this.#item + abi.CLEAN_BODY]!;
  }

  #call(isJson: boolean, tell: Tell): boolean {
    const machine = this.#machine;
    const { tools, calls, constraints } = this.#meaning;
    const from = machine.clean[this.#item + abi.CLEAN_BODY]!;
    const to = machine.clean[this.#item + abi.CLEAN_BODY_TO]!;
    const recipient = this.#word(abi.CLEAN_NAME)!;
    const look = constraints.depth < LEAST_DEPTH ? null : tools.look(recipient, machine, from, to);
    if (look === null) return false;
    if (look === 'free') {
      if (isJson && machine.checkWindowJson(from, to, constraints.depth) >= 0) return false;
      if (mayNameFields(machine.source.subarray(from, to))) return false;
    }
    const channel = (machine.rows[this.#at]! >> abi.CHANNEL_SHIFT) & abi.CHANNEL_MASK;
    calls.call(
      this.#word(abi.CLEAN_ID), recipient, CHANNEL_NAMES[channel] || 'final', this.itemFrom, this.#headerTo, tell,
    );
    return true;
  }

  #define(): void {
    const { clean, rows } = this.#machine;
    const role = (rows[this.#at]! >> abi.ROLE_SHIFT) & abi.ROLE_MASK;
    const item = this.#item;
    const kept = clean[item + abi.CLEAN_KEPT]!;
    const [from, to] = [clean[item + abi.CLEAN_BODY]!, clean[item + abi.CLEAN_BODY_TO]!];
    // Asked for first: what the scanner has passed over is told by the numbers of texts.
    const { tools } = this.#meaning;
    tools.note(this.#memory.definer(kept, from, to, ROLE_NAMES[role]!, this.#transcript!.dialect.id, this.#tag | role));
  }
}
