// Messages of the usual form, looked at as rows and bytes of the window: a plain header, text, and an end as it should be. What may be
// wrong with them belongs to few rules, and mostly nothing is. The simple version, which all others go through, is `#message` in
// check.ts with `message` in meaning.ts.

import * as abi from '../abi.ts';
import type { Tell } from '../errors.ts';
import { HeaderWords } from '../model/plain-header.ts';
import type { TranscriptInfo } from '../model/transcript.ts';
import { CHANNEL_NAMES, ROLE_NAMES } from '../scan/dialects.ts';
import type { Machine } from '../scan/machine.ts';
import type { Batch } from '../scan/table.ts';
import { isFreeType } from './constraint.ts';
import { LONGEST_DEFINER, type Meaning } from './meaning.ts';
import type { InvalidUtf8 } from './utf8.ts';
import { asksForChannels } from './visibility.ts';

const FORM = abi.MESSAGE | abi.PLAIN;
const FORM_MASK =
  abi.KIND_MASK | abi.PLAIN | abi.IMPLIED | abi.BY_ROLE | abi.NO_BODY_TOKEN | abi.IMPLICIT_END | abi.EOF_END;

const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Bytes of `<|start|>` and `<|message|>`. */
const START_BYTES = 9;
const MESSAGE_BYTES = 11;

export class Usual {
  readonly #machine: Machine;
  readonly #meaning: Meaning;
  readonly #utf8: InvalidUtf8;
  readonly #said = new HeaderWords();
  /** Of the message at hand: its words in the table. */
  #at = 0;
  #body = 0;
  #isLeaf = true;

  /** `utf8`: what is known of the window. */
  constructor(machine: Machine, meaning: Meaning, utf8: InvalidUtf8) {
    this.#machine = machine;
    this.#utf8 = utf8;
    this.#meaning = meaning;
  }

  /** Tells what is wrong with a message. False: it is of another form; nothing was done. */
  message(batch: Batch, row: number, transcript: TranscriptInfo, tell: Tell): boolean {
    const { rows } = this.#machine;
    if (batch.words !== rows || batch.dialect.flags & abi.HAS_LINE) return false;
    this.#at = (row - batch.first) * abi.ROW_WORDS;
    const word = rows[this.#at]!;
    if ((word & FORM_MASK) !== FORM) return false;
    const role = (word >> abi.ROLE_SHIFT) & abi.ROLE_MASK;
    const channel = (word >> abi.CHANNEL_SHIFT) & abi.CHANNEL_MASK;
    if (channel === 0 && (role === abi.ASSISTANT || role === abi.TOOL) && asksForChannels(transcript)) return false;
    if (!this.#readBelow(batch) || this.#utf8.pending(batch.base + rows[this.#at + abi.TO]!)) return false;
    this.#readHeader();
    const isCall = ((word >> abi.RECIPIENT_SHIFT) & abi.RECIPIENT_MASK) === abi.TO_TOOL;
    if (role === abi.TOOL) return this.#reply(batch, tell);
    if (role === abi.ASSISTANT && isCall) return this.#call(batch, CHANNEL_NAMES[channel] || 'final', tell);
    const token = (word >> abi.TOKEN_SHIFT) & abi.TOKEN_MASK;
    if (isCall || token === abi.CALL || !this.#isOfType()) return false;
    return role === abi.USER || role === abi.ASSISTANT || this.#define(role, transcript);
  }

  /** Finds the body. False: below is what something is told of, or may be. */
  #readBelow(batch: Batch): boolean {
    const { rows } = this.#machine;
    let at = this.#at + abi.ROW_WORDS;
    while ((rows[at]! & abi.KIND_MASK) === abi.FIELD) at += abi.ROW_WORDS;
    this.#body = at;
    const next = (rows[this.#at + abi.NEXT]! - batch.first) * abi.ROW_WORDS;
    for (at += abi.ROW_WORDS; at < next; at += abi.ROW_WORDS) {
      const kind = rows[at]! & abi.KIND_MASK;
      if (kind !== abi.ESCAPE && kind !== abi.LITERAL) return false;
    }
    this.#isLeaf = next === this.#body + abi.ROW_WORDS;
    return true;
  }

  #readHeader(): void {
    const { rows, source } = this.#machine;
    const said = this.#said;
    const to = this.#headerTo - MESSAGE_BYTES;
    let at = this.#at + abi.ROW_WORDS;
    said.readStart(source, this.#from + START_BYTES, at === this.#body ? to : rows[at + abi.FROM]!);
    for (; at < this.#body; at += abi.ROW_WORDS) {
      const end = at + abi.ROW_WORDS === this.#body ? to : rows[at + abi.ROW_WORDS + abi.FROM]!;
      said.readField(rows[at + abi.FROM]!, end, (rows[at]! >> abi.TOKEN_SHIFT) & abi.TOKEN_MASK);
    }
  }

  // Positions in the window.

  get #from(): number {
    return this.#machine.rows[this.#at + abi.FROM]!;
  }

  get #headerTo(): number {
    return this.#machine.rows[this.#body + abi.FROM]!;
  }

  get #bodyTo(): number {
    return this.#machine.rows[this.#body + abi.TO]!;
  }

  /** The body is of the type that the header names. False: it is not, or nobody knows. */
  #isOfType(): boolean {
    const { contentType } = this.#said;
    if (contentType === null || isFreeType(contentType)) return true;
    if (contentType !== 'json' || !this.#isLeaf) return false;
    return this.#machine.checkWindowJson(this.#headerTo, this.#bodyTo, this.#meaning.constraints.depth) < 0;
  }

  #reply(batch: Batch, tell: Tell): boolean {
    if (!this.#isOfType()) return false;
    const { callId, name } = this.#said;
    this.#meaning.calls.reply(callId, name, batch.base + this.#from, batch.base + this.#headerTo, tell);
    return true;
  }

  #call(batch: Batch, channel: string, tell: Tell): boolean {
    if (!this.#isLeaf) return false;
    const { recipient, callId } = this.#said;
    const { tools, calls, constraints } = this.#meaning;
    const look = tools.look(recipient!, this.#machine, this.#headerTo, this.#bodyTo, constraints.depth);
    if (look === null || !(look === 'fits' && this.#said.contentType === 'json') && !this.#isOfType()) return false;
    calls.call(callId, recipient!, channel, batch.base + this.#from, batch.base + this.#headerTo, tell);
    return true;
  }

  /** A system or developer message. */
  #define(role: number, transcript: TranscriptInfo): boolean {
    const [from, to] = [this.#headerTo, this.#bodyTo];
    if (!this.#isLeaf || to - from > LONGEST_DEFINER) return false;
    const last = this.#machine.findLast(from, to, CLOSE_BRACE);
    // Mostly there is no bracket of any kind.
    if (last < 0 && this.#machine.findLast(from, to, OPEN_BRACE) < 0) return true;
    this.#meaning.noteText(ROLE_NAMES[role]!, transcript.dialect.id, this.#machine.source.subarray(from, to), last < 0 ? last : last - from);
    return true;
  }
}
