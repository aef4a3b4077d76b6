// The commands, one row each: what they are for, what they take, and where they are loaded from.

import { Option } from 'commander';
import { ENDINGS_TEXT } from '../corpus/input/paths.ts';
import { ENCODINGS } from '../corpus/tokens.ts';
import { DIALECTS } from '../scan/dialects.ts';
import {
  colorOption, corpusOptions, fieldOption, flag, formatOption, gather, readCount, readLimit, readNumber, readTarget,
  recordOptions, sharedOptions, strictOption, threadsOption, toolsOption,
} from './options.ts';
import type { MakeSpinner } from './progress.ts';
import { REPORT_FORMATS } from './diagnostics/report.ts';
import type { Host } from './stream.ts';

/** The work of a command; answers with the exit code. */
export type Work = (
  paths: readonly string[],
  options: never,
  host: Host,
  makeSpinner: MakeSpinner | null,
) => number | Promise<number>;

export interface CommandRow {
  readonly name: string;
  readonly description: string;
  /** What is named besides options; left out: any number of inputs. */
  readonly argument?: { readonly name: string; readonly description: string };
  /** Made anew for every program. */
  readonly options: () => readonly Option[];
  /** What it takes besides; left out: what all commands that read transcripts take. */
  readonly shared?: () => readonly Option[];
  readonly load: () => Promise<Work>;
  /** Why it cannot work with these options; null: it can. */
  readonly refuse?: (options: Readonly<Record<string, unknown>>, host: Host) => string | null;
}

/** Forms of other parties, which say nothing of how a message ends. */
const CHATS = ['messages', 'anthropic', 'responses', 'sharegpt'];
/** What `convert` writes. */
const FORMS = [...Object.keys(DIALECTS), 'interchange-2.0', 'interchange-2.2', ...CHATS];
/** Forms of them in which calls may be text. */
const TAGGED = ['openchatml-0.1', 'messages', 'sharegpt'];

