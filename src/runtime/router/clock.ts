// Time as the runtime sees it: everything that waits asks a clock, so that a test can turn the hands itself.

/** `now` never goes back; a timer fires once, and never after it was cleared. */
export interface Clock {
  /** Milliseconds since any fixed moment. */
  now(): number;
  setTimeout(callback: () => void, milliseconds: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** The longest time that a timer of Node or of a browser takes. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** The clock of the system, by `performance.now()` and `setTimeout`. */
export const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout: (callback, milliseconds) => setTimeout(callback, milliseconds),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};
