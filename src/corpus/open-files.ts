// Files that are being written: begun, and neither committed nor discarded. By itself, as most runs write none.

interface OpenFile {
  discard(): void;
}

const files = new Set<OpenFile>();
const watchers = new Set<() => void>();

function tell(): void {
  for (const watcher of watchers) watcher();
}

export function addOpenFile(file: OpenFile): void {
  files.add(file);
  tell();
}

export function removeOpenFile(file: OpenFile): void {
  files.delete(file);
  tell();
}

export const areFilesOpen = (): boolean => files.size > 0;

/** Calls `watcher` whenever a file is begun or done with; the answer ends that. */
export function watchOpenFiles(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
}

/** Gives all of them up: the process is about to end. */
export function discardOpenFiles(): void {
  for (const file of files) file.discard();
}
