// What is told of a record whose rows are marked: calls that no reply answers, arguments that do not fit, reasoning
// that is written as text. Everything else in it was found to be well.

import {
  ABSENT, CALL, FROM, IS_OPEN, KIND, KIND_MASK, MAY_NOT_FIT, MAY_THINK, NEXT, RECIPIENT, RECORD_ROWS, TO, TOKEN_MASK,
  TOKEN_SHIFT, VALUE,
} from '../../abi.ts';
import { diagnose, type Diagnostic } from '../../errors.ts';
import { wordAt } from '../../scan/record-rows.ts';
import { byName, type Definer, KnownTools, Schemas, type ToolMemory } from '../../tools/known.ts';
import { decodeUtf8 } from '../../utf8.ts';
import { RowPointers } from '../records/row-pointers.ts';
import { nextRecord, type RecordRows } from '../records/rows.ts';
import { markerIn } from '../records/written-thought.ts';
import type { Told } from './job.ts';

const NO_TOOLS = new Map<string, never>();

export class MarkedRecords {
  readonly #memory: ToolMemory;
  readonly #schemas: Schemas;
  /** The messages that hold definitions, by the numbers that the scanner of records has for these. */
  readonly #definers = new Map<number, Definer>();
  #generation = -1;

  constructor(memory: ToolMemory) {
    this.#memory = memory;
    this.#schemas = new Schemas(memory);
  }

  /** In order; what waits for the end of the record stands last. Null: the record must be read. */
  told(rows: RecordRows, record: number, transcript: number): readonly Told[] | null {
    const { machine, base } = rows;
    const next = nextRecord(rows, record);
    const pointers = new RowPointers(rows, record);
    const told: Told[] = [];
    const open: Told[] = [];
    let tools: KnownTools | null = null;
    for (let row = record + RECORD_ROWS; row < next; row = wordAt(machine.rows, row, NEXT)) {
      pointers.pass(row);
      const word = wordAt(machine.rows, row, KIND);
      const body = wordAt(machine.rows, row, NEXT) - 1;
      const isCall = ((word >>> TOKEN_SHIFT) & TOKEN_MASK) === CALL;
      if (!isCall) {
        const found = word & MAY_THINK ? this.#thought(rows, body) : null;
        if (found === null) continue;
        const diagnostic = diagnose({ rule: 'reasoning-in-final', ...found }, transcript, true);
        told.push(inChat(diagnostic, pointers.text(body)));
        continue;
      }
      // Up to the arguments, where they are text.
      const isText = !(wordAt(machine.rows, body, KIND) & VALUE);
      const to = base + (isText ? wordAt(machine.rows, body, FROM) : wordAt(machine.rows, row, TO));
      const span = { from: base + wordAt(machine.rows, row, FROM), to };
      if (word & MAY_NOT_FIT) {
        tools ??= this.#tools(rows, record);
        const value = argumentsAt(rows, body);
        if (tools === null || value === undefined) return null;
        const problem = tools.check(nameAt(rows, row), () => value);
        if (problem !== null) {
          const pointer = pointers.pointer(row, problem.rule);
          told.push(inChat(diagnose({ ...problem, ...span }, transcript, true), pointer));
        }
      }
      if (!(word & IS_OPEN)) continue;
      const diagnostic = diagnose({ rule: 'open-call', ...span }, transcript, true);
      open.push(inChat(diagnostic, pointers.pointer(row)));
    }
    return [...told, ...open];
  }

  /** The marker of reasoning that is written in a body. */
  #thought({ machine, base }: RecordRows, body: number): { readonly from: number; readonly to: number } | null {
    const from = wordAt(machine.rows, body, FROM);
    const marker = markerIn(machine.memory.subarray(from, wordAt(machine.rows, body, TO)));
    return marker && { from: base + from + marker.from, to: base + from + marker.to };
  }

  /** The tools of a record; null: what they say is not known. */
  #tools({ machine, tools, base }: RecordRows, record: number): KnownTools | null {
    if (machine.generation !== this.#generation) this.#definers.clear();
    this.#generation = machine.generation;
    const entry = tools.entryOf(record);
    // Definitions that are met for the first time are not kept by the scanner.
    if (entry === 0) return null;
    let definer = this.#definers.get(entry);
    if (definer === undefined) {
      const text = tools.plainTextOf(entry);
      if (text === null) return null;
      definer = { role: 'developer', content: decodeUtf8(text), dialectId: 'openchatml-2.2', kept: 0 };
      this.#definers.set(entry, definer);
    }
    this.#schemas.budget.begin(base + wordAt(machine.rows, record, FROM));
    const whole = tools.wholeToolsOf(entry);
    const known = new KnownTools(NO_TOOLS, this.#memory, this.#schemas, [], whole && byName(whole));
    known.note(definer);
    return known;
  }
}

/** A corpus may have one for each message: an object that is spread takes ten times as long. */
function inChat({ code, rule, severity, from, to, transcript, message }: Diagnostic, pointer: string): Told {
  return { code, rule, severity, from, to, transcript, message, pointer, isChat: true };
}

function textAt({ machine }: RecordRows, row: number): string {
  return decodeUtf8(machine.memory.subarray(wordAt(machine.rows, row, FROM), wordAt(machine.rows, row, TO)));
}

/** The name of the tool that is called. */
function nameAt(rows: RecordRows, call: number): string {
  let row = call + 1;
  while ((wordAt(rows.machine.rows, row, KIND) & KIND_MASK) !== RECIPIENT) row++;
  return textAt(rows, row);
}

/** The arguments in a body; undefined: there are none. */
function argumentsAt(rows: RecordRows, body: number): unknown {
  const kind = wordAt(rows.machine.rows, body, KIND);
  if (kind & ABSENT) return undefined;
  const text = textAt(rows, body);
  try {
    return JSON.parse(kind & VALUE ? text : (JSON.parse(`"${text}"`) as string)) as unknown;
  } catch {
    return undefined;
  }
}
