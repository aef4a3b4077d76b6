// What the command loads, from dist/: what few runs need is a file of its own, and is loaded when it is needed.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const COMMAND = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'loading-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Tells what was loaded when the process ends: modules of Node, files. */
const TELL = join(folder, 'tell.cjs');
writeFileSync(TELL, `process.on('exit', () => {
  const loaded = [...process.moduleLoadList, ...Object.keys(require.cache)];
  require('node:fs').writeSync(3, loaded.join('\\n'));
});`);

/** What the command loads for an input, if there is one. */
function everything(args: readonly string[], text?: string, name = 'input.txt'): string[] {
  const file = join(folder, name);
  if (text !== undefined) writeFileSync(file, text);
  const argv = text === undefined ? args : [...args, file];
  const result = spawnSync(process.execPath, ['-r', TELL, COMMAND, ...argv], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  expect(result.status, result.stderr).toBe(0);
  return result.output[3]!.split('\n');
}

/** The files, without hashes and endings. */
function loaded(...run: Parameters<typeof everything>): string[] {
  const files = everything(...run).filter((path) => path.endsWith('.js'));
  return files.map((path) => basename(path, '.js').replace(/-[\w-]{8}$/, ''));
}

const CALLED = '<|constrain|>json<|message|>{"city":"Oslo"}<|call|>';
const PLAIN = `---
version: 2.2
model: example
---
<|start|>developer<|message|># Tools

## functions

namespace functions {

type weather = (_: {
city: string,
days?: number,
}) => any;

} // namespace functions<|end|>
<|start|>assistant to=functions.weather call_id=w1<|channel|>commentary${CALLED}
<|start|>functions.weather to=assistant call_id=w1<|channel|>commentary<|message|>cold<|end|>
<|start|>assistant<|channel|>final<|message|>Cold.<|end|>
`;
const BASE = ['base', 'main', 'rolldown-runtime'];
const CORE = ['base', 'core', 'main', 'rolldown-runtime'];
const record = (schema: object, argument: unknown): string => `${JSON.stringify({
  tools: [
    { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: { city: schema } } } },
  ],
  messages: [
    { role: 'user', content: 'How is the weather?' },
    {
      role: 'assistant', content: null,
      tool_calls: [
        { id: 'w1', type: 'function', function: { name: 'weather', arguments: JSON.stringify({ city: argument }) } },
      ],
    },
    { role: 'tool', tool_call_id: 'w1', content: 'cold' },
  ],
})}\n`;
const LIBRARIES = ['cfworker-json-schema', 're2js', 'yaml', 'picocolors', 'scan-twin-twin'];

test('the version and help load what they need', () => {
  expect(loaded(['--version']).sort()).toEqual(BASE);
  expect(loaded(['--help']).sort()).toEqual(CORE);
});

test.each(['', PLAIN])('scan of %j loads the core alone, on any number of threads', (text) => {
  expect(loaded(['scan', '--threads', '1'], text).sort()).toEqual(CORE);
  expect(loaded(['scan', '--threads', '4'], text).sort()).toEqual(CORE);
});

test('scan of a small file loads no module of Node that is slow to load', () => {
  const slow = ['child_process', 'net', 'perf_hooks', 'stream', 'tty', 'worker_threads'];
  const modules = everything(['scan'], PLAIN).filter((name) => slow.includes(name.replace('NativeModule ', '')));
  expect(modules).toEqual([]);
});

test.each([
  'scan', 'check', 'messages', 'render', 'audit', 'filter',
])('%s of plain text and records loads no library', (command) => {
  for (const files of [
    loaded([command], PLAIN), loaded([command], record({ type: 'string' }, 'Oslo'), 'input.jsonl'),
  ]) {
    expect(files.filter((file) => LIBRARIES.includes(file))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(CORE));
  }
});

test('filter of what is small starts no threads, and loads nothing for them', () => {
  const files = loaded(['filter'], record({ type: 'string' }, 'Oslo'), 'input.jsonl');
  expect(files).not.toContain('corpus-jobs-pool');
  expect(everything(['filter'], '{}\n', 'input.jsonl')).not.toContain('NativeModule worker_threads');
});

test('a library is loaded by what needs it', () => {
  const found = (files: string[]): string[] => files.filter((file) => LIBRARIES.includes(file));
  expect(found(loaded(['scan'], PLAIN.replace('model: example', 'models: |\n  example')))).toEqual(['yaml']);
  expect(found(loaded(['check', '--exit-zero'], record({ type: 'string' }, 7), 'input.jsonl')))
    .toEqual(['cfworker-json-schema']);
  const tools = join(folder, 'tools.json');
  const parameters = { type: 'object', properties: { city: { type: 'string', pattern: '^O' } } };
  writeFileSync(tools, JSON.stringify([{ type: 'function', function: { name: 'weather', parameters } }]));
  const call = PLAIN.slice(PLAIN.indexOf('<|start|>assistant'));
  expect(found(loaded(['check', '--tools', tools], call)).sort()).toEqual(['cfworker-json-schema', 're2js']);
  expect(found(loaded(['check', '--color', 'always'], PLAIN))).toEqual(['picocolors']);
});
