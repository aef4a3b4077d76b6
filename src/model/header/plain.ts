// Document headers of the usual YAML, read without the YAML library, which is larger than all else that reading takes:
// mappings and lists by indentation or on one line, plain words, numbers, quoted texts, comments. What it reads,
// `yaml.ts` reads the same; whatever else stands in a header is left to that.

import type { RuleName } from '../../errors.ts';
import type { HeaderText, HeaderValue } from './text.ts';

/** What breaks lines in YAML or is easily overlooked: never read here. */
const UNUSUAL = /[\0-\x09\x0b-\x1f\x7f-\xa0\u2028\u2029\ufeff]/;
const KEY = /(?:([A-Za-z_][A-Za-z0-9_-]{0,63})|"((?:[^"\\]|\\.){0,128})"):(?= |$)/y;
const NUMBER = /^-?(?:0|[1-9][0-9]{0,20})(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,3})?$/;
/** Numbers that have a name; plain texts within brackets, and elsewhere. */
const NAMED = /-?\.inf|\.nan/y;
const WORDS = /-?[A-Za-z0-9_\xa1-\uffff][A-Za-z0-9_./@+=*()'\xa1-\uffff-]*(?: [A-Za-z0-9_./@+=*()'\xa1-\uffff-]+)*/y;
const LONG_WORDS =
  /-?[A-Za-z0-9_\xa1-\uffff][\w./@+=*()',;!?\xa1-\uffff-]*(?: [\w./@+=*()',;!?\xa1-\uffff-]+)*/y;
