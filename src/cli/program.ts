// The command line: commands, options, help; and what becomes of everything that goes wrong.

import { Command, CommanderError, Option } from 'commander';
import { systemReason } from '../corpus/error.ts';
import { AFTER, examplesOf } from './help.ts';
import { addColorOption, addSharedOptions, gather, readNumber } from './options.ts';
import { escapeText } from './print.ts';
import type { MakeSpinner } from './progress.ts';
import { REPORT_FORMATS } from './report.ts';
import { DIALECTS } from '../scan/dialects.ts';
import { BUG, FAILED, OK, tell } from './run.ts';
import { ClosedPipe, type Host, OutputError } from './stream.ts';

const PATHS = 'files, folders (their *.txt, *.ocml, *.chatml, *.harmony), or - for standard input';

/** What `convert` writes. */
const FORMS = [...Object.keys(DIALECTS), 'interchange-2.0', 'interchange-2.2', 'messages', 'sharegpt'];

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
    .description('Read, check, render and convert chat transcripts: OpenChatML 0.1, 2.0, 2.2 and Harmony.')
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
    .addOption(format([...REPORT_FORMATS]))
    .addOption(new Option('--max-warnings <number>', 'exit with 1 when there are more warnings').argParser(readNumber))
    .addOption(new Option('--tools <file>', 'tools that every transcript may call (JSON list or declarations); repeatable').argParser(gather));

  add('messages', 'write one record a message', async () => (await import('./messages.ts')).messages)
    .addOption(format(['ndjson']))
    .addOption(new Option('--only-role <role>', 'messages of this role, or (none); repeatable').argParser(gather))
    .addOption(new Option('--only-channel <channel>', 'messages on this channel; repeatable').argParser(gather))
    .addOption(new Option('--transcript <number>', 'messages of one transcript a file, from 0').argParser(readNumber))
    .addOption(new Option('--at <byte>', 'the message that holds this byte of a file').argParser(readNumber));

  add('render', 'write what an end user may see', async () => (await import('./render.ts')).render)
    .addOption(format(['text', 'html']))
    .option('--debug', 'show hidden messages too, marked as hidden')
    .addOption(new Option('--transcript <number>', 'one transcript of each file, from 0').argParser(readNumber))
    .option('--harmony-preambles', "show an assistant's commentary to nobody in the Harmony profile")
    .option('--missing-channel', 'show messages that lack a required channel, as final')
    .option('--notes', 'say how many messages are hidden');

  add('convert', 'write transcripts in another form', async () => (await import('./convert.ts')).convert)
    .addOption(new Option('--to <form>', 'what to write').choices(FORMS).makeOptionMandatory())
    .addOption(new Option('--from <form>', 'what the inputs hold').choices(['auto', ...FORMS]).default('auto'))
    .addOption(new Option('--format <format>', 'form of the output: text for dialects, else ndjson').choices(['text', 'ndjson']))
    .option('--neutralise', 'break up control tokens in bodies of a dialect without an escape, instead of refusing')
    .addOption(new Option('--constrain <style>', 'how Harmony text tells a content type').choices(['constrain', 'bare']))
    .addOption(new Option('--reasoning <rule>', 'reasoning of answered turns: all of it, or without what a rule drops').choices(['keep', 'ocm', 'harmony']))
    .option('--harmony-preambles', "an assistant's commentary to nobody in Harmony text is for users to see");

  for (const command of program.commands) addSharedOptions(command);

  const explain = program.command('explain').description('tell what a code or a rule means, with an example');
  explain.argument('[name]', 'a code (E-CALL-SCHEMA) or a rule (missing-end); without it, the list of all');
  explain.addHelpText('after', () => examplesOf('explain'));
  addColorOption(explain.addOption(format(['text', 'json'])));
  explain.action(async (name: string | undefined, options: object) => {
    answer((await import('./explain.ts')).explain(name, options as never, host));
  });
  return program;
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
