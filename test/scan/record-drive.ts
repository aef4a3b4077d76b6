// Drives the record machine and its twin over lines, and gives back all their rows as one table: positions, rows, lines
// and records count from the beginning, wherever the lines lay and however often the table was full.
import * as abi from '../../src/abi.ts';
import type { RecordMachine } from '../../src/scan/record-machine.ts';
import { scanRecords } from './record-twin/record.ts';
import { NO_ARGUMENTS } from './record-twin/record-rows.ts';
import { CHANNEL_NAMES, ROLE_NAMES } from '../../src/scan/dialects.ts';

export interface Table {
  readonly words: Int32Array;
  readonly lines: number;
  readonly records: number;
  /** Scans that it took. */
  readonly scans: number;
}

/** The rows of one scan. */
interface Scan {
  readonly words: ArrayLike<number>;
  readonly count: number;
  readonly lines: number;
  readonly records: number;
  /** Where it stopped. */
  readonly stop: number;
}

/** What FROM and TO of a row are, counted from the beginning. */
type Place = (position: number, kind: number) => number;

/** Rows of several scans behind each other. */
class Gathered implements Table {
  #words: number[] = [];
  lines = 0;
  records = 0;
  scans = 0;

  get words(): Int32Array {
    return Int32Array.from(this.#words);
  }

  add({ words, count, lines, records }: Scan, place: Place): void {
    const base = this.#words.length / abi.ROW_WORDS;
    for (let at = 0; at < count * abi.ROW_WORDS; at += abi.ROW_WORDS) {
      const kind = words[at]!;
      const from = words[at + abi.FROM]!;
      const next = words[at + abi.NEXT]!;
      const isRecord = (kind & abi.KIND_MASK) === abi.RECORD;
      const isTools = (kind & abi.KIND_MASK) === abi.TOOLS;
      const isAbsent = (isTools || (kind & abi.KIND_MASK) === abi.RECORD_ID) && from === 0;
      this.#words.push(isRecord ? kind + (this.records << abi.RECORD_SHIFT) : kind);
      if (isAbsent) this.#words.push(0, 0);
      else this.#words.push(place(from, kind), place(words[at + abi.TO]!, kind));
      this.#words.push(next + (isTools ? this.lines : base));
    }
    this.lines += lines;
    this.records += records;
    this.scans++;
  }

  /** Scans [from, to) until all of it is passed. */
  drive(from: number, to: number, scan: (from: number) => Scan, place: Place, then?: (count: number) => void): void {
    for (let at = from; at < to; ) {
      const found = scan(at);
      if (found.stop <= at || found.stop > to) throw new Error(`a scan of ${at}…${to} stops at ${found.stop}`);
      this.add(found, place);
      then?.(found.count);
      at = found.stop;
    }
  }
}

/** But for texts that may be transcripts. */
export const ALL_FORMS = abi.FORM_MESSAGES | abi.FORM_CONVERSATIONS | abi.FORM_OTHERS | abi.FORM_TURNS;

/** How lines lie in memory. */
export interface Placed {
  /** Position in the machine's input; the end of its input when left out. */
  readonly at?: number;
  /** Bytes of the windows in which the lines come; all at once when left out. */
  readonly window?: number;
  /** Which byte stands around the lines: it must decide nothing. */
  readonly around?: number;
  /** Forms that are wanted; all of them when left out. */
  readonly forms?: number;
  /** What is done with the rows of each scan. */
  readonly then?: (count: number) => void;
}

const AROUND = Buffer.from('"\\}] \n0el\x00\x80\xff', 'latin1');
const isAbsentArguments = (kind: number): boolean =>
  (kind & abi.KIND_MASK) === abi.BODY && (kind & abi.VALUE) !== 0 && (kind & abi.ABSENT) !== 0;

/** The rows of lines, of which the last one ends with a line feed. */
export function scanWith(machine: RecordMachine, lines: Uint8Array, placed: Placed = {}): Table {
  const { at, window = lines.length, around = 0, forms = ALL_FORMS | abi.COUNTS_LOST, then } = placed;
  const { input, origin, rows } = machine;
  const memory = new Uint8Array(rows.buffer);
  const filler = AROUND[around % AROUND.length]!;
  const table = new Gathered();
  for (let from = 0; from < lines.length; ) {
    const part = lines.subarray(from, windowEnd(lines, from, window));
    const start = at ?? input.length - part.length;
    const to = start + part.length;
    input.fill(filler, Math.max(0, start - abi.PADDING), start);
    input.set(part, start);
    memory.fill(filler, origin + to, origin + to + abi.PADDING);
    const place = (position: number, kind: number): number => {
      if (!isAbsentArguments(kind)) return position - origin - start + from;
      if (!'{"'.includes(String.fromCharCode(memory[position]!))) throw new Error('absent arguments are not {}');
      return NO_ARGUMENTS;
    };
    table.drive(start, to, (scanFrom) => {
      const count = machine.scan(scanFrom, to, forms);
      return { words: rows, count, lines: machine.lines, records: machine.records, stop: machine.stop };
    }, place, then);
    from += part.length;
  }
  return table;
}

/** Where the last line ends of those from `from` on that a window holds; one line at least. */
function windowEnd(lines: Uint8Array, from: number, window: number): number {
  const last = lines.subarray(from, from + window).lastIndexOf(LF);
  return last < 0 ? lines.indexOf(LF, from) + 1 : from + last + 1;
}
const LF = 0x0a;

/** The same by the twin. */
export function scanByTwin(lines: Uint8Array, options: { rows?: number; forms?: number } = {}): Table {
  const { rows: most, forms = ALL_FORMS | abi.COUNTS_LOST } = options;
  const table = new Gathered();
  table.drive(0, lines.length, (from) => {
    const { rows, ...passed } = scanRecords(lines, from, lines.length, forms, most);
    return { words: rows, count: rows.length / abi.ROW_WORDS, ...passed };
  }, (position) => position);
  return table;
}

/**
 * All that a machine answers of the rows of a scan, when they are counted, audited, and either checked or given
 * verdicts: numbers, added to `told`.
 */
export function walk(machine: RecordMachine, to: number, writes: boolean, told: number[]): void {
  const passAll = (pass: (record: number) => number): void => {
    for (let record = 0; record < to; ) {
      record = pass(record);
      told.push(record);
      if (record < to) record = machine.rows[record * abi.ROW_WORDS + abi.NEXT]!;
    }
  };
  machine.sums.fill(0);
  passAll((record) => machine.count(record, to));
  told.push(...machine.sums);
  passAll((record) => machine.audit(record, to));
  if (writes) {
    passAll((record) => {
      const line = machine.rows[(record + 1) * abi.ROW_WORDS + abi.NEXT]!;
      const stop = machine.writeVerdicts(record, to, 0, line, 7, line % 2 === 0);
      told.push(...machine.output.subarray(0, machine.verdictsTo));
      return stop;
    });
  } else passAll((record) => {
    const stop = machine.check(record, to);
    told.push(machine.transcripts);
    return stop;
  });
  // The calls that are open, and records that are for the host.
  for (let row = 0; row < to; row++) {
    const word = machine.rows[row * abi.ROW_WORDS]!;
    const kind = word & abi.KIND_MASK;
    if (kind === abi.MESSAGE) told.push(word & abi.IS_OPEN);
    if (kind === abi.RECORD) told.push(word & (abi.SLOW | abi.HAS_MARKED));
  }
}

const TWIN_FLAGS = abi.ELSEWHERE | abi.HAS_SIDES | abi.IS_TEXT | abi.IS_TRANSCRIPT;

/** What the twin does not know of tools. */
export function withoutKeptTools(words: Int32Array): Int32Array {
  const plain = words.slice();
  for (let at = 0; at < plain.length; at += abi.ROW_WORDS) {
    const kind = plain[at]!;
    if ((kind & abi.KIND_MASK) !== abi.TOOLS) continue;
    const status = statusOf(kind) === abi.TOOLS_NONE ? abi.TOOLS_NONE : abi.TOOLS_ASK;
    plain[at] = abi.TOOLS | (status << abi.TOOLS_SHIFT) | (kind & (TWIN_FLAGS));
  }
  return plain;
}

const statusOf = (kind: number): number => (kind >> abi.TOOLS_SHIFT) & abi.TOOLS_MASK;

export function isSame(a: Int32Array, b: Int32Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

const STATUS = ['none', 'flat', 'ask', 'good'];
const RECORD_FLAGS: [number, string][] = [
  [abi.HAS_CALLS, 'calls'], [abi.HAS_PARTS, 'parts'], [abi.LACKS_ID, 'no-id'], [abi.HAS_LOSSES, 'losses'],
  [abi.HAS_DEVELOPER, 'developer'], [abi.HAS_MARKED, 'open'], [abi.HAS_VALUES, 'values'],
];
const TOOLS_FLAGS: [number, string][] = [
  [abi.ELSEWHERE, 'elsewhere'], [abi.HAS_SIDES, 'sides'], [abi.IS_TEXT, 'text'], [abi.IS_TRANSCRIPT, 'transcript'],
];
const SLOW_FLAGS: [number, string][] = [[abi.SLOW, 'slow'], [abi.IS_OBJECT, 'object'], [abi.IS_OTHER, 'other']];
const BODY_FLAGS: [number, string][] = [
  [abi.ESCAPED, 'escaped'], [abi.CODED, 'coded'], [abi.PARTS, 'parts'], [abi.VALUE, 'value'], [abi.ABSENT, 'absent'],
];
const ID_FLAGS: [number, string][] = [[abi.ESCAPED, 'escaped'], [abi.CODED, 'coded'], [0x400, 'lone']];
const VALUES: Record<number, string> = { [abi.CALL_ID]: 'call_id', [abi.NAME]: 'name', [abi.RECIPIENT]: 'recipient' };
const flagsOf = (word: number, flags: [number, string][]): string[] =>
  flags.filter(([bit]) => word & bit).map(([, name]) => name);

/**
 * One line a row, two spaces a level (told by NEXT). A record says its number and its line; messages and what is absent
 * say no text; tools and ids that are not there have no line.
 */
export function show(words: Int32Array, lines: Uint8Array): string[] {
  const ends: number[] = [];
  const shown: string[] = [];
  for (let at = 0; at < words.length; at += abi.ROW_WORDS) {
    const [kind, from, to, next] = [...words.subarray(at, at + abi.ROW_WORDS)] as [number, number, number, number];
    const isTools = (kind & abi.KIND_MASK) === abi.TOOLS;
    const isAbsent = from === 0 && (isTools || (kind & abi.KIND_MASK) === abi.RECORD_ID);
    while (ends.length > 0 && ends.at(-1)! <= at / abi.ROW_WORDS) ends.pop();
    const text = Buffer.from(lines.subarray(from, to)).toString();
    const line = rowWords(kind, words.subarray(at + abi.ROW_WORDS), text);
    // Most records have neither tools nor an id.
    if (!isAbsent) shown.push('  '.repeat(ends.length) + line);
    ends.push(isTools ? at / abi.ROW_WORDS + 1 : next);
  }
  return shown;
}

/** `after`: the row behind it. */
function rowWords(kind: number, after: Int32Array, text: string): string {
  const words = (...all: string[]): string => all.filter((word) => word !== '').join(' ');
  switch (kind & abi.KIND_MASK) {
    case abi.RECORD: {
      const flags = flagsOf(kind, kind & abi.SLOW ? SLOW_FLAGS : RECORD_FLAGS);
      const tools = flagsOf(after[abi.KIND]!, TOOLS_FLAGS);
      const losses = after[abi.ROW_WORDS + abi.KIND]!;
      const [lost, renamed] = [(losses >>> abi.LOST_SHIFT) & abi.MOST_LOST, losses >>> abi.RENAMED_SHIFT];
      const place = `record ${kind >> abi.RECORD_SHIFT} line ${after[abi.NEXT]}`;
      const counted = [lost === 0 ? '' : lost === 1 ? 'lost' : `lost-${lost}`, renamed ? `renamed-${renamed}` : ''];
      return words(place, ...flags, ...counted, ...tools);
    }
    case abi.TOOLS: return `tools ${STATUS[statusOf(kind)]}|${text}`;
    case abi.RECORD_ID: return `${words('id', ...flagsOf(kind, ID_FLAGS))}|${text}`;
    case abi.BODY: return words('body', ...flagsOf(kind, BODY_FLAGS)) + (kind & abi.ABSENT ? '' : `|${text}`);
    case abi.MESSAGE: {
      const isCall = ((kind >> abi.TOKEN_SHIFT) & abi.TOKEN_MASK) === abi.CALL;
      const isToTool = ((kind >> abi.RECIPIENT_SHIFT) & abi.RECIPIENT_MASK) === abi.TO_TOOL;
      return words(
        kind & abi.BEGINS_SIDE ? 'side' : '',
        ROLE_NAMES[(kind >> abi.ROLE_SHIFT) & abi.ROLE_MASK]!,
        CHANNEL_NAMES[(kind >> abi.CHANNEL_SHIFT) & abi.CHANNEL_MASK]!,
        isCall ? 'call' : '', isToTool ? 'to-tool' : '', kind & abi.PLAIN ? '' : 'not-plain',
      );
    }
    default: return `${VALUES[kind] ?? `kind ${kind}`}|${text}`;
  }
}
