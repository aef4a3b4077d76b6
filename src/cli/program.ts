// The command line: commands, options, help; and what becomes of everything that goes wrong.

import { ThreadError } from '../corpus/jobs/thread-error.ts';
import { Command, CommanderError, Option } from 'commander';
import { InputError, systemReason } from '../corpus/error.ts';
import { STANDARD_INPUT } from '../corpus/input/paths.ts';
import { type CommandRow, commandRows } from './command-table.ts';
import { applyConfig, loadConfig } from './config.ts';
import { AFTER, examplesOf, PATHS } from './help.ts';
import { colorOption, formatOption, readPort, sharedOptions } from './options.ts';
import { escapeJson, escapeLine, escapeText } from './print.ts';
import type { MakeSpinner } from './progress.ts';
import { BUG, FAILED, FOUND, OK, tell, TRY_AGAIN } from './invocation.ts';
import { ClosedPipe, type Host, OutputError } from './stream.ts';

/** Runs the command line; `argv` without program and script. Answers with the exit code. Never throws. */
export async function cli(argv: readonly string[], host: Host): Promise<number> {
  let code = OK;
  try {
    await makeProgram(host, (answer) => (code = answer), argv[0]).parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    return exitCodeOf(error, host);
  }
}

/**
 * The whole table of commands; `answer` takes the exit code of the one that ran. `chosen`: the first argument; when it
 * names a command of the table, the others are without their options, which takes less time.
 */
