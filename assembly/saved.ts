// The scanner's state between two calls, put away and taken up again: 192 bytes, only with an empty table.

import { restoreRows, saveRows } from './rows';
import { restoreState, saveState } from './state';
import { restoreWords, saveWords } from './words';

export function save(at: usize): void {
  saveRows(at);
  saveState(at + 148);
  saveWords(at + 172);
}

export function restore(at: usize): void {
  restoreRows(at);
  restoreState(at + 148);
  restoreWords(at + 172);
}
