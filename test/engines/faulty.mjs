// The command with faults, for drivers to meet: `node faulty.mjs FAULTS COMMAND ARGS…`. FAULTS is a folder:
//
// - `poison`: a text; what holds it ends the process with 70.
// - `child`, `worker`: the first process to take the file away is killed when rows have come, or kills its parent.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';

const [folder, ...command] = process.argv.slice(2);
const poisonFile = join(folder, 'poison');
const poison = existsSync(poisonFile) ? Buffer.from(readFileSync(poisonFile, 'utf8').trim()) : null;

function takes(name) {
  try {
    renameSync(join(folder, name), join(folder, `${name}.${process.pid}`));
    return true;
  } catch {
    return false;
  }
}

const child = spawn(process.execPath, command, { stdio: ['pipe', 'inherit', 'inherit'] });
child.on('exit', (code) => process.exit(code ?? 1));
child.stdin.on('error', () => {});
let tail = Buffer.alloc(0);
let bytes = 0;
process.stdin.on('data', (data) => {
  bytes += data.length;
  const seen = Buffer.concat([tail, data]);
  if (poison !== null && seen.includes(poison)) {
    child.kill('SIGKILL');
    process.exit(70);
  }
  if (poison !== null) tail = seen.subarray(-poison.length);
  if (bytes > 100_000) {
    if (takes('child')) {
      child.kill('SIGKILL');
      process.kill(process.pid, 'SIGKILL');
    }
    if (takes('worker')) process.kill(process.ppid, 'SIGKILL');
  }
  if (!child.stdin.write(data)) {
    process.stdin.pause();
    child.stdin.once('drain', () => process.stdin.resume());
  }
});
process.stdin.on('end', () => child.stdin.end());
