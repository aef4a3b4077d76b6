// Options that several commands share, and how their values are read.

import { InvalidArgumentError, Option } from 'commander';
import type { FileForm } from '../corpus/records/unit.ts';
import { knownRole } from '../model/attributes.ts';
import { isEdge } from '../model/edges.ts';
import type { PlainReadOptions } from '../model/part-walk.ts';
import type { RuleSettings } from '../rules/settings.ts';
import { DIALECTS } from '../scan/dialects.ts';
import type { ColorChoice } from './print.ts';

export interface SharedOptions {
  readonly dialect: NonNullable<PlainReadOptions['dialect']>;
  readonly completionRole?: string;
  readonly stopStripped?: true;
  readonly requireChannels?: true;
  readonly rescue?: true;
  readonly bos?: string;
  readonly eos?: string;
  readonly color: ColorChoice;
  /** Neither progress nor sums: errors only. */
  readonly quiet?: true;
  /** From the configuration file; for `applyRules`. */
  readonly rules?: RuleSettings;
}

/** What the commands that go through whole corpora take besides. */
export interface CorpusOptions extends SharedOptions {
  /** From 1 on; left out: where they gain. */
  readonly threads?: number | undefined;
  readonly form?: FileForm;
  readonly field?: string;
  /** The line of sums is told where standard error is no terminal, too. */
  readonly summary?: true;
}

export const MOST_THREADS = 256;

/** Options of every command that reads transcripts. */
export function sharedOptions(): Option[] {
  return [
    colorOption(),
    new Option('--dialect <dialect>', 'how to read the text')
      .choices(['auto', ...Object.keys(DIALECTS)]).default('auto'),
    new Option('--completion-role <role>', 'the text is a completion of this role').argParser(readRole),
    ...flag('--stop-stripped', 'the last stop token was cut off: its end is no finding'),
    ...flag('--require-channels', 'messages of assistants and tools must have a channel'),
    ...flag('--rescue', 'where a model forgot or doubled a token: a likely message rather than an exact one'),
    new Option('--bos <text>', "the base model's own BOS in 0.1, beside <s> and [BOS]").argParser(readEdge),
    new Option('--eos <text>', 'its own EOS, beside </s> and [EOS]').argParser(readEdge),
    ...flag('-q, --quiet', 'no progress and no sums on standard error, only errors'),
    new Option('--config <file>', 'configuration (JSON); otherwise the nearest openchatml.config.json upwards'),
    new Option('--no-config', 'look for no configuration'),
    new Option('--print-config', 'write the configuration as it takes effect, and end'),
  ];
}

/** Options of the commands that go through whole corpora. */
export function corpusOptions(): Option[] {
  return [
    threadsOption(),
    ...recordOptions(),
    ...flag('--summary', 'print sums and speed at the end, not only on a terminal'),
  ];
}

export function threadsOption(): Option {
  return new Option('-j, --threads <number>', 'most threads, used where they gain (default: the cores, at most 8)')
    .argParser(readThreads);
}

/** What inputs hold. */
export function recordOptions(): Option[] {
  return [
    new Option('--form <form>', 'what the inputs hold: raw text or text in records, or chat records of one kind')
      .choices(['auto', 'text', 'messages', 'conversations', 'interchange-2.0', 'interchange-2.2']).default('auto'),
    fieldOption(),
  ];
}

export function fieldOption(): Option {
  const what = 'the field of a record that holds the transcript, or a JSON pointer to it (/inputs/messages)';
  return new Option('--field <name>', what);
}

export function toolsOption(): Option {
  return new Option('--tools <file>', 'tools that every transcript may call (JSON list or declarations); repeatable')
    .argParser(gather);
}

export function colorOption(): Option {
  return new Option('--color <when>', 'colours').choices(['auto', 'always', 'never']).default('auto');
}

export function strictOption(): Option[] {
  return flag('--strict', 'warnings are errors');
}

/** The first of the choices is the default. */
export function formatOption(choices: readonly string[]): Option {
  return new Option('--format <format>', 'form of the output').choices(choices).default(choices[0]);
}

/** A flag, and the one that takes it back: a configuration may have set it. */
export function flag(flags: string, description: string): Option[] {
  const name = flags.slice(flags.indexOf('--') + 2);
  return [new Option(flags, description), new Option(`--no-${name}`).hideHelp()];
}

export function readOptionsOf(options: SharedOptions): PlainReadOptions {
  const { dialect, completionRole: role, stopStripped, requireChannels, rescue, bos, eos } = options;
  const edges = bos === undefined && eos === undefined ? {} : { edges: { bos, eos } };
  return { dialect, role, stopStripped, requireChannels, rescue, ...edges };
}

function readEdge(value: string): string {
  if (isEdge(value)) return value;
  throw new InvalidArgumentError('Expected text without another token of 0.1.');
}

function readRole(value: string): string {
  if (knownRole(value, false) !== null) return value;
  throw new InvalidArgumentError('Expected system, developer, user, assistant, tool or functions.<name>.');
}

/** The name of a file or folder that is written. */
export function readTarget(value: string): string {
  if (value !== '-') return value;
  throw new InvalidArgumentError('Expected the name of a file or folder. Standard output needs no option.');
}

/** A whole number from 0 on. */
export function readNumber(value: string): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('Expected a whole number from 0 on.');
}

/** A whole number from 1 on. */
export function readCount(value: string): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= 1 && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('Expected a whole number from 1 on.');
}

export function readThreads(value: string): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= 1 && number <= MOST_THREADS) return number;
  throw new InvalidArgumentError(`Expected a whole number from 1 to ${MOST_THREADS}.`);
}

export function readPort(value: string): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && number <= 65535) return number;
  throw new InvalidArgumentError('Expected a whole number from 0 to 65535.');
}

/** A whole number from 0 on, or `none`: no bound. */
export function readLimit(value: string): number {
  if (value === 'none') return Infinity;
  try {
    return readNumber(value);
  } catch {
    throw new InvalidArgumentError('Expected a whole number from 0 on, or none.');
  }
}

/** Gathers the values of an option that may be given more than once. */
export function gather(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
