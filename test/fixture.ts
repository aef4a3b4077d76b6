// Reads the pages of fixtures/cases (fixtures/README.md has the format) and prints offset tables as they do.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as abi from '../src/abi.ts';
import { CHANNEL_NAMES, ROLE_NAMES, TOKEN_NAMES } from '../src/scan/dialects.ts';
import type { ReadOptions } from '../src/model/walk.ts';
import { rescue, type StreamRescue } from '../src/runtime/stream/rescue.ts';

export const CASES = new URL('../fixtures/cases/', import.meta.url).pathname;

export interface Fixture {
  /** TOPIC/NAME */
  name: string;
  page: string;
  input: Uint8Array;
  options: Omit<ReadOptions, 'rescue'> & { readonly rescue?: StreamRescue };
  messages: Record<string, unknown>[];
  diagnostics: {
    severity: string;
    code: string | null;
    rule: string;
    from: number;
    to: number | null;
    transcript: number;
  }[];
  sequence: string[];
  rows: string[] | null;
}

export function readFixtures(): Fixture[] {
  const pages = readdirSync(CASES, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
  return pages.sort().map((path) => readFixture(path.slice(0, -3)));
}

function readFixture(name: string): Fixture {
  const page = readFileSync(join(CASES, `${name}.md`), 'utf8');
  const blocks = new Map<string, string[]>();
  let block: string[] | undefined;
  for (const line of page.split('\n')) {
    if (block) {
      if (line === '```') block = undefined;
      else block.push(line);
    } else if (line.startsWith('```')) {
      block = [];
      blocks.set(line.slice(3), block);
    }
  }
  const lines = (word: string): string[] => blocks.get(word) ?? [];
  for (const word of ['options', 'messages', 'diagnostics']) {
    if (!blocks.has(word)) throw new Error(`${name}.md has no block ${word}`);
  }
  const options = Object.fromEntries(lines('options').map((line) => line.split(': ')));
  return {
    name,
    page,
    input: new Uint8Array(readFileSync(join(CASES, `${name}.txt`))),
    options: {
      dialect: options.dialect,
      ...(options.role && { role: options.role }),
      ...(options.stopStripped && { stopStripped: options.stopStripped === 'true' }),
      ...(options.rescue === 'true' && { rescue }),
    },
    messages: lines('messages').map(readMessage),
    diagnostics: lines('diagnostics').map(readDiagnostic),
    sequence: lines('sequence'),
    rows: blocks.get('rows') ?? null,
  };
}

const NULLABLE = ['role', 'name', 'recipient', 'explicit_channel', 'content_type', 'intent', 'call_id'];

function readMessage(line: string): Record<string, unknown> {
  const [place, ...rest] = line.split(' ');
  const [transcript, index] = place!.split('/').map(Number);
  const message: Record<string, unknown> = { transcript, index, visible: false };
  for (const key of NULLABLE) message[key] = null;
  let left = rest.join(' ');
  while (left !== '') {
    const [, key, quoted, bare] = /^([a-z_-]+)(?:=(?:("(?:[^"\\]|\\.)*")|([^ ]*)))?(?: |$)/.exec(left)!;
    left = left.slice(/^([a-z_-]+)(?:=(?:("(?:[^"\\]|\\.)*")|([^ ]*)))?(?: |$)/.exec(left)![0].length);
    const value = quoted === undefined ? bare : (JSON.parse(quoted) as string);
    if (key === 'visible') message['visible'] = true;
    else if (key === 'body') [message['body_from'], message['body_to']] = value!.split('..').map(Number);
    else if (key === 'from' || key === 'to' || key === 'content-length') message[key] = Number(value);
    else message[key!] = value;
  }
  return message;
}

function readDiagnostic(line: string): Fixture['diagnostics'][number] {
  const [severity, code, rule, span, transcript] = line.split(' ') as [string, string, string, string, string];
  const [from, to] = span.split('..') as [string, string];
  return {
    severity,
    code: code === '-' ? null : code,
    rule,
    from: Number(from),
    to: to === '*' ? null : Number(to),
    transcript: Number(transcript),
  };
}

const KINDS = [
  '', 'message', 'field', 'body', 'mark', 'literal', 'escape', 'stray', 'trailing', 'header', 'text', 'bound', 'file',
];
const MESSAGE_FLAGS: readonly [number, string][] = [
  [abi.PLAIN, 'plain'], [abi.IMPLIED, 'implied'], [abi.BY_ROLE, 'by-role'], [abi.NO_BODY_TOKEN, 'no-body-token'],
  [abi.IMPLICIT_END, 'implicit'], [abi.EOF_END, 'eof'], [abi.AT_START, 'at-start'], [abi.STRIPPED, 'stripped'],
];

/**
 * The offset table, one row a line: number, indented kind, token, span, number of the row after the last descendant,
 * flags.
 */
export function printRows(rows: Int32Array): string[] {
  const lines: string[] = [];
  const open: number[] = [];
  for (let row = 0; row < rows.length / abi.ROW_WORDS; row++) {
    const [word, from, to, next] = rows.subarray(row * abi.ROW_WORDS, (row + 1) * abi.ROW_WORDS) as unknown as number[];
    while (open.length > 0 && open.at(-1)! <= row) open.pop();
    const kind = word! & abi.KIND_MASK;
    const token = TOKEN_NAMES[(word! >> abi.TOKEN_SHIFT) & abi.TOKEN_MASK]!;
    const words = [
      `${row}`.padEnd(3) + '  '.repeat(open.length) + KINDS[kind], ...(token ? [token] : []), `${from}..${to}`,
      `next=${next}`,
    ];
    if (kind === abi.MESSAGE) words.push(...messageWords(word!));
    else if (kind === abi.LITERAL && word! & abi.UNTERMINATED) words.push('unterminated');
    else if (kind === abi.HEADER && word! & abi.AT_START) words.push('at-start');
    lines.push(words.join(' '));
    open.push(next!);
  }
  return lines;
}

function messageWords(word: number): string[] {
  const words = MESSAGE_FLAGS.filter(([flag]) => word & flag).map(([, name]) => name);
  const add = (key: string, value: string | undefined): void => void (value && words.push(`${key}=${value}`));
  add('role', ROLE_NAMES[(word >> abi.ROLE_SHIFT) & abi.ROLE_MASK]);
  add('channel', CHANNEL_NAMES[(word >> abi.CHANNEL_SHIFT) & abi.CHANNEL_MASK]);
  add('to', ['', 'person', 'tool'][(word >> abi.RECIPIENT_SHIFT) & abi.RECIPIENT_MASK]);
  return words;
}
