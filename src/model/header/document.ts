// Document headers: what they say (R-HEADER-YAML, R-VERSION, R-DETECT).

import type { RuleName } from '../../errors.ts';
import type { DialectId } from '../../scan/dialects.ts';
import { decodeUtf8 } from '../../utf8.ts';
import { LF } from '../bytes.ts';
import { readPlain } from './plain.ts';
import type { HeaderValue, ReadYaml } from './text.ts';

export interface DocumentHeader {
  /** The version as it is written, `2.10` for example; null when there is none that can be read. */
  readonly version: string | null;
  /** All keys, in null-prototype objects; null when the header cannot be read. */
  readonly fields: { [key: string]: HeaderValue } | null;
  /** The dialect that the version asks for. */
  readonly dialect: DialectId;
  /** `profiles.harmony` is enabled. */
  readonly harmony: boolean;
  /** `profiles.harmony` is enabled with `require_channels`. */
  readonly requiresChannels: boolean;
  /** Names of builtin tools that `generation_settings` lists (R-BUILTIN). */
  readonly builtins: readonly string[];
  /** Channels that the profile allows for calls, where it says so (R-BUILTIN). */
  readonly callChannels: CallChannels;
  /** What the lists of `capabilities` name; null: there is none. */
  readonly roles: readonly string[] | null;
  readonly channels: readonly string[] | null;
  /** What is wrong; all stand at the header's first byte. */
  readonly problems: readonly HeaderProblem[];
}

export interface HeaderProblem {
  readonly rule: RuleName;
  readonly detail?: string;
}

export interface CallChannels {
  readonly builtins: readonly string[] | null;
  readonly functions: readonly string[] | null;
}

const ANY_CHANNEL: CallChannels = { builtins: null, functions: null };
const NONE: readonly never[] = [];

/** Bounds on raw bytes; a bound itself is still allowed. */
export const HEADER_BYTES = 64 * 1024;
const BRACKETS = 64;
const INDENTATION = 64;
const INDICATORS = 16;

/**
 * Reads the bytes of a whole document header, its `---` lines included; more than HEADER_BYTES need not be given.
 * `lineEnded`: its last line is a whole one (the input ends there, if no newline does it). `readYaml`: reads what is
 * more than the usual YAML; without it, that cannot be read.
 */
export function readDocumentHeader(bytes: Uint8Array, lineEnded: boolean, readYaml?: ReadYaml): DocumentHeader {
  if (exceedsBounds(bytes)) return unreadable('header-limit');
  const text = decodeUtf8(bytes.subarray(0, lineEnded ? yamlLength(bytes) : bytes.length));
  const read = readPlain(text) ?? readYaml?.(text);
  if (read === undefined) return unreadable('bad-yaml', 'it is read where the option `yaml` gives a reader');
  if (typeof read === 'string') return unreadable(read);
  const { version, fields } = read;
  const { dialect, problem } = judge(version);
  const capabilities = property(fields, 'capabilities');
  const harmony = property(property(fields, 'profiles'), 'harmony');
  const enabled = property(harmony, 'enabled') === true;
  const required = property(harmony, 'require_channels');
  return {
    version,
    fields,
    dialect,
    harmony: enabled,
    // Whatever it says but no: a setting that hides fails closed.
    requiresChannels: enabled && required != null && required !== false
      && !(Array.isArray(required) && required.length === 0),
    builtins: builtinsOf(fields),
    callChannels: callChannelsOf(fields),
    roles: texts(property(capabilities, 'roles')),
    channels: texts(property(capabilities, 'channels')),
    problems: [...read.problems, ...(problem ? [problem] : NONE)].map((rule) => ({ rule })),
  };
}

function unreadable(rule: RuleName, detail?: string): DocumentHeader {
  return {
    version: null,
    fields: null,
    dialect: 'openchatml-2.2',
    harmony: false,
    requiresChannels: false,
    builtins: NONE,
    callChannels: ANY_CHANNEL,
    roles: null,
    channels: null,
    problems: [detail === undefined ? { rule } : { rule, detail }],
  };
}

