// The command line: commands, options, help; and what becomes of everything that goes wrong.

import { Command, CommanderError, Option } from 'commander';
import { systemReason } from '../corpus/error.ts';
import { addSharedOptions, gather, readNumber } from './options.ts';
import { escapeText } from './print.ts';
import type { MakeSpinner } from './progress.ts';
import { BUG, FAILED, OK, tell } from './run.ts';
import { ClosedPipe, type Host, OutputError } from './stream.ts';

const PATHS = 'files, folders (their *.txt, *.ocml, *.chatml, *.harmony), or - for standard input';

const AFTER = `
Data goes to standard output, words to standard error. Exit codes: 0 done;
1 check found errors; 2 wrong usage, or an input or output that fails; 70 a bug
in openchatml. Output that nobody reads any more ends the work quietly, with 0.
`;

const EXAMPLES: Record<string, readonly [string, string][]> = {
  openchatml: [
    ['openchatml check chats/', 'what is wrong, with line and column'],
    ['openchatml scan --format json corpus.txt', 'what is in it, as JSON'],
  ],
  scan: [
    ['openchatml scan corpus.txt', 'counts by role, channel, end and token'],
    ['openchatml scan --format json --dialect harmony raw/ > counts.json', ''],
  ],
  check: [
    ['openchatml check --max-warnings 0 chats/', 'warnings fail too'],
    ['generate | openchatml check --completion-role assistant -', 'the output of a model'],
  ],
  messages: [
    ['openchatml messages --only-role assistant --only-channel final chat.ocml | jq -r .content', ''],
    ['openchatml messages --at 1234567 corpus.txt', 'the message that holds a byte'],
  ],
};

type Work = (paths: readonly string[], options: never, host: Host, makeSpinner: MakeSpinner | null) => number;

/** Runs the command line; `argv` without program and script. Answers with the exit code. Never throws. */
export async function cli(argv: readonly string[], host: Host): Promise<number> {
  let code = OK;
  try {
    await makeProgram(host, (answer) => (code = answer)).parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    return exitCodeOf(error, host);
  }
}

function makeProgram(host: Host, answer: (code: number) => void): Command {
  const program = new Command('openchatml');
  program
    .description('Read and check chat transcripts: OpenChatML 0.1, 2.0, 2.2 and Harmony.')
    .version(host.version, '-V, --version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => tell(host, escapeText(text.trimEnd())),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showHelpAfterError('(--help tells what there is)')
    .addHelpText('after', () => examplesOf('openchatml'))
    .addHelpText('afterAll', AFTER);

  const add = (name: string, description: string, load: () => Promise<Work>): Command => {
    const command = program.command(name).description(description).argument('[path...]', PATHS);
    command.addHelpText('after', () => examplesOf(name));
    command.action(async (paths: string[], options: object) => {
      if (paths.length === 0 && host.stdin.isTTY) {
        command.outputHelp({ error: true });
        answer(FAILED);
        return;
      }
      const work = await load();
      answer(work(paths, options as never, host, await loadSpinner(name, host)));
    });
    return command;
  };

  const format = (choices: string[]): Option => {
    return new Option('--format <format>', 'form of the output').choices(choices).default(choices[0]);
  };

  const counting = 'count transcripts, messages, calls, tokens and findings of structure';
  add('scan', counting, async () => (await import('./scan.ts')).scan)
    .addOption(format(['table', 'json']));

  const checking = 'tell every diagnostic; exit with 1 when one is an error';
  add('check', checking, async () => (await import('./check.ts')).check)
    .addOption(format(['pretty', 'concise', 'ndjson', 'json']))
    .addOption(new Option('--max-warnings <number>', 'exit with 1 when there are more warnings').argParser(readNumber));

  add('messages', 'write one record a message', async () => (await import('./messages.ts')).messages)
    .addOption(format(['ndjson']))
    .addOption(new Option('--only-role <role>', 'messages of this role, or (none); repeatable').argParser(gather))
    .addOption(new Option('--only-channel <channel>', 'messages on this channel; repeatable').argParser(gather))
    .addOption(new Option('--transcript <number>', 'messages of one transcript a file, from 0').argParser(readNumber))
    .addOption(new Option('--at <byte>', 'the message that holds this byte of a file').argParser(readNumber));

  for (const command of program.commands) addSharedOptions(command);
  return program;
}

function examplesOf(name: string): string {
  const lines = EXAMPLES[name]!.map(([line, words]) => `  ${line}${words && `   # ${words}`}\n`);
  return `\nExamples:\n${lines.join('')}`;
}

/** Progress is for a person who waits: not where output already moves on the same terminal. */
async function loadSpinner(command: string, { stdout, stderr, env }: Host): Promise<MakeSpinner | null> {
  if (!stderr.isTTY || env['TERM'] === 'dumb' || 'CI' in env || (stdout.isTTY && command !== 'scan')) return null;
  return (await import('./spinner.ts')).makeSpinner;
}

function exitCodeOf(error: unknown, host: Host): number {
  if (error instanceof ClosedPipe) return OK;
  if (error instanceof CommanderError) return error.exitCode === 0 ? OK : FAILED;
  if (error instanceof OutputError) {
    tell(host, `error: standard output cannot be written: ${systemReason(error.cause)}`);
    return FAILED;
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
