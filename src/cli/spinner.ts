// The spinner on standard error. The work does not yield to timers, so it moves when it gets a new text; and it
// neither hides the cursor nor listens to signals, so that an interrupt ends the process at once and leaves the
// terminal in order.

import type { Writable } from 'node:stream';
import yoctoSpinner from 'yocto-spinner';
import type { MakeSpinner } from './progress.ts';

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';

export const makeSpinner: MakeSpinner = (stream) => {
  const terminal = {
    isTTY: true,
    columns: process.stderr.columns,
    write: (text: string) => {
      if (text !== HIDE_CURSOR && text !== SHOW_CURSOR) stream.write(text);
      return true;
    },
    cursorTo: (column: number) => stream.write(`\x1b[${column + 1}G`),
    moveCursor: (_: number, rows: number) => stream.write(rows < 0 ? `\x1b[${-rows}A` : ''),
    clearLine: () => stream.write('\x1b[2K'),
  };
  return yoctoSpinner({ stream: terminal as unknown as Writable, handleSignals: false });
};
