// The commands of a program, as the scripts for shells know them.

import type { Command, Option } from 'commander';
import { RULES } from '../../errors.ts';

export const SHELLS = ['bash', 'zsh', 'fish', 'pwsh'] as const;
export type Shell = (typeof SHELLS)[number];

/** A command as the scripts know it. */
export interface Completed {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CompletedOption[];
  /** What its arguments may be; null: files. */
  readonly words: readonly string[] | null;
}

export interface CompletedOption {
  /** `--format`, and `-q` where there is one. */
  readonly long: string;
  readonly short: string | undefined;
  readonly description: string;
  /** What comes behind it. */
  readonly value: 'none' | 'choice' | 'file' | 'free';
  readonly choices: readonly string[];
}

/** The commands of a program, `help` last. */
export function completedOf(program: Command): Completed[] {
  const commands = program.commands.map((command): Completed => ({
    name: command.name(),
    description: command.description(),
    options: [...command.options.filter((option) => !option.hidden).map(optionOf), HELP],
    words: wordsOf(command.name()),
  }));
  const names = commands.map(({ name }) => name);
  return [...commands, { name: 'help', description: 'print how a command is used', options: [], words: names }];
}

const HELP: CompletedOption = {
  long: '--help', short: '-h', description: 'print how it is used', value: 'none', choices: [],
};

function optionOf(option: Option): CompletedOption {
  const { long, short, description, argChoices: choices = [], flags } = option;
  const takes = option.required || option.optional;
  const value = !takes ? 'none' : choices.length > 0 ? 'choice' : /<(?:file|folder)>/.test(flags) ? 'file' : 'free';
  return { long: long!, short, description, value, choices };
}

/** Commands whose arguments are no files. */
function wordsOf(name: string): readonly string[] | null {
  if (name === 'completion') return SHELLS;
  if (name === 'serve') return [];
  if (name !== 'explain') return null;
  const codes = Object.values(RULES).flatMap(({ code }) => code ?? []);
  return [...Object.keys(RULES), ...new Set(codes)];
}
