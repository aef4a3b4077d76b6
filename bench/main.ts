// The command line of the benchmarks. Exit code 0; 1 for a wrong answer; 2 for wrong usage or trouble with files.
// A slow machine never fails.
import { writeFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { closeCommands, COMMANDS } from './commands.ts';
import { corpora } from './corpora.ts';
import { GENERATOR, KINDS, type Kind, cacheFolder } from './corpus.ts';
import { SHAPES } from './hostile.ts';
import { json, JSON_ROWS } from './json.ts';
import { MEANING_IN_MEMORY } from './meaning.ts';
import { OURS, OURS_IN_MEMORY } from './ours.ts';
import { processes } from './process.ts';
import { records } from './records/section.ts';
import { machine, megabytes } from './report.ts';
import { RIVALS, RIVALS_IN_MEMORY } from './rivals.ts';
import { type Outcome, type Settings, files, linear, memory } from './sections.ts';
import { stream } from './stream.ts';

const DEFAULT = ['mixed', 'chat', 'code', 'multilingual', 'memory', 'json', 'stream', 'linear'];
const SECTIONS = ['memory', 'json', 'stream', 'corpora', 'records', 'process', 'linear'];
/** Bytes of a corpus, unless it is said. */
const USUAL_SIZE = 256e6;
const SIZES = { records: 90e6, process: 450e6 };
const UNITS: Record<string, number> = { '': 1, K: 1e3, M: 1e6, G: 1e9, Ki: 1 << 10, Mi: 1 << 20, Gi: 1 << 30 };
const LARGEST = 1e12;

interface Options {
  size?: number;
  only: string[];
  rows?: string[];
  rounds: number;
  seed: number;
  threads: number[];
  base: string;
  linearSize: number;
  shapes?: string[];
  quick?: true;
  json?: string;
}

function bytes(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,12})([KMG]i?)?$/.exec(text) ?? [];
  const size = Number(number) * (UNITS[unit] as number);
  if (number !== '' && size >= 1 && size <= LARGEST) return size;
  throw new InvalidArgumentError('Not a size like 256M, 64Mi or 1500000.');
}

function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d{1,10}$/.test(text) || number < min || number > max) {
      throw new InvalidArgumentError(`Not an integer from ${min} to ${max}.`);
    }
    return number;
  };
}

function names(text: string): string[] {
  return text.split(',').filter((name) => name !== '');
}

function threads(text: string): number[] {
  return names(text).map(integer(1, 256));
}

function only(text: string): string[] {
  const known = [...KINDS.flatMap(({ name, aliases }) => [name, ...aliases]), ...SECTIONS];
  if (text === 'all') return [...KINDS.map(({ name }) => name), ...SECTIONS];
  const unknown = names(text).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new InvalidArgumentError(`${unknown} is none of: all, ${known.join(', ')}.`);
  return names(text);
}

function shapes(text: string): string[] {
  const unknown = names(text).find((name) => !SHAPES.some((shape) => shape.name === name));
  if (unknown === undefined) return names(text);
  throw new InvalidArgumentError(`${unknown} is none of: ${SHAPES.map(({ name }) => name).join(', ')}.`);
}

function command(): Command {
  const sections = ['all', ...KINDS.map(({ name }) => name), ...SECTIONS].join(', ');
  return new Command('npm run bench --')
    .description('Measures readers of chat transcripts on generated corpora; answers are checked first.')
    .option('--size <size>', 'bytes of each corpus (64Mi, 1500000; default: 256M, records 90M, process 450M)', bytes)
    .option('--only <list>', `corpora and sections (${sections})`, only, DEFAULT)
    .option('--rows <list>', 'rows by name, of corpora also groups; all by default', names)
    .option('--rounds <n>', 'rounds, interleaved', integer(1, 1000), 7)
    .option('--seed <n>', 'seed of the corpora', integer(0, 0xffff_ffff), 1)
    .option('--threads <list>', 'of records and process: how many threads, each a row of its own', threads, [1, 2])
    .option('--base <row>', 'the row that others are compared with', 'cat')
    .option('--linear-size <size>', 'size n of the hostile shapes; each runs at n and 2n', bytes, 32 * 2 ** 20)
    .option('--shapes <list>', 'hostile shapes by name; all by default', shapes)
    .option('--quick', 'small corpora, few rounds: to see that all works, not for numbers')
    .option('--json <file>', 'write the results as JSON')
    .allowExcessArguments(false)
    .addHelpText(
      'after',
      `
Examples:
  npm run bench -- --quick
  npm run bench -- --size 1500M --only mixed,dense,code,multi --rounds 9 --json results.json
  npm run bench -- --only records,process --rounds 5
  npm run bench -- --only linear --linear-size 512Mi --shapes literal,literal-plain
  npm run bench -- --only chat,memory --base 'Buffer.indexOf'

Corpora are kept in $OPENCHATML_BENCH_DIR, or in openchatml-bench in the folder for temporary files.`,
    )
    .exitOverride();
}

