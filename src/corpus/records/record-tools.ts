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
import { decodeUtf8 } from '../../utf8.ts';

export class RecordTools {
  readonly #machine: RecordMachine;
  readonly #texts = new Map<number, ToolsText>();
  readonly #lists = new Map<number, Uint8Array | null>();
  readonly #listTexts = new Map<number, Uint8Array | null>();
  readonly #plain = new Map<number, Uint8Array | null>();
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

  /** That message as it is; null also where it does not hold all that stands there. */
  wholeTextOf(entry: number): Uint8Array | null {
    const declared = this.#declared(entry, true);
    if (declared !== null && this.#machine.declaresAll) return declared;
    return this.#read(entry, true).isWhole ? this.#plainOf(entry) : null;
  }

  /** The same for Harmony, which declares each tool once. */
  harmonyTextOf(entry: number): Uint8Array | null {
    // Flat ones have names of their own.
    if (!this.#machine.hasFlatTools(entry)) {
      const tools = this.definitionsOf(entry);
      if (byName(tools).size < tools.length) return null;
    }
    return this.wholeTextOf(entry);
  }

  /** The member `tools` of a chat record that has these, behind the comma before it; null: something would be lost. */
  wholeListOf(entry: number): Uint8Array | null {
    return this.#machine.listTools(entry, false) ?? this.#listOf(this.#lists, entry, false);
  }

  /** The same of a ShareGPT record, where the list is text. */
  wholeListTextOf(entry: number): Uint8Array | null {
    return this.#machine.listTools(entry, true) ?? this.#listOf(this.#listTexts, entry, true);
  }

  #listOf(known: Map<number, Uint8Array | null>, entry: number, isText: boolean): Uint8Array | null {
    this.#refresh();
    let list = known.get(entry);
    if (list === undefined) known.set(entry, (list = readList(this.#machine.toolsText(entry), isText)));
    return list;
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
    this.#texts.clear();
    this.#lists.clear();
    this.#listTexts.clear();
    this.#plain.clear();
  }

  /** `asksForWhole`: whether the text holds all is wanted, too. */
  #read(entry: number, asksForWhole = false): ToolsText {
    this.#refresh();
    let text = this.#texts.get(entry);
    if (text === undefined || (asksForWhole && text.isWhole === null)) {
      const bytes = this.#machine.toolsText(entry);
      const isFlat = !asksForWhole && this.#machine.hasFlatTools(entry);
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
const LONE = /\p{Surrogate}/u;

interface ToolsText {
  readonly json: Uint8Array | null;
  /** Nothing is lost with the text. Null: nobody has asked. */
  readonly isWhole: boolean | null;
  /** The definitions, when `isWhole` was asked for, and whether the text holds all of them. */
  readonly tools: readonly ToolDefinition[];
  readonly holdsAll: boolean;
}

const NO_TEXT: ToolsText = { json: null, isWhole: false, tools: [], holdsAll: true };

/**
 * Of flat definitions between tags, whose text need not be read again: it takes half the time. Null: they stand in a
 * list, or something in them is escaped.
 */
export function readWrittenText(bytes: Uint8Array): ToolsText | null {
  if (bytes[0] !== LESS) return null;
  const text = textIn(bytes);
  if (text.includes('\\')) return null;
  const content = flatToolsText(withoutWrittenTools(text).tools);
  return { json: ENCODER.encode(JSON.stringify(content).slice(1, -1)), isWhole: null, tools: [], holdsAll: true };
}

/** Definitions, as a list or between tags in a string. Throws a Refusal. */
function toolsIn(json: string, losses: Loss[]): { tools: readonly ToolDefinition[]; isExact: boolean } {
  if (!json.startsWith('<')) return { tools: readToolField(JSON.parse(json), losses), isExact: !isRounded(json) };
  const text = JSON.parse(`"${json}"`) as string;
  return { tools: withoutWrittenTools(text).tools, isExact: !isRounded(text) };
}

function readList(bytes: Uint8Array, isText: boolean): Uint8Array | null {
  const json = decodeUtf8(bytes);
  try {
    const losses: Loss[] = [];
    const { tools, isExact } = toolsIn(json, losses);
    if (!isExact || losses.length > 0 || tools.length === 0) return null;
    const list = JSON.stringify(toolsToOpenAI(tools));
    return ENCODER.encode(`,"tools":${isText ? JSON.stringify(list) : list}`);
  } catch (error) {
    if (error instanceof Refusal || error instanceof RangeError) return null;
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
    const isWhole = losses.length + further.length === 0 && isExact;
    const text = ENCODER.encode(JSON.stringify(content).slice(1, -1));
    return { json: text, isWhole, tools, holdsAll: !further.some(({ what }) => what === 'tools') };
  } catch (error) {
    if (error instanceof Refusal || error instanceof RangeError) return NO_TEXT;
    throw error;
  }
}