/** Counts on the raw bytes, quotes not looked at: nesting can never exceed the number of openers. */
function exceedsBounds(bytes: Uint8Array): boolean {
  if (bytes.length > HEADER_BYTES) return true;
  let brackets = 0;
  let indentation = 0;
  let indicators = 0;
  let indenting = true;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === 0x5b || byte === 0x7b) brackets++;
    if (byte === LF || byte === 0x0d) {
      indenting = true;
      indentation = indicators = 0;
    } else if (byte === 0x20 || byte === 0x09) {
      if (indenting) indentation++;
    } else {
      indenting = false;
      const isIndicator = (byte === 0x2d || byte === 0x3f) && (bytes[at + 1] === 0x20 || bytes[at + 1] === 0x09);
      indicators = isIndicator ? indicators + 1 : 0;
    }
    if (brackets > BRACKETS || indentation > INDENTATION || indicators > INDICATORS) return true;
  }
  return false;
}

/** Length without a closing `---` or `...` line. */
function yamlLength(bytes: Uint8Array): number {
  let end = bytes.length;
  while (end > 0
    && (bytes[end - 1] === LF || bytes[end - 1] === 0x0d || bytes[end - 1] === 0x20 || bytes[end - 1] === 0x09)) end--;
  const line = bytes.lastIndexOf(LF, end - 1) + 1;
  const mark = bytes[line];
  const closes = line > 0 && end === line + 3 && (mark === 0x2d || mark === 0x2e) && bytes[line + 1] === mark
    && bytes[line + 2] === mark;
  return closes && hasContent(bytes, line) ? line : bytes.length;
}

/** True when a line before `to` holds more than blanks, a comment, or a marker. */
function hasContent(bytes: Uint8Array, to: number): boolean {
  return decodeUtf8(bytes.subarray(0, to)).split('\n').some((line) => {
    const text = line.replace(/^[ \t\r]+/, '');
    return text !== '' && !text.startsWith('#') && !isMarker(line);
  });
}

function isMarker(line: string): boolean {
  return (line.startsWith('---') || line.startsWith('...')) && /^[ \t\r]*$/.test(line.slice(3));
}

function judge(version: string | null): { dialect: DialectId; problem: RuleName | null } {
  const read = (problem: RuleName | null, dialect: DialectId = 'openchatml-2.2') => ({ dialect, problem });
  if (version === null) return read('missing-version');
  if (version === '2.0') return read(null, 'openchatml-2.0');
  const numbers = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(version);
  const major = Number(numbers?.[1] ?? 0);
  if (major === 2) return read(Number(numbers?.[2] ?? 0) > 2 ? 'newer-version' : null);
  return read(major === 1 ? null : 'unsupported-version');
}

export function property(value: HeaderValue | undefined, key: string): HeaderValue | undefined {
  return value && typeof value === 'object' && !Array.isArray(value) ? value[key] : undefined;
}

/** The texts of a list; null: it is no list. */
function texts(value: HeaderValue | undefined): readonly string[] | null {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : null;
}

/** Names of builtin tools that the fields of a header list (R-BUILTIN). */
export const builtinsOf = (fields: HeaderValue | null): readonly string[] =>
  texts(property(property(fields ?? undefined, 'generation_settings'), 'builtin_tools')) ?? NONE;

/** Channels that the profile in the fields of a header allows for calls (R-BUILTIN). */
export function callChannelsOf(fields: HeaderValue | null): CallChannels {
  const harmony = property(property(fields ?? undefined, 'profiles'), 'harmony');
  if (property(harmony, 'enabled') !== true) return ANY_CHANNEL;
  return { builtins: channelsIn(harmony, 'builtins_in'), functions: channelsIn(harmony, 'tool_calls_in') };
}

/** A channel, or a list of channels. */
function channelsIn(profile: HeaderValue | undefined, key: string): readonly string[] | null {
  const value = property(profile, key);
  return typeof value === 'string' ? [value] : texts(value);
}
