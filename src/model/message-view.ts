// What is written in a message: what its header says (header-view.ts), and its body, read when it is asked for.

import { CHANNEL, FUNCTION_OUTPUT, LITERAL, MARK, STRAY } from '../abi.ts';
import { type RowBelow, rowsBelow } from '../scan/table.ts';
import { decodeUtf8 } from '../utf8.ts';
import type { Span } from './bytes.ts';
import { contentPieces, textOfPieces } from './content.ts';
import { HeaderView } from './header-view.ts';
import { callTags, type Reply, withTags, writtenReplies } from './hermes.ts';
import { callsIn, type Mark, MOST_CALLS, splitThoughts, type Thought, thoughtsIn } from './thoughts.ts';
import { outside, readWrittenThought, type WrittenThought } from './written-thought.ts';

export { bareBytes, type End, type MessageContext, type Span } from './header-view.ts';

/** What follows a `<|channel|>` that leaks (R-LEAK). */
export const HIDDEN_CHANNELS: readonly string[] = ['analysis', 'commentary'];
const LONGEST_HIDDEN = 'commentary'.length;

const NOTHING: readonly never[] = [];

/** What is written in a message. */
export class MessageView extends HeaderView {
  #calls: readonly Mark[] | undefined;
  #thought: WrittenThought | null | undefined;

  /** The body as it stands, without escapes undone. A window on the source's bytes: copy it to keep it. */
  get rawBody(): Uint8Array {
    const { from, to } = this.body;
    return this.source.bytes(from, to);
  }

  /** The body's text: escapes undone, literal blocks without their tokens, invalid UTF-8 as U+FFFD. */
  get content(): string {
    const { from, to } = this.body;
    const pieces = contentPieces(this.table, this.row, this.dialect, from, to);
    if (!pieces) return decodeUtf8(this.source.bytes(from, to));
    return textOfPieces(this.source, pieces);
  }

  /**
   * The body's value as JSON, whatever its content type says; undefined when it is none. `check` tells where it is
   * wrong (R-CONSTRAINT): its checker also refuses bad UTF-8, which is U+FFFD here, and bodies that nest deeper than
   * 1,024.
   */
  json(): unknown {
    try {
      return JSON.parse(this.content) as unknown;
    } catch {
      return undefined;
    }
  }

  /** The spans whose bytes, one after the other, are the content; for bodies that are too long for a string. */
  contentSpans(): Iterable<Span> {
    const { from, to } = this.body;
    return contentPieces(this.table, this.row, this.dialect, from, to) ?? [{ from, to }];
  }

  /** CoT markers, function tokens and their like in the body, in order (R-COT, R-CALL). */
  marks(): Mark[] {
    return [...this.eachMark()];
  }

  /** @internal The same one by one: a body may hold very many. */
  *eachMark(): Generator<Mark, void, void> {
    const { from, to } = this.body;
    for (const mark of rowsBelow(this.table, this.row, MARK)) if (mark.from >= from && mark.to <= to) yield mark;
  }

  /** The thoughts between markers in the body: those of an analysis of 2.x one after the other, else blocks (R-COT). */
  get thoughts(): Thought[] {
    return [...this.eachThought()];
  }

  /** @internal The same one by one. */
  eachThought(): Iterable<Thought> {
    if (this.isLeaf) return NOTHING;
    const isSplit = !this.isLine && this.channel === 'analysis';
    return (isSplit ? splitThoughts : thoughtsIn)(this.eachMark(), this.body.to);
  }

  /** Reasoning that the assistant wrote as text (R-THINK); null: none. */
  get writtenThought(): WrittenThought | null {
    if (this.#thought === undefined) this.#thought = this.#readThought();
    return this.#thought;
  }

  #readThought(): WrittenThought | null {
    if (this.isThoughtless || this.role !== 'assistant' || this.dialect.id === 'harmony') return null;
    const { body } = this;
    const parts = (): Iterable<Span> => outside(body, this.isLeaf ? NOTHING : rowsBelow(this.table, this.row, LITERAL));
    return readWrittenThought(this.source, parts, body, this.#callsOutsideBlocks);
  }

  /**
   * The `<|channel|>` with which the assistant goes on in a channel that users do not see, without ending what it says
   * (R-LEAK); null: none.
   */
  get leakedChannel(): Span | null {
    if (this.role !== 'assistant' || this.isLeaf) return null;
    const body = this.body;
    for (const { from, to } of rowsBelow(this.table, this.row, STRAY, CHANNEL)) {
      if (from < body.from) continue;
      const next = decodeUtf8(this.source.bytes(to, Math.min(to + LONGEST_HIDDEN, body.to)));
      if (HIDDEN_CHANNELS.some((channel) => next.startsWith(channel))) return { from, to };
    }
    return null;
  }

  /**
   * What calls tools in what is said in 0.1, outside of thoughts: `<|function_call|>`, and `<tool_call>` where a line
   * begins, as HERMES_CALL (R-CALL, R-HERMES).
   */
  get functionCalls(): readonly Mark[] {
    const calls = this.#callsOutsideBlocks;
    if (calls.length === 0) return calls;
    const thought = this.writtenThought;
    return thought === null ? calls : calls.filter(({ from }) => from >= thought.to);
  }

  get #callsOutsideBlocks(): readonly Mark[] {
    return (this.#calls ??= this.isLine ? this.#readCalls() : NOTHING);
  }

  #readCalls(): readonly Mark[] {
    const { body } = this;
    const isTagged = !this.isUntagged && this.role === 'assistant';
    const tags = isTagged ? callTags(this.source, body) : NOTHING;
    if (this.isLeaf && tags.length === 0) return NOTHING;
    const calls = callsIn(this.eachMark());
    return tags.length === 0 ? calls : withTags(calls, tags, thoughtsIn(this.eachMark(), body.to));
  }

  /** Replies in what a tool says in 0.1, or a user: `<|function_output|>`, `<tool_response>` (R-CALL, R-HERMES). */
  get functionReplies(): Reply[] {
    if (!this.isLine || (this.role !== 'tool' && this.role !== 'user')) return [];
    const { body } = this;
    const replies: Reply[] = this.isUntagged ? [] : writtenReplies(this.source, body);
    if (this.role === 'user' || this.isLeaf) return replies;
    let left = MOST_CALLS;
    for (const { token, from, to } of this.eachMark()) {
      if (token !== FUNCTION_OUTPUT) continue;
      if (left-- === 0) break;
      replies.push({ from, to, textFrom: to, textTo: body.to });
    }
    replies.sort((a, b) => a.from - b.from);
    replies.splice(MOST_CALLS);
    return replies.map((reply, i) => ({ ...reply, textTo: Math.min(reply.textTo, replies[i + 1]?.from ?? body.to) }));
  }

  /** @internal The literal block that does not end. */
  get openLiteral(): RowBelow | undefined {
    if (!this.hasRows) return undefined;
    for (const literal of rowsBelow(this.table, this.row, LITERAL)) if (literal.unterminated) return literal;
    return undefined;
  }
}
