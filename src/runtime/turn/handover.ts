// Events handed from a run to who reads them, one at a time: who gives waits until the next one is asked for.

export class Handover<T, R> {
  readonly #asked: ((result: IteratorResult<T, R | undefined>) => void)[] = [];
  #goOn: (() => void) | null = null;
  #isOpen = true;
  #last: R | undefined;

  next(): Promise<IteratorResult<T, R | undefined>> {
    return new Promise((resolve) => {
      this.#asked.push(resolve);
      if (this.#isOpen) this.#wake();
      else this.#answerAll();
    });
  }

  /** Settles when the next event is asked for, at once when nobody reads. */
  give(event: T): Promise<void> | undefined {
    if (!this.#isOpen) return undefined;
    this.#asked.shift()?.({ done: false, value: event });
    if (this.#asked.length > 0) return undefined;
    return new Promise((resolve) => {
      this.#goOn = resolve;
    });
  }

  /** Nobody reads on: what is given is dropped. */
  leave(): void {
    this.#isOpen = false;
    this.#wake();
  }

  /** Nothing more is given; `last` goes to the first who asks. */
  end(last: R): void {
    this.#last = last;
    this.leave();
    this.#answerAll();
  }

  #wake(): void {
    const goOn = this.#goOn;
    this.#goOn = null;
    goOn?.();
  }

  #answerAll(): void {
    for (const answer of this.#asked.splice(0)) {
      answer({ done: true, value: this.#last });
      this.#last = undefined;
    }
  }
}
