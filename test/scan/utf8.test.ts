// Where bytes stop being UTF-8: every build against the decoder of the engine, whatever stands behind them in memory.
import { describe, expect, test } from 'vitest';
import type { Machine } from '../../src/scan/machine.ts';
import { Twin } from '../../src/scan/twin/twin.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { part } from '../long.ts';

const machines: readonly Machine[] = [
  new WasmMachine({ build: 'simd' }), new WasmMachine({ build: 'scalar' }), new Twin(),
];
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function isWhole(bytes: Uint8Array): boolean {
  try {
    decoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** The longest beginning that is whole characters: the first bad one begins there. */
function firstBad(bytes: Uint8Array): number {
  if (isWhole(bytes)) return -1;
  let at = bytes.length - 1;
  while (!isWhole(bytes.subarray(0, at))) at--;
  return at;
}

const ALL = Array.from({ length: 256 }, (_, byte) => byte);
const EDGES = [0x00, 0x3c, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xaf, 0xb0, 0xbf];
const LEADS = [
  0x7f, 0x80, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf7,
  0xf8, 0xff,
];

describe.each(machines.map((machine) => [machine.engine, machine] as const))('%s', (_, machine) => {
  /** The answer for the first `length` bytes of `bytes`; all of them lie in the window. */
  function look(bytes: readonly number[], length: number, at: number): void {
    machine.source.set(bytes, at);
    const answer = machine.invalidUtf8(at, at + length);
    const expected = firstBad(Uint8Array.from(bytes.slice(0, length)));
    if (answer !== (expected < 0 ? -1 : at + expected)) {
      expect(answer - at, `${bytes.join(' ')}, the first ${length}`).toBe(expected);
    }
  }

  test('every two bytes, with a continuation behind them', () => {
    for (const first of part(ALL)) {
      for (const second of ALL) for (const length of [1, 2]) look([first, second, 0x80, 0x80], length, 5);
    }
  });

  test('every four bytes at the edges of what is allowed, whole and cut', () => {
    for (const lead of part(LEADS, 5)) {
      for (const second of EDGES) {
        for (const third of EDGES) {
          for (const fourth of EDGES) for (const length of [2, 3, 4]) look([lead, second, third, fourth], length, 0);
        }
      }
    }
  });

  test('at the end of the window, and far behind ASCII', () => {
    machine.source.fill(0x61);
    expect(machine.invalidUtf8(0, machine.capacity)).toBe(-1);
    for (const bytes of [[0xe2, 0x82], [0xc3], [0xf0, 0x9f, 0x98]]) {
      look(bytes, bytes.length, machine.capacity - bytes.length);
    }
    machine.source.fill(0x61);
    machine.source.set([0xe2, 0x82], machine.capacity - 2);
    expect(machine.invalidUtf8(0, machine.capacity)).toBe(machine.capacity - 2);
  });
});
