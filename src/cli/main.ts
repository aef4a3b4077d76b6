#!/usr/bin/env node
// The command `openchatml`. Loads only what `--version` needs, and the rest when there is more to do.

import { readFileSync } from 'node:fs';
import { isatty } from 'node:tty';
import { ClosedPipe, DescriptorStream } from './stream.ts';

const argv = process.argv.slice(2);
const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(manifest) as { version: string };
const stdout = new DescriptorStream(1, isatty(1));

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  try {
    stdout.write(`${version}\n`);
  } catch (error) {
    if (!(error instanceof ClosedPipe)) process.exitCode = 2;
  }
} else {
  const { cli } = await import('./program.ts');
  const stdin = { fd: 0, isTTY: isatty(0) };
  const stderr = new DescriptorStream(2, isatty(2));
  // The code is set, not exited with: whatever is still under way comes to its end.
  process.exitCode = await cli(argv, { stdin, stdout, stderr, env: process.env, version });
}
