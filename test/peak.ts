// What a command takes as a process of its own: memory at most, processor time. On Linux memory is told by its own
// status: the resource usage of a process counts what its parent had when it was started.
import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The command that the build made. */
export const COMMAND = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

/** Tells at the end of a process what it took. */
const MEASURE = 'data:text/javascript,' + encodeURIComponent(`
  import { readFileSync, writeSync } from 'node:fs';
  const peak = () => process.platform === 'linux'
    ? /^VmHWM:\\s+(\\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))[1]
    : process.resourceUsage().maxRSS;
  const written = () => process.platform === 'linux'
    ? /^wchar: (\\d+)$/m.exec(readFileSync('/proc/self/io', 'latin1'))[1]
    : 0;
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    writeSync(2, '\\npeak ' + peak() + ' ' + (user + system) + ' ' + written() + '\\n');
  });
`);

export interface Used {
  /** Exit code; null: a signal ended it, or it took longer than it may. */
  readonly status: number | null;
  /** KiB resident at most; Infinity: it could not tell. */
  readonly peak: number;
  /** Seconds of processor time; Infinity: it could not tell. */
  readonly seconds: number;
  /** Bytes that it wrote, of output and of files; 0 where nobody counts them. */
  readonly written: number;
  /** How its words to people begin. */
  readonly words: string;
}

/** Runs the command; `limit`: seconds after which it is stopped; `input`: what a pipe gives it. */
export function usedBy(
  argv: readonly string[], command = COMMAND, limit = Infinity, input: Uint8Array | null = null,
): Used {
  const folder = mkdtempSync(join(tmpdir(), 'openchatml-peak-'));
  // As a file: it may be longer than any string.
  const said = openSync(join(folder, 'said'), 'w+');
  try {
    const { status } = spawnSync(process.execPath, ['--import', MEASURE, command, ...argv], {
      stdio: [input === null ? 'ignore' : 'pipe', 'ignore', said],
      ...(input !== null && { input }),
      ...(limit < Infinity && { timeout: 1000 * limit, killSignal: 'SIGKILL' }),
    });
    const part = (from: number, length: number): string => {
      const bytes = Buffer.alloc(length);
      return bytes.toString('utf8', 0, readSync(said, bytes, 0, length, from));
    };
    const bytes = fstatSync(said).size;
    const [, peak = Infinity, micros = Infinity, written = 0] =
      /\npeak (\d+) (\d+) (\d+)/.exec(part(Math.max(0, bytes - 100), 100)) ?? [];
    return {
      status, peak: Number(peak), seconds: Number(micros) / 1e6, written: Number(written), words: part(0, 500),
    };
  } finally {
    closeSync(said);
    rmSync(folder, { recursive: true });
  }
}
