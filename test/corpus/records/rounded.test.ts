// A number that a double does not hold is found wherever it stands in the parts in which a record is looked through.
import { expect, test } from 'vitest';
import { holdsRounded } from '../../../src/corpus/records/rounded.ts';

const PART = 64 * 1024;

test.each(['9007199254740993', '12345678901234567890', '1e400'])('%s', (number) => {
  for (let at = PART - 40; at < PART + 4; at++) {
    const front = `{"a":"${'x'.repeat(at - 12)}","b":`;
    expect(holdsRounded(Buffer.from(`${front}${number}}`)), `at ${at}`).toBe(true);
    expect(holdsRounded(Buffer.from(`${front}"${number}"}`)), `at ${at}`).toBe(false);
    expect(holdsRounded(Buffer.from(`${front}900719925474099}`)), `at ${at}`).toBe(false);
  }
});
