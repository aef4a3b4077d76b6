// The code of each kind of job: of those that few commands ask for it is loaded when the first job is to be done.

import { loadWriter } from '../tables/writers.ts';
import { loadTokenizer } from '../tokens.ts';
import { COMMON } from './common-jobs.ts';
import type { Kind } from './kind.ts';
import { tableOf, type Work } from './job.ts';

const LOAD: Partial<Record<Work['kind'], () => Promise<Kind>>> = {
  audit: async () => (await import('./audit-job.ts')).AUDIT,
  convert: async () => (await import('./convert-job.ts')).CONVERT,
  render: async () => (await import('./render-job.ts')).RENDER,
  run: async () => (await import('./run-job.ts')).RUN,
  filter: async () => (await import('./filter-job.ts')).FILTER,
};

/** Those that were loaded: every job asks. */
const loaded = new Map<Work['kind'], Kind>();

export async function kindOf(work: Work): Promise<Kind> {
  const table = tableOf(work);
  if (table !== null) await loadWriter(table.format);
  if ('tokens' in work && work.tokens !== undefined) await loadTokenizer(work.tokens);
  const { kind } = work;
  const known = loaded.get(kind) ?? (await LOAD[kind]?.()) ?? COMMON;
  loaded.set(kind, known);
  return known;
}
