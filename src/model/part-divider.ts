// Transcripts of inputs that are read in parts, and of which runs of messages are passed over; and whether what has no
// header looks like Harmony (R-LIKELY). Who reads an input at once and message by message needs none of this.

import { AT_START, BODY, BY_ROLE, DEVELOPER, HAS_LINE, IMPLIED, SYSTEM } from '../abi.ts';
import { type Dialect, dialectName, dialectNamed } from '../scan/dialects.ts';
import { fromOf, kindOf, kindWord, type Table } from '../scan/table.ts';
import { HarmonyLikeness, type LikenessState } from './harmony-likeness.ts';
import { knownHeader } from './known-headers.ts';
import { Message } from './message.ts';
import { Divider } from './transcript.ts';

/** What a divider knows at a message's start token; plain data. */
export interface DividerState {
  /** The transcript at hand. */
  readonly number: number;
  readonly dialect: string;
  readonly declared: boolean;
  readonly headerSpan: { readonly from: number; readonly to: number } | null;
  readonly from: number;
  /** Messages seen in it. */
  readonly messages: number;
  readonly bounded: boolean;
  readonly boundFrom: number;
  readonly afterMessage: boolean;
  readonly afterReturn: boolean;
  readonly wasLine: boolean;
  readonly likeness: LikenessState;
}

export class PartDivider extends Divider {
  /** Whether what has no header looks like Harmony. */
  readonly likeness = new HarmonyLikeness();
  protected override readonly known = knownHeader;

  /** What it knows; null before the first transcript. */
  get state(): DividerState | null {
    if (this.current === null) return null;
    const { number, dialect, declared, headerSpan, from } = this.current;
    return {
      number,
      dialect: dialectName(dialect),
      declared,
      headerSpan,
      from,
      messages: this.messages,
      bounded: this.bounded,
      boundFrom: this.boundFrom,
      afterMessage: this.afterMessage,
      afterReturn: this.afterReturn,
      wasLine: this.wasLine,
      likeness: this.likeness.state,
    };
  }

  /** Goes on from what another divider of the same input and options knew. */
  resume(state: DividerState, source: { bytes(from: number, to: number): Uint8Array }): void {
    const { number, declared, headerSpan, from } = state;
    const dialect = dialectNamed(state.dialect);
    this.current = {
      number,
      dialect,
      declared,
      headerSpan,
      header: headerSpan && this.headers.read(source, headerSpan.from, headerSpan.to),
      from,
      asksForChannels: this.asksForChannels && !(dialect.flags & HAS_LINE),
      isChat: this.isChat,
    };
    this.messages = state.messages;
    this.bounded = state.bounded;
    this.boundFrom = state.boundFrom;
    this.afterMessage = state.afterMessage;
    this.afterReturn = state.afterReturn;
    this.wasLine = state.wasLine;
    this.likeness.resume(state.likeness);
  }

  /** Where the transcript begins whose first message this row is: at a bound of 0.1 in front of it, if there is one. */
  startOf(table: Table, row: number): number {
    return this.boundFrom >= 0 ? this.boundFrom : fromOf(table, row);
  }

  /** The next message, which has a start token, is the first of its transcript. */
  beginsAt(table: Table & { readonly dialect: Dialect }, row: number): boolean {
    return (this.current !== null && this.messages === 0) || this.begins(table, row, kindWord(table, row));
  }

  /**
   * True when further messages only add to the transcript at hand, in this dialect: then a run of them may be given to
   * `passed` instead of `place`. What has a role of `stops` must not be in it.
   */
  continues(dialect: Dialect): boolean {
    const isKnown = this.current !== null && this.current.dialect === dialect;
    return isKnown && !(this.wasLine && this.bounded) && !this.likeness.isOpen;
  }

  /** True when messages that repeat the last one, which has this role, may be given to `passed`, too. */
  repeats(dialect: Dialect, role: string | null): boolean {
    if (!this.continues(dialect) || this.likeness.isWatching) return false;
    return dialect.id !== 'harmony' || (role !== 'system' && role !== 'developer');
  }

  /** Roles, as bits, whose messages may begin a transcript, or say what it looks like. */
  stops({ id }: Dialect): number {
    return (id === 'harmony' ? (1 << SYSTEM) | (1 << DEVELOPER) : 0) | this.likeness.stops;
  }

  protected override placed(table: Table & { readonly dialect: Dialect }, row: number, word: number): void {
    if (this.likeness.isWatching) this.likeness.look(word, new Message(table, row, this.context), table.source);
  }

  /** Null, too, where it begins no transcript: broken files hold millions of such headers. */
  protected override roleOf(table: Table & { readonly dialect: Dialect }, row: number): string | null {
    const isWritten = (kindWord(table, row) & (IMPLIED | BY_ROLE)) === 0 && this.rescue === null;
    return isWritten && !mayNameBeginner(table, row) ? null : super.roleOf(table, row);
  }

  protected override opened(opener: number): void {
    const { number, dialect, headerSpan } = this.current!;
    this.likeness.close();
    // A role is not needed where the text begins with a start token after all.
    const completes = this.role !== null && (opener & (BY_ROLE | AT_START)) !== 0;
    const isDetected = !this.given && headerSpan === null && !completes;
    if (isDetected && number === 0 && dialect.id === 'openchatml-2.2') this.likeness.begin();
  }
}

/** Whether the header of a message may name a role with which a transcript of Harmony begins: `system`, `developer`. */
function mayNameBeginner(table: Table, row: number): boolean {
  let body = row + 1;
  while (kindOf(table, body) !== BODY) body++;
  const header = table.source.bytes(fromOf(table, row), fromOf(table, body));
  return header.includes(LETTER_Y) || header.includes(LETTER_V);
}

const LETTER_V = 0x76;
const LETTER_Y = 0x79;