async function run(options: Options): Promise<number> {
  const quick = options.quick === true;
  const log = (line: string): void => console.log(line);
  const sizeOf = (usual: number): number => {
    const size = options.size ?? usual;
    return quick ? Math.min(size, 16e6) : size;
  };
  const settings: Settings = {
    size: sizeOf(USUAL_SIZE),
    seed: options.seed,
    rounds: quick ? Math.min(options.rounds, 3) : options.rounds,
    base: options.base,
    log,
  };
  const chosen = <T extends { name: string }>(rows: readonly T[]): T[] =>
    rows.filter(({ name }) => options.rows === undefined || options.rows.includes(name));
  const fileRows = chosen([...OURS, ...COMMANDS, ...RIVALS]);
  const memoryRows = chosen([...OURS_IN_MEMORY, ...MEANING_IN_MEMORY, ...RIVALS_IN_MEMORY]);
  const jsonRows = chosen(JSON_ROWS);
  const namesItsRows = ['corpora', 'records', 'process'].some((name) => options.only.includes(name));
  const isRow = fileRows.length + memoryRows.length + jsonRows.length > 0 || namesItsRows;
  if (!isRow) throw new Error(`no row is named ${options.rows?.join(' or ')}`);
  const about = machine();
  log(`${about.cpu}, ${about.cores} cores, ${megabytes(about.memory)}, ${about.system}`);
  log(`Node ${about.node}, V8 ${about.v8}`);
  log(`seed ${options.seed}, generator ${GENERATOR}, corpora in ${cacheFolder()}`);

  const kinds = KINDS.filter(({ name, aliases }) => [name, ...aliases].some((known) => options.only.includes(known)));
  const outcomes: Outcome[] = [];
  for (const kind of kinds) {
    if (fileRows.length > 0) outcomes.push(await files(kind, fileRows, settings));
  }
  if (options.only.includes('memory') && memoryRows.length > 0) {
    for (const kind of kinds.length > 0 ? kinds : [KINDS[0] as Kind]) {
      outcomes.push(await memory(kind, memoryRows, settings));
    }
  }
  if (options.only.includes('json') && jsonRows.length > 0) {
    outcomes.push(await json(KINDS.find(({ name }) => name === 'calls') as Kind, jsonRows, settings));
  }
  if (options.only.includes('stream')) {
    outcomes.push(await stream(KINDS.find(({ name }) => name === 'harmony') as Kind, settings));
  }
  if (options.only.includes('corpora')) {
    for (const kind of kinds.length > 0 ? kinds : [KINDS[0] as Kind]) {
      outcomes.push(await corpora(kind, options.rows ?? null, settings));
    }
  }
  const { seed, rows = null } = options;
  if (options.only.includes('records')) {
    outcomes.push(await records(rows, { size: sizeOf(SIZES.records), seed, threads: options.threads }, settings));
  }
  if (options.only.includes('process')) {
    outcomes.push(await processes(rows, { size: sizeOf(SIZES.process), seed, threads: options.threads }, settings));
  }
  if (options.only.includes('linear') && fileRows.length > 0) {
    const size = quick ? Math.min(options.linearSize, 1 << 22) : options.linearSize;
    const wanted = SHAPES.filter(({ name }) => options.shapes?.includes(name) ?? true);
    outcomes.push(await linear(wanted, fileRows, { ...settings, size, rounds: Math.min(settings.rounds, 5) }));
  }

  const results = outcomes.flatMap((outcome) => outcome.results);
  const wrong = outcomes.reduce((count, outcome) => count + outcome.wrong, 0);
  if (options.json !== undefined) {
    const date = new Date().toISOString();
    const record = { date, machine: about, seed: options.seed, generator: GENERATOR, results };
    writeFileSync(options.json, `${JSON.stringify(record, null, 1)}\n`);
  }
  if (wrong > 0) log(`\n${wrong} wrong ${wrong === 1 ? 'answer' : 'answers'}`);
  return wrong > 0 ? 1 : 0;
}

try {
  const program = command().parse();
  process.exitCode = await run(program.opts<Options>());
  await closeCommands();
} catch (error) {
  await closeCommands();
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 2;
  }
}
