// What a notation cannot carry: losses, which are told, and refusals, which stop the writing.

/** What was lost, by its standard name. */
export type LossName =
  | 'attribute'
  | 'call-id'
  | 'channel'
  | 'column'
  | 'content-type'
  | 'end'
  | 'field'
  | 'files'
  | 'grouping'
  | 'header'
  | 'intent'
  | 'name'
  | 'recipient'
  | 'reply'
  | 'role'
  | 'thinking'
  | 'tools';

/** Something that the target cannot carry, or carries in another shape. */
export interface Loss {
  readonly what: LossName;
  /** Number of the message it belongs to, from 0; null: the transcript. */
  readonly message: number | null;
  /** More words: what became of it. Holds nothing of a body. */
  readonly detail?: string | undefined;
}

/**
 * The target cannot carry a message, and leaving something out would be silent corruption (R-REFUSE, 2.2 §11). The text
 * names the message, the field or token, and the remedy; it holds nothing of a body or value.
 *
 * @example
 * ```ts
 * import { fromOpenAI, Refusal } from 'openchatml/convert';
 *
 * try {
 *   fromOpenAI({});
 * } catch (error) {
 *   if (error instanceof Refusal) console.log(error.reason); // it is no chat record
 * }
 * ```
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** Number of the message, from 0; null: the transcript. */
  readonly index: number | null;
  readonly reason: string;
  readonly remedy: string;

  constructor(index: number | null, reason: string, remedy: string) {
    super(`${index === null ? 'transcript' : `message ${index}`}: ${reason}; ${remedy}`);
    this.index = index;
    this.reason = reason;
    this.remedy = remedy;
  }
}
