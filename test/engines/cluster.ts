// A cluster of Slurm on loopback: one node with two cores, a partition that may be preempted and one that preempts.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** What Slurm says of a job or of a task of an array. */
export interface Job {
  readonly state: string;
  readonly restarts: number;
  /** Exit code and signal, as `70:0`. */
  readonly exit: string;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Asks until there is an answer; the test's time limit ends it. */
export async function until<T>(ask: () => T | null | undefined | false): Promise<T> {
  while (true) {
    const answer = ask();
    if (answer !== null && answer !== undefined && answer !== false) return answer;
    await wait(200);
  }
}

export class Cluster {
  readonly folder = mkdtempSync(join(tmpdir(), 'openchatml-slurm-'));
  readonly #daemons: ChildProcess[] = [];
  #said = '';

  async start(): Promise<void> {
    const { folder } = this;
    // Whoever uses the socket of munge must reach it.
    chmodSync(folder, 0o755);
    for (const name of ['state', 'spool', 'munge']) mkdirSync(join(folder, name));
    const munge = join(folder, 'munge');
    writeFileSync(join(munge, 'key'), randomBytes(1024), { mode: 0o400 });
    const { username } = userInfo();
    writeFileSync(join(folder, 'slurm.conf'), `
ClusterName=openchatml
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=${await freePort()}
SlurmdPort=${await freePort()}
SlurmUser=${username}
SlurmdUser=${username}
AuthType=auth/munge
# A job that is queued again waits for so many seconds.
AuthInfo=socket=${munge}/socket,cred_expire=5
CredType=cred/munge
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd.pid
SlurmctldLogFile=${folder}/slurmctld.log
SlurmdLogFile=${folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
ReturnToService=2
KillWait=2
NodeName=worker NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=low Nodes=worker Default=YES PriorityTier=1 MaxTime=INFINITE State=UP
PartitionName=high Nodes=worker PriorityTier=10 MaxTime=INFINITE State=UP
`);
    // The folder of the tests is nobody else's, which munge does not like.
    this.#spawn('munged', '--foreground', '--force', `--key-file=${munge}/key`, `--socket=${munge}/socket`,
      `--pid-file=${munge}/pid`, `--log-file=${munge}/log`, `--seed-file=${munge}/seed`);
    await this.#until(() => spawnSync('munge', ['--no-input', `--socket=${munge}/socket`]).status === 0);
    this.#spawn('slurmctld', '-D');
    this.#spawn('slurmd', '-D', '-N', 'worker');
    await this.#until(() => this.command('sinfo', '--noheader', '--format=%t').stdout.trim().startsWith('idle'));
  }

  /** Waits while all daemons live. */
  async #until(ask: () => boolean): Promise<void> {
    await until(() => {
      if (this.#daemons.some(({ exitCode }) => exitCode !== null)) throw new Error(`a daemon ended: ${this.#said}`);
      return ask();
    });
  }

  #spawn(command: string, ...args: string[]): void {
    const daemon = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env: this.#env() });
    daemon.stderr.on('data', (data) => (this.#said += data));
    this.#daemons.push(daemon);
  }

  #env(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
    return { ...process.env, ...more, SLURM_CONF: join(this.folder, 'slurm.conf') };
  }

  command(name: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
    return spawnSync(name, args, { encoding: 'utf8', env: this.#env() });
  }

  /** Queues a job; answers with its number. `env`: what its processes find besides. */
  submit(env: NodeJS.ProcessEnv, ...args: string[]): string {
    const options = { encoding: 'utf8', env: this.#env(env) } as const;
    const { status, stdout, stderr } = spawnSync('sbatch', ['--parsable', ...args], options);
    if (status !== 0) throw new Error(`sbatch: ${stderr}`);
    return stdout.trim();
  }

  /** A job, or a task of an array (`7_3`). */
  job(id: string): Job {
    const { stdout } = this.command('scontrol', 'show', 'job', id);
    const value = (name: string): string => new RegExp(`\\b${name}=(\\S+)`).exec(stdout)?.[1] ?? '';
    return { state: value('JobState'), restarts: Number(value('Restarts')), exit: value('ExitCode') };
  }

  /** What the daemons say, for a test that fails. */
  get said(): string {
    return this.#said;
  }

  async stop(): Promise<void> {
    this.command('scancel', '--state=RUNNING,PENDING,SUSPENDED', `--user=${userInfo().username}`);
    for (const daemon of this.#daemons.reverse()) {
      const ended = new Promise((resolve) => daemon.once('exit', resolve));
      daemon.kill();
      await Promise.race([ended, wait(10_000)]);
      daemon.kill('SIGKILL');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}
