// Whether headerless text looks like Harmony (R-LIKELY): its system messages name the channels, and nothing has a
// call_id before the first reply. How it is read does not depend on it.

import { PLAIN, ROLE_MASK, ROLE_SHIFT, SYSTEM } from '../abi.ts';
import { LF, standsAt } from './bytes.ts';
import type { Message } from './message.ts';

/** `first`: the first message is awaited; `open`: it names the channels, and no reply has come yet. */
type Verdict = 'not' | 'first' | 'open' | 'likely';

/** What is known at a message's start token; plain data. */
export interface LikenessState {
  readonly verdict: Verdict;
  /** Where it became open; messages since then, and those of them that name the channels. */
  readonly from: number;
  readonly messages: number;
  readonly signs: number;
}

/** Messages, and bytes, after which no reply is waited for any longer: what depends on it is held back so long. */
const MOST_MESSAGES = 1024;
const MOST_BYTES = 16 * 1024 * 1024;
/** Bytes of a system message that are looked through. */
const LONGEST = 1024 * 1024;

const SIGN = new TextEncoder().encode('# Valid channels:');

export class HarmonyLikeness {
  #verdict: Verdict = 'not';
  /** The text is over to which the verdict belongs. */
  #isClosed = false;
  #from = 0;
  #messages = 0;
  #signs = 0;
  /** The message that was looked at last is a system message that names the channels. */
  isSign = false;

  /** Headerless text begins, whose dialect was detected. */
  begin(): void {
    this.#verdict = 'first';
  }

  /** The text is over. */
  close(): void {
    if (this.#verdict === 'open') this.#verdict = 'likely';
    else if (this.#verdict === 'first') this.#verdict = 'not';
    this.#isClosed = this.#verdict !== 'not';
    this.isSign = false;
  }

  /** Messages are to be looked at, one by one while it is not decided. */
  get isWatching(): boolean {
    return this.#verdict !== 'not' && !this.#isClosed;
  }

  get isOpen(): boolean {
    return this.#verdict === 'open';
  }

  get isLikely(): boolean {
    return this.#verdict === 'likely';
  }

  /** System messages by which the text, as far as it was read, looks like Harmony. */
  get count(): number {
    return this.#verdict === 'likely' ? this.#signs : 0;
  }

  /** Roles, as bits, whose messages are to be looked at. */
  get stops(): number {
    return this.isWatching ? 1 << SYSTEM : 0;
  }

  get state(): LikenessState {
    const verdict = this.#isClosed ? 'not' : this.#verdict;
    const isOpen = verdict === 'open';
    if (!isOpen) return { verdict, from: 0, messages: 0, signs: 0 };
    return { verdict, from: this.#from, messages: this.#messages, signs: this.#signs };
  }

  resume({ verdict, from, messages, signs }: LikenessState): void {
    this.#verdict = verdict;
    this.#from = from;
    this.#messages = messages;
    this.#signs = signs;
  }

  /** The next message; `word`: of its row. */
  look(word: number, message: Message, source: { bytes(from: number, to: number): Uint8Array }): void {
    this.isSign = false;
    const mayBeSystem = (word & PLAIN) === 0 || ((word >> ROLE_SHIFT) & ROLE_MASK) === SYSTEM;
    if (mayBeSystem && message.role === 'system') {
      const { from, to } = message.body;
      this.isSign = namesChannels(source.bytes(from, Math.min(to, from + LONGEST)));
    }
    if (this.#verdict === 'first') {
      this.#verdict = this.isSign ? 'open' : 'not';
      this.#from = message.from;
    }
    if (this.isSign) this.#signs++;
    if (this.#verdict !== 'open') return;
    if (message.callId !== null) {
      this.#verdict = 'not';
      this.isSign = false;
      return;
    }
    const isFar = ++this.#messages === MOST_MESSAGES || message.to - this.#from > MOST_BYTES;
    if (isFar || message.role === 'tool') this.#verdict = 'likely';
  }
}

/** A line of the text begins with the sign. */
function namesChannels(text: Uint8Array): boolean {
  for (let at = text.indexOf(SIGN[0]!); at >= 0; at = text.indexOf(SIGN[0]!, at + 1)) {
    if ((at === 0 || text[at - 1] === LF) && standsAt(SIGN, text, at)) return true;
  }
  return false;
}
