// Lines and columns while an input is checked: of a pipe nothing can be read again, and open calls are told late.
import { expect, test } from 'vitest';
import { Places } from '../../src/corpus/places.ts';
import type { InputSource } from '../../src/corpus/input/source.ts';
import { MemorySource, type Source } from '../../src/index.ts';
import { WasmMachine } from '../../src/scan/wasm.ts';
import { checkSource } from '../../src/rules/check-source.ts';

/** A source that was read once: what it let go is an error to ask for. */
class Once implements InputSource {
  readonly path = '-';
  readonly size = null;
  readonly canReread: boolean;
  readonly #source: Source;
  first = 0;

  constructor(bytes: Uint8Array, canReread: boolean) {
    this.#source = new MemorySource(bytes);
    this.canReread = canReread;
  }

  read(at: number, into: Uint8Array): number {
    this.#demand(at);
    return this.#source.read(at, into);
  }

  bytes(from: number, to: number): Uint8Array {
    this.#demand(from);
    return this.#source.bytes(from, to);
  }

  release(before: number): void {
    if (!this.canReread) this.first = Math.max(this.first, before);
  }

  close(): void {}

  #demand(at: number): void {
    if (at < this.first) throw new Error(`${at} was let go before ${this.first}`);
  }
}

const message = (i: number): string => `<|start|>user<|message|>line\nline ${i}<|end|>\n`;
const call = (i: number): string =>
  `<|start|>assistant to=functions.f call_id=c${i}<|channel|>commentary<|message|>{}<|call|>\n`;

test.each([['a pipe', false], ['a file', true]])('open calls have their places in %s', (_, canReread) => {
  let text = 'version: 2.2\n';
  const expected: { rule: string; line: number; column: number }[] = [];
  const here = (rule: string): void => {
    const lines = text.split('\n');
    expected.push({ rule, line: lines.length, column: lines.at(-1)!.length + 1 });
  };
  for (let transcript = 0; transcript < 3; transcript++) {
    for (let i = 0; i < 4000; i++) {
      if (i % 500 === 7) {
        text += '  ';
        here('open-call');
        text += call(i);
      }
      if (i % 700 === 3) {
        here('text-between-messages');
        text += 'stray\n';
      }
      text += message(i);
    }
    text += 'version: 2.2\n';
  }
  const input = new Once(new TextEncoder().encode(text), canReread);
  const places = new Places(input);
  const machine = new WasmMachine({ window: 1024, tableRows: 64 });
  const found: typeof expected = [];
  for (const { rule, from } of checkSource(machine, places.over(input), { openCalls: places.openCalls })) {
    found.push({ rule, ...places.at(from) });
  }
  const order = (a: (typeof expected)[number], b: (typeof expected)[number]): number =>
    a.line - b.line || a.column - b.column;
  expect(found.sort(order)).toEqual(expected.sort(order));
  expect(input.first > 0).toBe(!canReread);
});
