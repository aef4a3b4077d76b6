// The code of each kind of job: of those that few commands ask for it is loaded when the first job is to be done.

import { COMMON } from './common-jobs.ts';
import type { Job } from './job.ts';
import type { Kind } from './kind.ts';

export async function kindOf({ kind }: Pick<Job, 'kind'>): Promise<Kind> {
  switch (kind) {
    case 'audit':
      return (await import('./audit-job.ts')).AUDIT;
    case 'convert':
      return (await import('./convert-job.ts')).CONVERT;
    default:
      return COMMON;
  }
}
