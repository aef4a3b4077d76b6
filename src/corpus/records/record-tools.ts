// What lists of tools among records say, by their entries in the scanner: each is read once.

import { ENTRY_SHIFT, FROM, KIND, MOST_ENTRIES, TO } from '../../abi.ts';
import { flatToolsText, placeTools, readToolField } from '../../formats/chat/tools.ts';
import { type Loss, Refusal } from '../../formats/loss.ts';
import { withoutWrittenTools } from '../../formats/written-calls.ts';
import type { ToolDefinition } from '../../model/data.ts';
import type { RecordMachine } from '../../scan/record-machine.ts';
import { wordAt } from '../../scan/record-rows.ts';
import { isRounded } from '../../tools/exact.ts';
import { byName } from '../../tools/known.ts';
import { toolsToOpenAI } from '../../tools/records.ts';
import { isShort } from '../../tools/simple-schema.ts';
import { decodeUtf8 } from '../../utf8.ts';

export class RecordTools {
  readonly #machine: RecordMachine;
  readonly #texts = new Map<number, ToolsText>();
  readonly #lists = new Map<number, ToolsList>();
  readonly #listTexts = new Map<number, ToolsList>();
  readonly #plain = new Map<number, Uint8Array | null>();
  #mayLose = false;
  #generation = -1;

  constructor(machine: RecordMachine) {
    this.#machine = machine;
  }

  /**
   * Finds out whether the tools of a record can be read, when the scanner asks. False: the host must read the record.
   */
  settle(row: number): boolean {
    const entry = this.entryOf(row);
    if (entry === 0 || this.textOf(entry) === null) return false;
    this.#machine.setToolsGood(entry, true);
    return true;
  }

