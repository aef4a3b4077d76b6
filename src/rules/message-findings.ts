// Findings in messages: those of which nothing is to be told are passed over many at a time, every other one is looked
// at; and the bytes in them that are not UTF-8.

import type { Finding, Tell } from '../errors.ts';
import { Message } from '../model/message.ts';
import { hasWrittenCalls } from '../model/message-rows.ts';
import type { PartWalk } from '../model/part-walk.ts';
import type { TranscriptInfo } from '../model/transcript.ts';
import { lacksChannel } from '../model/visibility.ts';
import { type Batch, nextOf, toOf } from '../scan/table.ts';
import type { CheckOptions } from './check-options.ts';
import type { CleanMessages } from './clean.ts';
import { declaresSome } from './conform.ts';
import { limitFindings } from './header.ts';
import { KnownMessages } from './known-messages.ts';
import type { Meaning } from './meaning.ts';
import type { PendingFindings } from './pending.ts';
import { structureFindings } from './structure.ts';
import type { InvalidUtf8 } from './utf8.ts';
import type { WrittenTags } from './written-tags.ts';

export class MessageFindings {
  readonly #walk: PartWalk;
  readonly #options: CheckOptions;
  readonly #meaning: Meaning;
  readonly #clean: CleanMessages;
  readonly #known = new KnownMessages();
  readonly #utf8: InvalidUtf8;
  readonly #found: PendingFindings;
  /** Of the batch at hand. */
  #tags: WrittenTags | null = null;

  constructor(
    walk: PartWalk, options: CheckOptions, meaning: Meaning, clean: CleanMessages, utf8: InvalidUtf8,
    found: PendingFindings,
  ) {
    this.#walk = walk;
    this.#options = options;
    this.#meaning = meaning;
    this.#clean = clean;
    this.#utf8 = utf8;
    this.#found = found;
  }

  /** The messages that follow are those of another batch. */
  begin(tags: WrittenTags): void {
    this.#tags = tags;
  }

  /** Takes what is found in a message of the transcript at hand. */
  readonly #tell = (finding: Finding): void => {
    if (finding.rule === 'missing-tool-name' && this.#options.isChat) return;
    const { number, declared } = this.#walk.divider.current!;
    this.#found.add(finding, number, declared);
  };

  /**
   * Passes over the messages from row `row` on, below row `end`, of which nothing is to be told, and tells of those
   * that are listed; answers the row behind, `row` when each one is to be looked at. They are all of the transcript at
   * hand.
   */
  skip(batch: Batch, row: number, end: number, stops: number): number {
    const { visitor } = this.#options;
    if ((visitor && !visitor.messages) || this.#options.writtenCalls || end === row) return row;
    const transcript = this.#walk.divider.current!;
    const clean = this.#clean;
    const next = clean.skip(batch, row, end, transcript, this.#utf8.validTo, stops);
    if (next === row) return row;
    let shown = row;
    const show = (to: number): void => {
      if (to > shown) visitor?.messages!(batch, shown, to, this.#walk.divider.context, transcript);
      shown = to;
    };
    for (let i = 0; i < clean.listed; i++) {
      const listed = clean.goTo(i, batch);
      const { itemFrom, itemTo } = clean;
      this.invalidBytes(itemFrom, 0, transcript.number);
      this.#found.settle();
      if (!clean.tell(this.#tell)) {
        show(listed);
        shown = nextOf(batch, listed);
        this.look(batch, listed, transcript);
      } else if (this.#found.isAny) this.invalidBytes(itemTo, 0, transcript.number);
      this.#found.settle();
    }
    show(next);
    this.invalidBytes(clean.to, 0, transcript.number);
    this.#found.settle();
    return next;
  }

  /** Bad bytes up to `to`; those before `headerTo` stand in a header. */
  invalidBytes(to: number, headerTo: number, transcript: number): void {
    if (!this.#utf8.pending(to)) return;
    const isBefore = this.#walk.divider.current === null;
    this.#utf8.upTo(to, (from, end) => {
      const finding: Finding = { rule: 'invalid-utf8', from, to: end, ...(from < headerTo && { severity: 'error' }) };
      if (isBefore) this.#found.addBefore(finding);
      else this.#found.add(finding, transcript, false);
    });
  }

  /** Tells what is wrong with a message, whatever it is like. */
  look(batch: Batch, row: number, transcript: TranscriptInfo): void {
    const { number } = transcript;
    const { visitor } = this.#options;
    const mayBeKnown = !this.#options.writtenCalls && KnownMessages.mayBe(batch, row)
      && !this.#utf8.pending(toOf(batch, row));
    const isKnown = (): boolean => mayBeKnown && this.#known.tell(batch, row, transcript, this.#tell);
    if (visitor === undefined && isKnown()) return;
    const tags = this.#tags!;
    const { context } = this.#walk.divider;
    const message = new Message(batch, row, context, !tags.mayStandIn(row), -1, !tags.mayHoldThoughts);
    visitor?.message(message, transcript, this.#walk.reading);
    if (visitor !== undefined && isKnown()) return;
    if (!this.#options.writtenCalls && isClean(message, transcript)) {
      this.invalidBytes(message.to, 0, number);
      return;
    }
    const found: Finding[] = [];
    const tell: Tell = mayBeKnown ? (finding) => void (found.push(finding), this.#tell(finding)) : this.#tell;
    if (message.isOpenTurn) {
      tell({ rule: 'open-turn', from: message.from, to: message.to });
      limitFindings(message.header, tell);
    } else {
      const mayBeCut = message.end === 'eof' && !this.#options.stopStripped;
      structureFindings(message, transcript, this.#walk.reading, mayBeCut, tell);
      this.#meaning.message(message, tell);
      if (mayBeKnown) this.#known.keep(batch, row, message, transcript, found);
    }
    const { to } = message;
    // A plain header holds no byte beyond ASCII, so it need not be looked at for where it ends.
    this.invalidBytes(to, this.#utf8.pending(to) ? message.header.to : 0, number);
  }
}

/** Nothing but role, channel and body, and ended as it should be: most messages, of which nothing is to be told. */
function isClean(message: Message, transcript: TranscriptInfo): boolean {
  if (!message.isBare || !message.isLeaf) return false;
  const { role, end } = message;
  if ((role !== 'user' && role !== 'assistant') || (end !== 'end' && end !== 'return')) return false;
  if (lacksChannel(message) || declaresSome(transcript) || hasWrittenCalls(message)) return false;
  if (end === 'return' && (role === 'user' || message.channel !== 'final')) return false;
  return role === 'user' || message.channel !== 'final' || message.writtenThought === null;
}
