// What was thrown in a run, as its result tells it.

/**
 * What a model or `approve` threw is its `cause`. In JSON it is the name and the message.
 *
 * @example
 * ```ts
 * import { runTurn, ToolRouter, TurnError } from 'openchatml/stream';
 *
 * const model = () => {
 *   throw new Error('no model');
 * };
 * const run = runTurn({ model, router: new ToolRouter({}), messages: [{ role: 'user', content: 'Hi' }] });
 * const { stop, error } = await run.result;
 * console.log(stop, error instanceof TurnError); // failed true
 * ```
 */
export class TurnError extends Error {
  override readonly name = 'TurnError';

  constructor(cause: unknown) {
    super(textOf(cause), { cause });
  }

  toJSON(): { name: string; message: string } {
    return { name: this.name, message: this.message };
  }
}

/** Whatever was thrown: looking at it may throw again. */
function textOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  } catch {
    return 'something that has no text';
  }
}
