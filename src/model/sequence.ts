// Multi-file sequences and fill-in-the-middle tasks: text of a 0.1 gap that file tokens give a meaning (R-FIM).

import { BOUND, FILE, FILE_SEPARATOR, FIM_MIDDLE, FIM_PREFIX, FIM_SUFFIX, MESSAGE, TEXT } from '../abi.ts';
import { fromOf, kindOf, type Table, toOf, tokenOf } from '../scan/table.ts';
import type { Span } from './message.ts';

/** A task: the text after each of its tokens, up to the next token; null where the token is missing. */
export interface FillIn {
  readonly prefix: Span | null;
  readonly middle: Span | null;
  readonly suffix: Span | null;
}

/** A file of a multi-file sequence of 0.1 (R-FIM), with its spans in bytes. */
export interface FileInSequence extends Span {
  /** A separator stands before it. */
  readonly isSeparated: boolean;
  readonly fillIns: readonly FillIn[];
}

/** A part of a fill-in-the-middle task of 0.1 (R-FIM). */
export type FillInPart = 'prefix' | 'middle' | 'suffix';

const PARTS: Readonly<Record<number, FillInPart>> = {
  [FIM_PREFIX]: 'prefix', [FIM_MIDDLE]: 'middle', [FIM_SUFFIX]: 'suffix',
};

/**
 * Files of the gaps between top-level rows, in order: a gap without file tokens holds none. Byte spans in the input,
 * exact from token to token; the first gap begins at `from`, the last one ends at `to`.
 */
export function readSequence(table: Table, rows: readonly number[], from: number, to: number): FileInSequence[] {
  const files: FileInSequence[] = [];
  let gap: number[] = [];
  let gapFrom = from;
  const end = (gapTo: number): void => {
    if (gap.some((row) => kindOf(table, row) === FILE)) {
      for (const file of gapFiles(table, gap, gapFrom, gapTo)) files.push(file);
    }
    gap = [];
  };
  for (const row of rows) {
    const kind = kindOf(table, row);
    if (kind === MESSAGE || kind === BOUND) {
      end(fromOf(table, row));
      gapFrom = toOf(table, row);
    } else {
      gap.push(row);
    }
  }
  end(to);
  return files;
}

/** Files of one gap [from, to): what is between separators, without an empty one before a leading separator. */
export function gapFiles(table: Table, rows: readonly number[], from: number, to: number): FileInSequence[] {
  const files: FileInSequence[] = [];
  let fileFrom = from;
  let tokens: number[] = [];
  let isEmpty = true;
  const end = (at: number): void => {
    const isSeparated = fileFrom > from;
    const fillIns = readFillIns(table, tokens, at);
    if (files.length > 0 || !isEmpty) files.push({ from: fileFrom, to: at, isSeparated, fillIns });
    tokens = [];
  };
  let separators = 0;
  for (const row of rows) {
    if (kindOf(table, row) === FILE && tokenOf(table, row) === FILE_SEPARATOR) {
      if (separators++ > 0) isEmpty = false;
      end(fromOf(table, row));
      fileFrom = toOf(table, row);
    } else if (kindOf(table, row) === FILE) {
      isEmpty = false;
      tokens.push(row);
    } else if (kindOf(table, row) === TEXT) {
      isEmpty = false;
    }
  }
  if (separators > 0) isEmpty = false;
  end(to);
  return files;
}

/** A further token of a kind that the task has already begins the next task. */
function readFillIns(table: Table, tokens: readonly number[], end: number): FillIn[] {
  const fillIns: Record<FillInPart, Span | null>[] = [];
  tokens.forEach((row, i) => {
    const part = PARTS[tokenOf(table, row)]!;
    const next = tokens[i + 1];
    const span = { from: toOf(table, row), to: next === undefined ? end : fromOf(table, next) };
    let task = fillIns.at(-1);
    if (!task || task[part]) {
      task = { prefix: null, middle: null, suffix: null };
      fillIns.push(task);
    }
    task[part] = span;
  });
  return fillIns;
}
