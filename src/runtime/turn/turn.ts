// A run as a program uses it: an iterable of its events, with its result.

import { Handover } from './handover.ts';
import { Loop } from './loop.ts';
import type { TurnEvent, TurnOptions, TurnResult, TurnRun } from './types.ts';

/**
 * Runs a model with its tools until it has answered. Whatever the model says, the run comes to an end, and the end is
 * a result, also when the model throws: what was said and done before is in it. Throws only when an option is wrong.
 * Nothing is left open.
 *
 * @example
 * ```ts
 * import { runTurn, ToolRouter } from 'openchatml/stream';
 *
 * async function* model() {
 *   yield '<|channel|>final<|message|>Hello.<|return|>';
 * }
 * const run = runTurn({ model, router: new ToolRouter({}), messages: [{ role: 'user', content: 'Hi' }] });
 * const { stop, messages } = await run.result;
 * console.log(stop, messages.at(-1)?.content); // final Hello.
 * ```
 */
export function runTurn(options: TurnOptions): TurnRun {
  return new Run(options);
}

class Run implements TurnRun {
  readonly #handover = new Handover<TurnEvent, TurnResult>();
  readonly #loop: Loop;
  readonly #ended: Promise<TurnResult>;
  #begin!: () => void;
  #state: 'new' | 'read' | 'passed' = 'new';

  constructor(options: TurnOptions) {
    this.#loop = new Loop(options, (event) => this.#handover.give(event));
    // The end of such a run waits for nobody.
    this.#loop.interrupted.addEventListener('abort', () => this.#handover.flow());
    const begun = new Promise<void>((resolve) => {
      this.#begin = resolve;
    });
    this.#ended = begun.then(() => this.#loop.run());
    void this.#ended.then((result) => this.#handover.end(result));
  }

  get result(): Promise<TurnResult> {
    // Who asks for the events in the same moment gets them.
    queueMicrotask(() => {
      if (this.#state === 'new') {
        this.#state = 'passed';
        this.#handover.leave();
      }
      this.#begin();
    });
    return this.#ended;
  }

  [Symbol.asyncIterator](): AsyncIterator<TurnEvent, TurnResult | undefined, undefined> {
    if (this.#state !== 'new') throw new TypeError('the events of a run can be read once, and not after its result');
    this.#state = 'read';
    return {
      next: () => {
        this.#begin();
        return this.#handover.next();
      },
      return: async () => {
        this.#handover.leave();
        this.#loop.interrupt('nobody reads on');
        this.#begin();
        await this.#ended;
        return { done: true, value: undefined };
      },
    };
  }
}
