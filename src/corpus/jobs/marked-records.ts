// What is told of a record whose rows are marked: calls that no reply answers, replies that answer none, tools that
// nobody defines, arguments that do not fit, reasoning that is written as text. Everything else in it was found to be
// well.

import {
  CALL, CHANNEL_MASK, CHANNEL_SHIFT, COMMENTARY, FROM, IS_OPEN, KIND, MAY_NOT_FIT, MAY_THINK, MISMATCHES, NEXT,
  RECORD_ROWS, ROLE_MASK, ROLE_SHIFT, TO, TOKEN_MASK, TOKEN_SHIFT, TOOL, TOOLS_MASK, TOOLS_NONE, TOOLS_SHIFT,
} from '../../abi.ts';
import { diagnose, type Diagnostic, type RuleName } from '../../errors.ts';
import type { Machine } from '../../scan/machine.ts';
import type { RecordMachine } from '../../scan/record-machine.ts';
import { wordAt } from '../../scan/record-rows.ts';
import {
  byName, type CallProblem, type Definer, KnownTools, Schemas, type ToolMemory, type ToolsByName,
} from '../../tools/known.ts';
import { plainName } from '../../tools/name.ts';
import { fitsSimple } from '../../tools/simple-schema.ts';
import type { RecordTools } from '../records/record-tools.ts';
import { RowPointers } from '../records/row-pointers.ts';
import { nextRecord, type RecordRows } from '../records/rows.ts';
import { isThoughtAlone, markerIn } from '../records/written-thought.ts';
import type { Told } from './job.ts';
import { argumentsAt, MarkedCalls, spanAt, type TellRow, toolAt, wrongJson } from './marked-calls.ts';

const NO_TOOLS = new Map<string, never>();

export class MarkedRecords {
  readonly #machine: Machine;
  readonly #memory: ToolMemory;
  readonly #schemas: Schemas;
  /** What defines tools, by the numbers that the scanner of records has for it. */
  readonly #defined = new Map<number, Defined>();
  #generation = -1;

  constructor(machine: Machine, memory: ToolMemory) {
    this.#machine = machine;
    this.#memory = memory;
    this.#schemas = new Schemas(memory);
  }

  /** In order; what waits for the end of the record stands last. Null: the record must be read. */
  told(rows: RecordRows, record: number, transcript: number): readonly Told[] | null {
    const told: Told[] = [];
    const open: Told[] = [];
    const isAll = this.each(rows, record, new RowPointers(rows, record), (finding, _row, pointer, waits = false) => {
      (waits ? open : told).push(inChat(diagnose(finding, transcript, true), pointer));
    });
    return isAll ? [...told, ...open] : null;
  }

  /** Tells each in the order of messages, and at last what waits. False: the record must be read. */
  each(rows: RecordRows, record: number, pointers: RowPointers | null, tell: TellRow): boolean {
    const { machine } = rows;
    const next = nextRecord(rows, record);
    const hasMismatches = (wordAt(machine.rows, record + 1, KIND) & MISMATCHES) !== 0;
    const matched = hasMismatches ? new MarkedCalls(rows, record, pointers) : null;
    const asked: Asked = { rows, record };
    for (let row = record + RECORD_ROWS; row < next; row = wordAt(machine.rows, row, NEXT)) {
      pointers?.pass(row);
      const word = wordAt(machine.rows, row, KIND);
      const isCall = ((word >>> TOKEN_SHIFT) & TOKEN_MASK) === CALL;
      const isReply = ((word >>> ROLE_SHIFT) & ROLE_MASK) === TOOL;
      if (isReply && matched?.reply(row, tell) === false) return false;
      if (!isCall) {
        if (isReply || !(word & MAY_THINK)) continue;
        const body = wordAt(machine.rows, row, NEXT) - 1;
        const isPreamble = ((word >>> CHANNEL_SHIFT) & CHANNEL_MASK) === COMMENTARY;
        const found = this.#thought(rows, body, isPreamble);
        if (found !== null) tell({ rule: 'reasoning-in-final', ...found }, row, pointers?.text(body) ?? '');
        continue;
      }
      matched?.call(row, tell);
      if (word & MAY_NOT_FIT && !this.#looksAt(asked, row, pointers, tell)) return false;
      if (matched === null && word & IS_OPEN) {
        tell({ rule: 'open-call', ...spanAt(rows, row) }, row, pointers?.pointer(row) ?? '', true);
      }
    }
    matched?.end(tell);
    return true;
  }

  /** Tells what is wrong with a call that may not fit. False: the record must be read. */
  #looksAt(asked: Asked, row: number, pointers: RowPointers | null, tell: TellRow): boolean {
    const { rows, record } = asked;
    const wrong = wrongJson(this.#machine, rows, record, row);
    asked.listed ??= this.#listed(rows, record);
    if (wrong === null && fitsListed(asked.listed, rows, row)) return true;
    if (asked.tools === undefined) asked.tools = this.#tools(rows, record);
    const problem = asked.tools === null ? undefined : problemOf(asked.tools, rows, row, wrong !== null);
    if (problem === undefined) return false;
    const pointer = (rule: RuleName, inBody = false): string => pointers?.pointer(row, rule, inBody) ?? '';
    if (problem !== null) tell({ ...problem, ...spanAt(rows, row) }, row, pointer(problem.rule));
    if (wrong !== null) tell(wrong, row, pointer(wrong.rule, true));
    return true;
  }

  /** The marker of reasoning that is written in a body. A preamble that is nothing else is not visible. */
  #thought(
    { machine, base }: RecordRows, body: number, isPreamble: boolean,
  ): { readonly from: number; readonly to: number } | null {
    const from = wordAt(machine.rows, body, FROM);
    const text = machine.memory.subarray(from, wordAt(machine.rows, body, TO));
    const marker = markerIn(text);
    if (marker !== null && isPreamble && isThoughtAlone(text)) return null;
    return marker && { from: base + from + marker.from, to: base + from + marker.to };
  }

