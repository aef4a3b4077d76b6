// The rows of this package itself: each reads a corpus with a public entry and answers with the counts that it knows.
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { FileSource } from '../src/corpus/input/source.ts';
import { AT_INPUT, DONE, FULL, KIND, KIND_MASK, MESSAGE, ROW_WORDS } from '../src/abi.ts';
import { parse, scan } from '../src/index.ts';
import type { ReadOptions } from '../src/model/walk.ts';
import { DIALECTS } from '../src/scan/dialects.ts';
import { createMachine, type Engine } from '../src/scan/engine.ts';
import type { Machine } from '../src/scan/machine.ts';
import { Counter } from '../src/rules/count.ts';
import type { Counts as Scanned } from '../src/rules/counts.ts';
import type { Contender, FileInput, MemoryContender } from './contender.ts';
import type { Answer } from './counts.ts';

const machines = new Map<Engine, Machine>();

function machineOf(engine: Engine): Machine {
  let machine = machines.get(engine);
  if (!machine) machines.set(engine, (machine = createMachine({ engine })));
  return machine;
}

/** Detected where detection gives the right dialect: headerless Harmony has to be asked for. */
export const optionsOf = (input: { notation: string }): ReadOptions =>
  ({ dialect: input.notation === 'harmony' ? 'harmony' : 'auto' });

/** What the bench's counts call the same things. */
export function answerOf(counts: Scanned): Answer {
  const { bytes, transcripts, messages, calls, roles, channels, ends } = counts;
  const known = Object.fromEntries(Object.entries(roles).filter(([role]) => role !== '(none)'));
  return { bytes, transcripts, messages, calls, roles: known, channels, ends };
}

/**
 * File to offset table and nothing else: windows are read straight into scanner memory. Answers the bytes; `look` may
 * look at each table before it is emptied.
 */
function table(input: FileInput, engine: Engine, look?: (machine: Machine) => void): number {
  const machine = machineOf(engine);
  const fd = openSync(input.path, 'r');
  let bytes = 0;
  let kept = 0;
  try {
    machine.begin(AT_INPUT, DIALECTS[input.notation]);
    for (;;) {
      const read = readSync(fd, machine.source, kept, machine.capacity - kept, null);
      bytes += read;
      const length = kept + read;
      let status = FULL;
      for (let from = 0; status !== DONE; from = machine.consumed()) {
        status = machine.scan(from, length, read === 0, 0);
        look?.(machine);
        machine.drain();
      }
      const done = machine.consumed();
      machine.slide(done, length);
      kept = length - done;
      if (read === 0) return bytes;
    }
  } finally {
    closeSync(fd);
  }
}

function countMessages(input: FileInput, engine: Engine): number {
  let messages = 0;
  table(input, engine, (machine) => {
    for (let row = 0; row < machine.count(); row++) {
      if ((machine.rows[row * ROW_WORDS + KIND]! & KIND_MASK) === MESSAGE) messages++;
    }
  });
  return messages;
}

function tableRow(name: string, engine: Engine): Contender {
  return {
    name,
    does: `file to offset table, in process, ${engine} build`,
    exact: true,
    hostile: engine !== 'js',
    prepare(input) {
      const messages = countMessages(input, engine);
      if (messages !== input.counts.messages) {
        throw new Error(`${messages} messages in the table, not ${input.counts.messages}`);
      }
    },
    run: (input) => ({ bytes: table(input, engine) }),
  };
}

const COMMAND = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

export const OURS: readonly Contender[] = [
  tableRow('table', 'simd'),
  tableRow('table, scalar', 'scalar'),
  tableRow('table, js', 'js'),
  {
    name: 'scan in process',
    does: 'counts by role, channel and end, with detection',
    exact: true,
    hostile: true,
    run(input) {
      const source = FileSource.open(input.path);
      const counter = new Counter();
      counter.add(machineOf('simd'), source, optionsOf(input));
      source.close();
      return answerOf(counter.result());
    },
  },
  {
    name: 'openchatml scan',
    does: 'the command as a whole process, start-up included',
    exact: true,
    run(input) {
      const dialect = optionsOf(input).dialect!;
      const { stdout, status } = spawnSync(process.execPath, [
        COMMAND, 'scan', '--format', 'json', '--dialect', dialect, input.path,
      ]);
      if (status !== 0) throw new Error(`openchatml scan ended with ${status}`);
      return answerOf(JSON.parse(stdout.toString()) as Scanned);
    },
  },
];

export const OURS_IN_MEMORY: readonly MemoryContender[] = [
  {
    name: 'scan',
    does: 'counts of bytes in memory',
    exact: true,
    run: (input) => answerOf(scan(input.bytes, optionsOf(input))),
  },
  {
    name: 'parse',
    does: 'one offset table of bytes in memory, divided into transcripts',
    exact: true,
    run(input) {
      const parsed = parse(input.bytes, optionsOf(input));
      let messages = 0;
      for (const transcript of parsed.transcripts) messages += transcript.length;
      return { transcripts: parsed.transcripts.length, messages };
    },
  },
  {
    name: 'parse, all bodies',
    does: 'the same, and every body as a string',
    exact: true,
    run(input) {
      let messages = 0;
      let characters = 0;
      for (const message of parse(input.bytes, optionsOf(input)).messages()) {
        messages++;
        characters += message.content.length;
      }
      return characters < 0 ? {} : { messages };
    },
  },
];
