// Document headers: where one opens, where it ends, what its YAML says (R-HEADER-END, R-HEADER-YAML, R-VERSION).
import { CST, isMap, isScalar, isSeq, Lexer, parseDocument, visit } from 'yaml';
import type { Node, YAMLMap } from 'yaml';
import { decode } from './text.ts';
import { isWhite, LF, skipWhite, startsWith, tokensIn } from './tokens.ts';
import type { DialectId, Source } from './tokens.ts';

export interface HeaderSpan {
  readonly from: number;
  readonly to: number;
  /** End of what YAML is to read: without a closing `---` or `...` line. */
  readonly yamlTo: number;
}

export interface HeaderReading {
  /** The dialect that the version asks for. */
  readonly dialect: DialectId;
  /** Does the header give a version at all? */
  readonly declared: boolean;
  /** Does it give a version 1.x (R-1X)? */
  readonly firstMajor: boolean;
  /** Are channels required by an enabled `profiles.harmony`? */
  readonly requireChannels: boolean;
  /** What the lists of capabilities name; null without one. */
  readonly roles: readonly string[] | null;
  readonly channels: readonly string[] | null;
  /** Further tools that are builtin, and the channels of calls where the profile names them (R-BUILTIN). */
  readonly builtins: readonly string[];
  readonly builtinsIn: readonly string[] | null;
  readonly callsIn: readonly string[] | null;
  /** Rules that the header breaks; all stand at its first byte. */
  readonly rules: readonly string[];
}

const MAX_BYTES = 65_536;
const MAX_BRACKETS = 64;
const MAX_INDENTATION = 64;
const MAX_INDICATORS = 16;

/** A header at the start of the input: only a byte order mark and blank lines before it. */
export function headerAtStart(source: Source, names: ReadonlySet<string>): HeaderSpan | null {
  const { bytes } = source;
  let line = source.start;
  for (let at = line; at < bytes.length && isWhite(bytes[at]); at++) if (bytes[at] === LF) line = at + 1;
  const opens = isRule(bytes, line, '---') || bytes[line] === 0x23 || keyLength(bytes, line) > 0;
  return opens ? headerSpan(source, names, line) : null;
}

/** Does a header open at `line`, the first byte of a line in a gap, away from the start of the input? */
export function opensLaterHeader(bytes: Uint8Array, line: number): boolean {
  return isRule(bytes, line, '---') || (startsWith(bytes, line, 'version:') && keyLength(bytes, line) > 0);
}

/** The whole header that opens at `from`; `names` are the tokens that end it at the beginning of a line. */
export function headerSpan(source: Source, names: ReadonlySet<string>, from: number): HeaderSpan {
  const { bytes } = source;
  let content = false;
  let line = from;
  while (line < bytes.length) {
    const next = nextLine(bytes, line);
    for (const token of tokensIn(source, names, line, next)) {
      const stops = token.from === line || (token.name === 'start' && isLetter(bytes[token.to]));
      if (stops) return { from, to: token.from, yamlTo: token.from };
    }
    const rule = isRule(bytes, line, '---') || isRule(bytes, line, '...');
    if (rule && content) return { from, to: next, yamlTo: line };
    const first = skipWhite(bytes, line, next);
    if (!rule && first < next && bytes[first] !== 0x23) content = true;
    line = next;
  }
  return { from, to: bytes.length, yamlTo: bytes.length };
}

function nextLine(bytes: Uint8Array, from: number): number {
  const end = bytes.indexOf(LF, from);
  return end < 0 ? bytes.length : end + 1;
}

function isLetter(byte: number | undefined): boolean {
  return byte !== undefined && ((byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a));
}

/** Is the line at `line` the three characters `rule` and nothing but white space after them? */
function isRule(bytes: Uint8Array, line: number, rule: string): boolean {
  if (!startsWith(bytes, line, rule)) return false;
  let at = line + rule.length;
  while (at < bytes.length && bytes[at] !== LF && isWhite(bytes[at])) at++;
  return at === bytes.length || bytes[at] === LF;
}

