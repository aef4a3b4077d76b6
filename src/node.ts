// openchatml/node: everything of openchatml, and files of any size.

import { InputError } from './corpus/error.ts';
import { messagesOf, type PlacedMessage } from './corpus/messages.ts';
import { openInput, optionsFor, type Path, pathText } from './corpus/paths.ts';
import { FileSource, type InputSource } from './corpus/source.ts';
import type { Diagnostic } from './errors.ts';
import type { ReadOptions } from './model/walk.ts';
import { createMachine } from './scan/engine.ts';
import type { Machine } from './scan/machine.ts';
import { type CheckOptions, checkSource } from './semantics/check.ts';
import { type Counts, Counter } from './semantics/count.ts';

export * from './index.ts';
export { FileSource, InputError, type InputSource, type Path, type PlacedMessage };

/** Scanners that no reading uses at the moment: two that go on at the same time need two. */
const idle: Machine[] = [];

/** Opens a file, reads it by `work`, and closes it when `work` is done or given up. */
function* reading<T, O extends ReadOptions>(
  path: Path,
  options: O,
  work: (machine: Machine, input: InputSource, options: O) => Generator<T, unknown, void>,
): Generator<T, void, void> {
  const input = openInput(path);
  const machine = idle.pop() ?? createMachine();
  try {
    yield* work(machine, input, optionsFor(pathText(path), options));
  } finally {
    idle.push(machine);
    input.close();
  }
}

/**
 * Counts of a file: transcripts, messages by role, channel and end, calls, tokens, findings of structure. The file is
 * read in windows: its size has no limit. Without a dialect it is detected; `*.harmony` is read as harmony.
 *
 * Throws an InputError when the file cannot be opened or read, a TypeError or RangeError that names a wrong option;
 * never on data.
 */
export function scanFile(path: Path, options: ReadOptions = {}): Counts {
  const counter = new Counter();
  for (const _ of reading(path, options, function* (machine, input, given): Generator<never, void, void> {
    counter.add(machine, input, given);
  }));
  return counter.result();
}

/**
 * The diagnostics of a file as they are found: by rising position within a message and the gap before it, `open-call` when its
 * transcript has ended. Positions are bytes of the file, `from` to before
 * `to`; `Lines` gives line and column.
 *
 * Throws as `scanFile` does, when the first one is asked for or while the file is read. The file is closed at the
 * end, and when the loop over it is left.
 */
export function checkFile(path: Path, options: CheckOptions = {}): Generator<Diagnostic, void, void> {
  return reading(path, options, checkSource);
}

/**
 * The messages of a file, in order: `{message, transcript, index, source}`. A message is a view that reads when it is
 * asked, and is valid until the next one is asked for; `messageRecord(message, transcript, index, source)` gives its
 * columns as an object. A content of more than 512 MiB does not fit into a string: `message.contentSpans()` and
 * `source.read` give it in parts.
 *
 * Throws as `checkFile` does.
 */
export function readMessages(path: Path, options: ReadOptions = {}): Generator<PlacedMessage, void, void> {
  return reading(path, options, messagesOf);
}
