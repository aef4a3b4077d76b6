// Ids of the calls of a transcript: whose each of them is, and new ones.

import { faultOfMessage } from './check.ts';
import type { RoutedCall } from './types.ts';

export class TakenIds {
  readonly #taken = new Set<string>();
  /** Ids of calls that are to come; null: the call has come, or was given up. */
  readonly #coming = new Map<string, RoutedCall | null>();
  #made = 0;

  /** One that no call has. */
  make(): string {
    for (;;) {
      const id = `call_${++this.#made}`;
      if (!this.#taken.has(id) && !this.#coming.has(id)) return id;
    }
  }

  /** These calls come later, in any order: an id belongs to the first of them that has it. */
  expect(calls: readonly RoutedCall[]): void {
    for (const call of calls) {
      const { callId } = call;
      if (!callId || this.#coming.get(callId)) continue;
      this.#coming.set(callId, faultOfMessage(call) ? null : call);
    }
  }

  /** These calls have come, or do not come. */
  expectNoMore(calls: readonly RoutedCall[]): void {
    for (const call of calls) {
      const { callId } = call;
      if (callId && this.#coming.get(callId) === call) this.#coming.set(callId, null);
    }
  }

  /** No call has these from here on. */
  reserve(ids: Iterable<string>): void {
    for (const id of ids) this.#taken.add(id);
  }

  /** Whether the id of a call is another one's. */
  isTaken(call: Pick<RoutedCall, 'callId'>): boolean {
    const { callId } = call;
    return callId != null && (this.#taken.has(callId) || (this.#coming.get(callId) ?? call) !== call);
  }
}
