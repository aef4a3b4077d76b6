// Options that several commands share, and how their values are read.

import { type Command, InvalidArgumentError, Option } from 'commander';
import { knownRole } from '../model/attributes.ts';
import type { ReadOptions } from '../model/walk.ts';
import { DIALECTS } from '../scan/dialects.ts';
import type { ColorChoice } from './print.ts';

export interface SharedOptions {
  readonly dialect: NonNullable<ReadOptions['dialect']>;
  readonly completionRole?: string;
  readonly stopStripped?: true;
  readonly requireChannels?: true;
  readonly color: ColorChoice;
}

/** Adds what every command that reads transcripts takes. */
export function addSharedOptions(command: Command): Command {
  const dialects = ['auto', ...Object.keys(DIALECTS)];
  return addColorOption(command)
    .addOption(new Option('--dialect <dialect>', 'how to read the text').choices(dialects).default('auto'))
    .addOption(new Option('--completion-role <role>', 'the text is a completion of this role').argParser(readRole))
    .option('--stop-stripped', 'the last stop token was cut off: its end is no finding')
    .option('--require-channels', 'messages of assistants and tools must have a channel');
}

export function addColorOption(command: Command): Command {
  return command.addOption(new Option('--color <when>', 'colours').choices(['auto', 'always', 'never']).default('auto'));
}

export function readOptionsOf(options: SharedOptions): ReadOptions {
  return { dialect: options.dialect, role: options.completionRole, stopStripped: options.stopStripped, requireChannels: options.requireChannels };
}

function readRole(value: string): string {
  if (knownRole(value, false) !== null) return value;
  throw new InvalidArgumentError('Expected system, developer, user, assistant, tool or functions.<name>.');
}

/** A whole number from 0 on. */
export function readNumber(value: string): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('Expected a whole number from 0 on.');
}

/** Gathers the values of an option that may be given more than once. */
export function gather(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
