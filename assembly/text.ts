// The exports of the text machine: JSON text in, JSON text out, both as bytes. README.md specifies the calls.

import { prepare } from './text-escape';

/** To be called first: first byte that the host may use. */
export function memoryFrom(): usize {
  prepare();
  return __heap_base;
}

/** Whether this build searches with SIMD. */
export function usesSimd(): bool { return ASC_FEATURE_SIMD; }

export { beginLines, countLines, lastLine, lineCount, lineHolds, nextLine, recordCount } from './text-lines';
export { line, lineTo } from './text-record';
export { mapBegin, mapTo } from './text-unescape';
export { escape, taken } from './text-escape';
export { columns, content } from './text-line';
export { chat, lostCount, lostFrom } from './text-chat';
export { setPiece } from './text-pieces';
