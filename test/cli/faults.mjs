// Loaded before the command (node --import): its calls of the file system fail or fall short, as FAULTS in the
// environment says. { calls: { name: code }, path, fd, n, short }: the n-th of these calls on a descriptor or a path
// fails with its code (every second one from the n-th on, with `again`); `path` is how paths begin, `fd` a descriptor
// that is open from the start. `short`: bytes that one call moves at most.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { constants } from 'node:os';

const { calls, path, fd: standard, n, short, again } = JSON.parse(process.env.FAULTS);
const open = new Set(standard === undefined ? [] : [standard]);
let count = 0;

const concerns = (first) =>
  (typeof first === 'number' ? open.has(first) : path !== undefined && String(first).startsWith(path));

function failure(name, code) {
  const errno = -constants.errno[code];
  return Object.assign(new Error(`${code}: it was told to, ${name}`), {
    code, errno, syscall: name.replace('Sync', ''),
  });
}

for (const name of ['openSync', 'readSync', 'writeSync', 'fsyncSync', 'closeSync', 'renameSync', 'lstatSync']) {
  const call = fs[name];
  fs[name] = (...given) => {
    if (!concerns(given[0])) return call(...given);
    if (name in calls) {
      count++;
      if (again ? count >= n && (count - n) % 2 === 0 : count === n) {
        // A descriptor is free even when closing it fails.
        if (name === 'closeSync') call(...given);
        throw failure(name, calls[name]);
      }
    }
    if (short !== undefined && name === 'readSync') given[3] = Math.min(given[3], short);
    if (short !== undefined && name === 'writeSync') {
      given.splice(2, 2, given[2] ?? 0, Math.min(given[3] ?? given[1].length, short));
    }
    const answer = call(...given);
    if (name === 'openSync') open.add(answer);
    if (name === 'closeSync') open.delete(given[0]);
    return answer;
  };
}
syncBuiltinESMExports();
process.on('exit', () => {
  if (process.env.FAULTS_COUNT) fs.writeFileSync(process.env.FAULTS_COUNT, String(count));
});
