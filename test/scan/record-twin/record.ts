// The record scanner in TypeScript, for tests: what the two builds of assembly/record are compared with, row for row.
//
// A line is read into a tree, and its messages are taken from the tree: every rule of the scanner stands here once, as
// plainly as it can be said. What is rare, what is full and what is no JSON leave by an exception. Positions count from
// the input's beginning, where those of the builds are addresses. No lists of tools are kept: of a list it is told only
// whether there is one (TOOLS_NONE or TOOLS_ASK), and its number is 0.

import * as abi from '../../../src/abi.ts';
import { Entries, ROLES } from './record-entries.ts';
import { type JsonNode, readJson } from './record-json.ts';
import { formOf, usedIn, OtherForms } from './record-others.ts';
import { RecordRows, Rows } from './record-rows.ts';
import { escapesOf, FULL, isNull, type Line, membersOf, RARE } from './record-values.ts';

export interface RecordScan {
  /** ROW_WORDS words a row. */
  readonly rows: readonly number[];
  /** Lines and records that were passed, and where the scan stopped. */
  readonly lines: number;
  readonly records: number;
  readonly stop: number;
}

const LF = 0x0a;
/**
 * Tags of calls that are written as text (R-HERMES), and what may begin one at the end of a part. An escape may stand
 * for any character in them.
 */
