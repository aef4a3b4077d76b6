// What a test needs and may not find: then it is skipped and says why; where OPENCHATML_CI=1 promises that all is
// installed, a missing tool fails instead. Data beside the checkout is never promised.
import { existsSync } from 'node:fs';
import { spawnSync } from 'node:child_process';

/** The folder of shared data beside the checkout, or null (with a printed reason). */
export function sharedData(what: string): string | null {
  const folder = new URL(`../../shared/data/${what}`, import.meta.url).pathname;
  if (existsSync(folder)) return folder;
  console.log(`skipped: ${what} is not beside the checkout`);
  return null;
}

/** Whether a command is installed that is never promised: there may be none for this machine. */
export function findsCommand(command: string): boolean {
  if (spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0) return true;
  console.log(`skipped: ${command} is not installed`);
  return false;
}

/** Whether a command is installed. */
export function hasCommand(command: string): boolean {
  if (spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0) return true;
  if (process.env['OPENCHATML_CI'] === '1') throw new Error(`${command} is not installed`);
  console.log(`skipped: ${command} is not installed`);
  return false;
}