/** Length of `[A-Za-z_][A-Za-z0-9_-]*:` before SP, HTAB or end of line; 0 when the line does not begin so. */
function keyLength(bytes: Uint8Array, line: number): number {
  let at = line;
  while (isKeyByte(bytes[at], at === line)) at++;
  if (at === line || bytes[at] !== 0x3a) return 0;
  return at + 1 === bytes.length || isWhite(bytes[at + 1]) ? at + 1 - line : 0;
}

function isKeyByte(byte: number | undefined, first: boolean): boolean {
  if (isLetter(byte) || byte === 0x5f) return true;
  return !first && byte !== undefined && ((byte >= 0x30 && byte <= 0x39) || byte === 0x2d);
}

export function readHeader(bytes: Uint8Array, span: HeaderSpan): HeaderReading {
  if (exceedsLimits(bytes.subarray(span.from, span.to))) return unusable('header-limit');
  const root = readYaml(decode(bytes, span.from, span.yamlTo));
  if (root === 'bad-yaml' || root === 'not-a-mapping') return unusable(root);
  if (root === null) return unusable('missing-version');
  const rules = duplicateKeys(root);
  const version = versionText(lookUp(root, 'version'));
  const capabilities = lookUp(root, 'capabilities');
  const harmony = lookUp(lookUp(root, 'profiles'), 'harmony');
  const enabled = lookUp(harmony, 'enabled');
  const isOn = isScalar(enabled) && enabled.value === true;
  const said = {
    requireChannels: requiresChannels(root),
    roles: textsOf(lookUp(capabilities, 'roles')),
    channels: textsOf(lookUp(capabilities, 'channels')),
    builtins: textsOf(lookUp(lookUp(root, 'generation_settings'), 'builtin_tools')) ?? [],
    builtinsIn: isOn ? channelsOf(lookUp(harmony, 'builtins_in')) : null,
    callsIn: isOn ? channelsOf(lookUp(harmony, 'tool_calls_in')) : null,
  };
  const bad = badValues(root, version);
  if (version === null) {
    return {
      dialect: 'openchatml-2.2', declared: false, firstMajor: false, ...said,
      rules: [...rules, 'missing-version', ...bad],
    };
  }
  const { dialect, rule } = judgeVersion(version);
  const firstMajor = rule === null && Number(version.split('.')[0]) === 1;
  return {
    dialect, declared: true, firstMajor, ...said, rules: [...(rule === null ? rules : [...rules, rule]), ...bad],
  };
}

function unusable(rule: string): HeaderReading {
  return {
    dialect: 'openchatml-2.2', declared: false, firstMajor: false, requireChannels: false, roles: null, channels: null,
    builtins: [], builtinsIn: null, callsIn: null, rules: [rule],
  };
}

function textsOf(node: unknown): string[] | null {
  if (!isSeq(node)) return null;
  return node.items.flatMap((item) => (isScalar(item) && typeof item.value === 'string' ? [item.value] : []));
}

function channelsOf(node: unknown): string[] | null {
  return isScalar(node) && typeof node.value === 'string' ? [node.value] : textsOf(node);
}

/** Values that no document allows, one finding each (R-CONFORM). */
function badValues(root: YAMLMap, version: string | null): string[] {
  const settings = lookUp(root, 'generation_settings');
  const value = (key: string): unknown => {
    const pair = isMap(settings) ? settings.items.findLast((item) => keyText(item.key) === key) : undefined;
    if (pair === undefined) return undefined;
    return isScalar(pair.value) ? pair.value.value : isSeq(pair.value) ? pair.value.items : pair.value;
  };
  const [effort, temperature, tools] = [value('reasoning_effort'), value('temperature'), value('builtin_tools')];
  const areNames = Array.isArray(tools)
    && tools.every((item) => isScalar(item) && typeof item.value === 'string' && item.value !== '');
  return [
    version !== null && !/^[0-9]+[.][0-9]+$/.test(version),
    effort !== undefined && effort !== 'low' && effort !== 'medium' && effort !== 'high',
    temperature !== undefined && !Number.isFinite(temperature),
    tools !== undefined && !areNames,
  ].filter((isBad) => isBad).map(() => 'bad-header-value');
}