export function commandRows(): readonly CommandRow[] {
  return [
    {
      name: 'scan',
      description: 'count transcripts, messages, calls, tokens and findings of structure',
      load: async () => (await import('./commands/scan.ts')).scan,
      options: () => [
        formatOption(['table', 'json']),
        new Option('--report <file>', 'write a page (HTML) that shows the counts, too').argParser(readTarget),
        ...flag('--lengths', 'lengths of contents by role and channel, in bytes and code points, too'),
        tokensOption('--lengths in tokens, too'),
        ...corpusOptions(),
      ],
    },
    {
      name: 'check',
      description: 'report every diagnostic; exit with 1 when one is an error',
      load: async () => (await import('./commands/check.ts')).check,
      refuse: refuseChoice,
      options: () => [
        ...reportOptions(),
        ...strictOption(),
        toolsOption(),
        ...choiceOptions('transcripts'),
        ...corpusOptions(),
      ],
    },
    {
      name: 'messages',
      description: 'write one record a message',
      load: async () => (await import('./commands/messages.ts')).messages,
      refuse: (options, host) => refuseBinary(options, host) ?? refuseChoice(options) ?? refuseTable(options)
        ?? (options['ignoreCase'] === true && options['grep'] === undefined ? '--ignore-case is for --grep' : null),
      options: () => [
        formatOption(['ndjson', 'arrow', 'parquet']),
        new Option('-o, --output <file>', 'where to write; standard output when left out').argParser(readTarget),
        new Option('--only-role <role>', 'messages of this role, or (none); repeatable').argParser(gather),
        new Option('--only-channel <channel>', 'messages on this channel; repeatable').argParser(gather),
        new Option('--transcript <number>', 'messages of one transcript a file, from 0').argParser(readNumber),
        new Option('--at <byte>', 'the message that holds this byte of a file').argParser(readNumber),
        new Option('--grep <text>', 'messages whose content holds this text'),
        ...flag('--ignore-case', 'without regard to case, for --grep'),
        ...choiceOptions('messages', ' (ndjson)'),
        tokensOption('how many tokens each content is, too (ndjson)'),
        ...corpusOptions(),
      ],
    },
    {
      name: 'render',
      description: 'write what an end user may see',
      load: async () => (await import('./commands/render.ts')).render,
      options: () => [
        formatOption(['text', 'html']),
        new Option('--debug', 'show hidden messages too, marked as hidden'),
        new Option('--transcript <number>', 'one transcript of each file, from 0').argParser(readNumber),
        new Option('--harmony-preambles', "show an assistant's commentary to nobody in the Harmony profile"),
        new Option('--missing-channel', 'show messages that lack a required channel, as final'),
        new Option('--notes', 'say how many messages are hidden'),
        new Option('-o, --output <folder>', 'an index and pages of at most about 1 MiB, of --format html; a new or an '
          + 'empty folder').argParser(readTarget),
        threadsOption(),
        ...recordOptions(),
      ],
      refuse: ({ format, output }) =>
        (output !== undefined && format !== 'html' ? '--output is for --format html' : null),
    },
    {
      name: 'convert',
      description: 'write transcripts in another form',
      load: async () => (await import('./commands/convert.ts')).convert,
      refuse: (options) => refuseConversion(options) ?? refuseChoice(options),
      options: () => [
        new Option('--to <form>', 'what to write; needed').choices(FORMS),
        new Option('--from <form>', 'what the inputs hold').choices(['auto', ...FORMS]).default('auto'),
        fieldOption(),
        new Option('--format <format>', 'form of the output: text for dialects, else ndjson')
          .choices(['text', 'ndjson']),
        new Option('--neutralise',
          'break up control tokens in bodies of a dialect without an escape, instead of refusing'),
        new Option('--constrain <style>', 'how Harmony text names a content type').choices(['constrain', 'bare']),
        new Option('--reasoning <rule>', 'reasoning: all of it, without what a rule drops of answered turns, or all '
          + 'of it as <think> in the text').choices(['keep', 'ocm', 'harmony', 'think']),
        new Option('--calls <style>', 'calls, replies and definitions as text: <tool_call>, <tool_response>, <tools>; '
          + `for ${TAGGED.join(', ')}`).choices(['hermes']),
        new Option('--harmony-preambles', "an assistant's commentary to nobody in Harmony text is for users to see"),
        new Option('--prompt', 'what is sent for the next completion: without old reasoning (--reasoning, by default '
          + "ocm), ended answers, and the beginning of the assistant's message"),
        new Option('--end <ends>', 'how answers end: in <|end|>, the last one in <|return|>, or all of them')
          .choices(['end', 'return', 'all-returns']),
        new Option('--system', "a system message in Harmony's layout, with the header's reasoning effort and "
          + 'builtin tools'),
        ...choiceOptions('transcripts'),
        threadsOption(),
      ],
    },
    {
      name: 'audit',
      description: 'find control tokens in text that should hold none; exit with 1 when one is an error',
      load: async () => (await import('./commands/audit.ts')).audit,
      options: () => [
        ...reportOptions(),
        threadsOption(),
        ...recordOptions(),
        new Option('--fix', 'write a copy without what is an error; needs --output, --output-dir or --in-place'),
        new Option('--fix-warnings', 'the same, and without what is a warning'),
        new Option('--how <style>', 'break tokens up, or write the escapes of OpenChatML 2.2 (default: records are '
          + 'broken up, raw text as its dialect has it)').choices(['neutralise', 'escape']),
        new Option('-o, --output <file>', 'where the copy goes, of one input').argParser(readTarget),
        new Option('--output-dir <folder>', 'where the copies go, of several').argParser(readTarget),
        new Option('--in-place', 'the copies take the places of the inputs'),
        new Option('--diff', 'show what --fix would change, and write nothing'),
      ],
    },
    {
      name: 'filter',
      description: 'write a verdict for each line, a record that comes through a pipe; nothing in it makes this fail',
      argument: { name: '[path...]', description: 'one file, or - for standard input' },
      load: async () => (await import('./commands/filter.ts')).filter,
      refuse: refuseBinary,
      options: () => [
        new Option('--emit <what>',
          'verdicts, verdicts with messages, or only the lines without (keep) or with errors (drop)')
          .choices(['verdict', 'messages', 'keep', 'drop']).default('verdict'),
        new Option('--format <format>', 'lines of JSON in and out; or Arrow IPC streams, a batch of verdicts for each '
          + 'batch of rows').choices(['ndjson', 'arrow']).default('ndjson'),
        new Option('--record-column <name>', 'the column whose cells are records, JSON text or structs (arrow; '
          + 'default: the columns are the fields of records)'),
        threadsOption(),
        ...judgeOptions(),
        ...flag('--line-buffered', 'write each line at once, not when the input pauses'),
        ...flag('--passthrough', 'put the record into its line, as `record`'),
      ],
    },
    {
      name: 'stream',
      description: 'write events for what a model says, as it comes through a pipe',
      argument: { name: '[path...]', description: 'one file, or - for standard input' },
      load: async () => (await import('./commands/stream.ts')).stream,
      options: () => [
        new Option('--events <form>', "the documents' own events, those that 2.0 names, or those of OpenAI's "
          + 'Responses or chat completions').choices(['ocm', '2.0', 'responses', 'chat']).default('ocm'),
        new Option('--format <format>', 'a line of JSON an event, or server-sent events')
          .choices(['ndjson', 'sse']).default('ndjson'),
        ...flag('--reasoning', 'events with the reasoning of the model, too; never for end users'),
        new Option('--harmony-preambles', "commentary to nobody in the Harmony profile is for users to see"),
        new Option('--missing-channel', 'messages that lack a required channel are shown, as final'),
        new Option('--think-open', 'the prompt ended in <think>: the output begins within a thought'),
        new Option('--finish-reason <reason>', 'why the model stopped, as its server says it: stop, length'),
        new Option('--model <name>', 'the name of the model, for responses and chat'),
      ],
      shared: () => sharedOptions().filter(({ long }) => long !== '--bos' && long !== '--eos'),
    },
    {
      name: 'run',
      description: 'judge the files of a corpus, or a share of them, into a folder; goes on where it was stopped',
      argument: { name: '[path...]', description: `files, folders (their ${ENDINGS_TEXT})` },
      load: async () => (await import('./commands/run.ts')).runShards,
      options: () => [
        new Option('-o, --out <folder>', 'where to write').argParser(readTarget).makeOptionMandatory(),
        new Option('--emit <what>', 'verdicts, messages, or the records without errors')
          .choices(['verdict', 'messages', 'keep']).default('verdict'),
        formatOption(['ndjson', 'arrow', 'parquet']),
        new Option('--shard-index <number>', 'which share of the files, from 0 (default: from JOB_COMPLETION_INDEX, '
          + 'SLURM_ARRAY_TASK_ID or OMPI_COMM_WORLD_RANK)').argParser(readNumber),
        new Option('--shard-count <number>', 'how many shares there are (default: from SLURM_ARRAY_TASK_COUNT or '
          + 'OMPI_COMM_WORLD_SIZE, else 1)').argParser(readNumber),
        threadsOption(),
        ...judgeOptions(),
      ],
    },
    {
      name: 'merge',
      description: 'add up what all shares of a run have counted, and join what they wrote',
      argument: { name: '<folder>', description: 'the folder that `run` has written to' },
      load: async () => (await import('./commands/merge.ts')).merge,
      options: () => [
        new Option('-o, --output <file>', "write the outputs (ndjson), joined in the order of the inputs' paths, too")
          .argParser(readTarget),
      ],
      shared: () => [colorOption(), ...flag('-q, --quiet', 'errors only')],
    },
  ];
}

