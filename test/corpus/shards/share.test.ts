// Which share a process works on: what it is told, what schedulers say, and what makes no sense.
import { expect, test } from 'vitest';
import { type Share, ShareError, shareOf } from '../../../src/corpus/shards/share.ts';

const slurm = (id: string, count = '4', least = '0', step?: string): NodeJS.ProcessEnv =>
  ({
    SLURM_ARRAY_TASK_ID: id,
    SLURM_ARRAY_TASK_COUNT: count,
    SLURM_ARRAY_TASK_MIN: least,
    ...(step && { SLURM_ARRAY_TASK_STEP: step }),
  });
const mpi = (rank: string, size: string): NodeJS.ProcessEnv =>
  ({ OMPI_COMM_WORLD_RANK: rank, OMPI_COMM_WORLD_SIZE: size });

type Given = Parameters<typeof shareOf>[0];

const GOOD: [given: Given, env: NodeJS.ProcessEnv, share: Share][] = [
  [{}, {}, { index: 0, count: 1 }],
  [{}, { JOB_COMPLETION_INDEX: '' }, { index: 0, count: 1 }],
  [{ count: 1 }, {}, { index: 0, count: 1 }],
  [{ index: 2, count: 3 }, {}, { index: 2, count: 3 }],
  [{ index: 0, count: 2 }, { ...slurm('x'), ...mpi('y', 'z') }, { index: 0, count: 2 }],
  [{}, slurm('3'), { index: 3, count: 4 }],
  [{}, slurm('1', '4', '1'), { index: 0, count: 4 }],
  [{}, slurm('16', '4', '10', '2'), { index: 3, count: 4 }],
  [{ count: 8 }, slurm('3'), { index: 3, count: 8 }],
  [{ index: 1 }, slurm('3'), { index: 1, count: 4 }],
  [{ count: 5 }, { JOB_COMPLETION_INDEX: '4' }, { index: 4, count: 5 }],
  [{}, mpi('1', '2'), { index: 1, count: 2 }],
  [{ index: 0 }, mpi('1', '2'), { index: 0, count: 2 }],
];

test.each(GOOD)('%j in %j', (given, env, share) => {
  expect(shareOf(given, env)).toEqual(share);
});

const BAD: [given: Given, env: NodeJS.ProcessEnv, named: string][] = [
  [{ index: 1 }, {}, '--shard-count'],
  [{ count: 2 }, {}, '--shard-index'],
  [{ index: 2, count: 2 }, {}, '--shard-index'],
  [{ index: 0, count: 0 }, {}, '--shard-count'],
  [{}, { JOB_COMPLETION_INDEX: '1' }, '--shard-count'],
  [{ count: 2 }, { JOB_COMPLETION_INDEX: '2' }, 'JOB_COMPLETION_INDEX'],
  [{ count: 2 }, { JOB_COMPLETION_INDEX: '-1' }, 'JOB_COMPLETION_INDEX'],
  [{ count: 2 }, { JOB_COMPLETION_INDEX: '1e0' }, 'JOB_COMPLETION_INDEX'],
  [{ count: 2 }, { JOB_COMPLETION_INDEX: '99999999999999999999' }, 'JOB_COMPLETION_INDEX'],
  [{}, slurm('4'), 'SLURM_ARRAY_TASK_ID'],
  [{}, slurm('0', '4', '1'), 'SLURM_ARRAY_TASK_ID'],
  [{}, slurm('3', '4', '0', '2'), 'SLURM_ARRAY_TASK_ID'],
  [{}, slurm('3', '4', '0', '0'), 'SLURM_ARRAY_TASK_ID'],
  [{}, slurm('1', 'four'), 'SLURM_ARRAY_TASK_COUNT'],
  [{}, slurm('0', '0'), 'SLURM_ARRAY_TASK_COUNT'],
  [{}, slurm('1', '4', 'least'), 'SLURM_ARRAY_TASK_MIN'],
  [{}, { SLURM_ARRAY_TASK_ID: '1' }, 'SLURM_ARRAY_TASK_COUNT'],
  [{}, mpi('2', '2'), 'OMPI_COMM_WORLD_RANK'],
  [{}, mpi('0', ''), 'OMPI_COMM_WORLD_SIZE'],
  [{}, { ...slurm('1'), ...mpi('0', '2') }, 'OMPI_COMM_WORLD_RANK'],
];

test.each(BAD)('%j in %j is refused by name: %s', (given, env, named) => {
  const attempt = (): Share => shareOf(given, env);
  expect(attempt).toThrow(ShareError);
  expect(attempt).toThrow(named);
});