/** Bounds on the raw bytes, quotes not looked at, so that YAML never sees a header that is built to hurt it. */
function exceedsLimits(bytes: Uint8Array): boolean {
  if (bytes.length > MAX_BYTES) return true;
  let brackets = 0;
  let indentation = 0;
  let indenting = true;
  let indicators = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === 0x5b || byte === 0x7b) brackets++;
    const blank = byte === 0x20 || byte === 0x09;
    if (byte === LF || byte === 0x0d) {
      indenting = true;
      indentation = 0;
      indicators = 0;
    } else if (!blank) {
      indenting = false;
      const indicator = (byte === 0x2d || byte === 0x3f) && (bytes[at + 1] === 0x20 || bytes[at + 1] === 0x09);
      indicators = indicator ? indicators + 1 : 0;
    } else if (indenting) {
      indentation++;
    }
    if (brackets > MAX_BRACKETS || indentation > MAX_INDENTATION || indicators > MAX_INDICATORS) return true;
  }
  return false;
}

/** The mapping at the root; null for a header without any content. */
function readYaml(text: string): YAMLMap | null | 'bad-yaml' | 'not-a-mapping' {
  try {
    for (const source of new Lexer().lex(text)) {
      const type = CST.tokenType(source);
      if (type === 'alias' || type === 'tag') return 'bad-yaml';
    }
    // Duplicate keys are looked for below, in linear time and with one finding for each.
    const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false, logLevel: 'error' });
    if (document.errors.length > 0) return 'bad-yaml';
    const root = document.contents as Node | null;
    if (root === null || (isScalar(root) && root.value === null && !root.source)) return null;
    if (hasComplexKey(root)) return 'bad-yaml';
    return isMap(root) ? root : 'not-a-mapping';
  } catch {
    return 'bad-yaml';
  }
}

function hasComplexKey(root: Node): boolean {
  let complex = false;
  visit(root, {
    Pair(_, pair) {
      if (pair.key !== null && !isScalar(pair.key)) complex = true;
    },
  });
  return complex;
}

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : '';
}

/** One `duplicate-key` for each further occurrence, in mappings of any depth. */
function duplicateKeys(root: Node): string[] {
  const rules: string[] = [];
  visit(root, {
    Map(_, map) {
      const seen = new Set<string>();
      for (const pair of map.items) {
        const key = keyText(pair.key);
        if (seen.has(key)) rules.push('duplicate-key');
        seen.add(key);
      }
    },
  });
  return rules;
}

/** The last value of a key: where a key stands twice the last wins, as in a message header's field. */
function lookUp(node: unknown, key: string): unknown {
  if (!isMap(node)) return null;
  return node.items.findLast((pair) => keyText(pair.key) === key)?.value ?? null;
}

/** The version as it is written: 2.10 is not 2.1. Null when there is none. */
function versionText(node: unknown): string | null {
  if (!isScalar(node)) return node === null ? null : '';
  if (node.value === null) return null;
  return (node.source ?? String(node.value)).trim() || null;
}

function judgeVersion(version: string): { dialect: DialectId; rule: string | null } {
  const [major, minor = '0'] = /^[0-9]+(?:\.[0-9]+)?$/.test(version) ? version.split('.') : ['', ''];
  if (version === '2.0') return { dialect: 'openchatml-2.0', rule: null };
  if (Number(major) === 2 && major !== '') {
    return { dialect: 'openchatml-2.2', rule: Number(minor) > 2 ? 'newer-version' : null };
  }
  if (Number(major) === 1) return { dialect: 'openchatml-2.2', rule: null };
  return { dialect: 'openchatml-2.2', rule: 'unsupported-version' };
}

function requiresChannels(root: Node): boolean {
  const harmony = lookUp(lookUp(root, 'profiles'), 'harmony');
  const enabled = lookUp(harmony, 'enabled');
  const required = lookUp(harmony, 'require_channels');
  if (!isScalar(enabled) || enabled.value !== true) return false;
  // Whatever it says but no: what hides fails closed.
  if (isSeq(required)) return required.items.length > 0;
  return isScalar(required) ? required.value !== null && required.value !== false : required !== null;
}