  /** The entry of the tools of a record; 0: they are kept in none. */
  entryOf(row: number): number {
    const entry = wordAt(this.#machine.rows, row + 1, KIND) >>> ENTRY_SHIFT;
    return entry > MOST_ENTRIES ? 0 : entry;
  }

  /**
   * The message that holds the definitions of an entry, as the inside of a JSON string; null: they cannot be read or
   * written, or are none. As the others, valid until the machine is used again.
   */
  textOf(entry: number): Uint8Array | null {
    return this.#declared(entry, false) ?? this.#read(entry).json;
  }

  /** The same as it is. */
  plainTextOf(entry: number): Uint8Array | null {
    return this.#declared(entry, true) ?? this.#plainOf(entry);
  }

  /** That message as it is; null also where more is lost with it than `lostByText` tells. */
  convertedTextOf(entry: number): Uint8Array | null {
    const declared = this.#declared(entry, true);
    if (declared !== null && this.#machine.declaresAll) return declared;
    const { lost } = this.#read(entry, true);
    if (lost === null) return null;
    this.#mayLose ||= lost.times > 0;
    return this.#plainOf(entry);
  }

  /** The same for Harmony, which declares each tool once. */
  harmonyTextOf(entry: number): Uint8Array | null {
    // Flat ones have names of their own.
    if (!this.#machine.hasFlatTools(entry)) {
      const tools = this.definitionsOf(entry);
      if (byName(tools).size < tools.length) return null;
    }
    return this.convertedTextOf(entry);
  }

  /**
   * The member `tools` of a chat record that has these, behind the comma before it; null: more would be lost than
   * `lostByList` tells.
   */
  listOf(entry: number): Uint8Array | null {
    return this.#machine.listTools(entry, false) ?? this.#listOf(this.#lists, entry, false);
  }

  /** The same of a ShareGPT record, where the list is text. */
  listTextOf(entry: number): Uint8Array | null {
    return this.#machine.listTools(entry, true) ?? this.#listOf(this.#listTexts, entry, true);
  }

  #listOf(known: Map<number, ToolsList>, entry: number, isText: boolean): Uint8Array | null {
    this.#refresh();
    let list = known.get(entry);
    if (list === undefined) known.set(entry, (list = readList(this.#machine.toolsText(entry), isText)));
    this.#mayLose ||= list.lost.times > 0;
    return list.json;
  }

  /** What is lost of an entry whose text was written. */
  lostByText(entry: number): ToolsLost {
    return this.#texts.get(entry)?.lost ?? NOTHING_LOST;
  }

  /** What is lost of an entry whose list was written. */
  lostByList(entry: number): ToolsLost {
    return (this.#lists.get(entry) ?? this.#listTexts.get(entry))?.lost ?? NOTHING_LOST;
  }

  /** Something may be lost of an entry whose text or list was written; to be asked before what it is. */
  get mayLose(): boolean {
    // What the scanner writes by itself is not read here, so entries may have been forgotten since.
    this.#refresh();
    return this.#mayLose;
  }

  /** The text that the scanner writes of definitions in which nothing is odd; null: it does not. */
  #declared(entry: number, isPlain: boolean): Uint8Array | null {
    return this.#machine.declareTools(entry, isPlain);
  }

  /** Forgets what stands in no entry any more. */
  #refresh(): void {
    const { generation } = this.#machine;
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#mayLose = false;
    this.#texts.clear();
    this.#lists.clear();
    this.#listTexts.clear();
    this.#plain.clear();
  }

  /** `asksForAll`: what is lost is wanted, too. */
  #read(entry: number, asksForAll = false): ToolsText {
    this.#refresh();
    let text = this.#texts.get(entry);
    if (text === undefined || (asksForAll && !text.isRead)) {
      const bytes = this.#machine.toolsText(entry);
      const isFlat = !asksForAll && this.#machine.hasFlatTools(entry);
      this.#texts.set(entry, (text = (isFlat ? readWrittenText(bytes) : null) ?? readText(bytes)));
    }
    return text;
  }

  /**
   * The text that defines the tools of a record, and what they say where it does not hold all of it; null: they cannot
   * be read or written.
   */
  definedBy(row: number): { readonly text: string; readonly whole: readonly ToolDefinition[] | null } | null {
    const entry = this.entryOf(row);
    const declared = entry === 0 ? null : this.#declared(entry, true);
    if (declared !== null && this.#machine.declaresAll) return { text: decodeUtf8(declared), whole: null };
    // The scanner does not keep what it meets for the first time.
    const { json, tools, holdsAll } = entry === 0 ? this.#unkept(row) : this.#read(entry, true);
    return json && { text: textIn(json), whole: holdsAll ? null : tools };
  }

  /** The definitions of a record whose tools are a list, as they stand there; null: they are none, or too long. */
  listedBy(row: number): readonly ToolDefinition[] | null {
    const { memory, rows } = this.#machine;
    const list = memory.subarray(wordAt(rows, row + 1, FROM), wordAt(rows, row + 1, TO));
    if (list[0] !== OPEN_LIST || !isShort(list.length)) return null;
    try {
      return readToolField(JSON.parse(decodeUtf8(list)), []);
    } catch (error) {
      if (error instanceof Refusal || error instanceof RangeError) return null;
      throw error;
    }
  }

  /** The definitions of an entry. */
  definitionsOf(entry: number): readonly ToolDefinition[] {
    return this.#read(entry, true).tools;
  }

  #plainOf(entry: number): Uint8Array | null {
    this.#refresh();
    let plain = this.#plain.get(entry);
    if (plain === undefined) {
      const text = this.#read(entry).json;
      this.#plain.set(entry, (plain = text && ENCODER.encode(textIn(text))));
    }
    return plain;
  }

  /** The definitions of a record that are kept in no entry. */
  #unkept(row: number): ToolsText {
    const { memory, rows } = this.#machine;
    return readText(memory.subarray(wordAt(rows, row + 1, FROM), wordAt(rows, row + 1, TO)));
  }
}

/** A machine keeps lists from one input to the next, and so does what was read in them. */
const TOOLS = new WeakMap<RecordMachine, RecordTools>();

export function toolsOf(machine: RecordMachine): RecordTools {
  const tools = TOOLS.get(machine) ?? new RecordTools(machine);
  TOOLS.set(machine, tools);
  return tools;
}

const ENCODER = new TextEncoder();
const textIn = (json: Uint8Array): string => JSON.parse(`"${decodeUtf8(json)}"`) as string;
const LESS = 0x3c;
const OPEN_LIST = 0x5b;
const LONE = /\p{Surrogate}/u;

/** What is lost of the definitions of a record. */
export interface ToolsLost {
  readonly times: number;
  /** The first of it; null: nothing is lost. */
  readonly first: Loss | null;
  /** It is lost before anything else of the record is read; else when the record is written. */
  readonly isReading: boolean;
}

const NOTHING_LOST: ToolsLost = { times: 0, first: null, isReading: false };

interface ToolsText {
  readonly json: Uint8Array | null;
  /** The definitions were read: what follows is known. */
  readonly isRead: boolean;
  /** What is lost with the text, when it is of definitions alone; else null. */
  readonly lost: ToolsLost | null;
  /** The definitions, and whether the text holds all of them. */
  readonly tools: readonly ToolDefinition[];
  readonly holdsAll: boolean;
}

const NO_TEXT: ToolsText = { json: null, isRead: true, lost: null, tools: [], holdsAll: true };

/** A list as a member of records; null: more is lost than is told. */
interface ToolsList {
  readonly json: Uint8Array | null;
  readonly lost: ToolsLost;
}

/** What is lost when definitions are read, and when they are written; null: not they alone. */
function lostOf(reading: readonly Loss[], writing: readonly Loss[]): ToolsLost | null {
  const all = [...reading, ...writing];
  if (all.some(({ what }) => what !== 'tools')) return null;
  return { times: all.length, first: all[0] ?? null, isReading: reading.length > 0 };
}

/**
 * Of flat definitions between tags, whose text need not be read again: it takes half the time. Null: they stand in a
 * list, or something in them is escaped.
 */
export function readWrittenText(bytes: Uint8Array): ToolsText | null {
  if (bytes[0] !== LESS) return null;
  const text = textIn(bytes);
  if (text.includes('\\')) return null;
  const content = flatToolsText(withoutWrittenTools(text).tools);
  return {
    json: ENCODER.encode(JSON.stringify(content).slice(1, -1)), isRead: false, lost: null, tools: [], holdsAll: true,
  };
}

/** Definitions, as a list or between tags in a string. Throws a Refusal. */
function toolsIn(json: string, losses: Loss[]): { tools: readonly ToolDefinition[]; isExact: boolean } {
  if (!json.startsWith('<')) return { tools: readToolField(JSON.parse(json), losses), isExact: !isRounded(json) };
  const text = JSON.parse(`"${json}"`) as string;
  return { tools: withoutWrittenTools(text).tools, isExact: !isRounded(text) };
}

const NO_LIST: ToolsList = { json: null, lost: NOTHING_LOST };

function readList(bytes: Uint8Array, isText: boolean): ToolsList {
  const json = decodeUtf8(bytes);
  try {
    const losses: Loss[] = [];
    const { tools, isExact } = toolsIn(json, losses);
    const lost = lostOf(losses, []);
    if (!isExact || lost === null || tools.length === 0) return NO_LIST;
    const list = JSON.stringify(toolsToOpenAI(tools));
    return { json: ENCODER.encode(`,"tools":${isText ? JSON.stringify(list) : list}`), lost };
  } catch (error) {
    if (error instanceof Refusal || error instanceof RangeError) return NO_LIST;
    throw error;
  }
}

export function readText(bytes: Uint8Array): ToolsText {
  const json = decodeUtf8(bytes);
  try {
    const losses: Loss[] = [];
    const { tools, isExact } = toolsIn(json, losses);
    const { data, losses: further } = placeTools({ header: null, tools, messages: [] }, 'declarations');
    const content = data.messages[0]?.content;
    // No text of a transcript has half a character.
    if (content === undefined || LONE.test(content)) return NO_TEXT;
    const lost = isExact ? lostOf(losses, further) : null;
    const text = ENCODER.encode(JSON.stringify(content).slice(1, -1));
    return { json: text, isRead: true, lost, tools, holdsAll: !further.some(({ what }) => what === 'tools') };
  } catch (error) {
    if (error instanceof Refusal || error instanceof RangeError) return NO_TEXT;
    throw error;
  }
}
