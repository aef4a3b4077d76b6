#!/usr/bin/env node
// The command `openchatml`. Loads only what `--version` needs, and the rest when there is more to do.

import { readFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { ClosedPipe, DescriptorStream } from './stream.ts';
import { isTerminal } from './terminal.ts';

const argv = process.argv.slice(2);
const manifest = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
const { version } = JSON.parse(manifest) as { version: string };
const stdout = new DescriptorStream(1, isTerminal(1));

/** For the next run, which starts with four fifths of the processor time: from Node 22.1 on, in its usual folder. */
function keepCompiledCode(): void {
  (module as { enableCompileCache?: () => void }).enableCompileCache?.();
}

/** Answers with the exit code. */
async function main(): Promise<number> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    try {
      stdout.write(`${version}\n`);
      return 0;
    } catch (error) {
      if (error instanceof ClosedPipe) return 0;
      // The rest tries again, and tells why it cannot be written.
    }
  }
  keepCompiledCode();
  const { cli } = await import('./program.ts');
  const stdin = { fd: 0, isTTY: isTerminal(0) };
  const stderr = new DescriptorStream(2, isTerminal(2));
  return cli(argv, { stdin, stdout, stderr, env: process.env, version, signals: process });
}

// The code is set, not exited with: whatever is still under way comes to its end.
void main().then((code) => (process.exitCode = code));
