// Drives any Machine over an input, cut and drained as a plan says, and gives back the whole table as a host would see
// it: slots put over their rows, rows taken off in between. What every build must keep at every call is checked.
import * as abi from '../../src/abi.ts';
import { DIALECTS, type Dialect } from '../../src/scan/dialects.ts';
import type { RowMachine, StreamMachine } from '../../src/scan/machine.ts';
import type { Random } from '../random.ts';

export interface Plan {
  dialect: Dialect;
  /** AT_INPUT when left out. */
  how?: number;
  /** Bytes of the next chunk, at least 1; all that fits when left out. */
  chunk?: () => number;
  /** Take the rows off after this call? A full table is always drained. */
  drains?: () => boolean;
  /** Move the tail to the front after this call? It always is when the window is used up. */
  slides?: () => boolean;
  /** Save the state, let the machine do something else, restore it? Only asked when it can and the table is empty. */
  leaves?: () => boolean;
  /** Count positions from the window's beginning, not from the input's; drains before every slide. */
  relative?: boolean;
  /** The dialect after a document header, if another one. */
  answers?: (header: Uint8Array) => Dialect | undefined;
  /** Bytes of a window that may be held back; when left out, a field that may be PLAIN, a token and more. */
  mostHeld?: number;
}

/** What lies behind the window: it must decide nothing. */
const POISON = new TextEncoder().encode('|start|>a<|end|>\n---\n');
const OTHER_INPUT = new TextEncoder().encode('\n---\nx:\n...\n-<|start|>user t<|mess');
const never = (): boolean => false;

/** The plan with random cuts. */
export function randomPlan(random: Random, plan: Plan): Plan {
  const most = random.pick([1, 3, 20, 60]);
  const maybe = random.pick([1, 2, 5]);
  return {
    ...plan,
    chunk: () => 1 + random.below(most),
    drains: () => random.once(maybe),
    slides: () => random.once(maybe),
    leaves: () => random.once(4),
    relative: random.once(2),
  };
}

/** All rows, four words each. */
export function drive(machine: RowMachine, input: Uint8Array, plan: Plan): Int32Array {
  const { chunk = () => input.length, drains = never, slides = never, leaves = never, relative = false } = plan;
  const { answers = () => undefined, mostHeld = abi.PLAIN_BYTES + abi.PADDING } = plan;
  const table: number[] = [];
  /** Rows taken off, rows that will not change. */
  let base = 0;
  let sure = 0;
  let [from, length, origin] = [0, 0, 0];
  let current = plan.dialect;

  const set = (row: number, word: number, value: number): void => {
    const at = row * abi.ROW_WORDS + word;
    if (row < sure && table[at] !== value) throw new Error(`row ${row} changed after it was settled`);
    table[at] = value;
  };
  const look = (): void => {
    const { slots, slotRows, rows } = machine;
    const start = relative ? origin : 0;
    for (let slot = 0; slot < abi.SLOT_COUNT; slot++) {
      const row = slotRows[slot]!;
      if (row >= base) throw new Error(`slot ${slot} holds row ${row}, which is in the table`);
      if (row < 0) continue;
      const at = slot * abi.ROW_WORDS;
      set(row, abi.KIND, slots[at + abi.KIND]!);
      set(row, abi.NEXT, slots[at + abi.NEXT]!);
      if (slots[at + abi.TO] !== abi.UNCHANGED) set(row, abi.TO, slots[at + abi.TO]! + start);
    }
    for (let row = 0, at = 0; row < machine.count(); row++, at += abi.ROW_WORDS) {
      set(base + row, abi.KIND, rows[at + abi.KIND]!);
      set(base + row, abi.FROM, rows[at + abi.FROM]! + start);
      set(base + row, abi.TO, rows[at + abi.TO]! + start);
      set(base + row, abi.NEXT, rows[at + abi.NEXT]!);
    }
    const settled = machine.settled();
    if (settled < sure || settled > base + machine.count()) throw new Error(`settled() is ${settled}, after ${sure}`);
    sure = settled;
  };
  const drain = (): void => {
    base += machine.count();
    machine.drain();
    if (machine.count() !== 0) throw new Error('rows after drain()');
  };
  const slide = (): void => {
    if (relative) drain();
    machine.slide(from, length);
    origin += from;
    length -= from;
    from = 0;
  };

  machine.begin(plan.how ?? abi.AT_INPUT, plan.dialect);
  for (;;) {
    const final = origin + length === input.length;
    poison(machine, length);
    const answer = machine.scan(from, length, final, relative ? 0 : origin);
    const done = machine.consumed();
    if (done < from || done > length) throw new Error(`consumed() is ${done}, not within ${from}…${length}`);
    from = done;
    look();
    if (answer === abi.FULL) {
      if (machine.count() === 0) throw new Error('full without rows');
      drain();
    } else if (answer === abi.AFTER_HEADER) {
      if (sure * abi.ROW_WORDS !== table.length) throw new Error('a header that has ended is not settled');
      const at = table.length - abi.ROW_WORDS;
      const dialect = answers(input.subarray(table[at + abi.FROM], table[at + abi.TO]));
      if (drains()) drain();
      if (dialect !== undefined) machine.setDialect((current = dialect));
    } else if (answer !== abi.DONE) {
      throw new Error(`scan() answered ${answer}`);
    } else if (final) {
      if (from !== length) throw new Error('bytes are held back at the end of input');
      if (sure !== base + machine.count()) throw new Error('rows are not settled at the end of input');
      return Int32Array.from(table);
    } else {
      if (length - from > mostHeld) throw new Error(`${length - from} bytes are held back`);
      if (drains()) drain();
      if (slides() || length === machine.capacity) slide();
      if (machine.count() === 0 && leaves() && saves(machine)) leave(machine, length, current);
      const count = Math.min(Math.max(1, chunk()), machine.capacity - length, input.length - origin - length);
      if (count === 0) throw new Error('the window is full of bytes that are held back');
      machine.source.set(input.subarray(origin + length, origin + length + count), length);
      length += count;
    }
  }
}

/** Puts bytes behind the window that would matter if they were looked at. */
function poison(machine: RowMachine, length: number): void {
  for (let i = 0; i < POISON.length && length + i < machine.source.length; i++) machine.source[length + i] = POISON[i]!;
}

const saves = (machine: RowMachine): machine is StreamMachine => 'save' in machine;

/** The machine serves another parser meanwhile. */
function leave(machine: StreamMachine, length: number, dialect: Dialect): void {
  const window = machine.source.slice(0, length);
  const state = machine.save();
  machine.source.set(OTHER_INPUT);
  machine.begin(abi.IN_GAP, DIALECTS['openchatml-2.0']);
  machine.scan(0, OTHER_INPUT.length, false, 7);
  machine.drain();
  machine.scan(machine.consumed(), OTHER_INPUT.length, false, 7);
  machine.drain();
  machine.restore(state);
  machine.setDialect(dialect);
  machine.source.set(window);
}
