// The code of each kind of job: of those that few commands ask for it is loaded when the first job is to be done.

import { loadWriter } from '../tables/writers.ts';
import { loadTokenizer } from '../tokens.ts';
import { COMMON } from './common-jobs.ts';
import type { Kind } from './kind.ts';
import { tableOf, type Work } from './job.ts';

export async function kindOf(work: Work): Promise<Kind> {
  const table = tableOf(work);
  if (table !== null) await loadWriter(table.format);
  switch (work.kind) {
    case 'audit':
      return (await import('./audit-job.ts')).AUDIT;
    case 'convert':
      return (await import('./convert-job.ts')).CONVERT;
    case 'render':
      return (await import('./render-job.ts')).RENDER;
    case 'run':
      return (await import('./run-job.ts')).RUN;
    case 'filter':
      return (await import('./filter-job.ts')).FILTER;
    case 'messages':
      if (work.tokens !== undefined) await loadTokenizer(work.tokens);
      return COMMON;
    case 'statistics':
      if (work.tokens !== undefined) await loadTokenizer(work.tokens);
      return COMMON;
    default:
      return COMMON;
  }
}
