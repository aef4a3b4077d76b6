// Shares of a corpus under schedulers: an array of Slurm with a task that is preempted, one that is tried again and one
// that is not; and the Job of Kubernetes, whose command is run for each index.
import { spawnSync } from 'node:child_process';
import {
  chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { isAll, testLong } from '../long.ts';
import { hasCommand, sharedData } from '../skip.ts';
import { Cluster, until } from './cluster.ts';

const COMMAND = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const SCRIPT = fileURLToPath(new URL('../../src/engines/slurm.sh', import.meta.url));
const MANIFEST = fileURLToPath(new URL('../../src/engines/kubernetes.yaml', import.meta.url));
const PYTHON = process.env['OPENCHATML_ENGINES_PYTHON'];
const SHARES = 8;

const folder = mkdtempSync(join(tmpdir(), 'openchatml-shares-'));
const corpus = join(folder, 'corpus');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (...args: string[]): string => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${args[0]}: ${status} ${stderr}`);
  return stdout;
};

/** What all shares have counted, and what they wrote. */
function merged(out: string): { counts: unknown; lines: string } {
  const file = `${out}.ndjson`;
  const counts: unknown = JSON.parse(run('merge', out, '--output', file));
  return { counts, lines: readFileSync(file, 'utf8') };
}

let expected: ReturnType<typeof merged>;

/** Records in eight files, the last of which is empty. */
beforeAll(() => {
  mkdirSync(corpus);
  const dialogues = isAll ? sharedData('dialogues') : null;
  const made = Array.from({ length: 700 }, (_, i) => {
    return JSON.stringify({ id: i, messages: [{ role: i % 50 === 7 ? 'nobody' : 'user', content: `Hello ${i}.` }] });
  });
  const records = dialogues === null ? made
    : gunzipSync(readFileSync(join(dialogues, 'messages.jsonl.gz'))).toString('utf8').trimEnd().split('\n');
  for (let share = 0; share < SHARES; share++) {
    const lines = records.filter((_, i) => i % (SHARES - 1) === share).map((line) => `${line}\n`);
    writeFileSync(join(corpus, `${share}.jsonl`), lines.join(''));
  }
  run('run', '--out', join(folder, 'alone'), corpus);
  expected = merged(join(folder, 'alone'));
});

const hasSlurm = isAll && ['slurmctld', 'slurmd', 'sbatch', 'munged'].every((name) => {
  return spawnSync('which', [name]).status === 0 || hasCommand(name);
});

describe.skipIf(!hasSlurm)('an array of Slurm', () => {
  const cluster = new Cluster();
  beforeAll(() => cluster.start());
  afterAll(() => cluster.stop());

  /** A folder with `openchatml`, which does what `before` says first. */
  function commandWith(name: string, before: string): NodeJS.ProcessEnv {
    const bin = join(folder, name);
    mkdirSync(bin);
    const command = `"${process.execPath}" "${COMMAND}" "$@"`;
    writeFileSync(join(bin, 'openchatml'), `#!/bin/bash\n${before}\nexec ${command}\n`);
    chmodSync(join(bin, 'openchatml'), 0o755);
    return { PATH: `${bin}:${process.env['PATH']}`, RUN: command };
  }

  const ENDED = ['COMPLETED', 'FAILED', 'CANCELLED', 'TIMEOUT'];
  const ended = (id: string): Promise<string> => until(() => ENDED.find((state) => state === cluster.job(id).state));

  test('a preempted task and one that fails with 75 are queued again; the result is that of one process', async () => {
    const out = join(folder, 'slurm');
    const started = join(folder, 'started');
    const node = `"${process.execPath}" "${COMMAND}"`;
    // The first time task 2 is stopped before it can be done, and task 5 has the trouble that passes.
    const env = commandWith('bin', `
if [ -z "$SLURM_RESTART_COUNT" ] && [ "$SLURM_ARRAY_TASK_ID" = 2 ]; then
  ${node} "$@" & child=$!
  sleep 0.05; kill -STOP $child; touch "${started}"; wait $child
fi
if [ -z "$SLURM_RESTART_COUNT" ] && [ "$SLURM_ARRAY_TASK_ID" = 5 ]; then exit 75; fi`);
    const logs = join(folder, 'slurm-%a.log');
    const array = cluster.submit(env, '--array=0-7%2', `--output=${logs}`, SCRIPT, out, corpus);
    await until(() => existsSync(started));
    // Both cores are asked for, one of which the stopped task has.
    const high = cluster.submit({}, '--partition=high', '--ntasks=1', '--cpus-per-task=2', '--output=/dev/null',
      '--wrap=true');
    expect(await ended(high)).toBe('COMPLETED');
    const tasks = Array.from({ length: SHARES }, (_, i) => `${array}_${i}`);
    for (const task of tasks) expect(await ended(task), `${task}\n${cluster.said}`).toBe('COMPLETED');
    const restarts = tasks.map((task) => cluster.job(task).restarts);
    expect([restarts[2], restarts[5]]).toEqual([1, 1]);
    expect(merged(out)).toEqual(expected);
    // What is done is not done again.
    const before = readdirSync(out).sort();
    run('run', '--out', out, corpus);
    expect(readdirSync(out).sort()).toEqual(before);
  });

  test('70 and 2 are not tried again, and 75 not for ever', async () => {
    const codes = commandWith('failing', 'case $SLURM_ARRAY_TASK_ID in 0) exit 70;; 1) exit 2;; 2) exit 75;; esac');
    const args = ['--array=0-3', '--output=/dev/null', SCRIPT, join(folder, 'failing-out'), corpus];
    const array = cluster.submit({ ...codes, OPENCHATML_TRIES: '1' }, ...args);
    for (const task of [0, 1, 2]) expect(await ended(`${array}_${task}`)).toBe('FAILED');
    expect(await ended(`${array}_3`)).toBe('COMPLETED');
    const jobs = [0, 1, 2, 3].map((task) => cluster.job(`${array}_${task}`));
    expect(jobs.map(({ exit }) => exit)).toEqual(['70:0', '2:0', '75:0', '0:0']);
    expect(jobs.map(({ restarts }) => restarts > 0)).toEqual([false, false, true, jobs[3]!.restarts > 0]);
  });
});

