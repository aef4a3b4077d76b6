// Lists of tools: of one that the record scanner says to be flat the host need not be asked, so it must be one that the
// host reads and writes as definitions. What is said of a list as JSON does not depend on what was met before.
import { expect, test } from 'vitest';
import * as abi from '../../src/abi.ts';
import { placeTools, readToolField } from '../../src/formats/chat/tools.ts';
import { Refusal } from '../../src/formats/loss.ts';
import { RecordMachine } from '../../src/scan/record-machine.ts';
import { mutated, randomText, randomTools } from '../corpus/records/random-chat.ts';
import { runs } from '../long.ts';
import { type Random, randomOf, SEED } from '../random.ts';
import { scanWith } from './record-drive.ts';

const LISTS = runs(50_000, 25);

const MACHINES = [new RecordMachine({ build: 'simd' }), new RecordMachine({ build: 'scalar' })];

/** Whether the host reads a value of `tools`, and writes what it read. */
function isRead(json: string): boolean {
  try {
    const tools = readToolField(JSON.parse(json) as unknown, []);
    return placeTools({ header: null, tools, messages: [] }, 'declarations').data.messages.length === 1;
  } catch (error) {
    if (error instanceof Refusal || error instanceof RangeError) return false;
    throw error;
  }
}

function randomList(random: Random): Buffer {
  const list = Buffer.from(randomText(random, randomTools(random)));
  return random.once(4) ? mutated(random, list) : list;
}

/** What a machine says of the tools of each record: its status; null: the record is slow. */
function statusOf(machine: RecordMachine, lines: Buffer): (number | null)[] {
  const { words } = scanWith(machine, lines);
  const found: (number | null)[] = [];
  for (let at = 0; at < words.length; at += abi.ROW_WORDS) {
    if ((words[at]! & abi.KIND_MASK) !== abi.RECORD) continue;
    const status = (words[at + abi.ROW_WORDS]! >> abi.TOOLS_SHIFT) & abi.TOOLS_MASK;
    found.push((words[at]! & abi.SLOW) === 0 ? status : null);
  }
  return found;
}

test(`${LISTS} lists (OPENCHATML_SEED=${SEED})`, { timeout: 60 * 60_000 }, () => {
  let [flat, good] = [0, 0];
  for (let met = 0; met < LISTS; ) {
    const random = randomOf(SEED + met);
    const lists = Array.from({ length: 20 }, () => randomList(random));
    const line = (list: Buffer): Buffer =>
      Buffer.concat([Buffer.from('{"messages":[],"tools":'), list, Buffer.from('}\n')]);
    const lines = Buffer.concat([...lists, ...lists].map(line));
    for (const machine of MACHINES) {
      const statuses = statusOf(machine, lines);
      lists.forEach((list, i) => {
        const told = `OPENCHATML_SEED=${SEED + met}, ${machine.engine}: ${JSON.stringify(list.toString('latin1'))}`;
        // A list that stands in a string is looked into when it is kept: the second time.
        const isText = list.toString().trimStart().startsWith('"') && statuses[i] === abi.TOOLS_ASK;
        const status = statuses[i + lists.length]!;
        // Of one that is kept the host says whether its schemas can be used.
        const isKept = statuses[i] === abi.TOOLS_GOOD && status === abi.TOOLS_ASK;
        if (!isText && !isKept && statuses[i] !== status) {
          // Where the memory of lists ends, a table may have no room: there is some in a fresh machine.
          const twice = Buffer.concat([line(list), line(list)]);
          const [first, second] = statusOf(new RecordMachine({ build: machine.engine }), twice);
          expect(first, `again: ${told}`).toBe(second);
        }
        if (statuses[i] === abi.TOOLS_GOOD) good++;
        else if (status === abi.TOOLS_FLAT) flat++;
        else return;
        if (!isRead(list.toString())) expect.fail(`the host refuses it: ${told}`);
      });
    }
    met += lists.length;
  }
  expect(flat).toBeGreaterThan(LISTS / 20);
  expect(good).toBeGreaterThan(LISTS / 40);
});