export function makeProgram(host: Host, answer: (code: number) => void, chosen?: string): Command {
  const program = new Command('openchatml');
  program
    .description('Read, check, render and convert chat transcripts: OpenChatML 0.1, 2.0, 2.2 and Harmony.')
    .version(host.version, '-V, --version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => tell(host, escapeText(text.trimEnd())),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showHelpAfterError('(--help lists what there is)')
    .addHelpText('after', () => examplesOf('openchatml'))
    .addHelpText('afterAll', AFTER);
  const rows = commandRows();
  const isOne = rows.some(({ name }) => name === chosen);
  for (const row of rows) addCommand(program, row, host, answer, !isOne || row.name === chosen);
  addExplain(program, host, answer);
  addServe(program, host, answer);
  addCompletion(program, host, answer);
  return program;
}

/** A command of the table. */
function addCommand(
  program: Command, row: CommandRow, host: Host, answer: (code: number) => void, takesOptions: boolean,
): void {
  const { argument = { name: '[path...]', description: PATHS }, options: own, shared = sharedOptions } = row;
  const command = program.command(row.name).description(row.description).argument(argument.name, argument.description);
  command.addHelpText('after', () => examplesOf(row.name));
  if (takesOptions) for (const option of [...own(), ...shared()]) command.addOption(option);
  command.action(async (given: string | string[]) => {
    const paths = typeof given === 'string' ? [given] : given;
    const options = await configure(command, host);
    if (typeof options === 'number') return answer(options);
    const refusal = refuseTwice(paths) ?? row.refuse?.(options, host) ?? null;
    if (refusal !== null) {
      tell(host, `error: ${refusal}`);
      return answer(FAILED);
    }
    if (paths.length === 0 && host.stdin.isTTY) {
      command.outputHelp({ error: true });
      return answer(FAILED);
    }
    const work = await row.load();
    const code = await work(paths, options as never, host, await loadSpinner(row.name, options, host));
    answer(code === FOUND && options['exitZero'] === true ? OK : code);
  });
}

/** The second of them would be an empty input, which nobody means. */
function refuseTwice(paths: readonly string[]): string | null {
  if (paths.filter((path) => path === STANDARD_INPUT).length < 2) return null;
  return `${STANDARD_INPUT} is named twice, and standard input is read once; name it once`;
}

type Options = Readonly<Record<string, unknown>>;

/**
 * The options as they take effect: of the command line, of the configuration, by default. Or an exit code, when nothing
 * else is to be done: the configuration is wrong, which was told, or it was to be written, and is.
 */
async function configure(command: Command, host: Host): Promise<Options | number> {
  const { config: choice, printConfig } = command.opts<{ config?: string | false; printConfig?: true }>();
  const takesOne = command.options.some(({ long }) => long === '--config');
  try {
    const config = loadConfig(takesOne ? choice : false, () => makeProgram(host, () => {}));
    const options = applyConfig(command, config);
    if (!printConfig) return options;
    const { settingsText } = await import('./config-read.ts');
    const text = settingsText(command, options, config.rules);
    host.stdout.write(`${host.stdout.isTTY ? escapeJson(text) : text}\n`);
    const { file } = config;
    if (!options['quiet']) tell(host, file === null ? 'no configuration file' : `from ${escapeLine(file)}`);
    return OK;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    tell(host, `error: ${escapeLine(error.message)}`);
    return FAILED;
  }
}

function addExplain(program: Command, host: Host, answer: (code: number) => void): void {
  const explain = program.command('explain').description('explain a code, a rule or a ruling, a rule with an example');
  explain.argument('[name]', 'a code (E-CALL-SCHEMA) or a rule (missing-end); without it, the list of all');
  explain.addHelpText('after', () => examplesOf('explain'));
  explain.addOption(formatOption(['text', 'json'])).addOption(colorOption());
  explain.action(async (name: string | undefined, options: object) => {
    answer((await import('./commands/explain.ts')).explain(name, options as never, host));
  });
}

function addServe(program: Command, host: Host, answer: (code: number) => void): void {
  const serve = program.command('serve').description('serve the page that checks transcripts, on this machine');
  serve.addHelpText('after', () => examplesOf('serve'));
  serve.addOption(new Option('--port <number>', 'where to listen; 0: any free port').argParser(readPort).default(8422));
  serve.addOption(
    new Option('--host <address>', 'where to listen: by default for this machine alone').default('127.0.0.1'),
  );
  serve.addOption(new Option('-q, --quiet', 'the address only'));
  serve.action(async (options: object) => {
    answer(await (await import('./commands/serve.ts')).serve(options as never, host));
  });
}

function addCompletion(program: Command, host: Host, answer: (code: number) => void): void {
  const completion = program.command('completion');
  completion.description('write a script that completes commands, options and values');
  completion.argument('<shell>', 'bash, zsh, fish or pwsh');
  completion.addHelpText('after', () => examplesOf('completion'));
  completion.action(async (shell: string) => {
    answer((await import('./commands/completion.ts')).completion(shell, program, host));
  });
}

/** Commands that write nothing before they are done, or not to standard output. */
const SILENT: ReadonlySet<string> = new Set(['scan', 'run']);

/** Progress is for a person who waits: not where output already moves on the same terminal. */
export async function loadSpinner(
  command: string,
  options: Options,
  { stdout, stderr, env }: Host,
): Promise<MakeSpinner | null> {
  if (!stderr.isTTY || options['quiet'] || env['TERM'] === 'dumb' || 'CI' in env) return null;
  const moves = stdout.isTTY && !SILENT.has(command) && options['output'] === undefined;
  return moves ? null : (await import('./spinner.ts')).makeSpinner;
}

function exitCodeOf(error: unknown, host: Host): number {
  if (error instanceof ClosedPipe) return OK;
  if (error instanceof CommanderError) return error.exitCode === 0 ? OK : FAILED;
  if (error instanceof OutputError) {
    tell(host, `error: standard output cannot be written: ${systemReason(error.cause)}`);
    return FAILED;
  }
  if (error instanceof ThreadError) {
    tell(host, `error: ${escapeText(error.message)}; try again, or with --threads 1`);
    return TRY_AGAIN;
  }
  tell(host, `error: this is a bug in openchatml ${host.version}; please report it with these lines\n${frames(error)}`);
  return BUG;
}

/** Where an error arose. Its message stays away: it may quote an input. */
function frames(error: unknown): string {
  if (!(error instanceof Error)) return `  ${typeof error} was thrown`;
  const stack = error.stack ?? '';
  const at = stack.indexOf(error.message) + error.message.length;
  const lines = stack.slice(at).split('\n').filter((line) => line.startsWith('    at '));
  return escapeText([`  ${error.name}`, ...lines].join('\n'));
}
