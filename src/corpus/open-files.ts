// Files that are being written: begun, and neither committed nor discarded. By itself, as most runs write none.

export const OPEN_FILES = new Set<{ discard(): void }>();

/** Gives all of them up: the process is about to end. */
export function discardOpenFiles(): void {
  for (const file of OPEN_FILES) file.discard();
}
