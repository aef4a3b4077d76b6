// What the library tells of files of records: rows give what values give.
import { expect, test } from 'vitest';
import { checkFile, readMessages } from '../../src/corpus/files.ts';
import { LARGEST } from '../../src/corpus/records/record.ts';
import type { FileOptions } from '../../src/corpus/records/unit.ts';
import { toolsFromOpenAI } from '../../src/tools/records.ts';
import { file } from '../cli/harness.ts';
import { runs } from '../long.ts';
import { randomOf, SEED } from '../random.ts';
import { randomLine, randomTools } from './records/random-chat.ts';

/** Limits that are not the usual ones leave nothing to the scanner. */
const VALUES: FileOptions = { largestRecord: LARGEST - 1 };

function messages(path: string, options: FileOptions): unknown[] {
  return Array.from(readMessages(path, options), ({ message, transcript, index, source, record, place }) => {
    const { from, to, body } = message;
    const { role, channel, name, recipient, content, callId, isVisible } = message;
    const places = [place(from), place(body.from), place(body.to, true), place(to, true)];
    const text = Buffer.from(source.bytes(0, source.end ?? 0)).toString();
    const said = { role, channel, name, recipient, callId, content, isVisible };
    return { record, index, number: transcript.number, ...said, places, text };
  });
}

test(`diagnostics and messages (seed ${SEED})`, { timeout: 20 * 60_000 }, () => {
  for (let seed = SEED; seed < SEED + runs(300, 5); seed++) {
    const random = randomOf(seed);
    const lines = Array.from({ length: 1 + random.below(12) }, () => randomLine(random).toString('latin1'));
    const isList = random.once(4);
    const bytes = Buffer.from(isList ? `[${lines.join(',')}]` : lines.join('\n'), 'latin1');
    const path = file(`file-rows/${seed}.jsonl`, bytes);
    const options: FileOptions = { positions: random.pick(['file', 'field']) };
    const { tools } = toolsFromOpenAI(random.once(2) ? [] : randomTools(random));
    const told = `seed ${seed}: ${bytes.toString()}`;
    expect([...checkFile(path, { ...options, tools })], told)
      .toEqual([...checkFile(path, { ...options, ...VALUES, tools })]);
    expect(messages(path, options), told).toEqual(messages(path, { ...options, ...VALUES }));
  }
});
