// `completion`: a script for a shell that completes commands, options, their values and files. It is made from the
// table of commands itself, so that it cannot know another one.

import type { Command } from 'commander';
import { bash } from '../completion/bash.ts';
import { fish } from '../completion/fish.ts';
import { powershell } from '../completion/pwsh.ts';
import { type Completed, completedOf, type Shell, SHELLS } from '../completion/table.ts';
import { zsh } from '../completion/zsh.ts';
import { nearest } from '../../nearest.ts';
import { escapeLine } from '../print.ts';
import { FAILED, OK, tell } from '../invocation.ts';
import type { Host } from '../stream.ts';

const SCRIPTS: Readonly<Record<Shell, (program: string, commands: readonly Completed[]) => string>> = {
  bash, zsh, fish, pwsh: powershell,
};

export function completion(shell: string, program: Command, host: Host): number {
  const known = SHELLS.find((one) => one === shell);
  if (known === undefined) {
    const near = nearest(shell, SHELLS);
    const remedy = near === null ? `there are ${SHELLS.join(', ')}` : `did you mean ${near}?`;
    tell(host, `error: ${escapeLine(shell)} is no shell that is known; ${remedy}`);
    return FAILED;
  }
  host.stdout.write(SCRIPTS[known](program.name(), completedOf(program)));
  return OK;
}
