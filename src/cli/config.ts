// The configuration: a file of JSON, the nearest one upwards from the working directory. It says how severe rules are,
// and gives defaults for options: of every command that knows them, or of one. What stands on the command line wins.
//
//   { "rules": { "missing-channel": "off" }, "dialect": "harmony", "check": { "format": "concise" } }

import { closeSync, fstatSync, openSync, readSync, constants } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { attempt, InputError, systemReason } from '../corpus/error.ts';
import { existsAt } from '../corpus/input/stamp.ts';
import { readSettings, type Settings } from './config-read.ts';
import { JsonProblem, readJson } from './json-tree.ts';

export const CONFIG_NAME = 'openchatml.config.json';
/** What people may write instead, and would wonder about. */
const OTHER_NAMES = ['openchatml.config.yaml', 'openchatml.config.yml'];
/** Bytes of a file that is read. */
const LARGEST = 256 * 1024;

export interface Config extends Settings {
  /** The file; null: there is none. */
  readonly file: string | null;
}

const NONE: Config = { file: null, rules: {}, shared: new Map(), commands: new Map() };

/**
 * The configuration of a run. `choice`: a file; false: none; undefined: the nearest one. `program`: all commands with
 * their options. Throws an InputError, which tells file and place, and nothing that stands in the file.
 */
export function loadConfig(choice: string | false | undefined, program: () => Command): Config {
  if (choice === false) return NONE;
  const folder = workingFolder();
  const file = choice === undefined ? folder && findConfig(folder) : folder === null ? choice : resolve(folder, choice);
  if (file === null) return NONE;
  const text = readText(file);
  try {
    return { file, ...readSettings(readJson(text), program(), dirname(file)) };
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    throw new InputError(`${file}:${placeOf(text, error.from)}`, error.reason, '', error);
  }
}

/** The working directory; null: it was removed, and everything may still be named from the root on. */
const workingFolder = (): string | null => attempt(() => process.cwd(), null);

/** The nearest configuration from a folder upwards, or null. Throws an InputError when it is written in YAML. */
export function findConfig(folder: string): string | null {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (existsAt(join(at, CONFIG_NAME))) return join(at, CONFIG_NAME);
    const other = OTHER_NAMES.find((name) => existsAt(join(at, name)));
    if (other !== undefined) {
      const remedy = `write it as ${CONFIG_NAME}, or give --no-config`;
      throw new InputError(join(at, other), 'is no configuration that is read: only JSON is', remedy);
    }
    if (dirname(at) === at) return null;
  }
}

/** Takes over what the command line leaves open. Answers with the values that count, flags only where they are set. */
export function applyConfig(command: Command, { shared, commands, rules }: Config): Record<string, unknown> {
  const own = commands.get(command.name());
  for (const option of command.options) {
    const name = option.attributeName();
    const general = shared.get(name);
    const isForIt = option.argChoices === undefined || option.argChoices.includes(String(general));
    const value = own?.get(name) ?? (isForIt ? general : undefined);
    const source = command.getOptionValueSource(name);
    if (value !== undefined && (source === undefined || source === 'default')) {
      command.setOptionValueWithSource(name, value, 'config');
    }
  }
  const { config: _, printConfig: __, ...values } = command.opts<Record<string, unknown>>();
  for (const [name, value] of Object.entries(values)) if (value === false) delete values[name];
  if (Object.keys(rules).length > 0) values['rules'] = rules;
  return values;
}

function readText(file: string): string {
  let fd: number | undefined;
  try {
    // What is no file may block before it can be refused.
    fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const status = fstatSync(fd);
    if (!status.isFile()) throw new InputError(file, 'is not a regular file');
    const bytes = new Uint8Array(LARGEST + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length <= LARGEST; length += read) {
      read = readSync(fd, bytes, length, bytes.length - length, null);
    }
    if (length > LARGEST) throw new InputError(file, `is larger than ${LARGEST} bytes`);
    return decode(file, bytes.subarray(0, length));
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(file, `cannot be read: ${systemReason(error)}`, '', error);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function decode(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new InputError(file, 'is not UTF-8');
  }
}

/** Line and column, in code points from 1. */
function placeOf(text: string, at: number): string {
  const before = text.slice(0, at);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  return `${before.split('\n').length}:${[...line].length + 1}`;
}
