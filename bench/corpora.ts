// The section corpora: raw text, records, compressed text, checking and writing messages, by the library as commands
// use it, each beside what it is meant to be as fast as. One table a group; below it the ratios that are wanted.
import { checkGroup, gzipGroup, lineGroup, messageGroup, rawGroup } from './corpora-rows.ts';
import { corpus, type Kind } from './corpus.ts';
import { type Group, measured } from './group.ts';
import type { Outcome, Settings } from './sections.ts';

/** Measures all groups on a corpus; `wanted`: groups or rows by name, or null for all. */
export async function corpora(kind: Kind, wanted: readonly string[] | null, settings: Settings): Promise<Outcome> {
  const { size, seed } = settings;
  const made = corpus(kind, size, seed);
  const total: Outcome = { results: [], wrong: 0 };
  const groups: Record<string, () => Group | Promise<Group>> = {
    raw: () => rawGroup(made),
    records: () => lineGroup(kind, size, seed),
    gzip: () => gzipGroup(made),
    check: () => checkGroup(made),
    messages: () => messageGroup(made),
  };
  const named = Object.keys(groups).filter((name) => wanted?.includes(name));
  for (const name of named.length > 0 ? named : Object.keys(groups)) {
    const group = await groups[name]!();
    try {
      const { results, wrong } = await measured(
        'corpora', `${group.name} of ${made.name}, ${group.about}`, group, named.length > 0 ? null : wanted, made,
        settings,
      );
      total.results.push(...results);
      total.wrong += wrong;
    } finally {
      group.close();
    }
  }
  return total;
}
