// Which share of a corpus a process works on: told by its caller, or by the scheduler that started it.

export interface Share {
  /** From 0, below `count`. */
  readonly index: number;
  readonly count: number;
}

/** What the caller says. */
export interface GivenShare {
  readonly index?: number | undefined;
  readonly count?: number | undefined;
}

/** Numbers of a share that make no sense. The message names the option or the variable. */
export class ShareError extends Error {
  override readonly name = 'ShareError';
}

interface Scheduler {
  readonly index: string;
  /** The variable that tells how many there are; null: the scheduler does not say. */
  readonly count: string | null;
  /** Variables for the first index and the step between two, where they need not be 0 and 1. */
  readonly first?: string;
  readonly step?: string;
}

/** A job array of Slurm, an indexed job of Kubernetes, the processes of Open MPI. */
const SCHEDULERS: readonly Scheduler[] = [
  {
    index: 'SLURM_ARRAY_TASK_ID',
    count: 'SLURM_ARRAY_TASK_COUNT',
    first: 'SLURM_ARRAY_TASK_MIN',
    step: 'SLURM_ARRAY_TASK_STEP',
  },
  { index: 'JOB_COMPLETION_INDEX', count: null },
  { index: 'OMPI_COMM_WORLD_RANK', count: 'OMPI_COMM_WORLD_SIZE' },
];

const GIVE_BOTH = 'give --shard-index and --shard-count';

/** The share; all of it when neither the caller nor a scheduler says another one. Throws a ShareError. */
export function shareOf(given: GivenShare, env: NodeJS.ProcessEnv): Share {
  const { index, count } = given;
  if (index !== undefined && count !== undefined) return checked(index, count, '--shard-index', '--shard-count');
  const present = SCHEDULERS.filter((scheduler) => env[scheduler.index] !== undefined && env[scheduler.index] !== '');
  if (present.length > 1) {
    throw new ShareError(`${present.map((scheduler) => scheduler.index).join(' and ')} are both set; ${GIVE_BOTH}`);
  }
  const [scheduler] = present;
  if (!scheduler) {
    if (index !== undefined) throw new ShareError('--shard-index without --shard-count; give both');
    if (count === undefined) return { index: 0, count: 1 };
    if (count === 1) return { index: 0, count };
    const names = SCHEDULERS.map((one) => one.index).join(', ');
    throw new ShareError(`--shard-count without --shard-index, and none of ${names} is set; give both`);
  }
  const counted = count ?? countOf(scheduler, env);
  return checked(index ?? indexOf(scheduler, env), counted, index === undefined ? scheduler.index : '--shard-index',
    count === undefined ? scheduler.count! : '--shard-count');
}

function countOf(scheduler: Scheduler, env: NodeJS.ProcessEnv): number {
  const { index, count: name } = scheduler;
  if (name === null) throw new ShareError(`${index} is set, and nothing says of how many; give --shard-count`);
  if (env[name] === undefined) throw new ShareError(`${index} is set and ${name} is not; give --shard-count`);
  return numberOf(name, env);
}

function indexOf({ index, first, step }: Scheduler, env: NodeJS.ProcessEnv): number {
  const id = numberOf(index, env);
  const least = first !== undefined && env[first] !== undefined ? numberOf(first, env) : 0;
  const stride = step !== undefined && env[step] !== undefined ? numberOf(step, env) : 1;
  const place = (id - least) / stride;
  if (Number.isSafeInteger(place) && place >= 0) return place;
  throw new ShareError(`${index} is ${id}, which ${first}=${least} and ${step}=${stride} do not lead to; ${GIVE_BOTH}`);
}

function numberOf(name: string, env: NodeJS.ProcessEnv): number {
  const text = env[name]!;
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new ShareError(`${name} is ${JSON.stringify(text)}, not a whole number from 0 on; mend it, or ${GIVE_BOTH}`);
}

function checked(index: number, count: number, indexName: string, countName: string): Share {
  if (count < 1) throw new ShareError(`${countName} is ${count}; expected at least 1`);
  if (index < count) return { index, count };
  throw new ShareError(`${indexName} makes this share ${index} of ${count} (${countName}); the shares count from 0`);
}
