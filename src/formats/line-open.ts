// The calls of a 0.1 transcript that wait for their outputs, which come in the same order (0.1 extended §8.4).

interface Waiting {
  readonly recipient: string;
  isAnswered: boolean;
}

/** Calls in order, with a place up to which all are answered. */
class Queue {
  readonly #calls: Waiting[] = [];
  #from = 0;

  add(call: Waiting): void {
    this.#calls.push(call);
  }

  /** Takes the first call that is not answered. */
  take(): Waiting | null {
    for (; this.#from < this.#calls.length; this.#from++) {
      const call = this.#calls[this.#from]!;
      if (call.isAnswered) continue;
      call.isAnswered = true;
      return call;
    }
    return null;
  }
}

export class WaitingCalls {
  readonly #all = new Queue();
  readonly #byRecipient = new Map<string, Queue>();

  add(recipient: string): void {
    const call = { recipient, isAnswered: false };
    this.#all.add(call);
    let queue = this.#byRecipient.get(recipient);
    if (!queue) this.#byRecipient.set(recipient, (queue = new Queue()));
    queue.add(call);
  }

  /** An output comes: the tool that it is from, by its own word or by the call that it answers; null when neither tells it. */
  answer(given: string | null): string | null {
    const call = given === null ? this.#all.take() : this.#byRecipient.get(given)?.take();
    return given ?? call?.recipient ?? null;
  }
}
