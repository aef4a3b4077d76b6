// Events handed from a run to who reads them, one at a time: who gives waits until the next one is asked for. When the
// run is to end, its last events wait instead.

export class Handover<T, R> {
  readonly #asked: ((result: IteratorResult<T, R | undefined>) => void)[] = [];
  #goOn: (() => void) | null = null;
  #state: 'in step' | 'flowing' | 'ended' = 'in step';
  /** Given, and not asked for yet. */
  #waiting: T[] = [];
  #first = 0;
  #last: R | undefined;

  next(): Promise<IteratorResult<T, R | undefined>> {
    return new Promise((resolve) => {
      this.#asked.push(resolve);
      if (this.#waiting.length === 0) this.#wake();
      this.#answer();
    });
  }

  /** Settles when the next event is asked for; at once when the events flow, or nobody reads. */
  give(event: T): Promise<void> | undefined {
    if (this.#state === 'ended') return undefined;
    this.#waiting.push(event);
    this.#answer();
    if (this.#state === 'flowing' || this.#asked.length > 0) return undefined;
    return new Promise((resolve) => {
      this.#goOn = resolve;
    });
  }

  /** From now on, giving waits for nobody. */
  flow(): void {
    if (this.#state === 'in step') this.#state = 'flowing';
    this.#wake();
  }

  /** Nobody reads on: what is given is dropped. */
  leave(): void {
    this.#state = 'ended';
    this.#waiting = [];
    this.#first = 0;
    this.#wake();
  }

  /** Nothing more is given; `last` goes to the first who asks behind the last event. */
  end(last: R): void {
    this.#last = last;
    this.#state = 'ended';
    this.#wake();
    this.#answer();
  }

  #wake(): void {
    const goOn = this.#goOn;
    this.#goOn = null;
    goOn?.();
  }

  /** Answers who has asked, as far as there is something. */
  #answer(): void {
    while (this.#asked.length > 0 && this.#first < this.#waiting.length) {
      this.#asked.shift()!({ done: false, value: this.#waiting[this.#first++]! });
    }
    if (this.#first < this.#waiting.length) return;
    this.#waiting.length = this.#first = 0;
    if (this.#state !== 'ended') return;
    for (const answer of this.#asked.splice(0)) {
      answer({ done: true, value: this.#last });
      this.#last = undefined;
    }
  }
}