const TAGS = /<(?:(?:tool_call|tool_response|tools)>|(?:t[a-z_]{0,12})?")/g;
const CODES = /\\(?:u00([3-7][0-9a-fA-F])|\\)/g;
const letterOf = (escape: string, code?: string): string =>
  (code === undefined ? escape : String.fromCharCode(Number.parseInt(code, 16)));
const tagsIn = (text: string): number => text.match(TAGS)?.length ?? 0;
/** Whether escapes spell a tag. */
const holdsCodedTag = (json: string): boolean => tagsIn(json.replaceAll(CODES, letterOf)) > tagsIn(json);
const MOST_ROWS = 65536;
/** Whether a record may hold more objects, lists and values than it may: those in strings count, too. */
const isCrowded = (json: string): boolean => json.length >= abi.RECORD_CROWD
  && (json.replaceAll(/[^[{]/g, '').length > abi.RECORD_CONTAINERS
    || json.replaceAll(/[^,]/g, '').length > abi.RECORD_FURTHER);
/** Containers in one another. */
const DEEPEST = 1024;

const latin1 = new TextDecoder('latin1');
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Rows of the lines [from, to) of an input, the last of which ends with a line feed, as `scanLines` writes them.
 * `forms`: FORM_….
 */
export function scanRecords(
  input: Uint8Array, from: number, to: number, forms: number, mostRows = MOST_ROWS,
): RecordScan {
  const rows = new Rows(mostRows);
  const lists = LISTS.filter(([form]) => (forms & form) !== 0).map(([, key]) => key);
  let [at, lines, records] = [from, 0, 0];
  while (at < to) {
    const end = input.indexOf(LF, at);
    const bytes = input.subarray(at, end);
    const line = { bytes, text: latin1.decode(bytes), from: at, number: lines };
    let flags: number | null = 0;
    if (!/^[ \t\r]*$/.test(line.text)) {
      const first = rows.count;
      flags = rows.has(abi.RECORD_ROWS) ? readRecord(line, lists, forms, rows) : null;
      if (flags === null) break;
      if ((flags & abi.SLOW) === 0 && holdsCodedTag(line.text)) {
        flags = (flags & ~abi.IS_OTHER) | abi.IS_OBJECT | abi.SLOW;
      }
      rows.set(first, abi.KIND, flags | (records << abi.RECORD_SHIFT));
      records++;
    }
    lines++;
    at = end + 1;
    // Records of another form are for another reader, which is told by the first of them.
    if (records === 1 && (flags & abi.SLOW) !== 0 && (flags & abi.IS_OTHER) !== 0) break;
  }
  return { rows: rows.words, lines, records, stop: at };
}

/**
 * Writes the rows of a record, whose messages stand in one of the lists `wanted`, or in another of the wanted forms;
 * answers its flags, or null: it needs a table that is empty.
 */
function readRecord(line: Line, wanted: readonly string[], forms: number, rows: Rows): number | null {
  const first = rows.count;
  let flags = abi.RECORD | abi.SLOW;
  try {
    const value = isUtf8(line.bytes) ? readJson(line.text, DEEPEST) : null;
    if (value?.kind !== 'object') throw RARE;
    flags |= abi.IS_OBJECT;
    if (isCrowded(line.text)) throw RARE;
    if ((forms & abi.FORM_TURNS) !== 0) {
      const turn = readTurn(line, value, rows);
      if (turn !== null) {
        rows.set(first, abi.NEXT, rows.count);
        return turn;
      }
    }
    const lists = listsOf(value, wanted, forms);
    const isList = value.members.some(([key]) => lists.includes(key));
    const form = isList ? 'messages' : formOf(line.text, value.members, forms);
    if (value.members.length > 0 && form === null) flags |= abi.IS_OTHER;
    if (form === null) throw RARE;
    membersOf(value, (forms & abi.FORM_OTHERS) === 0 ? [] : [OTHER_LIST]);
    // `functions`, of which the builds look at eight bytes.
    if (value.members.some(([key]) => /^function[\0-\x7f]$/.test(key))) throw RARE;
    const known = ['tools', 'id', ...lists];
    const members = membersOf(value, known, ['version']);
    pushFixed(line, rows, members.get('tools'), members.get('id'));
    const record = new RecordRows(line, rows);
    const entries = new Entries(record);
    const others = new OtherForms(record, line.text, forms);
    for (const [key, node] of value.members) {
      if (!lists.includes(key)) others.take(key, node);
      else {
        if (node.kind !== 'list' || lists.some((other) => other !== key && members.has(other))) throw RARE;
        others.beforeEntries();
        for (const entry of node.items) entries.take(entry);
        if (key === OTHER_LIST) record.standsElsewhere();
        // Who reads a record as of one form takes no entries of the other.
        record.losesIf((forms & abi.FORM_OTHERS) === 0 && entries.isShareGpt === (key === 'messages'));
      }
    }
    others.end(value.members, form, entries.isShareGpt);
    const tools = members.get('tools');
    const { writtenTools } = record;
    if (writtenTools !== null && tools !== undefined && !isNoList(line.text, tools)) throw RARE;
    flags = record.flags;
    const isEmpty = tools !== undefined && isNoList(line.text, tools) && !isNull(line.text, tools);
    const isTranscript = (record.toolsFlags & abi.IS_TRANSCRIPT) !== 0;
    const used = isTranscript ? [] : usedIn(line.text, value.members, form);
    others.loseGiven(value.members, used);
    record.loseOthers(value, [...known, ...others.knownIn(value.members)]);
    if ((forms & abi.COUNTS_LOST) === 0) record.loseUncounted();
    flags = record.flags | (isEmpty ? abi.HAS_LOSSES : 0);
    const losses = (record.lost << abi.LOST_SHIFT) | (record.renamed.size << abi.RENAMED_SHIFT);
    const counted = (flags & abi.HAS_LOSSES) === 0 ? losses : 0;
    rows.set(first + 2, abi.KIND, rows.words[(first + 2) * abi.ROW_WORDS]! | counted);
    if (writtenTools !== null) {
      const { from, to } = writtenTools;
      rows.set(first + 1, abi.KIND, abi.TOOLS | (abi.TOOLS_ASK << abi.TOOLS_SHIFT));
      rows.set(first + 1, abi.FROM, line.from + from);
      rows.set(first + 1, abi.TO, line.from + to);
    }
    rows.set(first + 1, abi.KIND, rows.words[(first + 1) * abi.ROW_WORDS]! | record.toolsFlags);
  } catch (reason) {
    if (reason !== RARE && reason !== FULL) throw reason;
    rows.rewindTo(first);
    if (reason === FULL && first > 0) return null;
    pushFixed(line, rows);
  }
  rows.set(first, abi.NEXT, rows.count);
  return flags;
}

/** Writes the rows of a record that is a turn, and nothing but a text and who says it: its flags. Else null. */
function readTurn(line: Line, value: JsonNode, rows: Rows): number | null {
  const first = rows.count;
  if (value.members.map(([key]) => key).join() !== 'role,content') return null;
  const record = new RecordRows(line, rows);
  try {
    const members = membersOf(value, ['role', 'content']);
    const role = record.known(members.get('role'), ROLES);
    const content = record.string(members.get('content'));
    if (role > abi.ASSISTANT || content === null || record.holdsTag(role, content)) return null;
    pushFixed(line, rows);
    if (role === abi.ASSISTANT) record.writeSaid(value, abi.FINAL, null, content);
    else record.writePlain(value, role, null, content);
    return record.flags;
  } catch (reason) {
    if (reason !== RARE) throw reason;
    rows.rewindTo(first);
    return null;
  }
}

/** The rows that every record has. */
function pushFixed({ text, from, bytes, number }: Line, rows: Rows, tools?: JsonNode, id?: JsonNode): void {
  rows.push(abi.RECORD, from, from + bytes.length);
  const status = tools === undefined || isNoList(text, tools) ? abi.TOOLS_NONE : abi.TOOLS_ASK;
  const place = (node: JsonNode | undefined): [number, number] => node ? [from + node.from, from + node.to] : [0, 0];
  rows.push(abi.TOOLS | (status << abi.TOOLS_SHIFT), ...place(tools), number);
  rows.push(abi.RECORD_ID | (id === undefined ? 0 : escapesOf(text.slice(id.from, id.to))), ...place(id));
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    utf8.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** A value of `tools` that says that there are none. */
function isNoList(text: string, { kind, items, from, to }: JsonNode): boolean {
  return kind === 'list' ? items.length === 0 : ['null', '""'].includes(text.slice(from, to));
}

/** The lists that may hold the messages of a record. */
function listsOf({ members }: JsonNode, wanted: readonly string[], forms: number): readonly string[] {
  // What else has that name holds no messages.
  const holds = members.some(([key, node]) => {
    return key === OTHER_LIST && node.kind === 'list' && node.items[0]?.kind === 'object';
  });
  return holds && (forms & abi.FORM_OTHERS) !== 0 ? [...wanted, OTHER_LIST] : wanted;
}

const OTHER_LIST = 'conversation';

/** Where messages stand in a record. */
const LISTS = [[abi.FORM_MESSAGES, 'messages'], [abi.FORM_CONVERSATIONS, 'conversations']] as const;
