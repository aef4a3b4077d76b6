// The TypeScript scanner.
import { describe, expect, test } from 'vitest';
import * as abi from '../../src/abi.ts';
import { DIALECTS } from '../../src/scan/dialects.ts';
import { Twin } from '../../src/scan/twin/twin.ts';
import { scannerSuite } from './suite.ts';
import { show } from './table.ts';

const V22 = DIALECTS['openchatml-2.2'];
const HARMONY = DIALECTS.harmony;

scannerSuite({
  wide: new Twin(),
  narrow: new Twin({ window: 48, tableRows: 8 }),
  least: new Twin({ window: 40, tableRows: 2 }),
  // An escape, the longest token and the byte after it.
  mostHeld: abi.LONGEST_TOKEN + 2,
});

describe('calls', () => {
  test('a window or a table that is too small is a wrong call', () => {
    expect(() => new Twin({ window: 39 })).toThrow(RangeError);
    expect(() => new Twin({ tableRows: 1 })).toThrow(RangeError);
  });

  test('restart() with an open row is a wrong call', () => {
    const twin = new Twin();
    twin.begin(abi.AT_INPUT, V22);
    twin.source.set(new TextEncoder().encode('<|start|>'));
    twin.scan(0, 9, false, 0);
    expect(() => twin.restart(0)).toThrow();
    twin.drain();
    expect(() => twin.restart(0)).toThrow();
  });

  test('a saved state brings its dialect back', () => {
    const [one, other] = [new Twin(), new Twin()];
    one.begin(abi.AT_INPUT, HARMONY);
    other.begin(abi.AT_INPUT, V22);
    const input = new TextEncoder().encode('---\n');
    other.restore(one.save());
    other.source.set(input);
    other.scan(0, input.length, true, 0);
    expect(show(other.rows.slice(0, other.count() * abi.ROW_WORDS), input)).toEqual(['text|---']);
  });

  test('restart() numbers rows from 0', () => {
    const twin = new Twin();
    const input = new TextEncoder().encode('<s></s>');
    twin.begin(abi.AT_INPUT, V22);
    twin.source.set(input);
    twin.scan(0, 3, false, 0);
    expect(twin.settled()).toBe(1);
    twin.drain();
    twin.restart(0);
    twin.scan(3, 7, true, 0);
    expect([twin.settled(), twin.rows[abi.NEXT]]).toEqual([1, 1]);
  });

  test('offsets are window positions plus the origin', () => {
    const twin = new Twin();
    twin.begin(abi.IN_GAP, V22);
    twin.source.set(new TextEncoder().encode('<s>'));
    twin.scan(0, 3, true, 1000);
    expect([...twin.rows.subarray(0, 4)]).toEqual([abi.BOUND | (abi.BOS << abi.TOKEN_SHIFT), 1000, 1003, 1]);
  });

  test('the message row is closed at its terminator, and settled by what follows', () => {
    const twin = new Twin();
    const input = new TextEncoder().encode('<|start|>u<|end|> \n x');
    twin.begin(abi.AT_INPUT, V22);
    twin.source.set(input);
    twin.scan(0, 20, false, 0);
    expect([twin.rows[abi.TO], twin.rows[abi.NEXT], twin.settled()]).toEqual([17, 2, 0]);
    twin.scan(20, 21, false, 0);
    expect([twin.count(), twin.settled()]).toEqual([3, 2]);
  });
});