/** How a command tells diagnostics. */
function reportOptions(): Option[] {
  return [
    formatOption(REPORT_FORMATS),
    new Option('--max-warnings <number>', 'exit with 1 when there are more warnings').argParser(readNumber),
    new Option('--max-diagnostics <number>', 'report so many at most, or none: all of them; the counts stay exact '
      + '(default: all; on a terminal 20 of a file and 200 in all for pretty and concise)').argParser(readLimit),
    ...flag('--exit-zero', 'exit with 0 whatever is found'),
  ];
}

function tokensOption(description: string): Option {
  return new Option('--tokens <encoding>', `${description}; needs the package gpt-tokenizer`).choices(ENCODINGS);
}

/** Some of what there is. `of`: with what this is for. */
function choiceOptions(what: string, of = ''): Option[] {
  return [
    new Option('--limit <number>', `so many ${what} and no more, of all inputs together${of}`).argParser(readCount),
    new Option('--sample <number>', `so many ${what}, chosen at random from all inputs${of}`).argParser(readCount),
    new Option('--seed <number>', 'another choice for --sample (default: 0)').argParser(readNumber),
  ];
}

/** How records are judged, one by one. */
function judgeOptions(): Option[] {
  return [
    ...recordOptions(),
    toolsOption(),
    new Option('--max-line-bytes <number>', 'bytes of a record that is still read (default: 67108864)')
      .argParser(readNumber),
    ...strictOption(),
    ...flag('--warnings', 'name findings that are no errors, too'),
  ];
}

