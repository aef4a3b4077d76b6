// Starts commands for the benchmark, one a line: {command, args, output}. A process that starts another one has its
// memory copied page by page when it next writes to it: after that `messages` on two threads took a third longer. So
// what is measured in a process starts nothing itself.
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';

const nowhere = openSync('/dev/null', 'w');
const say = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);

say({ version: process.version });
for await (const line of createInterface({ input: process.stdin })) {
  const { command, args, output } = JSON.parse(line);
  const stdio = ['ignore', output === 'read' ? 'pipe' : nowhere, 'pipe'];
  const { error, status, stdout, stderr } = spawnSync(command, args, { stdio, encoding: 'utf8' });
  say(error === undefined ? { status, stdout: stdout ?? '', stderr } : { error: error.message });
}
closeSync(nowhere);
