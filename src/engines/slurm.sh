#!/bin/bash
# A share of a corpus for each task of an array: `sbatch --array=0-7%2 slurm.sh OUT PATH…`.
#
# Each task reads its share of the inputs into OUT, a folder that all of them see. `openchatml run` goes on where it was
# stopped, so that a task that was preempted, or whose node failed, is simply started again by Slurm. What it fails with
# decides the rest: 75 may pass by itself and is queued again, at most OPENCHATML_TRIES times (5); 70 is a fault of the
# command and 2 one of the call or of an input: the task fails with it.
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --cpus-per-task=1
set -u

readonly TRY_AGAIN=75
readonly tries=${OPENCHATML_TRIES:-5}

if [ $# -lt 2 ] || [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
  echo "usage: sbatch --array=0-7%2 slurm.sh OUT PATH..." >&2
  exit 2
fi
out=$1
shift

openchatml run --threads "${SLURM_CPUS_PER_TASK:-1}" --out "$out" "$@"
status=$?

if [ $status -eq $TRY_AGAIN ] && [ "${SLURM_RESTART_COUNT:-0}" -lt "$tries" ]; then
  # The task ends by being queued again; where that is refused, by its exit code.
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}" && sleep 60
fi
exit $status
