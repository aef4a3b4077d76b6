// Runs `check` with one of its reports, without the command line before it; and an input that has let go of its first
// bytes.
import { closeSync, openSync } from 'node:fs';
import { check } from '../../../src/cli/commands/check.ts';
import type { ReportFormat } from '../../../src/cli/diagnostics/report.ts';
import type { InputSource } from '../../../src/corpus/input/source.ts';
import { MemorySource } from '../../../src/scan/source.ts';
import { file, type Result } from '../harness.ts';

let inputs = 0;

/** Checks paths; `stdin` is what `-` gives. */
export async function report(
  format: ReportFormat,
  paths: readonly string[],
  stdin = '',
  isTTY = false,
): Promise<Result> {
  const result: Result = { code: -1, out: '', err: '' };
  const fd = openSync(file(`report/stdin-${inputs++}`, stdin), 'r');
  try {
    result.code = await check(paths, { format, dialect: 'auto', color: 'auto' }, {
      stdin: { fd, isTTY: false },
      stdout: { isTTY, write: (text) => void (result.out += text) },
      stderr: { isTTY: false, write: (text) => void (result.err += text) },
      env: { NO_COLOR: '1' },
      version: '0.0.0-test',
    }, null);
  } finally {
    closeSync(fd);
  }
  return result;
}

/** Text whose bodies hold SECRET, with findings of many kinds. */
export const SECRETS = 'version: 2.2\n---\n<|start|>user SECRET<|end|><|start|>robot<|message|>SECRET<|end|>SECRET'
  + '<|channel|>bogus<|message|>SECRET<|end|>\n<|start|>user name=a name=b c=d<|message|>SECRET<|end|>SECRET\n'
  + '<|start|>assistant<|channel|>final<|constrain|>json<|message|>SECRET<|end|>\n'
  + '<|start|>user<|message|>SECRET<|channel|>SECRET<|message|>SECRET<|start|>user<|message|><|literal|>SECRET<|end|>';

export function inputFrom(first: number, text: string): InputSource {
  const memory = new MemorySource(new TextEncoder().encode(text));
  return {
    path: '-', size: null, canReread: false, first, close: () => {},
    read: (at, into) => memory.read(at, into),
    bytes: (from, to) => {
      if (from < first) throw new Error(`byte ${from} is gone`);
      return memory.bytes(from, to);
    },
    release: () => {},
  };
}
