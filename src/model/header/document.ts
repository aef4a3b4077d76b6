// Document headers: what their YAML says (R-HEADER-YAML, R-VERSION, R-DETECT), and how it is written. The only importer of `yaml`.
//
// A header is untrusted. A few hundred bytes of nested brackets keep the library busy for seconds and can abort the process,
// so raw bytes are bounded before it sees them, aliases, tags and complex keys are refused, and values are built here, not by it.

import { CST, Document, isAlias, isMap, isScalar, isSeq, Lexer, parseAllDocuments, type Node, visit, type YAMLMap } from 'yaml';
import type { RuleName } from '../../errors.ts';
import type { DialectId } from '../../scan/dialects.ts';
import { decodeUtf8 } from '../../utf8.ts';
import { LF } from '../bytes.ts';

export type HeaderValue = string | number | boolean | null | HeaderValue[] | { [key: string]: HeaderValue };

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
  /** What is wrong; all stand at the header's first byte. */
  readonly problems: readonly RuleName[];
}

/** Bounds on raw bytes; a bound itself is still allowed. */
export const HEADER_BYTES = 64 * 1024;
const BRACKETS = 64;
const INDENTATION = 64;
const INDICATORS = 16;

/**
 * Reads the bytes of a whole document header, its `---` lines included; more than HEADER_BYTES need not be given.
 * `lineEnded`: its last line is a whole one (the input ends there, if no newline does it).
 */
export function readDocumentHeader(bytes: Uint8Array, lineEnded: boolean): DocumentHeader {
  if (exceedsBounds(bytes)) return unreadable('header-limit');
  const root = readYaml(decodeUtf8(bytes.subarray(0, lineEnded ? yamlLength(bytes) : bytes.length)));
  if (typeof root === 'string') return unreadable(root);
  const problems: RuleName[] = [];
  const fields = root ? (convert(root, problems) as { [key: string]: HeaderValue }) : Object.create(null);
  const version = root ? versionOf(root) : null;
  const { dialect, problem } = judge(version);
  if (problem) problems.push(problem);
  const harmony = property(property(fields, 'profiles'), 'harmony');
  const enabled = property(harmony, 'enabled') === true;
  const required = property(harmony, 'require_channels');
  return {
    version,
    fields,
    dialect,
    harmony: enabled,
    // Whatever it says but no: a setting that hides fails closed.
    requiresChannels: enabled && required != null && required !== false && !(Array.isArray(required) && required.length === 0),
    problems,
  };
}

