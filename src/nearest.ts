// "Did you mean": the name that a mistyped one is nearest to.

/** The nearest of `names` without regard to case, or null when none is near. */
export function nearest(word: string, names: readonly string[]): string | null {
  let best: string | null = null;
  // One mistake in three characters is near; a very long word is no mistyped name.
  let least = Math.min(4, Math.floor(word.length / 3)) + 1;
  if (word.length > 64) return null;
  const wanted = word.toLowerCase();
  for (const name of names) {
    const steps = distance(wanted, name.toLowerCase());
    if (steps < least) [best, least] = [name, steps];
  }
  return best;
}

/** Characters to insert, remove or replace (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