function refuseChoice({ limit, sample, seed }: Readonly<Record<string, unknown>>): string | null {
  if (limit !== undefined && sample !== undefined) return 'give --limit or --sample, not both';
  return seed !== undefined && sample === undefined ? '--seed is for --sample' : null;
}

function refuseConversion(options: Readonly<Record<string, unknown>>): string | null {
  const { to, from, field, reasoning, calls, prompt, end, system, constrain } = options;
  if (to === undefined) return `say what to write, with --to: ${FORMS.join(', ')}`;
  if (to === 'harmony' && reasoning === 'think') {
    return 'harmony shows <think> to users: --reasoning think is for the other forms';
  }
  if (field !== undefined && from !== 'auto' && !Object.hasOwn(DIALECTS, String(from))) {
    return '--field is for --from auto and the dialects: the entries of the field tell what its messages are';
  }
  if (calls !== undefined && !TAGGED.includes(String(to))) return `--calls is for --to ${TAGGED.join(', ')}`;
  if (prompt !== undefined && !Object.hasOwn(DIALECTS, String(to))) return '--prompt is for dialects';
  if (system !== undefined && to !== 'harmony') return '--system is for --to harmony';
  if (constrain !== undefined && to !== 'harmony') return '--constrain is for --to harmony';
  if (end !== undefined && CHATS.includes(String(to))) return '--end is for dialects and interchange forms';
  if (prompt !== undefined && end !== undefined) return 'answers in a prompt end in <|end|>: leave out --end';
  if (prompt !== undefined && reasoning === 'think') return '--reasoning think is not for prompts';
  return null;
}

/** Lines are chosen, and lines tell more; a table has all messages and fixed columns. */
function refuseTable({ format, limit, sample, tokens }: Readonly<Record<string, unknown>>): string | null {
  if (format === 'ndjson') return null;
  if (limit !== undefined || sample !== undefined) return '--limit and --sample are for --format ndjson';
  return tokens !== undefined ? '--tokens is for --format ndjson' : null;
}

/** A table in binary form would only disturb a terminal. */
function refuseBinary({ format, output }: Readonly<Record<string, unknown>>, host: Host): string | null {
  if (format === 'ndjson' || output !== undefined || !host.stdout.isTTY) return null;
  const remedy = 'name a file with --output, or send it through a pipe';
  return `--format ${format} is binary and no output for a terminal; ${remedy}`;
}