describe('the Job of Kubernetes', () => {
  interface Manifest {
    spec: {
      completions: number;
      podFailurePolicy: { rules: { action: string; onExitCodes?: { values: number[] } }[] };
      template: { spec: { containers: { command: string[] }[] } };
    };
  }
  const { spec } = parse(readFileSync(MANIFEST, 'utf8')) as Manifest;
  const [{ command }] = spec.template.spec.containers as [{ command: string[] }];

  testLong('its command, run for each index, gives what one process gives', () => {
    const out = join(folder, 'job');
    expect(command[0]).toBe('openchatml');
    expect(command[command.indexOf('--shard-count') + 1]).toBe(String(spec.completions));
    const args = command.slice(1).map((word) => word.replace('/corpus/in', corpus).replace('/corpus/out', out));
    for (let index = 0; index < spec.completions; index++) {
      const env = { ...process.env, JOB_COMPLETION_INDEX: String(index) };
      const done = spawnSync(process.execPath, [COMMAND, ...args], { env, encoding: 'utf8' });
      expect([done.status, done.stderr]).toEqual([0, '']);
    }
    expect(merged(out)).toEqual(expected);
  });

  test('tries again but for faults of the command, and of the call', () => {
    const failing = spec.podFailurePolicy.rules.find(({ action }) => action === 'FailIndex');
    expect(failing?.onExitCodes?.values).toEqual([2, 70]);
  });

  test.skipIf(!isAll || PYTHON === undefined)('fits the schema', () => {
    const check = (path: string): number | null =>
      spawnSync(PYTHON!, ['-m', 'kubernetes_validate', '--strict', path]).status;
    expect(check(MANIFEST)).toBe(0);
    const wrong = join(folder, 'wrong.yaml');
    writeFileSync(wrong, readFileSync(MANIFEST, 'utf8').replace('completionMode', 'completionModus'));
    expect(check(wrong)).not.toBe(0);
  });
});