  /**
   * The tools of a record as its list has them, when it is one that the scanner does not keep; none, where that is not
   * known, or where a schema took so long that others get less time.
   */
  #listed({ machine, tools, base }: RecordRows, record: number): ToolsByName {
    if (!hasTools(machine, record) || tools.entryOf(record) !== 0) return NO_TOOLS;
    this.#schemas.budget.begin(base + wordAt(machine.rows, record, FROM));
    const listed = this.#schemas.budget.isImpatient ? null : tools.listedBy(record);
    return listed === null ? NO_TOOLS : byName(listed);
  }

  /** The tools of a record; null: what they say is not known. */
  #tools({ machine, tools, base }: RecordRows, record: number): KnownTools | null {
    if (machine.generation !== this.#generation) this.#defined.clear();
    this.#generation = machine.generation;
    if (!hasTools(machine, record)) return new KnownTools(NO_TOOLS, this.#memory, this.#schemas, []);
    this.#schemas.budget.begin(base + wordAt(machine.rows, record, FROM));
    const entry = tools.entryOf(record);
    const defined = this.#defined.get(entry) ?? definedIn(tools, record);
    if (defined === null) return null;
    if (entry !== 0) this.#defined.set(entry, defined);
    const known = new KnownTools(NO_TOOLS, this.#memory, this.#schemas, [], defined.whole);
    known.note(defined.definer);
    return known;
  }
}

const hasTools = ({ rows }: RecordMachine, record: number): boolean =>
  ((wordAt(rows, record + 1, KIND) >>> TOOLS_SHIFT) & TOOLS_MASK) !== TOOLS_NONE;

/**
 * Whether the arguments of a call, which are JSON, are sure to fit. A list is sent as text and read again before
 * arguments are checked by it; where they fit nobody can tell the two apart, and it takes a tenth of the time.
 */
function fitsListed(tools: ToolsByName, rows: RecordRows, call: number): boolean {
  if (tools.size === 0) return false;
  const definition = tools.get(plainName(toolAt(rows, call)));
  return definition !== undefined && fitsSimple(definition.parameters, argumentsAt(rows, call));
}

/** What is known of the tools of a record, from the first call on that may not fit. */
interface Asked {
  readonly rows: RecordRows;
  readonly record: number;
  /** As the record has them. */
  listed?: ToolsByName;
  /** As calls are checked by them; null: what they say is not known. */
  tools?: KnownTools | null;
}

/** The message that holds definitions; what they say, where it does not hold all of it. */
interface Defined {
  readonly definer: Definer;
  readonly whole: ToolsByName | null;
}

function definedIn(tools: RecordTools, record: number): Defined | null {
  const defined = tools.definedBy(record);
  if (defined === null) return null;
  const { text: content, whole } = defined;
  const definer: Definer = { role: 'developer', content, dialectId: 'openchatml-2.2', kept: 0 };
  return { definer, whole: whole && byName(whole) };
}

/** What is wrong with a call; undefined: it is not known. `isTold`: that its arguments are no JSON. */
function problemOf(tools: KnownTools, rows: RecordRows, row: number, isTold: boolean): CallProblem | null | undefined {
  let isUnread = false;
  const problem = tools.check(toolAt(rows, row), () => {
    const value = isTold ? undefined : argumentsAt(rows, row);
    isUnread = value === undefined;
    return value;
  });
  if (!isUnread) return problem;
  return isTold ? null : undefined;
}

/** A corpus may have one for each message: an object that is spread takes ten times as long. */
function inChat({ code, rule, severity, from, to, transcript, message }: Diagnostic, pointer: string): Told {
  return { code, rule, severity, from, to, transcript, message, pointer, isChat: true };
}