function unreadable(problem: RuleName): DocumentHeader {
  return { version: null, fields: null, dialect: 'openchatml-2.2', harmony: false, requiresChannels: false, problems: [problem] };
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
  while (end > 0 && (bytes[end - 1] === LF || bytes[end - 1] === 0x0d || bytes[end - 1] === 0x20 || bytes[end - 1] === 0x09)) end--;
  const line = bytes.lastIndexOf(LF, end - 1) + 1;
  const mark = bytes[line];
  const closes = line > 0 && end === line + 3 && (mark === 0x2d || mark === 0x2e) && bytes[line + 1] === mark && bytes[line + 2] === mark;
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

/** The mapping at the root; null for a header without content; or what is wrong. */
function readYaml(text: string): YAMLMap | null | RuleName {
  try {
    for (const token of new Lexer().lex(text)) {
      const type = CST.tokenType(token);
      if (type === 'alias' || type === 'tag') return 'bad-yaml';
    }
    // Duplicate keys are found below: the library's own search takes quadratic time.
    const documents = parseAllDocuments(text, { uniqueKeys: false, merge: false, prettyErrors: false, logLevel: 'silent' });
    if (!Array.isArray(documents)) return null;
    const [document] = documents;
    if (documents.length !== 1 || !document || document.errors.length > 0) return documents.length === 0 ? null : 'bad-yaml';
    const root = document.contents as Node | null;
    if (root === null || (isScalar(root) && root.value === null && !root.source)) return null;
    if (!isPlain(root)) return 'bad-yaml';
    return isMap(root) ? root : 'not-a-mapping';
  } catch {
    return 'bad-yaml';
  }
}

/** No aliases and no complex keys, at any depth. */
function isPlain(node: unknown): boolean {
  if (isAlias(node)) return false;
  if (isMap(node)) return node.items.every((pair) => (pair.key === null || isScalar(pair.key)) && isPlain(pair.value));
  return !isSeq(node) || node.items.every(isPlain);
}

const keyText = (key: unknown): string => (isScalar(key) ? String(key.value) : '');

/** A value without the library's classes; the last of equal keys stays. */
function convert(node: unknown, problems: RuleName[]): HeaderValue {
  if (isMap(node)) {
    const object: { [key: string]: HeaderValue } = Object.create(null);
    for (const pair of node.items) {
      const key = keyText(pair.key);
      if (key in object) problems.push('duplicate-key');
      object[key] = convert(pair.value, problems);
    }
    return object;
  }
  if (isSeq(node)) return node.items.map((item) => convert(item, problems));
  if (!isScalar(node)) return null;
  const { value } = node;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : value == null ? null : String(value);
}

/** The version as text: 2.10 is not 2.1. Empty text: there is one, but no scalar. */
function versionOf(root: YAMLMap): string | null {
  const node = root.items.findLast((pair) => keyText(pair.key) === 'version')?.value;
  if (node === null || node === undefined) return null;
  if (!isScalar(node)) return '';
  if (node.value === null) return null;
  return (node.source ?? String(node.value)).trim() || null;
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

function property(value: HeaderValue | undefined, key: string): HeaderValue | undefined {
  return value && typeof value === 'object' && !Array.isArray(value) ? value[key] : undefined;
}

/** Headers by what they say, of late: a corpus repeats them, and YAML is slow. */
const written = new Map<string, string>();
const REMEMBERED = 64;

/** As what is told apart from all else: JSON has no word for some numbers. */
function distinct(value: HeaderValue): HeaderValue {
  if (typeof value === 'number') return Object.is(value, -0) ? 'n-0' : `n${value}`;
  return typeof value === 'string' ? `s${value}` : value;
}

/**
 * The text of a document header, its last newline included: the version first, as it is given, then the other fields in their
 * order. Null when the reader would not read the same from it: beyond a bound, or a value that YAML cannot hold.
 */
export function writeDocumentHeader(version: string, fields: { readonly [key: string]: HeaderValue }): string | null {
  const others = withoutVersion(fields);
  const first = `version: ${version}\n`;
  if (Object.keys(others).length === 0) return first;
  try {
    const key = first + JSON.stringify(others, (_, value) => distinct(value));
    if (key.length > 4 * HEADER_BYTES) return null;
    const known = written.get(key);
    if (known !== undefined) return known;
    // Deep values are beyond the bounds on block style, and on one line within those on flow style.
    for (const style of [blockText, flowText]) {
      const text = first + style(others).replace(/<(?=\|start\|>[A-Za-z])/g, '\\x3c');
      const read = readDocumentHeader(new TextEncoder().encode(text), true);
      const isClean = read.problems.every((problem) => problem === 'newer-version');
      if (isClean && read.version === version && read.fields && isEqual(withoutVersion(read.fields), others)) {
        if (written.size >= REMEMBERED) written.clear();
        written.set(key, text);
        return text;
      }
    }
  } catch {
    // Values nested too deep for the library, or for JSON.
  }
  return null;
}

/** Strings that hold a token or several lines would end the header (R-HEADER-END): in double quotes they do not begin a line. */
function blockText(fields: { [key: string]: HeaderValue }): string {
  const document = new Document(fields, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && /<\||[\r\n]/.test(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Infinity });
}

/** JSON is YAML, but for a few numbers. */
function flowText(fields: { [key: string]: HeaderValue }): string {
  return Object.entries(fields).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}\n`).join('');
}

function withoutVersion(fields: { readonly [key: string]: HeaderValue }): { [key: string]: HeaderValue } {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => key !== 'version'));
}

function isEqual(a: HeaderValue | undefined, b: HeaderValue | undefined): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return left.length === right.size && left.every(([key, value]) => right.has(key) && isEqual(value, right.get(key)));
}
