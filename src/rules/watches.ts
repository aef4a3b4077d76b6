// What looks at the windows of an input while it is checked: its invalid bytes, and others.

import type { Machine } from '../scan/machine.ts';
import type { Watch } from '../scan/reading.ts';
import type { InvalidUtf8 } from './utf8.ts';

export class Watches implements Watch {
  readonly #utf8: InvalidUtf8;
  readonly #others: readonly Watch[];

  constructor(utf8: InvalidUtf8, others: readonly Watch[]) {
    this.#utf8 = utf8;
    this.#others = others;
  }

  watch(machine: Machine, base: number, from: number, to: number, final: boolean): void {
    this.#utf8.watch(machine, base, from, to, final);
    for (const other of this.#others) other.watch(machine, base, from, to, final);
  }

  leave(position: number): void {
    for (const other of this.#others) other.leave?.(position);
  }
}
