// What lists of tools among records say, by their entries in the scanner: each is read once.

import { ENTRY_SHIFT, FROM, KIND, MOST_ENTRIES, TO } from '../../abi.ts';
import { flatToolsText, placeTools, readToolField } from '../../formats/chat/tools.ts';
import { type Loss, Refusal } from '../../formats/loss.ts';
import { withoutWrittenTools } from '../../formats/written-calls.ts';
import type { ToolDefinition } from '../../model/data.ts';
import type { RecordMachine } from '../../scan/record-machine.ts';
import { wordAt } from '../../scan/record-rows.ts';
import { isRounded } from '../../tools/exact.ts';
import { toolsToOpenAI } from '../../tools/records.ts';
import { decodeUtf8 } from '../../utf8.ts';
import { BACKSLASH } from './json-bytes.ts';

export class RecordTools {
  readonly #machine: RecordMachine;
  readonly #texts = new Map<number, ToolsText>();
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
   * written, or are none.
   */
  textOf(entry: number): Uint8Array | null {
    return this.#read(entry).json;
  }

  /** That message as it is; null also where it does not hold all that stands there. */
  wholeTextOf(entry: number): Uint8Array | null {
    return this.#read(entry, true).isWhole ? this.plainTextOf(entry) : null;
  }

  /** The member `tools` of a chat record that has them, behind the comma before it; null as before. */
  wholeListOf(entry: number): Uint8Array | null {
    const { tools, isWhole } = this.#read(entry, true);
    return isWhole ? ENCODER.encode(`,"tools":${JSON.stringify(toolsToOpenAI(tools))}`) : null;
  }

  /** `asksForWhole`: whether the text holds all is wanted, too. */
  #read(entry: number, asksForWhole = false): ToolsText {
    const { generation } = this.#machine;
    if (generation !== this.#generation) this.#texts.clear();
    this.#generation = generation;
    let text = this.#texts.get(entry);
    if (text === undefined || (asksForWhole && text.isWhole === null)) {
      const bytes = this.#machine.toolsText(entry);
      const isFlat = !asksForWhole && this.#machine.hasFlatTools(entry) && !bytes.includes(BACKSLASH);
      this.#texts.set(entry, (text = isFlat ? readFlatText(bytes) : readText(bytes)));
    }
    return text;
  }

  /** What the definitions of an entry say, where their text does not hold all of it; null: it does, or is none. */
  wholeToolsOf(entry: number): readonly ToolDefinition[] | null {
    const { tools, holdsAll } = this.#read(entry, true);
    return holdsAll ? null : tools;
  }

  /** The definitions of an entry. */
  definitionsOf(entry: number): readonly ToolDefinition[] {
    return this.#read(entry, true).tools;
  }

  /** The same as it is. */
  plainTextOf(entry: number): Uint8Array | null {
    const text = this.textOf(entry);
    return text && ENCODER.encode(JSON.parse(`"${decodeUtf8(text)}"`) as string);
  }

  /** The definitions of a record that are kept in no entry; null: they cannot be read or written. */
  unkept(row: number): readonly ToolDefinition[] | null {
    const { memory, rows } = this.#machine;
    const { json, tools } = readText(memory.subarray(wordAt(rows, row + 1, FROM), wordAt(rows, row + 1, TO)));
    return json && tools;
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
const LONE = /\p{Surrogate}/u;

interface ToolsText {
  readonly json: Uint8Array | null;
  /** Null: nobody has asked. */
  readonly isWhole: boolean | null;
  /** The definitions, when `isWhole` was asked for, and whether the text holds all of them. */
  readonly tools: readonly ToolDefinition[];
  readonly holdsAll: boolean;
}

const NO_TEXT: ToolsText = { json: null, isWhole: false, tools: [], holdsAll: true };

/** Of flat definitions, whose text need not be read again: it takes half the time. */
export function readFlatText(bytes: Uint8Array): ToolsText {
  const content = flatToolsText(readToolField(JSON.parse(decodeUtf8(bytes)), []));
  return { json: ENCODER.encode(JSON.stringify(content).slice(1, -1)), isWhole: null, tools: [], holdsAll: true };
}

export function readText(bytes: Uint8Array): ToolsText {
  const json = decodeUtf8(bytes);
  try {
    const losses: Loss[] = [];
    // Between tags, in a string.
    const isWritten = json.startsWith('<');
    const tools = isWritten ? withoutWrittenTools(JSON.parse(`"${json}"`) as string).tools
      : readToolField(JSON.parse(json), losses);
    const { data, losses: further } = placeTools({ header: null, tools, messages: [] }, 'declarations');
    const content = data.messages[0]?.content;
    // No text of a transcript has half a character.
    if (content === undefined || LONE.test(content)) return NO_TEXT;
    const isWhole = !isWritten && losses.length + further.length === 0 && !isRounded(json);
    const text = ENCODER.encode(JSON.stringify(content).slice(1, -1));
    return { json: text, isWhole, tools, holdsAll: !further.some(({ what }) => what === 'tools') };
  } catch (error) {
    if (error instanceof Refusal || error instanceof RangeError) return NO_TEXT;
    throw error;
  }
}
