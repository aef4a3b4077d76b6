// The exports of the whole scanner: rows (core.ts), and what checking and counting ask of them.

import { CLEAN } from './clean';
import { LEDGER } from './ledger';
import { TALLY } from './tally';

export function tallyAt(): usize { return TALLY; }
export function cleanAt(): usize { return CLEAN; }
export function ledgerAt(): usize { return LEDGER; }

export * from './core';
export { fitsNode, skipClean } from './clean';
export { findLast } from './find';
export { jsonBegin, jsonEnd, jsonFeed, jsonWhole } from './json';
export { allocate, forgetKept, keep, learnTool, placeKept, setKeptState } from './kept';
export { countCharacters, countLines } from './lines';
export { findPair } from './pair';
export { restore, save } from './saved';
export { tally } from './tally';
export { invalidUtf8 } from './utf8';