const DATE = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/;
const DOUBLE = /"((?:[^"\\]|\\["\\/bfnrt]|\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4})*)"/y;
const SINGLE = /'((?:[^']|'')*)'/y;
const END = / *(?: #.*)?$/y;
const BLANKS = / */y;

/** Thrown where the text is not of this kind; never leaves this file. */
const OTHER = new Error('not a usual header');

interface Line {
  readonly indent: number;
  readonly text: string;
}

/** What a header says; null: ask YAML. */
export function readPlain(written: string): HeaderText | null {
  const text = written.replaceAll('\r\n', '\n');
  if (UNUSUAL.test(text)) return null;
  const body = text.startsWith('---\n') ? text.slice(4) : text;
  const lines = body.split('\n').filter((line) => !/^ *(?:#|$)/.test(line)).map((line) => {
    const content = line.trimStart();
    return { indent: line.length - content.length, text: content };
  });
  if (lines.some(({ indent, text: line }) => indent === 0 && /^(?:---|\.\.\.|%)/.test(line))) return null;
  try {
    return new HeaderLines(lines).read();
  } catch (error) {
    if (error === OTHER) return null;
    throw error;
  }
}

class HeaderLines {
  readonly #lines: readonly Line[];
  readonly #problems: RuleName[] = [];
  #line = 0;
  /** The text that is read, and how far: a line, or what stands in it behind the marks of a list. */
  #text = '';
  #at = 0;
  #version: string | null = null;

  constructor(lines: readonly Line[]) {
    this.#lines = lines;
  }

  read(): HeaderText {
    const fields: HeaderText['fields'] = Object.create(null);
    if (this.#lines.length > 0) {
      this.#mapping(fields, 0, true);
      if (this.#line < this.#lines.length) throw OTHER;
    }
    return { version: this.#version, fields, problems: this.#problems };
  }

  /** A mapping whose keys stand `indent` columns in. The first one may stand behind a list's mark. */
  #mapping(into: HeaderText['fields'], indent: number, isRoot = false, first = this.#open(indent)): void {
    for (let isOpen = first; isOpen; isOpen = this.#open(indent)) {
      const key = this.#key();
      const from = this.#at + 1;
      const value = this.#skip(END) ? this.#below(indent, true) : this.#behind(' ', false);
      if (isRoot && key === 'version') this.#version = this.#versionOf(value, from);
      this.#put(into, key, isRoot && key === 'version' ? (this.#version ?? value) : value);
    }
  }

  /** A version is what is written: 2.10 is not 2.1. */
  #versionOf(value: HeaderValue, from: number): string {
    if (typeof value === 'string') {
      if (value.trim() !== value || value === '') throw OTHER;
      return value;
    }
    if (typeof value !== 'number') throw OTHER;
    return this.#text.slice(from).replace(/ #.*$/, '').trim();
  }

  #put(into: HeaderText['fields'], key: string, value: HeaderValue): void {
    if (key in into) this.#problems.push('duplicate-key');
    into[key] = value;
  }

  /** Goes to the next line when it begins `indent` columns in; false: the block has ended. */
  #open(indent: number): boolean {
    const line = this.#lines[this.#line];
    if (line === undefined || line.indent < indent) return false;
    if (line.indent > indent) throw OTHER;
    if (/^-(?: |$)/.test(line.text)) return false;
    this.#take(line.text);
    return true;
  }

  #take(text: string): void {
    this.#line++;
    this.#text = text;
    this.#at = 0;
  }

  #key(): string {
    KEY.lastIndex = this.#at;
    const [all, plain, quoted] = KEY.exec(this.#text) ?? [];
    if (all === undefined) throw OTHER;
    if (plain !== undefined && /^(?:null|true|false)$/i.test(plain)) throw OTHER;
    this.#at += all.length;
    return plain ?? unquoted(quoted!);
  }

  /** What stands on further lines below a key or a list's mark; a list below a key need not be indented. */
  #below(indent: number, isKey: boolean): HeaderValue {
    const line = this.#lines[this.#line];
    if (line === undefined) return null;
    const isList = /^-(?: |$)/.test(line.text);
    if (line.indent < indent || (line.indent === indent && !(isList && isKey))) return null;
    if (isList) return this.#list(line.indent);
    const fields: HeaderText['fields'] = Object.create(null);
    this.#mapping(fields, line.indent);
    return fields;
  }

  #list(indent: number): HeaderValue[] {
    const items: HeaderValue[] = [];
    for (;;) {
      const line = this.#lines[this.#line];
      if (line === undefined || line.indent < indent) return items;
      if (line.indent > indent) throw OTHER;
      if (!/^-(?: |$)/.test(line.text)) return items;
      this.#take(line.text);
      this.#at = 1;
      if (this.#skip(END)) items.push(this.#below(indent, false));
      else items.push(this.#item(indent + 2));
    }
  }

  /** What stands behind a list's mark: a value, or a mapping whose further keys stand below its first one. */
  #item(indent: number): HeaderValue {
    KEY.lastIndex = this.#at + 1;
    if (this.#text[this.#at] !== ' ' || !KEY.test(this.#text)) return this.#behind(' ', false);
    this.#at++;
    const fields: HeaderText['fields'] = Object.create(null);
    this.#mapping(fields, indent, false, true);
    return fields;
  }

  /** A value on the line, and the line's end; no further line may go on with it. */
  #behind(mark: string, isFlow: boolean): HeaderValue {
    if (this.#text[this.#at] !== mark) throw OTHER;
    const value = this.#value(isFlow);
    if (!this.#skip(END)) throw OTHER;
    return value;
  }

  #value(isFlow: boolean): HeaderValue {
    this.#skip(BLANKS);
    switch (this.#text[this.#at]) {
      case '"': return unquoted(this.#match(DOUBLE)[1]!);
      case "'": return this.#match(SINGLE)[1]!.replaceAll("''", "'");
      case '[': return this.#flowList();
      case '{': return this.#flowMapping();
      default: return this.#skip(NAMED) ? this.#named() : plainValue(this.#match(isFlow ? WORDS : LONG_WORDS)[0]);
    }
  }

  #named(): number {
    const isNegative = this.#text.startsWith('-.inf', this.#at - 5);
    return this.#text[this.#at - 1] === 'n' ? NaN : isNegative ? -Infinity : Infinity;
  }

  #flowList(): HeaderValue[] {
    const items: HeaderValue[] = [];
    for (let next = this.#opened(']'); next; next = this.#went(']')) items.push(this.#value(true));
    return items;
  }

  #flowMapping(): HeaderText['fields'] {
    const fields: HeaderText['fields'] = Object.create(null);
    for (let next = this.#opened('}'); next; next = this.#went('}')) {
      this.#skip(BLANKS);
      const isQuoted = this.#text[this.#at] === '"';
      const key = isQuoted ? unquoted(this.#match(DOUBLE)[1]!) : this.#key();
      if (isQuoted && (key.length > 900 || this.#text[this.#at++] !== ':')) throw OTHER;
      this.#put(fields, key, this.#value(true));
    }
    return fields;
  }

  /** Behind an opening bracket; false: the closing one follows. */
  #opened(close: string): boolean {
    this.#at++;
    this.#skip(BLANKS);
    if (this.#text[this.#at] !== close) return true;
    this.#at++;
    return false;
  }

  /** Behind an item: over the comma to the next one; false: over the closing bracket. */
  #went(close: string): boolean {
    this.#skip(BLANKS);
    const mark = this.#text[this.#at++];
    if (mark !== ',' && mark !== close) throw OTHER;
    return mark === ',';
  }

  #match(pattern: RegExp): RegExpExecArray {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) throw OTHER;
    this.#at = pattern.lastIndex;
    return match;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }
}

/** A text of one line that stands for itself without quotes. */
export function isWord(text: string): boolean {
  LONG_WORDS.lastIndex = 0;
  const isWhole = LONG_WORDS.test(text) && LONG_WORDS.lastIndex === text.length && !UNUSUAL.test(text);
  return isWhole && isText(text) && !/^(?:true|false|null)$/i.test(text);
}

/** No number, and nothing that YAML may take for one. */
const isText = (text: string): boolean => /^[A-Za-z\xa1-\uffff]/.test(text) || DATE.test(text);

function plainValue(text: string): HeaderValue {
  if (NUMBER.test(text)) return Number(text);
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  if (!isText(text) || /^(?:true|false|null)$/i.test(text)) throw OTHER;
  return text;
}

/** JSON knows all escapes of YAML that are read here but one. */
function unquoted(text: string): string {
  try {
    const json = text.replace(/\\(?:x([0-9A-Fa-f]{2})|.)/g, (all, hex?: string) => (hex ? `\\u00${hex}` : all));
    return JSON.parse(`"${json}"`) as string;
  } catch {
    throw OTHER;
  }
}
