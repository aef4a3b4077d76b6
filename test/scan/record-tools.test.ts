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

const LISTS = runs(100_000);

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
  let flat = 0;
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
        if (!isText && statuses[i] !== status) {
          // Where the memory of lists ends, a table may have no room: there is some in a fresh machine.
          const twice = Buffer.concat([line(list), line(list)]);
          const [first, second] = statusOf(new RecordMachine({ build: machine.engine }), twice);
          expect(first, `again: ${told}`).toBe(second);
        }
        if (status !== abi.TOOLS_FLAT) return;
        flat++;
        if (!isRead(list.toString())) expect.fail(`the host refuses it: ${told}`);
      });
    }
    met += lists.length;
  }
  expect(flat).toBeGreaterThan(LISTS / 20);
});
