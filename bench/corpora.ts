// The section corpora: raw text, records, compressed text, checking and writing messages, by the library as commands use it, each beside what
// it is meant to be as fast as. One table a group; below it the ratios that are wanted.
import { check } from './check.ts';
import { START } from './commands.ts';
import { checkGroup, type Group, gzipGroup, lineGroup, messageGroup, rawGroup } from './corpora-rows.ts';
import { type Corpus, corpus, type Kind } from './corpus.ts';
import { interleave, type Job, median, warmUp } from './measure.ts';
import { fixed, type Result, resultTable } from './report.ts';
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
      const { results, wrong } = await measured(group, named.length > 0 ? null : wanted, made, settings);
      total.results.push(...results);
      total.wrong += wrong;
    } finally {
      group.close();
    }
  }
  return total;
}

async function measured(group: Group, wanted: readonly string[] | null, made: Corpus, settings: Settings): Promise<Outcome> {
  const { rounds, log } = settings;
  const rows = group.rows.filter(({ name }) => wanted?.includes(name) ?? true);
  const outcome: Outcome = { results: [], wrong: 0 };
  if (rows.length === 0) return outcome;
  log(`\ncorpora: ${group.name} of ${made.name}, ${group.about}`);
  const jobs: Job[] = [];
  const input = { ...made, jsonl: null };
  const isStarting = rows.some(({ command, skipped }) => command && skipped === undefined);
  if (isStarting && START.unfit?.(made) === null) jobs.push({ name: START.name, run: () => START.run(input) });
  for (const row of rows) {
    const result = blank(group, made, row);
    outcome.results.push(result);
    if (row.skipped !== undefined) {
      result.note = `skipped: ${row.skipped}`;
      continue;
    }
    const verdict = await check(true, group.right, () => row.run());
    result.note = verdict.note;
    if (verdict.wrong) outcome.wrong++;
    if (!verdict.usable) continue;
    const job = { name: row.name, run: () => row.run() };
    if (!row.command) await warmUp(job);
    jobs.push(job);
  }
  const timings = new Map((await interleave(jobs, rounds)).map(({ name, times }) => [name, times]));
  const starting = median(timings.get(START.name) ?? [0]);
  for (const [i, row] of rows.entries()) {
    const times = timings.get(row.name);
    const result = outcome.results[i]!;
    if (!times) continue;
    const ms = median(times) - (row.command ? starting : 0);
    if (ms <= 0) {
      result.note = 'no longer than starting a command: take a larger corpus';
      continue;
    }
    result.ms = ms;
    result.gigabytesPerSecond = group.bytes / ms / 1e6;
    result.rounds = times.length;
  }
  const timeOf = (name: string): number | null => outcome.results.find(({ row }) => row === name)?.ms ?? null;
  const base = timeOf(group.base);
  for (const result of outcome.results) {
    if (base === null || result.ms === null) continue;
    result.base = group.base;
    result.toBase = base / result.ms;
  }
  log(resultTable(outcome.results, base === null ? null : group.base));
  for (const goal of group.goals) {
    const [ours, theirs] = [timeOf(goal.row), timeOf(goal.base)];
    if (ours === null || theirs === null) continue;
    const ratio = theirs / ours;
    const verdict = ratio >= goal.least ? 'reached' : 'MISSED';
    log(`  ${goal.row} : ${goal.base} = ${fixed(ratio, 2)}, wanted ${fixed(goal.least, 2)}: ${verdict}`);
  }
  return outcome;
}

function blank(group: Group, made: Corpus, { name, does }: { name: string; does: string }): Result {
  const shared = { section: 'corpora', corpus: `${made.name}, ${group.name}`, notation: made.notation, bytes: group.bytes } as const;
  return { ...shared, row: name, does, ms: null, gigabytesPerSecond: null, toBase: null, base: null, rounds: 0, note: '' };
}
