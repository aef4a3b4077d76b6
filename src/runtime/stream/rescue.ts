// Likely messages rather than exact ones (R-RESCUE) in rows as they come: one message of the scan becomes several. What
// decides is in model/rescue.ts; what happens to messages is for the reader, which asks here.

import { BY_ROLE, EOF_END, FIELD, HAS_LINE, IMPLICIT_END, NO_BODY_TOKEN, STRIPPED, TOKEN_SHIFT } from '../../abi.ts';
import { MESSAGE_TOKEN_BYTES } from '../../model/message-header.ts';
import {
  BodyBreaks, ENDING, isSaid, OPENED, type Rescue, SAID, type StrayToken, strippedParts,
} from '../../model/rescue.ts';
import { rescue as ofRows } from '../../model/rescue-rows.ts';
import { splitWords } from '../../model/words.ts';
import type { DoneMessage } from './event.ts';
import type { HeaderRows } from './header-rows.ts';
import type { OpenRow } from './rows.ts';

/** What the reader does with the message at hand. */
export interface MessageFlow {
  readonly rows: HeaderRows;
  bytes(from: number, to: number): Uint8Array;
  /** Begins a message in the one of the scan that is under way; `skipped`: its rows before the new one's second. */
  begin(from: number, skipped: number): void;
  /** What is known of the message at hand. */
  word(): number;
  /** The header is read: the body begins at `from`. `isWhole`: the message ends at `to`, as `word` says. */
  open(word: number, from: number, to: number, isWhole: boolean): void;
  /** The body and the message end at `to`. */
  close(word: number, to: number): void;
  /** The content up to `to` is known. */
  tellTo(to: number): void;
  /** The token is text. */
  stray(token: StrayToken): void;
}

/** What a stream takes to prefer a likely message to an exact one (R-RESCUE), and all that `parse` takes. */
export interface StreamRescue extends Rescue {
  /** @internal Divides messages as they come; `role`: the caller's, `longest`: bytes of a header. */
  readonly flow: (flow: MessageFlow, role: string | undefined, longest: number) => FlowRescue;
}

/**
 * For the option `rescue` of streams and turns: prefers a likely message to an exact one (R-RESCUE), where a model
 * forgot or doubled a token, or a server stripped them. `parse` takes it, too.
 *
 * @example
 * ```ts
 * import { MessageStream, rescue } from 'openchatml/stream';
 *
 * const stream = new MessageStream({ dialect: 'harmony', role: 'assistant', rescue });
 * const output = '<|channel|>analysis<|message|>Hm.<|channel|>final<|message|>Four.<|return|>';
 * for (const event of stream.feed(output)) if (event.type === 'response.delta') console.log(event.delta); // Four.
 * ```
 */
export const rescue: StreamRescue = {
  ...ofRows, flow: (flow, role, longest) => new FlowRescue(flow, role, longest),
};

export class FlowRescue {
  readonly #flow: MessageFlow;
  readonly #breaks: BodyBreaks;
  readonly #role: string | undefined;
  readonly #longest: number;

  /** `role`: the caller's. `longest`: bytes of a header. */
  constructor(flow: MessageFlow, role: string | undefined, longest: number) {
    this.#flow = flow;
    this.#breaks = new BodyBreaks(flow);
    this.#role = role;
    this.#longest = longest;
  }

  // -- The beginning of a completion, which may be no header: asked at its first field and at its body.

  /** The first field begins. */
  atField(messageFrom: number, flags: number, from: number): void {
    if (this.#isCompletion(flags)) this.#takeSaid(messageFrom, from);
  }

  /** The body of the scan's message begins. True: it has begun here, too. */
  atBody(messageFrom: number, flags: number, row: OpenRow): boolean {
    if (!this.#isCompletion(flags)) return false;
    const word = this.#flow.word();
    if ((word & NO_BODY_TOKEN) === 0) {
      this.#takeSaid(messageFrom, row.from - MESSAGE_TOKEN_BYTES);
      return false;
    }
    const isWhole = (word & EOF_END) !== 0 && row.to === row.from;
    return isWhole && this.#role === 'assistant' && this.#takeStripped(messageFrom, row.from);
  }

  #isCompletion(flags: number): boolean {
    return (flags & HAS_LINE) === 0 && (this.#flow.word() & BY_ROLE) !== 0 && !this.#flow.rows.hasField;
  }

  /** What stands before the first token, at `to`, is a message of its own, if it is no header. */
  #takeSaid(from: number, to: number): void {
    const flow = this.#flow;
    const skipped = flow.rows.count - 1;
    if (to - from > this.#longest || !isSaid(splitWords(flow.rows.table, 1, skipped + 1, from, to))) return;
    flow.open(SAID, to, to, true);
    flow.close(SAID, to);
    flow.begin(to, skipped);
  }

  /** All of the input is one message without a token. */
  #takeStripped(from: number, to: number): boolean {
    const flow = this.#flow;
    const parts = flow.rows.count === 1 && to - from <= this.#longest ? strippedParts(flow, from, to) : null;
    if (parts === null) return false;
    const { bodyFrom, nextFrom, nextBodyFrom } = parts;
    flow.open(SAID | STRIPPED, bodyFrom, nextFrom, true);
    flow.close(SAID | STRIPPED, nextFrom);
    flow.begin(nextFrom, 0);
    flow.open(OPENED | STRIPPED | NO_BODY_TOKEN | EOF_END, nextBodyFrom, to, true);
    return true;
  }

  // -- A header in an assistant's body.

  /** A token that means nothing there. True: it belongs to a header, or what follows tells. */
  take(stray: StrayToken): boolean {
    const breaks = this.#breaks;
    if (!breaks.fits(stray)) this.release();
    if (!breaks.fits(stray)) return false;
    const found = breaks.take(stray);
    const flow = this.#flow;
    if (found === null) {
      flow.tellTo(breaks.from);
      return true;
    }
    const { fields, bodyFrom } = found;
    const { from } = fields[0]!;
    flow.close((flow.word() & ~ENDING) | IMPLICIT_END, from);
    flow.begin(from, 0);
    for (const [i, field] of fields.entries()) {
      const to = fields[i + 1]?.from ?? bodyFrom - MESSAGE_TOKEN_BYTES;
      flow.rows.addLeaf(FIELD | (field.token << TOKEN_SHIFT), field.from, to);
    }
    flow.open(flow.word() & ~ENDING, bodyFrom, bodyFrom, false);
    return true;
  }

  /** Nothing waits. */
  get isIdle(): boolean {
    return this.#breaks.from === Infinity;
  }

  /** What waited is text. */
  release(): void {
    for (const stray of this.#breaks.release()) this.#flow.stray(stray);
  }

  /** Up to where the body is sure, all before `to` being known. */
  sureTo(to: number): number {
    const { from } = this.#breaks;
    if (from === Infinity) return to;
    if (this.#breaks.mayGoOn(to)) return from;
    this.release();
    return to;
  }
}

/** What is shown and ends as a call to nobody is none (R-RESCUE, e). */
export function withoutCall(done: DoneMessage): DoneMessage {
  if (done.end !== 'call' || done.kind !== 'text' || done.recipient !== null) return done;
  return { ...done, end: done.channel === 'final' ? 'return' : 'end' };
}
