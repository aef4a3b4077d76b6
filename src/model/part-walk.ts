// The walk through a part of an input: from a checkpoint, to where the next part begins.

import { BY_ROLE, IMPLIED, KIND_MASK, MESSAGE } from '../abi.ts';
import { dialectName, dialectNamed } from '../scan/dialects.ts';
import type { StreamMachine } from '../scan/machine.ts';
import type { Source } from '../scan/source.ts';
import { type Batch, fromOf, kindWord, nextOf } from '../scan/table.ts';
import { type DividerState, PartDivider } from './part-divider.ts';
import { rescue } from './rescue-rows.ts';
import type { Rescue } from './rescue.ts';
import { type ReadOptions, Walk, type WalkSetting } from './walk.ts';

/** A message's start token from which an input is read on as if everything before it had been read. Plain data. */
export interface Checkpoint {
  /** Byte position of the start token. */
  readonly position: number;
  /** What the scan reads it as. */
  readonly dialect: string;
  readonly transcript: DividerState;
}

/** A part of an input: from a checkpoint (null: its beginning) to before the first start token at or behind `to`. */
export interface Range {
  readonly start: Checkpoint | null;
  /** Transcripts that begin before this position are passed, too; left out: the one that is under way at `start`. */
  readonly from?: number;
  readonly to: number;
}

export const WHOLE: Range = { start: null, to: Infinity };

/** ReadOptions that may be plain data: whoever checks, counts or reads files has the rescue, and `true` asks for it. */
export interface PlainReadOptions extends Omit<ReadOptions, 'rescue'> {
  /** `true`, or `rescue`: a likely message rather than an exact one (R-RESCUE), as in ReadOptions. */
  readonly rescue?: Rescue | boolean | undefined;
  /** @internal The text was written from chat data, in which a reply need not name its tool. */
  readonly isChat?: boolean | undefined;
}

export interface PartSetting extends Omit<WalkSetting, 'start'> {
  /** Where to begin; null: at the input's beginning. */
  readonly start?: Checkpoint | null;
}

export class PartWalk extends Walk {
  declare readonly divider: PartDivider;

  constructor(
    machine: StreamMachine, source: Source, options: PlainReadOptions, { start = null, ...setting }: PartSetting = {},
  ) {
    const at = start === null ? undefined : { position: start.position, dialect: dialectNamed(start.dialect) };
    const read: ReadOptions = { ...options, rescue: options.rescue === true ? rescue : options.rescue || undefined };
    super(machine, source, read, { start: at, ...setting }, PartDivider);
    this.divider.isChat = options.isChat === true;
    if (start !== null) this.divider.resume(start.transcript, source);
  }

  /** The first top-level row of a batch at which a range that ends at `to` ends; the batch's end when there is none. */
  endOf(batch: Batch, to: number): number {
    if (batch.to === batch.from || fromOf(batch, batch.to - 1) < to) return batch.to;
    for (let row = batch.from; row < batch.to; row = nextOf(batch, row)) {
      if (fromOf(batch, row) >= to && isStart(kindWord(batch, row))) return row;
    }
    return batch.to;
  }

  /** The checkpoint at a row that `endOf` gave, when all rows before it were given to the divider; null: none was. */
  checkpoint(batch: Batch, row: number): Checkpoint | null {
    const transcript = this.divider.state;
    return transcript && { position: fromOf(batch, row), dialect: dialectName(batch.dialect), transcript };
  }
}

/** A message that a start token opens. */
export const isStart = (word: number): boolean => (word & KIND_MASK) === MESSAGE && (word & (IMPLIED | BY_ROLE)) === 0;
