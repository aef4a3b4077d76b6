// What a configuration may say, checked against the rules and against the options of the commands; and the way back,
// for `--print-config`.

import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, type Option } from 'commander';
import type { Severity } from '../errors.ts';
import { type JsonEntry, type JsonNode, JsonProblem } from './json-tree.ts';
import { nearest } from '../nearest.ts';
import type { RuleSettings } from '../rules/settings.ts';
import { ALL_RULES } from './diagnostics/rule-of.ts';

/** Values of options by the names of their attributes, as a command gets them. */
export type Defaults = ReadonlyMap<string, unknown>;

export interface Settings {
  readonly rules: RuleSettings;
  /** For every command that knows them. */
  readonly shared: Defaults;
  /** For one command, by its name. */
  readonly commands: ReadonlyMap<string, Defaults>;
}

export type Kind = 'choice' | 'flag' | 'text' | 'number' | 'limit' | 'paths';

/** Options that a configuration may set: none that names an output, and none that picks parts of an input. */
export const KINDS: Readonly<Record<string, Kind>> = {
  dialect: 'choice',
  completionRole: 'text',
  stopStripped: 'flag',
  requireChannels: 'flag',
  rescue: 'flag',
  color: 'choice',
  quiet: 'flag',
  summary: 'flag',
  format: 'choice',
  form: 'choice',
  field: 'text',
  threads: 'number',
  maxWarnings: 'number',
  maxDiagnostics: 'limit',
  exitZero: 'flag',
  strict: 'flag',
  tools: 'paths',
};

const SEVERITIES: Readonly<Record<string, Severity | 'off'>> = {
  off: 'off', info: 'info', warn: 'warning', error: 'error',
};

/** The settings in a JSON value; paths are relative to `folder`. Throws a JsonProblem. */
export function readSettings(root: JsonNode, program: Command, folder: string): Settings {
  let rules: RuleSettings = {};
  const shared = new Map<string, unknown>();
  const commands = new Map<string, Defaults>();
  const known = settableOf(program);
  const everywhere = new Set([...known.values()].flatMap((options) => [...options.keys()]));
  for (const entry of entriesOf(root, 'a configuration')) {
    const { key, value } = entry;
    const ofCommand = known.get(key);
    // What an editor reads the schema from.
    if (key === '$schema') continue;
    if (key === 'rules') {
      rules = readRules(value);
    } else if (ofCommand) {
      const own = entriesOf(value, 'the defaults of a command').map((one): [string, unknown] => {
        const option = ofCommand.get(one.key);
        const what = 'no option of this command that a configuration may set';
        if (!option) throw unknown(one, what, [...ofCommand.keys()]);
        return [one.key, readValue(one, [option], folder)];
      });
      commands.set(key, new Map(own));
    } else if (everywhere.has(key)) {
      const options = [...known.values()].flatMap((of) => of.get(key) ?? []);
      shared.set(key, readValue(entry, options, folder));
    } else {
      const names = ['rules', ...known.keys(), ...everywhere];
      throw unknown(entry, 'no key of a configuration', names);
    }
  }
  return { rules, shared, commands };
}

/** The options of each command that a configuration may set. */
export function settableOf(program: Command): Map<string, Map<string, Option>> {
  const readers = program.commands.filter((command) => command.options.some(({ long }) => long === '--config'));
  return new Map(readers.map((command) => [command.name(), settable(command)]));
}

/** The options of a command that a configuration may set, by attribute. */
function settable(command: Command): Map<string, Option> {
  const options = command.options.filter((option) => !option.negate && Object.hasOwn(KINDS, option.attributeName()));
  return new Map(options.map((option) => [option.attributeName(), option]));
}

function readRules(node: JsonNode): RuleSettings {
  // Rules are known names only; none of them is one of Object.prototype.
  const rules: Record<string, Severity | 'off'> = {};
  const names: readonly string[] = ALL_RULES;
  for (const entry of entriesOf(node, 'the rules')) {
    if (!names.includes(entry.key)) throw unknown(entry, 'no rule', names);
    rules[entry.key] = SEVERITIES[choice(entry.value, Object.keys(SEVERITIES))]!;
  }
  return rules;
}

function readValue({ key, value }: JsonEntry, options: readonly Option[], folder: string): unknown {
  switch (KINDS[key]!) {
    case 'choice':
      return choice(value, [...new Set(options.flatMap((option) => option.argChoices!))]);
    case 'flag':
      if (value.kind === 'plain' && typeof value.value === 'boolean') return value.value;
      throw new JsonProblem(value.from, 'expected true or false');
    case 'text':
      if (value.kind === 'plain' && typeof value.value === 'string') return parse(options[0]!, value.value, value.from);
      throw new JsonProblem(value.from, 'expected a string');
    case 'number':
      if (value.kind === 'plain' && typeof value.value === 'number') {
        return parse(options[0]!, String(value.value), value.from);
      }
      throw new JsonProblem(value.from, 'expected a number');
    case 'limit':
      if (value.kind === 'plain' && (typeof value.value === 'number' || value.value === 'none')) {
        return parse(options[0]!, String(value.value), value.from);
      }
      throw new JsonProblem(value.from, 'expected a number or "none"');
    case 'paths':
      if (value.kind !== 'list') throw new JsonProblem(value.from, 'expected a list of paths');
      return value.items.map((item) => {
        if (item.kind === 'plain' && typeof item.value === 'string') return resolve(folder, item.value);
        throw new JsonProblem(item.from, 'expected a path');
      });
  }
}

/** As the command line would read it. */
function parse(option: Option, text: string, from: number): unknown {
  if (!option.parseArg) return text;
  try {
    return option.parseArg<unknown>(text, undefined);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new JsonProblem(from, error.message.replace(/^E/, 'e').replace(/\.$/, ''));
  }
}

function choice(node: JsonNode, choices: readonly string[]): string {
  const value = node.kind === 'plain' && typeof node.value === 'string' ? node.value : null;
  if (value !== null && choices.includes(value)) return value;
  const near = value === null ? null : nearest(value, choices);
  throw new JsonProblem(node.from, `expected ${choices.map((one) => `"${one}"`).join(', ')}${suggestion(near)}`);
}

function entriesOf(node: JsonNode, what: string): readonly JsonEntry[] {
  if (node.kind === 'object') return node.entries;
  throw new JsonProblem(node.from, `${what} must be an object`);
}

function unknown({ key, from }: JsonEntry, what: string, names: readonly string[]): JsonProblem {
  return new JsonProblem(from, `this key is ${what}${suggestion(nearest(key, names))}`);
}

const suggestion = (name: string | null): string => (name === null ? '' : `; did you mean ${name}?`);

/** A configuration that says what `values` of a command and the rules say. */
export function settingsText(command: Command, values: Readonly<Record<string, unknown>>, rules: RuleSettings): string {
  const words = Object.entries(SEVERITIES);
  const told = Object.entries(rules).map(([rule, severity]) => [rule, words.find(([, one]) => one === severity)![0]]);
  const own = [...settable(command).keys()].flatMap((name) => {
    const value = values[name] ?? (KINDS[name] === 'flag' ? false : undefined);
    return value === undefined ? [] : [[name, value === Infinity ? 'none' : value]];
  });
  return JSON.stringify({ rules: Object.fromEntries(told), [command.name()]: Object.fromEntries(own) }, null, 2);
}