/** A list with a table, of all that tables hold. */
const LIST = JSON.stringify([
  {
    type: 'function',
    function: {
      name: 'f', description: '0'.repeat(40),
      parameters: {
        type: 'object', title: 't', required: ['a'], additionalProperties: false,
        properties: {
          a: { type: 'string', enum: ['x', 'y'] },
          b: { type: 'array', items: { type: 'null', default: 1 } },
        },
      },
    },
  },
  {
    name: 'g',
    input_schema: {
      type: 'object', properties: { c: { type: 'number' }, d: { type: 'boolean' } }, required: ['d', 'c'],
    },
  },
]).replaceAll('","', '" , "');

/** What takes the place of a byte, or comes before it. */
const OTHERS = ['"', ',', ':', '[', ']', '{', '}', ' ', '\\', '\t', '\0', '1', 'null', '[]', '{}', ',"a":1'];

test('a list that is broken at any byte is as JSON.parse takes it', () => {
  const before = '{"messages":[],"tools":';
  let [taken, refused] = [0, 0];
  const texts = new Set<string>();
  for (let at = 0; at <= LIST.length; at++) {
    texts.add(LIST.slice(0, at) + LIST.slice(at + 1));
    for (const other of OTHERS) {
      texts.add(LIST.slice(0, at) + other + LIST.slice(at));
      texts.add(LIST.slice(0, at) + other + LIST.slice(at + 1));
    }
  }
  let number = 0;
  for (const text of texts) {
    // Its beginning is its own: else it would be one that was met before.
    const line = `${before}${text.replace(/0{20,}/, String(++number).padStart(8, '0').repeat(5))}}`;
    let isJson = true;
    try {
      JSON.parse(line);
    } catch {
      isJson = false;
    }
    for (const machine of MACHINES) {
      // Twice: as one that is met for the first time, and as one that is kept.
      const { words } = scanWith(machine, Buffer.from(`${line}\n${line}\n`));
      const records: boolean[] = [];
      for (let at = 0; at < words.length; at += abi.ROW_WORDS) {
        const word = words[at]!;
        if ((word & abi.KIND_MASK) !== abi.RECORD) continue;
        records.push((word & abi.SLOW) === 0 || (word & abi.IS_OBJECT) !== 0);
      }
      const isRight = records.length === 2 && records.every((isTaken) => isTaken === isJson);
      if (!isRight) expect(records, `${machine.engine}: ${line}`).toEqual([isJson, isJson]);
    }
    if (isJson) taken++;
    else refused++;
  }
  expect(taken).toBeGreaterThan(1000);
  expect(refused).toBeGreaterThan(1000);
});

test('a list is kept when it comes again, not when another begins as it does', () => {
  const line = (end: string): string => {
    const described = { name: 'f', description: `${'0'.repeat(300)}${end}`, parameters: {} };
    return `${JSON.stringify({ messages: [], tools: [{ type: 'function', function: described }] })}\n`;
  };
  const ends = ['1', '2', '3', '2', '2', '1'];
  for (const build of ['simd', 'scalar'] as const) {
    const { words } = scanWith(new RecordMachine({ build }), Buffer.from(ends.map(line).join('')));
    const kept: number[] = [];
    for (let at = 0; at < words.length; at += abi.ROW_WORDS) {
      if ((words[at]! & abi.KIND_MASK) !== abi.TOOLS) continue;
      const entry = words[at]! >>> abi.ENTRY_SHIFT;
      kept.push(entry > abi.MOST_ENTRIES ? 0 : entry);
    }
    // The entry of each record's list; 0: it is not kept.
    expect(kept, build).toEqual([0, 0, 0, 1, 1, 2]);
  }
});

test('lists that never repeat are known, however many small records stand together', () => {
  const own = (i: number): string => JSON.stringify({
    messages: [],
    tools: [{ type: 'function', function: {
      name: 'f', description: `${i}`, ...(i % 3 !== 0 && { parameters: { type: 'object', properties: {} } }),
    } }],
  });
  const lines = Buffer.from(Array.from({ length: 5000 }, (_, i) => `${own(i)}\n`).join(''));
  for (const build of ['simd', 'scalar'] as const) {
    const statuses = statusOf(new RecordMachine({ build }), lines);
    expect([statuses.length, statuses.every((status, i) => status === (i % 3 === 0 ? abi.TOOLS_GOOD : abi.TOOLS_FLAT))])
      .toEqual([5000, true]);
  }
});
