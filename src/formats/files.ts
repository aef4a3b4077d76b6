// Files beside messages (R-FIM), where messages change their numbers, and where a form has no place for files.

import type { FileData, TranscriptData } from '../model/data.ts';
import type { Loss } from './loss.ts';

/**
 * The files of a transcript whose messages became others: message n now begins at `starts[n]`, and there are `length`
 * of them.
 */
export function movedFiles(
  { files }: Pick<TranscriptData, 'files'>, starts: readonly number[], length: number,
): { files?: readonly FileData[] } {
  if (files === undefined) return {};
  return { files: files.map((file) => ({ ...file, before: starts[file.before] ?? length })) };
}

/** The files of a transcript without the messages of some numbers. */
export function filesWithout(
  data: Pick<TranscriptData, 'files' | 'messages'>, left: ReadonlySet<number | null>,
): { files?: readonly FileData[] } {
  let kept = 0;
  const starts = data.messages.map((_, index) => (left.has(index) ? kept : kept++));
  return movedFiles(data, starts, kept);
}

/** The files by the number of the message before which they stand; no number is beyond the last message. */
export function filesByPlace(
  { files = [], messages }: Pick<TranscriptData, 'files' | 'messages'>,
): ReadonlyMap<number, readonly FileData[]> {
  const places = new Map<number, FileData[]>();
  for (const file of files) {
    const place = Math.min(Math.max(file.before, 0), messages.length);
    const there = places.get(place);
    if (there) there.push(file);
    else places.set(place, [file]);
  }
  return places;
}

/** Files have no place in the form. */
export function loseFiles({ files = [] }: Pick<TranscriptData, 'files'>, losses: Loss[]): void {
  if (files.length === 0) return;
  losses.push({ what: 'files', message: null, detail: 'files and fill-ins outside of messages are left out' });
}
